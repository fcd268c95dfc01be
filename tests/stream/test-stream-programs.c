/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ordinary programs over files: each runs, and leaves the same bytes as in memory, without a memory limit and within a quarter of its data.
 * What a quarter is too little for is listed, and refused with what it needs and what it may have. */
#include "stream-files.h"
#include "stream-flow.h"

#include <string.h>

#define ROWS    512
#define COLUMNS 512
#define MAX_SOURCES 2

/* What a program reads: matrices, a long vector, pictures. */
typedef struct {
  const char *code;
  guint       rank;
  gint64      extents[3];
  const char *format;
  gboolean    transposed; /* of npy: a square matrix whose columns come one after the other */
} Data;

static const Data matrix = { "f4", 2, { ROWS, COLUMNS }, "npy" };
static const Data tall = { "f4", 2, { 4 * ROWS, COLUMNS }, "npy" };
/* Columns first */
static const Data columns_first = { "f4", 2, { ROWS, ROWS }, "npy", TRUE };
static const Data matrix_of_ints = { "i4", 2, { ROWS, COLUMNS }, "raw" };
static const Data vector = { "i4", 1, { ROWS * COLUMNS }, "npy" };
static const Data vector_of_floats = { "f4", 1, { ROWS * COLUMNS }, "raw" };
static const Data line = { "f4", 1, { COLUMNS }, "npy" };
static const Data factor = { "f4", 2, { 96, 96 }, "npy" };
static const Data picture = { "u1", 3, { 1200, 1000, 3 }, "png" };
static const Data gray = { "u1", 2, { 2048, 1500 }, "png" };

typedef struct {
  const char *name;
  AccArray *(*build) (AccArray **s);
  const Data *data[MAX_SOURCES];
  const char *more;       /* backends that need more than a quarter of the data; NULL: none */
  gboolean    near;       /* by rows the last bits of floats may be others than in memory */
} Program;

/* --- functions of elements */

static AccExpr *half (AccExpr *x, gpointer data) { return acc_expr_mul (x, acc_expr_new_float (0.5)); }
static AccExpr *is_even (AccExpr *x, gpointer data) { return acc_expr_eq (acc_expr_band (x, acc_expr_new_int (1)), acc_expr_new_int (0)); }
static AccExpr *few (AccExpr *x, gpointer data) { return acc_expr_band (x, acc_expr_new_int (255)); }
static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }

static AccExpr *minus_the (AccExpr *x, gpointer data) { return acc_expr_sub (x, acc_expr_the (data)); }
static AccExpr *over_the (AccExpr *x, gpointer data) { return acc_expr_fdiv (x, acc_expr_the (data)); }

static AccExpr *
blur (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_add (acc_expr_neighbour2 (n, -1, 0), acc_expr_neighbour2 (n, 1, 0)),
                       acc_expr_add (acc_expr_neighbour2 (n, 0, -1), acc_expr_neighbour2 (n, 0, 1)));
}

static AccArray *
stencil (AccArray *a, AccBoundaryKind kind)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (kind);

  return acc_array_stencil (a, (gint64[]) { 3, 3 }, 2, boundary, blur, NULL);
}

/* Takes over @a. */
static AccArray *
next (AccArray *a, AccArray *(*function) (AccArray *a))
{
  g_autoptr(AccArray) owned = a;

  return function (a);
}

static AccExpr *
every_second (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_mul (acc_expr_item (index, 0), acc_expr_new_int (2)),
                          acc_expr_mul (acc_expr_item (index, 1), acc_expr_new_int (2)));
}

static AccExpr *
doubled (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_div (acc_expr_item (index, 0), acc_expr_new_int (2)),
                          acc_expr_div (acc_expr_item (index, 1), acc_expr_new_int (2)));
}

static AccExpr *
quarter_turn (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (index, 1), acc_expr_sub (acc_expr_new_int (COLUMNS - 1), acc_expr_item (index, 0)));
}

static AccExpr *
rolled (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_rem (acc_expr_add (acc_expr_item (index, 0), acc_expr_new_int (100)), acc_expr_new_int (ROWS)),
                          acc_expr_item (index, 1));
}

/* --- programs */

static AccArray *map (AccArray **s) { return acc_array_map (s[0], half, NULL); }
static AccArray *add (AccArray **s) { return acc_array_add (s[0], s[1]); }
static AccArray *clamp (AccArray **s) { return stencil (s[0], ACC_BOUNDARY_CLAMP); }
static AccArray *wrap (AccArray **s) { return stencil (s[0], ACC_BOUNDARY_WRAP); }
static AccArray *blur_twice (AccArray **s) { g_autoptr(AccArray) a = clamp (s); return stencil (a, ACC_BOUNDARY_MIRROR); }
static AccArray *transpose (AccArray **s) { return acc_array_transpose (s[0]); }
static AccArray *transpose_picture (AccArray **s) { return acc_array_transpose_on (s[0], 0, 1); }
static AccArray *transpose_twice (AccArray **s) { return next (transpose (s), acc_array_transpose); }
static AccArray *upside_down (AccArray **s) { return acc_array_reverse_on (s[0], 0); }
static AccArray *mirrored (AccArray **s) { return acc_array_reverse_on (s[0], 1); }
static AccArray *reverse (AccArray **s) { return acc_array_reverse (s[0]); }
static AccArray *take (AccArray **s) { return acc_array_take_on (s[0], 0, acc_expr_new_int (100)); }
static AccArray *drop (AccArray **s) { return acc_array_drop_on (s[0], 0, acc_expr_new_int (100)); }
static AccArray *slit (AccArray **s) { return acc_array_slit_on (s[0], 0, acc_expr_new_int (100), acc_expr_new_int (50)); }
static AccArray *row (AccArray **s) { return acc_array_slice (s[0], (gint64[]) { 7, ACC_ALL }, 2); }
static AccArray *column (AccArray **s) { return acc_array_slice (s[0], (gint64[]) { ACC_ALL, 7 }, 2); }
static AccArray *channel (AccArray **s) { return acc_array_slice (s[0], (gint64[]) { ACC_ALL, ACC_ALL, 1 }, 3); }
static AccArray *concat (AccArray **s) { return acc_array_concat_on (s[0], s[1], 0); }
static AccArray *concat_columns (AccArray **s) { return acc_array_concat_on (s[0], s[1], 1); }
static AccArray *concat_vectors (AccArray **s) { return acc_array_concat (s[0], s[1]); }
static AccArray *flatten (AccArray **s) { return acc_array_flatten (s[0]); }
static AccArray *compute (AccArray **s) { g_autoptr(AccArray) a = clamp (s); return acc_array_compute (a); }
static AccArray *repeat (AccArray **s) { return acc_array_replicate (s[0], (gint64[]) { ROWS, ACC_ALL }, 2); }
static AccArray *tile (AccArray **s) { return acc_array_replicate (s[0], (gint64[]) { 3, ACC_ALL, ACC_ALL }, 3); }
static AccArray *matmul (AccArray **s) { return acc_array_matmul (s[0], s[1]); }
static AccArray *outer (AccArray **s) { return acc_array_outer (s[0], s[1]); }
static AccArray *dot (AccArray **s) { return acc_array_dot (s[0], s[1]); }
static AccArray *fft (AccArray **s) { return acc_array_fft (s[0], ACC_FFT_FORWARD); }
static AccArray *fft2 (AccArray **s) { return acc_array_fft2 (s[0], ACC_FFT_FORWARD); }
static AccArray *rfft (AccArray **s) { return acc_array_rfft (s[0]); }
static AccArray *fftshift (AccArray **s) { return acc_array_fftshift (s[0]); }
static AccArray *filter (AccArray **s) { return acc_array_filter (s[0], is_even, NULL, NULL); }
static AccArray *unique (AccArray **s) { g_autoptr(AccArray) a = acc_array_map (s[0], few, NULL); return acc_array_unique (a, NULL); }
static AccArray *sort (AccArray **s) { return acc_array_sort (s[0], FALSE); }
static AccArray *descending (AccArray **s) { return acc_array_sort (s[0], TRUE); }
static AccArray *argsort (AccArray **s) { return acc_array_argsort (s[0], FALSE); }
static AccArray *sum (AccArray **s) { return acc_array_sum (s[0]); }
static AccArray *sum_all (AccArray **s) { return acc_array_sum_all (s[0]); }
static AccArray *mean_all (AccArray **s) { return acc_array_mean_all (s[0]); }
static AccArray *deviation (AccArray **s) { return acc_array_standard_deviation (s[0], 0); }
static AccArray *deviation_all (AccArray **s) { return acc_array_standard_deviation_all (s[0], 0); }
static AccArray *minmax_all (AccArray **s) { return acc_array_minmax_all (s[0]); }
static AccArray *argmax (AccArray **s) { return acc_array_argmax (s[0]); }
static AccArray *argmax_all (AccArray **s) { return acc_array_argmax_all (s[0]); }
static AccArray *norm_all (AccArray **s) { return acc_array_norm_all (s[0]); }
static AccArray *count_all (AccArray **s) { return acc_array_count_nonzero_all (s[0]); }
static AccArray *sum_of_sorted (AccArray **s) { return next (sort (s), acc_array_sum_all); }
static AccArray *cumsum (AccArray **s) { return acc_array_cumsum (s[0]); }
static AccArray *scan_from_right (AccArray **s) { return acc_array_scanr1 (s[0], plus, NULL); }
static AccArray *
runs (AccArray **s)
{
  g_autoptr(AccArray) a = acc_array_map (s[0], few, NULL);
  return acc_array_run_length_encode (a, NULL);
}
static AccArray *array_of_counts (AccArray **s) { return acc_array_histogram (s[0], 64, -200, 200); }
static AccArray *gather_all (AccArray **s) { g_autoptr(AccArray) a = acc_array_map (s[1], few, NULL); return acc_array_gather (s[0], a); }
static AccArray *column_sums (AccArray **s) { return next (transpose (s), acc_array_sum); }
static AccArray *column_scans (AccArray **s) { return next (next (transpose (s), acc_array_cumsum), acc_array_transpose); }

static AccArray *
crop (AccArray **s)
{
  g_autoptr(AccArray) rows = slit (s);

  return acc_array_slit_on (rows, 1, acc_expr_new_int (30), acc_expr_new_int (200));
}

static AccArray *
reshaped (AccArray **s)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (ROWS * 2, COLUMNS / 2);

  return acc_array_reshape (s[0], shape);
}

static AccArray *
indexed (AccArray **s, gint64 rows, gint64 columns, AccExprFunc function)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (rows, columns);

  return acc_array_backpermute (s[0], shape, function, NULL);
}

static AccArray *half_size (AccArray **s) { return indexed (s, ROWS / 2, COLUMNS / 2, every_second); }
static AccArray *double_size (AccArray **s) { return indexed (s, ROWS * 2, COLUMNS * 2, doubled); }
static AccArray *rotated (AccArray **s) { return indexed (s, COLUMNS, ROWS, quarter_turn); }
static AccArray *roll (AccArray **s) { return indexed (s, ROWS, COLUMNS, rolled); }

/* A statistic, and what is made with it from the same file. */
static AccArray *
centred (AccArray **s)
{
  g_autoptr(AccArray) mean = acc_array_mean_all (s[0]);

  return acc_array_map (s[0], minus_the, mean);
}

static AccArray *
normalised (AccArray **s)
{
  g_autoptr(AccArray) most = acc_array_maximum_all (s[0]);

  return acc_array_map (s[0], over_the, most);
}

static AccArray *
scatter (AccArray **s)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (256);
  g_autoptr(AccArray) zeros = acc_array_fill (shape, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), 0)),
    targets = acc_array_map (s[0], few, NULL), wide = acc_array_cast (targets, acc_element_type_new (ACC_KIND_I64));

  return acc_array_permute (s[0], zeros, wide, plus, NULL);
}

static AccArray *
bins (AccArray **s)
{
  g_autoptr(AccArray) few_values = acc_array_map (s[0], few, NULL), flat = acc_array_flatten (few_values);

  return acc_array_bincount (flat, 256);
}

static AccArray *
product_of_sorted_rows (AccArray **s)
{
  g_autoptr(AccArray) sorted = acc_array_sort (s[0], FALSE), turned = acc_array_transpose (sorted),
    blurred = stencil (turned, ACC_BOUNDARY_WRAP);

  return acc_array_add (blurred, s[1]);
}

static const Program programs[] = {
  { "map", map, { &matrix } },
  { "add", add, { &matrix, &matrix } },
  { "blur", clamp, { &matrix } },
  { "blur-twice", blur_twice, { &matrix } },
  { "compute", compute, { &matrix } },
  { "wrap", wrap, { &matrix } },
  { "transpose", transpose, { &matrix } },
  { "transpose-gray", transpose, { &gray } },
  { "transpose-picture", transpose_picture, { &picture } },
  { "transpose-twice", transpose_twice, { &matrix } },
  { "upside-down", upside_down, { &picture } },
  { "mirrored", mirrored, { &picture } },
  { "reverse", reverse, { &vector } },
  { "take", take, { &matrix } },
  { "drop", drop, { &picture } },
  { "slit", slit, { &matrix } },
  { "crop", crop, { &picture } },
  { "row", row, { &matrix } },
  { "column", column, { &matrix } },
  { "channel", channel, { &picture } },
  { "half-size", half_size, { &matrix } },
  { "double-size", double_size, { &matrix } },
  { "rotated", rotated, { &matrix } },
  { "roll", roll, { &matrix } },
  { "concat", concat, { &matrix, &matrix } },
  { "concat-columns", concat_columns, { &matrix, &matrix } },
  { "concat-vectors", concat_vectors, { &vector, &vector } },
  { "flatten", flatten, { &matrix } },
  { "reshape", reshaped, { &matrix } },
  { "repeat", repeat, { &line } },
  { "tile", tile, { &matrix }, "interpreter" },
  { "matmul", matmul, { &factor, &factor } },
  { "outer", outer, { &line, &line } },
  { "dot", dot, { &vector_of_floats, &vector_of_floats } },
  { "fft-rows", fft, { &matrix }, .near = TRUE },
  { "fft2", fft2, { &matrix }, .near = TRUE },
  { "rfft", rfft, { &matrix }, .near = TRUE },
  { "fft-vector", fft, { &vector_of_floats }, .near = TRUE },
  { "fftshift", fftshift, { &matrix } },
  { "filter", filter, { &vector } },
  { "unique", unique, { &vector } },
  { "runs", runs, { &vector } },
  { "sort", sort, { &vector } },
  { "sort-floats", descending, { &vector_of_floats } },
  { "sort-rows", sort, { &tall } },
  { "argsort", argsort, { &vector } },
  { "sum-of-sorted", sum_of_sorted, { &vector } },
  { "sum-vector", sum, { &vector_of_floats } },
  { "sum-rows", sum, { &matrix } },
  { "sum-all", sum_all, { &matrix } },
  { "mean-all", mean_all, { &matrix }, "interpreter" },
  { "deviation", deviation, { &matrix } },
  { "deviation-all", deviation_all, { &matrix }, "interpreter" },
  { "minmax-all", minmax_all, { &matrix }, "interpreter" },
  { "argmax", argmax, { &matrix } },
  { "argmax-all", argmax_all, { &matrix }, "interpreter" },
  { "norm-all", norm_all, { &matrix }, "interpreter" },
  { "count-all", count_all, { &picture }, "interpreter" },
  { "histogram", array_of_counts, { &vector_of_floats } },
  { "bincount", bins, { &matrix_of_ints }, "interpreter" },
  { "cumsum-rows", cumsum, { &matrix } },
  { "cumsum-vector", cumsum, { &vector } },
  { "scan-from-right", scan_from_right, { &vector } },
  { "scatter", scatter, { &vector } },
  { "gather", gather_all, { &vector, &vector } },
  { "column-sums", column_sums, { &matrix } },
  { "column-scans", column_scans, { &matrix } },
  { "centred", centred, { &matrix }, "interpreter" },
  { "normalised", normalised, { &matrix } },
  { "columns-first-map", map, { &columns_first } },
  { "columns-first-transpose", transpose, { &columns_first } },
  { "columns-first-blur", clamp, { &columns_first } },
  { "columns-first-concat", concat, { &columns_first, &columns_first } },
  { "columns-first-flatten", flatten, { &columns_first } },
  { "columns-first-sort", sort, { &columns_first } },
  { "sorted-turned-wrapped", product_of_sorted_rows, { &matrix, &matrix }, "interpreter" },
};

/* --- files */

static guint64
get_bytes (const Data *data)
{
  g_autoptr(AccElementType) type = acc_element_type_parse (data->code, NULL);
  guint64 bytes = acc_element_type_get_size (type);

  for (guint i = 0; i < data->rank; i++)
    bytes *= (guint64) data->extents[i];

  return bytes;
}

/* Takes over @bytes of a square matrix, whose header is text behind 10 bytes. */
static GBytes *
put_columns_first (GBytes *bytes)
{
  gsize size;
  char *data = g_bytes_unref_to_data (bytes, &size), *order = g_strstr_len (data + 10, 128, "'fortran_order': False");

  g_assert_nonnull (order);
  memcpy (order, "'fortran_order': True ", strlen ("'fortran_order': True "));

  return g_bytes_new_take (data, size);
}

/* A file with these data; @seed tells two of the same layout apart. */
static GBytes *
encode (AccBackend *backend, const Data *data, guint32 seed)
{
  g_autoptr(TestSource) source = test_source_new (data->code, data->extents, data->rank, seed);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));

  return data->transposed ? put_columns_first (test_file_new (backend, array, data->format))
                          : test_file_new (backend, array, data->format);
}

static AccArray *
open_file (const Data *data, GBytes *bytes)
{
  g_autoptr(AccElementType) type = acc_element_type_parse (data->code, NULL);
  g_autoptr(AccShape) shape = acc_shape_new (data->extents, data->rank);
  g_autoptr(AccSource) source = test_file_open (bytes, data->format, type, shape);

  return acc_array_new_from_source (source);
}

/* --- the comparison */

typedef struct {
  AccBackend    *backend;
  const Program *program;
} Case;

static GPtrArray *
run_whole (AccBackend *backend, AccArray *array)
{
  g_autoptr(AccProgram) program = acc_program_new_for_results (&array, 1);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  GPtrArray *results;

  g_assert_no_error (error);
  results = acc_executable_run (executable, NULL, 0, NULL, &error);
  g_assert_no_error (error);

  return results;
}

static void
assert_same (const Program *program, gboolean near, AccArray *expected, guint buffer, gconstpointer data, gsize size)
{
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (expected, buffer, NULL);
  gconstpointer wanted = g_bytes_get_data (bytes, NULL);

  g_assert_cmpuint (size, ==, g_bytes_get_size (bytes));
  if (size > 0 && memcmp (data, wanted, size) != 0 && !(near && test_is_near (data, wanted, size / sizeof (float), 1e-6f)))
    g_error ("%s: buffer %u differs", program->name, buffer);
}

/* Within @limit; @by_rows: the last bits may be others. Returns FALSE where that is too little. */
static gboolean
check_write (const Case *c, AccArray *array, AccArray *expected, guint64 limit, gboolean by_rows)
{
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;

  if (!test_write_within (c->backend, array, sink, limit, &error))
    {
      g_test_message ("%s", error->message);
      g_assert_cmpuint (limit, >, 0);
      g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      g_assert_nonnull (strstr (error->message, " bytes"));
      g_assert_true (strstr (error->message, "allowed") != NULL || strstr (error->message, "limit") != NULL);
      return FALSE;
    }

  g_assert_true (sink->type == acc_array_get_element_type (expected));
  g_assert_true (acc_shape_equal (sink->shape, acc_array_get_shape (expected)));
  for (guint i = 0; i < sink->n_buffers; i++)
    assert_same (c->program, c->program->near && by_rows, expected, i, sink->buffers[i]->data, sink->buffers[i]->len);

  return TRUE;
}

static void
check_run (const Case *c, AccArray *array, AccArray *expected)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) result = acc_backend_run (c->backend, array, NULL, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < acc_element_type_get_n_buffers (acc_array_get_element_type (expected)); i++)
    {
      g_autoptr(GBytes) bytes = acc_array_dup_bytes (result, i, NULL);
      gsize size;
      gconstpointer data = g_bytes_get_data (bytes, &size);

      assert_same (c->program, FALSE, expected, i, data, size);
    }
}

static void
test_program (gconstpointer data)
{
  const Case *c = data;
  g_autoptr(AccArray) array = NULL, same = NULL;
  AccArray *sources[MAX_SOURCES] = { NULL, }, *memory[MAX_SOURCES] = { NULL, };
  g_autoptr(GPtrArray) expected = NULL;
  g_autoptr(GError) error = NULL;
  guint64 bytes = 0;
  gboolean fits, is_listed = c->program->more != NULL && strstr (c->program->more, acc_backend_get_name (c->backend)) != NULL;

  for (guint i = 0; i < MAX_SOURCES && c->program->data[i] != NULL; i++)
    {
      g_autoptr(GBytes) file = encode (c->backend, c->program->data[i], i + 1);

      sources[i] = open_file (c->program->data[i], file);
      memory[i] = acc_backend_run (c->backend, sources[i], NULL, &error);
      g_assert_no_error (error);
      bytes += get_bytes (c->program->data[i]);
    }

  same = c->program->build (memory);
  acc_array_check (same, &error);
  g_assert_no_error (error);
  expected = run_whole (c->backend, same);
  /* From memory, too: without a source, but by rows where it can. */
  g_assert_true (check_write (c, same, g_ptr_array_index (expected, 0), 0, TRUE));
  g_clear_object (&same);
  for (guint i = 0; i < MAX_SOURCES; i++)
    g_clear_object (&memory[i]);

  array = c->program->build (sources);
  check_run (c, array, g_ptr_array_index (expected, 0));
  g_assert_true (check_write (c, array, g_ptr_array_index (expected, 0), 0, FALSE));
  fits = bytes < ROWS * COLUMNS || check_write (c, array, g_ptr_array_index (expected, 0), bytes / 4, TRUE);
  if (fits == is_listed)
    g_error ("%s on %s %s a quarter of the data, which the table does not say", c->program->name, acc_backend_get_name (c->backend),
             fits ? "fits into" : "does not fit into");
  for (guint i = 0; i < MAX_SOURCES; i++)
    g_clear_object (&sources[i]);
}

static void
add_backend (const char *name, AccBackend *backend)
{
  g_object_ref (backend);   /* to the end */
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *path = g_strdup_printf ("/stream/programs/%s/%s", name, programs[i].name);
      Case *c = g_new (Case, 1);

      *c = (Case) { backend, &programs[i] };
      g_test_add_data_func_full (path, c, test_program, g_free);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_add_backends ("native", add_backend);

  return g_test_run ();
}
