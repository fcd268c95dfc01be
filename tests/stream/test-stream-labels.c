/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Connected components of sources larger than the memory limit: the labels of memory, for every rank, connectivity and relation, however
 * the rows are cut. */
#include "stream-files.h"

#include <string.h>

/* --- what is labelled */

typedef gint (*Pattern) (guint64 place, const gint64 *extents, GRand *rand);

static gint noise (guint64 place, const gint64 *extents, GRand *rand) { return g_rand_int_range (rand, 0, 3); }
static gint sparse (guint64 place, const gint64 *extents, GRand *rand) { return g_rand_int_range (rand, 0, 8) == 0; }
static gint full (guint64 place, const gint64 *extents, GRand *rand) { return 1; }
static gint empty (guint64 place, const gint64 *extents, GRand *rand) { return 0; }

/* Each element is a run, and none is connected by sides. */
static gint
board (guint64 place, const gint64 *extents, GRand *rand)
{
  return (gint) ((place / (guint64) extents[1] + place % (guint64) extents[1]) % 2);
}

/* One line up and down the whole height, or from side to side. */
static gint
snake (guint64 place, const gint64 *extents, GRand *rand)
{
  gint64 row = (gint64) (place / (guint64) extents[1]), column = (gint64) (place % (guint64) extents[1]);

  return column % 2 == 0 || row == (column % 4 == 1 ? extents[0] - 1 : 0);
}

/* Teeth that only the last row joins. */
static gint
comb (guint64 place, const gint64 *extents, GRand *rand)
{
  return place % 2 == 0 || place / (guint64) extents[1] == (guint64) extents[0] - 1;
}

static AccArray *
make (const char *code, const gint64 *extents, guint rank, Pattern pattern, guint32 seed)
{
  AccElementType *type = acc_element_type_parse (code, NULL);
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  gsize n = (gsize) acc_shape_get_size (shape), width = acc_element_type_get_size (type);
  g_autofree guint8 *data = g_malloc0 (MAX (n * width, 1));
  g_autoptr(GBytes) bytes = NULL;

  for (gsize i = 0; i < n; i++)
    data[i * width] = (guint8) pattern (i, extents, rand);
  bytes = g_bytes_new_take (g_steal_pointer (&data), n * width);

  return acc_array_use (type, shape, bytes);
}

/* --- what is checked */

/* From a source within @limit; compares with memory. */
static void
check (TestPair *f, AccArray *array, guint64 limit, TestBuildFunc build, gpointer data, const char *what)
{
  g_autoptr(GPtrArray) sinks = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) expected = test_pair_write (f, array, limit, build, data, sinks, NULL);

  for (guint i = 0; i < expected->len; i++)
    {
      test_sink_assert_ended (g_ptr_array_index (sinks, i), TRUE);
      g_test_message ("%s", what);
      test_sink_assert_same (g_ptr_array_index (sinks, i), g_ptr_array_index (expected, i));
    }
}

static guint
label (AccArray *array, gpointer connectivity, AccArray **results)
{
  results[0] = acc_array_label_components (array, GPOINTER_TO_UINT (connectivity), &results[1]);

  return 2;
}

static AccExpr *
is_near (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_le (acc_expr_abs (acc_expr_sub (x, y)), acc_expr_new_int (1));
}

static AccExpr *
is_odd (AccExpr *x, gpointer data)
{
  return acc_expr_ne (acc_expr_rem (x, acc_expr_new_int (3)), acc_expr_new_int (0));
}

static guint
label_by (AccArray *array, gpointer connectivity, AccArray **results)
{
  g_autoptr(AccArray) mask = acc_array_map (array, is_odd, NULL);

  results[0] = acc_array_label_components_by (array, mask, GPOINTER_TO_UINT (connectivity), is_near, NULL, &results[1]);
  results[2] = acc_array_label_components_by (array, NULL, 1, is_near, NULL, NULL);

  return 3;
}

/* Ranks 1 to 4, all connectivities, within a limit that whole labels do not fit in. */
static void
test_ranks (TestPair *f, gconstpointer name)
{
  static const struct { guint rank; gint64 extents[4]; } shapes[] = {
    { 1, { 300000 } }, { 2, { 700, 400 } }, { 3, { 90, 50, 60 } }, { 4, { 30, 12, 20, 30 } }, { 3, { 270000, 1, 1 } },
  };

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      g_autoptr(AccArray) bytes = make ("u1", shapes[s].extents, shapes[s].rank, noise, s);
      g_autoptr(AccArray) numbers = make ("i2", shapes[s].extents, shapes[s].rank, noise, s + 10);

      for (guint c = 1; c <= shapes[s].rank; c++)
        {
          g_autofree char *what = g_strdup_printf ("rank %u, connectivity %u", shapes[s].rank, c);

          check (f, bytes, 1100000, label, GUINT_TO_POINTER (c), what);
          check (f, numbers, 1500000, label_by, GUINT_TO_POINTER (c), what);
        }
    }
}

/* What joins late, what never does, and nothing. */
static void
test_patterns (TestPair *f, gconstpointer name)
{
  static const Pattern patterns[] = { noise, sparse, full, empty, board, snake, comb };
  static const gint64 extents[][2] = { { 640, 501 }, { 3000, 77 }, { 20, 9001 } };

  for (guint p = 0; p < G_N_ELEMENTS (patterns); p++)
    for (guint e = 0; e < G_N_ELEMENTS (extents); e++)
      {
        g_autoptr(AccArray) array = make ("b1", extents[e], 2, patterns[p], p);
        g_autofree char *what = g_strdup_printf ("pattern %u of %" G_GINT64_FORMAT " rows", p, extents[e][0]);

        for (guint c = 1; c <= 2; c++)
          if (patterns[p] != noise)
            check (f, array, 1200000, label, GUINT_TO_POINTER (c), what);
      }
}

/* Files that fit, and empty ones. */
static void
test_small (TestPair *f, gconstpointer name)
{
  static const gint64 extents[][2] = { { 0, 5 }, { 5, 0 }, { 1, 1 }, { 1, 40 }, { 40, 1 }, { 64, 64 } };

  for (guint e = 0; e < G_N_ELEMENTS (extents); e++)
    {
      g_autoptr(AccArray) array = make ("u1", extents[e], 2, noise, e);

      check (f, array, 0, label, GUINT_TO_POINTER (2), "small, without a limit");
      check (f, array, 1200000, label, GUINT_TO_POINTER (1), "small");
    }
}

static guint
build_regions (AccArray *array, gpointer which, AccArray **results)
{
  gint64 seed[] = { 0, 0 };
  g_autoptr(AccArray) inside = acc_array_map (array, is_odd, NULL);

  switch (GPOINTER_TO_UINT (which))
    {
    case 0:
      results[0] = acc_array_flood (array, seed, 2, 1);
      break;
    case 1:
      results[0] = acc_array_remove_small_objects (array, 12, 2);
      break;
    case 2:
      results[0] = acc_array_remove_small_holes (inside, 5, 1);
      break;
    default:
      results[0] = acc_array_fill_holes (inside, 1);
      break;
    }

  return 1;
}

static void
test_regions (TestPair *f, gconstpointer name)
{
  static const char *names[] = { "flood", "remove_small_objects", "remove_small_holes", "fill_holes" };
  g_autoptr(AccArray) array = make ("i4", (gint64[]) { 900, 500 }, 2, noise, 5);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    check (f, array, 1600000, build_regions, GUINT_TO_POINTER (i), names[i]);
}

static guint
measure_distances (AccArray *array, gpointer data, AccArray **results)
{
  results[0] = acc_array_distance_transform_squared (array);
  results[1] = acc_array_distance_transform (array);

  return 2;
}

static gint far (guint64 place, const gint64 *extents, GRand *rand) { return g_rand_int_range (rand, 0, 60000) != 0; }
static gint near (guint64 place, const gint64 *extents, GRand *rand) { return g_rand_int_range (rand, 0, 5) != 0; }

/* Exact squares, whatever the rank and however far; where there is no 0 they are the same as in memory, too. */
static void
test_distances (TestPair *f, gconstpointer name)
{
  static const struct { guint rank; gint64 extents[4]; } shapes[] = {
    { 1, { 200000 } }, { 2, { 500, 300 } }, { 2, { 3, 40000 } }, { 2, { 40000, 3 } }, { 3, { 60, 40, 50 } }, { 4, { 20, 12, 20, 30 } },
  };
  static const Pattern patterns[] = { near, far, sparse, full, empty };

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (guint p = 0; p < G_N_ELEMENTS (patterns); p++)
      {
        g_autoptr(AccArray) array = make ("u1", shapes[s].extents, shapes[s].rank, patterns[p], s);
        g_autofree char *what = g_strdup_printf ("shape %u, pattern %u", s, p);

        check (f, array, 2600000, measure_distances, NULL, what);
      }
}

/* A twentieth of the data, and of what one row takes: rows are cut. */
static void
test_little (TestPair *f, gconstpointer name)
{
  static const struct { guint rank; gint64 extents[3]; guint64 limit; } shapes[] = {
    { 2, { 2500, 2000 }, 250000 }, { 2, { 3, 2000000 }, 300000 }, { 3, { 4, 1000, 1200 }, 300000 },
  };
  static const Pattern patterns[] = { sparse, far };

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (guint p = 0; p < G_N_ELEMENTS (patterns); p++)
      {
        g_autoptr(AccArray) array = make ("u1", shapes[s].extents, shapes[s].rank, patterns[p], s);
        g_autofree char *what = g_strdup_printf ("little memory, shape %u, pattern %u", s, p);

        check (f, array, shapes[s].limit, label, GUINT_TO_POINTER (1), what);
        check (f, array, shapes[s].limit, measure_distances, NULL, what);
      }
}

/* The plan says how, labels and their number are found by one walk, and the limit holds. */
static void
test_plan (TestPair *f, gconstpointer name)
{
  g_autoptr(AccArray) array = make ("u1", (gint64[]) { 1000, 500 }, 2, sparse, 5), labels = NULL, n_labels = NULL, from_source = NULL;
  g_autoptr(TestSource) source = test_source_new_for_array (array);
  g_autoptr(TestSink) sink = test_sink_new (), other = test_sink_new ();
  g_autoptr(AccPlan) plan = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;

  from_source = acc_array_new_from_source (ACC_SOURCE (source));
  labels = acc_array_label_components (from_source, 2, &n_labels);
  acc_backend_set_memory_limit (f->backend, f->before + 1200000);
  plan = acc_backend_plan (f->backend, labels, ACC_SINK (sink), 0, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, "runs that are joined as they come"));

  acc_backend_write_many (f->backend, (AccArray *[]) { labels, n_labels }, 2, (AccSink *[]) { ACC_SINK (sink), ACC_SINK (other) }, 2, NULL,
                          &error);
  g_assert_no_error (error);
  g_assert_cmpint (source->n_started, ==, 1);
  acc_backend_set_memory_limit (f->backend, 0);
}

/* Whatever fails leaves nothing. */
static void
test_failures (TestPair *f, gconstpointer name)
{
  g_autoptr(AccArray) array = make ("u1", (gint64[]) { 1000, 500 }, 2, noise, 5), labels = NULL, from_source = NULL;
  g_autoptr(TestSource) source = test_source_new_for_array (array);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();

  from_source = acc_array_new_from_source (ACC_SOURCE (source));
  labels = acc_array_label_components (from_source, 2, NULL);
  acc_backend_set_memory_limit (f->backend, f->before + 1200000);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr(TestSink) sink = test_sink_new ();
      g_autoptr(GError) error = NULL;

      source->fail_row = i == 0 ? 700 : -1;
      source->cancels = i == 1 ? cancellable : NULL;
      source->cancel_row = 700;
      acc_backend_set_temporary_quota (f->backend, i == 2 ? 100000 : 0);
      g_assert_false (acc_backend_write (f->backend, labels, ACC_SINK (sink), cancellable, &error));
      g_assert_nonnull (error);
      g_test_message ("%s", error->message);
      g_assert_cmpint (sink->n_committed, ==, 0);
      g_assert_cmpuint (acc_backend_get_temporary_used (f->backend), ==, 0);
      g_cancellable_reset (cancellable);
    }
  acc_backend_set_temporary_quota (f->backend, 0);
  acc_backend_set_memory_limit (f->backend, 0);
}

static const TestPairCase cases[] = {
  { "ranks", test_ranks }, { "patterns", test_patterns }, { "small", test_small }, { "regions", test_regions },
  { "distances", test_distances }, { "little", test_little }, { "plan", test_plan }, { "failures", test_failures },
};

static void
add_tests (const char *name, AccBackend *backend)
{
  test_pair_add ("labels", name, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_add_backends ("native", add_tests);

  return g_test_run ();
}
