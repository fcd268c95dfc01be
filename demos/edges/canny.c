/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Edge detection after Canny (1986): grey, Gaussian, Sobel, non-maximum suppression, double threshold; a weak edge
 * stays where one of its eight neighbours is strong. Squares of magnitudes are compared, which needs no roots. */

#include "canny.h"

#define N(dy, dx) acc_expr_neighbour2 (n, dy, dx)

/* The largest Sobel response to values from 0 to 255: 4 · 255 along each axis. */
#define LARGEST_GRADIENT 1442.5

typedef struct {
  double low, high;     /* of squares */
} Thresholds;

static double
square_of (double fraction)
{
  return fraction * LARGEST_GRADIENT * fraction * LARGEST_GRADIENT;
}

static AccExpr *
f4 (AccExpr *x)
{
  return acc_expr_cast (x, acc_element_type_new (ACC_KIND_F32));
}

static AccExpr *
u1 (AccExpr *x)
{
  return acc_expr_cast (x, acc_element_type_new (ACC_KIND_U8));
}

static AccExpr *
luma (AccExpr *r, AccExpr *g, AccExpr *b, gpointer data)
{
  return acc_expr_add (acc_expr_add (acc_expr_mul (f4 (r), acc_expr_new_float (0.299)),
                                     acc_expr_mul (f4 (g), acc_expr_new_float (0.587))),
                       acc_expr_mul (f4 (b), acc_expr_new_float (0.114)));
}

static AccExpr *
to_float (AccExpr *x, gpointer data)
{
  return f4 (x);
}

AccArray *
picture_grey (AccArray *picture)
{
  if (acc_array_get_rank (picture) == 2)
    return acc_array_map (picture, to_float, NULL);

  AccShape *shape = acc_array_get_shape (picture);
  if (shape != NULL && acc_shape_get_extent (shape, 2) == 2)
    {
      const gint64 value[] = { ACC_ALL, ACC_ALL, 0 };
      g_autoptr(AccArray) values = acc_array_slice (picture, value, 3);
      return acc_array_map (values, to_float, NULL);
    }

  const gint64 red[] = { ACC_ALL, ACC_ALL, 0 }, green[] = { ACC_ALL, ACC_ALL, 1 }, blue[] = { ACC_ALL, ACC_ALL, 2 };
  g_autoptr(AccArray) r = acc_array_slice (picture, red, 3);
  g_autoptr(AccArray) g = acc_array_slice (picture, green, 3);
  g_autoptr(AccArray) b = acc_array_slice (picture, blue, 3);
  AccArray *grey = acc_array_zip_with3 (r, g, b, luma, NULL);

  acc_array_set_label (grey, "grey");
  return grey;
}

/* 1, 4, 6, 4 and 1 sixteenths of five neighbours: what a row or a column of the Gaussian is made of */
static AccExpr *
binomial (AccExpr *a, AccExpr *b, AccExpr *c, AccExpr *d, AccExpr *e)
{
  AccExpr *outer = acc_expr_mul (acc_expr_add (a, e), acc_expr_new_float (1 / 16.));
  AccExpr *inner = acc_expr_mul (acc_expr_add (b, d), acc_expr_new_float (4 / 16.));

  return acc_expr_add (acc_expr_add (outer, inner), acc_expr_mul (c, acc_expr_new_float (6 / 16.)));
}

static AccExpr *
down (AccExpr *n, gpointer data)
{
  return binomial (N (-2, 0), N (-1, 0), N (0, 0), N (1, 0), N (2, 0));
}

static AccExpr *
across (AccExpr *n, gpointer data)
{
  return binomial (N (0, -2), N (0, -1), N (0, 0), N (0, 1), N (0, 2));
}

AccArray *
picture_blur (AccArray *grey)
{
  const gint64 column[] = { 5, 1 }, row[] = { 1, 5 };
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccArray) columns = acc_array_stencil (grey, column, 2, clamp, down, NULL);
  AccArray *blur = acc_array_stencil (columns, row, 2, clamp, across, NULL);

  acc_array_set_label (columns, "down");
  acc_array_set_label (blur, "gaussian");
  return blur;
}

static AccExpr *
weighted (AccExpr *a, AccExpr *b, AccExpr *c)
{
  return acc_expr_add (acc_expr_add (a, acc_expr_mul (b, acc_expr_new_float (2))), c);
}

static AccExpr *
sobel (AccExpr *n, gpointer data)
{
  g_autoptr(AccExpr) gx = acc_expr_ref_sink (acc_expr_sub (weighted (N (-1, 1), N (0, 1), N (1, 1)),
                                                           weighted (N (-1, -1), N (0, -1), N (1, -1))));
  g_autoptr(AccExpr) gy = acc_expr_ref_sink (acc_expr_sub (weighted (N (1, -1), N (1, 0), N (1, 1)),
                                                           weighted (N (-1, -1), N (-1, 0), N (-1, 1))));
  AccExpr *square = acc_expr_add (acc_expr_mul (gx, gx), acc_expr_mul (gy, gy));

  /* tan 22.5° and tan 67.5° part the four directions. */
  g_autoptr(AccExpr) ax = acc_expr_ref_sink (acc_expr_abs (gx));
  g_autoptr(AccExpr) ay = acc_expr_ref_sink (acc_expr_abs (gy));
  AccExpr *flat = acc_expr_le (ay, acc_expr_mul (ax, acc_expr_new_float (0.41421356)));
  AccExpr *steep = acc_expr_ge (ay, acc_expr_mul (ax, acc_expr_new_float (2.41421356)));
  AccExpr *falling = acc_expr_gt (acc_expr_mul (gx, gy), acc_expr_new_float (0));
  AccExpr *direction = acc_expr_cond (flat, acc_expr_new_int (0),
                                      acc_expr_cond (steep, acc_expr_new_int (2),
                                                     acc_expr_cond (falling, acc_expr_new_int (3), acc_expr_new_int (1))));

  return acc_expr_tuple2 (square, u1 (direction));
}

AccArray *
picture_gradient (AccArray *grey)
{
  const gint64 sizes[] = { 3, 3 };
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  AccArray *gradient = acc_array_stencil (grey, sizes, 2, clamp, sobel, NULL);

  acc_array_set_label (gradient, "sobel");
  return gradient;
}

static AccExpr *
square_at (AccExpr *n, int dy, int dx)
{
  return acc_expr_item (N (dy, dx), 0);
}

/* Is the centre at least as large as both neighbours across the edge? */
static AccExpr *
ridge (AccExpr *n, int dy, int dx)
{
  return acc_expr_band (acc_expr_ge (square_at (n, 0, 0), square_at (n, dy, dx)),
                        acc_expr_gt (square_at (n, 0, 0), square_at (n, -dy, -dx)));
}

/* 0: no edge, 1: weak, 2: strong */
static AccExpr *
thin (AccExpr *n, gpointer data)
{
  const Thresholds *t = data;
  g_autoptr(AccExpr) direction = acc_expr_ref_sink (acc_expr_item (N (0, 0), 1));
  AccExpr *largest = acc_expr_cond (acc_expr_eq (direction, acc_expr_new_int (0)), ridge (n, 0, 1),
                                    acc_expr_cond (acc_expr_eq (direction, acc_expr_new_int (2)), ridge (n, 1, 0),
                                                   acc_expr_cond (acc_expr_eq (direction, acc_expr_new_int (3)), ridge (n, 1, 1),
                                                                  ridge (n, -1, 1))));
  AccExpr *strong = acc_expr_ge (square_at (n, 0, 0), acc_expr_new_float (t->high));
  AccExpr *weak = acc_expr_ge (square_at (n, 0, 0), acc_expr_new_float (t->low));
  AccExpr *grade = acc_expr_cond (strong, acc_expr_new_int (2), acc_expr_cond (weak, acc_expr_new_int (1), acc_expr_new_int (0)));

  return u1 (acc_expr_cond (largest, grade, acc_expr_new_int (0)));
}

static AccExpr *
connect (AccExpr *n, gpointer data)
{
  AccExpr *around = N (0, 0);

  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dy || dx)
        around = acc_expr_max (around, N (dy, dx));

  AccExpr *edge = acc_expr_band (acc_expr_ge (N (0, 0), acc_expr_new_int (1)), acc_expr_eq (around, acc_expr_new_int (2)));

  return u1 (acc_expr_cond (edge, acc_expr_new_int (255), acc_expr_new_int (0)));
}

AccArray *
picture_canny (AccArray *picture, double low, double high)
{
  const gint64 sizes[] = { 3, 3 };
  Thresholds thresholds = { square_of (low), square_of (high) };
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccArray) grey = picture_grey (picture);
  g_autoptr(AccArray) blur = picture_blur (grey);
  g_autoptr(AccArray) gradient = picture_gradient (blur);
  g_autoptr(AccArray) thinned = acc_array_stencil (gradient, sizes, 2, clamp, thin, &thresholds);
  AccArray *edges = acc_array_stencil (thinned, sizes, 2, clamp, connect, NULL);

  acc_array_set_label (thinned, "thin");
  acc_array_set_label (edges, "connect");
  return edges;
}
