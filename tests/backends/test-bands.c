/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include "acc-backends/runtime/acc-run.h"
#include "kernel-eval.h"

#include <string.h>

/* Steps that run band by band give what they give one after the other. Kernels are evaluated, on workers of a host whose caches are
 * as small as the test wants them. */

#define N_ROWS    1000
#define N_COLUMNS 9
#define N_THREADS 3

/* --- kernels without a compiler: an entry each */

#define MAX_KERNELS 16

static AccKernel *kernels[MAX_KERNELS];
static guint      n_kernels;

#define ENTRY(n)                                                                        \
  static void                                                                           \
  entry_##n (const guint64 *slots, const gint64 *range, AccFailure *failure)            \
  {                                                                                     \
    eval_kernel (kernels[n], slots, range, failure);                                    \
  }

ENTRY (0) ENTRY (1) ENTRY (2) ENTRY (3) ENTRY (4) ENTRY (5) ENTRY (6) ENTRY (7)
ENTRY (8) ENTRY (9) ENTRY (10) ENTRY (11) ENTRY (12) ENTRY (13) ENTRY (14) ENTRY (15)

static const AccKernelEntry entries[MAX_KERNELS] = {
  entry_0, entry_1, entry_2, entry_3, entry_4, entry_5, entry_6, entry_7,
  entry_8, entry_9, entry_10, entry_11, entry_12, entry_13, entry_14, entry_15,
};

static char *
dup_target (gpointer data, GError **error)
{
  return g_strdup ("evaluated");
}

static GBytes *
compile (AccKernel *kernel, guint variant, gpointer data, GError **error)
{
  return g_bytes_new (&kernel, sizeof kernel);
}

static AccKernelEntry
load (GBytes *code, gpointer data, GError **error)
{
  g_assert_cmpuint (n_kernels, <, MAX_KERNELS);
  memcpy (&kernels[n_kernels], g_bytes_get_data (code, NULL), sizeof (AccKernel *));
  acc_kernel_ref (kernels[n_kernels]);

  return entries[n_kernels++];
}

/* --- runs */

/* Runs @arrays on a host whose workers have @cache_bytes; gives how many steps ran in bands. */
static guint
run (AccArray **arrays, guint n_arrays, guint n_threads, gsize cache_bytes, AccArray **results)
{
  AccCodeMaker maker = { dup_target, compile, load, NULL };
  g_autoptr (AccBudget) budget = acc_budget_new (0);
  g_autoptr (AccPool) pool = acc_pool_new (budget, 0);
  g_autoptr (AccWorkers) workers = acc_workers_new (n_threads);
  g_autoptr (AccCode) code = acc_code_new (&maker, NULL, workers);
  AccHost host = { .pool = pool, .workers = workers, .code = code, .cache_bytes = cache_bytes };
  g_autoptr (GError) error = NULL;
  g_autoptr (AccPrepared) prepared = NULL;
  AccSchedule *schedule = acc_schedule_new (&acc_target_cpu, arrays, n_arrays, NULL, NULL, 0, &error);
  guint n_banded = 0;

  g_assert_no_error (error);
  prepared = acc_prepared_new (&host, schedule, FALSE, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (acc_run_whole (&host, prepared, NULL, results, NULL, &error));
  g_assert_no_error (error);

  for (guint w = 0; w < prepared->n_waves; w++)
    if (prepared->waves[w].band != NULL)
      n_banded += prepared->waves[w].end - prepared->waves[w].begin;

  for (; n_kernels > 0; n_kernels--)
    acc_kernel_unref (kernels[n_kernels - 1]);

  return n_banded;
}

static void
assert_same (AccArray *x, AccArray *y)
{
  for (guint k = 0; k < acc_element_type_get_n_buffers (acc_array_get_element_type (x)); k++)
    {
      g_autoptr (GBytes) a = acc_array_get_bytes (x, k, NULL), b = acc_array_get_bytes (y, k, NULL);

      g_assert_true (g_bytes_equal (a, b));
    }
}

/* Whole, and by bands on one thread and on several, in caches of several sizes: @n_banded steps of them. */
static void
check (AccArray **arrays, guint n_arrays, guint n_banded)
{
  g_autofree AccArray **whole = g_new0 (AccArray *, n_arrays), **banded = g_new0 (AccArray *, n_arrays);
  const gsize caches[] = { 1200, 2400, 4800 };

  g_assert_cmpuint (run (arrays, n_arrays, 1, 0, whole), ==, 0);
  for (guint n_threads = 1; n_threads <= N_THREADS; n_threads += N_THREADS - 1)
    for (guint c = 0; c < G_N_ELEMENTS (caches); c++)
      {
        g_assert_cmpuint (run (arrays, n_arrays, n_threads, caches[c], banded), ==, n_banded);
        for (guint i = 0; i < n_arrays; i++)
          {
            assert_same (whole[i], banded[i]);
            g_clear_object (&banded[i]);
          }
      }
  for (guint i = 0; i < n_arrays; i++)
    g_object_unref (whole[i]);
}

/* --- programs */

static AccArray *
make_picture (void)
{
  gint64 extents[] = { N_ROWS, N_COLUMNS };
  g_autoptr (AccShape) shape = acc_shape_new (extents, 2);
  guint8 *elements = g_malloc (N_ROWS * N_COLUMNS);
  g_autoptr (GBytes) bytes = g_bytes_new_take (elements, N_ROWS * N_COLUMNS);

  for (guint i = 0; i < N_ROWS * N_COLUMNS; i++)
    elements[i] = (guint8) g_test_rand_int ();

  return acc_array_use (acc_element_type_new (ACC_KIND_U8), shape, bytes);
}

static AccExpr *
u2 (AccExpr *x)
{
  return acc_expr_cast (x, acc_element_type_new (ACC_KIND_U16));
}

#define N(dy, dx) acc_expr_neighbour2 (n, dy, dx)

/* Tells up from down and left from right. */
static AccExpr *
mix (AccExpr *n, gpointer data)
{
  AccExpr *above = acc_expr_add (acc_expr_mul (u2 (N (-1, 0)), acc_expr_new_int (3)), u2 (N (0, -1)));
  AccExpr *below = acc_expr_add (acc_expr_mul (u2 (N (1, 1)), acc_expr_new_int (7)), u2 (N (0, 0)));

  return acc_expr_add (above, below);
}

static AccExpr *
pair (AccExpr *n, gpointer data)
{
  return acc_expr_tuple2 (mix (n, data), acc_expr_cast (N (1, 0), acc_element_type_new (ACC_KIND_U8)));
}

static AccExpr *
unpair (AccExpr *n, gpointer data)
{
  return acc_expr_sub (acc_expr_item (N (-2, 0), 0), acc_expr_mul (u2 (acc_expr_item (N (1, 0), 1)), acc_expr_new_int (5)));
}

static AccExpr *
divide (AccExpr *n, gpointer data)
{
  return acc_expr_quot (u2 (N (-1, 0)), acc_expr_bor (u2 (N (1, 0)), acc_expr_new_int (1)));
}

static AccExpr *
outside (AccExpr *index, gpointer data)
{
  return u2 (acc_expr_item (index, 0));
}

static AccBoundary *
make_boundary (guint kind)
{
  switch (kind)
    {
    case 0:
      return acc_boundary_new (ACC_BOUNDARY_CLAMP);
    case 1:
      return acc_boundary_new (ACC_BOUNDARY_MIRROR);
    case 2:
      return acc_boundary_new_constant (acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_U16), 11));
    default:
      return acc_boundary_new_function (2, outside, NULL);
    }
}

static AccArray *
stencil (AccArray *from, gint64 height, AccBoundary *boundary, AccExprFunc function)
{
  return acc_array_stencil (from, (gint64[]) { height, 3 }, 2, boundary, function, NULL);
}

static void
test_chain (void)
{
  g_autoptr (AccArray) picture = make_picture ();

  for (guint kind = 0; kind < 4; kind++)
    {
      g_autoptr (AccBoundary) clamp = make_boundary (0), boundary = make_boundary (kind);
      g_autoptr (AccArray) first = stencil (picture, 3, clamp, mix), second = stencil (first, 3, boundary, mix);
      g_autoptr (AccArray) third = stencil (second, 3, boundary, mix), last = stencil (third, 3, boundary, mix);

      check (&last, 1, 4);
    }
}

/* Tuples have several buffers, and rows are read further above than below. */
static void
test_tuples (void)
{
  g_autoptr (AccArray) picture = make_picture ();
  g_autoptr (AccBoundary) clamp = make_boundary (0);
  g_autoptr (AccArray) first = stencil (picture, 3, clamp, pair), last = stencil (first, 5, clamp, unpair);

  check (&last, 1, 2);
}

static AccExpr *
both (AccExpr *m, AccExpr *n, gpointer data)
{
  return acc_expr_sub (mix (m, data), acc_expr_mul (mix (n, data), acc_expr_new_int (13)));
}

/* One is read by two steps, one of which is ahead of the other. */
static void
test_two_readers (void)
{
  const gint64 small[] = { 3, 3 }, large[] = { 5, 3 };
  g_autoptr (AccArray) picture = make_picture ();
  g_autoptr (AccBoundary) clamp = make_boundary (0), mirror = make_boundary (1);
  g_autoptr (AccArray) first = stencil (picture, 3, clamp, mix), second = stencil (first, 3, clamp, mix);
  g_autoptr (AccArray) last = acc_array_stencil2 (second, small, 2, clamp, first, large, 2, mirror, both, NULL);

  check (&last, 1, 3);
}

/* What is a result, and what is read around its own rows, is not computed by two workers. */
static void
test_results (void)
{
  g_autoptr (AccArray) picture = make_picture ();
  g_autoptr (AccBoundary) clamp = make_boundary (0);
  g_autoptr (AccArray) first = stencil (picture, 3, clamp, mix), second = stencil (first, 3, clamp, mix);
  g_autoptr (AccArray) third = stencil (second, 3, clamp, mix), last = stencil (third, 3, clamp, mix);
  AccArray *arrays[] = { second, last };

  check (arrays, 2, 4);
}

static AccExpr *
across (AccExpr *n, gpointer data)
{
  return acc_expr_sub (N (0, 1), N (0, -1));
}

/* A result that is read at its own rows only. */
static void
test_result_beside (void)
{
  g_autoptr (AccArray) picture = make_picture ();
  g_autoptr (AccBoundary) clamp = make_boundary (0);
  g_autoptr (AccArray) first = stencil (picture, 3, clamp, mix), second = stencil (first, 3, clamp, mix);
  g_autoptr (AccArray) row = acc_array_stencil (second, (gint64[]) { 1, 3 }, 2, clamp, across, NULL);
  AccArray *arrays[] = { second, row };

  check (arrays, 2, 3);
}

/* A failure is told by the first step that has one. */
static void
test_failing (void)
{
  g_autoptr (AccArray) picture = make_picture ();
  g_autoptr (AccBoundary) clamp = make_boundary (0);
  g_autoptr (AccArray) first = stencil (picture, 3, clamp, mix), last = stencil (first, 3, clamp, divide);

  check (&last, 1, 0);
}

/* Each row of the second is read by all. */
static void
test_wrap (void)
{
  g_autoptr (AccArray) picture = make_picture ();
  g_autoptr (AccBoundary) wrap = acc_boundary_new (ACC_BOUNDARY_WRAP);
  g_autoptr (AccArray) first = stencil (picture, 3, wrap, mix), last = stencil (first, 3, wrap, mix);

  check (&last, 1, 0);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bands/chain", test_chain);
  g_test_add_func ("/bands/tuples", test_tuples);
  g_test_add_func ("/bands/two-readers", test_two_readers);
  g_test_add_func ("/bands/results", test_results);
  g_test_add_func ("/bands/result-beside", test_result_beside);
  g_test_add_func ("/bands/failing", test_failing);
  g_test_add_func ("/bands/wrap", test_wrap);

  return g_test_run ();
}
