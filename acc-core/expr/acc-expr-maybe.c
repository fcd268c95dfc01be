/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-expr-maybe.h"

#include "acc-expr-sum-private.h"
#include "acc-trace-private.h"

AccElementType *
_acc_type_new_sum (AccElementType **values,
                   guint            n)
{
  g_autofree AccElementType **items = g_new (AccElementType *, n + 1);

  items[0] = acc_element_type_new (ACC_KIND_U8);
  for (guint i = 0; i < n; i++)
    items[i + 1] = values[i];
  return acc_element_type_new_tuple (items, n + 1);
}

gboolean
_acc_type_is_sum (AccElementType *type,
                  guint           n)
{
  return acc_element_type_is_tuple (type) && acc_element_type_get_n_items (type) == n + 1
         && acc_element_type_get_kind (acc_element_type_get_item (type, 0)) == ACC_KIND_U8;
}

gboolean
_acc_type_is_maybe (AccElementType *type)
{
  return _acc_type_is_sum (type, 1);
}

AccExpr *
_acc_expr_tag (guint tag)
{
  return acc_expr_new_typed_uint (acc_element_type_new (ACC_KIND_U8), tag);
}

AccExpr *
_acc_expr_is_first (AccExpr *sum)
{
  return acc_expr_eq (acc_expr_item (sum, 0), INT (0));
}

#define IS_MAYBE(a) _acc_type_is_maybe ((a)->type)
#define WHAT "a value or none: (u1, …)"

/**
 * acc_element_type_new_maybe:
 * @type: the type of a value
 *
 * Returns the type of a value that may be missing, with a tag: `(u1,f4)` for "f4".
 *
 * Values of the type are ordered: missing ones come first.
 *
 * Returns: (transfer full) (nullable): the type; %NULL where acc_element_type_new_tuple() returns %NULL
 */
AccElementType *
acc_element_type_new_maybe (AccElementType *type)
{
  g_return_val_if_fail (type != NULL, NULL);

  return _acc_type_new_sum (&type, 1);
}

/**
 * acc_expr_nothing:
 * @type: the type of the missing value
 *
 * Creates an optional value that is missing.
 *
 * ```c
 * AccExpr *none = acc_expr_nothing (acc_element_type_new (ACC_KIND_F64)); // → (0, 0)
 * ```
 *
 * Returns: (transfer none): a tuple of the tag 0 and a zero of @type
 */
AccExpr *
acc_expr_nothing (AccElementType *type)
{
  return acc_expr_tuple2 (_acc_expr_tag (0), acc_expr_new_zero (type));
}

/**
 * acc_expr_just:
 * @value: a scalar or a tuple
 *
 * Creates an optional value that is there.
 *
 * ```c
 * // x = 5
 * AccExpr *some = acc_expr_just (x); // → (1, 5)
 * ```
 *
 * Returns: (transfer none): a tuple of the tag 1 and @value; a literal without a type stays without one
 */
AccExpr *
acc_expr_just (AccExpr *value)
{
  AccExpr *args[] = { value };
  AccExpr *error = _acc_expr_adopt ("just", args, 1);

  if (error != NULL)
    return error;
  return _acc_expr_keep (acc_expr_tuple2 (_acc_expr_tag (1), args[0]), args, 1);
}

/**
 * acc_expr_is_nothing:
 * @a: an optional value, of a type as acc_element_type_new_maybe() returns it
 *
 * Tells whether an optional value is missing.
 *
 * ```c
 * // a = (1, 5) of (u1,i8)
 * AccExpr *result = acc_expr_is_nothing (a); // → false
 * ```
 *
 * Returns: (transfer none): a b1, true where the value is missing
 */
DERIVED1_OF (IS_MAYBE, WHAT, is_nothing,
  return _acc_expr_is_first (a);
)

/**
 * acc_expr_is_just:
 * @a: an optional value, of a type as acc_element_type_new_maybe() returns it
 *
 * Tells whether an optional value is there.
 *
 * ```c
 * // a = (1, 5) of (u1,i8)
 * AccExpr *result = acc_expr_is_just (a); // → true
 * ```
 *
 * Returns: (transfer none): a b1, true where there is a value
 */
DERIVED1_OF (IS_MAYBE, WHAT, is_just,
  return acc_expr_lnot (_acc_expr_is_first (a));
)

/**
 * acc_expr_from_just:
 * @a: an optional value, of a type as acc_element_type_new_maybe() returns it
 *
 * Returns the value that an optional value holds.
 *
 * ```c
 * // a = (1, 5) of (u1,i8)
 * AccExpr *result = acc_expr_from_just (a); // → 5
 * ```
 *
 * Returns: (transfer none): the value; zero where it is missing
 */
DERIVED1_OF (IS_MAYBE, WHAT, from_just,
  return acc_expr_item (a, 1);
)

/* What acc_expr_maybe() does under a name. Without a function, the value itself. */
static AccExpr *
value_or (const char  *name,
          AccExpr     *a,
          AccExpr     *otherwise,
          gboolean     as_it_is,
          AccExprFunc  function,
          gpointer     user_data)
{
  AccExpr *args[] = { a, otherwise };
  AccExpr *result = _acc_expr_adopt (name, args, 2);

  if (result != NULL)
    return result;

  if (!_acc_type_is_maybe (args[0]->type))
    result = _acc_expr_needs (name, WHAT, args[0]);
  else if (!as_it_is && function == NULL)
    result = acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "%s: no function was given", name);
  else
    {
      g_autoptr(AccExpr) value = acc_expr_ref_sink (acc_expr_item (args[0], 1));
      g_autoptr(AccExpr) made = as_it_is ? acc_expr_ref (value) : acc_expr_take_result (acc_call1 (function, value, user_data));

      result = _acc_expr_cond (name, _acc_expr_is_first (args[0]), args[1], made);
    }
  return _acc_expr_keep (result, args, 2);
}

/**
 * acc_expr_from_maybe:
 * @a: an optional value, of a type as acc_element_type_new_maybe() returns it
 * @otherwise: the result where the value is missing; evaluated only there
 *
 * Returns the value that an optional value holds, or another where it is missing.
 *
 * Where @a is not an optional value, or the types of the two differ, the expression carries %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = (0, 0) of (u1,i8)
 * AccExpr *result = acc_expr_from_maybe (a, acc_expr_new_int (7)); // → 7
 * ```
 *
 * Returns: (transfer none): the value, or @otherwise
 */
AccExpr *
acc_expr_from_maybe (AccExpr *a,
                     AccExpr *otherwise)
{
  return value_or ("from_maybe", a, otherwise, TRUE, NULL, NULL);
}

/**
 * acc_expr_maybe:
 * @a: an optional value, of a type as acc_element_type_new_maybe() returns it
 * @otherwise: the result where the value is missing; evaluated only there
 * @function: (scope call) (closure user_data): a function from the value to the result; what it returns is evaluated only where there
 *   is a value
 * @user_data: data for @function
 *
 * Applies a function to the value that an optional value holds, or returns another value where it is missing.
 *
 * @function is called once, while the graph is built. Where it is %NULL, or returns %NULL, the expression carries %ACC_ERROR_CALLBACK.
 * Where @a is not an optional value, or the types of the results differ, it carries %ACC_ERROR_TYPE.
 *
 * ```c
 * static AccExpr *squared (AccExpr *x, gpointer data) { return acc_expr_mul (x, x); }
 *
 * // a = (1, 5) of (u1,i8)
 * AccExpr *result = acc_expr_maybe (a, acc_expr_new_int (0), squared, NULL); // → 25
 * ```
 *
 * Returns: (transfer none): the result of @function, or @otherwise
 */
AccExpr *
acc_expr_maybe (AccExpr     *a,
                AccExpr     *otherwise,
                AccExprFunc  function,
                gpointer     user_data)
{
  return value_or ("maybe", a, otherwise, FALSE, function, user_data);
}
