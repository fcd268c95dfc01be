/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/runtime/acc-code.h"
#include "remove-directory.h"

/* The table of compiled kernels, with a compiler that only tells what it was asked for. */

#define BASELINE 16u

static guint n_compiled, n_baseline;   /* atomic */

static void
entry_of_optimised (const guint64 *slots,
                    const gint64  *range,
                    AccFailure    *failure)
{
}

static void
entry_of_baseline (const guint64 *slots,
                   const gint64  *range,
                   AccFailure    *failure)
{
}

static char *
dup_target (gpointer   user_data,
            GError   **error)
{
  return g_strdup ("a machine");
}

static GBytes *
compile (AccKernel *kernel,
         guint      variant,
         gpointer   user_data,
         GError   **error)
{
  g_atomic_int_inc (variant & BASELINE ? &n_baseline : &n_compiled);

  return g_bytes_new (variant & BASELINE ? "b" : "o", 1);
}

static AccKernelEntry
load (GBytes   *code,
      gpointer  user_data,
      GError  **error)
{
  return *(const char *) g_bytes_get_data (code, NULL) == 'b' ? entry_of_baseline : entry_of_optimised;
}

static AccKernel *
make_kernel (gint64   value,
             gboolean has_while)
{
  g_autoptr (GError) error = NULL;
  AccKernelBuilder *b = kb_new ("k");
  KBuffer y = kb_param_buffer (b, ACC_KIND_I64, ACC_BUFFER_READ | ACC_BUFFER_WRITE, "y");
  AccKernel *kernel;

  kb_for (b, i, kb_inner_begin (b), kb_inner_end (b))
    kb_store (b, y, i, kb_i64 (b, value));
  if (has_while)
    kb_while (b)
      {
        kb_until (b, kb_lt (b, kb_i64 (b, value), kb_load (b, y, kb_i64 (b, 0))));
        kb_store (b, y, kb_i64 (b, 0), kb_i64 (b, value + 1));
      }
  kernel = kb_finish (b, &error);
  g_assert_no_error (error);

  return kernel;
}

static AccCode *
new_code (AccWorkers *workers,
          const char *directory,
          guint       baseline)
{
  AccCodeMaker maker = { .dup_target = dup_target, .compile = compile, .load = load, .baseline = baseline };

  n_compiled = n_baseline = 0;

  return acc_code_new (&maker, directory != NULL ? acc_kernel_cache_new (directory, 0) : NULL, workers);
}

static AccKernelEntry
get (AccCode   *code,
     AccKernel *kernel,
     double     cost,
     guint     *runs_left)
{
  g_autoptr (GError) error = NULL;
  AccCodeRequest request = { .kernel = kernel, .cost = cost };

  g_assert_true (acc_code_get (code, &request, 1, NULL, &error));
  g_assert_no_error (error);
  if (runs_left != NULL)
    *runs_left = request.runs_left;

  return request.entry;
}

/* As baseline code at first, and well once it has run for long. */
static void
test_baseline_first (void)
{
  g_autoptr (AccWorkers) workers = acc_workers_new (1);
  g_autoptr (AccCode) code = new_code (workers, NULL, BASELINE);
  g_autoptr (AccKernel) kernel = make_kernel (1, FALSE);
  guint left, before, n = 1;

  g_assert_true (get (code, kernel, 1000, &before) == entry_of_baseline);
  g_assert_cmpuint (before, >, 10);
  g_assert_cmpuint (before, <, 100000);
  while (get (code, kernel, 1000, &left) == entry_of_baseline)
    {
      g_assert_cmpuint (left, <, before);
      before = left;
      n++;
    }
  g_assert_cmpuint (before, ==, 0);
  g_assert_cmpuint (n, >, 10);
  g_assert_cmpuint (left, ==, G_MAXUINT);
  g_assert_cmpuint (n_baseline, ==, 1);
  g_assert_cmpuint (n_compiled, ==, 1);
  g_assert_true (get (code, kernel, 1000, &left) == entry_of_optimised);
  g_assert_cmpuint (n_compiled, ==, 1);
}

/* What runs long, or who knows how long, or often, is compiled well at once. */
static void
test_optimised_at_once (void)
{
  g_autoptr (AccWorkers) workers = acc_workers_new (1);
  g_autoptr (AccCode) code = new_code (workers, NULL, BASELINE), without = new_code (workers, NULL, 0);
  g_autoptr (AccKernel) kernel = make_kernel (1, FALSE), other = make_kernel (2, FALSE), loops = make_kernel (3, TRUE);
  guint left;

  g_assert_true (get (code, kernel, 1e12, &left) == entry_of_optimised);
  g_assert_cmpuint (left, ==, G_MAXUINT);
  g_assert_true (get (code, kernel, 1, NULL) == entry_of_optimised);
  g_assert_true (get (code, other, 0, NULL) == entry_of_optimised);
  g_assert_true (get (code, loops, 1, NULL) == entry_of_optimised);
  g_assert_true (get (without, kernel, 1, &left) == entry_of_optimised);
  g_assert_cmpuint (left, ==, G_MAXUINT);
  g_assert_cmpuint (n_baseline, ==, 0);
  g_assert_cmpuint (n_compiled, ==, 4);
}

/* Several requests for one kernel share what it may spend. */
static void
test_shared (void)
{
  g_autoptr (AccWorkers) workers = acc_workers_new (2);
  g_autoptr (AccKernel) kernel = make_kernel (1, FALSE);

  for (double cost = 1; cost < 1e12; cost *= 1.5)
    {
      g_autoptr (AccCode) code = new_code (workers, NULL, BASELINE);
      g_autoptr (GError) error = NULL;
      AccCodeRequest requests[2] = { { .kernel = kernel, .cost = cost }, { .kernel = kernel, .cost = cost } };

      g_assert_true (acc_code_get (code, requests, 2, NULL, &error));
      g_assert_no_error (error);
      g_assert_true (requests[0].entry == entry_of_baseline);
      if (requests[0].runs_left > 0)
        {
          g_assert_true (requests[1].entry == entry_of_baseline);
          continue;
        }

      /* One run would do, two are too many. */
      g_assert_true (requests[1].entry == entry_of_optimised);
      return;
    }
  g_assert_not_reached ();
}

static void
test_disk (void)
{
  g_autofree char *directory = g_dir_make_tmp ("acc-code-XXXXXX", NULL);
  g_autoptr (AccWorkers) workers = acc_workers_new (1);
  g_autoptr (AccKernel) kernel = make_kernel (1, FALSE);

  for (guint process = 0; process < 4; process++)
    {
      g_autoptr (AccCode) code = new_code (workers, directory, BASELINE);

      /* The third finds what the second made well. */
      g_assert_true (get (code, kernel, 1, NULL) == (process < 2 ? entry_of_baseline : entry_of_optimised));
      g_assert_cmpuint (n_baseline, ==, process == 0 ? 1 : 0);
      if (process == 1)
        g_assert_true (get (code, kernel, 1e12, NULL) == entry_of_optimised);
      g_assert_cmpuint (n_compiled, ==, process == 1 ? 1 : 0);
    }

  remove_directory (directory);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/code/baseline-first", test_baseline_first);
  g_test_add_func ("/code/optimised-at-once", test_optimised_at_once);
  g_test_add_func ("/code/shared", test_shared);
  g_test_add_func ("/code/disk", test_disk);

  return g_test_run ();
}
