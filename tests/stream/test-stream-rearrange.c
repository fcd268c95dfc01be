/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elements of what does not fit in memory in another order: the bytes that there are in memory, sources read once. */
#include "stream-files.h"
#include "stream-flow.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"

#include <string.h>

static AccExpr *
narrow (AccExpr *x, gpointer data)
{
  return acc_expr_tuple3 (x, acc_expr_cast (acc_expr_band (x, acc_expr_new_int (255)), acc_element_type_new (ACC_KIND_U8)),
                          acc_expr_cast (x, acc_element_type_new (ACC_KIND_F64)));
}

static AccExpr *bytes_of (AccExpr *x, gpointer data) { return acc_expr_cast (x, acc_element_type_new (ACC_KIND_U8)); }
static AccExpr *halves_of (AccExpr *x, gpointer data) { return acc_expr_cast (x, acc_element_type_new (ACC_KIND_I16)); }
static AccExpr *wide_of (AccExpr *x, gpointer data) { return acc_expr_cast (x, acc_element_type_new (ACC_KIND_F64)); }

static AccExpr *
complex_of (AccExpr *x, gpointer data)
{
  AccExpr *re = acc_expr_cast (x, acc_element_type_new (ACC_KIND_F64));

  return acc_expr_complex (re, re);
}

/* --- dimensions in another order */

typedef struct {
  gint64 extents[4];
  guint  rank;
  int    first, second;     /* which change places */
  guint  n_passes;
} Turn;

static const Turn turns[] = {
  { { 301, 257 }, 2, 0, 1, 1 },       { { 1, 70000 }, 2, 0, 1, 1 },       { { 70000, 1 }, 2, 0, 1, 1 },     { { 3, 30011 }, 2, 0, 1, 1 },
  { { 30011, 3 }, 2, 0, 1, 1 },       { { 41, 43, 47 }, 3, 0, 1, 1 },     { { 41, 43, 47 }, 3, 1, 2, 1 },   { { 41, 43, 47 }, 3, 0, 2, 2 },
  { { 11, 13, 17, 19 }, 4, 0, 3, 2 }, { { 11, 13, 17, 19 }, 4, 1, 2, 1 }, { { 11, 13, 17, 19 }, 4, 1, 3, 2 },
};

static AccExpr *(*const elements[]) (AccExpr *x, gpointer data) = { NULL, narrow, bytes_of, halves_of, wide_of, complex_of };

typedef struct {
  const Turn *turn;
  guint       element;
} Build;

static guint
build_turn (AccArray *array, gpointer data, AccArray **results)
{
  const Build *build = data;
  g_autoptr(AccArray) mapped = elements[build->element] != NULL ? acc_array_map (array, elements[build->element], NULL)
                                                                : g_object_ref (array);

  results[0] = acc_array_transpose_on (mapped, build->turn->first, build->turn->second);

  return 1;
}

static void
check (TestPair *f, AccArray *array, guint64 limit, TestBuildFunc build, gpointer data, int most_reads)
{
  g_autoptr(GPtrArray) sinks = g_ptr_array_new_with_free_func (g_object_unref), expected = NULL;
  int n_reads;

  expected = test_pair_write (f, array, limit, build, data, sinks, &n_reads);
  for (guint i = 0; i < sinks->len; i++)
    {
      test_sink_assert_ended (g_ptr_array_index (sinks, i), TRUE);
      test_sink_assert_same (g_ptr_array_index (sinks, i), g_ptr_array_index (expected, i));
    }
  g_assert_cmpint (n_reads, >=, 1);
  g_assert_cmpint (n_reads, <=, most_reads);
}

static guint64
find_least (TestPair *f, const Build *build)
{
  g_autoptr(TestSource) source = test_source_new ("i4", build->turn->extents, build->turn->rank, 3);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));
  g_autoptr(TestSink) sink = test_sink_new ();
  AccArray *result;
  g_autoptr(GError) error = NULL;
  const char *needs;
  guint64 least = 0;

  build_turn (array, (gpointer) build, &result);
  if (!test_write_within (f->backend, result, sink, 8192, &error))
    {
      g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      needs = strstr (error->message, " needs ");
      g_assert_nonnull (needs);
      least = g_ascii_strtoull (needs + strlen (" needs "), NULL, 10);
    }
  g_object_unref (result);
  g_assert_cmpint (source->n_started, ==, 0);

  /* The interpreter keeps more of rows, and so do devices. */
  return strcmp (acc_backend_get_name (f->backend), "native") == 0 ? least : least * 2;
}

static void
test_turns (TestPair *f, gconstpointer name)
{
  gboolean is_device = acc_backend_get_budget (f->backend) != acc_backend_get_host_budget (f->backend);

  for (guint t = 0; t < G_N_ELEMENTS (turns); t++)
    {
      g_autoptr(AccArray) array = test_pair_new_array (f, turns[t].extents, turns[t].rank);
      guint64 elements_of = (guint64) acc_shape_get_size (acc_array_get_shape (array));

      for (guint e = 0; e < G_N_ELEMENTS (elements); e++)
        {
          static const guint sizes[] = { 4, 13, 1, 2, 8, 16 };
          Build build = { &turns[t], e };
          guint64 least, bytes = elements_of * sizes[e];

          /* Devices compile for long. */
          if ((e > 1 && t % 4 != 0) || (is_device && (t + e) % 3 != 0))
            continue;
          least = find_least (f, &build);
          g_test_message ("%u: element %u, least %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, t, e, least, bytes);
          check (f, array, MAX (bytes * 3 / 4, least), build_turn, &build, 2);
          check (f, array, MAX (bytes / 4, least), build_turn, &build, 2);
          check (f, array, MAX (bytes / 20, least), build_turn, &build, 2);
        }
    }
}

/* What comes after, and twice; a transposition of a transposition has the rows of the first. */
static guint
build_twice (AccArray *array, gpointer data, AccArray **results)
{
  g_autoptr(AccArray) turned = acc_array_transpose (array), mapped = acc_array_map (turned, flow_affine, NULL);

  results[0] = acc_array_sum (turned);
  results[1] = acc_array_transpose (mapped);
  results[2] = acc_array_reverse_on (mapped, 0);

  return 3;
}

static void
test_chains (TestPair *f, gconstpointer name)
{
  g_autoptr(AccArray) array = test_pair_new_array (f, (gint64[]) { 500, 701 }, 2);

  check (f, array, 600000, build_twice, NULL, 3);
}

/* Elements of what is stored, where an array in memory says. */
static guint
build_gather (AccArray *array, gpointer indices, AccArray **results)
{
  results[0] = acc_array_gather (array, indices);

  return 1;
}

static AccArray *
use_places (const gint64 *places, gsize n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector ((gint64) n);
  g_autoptr(GBytes) bytes = g_bytes_new (places, n * sizeof *places);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static void
test_gather (TestPair *f, gconstpointer name)
{
  g_autoptr(AccArray) array = test_pair_new_array (f, (gint64[]) { 500, 701 }, 2), indices = NULL, source_array = NULL, outside = NULL;
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { 500, 701 }, 2, 3);
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;
  gint64 places[500];

  for (gint64 i = 0; i < 500; i++)
    places[i] = i * i * 7919 % (500 * 701);
  indices = use_places (places, 500);
  check (f, array, 600000, build_gather, indices, 1);

  places[499] = 500 * 701;
  g_clear_object (&indices);
  indices = use_places (places, 500);
  source_array = acc_array_new_from_source (ACC_SOURCE (source));
  outside = acc_array_gather (source_array, indices);
  g_assert_false (test_write_within (f->backend, outside, sink, 600000, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
}

static void
check_passes (TestPair *f, AccArray *result, guint64 limit, guint n)
{
  g_autoptr(AccPlan) plan = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL, *passes = g_strdup_printf ("written %u times and read %u times", n, n);

  acc_backend_set_memory_limit (f->backend, f->before + limit);
  plan = acc_backend_plan (f->backend, result, NULL, 0, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, passes));
}

/* Bands of rows, or tiles of what is stored first, where rows are too long for bands. */
static void
test_plan (TestPair *f, gconstpointer name)
{
  guint n_planned[2] = { 0, 0 };

  for (guint t = 0; t < G_N_ELEMENTS (turns); t++)
    {
      g_autoptr(TestSource) source = test_source_new ("i4", turns[t].extents, turns[t].rank, 3);
      g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));
      Build build = { &turns[t], 0 };
      guint64 least = find_least (f, &build), bytes = 4 * (guint64) acc_shape_get_size (acc_array_get_shape (array));
      gint64 longest = turns[t].extents[turns[t].rank - 1] * turns[t].extents[turns[t].rank - 2];
      AccArray *result;

      /* There is room for the source, or rows whose elements change places come one by one. */
      if (turns[t].first > 0 || least + 1000 >= 2 * bytes)
        continue;
      build_turn (array, &build, &result);
      if (g_str_equal (acc_backend_get_name (f->backend), "native"))
        check_passes (f, result, least + 1000, turns[t].n_passes + 1);
      if (turns[t].rank > 2 && 6 * 4 * (guint64) longest + 50000 < bytes)
        {
          n_planned[turns[t].n_passes - 1]++;
          check_passes (f, result, bytes, turns[t].n_passes);
        }
      g_object_unref (result);
    }
  g_assert_cmpuint (n_planned[0], >, 0);
  g_assert_cmpuint (n_planned[1], >, 0);
}

/* Read by index, and made of stores: of one, of others that are read so, too. */
static guint
build_joined (AccArray *array, gpointer backend_name, AccArray **results)
{
  g_autoptr(AccArray) reversed = acc_array_reverse_on (array, 0), joined = acc_array_concat_on (array, reversed, 0);
  g_autoptr(AccArray) turned = acc_array_reverse_on (joined, 0);

  results[0] = acc_array_concat_on (reversed, array, 0);
  results[1] = acc_array_concat_on (turned, joined, 0);
  if (!g_str_equal (backend_name, "interpreter"))
    return 2;

  /* It needs all of what is read in another order there. */
  g_object_unref (results[1]);

  return 1;
}

static void
test_joined (TestPair *f, gconstpointer name)
{
  g_autoptr(AccArray) array = test_pair_new_array (f, (gint64[]) { 1200, 256 }, 2);

  for (guint divisor = 1; divisor <= 8; divisor *= 2)
    check (f, array, 1200 * 256 * 4 / divisor, build_joined, (gpointer) name, 1);
}

/* --- some rows */

#define ROWS    1200
#define COLUMNS 256

static AccArray *
part (AccArray *array, gint64 first, gint64 n)
{
  g_autoptr(AccArray) rest = acc_array_drop_on (array, 0, acc_expr_new_int (first));

  return acc_array_take_on (rest, 0, acc_expr_new_int (n));
}

static AccExpr *
third (AccExpr *i, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (acc_expr_mul (acc_expr_item (i, 0), acc_expr_new_int (3)), acc_expr_new_int (5)),
                          acc_expr_item (i, 1));
}

/* So far from each other that none between is read. */
static AccExpr *
thirtieth (AccExpr *i, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (acc_expr_mul (acc_expr_item (i, 0), acc_expr_new_int (30)), acc_expr_new_int (5)),
                          acc_expr_item (i, 1));
}

static AccExpr *
third_from_end (AccExpr *i, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_sub (acc_expr_new_int (ROWS - 1), acc_expr_mul (acc_expr_item (i, 0), acc_expr_new_int (3))),
                          acc_expr_item (i, 1));
}

static AccExpr *
diagonal (AccExpr *i, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (acc_expr_item (i, 0), acc_expr_new_int (700)), acc_expr_item (i, 0));
}

static AccArray *
permuted (AccArray *array, gint64 n_rows, gint64 n_columns, AccExprFunc place)
{
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { n_rows, n_columns }, 2);

  return acc_array_backpermute (array, shape, place, NULL);
}

static AccArray *
thirds (AccArray *array)
{
  return permuted (array, 300, COLUMNS, third);
}

static AccArray *
thirtieths (AccArray *array)
{
  return permuted (array, 39, COLUMNS, thirtieth);
}

static AccArray *
thirds_from_end (AccArray *array)
{
  return permuted (array, 399, COLUMNS, third_from_end);
}

static AccArray *dropped (AccArray *array) { return acc_array_drop_on (array, 0, acc_expr_new_int (700)); }
static AccArray *taken (AccArray *array) { return acc_array_take_on (array, 0, acc_expr_new_int (450)); }
static AccArray *rest (AccArray *array) { return acc_array_drop_last_on (array, 0, acc_expr_new_int (30)); }
static AccArray *one (AccArray *array) { return acc_array_slice (array, (gint64[]) { 811, ACC_ALL }, 2); }
static AccArray *backwards (AccArray *array) { return acc_array_reverse_on (array, 0); }

static AccArray *
cropped (AccArray *array)
{
  g_autoptr(AccArray) rows = part (array, 300, 600), columns = acc_array_drop (rows, 17);

  return acc_array_take (columns, 100);
}

static AccArray *
mapped_before (AccArray *array)
{
  g_autoptr(AccArray) mapped = acc_array_map (array, flow_affine, NULL), both = acc_array_zip_with (mapped, array, flow_mix, NULL);

  return part (both, 801, 398);
}

static AccArray *
summed (AccArray *array)
{
  g_autoptr(AccArray) rows = part (array, 100, 1000);

  return acc_array_sum (rows);
}

static AccArray *
differences (AccArray *array)
{
  g_autoptr(AccArray) after = acc_array_tail_on (array, 0), before = acc_array_drop_last_on (array, 0, acc_expr_new_int (1));

  return acc_array_sub (after, before);
}

/* All rows are read besides; and too far away from each other. */
static AccArray *
with_all (AccArray *array)
{
  g_autoptr(AccArray) after = acc_array_drop_on (array, 0, acc_expr_new_int (2));

  return acc_array_zip_with (after, array, flow_mix, NULL);
}

static AccArray *
far_apart (AccArray *array)
{
  g_autoptr(AccArray) after = acc_array_drop_on (array, 0, acc_expr_new_int (600));

  return acc_array_zip_with (after, array, flow_mix, NULL);
}

static const struct {
  const char *name;
  AccArray *(*build) (AccArray *array);
  guint64     n_rows;       /* that are wanted, and none is stored; 0: something is */
  int         step;
} windows[] = {
  { "drop", dropped, 500, 1 },    { "take", taken, 450, 1 },           { "but the last", rest, 1170, 1 }, { "crop", cropped, 600, 1 },
  { "thirds", thirds, 300, 3 },   { "mapped before", mapped_before, 398, 1 }, { "sums", summed, 1000, 1 },
  { "differences", differences, 1200, 1 }, { "with all", with_all, 1200, 1 }, { "far apart", far_apart, 0, 1 }, { "one", one, 1, 1 },
  { "backwards", backwards, 1200, -1 }, { "thirtieths", thirtieths, 39, 30 }, { "thirds from the end", thirds_from_end, 399, -3 },
};

static guint
build_window (AccArray *array, gpointer data, AccArray **results)
{
  results[0] = windows[GPOINTER_TO_UINT (data)].build (array);

  return 1;
}

/* What a plan says is what is read: by a tape all rows up to the last one, by a file those between where they are near. */
static void
check_read (TestPair *f, guint i, AccPlan *plan)
{
  guint64 row = COLUMNS * 4, near = 16384, step = (guint64) ABS (windows[i].step);
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { ROWS, COLUMNS }, 2, 3);
  g_autoptr(AccArray) tape = acc_array_new_from_source (ACC_SOURCE (source)), result = windows[i].build (tape);
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(AccPlan) of_tape = NULL;
  g_autoptr(GError) error = NULL;

  g_assert_cmpuint (acc_plan_get_read_bytes (plan), ==, (windows[i].n_rows - 1) * MIN (MAX (row, near), row * step) + row);
  if (windows[i].step < 0)
    return;

  of_tape = acc_backend_plan (f->backend, result, ACC_SINK (sink), 0, &error);
  g_assert_no_error (error);
  g_assert_true (test_write_within (f->backend, result, sink, ROWS * COLUMNS, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (acc_plan_get_read_bytes (of_tape), ==, (guint64) source->n_read * row);
}

/* Of a source that cannot go back, and of a file that can: as few rows are read as there can be, and none is stored. */
static void
test_windows (TestPair *f, gconstpointer name)
{
  g_autoptr(AccArray) array = test_pair_new_array (f, (gint64[]) { ROWS, COLUMNS }, 2);
  g_autoptr(GBytes) bytes = test_file_new (f->roomy, array, "npy");

  for (guint i = 0; i < G_N_ELEMENTS (windows); i++)
    {
      g_autoptr(AccSource) source = test_file_open (bytes, "npy", NULL, NULL);
      g_autoptr(AccArray) file = acc_array_new_from_source (source), result = windows[i].build (file);
      g_autoptr(AccArray) wanted = windows[i].build (array), expected = NULL;
      g_autoptr(TestSink) sink = test_sink_new ();
      g_autoptr(AccPlan) plan = NULL;
      g_autoptr(GError) error = NULL;

      g_test_message ("%s", windows[i].name);
      check (f, array, ROWS * COLUMNS, build_window, GUINT_TO_POINTER (i), 1);

      expected = acc_backend_run (f->roomy, wanted, NULL, &error);
      g_assert_no_error (error);
      acc_backend_set_memory_limit (f->backend, f->before + ROWS * COLUMNS);
      plan = acc_backend_plan (f->backend, result, ACC_SINK (sink), 0, &error);
      g_assert_no_error (error);
      /* Others may have steps that read on. */
      if (windows[i].n_rows > 0 && g_str_equal (name, "native"))
        check_read (f, i, plan);
      acc_backend_set_memory_limit (f->backend, 0);
      g_assert_true (test_write_within (f->backend, result, sink, ROWS * COLUMNS, &error));
      g_assert_no_error (error);
      test_sink_assert_same (sink, expected);
    }
}

/* A row of the result is of a column, too, and rows that there are not are an error. */
static void
test_diagonal (TestPair *f, gconstpointer name)
{
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { ROWS, COLUMNS }, 2, 3);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source)), kept = NULL;
  g_autoptr(AccArray) few = permuted (array, 200, 5, diagonal), wanted = NULL, expected = NULL;
  g_autoptr(AccArray) many = permuted (array, 501, 5, diagonal);
  g_autoptr(TestSink) sink = test_sink_new (), other = test_sink_new ();
  g_autoptr(GError) error = NULL;

  kept = acc_backend_run (f->roomy, array, NULL, &error);
  g_assert_no_error (error);
  wanted = permuted (kept, 200, 5, diagonal);
  expected = acc_backend_run (f->roomy, wanted, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (test_write_within (f->backend, few, sink, ROWS * COLUMNS, &error));
  g_assert_no_error (error);
  test_sink_assert_same (sink, expected);

  g_assert_false (test_write_within (f->backend, many, other, ROWS * COLUMNS, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
}

static const TestPairCase cases[] = {
  { "turns", test_turns }, { "chains", test_chains }, { "gather", test_gather }, { "plan", test_plan },
  { "joined", test_joined }, { "windows", test_windows }, { "diagonal", test_diagonal },
};

static void
add_backend (const char *name, AccBackend *backend)
{
  test_pair_add ("rearrange", name, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_add_backends ("native,interpreter", add_backend);

  return g_test_run ();
}
