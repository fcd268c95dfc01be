/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"

#include <string.h>

/* What keeps elements, or what is known of them: the arrays that a sequence ends in. */

typedef struct {
  AccWalkOutlet         outlet;
  AccSequenceResultKind kind;
  GPtrArray            *parts;   /* AccWalkPart, owned */
  gint64                count;
} Collector;

static void
collector_free (AccWalkOutlet *outlet)
{
  Collector *self = (Collector *) outlet;

  g_ptr_array_unref (self->parts);
  g_free (self);
}

static void
build (AccWalkOutlet  *outlet,
       AccNestedArray *elements,
       gint64          count,
       GPtrArray      *wanted)
{
  Collector *self = (Collector *) outlet;

  if (self->kind == ACC_SEQUENCE_RESULT_LENGTHS)
    g_ptr_array_add (wanted, acc_nested_array_new_from_regular (acc_nested_array_get_lengths (elements)));
  else if (self->kind != ACC_SEQUENCE_RESULT_COUNT)
    g_ptr_array_add (wanted, g_object_ref (elements));
}

static gboolean
absorb (AccWalkOutlet *outlet,
        AccWalkPart  **parts,
        gint64         count,
        GError       **error)
{
  Collector *self = (Collector *) outlet;
  AccWalkPart *last;

  self->count += count;
  if (self->kind == ACC_SEQUENCE_RESULT_COUNT)
    return TRUE;
  if (self->kind != ACC_SEQUENCE_RESULT_LAST && self->kind != ACC_SEQUENCE_RESULT_LAST_NESTED)
    {
      g_ptr_array_add (self->parts, acc_walk_part_ref (parts[0]));
      return TRUE;
    }

  last = acc_walk_part_slice (parts[0], count - 1, 1, error);
  if (last == NULL)
    return FALSE;
  g_ptr_array_set_size (self->parts, 0);
  g_ptr_array_add (self->parts, last);

  return TRUE;
}

static guint64
describe (AccWalkOutlet        *outlet,
          AccSequenceFunction **function)
{
  return (guint64) ((Collector *) outlet)->kind;
}

static const AccWalkOutletClass collector_class = { build, absorb, NULL, NULL, describe, NULL, collector_free };

AccWalkOutlet *
acc_walk_collector_new (AccWalkStage         *stage,
                        AccSequence          *sequence,
                        AccSequenceResultKind kind)
{
  Collector *self = g_new0 (Collector, 1);

  self->kind = kind;
  self->parts = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref);
  acc_walk_outlet_attach (&self->outlet, &collector_class, stage, sequence);

  return &self->outlet;
}

AccWalkPart *
acc_walk_collector_pop (AccWalkOutlet *outlet)
{
  Collector *self = (Collector *) outlet;

  return self->parts->len > 0 ? g_ptr_array_steal_index (self->parts, 0) : NULL;
}

/* All that was collected, as one part; of an empty sequence it has no elements. */
static AccWalkPart *
join_all (Collector *self,
          GError   **error)
{
  AccSequence *sequence = self->outlet.sequence;
  AccWalkPart *all;

  if (self->parts->len == 0)
    return self->kind == ACC_SEQUENCE_RESULT_LENGTHS ? acc_walk_part_new_empty (acc_element_type_new (ACC_KIND_I64), 0, NULL, 1)
                                                     : acc_walk_part_new_empty (sequence->type, sequence->rank, sequence->shape,
                                                                                sequence->depth);

  all = acc_walk_part_join (self->parts, acc_backend_get_host_budget (self->outlet.stage->walk->backend), error);
  if (all == NULL)
    return NULL;

  /* Whoever asks next has it. */
  g_ptr_array_set_size (self->parts, 0);
  g_ptr_array_add (self->parts, acc_walk_part_ref (all));

  return all;
}

static AccArray *
dup_stack (Collector   *self,
           AccWalkPart *all,
           GError     **error)
{
  g_autoptr(AccWalkPart) regular = acc_walk_part_tighten (all, 0, NULL, acc_backend_get_host_budget (self->outlet.stage->walk->backend),
                                                          error);

  return regular != NULL ? g_object_ref (acc_nested_array_get_values (regular->nested)) : NULL;
}

/* The array that is number @piece of an irregular nested array. */
static AccArray *
dup_piece (AccWalkPart *part,
           guint        piece,
           AccBudget   *budget,
           GError     **error)
{
  g_autoptr(AccWalkPart) loose = acc_walk_part_loosen (part, budget, error);
  g_autoptr(GPtrArray) arrays = loose != NULL ? acc_walk_part_list_arrays (loose->nested) : NULL;

  return arrays != NULL ? g_object_ref (g_ptr_array_index (arrays, piece)) : NULL;
}

/* The same of a single element, which is a nested array. */
static AccArray *
dup_last (AccWalkPart *part,
          guint        piece,
          AccBudget   *budget,
          GError     **error)
{
  g_autoptr(AccWalkPart) elements = acc_walk_part_open (part, error);

  return elements != NULL ? dup_piece (elements, piece, budget, error) : NULL;
}

AccArray *
acc_walk_collector_dup (AccWalkOutlet         *outlet,
                        AccSequenceResultKind  kind,
                        guint                  piece,
                        AccArray              *otherwise,
                        GError               **error)
{
  Collector *self = (Collector *) outlet;
  AccBudget *budget = acc_backend_get_host_budget (outlet->stage->walk->backend);
  gboolean is_last = kind == ACC_SEQUENCE_RESULT_LAST || kind == ACC_SEQUENCE_RESULT_LAST_NESTED;
  g_autoptr(AccWalkPart) all = NULL;

  if (kind == ACC_SEQUENCE_RESULT_COUNT)
    return acc_walk_new_number (self->count);
  if (is_last && self->parts->len == 0 && otherwise == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "the sequence has no elements, and nothing was given in place of one");
      return NULL;
    }
  if (is_last && self->parts->len == 0)
    return acc_backend_run (outlet->stage->walk->backend, otherwise, outlet->stage->walk->cancellable, error);
  if (kind == ACC_SEQUENCE_RESULT_LAST)
    return acc_walk_part_dup_element (g_ptr_array_index (self->parts, 0), 0, error);
  if (kind == ACC_SEQUENCE_RESULT_LAST_NESTED)
    return dup_last (g_ptr_array_index (self->parts, 0), piece, budget, error);

  all = join_all (self, error);
  if (all == NULL)
    return NULL;
  if (kind == ACC_SEQUENCE_RESULT_STACK)
    return dup_stack (self, all, error);
  if (kind == ACC_SEQUENCE_RESULT_LENGTHS)
    return g_object_ref (acc_nested_array_get_values (all->nested));
  if (kind == ACC_SEQUENCE_RESULT_ELEMENTS)
    return acc_walk_part_flatten (all, budget, error);

  return dup_piece (all, piece, budget, error);
}
