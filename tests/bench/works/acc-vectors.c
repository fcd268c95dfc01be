/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-works.h"

static AccExpr *
axpy (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (acc_expr_mul (acc_expr_new_float (2.5), x), y);
}

/* --- programs */

static AccArray *
build_saxpy (AccArray **a, guint n, gpointer data)
{
  return acc_array_zip_with (a[0], a[1], axpy, NULL);
}

static AccArray *
build_dot (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) products = acc_array_zip_with (a[0], a[1], acc_work_times, NULL);

  return acc_array_fold (products, acc_expr_new_float (0), acc_work_plus, NULL);
}

static AccArray *
build_sum (AccArray **a, guint n, gpointer data)
{
  return acc_array_fold (a[0], acc_expr_new_float (0), acc_work_plus, NULL);
}

static AccExpr *
root (AccExpr *x, gpointer data)
{
  return acc_expr_sqrt (acc_expr_add (acc_expr_mul (x, x), acc_expr_new_float (1)));
}

static AccArray *
build_roots (AccArray **a, guint n, gpointer data)
{
  return acc_array_map (a[0], root, NULL);
}

static GPtrArray *
build_moments (AccArray **a, guint n, gpointer data)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (results, acc_array_mean (a[0]));
  g_ptr_array_add (results, acc_array_variance (a[0], 0));
  return results;
}

static AccArray *
build_prefix_sum (AccArray **a, guint n, gpointer data)
{
  return acc_array_scanl1 (a[0], acc_work_plus, NULL);
}

static AccArray *
build_segmented_sum (AccArray **a, guint n, gpointer data)
{
  return acc_array_fold_seg_offsets (a[0], acc_expr_new_float (0), a[1], acc_work_plus, NULL);
}

/* --- works */

static AccWork *
start (gsize n, float *values)
{
  AccWork *self = acc_work_new ();

  acc_work_add_vector (self, "f4", values, n);
  return self;
}

static gpointer
prepare_saxpy (gsize n)
{
  AccWork *self = start (n, contender_floats (n, 1, 0, 1));

  acc_work_add_vector (self, "f4", contender_floats (n, 2, 0, 1), n);
  return acc_work_compile (self, build_saxpy, NULL);
}

static gpointer
prepare_dot (gsize n)
{
  AccWork *self = start (n, contender_ones (n, 1));

  acc_work_add_vector (self, "f4", contender_ones (n, 2), n);
  return acc_work_compile (self, build_dot, NULL);
}

static double
check_number (gpointer self)
{
  return acc_work_get_number (self, 0, 0, 0);
}

static gpointer
prepare_sum (gsize n)
{
  return acc_work_compile (start (n, contender_ones (n, 1)), build_sum, NULL);
}

static gpointer
prepare_row_sums (gsize side)
{
  AccWork *self = acc_work_new ();

  acc_work_add_matrix (self, "f4", contender_floats (side * side, 1, 0, 1), side, side);
  return acc_work_compile (self, build_sum, NULL);
}

static gpointer
prepare_roots (gsize n)
{
  return acc_work_compile (start (n, contender_floats (n, 1, 0, 1)), build_roots, NULL);
}

static gpointer
prepare_moments (gsize n)
{
  return acc_work_compile_many (start (n, contender_floats (n, 1, 0, 1)), build_moments, NULL);
}

static double
check_moments (gpointer self)
{
  return acc_work_get_number (self, 0, 0, 0) + 10 * acc_work_get_number (self, 1, 0, 0);
}

static gpointer
prepare_prefix_sum (gsize n)
{
  return acc_work_compile (start (n, contender_ones (n, 1)), build_prefix_sum, NULL);
}

static gpointer
prepare_segmented_sum (gsize n)
{
  AccWork *self = start (n, contender_floats (n, 1, 0, 1));
  gsize n_segments;
  gint64 *offsets = contender_skewed (n, &n_segments);

  acc_work_add_vector (self, "i8", offsets, n_segments + 1);
  return acc_work_compile (self, build_segmented_sum, NULL);
}

const Work acc_vectors[] = {
  { "saxpy", prepare_saxpy, acc_work_run, acc_work_check, acc_work_free },
  { "dot", prepare_dot, acc_work_run, check_number, acc_work_free },
  { "sum", prepare_sum, acc_work_run, check_number, acc_work_free },
  { "row-sums", prepare_row_sums, acc_work_run, acc_work_check, acc_work_free },
  { "roots", prepare_roots, acc_work_run, acc_work_check, acc_work_free },
  { "moments", prepare_moments, acc_work_run, check_moments, acc_work_free },
  { "prefix-sum", prepare_prefix_sum, acc_work_run, acc_work_check, acc_work_free },
  { "segmented-sum", prepare_segmented_sum, acc_work_run, acc_work_check, acc_work_free },
  { NULL }
};
