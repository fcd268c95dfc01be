/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-error.h"
#include "acc-expr-build-private.h"

/* Checks owned operands: the index, the alternatives and the rest. All but the index get one type. Returns NULL or an error. */
static AccExpr *
resolve_alternatives (AccExpr **args,
                      guint     n_args)
{
  AccElementType *type = NULL;
  const char *given = acc_element_type_get_code (args[0]->type);

  if (!_acc_expr_to_index (&args[0]))
    return acc_expr_new_error_literal (ACC_ERROR_TYPE, "switch: the index is %s, not an integer", given);

  for (guint i = 1; i < n_args && type == NULL; i++)
    if (!args[i]->weak)
      type = args[i]->type;
  for (guint i = 1; i < n_args && type != NULL; i++)
    {
      if (!_acc_expr_resolve_slot (&args[i], type))
        return acc_expr_new_error_literal (args[i]->error->code, "switch: %s", args[i]->error->message);
      if (args[i]->type != type)
        return acc_expr_new_error_literal (ACC_ERROR_TYPE, "switch: %s and %s differ; convert one with cast",
                                           acc_element_type_get_code (type), acc_element_type_get_code (args[i]->type));
    }
  return NULL;
}

/* One of alternatives @first to before @end, by halves. */
static AccExpr *
choose_between (AccExpr  *index,
                AccExpr **alternatives,
                guint     first,
                guint     end)
{
  guint middle = first + (end - first) / 2;

  if (end - first == 1)
    return _acc_expr_float (acc_expr_ref (alternatives[first]));
  return _acc_expr_cond ("switch", acc_expr_lt (index, acc_expr_new_int (middle)), choose_between (index, alternatives, first, middle),
                         choose_between (index, alternatives, middle, end));
}

/**
 * acc_expr_switch:
 * @index: an integer
 * @alternatives: (array length=n_alternatives) (nullable): the values for the indices 0, 1, …, of one type
 * @n_alternatives: the number of alternatives
 * @otherwise: (nullable): the value for any other index; %NULL: that of the last alternative
 *
 * Chooses one of several values by an index, such as the tag of a sum type.
 *
 * Only the value that is chosen is evaluated, after O(log @n_alternatives) comparisons. Literals without a type take the type of the
 * others. The expression carries %ACC_ERROR_TYPE where the types differ or @index is not an integer, and %ACC_ERROR_CALLBACK where
 * there is no value at all.
 *
 * ```c
 * // tag = 1, side = 4, width = 2, height = 3
 * AccExpr *areas[] = { acc_expr_mul (side, side), acc_expr_mul (width, height) };
 * AccExpr *area = acc_expr_switch (tag, areas, 2, acc_expr_new_int (0)); // → 6
 * ```
 *
 * Returns: (transfer none): the chosen value
 */
AccExpr *
acc_expr_switch (AccExpr  *index,
                 AccExpr **alternatives,
                 guint     n_alternatives,
                 AccExpr  *otherwise)
{
  guint n_args = n_alternatives + 1;
  g_autofree AccExpr **args = g_new (AccExpr *, n_alternatives + 2);
  AccExpr *result, *inside;

  args[0] = index;
  for (guint i = 0; i < n_alternatives; i++)
    args[i + 1] = alternatives[i];
  if (otherwise != NULL)
    args[n_args++] = otherwise;

  if ((result = _acc_expr_adopt ("switch", args, n_args)) != NULL)
    return result;

  if (n_args == 1)
    result = acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "switch: there is no alternative");
  else
    result = resolve_alternatives (args, n_args);
  if (result != NULL)
    return _acc_expr_keep (result, args, n_args);

  result = _acc_expr_float (acc_expr_ref (args[n_args - 1]));
  if (n_args > 2)
    {
      inside = acc_expr_band (acc_expr_ge (args[0], acc_expr_new_int (0)), acc_expr_lt (args[0], acc_expr_new_int (n_args - 2)));
      result = _acc_expr_cond ("switch", inside, choose_between (args[0], args + 1, 0, n_args - 2), result);
    }
  return _acc_expr_keep (result, args, n_args);
}
