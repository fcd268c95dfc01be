/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The programs of the documentation's first page, in C. */

#include <acc/acc.h>

static AccExpr *
times (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_mul (x, y);
}

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static void
test_dot (void)
{
  float a[1000], b[1000];
  double want = 0;

  for (int i = 0; i < 1000; i++)
    {
      a[i] = i / 10.f;
      b[i] = 1 + i % 3;
      want += (double) a[i] * b[i];
    }

  g_autoptr(GError) error = NULL;
  AccBackend *backend = acc_backend_get_default (&error);
  g_assert_no_error (error);
  g_autoptr(AccShape) shape = acc_shape_new_vector (1000);
  g_autoptr(GBytes) a_bytes = g_bytes_new (a, sizeof a), b_bytes = g_bytes_new (b, sizeof b);
  g_autoptr(AccArray) xs = acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, a_bytes);
  g_autoptr(AccArray) ys = acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, b_bytes);

  g_autoptr(AccArray) products = acc_array_zip_with (xs, ys, times, NULL);
  g_autoptr(AccArray) sum = acc_array_fold (products, acc_expr_new_float (0), plus, NULL);
  g_autoptr(AccArray) result = acc_backend_run (backend, sum, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (acc_array_get_rank (result), ==, 0);
  g_assert_cmpfloat_with_epsilon (acc_array_get_double (result, 0, 0), want, 1e-4 * want);
}

static AccExpr *
invert (AccExpr *x, gpointer data)
{
  return acc_expr_sub (acc_expr_new_int (255), x);
}

typedef struct {
  GMainLoop *loop;
  guint      notified;
  GError    *error;
} Writing;

static void
on_fraction (AccJob *job, GParamSpec *pspec, Writing *writing)
{
  writing->notified++;
}

static void
on_written (GObject *job, GAsyncResult *result, gpointer data)
{
  Writing *writing = data;

  acc_job_wait_finish (ACC_JOB (job), result, &writing->error);
  g_main_loop_quit (writing->loop);
}

static void
test_picture (void)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *name = g_strdup_printf ("%s/acc-inverted-%u.png", g_get_tmp_dir (), g_random_int ());
  g_autoptr(GFile) input = g_file_new_for_path (g_getenv ("ACC_TEST_PICTURE"));
  g_autoptr(GFile) output = g_file_new_for_path (name);
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("native", &error);
  g_assert_no_error (error);

  g_autoptr(AccSource) source = acc_source_open (input, NULL, &error);
  g_assert_no_error (error);
  g_autoptr(AccArray) image = acc_array_new_from_source (source);
  g_autoptr(AccArray) negative = acc_array_map (image, invert, NULL);
  g_autoptr(AccSink) sink = acc_sink_create (output, NULL, &error);
  g_assert_no_error (error);

  Writing writing = { .loop = g_main_loop_new (NULL, FALSE) };
  acc_backend_set_memory_limit (backend, 4 << 20);
  g_autoptr(AccJob) job = acc_backend_start_write (backend, negative, sink, NULL);
  g_signal_connect (job, "notify::fraction", G_CALLBACK (on_fraction), &writing);
  acc_job_wait_async (job, NULL, on_written, &writing);
  g_main_loop_run (writing.loop);
  g_assert_no_error (writing.error);
  g_assert_cmpint (acc_job_get_state (job), ==, ACC_JOB_DONE);
  g_assert_cmpfloat (acc_job_get_fraction (job), ==, 1);
  g_assert_cmpuint (writing.notified, >, 0);

  g_autoptr(AccSource) again = acc_source_open (output, NULL, &error);
  g_assert_no_error (error);
  g_autoptr(AccArray) written = acc_array_new_from_source (again);
  g_autoptr(AccArray) total = acc_array_zip_with (written, image, plus, NULL);
  g_autoptr(AccArray) result = acc_backend_run (backend, total, NULL, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < acc_shape_get_size (acc_array_get_shape (result)); i++)
    g_assert_cmpint (acc_array_get_int (result, 0, i), ==, 255);

  g_file_delete (output, NULL, NULL);
  g_main_loop_unref (writing.loop);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/api/dot", test_dot);
  g_test_add_func ("/api/picture", test_picture);
  return g_test_run ();
}
