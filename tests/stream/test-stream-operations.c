/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every operation of the table of operations, its arguments from files, within a twentieth and a quarter of its data: the bytes are those
 * of a run in memory. What needs more stands in the table with the reason, and is refused with what it needs and what it may have; with
 * what it asks for it runs. */
#include "stream-files.h"
#include "stream-flow.h"
#include "stream-limits.h"
#include "stream-memory.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"
#include "acc-core/data/acc-sink-private.h"

#include <stdlib.h>
#include <string.h>

#include "tests/remove-tree.h"

/* With many rows it measures the memory of processes instead, with few it goes through many limits. */
#ifndef ROWS
#define ROWS    2000
#endif
#define COLUMNS (ROWS < 2000 ? 300 : 1500)
#define MAX_SOURCES 3
/* Bytes that five npy files hold while they are written. */
#define FIVE_SINKS  (5 * 16 * 1024)

typedef MemoryFile Data;

static const Data matrix = { "f4", 2, { ROWS, COLUMNS } };
static const Data factor = { "f4", 2, { COLUMNS, 2000 } };
static const Data ints = { "i4", 2, { ROWS, COLUMNS } };
static const Data vector = { "i4", 1, { ROWS * COLUMNS } };
static const Data floats = { "f4", 1, { ROWS * COLUMNS } };
static const Data wide = { "f4", 2, { 2, ROWS * COLUMNS / 2 } };
static const Data wide_ints = { "i4", 2, { 2, ROWS * COLUMNS / 2 } };
static const Data lengths = { "u1", 1, { ROWS * COLUMNS } };

typedef enum {
  A_TWENTIETH,
  A_QUARTER,
  MORE,
} Share;

typedef struct {
  const char *name;
  AccArray *(*build) (AccArray **s);
  const Data *data[MAX_SOURCES];
  Share       share;      /* of its data that is enough, on the native backend */
  const char *why;        /* no less is */
  gboolean    near;       /* a library computes it; the last bits may be others */
  gboolean    decides;    /* what stages store decides what comes after them: plans cannot know all that runs need */
} Program;

/* --- functions of elements */

static AccExpr *half (AccExpr *x, gpointer data) { return acc_expr_mul (x, acc_expr_new_float (0.5)); }
static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *plus3 (AccExpr *x, AccExpr *y, AccExpr *z, gpointer data) { return acc_expr_add (acc_expr_mul (x, y), z); }
static AccExpr *few (AccExpr *x, gpointer data) { return acc_expr_band (x, acc_expr_new_int (63)); }
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
static AccArray *sort (AccArray **s) { return acc_array_sort (s[0], FALSE); }

static AccArray *
stencil (AccArray **s)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_MIRROR);

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

static const Program programs[] = {
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
  { "permute", permute, { &vector } },
  { "fold_seg", fold_seg, { &vector, &lengths }, .decides = TRUE },
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
  { "foreign", foreign, { &ints } },
};

/* Operations that no program here has, and why. */
static const struct {
  AccOperation op;
  const char  *why;
} apart[] = {
  { ACC_OP_PARAMETER, "arguments of compiled programs are in memory" },
  { ACC_OP_FOLD1_SEG, "it is as fold_seg, of segments that are not empty" },
  { ACC_OP_SORT_SEG, "nested arrays sort by it" },
  { ACC_OP_DEFERRED, "what nested arrays are computed from has a run of its own" },
};

static gboolean covered[ACC_N_OPERATIONS];

static void
cover (AccArray *array)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes (&array, 1);

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      covered[node->op] = TRUE;
      if (node->direct != NULL && !covered[node->direct->op])
        cover (node->direct);
    }
}

/* --- runs */

static AccBackend *backend;
static gboolean is_judged;      /* by bits; else whole runs round floats in other ways than rows */

static GBytes *
make_bytes (const Data *data, guint32 seed)
{
  g_autoptr(TestSource) source = test_source_new (data->code, data->extents, data->rank, seed);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source)), small = NULL, result = NULL;
  g_autoptr(GError) error = NULL;

  /* Lengths of segments: half of them 0, all together half of the elements. */
  small = data == &lengths ? acc_array_map (array, is_some, NULL) : g_object_ref (array);
  result = acc_backend_run (backend, small, NULL, &error);
  g_assert_no_error (error);

  return acc_array_dup_bytes (result, 0, NULL);
}

static AccArray *
open_file (const Data *data, GBytes *bytes)
{
  g_autoptr(AccElementType) type = acc_element_type_parse (data->code, NULL);
  g_autoptr(AccShape) shape = acc_shape_new (data->extents, data->rank);
  g_autoptr(AccSource) source = test_file_open (bytes, "raw", type, shape);

  return acc_array_new_from_source (source);
}

static gboolean
may_be_near (const Program *program)
{
  return program->near || (!is_judged && program->data[0]->code[0] == 'f');
}

static void
assert_same (const Program *program, TestSink *sink, AccArray *expected)
{
  g_assert_true (acc_shape_equal (sink->shape, acc_array_get_shape (expected)));
  for (guint i = 0; i < sink->n_buffers; i++)
    {
      g_autoptr(GBytes) bytes = acc_array_dup_bytes (expected, i, NULL);
      gsize size;
      gconstpointer wanted = g_bytes_get_data (bytes, &size), data = sink->buffers[i]->data;

      g_assert_cmpuint (sink->buffers[i]->len, ==, size);
      if (size > 0 && memcmp (data, wanted, size) != 0
          && !(may_be_near (program) && test_is_near (data, wanted, size / sizeof (float), is_judged ? 1e-6f : 4e-6f)))
        g_test_fail_printf ("%s: buffer %u differs", program->name, i);
    }
}

/* The largest number of a message. */
static guint64
find_number (const char *message)
{
  guint64 most = 0;

  while (*message != '\0')
    if (g_ascii_isdigit (*message))
      {
        char *end;
        guint64 number = g_ascii_strtoull (message, &end, 10);

        most = MAX (most, number);
        message = end;
      }
    else
      message++;

  return most;
}

/* TRUE, or what it needs at least. */
static gboolean
fits (const Program *program, AccArray *array, AccArray *expected, guint64 limit, guint64 *needs)
{
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;

  acc_sink_set_takes_elements (ACC_SINK (sink));
  if (test_write_within (backend, array, sink, limit, &error))
    {
      assert_same (program, sink, expected);
      return TRUE;
    }

  g_test_message ("within %" G_GUINT64_FORMAT ": %s", limit, error->message);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  *needs = find_number (error->message);

  return FALSE;
}

static Share
find_share (const Program *program, AccArray *array, AccArray *expected, guint64 bytes)
{
  guint64 needs = 0, limit = bytes / 4;

  if (fits (program, array, expected, bytes / 20, &needs))
    return A_TWENTIETH;
  if (fits (program, array, expected, limit, &needs))
    return A_QUARTER;

  /* What it asks for, and what stages behind it ask for then. */
  for (guint i = 0; i < 24; i++)
    {
      limit = MAX (limit + limit / 4, MIN (needs + needs / 8, 8 * bytes));
      if (fits (program, array, expected, limit, &needs))
        {
          g_test_message ("%s needs %.2f of its data", program->name, (double) limit / (double) bytes);
          return MORE;
        }
    }
  g_test_fail_printf ("%s does not run within what it asks for", program->name);

  return MORE;
}

static void
test_program (gconstpointer data)
{
  static const char *names[] = { "a twentieth", "a quarter", "more than a quarter" };
  const Program *program = data;
  AccArray *sources[MAX_SOURCES] = { NULL, }, *memory[MAX_SOURCES] = { NULL, };
  g_autoptr(AccArray) same = NULL, expected = NULL, array = NULL;
  g_autoptr(GError) error = NULL;
  guint64 bytes = 0;
  Share share;

  for (guint i = 0; i < MAX_SOURCES && program->data[i] != NULL; i++)
    {
      g_autoptr(GBytes) file = make_bytes (program->data[i], i + 1);

      bytes += g_bytes_get_size (file);
      sources[i] = open_file (program->data[i], file);
      memory[i] = acc_backend_run (backend, sources[i], NULL, &error);
      g_assert_no_error (error);
    }

  same = program->build (memory);
  cover (same);
  expected = acc_backend_run (backend, same, NULL, &error);
  g_assert_no_error (error);
  g_clear_object (&same);
  for (guint i = 0; i < MAX_SOURCES; i++)
    g_clear_object (&memory[i]);

  array = program->build (sources);
  cover (array);
  share = find_share (program, array, expected, bytes);
  g_assert_true ((program->share == A_TWENTIETH) == (program->why == NULL));
  if (share != program->share)
    g_test_fail_printf ("%s needs %s of its data, which the table does not say", program->name, names[share]);
  for (guint i = 0; i < MAX_SOURCES; i++)
    g_clear_object (&sources[i]);
}

/* The plan tells how rows that do not fit are written, and promises no more than the limit. */
static void
test_wide_plan (void)
{
  g_autoptr(GBytes) file = make_bytes (&wide, 1);
  g_autoptr(AccArray) array = open_file (&wide, file), mapped = map (&array);
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(AccPlan) plan = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;
  guint64 limit;

  acc_budget_spare (acc_backend_get_budget (backend), G_MAXINT64);
  limit = acc_budget_get_used (acc_backend_get_budget (backend)) + 1000000;
  acc_backend_set_memory_limit (backend, limit);
  plan = acc_backend_plan (backend, mapped, ACC_SINK (sink), 0, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  g_assert_nonnull (strstr (text, "whole rows are written"));
  g_assert_cmpuint (acc_plan_get_bytes (plan), <=, limit);
  g_clear_object (&plan);
  g_clear_pointer (&text, g_free);

  acc_sink_set_takes_elements (ACC_SINK (sink));
  plan = acc_backend_plan (backend, mapped, ACC_SINK (sink), 0, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, "element by element"));
  g_assert_nonnull (strstr (text, "is stored in a temporary file"));
  g_assert_cmpuint (acc_plan_get_bytes (plan), <=, limit);
  acc_backend_set_memory_limit (backend, 0);
}

static void
test_limits (gconstpointer data)
{
  const Program *program = data;
  AccArray *sources[MAX_SOURCES] = { NULL, };
  g_autoptr(AccArray) array = NULL;
  guint64 bytes = 0;

  for (guint i = 0; i < MAX_SOURCES && program->data[i] != NULL; i++)
    {
      g_autoptr(GBytes) file = make_bytes (program->data[i], i + 1);

      bytes += g_bytes_get_size (file);
      sources[i] = open_file (program->data[i], file);
    }
  array = program->build (sources);
  limits_test (backend, program->name, array, bytes, 0, program->decides);
  limits_test (backend, program->name, array, bytes, FIVE_SINKS, program->decides);
  limits_test_refusals (backend, program->name, array, bytes, may_be_near (program));
  limits_test_refusals (backend, program->name, array, 6 * bytes, may_be_near (program));
  for (guint i = 0; i < MAX_SOURCES; i++)
    g_clear_object (&sources[i]);
}

static void
test_covered (void)
{
  for (guint op = 0; op < ACC_N_OPERATIONS; op++)
    {
      gboolean is_apart = FALSE;

      for (guint i = 0; i < G_N_ELEMENTS (apart); i++)
        is_apart |= apart[i].op == op;
      if (covered[op] == is_apart)
        g_test_fail_printf ("%s: %s", acc_operation_get_info ((AccOperation) op)->name, is_apart ? "has a program" : "has no program");
    }
}

/* --- memory of processes */

static char *folder;

static AccArray *
dup_contents (const MemoryFile *file, AccArray *array)
{
  return file->code == lengths.code ? acc_array_map (array, is_some, NULL) : g_object_ref (array);
}

static void
test_memory (gconstpointer data)
{
  const Program *program = data;

  memory_test (backend, program->name, program->data, MAX_SOURCES, dup_contents, folder, program->share == MORE);
}

/* From one program that runs to the next. */
static guint
count_steps (void)
{
  const char *given = g_getenv ("ACC_TEST_EVERY");

  return given != NULL && atoi (given) > 0 ? (guint) atoi (given) : 1;
}

static int
run_child (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    if (strcmp (programs[i].name, name) == 0)
      return memory_run_child (programs[i].build, programs[i].data, MAX_SOURCES, folder);

  return 1;
}

int
main (int argc, char **argv)
{
  gboolean measures = ROWS > 2000, limits = ROWS < 2000;
  g_auto(GStrv) names = NULL;
  g_autoptr(GError) error = NULL;
  int status;

  if (argc == 4 && strcmp (argv[1], "--child") == 0)
    {
      folder = argv[3];
      return run_child (argv[2]);
    }

  g_test_init (&argc, &argv, NULL);
  names = test_dup_backend_names ("native");
  is_judged = g_str_equal (names[0], "native");
  backend = acc_backend_new_for_name (names[0], &error);
  if (backend == NULL && g_getenv ("ACC_TEST_OPTIONAL") != NULL && g_error_matches (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED))
    {
      g_print ("1..0 # SKIP %s\n", error->message);
      return 0;
    }
  g_assert_no_error (error);
  folder = measures ? g_strdup ("/var/tmp/acc-memory-XXXXXX") : NULL;
  g_assert_true (folder == NULL || g_mkdtemp (folder) != NULL);

  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *path = g_strdup_printf ("/stream/%s/%s", measures ? "memory" : limits ? "limits" : "operations", programs[i].name);

      /* Graphs of transforms keep tables. */
      if ((!is_judged && programs[i].near) || i % count_steps () != 0)
        continue;
      g_test_add_data_func (path, &programs[i], measures ? test_memory : limits ? test_limits : test_program);
    }
  if (!measures && !limits)
    g_test_add_func ("/stream/operations/wide-plan", test_wide_plan);
  if (!measures && !limits && is_judged && count_steps () == 1)
    g_test_add_func ("/stream/operations/all", test_covered);

  status = g_test_run ();
  if (folder != NULL)
    remove_tree (folder);
  g_free (folder);

  return status;
}
