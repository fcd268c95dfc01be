/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include "acc-backends/runtime/run/acc-run.h"

/* Which steps run at once, and which kernels are compiled. Kernels here, and their compiler, do nothing but meet each other; what
 * real ones compute is tested elsewhere. */

#define N_STEPS   8
#define N_THREADS 4

typedef enum {
  PASS,     /* does nothing */
  STAY,     /* stays a moment */
  MEET,     /* stays until another one is there, too, or long enough to tell that none comes */
} Manner;

/* All atomic. */
static gint n_inside, n_most, n_calls;
static gint manner, compiler_meets;

/* Of the run most lately. */
static guint64 high_water;

static char *
dup_target (gpointer data, GError **error)
{
  return g_strdup ("nothing");
}

static void
meet (const guint64 *slots, const gint64 *range, AccFailure *failure)
{
  gint64 until = g_get_monotonic_time () + 5 * G_USEC_PER_SEC;
  gint inside = g_atomic_int_add (&n_inside, 1) + 1;

  g_atomic_int_inc (&n_calls);
  if (g_atomic_int_get (&manner) != PASS)
    g_usleep (500);
  do
    {
      gint most = g_atomic_int_get (&n_most);

      if (inside > most)
        g_atomic_int_compare_and_exchange (&n_most, most, inside);
      if (g_atomic_int_get (&manner) != MEET || g_atomic_int_get (&n_most) > 1)
        break;
      g_usleep (100);
      inside = g_atomic_int_get (&n_inside);
    }
  while (g_get_monotonic_time () < until);
  g_atomic_int_add (&n_inside, -1);
}

static GBytes *
compile (AccKernel *kernel, guint variant, gpointer data, GError **error)
{
  if (compiler_meets)
    meet (NULL, NULL, NULL);

  return g_bytes_new_static ("", 0);
}

static AccKernelEntry
load (GBytes *code, gpointer data, GError **error)
{
  return meet;
}

static AccExpr *
add (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
to_index (AccExpr *x, gpointer data)
{
  return acc_expr_cast (x, acc_element_type_new (ACC_KIND_I64));
}

static AccExpr *
to_one (AccExpr *x, gpointer data)
{
  return acc_expr_new_typed_int (data, 1);
}

static AccArray *
use_floats (gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new_take (g_malloc0 (n * sizeof (float)), n * sizeof (float));

  return acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, bytes);
}

/* Runs @results on a host with @limit bytes; gives how many waves there are. */
static guint
run (GPtrArray *arrays, guint n_threads, guint64 limit, Manner how)
{
  AccCodeMaker maker = { dup_target, compile, load, NULL };
  g_autoptr(AccBudget) budget = acc_budget_new (limit);
  g_autoptr(AccPool) pool = acc_pool_new (budget, 0);
  g_autoptr(AccWorkers) workers = acc_workers_new (n_threads);
  g_autoptr(AccCode) code = acc_code_new (&maker, NULL, workers);
  AccHost host = { .pool = pool, .workers = workers, .code = code };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccPrepared) prepared = NULL;
  g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func (g_object_unref);
  AccSchedule *schedule = acc_schedule_new (&acc_target_cpu, NULL, (AccArray **) arrays->pdata, arrays->len, NULL, NULL, 0, &error);

  g_assert_no_error (error);
  prepared = acc_prepared_new (&host, schedule, FALSE, FALSE, NULL, &error);
  g_assert_no_error (error);

  n_inside = n_most = n_calls = 0;
  manner = how;
  g_ptr_array_set_size (results, arrays->len);
  g_assert_true (acc_run_whole (&host, prepared, NULL, NULL, (AccArray **) results->pdata, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (n_calls, >=, (gint) schedule->n_steps);
  g_clear_pointer (&results, g_ptr_array_unref);
  high_water = acc_budget_get_high_water (budget);
  g_assert_cmpuint (acc_budget_get_used (budget), ==, acc_pool_get_idle (pool));

  return prepared->n_waves;
}

/* Scans of one vector each, which one thread goes along. */
static GPtrArray *
make_scans (gint64 n, guint n_scans)
{
  GPtrArray *scans = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) input = use_floats (n);

  for (guint i = 0; i < n_scans; i++)
    g_ptr_array_add (scans, acc_array_scanl1 (input, add, NULL));

  return scans;
}

static void
test_at_once (void)
{
  g_autoptr(GPtrArray) scans = make_scans (20000, N_STEPS);

  g_assert_cmpint (run (scans, N_THREADS, 0, MEET), ==, 1);
  g_assert_cmpint (n_most, >, 1);
}

static void
test_one_thread (void)
{
  g_autoptr(GPtrArray) scans = make_scans (20000, N_STEPS);

  g_assert_cmpint (run (scans, 1, 0, PASS), ==, 0);
  g_assert_cmpint (n_most, ==, 1);
}

static void
test_small_ones_stay (void)
{
  g_autoptr(GPtrArray) scans = make_scans (16, N_STEPS);

  g_assert_cmpint (run (scans, N_THREADS, 0, PASS), ==, 0);
  g_assert_cmpint (n_most, ==, 1);
}

/* Each reads what the one before it wrote. */
static void
test_dependent_ones_wait (void)
{
  g_autoptr(GPtrArray) scans = make_scans (20000, 1);

  for (guint i = 1; i < N_STEPS; i++)
    {
      g_autoptr(AccArray) last = g_ptr_array_steal_index (scans, 0);

      g_ptr_array_add (scans, acc_array_scanl1 (last, add, NULL));
    }
  g_assert_cmpint (run (scans, N_THREADS, 0, PASS), ==, 0);
}

/* Those of the second wave read what those of the first write, and are several, too. */
static void
test_two_waves (void)
{
  g_autoptr(GPtrArray) first = make_scans (20000, N_STEPS);
  g_autoptr(GPtrArray) second = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < N_STEPS; i++)
    g_ptr_array_add (second, acc_array_scanl1 (first->pdata[i], add, NULL));
  g_assert_cmpint (run (second, N_THREADS, 0, MEET), ==, 2);
  g_assert_cmpint (n_most, >, 1);
}

/* Where there is room for one after the other, there is enough: histograms have tables, for as long as they run. */
static void
test_little_memory (void)
{
  g_autoptr(GPtrArray) histograms = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) input = use_floats (80000);
  g_autoptr(AccShape) shape = acc_shape_new_vector (8192);
  AccElementType *type = acc_element_type_new (ACC_KIND_I32);
  g_autoptr(AccArray) zeros = acc_array_fill (shape, acc_expr_new_typed_int (type, 0));
  g_autoptr(AccArray) ones = acc_array_map (input, to_one, type);
  g_autoptr(AccArray) targets = acc_array_map (input, to_index, NULL);
  guint64 alone;

  for (guint i = 0; i < N_STEPS; i++)
    g_ptr_array_add (histograms, acc_array_permute (ones, zeros, targets, add, NULL));
  run (histograms, 1, 0, PASS);
  alone = high_water;
  /* More than there are tables, so that they run side by side. */
  g_assert_cmpint (run (histograms, 32, 0, STAY), >, 0);
  g_assert_cmpint (run (histograms, 32, alone, STAY), >, 0);
}

static void
test_compiles_at_once (void)
{
  AccCodeMaker maker = { dup_target, compile, load, NULL };
  g_autoptr(AccWorkers) workers = acc_workers_new (N_THREADS);
  g_autoptr(AccCode) code = acc_code_new (&maker, NULL, workers);
  AccHost host = { .workers = workers, .code = code };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) input = use_floats (100);
  g_autoptr(AccArray) scan = acc_array_scanl1 (input, add, NULL);
  g_autoptr(AccArray) fold = acc_array_fold_all (input, acc_expr_new_float (0), add, NULL);
  AccArray *arrays[] = { scan, fold };
  AccSchedule *schedule = acc_schedule_new (&acc_target_cpu, NULL, arrays, 2, NULL, NULL, 0, &error);
  g_autoptr(AccPrepared) prepared = NULL;
  AccCodeCounts counts;

  g_assert_no_error (error);
  n_inside = n_most = n_calls = 0;
  manner = MEET;
  compiler_meets = TRUE;
  prepared = acc_prepared_new (&host, schedule, FALSE, FALSE, NULL, &error);
  compiler_meets = FALSE;
  g_assert_no_error (error);
  acc_code_get_counts (code, &counts);
  g_assert_cmpint (counts.n_compiled, ==, (guint) n_calls);
  g_assert_cmpint (n_most, >, 1);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/waves/at-once", test_at_once);
  g_test_add_func ("/waves/one-thread", test_one_thread);
  g_test_add_func ("/waves/small-ones-stay", test_small_ones_stay);
  g_test_add_func ("/waves/dependent-ones-wait", test_dependent_ones_wait);
  g_test_add_func ("/waves/two-waves", test_two_waves);
  g_test_add_func ("/waves/little-memory", test_little_memory);
  g_test_add_func ("/waves/compiles-at-once", test_compiles_at_once);

  return g_test_run ();
}
