/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-error.h"
#include "acc-expr-build-private.h"
#include "acc-trace-private.h"

static gboolean
is_bool (AccExpr *expr)
{
  return acc_element_type_get_kind (expr->type) == ACC_KIND_BOOL;
}

AccExpr *
_acc_expr_cond (const char *name,
                AccExpr    *condition,
                AccExpr    *then,
                AccExpr    *otherwise)
{
  AccExpr *args[] = { condition, then, otherwise };
  AccExpr *error = _acc_expr_adopt (name, args, 3);

  if (error != NULL)
    return error;

  _acc_expr_unify_sides (&args[1], &args[2]);
  for (guint i = 1; i < 3; i++)
    if (_acc_expr_is_error (args[i]))
      return _acc_expr_fail (args[i], args, 3);

  if (!is_bool (args[0]))
    error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s: the condition is %s, not b1", name, _acc_expr_code (args[0]));
  else if (args[1]->type != args[2]->type)
    error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s: %s and %s differ; convert one with cast", name, _acc_expr_code (args[1]),
                                        _acc_expr_code (args[2]));
  if (error != NULL)
    return _acc_expr_keep (error, args, 3);

  AccExpr *result = _acc_expr_alloc (ACC_EXPR_COND, args[1]->type, 3);
  for (guint i = 0; i < 3; i++)
    result->args[i] = args[i];
  result->weak = args[1]->weak && args[2]->weak;
  result->item = _acc_expr_get_weight (args[1]) + _acc_expr_get_weight (args[2]);
  return _acc_expr_seal (result);
}

/**
 * acc_expr_cond:
 * @condition: a b1
 * @then: the value where the condition is true
 * @otherwise: the value where it is false, of the same type
 *
 * Chooses one of two values by a condition.
 *
 * Only the chosen side is evaluated, so that the other may be out of range. A literal without a type takes the type of the other side;
 * a choice between two of them has no type either. A condition that is not a b1, or values of two types, give an expression with
 * %ACC_ERROR_TYPE.
 *
 * ```c
 * // x = -3
 * AccExpr *result = acc_expr_cond (acc_expr_lt (x, acc_expr_new_int (0)), acc_expr_neg (x), x); // → 3
 * ```
 *
 * Returns: (transfer none): @then or @otherwise
 */
AccExpr *
acc_expr_cond (AccExpr *condition,
               AccExpr *then,
               AccExpr *otherwise)
{
  return _acc_expr_cond ("cond", condition, then, otherwise);
}

/* --- loops */

AccExpr *
acc_expr_new_while (AccExpr     *initial,
                    AccFunction *predicate,
                    AccFunction *step)
{
  AccExpr *args[] = { initial };
  AccExpr *error = _acc_expr_adopt ("while", args, 1);

  if (error != NULL)
    return error;

  if (predicate->n_params != 1 || step->n_params != 1)
    error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "while: condition and step take one parameter, the state");
  else if (_acc_expr_is_error (predicate->body) || _acc_expr_is_error (step->body))
    return _acc_expr_fail (_acc_expr_is_error (predicate->body) ? predicate->body : step->body, args, 1);
  else if (!_acc_expr_resolve_slot (&args[0], predicate->params[0]->type))
    return _acc_expr_fail (args[0], args, 1);
  else if (!is_bool (predicate->body))
    error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "while: the condition is %s, not b1", _acc_expr_code (predicate->body));
  else if (predicate->params[0]->type != args[0]->type || step->params[0]->type != args[0]->type)
    error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "while: the state is %s, but condition and step take %s and %s",
                                        _acc_expr_code (args[0]), _acc_expr_code (predicate->params[0]), _acc_expr_code (step->params[0]));
  else if (step->body->type != args[0]->type)
    error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "while: the state is %s, but a step gives %s", _acc_expr_code (args[0]),
                                        _acc_expr_code (step->body));
  if (error != NULL)
    return _acc_expr_keep (error, args, 1);

  AccExpr *result = _acc_expr_alloc (ACC_EXPR_WHILE, args[0]->type, 1);
  result->args[0] = args[0];
  result->functions[0] = acc_function_ref (predicate);
  result->functions[1] = acc_function_ref (step);
  return _acc_expr_seal (result);
}

/* Calls @step once. Returns an error, or NULL with an owned @condition and @next over @variable. */
static AccExpr *
call_step (AccExpr      *variable,
           AccExprFunc   step,
           gpointer      user_data,
           AccExpr     **condition,
           AccExpr     **next)
{
  g_autoptr(AccExpr) both = NULL;

  if (step == NULL)
    return acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "while: no function was given");

  both = acc_expr_take_result (acc_call1 (step, variable, user_data));
  if (_acc_expr_is_error (both))
    return _acc_expr_fail (both, NULL, 0);
  if (!acc_element_type_is_tuple (both->type) || acc_element_type_get_n_items (both->type) != 2)
    return acc_expr_new_error_literal (ACC_ERROR_TYPE, "while: a step gives %s, not (condition, next state)", _acc_expr_code (both));

  *condition = acc_expr_ref_sink (acc_expr_item (both, 0));
  *next = acc_expr_ref_sink (acc_expr_item (both, 1));

  if (!_acc_expr_resolve_slot (next, variable->type))
    return _acc_expr_fail (*next, NULL, 0);
  return NULL;
}

/**
 * acc_expr_while:
 * @initial: the initial state
 * @step: (scope call) (closure user_data): a function from a state to (condition, next state)
 * @user_data: data for @step
 *
 * Repeats a step while its condition is true for the state.
 *
 * Each round evaluates the condition of @step for the state, and the next state only where the condition is true. @step is called
 * once, while the graph is built, with a variable of the state's type. Where it returns anything but a pair of a b1 and a state of the
 * same type, the expression carries %ACC_ERROR_TYPE; where it is %NULL, or returns %NULL, %ACC_ERROR_CALLBACK. Takes one step for each
 * state for which the condition is true.
 *
 * ```c
 * static AccExpr *
 * step (AccExpr *x, gpointer data)
 * {
 *   return acc_expr_tuple2 (acc_expr_lt (x, acc_expr_new_int (100)), acc_expr_add (x, x));
 * }
 *
 * // x = 7
 * AccExpr *result = acc_expr_while (x, step, NULL); // → 112
 * ```
 *
 * Returns: (transfer none): the first state for which the condition is false
 */
AccExpr *
acc_expr_while (AccExpr     *initial,
                AccExprFunc  step,
                gpointer     user_data)
{
  AccExpr *args[] = { initial };
  AccExpr *error = _acc_expr_adopt ("while", args, 1);

  if (error != NULL)
    return error;
  if (!_acc_expr_resolve_slot (&args[0], NULL))
    return _acc_expr_fail (args[0], args, 1);

  g_autoptr(AccExpr) state = args[0];
  g_autoptr(AccExpr) variable = acc_trace_variable (state->type);
  g_autoptr(AccExpr) condition = NULL;
  g_autoptr(AccExpr) next = NULL;
  g_autoptr(AccFunction) predicate = NULL;
  g_autoptr(AccFunction) advance = NULL;

  if ((error = call_step (variable, step, user_data, &condition, &next)) != NULL)
    return _acc_expr_keep (error, (AccExpr *[]) { g_steal_pointer (&state) }, 1);

  predicate = acc_function_new (&variable, 1, condition);
  advance = acc_function_new (&variable, 1, next);
  return acc_expr_new_while (state, predicate, advance);
}

typedef struct {
  AccExprFunc step;
  gpointer    user_data;
} Iteration;

/* The state is (steps left, value). */
static AccExpr *
iterate_step (AccExpr *state,
              gpointer data)
{
  Iteration *iteration = data;
  g_autoptr(AccExpr) left = acc_expr_ref_sink (acc_expr_item (state, 0));
  g_autoptr(AccExpr) value = acc_expr_ref_sink (acc_expr_item (state, 1));
  g_autoptr(AccExpr) next = acc_expr_take_result (acc_call1 (iteration->step, value, iteration->user_data));

  if (!_acc_expr_resolve_slot (&next, value->type))
    return _acc_expr_float (g_steal_pointer (&next));
  if (next->type != value->type)
    return acc_expr_new_error_literal (ACC_ERROR_TYPE, "iterate: the value is %s, but a step gives %s", _acc_expr_code (value),
                                       _acc_expr_code (next));

  return acc_expr_tuple2 (acc_expr_gt (left, acc_expr_new_int (0)),
                          acc_expr_tuple2 (acc_expr_sub (left, acc_expr_new_int (1)), next));
}

/**
 * acc_expr_iterate:
 * @n: the number of times, an integer
 * @initial: the initial value
 * @step: (scope call) (closure user_data): a function from a value to the next one
 * @user_data: data for @step
 *
 * Applies a function @n times; not at all where @n is not positive.
 *
 * @step is called once, while the graph is built, with a variable of the value's type. Where it returns another type, or @n is not an
 * integer, the expression carries %ACC_ERROR_TYPE; where it is %NULL, or returns %NULL, %ACC_ERROR_CALLBACK. Takes @n steps.
 *
 * ```c
 * static AccExpr *doubled (AccExpr *x, gpointer data) { return acc_expr_add (x, x); }
 *
 * // x = 3
 * AccExpr *result = acc_expr_iterate (acc_expr_new_int (4), x, doubled, NULL); // → 48
 * ```
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
  AccExpr *error = _acc_expr_adopt ("iterate", args, 2);

  if (error != NULL)
    return error;

  if (step == NULL)
    error = acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "iterate: no function was given");
  else if (!_acc_expr_to_index (&args[0]))
    error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "iterate: the count is no integer");

  if (error == NULL)
    {
      Iteration iteration = { step, user_data };
      error = acc_expr_item (acc_expr_while (acc_expr_tuple2 (args[0], args[1]), iterate_step, &iteration), 1);
    }

  return _acc_expr_keep (error, args, 2);
}

/**
 * acc_expr_and_then:
 * @a: a b1
 * @b: a b1, evaluated only where @a is true
 *
 * Computes the logical and of two truth values, and skips the second where the first is false.
 *
 * Other operands give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = true, b = false
 * AccExpr *result = acc_expr_and_then (a, b); // → false
 * ```
 *
 * Returns: (transfer none): a b1, true where both are true
 */
AccExpr *
acc_expr_and_then (AccExpr *a,
                   AccExpr *b)
{
  return _acc_expr_cond ("and_then", a, b, acc_expr_new_bool (FALSE));
}

/**
 * acc_expr_or_else:
 * @a: a b1
 * @b: a b1, evaluated only where @a is false
 *
 * Computes the logical or of two truth values, and skips the second where the first is true.
 *
 * Other operands give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = true, b = false
 * AccExpr *result = acc_expr_or_else (a, b); // → true
 * ```
 *
 * Returns: (transfer none): a b1, true where one is true
 */
AccExpr *
acc_expr_or_else (AccExpr *a,
                  AccExpr *b)
{
  return _acc_expr_cond ("or_else", a, acc_expr_new_bool (TRUE), b);
}
