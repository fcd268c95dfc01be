/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sorts of short rows of a source: each row as it comes, with the bytes of memory, and nothing is stored between. */
#include "stream-files.h"

#include "acc-core/backend/acc-backend-private.h"

/* Not a multiple of what is sorted side by side, and many chunks within: */
#define ROWS  20003
#define LIMIT 600000

static AccExpr *low_bits (AccExpr *x, gpointer data) { return acc_expr_band (x, acc_expr_new_int (15)); }
static AccExpr *third_of (AccExpr *x, gpointer data) { return acc_expr_fdiv (x, acc_expr_new_float (3)); }

static AccArray *as_given (AccArray *a) { return g_object_ref (a); }

/* Many are equal. */
static AccArray *
few (AccArray *a)
{
  g_autoptr(AccArray) bits = acc_array_map (a, low_bits, NULL);

  return acc_array_cast (bits, acc_element_type_new (ACC_KIND_U8));
}

static AccArray *
thirds (AccArray *a)
{
  g_autoptr(AccArray) wide = acc_array_cast (a, acc_element_type_new (ACC_KIND_F64));

  return acc_array_map (wide, third_of, NULL);
}

/* Of each kind of keys: integers that are their own, those that are not, floats, and elements that are more than their key. */
static guint
build (AccArray *array, gpointer data, AccArray **results)
{
  AccArray *(*make) (AccArray *) = data;
  g_autoptr(AccArray) elements = make (array), by = few (array);

  results[0] = acc_array_sort (elements, FALSE);
  results[1] = acc_array_argsort (elements, TRUE);
  results[2] = acc_array_sort_pairs (elements, by, FALSE, NULL);
  results[3] = acc_array_sort_by_key (array, TRUE, low_bits, NULL);

  return 4;
}

static void
check (TestPair *self, const gint64 *extents, guint rank, gpointer make)
{
  g_autoptr(AccArray) array = test_pair_new_array (self, extents, rank);
  g_autoptr(GPtrArray) sinks = g_ptr_array_new_with_free_func (g_object_unref), expected = NULL;
  int n_reads = 0;

  expected = test_pair_write (self, array, LIMIT, build, make, sinks, &n_reads);
  for (guint i = 0; i < expected->len; i++)
    test_sink_assert_same (g_ptr_array_index (sinks, i), g_ptr_array_index (expected, i));
  g_assert_cmpint (n_reads, ==, 1);
}

static void
test_rows (TestPair *self, gconstpointer name)
{
  static gpointer makes[] = { as_given, few, thirds };
  static const gint64 widths[] = { 1, 2, 3, 7, 16, 17, 32 };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    check (self, (gint64[]) { ROWS, widths[i] }, 2, makes[i % G_N_ELEMENTS (makes)]);
  check (self, (gint64[]) { 5, 3 }, 2, thirds);
  check (self, (gint64[]) { 2003, 5, 9 }, 3, thirds);
}

/* What is read is the source, what is written the result. */
static void
test_traffic (TestPair *self, gconstpointer name)
{
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { ROWS, 3 }, 2, 1);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source)), sorted = acc_array_sort (array, FALSE);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccPlan) plan = NULL;

  acc_backend_set_memory_limit (self->backend, self->before + 200000);
  plan = acc_backend_plan (self->backend, sorted, NULL, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (acc_plan_get_read_bytes (plan), ==, ROWS * 3 * 4);
  g_assert_cmpuint (acc_plan_get_written_bytes (plan), ==, ROWS * 3 * 4);
  g_assert_cmpint (acc_plan_get_n_chunks (plan), >, 1);
  acc_backend_set_memory_limit (self->backend, 0);
}

int
main (int argc, char **argv)
{
  static const TestPairCase cases[] = { { "rows", test_rows }, { "traffic", test_traffic } };
  g_auto(GStrv) names = test_dup_backend_names ("native,interpreter");

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; names[i] != NULL; i++)
    test_pair_add ("short-rows", names[i], cases, G_N_ELEMENTS (cases));

  return g_test_run ();
}
