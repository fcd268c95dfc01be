/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream-operations.h"

#include "stream-files.h"
#include "stream-flow.h"

typedef MemoryFile Data;

static const Data matrix = { "f4", 2, { ROWS, COLUMNS } };
static const Data factor = { "f4", 2, { COLUMNS, 2000 } };
static const Data ints = { "i4", 2, { ROWS, COLUMNS } };
static const Data vector = { "i4", 1, { ROWS * COLUMNS } };
static const Data floats = { "f4", 1, { ROWS * COLUMNS } };
static const Data wide = { "f4", 2, { 2, ROWS * COLUMNS / 2 } };
static const Data wide_ints = { "i4", 2, { 2, ROWS * COLUMNS / 2 } };
static const Data one_row = { "i4", 2, { 1, ROWS * COLUMNS } };
static const Data short_rows = { "i4", 2, { ROWS * COLUMNS / 20, 20 } };
static const Data lengths = { "u1", 1, { ROWS * COLUMNS } };

/* --- functions of elements */

static AccExpr *half (AccExpr *x, gpointer data) { return acc_expr_mul (x, acc_expr_new_float (0.5)); }
static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *plus3 (AccExpr *x, AccExpr *y, AccExpr *z, gpointer data) { return acc_expr_add (acc_expr_mul (x, y), z); }
static AccExpr *few (AccExpr *x, gpointer data) { return acc_expr_band (x, acc_expr_new_int (63)); }
static AccExpr *always_one (AccExpr *x, gpointer data) { return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 1); }
static AccExpr *is_some (AccExpr *x, gpointer data) { return acc_expr_lt (x, acc_expr_new_int (1)); }

static AccExpr *
with_row (AccExpr *index, AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_cast (acc_expr_item (index, 0), acc_element_type_new (ACC_KIND_F32)));
}

static AccExpr *
cross (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_neighbour2 (n, -1, 0), acc_expr_neighbour2 (n, 0, 1));
}

static AccExpr *
cross2 (AccExpr *n, AccExpr *m, gpointer data)
{
  return acc_expr_add (cross (n, data), acc_expr_neighbour2 (m, 1, 0));
}

static AccExpr *
turned (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (index, 1), acc_expr_item (index, 0));
}

static AccExpr *
element_of (AccExpr *index, gpointer data)
{
  return acc_expr_index (data, acc_expr_tuple2 (acc_expr_item (index, 1), acc_expr_item (index, 0)));
}

/* Takes over @a. */
static AccArray *
next (AccArray *a, AccArray *(*function) (AccArray *a))
{
  g_autoptr(AccArray) owned = a;

  return function (a);
}

/* --- programs, by the names of operations */

static AccArray *map (AccArray **s) { return acc_array_map (s[0], half, NULL); }
static AccArray *imap (AccArray **s) { return acc_array_imap (s[0], with_row, NULL); }
static AccArray *zip_with (AccArray **s) { return acc_array_zip_with (s[0], s[1], plus, NULL); }
static AccArray *zip_with3 (AccArray **s) { return acc_array_zip_with3 (s[0], s[1], s[2], plus3, NULL); }
static AccArray *zip (AccArray **s) { return acc_array_zip (s[0], s[1]); }
static AccArray *unzip (AccArray **s) { g_autoptr(AccArray) both = zip (s); return acc_array_unzip (both, 1); }
static AccArray *compute (AccArray **s) { g_autoptr(AccArray) a = map (s); return acc_array_compute (a); }
static AccArray *
reshape (AccArray **s)
{
  g_autoptr(AccShape) to = acc_shape_new_matrix (COLUMNS, ROWS);
  return acc_array_reshape (s[0], to);
}
static AccArray *
replicate (AccArray **s)
{
  g_autoptr(AccArray) row = acc_array_slice (s[0], (gint64[]) { 3, ACC_ALL }, 2);
  return acc_array_replicate (row, (gint64[]) { ROWS, ACC_ALL }, 2);
}
static AccArray *replicate_rows (AccArray **s) { return acc_array_replicate (s[0], (gint64[]) { ACC_ALL, 2, ACC_ALL }, 3); }
static AccArray *replicate_all (AccArray **s) { return acc_array_replicate (s[0], (gint64[]) { 2, ACC_ALL, ACC_ALL }, 3); }
static AccArray *slice (AccArray **s) { return acc_array_slice (s[0], (gint64[]) { ACC_ALL, 5 }, 2); }
static AccArray *slice_row (AccArray **s) { return acc_array_slice (s[0], (gint64[]) { 5, ACC_ALL }, 2); }
static AccArray *
backpermute (AccArray **s)
{
  g_autoptr(AccShape) to = acc_shape_new_matrix (COLUMNS, ROWS);
  return acc_array_backpermute (s[0], to, turned, NULL);
}
static AccArray *
generate (AccArray **s)
{
  g_autoptr(AccShape) to = acc_shape_new_matrix (COLUMNS, ROWS);
  return acc_array_generate (to, element_of, s[0]);
}
static AccExpr *get_one (AccArray *a) { return acc_expr_new_typed_int (acc_array_get_element_type (a), 1); }
static AccArray *fold (AccArray **s) { return acc_array_fold (s[0], get_one (s[0]), plus, NULL); }
static AccArray *fold1 (AccArray **s) { return acc_array_fold1 (s[0], plus, NULL); }
static AccArray *fold_all (AccArray **s) { return acc_array_fold_all (s[0], get_one (s[0]), plus, NULL); }
static AccArray *fold1_all (AccArray **s) { return acc_array_fold1_all (s[0], plus, NULL); }
static AccArray *column_sums (AccArray **s) { return next (acc_array_transpose (s[0]), acc_array_sum); }
static AccArray *matmul (AccArray **s) { return acc_array_matmul (s[0], s[1]); }
static AccArray *fft (AccArray **s) { return acc_array_fft (s[0], ACC_FFT_FORWARD); }
static AccArray *fft_columns (AccArray **s) { return acc_array_fft_on (s[0], 0, ACC_FFT_FORWARD); }
static AccArray *fft2 (AccArray **s) { return acc_array_fft2 (s[0], ACC_FFT_FORWARD); }
static AccArray *scanl1 (AccArray **s) { return acc_array_scanl1 (s[0], plus, NULL); }
static AccArray *column_scans (AccArray **s) { return next (next (acc_array_transpose (s[0]), acc_array_cumsum), acc_array_transpose); }
static AccArray *
sort_columns (AccArray **s)
{
  g_autoptr(AccArray) t = acc_array_transpose (s[0]), u = acc_array_sort (t, TRUE);
  return acc_array_transpose (u);
}
static AccArray *argsort (AccArray **s) { return acc_array_argsort (s[0], TRUE); }
static AccArray *drop_column (AccArray **s) { return acc_array_drop_on (s[0], 1, acc_expr_new_int (1)); }
static AccArray *sort (AccArray **s) { return acc_array_sort (s[0], FALSE); }

static AccArray *
stencil (AccArray **s)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_MIRROR);

  return acc_array_stencil (s[0], (gint64[]) { 3, 3 }, 2, boundary, cross, NULL);
}

static AccArray *
wrapped (AccArray **s)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_WRAP);

  return acc_array_stencil (s[0], (gint64[]) { 3, 3 }, 2, boundary, cross, NULL);
}
static AccArray *
stencil2 (AccArray **s)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil2 (s[0], (gint64[]) { 3, 3 }, 2, boundary, s[1], (gint64[]) { 3, 3 }, 2, boundary, cross2, NULL);
}

/* Into few targets. */
static AccArray *
permute (AccArray **s)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (64);
  g_autoptr(AccArray) zeros = acc_array_fill (shape, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), 0)),
    targets = acc_array_map (s[0], few, NULL), wide = acc_array_cast (targets, acc_element_type_new (ACC_KIND_I64));

  return acc_array_permute (s[0], zeros, wide, plus, NULL);
}

static AccArray *
get_lengths (AccArray *a)
{
  return acc_array_cast (a, acc_element_type_new (ACC_KIND_I64));
}

static AccArray *
fold_seg (AccArray **s)
{
  g_autoptr(AccArray) n = get_lengths (s[1]);
  return acc_array_fold_seg (s[0], acc_expr_new_int (0), n, plus, NULL);
}
/* Of one element each: none is empty. */
static AccArray *
fold1_seg (AccArray **s)
{
  g_autoptr(AccArray) n = acc_array_map (s[1], always_one, NULL);
  return acc_array_fold1_seg (s[0], n, plus, NULL);
}
/* Few, as most programs have. */
static AccExpr *long_length (AccExpr *index, gpointer data) { return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), ROWS); }
static AccArray *
make_lengths (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (COLUMNS / 2);
  return acc_array_generate (shape, long_length, NULL);
}
static AccArray *few_folds (AccArray **s) { g_autoptr(AccArray) n = make_lengths (); return acc_array_fold1_seg (s[0], n, plus, NULL); }
static AccArray *few_scans (AccArray **s) { g_autoptr(AccArray) n = make_lengths (); return acc_array_scanl1_seg (s[0], n, plus, NULL); }
static AccArray *scan_seg (AccArray **s) { g_autoptr(AccArray) n = get_lengths (s[1]); return acc_array_scanl1_seg (s[0], n, plus, NULL); }

static AccArray *
cond (AccArray **s)
{
  g_autoptr(AccArray) sum = acc_array_sum_all (s[0]), flag = acc_array_map (sum, is_some, NULL), other = acc_array_map (s[0], few, NULL);

  return acc_array_cond (flag, s[0], other);
}

static AccArray *
first_of (guint (*build) (AccArray **sources, AccArray **results), AccArray **s)
{
  AccArray *results[4] = { NULL, }, *first;
  guint n = build (s, results);

  first = results[0];
  for (guint i = 1; i < n; i++)
    g_object_unref (results[i]);

  return first;
}

static AccArray *loop (AccArray **s) { return first_of (flow_build_loop, s); }
static AccArray *foreign (AccArray **s) { return first_of (flow_build_foreign, s); }

const StreamProgram stream_programs[] = {
  { "map", map, { &matrix } },
  { "imap", imap, { &matrix } },
  { "zip_with", zip_with, { &matrix, &matrix } },
  { "zip_with3", zip_with3, { &matrix, &matrix, &matrix } },
  { "zip", zip, { &matrix, &ints } },
  { "unzip", unzip, { &matrix, &ints } },
  { "compute", compute, { &matrix } },
  { "reshape", reshape, { &matrix } },
  { "replicate", replicate, { &matrix } },
  { "replicate-rows", replicate_rows, { &matrix } },
  { "replicate-all", replicate_all, { &matrix } },
  { "slice", slice, { &matrix } },
  { "slice-row", slice_row, { &matrix } },
  { "backpermute", backpermute, { &matrix } },
  { "generate", generate, { &matrix } },
  { "fold", fold, { &matrix } },
  { "fold1", fold1, { &matrix } },
  { "fold_all", fold_all, { &matrix } },
  { "fold1_all", fold1_all, { &floats } },
  { "column-sums", column_sums, { &matrix } },
  { "matmul", matmul, { &matrix, &factor } },
  { "fft", fft, { &matrix }, .near = TRUE },
  { "fft-columns", fft_columns, { &matrix }, .near = TRUE },
  { "fft2", fft2, { &matrix }, .near = TRUE },
  { "fft-vector", fft, { &floats }, .near = TRUE },
  { "scanl1", scanl1, { &matrix } },
  { "scanl1-vector", scanl1, { &vector } },
  { "column-scans", column_scans, { &matrix } },
  { "sort-columns", sort_columns, { &matrix } },
  { "sort", sort, { &matrix } },
  { "sort-vector", sort, { &vector } },
  { "stencil", stencil, { &matrix } },
  { "stencil2", stencil2, { &matrix, &matrix } },
  { "stencil-wrap", wrapped, { &matrix } },
  { "permute", permute, { &vector } },
  { "fold_seg", fold_seg, { &vector, &lengths }, .decides = TRUE },
  { "fold1_seg", fold1_seg, { &vector, &lengths }, .decides = TRUE },
  { "fold1_seg-few", few_folds, { &vector } },
  { "scanl1_seg-few", few_scans, { &vector } },
  { "scanl1_seg", scan_seg, { &vector, &lengths }, .decides = TRUE },
  { "cond", cond, { &ints }, .decides = TRUE },
  { "while_loop", loop, { &ints } },
  { "wide-map", map, { &wide } },
  { "wide-zip", zip_with, { &wide, &wide } },
  { "wide-imap", imap, { &wide } },
  { "wide-fold", fold, { &wide_ints } },
  { "wide-fold1", fold1, { &wide_ints } },
  { "wide-fold-all", fold_all, { &wide_ints } },
  { "wide-scanl1", scanl1, { &wide_ints } },
  { "wide-stencil", stencil, { &wide } },
  { "wide-stencil2", stencil2, { &wide, &wide } },
  { "one-row-drop", drop_column, { &one_row } },
  { "one-row-sort", sort, { &one_row } },
  { "argsort-short", argsort, { &short_rows } },
  { "foreign", foreign, { &ints } },
};

const guint stream_n_programs = G_N_ELEMENTS (stream_programs);

const StreamProgram *
stream_program_find (const char *name)
{
  for (guint i = 0; i < stream_n_programs; i++)
    if (g_str_equal (stream_programs[i].name, name))
      return &stream_programs[i];

  return NULL;
}

/* --- files */

AccArray *
stream_program_dup_contents (const MemoryFile *data, AccArray *array)
{
  /* Lengths of segments: half of them 0, all together half of the elements. */
  return data->code == lengths.code ? acc_array_map (array, is_some, NULL) : g_object_ref (array);
}

GBytes *
stream_program_make_bytes (AccBackend *backend, const MemoryFile *data, guint32 seed)
{
  g_autoptr(TestSource) source = test_source_new (data->code, data->extents, data->rank, seed);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source)), small = stream_program_dup_contents (data, array),
    result = NULL;
  g_autoptr(GError) error = NULL;

  result = acc_backend_run (backend, small, NULL, &error);
  g_assert_no_error (error);

  return acc_array_dup_bytes (result, 0, NULL);
}

AccArray *
stream_program_open_file (const MemoryFile *data, GBytes *bytes)
{
  g_autoptr(AccElementType) type = acc_element_type_parse (data->code, NULL);
  g_autoptr(AccShape) shape = acc_shape_new (data->extents, data->rank);
  g_autoptr(AccSource) source = test_file_open (bytes, "raw", type, shape);

  return acc_array_new_from_source (source);
}
