/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-states-private.h"

/* Functions that are compiled once, and run for each element or batch. */

void
acc_walk_states_clear (AccWalkStates *self)
{
  g_clear_pointer (&self->arrays, g_ptr_array_unref);
  g_clear_object (&self->step);
}

static gboolean
prepare (AccWalkStates *self,
         AccWalk       *walk,
         AccSequence   *boundary,
         GError       **error)
{
  AccSequenceFunction *function = acc_walk_get_function (walk, boundary);
  g_autoptr(AccProgram) program = boundary->program != NULL ? g_object_ref (boundary->program)
                                  : acc_program_new_for_nodes (function->parameters, function->n_parameters, function->results,
                                                              function->n_results);
  AccArray **first = boundary->states != NULL ? (AccArray **) boundary->states->pdata : &boundary->array;

  self->step = acc_backend_compile (walk->backend, program, walk->cancellable, error);
  if (self->step != NULL)
    self->arrays = acc_backend_run_many (walk->backend, first, boundary->states != NULL ? boundary->states->len : 1, walk->cancellable,
                                         error);

  return self->arrays != NULL;
}

GPtrArray *
acc_walk_states_run (AccWalkStates *self,
                     AccWalk       *walk,
                     AccSequence   *boundary,
                     AccArray     **others,
                     guint          n_others,
                     GError       **error)
{
  g_autoptr(GPtrArray) arguments = g_ptr_array_new ();
  GPtrArray *results;

  if (self->arrays == NULL && !prepare (self, walk, boundary, error))
    return NULL;

  g_ptr_array_extend (arguments, self->arrays, NULL, NULL);
  for (guint i = 0; i < n_others; i++)
    g_ptr_array_add (arguments, others[i]);

  results = acc_executable_run (self->step, (AccArray **) arguments->pdata, arguments->len, walk->cancellable, error);
  for (guint i = 0; results != NULL && i < self->arrays->len; i++)
    g_set_object ((AccArray **) &self->arrays->pdata[i], g_ptr_array_index (results, i));

  return results;
}

/* --- scans */

AccWalkPart *
acc_walk_states_take (AccWalk     *walk,
                      AccSequence *boundary,
                      AccWalkPart *elements,
                      GError     **error)
{
  return boundary->inputs[0]->depth > 1 ? acc_walk_part_loosen (elements, acc_backend_get_host_budget (walk->backend), error)
                                        : acc_walk_part_ref (elements);
}

/* What element @i consists of; owned. */
static GPtrArray *
list_element (AccWalkPart *elements,
              gint64       i,
              GError     **error)
{
  g_autoptr(AccWalkPart) one = NULL, inner = NULL;
  GPtrArray *arrays;

  if (acc_nested_array_get_inner (elements->nested) == NULL)
    {
      AccArray *element = acc_walk_part_dup_element (elements, i, error);

      if (element == NULL)
        return NULL;
      arrays = g_ptr_array_new_with_free_func (g_object_unref);
      g_ptr_array_add (arrays, element);
      return arrays;
    }

  one = acc_walk_part_slice (elements, i, 1, error);
  inner = one != NULL ? acc_walk_part_open (one, error) : NULL;
  if (inner == NULL)
    return NULL;
  arrays = acc_walk_part_list_arrays (inner->nested);
  g_ptr_array_foreach (arrays, (GFunc) (GCallback) g_object_ref, NULL);
  g_ptr_array_set_free_func (arrays, g_object_unref);

  return arrays;
}

/* The element that is last in @results. */
static AccWalkPart *
make_element (AccSequence *boundary,
              GPtrArray   *results)
{
  AccWalkForm form = { ACC_LIFTED_IRREGULAR, boundary->rank, boundary->depth - 1, boundary->rank > 1 };
  g_autoptr(AccWalkPart) elements = NULL;

  if (boundary->depth == 1)
    return acc_walk_part_new_constant (g_ptr_array_index (results, results->len - 1), 1);
  elements = acc_walk_part_new_of_form (&form, (AccArray **) results->pdata + results->len - acc_walk_form_count_arrays (&form), 0);

  return acc_walk_part_wrap (elements);
}

AccWalkPart *
acc_walk_states_scan (AccWalkStates *self,
                      AccWalk       *walk,
                      AccSequence   *boundary,
                      AccWalkPart   *elements,
                      gint64         i,
                      gint64         number,
                      GError       **error)
{
  g_autoptr(GPtrArray) others = list_element (elements, i, error), results = NULL;
  guint n_states = boundary->states != NULL ? boundary->states->len : 1;

  if (others == NULL)
    return NULL;
  if (acc_walk_get_function (walk, boundary)->n_parameters > n_states + others->len)
    g_ptr_array_add (others, acc_walk_new_number (number));

  results = acc_walk_states_run (self, walk, boundary, (AccArray **) others->pdata, others->len, error);
  if (results == NULL && !g_cancellable_is_cancelled (walk->cancellable))
    acc_walk_stage_prefix (acc_walk_find_stage (walk, boundary->inputs[0]), number, error);

  return results != NULL ? make_element (boundary, results) : NULL;
}
