/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-array-private.h"
#include "acc-error.h"
#include "acc-expr-build-private.h"

static gboolean
is_bool (AccExpr *expr)
{
  return acc_element_type_get_kind (expr->type) == ACC_KIND_BOOL;
}

/* Makes two owned values of one type, where a literal can adapt. */
static void
agree (AccExpr **a,
       AccExpr **b)
{
  if ((*a)->weak && !(*b)->weak)
    _acc_expr_settle_slot (a, (*b)->type);
  else if ((*b)->weak && !(*a)->weak)
    _acc_expr_settle_slot (b, (*a)->type);
  else if ((*a)->type != (*b)->type)
    {
      AccElementType *f64 = acc_element_type_new (ACC_KIND_F64);

      if ((*a)->weak && !acc_element_type_is_tuple ((*a)->type) && !acc_element_type_is_tuple ((*b)->type))
        {
          _acc_expr_settle_slot (a, f64);
          _acc_expr_settle_slot (b, f64);
        }
    }
}

/**
 * acc_expr_cond:
 * @condition: a b1
 * @then: a value
 * @otherwise: a value of the same type
 *
 * A choice. Only the side that is taken is evaluated, so the other may be out of range.
 *
 * Returns: (transfer none): one of the two
 */
AccExpr *
acc_expr_cond (AccExpr *condition,
               AccExpr *then,
               AccExpr *otherwise)
{
  AccExpr *args[] = { condition, then, otherwise };
  AccExpr *error = _acc_expr_adopt (args, 3);

  if (error != NULL)
    return error;

  agree (&args[1], &args[2]);
  for (guint i = 1; i < 3; i++)
    if (_acc_expr_is_error (args[i]))
      return _acc_expr_fail (args[i], args, 3);

  if (!is_bool (args[0]))
    error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "cond: the condition is %s, not b1", acc_element_type_get_code (args[0]->type));
  else if (args[1]->type != args[2]->type)
    error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "cond: %s and %s differ; convert one with cast",
                                        acc_element_type_get_code (args[1]->type), acc_element_type_get_code (args[2]->type));
  if (error != NULL)
    {
      _acc_expr_drop (args, 3);
      return error;
    }

  AccExpr *result = _acc_expr_alloc (ACC_EXPR_COND, args[1]->type, 3);
  for (guint i = 0; i < 3; i++)
    result->args[i] = args[i];
  result->weak = args[1]->weak && args[2]->weak;
  return result;
}

AccExpr *
acc_expr_new_while (AccExpr     *initial,
                    AccFunction *predicate,
                    AccFunction *step)
{
  AccExpr *args[] = { initial };
  AccExpr *error = _acc_expr_adopt (args, 1);

  if (error != NULL)
    return error;
  if (!_acc_expr_settle_slot (&args[0], predicate->params[0]->type))
    return _acc_expr_fail (args[0], args, 1);

  AccElementType *state = args[0]->type;
  if (_acc_expr_is_error (predicate->body) || _acc_expr_is_error (step->body))
    return _acc_expr_fail (_acc_expr_is_error (predicate->body) ? predicate->body : step->body, args, 1);

  if (!is_bool (predicate->body))
    error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "while: the condition is %s, not b1", acc_element_type_get_code (predicate->body->type));
  else if (step->body->type != state || predicate->params[0]->type != state || step->params[0]->type != state)
    error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "while: the state is %s, but a step gives %s", acc_element_type_get_code (state),
                                        acc_element_type_get_code (step->body->type));
  if (error != NULL)
    {
      _acc_expr_drop (args, 1);
      return error;
    }

  AccExpr *result = _acc_expr_alloc (ACC_EXPR_WHILE, state, 1);
  result->args[0] = args[0];
  result->functions[0] = acc_function_ref (predicate);
  result->functions[1] = acc_function_ref (step);
  return result;
}

/**
 * acc_expr_while:
 * @initial: the state to begin with
 * @step: (scope call) (closure user_data): from a state to (condition, next state)
 * @user_data: for @step
 *
 * A loop: while the condition holds for the state, the state becomes the next one. The next state is evaluated only where
 * the condition holds.
 *
 * Returns: (transfer none): the first state for which the condition does not hold
 */
AccExpr *
acc_expr_while (AccExpr     *initial,
                AccExprFunc  step,
                gpointer     user_data)
{
  AccExpr *args[] = { initial };
  AccExpr *error = _acc_expr_adopt (args, 1);

  if (error != NULL)
    return error;
  if (!_acc_expr_settle_slot (&args[0], NULL))
    return _acc_expr_fail (args[0], args, 1);

  g_autoptr (AccExpr) state = args[0];
  g_autoptr (AccExpr) variable = acc_expr_ref (acc_expr_new_variable (state->type));
  g_autoptr (AccExpr) both = acc_expr_take_result (step (variable, user_data));

  if (g_atomic_int_get (&variable->floating))
    acc_expr_unref (acc_expr_ref_sink (variable));
  if (_acc_expr_is_error (both))
    return acc_expr_new_error (g_error_copy (both->error));
  if (!acc_element_type_is_tuple (both->type) || acc_element_type_get_n_items (both->type) != 2)
    return acc_expr_new_error_literal (ACC_ERROR_TYPE, "while: a step gives %s, not (condition, next state)", acc_element_type_get_code (both->type));

  g_autoptr (AccExpr) condition = acc_expr_ref_sink (acc_expr_item (both, 0));
  g_autoptr (AccExpr) next = acc_expr_ref_sink (acc_expr_item (both, 1));

  if (!_acc_expr_settle_slot (&next, state->type))
    return acc_expr_new_error (g_error_copy (next->error));

  g_autoptr (AccFunction) predicate = acc_function_new (&variable, 1, condition);
  g_autoptr (AccFunction) advance = acc_function_new (&variable, 1, next);

  return acc_expr_new_while (state, predicate, advance);
}

typedef struct {
  AccExpr    *n;
  AccExprFunc step;
  gpointer    user_data;
} Iteration;

static AccExpr *
iteration_step (AccExpr *state,
                gpointer data)
{
  Iteration *iteration = data;
  AccExpr *i = acc_expr_item (state, 0);
  g_autoptr (AccExpr) counter = acc_expr_ref_sink (i);
  AccExpr *next = iteration->step (acc_expr_item (state, 1), iteration->user_data);

  if (next == NULL)
    return NULL;
  return acc_expr_tuple2 (acc_expr_lt (counter, iteration->n),
                          acc_expr_tuple2 (acc_expr_add (counter, acc_expr_new_int (1)), next));
}

/**
 * acc_expr_iterate:
 * @n: how often, an i8
 * @initial: the value to begin with
 * @step: (scope call) (closure user_data): from a value to the next
 * @user_data: for @step
 *
 * Applies a function @n times; not at all where @n is not positive.
 *
 * Returns: (transfer none): the last value
 */
AccExpr *
acc_expr_iterate (AccExpr     *n,
                  AccExpr     *initial,
                  AccExprFunc  step,
                  gpointer     user_data)
{
  AccExpr *args[] = { n, initial };
  AccExpr *error = _acc_expr_adopt (args, 2);

  if (error != NULL)
    return error;
  if (!_acc_expr_to_index (&args[0]))
    {
      _acc_expr_drop (args, 2);
      return acc_expr_new_error_literal (ACC_ERROR_TYPE, "iterate: the count is no integer");
    }

  Iteration iteration = { args[0], step, user_data };
  AccExpr *result = acc_expr_item (acc_expr_while (acc_expr_tuple2 (acc_expr_new_int (0), args[1]), iteration_step, &iteration), 1);

  _acc_expr_drop (args, 2);
  return result;
}

/**
 * acc_expr_and_then:
 * @a: a b1
 * @b: a b1, evaluated only where @a holds
 *
 * Returns: (transfer none): whether both hold
 */
AccExpr *
acc_expr_and_then (AccExpr *a,
                   AccExpr *b)
{
  return acc_expr_cond (a, b, acc_expr_new_bool (FALSE));
}

/**
 * acc_expr_or_else:
 * @a: a b1
 * @b: a b1, evaluated only where @a does not hold
 *
 * Returns: (transfer none): whether one holds
 */
AccExpr *
acc_expr_or_else (AccExpr *a,
                  AccExpr *b)
{
  return acc_expr_cond (a, acc_expr_new_bool (TRUE), b);
}

typedef struct {
  AccArray    *array;
  AccExpr     *index;
  AccExprFunc2 function;
  gpointer     user_data;
} RowFold;

static AccExpr *
row_step (AccExpr *state,
          gpointer data)
{
  RowFold *fold = data;
  guint outer = fold->array->rank - 1;
  g_autofree AccExpr **items = g_new (AccExpr *, outer + 1);
  g_autoptr (AccExpr) k = acc_expr_ref_sink (acc_expr_item (state, 0));

  for (guint d = 0; d < outer; d++)
    items[d] = acc_expr_item (fold->index, d);
  items[outer] = k;

  AccExpr *element = acc_expr_index (fold->array, outer == 0 ? k : acc_expr_tuple (items, outer + 1));
  AccExpr *next = fold->function (acc_expr_item (state, 1), element, fold->user_data);

  if (next == NULL)
    return NULL;
  return acc_expr_tuple2 (acc_expr_lt (k, acc_expr_extent (fold->array, outer)),
                          acc_expr_tuple2 (acc_expr_add (k, acc_expr_new_int (1)), next));
}

/**
 * acc_expr_fold_row:
 * @array: an array of rank 1 or more
 * @index: which row: an index of its outer dimensions, "()" for rank 1
 * @initial: the value to begin with
 * @function: (scope call) (closure user_data): from what there is and an element to the next value
 * @user_data: for @function
 *
 * Folds one row of an array, from left to right, for every element that asks for it.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_fold_row (AccArray     *array,
                   AccExpr      *index,
                   AccExpr      *initial,
                   AccExprFunc2  function,
                   gpointer      user_data)
{
  AccExpr *args[] = { index, initial };
  AccExpr *error = _acc_expr_adopt (args, 2);

  if (error != NULL)
    return error;
  if (array == NULL || array->error != NULL || array->rank == 0)
    {
      _acc_expr_drop (args, 2);
      if (array != NULL && array->error != NULL)
        return acc_expr_new_error (g_error_copy (array->error));
      return acc_expr_new_error_literal (ACC_ERROR_SHAPE, "fold_row: an array of rank 1 or more is needed");
    }

  RowFold fold = { array, args[0], function, user_data };
  AccExpr *result = acc_expr_item (acc_expr_while (acc_expr_tuple2 (acc_expr_new_int (0), args[1]), row_step, &fold), 1);

  _acc_expr_drop (args, 2);
  return result;
}
