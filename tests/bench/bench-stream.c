/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench-stream blur|sobel INPUT OUTPUT WIDTH HEIGHT [OFFSET]: RGB rows of a raw file through the stream, as peer-raw does by hand. */

#include <acc/acc.h>
#include <stdlib.h>
#include <string.h>

#define N(dy, dx) acc_expr_neighbour3 (n, dy, dx, 0)

static AccElementType *u1, *u2, *i2;

static const int weights[] = { 7, 17, 31, 46, 54, 46, 31, 17, 7 };

static AccExpr *
weigh (AccExpr *n, gboolean across)
{
  AccExpr *sum = acc_expr_new_typed_uint (u2, 128);

  for (int k = -4; k <= 4; k++)
    {
      AccExpr *tap = acc_expr_cast (across ? N (0, k) : N (k, 0), u2);
      sum = acc_expr_add (sum, acc_expr_mul (tap, acc_expr_new_int (weights[k + 4])));
    }
  return acc_expr_cast (acc_expr_shr (sum, acc_expr_new_int (8)), u1);
}

static AccExpr *
down (AccExpr *n, gpointer data)
{
  return weigh (n, FALSE);
}

static AccExpr *
across (AccExpr *n, gpointer data)
{
  return weigh (n, TRUE);
}

static AccExpr *
at (AccExpr *n, int dy, int dx)
{
  return acc_expr_cast (N (dy, dx), i2);
}

static AccExpr *
weighted (AccExpr *a, AccExpr *b, AccExpr *c)
{
  return acc_expr_add (acc_expr_add (a, acc_expr_mul (b, acc_expr_new_int (2))), c);
}

static AccExpr *
sobel (AccExpr *n, gpointer data)
{
  AccExpr *gx = acc_expr_sub (weighted (at (n, -1, 1), at (n, 0, 1), at (n, 1, 1)),
                              weighted (at (n, -1, -1), at (n, 0, -1), at (n, 1, -1)));
  AccExpr *gy = acc_expr_sub (weighted (at (n, 1, -1), at (n, 1, 0), at (n, 1, 1)),
                              weighted (at (n, -1, -1), at (n, -1, 0), at (n, -1, 1)));

  return acc_expr_cast (acc_expr_min (acc_expr_add (acc_expr_abs (gx), acc_expr_abs (gy)), acc_expr_new_int (255)), u1);
}

int
main (int argc, char **argv)
{
  if (argc != 6 && argc != 7)
    return 2;

  g_autoptr(GError) error = NULL;
  g_autoptr(GFile) input = g_file_new_for_path (argv[2]);
  g_autoptr(GFile) output = g_file_new_for_path (argv[3]);
  const gint64 extents[] = { atol (argv[5]), atol (argv[4]), 3 }, column[] = { 9, 1, 1 }, row[] = { 1, 9, 1 }, square[] = { 3, 3, 1 };

  u1 = acc_element_type_new (ACC_KIND_U8);
  u2 = acc_element_type_new (ACC_KIND_U16);
  i2 = acc_element_type_new (ACC_KIND_I16);

  AccBackend *backend = acc_backend_get_default (&error);
  g_autoptr(AccShape) shape = acc_shape_new (extents, 3);
  g_autoptr(AccSource) source = backend ? acc_source_open_raw (input, u1, shape, argc == 7 ? atol (argv[6]) : 0, NULL, &error) : NULL;
  g_autoptr(AccSink) sink = source ? acc_sink_create (output, NULL, &error) : NULL;

  if (sink == NULL)
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }

  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccArray) image = acc_array_new_from_source (source);
  g_autoptr(AccArray) result = NULL;

  if (strcmp (argv[1], "blur") == 0)
    {
      g_autoptr(AccArray) first = acc_array_stencil (image, column, 3, clamp, down, NULL);
      result = acc_array_stencil (first, row, 3, clamp, across, NULL);
    }
  else
    result = acc_array_stencil (image, square, 3, clamp, sobel, NULL);

  g_autoptr(AccJob) job = acc_backend_start_write (backend, result, sink, NULL);
  if (!acc_job_wait (job, &error))
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }

  if (g_getenv ("BENCH_REPORT"))
    {
      g_autofree char *plan = acc_plan_to_string (acc_job_get_plan (job));
      g_autofree char *report = acc_job_dup_report (job);
      g_printerr ("%s\n%s\n", plan, report);
    }
  return 0;
}
