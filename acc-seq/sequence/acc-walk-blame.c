/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

#include "acc-seq/stream/acc-evaluate-private.h"

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

typedef enum {
  BLAME_APART,        /* what outlets want of some elements without others */
  BLAME_ALONE,        /* of one, as what is the same for all */
  BLAME_TOGETHER,     /* of all elements of the step up to some */
} BlameMode;

typedef struct {
  AccWalkStage *stage;
  AccWalkPart **parts;
  BlameMode     mode;
} Blame;

static gboolean
run_some (const Blame *self,
          gint64       start,
          gint64       count,
          GError     **error)
{
  AccWalkStage *stage = self->stage;
  guint n_inlets = stage->inlets->len;
  g_autofree AccWalkPart **some = g_new0 (AccWalkPart *, n_inlets + 1);
  g_autofree guint *ends = g_new0 (guint, stage->outlets->len + 1);
  g_autoptr(GPtrArray) wanted = NULL, computed = NULL;
  gboolean cut = TRUE;
  gint64 done = stage->done;

  for (guint i = 0; i < n_inlets && cut; i++)
    cut = (some[i] = take_some (self->parts[i], start, count, self->mode == BLAME_ALONE)) != NULL;
  if (cut)
    {
      stage->done += start;
      stage->alone = self->mode == BLAME_ALONE;
      acc_walk_stage_set_begin (stage);
      if (self->mode == BLAME_TOGETHER)
        {
          wanted = acc_walk_stage_build (stage, some, count, ends);
        }
      else
        {
          wanted = g_ptr_array_new_with_free_func (g_object_unref);
          acc_walk_stage_build_apart (stage, some, count, wanted);
        }
      computed = acc_walk_compute (stage->walk, wanted, count, error);
      stage->done = done;
      stage->alone = FALSE;
    }
  for (guint i = 0; i < n_inlets; i++)
    g_clear_pointer (&some[i], acc_walk_part_unref);

  return !cut || computed != NULL;
}

static gboolean
fails (gint64   start,
       gint64   count,
       gpointer data)
{
  const Blame *self = data;

  return self->mode == BLAME_TOGETHER ? !run_some (self, 0, start + count, NULL) : !run_some (self, start, count, NULL);
}

/* Where element @number of @sequence came from, as far as it is one of a producer; NULL: nobody knows. */
static char *
describe_element (AccSequence *sequence,
                  gint64       number)
{
  while (sequence->producer == NULL && sequence->n_inputs > 0)
    {
      AccSequenceKind kind = sequence->kind;

      if (kind == ACC_SEQUENCE_KIND_DROP)
        number += sequence->number;
      else if (kind != ACC_SEQUENCE_KIND_TAKE && kind != ACC_SEQUENCE_KIND_TAKE_WHILE && kind != ACC_SEQUENCE_KIND_SCAN
               && kind != ACC_SEQUENCE_KIND_MAP)
        return NULL;
      sequence = sequence->inputs[0];
    }

  return sequence->producer != NULL ? acc_sequence_producer_describe (sequence->producer, number) : NULL;
}

/* The same of an element of the stage. */
static char *
describe_origin (AccWalkStage *self,
                 gint64        number)
{
  char *origin = NULL;

  for (guint i = 0; i < self->inlets->len && origin == NULL; i++)
    origin = describe_element (((AccWalkInlet *) g_ptr_array_index (self->inlets, i))->sequence, number);
  for (guint i = 0; i < self->maps->len && origin == NULL; i++)
    origin = describe_element (g_ptr_array_index (self->maps, i), number);

  return origin;
}

void
acc_walk_stage_prefix (AccWalkStage *self,
                       gint64        number,
                       GError      **error)
{
  g_autofree char *origin = describe_origin (self, number);

  acc_evaluate_prefix_element (error, number, origin);
}

/* Where elements do not fail themselves, but what combines them does. */
static void
blame_together (Blame   *self,
                gint64   count,
                GError **error)
{
  g_autoptr(GError) local = NULL;
  gint64 last;

  self->mode = BLAME_TOGETHER;
  last = fails (0, count, self) ? acc_evaluate_find_first (count, fails, self) : -1;
  if (last < 0 || run_some (self, 0, last + 1, &local) || !g_error_matches (local, (*error)->domain, (*error)->code))
    return;

  g_clear_error (error);
  g_propagate_prefixed_error (error, g_steal_pointer (&local), "up to element %" G_GINT64_FORMAT ": ", self->stage->done + last);
}

gint64
acc_walk_stage_blame (AccWalkStage *self,
                      AccWalkPart **parts,
                      gint64        count,
                      GError      **error)
{
  Blame blame = { self, parts, BLAME_APART };
  g_autoptr(GError) local = NULL, alone = NULL;
  gint64 number;

  if (*error == NULL || g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return -1;
  if (!acc_walk_stage_compute_parts (self, parts, count, &local))
    {
      /* It names an element of the nested array that they are. */
      if (g_error_matches (local, (*error)->domain, (*error)->code))
        {
          g_clear_error (error);
          g_propagate_error (error, g_steal_pointer (&local));
        }
      return -1;
    }
  if (!fails (0, count, &blame))
    {
      blame_together (&blame, count, error);
      return -1;
    }

  number = acc_evaluate_find_first (count, fails, &blame);
  if (number < 0 || run_some (&blame, number, 1, &local) || g_cancellable_is_cancelled (self->walk->cancellable))
    return -1;
  blame.mode = BLAME_ALONE;
  if (!run_some (&blame, number, 1, &alone) && g_error_matches (alone, local->domain, local->code))
    {
      g_clear_error (&local);
      local = g_steal_pointer (&alone);
    }

  acc_walk_stage_prefix (self, self->done + number, &local);
  g_clear_error (error);
  g_propagate_error (error, g_steal_pointer (&local));

  return number;
}
