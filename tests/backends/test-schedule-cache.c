/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include "acc-backends/runtime/run/acc-schedule-cache.h"

/* Which plans are found again. Kernels are not run, so there is no code of them. */

static char *
dup_target (gpointer data, GError **error)
{
  return g_strdup ("nothing");
}

static GBytes *
compile (AccKernel *kernel, guint variant, gpointer data, GError **error)
{
  return g_bytes_new_static ("", 0);
}

static void
do_nothing (const guint64 *slots, const gint64 *range, AccFailure *failure)
{
}

static AccKernelEntry
load (GBytes *code, gpointer data, GError **error)
{
  return do_nothing;
}

static AccArray *
use_numbers (const gint64 *numbers, gsize n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (numbers, n * sizeof *numbers);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

typedef struct {
  AccCode          *code;
  AccHost           host;
  AccScheduleCache *cache;
  AccArray         *bound, *result;    /* as many values as the first number that is bound says, or else the second one */
} Fixture;

static AccExpr *
next (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_new_int (1));
}

/* Of @data, where there is one. */
static AccExpr *
linear_item (AccExpr *x, gpointer data)
{
  return acc_expr_linear_index (data, x);
}

static void
set_up (Fixture *self, gconstpointer max_entries)
{
  AccCodeMaker maker = { dup_target, compile, load, NULL };
  g_autoptr(AccArray) nexts = NULL, some = NULL;

  self->host = (AccHost) { .workers = acc_workers_new (1) };
  self->host.code = acc_code_new (&maker, NULL, self->host.workers);
  self->cache = acc_schedule_cache_new (GPOINTER_TO_UINT (max_entries));
  self->bound = use_numbers ((gint64[]) { 0, 0, 0 }, 3);
  nexts = acc_array_map (self->bound, next, NULL);
  some = acc_array_take_on (nexts, 0, acc_expr_linear_index (self->bound, acc_expr_new_int (0)));
  self->result = acc_array_drop_on (some, 0, acc_expr_linear_index (self->bound, acc_expr_new_int (1)));
}

static void
tear_down (Fixture *self, gconstpointer max_entries)
{
  g_object_unref (self->result);
  g_object_unref (self->bound);
  acc_schedule_cache_free (self->cache);
  acc_code_free (self->host.code);
  acc_workers_free (self->host.workers);
}

/* The plan where @taken values are taken, and then @dropped of them dropped. */
static AccPrepared *
get (Fixture *self, gint64 taken, gint64 dropped)
{
  g_autoptr(AccArray) values = use_numbers ((gint64[]) { taken, dropped, 0 }, 3);
  g_autoptr(GError) error = NULL;
  AccPrepared *prepared = acc_schedule_cache_get (self->cache, &self->host, &self->result, 1, &self->bound, &values, NULL, 1, FALSE, NULL,
                                                  &error);

  g_assert_no_error (error);
  g_assert_cmpint (acc_shape_get_extent (prepared->schedule->result_shapes[0], 0), ==, MAX (taken - dropped, 0));

  return prepared;
}

/* Plans of other data do not displace each other. */
static void
test_by_data (Fixture *self, gconstpointer max_entries)
{
  const gint64 data[][2] = { { 3, 1 }, { 2, 1 }, { 2, 0 }, { 0, 0 }, { 1, 3 } };
  g_autoptr(GPtrArray) plans = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_prepared_unref);

  for (guint round = 0; round < 3; round++)
    for (guint i = 0; i < G_N_ELEMENTS (data); i++)
      {
        g_autoptr(AccPrepared) prepared = get (self, data[i][0], data[i][1]);

        if (round == 0)
          g_ptr_array_add (plans, acc_prepared_ref (prepared));
        else
          g_assert_true (prepared == g_ptr_array_index (plans, i));
        for (guint k = 0; k < plans->len; k++)
          g_assert_true (k == i || prepared != g_ptr_array_index (plans, k));
      }
}

/* The plans of least use go, the one that others are told by among them. */
static void
test_few (Fixture *self, gconstpointer max_entries)
{
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr(AccPrepared) prepared = get (self, i * 7 % 4, i * 5 % 3), again = get (self, i * 7 % 4, i * 5 % 3);

      g_assert_true (prepared == again);
    }
}

/* --- steps of plans before */

static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }

static void
assert_same_launch (const AccLaunch *launch, const AccLaunch *wanted)
{
  g_assert_cmpstr (acc_kernel_get_hash (launch->kernel), ==, acc_kernel_get_hash (wanted->kernel));
  g_assert_cmpint (launch->outer, ==, wanted->outer);
  g_assert_cmpint (launch->inner, ==, wanted->inner);
  g_assert_cmpint (launch->tile_inner, ==, wanted->tile_inner);
  g_assert_cmpuint (launch->first_origin, ==, wanted->first_origin);
  g_assert_cmpuint (launch->n_slots, ==, wanted->n_slots);
  for (guint i = 0; i < launch->n_slots; i++)
    {
      g_assert_cmpint (launch->slots[i].kind, ==, wanted->slots[i].kind);
      g_assert_cmpuint (launch->slots[i].value, ==, wanted->slots[i].value);
      g_assert_cmpuint (launch->slots[i].bits, ==, wanted->slots[i].bits);
    }
}

static void
assert_same_plan (AccSchedule *schedule, AccSchedule *wanted)
{
  g_autofree char *text = acc_schedule_to_string (schedule), *wanted_text = acc_schedule_to_string (wanted);

  g_assert_cmpstr (text, ==, wanted_text);
  for (guint s = 0; s < schedule->n_steps; s++)
    for (guint i = 0; i < schedule->steps[s].n_launches; i++)
      assert_same_launch (&schedule->steps[s].launches[i], &wanted->steps[s].launches[i]);
  g_assert_cmpuint (schedule->origins->len, ==, wanted->origins->len);
  for (guint i = 0; i < schedule->origins->len; i++)
    g_assert_true (g_ptr_array_index (schedule->origins, i) == g_ptr_array_index (wanted->origins, i));
}

/* Of @bound's extents, some of which came before, and for what is asked for: what it is by itself. */
static void
test_steps (void)
{
  const gint64 lengths[][2] = { { 100, 70 }, { 101, 70 }, { 100, 70 }, { 100, 5000 }, { 5000, 70 }, { 0, 70 }, { 70, 100 }, { 5000, 70 } };
  g_autofree gint64 *numbers = g_new0 (gint64, 5000);
  g_autoptr(AccArray) a = use_numbers (numbers, 10), b = use_numbers (numbers, 10);
  AccExpr *zero = acc_expr_new_int (0);
  g_autoptr(AccArray) sums = acc_array_scanl1 (b, plus, NULL), nexts = acc_array_map (sums, next, NULL);
  g_autoptr(AccArray) picked = acc_array_map (a, linear_item, nexts), total = acc_array_fold (picked, zero, plus, NULL);
  g_autoptr(AccDeduplicator) deduplicator = acc_deduplicator_new ();
  AccArray *bound[] = { a, b }, *results[] = { total, picked, nexts };

  for (guint i = 0; i < 4 * G_N_ELEMENTS (lengths); i++)
    {
      const gint64 *n = lengths[i % G_N_ELEMENTS (lengths)];
      g_autoptr(AccArray) first = use_numbers (numbers, n[0]), second = use_numbers (numbers, n[1]);
      AccArray *values[] = { first, second };
      g_autoptr(GError) error = NULL;
      AccTarget target = acc_target_cpu;
      g_autoptr(AccSchedule) schedule = NULL, wanted = NULL;

      target.by_rows = i / 3 % 2;
      target.fast_math = i / 6 % 2;
      wanted = acc_schedule_new (&target, NULL, results, 3, bound, values, 2, &error);
      g_assert_no_error (error);
      schedule = acc_schedule_new (&target, deduplicator, results, 3, bound, values, 2, &error);
      g_assert_no_error (error);
      assert_same_plan (schedule, wanted);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add ("/schedule-cache/by-data", Fixture, GUINT_TO_POINTER (16), set_up, test_by_data, tear_down);
  g_test_add ("/schedule-cache/few", Fixture, GUINT_TO_POINTER (2), set_up, test_few, tear_down);

  g_test_add_func ("/schedule-cache/steps", test_steps);

  return g_test_run ();
}
