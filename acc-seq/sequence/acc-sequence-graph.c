/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-graph-private.h"

#include "acc-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-rearrange.h"

/* Sequences of what is not there before a run: arguments of programs, states of loops, elements of nested maps. They are no walk, but a
 * graph of all elements at once, which goes wherever graphs do. */

/* --- which they are */

static gboolean
needs_run (AccArray           **arrays,
           guint                n,
           AccSequenceFunction *function)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (arrays, n);
  gboolean needs = FALSE;

  for (guint i = 0; i < nodes->len && !needs; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      needs = node->op == ACC_OP_PARAMETER;
      for (guint k = 0; needs && function != NULL && k < function->n_parameters; k++)
        needs = node != function->parameters[k];
    }

  return needs;
}

static gboolean
nested_needs_run (AccNestedArray *nested)
{
  g_autoptr(GPtrArray) arrays = acc_walk_part_list_arrays (nested);

  g_ptr_array_add (arrays, acc_nested_array_get_count (nested));

  return needs_run ((AccArray **) arrays->pdata, arrays->len, NULL);
}

gboolean
acc_sequence_needs_run (AccSequence         *self,
                        AccSequenceFunction *function,
                        AccArray            *array)
{
  g_autoptr(GPtrArray) all = acc_walk_sort_sequences (&self, 1);
  gboolean needs = (function != NULL && needs_run (&function->result, 1, function)) || (array != NULL && needs_run (&array, 1, NULL));

  for (guint i = 0; i < all->len && !needs; i++)
    {
      AccSequence *one = g_ptr_array_index (all, i);

      needs = (one->nested != NULL && nested_needs_run (one->nested)) || (one->array != NULL && needs_run (&one->array, 1, NULL))
              || (one->states != NULL && needs_run ((AccArray **) one->states->pdata, one->states->len, NULL))
              || (one->function != NULL && needs_run (one->function->results, one->function->n_results, one->function));
    }

  return needs;
}

/* --- elements */

/* Takes over @count. */
static AccNestedArray *
new_numbers (AccExpr *count)
{
  g_autoptr(AccArray) numbers = acc_nested_array_new_numbers (count);

  return acc_nested_array_new_from_regular (numbers);
}

static AccNestedArray *
refuse (const char *what)
{
  AccArray *mistake = acc_sequence_new_mistake ("sequence", ACC_ERROR_UNSUPPORTED, "%s, of what is not there before a run, such as an "
                                                "argument of a program", what);

  return acc_nested_array_new_error (mistake);
}

static AccNestedArray *all_elements (AccSequence *self, AccExpr *most);

/* The same number of each: the shortest of those that end decides. */
static AccNestedArray *
map_all (AccSequence *self,
         AccExpr     *most)
{
  g_autoptr(GPtrArray) inputs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccExpr) least = most != NULL ? acc_expr_ref (most) : NULL;
  g_autoptr(AccArray) numbers = NULL;
  gboolean cuts = most != NULL || self->n_inputs > 1;

  for (guint i = 0; i < self->n_inputs; i++)
    {
      AccNestedArray *input = self->inputs[i]->endless ? NULL : all_elements (self->inputs[i], most);
      AccExpr *before = least;

      g_ptr_array_add (inputs, input);
      if (input != NULL && cuts)
        {
          AccExpr *count = acc_nested_array_count_elements (input);

          least = acc_expr_ref_sink (before != NULL ? acc_expr_min (before, count) : count);
          g_clear_pointer (&before, acc_expr_unref);
        }
    }
  if (cuts && least != NULL)
    numbers = acc_nested_array_new_numbers (least);
  for (guint i = 0; i < inputs->len; i++)
    {
      AccNestedArray *input = inputs->pdata[i];

      if (input == NULL)
        inputs->pdata[i] = all_elements (self->inputs[i], least);
      else if (cuts)
        inputs->pdata[i] = acc_nested_array_choose (input, numbers);
      else
        g_object_ref (input);
      g_clear_object (&input);
    }

  return acc_sequence_function_apply (self->function, (AccNestedArray **) inputs->pdata, 0);
}

static AccNestedArray *
get_flags (AccSequence    *self,
           AccNestedArray *elements)
{
  g_autoptr(AccNestedArray) numbers = new_numbers (acc_nested_array_count_elements (elements));

  return acc_sequence_function_apply (self->function, (AccNestedArray *[]) { elements, numbers }, 0);
}

static AccExpr *
both (AccExpr *x,
      AccExpr *y,
      gpointer data)
{
  return acc_expr_land (x, y);
}

static AccNestedArray *
choose (AccSequence *self)
{
  g_autoptr(AccNestedArray) elements = all_elements (self->inputs[0], NULL), flags = get_flags (self, elements), chosen = NULL;
  g_autoptr(AccLift) lift = NULL;
  g_autoptr(AccLifted) regular = NULL;
  g_autoptr(AccArray) before = NULL;

  if (self->kind == ACC_SEQUENCE_KIND_FILTER)
    return acc_nested_array_compact (elements, flags, NULL);

  lift = acc_lift_new (acc_nested_array_get_outer_count (elements));
  regular = acc_lift_to_regular (lift, acc_nested_array_get_lifted (flags));
  before = acc_array_scanl1 (regular->values, both, NULL);
  chosen = acc_nested_array_new_from_regular (before);

  return acc_nested_array_compact (elements, chosen, NULL);
}

/* The rows of elements. */
static AccExpr *
rows_in_all (AccLifted *lifted,
             AccArray  *values)
{
  g_autofree AccExpr **extents = g_new (AccExpr *, lifted->rank);
  AccExpr *n = acc_expr_mul (acc_expr_extent (values, 0), acc_expr_extent (values, 1));

  extents[0] = n;
  for (guint d = 1; d < lifted->rank; d++)
    extents[d] = acc_expr_extent (values, d + 1);

  return lifted->rank == 1 ? n : acc_expr_tuple (extents, lifted->rank);
}

static AccNestedArray *
expand_all (AccSequence *self)
{
  g_autoptr(AccNestedArray) given = all_elements (self->inputs[0], NULL), elements = NULL;
  g_autoptr(AccArray) rows = NULL;
  AccLifted *lifted;

  if (acc_nested_array_get_lifted (given)->values->error != NULL)
    return g_steal_pointer (&given);

  if (self->inputs[0]->depth > 1)
    return g_object_ref (acc_nested_array_get_inner (given));
  elements = acc_walk_dup_counted (given);
  lifted = acc_nested_array_get_lifted (elements);
  if (lifted->form == ACC_LIFTED_IRREGULAR && lifted->rank > 1)
    return refuse ("expand needs elements of the same extents");
  rows = lifted->form == ACC_LIFTED_IRREGULAR ? g_object_ref (lifted->values)
                                              : acc_array_reshape_expr (lifted->values, rows_in_all (lifted, lifted->values));

  return acc_nested_array_new_from_regular (rows);
}

static AccNestedArray *
join_both (AccSequence *self)
{
  g_autoptr(AccNestedArray) first = all_elements (self->inputs[0], NULL), second = all_elements (self->inputs[1], NULL);

  return acc_nested_array_concat (first, second);
}

static AccNestedArray *
batch_all (AccSequence *self)
{
  g_autoptr(AccNestedArray) given = all_elements (self->inputs[0], NULL), elements = NULL;

  if (acc_nested_array_get_values (given)->error != NULL)
    return g_steal_pointer (&given);
  elements = acc_walk_dup_counted (given);

  return acc_sequence_group_elements (elements, self->number);
}

/* As many as there are; @most, where it is not NULL, are wanted: there may be more, but of those without an end there are as many. */
static AccNestedArray *
all_elements (AccSequence *self,
              AccExpr     *most)
{
  g_autoptr(AccNestedArray) input = NULL;
  g_autoptr(AccExpr) wanted = NULL;

  switch (self->kind)
    {
    case ACC_SEQUENCE_KIND_NESTED:
      return g_object_ref (self->nested);
    case ACC_SEQUENCE_KIND_COUNTER:
      if (self->length < 0 && most == NULL)
        return refuse ("a sequence has no end");
      return new_numbers (self->length < 0 ? most : acc_array_number (self->length));
    case ACC_SEQUENCE_KIND_MAP:
      return map_all (self, most);
    case ACC_SEQUENCE_KIND_FILTER:
    case ACC_SEQUENCE_KIND_TAKE_WHILE:
      return choose (self);
    case ACC_SEQUENCE_KIND_TAKE:
      wanted = acc_expr_ref_sink (acc_array_number (self->number));
      input = all_elements (self->inputs[0], wanted);
      return acc_nested_array_take (input, self->number);
    case ACC_SEQUENCE_KIND_DROP:
      wanted = most != NULL ? acc_expr_ref_sink (acc_expr_add (most, acc_array_number (self->number))) : NULL;
      input = all_elements (self->inputs[0], wanted);
      return acc_nested_array_drop (input, self->number);
    case ACC_SEQUENCE_KIND_CONCAT:
      return join_both (self);
    case ACC_SEQUENCE_KIND_EXPAND:
      return expand_all (self);
    case ACC_SEQUENCE_KIND_PRODUCER:
      /* Of known extents they are a function of their number. */
      if (self->function != NULL)
        return map_all (self, most);
      return self->windows != NULL ? acc_sequence_graph_windows (self) : refuse ("what a producer reads, with others");
    case ACC_SEQUENCE_KIND_ARRAY:
      return refuse ("rows of a source, with others");
    case ACC_SEQUENCE_KIND_SCAN:
      return refuse ("a scan over elements");
    case ACC_SEQUENCE_KIND_BATCH:
      return self->depth > self->inputs[0]->depth ? batch_all (self) : refuse ("batches");
    case ACC_SEQUENCE_KIND_MAP_BATCH:
    case ACC_SEQUENCE_KIND_FOLD_BATCH:
      return refuse ("functions of batches");
    }

  g_return_val_if_reached (NULL);
}

AccNestedArray *
acc_sequence_graph_elements (AccSequence *self)
{
  return all_elements (self, NULL);
}

/* --- results */

static AccExpr *
first_of (AccExpr *index,
          gpointer lifted)
{
  return acc_lift_join_index (acc_array_number (0), index, ((AccLifted *) lifted)->rank);
}

AccArray *
acc_sequence_graph_take_first (AccNestedArray *elements)
{
  AccLifted *lifted = acc_nested_array_get_lifted (elements);
  g_autoptr(AccArray) first = NULL, values = NULL;

  switch (lifted->form)
    {
    case ACC_LIFTED_CONSTANT:
      {
        g_autoptr(AccNestedArray) counted = acc_walk_dup_counted (elements);

        return acc_sequence_graph_take_first (counted);
      }
    case ACC_LIFTED_REGULAR:
      return acc_array_backpermute_expr (lifted->values, acc_lifted_extents (lifted, NULL), first_of, lifted);
    case ACC_LIFTED_IRREGULAR:
      break;
    }

  first = acc_nested_array_new_numbers (acc_array_number (1));
  {
    g_autoptr(AccNestedArray) one = acc_nested_array_choose (elements, first);
    AccLifted *own = acc_nested_array_get_lifted (one);

    return acc_array_reshape_expr (own->values, acc_lifted_extents (own, acc_array_number (0)));
  }
}

static AccExpr *
last_number (AccExpr *k,
             gpointer elements)
{
  return acc_expr_sub (acc_nested_array_count_elements (elements), acc_array_number (1));
}

AccArray *
acc_sequence_graph_choose (AccNestedArray *elements,
                           AccArray       *element,
                           AccArray       *otherwise)
{
  g_autoptr(AccArray) there = NULL;

  if (otherwise == NULL)
    return g_object_ref (element);
  there = acc_array_unit (acc_expr_gt (acc_nested_array_count_elements (elements), acc_array_number (0)));

  return acc_array_cond (there, element, otherwise);
}

static AccNestedArray *
take_last (AccNestedArray *elements)
{
  g_autoptr(AccArray) number = acc_array_generate_expr (acc_array_number (1), last_number, elements);

  return acc_nested_array_choose (elements, number);
}

AccArray *
acc_sequence_graph_last (AccSequence *self,
                         AccArray    *otherwise)
{
  g_autoptr(AccNestedArray) elements = all_elements (self, NULL), last = take_last (elements);
  g_autoptr(AccArray) element = acc_sequence_graph_take_first (last);

  return acc_sequence_graph_choose (elements, element, otherwise);
}

AccNestedArray *
acc_sequence_graph_last_nested (AccSequence    *self,
                                AccNestedArray *otherwise)
{
  g_autoptr(AccNestedArray) elements = all_elements (self, NULL), last = NULL, loose = NULL;
  g_autoptr(GPtrArray) own = g_ptr_array_new (), others = g_ptr_array_new (),
                       chosen = g_ptr_array_new_with_free_func (g_object_unref);

  if (acc_nested_array_get_values (elements)->error != NULL)
    return g_steal_pointer (&elements);
  last = take_last (elements);
  if (otherwise == NULL)
    return g_object_ref (acc_nested_array_get_inner (last));

  loose = acc_walk_dup_loose (acc_nested_array_get_inner (last));
  acc_nested_array_collect (loose, own);
  acc_nested_array_collect (otherwise, others);
  for (guint i = 0; i < own->len; i++)
    g_ptr_array_add (chosen, acc_sequence_graph_choose (elements, g_ptr_array_index (own, i), g_ptr_array_index (others, i)));

  return acc_nested_array_new_manifest (loose, (AccArray **) chosen->pdata);
}

AccArray *
acc_sequence_graph_lengths (AccSequence *self)
{
  g_autoptr(AccNestedArray) elements = all_elements (self, NULL);

  return g_object_ref (acc_nested_array_get_lengths (elements));
}

AccArray *
acc_sequence_graph_count (AccSequence *self)
{
  g_autoptr(AccNestedArray) elements = all_elements (self, NULL);

  return acc_array_unit (acc_nested_array_count_elements (elements));
}

/* Dimension @d of the first element; 0 where there is none. */
static AccExpr *
first_extent (AccLift   *lift,
              AccLifted *lifted,
              guint      d)
{
  return acc_expr_cond (acc_expr_gt (acc_lift_count (lift), acc_array_number (0)),
                        acc_lifted_extent (lifted, acc_array_number (0), d), acc_array_number (0));
}

static AccExpr *
is_as_first (AccLift *lift,
             AccExpr *k,
             gpointer data)
{
  AccLifted *lifted = data;
  AccExpr *alike = acc_expr_new_bool (TRUE);

  for (guint d = 0; d < lifted->rank; d++)
    alike = acc_expr_land (alike, acc_expr_eq (acc_lifted_extent (lifted, k, d), first_extent (lift, lifted, d)));

  return alike;
}

static AccArray *
stack_irregular (AccNestedArray *elements)
{
  ACC_ARRAY_NAMED ("sequence_stack");
  AccLifted *lifted = acc_nested_array_get_lifted (elements);
  g_autoptr(AccLift) lift = acc_lift_new (acc_nested_array_get_count (elements));
  g_autoptr(AccArray) checked = acc_lift_demand (lift, lifted->values, is_as_first, lifted, lifted->values,
                                                 "element " ACC_REFUSED_NUMBER " does not have the extents of the first");
  g_autofree AccExpr **extents = g_new (AccExpr *, lifted->rank + 1);

  extents[0] = acc_lift_count (lift);
  for (guint d = 0; d < lifted->rank; d++)
    extents[d + 1] = first_extent (lift, lifted, d);

  return acc_array_reshape_expr (checked, acc_expr_tuple (extents, lifted->rank + 1));
}

AccArray *
acc_sequence_graph_stack (AccSequence *self)
{
  g_autoptr(AccNestedArray) elements = all_elements (self, NULL), counted = NULL;
  AccArray *values = acc_nested_array_get_lifted (elements)->values;

  if (values->error != NULL)
    return g_object_ref (values);
  if (acc_nested_array_get_form (elements) == ACC_NESTED_FORM_IRREGULAR)
    return stack_irregular (elements);

  counted = acc_walk_dup_counted (elements);

  return g_object_ref (acc_nested_array_get_lifted (counted)->values);
}
