/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

/* Which element of a step is to blame for an error. */

/* As a part of its own; @alone: an array that is the same for all of its elements, of which there is one. */
static AccWalkPart *
take_some (AccWalkPart *part,
           gint64       start,
           gint64       count,
           gboolean     alone)
{
  g_autoptr(AccArray) element = NULL;

  if (!alone || acc_nested_array_get_inner (part->nested) != NULL)
    return acc_walk_part_slice (part, start, count, NULL);
  element = acc_walk_part_dup_element (part, start, NULL);

  return element != NULL ? acc_walk_part_new_constant (element, 1) : NULL;
}

static gboolean
fails (AccWalkStage *self,
       AccWalkPart **parts,
       gint64        start,
       gint64        count,
       gboolean      alone,
       GError      **error)
{
  g_autofree AccWalkPart **some = g_new0 (AccWalkPart *, self->inlets->len + 1);
  g_autoptr(GPtrArray) wanted = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) computed = NULL;
  gboolean cut = TRUE;
  gint64 done = self->done;

  for (guint i = 0; i < self->inlets->len && cut; i++)
    cut = (some[i] = take_some (parts[i], start, count, alone)) != NULL;
  if (cut)
    {
      self->done += start;
      acc_walk_stage_set_begin (self);
      acc_walk_stage_build_apart (self, some, count, wanted);
      computed = acc_walk_compute (self->walk, wanted, count, error);
      self->done = done;
    }
  for (guint i = 0; i < self->inlets->len; i++)
    g_clear_pointer (&some[i], acc_walk_part_unref);

  return cut && computed == NULL;
}

static char *
describe_by_producer (AccSequence *sequence,
                      gint64       number)
{
  return sequence->producer != NULL ? acc_sequence_producer_describe (sequence->producer, number) : NULL;
}

/* Where an element of the stage came from; NULL: nobody knows. */
static char *
describe_origin (AccWalkStage *self,
                 gint64        number)
{
  char *origin = NULL;

  for (guint i = 0; i < self->inlets->len && origin == NULL; i++)
    origin = describe_by_producer (((AccWalkInlet *) g_ptr_array_index (self->inlets, i))->sequence, number);
  for (guint i = 0; i < self->maps->len && origin == NULL; i++)
    origin = describe_by_producer (g_ptr_array_index (self->maps, i), number);

  return origin;
}

void
acc_walk_stage_blame (AccWalkStage *self,
                      AccWalkPart **parts,
                      gint64        count,
                      GError      **error)
{
  g_autoptr(GError) local = NULL, alone = NULL;
  g_autofree char *origin = NULL;
  gint64 start = 0;

  if (*error == NULL || g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (!acc_walk_stage_compute_parts (self, parts, count, &local))
    {
      /* It names an element of the nested array that they are. */
      if (g_error_matches (local, (*error)->domain, (*error)->code))
        {
          g_clear_error (error);
          g_propagate_error (error, g_steal_pointer (&local));
        }
      return;
    }
  if (!fails (self, parts, 0, count, FALSE, &local))
    return;

  while (count > 1)
    {
      gint64 half = count / 2;

      g_clear_error (&local);
      if (fails (self, parts, start, half, FALSE, &local))
        {
          count = half;
        }
      else
        {
          start += half;
          count -= half;
        }
    }

  g_clear_error (&local);
  if (!fails (self, parts, start, 1, FALSE, &local) || g_cancellable_is_cancelled (self->walk->cancellable))
    return;
  if (fails (self, parts, start, 1, TRUE, &alone) && g_error_matches (alone, local->domain, local->code))
    {
      g_clear_error (&local);
      local = g_steal_pointer (&alone);
    }

  origin = describe_origin (self, self->done + start);
  g_clear_error (error);
  g_propagate_prefixed_error (error, g_steal_pointer (&local), "element %" G_GINT64_FORMAT "%s%s%s: ", self->done + start,
                              origin != NULL ? " (" : "", origin != NULL ? origin : "", origin != NULL ? ")" : "");
}
