/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-filter.h"
#include "acc-core/derived/acc-array-scan.h"

/* Choices. Elements are split by what they choose, each side is lifted for its own, and the results are merged. */

/* --- splitting */

static AccExpr *
is_false (AccExpr *x,
          gpointer data)
{
  return acc_expr_lnot (x);
}

static AccExpr *
one_where (AccExpr *x,
           gpointer data)
{
  return acc_expr_cond (x, acc_array_number (1), acc_array_number (0));
}

static AccExpr *
place_where (AccExpr *flag,
             AccExpr *place,
             gpointer data)
{
  return acc_expr_cond (flag, acc_expr_sub (place, acc_array_number (1)), acc_array_number (-1));
}

AccArray *
acc_lift_select (AccLift   *self,
                 AccArray  *flags,
                 AccArray **places)
{
  g_autoptr(AccArray) ones = acc_array_map (flags, one_where, NULL);
  g_autoptr(AccArray) counts = acc_array_scanl1 (ones, acc_array_add_elements, NULL);

  *places = acc_array_zip_with (flags, counts, place_where, NULL);

  return acc_array_compact (self->index, flags, NULL);
}

static AccLifted *
lift_within (AccLift  *self,
             AccArray *selection,
             AccArray *node)
{
  g_autoptr(AccLift) inner = acc_lift_new_within (self, selection);
  g_autoptr(AccLifted) lifted = acc_lifted_ref (acc_lift_array (inner, node));

  return lifted->form == ACC_LIFTED_CONSTANT ? g_steal_pointer (&lifted) : acc_lift_to_irregular (inner, lifted);
}

/* --- cond */

/* The same condition for all: one choice between all of either side. */
static AccLifted *
lift_uniform_cond (AccLift  *self,
                   AccArray *node,
                   AccArray *condition)
{
  AccLifted *sides[2] = { acc_lift_array (self, node->inputs[1]), acc_lift_array (self, node->inputs[2]) };
  gboolean irregular = sides[0]->form == ACC_LIFTED_IRREGULAR || sides[1]->form == ACC_LIFTED_IRREGULAR;
  g_autoptr(AccLifted) first = irregular ? acc_lift_to_irregular (self, sides[0]) : acc_lift_to_regular (self, sides[0]);
  g_autoptr(AccLifted) second = irregular ? acc_lift_to_irregular (self, sides[1]) : acc_lift_to_regular (self, sides[1]);
  AccArray *values, *offsets, *extents = NULL;

  if (sides[0]->values == node->inputs[1] && sides[1]->values == node->inputs[2] && condition == node->inputs[0])
    return acc_lifted_new_constant (g_object_ref (node));
  if (sides[0]->form == ACC_LIFTED_CONSTANT && sides[1]->form == ACC_LIFTED_CONSTANT)
    return acc_lifted_new_constant (acc_array_cond (condition, sides[0]->values, sides[1]->values));

  values = acc_array_cond (condition, first->values, second->values);
  if (first->form != ACC_LIFTED_IRREGULAR)
    return acc_lifted_new_regular (values);

  offsets = acc_array_cond (condition, first->nesting->offsets, second->nesting->offsets);
  if (first->nesting->extents != NULL)
    extents = acc_array_cond (condition, first->nesting->extents, second->nesting->extents);

  return acc_lifted_new_irregular (acc_nesting_new (first->rank, offsets, extents), values);
}

AccLifted *
acc_lift_cond (AccLift  *self,
               AccArray *node)
{
  AccLifted *condition = acc_lift_get_input (self, node, 0);
  g_autoptr(AccArray) flags = NULL, chosen = NULL, others = NULL, places = NULL, other_places = NULL;
  g_autoptr(AccLifted) then = NULL, otherwise = NULL;

  if (condition->form == ACC_LIFTED_CONSTANT)
    return lift_uniform_cond (self, node, condition->values);

  flags = g_object_ref (condition->values);
  chosen = acc_lift_select (self, flags, &places);
  {
    g_autoptr(AccArray) inverse = acc_array_map (flags, is_false, NULL);

    others = acc_lift_select (self, inverse, &other_places);
  }
  then = lift_within (self, chosen, node->inputs[1]);
  otherwise = lift_within (self, others, node->inputs[2]);

  return acc_lift_merge (self, then, places, otherwise, other_places);
}
