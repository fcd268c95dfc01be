/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-program-private.h"
#include "acc-core/derived/acc-array-filter.h"
#include "acc-core/derived/acc-array-scan.h"

/* Choices and loops. Elements are split by what they choose, each side is lifted for its own, and the results are
 * merged; a loop goes on with those that are not done. */

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

/* Which elements have @flags: their numbers; and for each element its place among them, or -1. */
static AccArray *
select_elements (AccLift   *self,
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
  chosen = select_elements (self, flags, &places);
  {
    g_autoptr(AccArray) inverse = acc_array_map (flags, is_false, NULL);

    others = select_elements (self, inverse, &other_places);
  }
  then = lift_within (self, chosen, node->inputs[1]);
  otherwise = lift_within (self, others, node->inputs[2]);

  return acc_lift_merge (self, then, places, otherwise, other_places);
}

/* --- while_loop: a loop over the states of all elements and the flags of those that go on */

/* The arrays that a lifted state consists of. */
static void
list_parts (AccLifted *state,
            GPtrArray *parts)
{
  g_ptr_array_add (parts, g_object_ref (state->values));
  if (state->form != ACC_LIFTED_IRREGULAR)
    return;
  g_ptr_array_add (parts, g_object_ref (state->nesting->offsets));
  if (state->nesting->extents != NULL)
    g_ptr_array_add (parts, g_object_ref (state->nesting->extents));
}

/* A state of the form of @like from parts from @*next on. */
static AccLifted *
join_parts (AccLifted  *like,
            AccArray  **parts,
            guint      *next)
{
  AccArray *values = parts[(*next)++], *offsets, *extents = NULL;

  if (like->form != ACC_LIFTED_IRREGULAR)
    return acc_lifted_new_regular (g_object_ref (values));
  offsets = parts[(*next)++];
  if (like->nesting->extents != NULL)
    extents = parts[(*next)++];

  return acc_lifted_new_irregular (acc_nesting_new (like->rank, g_object_ref (offsets), extents != NULL ? g_object_ref (extents) : NULL),
                                   g_object_ref (values));
}

/* Parameters that stand for @parts. */
static GPtrArray *
make_parameters (GPtrArray *parts)
{
  GPtrArray *parameters = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < parts->len; i++)
    {
      AccArray *part = g_ptr_array_index (parts, i);

      g_ptr_array_add (parameters, acc_array_new_parameter (part->type, part->rank, NULL, i));
    }

  return parameters;
}

static AccExpr *
either (AccExpr *x,
        AccExpr *y,
        gpointer data)
{
  return acc_expr_lor (x, y);
}

static AccProgram *
make_condition (GPtrArray *parts)
{
  g_autoptr(GPtrArray) parameters = make_parameters (parts);
  g_autoptr(AccArray) any = acc_array_fold_all (g_ptr_array_index (parameters, 0), acc_expr_new_bool (FALSE), either, NULL);

  return acc_program_new_for_nodes ((AccArray **) parameters->pdata, parameters->len, &any, 1);
}

/* The condition of @node for states of a frame. */
static AccArray *
lift_condition (AccLift    *self,
                AccArray   *node,
                AccLifted **states)
{
  AccProgram *condition = acc_array_get_programs (node)[0];
  g_autoptr(AccLift) inner = acc_lift_new_within (self, NULL);
  g_autoptr(AccLifted) flags = NULL;
  AccArray **parameters;
  guint n;

  parameters = acc_program_get_parameter_nodes (condition, &n);
  for (guint i = 0; i < n; i++)
    acc_lift_bind (inner, parameters[i], acc_lifted_ref (states[i]));
  flags = acc_lift_to_regular (inner, acc_lift_array (inner, acc_program_get_result_nodes (condition, &n)[0]));

  return g_object_ref (flags->values);
}

static AccExpr *
new_flag (AccExpr *place,
          AccExpr *flag,
          gpointer data)
{
  AccArray *flags = data;

  return acc_expr_cond (acc_expr_ge (place, acc_array_number (0)), acc_expr_linear_index (flags, place), acc_expr_new_bool (FALSE));
}

/* One iteration: of elements that go on the next state, of others the same. */
static AccProgram *
make_step (AccLift    *self,
           AccArray   *node,
           AccLifted **like,
           GPtrArray  *parts)
{
  AccProgram *step = acc_array_get_programs (node)[1];
  g_autoptr(GPtrArray) parameters = make_parameters (parts), results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) states = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_lifted_unref);
  g_autoptr(GPtrArray) next = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_lifted_unref);
  AccArray *flags = g_ptr_array_index (parameters, 0), **nodes;
  g_autoptr(AccArray) places = NULL, going = NULL, own_flags = NULL;
  g_autoptr(AccLift) all = acc_lift_new_within (self, NULL), some = NULL;
  guint n, used = 1;

  /* Bound here, states are those of the frame of all elements, which is that of @self. */
  nodes = acc_program_get_parameter_nodes (step, &n);
  for (guint i = 0; i < n; i++)
    {
      AccLifted *state = join_parts (like[i], (AccArray **) parameters->pdata, &used);

      g_ptr_array_add (states, state);
      acc_lift_bind (all, nodes[i], acc_lifted_ref (state));
    }

  going = select_elements (all, flags, &places);
  some = acc_lift_new_within (all, going);
  nodes = acc_program_get_result_nodes (step, &n);
  for (guint i = 0; i < n; i++)
    {
      AccLifted *lifted = acc_lift_array (some, nodes[i]);

      g_ptr_array_add (next, acc_lift_to_irregular (some, lifted));
    }

  own_flags = lift_condition (some, node, (AccLifted **) next->pdata);
  g_ptr_array_add (results, acc_array_zip_with (places, flags, new_flag, own_flags));
  for (guint i = 0; i < n; i++)
    {
      g_autoptr(AccLifted) merged = acc_lift_merge (all, g_ptr_array_index (next, i), places, g_ptr_array_index (states, i), NULL);

      list_parts (merged, results);
    }

  return acc_program_new_for_nodes ((AccArray **) parameters->pdata, parameters->len, (AccArray **) results->pdata, results->len);
}

AccLifted *
acc_lift_while_loop (AccLift  *self,
                     AccArray *node)
{
  g_autoptr(GPtrArray) states = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_lifted_unref);
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func (g_object_unref), last = NULL;
  GPtrArray *results = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_lifted_unref);
  g_autoptr(AccProgram) condition = NULL, step = NULL;
  guint used = 1;

  for (guint i = 0; i < node->n_inputs; i++)
    g_ptr_array_add (states, acc_lift_to_irregular (self, acc_lift_get_input (self, node, i)));
  g_ptr_array_add (parts, lift_condition (self, node, (AccLifted **) states->pdata));
  for (guint i = 0; i < node->n_inputs; i++)
    list_parts (g_ptr_array_index (states, i), parts);

  condition = make_condition (parts);
  step = make_step (self, node, (AccLifted **) states->pdata, parts);
  last = acc_array_while_loop_many ((AccArray **) parts->pdata, parts->len, condition, step);
  for (guint i = 0; i < node->n_inputs; i++)
    g_ptr_array_add (results, join_parts (g_ptr_array_index (states, i), (AccArray **) last->pdata, &used));
  g_hash_table_insert (self->loops, node, results);

  return acc_lifted_ref (g_ptr_array_index (results, 0));
}

AccLifted *
acc_lift_loop_result (AccLift  *self,
                      AccArray *node)
{
  AccLifted *first = acc_lift_get_input (self, node, 0);
  guint item = acc_array_get_item (node);

  for (AccLift *frame = self; frame != NULL; frame = frame->parent)
    {
      GPtrArray *results = g_hash_table_lookup (frame->loops, node->inputs[0]);
      g_autoptr(AccLifted) found = results != NULL ? acc_lifted_ref (g_ptr_array_index (results, item)) : NULL;

      if (found == NULL)
        continue;
      /* A frame of some of the elements has theirs. */
      g_assert (frame == self || first != NULL);
      return frame == self || self->selection == NULL ? g_steal_pointer (&found) : acc_lift_gather (self, found, self->selection);
    }

  g_return_val_if_reached (acc_lifted_ref (first));
}
