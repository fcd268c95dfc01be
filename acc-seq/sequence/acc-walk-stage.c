/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

/* A step of a stage: elements are taken, graphs of functions of them are built, run, and handed on. */

/* How many steps go by after one that had no room before there is one of twice as many elements again. */
#define STEPS_BEFORE_MORE 16
/* What waits for other stages takes one part in so many of a memory limit, where it is of several elements. */
#define PARTS_OF_LIMIT 4
/* And with what functions of batches need and make of it so many times as much. */
#define WITH_RESULTS 4

AccWalkStage *
acc_walk_stage_new (AccWalk *walk)
{
  AccWalkStage *self = g_new0 (AccWalkStage, 1);

  self->walk = walk;
  self->inlets = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_inlet_free);
  self->maps = g_ptr_array_new ();
  self->outlets = g_ptr_array_new ();
  self->programs = acc_walk_programs_new ();
  self->numbers = g_ptr_array_new_with_free_func (g_object_unref);
  self->most = ACC_WALK_MOST;
  self->stored_for = -1;

  return self;
}

void
acc_walk_stage_free (AccWalkStage *self)
{
  acc_walk_stage_remember_size (self);
  for (guint i = 0; i < self->outlets->len; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (self->outlets, i);

      outlet->klass->free (outlet);
    }
  g_ptr_array_unref (self->outlets);
  g_ptr_array_unref (self->inlets);
  g_ptr_array_unref (self->maps);
  g_ptr_array_unref (self->programs);
  g_clear_pointer (&self->structure, acc_walk_structure_free);
  g_ptr_array_unref (self->numbers);
  g_clear_object (&self->begin);
  g_clear_error (&self->failure);
  g_free (self);
}

void
acc_walk_outlet_attach (AccWalkOutlet            *self,
                        const AccWalkOutletClass *klass,
                        AccWalkStage             *stage,
                        AccSequence              *sequence)
{
  self->klass = klass;
  self->stage = stage;
  self->sequence = sequence;
  self->wants = -1;
  g_ptr_array_add (stage->outlets, self);
}

/* --- running */

/* The values that outlets want, computed. */
static GPtrArray *
compute_step (AccWalkStage *self,
              AccWalkPart **parts,
              gint64        count,
              guint        *ends,
              GError      **error)
{
  g_autoptr(GPtrArray) wanted = NULL;
  GError *local = NULL;
  GPtrArray *values;

  acc_walk_stage_set_begin (self);
  values = acc_walk_program_run (self, parts, count, acc_walk_stage_build, ends, &local);
  if (values != NULL)
    return values;
  if (local != NULL)
    {
      g_propagate_error (error, local);
      return NULL;
    }
  wanted = acc_walk_stage_build (self, parts, count, ends);

  return acc_walk_compute (self->walk, wanted, count, error);
}

static gint64
count_bytes (AccWalkPart *part)
{
  return acc_walk_part_n_values (part) * (gint64) acc_element_type_get_size (acc_nested_array_get_element_type (part->nested));
}

/* Whether what goes on to other stages would leave too little room for these, and fewer of @count elements can go. */
static gboolean
fills_limit (AccWalkStage *self,
             AccWalkPart **values,
             const guint  *ends,
             gint64        count)
{
  guint64 limit = acc_budget_get_limit (acc_backend_get_budget (self->walk->backend));
  gint64 bytes = 0;
  guint at = 0;

  for (guint i = 0; i < self->outlets->len; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (self->outlets, i);
      AccSequenceKind kind = outlet->boundary != NULL ? outlet->boundary->kind : ACC_SEQUENCE_KIND_MAP;
      gboolean is_mapped = kind == ACC_SEQUENCE_KIND_MAP_BATCH || kind == ACC_SEQUENCE_KIND_FOLD_BATCH;
      /* Elements that wait for each other in any case. */
      gint64 least = is_mapped || kind == ACC_SEQUENCE_KIND_BATCH ? MAX (outlet->boundary->number, 1) : 1;

      for (; at < ends[i]; at++)
        if (outlet->inlet != NULL && count > least && acc_nested_array_get_form (values[at]->nested) != ACC_NESTED_FORM_CONSTANT)
          bytes += is_mapped ? WITH_RESULTS * count_bytes (values[at]) : count_bytes (values[at]);
    }

  return limit > 0 && (guint64) bytes > limit / PARTS_OF_LIMIT;
}

/* *computed: it failed, if it did, when that was handed on. */
static gboolean
run (AccWalkStage *self,
     AccWalkPart **parts,
     gint64        count,
     gboolean     *computed,
     GError      **error)
{
  g_autofree guint *ends = g_new0 (guint, self->outlets->len + 1);
  g_autoptr(GPtrArray) values = compute_step (self, parts, count, ends, error);
  guint at = 0;

  *computed = values != NULL;
  if (values == NULL)
    return FALSE;
  if (fills_limit (self, (AccWalkPart **) values->pdata, ends, count))
    {
      *computed = FALSE;
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "too much would wait for others");
      return FALSE;
    }

  for (guint i = 0; i < self->outlets->len; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (self->outlets, i);

      if (!outlet->done && !outlet->klass->absorb (outlet, (AccWalkPart **) values->pdata + at, count, error))
        return FALSE;
      at = ends[i];
    }

  return TRUE;
}

/* --- steps */

gboolean
acc_walk_stage_is_over (AccWalkStage *self)
{
  for (guint i = 0; i < self->outlets->len; i++)
    if (!((AccWalkOutlet *) g_ptr_array_index (self->outlets, i))->done)
      return FALSE;

  return TRUE;
}

/* Whether what comes next fails. */
static gboolean
is_stuck (AccWalkStage *self)
{
  return self->failure != NULL && self->done >= self->fails_at;
}

gboolean
acc_walk_stage_is_ready (AccWalkStage *self)
{
  gint64 bytes = acc_walk_step_bytes (self->walk->backend, FALSE);

  if (self->ended || self->inlets->len == 0 || is_stuck (self))
    return FALSE;

  for (guint i = 0; i < self->inlets->len; i++)
    {
      AccWalkInlet *inlet = g_ptr_array_index (self->inlets, i);

      if (acc_walk_inlet_is_empty (inlet) || !acc_walk_inlet_has_step (inlet, bytes))
        return FALSE;
    }

  /* Elements may become larger: those that make a step of another stage are enough. */
  for (guint i = 0; i < self->outlets->len; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (self->outlets, i);

      if (!outlet->done && outlet->inlet != NULL && outlet->inlet->waiting >= bytes)
        return FALSE;
    }

  return TRUE;
}

gboolean
acc_walk_stage_is_between (AccWalkStage *self)
{
  for (guint i = 0; i < self->inlets->len; i++)
    if (((AccWalkInlet *) g_ptr_array_index (self->inlets, i))->feeders[0] == NULL)
      return FALSE;

  return self->inlets->len > 0;
}

static gboolean
end (AccWalkStage *self,
     GError      **error)
{
  self->ended = TRUE;
  for (guint i = 0; i < self->outlets->len; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (self->outlets, i);

      if (!outlet->done && outlet->klass->end != NULL && !outlet->klass->end (outlet, error))
        return FALSE;
      outlet->done = TRUE;
    }

  return TRUE;
}

static gboolean
refused (const GError *error)
{
  return g_error_matches (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
}

/* One element as what is the same for all: functions of it are those of a plain array then, or of those that a nested array consists of,
 * which run in bands where memory is short. As rows of a source, it goes by external algorithms, too. */
static gboolean
run_one (AccWalkStage *self,
         AccWalkPart **parts,
         gboolean      by_rows,
         gboolean     *computed,
         GError      **error)
{
  g_autofree AccWalkPart **others = g_new0 (AccWalkPart *, self->inlets->len + 1);
  gboolean done = TRUE;

  for (guint i = 0; i < self->inlets->len && done; i++)
    {
      gboolean is_array = acc_nested_array_get_inner (parts[i]->nested) == NULL;
      g_autoptr(AccArray) element = is_array ? acc_walk_part_dup_element (parts[i], 0, error) : NULL;
      g_autoptr(AccWalkPart) one = NULL;

      done = !is_array || element != NULL;
      if (done)
        one = is_array ? acc_walk_part_new_constant (element, 1) : acc_walk_part_ref (parts[i]);
      others[i] = done && by_rows ? acc_walk_part_by_rows (one) : NULL;
      if (done && others[i] == NULL)
        others[i] = g_steal_pointer (&one);
    }

  self->alone = TRUE;
  done = done && run (self, others, 1, computed, error);
  self->alone = FALSE;
  for (guint i = 0; i < self->inlets->len; i++)
    g_clear_pointer (&others[i], acc_walk_part_unref);

  return done;
}

/* The same on a device, with what has no room there in the host's memory. FALSE without *computed: it does not go so, whatever *@error. */
static gboolean
run_one_to_host (AccWalkStage *self,
                 AccWalkPart **parts,
                 gboolean     *computed,
                 GError      **error)
{
  AccBackend *backend = self->walk->backend;
  gboolean done;

  if (!acc_backend_is_apart (backend) || acc_budget_get_limit (acc_backend_get_budget (backend)) < ACC_WALK_LEAST_LIMIT)
    return FALSE;
  self->walk->to_host = TRUE;
  done = run_one (self, parts, FALSE, computed, error);
  self->walk->to_host = FALSE;

  return done;
}

static gboolean
run_alone (AccWalkStage *self,
           AccWalkPart **parts,
           gboolean     *computed,
           GError      **error)
{
  g_autoptr(GError) local = NULL, by_rows = NULL, to_host = NULL;

  if (!acc_walk_stage_compute_parts (self, parts, 1, error))
    return FALSE;
  if (run_one (self, parts, FALSE, computed, &local))
    return TRUE;
  if (!*computed && refused (local))
    {
      if (run_one (self, parts, TRUE, computed, &by_rows))
        return TRUE;
      if (!*computed && run_one_to_host (self, parts, computed, &to_host))
        return TRUE;
      if (*computed && to_host != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&to_host));
          return FALSE;
        }
      /* What does not go by rows of a source has no other way. */
      if (*computed
          || !(g_error_matches (by_rows, ACC_ERROR, ACC_ERROR_STREAM) || g_error_matches (by_rows, ACC_ERROR, ACC_ERROR_UNSUPPORTED)))
        {
          g_propagate_error (error, g_steal_pointer (&by_rows));
          return FALSE;
        }
    }
  g_propagate_error (error, g_steal_pointer (&local));

  return FALSE;
}

static gint64
count_all_bytes (AccWalkStage *self,
                 AccWalkPart **parts)
{
  gint64 bytes = 0;

  for (guint i = 0; i < self->inlets->len; i++)
    bytes += count_bytes (parts[i]);

  return bytes;
}

static gboolean
make_room (AccWalk *walk)
{
  return walk->ahead != NULL && walk->make_room (walk->ahead);
}

static void
give_back (AccWalkStage *self,
           AccWalkPart **parts)
{
  for (guint i = 0; i < self->inlets->len; i++)
    if (parts[i] != NULL)
      acc_walk_inlet_give_back (g_ptr_array_index (self->inlets, i), g_steal_pointer (&parts[i]));
}

/* A step of @count elements has no room: whether a smaller one may have, or the same when what walks beside it is gone. */
static gboolean
shrink (AccWalkStage *self,
        gint64        count)
{
  if (make_room (self->walk))
    return TRUE;
  if (count == 1)
    return FALSE;
  self->most = acc_walk_round_down (count / 2);
  self->stays = STEPS_BEFORE_MORE;

  return TRUE;
}

/* FALSE without *@again: it fails. */
static gboolean
take (AccWalkStage *self,
      AccWalkPart **parts,
      gint64        count,
      gboolean     *again,
      GError      **error)
{
  g_autoptr(GError) local = NULL;

  for (guint i = 0; i < self->inlets->len; i++)
    {
      AccWalkInlet *inlet = g_ptr_array_index (self->inlets, i);

      parts[i] = acc_walk_inlet_take (inlet, count, &local);
      if (parts[i] != NULL)
        continue;
      give_back (self, parts);
      *again = refused (local) && !inlet->whole_is_lazy && shrink (self, count);
      if (!*again)
        g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }

  return TRUE;
}

gboolean
acc_walk_stage_store (AccWalkStage *self)
{
  gboolean any = FALSE;

  if (self->stored_for == self->done)
    return FALSE;
  self->stored_for = self->done;
  for (guint i = 0; i < self->inlets->len; i++)
    any = acc_walk_inlet_store (g_ptr_array_index (self->inlets, i)) || any;

  return any;
}

void
acc_walk_stage_fail (AccWalkStage *self,
                     gint64        number,
                     GError       *error)
{
  g_clear_error (&self->failure);
  self->failure = error;
  self->fails_at = number;
}

/* Takes, runs, and gives back where memory did not suffice, or only elements before some have to go on: *again. */
static gboolean
try_step (AccWalkStage *self,
          gint64        count,
          gboolean     *again,
          GError      **error)
{
  AccWalkPart **parts = g_new0 (AccWalkPart *, self->inlets->len + 1);
  g_autoptr(GError) local = NULL;
  gboolean done, computed = FALSE;
  gint64 first;

  *again = FALSE;
  done = take (self, parts, count, again, &local);
  if (done && !run (self, parts, count, &computed, &local))
    {
      done = FALSE;
      /* Some of those that it is handed to may have it. */
      if (g_error_matches (local, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        ;
      else if (computed)
        {
          /* What else is said names elements. */
          if (refused (local))
            g_prefix_error (&local, "elements from %" G_GINT64_FORMAT " on: ", self->done);
        }
      else if (refused (local) && shrink (self, count))
        {
          give_back (self, parts);
          *again = TRUE;
        }
      else if (refused (local))
        {
          g_clear_error (&local);
          done = run_alone (self, parts, &computed, &local);
          if (!done && !computed && refused (local))
            {
              gint64 bytes = count_all_bytes (self, parts);

              give_back (self, parts);
              *again = acc_walk_stage_store (self);
              if (!*again)
                acc_walk_prefix_alone (&local, self->done, bytes);
            }
          else if (!done)
            {
              acc_walk_prefix_alone (&local, self->done, count_all_bytes (self, parts));
            }
        }
      else if ((first = acc_walk_stage_blame (self, parts, count, &local)) > 0)
        {
          give_back (self, parts);
          acc_walk_stage_fail (self, self->done + first, g_steal_pointer (&local));
          *again = TRUE;
        }
    }

  for (guint i = 0; i < self->inlets->len; i++)
    g_clear_pointer (&parts[i], acc_walk_part_unref);
  g_free (parts);
  if (!done && !*again)
    g_propagate_error (error, g_steal_pointer (&local));

  return done;
}

/* What stage_step() does; its error stays the stage's. */
static gboolean
step (AccWalkStage *self,
      GError      **error)
{
  gboolean again = TRUE;

  acc_walk_stage_recall_size (self);
  while (again)
    {
      gboolean is_over = acc_walk_stage_is_over (self);
      gint64 count, begin;

      if (g_cancellable_set_error_if_cancelled (self->walk->cancellable, error))
        return FALSE;
      if (!is_over && is_stuck (self))
        {
          g_propagate_error (error, g_error_copy (self->failure));
          return FALSE;
        }
      count = is_over ? 0 : acc_walk_stage_choose_size (self, error);
      if (count < 0)
        return FALSE;
      if (count == 0)
        return end (self, error);
      begin = g_get_monotonic_time ();
      if (try_step (self, count, &again, error))
        {
          self->done += count;
          acc_walk_stage_learn_size (self, count, g_get_monotonic_time () - begin);
          return TRUE;
        }
    }

  return FALSE;
}

gboolean
acc_walk_stage_step (AccWalkStage *self,
                     GError      **error)
{
  GError *local = NULL;

  if (self->ended || step (self, &local))
    return TRUE;

  if (!g_error_matches (local, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    acc_walk_stage_fail (self, self->done, g_error_copy (local));
  g_propagate_error (error, local);

  return FALSE;
}
