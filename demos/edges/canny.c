/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Edge detection after Canny (1986): grey, Gaussian, Sobel, non-maximum suppression, hysteresis. All of it in integers, with squares in
 * place of magnitudes, so that every backend finds the same pixels, and the same as OpenCV's Canny with the L2 gradient. */

#include "canny.h"

#define N(dy, dx) acc_expr_neighbour2 (n, dy, dx)

/* The largest Sobel response to values from 0 to 255: 4 · 255 along each axis. */
#define LARGEST_GRADIENT 1442.5

typedef struct {
  gint64 low, high;     /* of squares: what is more than that is weak, and strong */
} Thresholds;

static gint64
square_of (double fraction)
{
  return (gint64) (fraction * LARGEST_GRADIENT * fraction * LARGEST_GRADIENT);
}

static AccExpr *
as (AccExpr *x, AccElementKind kind)
{
  return acc_expr_cast (x, acc_element_type_new (kind));
}

/* In units of 2^-15, rounded */
static AccExpr *
luma (AccExpr *r, AccExpr *g, AccExpr *b, gpointer data)
{
  AccExpr *red = acc_expr_mul (as (r, ACC_KIND_I32), acc_expr_new_int (9798));
  AccExpr *green = acc_expr_mul (as (g, ACC_KIND_I32), acc_expr_new_int (19235));
  AccExpr *blue = acc_expr_mul (as (b, ACC_KIND_I32), acc_expr_new_int (3735));
  AccExpr *sum = acc_expr_add (acc_expr_add (red, green), acc_expr_add (blue, acc_expr_new_int (1 << 14)));

  return as (acc_expr_shr (sum, acc_expr_new_int (15)), ACC_KIND_U8);
}

AccArray *
picture_grey (AccArray *picture)
{
  if (acc_array_get_rank (picture) == 2)
    return g_object_ref (picture);

  AccShape *shape = acc_array_get_shape (picture);
  if (shape != NULL && acc_shape_get_extent (shape, 2) == 2)
    {
      const gint64 value[] = { ACC_ALL, ACC_ALL, 0 };
      return acc_array_slice (picture, value, 3);
    }

  const gint64 red[] = { ACC_ALL, ACC_ALL, 0 }, green[] = { ACC_ALL, ACC_ALL, 1 }, blue[] = { ACC_ALL, ACC_ALL, 2 };
  g_autoptr(AccArray) r = acc_array_slice (picture, red, 3);
  g_autoptr(AccArray) g = acc_array_slice (picture, green, 3);
  g_autoptr(AccArray) b = acc_array_slice (picture, blue, 3);
  AccArray *grey = acc_array_zip_with3 (r, g, b, luma, NULL);

  acc_array_set_label (grey, "grey");
  return grey;
}

/* 1, 4, 6, 4 and 1 times five neighbours: what a row or a column of the Gaussian is made of, in sixteenths */
static AccExpr *
binomial (AccExpr *a, AccExpr *b, AccExpr *c, AccExpr *d, AccExpr *e)
{
  AccExpr *outer = acc_expr_add (as (a, ACC_KIND_U16), as (e, ACC_KIND_U16));
  AccExpr *inner = acc_expr_mul (acc_expr_add (as (b, ACC_KIND_U16), as (d, ACC_KIND_U16)), acc_expr_new_int (4));

  return acc_expr_add (acc_expr_add (outer, inner), acc_expr_mul (as (c, ACC_KIND_U16), acc_expr_new_int (6)));
}

static AccExpr *
down (AccExpr *n, gpointer data)
{
  return binomial (N (-2, 0), N (-1, 0), N (0, 0), N (1, 0), N (2, 0));
}

static AccExpr *
across (AccExpr *n, gpointer data)
{
  AccExpr *sum = binomial (N (0, -2), N (0, -1), N (0, 0), N (0, 1), N (0, 2));

  return as (acc_expr_shr (acc_expr_add (sum, acc_expr_new_int (128)), acc_expr_new_int (8)), ACC_KIND_U8);
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
  AccExpr *outer = acc_expr_add (as (a, ACC_KIND_I32), as (c, ACC_KIND_I32));

  return acc_expr_add (outer, acc_expr_mul (as (b, ACC_KIND_I32), acc_expr_new_int (2)));
}

static AccExpr *
sobel (AccExpr *n, gpointer data)
{
  g_autoptr(AccExpr) gx = acc_expr_ref_sink (acc_expr_sub (weighted (N (-1, 1), N (0, 1), N (1, 1)),
                                                           weighted (N (-1, -1), N (0, -1), N (1, -1))));
  g_autoptr(AccExpr) gy = acc_expr_ref_sink (acc_expr_sub (weighted (N (1, -1), N (1, 0), N (1, 1)),
                                                           weighted (N (-1, -1), N (-1, 0), N (-1, 1))));
  AccExpr *square = acc_expr_add (acc_expr_mul (gx, gx), acc_expr_mul (gy, gy));

  /* tan 22.5° and tan 67.5° part the four directions, in units of 2^-15. */
  g_autoptr(AccExpr) ax = acc_expr_ref_sink (acc_expr_abs (gx));
  g_autoptr(AccExpr) ay = acc_expr_ref_sink (acc_expr_mul (acc_expr_abs (gy), acc_expr_new_int (1 << 15)));
  AccExpr *flat = acc_expr_lt (ay, acc_expr_mul (ax, acc_expr_new_int (13573)));
  AccExpr *steep = acc_expr_gt (ay, acc_expr_mul (ax, acc_expr_new_int (13573 + (2 << 15))));
  AccExpr *falling = acc_expr_gt (acc_expr_mul (gx, gy), acc_expr_new_int (0));
  AccExpr *direction = acc_expr_cond (flat, acc_expr_new_int (0),
                                      acc_expr_cond (steep, acc_expr_new_int (2),
                                                     acc_expr_cond (falling, acc_expr_new_int (3), acc_expr_new_int (1))));

  return acc_expr_tuple2 (square, as (direction, ACC_KIND_U8));
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

/* Is the centre larger than both neighbours across the edge? Along rows and columns it may equal the one behind it. */
static AccExpr *
is_ridge (AccExpr *n, int dy, int dx)
{
  AccExpr *behind = dy != 0 && dx != 0 ? acc_expr_gt (square_at (n, 0, 0), square_at (n, dy, dx))
                                       : acc_expr_ge (square_at (n, 0, 0), square_at (n, dy, dx));

  return acc_expr_land (acc_expr_gt (square_at (n, 0, 0), square_at (n, -dy, -dx)), behind);
}

/* 0: no edge, 1: weak, 2: strong */
static AccExpr *
thin (AccExpr *n, gpointer data)
{
  const Thresholds *t = data;
  g_autoptr(AccExpr) direction = acc_expr_ref_sink (acc_expr_item (N (0, 0), 1));
  AccExpr *largest = acc_expr_cond (acc_expr_eq (direction, acc_expr_new_int (0)), is_ridge (n, 0, 1),
                                    acc_expr_cond (acc_expr_eq (direction, acc_expr_new_int (2)), is_ridge (n, 1, 0),
                                                   acc_expr_cond (acc_expr_eq (direction, acc_expr_new_int (3)), is_ridge (n, 1, 1),
                                                                  is_ridge (n, -1, 1))));
  AccExpr *strong = acc_expr_gt (square_at (n, 0, 0), acc_expr_new_int (t->high));
  AccExpr *weak = acc_expr_gt (square_at (n, 0, 0), acc_expr_new_int (t->low));
  AccExpr *grade = acc_expr_cond (strong, acc_expr_new_int (2), acc_expr_cond (weak, acc_expr_new_int (1), acc_expr_new_int (0)));

  return as (acc_expr_cond (largest, grade, acc_expr_new_int (0)), ACC_KIND_U8);
}

AccArray *
picture_thin (AccArray *picture, double low, double high)
{
  const gint64 sizes[] = { 3, 3 };
  Thresholds thresholds = { square_of (low), square_of (high) };
  g_autoptr(AccBoundary) nothing = acc_boundary_new_constant (acc_expr_tuple2 (acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32),
                                                                                                       0),
                                                                               acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_U8),
                                                                                                       0)));
  g_autoptr(AccArray) grey = picture_grey (picture);
  g_autoptr(AccArray) blur = picture_blur (grey);
  g_autoptr(AccArray) gradient = picture_gradient (blur);
  AccArray *thinned = acc_array_stencil (gradient, sizes, 2, nothing, thin, &thresholds);

  acc_array_set_label (thinned, "thin");
  return thinned;
}

/* --- weak edges */

static AccExpr *
white_if (AccExpr *is_edge)
{
  return as (acc_expr_cond (is_edge, acc_expr_new_int (255), acc_expr_new_int (0)), ACC_KIND_U8);
}

static AccExpr *
is_edge (AccExpr *grade, gpointer data)
{
  return acc_expr_ne (grade, acc_expr_new_int (0));
}

/* Strong ones go to the number of their edge. */
static AccExpr *
number_of_strong (AccExpr *number, AccExpr *grade, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_eq (grade, acc_expr_new_int (2)), as (number, ACC_KIND_I64));
}

static AccExpr *
larger (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_max (x, y);
}

/* @largest: of each edge, by number; 0 is no edge */
static AccExpr *
draw (AccExpr *number, gpointer largest)
{
  return white_if (acc_expr_eq (acc_expr_linear_index (largest, as (number, ACC_KIND_I64)), acc_expr_new_int (2)));
}

AccArray *
picture_follow (AccArray *grades)
{
  g_autoptr(AccArray) is_any = acc_array_map (grades, is_edge, NULL), n_edges = NULL;
  g_autoptr(AccArray) numbers = acc_array_label_components (is_any, 2, &n_edges);
  g_autoptr(AccArray) targets = acc_array_zip_with (numbers, grades, number_of_strong, NULL);
  g_autoptr(AccArray) nothing = acc_array_fill_expr (acc_expr_add (acc_expr_the (n_edges), acc_expr_new_int (1)),
                                                     acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_U8), 0));
  g_autoptr(AccArray) largest = acc_array_permute (grades, nothing, targets, larger, NULL);
  AccArray *edges = acc_array_map (numbers, draw, largest);

  acc_array_set_label (edges, "follow");
  return edges;
}

static AccExpr *
connect (AccExpr *n, gpointer data)
{
  AccExpr *around = N (0, 0);

  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dy || dx)
        around = acc_expr_max (around, N (dy, dx));

  return white_if (acc_expr_land (acc_expr_ge (N (0, 0), acc_expr_new_int (1)), acc_expr_eq (around, acc_expr_new_int (2))));
}

AccArray *
picture_follow_near (AccArray *grades)
{
  const gint64 sizes[] = { 3, 3 };
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  AccArray *edges = acc_array_stencil (grades, sizes, 2, clamp, connect, NULL);

  acc_array_set_label (edges, "connect");
  return edges;
}

AccArray *
picture_canny (AccArray *picture, double low, double high)
{
  g_autoptr(AccArray) grades = picture_thin (picture, low, high);

  return picture_follow (grades);
}
