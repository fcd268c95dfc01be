/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include "acc-backends/runtime/run/acc-run.h"
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
run (AccArray **arrays, guint n_arrays, guint n_threads, gsize cache_bytes, AccArray **results, GError **failure)
{
  AccCodeMaker maker = { dup_target, compile, load, NULL };
  g_autoptr(AccBudget) budget = acc_budget_new (0);
  g_autoptr(AccPool) pool = acc_pool_new (budget, 0);
  g_autoptr(AccWorkers) workers = acc_workers_new (n_threads);
  g_autoptr(AccCode) code = acc_code_new (&maker, NULL, workers);
  AccHost host = { .pool = pool, .workers = workers, .code = code, .cache_bytes = cache_bytes };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccPrepared) prepared = NULL;
  AccSchedule *schedule = acc_schedule_new (&acc_target_cpu, NULL, arrays, n_arrays, NULL, NULL, 0, &error);
  guint n_banded = 0;

  g_assert_no_error (error);
  prepared = acc_prepared_new (&host, schedule, FALSE, FALSE, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (acc_run_whole (&host, prepared, NULL, NULL, results, NULL, &error) == (error == NULL));
  if (failure == NULL)
    g_assert_no_error (error);
  else
    g_propagate_error (failure, g_steal_pointer (&error));

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
      g_autoptr(GBytes) a = acc_array_dup_bytes (x, k, NULL), b = acc_array_dup_bytes (y, k, NULL);

      g_assert_true (g_bytes_equal (a, b));
    }
}

/* Whole, and by bands on one thread and on several, in caches of several sizes from @cache_bytes on: @n_banded steps of them. */
static void
check_in (AccArray **arrays, guint n_arrays, guint n_banded, gsize cache_bytes)
{
  g_autofree AccArray **whole = g_new0 (AccArray *, n_arrays), **banded = g_new0 (AccArray *, n_arrays);

  g_assert_cmpuint (run (arrays, n_arrays, 1, 0, whole, NULL), ==, 0);
  for (guint n_threads = 1; n_threads <= N_THREADS; n_threads += N_THREADS - 1)
    for (guint c = 0; c < 3; c++)
      {
        g_assert_cmpuint (run (arrays, n_arrays, n_threads, cache_bytes * (c + 1), banded, NULL), ==, n_banded);
        for (guint i = 0; i < n_arrays; i++)
          {
            assert_same (whole[i], banded[i]);
            g_clear_object (&banded[i]);
          }
      }
  for (guint i = 0; i < n_arrays; i++)
    g_object_unref (whole[i]);
}

static void
check (AccArray **arrays, guint n_arrays, guint n_banded)
{
  check_in (arrays, n_arrays, n_banded, 1200);
}

/* --- programs */

static AccArray *
make_picture (void)
{
  gint64 extents[] = { N_ROWS, N_COLUMNS };
  g_autoptr(AccShape) shape = acc_shape_new (extents, 2);
  guint8 *elements = g_malloc (N_ROWS * N_COLUMNS);
  g_autoptr(GBytes) bytes = g_bytes_new_take (elements, N_ROWS * N_COLUMNS);

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
  g_autoptr(AccArray) picture = make_picture ();

  for (guint kind = 0; kind < 4; kind++)
    {
      g_autoptr(AccBoundary) clamp = make_boundary (0), boundary = make_boundary (kind);
      g_autoptr(AccArray) first = stencil (picture, 3, clamp, mix), second = stencil (first, 3, boundary, mix);
      g_autoptr(AccArray) third = stencil (second, 3, boundary, mix), last = stencil (third, 3, boundary, mix);

      check (&last, 1, 4);
    }
}

/* Tuples have several buffers, and rows are read further above than below. */
static void
test_tuples (void)
{
  g_autoptr(AccArray) picture = make_picture ();
  g_autoptr(AccBoundary) clamp = make_boundary (0);
  g_autoptr(AccArray) first = stencil (picture, 3, clamp, pair), last = stencil (first, 5, clamp, unpair);

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
  g_autoptr(AccArray) picture = make_picture ();
  g_autoptr(AccBoundary) clamp = make_boundary (0), mirror = make_boundary (1);
  g_autoptr(AccArray) first = stencil (picture, 3, clamp, mix), second = stencil (first, 3, clamp, mix);
  g_autoptr(AccArray) last = acc_array_stencil2 (second, small, 2, clamp, first, large, 2, mirror, both, NULL);

  check (&last, 1, 3);
}

/* What is a result, and what is read around its own rows, is not computed by two workers. */
static void
test_results (void)
{
  g_autoptr(AccArray) picture = make_picture ();
  g_autoptr(AccBoundary) clamp = make_boundary (0);
  g_autoptr(AccArray) first = stencil (picture, 3, clamp, mix), second = stencil (first, 3, clamp, mix);
  g_autoptr(AccArray) third = stencil (second, 3, clamp, mix), last = stencil (third, 3, clamp, mix);
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
  g_autoptr(AccArray) picture = make_picture ();
  g_autoptr(AccBoundary) clamp = make_boundary (0);
  g_autoptr(AccArray) first = stencil (picture, 3, clamp, mix), second = stencil (first, 3, clamp, mix);
  g_autoptr(AccArray) row = acc_array_stencil (second, (gint64[]) { 1, 3 }, 2, clamp, across, NULL);
  AccArray *arrays[] = { second, row };

  check (arrays, 2, 3);
}

/* A failure is told by the first step that has one. */
static void
test_failing (void)
{
  g_autoptr(AccArray) picture = make_picture ();
  g_autoptr(AccBoundary) clamp = make_boundary (0);
  g_autoptr(AccArray) first = stencil (picture, 3, clamp, mix), last = stencil (first, 3, clamp, divide);

  check (&last, 1, 0);
}

/* Each row of the second is read by all. */
static void
test_wrap (void)
{
  g_autoptr(AccArray) picture = make_picture ();
  g_autoptr(AccBoundary) wrap = acc_boundary_new (ACC_BOUNDARY_WRAP);
  g_autoptr(AccArray) first = stencil (picture, 3, wrap, mix), last = stencil (first, 3, wrap, mix);

  check (&last, 1, 0);
}

/* --- products of matrices */

/* Small numbers, of @rank dimensions. */
static AccArray *
make_numbers (const gint64 *extents, guint rank)
{
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  gint64 n = acc_shape_get_size (shape);
  gint64 *elements = g_new (gint64, n);
  g_autoptr(GBytes) bytes = g_bytes_new_take (elements, (gsize) n * sizeof (gint64));

  for (gint64 i = 0; i < n; i++)
    elements[i] = g_test_rand_int_range (-9, 10);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static AccExpr *
away (AccExpr *score, AccExpr *largest, gpointer data)
{
  AccExpr *below = acc_expr_sub (score, largest);

  return acc_expr_mul (acc_expr_mul (below, below), acc_expr_sub (below, acc_expr_new_int (3)));
}

/* What is made of scores, and what of the largest of each row, times @values: as attention is made. */
static void
check_attention (const gint64 *queries, const gint64 *keys, const gint64 *values, guint rank, guint n_banded, gsize cache_bytes)
{
  AccExpr *beside[] = { rank > 2 ? acc_expr_new_int (ACC_ALL) : NULL, acc_expr_new_int (ACC_ALL), acc_expr_new_int (keys[1]) };
  g_autoptr(AccArray) q = make_numbers (queries, rank), k = make_numbers (keys, 2), v = make_numbers (values, 2);
  g_autoptr(AccArray) scores = acc_array_matmul (q, k), largest = acc_array_maximum (scores);
  g_autoptr(AccArray) each = acc_array_replicate_expr (largest, beside + 3 - rank, rank);
  g_autoptr(AccArray) weights = acc_array_zip_with (scores, each, away, NULL);
  g_autoptr(AccArray) sum = acc_array_sum (weights), output = acc_array_matmul (weights, v);
  AccArray *arrays[] = { largest, sum, output };

  check_in (arrays, 3, n_banded, cache_bytes);
}

/* Scores and weights only ever exist as a few rows; all rows go through the factors that are packed once. */
static void
test_products (void)
{
  check_attention ((const gint64[]) { 1000, 5 }, (const gint64[]) { 5, 40 }, (const gint64[]) { 40, 7 }, 2, 5, 160000);
}

/* Sums of long rows wait for the next block of the depth. */
static void
test_deep_product (void)
{
  check_attention ((const gint64[]) { 700, 2 }, (const gint64[]) { 2, 260 }, (const gint64[]) { 260, 2 }, 2, 4, 470000);
}

/* A row is a matrix. */
static void
test_matrices (void)
{
  check_attention ((const gint64[]) { 300, 3, 4 }, (const gint64[]) { 4, 21 }, (const gint64[]) { 21, 5 }, 3, 5, 30000);
}

/* The right factor is complete before the first row of what is made of it. */
static void
test_right_factor (void)
{
  g_autoptr(AccArray) a = make_numbers ((const gint64[]) { 300, 3 }, 2), b = make_numbers ((const gint64[]) { 3, 2 }, 2);
  g_autoptr(AccArray) c = make_numbers ((const gint64[]) { 300, 300 }, 2), right = acc_array_matmul (a, b);
  g_autoptr(AccArray) product = acc_array_matmul (c, right);

  check_in (&product, 1, 0, 1500);
}

static AccExpr *
by_zero (AccExpr *x, gpointer data)
{
  return acc_expr_quot (acc_expr_new_int (1), acc_expr_mul (x, acc_expr_new_int (0)));
}

/* A factor that cannot be packed. */
static void
test_failing_factor (void)
{
  g_autoptr(AccArray) a = make_numbers ((const gint64[]) { 1000, 5 }, 2), b = make_numbers ((const gint64[]) { 5, 40 }, 2);
  g_autoptr(AccArray) c = make_numbers ((const gint64[]) { 40, 7 }, 2), bad = acc_array_map (c, by_zero, NULL);
  g_autoptr(AccArray) scores = acc_array_matmul (a, b), product = acc_array_matmul (scores, bad);
  g_autoptr(GError) error = NULL;
  AccArray *result = NULL;

  g_assert_cmpuint (run (&product, 1, N_THREADS, 100000, &result, &error), ==, 2);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC);
  g_assert_null (result);
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
  g_test_add_func ("/bands/products", test_products);
  g_test_add_func ("/bands/deep-product", test_deep_product);
  g_test_add_func ("/bands/matrices", test_matrices);
  g_test_add_func ("/bands/right-factor", test_right_factor);
  g_test_add_func ("/bands/failing-factor", test_failing_factor);

  return g_test_run ();
}
