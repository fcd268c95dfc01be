/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include "acc-core/array/acc-array-private.h"

#include <math.h>
#include <string.h>

static AccExpr *
add (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
twice (AccExpr *x, gpointer data)
{
  return acc_expr_mul (acc_expr_new_int (2), x);
}

static AccExpr *
itself (AccExpr *x, gpointer data)
{
  return x;
}

static AccExpr *
nothing (AccExpr *x, gpointer data)
{
  return NULL;
}

static AccExpr *
never (AccExpr *x, gpointer data)
{
  g_assert_not_reached ();
}

static AccExpr *
always_one (AccExpr *x, gpointer data)
{
  return acc_expr_new_int (1);
}

static AccElementType *
type_of (const char *code)
{
  AccElementType *type = acc_element_type_parse (code, NULL);

  g_assert_nonnull (type);
  return type;
}

static AccArray *
use_data (const char *code, const gint64 *extents, guint rank, gconstpointer data, gsize size)
{
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  g_autoptr(GBytes) bytes = g_bytes_new (data, size);

  return acc_array_use (type_of (code), shape, bytes);
}

static AccArray *
zeros (const char *code, const gint64 *extents, guint rank)
{
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  gsize size = acc_shape_get_size (shape) * acc_element_type_get_size (type_of (code));
  g_autofree guint8 *data = g_malloc0 (size + 1);

  return use_data (code, extents, rank, data, size);
}

static AccArray *
vector (const char *code, gint64 n)
{
  return zeros (code, &n, 1);
}

#define assert_fails(array, error_code, text)                                 \
  G_STMT_START {                                                              \
    AccArray *failed = (array);                                               \
    g_autoptr(GError) failure = NULL;                                         \
    g_assert_false (acc_array_check (failed, &failure));                      \
    g_assert_error (failure, ACC_ERROR, error_code);                          \
    if (strstr (failure->message, text) == NULL)                              \
      g_error ("“%s” does not contain “%s”", failure->message, text);         \
    g_assert_null (acc_array_get_element_type (failed));                      \
    g_assert_null (acc_array_get_shape (failed));                             \
  } G_STMT_END

#define assert_takes_and_fails(array, error_code, text)  \
  G_STMT_START {                                         \
    g_autoptr(AccArray) taken = (array);                 \
    assert_fails (taken, error_code, text);              \
  } G_STMT_END

static void
assert_layout (AccArray *array, const char *code, const char *shape)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;

  acc_array_check (array, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (acc_element_type_get_code (acc_array_get_element_type (array)), ==, code);
  g_assert_nonnull (acc_array_get_shape (array));
  text = acc_shape_to_string (acc_array_get_shape (array));
  g_assert_cmpstr (text, ==, shape);
}

static void
test_use (void)
{
  float values[] = { 1, 2, 3, 4, 5, 6 };
  g_autoptr(AccArray) array = use_data ("f4", (gint64[]) { 2, 3 }, 2, values, sizeof values);
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(GVariant) value = NULL;
  g_autoptr(GVariant) all = NULL;
  g_autofree char *printed = NULL;
  g_autoptr(GError) error = NULL;

  assert_layout (array, "f4", "[2,3]");
  g_assert_true (acc_array_is_manifest (array));
  g_assert_cmpstr (acc_array_get_operation (array), ==, "use");
  bytes = acc_array_dup_bytes (array, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), values, sizeof values);
  g_assert_null (acc_array_dup_bytes (array, 1, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
  g_clear_error (&error);
  g_assert_cmpfloat (acc_array_get_double (array, 0, 5), ==, 6);
  g_assert_true (isnan (acc_array_get_double (array, 0, 6)));
  g_assert_true (isnan (acc_array_get_double (array, 1, 0)));
  g_assert_cmpint (acc_array_get_int (array, 0, 2), ==, 3);
  g_assert_cmpint (acc_array_get_int (array, 0, -1), ==, 0);
  value = acc_array_dup_value (array, (gint64[]) { 1, 0 }, 2, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (g_variant_get_double (value), ==, 4);
  g_assert_null (acc_array_dup_value (array, (gint64[]) { 1, 3 }, 2, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
  g_clear_error (&error);
  g_assert_null (acc_array_dup_value (array, (gint64[]) { 1 }, 1, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);
  all = acc_array_to_variant (array, &error);
  g_assert_no_error (error);
  printed = g_variant_print (all, FALSE);
  g_assert_cmpstr (printed, ==, "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]");
}

static void
test_use_errors (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);
  g_autoptr(AccShape) huge = acc_shape_new_matrix (G_MAXINT64 / 2, 3);
  g_autoptr(AccShape) huge_bytes = acc_shape_new_vector (G_MAXINT64 / 4);
  g_autoptr(GBytes) bytes = g_bytes_new_static ("0123456789", 10);

  assert_takes_and_fails (acc_array_use (type_of ("f4"), shape, bytes), ACC_ERROR_SHAPE, "use: buffer 0 of f4 [3] needs 12 bytes, not 10");
  assert_takes_and_fails (acc_array_use (type_of ("(f4,u1)"), shape, bytes), ACC_ERROR_SHAPE, "needs 15 bytes, not 10");
  assert_takes_and_fails (acc_array_use (type_of ("u1"), huge, bytes), ACC_ERROR_SHAPE, "addressed");
  assert_takes_and_fails (acc_array_use (type_of ("f8"), huge_bytes, bytes), ACC_ERROR_SHAPE, "addressed");
  assert_takes_and_fails (acc_array_use (NULL, shape, bytes), ACC_ERROR_CALLBACK, "element type");
  assert_takes_and_fails (acc_array_use (type_of ("u1"), NULL, bytes), ACC_ERROR_CALLBACK, "shape");
  assert_takes_and_fails (acc_array_use (type_of ("u1"), shape, NULL), ACC_ERROR_CALLBACK, "data");
  assert_takes_and_fails (acc_array_use_buffers (type_of ("(u1,u1)"), shape, &bytes, 1), ACC_ERROR_TYPE, "2 buffers");
  assert_takes_and_fails (acc_array_new_from_source (NULL), ACC_ERROR_CALLBACK, "source");
}

static void
test_use_tuples (void)
{
  guint8 data[] = { 1, 0, 0, 0, 2, 0, 0, 0, 5, 6 };
  g_autoptr(AccArray) array = use_data ("(i4,u1)", (gint64[]) { 2 }, 1, data, sizeof data);
  g_autoptr(AccArray) nested = zeros ("((f4,b1),(),i8)", NULL, 0);
  g_autoptr(GVariant) value = NULL;
  g_autofree char *printed = NULL;

  assert_layout (array, "(i4,u1)", "[2]");
  g_assert_cmpint (acc_array_get_int (array, 0, 1), ==, 2);
  g_assert_cmpint (acc_array_get_int (array, 1, 1), ==, 6);
  assert_layout (nested, "((f4,b1),(),i8)", "[]");
  value = acc_array_to_variant (nested, NULL);
  printed = g_variant_print (value, FALSE);
  g_assert_cmpstr (printed, ==, "((0.0, false), (), 0)");
}

static void
count (gpointer data)
{
  ++*(guint *) data;
}

static void
test_use_address (void)
{
  static guint8 memory[17] __attribute__ ((aligned (16)));
  g_autoptr(AccShape) shape = acc_shape_new_vector (4);
  g_autoptr(AccShape) empty = acc_shape_new_matrix (0, 4);
  guint calls = 0;
  AccArray *array;

  array = acc_array_use_address (type_of ("f4"), shape, (guintptr) memory, 16, &calls, count);
  assert_layout (array, "f4", "[4]");
  g_assert_true (acc_array_get_address (array, 0) == (guintptr) memory);
  g_assert_cmpuint (calls, ==, 0);
  g_object_unref (array);
  g_assert_cmpuint (calls, ==, 1);

  /* Not aligned: copied at once. */
  array = acc_array_use_address (type_of ("f4"), shape, (guintptr) memory + 1, 16, &calls, count);
  assert_layout (array, "f4", "[4]");
  g_assert_cmpuint (calls, ==, 2);
  g_assert_true (acc_array_get_address (array, 0) % 16 == 0);
  g_object_unref (array);
  g_assert_cmpuint (calls, ==, 2);

  assert_takes_and_fails (acc_array_use_address (type_of ("f4"), shape, (guintptr) memory, 15, &calls, count), ACC_ERROR_SHAPE,
                          "16 bytes, not 15");
  g_assert_cmpuint (calls, ==, 3);
  assert_takes_and_fails (acc_array_use_address (type_of ("(u2,u2)"), shape, (guintptr) memory, 16, &calls, count), ACC_ERROR_TYPE,
                          "tuple type");
  g_assert_cmpuint (calls, ==, 4);
  assert_takes_and_fails (acc_array_use_address (type_of ("f4"), shape, 0, 16, &calls, count), ACC_ERROR_CALLBACK, "data");
  g_assert_cmpuint (calls, ==, 5);
  assert_takes_and_fails (acc_array_use_address (NULL, shape, 0, 16, &calls, count), ACC_ERROR_CALLBACK, "type");
  g_assert_cmpuint (calls, ==, 6);

  array = acc_array_use_address (type_of ("f8"), empty, 0, 0, &calls, count);
  assert_layout (array, "f8", "[0,4]");
  g_object_unref (array);
  g_assert_cmpuint (calls, ==, 7);
}

static void
test_bools (void)
{
  guint8 odd[] = { 0, 1, 2, 255, 0, 0, 0, 0, 1, 128 };
  static guint8 normal[] = { 0, 1, 1, 0, 0, 0, 0, 0, 1, 1 };
  g_autoptr(AccShape) shape = acc_shape_new_vector (10);
  g_autoptr(AccArray) array = use_data ("b1", (gint64[]) { 10 }, 1, odd, 10);
  g_autoptr(AccArray) kept = acc_array_use_address (type_of ("b1"), shape, (guintptr) normal, 10, NULL, NULL);
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (array, 0, NULL);

  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), 10, ((guint8[]) { 0, 1, 1, 1, 0, 0, 0, 0, 1, 1 }), 10);
  g_assert_true (acc_array_get_address (kept, 0) == (guintptr) normal);
}

static void
test_values (void)
{
  static const char *const codes[] = { "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8" };
  static const char *const variants[] = { "b", "n", "n", "i", "x", "y", "q", "u", "t", "d", "d", "d" };
  guint64 ones = G_MAXUINT64;
  guint16 half = 0xc200;
  double big = 1e300;
  g_autoptr(AccArray) f2 = use_data ("f2", NULL, 0, &half, 2);
  g_autoptr(AccArray) f8 = use_data ("f8", NULL, 0, &big, 8);
  g_autoptr(AccArray) i2 = use_data ("i2", NULL, 0, &ones, 2);
  g_autoptr(AccArray) u8 = use_data ("u8", NULL, 0, &ones, 8);

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autoptr(AccArray) array = zeros (codes[i], NULL, 0);
      g_autoptr(AccArray) empty = zeros (codes[i], (gint64[]) { 3, 0 }, 2);
      g_autoptr(GVariant) value = acc_array_dup_value (array, NULL, 0, NULL);
      g_autoptr(GVariant) none = acc_array_to_variant (empty, NULL);
      g_autofree char *nested = g_strconcat ("aa", variants[i], NULL);

      g_assert_cmpstr (g_variant_get_type_string (value), ==, variants[i]);
      g_assert_cmpstr (g_variant_get_type_string (none), ==, nested);
    }

  g_assert_cmpfloat (acc_array_get_double (f2, 0, 0), ==, -3);
  g_assert_cmpint (acc_array_get_int (f8, 0, 0), ==, G_MAXINT64);
  g_assert_cmpint (acc_array_get_int (i2, 0, 0), ==, -1);
  g_assert_cmpint (acc_array_get_int (u8, 0, 0), ==, G_MAXINT64);
  g_assert_cmpfloat (acc_array_get_double (u8, 0, 0), ==, 0x1p64);
}

static void
assert_prints (AccArray *array, const char *expected)
{
  g_autofree char *text = acc_array_to_string (array);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_print (void)
{
  float floats[] = { 1, 2.5f, 3.25f, -4, 0.1f, 1e-2f };
  double wide[] = { 1e-10, 1, 12345678901.5, NAN, -INFINITY };
  gint32 ints[] = { 1, -20, 300, 4 };
  guint8 bools[] = { 1, 0 };
  guint8 tuple[] = { 1, 2, 1, 0 };
  double third = 1. / 3;
  double far[] = { 1e-5, 2e10 };
  g_autoptr(AccArray) a = use_data ("f4", (gint64[]) { 2, 3 }, 2, floats, sizeof floats);
  g_autoptr(AccArray) b = use_data ("f8", (gint64[]) { 5 }, 1, wide, sizeof wide);
  g_autoptr(AccArray) c = use_data ("i4", (gint64[]) { 2, 2 }, 2, ints, sizeof ints);
  g_autoptr(AccArray) d = use_data ("b1", (gint64[]) { 2 }, 1, bools, 2);
  g_autoptr(AccArray) e = use_data ("(u1,(b1,))", (gint64[]) { 2 }, 1, tuple, 4);
  g_autoptr(AccArray) f = zeros ("f4", (gint64[]) { 3, 0 }, 2);
  g_autoptr(AccArray) g = use_data ("f8", NULL, 0, &third, 8);
  g_autoptr(AccArray) l = use_data ("f8", (gint64[]) { 2 }, 1, far, sizeof far);
  g_autoptr(AccArray) h = zeros ("u1", (gint64[]) { 50, 50 }, 2);
  g_autoptr(AccArray) i = acc_array_map (c, twice, NULL);
  g_autoptr(AccArray) j = acc_array_map (d, twice, NULL);
  g_autoptr(AccArray) k = zeros ("u1", (gint64[]) { 2, 1, 1 }, 3);

  assert_prints (a, "array([[ 1.  ,  2.5 ,  3.25],\n       [-4.  ,  0.1 ,  0.01]], dtype=f4)");
  assert_prints (b, "array([1.00000000e-10, 1.00000000e+00, 1.23456789e+10,            nan,\n                 -inf], dtype=f8)");
  assert_prints (c, "array([[  1, -20],\n       [300,   4]], dtype=i4)");
  assert_prints (d, "array([ True, False], dtype=b1)");
  assert_prints (e, "array([(1, ( True,)), (2, (False,))], dtype=(u1,(b1,)))");
  assert_prints (f, "array([], shape=(3, 0), dtype=f4)");
  assert_prints (g, "array(0.33333333, dtype=f8)");
  assert_prints (l, "array([1.e-05, 2.e+10], dtype=f8)");
  assert_prints (h,
                 "array([[0, 0, 0, ..., 0, 0, 0],\n       [0, 0, 0, ..., 0, 0, 0],\n       [0, 0, 0, ..., 0, 0, 0],\n       ...,\n"
                 "       [0, 0, 0, ..., 0, 0, 0],\n       [0, 0, 0, ..., 0, 0, 0],\n       [0, 0, 0, ..., 0, 0, 0]], dtype=u1)");
  assert_prints (k, "array([[[0]],\n\n       [[0]]], dtype=u1)");
  acc_array_set_label (i, "doubled");
  assert_prints (i, "<map “doubled”: i4[2,2]>");
  g_assert_true (strstr (acc_array_get_operation (j), "map") != NULL);
}

static void
test_errors_travel (void)
{
  g_autoptr(AccArray) numbers = vector ("f4", 3);
  g_autoptr(AccArray) bad = acc_array_reshape (numbers, NULL);
  g_autoptr(AccArray) first = acc_array_map (bad, never, NULL);
  g_autoptr(AccArray) second = acc_array_zip_with (numbers, first, add, NULL);
  g_autoptr(AccArray) third = acc_array_fold_all (second, acc_expr_new_int (0), add, NULL);
  g_autofree char *text = NULL;

  assert_fails (third, ACC_ERROR_CALLBACK, "reshape: a shape is missing");
  acc_array_set_label (bad, "lost");
  acc_array_set_label (third, "sum");
  assert_fails (third, ACC_ERROR_CALLBACK, "reshape “lost”: a shape is missing");
  text = acc_array_to_string (third);
  g_assert_cmpstr (text, ==, "<error: reshape “lost”: a shape is missing>");
  g_assert_null (acc_array_dup_bytes (third, 0, NULL));
  g_assert_cmpuint (acc_array_get_address (third, 0), ==, 0);
}

static void
test_missing (void)
{
  g_autoptr(AccArray) a = vector ("f4", 3);
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  gint64 three[] = { 3 };

  assert_takes_and_fails (acc_array_map (NULL, never, NULL), ACC_ERROR_CALLBACK, "map: an array is missing");
  assert_takes_and_fails (acc_array_map (a, NULL, NULL), ACC_ERROR_CALLBACK, "map: a function is missing");
  assert_takes_and_fails (acc_array_map (a, nothing, NULL), ACC_ERROR_CALLBACK, "map: ");
  assert_takes_and_fails (acc_array_zip_with (a, NULL, add, NULL), ACC_ERROR_CALLBACK, "zip_with: ");
  assert_takes_and_fails (acc_array_fold (NULL, acc_expr_new_float (0), add, NULL), ACC_ERROR_CALLBACK, "fold: ");
  assert_takes_and_fails (acc_array_fold (a, NULL, add, NULL), ACC_ERROR_CALLBACK, "fold: a value is missing");
  assert_takes_and_fails (acc_array_fill (NULL, acc_expr_new_float (0)), ACC_ERROR_CALLBACK, "fill: ");
  assert_takes_and_fails (acc_array_fill (shape, NULL), ACC_ERROR_CALLBACK, "fill: ");
  assert_takes_and_fails (acc_array_generate (NULL, never, NULL), ACC_ERROR_CALLBACK, "generate: ");
  assert_takes_and_fails (acc_array_generate_expr (NULL, never, NULL), ACC_ERROR_CALLBACK, "generate: ");
  assert_takes_and_fails (acc_array_stencil (a, three, 1, NULL, never, NULL), ACC_ERROR_CALLBACK, "stencil: a boundary");
  assert_takes_and_fails (acc_array_stencil (a, NULL, 0, clamp, never, NULL), ACC_ERROR_CALLBACK, "stencil: ");
  assert_takes_and_fails (acc_array_slice (a, NULL, 1), ACC_ERROR_CALLBACK, "slice: ");
  assert_takes_and_fails (acc_array_flatten (NULL), ACC_ERROR_CALLBACK, "flatten: ");
  assert_takes_and_fails (acc_array_permute (a, a, NULL, add, NULL), ACC_ERROR_CALLBACK, "permute: ");
  assert_takes_and_fails (acc_array_cond (NULL, a, a), ACC_ERROR_CALLBACK, "cond: ");
  assert_takes_and_fails (acc_array_while_loop (a, NULL, NULL), ACC_ERROR_CALLBACK, "while_loop: condition is missing");
  assert_takes_and_fails (acc_array_zip_many (NULL, 2), ACC_ERROR_CALLBACK, "zip: ");
  assert_takes_and_fails (acc_array_unit (NULL), ACC_ERROR_CALLBACK, "unit: ");
  assert_takes_and_fails (acc_array_cast (a, NULL), ACC_ERROR_CALLBACK, "cast: ");
}

static AccExpr *
mixed_sum (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_new_typed_float (type_of ("f8"), 1));
}

static void
test_function_errors (void)
{
  g_autoptr(AccArray) a = vector ("f4", 3);
  g_autoptr(AccArray) b = vector ("i4", 3);
  g_autoptr(AccArray) wrong = acc_array_map (a, mixed_sum, NULL);

  assert_fails (wrong, ACC_ERROR_TYPE, "map: ");
  acc_array_set_label (wrong, "mixed");
  assert_fails (wrong, ACC_ERROR_TYPE, "map “mixed”: ");
  assert_takes_and_fails (acc_array_add (a, b), ACC_ERROR_TYPE, "add: ");
  assert_takes_and_fails (acc_array_sqrt (b), ACC_ERROR_TYPE, "sqrt");
}

typedef struct {
  AccArray *array;
  AccExpr  *outer;
} Escape;

static AccExpr *
use_outer (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, ((Escape *) data)->outer);
}

static AccExpr *
nest (AccExpr *x, gpointer data)
{
  Escape *escape = data;
  g_autoptr(AccArray) inner = NULL;
  g_autoptr(AccArray) sum = NULL;

  escape->outer = x;
  inner = acc_array_map (escape->array, use_outer, escape);
  assert_fails (inner, ACC_ERROR_TYPE, "variable of another function");
  sum = acc_array_sum (inner);
  return acc_expr_the (sum);
}

static void
test_nested_parallelism (void)
{
  g_autoptr(AccArray) a = vector ("f4", 3);
  Escape escape = { a, NULL };
  g_autoptr(AccArray) b = acc_array_map (a, nest, &escape);

  assert_fails (b, ACC_ERROR_TYPE, "map: map: it depends on a variable of another function");
}

static AccExpr *
pair (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (x, acc_expr_new_int (1));
}

static AccExpr *
first_index (AccExpr *ix, AccExpr *x, gpointer data)
{
  return acc_expr_item (ix, 0);
}

static void
test_types (void)
{
  g_autoptr(AccArray) a = zeros ("f4", (gint64[]) { 4, 5 }, 2);
  g_autoptr(AccArray) weak = acc_array_map (a, always_one, NULL);
  g_autoptr(AccArray) pairs = acc_array_map (a, pair, NULL);
  g_autoptr(AccArray) rows = acc_array_imap (a, first_index, NULL);
  g_autoptr(AccArray) zipped = acc_array_zip (pairs, rows);
  g_autoptr(AccArray) many = acc_array_zip_many ((AccArray *[]) { a, weak, rows }, 3);
  g_autoptr(AccArray) item = acc_array_unzip (zipped, 0);
  g_autoptr(AccArray) sums = acc_array_sum (a);
  g_autoptr(AccArray) compared = acc_array_lt (a, a);
  g_autoptr(AccArray) any = acc_array_any (compared);
  g_autoptr(AccArray) every = acc_array_all_true (compared);
  g_autoptr(AccArray) bytes = acc_array_cast (a, type_of ("u1"));

  assert_layout (weak, "i8", "[4,5]");
  assert_layout (pairs, "(f4,i8)", "[4,5]");
  assert_layout (rows, "i8", "[4,5]");
  assert_layout (zipped, "((f4,i8),i8)", "[4,5]");
  assert_layout (many, "(f4,i8,i8)", "[4,5]");
  assert_layout (item, "(f4,i8)", "[4,5]");
  assert_layout (sums, "f4", "[4]");
  assert_layout (compared, "b1", "[4,5]");
  assert_layout (any, "b1", "[4]");
  assert_layout (every, "b1", "[]");
  assert_layout (bytes, "u1", "[4,5]");
  assert_takes_and_fails (acc_array_unzip (a, 0), ACC_ERROR_TYPE, "unzip: f4 is not a tuple");
  assert_takes_and_fails (acc_array_unzip (zipped, 2), ACC_ERROR_TYPE, "no item 2");
  assert_takes_and_fails (acc_array_fold (a, acc_expr_new_typed_int (type_of ("i4"), 0), add, NULL), ACC_ERROR_TYPE, "f4 is needed");
}

static AccExpr *
read_at (AccExpr *ix, gpointer array)
{
  return acc_expr_add (acc_expr_index (array, ix), acc_expr_index (array, acc_expr_new_int (0)));
}

static AccExpr *
outside (AccExpr *ix, gpointer array)
{
  return acc_expr_the (array);
}

static AccExpr *
centre (AccExpr *x, gpointer data)
{
  return acc_expr_neighbour1 (x, 0);
}

static void
test_references (void)
{
  g_autoptr(AccArray) table = vector ("f4", 8);
  g_autoptr(AccArray) scalar = zeros ("f4", NULL, 0);
  g_autoptr(AccArray) reads = acc_array_generate_expr (acc_expr_extent (table, 0), read_at, table);
  g_autoptr(AccBoundary) boundary = acc_boundary_new_function (1, outside, scalar);
  g_autoptr(AccArray) blurred = acc_array_stencil (reads, (gint64[]) { 3 }, 1, boundary, centre, NULL);
  g_autoptr(GPtrArray) sorted = acc_array_sort_nodes (&blurred, 1);

  assert_layout (reads, "f4", "[8]");
  g_assert_cmpuint (reads->references->len, ==, 1);
  g_assert_true (g_ptr_array_index (reads->references, 0) == table);
  g_assert_cmpuint (blurred->references->len, ==, 1);
  g_assert_true (g_ptr_array_index (blurred->references, 0) == scalar);
  g_assert_cmpuint (sorted->len, ==, 4);
  g_assert_true (g_ptr_array_index (sorted, 0) == table);
  g_assert_true (g_ptr_array_index (sorted, 3) == blurred);
}

static AccExpr *
read_scalar (AccExpr *x, gpointer array)
{
  return acc_expr_add (x, acc_expr_the (array));
}

/* Chains far deeper than a stack, through inputs and through scalar functions. */
static void
test_deep (void)
{
  AccArray *chain = vector ("i8", 1);
  AccArray *scalar = zeros ("i8", NULL, 0);
  g_autoptr(GPtrArray) sorted = NULL;

  for (guint i = 0; i < 200000; i++)
    {
      AccArray *next = acc_array_map (chain, itself, NULL);

      g_object_unref (chain);
      chain = next;
    }

  for (guint i = 0; i < 50000; i++)
    {
      g_autoptr(AccArray) unit = acc_array_unit (acc_expr_new_int (1));
      AccArray *next = acc_array_map (unit, read_scalar, scalar);

      g_object_unref (scalar);
      scalar = next;
    }

  g_assert_true (acc_array_check (scalar, NULL));
  sorted = acc_array_sort_nodes ((AccArray *[]) { chain, scalar }, 2);
  g_assert_cmpuint (sorted->len, ==, 200001 + 100001);
  g_clear_pointer (&sorted, g_ptr_array_unref);
  g_object_unref (chain);
  g_object_unref (scalar);
}

static void
notified (GObject *object, GParamSpec *pspec, gpointer data)
{
  ++*(guint *) data;
}

static void
test_properties (void)
{
  g_autoptr(AccArray) a = zeros ("f4", (gint64[]) { 4, 5 }, 2);
  g_autoptr(AccShape) shape = NULL;
  g_autofree char *label = NULL;
  AccElementType *type;
  guint rank, calls = 0;

  g_signal_connect (a, "notify::label", G_CALLBACK (notified), &calls);
  g_object_set (a, "label", "picture", NULL);
  g_object_set (a, "label", "picture", NULL);
  g_assert_cmpuint (calls, ==, 1);
  g_object_get (a, "label", &label, "rank", &rank, "shape", &shape, "element-type", &type, NULL);
  g_assert_cmpstr (label, ==, "picture");
  g_assert_cmpuint (rank, ==, 2);
  g_assert_true (type == type_of ("f4"));
  g_assert_cmpint (acc_shape_get_size (shape), ==, 20);
  acc_array_set_label (a, NULL);
  g_assert_cmpuint (calls, ==, 2);
}

static void
test_operations (void)
{
  for (guint i = 0; i < ACC_N_OPERATIONS; i++)
    {
      AccOperation op;

      g_assert_true (acc_operation_from_name (acc_operation_get_info (i)->name, &op));
      g_assert_cmpuint (op, ==, i);
    }

  g_assert_false (acc_operation_from_name ("fly", &(AccOperation) { 0 }));
}

/* --- messages name what was asked for, not what it is made of */

static AccExpr *
wrongly_typed (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_new_typed_float (type_of ("f4"), 1));
}

static AccExpr *
added_wrongly (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (acc_expr_add (x, y), acc_expr_new_typed_float (type_of ("f8"), 1));
}

static void
test_names (void)
{
  const gint64 n = 3;
  g_autoptr(AccArray) ints = use_data ("u1", &n, 1, "\1\2\3", 3), row = vector ("f4", 3), scalar = acc_array_unit (acc_expr_new_int (1));
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);
  AccArray *second = NULL, *good;
  const struct { AccArray *array; const char *message; } cases[] = {
    { acc_array_take (scalar, 1), "take: " },
    { acc_array_drop_on (row, 4, acc_expr_new_int (1)), "drop_on: " },
    { acc_array_reverse_on (scalar, 0), "reverse_on: " },
    { acc_array_transpose (row), "transpose: " },
    { acc_array_concat (row, ints), "concat: " },
    { acc_array_gather (row, row), "gather: " },
    { acc_array_scatter (row, ints, ints), "scatter: " },
    { acc_array_filter (ints, wrongly_typed, NULL, &second), "filter: " },
    { acc_array_sort (scalar, FALSE), "sort: " },
    { acc_array_argsort (scalar, FALSE), "argsort: " },
    { acc_array_histogram (ints, 0, 0, 1), "histogram: " },
    { acc_array_mean (scalar), "mean: " },
    { acc_array_argmax (scalar), "argmax: " },
    { acc_array_cumsum (scalar), "cumsum: " },
    { acc_array_scanr (row, acc_expr_new_int (0), added_wrongly, NULL), "scanr: " },
    { acc_array_matmul (row, ints), "matmul: " },
    { acc_array_fft (ints, ACC_FFT_FORWARD), "fft: " },
    { acc_array_sqrt (ints), "sqrt takes floats, not u1" },
    { acc_array_div (row, ints), "div: fdiv: f4 and u1 differ" },
    { acc_array_pow (ints, ints), "pow takes floats, not u1" },
    { acc_array_random_bits (type_of ("f4"), shape, 0, 0), "random_bits: " },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(AccArray) array = cases[i].array;
      g_autoptr(GError) error = acc_array_dup_error (array);

      if (error == NULL)
        g_error ("%s carries no error", cases[i].message);
      if (!g_str_has_prefix (error->message, cases[i].message) || strstr (error->message + 1, cases[i].message) != NULL)
        g_error ("%s is not %s", error->message, cases[i].message);
    }
  g_clear_object (&second);

  /* What is within reach of a run says it, too, with its label. */
  good = acc_array_take (row, 2);
  acc_array_set_label (good, "few");
  {
    g_autofree char *text = acc_array_describe (good);

    g_assert_cmpstr (text, ==, "take “few”");
  }
  g_object_unref (good);
}

/* --- literals that do not fit, wherever one may stand: nothing wraps */

static AccExpr *
too_large (void)
{
  return acc_expr_new_int (300);
}

static AccExpr *
first_or_large (AccExpr *x, gpointer data)
{
  return acc_expr_cond (acc_expr_lt (x, acc_expr_new_int (2)), x, too_large ());
}

static AccExpr *
chosen_large (AccExpr *x, gpointer data)
{
  return acc_expr_switch (acc_expr_new_int (0), (AccExpr *[]) { x, too_large () }, 2, NULL);
}

static AccExpr *
add_large (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, too_large ());
}

static AccExpr *
generated_large (AccExpr *index, gpointer data)
{
  return acc_expr_add (acc_expr_cast (index, type_of ("u1")), too_large ());
}

static AccExpr *
always_large (AccExpr *x, AccExpr *y, gpointer data)
{
  return too_large ();
}

static AccExpr *
itself_of_neighbours (AccExpr *x, gpointer data)
{
  return acc_expr_neighbour1 (x, 0);
}

static void
test_literals (void)
{
  const gint64 n = 3, size = 3;
  g_autoptr(AccArray) bytes = use_data ("u1", &n, 1, "\1\2\3", 3), lengths = use_data ("u1", &n, 1, "\1\1\1", 3);
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);
  g_autoptr(AccBoundary) boundary = acc_boundary_new_constant (too_large ());
  AccArray *second = NULL, *arrays[] = {
    acc_array_generate (shape, generated_large, NULL),
    acc_array_map (bytes, add_large, NULL),
    acc_array_map (bytes, first_or_large, NULL),
    acc_array_map (bytes, chosen_large, NULL),
    acc_array_fill (shape, acc_expr_new_typed_int (type_of ("u1"), 300)),
    acc_array_unit (acc_expr_new_typed_int (type_of ("u1"), -1)),
    acc_array_enum_from_step_n (shape, acc_expr_new_typed_int (type_of ("u1"), 1), too_large ()),
    acc_array_stencil (bytes, &size, 1, boundary, itself_of_neighbours, NULL),
    acc_array_fold (bytes, too_large (), add, NULL),
    acc_array_fold_all (bytes, too_large (), add, NULL),
    acc_array_fold1 (bytes, always_large, NULL),
    acc_array_fold_seg (bytes, too_large (), lengths, add, NULL),
    acc_array_scanl (bytes, too_large (), add, NULL),
    acc_array_scanr (bytes, too_large (), add, NULL),
    acc_array_scanl1 (bytes, always_large, NULL),
    acc_array_prescanl (bytes, too_large (), add, NULL),
    acc_array_postscanr (bytes, too_large (), add, NULL),
    acc_array_scanl_seg (bytes, too_large (), lengths, add, NULL),
    acc_array_postscanl_seg (bytes, too_large (), lengths, add, NULL),
    acc_array_scanl_with_total (bytes, too_large (), add, NULL, &second),
  };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    {
      g_autoptr(AccArray) array = arrays[i];
      g_autoptr(GError) error = acc_array_dup_error (array);

      if (g_test_verbose ())
        g_printerr ("# %u: %s\n", i, error != NULL ? error->message : "none");
      g_assert_error (error, ACC_ERROR, ACC_ERROR_TYPE);
      g_assert_nonnull (strstr (error->message, "does not fit u1"));
    }
  g_clear_object (&second);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/array/use", test_use);
  g_test_add_func ("/array/use-errors", test_use_errors);
  g_test_add_func ("/array/use-tuples", test_use_tuples);
  g_test_add_func ("/array/use-address", test_use_address);
  g_test_add_func ("/array/bools", test_bools);
  g_test_add_func ("/array/values", test_values);
  g_test_add_func ("/array/print", test_print);
  g_test_add_func ("/array/errors-travel", test_errors_travel);
  g_test_add_func ("/array/missing", test_missing);
  g_test_add_func ("/array/function-errors", test_function_errors);
  g_test_add_func ("/array/nested-parallelism", test_nested_parallelism);
  g_test_add_func ("/array/types", test_types);
  g_test_add_func ("/array/references", test_references);
  g_test_add_func ("/array/deep", test_deep);
  g_test_add_func ("/array/properties", test_properties);
  g_test_add_func ("/array/operations", test_operations);
  g_test_add_func ("/array/literals", test_literals);
  g_test_add_func ("/array/names", test_names);

  return g_test_run ();
}
