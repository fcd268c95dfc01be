/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rows of which one does not fit in memory: the bytes of memory, whatever is made of them, and in files. */
#include "stream-files.h"

#include <string.h>

static const gint64 extents[] = { 3, 100003 };
static const gint64 deep[] = { 2, 301, 333 };

static AccExpr *twice (AccExpr *x, gpointer data) { return acc_expr_add (x, x); }
static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }

/* Does not commute. */
static AccExpr *last (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_cond (acc_expr_eq (y, acc_expr_new_int (0)), x, y); }

static AccExpr *
around (AccExpr *n, gpointer data)
{
  return acc_expr_sub (acc_expr_add (acc_expr_neighbour2 (n, -1, 0), acc_expr_neighbour2 (n, 0, 1)), acc_expr_neighbour2 (n, 1, -1));
}

static AccExpr *
sum_of_index (AccExpr *index, gpointer data)
{
  return acc_expr_cast (acc_expr_add (acc_expr_item (index, 0), acc_expr_item (index, 1)), acc_element_type_new (ACC_KIND_I32));
}

static AccArray *mapped (AccArray *a, gpointer data) { return acc_array_map (a, twice, NULL); }
static AccArray *zipped (AccArray *a, gpointer data) { g_autoptr(AccArray) b = mapped (a, NULL); return acc_array_zip (a, b); }
static AccArray *turned (AccArray *a, gpointer data) { return acc_array_reverse_on (a, 1); }
static AccArray *
cropped (AccArray *a, gpointer data)
{
  g_autoptr(AccArray) dropped = acc_array_drop_on (a, 1, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 7));
  return acc_array_map (dropped, twice, NULL);
}
static AccArray *summed (AccArray *a, gpointer data) { return acc_array_sum (a); }
static AccArray *summed_all (AccArray *a, gpointer data) { return acc_array_sum_all (a); }
static AccArray *
folded (AccArray *a, gpointer data)
{
  return acc_array_fold (a, acc_expr_new_typed_int (acc_array_get_element_type (a), 9), last, NULL);
}
static AccArray *scanned (AccArray *a, gpointer data) { return acc_array_scanl1 (a, plus, NULL); }
static AccArray *repeated (AccArray *a, gpointer data) { return acc_array_replicate (a, (gint64[]) { 2, ACC_ALL, ACC_ALL }, 3); }

static AccExpr *low_bits (AccExpr *x, gpointer data) { return acc_expr_band (x, acc_expr_new_int (1023)); }
static AccArray *sorted (AccArray *a, gpointer data) { return acc_array_sort (a, data != NULL); }
static AccArray *ordered (AccArray *a, gpointer data) { return acc_array_argsort (a, data != NULL); }
static AccArray *by_low_bits (AccArray *a, gpointer data) { return acc_array_sort_by_key (a, data != NULL, low_bits, NULL); }

static AccArray *
filtered (AccArray *a, gpointer data)
{
  AccBoundaryKind kind = GPOINTER_TO_INT (data);
  AccExpr *value = kind == ACC_BOUNDARY_CONSTANT ? acc_expr_new_int (77) : NULL;
  g_autoptr(AccBoundary) boundary = kind == ACC_BOUNDARY_CONSTANT ? acc_boundary_new_constant (value)
                                    : kind == ACC_BOUNDARY_FUNCTION ? acc_boundary_new_function (2, sum_of_index, NULL)
                                    : acc_boundary_new (kind);

  return acc_array_stencil (a, (gint64[]) { 3, 3 }, 2, boundary, around, NULL);
}

static AccArray *
cropped_filtered (AccArray *a, gpointer data)
{
  g_autoptr(AccArray) part = cropped (a, NULL);

  return filtered (part, GINT_TO_POINTER (ACC_BOUNDARY_CLAMP));
}

static AccExpr *
around_both (AccExpr *a, AccExpr *b, gpointer data)
{
  return acc_expr_sub (acc_expr_add (acc_expr_neighbour2 (a, -1, 2), acc_expr_neighbour2 (b, 0, 1)),
                       acc_expr_add (acc_expr_neighbour2 (a, 1, -2), acc_expr_neighbour2 (b, 0, -1)));
}

/* Of two arrays of other neighbourhoods and boundaries, and, as @data says, of other extents. */
static AccArray *
filtered_both (AccArray *a, gpointer data)
{
  g_autoptr(AccArray) other = data != NULL ? cropped (a, NULL) : mapped (a, NULL);
  g_autoptr(AccBoundary) wrap = acc_boundary_new (ACC_BOUNDARY_WRAP), index = acc_boundary_new_function (2, sum_of_index, NULL);

  return acc_array_stencil2 (a, (gint64[]) { 3, 5 }, 2, wrap, other, (gint64[]) { 1, 3 }, 2, index, around_both, NULL);
}

static AccExpr *
around_deep (AccExpr *n, gpointer data)
{
  return acc_expr_sub (acc_expr_add (acc_expr_neighbour3 (n, -1, 1, 0), acc_expr_neighbour3 (n, 0, 0, 2)),
                       acc_expr_neighbour3 (n, 1, -1, -2));
}

static AccArray *
filtered_deep (AccArray *a, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_MIRROR);

  return acc_array_stencil (a, (gint64[]) { 3, 3, 5 }, 3, boundary, around_deep, NULL);
}

static AccArray *transposed (AccArray *a, gpointer data) { return acc_array_transpose (a); }
static AccArray *exchanged (AccArray *a, gpointer data) { return acc_array_transpose_on (a, 0, 2); }
static AccArray *
scaled (AccArray *a, gpointer data)
{
  g_autoptr(AccArray) most = acc_array_maximum_all (a), same = acc_array_replicate (most, (gint64[]) { 3, 100003 }, 2);
  return acc_array_sub (a, same);
}

static AccExpr *low_bit (AccExpr *x, gpointer data) { return acc_expr_band (x, acc_expr_new_int (1)); }

/* Not even a row of the whole depth fits. */
static AccArray *
multiplied (AccArray *a, gpointer data)
{
  g_autoptr(AccArray) other = acc_array_map (a, twice, NULL), right = acc_array_transpose (other);
  return acc_array_matmul (a, right);
}

static AccArray *
multiplied_halves (AccArray *a, gpointer data)
{
  g_autoptr(AccArray) low = acc_array_map (a, low_bit, NULL), small = acc_array_cast (low, acc_element_type_new (ACC_KIND_F16)),
    right = acc_array_transpose (small);
  return acc_array_matmul (small, right);
}

static const struct {
  const char *name;
  AccArray *(*make) (AccArray *a, gpointer data);
  gpointer data;
  gboolean is_deep, is_quick;
} programs[] = {
  { "map", mapped, NULL, FALSE, TRUE },
  { "map, rank 3", mapped, NULL, TRUE, FALSE },
  { "zip", zipped, NULL, FALSE, FALSE },
  { "reverse", turned, NULL, FALSE, TRUE },
  { "drop", cropped, NULL, FALSE, TRUE },
  { "drop, clamp", cropped_filtered, NULL, FALSE, TRUE },
  { "replicate", repeated, NULL, FALSE, FALSE },
  { "sum", summed, NULL, FALSE, TRUE },
  { "sum, rank 3", summed, NULL, TRUE, FALSE },
  { "sum of all", summed_all, NULL, FALSE, FALSE },
  { "fold", folded, NULL, FALSE, FALSE },
  { "scan", scanned, NULL, FALSE, TRUE },
  { "scan, rank 3", scanned, NULL, TRUE, FALSE },
  { "sort", sorted, NULL, FALSE, TRUE },
  { "sort, descending", sorted, GINT_TO_POINTER (TRUE), FALSE, FALSE },
  { "argsort", ordered, NULL, FALSE, FALSE },
  { "sort by key", by_low_bits, GINT_TO_POINTER (TRUE), FALSE, FALSE },
  { "transposition", transposed, NULL, FALSE, TRUE },
  { "transposition, rank 3", transposed, NULL, TRUE, FALSE },
  { "exchange", exchanged, NULL, TRUE, FALSE },
  { "less the maximum", scaled, NULL, FALSE, FALSE },
  { "product", multiplied, NULL, FALSE, TRUE },
  { "product, f2", multiplied_halves, NULL, FALSE, FALSE },
  { "products", multiplied, NULL, TRUE, FALSE },
  { "clamp", filtered, GINT_TO_POINTER (ACC_BOUNDARY_CLAMP), FALSE, FALSE },
  { "mirror", filtered, GINT_TO_POINTER (ACC_BOUNDARY_MIRROR), FALSE, TRUE },
  { "wrap", filtered, GINT_TO_POINTER (ACC_BOUNDARY_WRAP), FALSE, FALSE },
  { "constant", filtered, GINT_TO_POINTER (ACC_BOUNDARY_CONSTANT), FALSE, FALSE },
  { "function", filtered, GINT_TO_POINTER (ACC_BOUNDARY_FUNCTION), FALSE, TRUE },
  { "both", filtered_both, NULL, FALSE, TRUE },
  { "both, of other extents", filtered_both, GINT_TO_POINTER (TRUE), FALSE, FALSE },
  { "mirror, rank 3", filtered_deep, NULL, TRUE, TRUE },
};

static guint
build (AccArray *array, gpointer data, AccArray **results)
{
  guint i = GPOINTER_TO_UINT (data);

  results[0] = programs[i].make (array, programs[i].data);

  return 1;
}

/* Within half of a row. The interpreter has numbers of segments in memory: it does what needs none. Some devices run no loops of
 * as many steps as a product has. */
static void
test_programs (TestPair *f, gconstpointer name)
{
  gboolean is_native = g_str_equal (name, "native"), is_device = !is_native && !g_str_equal (name, "interpreter");

  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      const gint64 *shape = programs[i].is_deep ? deep : extents;
      g_autoptr(TestSource) source = test_source_new ("i4", shape, programs[i].is_deep ? 3 : 2, 5);
      g_autoptr(AccArray) file = acc_array_new_from_source (ACC_SOURCE (source)), array = NULL;
      g_autoptr(GPtrArray) sinks = g_ptr_array_new_with_free_func (g_object_unref), expected = NULL;
      g_autoptr(GError) error = NULL;

      if (!is_native && !(programs[i].is_quick && (is_device ? programs[i].make != multiplied
                                                   : programs[i].make != summed && programs[i].make != scanned)))
        continue;
      g_test_message ("%s", programs[i].name);
      array = acc_backend_run (f->roomy, file, NULL, &error);
      g_assert_no_error (error);
      expected = test_pair_write (f, array, 190000, build, GUINT_TO_POINTER (i), sinks, NULL);
      test_sink_assert_same (g_ptr_array_index (sinks, 0), g_ptr_array_index (expected, 0));
    }
}

/* Rows and columns that do not fit, as vectors that do not, for each of which there are four steps, or, of a prime length, a
 * convolution. */
enum { ROWS, COLUMNS, BOTH, N_WAYS };

static guint
transform (AccArray *array, gpointer data, AccArray **results)
{
  g_autoptr(AccArray) floats = acc_array_cast (array, acc_element_type_new (ACC_KIND_F32));

  switch (GPOINTER_TO_INT (data))
    {
    case ROWS:
      results[0] = acc_array_fft (floats, ACC_FFT_FORWARD);
      break;
    case COLUMNS:
      results[0] = acc_array_fft_on (floats, 0, ACC_FFT_FORWARD);
      break;
    default:
      results[0] = acc_array_fft2 (floats, ACC_FFT_FORWARD);
    }
  results[1] = acc_array_fft (results[0], ACC_FFT_INVERSE);

  return 2;
}

static void
test_transforms (TestPair *f, gconstpointer name)
{
  static const gint64 shapes[][2] = { { 4, 30030 }, { 30030, 4 }, { 3, 30011 }, { 30011, 3 }, { 100003, 1 } };

  for (guint way = 0; way < G_N_ELEMENTS (shapes) * N_WAYS; way++)
    {
      g_autoptr(TestSource) source = test_source_new ("i4", shapes[way / N_WAYS], 2, 5);
      g_autoptr(AccArray) file = acc_array_new_from_source (ACC_SOURCE (source)), array = NULL;
      g_autoptr(GPtrArray) sinks = g_ptr_array_new_with_free_func (g_object_unref), expected = NULL;
      g_autoptr(GError) error = NULL;

      array = acc_backend_run (f->roomy, file, NULL, &error);
      g_assert_no_error (error);
      expected = test_pair_write (f, array, 190000, transform, GUINT_TO_POINTER (way % N_WAYS), sinks, NULL);
      for (guint i = 0; i < 2; i++)
        {
          TestSink *sink = g_ptr_array_index (sinks, i);
          g_autoptr(GBytes) bytes = acc_array_dup_bytes (g_ptr_array_index (expected, i), 0, NULL);
          gsize size;
          gconstpointer wanted = g_bytes_get_data (bytes, &size);

          g_assert_cmpuint (sink->buffers[0]->len, ==, size);
          /* Each of both convolutions of a prime length is off by 4e-7, and many threads leave memory for short factors alone. */
          g_assert_true (test_is_near ((gconstpointer) sink->buffers[0]->data, wanted, size / sizeof (float), 2e-6f));
        }
    }
}

static AccArray *
square (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) turned = acc_array_transpose (arrays[0]);

  return acc_array_matmul (turned, arrays[0]);
}

static AccExpr *
is_odd (AccExpr *x, gpointer data)
{
  return acc_expr_ne (acc_expr_band (x, acc_expr_new_int (1)), acc_expr_new_int (0));
}

static AccArray *
keep_odd (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_filter (arrays[0], is_odd, NULL, NULL);
}

/* By a program that was written down as text, and read. */
static guint
compute_by_text (AccArray *array, gpointer function, AccArray **results)
{
  g_autoptr(AccProgram) program = acc_program_new ((const char *const[]) { "i4[:,:]", NULL }, function, NULL), read = NULL;
  g_autofree char *text = acc_program_to_string (program);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) applied = NULL;

  read = acc_program_parse (text, &error);
  g_assert_no_error (error);
  applied = acc_program_apply (read, &array, 1, &error);
  g_assert_no_error (error);
  results[0] = g_object_ref (g_ptr_array_index (applied, 0));

  return 1;
}

static void
test_text (TestPair *f, gconstpointer name)
{
  g_autoptr(AccArray) array = test_pair_new_array (f, (gint64[]) { 400, 300 }, 2);
  const AccArrayFunc functions[] = { square, keep_odd };

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_autoptr(GPtrArray) sinks = g_ptr_array_new_with_free_func (g_object_unref), expected = NULL;

      expected = test_pair_write (f, array, 190000, compute_by_text, functions[i], sinks, NULL);
      test_sink_assert_same (g_ptr_array_index (sinks, 0), g_ptr_array_index (expected, 0));
    }
}

/* A picture whose encoder keeps no row goes through less than one; for one whose encoder does it is told what that needs. */
static void
check_pictures (TestPair *f)
{
  g_autoptr(TestSource) source = test_source_new ("u1", (gint64[]) { 5, 300007, 3 }, 3, 5);
  g_autoptr(AccArray) file = acc_array_new_from_source (ACC_SOURCE (source)), doubled = mapped (file, NULL);
  g_autoptr(GBytes) bytes = NULL, wanted = test_file_new (f->roomy, doubled, "png");
  g_autoptr(GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autoptr(AccSink) picture = NULL;
  g_autofree char *allowed = NULL;
  g_autoptr(GError) error = NULL;

  acc_backend_set_memory_limit (f->backend, f->before + 600000);
  bytes = test_file_new (f->backend, doubled, "png");
  g_assert_true (g_bytes_equal (bytes, wanted));

  picture = acc_sink_new_for_stream (stream, "png", &error);
  g_assert_no_error (error);
  acc_png_sink_set_filter (ACC_PNG_SINK (picture), ACC_PNG_FILTER_UP);
  g_assert_false (acc_backend_write (f->backend, doubled, picture, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  g_assert_nonnull (strstr (error->message, "sink needs 12"));
  allowed = g_strdup_printf (" of %" G_GUINT64_FORMAT " allowed", f->before + 600000);
  g_assert_nonnull (strstr (error->message, allowed));
  acc_backend_set_memory_limit (f->backend, 0);
}

/* Into files of all formats, and into a sink that takes whole rows. */
static void
test_files (TestPair *f, gconstpointer name)
{
  static const char *const formats[] = { "raw", "npy" };
  g_autoptr(TestSource) source = test_source_new ("i4", extents, 2, 5);
  g_autoptr(AccArray) file = acc_array_new_from_source (ACC_SOURCE (source)), doubled = mapped (file, NULL);
  g_autoptr(TestSink) rows = test_sink_new ();
  g_autoptr(AccArray) expected = NULL;
  g_autoptr(AccPlan) plan = NULL;
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr(GBytes) bytes = NULL, wanted = NULL;

      wanted = test_file_new (f->roomy, doubled, formats[i]);
      acc_backend_set_memory_limit (f->backend, f->before + 300000);
      bytes = test_file_new (f->backend, doubled, formats[i]);
      acc_backend_set_memory_limit (f->backend, 0);
      g_assert_true (g_bytes_equal (bytes, wanted));
    }

  expected = acc_backend_run (f->roomy, doubled, NULL, &error);
  g_assert_no_error (error);
  acc_backend_set_memory_limit (f->backend, f->before + 300000);
  plan = acc_backend_plan (f->backend, doubled, ACC_SINK (rows), 0, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  g_assert_nonnull (strstr (text, "whole rows are written"));
  g_assert_true (acc_backend_write (f->backend, doubled, ACC_SINK (rows), NULL, &error));
  g_assert_no_error (error);
  test_sink_assert_same (rows, expected);

  acc_backend_set_memory_limit (f->backend, 0);
  check_pictures (f);
}

static const TestPairCase cases[] = {
  { "programs", test_programs },
  /* Of processors: */
  { "transforms", test_transforms }, { "files", test_files }, { "text", test_text },
};

static void
add_tests (const char *name, AccBackend *backend)
{
  test_pair_add ("wide", name, cases, g_str_equal (name, "native") ? G_N_ELEMENTS (cases) : 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_add_backends ("native,interpreter,opencl,vulkan", add_tests);

  return g_test_run ();
}
