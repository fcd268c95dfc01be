/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A step of k-means in the plane, as demos/k-means has it in Python: points to the nearest centre, centres to the middle of
 * their points; in float. */

#include "acc-works.h"
#include "inputs.h"

#include <string.h>

static AccExpr *
square_of_difference (AccExpr *x, AccExpr *c, gpointer data)
{
  g_autoptr(AccExpr) difference = acc_expr_ref_sink (acc_expr_sub (x, c));

  return acc_expr_mul (difference, difference);
}

static AccExpr *
numbered (AccExpr *index, AccExpr *square, gpointer data)
{
  return acc_expr_tuple2 (square, acc_expr_item (index, 1));
}

static AccExpr *
smaller (AccExpr *a, AccExpr *b, gpointer data)
{
  return acc_expr_min (a, b);
}

/* The number of the nearest centre of each point: points [n,d], centres [k,d]. All distances are a matrix [n,k] that is folded
 * as it is made. */
static AccArray *
nearest (AccArray *points, AccArray *centres)
{
  AccExpr *each_point[] = { acc_expr_new_int (ACC_ALL), acc_expr_extent (centres, 0), acc_expr_new_int (ACC_ALL) };
  AccExpr *each_centre[] = { acc_expr_extent (points, 0), acc_expr_new_int (ACC_ALL), acc_expr_new_int (ACC_ALL) };
  g_autoptr(AccArray) left = acc_array_replicate_expr (points, each_point, 3);
  g_autoptr(AccArray) right = acc_array_replicate_expr (centres, each_centre, 3);
  g_autoptr(AccArray) squares = acc_array_zip_with (left, right, square_of_difference, NULL);
  g_autoptr(AccArray) distances = acc_array_fold (squares, acc_expr_new_float (0), acc_work_plus, NULL);
  g_autoptr(AccArray) pairs = acc_array_imap (distances, numbered, NULL);
  g_autoptr(AccArray) best = acc_array_fold1 (pairs, smaller, NULL);

  return acc_array_unzip (best, 1);
}

static AccExpr *
beside_label (AccExpr *index, AccExpr *x, gpointer labels)
{
  AccExpr *label = acc_expr_index (labels, acc_expr_item (index, 0));

  return acc_expr_tuple2 (label, acc_expr_item (index, 1));
}

static AccExpr *
zero (AccExpr *x, gpointer data)
{
  return acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 0);
}

static AccExpr *
one (AccExpr *x, gpointer data)
{
  return acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 1);
}

/* A centre that has no points stays. */
static AccExpr *
middle (AccExpr *index, AccExpr *total, AccExpr *centre, gpointer counts)
{
  g_autoptr(AccExpr) count = acc_expr_ref_sink (acc_expr_index (counts, acc_expr_item (index, 0)));

  return acc_expr_cond (acc_expr_gt (count, acc_expr_new_float (0)), acc_expr_fdiv (total, count), centre);
}

/* The middle of the points of each label */
static AccArray *
middles (AccArray *points, AccArray *labels, AccArray *centres)
{
  const gint64 first[] = { ACC_ALL, 0 };
  g_autoptr(AccArray) places = acc_array_imap (points, beside_label, labels);
  g_autoptr(AccArray) nothing = acc_array_map (centres, zero, NULL);
  g_autoptr(AccArray) sums = acc_array_permute (points, nothing, places, acc_work_plus, NULL);
  g_autoptr(AccArray) column = acc_array_slice (centres, first, 2);
  g_autoptr(AccArray) none = acc_array_map (column, zero, NULL);
  g_autoptr(AccArray) ones = acc_array_map (labels, one, NULL);
  g_autoptr(AccArray) counts = acc_array_permute (ones, none, labels, acc_work_plus, NULL);

  return acc_array_izip_with (sums, centres, middle, counts);
}

static GPtrArray *
step (AccArray **a, guint n, gpointer data)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  AccArray *labels = nearest (a[0], a[1]);

  g_ptr_array_add (results, middles (a[0], labels, a[1]));
  g_ptr_array_add (results, labels);
  return results;
}

static gpointer
prepare (gsize n)
{
  AccWork *self = acc_work_new ();
  g_autofree float *x = contender_floats (n, 1, -10, 10), *y = contender_floats (n, 2, -10, 10);
  float *points = contender_memory (2 * n * sizeof *points), *centres = contender_memory (2 * N_CLUSTERS * sizeof *centres);

  for (gsize i = 0; i < n; i++)
    {
      points[2 * i] = x[i];
      points[2 * i + 1] = y[i];
    }
  memcpy (centres, points, 2 * N_CLUSTERS * sizeof *centres);
  acc_work_add_matrix (self, "f4", points, n, 2);
  acc_work_add_matrix (self, "f4", centres, N_CLUSTERS, 2);
  return acc_work_compile_many (self, step, NULL);
}

static double
check (gpointer self)
{
  double sum = 0;

  for (gsize i = 0; i < 2 * N_CLUSTERS; i++)
    sum += ABS (acc_work_get_number (self, 0, 0, i));
  return sum + acc_work_digest (self, 1, 0);
}

const Work acc_clusters[] = {
  { "k-means", prepare, acc_work_run, check, acc_work_free },
  { NULL },
};
