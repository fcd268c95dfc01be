/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

/* How many elements a step of a stage takes: by bytes, by what is there and wanted, and by what steps took. */

/* What is in a step of the largest array, unless memory is short. */
#define STEP_BYTES (G_GINT64_CONSTANT (16) << 20)
/* So much more where all is in memory, and on devices as much as there is room for: what starts a step takes long there, and no cache has
 * it. */
#define IN_MEMORY 16
/* One that takes longer is followed by a smaller one. */
#define LONG_STEP (400 * G_TIME_SPAN_MILLISECOND)
/* Irregular elements of which the first steps have as many, and so few of which need no rounding. */
#define FIRST 4096
#define FEW   16
/* A memory limit has room for as many arrays of that size. */
#define ARRAYS_IN_LIMIT 24

gint64
acc_walk_step_bytes (AccBackend *backend,
                     gboolean    in_memory)
{
  AccBudget *budget = acc_backend_get_budget (backend);
  guint64 limit = acc_budget_get_limit (budget);
  gint64 most = in_memory ? STEP_BYTES * IN_MEMORY : STEP_BYTES;

  if (limit > 0 && in_memory && acc_backend_is_apart (backend))
    most = G_MAXINT64;

  return limit > 0 ? CLAMP ((gint64) MIN (limit, G_MAXINT64) / ARRAYS_IN_LIMIT, 4096, most) : most;
}

/* The next walk begins with steps that this one found good. */
void
acc_walk_stage_remember_size (AccWalkStage *self)
{
  if (self->done == 0 || self->walk->chunk > 0)
    return;

  for (guint i = 0; i < self->inlets->len; i++)
    g_atomic_int_set (&((AccWalkInlet *) g_ptr_array_index (self->inlets, i))->sequence->found,
                      self->most < ACC_WALK_MOST ? 64 - __builtin_clzll ((guint64) self->most) : 0);
}

/* Whether its elements are read as they come, of any extents. */
static gboolean
is_read (AccWalkInlet *inlet)
{
  return inlet->reader != NULL && inlet->sequence->shape == NULL;
}

void
acc_walk_stage_recall_size (AccWalkStage *self)
{
  for (guint i = 0; i < self->inlets->len && self->done == 0; i++)
    {
      AccWalkInlet *inlet = g_ptr_array_index (self->inlets, i);
      int found = g_atomic_int_get (&inlet->sequence->found);

      if (is_read (inlet))
        self->round = FIRST;
      if (self->walk->step_time > 0 && found == 0)
        self->most = 1;
      else if (found > 0)
        self->most = MIN (self->most, G_GINT64_CONSTANT (1) << (found - 1));
    }
}

/* Bytes of an element, where all have the same; else 0. */
static gint64
known_size (AccSequence *sequence)
{
  return sequence->shape != NULL ? acc_walk_count_bytes (sequence->shape, sequence->type) : 0;
}

gint64
acc_walk_round_down (gint64 count)
{
  return count < 16 ? count : G_GINT64_CONSTANT (1) << (63 - __builtin_clzll ((guint64) count));
}

/* As many as the largest steps have room for, but powers of 2, so that steps have the same plans and folds the fewest rests. Few at first,
 * which tell how large they are. */
static void
learn_round (AccWalkStage *self,
             gint64        bytes)
{
  for (guint i = 0; i < self->inlets->len; i++)
    {
      AccWalkInlet *inlet = g_ptr_array_index (self->inlets, i);
      gint64 fits = is_read (inlet) ? acc_walk_inlet_fits (inlet, bytes) : 0;

      if (fits > 0 && (fits < self->round || fits > 2 * self->round + self->round / 4))
        self->round = fits < FEW ? 0 : acc_walk_round_down (fits);
    }
}

/* Whether something wants what comes, however much that is. */
static gboolean
wants_all (AccWalkStage *self)
{
  for (guint i = 0; i < self->outlets->len; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (self->outlets, i);

      if (!outlet->done && outlet->wants < 0)
        return TRUE;
    }

  return FALSE;
}

/* Elements that a step takes at most, as far as is known before it has them; 0: there are none. */
static gint64
most_elements (AccWalkStage *self,
               gint64        bytes)
{
  /* What is made of numbers alone has at least a number for each. */
  gint64 largest = self->inlets->len > 0 ? 1 : (gint64) sizeof (gint64), most, wants = 0;

  for (guint i = 0; i < self->inlets->len; i++)
    largest = MAX (largest, known_size (((AccWalkInlet *) g_ptr_array_index (self->inlets, i))->sequence));
  for (guint i = 0; i < self->maps->len; i++)
    largest = MAX (largest, known_size (g_ptr_array_index (self->maps, i)));

  most = MIN (self->walk->chunk > 0 ? self->walk->chunk : acc_walk_round_down (MAX (bytes / largest, 1)), self->most);
  for (guint i = 0; i < self->outlets->len; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (self->outlets, i);

      if (!outlet->done)
        wants = outlet->wants < 0 || wants < 0 ? -1 : MAX (wants, outlet->wants);
    }
  if (wants >= 0)
    most = MIN (most, wants);

  return most;
}

static gint64
before_end_of (AccWalkStage *self,
               AccSequence  *sequence)
{
  return sequence->kind == ACC_SEQUENCE_KIND_COUNTER && sequence->length >= 0 ? sequence->length - self->done : G_MAXINT64;
}

/* Elements before a counter with an end ends, or one fails. */
static gint64
before_end (AccWalkStage *self)
{
  gint64 left = self->failure != NULL ? self->fails_at - self->done : G_MAXINT64;

  for (guint i = 0; i < self->maps->len; i++)
    {
      AccSequence *map = g_ptr_array_index (self->maps, i);

      for (guint j = 0; j < map->n_inputs; j++)
        left = MIN (left, before_end_of (self, map->inputs[j]));
    }
  for (guint i = 0; i < self->outlets->len; i++)
    left = MIN (left, before_end_of (self, ((AccWalkOutlet *) g_ptr_array_index (self->outlets, i))->sequence));

  return left;
}

/* What is in memory goes through in larger steps, as does on devices what is made of numbers alone. */
static gboolean
is_in_memory (AccWalkStage *self)
{
  for (guint i = 0; i < self->inlets->len; i++)
    if (((AccWalkInlet *) g_ptr_array_index (self->inlets, i))->whole == NULL)
      return FALSE;

  /* Windows of an array. */
  for (guint i = 0; i < self->maps->len; i++)
    if (((AccSequence *) g_ptr_array_index (self->maps, i))->kind == ACC_SEQUENCE_KIND_PRODUCER)
      return TRUE;

  return self->inlets->len > 0 || !acc_walk_is_on_processors (self->walk);
}

/* How many elements the next step takes; 0: there are no more; -1: an error. */
gint64
acc_walk_stage_choose_size (AccWalkStage *self,
                            GError      **error)
{
  gint64 bytes = acc_walk_step_bytes (self->walk->backend, is_in_memory (self)), end = before_end (self);
  gint64 round = self->walk->chunk > 0 ? 0 : self->round, most, count;

  /* Of elements without an end few may be wanted. */
  if (self->done == 0 && self->inlets->len == 0 && end == G_MAXINT64)
    self->most = MIN (self->most, FIRST);
  most = most_elements (self, bytes);
  count = acc_walk_up_to_round (MIN (most, end), round, self->done);

  for (guint i = 0; i < self->inlets->len && count > 0; i++)
    {
      AccWalkInlet *inlet = g_ptr_array_index (self->inlets, i);

      if (!acc_walk_inlet_fill (inlet, most, round, bytes, wants_all (self), error))
        return -1;
      if (acc_walk_inlet_is_empty (inlet))
        return 0;
    }

  for (guint i = 0; i < self->inlets->len && count > 0; i++)
    {
      AccWalkInlet *inlet = g_ptr_array_index (self->inlets, i);
      gint64 available = acc_walk_inlet_available (inlet, self->walk->chunk > 0 ? G_MAXINT64 : bytes, error);

      if (available == 0)
        return -1;
      count = MIN (count, available);
      /* What is left makes a step with those that come. */
      if (self->walk->gathers && inlet->feeders[0] != NULL && !inlet->ended[inlet->current])
        count = acc_walk_round_down (count);
    }
  learn_round (self, bytes);

  return MAX (count, 0);
}

/* With a target, steps have half as many elements after one that took too long, and grow as far as twice as many would still be in time. */
static void
learn_with_target (AccWalkStage *self,
                   gint64        count,
                   gint64        time)
{
  if (time > self->walk->step_time)
    self->most = MAX (acc_walk_round_down (count / 2), 1);
  else if (count == self->most && time < self->walk->step_time / 2)
    self->most = count * 2;
}

/* A step that takes long is followed by a smaller one: progress is seen, and cancelling is quick. Where smaller steps take longer for an
 * element, what takes long is not the elements, and there are none. */
void
acc_walk_stage_learn_size (AccWalkStage *self,
                           gint64        count,
                           gint64        time)
{
  double each = (double) time / (double) count;

  if (self->walk->step_time > 0)
    learn_with_target (self, count, time);
  else if (self->halved && each > 1.3 * self->each)
    {
      self->keeps_size = TRUE;
      self->most = acc_walk_round_down (count) * 2;
    }
  else if (time > LONG_STEP && count > 1 && !self->keeps_size)
    {
      self->halved = TRUE;
      self->most = acc_walk_round_down (count / 2);
    }
  else
    {
      self->halved = FALSE;
      if (self->stays > 0)
        self->stays--;
      else if (time < LONG_STEP / 4 && self->most < ACC_WALK_MOST)
        self->most *= 2;
    }
  self->each = each;
}
