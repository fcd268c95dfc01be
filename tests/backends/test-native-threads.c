/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "native-helpers.h"

#include "acc-core/backend/acc-backend-private.h"

/* Threads of the native backend, and threads that use it. */

static void
test_same_bits_on_any_threads (void)
{
  static const char *threads[] = { "1", "2", "3", "8" };
  g_autoptr(AccArray) noise = native_use_noise (1500, 2111, 7);
  g_autoptr(AccArray) roots = acc_array_sqrt (noise);
  g_autoptr(AccArray) sum = acc_array_sum_all (roots);
  g_autoptr(AccArray) rows = acc_array_sum (roots);
  g_autofree char *before = g_strdup (g_getenv ("ACC_THREADS"));
  double all = 0;
  g_autoptr(GBytes) first_rows = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_autoptr(AccBackend) kept = native_backend;
      g_autoptr(GError) error = NULL;

      g_setenv ("ACC_THREADS", threads[i], TRUE);
      native_backend = acc_backend_new_for_name ("native", &error);
      g_assert_no_error (error);
      g_assert_cmpint (acc_backend_get_n_threads (native_backend), ==, g_ascii_strtoll (threads[i], NULL, 10));
      {
        g_autoptr(AccArray) a = native_run (sum);
        g_autoptr(AccArray) b = native_run (rows);
        g_autoptr(GBytes) bytes = acc_array_dup_bytes (b, 0, &error);

        if (i == 0)
          {
            all = acc_array_get_double (a, 0, 0);
            first_rows = g_bytes_ref (bytes);
          }
        g_assert_true (acc_array_get_double (a, 0, 0) == all);
        g_assert_true (g_bytes_equal (bytes, first_rows));
      }
      g_object_unref (native_backend);
      native_backend = g_steal_pointer (&kept);
    }
  native_set_back ("ACC_THREADS", before);
}

/* Layers of scans and sums that do not need each other: side by side where there are threads. */
static GPtrArray *
make_layers (AccArray *input)
{
  GPtrArray *layer = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < 9; i++)
    g_ptr_array_add (layer, acc_array_mul (input, input));
  for (guint depth = 0; depth < 4; depth++)
    {
      GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

      for (guint i = 0; i < layer->len; i++)
        {
          g_autoptr(AccArray) scan = acc_array_scanl1 (layer->pdata[i], native_plus, NULL);
          g_autoptr(AccArray) other = acc_array_scanl1 (layer->pdata[(i + 1) % layer->len], native_largest, NULL);
          g_autoptr(AccArray) halves = acc_array_map (other, native_half, NULL);

          g_ptr_array_add (next, acc_array_sub (scan, halves));
        }
      g_ptr_array_unref (layer);
      layer = next;
    }

  return layer;
}

static void
test_side_by_side (void)
{
  static const char *threads[] = { "1", "2", "3", "8" };
  g_autoptr(AccArray) noise = native_use_noise (3, 9000, 11);
  g_autoptr(GPtrArray) wanted = make_layers (noise);
  g_autoptr(AccProgram) program = acc_program_new_for_results ((AccArray **) wanted->pdata, wanted->len);
  g_autoptr(GPtrArray) first = NULL;
  g_autofree char *before = g_strdup (g_getenv ("ACC_THREADS"));

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccBackend) own = NULL;
      g_autoptr(AccExecutable) executable = NULL;

      g_setenv ("ACC_THREADS", threads[i], TRUE);
      own = acc_backend_new_for_name ("native", &error);
      g_assert_no_error (error);
      executable = acc_backend_compile (own, program, NULL, &error);
      g_assert_no_error (error);
      for (guint again = 0; again < 5; again++)
        {
          g_autoptr(GPtrArray) results = acc_executable_run (executable, NULL, 0, NULL, &error);

          g_assert_no_error (error);
          if (first == NULL)
            first = g_ptr_array_ref (results);
          for (guint k = 0; k < results->len; k++)
            {
              g_autoptr(GBytes) is = acc_array_dup_bytes (results->pdata[k], 0, &error);
              g_autoptr(GBytes) was = acc_array_dup_bytes (first->pdata[k], 0, &error);

              g_assert_true (g_bytes_equal (is, was));
            }
        }
    }
  native_set_back ("ACC_THREADS", before);
}

static void
test_bad_threads (void)
{
  g_autofree char *before = g_strdup (g_getenv ("ACC_THREADS"));
  g_autoptr(GError) error = NULL;

  g_setenv ("ACC_THREADS", "many", TRUE);
  g_assert_null (acc_backend_new_for_name ("native", &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  native_set_back ("ACC_THREADS", before);
}

static gpointer
run_often (gpointer data)
{
  for (gint64 i = 0; i < 200; i++)
    {
      gint64 n = 1 + i * 37 % 5000;
      g_autoptr(AccArray) numbers = native_use_count (n);
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_executable_run (data, &numbers, 1, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (acc_array_get_int (g_ptr_array_index (results, 0), 0, 0), ==, n * (n - 1));
    }

  return NULL;
}

static void
test_many_users (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr(AccProgram) program = acc_program_new (signatures, native_scale_and_sum, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (native_backend, program, NULL, &error);
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("user", run_often, executable);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

int
main (int    argc,
      char **argv)
{
  native_begin (&argc, &argv);

  g_test_add_func ("/native/same-bits-on-any-threads", test_same_bits_on_any_threads);
  g_test_add_func ("/native/side-by-side", test_side_by_side);
  g_test_add_func ("/native/bad-threads", test_bad_threads);
  g_test_add_func ("/native/many-users", test_many_users);

  return native_end ();
}
