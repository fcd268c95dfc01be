/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pictures of 8 bits, edges clamped; the edges are those of demos/edges. */

#include "acc-works.h"
#include "canny.h"
#include "inputs.h"

#define N(dy, dx) acc_expr_neighbour2 (n, dy, dx)

static AccExpr *
as (AccExpr *x, AccElementKind kind)
{
  return acc_expr_cast (x, acc_element_type_new (kind));
}

/* --- Gaussian: down in 16 bits, then across */

static AccExpr *
binomial (AccExpr *a, AccExpr *b, AccExpr *c, AccExpr *d, AccExpr *e)
{
  AccExpr *outer = acc_expr_add (a, e);
  AccExpr *inner = acc_expr_mul (acc_expr_add (b, d), acc_expr_new_int (4));

  return acc_expr_add (acc_expr_add (outer, inner), acc_expr_mul (c, acc_expr_new_int (6)));
}

static AccExpr *
wide (AccExpr *n, int dy)
{
  return as (N (dy, 0), ACC_KIND_U16);
}

static AccExpr *
down (AccExpr *n, gpointer data)
{
  return binomial (wide (n, -2), wide (n, -1), wide (n, 0), wide (n, 1), wide (n, 2));
}

static AccExpr *
across (AccExpr *n, gpointer data)
{
  AccExpr *sum = binomial (N (0, -2), N (0, -1), N (0, 0), N (0, 1), N (0, 2));

  return as (acc_expr_shr (acc_expr_add (sum, acc_expr_new_int (128)), acc_expr_new_int (8)), ACC_KIND_U8);
}

static AccArray *
build_gauss (AccArray **a, guint n, gpointer data)
{
  const gint64 column[] = { 5, 1 }, row[] = { 1, 5 };
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccArray) sums = acc_array_stencil (a[0], column, 2, clamp, down, NULL);

  return acc_array_stencil (sums, row, 2, clamp, across, NULL);
}

/* --- Sobel */

static AccExpr *
weighted (AccExpr *a, AccExpr *b, AccExpr *c)
{
  AccExpr *outer = acc_expr_add (as (a, ACC_KIND_I16), as (c, ACC_KIND_I16));

  return acc_expr_add (outer, acc_expr_mul (as (b, ACC_KIND_I16), acc_expr_new_int (2)));
}

static AccExpr *
magnitude (AccExpr *n, gpointer data)
{
  AccExpr *gx = acc_expr_sub (weighted (N (-1, 1), N (0, 1), N (1, 1)), weighted (N (-1, -1), N (0, -1), N (1, -1)));
  AccExpr *gy = acc_expr_sub (weighted (N (1, -1), N (1, 0), N (1, 1)), weighted (N (-1, -1), N (-1, 0), N (-1, 1)));

  return as (acc_expr_min (acc_expr_add (acc_expr_abs (gx), acc_expr_abs (gy)), acc_expr_new_int (255)), ACC_KIND_U8);
}

static AccArray *
build_sobel (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil (a[0], (gint64[]) { 3, 3 }, 2, clamp, magnitude, NULL);
}

static AccArray *
build_edges (AccArray **a, guint n, gpointer data)
{
  return picture_canny (a[0], EDGES_LOW, EDGES_HIGH);
}

static AccArray *
build_label (AccArray **a, guint n, gpointer data)
{
  return acc_array_label_components (a[0], 1, NULL);
}

/* --- works */

static gpointer
prepare (gsize side, AccArrayFunc build)
{
  AccWork *self = acc_work_new ();

  acc_work_add_matrix (self, "u1", input_picture (side), side, side);
  return acc_work_compile (self, build, NULL);
}

static gpointer
prepare_gauss (gsize side)
{
  return prepare (side, build_gauss);
}

static gpointer
prepare_sobel (gsize side)
{
  return prepare (side, build_sobel);
}

/* Labels are i4, as everywhere else, where it is known how many there may be. */
static gpointer
prepare_labels (guint8 *picture, gsize side, AccArrayFunc build)
{
  AccWork *self = acc_work_new ();

  acc_work_add_matrix (self, "u1", picture, side, side);
  g_free (self->signatures[0]);
  self->signatures[0] = g_strdup_printf ("u1[%" G_GSIZE_FORMAT ",%" G_GSIZE_FORMAT "]", side, side);
  return acc_work_compile (self, build, NULL);
}

static gpointer
prepare_edges (gsize side)
{
  return prepare_labels (input_picture (side), side, build_edges);
}

static gpointer
prepare_label (gsize side)
{
  return prepare_labels (input_speckles (side), side, build_label);
}

const Work acc_pictures[] = {
  { "gauss", prepare_gauss, acc_work_run, acc_work_check, acc_work_free },
  { "sobel", prepare_sobel, acc_work_run, acc_work_check, acc_work_free },
  { "edges", prepare_edges, acc_work_run, acc_work_check, acc_work_free },
  { "label", prepare_label, acc_work_run, acc_work_check, acc_work_free },
  { NULL },
};
