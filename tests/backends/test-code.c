/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/runtime/code/acc-code.h"
#include "acc-backends/passes/acc-passes.h"
#include "acc-error.h"
#include "tests/remove-tree.h"

#include <string.h>

/* The table of compiled kernels, with a compiler that only tells what it was asked for. */

#define BASELINE 16u

static gint n_compiled, n_baseline, n_prepared;   /* atomic */
static gint is_held, is_broken;                  /* atomic: optimising waits, or fails */

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
  while (!(variant & BASELINE) && g_atomic_int_get (&is_held))
    g_usleep (100);
  if (!(variant & BASELINE) && g_atomic_int_get (&is_broken))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "too hard");
      return NULL;
    }

  return g_bytes_new (variant & BASELINE ? "b" : "o", 1);
}

static AccKernelEntry
load (GBytes   *code,
      gpointer  user_data,
      GError  **error)
{
  return *(const char *) g_bytes_get_data (code, NULL) == 'b' ? entry_of_baseline : entry_of_optimised;
}

static void
prepare_exit (gpointer user_data)
{
  g_atomic_int_inc (&n_prepared);
}

static AccKernel *
make_kernel (gint64   value,
             gboolean has_while)
{
  g_autoptr(GError) error = NULL;
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
  AccCodeMaker maker = { .dup_target = dup_target, .compile = compile, .load = load, .baseline = baseline, .prepare_exit = prepare_exit };

  n_compiled = n_baseline = n_prepared = is_held = is_broken = 0;

  return acc_code_new (&maker, directory != NULL ? acc_kernel_cache_new (directory, 0) : NULL, workers);
}

static AccKernelEntry
get (AccCode   *code,
     AccKernel *kernel,
     double     cost,
     guint     *runs_left)
{
  g_autoptr(GError) error = NULL;
  AccCodeRequest request = { .kernel = kernel, .cost = cost };

  g_assert_true (acc_code_get (code, &request, 1, NULL, &error));
  g_assert_no_error (error);
  if (runs_left != NULL)
    *runs_left = request.runs_left;

  return __atomic_load_n (request.entry, __ATOMIC_ACQUIRE);
}

/* As baseline code at first, and well once it has run for long. */
static void
test_baseline_first (void)
{
  g_autoptr(AccWorkers) workers = acc_workers_new (1);
  g_autoptr(AccCode) code = new_code (workers, NULL, BASELINE);
  g_autoptr(AccKernel) kernel = make_kernel (1, FALSE);
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
  g_assert_cmpint (g_atomic_int_get (&n_baseline), ==, 1);
  g_assert_cmpint (g_atomic_int_get (&n_compiled), ==, 1);
  g_assert_true (get (code, kernel, 1000, &left) == entry_of_optimised);
  g_assert_cmpint (g_atomic_int_get (&n_compiled), ==, 1);
}

/* What runs long, or who knows how long, or often, is compiled well at once. */
static void
test_optimised_at_once (void)
{
  g_autoptr(AccWorkers) workers = acc_workers_new (1);
  g_autoptr(AccCode) code = new_code (workers, NULL, BASELINE), without = new_code (workers, NULL, 0);
  g_autoptr(AccKernel) kernel = make_kernel (1, FALSE), other = make_kernel (2, FALSE), loops = make_kernel (3, TRUE);
  guint left;

  g_assert_true (get (code, kernel, 1e12, &left) == entry_of_optimised);
  g_assert_cmpuint (left, ==, G_MAXUINT);
  g_assert_true (get (code, kernel, 1, NULL) == entry_of_optimised);
  g_assert_true (get (code, other, 0, NULL) == entry_of_optimised);
  g_assert_true (get (code, loops, 1, NULL) == entry_of_optimised);
  g_assert_true (get (without, kernel, 1, &left) == entry_of_optimised);
  g_assert_cmpuint (left, ==, G_MAXUINT);
  g_assert_cmpint (g_atomic_int_get (&n_baseline), ==, 0);
  g_assert_cmpint (g_atomic_int_get (&n_compiled), ==, 4);
}

/* Several requests for one kernel share what it may spend. */
static void
test_shared (void)
{
  g_autoptr(AccWorkers) workers = acc_workers_new (1);
  g_autoptr(AccKernel) kernel = make_kernel (1, FALSE);

  for (double cost = 1; cost < 1e12; cost *= 1.5)
    {
      g_autoptr(AccCode) code = new_code (workers, NULL, BASELINE);
      g_autoptr(GError) error = NULL;
      AccCodeRequest requests[2] = { { .kernel = kernel, .cost = cost }, { .kernel = kernel, .cost = cost } };

      g_assert_true (acc_code_get (code, requests, 2, NULL, &error));
      g_assert_no_error (error);
      if (*requests[0].entry == entry_of_baseline)
        {
          g_assert_true (*requests[1].entry == entry_of_baseline);
          continue;
        }

      /* One run would do, two are too many, and then both have the better code. */
      g_assert_true (*requests[1].entry == entry_of_optimised);
      g_assert_cmpuint (requests[0].runs_left, ==, 0);
      g_assert_cmpint (g_atomic_int_get (&n_baseline), ==, 1);
      g_assert_cmpint (g_atomic_int_get (&n_compiled), ==, 1);
      return;
    }
  g_assert_not_reached ();
}

static void
test_disk (void)
{
  g_autofree char *directory = g_dir_make_tmp ("acc-code-XXXXXX", NULL);
  g_autoptr(AccWorkers) workers = acc_workers_new (1);
  g_autoptr(AccKernel) kernel = make_kernel (1, FALSE);

  for (guint process = 0; process < 4; process++)
    {
      g_autoptr(AccCode) code = new_code (workers, directory, BASELINE);

      /* The third finds what the second made well. */
      g_assert_true (get (code, kernel, 1, NULL) == (process < 2 ? entry_of_baseline : entry_of_optimised));
      g_assert_cmpint (g_atomic_int_get (&n_baseline), ==, process == 0 ? 1 : 0);
      if (process == 1)
        g_assert_true (get (code, kernel, 1e12, NULL) == entry_of_optimised);
      g_assert_cmpint (g_atomic_int_get (&n_compiled), ==, process == 1 ? 1 : 0);
    }

  remove_tree (directory);
}

/* --- with workers */

static const AccKernelEntry *
begin (AccCode   *code,
       AccKernel *kernel,
       double     cost)
{
  g_autoptr(GError) error = NULL;
  AccCodeRequest request = { .kernel = kernel, .cost = cost };

  g_assert_true (acc_code_get (code, &request, 1, NULL, &error));
  g_assert_no_error (error);

  return request.entry;
}

static gboolean
becomes (const AccKernelEntry *entry,
         AccKernelEntry        wanted)
{
  for (guint i = 0; __atomic_load_n (entry, __ATOMIC_ACQUIRE) != wanted && i < 20000; i++)
    g_usleep (1000);

  return __atomic_load_n (entry, __ATOMIC_ACQUIRE) == wanted;
}

/* What runs long, and takes long to optimise, begins as baseline code and goes on with better. */
static void
test_meanwhile (void)
{
  static const double costs[] = { 1e12, ACC_CODE_ENDLESS };
  g_autoptr(AccKernel) kernel = make_kernel (1, FALSE), loops = make_kernel (2, TRUE);

  for (guint i = 0; i < G_N_ELEMENTS (costs); i++)
    for (guint k = 0; k < 2; k++)
      {
        g_autoptr(AccWorkers) workers = acc_workers_new (2);
        g_autoptr(AccCode) code = new_code (workers, NULL, BASELINE);
        const AccKernelEntry *entry;

        g_atomic_int_set (&is_held, TRUE);
        entry = begin (code, k == 0 ? kernel : loops, costs[i]);
        g_assert_true (*entry == entry_of_baseline);
        g_assert_true (begin (code, k == 0 ? kernel : loops, costs[i]) == entry);
        g_assert_cmpint (g_atomic_int_get (&n_baseline), ==, 1);
        g_atomic_int_set (&is_held, FALSE);
        acc_code_prepare_exit (code);
        g_assert_true (becomes (entry, entry_of_optimised));
        g_assert_true (*begin (code, k == 0 ? kernel : loops, costs[i]) == entry_of_optimised);
        g_assert_cmpint (g_atomic_int_get (&n_compiled), ==, 1);
      }
}

/* What is optimised soon is waited for. */
static void
test_soon (void)
{
  g_autoptr(AccWorkers) workers = acc_workers_new (2);
  g_autoptr(AccCode) code = new_code (workers, NULL, BASELINE);
  g_autoptr(AccKernel) kernel = make_kernel (1, FALSE);
  const AccKernelEntry *entry = begin (code, kernel, 1e12);

  /* A machine that is busy may have begun with the other. */
  g_assert_true (g_atomic_int_get (&n_baseline) == 1 || *entry == entry_of_optimised);
  g_assert_true (becomes (entry, entry_of_optimised));
  g_assert_cmpint (g_atomic_int_get (&n_compiled), ==, 1);
}

/* Where they are no fewer than threads, all are optimised at once, none as baseline code. */
static void
test_many (void)
{
  g_autoptr(AccWorkers) workers = acc_workers_new (3);
  g_autoptr(AccCode) code = new_code (workers, NULL, BASELINE);
  g_autoptr(GError) error = NULL;
  AccCodeRequest requests[3];

  for (gint i = 0; i < 3; i++)
    requests[i] = (AccCodeRequest) { .kernel = make_kernel (i, FALSE), .cost = 1e12 };
  g_assert_true (acc_code_get (code, requests, 3, NULL, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    {
      g_assert_true (*requests[i].entry == entry_of_optimised);
      acc_kernel_unref (requests[i].kernel);
    }
  g_assert_cmpint (g_atomic_int_get (&n_baseline), ==, 0);
}

/* What has run often is optimised by a worker, or here where there is none. */
static void
test_optimise (void)
{
  for (guint n_threads = 1; n_threads <= 2; n_threads++)
    {
      g_autoptr(AccWorkers) workers = acc_workers_new (n_threads);
      g_autoptr(AccCode) code = new_code (workers, NULL, BASELINE);
      g_autoptr(AccKernel) kernel = make_kernel (1, FALSE);
      AccCodeRequest request = { .kernel = kernel, .cost = 1 };
      const AccKernelEntry *entry = begin (code, kernel, 1);

      g_assert_true (*entry == entry_of_baseline);
      g_atomic_int_set (&is_held, n_threads == 2);
      acc_code_optimise (code, &request, 1);
      acc_code_optimise (code, &request, 1);
      g_assert_true (*entry == (n_threads == 2 ? entry_of_baseline : entry_of_optimised));
      g_assert_true (begin (code, kernel, 1e12) == entry || n_threads == 1);
      /* The worker is at it, or will be, and one of the two is ready for the end. */
      acc_code_prepare_exit (code);
      g_assert_true ((g_atomic_int_get (&n_prepared) > 0) == (n_threads == 2));
      g_atomic_int_set (&is_held, FALSE);
      g_assert_true (becomes (entry, entry_of_optimised));
      acc_code_optimise (code, &request, 1);
      g_assert_cmpint (g_atomic_int_get (&n_compiled), ==, 1);
      g_assert_cmpint (g_atomic_int_get (&n_baseline), ==, 1);
    }
}

static gboolean
hold_worker (gint64   tile,
             guint    worker,
             gpointer user_data)
{
  if (worker == 0)
    {
      AccCode *code = user_data;
      g_autoptr(AccKernel) kernel = make_kernel (1, FALSE);

      /* The other tile is somebody else's by now. */
      while (g_atomic_int_get (&is_held) < 2)
        g_usleep (100);
      g_atomic_int_set (&is_held, FALSE);
      g_assert_true (*begin (code, kernel, 1e12) == entry_of_optimised);
      g_atomic_int_set (&is_held, 3);
      return TRUE;
    }

  g_atomic_int_set (&is_held, 2);
  while (g_atomic_int_get (&is_held) < 3)
    g_usleep (100);

  return TRUE;
}

/* Where all workers have other things to do for long, the caller optimises. */
static void
test_busy (void)
{
  g_autoptr(AccWorkers) workers = acc_workers_new (2);
  g_autoptr(AccCode) code = new_code (workers, NULL, BASELINE);

  acc_workers_run (workers, 2, 1, hold_worker, code);
  g_assert_cmpint (g_atomic_int_get (&n_baseline), ==, 0);
  g_assert_cmpint (g_atomic_int_get (&n_compiled), ==, 1);
}

/* What cannot be optimised stays baseline code, if it is there; and nobody tries for ever. */
static void
test_fails (void)
{
  g_autoptr(AccWorkers) workers = acc_workers_new (2), nobody = acc_workers_new (1);
  g_autoptr(AccCode) code = new_code (workers, NULL, BASELINE), alone = new_code (nobody, NULL, BASELINE);
  g_autoptr(AccKernel) kernel = make_kernel (1, FALSE), other = make_kernel (2, FALSE), third = make_kernel (3, TRUE);
  g_autoptr(GError) error = NULL;
  AccCodeRequest request = { .kernel = other, .cost = 1e12 };
  const AccKernelEntry *entry = begin (code, kernel, 1);

  g_atomic_int_set (&is_broken, TRUE);
  g_assert_true (begin (code, kernel, 1e12) == entry);
  g_assert_true (begin (code, kernel, 1e12) == entry);
  g_assert_true (*entry == entry_of_baseline);

  /* Where a worker might be late baseline code would do; the caller alone is told. */
  g_assert_false (acc_code_get (alone, &request, 1, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_COMPILE);
  g_assert_nonnull (strstr (error->message, "kernel “k”: too hard"));

  g_atomic_int_set (&is_held, TRUE);
  entry = begin (code, third, 1);
  g_assert_true (*entry == entry_of_baseline);
  g_atomic_int_set (&is_held, FALSE);
  for (guint i = 0; i < 3; i++)
    {
      g_assert_true (*begin (code, third, ACC_CODE_ENDLESS) == entry_of_baseline);
      g_usleep (2000);
    }
}

/* Another process finds what a worker made, and the end waits for it. */
static void
test_kept (void)
{
  g_autofree char *directory = g_dir_make_tmp ("acc-code-XXXXXX", NULL);
  g_autoptr(AccKernel) kernel = make_kernel (1, FALSE);

  for (guint process = 0; process < 2; process++)
    {
      g_autoptr(AccWorkers) workers = acc_workers_new (2);
      g_autoptr(AccCode) code = new_code (workers, directory, BASELINE);

      g_atomic_int_set (&is_held, TRUE);
      g_assert_true (*begin (code, kernel, 1e12) == (process == 0 ? entry_of_baseline : entry_of_optimised));
      while (process == 0 && g_atomic_int_get (&n_compiled) == 0)
        g_usleep (100);
      g_assert_cmpint (g_atomic_int_get (&n_compiled), ==, 1 - process);
      g_atomic_int_set (&is_held, FALSE);
    }

  remove_tree (directory);
}

static gpointer
free_code (gpointer code)
{
  acc_code_free (code);

  return NULL;
}

static gpointer
cancel_once_compiling (gpointer cancellable)
{
  while (g_atomic_int_get (&n_compiled) == 0)
    g_usleep (100);
  g_cancellable_cancel (cancellable);

  return NULL;
}

/* Who is cancelled goes while the compiler is at work, and others find what that made. */
static void
test_cancelled (void)
{
  for (guint n_threads = 1; n_threads <= 3; n_threads++)
    {
      g_autoptr(AccWorkers) workers = acc_workers_new (n_threads);
      g_autoptr(AccCode) code = new_code (workers, NULL, BASELINE);
      g_autoptr(AccKernel) kernel = make_kernel (1, FALSE), other = make_kernel (2, FALSE);
      g_autoptr(GCancellable) cancellable = g_cancellable_new (), of_others = g_cancellable_new ();
      g_autoptr(GError) error = NULL;
      AccCodeRequest requests[2] = { { .kernel = kernel }, { .kernel = other } };
      GThread *thread;

      g_atomic_int_set (&is_held, TRUE);
      thread = g_thread_new ("cancel", cancel_once_compiling, cancellable);
      g_assert_false (acc_code_get (code, requests, 2, cancellable, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_thread_join (thread);
      g_assert_cmpint (g_atomic_int_get (&n_prepared), ==, 1);

      g_atomic_int_set (&is_held, FALSE);
      g_clear_error (&error);
      g_assert_true (acc_code_get (code, requests, 2, of_others, &error));
      g_assert_no_error (error);
      g_assert_true (*requests[0].entry == entry_of_optimised && *requests[1].entry == entry_of_optimised);
      g_assert_cmpint (g_atomic_int_get (&n_compiled), <=, 3);
    }
}

/* The table waits for the compiler where it goes meanwhile. */
static void
test_cancelled_and_gone (void)
{
  g_autoptr(AccWorkers) workers = acc_workers_new (2);
  AccCode *code = new_code (workers, NULL, BASELINE);
  g_autoptr(AccKernel) kernel = make_kernel (1, FALSE);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;
  AccCodeRequest request = { .kernel = kernel };
  GThread *thread;

  g_atomic_int_set (&is_held, TRUE);
  thread = g_thread_new ("cancel", cancel_once_compiling, cancellable);
  g_assert_false (acc_code_get (code, &request, 1, cancellable, &error));
  g_thread_join (thread);

  thread = g_thread_new ("free", free_code, code);
  g_usleep (10000);
  g_atomic_int_set (&is_held, FALSE);
  g_thread_join (thread);
  g_assert_cmpint (g_atomic_int_get (&n_compiled), ==, 1);
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
  g_test_add_func ("/code/meanwhile", test_meanwhile);
  g_test_add_func ("/code/soon", test_soon);
  g_test_add_func ("/code/many", test_many);
  g_test_add_func ("/code/optimise", test_optimise);
  g_test_add_func ("/code/busy", test_busy);
  g_test_add_func ("/code/fails", test_fails);
  g_test_add_func ("/code/kept", test_kept);
  g_test_add_func ("/code/cancelled", test_cancelled);
  g_test_add_func ("/code/cancelled-and-gone", test_cancelled_and_gone);

  return g_test_run ();
}
