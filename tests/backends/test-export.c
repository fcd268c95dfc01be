/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include <glib/gstdio.h>
#include <string.h>

/* Programs as StableHLO text and as SavedModels: what is written, and what is refused by name. What the files compute is for a test that
 * has TensorFlow. */

static AccExpr *
scaled (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (acc_expr_mul (x, x), y);
}

static AccArray *
zip_scaled (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_zip_with (arrays[0], arrays[1], scaled, NULL);
}

static AccProgram *
make (AccArrayFunc function, const char *first, const char *second)
{
  const char *signatures[] = { first, second, NULL };

  return acc_program_new (signatures, function, NULL);
}

static char *
export_text (AccProgram *program, AccShape **shapes, guint n_shapes, AccExportFlags flags, GError **error)
{
  char *text = acc_program_export_stablehlo (program, shapes, n_shapes, flags, error);

  g_assert_true ((text == NULL) == (error != NULL && *error != NULL));

  return text;
}

/* Takes over @program. Each of @wanted, which ends with NULL, is in its text; a string that begins with "!" is not. */
static void
expect (AccProgram *program, AccExportFlags flags, const char *const *wanted)
{
  g_autoptr(AccProgram) owned = program;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = export_text (owned, NULL, 0, flags, &error);

  g_assert_no_error (error);
  for (; *wanted != NULL; wanted++)
    if ((strstr (text, **wanted == '!' ? *wanted + 1 : *wanted) != NULL) == (**wanted == '!'))
      g_error ("%s: in the text\n%s", *wanted, text);
}

#define EXPECT(program, flags, ...) expect (program, flags, (const char *const[]) { __VA_ARGS__, NULL })

/* Takes over @program. */
static void
expect_refusal (AccProgram *program, AccShape *shape, int code, const char *wanted)
{
  g_autoptr(AccProgram) owned = program;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = export_text (owned, &shape, shape != NULL ? 1 : 0, ACC_EXPORT_DEFAULT, &error);

  g_assert_null (text);
  g_assert_error (error, ACC_ERROR, code);
  if (strstr (error->message, wanted) == NULL)
    g_error ("“%s” does not say “%s”", error->message, wanted);
}

/* --- texts */

static AccExpr *
plus_one (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_new_int (1));
}

static AccExpr *
twice (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (x, acc_expr_add (x, x));
}

static AccExpr *
pair (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (x, x);
}

static AccArray *
map_pair (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], pair, NULL);
}

static AccArray *
map_twice (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], twice, NULL);
}

static AccArray *
same (AccArray **arrays, guint n, gpointer data)
{
  return g_object_ref (arrays[0]);
}

static AccArray *
second_alone (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[1], plus_one, NULL);
}

static void
test_borders (void)
{
  /* Extents as arrays have them, no vectors. */
  EXPECT (make (zip_scaled, "f4[3,5]", "f4[3,5]"), ACC_EXPORT_DEFAULT,
          "@main(%v0: tensor<3x5xf32>, %v1: tensor<3x5xf32>, %v2: tensor<i32>)", "-> (tensor<3x5xf32>)", "!reshape", "stablehlo.xor");
  EXPECT (make (zip_scaled, "f4[]", "f4[]"), ACC_EXPORT_FAST_MATH, "@main(%v0: tensor<f32>, %v1: tensor<f32>) -> (tensor<f32>)",
          "!stablehlo.xor");
  EXPECT (make (zip_scaled, "f4[0,5]", "f4[0,5]"), ACC_EXPORT_DEFAULT, "-> (tensor<0x5xf32>)");
  /* One tensor for each element of a tuple, one more dimension for the parts of a complex number. */
  EXPECT (make (map_pair, "(f4,u1)[7]", NULL), ACC_EXPORT_DEFAULT,
          "@main(%v0: tensor<7xf32>, %v1: tensor<7xui8>) -> (tensor<7xf32>, tensor<7xui8>, "
          "tensor<7xf32>, tensor<7xui8>)");
  EXPECT (make (map_twice, "c8[7]", NULL), ACC_EXPORT_DEFAULT, "@main(%v0: tensor<7x2xf32>) -> (tensor<7x2xf32>, tensor<7x2xf32>)");
  /* A result that is a parameter, and a parameter that nobody reads. */
  EXPECT (make (same, "i8[4]", NULL), ACC_EXPORT_DEFAULT, "@main(%v0: tensor<4xi64>) -> (tensor<4xi64>)", "return %v0 :");
  EXPECT (make (second_alone, "f8[2,2]", "i4[4]"), ACC_EXPORT_DEFAULT, "@main(%v0: tensor<2x2xf64>, %v1: tensor<4xi32>)");
}

static AccExpr *
inverse (AccExpr *x, gpointer data)
{
  return acc_expr_quot (acc_expr_new_int (100), x);
}

static AccArray *
map_inverse (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], inverse, NULL);
}

static AccArray *
add_table (AccArray **arrays, guint n, gpointer data)
{
  static const gint32 numbers[] = { 1, -2, 0x12345678 };
  static const guint8 bools[] = { 1, 0, 1 };
  g_autoptr(GBytes) bytes = g_bytes_new_static (data != NULL ? (gconstpointer) bools : numbers, data != NULL ? 3 : sizeof numbers);
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);
  g_autoptr(AccArray) table = acc_array_use (acc_element_type_new (data != NULL ? ACC_KIND_BOOL : ACC_KIND_I32), shape, bytes);

  return data != NULL ? acc_array_zip (arrays[0], table) : acc_array_add (arrays[0], table);
}

static void
test_parts (void)
{
  const char *signatures[] = { "i4[3]", NULL };

  /* Checks are two more results. */
  EXPECT (make (map_inverse, "i4[3]", NULL), ACC_EXPORT_DEFAULT, "-> (tensor<3xi32>, tensor<i32>, tensor<i64>)");
  EXPECT (make (second_alone, "i4[3]", "i4[3]"), ACC_EXPORT_DEFAULT, "-> (tensor<3xi32>)");
  /* Arrays in memory are in the text. */
  EXPECT (acc_program_new (signatures, add_table, NULL), ACC_EXPORT_DEFAULT, "dense<\"0x01000000FEFFFFFF78563412\"> : tensor<3xi32>",
          "@main(%v0: tensor<3xi32>) ->");
  EXPECT (acc_program_new (signatures, add_table, signatures), ACC_EXPORT_DEFAULT, "dense<[true, false, true]> : tensor<3xi1>");
}

/* --- shapes */

static void
test_shapes (void)
{
  const gint64 extents[] = { 2, -1 };
  g_autoptr(AccProgram) program = make (zip_scaled, "f4[:,:]", "f4[:,5]");
  g_autoptr(AccShape) shape = acc_shape_new_matrix (3, 5), vector = acc_shape_new_vector (3), wide = acc_shape_new_matrix (3, 6);
  g_autoptr(AccShape) open = acc_shape_new (extents, 2);
  AccShape *right[] = { shape, shape }, *wrong[] = { shape, wide }, *flat[] = { vector, vector }, *inner[] = { open, open };
  g_autoptr(GError) error = NULL;
  g_autofree char *text = export_text (program, right, 2, ACC_EXPORT_DEFAULT, &error);

  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "tensor<3x5xf32>"));
  g_assert_null (export_text (program, wrong, 2, ACC_EXPORT_DEFAULT, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);
  g_assert_null (export_text (program, flat, 2, ACC_EXPORT_DEFAULT, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);
  g_assert_null (export_text (program, right, 1, ACC_EXPORT_DEFAULT, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);
  /* Only the outermost may be open. */
  g_assert_null (export_text (program, inner, 2, ACC_EXPORT_DEFAULT, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);
  g_assert_null (export_text (program, NULL, 0, ACC_EXPORT_DEFAULT, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
}

static AccArray *
turn (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_transpose (arrays[0]);
}

static AccArray *
add_up (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_cumsum (arrays[0]);
}

static void
test_open (void)
{
  const gint64 extents[] = { -1, 5 };
  g_autoptr(AccProgram) program = make (zip_scaled, "f4[:,:]", "f4[:,5]");
  g_autoptr(AccShape) shape = acc_shape_new (extents, 2);
  AccShape *shapes[] = { shape, shape };
  g_autoptr(GError) error = NULL;
  g_autofree char *text = export_text (program, shapes, 2, ACC_EXPORT_DEFAULT, &error);

  /* Nothing is left of the lengths that it was looked at with. */
  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "-> (tensor<?x5xf32>)"));
  g_assert_null (strstr (text, "61"));
  g_assert_null (strstr (text, "67"));
  EXPECT (make (zip_scaled, "f4[:]", "f4[:]"), ACC_EXPORT_DEFAULT, "%size = stablehlo.get_dimension_size %v0, dim = 0 : (tensor<?xf32>)",
          "stablehlo.dynamic_broadcast_in_dim");
  EXPECT (make (turn, "f4[:,4]", NULL), ACC_EXPORT_DEFAULT, "-> (tensor<4x?xf32>)");
  EXPECT (make (second_alone, "f4[:]", "i4[4]"), ACC_EXPORT_DEFAULT, "-> (tensor<4xi32>)");
  expect_refusal (make (add_up, "i4[:]", NULL), NULL, ACC_ERROR_UNSUPPORTED, "reduce_window");
}

/* --- refusals */

static AccExpr *
is_positive (AccExpr *x, gpointer data)
{
  return acc_expr_gt (x, acc_expr_new_int (0));
}

static AccArray *
keep_positive (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_filter (arrays[0], is_positive, NULL, NULL);
}

static AccArray *
choose (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) largest = acc_array_maximum (arrays[0]), flag = acc_array_map (largest, is_positive, NULL);
  g_autoptr(AccArray) other = acc_array_map (arrays[0], plus_one, NULL);

  return acc_array_cond (flag, arrays[0], other);
}

static void
test_refusals (void)
{
  expect_refusal (make (keep_positive, "i4[9]", NULL), NULL, ACC_ERROR_UNSUPPORTED, "follow from data");
  expect_refusal (make (choose, "i4[9]", NULL), NULL, ACC_ERROR_UNSUPPORTED, "cond");
}

/* --- SavedModels */

static gboolean
contains (const char *data, gsize size, const char *text)
{
  return memmem (data, size, text, strlen (text)) != NULL;
}

static AccArray *
labelled_inverse (AccArray **arrays, guint n, gpointer data)
{
  AccArray *result = acc_array_map (arrays[0], inverse, NULL);

  acc_array_set_label (result, "in part");

  return result;
}

static void
test_saved_model (void)
{
  g_autofree char *root = g_dir_make_tmp ("acc-export-XXXXXX", NULL), *path = g_build_filename (root, "a", "model", NULL);
  g_autofree char *file = g_build_filename (path, "saved_model.pb", NULL), *above = g_path_get_dirname (path);
  g_autoptr(GFile) folder = g_file_new_for_path (path), inside = g_file_new_build_filename (file, "more", NULL);
  g_autoptr(AccProgram) program = make (labelled_inverse, "i4[3]", NULL), refused = make (keep_positive, "i4[3]", NULL);
  g_autoptr(GCancellable) cancelled = g_cancellable_new ();
  g_autoptr(GError) error = NULL;
  g_autofree char *data = NULL;
  gsize size;

  g_assert_false (acc_program_export_saved_model (refused, NULL, 0, ACC_EXPORT_DEFAULT, folder, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  g_cancellable_cancel (cancelled);
  g_assert_false (acc_program_export_saved_model (program, NULL, 0, ACC_EXPORT_DEFAULT, folder, cancelled, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));

  g_assert_true (acc_program_export_saved_model (program, NULL, 0, ACC_EXPORT_DEFAULT, folder, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (file, &data, &size, NULL));
  g_assert_true (contains (data, size, "serving_default") && contains (data, size, "input_0:0") && contains (data, size, "in_part:0"));
  g_assert_true (contains (data, size, "map “in part”: division by zero") && contains (data, size, "XlaCallModule"));

  /* Again, over it; and where no folder can be. */
  g_assert_true (acc_program_export_saved_model (program, NULL, 0, ACC_EXPORT_DEFAULT, folder, NULL, &error));
  g_assert_no_error (error);
  g_assert_false (acc_program_export_saved_model (program, NULL, 0, ACC_EXPORT_DEFAULT, inside, NULL, &error));
  g_assert_nonnull (error);

  g_assert_cmpint (g_unlink (file), ==, 0);
  g_assert_cmpint (g_rmdir (path), ==, 0);
  g_assert_cmpint (g_rmdir (above), ==, 0);
  g_assert_cmpint (g_rmdir (root), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/export/borders", test_borders);
  g_test_add_func ("/export/parts", test_parts);
  g_test_add_func ("/export/shapes", test_shapes);
  g_test_add_func ("/export/open", test_open);
  g_test_add_func ("/export/refusals", test_refusals);
  g_test_add_func ("/export/saved-model", test_saved_model);

  return g_test_run ();
}
