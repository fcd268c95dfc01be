/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-seq/stream/acc-memory-source-private.h"

/* A step of a stage: elements are taken, graphs of functions of them are built, run, and handed on. */

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

GPtrArray *
acc_walk_compute (AccWalk   *walk,
                  GPtrArray *nested,
                  gint64     count,
                  GError   **error)
{
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref);
  g_autoptr(GPtrArray) arrays = g_ptr_array_new ();
  g_autoptr(GPtrArray) values = NULL;
  AccArray *list[3];

  for (guint i = 0; i < nested->len; i++)
    {
      guint n = acc_walk_part_list_arrays (g_ptr_array_index (nested, i), list);

      for (guint j = 0; j < n; j++)
        g_ptr_array_add (arrays, list[j]);
    }
  if (arrays->len == 0)
    return g_steal_pointer (&parts);

  values = acc_backend_run_many (walk->backend, (AccArray **) arrays->pdata, arrays->len, walk->cancellable, error);
  if (values == NULL)
    return NULL;

  for (guint i = 0, at = 0; i < nested->len; i++)
    {
      AccNestedArray *one = g_ptr_array_index (nested, i);

      g_ptr_array_add (parts, acc_walk_part_new_computed (one, (AccArray **) values->pdata + at, count));
      at += acc_walk_part_list_arrays (one, list);
    }

  return g_steal_pointer (&parts);
}

AccNestedArray *
acc_walk_apply (AccWalk         *walk,
                AccSequence     *sequence,
                AccNestedArray **inputs)
{
  return acc_sequence_function_apply (acc_walk_get_function (walk, sequence), inputs,
                                      acc_walk_is_on_processors (walk) ? ACC_APPLY_IN_LOOPS : 0);
}

static AccExpr *
add_first (AccExpr *k,
           gpointer first)
{
  return acc_expr_add (k, acc_expr_linear_index (first, acc_array_number (0)));
}

AccNestedArray *
acc_walk_stage_count_up (AccWalkStage *self,
                         gint64        count)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (count);
  g_autoptr(AccArray) numbers = acc_array_generate (shape, add_first, self->begin);

  return acc_nested_array_new_from_regular (numbers);
}

/* Those of @sequence, or of a counter, which every stage has for itself. */
static AccNestedArray *
find_elements (AccWalkStage *self,
               GHashTable   *elements,
               AccSequence  *sequence,
               gint64        count)
{
  AccNestedArray *found = g_hash_table_lookup (elements, sequence);

  if (found == NULL)
    {
      found = acc_walk_stage_count_up (self, count);
      g_hash_table_insert (elements, sequence, found);
    }

  return found;
}

/* The elements of all sequences of the stage. */
static GHashTable *
build_sequences (AccWalkStage *self,
                 AccWalkPart **parts,
                 gint64        count)
{
  GHashTable *elements = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);

  for (guint i = 0; i < self->inlets->len; i++)
    g_hash_table_insert (elements, ((AccWalkInlet *) g_ptr_array_index (self->inlets, i))->sequence, g_object_ref (parts[i]->nested));

  for (guint i = 0; i < self->maps->len; i++)
    {
      AccSequence *map = g_ptr_array_index (self->maps, i);
      g_autofree AccNestedArray **inputs = g_new0 (AccNestedArray *, map->n_inputs + 1);

      for (guint j = 0; j < map->n_inputs; j++)
        inputs[j] = find_elements (self, elements, map->inputs[j], count);
      g_hash_table_insert (elements, map, acc_walk_apply (self->walk, map, inputs));
    }

  return elements;
}

AccArray *
acc_walk_stage_add_number (AccWalkStage *self,
                           gint64        number)
{
  AccArray *array = acc_walk_new_number (number);

  g_ptr_array_add (self->numbers, g_object_ref (array));

  return array;
}

static void
set_begin (AccWalkStage *self)
{
  g_clear_object (&self->begin);
  self->begin = acc_walk_new_number (self->done);
}

/* The AccNestedArrays that outlets want; @ends: behind those of each outlet. */
static GPtrArray *
build_step (AccWalkStage *self,
            AccWalkPart **parts,
            gint64        count,
            guint        *ends)
{
  g_autoptr(GHashTable) elements = build_sequences (self, parts, count);
  GPtrArray *wanted = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_set_size (self->numbers, 0);
  for (guint i = 0; i < self->outlets->len; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (self->outlets, i);

      if (!outlet->done)
        outlet->klass->build (outlet, find_elements (self, elements, outlet->sequence, count), count, wanted);
      ends[i] = wanted->len;
    }

  return wanted;
}

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

  set_begin (self);
  values = acc_walk_program_run (self, parts, count, build_step, ends, &local);
  if (values != NULL)
    return values;
  if (local != NULL)
    {
      g_propagate_error (error, local);
      return NULL;
    }
  wanted = build_step (self, parts, count, ends);

  return acc_walk_compute (self->walk, wanted, count, error);
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

  for (guint i = 0; i < self->outlets->len; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (self->outlets, i);

      if (!outlet->done && !outlet->klass->absorb (outlet, (AccWalkPart **) values->pdata + at, count, error))
        return FALSE;
      at = ends[i];
    }

  return TRUE;
}

/* --- which element is to blame */

static gboolean
fails (AccWalkStage *self,
       AccWalkPart **parts,
       gint64        start,
       gint64        count,
       GError      **error)
{
  g_autofree AccWalkPart **some = g_new0 (AccWalkPart *, self->inlets->len + 1);
  g_autoptr(GHashTable) elements = NULL;
  g_autoptr(GPtrArray) wanted = g_ptr_array_new ();
  g_autoptr(GPtrArray) computed = NULL;
  gboolean cut = TRUE;
  gint64 done = self->done;

  for (guint i = 0; i < self->inlets->len && cut; i++)
    cut = (some[i] = acc_walk_part_slice (parts[i], start, count, NULL)) != NULL;
  if (cut)
    {
      self->done += start;
      set_begin (self);
      elements = build_sequences (self, some, count);
      for (guint i = 0; i < self->outlets->len; i++)
        g_ptr_array_add (wanted, find_elements (self, elements, ((AccWalkOutlet *) g_ptr_array_index (self->outlets, i))->sequence, count));
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

/* In place of graphs, of which nothing can be cut. */
static gboolean
compute_parts (AccWalkStage *self,
               AccWalkPart **parts,
               gint64        count,
               GError      **error)
{
  for (guint i = 0; i < self->inlets->len; i++)
    {
      g_autoptr(GPtrArray) wanted = g_ptr_array_new ();
      g_autoptr(GPtrArray) computed = NULL;

      if (acc_nested_array_is_manifest (parts[i]->nested))
        continue;
      g_ptr_array_add (wanted, parts[i]->nested);
      computed = acc_walk_compute (self->walk, wanted, count, error);
      if (computed == NULL)
        return FALSE;
      acc_walk_part_unref (parts[i]);
      parts[i] = acc_walk_part_ref (g_ptr_array_index (computed, 0));
    }

  return TRUE;
}

/* Finds the first element of a step that fails by itself, and puts it in front of the message. */
static void
blame_element (AccWalkStage *self,
               AccWalkPart **parts,
               gint64        count,
               GError      **error)
{
  g_autoptr(GError) local = NULL;
  g_autofree char *origin = NULL;
  gint64 start = 0;

  if (*error == NULL || g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED) || !compute_parts (self, parts, count, NULL)
      || !fails (self, parts, 0, count, &local))
    return;

  while (count > 1)
    {
      gint64 half = count / 2;

      g_clear_error (&local);
      if (fails (self, parts, start, half, &local))
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
  if (!fails (self, parts, start, 1, &local) || g_cancellable_is_cancelled (self->walk->cancellable))
    return;

  origin = describe_origin (self, self->done + start);
  g_clear_error (error);
  g_propagate_prefixed_error (error, g_steal_pointer (&local), "element %" G_GINT64_FORMAT "%s%s%s: ", self->done + start,
                              origin != NULL ? " (" : "", origin != NULL ? origin : "", origin != NULL ? ")" : "");
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

gboolean
acc_walk_stage_is_ready (AccWalkStage *self)
{
  if (self->ended || self->inlets->len == 0)
    return FALSE;

  for (guint i = 0; i < self->inlets->len; i++)
    if (acc_walk_inlet_is_empty (g_ptr_array_index (self->inlets, i)))
      return FALSE;

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

/* One element as what is the same for all: functions of it are those of a plain array then, which runs in bands where memory is short. As
 * rows of a source, it goes by external algorithms, too. */
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
      g_autoptr(AccArray) element = acc_walk_part_dup_element (parts[i], 0, error);

      done = element != NULL;
      if (done && by_rows && element->rank > 0)
        {
          g_autoptr(AccArray) rows = acc_memory_source_new_rows (element);

          others[i] = acc_walk_part_new_constant (rows, 1);
        }
      else if (done)
        {
          others[i] = acc_walk_part_new_constant (element, 1);
        }
    }

  done = done && run (self, others, 1, computed, error);
  for (guint i = 0; i < self->inlets->len; i++)
    g_clear_pointer (&others[i], acc_walk_part_unref);

  return done;
}

static gboolean
run_alone (AccWalkStage *self,
           AccWalkPart **parts,
           gboolean     *computed,
           GError      **error)
{
  g_autoptr(GError) local = NULL;

  if (!compute_parts (self, parts, 1, error))
    return FALSE;
  if (run_one (self, parts, FALSE, computed, &local))
    return TRUE;
  if (*computed || !refused (local))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }

  return run_one (self, parts, TRUE, computed, error);
}

static gboolean
make_room (AccWalk *walk)
{
  return walk->ahead != NULL && walk->make_room (walk->ahead);
}

/* Takes, runs, and gives back where memory did not suffice: *again. */
static gboolean
try_step (AccWalkStage *self,
          gint64        count,
          gboolean     *again,
          GError      **error)
{
  AccWalkPart **parts = g_new0 (AccWalkPart *, self->inlets->len + 1);
  g_autoptr(GError) local = NULL;
  gboolean done = TRUE, computed = FALSE, made_room = FALSE;

  *again = FALSE;
  for (guint i = 0; i < self->inlets->len && done; i++)
    done = (parts[i] = acc_walk_inlet_take (g_ptr_array_index (self->inlets, i), count, &local)) != NULL;

  if (done && !run (self, parts, count, &computed, &local))
    {
      done = FALSE;
      /* Some of those that it is handed to may have it. */
      if (g_error_matches (local, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        ;
      else if (computed)
        {
          g_prefix_error (&local, "elements from %" G_GINT64_FORMAT " on: ", self->done);
        }
      else if (refused (local) && ((made_room = make_room (self->walk)) || count > 1))
        {
          for (guint i = 0; i < self->inlets->len; i++)
            acc_walk_inlet_give_back (g_ptr_array_index (self->inlets, i), g_steal_pointer (&parts[i]));
          if (!made_room)
            self->most = acc_walk_round_down (count / 2);
          *again = TRUE;
        }
      else if (refused (local))
        {
          g_clear_error (&local);
          done = run_alone (self, parts, &computed, &local);
          if (!done)
            g_prefix_error (&local, "element %" G_GINT64_FORMAT ", alone: ", self->done);
        }
      else
        {
          blame_element (self, parts, count, &local);
        }
    }

  for (guint i = 0; i < self->inlets->len; i++)
    g_clear_pointer (&parts[i], acc_walk_part_unref);
  g_free (parts);
  if (!done && !*again)
    g_propagate_error (error, g_steal_pointer (&local));

  return done;
}

gboolean
acc_walk_stage_step (AccWalkStage *self,
                     GError      **error)
{
  gboolean again = TRUE;

  if (self->ended)
    return TRUE;

  acc_walk_stage_recall_size (self);
  while (again)
    {
      gint64 count, begin;

      if (g_cancellable_set_error_if_cancelled (self->walk->cancellable, error))
        return FALSE;
      count = acc_walk_stage_is_over (self) ? 0 : acc_walk_stage_choose_size (self, error);
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
