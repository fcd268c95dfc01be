/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-program-private.h"

/* The walk over a traced function: each node is lifted by the rule that the table of operations names for it, after what it is computed
 * from. What does not depend on the element stays as it is. The sides of a choice are left to its rule, which lifts each for the
 * elements that choose it. */

static const AccLiftRule rules[] = {
#define ACC_OPERATION(ID, name, n_inputs, functions, class, family, rows, facts, lifting, ...) [ACC_OP_##ID] = acc_lift_##lifting,
#include "acc-operations.inc"
#undef ACC_OPERATION
};

static AccExpr *
itself (AccExpr *k,
        gpointer data)
{
  return k;
}

static AccLift *
lift_new (AccArray *index)
{
  AccLift *self = g_new0 (AccLift, 1);

  self->index = index;
  self->lifted = g_hash_table_new_full (NULL, NULL, g_object_unref, (GDestroyNotify) acc_lifted_unref);
  self->loops = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  self->composed = g_hash_table_new (NULL, NULL);

  return self;
}

AccLift *
acc_lift_new (AccArray *count)
{
  return lift_new (acc_array_generate_expr (acc_expr_extent (count, 0), itself, NULL));
}

AccLift *
acc_lift_new_within (AccLift  *parent,
                     AccArray *selection)
{
  AccLift *self = lift_new (selection != NULL ? acc_array_generate_expr (acc_expr_extent (selection, 0), itself, NULL)
                                              : g_object_ref (parent->index));

  self->parent = parent;
  self->in_steps = parent->in_steps;
  self->on_device = parent->on_device;
  self->no_library = parent->no_library;
  self->is_composed = parent->is_composed;
  self->varies = parent->varies;
  self->selection = selection != NULL ? g_object_ref (selection) : NULL;

  return self;
}

void
acc_lift_free (AccLift *self)
{
  g_clear_object (&self->selection);
  g_object_unref (self->index);
  g_hash_table_unref (self->lifted);
  g_hash_table_unref (self->loops);
  g_hash_table_unref (self->composed);
  g_free (self);
}

AccExpr *
acc_lift_count (AccLift *self)
{
  return acc_expr_extent (self->index, 0);
}

void
acc_lift_bind (AccLift   *self,
               AccArray  *parameter,
               AccLifted *value)
{
  g_hash_table_insert (self->lifted, g_object_ref (parameter), value);
}

/* What an enclosing frame has for @node, for the elements of this one. */
static AccLifted *
find (AccLift  *self,
      AccArray *node)
{
  AccLifted *found = g_hash_table_lookup (self->lifted, node), *outer;

  if (found != NULL || self->parent == NULL || (outer = find (self->parent, node)) == NULL)
    return found;

  found = self->selection == NULL ? acc_lifted_ref (outer) : acc_lift_gather (self, outer, self->selection);
  acc_lift_bind (self, node, found);

  return found;
}

AccLifted *
acc_lift_get (AccLift  *self,
              AccArray *node)
{
  return find (self, node);
}

AccLifted *
acc_lift_get_input (AccLift  *self,
                    AccArray *node,
                    guint     input)
{
  return acc_lift_get (self, node->inputs[input]);
}

/* --- the walk */

typedef struct {
  AccArray *node;
  guint     next;
} Frame;

static gboolean
is_whole (AccLift  *self,
          AccArray *node)
{
  return acc_lift_is_whole (node) && !g_hash_table_contains (self->composed, node);
}

static AccArray *
nth_dependence (AccLift  *self,
                AccArray *node,
                guint     n)
{
  /* Only the condition of a choice is for all elements. */
  if (node->op == ACC_OP_COND && n > 0)
    return NULL;

  return is_whole (self, node) ? acc_lift_nth_operand (node, n) : acc_array_nth_dependence (node, n);
}

static gboolean
is_constant (AccLift  *self,
             AccArray *node)
{
  AccArray *dependence;

  for (guint n = 0; (dependence = nth_dependence (self, node, n)) != NULL; n++)
    if (acc_lift_get (self, dependence)->form != ACC_LIFTED_CONSTANT)
      return FALSE;
  /* Its sides may depend on the element all the same. */
  return node->op != ACC_OP_COND;
}

/* @node itself, or, where something of it was given for parameters, the same of that; NULL: it takes what it is composed of to tell. */
static AccArray *
replace_constants (AccLift  *self,
                   AccArray *node)
{
  g_autoptr(GHashTable) replaced = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  AccArray *dependence, *copy;

  for (guint n = 0; (dependence = nth_dependence (self, node, n)) != NULL; n++)
    {
      AccArray *values = acc_lift_get (self, dependence)->values;

      if (values != dependence)
        g_hash_table_insert (replaced, dependence, g_object_ref (values));
    }
  if (g_hash_table_size (replaced) == 0)
    return g_object_ref (node);
  if (is_whole (self, node))
    return NULL;
  copy = acc_array_copy_replaced (node, replaced);

  return copy != NULL ? copy : g_object_ref (node);
}

/* What @node, of what is the same for all elements, knows of itself, to the one that takes its place. */
static void
tell (AccLift  *self,
      AccArray *node,
      AccArray *constant)
{
  AccArrayNote *note = constant != node ? acc_array_get_note (node) : NULL;
  g_autoptr(GPtrArray) parameters = NULL, arguments = NULL;

  if (note == NULL)
    return;

  parameters = g_ptr_array_new ();
  arguments = g_ptr_array_new ();
  for (; self != NULL; self = self->parent)
    {
      GHashTableIter iter;
      gpointer array, lifted;

      g_hash_table_iter_init (&iter, self->lifted);
      while (g_hash_table_iter_next (&iter, &array, &lifted))
        if (((AccArray *) array)->op == ACC_OP_PARAMETER && ((AccLifted *) lifted)->form == ACC_LIFTED_CONSTANT)
          {
            g_ptr_array_add (parameters, array);
            g_ptr_array_add (arguments, ((AccLifted *) lifted)->values);
          }
    }
  note->tell (note, constant, (AccArray **) parameters->pdata, (AccArray **) arguments->pdata, parameters->len);
}

/* Messages and plans call what is made as the user called it. NULL: as replace_constants() says. */
static AccLifted *
lift_one (AccLift  *self,
          AccArray *node)
{
  g_auto(AccNaming) naming = acc_naming_begin (acc_array_get_operation_name (node));
  g_autoptr(AccArray) constant = is_constant (self, node) ? replace_constants (self, node) : NULL;
  AccLifted *lifted;

  if (self->varies && constant != NULL && constant != node)
    {
      AccArray *rows;

      /* Of what takes the place of an element extents are known now. */
      if (constant->shape == NULL && constant->error == NULL)
        acc_array_infer_known (constant);
      rows = acc_lift_rows_of_constant (self, constant);
      if (rows != NULL)
        {
          g_object_unref (constant);
          constant = rows;
        }
    }
  if (constant != NULL)
    tell (self, node, constant);
  lifted = constant != NULL ? acc_lifted_new_constant (g_steal_pointer (&constant))
                      : !is_whole (self, node) ? rules[node->op] (self, node)
                      : !is_constant (self, node) ? acc_lift_whole (self, node) : NULL;

  if (lifted != NULL && node->label != NULL && lifted->values->label == NULL)
    acc_array_set_label (lifted->values, node->label);

  return lifted;
}

AccLifted *
acc_lift_array (AccLift  *self,
                AccArray *node)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));

  g_array_append_vals (stack, &(Frame) { node, 0 }, 1);
  while (stack->len > 0)
    {
      Frame *top = &g_array_index (stack, Frame, stack->len - 1);
      AccArray *current = top->node, *dependence = NULL;
      AccLifted *lifted;

      if (find (self, current) == NULL && (dependence = nth_dependence (self, current, top->next++)) != NULL)
        {
          g_array_append_vals (stack, &(Frame) { dependence, 0 }, 1);
          continue;
        }
      lifted = find (self, current) == NULL ? lift_one (self, current) : NULL;
      if (lifted != NULL)
        acc_lift_bind (self, current, lifted);
      if (find (self, current) != NULL)
        {
          g_array_set_size (stack, stack->len - 1);
          continue;
        }
      g_hash_table_add (self->composed, current);
      top->next = 0;
    }

  return acc_lift_get (self, node);
}

/* --- what cannot depend on the element */

AccLifted *
acc_lift_leaf (AccLift  *self,
               AccArray *node)
{
  return acc_lifted_new_constant (g_object_ref (node));
}
