/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "steps.h"

static AccExpr *
as_float (AccExpr *x)
{
  return acc_expr_cast (x, acc_element_type_new (ACC_KIND_F32));
}

/* The number a + b i of a pixel, and when to give up */
typedef struct {
  AccExpr *a, *b;
  int      limit;
} Orbit;

/* One step of z := z² + a + b i, of a state (x, y, steps); the first item of what it returns says whether it is made. */
static AccExpr *
advance (AccExpr *state, gpointer data)
{
  const Orbit *orbit = data;
  g_autoptr(AccExpr) x = acc_expr_ref_sink (acc_expr_item (state, 0));
  g_autoptr(AccExpr) y = acc_expr_ref_sink (acc_expr_item (state, 1));
  g_autoptr(AccExpr) steps = acc_expr_ref_sink (acc_expr_item (state, 2));
  g_autoptr(AccExpr) xx = acc_expr_ref_sink (acc_expr_mul (x, x));
  g_autoptr(AccExpr) yy = acc_expr_ref_sink (acc_expr_mul (y, y));
  AccExpr *near = acc_expr_lt (acc_expr_add (xx, yy), acc_expr_new_float (4));
  AccExpr *early = acc_expr_lt (steps, acc_expr_new_int (orbit->limit));
  AccExpr *next_x = acc_expr_add (acc_expr_sub (xx, yy), orbit->a);
  AccExpr *next_y = acc_expr_add (acc_expr_mul (acc_expr_mul (acc_expr_new_float (2), x), y), orbit->b);

  return acc_expr_tuple2 (acc_expr_land (early, near),
                          acc_expr_tuple3 (next_x, next_y, acc_expr_add (steps, acc_expr_new_int (1))));
}

/* How many steps a pixel takes to leave the circle of radius 2: at most the limit */
static AccExpr *
count_steps_at (const View *view, AccExpr *row, AccExpr *column)
{
  AccElementType *f4 = acc_element_type_new (ACC_KIND_F32), *i4 = acc_element_type_new (ACC_KIND_I32);
  AccExpr *down = acc_expr_mul (as_float (row), acc_expr_new_float (view->pixel));
  AccExpr *right = acc_expr_mul (as_float (column), acc_expr_new_float (view->pixel));
  g_autoptr(AccExpr) a = acc_expr_ref_sink (acc_expr_add (acc_expr_new_float (view->left), right));
  g_autoptr(AccExpr) b = acc_expr_ref_sink (acc_expr_sub (acc_expr_new_float (view->top), down));
  AccExpr *start = acc_expr_tuple3 (acc_expr_new_typed_float (f4, 0), acc_expr_new_typed_float (f4, 0),
                                    acc_expr_new_typed_int (i4, 0));
  Orbit orbit = { a, b, view->limit };

  return acc_expr_item (acc_expr_while (start, advance, &orbit), 2);
}

static AccExpr *
count_steps (AccExpr *index, gpointer view)
{
  return count_steps_at (view, acc_expr_item (index, 0), acc_expr_item (index, 1));
}

typedef struct {
  const View *view;
  AccArray   *row;
} Row;

static AccExpr *
count_steps_in_row (AccExpr *column, gpointer data)
{
  const Row *self = data;

  return count_steps_at (self->view, acc_expr_the (self->row), column);
}

AccArray *
mandelbrot_steps (const View *view)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (view->height, view->width);

  return acc_array_generate (shape, count_steps, (gpointer) view);
}

AccArray *
mandelbrot_steps_of_row (const View *view, AccArray *row)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (view->width);
  Row self = { view, row };

  return acc_array_generate (shape, count_steps_in_row, &self);
}
