/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attention.h"

#include <math.h>

static AccExpr *
scale (AccExpr *x, gpointer factor)
{
  return acc_expr_mul (x, acc_expr_new_float (*(double *) factor));
}

/* What exp (x - largest) is of a score, and of the largest one before: by that, sums of such shrink when the largest grows. */
static AccExpr *
weight (AccExpr *score, AccExpr *largest, gpointer data)
{
  return acc_expr_exp (acc_expr_sub (score, largest));
}

static AccExpr *
normalise (AccExpr *output, AccExpr *sum, gpointer data)
{
  return acc_expr_fdiv (output, sum);
}

static AccExpr *
is_below (AccExpr *x, gpointer array)
{
  return acc_expr_lt (x, acc_expr_extent (array, 0));
}

static AccExpr *
advance (AccExpr *x, gpointer step)
{
  return acc_expr_add (x, acc_expr_new_int (*(gint64 *) step));
}

/* [n] to [n,columns] */
static AccArray *
beside_itself (AccArray *vector, AccExpr *columns)
{
  AccExpr *specification[] = { acc_expr_new_int (ACC_ALL), columns };

  return acc_array_replicate_expr (vector, specification, 2);
}

/* The state of the loop */
enum {
  START,                    /* of the next block, i8 */
  LARGEST,                  /* [n], of the scores seen so far */
  SUM,                      /* [n], of their weights */
  OUTPUT,                   /* [n,d], not yet divided by the sum */
  N_STATES,
};

static AccArray *
has_more (AccArray **state, guint n_state, gpointer data)
{
  const Attention *attention = data;

  return acc_array_map (state[START], is_below, attention->k);
}

static GPtrArray *
attend_to_block (AccArray **state, guint n_state, gpointer data)
{
  const Attention *attention = data;
  double inverse_root = 1 / sqrt (attention->d);
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  g_autoptr(AccArray) k = acc_array_slit_on (attention->k, 0, acc_expr_the (state[START]), acc_expr_new_int (attention->block));
  g_autoptr(AccArray) v = acc_array_slit_on (attention->v, 0, acc_expr_the (state[START]), acc_expr_new_int (attention->block));
  g_autoptr(AccArray) keys = acc_array_transpose (k);
  g_autoptr(AccArray) dots = acc_array_matmul (attention->q, keys);
  g_autoptr(AccArray) scores = acc_array_map (dots, scale, &inverse_root);

  g_autoptr(AccArray) of_block = acc_array_maximum (scores);
  g_autoptr(AccArray) largest = acc_array_max (state[LARGEST], of_block);
  g_autoptr(AccArray) each_key = beside_itself (largest, acc_expr_extent (k, 0));
  g_autoptr(AccArray) weights = acc_array_zip_with (scores, each_key, weight, NULL);
  g_autoptr(AccArray) sum = acc_array_sum (weights);
  g_autoptr(AccArray) addition = acc_array_matmul (weights, v);

  g_autoptr(AccArray) shrink = acc_array_zip_with (state[LARGEST], largest, weight, NULL);
  g_autoptr(AccArray) kept_sum = acc_array_mul (state[SUM], shrink);
  g_autoptr(AccArray) each_column = beside_itself (shrink, acc_expr_new_int (attention->d));
  g_autoptr(AccArray) kept = acc_array_mul (state[OUTPUT], each_column);

  g_ptr_array_add (next, acc_array_map (state[START], advance, (gpointer) &attention->block));
  g_ptr_array_add (next, g_object_ref (largest));
  g_ptr_array_add (next, acc_array_add (kept_sum, sum));
  g_ptr_array_add (next, acc_array_add (kept, addition));
  return next;
}

AccArray *
attention_attend (Attention *attention)
{
  const char *signatures[] = { "i8", "f4[:]", "f4[:]", "f4[:,:]", NULL };
  AccElementType *f4 = acc_element_type_new (ACC_KIND_F32);
  g_autoptr(AccProgram) condition = acc_program_new (signatures, has_more, attention);
  g_autoptr(AccProgram) step = acc_program_new_many (signatures, attend_to_block, attention);

  AccShape *shape = acc_array_get_shape (attention->q);
  g_autoptr(AccShape) rows = acc_shape_new_vector (acc_shape_get_extent (shape, 0));
  g_autoptr(AccArray) start = acc_array_unit (acc_expr_new_int (0));
  g_autoptr(AccArray) lowest = acc_array_fill (rows, acc_expr_new_typed_float (f4, -INFINITY));
  g_autoptr(AccArray) nothing = acc_array_fill (rows, acc_expr_new_typed_float (f4, 0));
  g_autoptr(AccArray) zeros = acc_array_fill (shape, acc_expr_new_typed_float (f4, 0));
  AccArray *initial[N_STATES] = { start, lowest, nothing, zeros };
  g_autoptr(GPtrArray) last = acc_array_while_loop_many (initial, N_STATES, condition, step);
  g_autoptr(AccArray) each_column = beside_itself (last->pdata[SUM], acc_expr_new_int (attention->d));

  return acc_array_zip_with (last->pdata[OUTPUT], each_column, normalise, NULL);
}
