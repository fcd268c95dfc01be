/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/expr/acc-expr-build-private.h"

/* Reshapes: the values of an element remain where they are, and only what is said of its extents is new. */

static AccArray *
regular_reshape (AccLift   *self,
                 AccArray  *node,
                 AccArray **inputs)
{
  return acc_array_reshape_expr (inputs[0],
                                 acc_lift_join_index (acc_lift_count (self), acc_lift_apply (self, node->extents, NULL, NULL), node->rank));
}

static AccExpr *
fits (AccLift *self,
      AccExpr *k,
      gpointer data)
{
  AccArray *node = data;

  return acc_expr_eq (acc_lift_product (acc_lift_apply (self, node->extents, k, NULL), node->rank),
                      acc_lifted_size (acc_lift_get_input (self, node, 0), k));
}

static AccExpr *
new_extents (AccLift *self,
             AccExpr *k,
             gpointer data)
{
  AccArray *node = data;

  return acc_lift_apply (self, node->extents, k, NULL);
}

static gboolean
is_extent (AccExpr  *expr,
           AccArray *array,
           guint     dimension)
{
  return expr->kind == ACC_EXPR_EXTENT && expr->array == array && expr->item == dimension;
}

/* Whether the extent is that of the input's values, as acc_array_flatten() says it. */
static gboolean
says_size (AccArray *node)
{
  AccArray *input = node->inputs[0];
  AccExpr *rest = node->extents->body;

  for (guint d = input->rank; d-- > 1; rest = rest->args[0])
    if (rest->kind != ACC_EXPR_PRIMITIVE || rest->primitive != ACC_PRIM_MUL || !is_extent (rest->args[1], input, d))
      return FALSE;

  return is_extent (rest, input, 0);
}

AccLifted *
acc_lift_reshape (AccLift  *self,
                  AccArray *node)
{
  AccLifted *given = acc_lift_get_input (self, node, 0);
  gboolean uniform = acc_lift_is_uniform (self, node->extents);
  g_autoptr(AccLifted) input = uniform ? acc_lift_to_regular (self, given) : acc_lift_to_irregular (self, given);
  g_autoptr(AccArray) flat = NULL, values = NULL;

  if (given->form == ACC_LIFTED_IRREGULAR && node->rank == 1 && says_size (node))
    return acc_lifted_new_irregular (acc_nesting_flatten (given->nesting), g_object_ref (given->values));
  if (input->form == ACC_LIFTED_REGULAR && uniform)
    return acc_lifted_new_regular (regular_reshape (self, node, &input->values));

  flat = input->form == ACC_LIFTED_REGULAR ? acc_array_flatten (input->values) : g_object_ref (input->values);
  values = acc_lift_demand (self, flat, fits, node, node, "element " ACC_REFUSED_NUMBER " does not have as many values as its extents say");
  if (uniform)
    return acc_lifted_new_regular (regular_reshape (self, node, &values));

  return acc_lifted_new_irregular (acc_lift_new_nesting (self, node->rank, new_extents, node), g_steal_pointer (&values));
}
