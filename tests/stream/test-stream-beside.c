/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reductions beside what has to be stored: the walk for the store takes them along, and sources are not read again for them. Nor are they
 * for several algorithms that read the same ones first. */
#include "stream-files.h"

#include <string.h>

#define N 200000

static const gint64 vector[] = { N };
static const gint64 matrix[] = { 500, 400 };

static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }

static AccArray *
less_the_most (AccArray *array)
{
  g_autoptr(AccArray) most = acc_array_maximum_all (array), same = acc_array_replicate (most, vector, 1);

  return acc_array_sub (array, same);
}

static guint
sort_and_sum (AccArray *array, gpointer data, AccArray **results)
{
  results[0] = acc_array_sort (array, FALSE);
  results[1] = acc_array_sum_all (array);

  return 2;
}

static guint
range_and_sort (AccArray *array, gpointer data, AccArray **results)
{
  g_autoptr(AccArray) least = acc_array_minimum_all (array), most = acc_array_maximum_all (array);

  results[0] = acc_array_sub (most, least);
  results[1] = acc_array_sort (array, TRUE);
  results[2] = acc_array_fold1_all (array, plus, NULL);

  return 3;
}

/* The maximum comes with the sort, and then the rest. */
static guint
scale_and_sort (AccArray *array, gpointer data, AccArray **results)
{
  results[0] = less_the_most (array);
  results[1] = acc_array_sort (array, FALSE);

  return 2;
}

/* Of one result. */
static guint
sort_less_the_least (AccArray *array, gpointer data, AccArray **results)
{
  g_autoptr(AccArray) sorted = acc_array_sort (array, FALSE), least = acc_array_minimum_all (array),
    same = acc_array_replicate (least, vector, 1);

  results[0] = acc_array_sub (sorted, same);

  return 1;
}

static guint
turn_and_sum (AccArray *array, gpointer data, AccArray **results)
{
  results[0] = acc_array_transpose (array);
  results[1] = acc_array_sum_all (array);

  return 2;
}

/* Of the sorted vector: nothing that the walk could take along. */
static guint
sort_and_sum_of_it (AccArray *array, gpointer data, AccArray **results)
{
  g_autoptr(AccArray) sums = NULL;

  results[0] = acc_array_sort (array, FALSE);
  sums = acc_array_scanl1 (results[0], plus, NULL);
  results[1] = acc_array_maximum_all (sums);

  return 2;
}

static guint
sort_both_ways (AccArray *array, gpointer data, AccArray **results)
{
  results[0] = acc_array_sort (array, FALSE);
  results[1] = acc_array_sort (array, TRUE);

  return 2;
}

static AccExpr *
scramble (AccExpr *x, gpointer data)
{
  return acc_expr_bxor (acc_expr_mul (x, acc_expr_new_int (40503)), acc_expr_new_int (77));
}

static AccExpr *
target (AccExpr *x, gpointer data)
{
  return acc_expr_cast (acc_expr_mod (x, acc_expr_new_int (N)), acc_element_type_new (ACC_KIND_I64));
}

/* Of what is computed on the way, and a sum. */
static guint
sort_two_keys_and_sum (AccArray *array, gpointer data, AccArray **results)
{
  g_autoptr(AccArray) others = acc_array_map (array, scramble, NULL);

  results[0] = acc_array_sort (array, FALSE);
  results[1] = acc_array_sort (others, FALSE);
  results[2] = acc_array_sum_all (array);

  return 3;
}

/* Sums by as many keys as there are elements. */
static AccArray *
sum_by_keys (AccArray *array)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (N);
  g_autoptr(AccArray) keys = acc_array_map (array, target, NULL),
    zeros = acc_array_fill (shape, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), 0));

  return acc_array_permute (array, zeros, keys, plus, NULL);
}

static guint
sort_and_sum_by_keys (AccArray *array, gpointer data, AccArray **results)
{
  results[0] = acc_array_sort (array, FALSE);
  results[1] = sum_by_keys (array);

  return 2;
}

/* What is made of one of them is read where it is then. */
static guint
sums_of_sorted (AccArray *array, gpointer data, AccArray **results)
{
  g_autoptr(AccArray) up = acc_array_sort (array, FALSE), down = acc_array_sort (array, TRUE);

  results[0] = acc_array_add (up, down);

  return 1;
}

static guint
turn_and_turn_others (AccArray *array, gpointer data, AccArray **results)
{
  g_autoptr(AccArray) others = acc_array_map (array, scramble, NULL);

  results[0] = acc_array_transpose (array);
  results[1] = acc_array_transpose (others);

  return 2;
}

static guint
turn_and_sort (AccArray *array, gpointer data, AccArray **results)
{
  g_autoptr(AccArray) flat = acc_array_flatten (array);

  results[0] = acc_array_transpose (array);
  results[1] = acc_array_sort (flat, FALSE);

  return 2;
}

static const struct {
  const char   *name;
  TestBuildFunc build;
  gboolean      is_matrix;
  int           n_reads;
} programs[] = {
  { "sort and sum", sort_and_sum, FALSE, 1 },     { "range and sort", range_and_sort, FALSE, 1 },
  { "scale and sort", scale_and_sort, FALSE, 2 }, { "sort less the least", sort_less_the_least, FALSE, 1 },
  { "turn and sum", turn_and_sum, TRUE, 1 },      { "sort and sum of it", sort_and_sum_of_it, FALSE, 1 },
  { "sort both ways", sort_both_ways, FALSE, 1 }, { "sort two keys and sum", sort_two_keys_and_sum, FALSE, 1 },
  { "sort and sum by keys", sort_and_sum_by_keys, FALSE, 1 }, { "sums of sorted", sums_of_sorted, FALSE, 1 },
  { "turn and turn others", turn_and_turn_others, TRUE, 1 },  { "turn and sort", turn_and_sort, TRUE, 1 },
};

/* Within a limit that all of it does not fit in, and within one that it does. */
static void
test_programs (TestPair *f, gconstpointer name)
{
  static const guint64 limits[] = { 300000, 0 };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (programs); i++)
    {
      guint p = i / 2;
      g_autoptr(AccArray) array = test_pair_new_array (f, programs[p].is_matrix ? matrix : vector, programs[p].is_matrix ? 2 : 1);
      g_autoptr(GPtrArray) sinks = g_ptr_array_new_with_free_func (g_object_unref), expected = NULL;
      int n_reads;

      g_test_message ("%s, %" G_GUINT64_FORMAT, programs[p].name, limits[i % 2]);
      expected = test_pair_write (f, array, limits[i % 2], programs[p].build, NULL, sinks, &n_reads);
      for (guint k = 0; k < sinks->len; k++)
        test_sink_assert_same (g_ptr_array_index (sinks, k), g_ptr_array_index (expected, k));
      g_assert_cmpint (n_reads, <=, programs[p].n_reads);
    }
}

/* They count no other read, and say so. */
static void
test_plans (TestPair *f, gconstpointer name)
{
  g_autoptr(TestSource) source = test_source_new ("i4", vector, 1, 3);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source)), sorted = NULL, sum = NULL;
  g_autoptr(AccPlan) alone = NULL, both = NULL;
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  AccArray *results[2];
  AccSink *sinks[] = { NULL, NULL };

  sort_and_sum (array, NULL, results);
  sorted = results[0];
  sum = results[1];
  acc_backend_set_memory_limit (f->backend, f->before + 300000);
  alone = acc_backend_plan (f->backend, sorted, NULL, 0, &error);
  g_assert_no_error (error);
  both = acc_backend_plan_many (f->backend, results, 2, sinks, 2, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (both);
  g_test_message ("%s", text);
  g_assert_cmpuint (acc_plan_get_read_bytes (both), ==, acc_plan_get_read_bytes (alone));
  g_assert_nonnull (strstr (text, "is computed by the same walk"));
  acc_backend_set_memory_limit (f->backend, 0);
}

/* Of two that sort, what both write and read again is twice that of one, the source is not. */
static void
test_plans_of_several (TestPair *f, gconstpointer name)
{
  g_autoptr(TestSource) source = test_source_new ("i4", vector, 1, 3);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source)), up = NULL, down = NULL;
  g_autoptr(AccPlan) alone = NULL, both = NULL;
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  AccArray *results[2];
  AccSink *sinks[] = { NULL, NULL };

  sort_both_ways (array, NULL, results);
  up = results[0];
  down = results[1];
  acc_backend_set_memory_limit (f->backend, f->before + 300000);
  alone = acc_backend_plan (f->backend, up, NULL, 0, &error);
  g_assert_no_error (error);
  both = acc_backend_plan_many (f->backend, results, 2, sinks, 2, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (both);
  g_test_message ("%s", text);
  g_assert_cmpuint (acc_plan_get_read_bytes (both), ==, 2 * acc_plan_get_read_bytes (alone) - N * sizeof (gint32));
  g_assert_cmpuint (acc_plan_get_written_bytes (both), ==, 2 * acc_plan_get_written_bytes (alone));
  g_assert_nonnull (strstr (text, "in the same walk"));
  acc_backend_set_memory_limit (f->backend, 0);
}

/* A source that breaks leaves nothing; then it is read again. */
static void
test_broken (TestPair *f, gconstpointer name)
{
  g_autoptr(TestSource) source = test_source_new ("i4", vector, 1, 3);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source)), sorted = NULL, sum = NULL;
  g_autoptr(TestSink) first = test_sink_new (), second = test_sink_new ();
  AccArray *results[2];
  AccSink *sinks[] = { ACC_SINK (first), ACC_SINK (second) };
  g_autoptr(GError) error = NULL;

  sort_and_sum (array, NULL, results);
  sorted = results[0];
  sum = results[1];
  acc_backend_set_memory_limit (f->backend, f->before + 300000);
  source->fail_row = N - 7;
  g_assert_false (acc_backend_write_many (f->backend, results, 2, sinks, 2, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "bad row"));
  g_clear_error (&error);
  g_assert_cmpint (first->n_committed + second->n_committed, ==, 0);

  source->fail_row = -1;
  g_assert_true (acc_backend_write_many (f->backend, results, 2, sinks, 2, NULL, &error));
  g_assert_no_error (error);
  acc_backend_set_memory_limit (f->backend, 0);
}

static const TestPairCase cases[] = {
  { "programs", test_programs }, { "plans", test_plans }, { "plans-of-several", test_plans_of_several },
  { "broken", test_broken },
};

static void
add_tests (const char *name, AccBackend *backend)
{
  test_pair_add ("beside", name, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_add_backends ("native,interpreter", add_tests);

  return g_test_run ();
}
