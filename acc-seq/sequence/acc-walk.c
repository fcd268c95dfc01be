/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

/* Which stages a walk has, and in which order they step. */

/* --- the sequences in order */

typedef struct {
  AccSequence *sequence;
  guint        next;
} Frame;

GPtrArray *
acc_walk_sort_sequences (AccSequence **roots,
                         guint         n_roots)
{
  GPtrArray *sorted = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));

  for (guint i = 0; i < n_roots; i++)
    {
      if (g_hash_table_add (seen, roots[i]))
        g_array_append_vals (stack, &(Frame) { roots[i], 0 }, 1);

      while (stack->len > 0)
        {
          Frame *top = &g_array_index (stack, Frame, stack->len - 1);
          AccSequence *sequence = top->sequence;

          if (top->next < sequence->n_inputs)
            {
              AccSequence *input = sequence->inputs[top->next++];

              if (g_hash_table_add (seen, input))
                g_array_append_vals (stack, &(Frame) { input, 0 }, 1);
              continue;
            }
          g_ptr_array_add (sorted, g_object_ref (sequence));
          g_array_set_size (stack, stack->len - 1);
        }
    }

  return sorted;
}

/* How many use a sequence: others, and @roots. */
static GHashTable *
count_uses (GPtrArray    *sequences,
            AccSequence **roots,
            guint         n_roots)
{
  GHashTable *uses = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < n_roots; i++)
    g_hash_table_insert (uses, roots[i], GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (uses, roots[i])) + 1));
  for (guint i = 0; i < sequences->len; i++)
    {
      AccSequence *sequence = g_ptr_array_index (sequences, i);

      for (guint j = 0; j < sequence->n_inputs; j++)
        g_hash_table_insert (uses, sequence->inputs[j],
                             GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (uses, sequence->inputs[j])) + 1));
    }

  return uses;
}

/* --- the stages */

static gboolean
is_counter (AccSequence *sequence)
{
  return sequence->kind == ACC_SEQUENCE_KIND_COUNTER;
}

static AccWalkStage *
add_stage (AccWalk *self)
{
  AccWalkStage *stage = acc_walk_stage_new (self);

  g_ptr_array_add (self->stages, stage);

  return stage;
}

AccWalkStage *
acc_walk_find_stage (AccWalk     *self,
                     AccSequence *sequence)
{
  AccWalkStage *stage = g_hash_table_lookup (self->stage_of, sequence);

  /* A counter by itself. */
  if (stage == NULL)
    {
      stage = add_stage (self);
      g_hash_table_insert (self->stage_of, sequence, stage);
    }

  return stage;
}

/* A stage that begins with @sequence. */
static gboolean
begin_stage (AccWalk     *self,
             AccSequence *sequence,
             GError     **error)
{
  AccWalkStage *stage = add_stage (self);
  AccWalkInlet *inlet = acc_walk_inlet_new (stage, sequence, error);

  if (inlet == NULL)
    return FALSE;

  g_hash_table_insert (self->stage_of, sequence, stage);
  for (guint i = 0; i < sequence->n_inputs && sequence->kind != ACC_SEQUENCE_KIND_PRODUCER; i++)
    acc_walk_boundary_attach (acc_walk_find_stage (self, sequence->inputs[i]), sequence->inputs[i], sequence, inlet, i);

  return TRUE;
}

/* Whether nothing but what is made of @sequence next needs the elements of its stage. */
static gboolean
is_private (AccWalkStage *stage,
            AccSequence  *sequence,
            GHashTable   *uses)
{
  if (stage->outlets->len > 0 || GPOINTER_TO_UINT (g_hash_table_lookup (uses, sequence)) != 1)
    return FALSE;
  for (guint i = 0; i < stage->maps->len; i++)
    if (GPOINTER_TO_UINT (g_hash_table_lookup (uses, g_ptr_array_index (stage->maps, i))) != 1)
      return FALSE;
  for (guint i = 0; i < stage->inlets->len; i++)
    {
      AccWalkInlet *inlet = g_ptr_array_index (stage->inlets, i);

      if (inlet->feeders[0] != NULL || GPOINTER_TO_UINT (g_hash_table_lookup (uses, inlet->sequence)) != 1)
        return FALSE;
    }

  return TRUE;
}

/* Moves all of @other to @stage; it stays, empty. */
static void
merge_stages (AccWalk      *self,
              AccWalkStage *stage,
              AccWalkStage *other)
{
  GHashTableIter iter;
  gpointer key, value;

  for (guint i = 0; i < other->inlets->len; i++)
    ((AccWalkInlet *) g_ptr_array_index (other->inlets, i))->stage = stage;
  g_ptr_array_extend_and_steal (stage->inlets, g_steal_pointer (&other->inlets));
  g_ptr_array_extend (stage->maps, other->maps, NULL, NULL);
  other->inlets = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_inlet_free);
  g_ptr_array_set_size (other->maps, 0);

  g_hash_table_iter_init (&iter, self->stage_of);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (value == other)
      g_hash_table_iter_replace (&iter, stage);
}

/* Where elements of @map are made: in the stage of its input, or in one of several that nothing else uses, or in one of its own. */
static gboolean
place_map (AccWalk     *self,
           AccSequence *map,
           GHashTable  *uses,
           GError     **error)
{
  AccWalkStage *stage = NULL;
  gboolean together = TRUE, same = TRUE;

  for (guint i = 0; i < map->n_inputs; i++)
    {
      AccWalkStage *other = is_counter (map->inputs[i]) ? NULL : acc_walk_find_stage (self, map->inputs[i]);

      if (other == NULL)
        continue;
      same = same && (stage == NULL || other == stage);
      together = together && is_private (other, map->inputs[i], uses);
      stage = other;
    }

  if (stage == NULL)
    stage = add_stage (self);
  else if (!same && together)
    for (guint i = 0; i < map->n_inputs; i++)
      {
        AccWalkStage *other = is_counter (map->inputs[i]) ? stage : acc_walk_find_stage (self, map->inputs[i]);

        if (other != stage)
          merge_stages (self, stage, other);
      }
  else if (!same)
    {
      stage = add_stage (self);
      for (guint i = 0; i < map->n_inputs; i++)
        {
          gboolean known = is_counter (map->inputs[i]);
          AccWalkInlet *inlet;

          for (guint j = 0; j < i; j++)
            known = known || map->inputs[j] == map->inputs[i];
          if (known)
            continue;
          inlet = acc_walk_inlet_new_between (stage, map->inputs[i]);
          acc_walk_boundary_attach (acc_walk_find_stage (self, map->inputs[i]), map->inputs[i], NULL, inlet, 0);
        }
    }

  g_ptr_array_add (stage->maps, map);
  g_hash_table_insert (self->stage_of, map, stage);

  return TRUE;
}

/* The least target of all; 0: there is none. */
static gint64
find_latency (GPtrArray *sequences)
{
  gint64 latency = 0;

  for (guint i = 0; i < sequences->len; i++)
    {
      AccSequence *sequence = g_ptr_array_index (sequences, i);

      if (sequence->latency > 0 && (latency == 0 || sequence->latency < latency))
        latency = sequence->latency;
    }

  return latency;
}

/* An element waits for a step of each stage that is under way, and then is in one of each itself. */
static gint64
choose_step_time (AccWalk *self)
{
  gint64 latency = find_latency (self->sequences);

  return latency > 0 ? MAX (latency / (2 * MAX (self->stages->len, 1)), 1) : 0;
}

AccWalk *
acc_walk_new (AccBackend   *backend,
              AccSequence **roots,
              guint         n_roots,
              gint64        chunk,
              GCancellable *cancellable,
              GError      **error)
{
  g_autoptr(AccWalk) self = g_new0 (AccWalk, 1);
  g_autoptr(GHashTable) uses = NULL;

  self->backend = g_object_ref (backend);
  self->chunk = chunk;
  self->cancellable = cancellable;
  g_mutex_init (&self->telling);
  self->stages = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_stage_free);
  self->stage_of = g_hash_table_new (NULL, NULL);
  self->functions = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) acc_sequence_function_unref);
  self->sequences = acc_walk_sort_sequences (roots, n_roots);
  uses = count_uses (self->sequences, roots, n_roots);

  if (!acc_walk_hoist (self, error))
    return NULL;

  for (guint i = 0; i < self->sequences->len; i++)
    {
      AccSequence *sequence = g_ptr_array_index (self->sequences, i);

      if (acc_walk_is_map (self, sequence) ? !place_map (self, sequence, uses, error)
                                  : !is_counter (sequence) && !begin_stage (self, sequence, error))
        return NULL;
    }
  self->step_time = choose_step_time (self);

  return g_steal_pointer (&self);
}

void
acc_walk_free (AccWalk *self)
{
  g_clear_pointer (&self->stages, g_ptr_array_unref);
  g_clear_pointer (&self->stage_of, g_hash_table_unref);
  g_clear_pointer (&self->functions, g_hash_table_unref);
  g_clear_pointer (&self->sequences, g_ptr_array_unref);
  g_clear_object (&self->backend);
  g_mutex_clear (&self->telling);
  g_free (self);
}

void
acc_walk_set_cancellable (AccWalk      *self,
                          GCancellable *cancellable)
{
  self->cancellable = cancellable;
}

/* --- progress */

/* How many elements the stage will have worked on at its end, at most; -1: not known. */
static gint64
expect_elements (AccWalkStage *stage)
{
  gint64 length = -1, wanted = 0;

  if (stage->ended)
    return stage->done;

  for (guint i = 0; i < stage->inlets->len + stage->maps->len; i++)
    {
      AccSequence *sequence = i < stage->maps->len ? g_ptr_array_index (stage->maps, i)
                                                   : ((AccWalkInlet *) g_ptr_array_index (stage->inlets, i - stage->maps->len))->sequence;

      if (sequence->length >= 0 && (length < 0 || sequence->length < length))
        length = sequence->length;
    }
  for (guint i = 0; i < stage->outlets->len && wanted >= 0; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (stage->outlets, i);

      if (!outlet->done)
        wanted = outlet->wants < 0 ? -1 : MAX (wanted, outlet->wants);
    }

  return wanted < 0 || (length >= 0 && length < stage->done + wanted) ? length : stage->done + wanted;
}

/* Of elements, or of what they are read from; 0 where neither is known. */
static double
get_fraction (AccWalkStage *stage,
              gint64        expected)
{
  double fraction = expected > 0 ? (double) stage->done / (double) expected : stage->ended || expected == 0 ? 1 : 0;

  for (guint i = 0; i < stage->inlets->len && expected < 0; i++)
    fraction = MAX (fraction, acc_walk_inlet_get_fraction (g_ptr_array_index (stage->inlets, i)));

  return MIN (fraction, 1);
}

/* Counts the elements that the walk begins with. */
static AccJobWalk
measure (AccWalk *self)
{
  AccJobWalk now = { 0, 0, 0 };
  guint n = 0;

  for (guint i = 0; i < self->stages->len; i++)
    {
      AccWalkStage *stage = g_ptr_array_index (self->stages, i);
      gint64 expected;

      if (acc_walk_stage_is_between (stage) || stage->outlets->len == 0)
        continue;
      expected = expect_elements (stage);
      now.done += stage->done;
      if (expected < 0 || now.total < 0 || expected > G_MAXINT64 - now.total)
        now.total = -1;
      else
        now.total += expected;
      now.fraction += get_fraction (stage, expected);
      n++;
    }
  if (n > 0)
    now.fraction /= n;

  return now;
}

static void
tell_job (AccWalk *self)
{
  AccJobWalk now = measure (self);

  g_mutex_lock (&self->telling);
  self->now = now;
  self->has_begun = TRUE;
  acc_job_tell_walk (self->job, &self->told, now);
  g_mutex_unlock (&self->telling);
}

void
acc_walk_set_job (AccWalk *self,
                  AccJob  *job)
{
  g_mutex_lock (&self->telling);
  if (job != self->job)
    {
      self->job = job;
      self->told = (AccJobWalk) { 0, -1, 0 };
      acc_job_add_walk (job);
      acc_job_tell_walk (job, &self->told, self->has_begun ? self->now : measure (self));
    }
  g_mutex_unlock (&self->telling);
}

/* --- stepping */

/* Stages that have something to work on, so that what waits between stages does not grow. One that fails has an error for who wants its
 * elements. */
static gboolean
step_ready (AccWalk *self,
            GError **error)
{
  for (guint i = 0; i < self->stages->len; i++)
    {
      AccWalkStage *stage = g_ptr_array_index (self->stages, i);

      while (acc_walk_stage_is_between (stage) && acc_walk_stage_is_ready (stage))
        {
          g_autoptr(GError) local = NULL;

          if (acc_walk_stage_step (stage, &local) || stage->failure != NULL)
            continue;
          g_propagate_error (error, g_steal_pointer (&local));
          return FALSE;
        }
    }

  return TRUE;
}

gboolean
acc_walk_step_outlet (AccWalk       *self,
                      AccWalkOutlet *outlet,
                      GError       **error)
{
  gboolean stepped = acc_walk_stage_step (outlet->stage, error) && step_ready (self, error);

  tell_job (self);

  return stepped;
}

/* Whether @stage ends with what others give it, and not before. */
static gboolean
ends_with_others (AccWalkStage *stage)
{
  for (guint i = 0; stage->inlets->len > 0 && i < stage->maps->len; i++)
    {
      AccSequence *map = g_ptr_array_index (stage->maps, i);

      for (guint j = 0; j < map->n_inputs; j++)
        if (map->inputs[j]->kind == ACC_SEQUENCE_KIND_COUNTER && map->inputs[j]->length >= 0)
          return FALSE;
    }

  return stage->inlets->len <= 1;
}

/* Whether all that is read goes through to the ends of the walk, however much of it there is. */
static gboolean
goes_to_end (AccWalk *self)
{
  gboolean all = self->chunk == 0 && self->step_time == 0;

  for (guint i = 0; i < self->stages->len; i++)
    all = all && ends_with_others (g_ptr_array_index (self->stages, i));
  for (guint i = 0; i < self->sequences->len; i++)
    {
      AccSequenceKind kind = ((AccSequence *) g_ptr_array_index (self->sequences, i))->kind;

      all = all && kind != ACC_SEQUENCE_KIND_TAKE && kind != ACC_SEQUENCE_KIND_TAKE_WHILE;
    }

  return all;
}

gboolean
acc_walk_run_outlet (AccWalk       *self,
                     AccWalkOutlet *outlet,
                     GError       **error)
{
  self->gathers = goes_to_end (self);
  self->tell = tell_job;
  while (!outlet->done)
    if (!acc_walk_step_outlet (self, outlet, error))
      return FALSE;

  return TRUE;
}

/* --- what a walk would do, in words */

char *
acc_walk_describe (AccBackend   *backend,
                   AccSequence **roots,
                   guint         n_roots,
                   gint64        chunk)
{
  g_autoptr(GPtrArray) sequences = acc_walk_sort_sequences (roots, n_roots);
  g_autofree char *bytes = g_format_size_full ((guint64) acc_walk_step_bytes (backend, FALSE), G_FORMAT_SIZE_IEC_UNITS);
  GString *text = g_string_new ("walks over ");
  gint64 latency = find_latency (sequences);

  for (guint i = 0; i < sequences->len; i++)
    {
      AccSequence *sequence = g_ptr_array_index (sequences, i);

      g_string_append_printf (text, "%s%s", i == 0 ? "" : sequence->n_inputs == 0 ? ", " : " → ",
                              acc_sequence_get_operation_name (sequence));
      if (sequence->label != NULL)
        g_string_append_printf (text, " “%s”", sequence->label);
    }
  if (chunk > 0)
    g_string_append_printf (text, " in steps of %" G_GINT64_FORMAT " elements", chunk);
  else
    g_string_append_printf (text, " in steps of at most %s an array, and reads the next step meanwhile", bytes);
  if (latency > 0)
    g_string_append_printf (text, ", with fewer elements where one would take more than %.3g ms", (double) latency / 1e3);
  for (guint i = 0; i < sequences->len; i++)
    {
      AccSequence *sequence = g_ptr_array_index (sequences, i);
      gint64 number, most;

      if (acc_walk_find_largest (sequence, &number, &most))
        g_string_append_printf (text, "; element %" G_GINT64_FORMAT " of %s is the largest, of %" G_GINT64_FORMAT " bytes", number,
                                acc_sequence_get_operation_name (sequence), most);
    }

  return g_string_free (text, FALSE);
}
