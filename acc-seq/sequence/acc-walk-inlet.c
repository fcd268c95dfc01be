/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

#include "acc-seq/stream/acc-stages-private.h"

/* Where elements of a stage come from. */

/* What is larger, and more than a step has of what is in memory, is computed before it is walked over. */
#define LAZY_BYTES (G_GINT64_CONSTANT (64) << 20)

/* Puts what is in memory there, whole, in place of a graph. */
static gboolean
compute_whole (AccWalkInlet *self,
               GError      **error)
{
  g_autoptr(GPtrArray) wanted = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) parts = NULL;

  g_ptr_array_add (wanted,
                   self->sequence->length < 0 ? acc_walk_dup_counted (self->sequence->nested) : g_object_ref (self->sequence->nested));
  parts = acc_walk_compute (self->stage->walk, wanted, MAX (self->sequence->length, 0), error);
  if (parts == NULL)
    return FALSE;

  g_clear_pointer (&self->whole, acc_walk_part_unref);
  self->whole = acc_walk_part_ref (g_ptr_array_index (parts, 0));
  self->whole_is_lazy = FALSE;
  g_queue_clear_full (&self->parts[0], (GDestroyNotify) acc_walk_part_unref);
  acc_walk_inlet_put (self, 0, acc_walk_part_ref (self->whole));
  self->ended[0] = TRUE;

  return TRUE;
}

/* Of arrays in memory that it is computed from. */
static gint64
count_read_bytes (AccArray *values)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes (&values, 1);
  gint64 bytes = 0;

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      if (node->op == ACC_OP_SOURCE || node->op == ACC_OP_DEFERRED)
        return G_MAXINT64;
      if (node->op == ACC_OP_USE)
        bytes += acc_walk_count_bytes (node->shape, node->type);
    }

  return bytes;
}

/* The bytes of @values, about; where nothing tells how many there are, as many as of what they are computed from. */
static gint64
estimate_bytes (AccArray *values)
{
  return values->shape != NULL ? acc_walk_count_bytes (values->shape, values->type) : count_read_bytes (values);
}

/* A graph that is not large goes on in that of the step. */
static gboolean
hold_whole (AccWalkInlet *self,
            GError      **error)
{
  AccNestedArray *nested = self->sequence->nested;
  gint64 most = MAX (LAZY_BYTES, acc_walk_step_bytes (self->stage->walk->backend, TRUE));

  if (self->sequence->length < 0 || self->stage->walk->chunk > 0 || acc_nested_array_is_manifest (nested)
      || estimate_bytes (acc_nested_array_get_values (nested)) > most)
    return compute_whole (self, error);

  self->whole = acc_walk_part_new (g_object_ref (nested), self->sequence->length);
  self->whole_is_lazy = TRUE;
  acc_walk_inlet_put (self, 0, acc_walk_part_ref (self->whole));
  self->ended[0] = TRUE;

  return TRUE;
}

AccWalkInlet *
acc_walk_inlet_new_between (AccWalkStage *stage,
                            AccSequence  *sequence)
{
  AccWalkInlet *self = g_new0 (AccWalkInlet, 1);

  self->stage = stage;
  self->sequence = sequence;
  for (guint i = 0; i < G_N_ELEMENTS (self->parts); i++)
    g_queue_init (&self->parts[i]);
  g_ptr_array_add (stage->inlets, self);

  return self;
}

AccWalkInlet *
acc_walk_inlet_new (AccWalkStage *stage,
                    AccSequence  *sequence,
                    GError      **error)
{
  AccWalkInlet *self = acc_walk_inlet_new_between (stage, sequence);

  if (sequence->kind == ACC_SEQUENCE_KIND_PRODUCER || sequence->kind == ACC_SEQUENCE_KIND_ARRAY)
    {
      self->reader = acc_walk_reader_new (sequence, stage->walk, error);
      return self->reader != NULL ? self : NULL;
    }
  if (sequence->kind == ACC_SEQUENCE_KIND_NESTED && !hold_whole (self, error))
    return NULL;

  return self;
}

void
acc_walk_inlet_free (AccWalkInlet *self)
{
  g_clear_pointer (&self->reader, acc_walk_reader_free);
  g_clear_pointer (&self->whole, acc_walk_part_unref);
  for (guint i = 0; i < G_N_ELEMENTS (self->parts); i++)
    g_queue_clear_full (&self->parts[i], (GDestroyNotify) acc_walk_part_unref);
  g_free (self);
}

gboolean
acc_walk_inlet_is_empty (AccWalkInlet *self)
{
  while (self->current == 0 && self->feeders[1] != NULL && self->ended[0] && g_queue_is_empty (&self->parts[0]))
    self->current = 1;

  return g_queue_is_empty (&self->parts[self->current]);
}

gboolean
acc_walk_inlet_has_ended (AccWalkInlet *self)
{
  return acc_walk_inlet_is_empty (self) && self->ended[self->current];
}

static gint64
get_bytes (AccWalkInlet *self,
           AccWalkPart  *part)
{
  return acc_walk_part_n_values (part) * (gint64) acc_element_type_get_size (self->sequence->type);
}

/* Of elements that have no values, too. */
static gint64
count_waiting (AccWalkInlet *self,
               AccWalkPart  *part)
{
  return get_bytes (self, part) + part->count * (gint64) sizeof (gint64);
}

void
acc_walk_inlet_put (AccWalkInlet *self,
                    guint         feed,
                    AccWalkPart  *part)
{
  if (part->count > 0)
    {
      self->waiting += count_waiting (self, part);
      g_queue_push_tail (&self->parts[feed], part);
    }
  else
    {
      acc_walk_part_unref (part);
    }
}

gboolean
acc_walk_inlet_has_step (AccWalkInlet *self,
                         gint64        bytes)
{
  if (acc_walk_inlet_is_empty (self))
    return self->ended[self->current];

  return !self->stage->walk->gathers || self->feeders[self->current] == NULL || self->ended[self->current] || self->waiting >= bytes / 2;
}

void
acc_walk_inlet_end (AccWalkInlet *self,
                    guint         feed)
{
  self->ended[feed] = TRUE;
}

gboolean
acc_walk_inlet_fill (AccWalkInlet *self,
                     gint64        most,
                     gint64        round,
                     gint64        bytes,
                     gboolean      ahead,
                     GError      **error)
{
  while (!acc_walk_inlet_has_step (self, bytes))
    {
      g_autoptr(GError) local = NULL;
      AccWalkPart *part;

      if (self->reader == NULL)
        {
          if (!acc_walk_stage_step (self->feeders[self->current], error))
            return FALSE;
          if (self->stage->walk->gathers)
            self->stage->walk->tell (self->stage->walk);
          continue;
        }

      part = acc_walk_reader_read (self->reader, most, round,
                                   MAX (bytes / (gint64) MAX (acc_element_type_get_size (self->sequence->type), 1), 1), ahead, &local);
      if (local != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return FALSE;
        }
      if (part != NULL)
        acc_walk_inlet_put (self, 0, part);
      else
        self->ended[0] = TRUE;
    }

  return TRUE;
}

gint64
acc_walk_inlet_fits (AccWalkInlet *self,
                     gint64        bytes)
{
  AccWalkPart *last = g_queue_peek_tail (&self->parts[self->current]);

  return last != NULL ? (gint64) ((double) bytes * (double) last->count / (double) MAX (get_bytes (self, last), 1)) : 0;
}

double
acc_walk_inlet_get_fraction (AccWalkInlet *self)
{
  return self->reader != NULL ? acc_walk_reader_get_fraction (self->reader) : -1;
}

/* How many of the first elements of @part are within @bytes, but at least one. */
static gint64
count_within (AccWalkPart *part,
              gint64       bytes,
              GError     **error)
{
  gsize size = acc_element_type_get_size (acc_nested_array_get_element_type (part->nested));

  return acc_walk_part_count_within (part, MAX (bytes / (gint64) MAX (size, 1), 1), error);
}

gint64
acc_walk_inlet_available (AccWalkInlet *self,
                          gint64        bytes,
                          GError      **error)
{
  gint64 available = 0;

  if (self->whole_is_lazy)
    return self->whole->count;

  for (GList *item = self->parts[self->current].head; item != NULL; item = item->next)
    {
      AccWalkPart *part = item->data;
      gint64 size = get_bytes (self, part), count;

      if (size > bytes && available > 0)
        break;
      count = size > bytes ? count_within (part, bytes, error) : part->count;
      if (count == 0)
        return 0;
      available += count;
      bytes -= MIN (size, bytes);
      if (count < part->count)
        break;
    }

  return available;
}

void
acc_walk_inlet_give_back (AccWalkInlet *self,
                          AccWalkPart  *part)
{
  self->waiting += count_waiting (self, part);
  g_queue_push_head (&self->parts[self->current], part);
}

gboolean
acc_walk_take_parts (GQueue    *queue,
                     gint64     count,
                     GPtrArray *taken,
                     GError   **error)
{
  while (count > 0)
    {
      AccWalkPart *part = g_queue_peek_head (queue);
      gint64 n = MIN (part->count, count);
      g_autoptr(AccWalkPart) first = acc_walk_part_slice (part, 0, n, error), rest = NULL;

      if (first == NULL || (n < part->count && (rest = acc_walk_part_slice (part, n, part->count - n, error)) == NULL))
        return FALSE;
      acc_walk_part_unref (g_queue_pop_head (queue));
      if (rest != NULL)
        g_queue_push_head (queue, g_steal_pointer (&rest));
      g_ptr_array_add (taken, g_steal_pointer (&first));
      count -= n;
    }

  return TRUE;
}

AccWalkPart *
acc_walk_inlet_take (AccWalkInlet *self,
                     gint64        count,
                     GError      **error)
{
  g_autoptr(GPtrArray) taken = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref);
  AccWalkPart *all = NULL;
  gboolean done;

  /* It has to be cut, or goes through a second time. */
  if (self->whole_is_lazy && (count < self->whole->count || self->tried) && !compute_whole (self, error))
    return NULL;
  self->tried = self->whole_is_lazy;

  done = acc_walk_take_parts (&self->parts[self->current], count, taken, error);
  for (guint i = 0; i < taken->len; i++)
    self->waiting -= count_waiting (self, g_ptr_array_index (taken, i));
  if (done)
    all = acc_walk_part_join (taken, acc_backend_get_host_budget (self->stage->walk->backend), error);
  for (guint i = taken->len; i > 0 && all == NULL; i--)
    acc_walk_inlet_give_back (self, acc_walk_part_ref (g_ptr_array_index (taken, i - 1)));

  return all;
}

/* --- in files */

gboolean
acc_walk_store_part (AccWalk      *self,
                     AccWalkPart **part)
{
  AccNestedArray *nested = (*part)->nested;
  AccArray *values = acc_nested_array_get_values (nested);
  g_autoptr(AccArray) stored = NULL;

  if (acc_nested_array_get_inner (nested) != NULL || acc_nested_array_get_form (nested) != ACC_NESTED_FORM_REGULAR
      || !acc_array_is_manifest (values))
    return FALSE;
  stored = acc_stages_dup_in_file (self->backend, values, "elements of a sequence", NULL);
  if (stored == NULL)
    return FALSE;

  acc_walk_part_unref (*part);
  *part = acc_walk_part_new_regular (stored);

  return TRUE;
}

gboolean
acc_walk_inlet_store (AccWalkInlet *self)
{
  AccWalkPart *rest;
  gboolean any = FALSE;

  if (self->stored)
    return FALSE;
  for (GList *item = self->parts[self->current].head; item != NULL; item = item->next)
    any |= acc_walk_store_part (self->stage->walk, (AccWalkPart **) &item->data);
  rest = self->reader != NULL ? acc_walk_reader_store (self->reader) : NULL;
  if (rest != NULL)
    {
      acc_walk_inlet_put (self, 0, rest);
      self->ended[0] = self->stored = TRUE;
    }

  return any || rest != NULL;
}
