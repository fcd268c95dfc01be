/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attention.h"

#include <math.h>

/* Of the scores seen so far: the largest, and the sum of exp (score - largest). Two parts of a row make a larger one. */
static AccExpr *
merge (AccExpr *a, AccExpr *b, gpointer data)
{
  g_autoptr (AccExpr) largest = acc_expr_ref_sink (acc_expr_max (acc_expr_item (a, 0), acc_expr_item (b, 0)));
  AccExpr *shrink_a = acc_expr_exp (acc_expr_sub (acc_expr_item (a, 0), largest));
  AccExpr *shrink_b = acc_expr_exp (acc_expr_sub (acc_expr_item (b, 0), largest));

  return acc_expr_tuple2 (largest, acc_expr_add (acc_expr_mul (acc_expr_item (a, 1), shrink_a),
                                                 acc_expr_mul (acc_expr_item (b, 1), shrink_b)));
}

static AccExpr *
single (AccExpr *score, gpointer data)
{
  return acc_expr_tuple2 (score, acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 1));
}

static AccExpr *
scale (AccExpr *x, gpointer factor)
{
  return acc_expr_mul (x, acc_expr_new_float (*(double *) factor));
}

/* exp (score - largest) */
static AccExpr *
weight (AccExpr *score, AccExpr *statistics, gpointer data)
{
  return acc_expr_exp (acc_expr_sub (score, acc_expr_item (statistics, 0)));
}

/* By what the output shrinks when the largest score grows */
static AccExpr *
rescale (AccExpr *before, AccExpr *after, gpointer data)
{
  return acc_expr_exp (acc_expr_sub (acc_expr_item (before, 0), acc_expr_item (after, 0)));
}

static AccExpr *
normalise (AccExpr *output, AccExpr *statistics, gpointer data)
{
  return acc_expr_fdiv (output, acc_expr_item (statistics, 1));
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
  STATISTICS,               /* [n] of (largest, sum) */
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

  g_autoptr (AccArray) k = acc_array_slit_on (attention->k, 0, acc_expr_the (state[START]), acc_expr_new_int (attention->block));
  g_autoptr (AccArray) v = acc_array_slit_on (attention->v, 0, acc_expr_the (state[START]), acc_expr_new_int (attention->block));
  g_autoptr (AccArray) keys = acc_array_transpose (k);
  g_autoptr (AccArray) dots = acc_array_matmul (attention->q, keys);
  g_autoptr (AccArray) scores = acc_array_map (dots, scale, &inverse_root);

  g_autoptr (AccArray) singles = acc_array_map (scores, single, NULL);
  g_autoptr (AccArray) of_block = acc_array_fold1 (singles, merge, NULL);
  g_autoptr (AccArray) statistics = acc_array_zip_with (state[STATISTICS], of_block, merge, NULL);

  /* Every column of V reads the weights: they are computed once. */
  g_autoptr (AccArray) each_key = beside_itself (statistics, acc_expr_extent (k, 0));
  g_autoptr (AccArray) delayed = acc_array_zip_with (scores, each_key, weight, NULL);
  g_autoptr (AccArray) weights = acc_array_compute (delayed);
  g_autoptr (AccArray) addition = acc_array_matmul (weights, v);

  g_autoptr (AccArray) factors = acc_array_zip_with (state[STATISTICS], statistics, rescale, NULL);
  g_autoptr (AccArray) each_column = beside_itself (factors, acc_expr_new_int (attention->d));
  g_autoptr (AccArray) kept = acc_array_mul (state[OUTPUT], each_column);

  g_ptr_array_add (next, acc_array_map (state[START], advance, (gpointer) &attention->block));
  g_ptr_array_add (next, g_object_ref (statistics));
  g_ptr_array_add (next, acc_array_add (kept, addition));
  return next;
}

AccArray *
attention_attend (Attention *attention)
{
  const char *signatures[] = { "i8", "(f4,f4)[:]", "f4[:,:]", NULL };
  AccElementType *f4 = acc_element_type_new (ACC_KIND_F32);
  g_autoptr (AccProgram) condition = acc_program_new (signatures, has_more, attention);
  g_autoptr (AccProgram) step = acc_program_new_many (signatures, attend_to_block, attention);

  AccShape *shape = acc_array_get_shape (attention->q);
  g_autoptr (AccShape) rows = acc_shape_new_vector (acc_shape_get_extent (shape, 0));
  g_autoptr (AccArray) start = acc_array_unit (acc_expr_new_int (0));
  g_autoptr (AccArray) nothing_seen = acc_array_fill (rows, acc_expr_tuple2 (acc_expr_new_typed_float (f4, -INFINITY),
                                                                             acc_expr_new_typed_float (f4, 0)));
  g_autoptr (AccArray) zeros = acc_array_fill (shape, acc_expr_new_typed_float (f4, 0));
  AccArray *initial[N_STATES] = { start, nothing_seen, zeros };
  g_autoptr (GPtrArray) last = acc_array_while_loop_many (initial, N_STATES, condition, step);
  g_autoptr (AccArray) each_column = beside_itself (last->pdata[STATISTICS], acc_expr_new_int (attention->d));

  return acc_array_zip_with (last->pdata[OUTPUT], each_column, normalise, NULL);
}
