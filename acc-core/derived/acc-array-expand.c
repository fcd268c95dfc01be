/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-expand.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-array-math.h"
#include "acc-array-scan.h"
#include "acc-error.h"
#include "acc-core/expr/acc-expr-build-private.h"
#include "acc-core/expr/acc-trace-private.h"

/* Each element with results writes its number where they begin; an inclusive scan by maximum tells every place its element. */

typedef struct {
  AccArray     *array, *begins;
  AccExprFunc   count;
  AccExprFunc2  element;
  gpointer      count_data, element_data;
} Expansion;

static AccExpr *
count_of (AccExpr *x,
          gpointer data)
{
  const Expansion *expansion = data;
  AccExpr *count = acc_call1 (expansion->count, x, expansion->count_data);

  return count != NULL ? acc_expr_max (count, acc_array_number (0)) : NULL;
}

static AccExpr *
begin_of (AccExpr *count,
          AccExpr *begin,
          gpointer data)
{
  return acc_expr_tuple2 (acc_expr_gt (count, acc_array_number (0)), begin);
}

static AccExpr *
own_number (AccExpr *index,
            AccExpr *x,
            gpointer data)
{
  return acc_expr_item (index, 0);
}

static AccExpr *
owner_and_number (AccExpr *place,
                  AccExpr *owner,
                  gpointer data)
{
  const Expansion *expansion = data;

  return acc_expr_tuple2 (owner, acc_expr_sub (acc_expr_item (place, 0), acc_expr_linear_index (expansion->begins, owner)));
}

/* By itself: its arguments read no array that is made here, which a trace would make again. */
static AccExpr *
element_of (AccExpr *pair,
            gpointer data)
{
  const Expansion *expansion = data;
  g_autoptr(AccExpr) own = acc_expr_ref_sink (acc_expr_linear_index (expansion->array, acc_expr_item (pair, 0)));
  g_autoptr(AccExpr) number = acc_expr_ref_sink (acc_expr_item (pair, 1));
  g_autoptr(AccExpr) made = acc_expr_take_result (acc_call2 (expansion->element, own, number, expansion->element_data));

  /* It may be one of them, or none that uses them. */
  return _acc_expr_float (g_steal_pointer (&made));
}

/**
 * acc_array_expand:
 * @self: a vector
 * @count: (scope call) (closure count_data): takes an element, gives how many elements replace it: an i8; a negative one counts as 0
 * @count_data: data for @count
 * @element: (scope call) (closure element_data): takes an element and a number from 0 to its count - 1, gives the element of that number
 * @element_data: data for @element
 *
 * Replaces each element by several elements or none, and joins them in order.
 *
 * Each element x becomes @element (x, 0) to @element (x, @count (x) - 1). Takes time linear in the number of elements before and after,
 * however unequal the counts are.
 *
 * An array that is not a vector is %ACC_ERROR_SHAPE, a count that is not an i8 is %ACC_ERROR_TYPE.
 *
 * ```c
 * static AccExpr *itself (AccExpr *x, gpointer data) { return x; }
 * static AccExpr *scaled (AccExpr *x, AccExpr *i, gpointer data) { return acc_expr_add (acc_expr_mul (x, acc_expr_new_int (10)), i); }
 *
 * // xs = [2, 0, 3]
 * g_autoptr(AccArray) result = acc_array_expand (xs, itself, NULL, scaled, NULL); // → [20, 21, 30, 31, 32]
 * ```
 *
 * Returns: (transfer full): a vector of the type of @element
 */
AccArray *
acc_array_expand (AccArray     *self,
                  AccExprFunc   count,
                  gpointer      count_data,
                  AccExprFunc2  element,
                  gpointer      element_data)
{
  ACC_ARRAY_NAMED ("expand");
  AccArray *node = acc_array_begin (ACC_OP_IMAP, &self, 1);
  Expansion expansion = { self, NULL, count, element, count_data, element_data };

  if (node->error == NULL && (count == NULL || element == NULL))
    acc_array_fail_argument (node, "a function");
  if (node->error == NULL && self->rank != 1)
    acc_array_fail (node, ACC_ERROR_SHAPE, "expand: an array of rank %u is no vector", self->rank);
  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  g_autoptr(AccArray) counts = acc_array_map (self, count_of, &expansion);
  g_autoptr(AccArray) begins = acc_array_prescanl (counts, acc_array_number (0), acc_array_add_elements, NULL);
  g_autoptr(AccArray) total = acc_array_sum_all (counts);
  g_autoptr(AccArray) targets = acc_array_zip_with (counts, begins, begin_of, NULL);
  g_autoptr(AccArray) numbers = acc_array_imap (self, own_number, NULL);
  g_autoptr(AccArray) zeros = acc_array_fill_expr (acc_expr_the (total), acc_array_number (0));
  g_autoptr(AccArray) marks = acc_array_permute (numbers, zeros, targets, acc_array_max_elements, NULL);
  g_autoptr(AccArray) owners = acc_array_scanl1 (marks, acc_array_max_elements, NULL);

  expansion.begins = begins;
  g_autoptr(AccArray) pairs = acc_array_imap (owners, owner_and_number, &expansion);

  return acc_array_map (pairs, element_of, &expansion);
}
