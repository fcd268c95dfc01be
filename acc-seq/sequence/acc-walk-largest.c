/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

#include "acc-seq/sequence/producers/acc-sequence-arrays-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-memory-source-private.h"
#include "acc-seq/stream/acc-plan-private.h"

/* Whether there is room for the largest element, before the first step: where a walk goes to the end over elements that are in memory,
 * their extents are known, and plans tell what functions of one of them need. */

/* Plans leave some of the memory for what they do not count: too much of so little. */
#define LEAST_LIMIT (64 * 1024)

void
acc_walk_prefix_alone (GError **error,
                       gint64   element,
                       gint64   bytes)
{
  g_prefix_error (error, "element %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " bytes, alone: ", element, bytes);
}

/* --- how large elements are */

static AccSequenceArrays *
get_list (AccSequence *sequence)
{
  return sequence->kind == ACC_SEQUENCE_KIND_PRODUCER && sequence->producer != NULL && ACC_IS_SEQUENCE_ARRAYS (sequence->producer)
         ? ACC_SEQUENCE_ARRAYS (sequence->producer) : NULL;
}

/* Offsets of elements in memory; NULL: it has none. */
static const gint64 *
get_offsets (AccSequence    *sequence,
             AccNestedArray *nested)
{
  AccLifted *lifted = nested != NULL ? acc_nested_array_get_lifted (nested) : NULL;

  return lifted != NULL && lifted->form == ACC_LIFTED_IRREGULAR && acc_array_is_manifest (lifted->nesting->offsets)
         ? acc_walk_map_numbers (lifted->nesting->offsets, NULL) : NULL;
}

/* In memory, @nested: with those of what was computed of the sequence. -1: not known. */
static gint64
measure (AccSequence    *sequence,
         AccNestedArray *nested,
         const gint64   *offsets,
         gint64          number)
{
  gint64 size = (gint64) acc_element_type_get_size (sequence->type);
  AccSequenceArrays *list = get_list (sequence);
  g_autoptr(AccArray) array = NULL;

  if (sequence->shape != NULL)
    return acc_walk_count_bytes (sequence->shape, sequence->type);
  if (offsets != NULL)
    return (offsets[number + 1] - offsets[number]) * size;
  array = list != NULL ? acc_sequence_arrays_peek (list, number) : NULL;

  return array != NULL ? acc_walk_count_bytes (array->shape, array->type) : -1;
}

gboolean
acc_walk_find_largest (AccSequence *sequence,
                       gint64      *number,
                       gint64      *bytes)
{
  const gint64 *offsets = get_offsets (sequence, sequence->nested);

  if (sequence->length <= 0 || (sequence->kind != ACC_SEQUENCE_KIND_NESTED && get_list (sequence) == NULL))
    return FALSE;

  *bytes = -1;
  for (gint64 k = 0; k < (sequence->shape != NULL ? 1 : sequence->length); k++)
    {
      gint64 own = measure (sequence, sequence->nested, offsets, k);

      if (own < 0)
        return FALSE;
      if (own > *bytes)
        *number = k;
      *bytes = MAX (*bytes, own);
    }

  return TRUE;
}

/* --- plans */

/* Whether nothing in the walk ends it before the last element of each sequence. */
static gboolean
goes_to_the_end (AccWalk *self)
{
  for (guint i = 0; i < self->sequences->len; i++)
    {
      AccSequence *sequence = g_ptr_array_index (self->sequences, i);

      if (sequence->kind == ACC_SEQUENCE_KIND_TAKE || sequence->kind == ACC_SEQUENCE_KIND_TAKE_WHILE)
        return FALSE;
    }
  for (guint i = 0; i < self->stages->len; i++)
    if (((AccWalkStage *) g_ptr_array_index (self->stages, i))->inlets->len > 1)
      return FALSE;

  return TRUE;
}

/* The element that is the largest, of those that the stage takes from memory; NULL: nothing tells. */
static AccArray *
dup_largest (AccWalkStage *stage,
             gint64       *number,
             gint64       *bytes)
{
  AccWalkInlet *inlet = stage->inlets->len == 1 ? g_ptr_array_index (stage->inlets, 0) : NULL;
  AccSequenceArrays *list = inlet != NULL ? get_list (inlet->sequence) : NULL;

  if (inlet == NULL || !acc_walk_find_largest (inlet->sequence, number, bytes))
    return NULL;
  if (list != NULL)
    return acc_sequence_arrays_peek (list, *number);

  return inlet->whole != NULL && !inlet->whole_is_lazy ? acc_walk_part_dup_element (inlet->whole, *number, NULL) : NULL;
}

/* What the stage makes of @element. */
static GPtrArray *
list_results (AccWalkStage *stage,
              AccArray     *element)
{
  g_autoptr(AccWalkPart) part = acc_walk_part_new_constant (element, 1);
  g_autofree guint *ends = g_new0 (guint, stage->outlets->len + 1);
  GPtrArray *arrays = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) wanted = NULL;
  AccArray *list[3];

  acc_walk_stage_set_begin (stage);
  wanted = acc_walk_stage_build (stage, &part, 1, ends);
  for (guint i = 0; i < wanted->len; i++)
    {
      guint n = acc_walk_part_list_arrays (g_ptr_array_index (wanted, i), list);

      for (guint j = 0; j < n; j++)
        if (!acc_array_is_manifest (list[j]) && acc_array_check (list[j], NULL))
          g_ptr_array_add (arrays, g_object_ref (list[j]));
    }

  return arrays;
}

/* Whether @budget has room for all of them together, as far as extents are known. */
static gboolean
may_hold (AccBudget *budget,
          GPtrArray *arrays,
          GError   **error)
{
  g_autofree char *name = NULL;
  guint64 bytes = 0;

  if (arrays->len == 0)
    return TRUE;
  for (guint i = 0; i < arrays->len; i++)
    {
      AccArray *array = g_ptr_array_index (arrays, i);

      if (array->shape != NULL)
        bytes = acc_bytes_add (bytes, (guint64) acc_walk_count_bytes (array->shape, array->type));
    }
  name = acc_array_describe (g_ptr_array_index (arrays, 0));
  if (!acc_budget_reserve (budget, bytes, name, error))
    return FALSE;
  acc_budget_release (budget, bytes, name);

  return TRUE;
}

/* In the ways that a step of one element goes. */
static gboolean
check_element (AccWalkStage *stage,
               AccArray     *element,
               gint64        bytes,
               GError      **error)
{
  AccBackend *backend = stage->walk->backend;
  AccBudget *budget = acc_backend_get_budget (backend), *host = acc_backend_get_host_budget (backend);
  g_autoptr(AccArray) rows = element->rank > 0 ? acc_memory_source_new_rows (element) : NULL;
  g_autoptr(GPtrArray) whole = list_results (stage, element), by_rows = rows != NULL ? list_results (stage, rows) : NULL;
  g_autoptr(GError) local = NULL;

  if (!may_hold (host, whole, &local) && (host == budget || !may_hold (budget, whole, NULL)))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  g_clear_error (&local);
  if (by_rows == NULL || by_rows->len == 0
      || acc_evaluate_check_stages (backend, (AccArray **) by_rows->pdata, by_rows->len, &local))
    return TRUE;
  /* A device may have room for all of it where rows of it have to be stored. */
  if (host == budget ? acc_evaluate_check_bands (backend, (AccArray **) whole->pdata, whole->len, NULL)
                     : (guint64) bytes <= acc_budget_get_limit (budget))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));

  return FALSE;
}

gboolean
acc_walk_check_largest (AccWalk *self,
                        GError **error)
{
  if (acc_budget_get_limit (acc_backend_get_budget (self->backend)) < LEAST_LIMIT || !goes_to_the_end (self))
    return TRUE;

  for (guint i = 0; i < self->stages->len; i++)
    {
      AccWalkStage *stage = g_ptr_array_index (self->stages, i);
      gint64 number, bytes;
      g_autoptr(AccArray) element = dup_largest (stage, &number, &bytes);

      if (element == NULL || bytes <= acc_walk_step_bytes (self->backend, TRUE) || check_element (stage, element, bytes, error))
        continue;
      acc_walk_prefix_alone (error, number, bytes);
      return FALSE;
    }

  return TRUE;
}
