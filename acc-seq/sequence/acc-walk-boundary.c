/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-states-private.h"

#include "acc-core/array/acc-array-build-private.h"

/* Between two stages: which elements of one go on to the next, and how they are cut. */

/* States of a scan that are joined at a time. */
#define STATES 1024

typedef struct {
  AccWalkOutlet  outlet;
  gint64         left;        /* elements to take, or to drop */
  GQueue         pending;     /* AccWalkPart, owned, of a batch that is not full */
  gint64         n_pending, n_put;              /* elements of batches that wait, and that went on */
  gboolean       has_put;     /* something of this step */
  AccShape      *extents;     /* owned: of all elements of map_batch, fold_batch; NULL before the first */
  AccWalkStates  states;      /* of a scan, map_batch, fold_batch */
} Boundary;

static void
boundary_free (AccWalkOutlet *outlet)
{
  Boundary *self = (Boundary *) outlet;

  g_queue_clear_full (&self->pending, (GDestroyNotify) acc_walk_part_unref);
  g_clear_pointer (&self->extents, acc_shape_unref);
  acc_walk_states_clear (&self->states);
  g_free (self);
}

static gboolean
boundary_end (AccWalkOutlet *outlet,
              GError       **error)
{
  Boundary *self = (Boundary *) outlet;

  outlet->done = TRUE;
  acc_walk_inlet_end (self->outlet.inlet, self->outlet.feed);

  return TRUE;
}

static void
put (Boundary    *self,
     AccWalkPart *part)
{
  acc_walk_inlet_put (self->outlet.inlet, self->outlet.feed, acc_walk_part_ref (part));
}

static gboolean
put_slice (Boundary    *self,
           AccWalkPart *part,
           gint64       start,
           gint64       count,
           GError     **error)
{
  AccWalkPart *slice = acc_walk_part_slice (part, start, count, error);

  if (slice != NULL)
    acc_walk_inlet_put (self->outlet.inlet, self->outlet.feed, slice);

  return slice != NULL;
}

/* A step of @count elements goes on as far as it was, and *@error is that of who wants more. */
static gboolean
stop_behind (Boundary *self,
             gint64    count,
             GError  **error)
{
  AccWalkStage *stage = self->outlet.stage;

  if (g_cancellable_is_cancelled (stage->walk->cancellable))
    return FALSE;
  acc_walk_stage_fail (stage, stage->done + count, g_steal_pointer (error));

  return TRUE;
}

/* Predicates are part of the graph; functions of scans and batches are not. */
static guint64
describe (AccWalkOutlet        *outlet,
          AccSequenceFunction **function)
{
  AccSequence *boundary = outlet->boundary;

  if (boundary != NULL && (boundary->kind == ACC_SEQUENCE_KIND_FILTER || boundary->kind == ACC_SEQUENCE_KIND_TAKE_WHILE))
    *function = acc_walk_get_function (outlet->stage->walk, boundary);

  return 0;
}

/* --- all */

static void
build_same (AccWalkOutlet  *outlet,
            AccNestedArray *elements,
            gint64          count,
            GPtrArray      *wanted)
{
  g_ptr_array_add (wanted, g_object_ref (elements));
}

static gboolean
absorb_same (AccWalkOutlet *outlet,
             AccWalkPart  **parts,
             gint64         count,
             GError       **error)
{
  put ((Boundary *) outlet, parts[0]);

  return TRUE;
}

static const AccWalkOutletClass same_class = { build_same, absorb_same, NULL, NULL, describe, boundary_end, boundary_free };

/* --- filter, take_while */

static AccNestedArray *
apply_predicate (Boundary       *self,
                 AccNestedArray *elements,
                 gint64          count)
{
  AccWalkStage *stage = self->outlet.stage;
  guint n_inputs = acc_walk_get_function (stage->walk, self->outlet.boundary)->n_inputs;
  g_autoptr(AccNestedArray) numbers = n_inputs > 1 ? acc_walk_stage_count_up (stage, count) : NULL;

  return acc_walk_apply (stage->walk, self->outlet.boundary, (AccNestedArray *[]) { elements, numbers },
                         stage->alone ? ACC_APPLY_ALONE : 0);
}

static void
build_filter (AccWalkOutlet  *outlet,
              AccNestedArray *elements,
              gint64          count,
              GPtrArray      *wanted)
{
  g_autoptr(AccNestedArray) flags = apply_predicate ((Boundary *) outlet, elements, count);
  g_autoptr(AccNestedArray) kept = acc_nested_array_compact (elements, flags, NULL);

  g_ptr_array_add (wanted, acc_walk_dup_counted (kept));
}

static gboolean
absorb_filter (AccWalkOutlet *outlet,
               AccWalkPart  **parts,
               gint64         count,
               GError       **error)
{
  put ((Boundary *) outlet, parts[0]);

  return TRUE;
}

static const AccWalkOutletClass filter_class = { build_filter, absorb_filter, NULL, NULL, describe, boundary_end, boundary_free };

static void
build_take_while (AccWalkOutlet  *outlet,
                  AccNestedArray *elements,
                  gint64          count,
                  GPtrArray      *wanted)
{
  g_ptr_array_add (wanted, g_object_ref (elements));
  g_ptr_array_add (wanted, apply_predicate ((Boundary *) outlet, elements, count));
}

static gboolean
absorb_take_while (AccWalkOutlet *outlet,
                   AccWalkPart  **parts,
                   gint64         count,
                   GError       **error)
{
  Boundary *self = (Boundary *) outlet;
  AccLifted *flags = acc_nested_array_get_lifted (parts[1]->nested);
  const guint8 *data = acc_buffer_map (acc_array_get_buffers (flags->values)[0], error);
  gint64 n = 0;

  if (data == NULL)
    return FALSE;
  while (n < count && data[flags->form == ACC_LIFTED_CONSTANT ? 0 : n])
    n++;
  if (!put_slice (self, parts[0], 0, n, error))
    return FALSE;

  return n == count || boundary_end (outlet, error);
}

static const AccWalkOutletClass take_while_class = { build_take_while, absorb_take_while, NULL, NULL, describe, boundary_end,
                                                     boundary_free };

/* --- take, drop */

static gboolean
absorb_take (AccWalkOutlet *outlet,
             AccWalkPart  **parts,
             gint64         count,
             GError       **error)
{
  Boundary *self = (Boundary *) outlet;
  gint64 n = MIN (count, self->left);

  if (!put_slice (self, parts[0], 0, n, error))
    return FALSE;
  self->left -= n;
  outlet->wants = self->left;

  return self->left > 0 || boundary_end (outlet, error);
}

static const AccWalkOutletClass take_class = { build_same, absorb_take, NULL, NULL, describe, boundary_end, boundary_free };

static void
build_drop (AccWalkOutlet  *outlet,
            AccNestedArray *elements,
            gint64          count,
            GPtrArray      *wanted)
{
  if (((Boundary *) outlet)->left < count)
    g_ptr_array_add (wanted, g_object_ref (elements));
}

static gboolean
absorb_drop (AccWalkOutlet *outlet,
             AccWalkPart  **parts,
             gint64         count,
             GError       **error)
{
  Boundary *self = (Boundary *) outlet;
  gint64 n = MIN (count, self->left);

  self->left -= n;

  return n == count || put_slice (self, parts[0], n, count - n, error);
}

static void
tell_drop (AccWalkOutlet *outlet,
           gint64         count,
           GArray        *key,
           GPtrArray     *held)
{
  guint64 drops_all = ((Boundary *) outlet)->left >= count;

  g_array_append_val (key, drops_all);
}

static const AccWalkOutletClass drop_class = { build_drop, absorb_drop, tell_drop, NULL, describe, boundary_end, boundary_free };

/* --- scan: one element after the other */

/* Puts what is in @states there, joined, and empties it. */
static gboolean
put_states (Boundary  *self,
            GPtrArray *states,
            GError   **error)
{
  AccWalkPart *all = acc_walk_part_join (states, acc_backend_get_host_budget (self->outlet.stage->walk->backend), error);

  if (all == NULL)
    return FALSE;
  acc_walk_inlet_put (self->outlet.inlet, self->outlet.feed, all);
  g_ptr_array_set_size (states, 0);

  return TRUE;
}

static gboolean
absorb_scan (AccWalkOutlet *outlet,
             AccWalkPart  **parts,
             gint64         count,
             GError       **error)
{
  Boundary *self = (Boundary *) outlet;
  AccWalk *walk = outlet->stage->walk;
  g_autoptr(GPtrArray) states = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref);
  g_autoptr(AccWalkPart) elements = acc_walk_states_take (walk, self->outlet.boundary, parts[0], error);

  for (gint64 i = 0; i < count; i++)
    {
      gint64 number = outlet->stage->done + i;
      AccWalkPart *next = elements != NULL ? acc_walk_states_scan (&self->states, walk, self->outlet.boundary, elements, i, number, error)
                                           : NULL;

      if (next == NULL)
        return i > 0 && (states->len == 0 || put_states (self, states, NULL)) && stop_behind (self, count, error);
      g_ptr_array_add (states, next);
      if ((states->len == STATES || i == count - 1) && !put_states (self, states, error))
        return FALSE;
    }

  return TRUE;
}

static const AccWalkOutletClass scan_class = { build_same, absorb_scan, NULL, NULL, describe, boundary_end, boundary_free };

/* --- map_batch, fold_batch */

/* The elements as an array; ACC_ERROR_SHAPE where they are of different extents. */
static AccWalkPart *
stack_part (Boundary    *self,
            AccWalkPart *part,
            GError     **error)
{
  AccWalkStage *stage = self->outlet.stage;
  g_autoptr(GError) local = NULL;
  AccWalkPart *regular = acc_walk_part_tighten (part, stage->done, &self->extents, acc_backend_get_host_budget (stage->walk->backend),
                                                &local);

  if (g_error_matches (local, ACC_ERROR, ACC_ERROR_SHAPE))
    g_prefix_error (&local,
                    "%s takes elements of the same extents only: %s_nested takes others, or pad them in a map, take their values one by "
                    "one (expand), or go element by element (scan): ",
                    acc_sequence_get_operation_name (self->outlet.boundary), acc_sequence_get_operation_name (self->outlet.boundary));
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));

  return regular;
}

/* The elements in the form that the program takes. */
static AccWalkPart *
shape_part (Boundary    *self,
            AccWalkPart *part,
            GError     **error)
{
  AccSequence *boundary = self->outlet.boundary;

  if (boundary->nests && acc_program_get_n_parameters (boundary->program) > 2)
    return acc_walk_part_loosen (part, acc_backend_get_host_budget (self->outlet.stage->walk->backend), error);

  return stack_part (self, part, error);
}

static gboolean
put_mapped (Boundary  *self,
            GPtrArray *results)
{
  AccNestedArray *made = self->outlet.boundary->made;
  AccWalkPart *part = made != NULL ? acc_walk_part_new_computed (made, (AccArray **) results->pdata + 1, 0)
                                   : acc_walk_part_new_regular (g_ptr_array_index (results, 1));

  acc_walk_inlet_put (self->outlet.inlet, self->outlet.feed, part);
  self->has_put = TRUE;

  return TRUE;
}

/* What the program makes of @part, whose first element is number @first. */
static gboolean
map_part (Boundary    *self,
          AccWalkPart *part,
          gint64       first,
          GError     **error)
{
  g_autoptr(AccWalkPart) batch = shape_part (self, part, error);
  g_autoptr(AccWalkPart) state = NULL;
  g_autoptr(GPtrArray) results = NULL;
  g_autoptr(GPtrArray) arrays = NULL;

  if (batch == NULL)
    return FALSE;

  arrays = acc_walk_part_list_arrays (batch->nested);
  results = acc_walk_states_run (&self->states, self->outlet.stage->walk, self->outlet.boundary, (AccArray **) arrays->pdata, arrays->len,
                                 error);
  if (results == NULL)
    {
      if (!g_cancellable_is_cancelled (self->outlet.stage->walk->cancellable))
        g_prefix_error (error, "%s of elements %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ": ",
                        acc_sequence_get_operation_name (self->outlet.boundary), first, first + part->count - 1);
      return FALSE;
    }
  if (self->outlet.boundary->kind == ACC_SEQUENCE_KIND_MAP_BATCH)
    return put_mapped (self, results);

  state = acc_walk_part_new_constant (g_ptr_array_index (results, 0), 1);
  put (self, state);

  return TRUE;
}

static gboolean
absorb_whole (AccWalkOutlet *outlet,
              AccWalkPart  **parts,
              gint64         count,
              GError       **error)
{
  return map_part ((Boundary *) outlet, parts[0], outlet->stage->done, error);
}

static const AccWalkOutletClass whole_class = { build_same, absorb_whole, NULL, NULL, describe, boundary_end, boundary_free };

/* --- batch, map_batches */

/* @size elements at a time: where that does not go for all together, as far as it goes. */
static gboolean
map_batches (Boundary    *self,
             AccWalkPart *all,
             gint64       first,
             gint64       size,
             GError     **error)
{
  g_autoptr(AccWalkPart) front = NULL, back = NULL;
  GError *local = NULL;
  gint64 half = all->count / size / 2 * size;

  if (map_part (self, all, first, &local))
    return TRUE;
  /* What waits to be read by the stage before goes to files. */
  if (half == 0 && g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) && acc_walk_stage_store (self->outlet.stage))
    {
      g_clear_error (&local);
      return map_part (self, all, first, error);
    }
  if (half == 0 || g_cancellable_is_cancelled (self->outlet.stage->walk->cancellable))
    {
      g_propagate_error (error, local);
      return FALSE;
    }
  g_clear_error (&local);

  front = acc_walk_part_slice (all, 0, half, error);
  if (front == NULL || !map_batches (self, front, first, size, error))
    return FALSE;
  back = acc_walk_part_slice (all, half, all->count - half, error);

  return back != NULL && map_batches (self, back, first + half, size, error);
}

static gboolean
store_parts (Boundary  *self,
             GPtrArray *parts)
{
  gboolean any = FALSE;

  for (guint i = 0; i < parts->len; i++)
    any |= acc_walk_store_part (self->outlet.stage->walk, (AccWalkPart **) &g_ptr_array_index (parts, i));

  return any;
}

/* As one; where there is no room for that, what waits to be read by the stage before goes to files, and then the parts do. */
static AccWalkPart *
join (Boundary  *self,
      GPtrArray *parts,
      GError   **error)
{
  AccBudget *budget = acc_backend_get_host_budget (self->outlet.stage->walk->backend);
  GError *local = NULL;
  AccWalkPart *all;
  gboolean stored = FALSE;

  while ((all = acc_walk_part_join (parts, budget, &local)) == NULL && g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY)
         && (acc_walk_stage_store (self->outlet.stage) || (!stored && (stored = store_parts (self, parts)))))
    g_clear_error (&local);
  if (local != NULL)
    g_propagate_error (error, local);

  return all;
}

/* The first @count of what is pending. */
static AccWalkPart *
take_pending (Boundary *self,
              gint64    count,
              GError  **error)
{
  g_autoptr(GPtrArray) taken = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref);

  if (!acc_walk_take_parts (&self->pending, count, taken, error))
    return NULL;
  self->n_pending -= count;

  return join (self, taken, error);
}

/* That, as elements of @size each, or as what is made of so many at a time. */
static gboolean
put_batches (Boundary *self,
             gint64    count,
             gint64    size,
             GError  **error)
{
  AccBudget *budget = acc_backend_get_host_budget (self->outlet.stage->walk->backend);
  g_autoptr(AccWalkPart) all = take_pending (self, count, error), batches = NULL;
  gint64 first = self->n_put;

  if (all == NULL)
    return FALSE;
  self->n_put += count;
  if (self->outlet.boundary->kind == ACC_SEQUENCE_KIND_MAP_BATCH)
    return map_batches (self, all, first, size, error);

  batches = self->outlet.boundary->depth > 1
            ? acc_walk_part_nest (all, size, budget, error) : acc_walk_part_group (all, first, size, budget, error);
  if (batches == NULL)
    return FALSE;
  put (self, batches);

  return TRUE;
}

static gboolean
absorb_batch (AccWalkOutlet *outlet,
              AccWalkPart  **parts,
              gint64         count,
              GError       **error)
{
  Boundary *self = (Boundary *) outlet;
  gint64 size = self->outlet.boundary->number;

  g_queue_push_tail (&self->pending, acc_walk_part_ref (parts[0]));
  self->n_pending += count;
  self->has_put = FALSE;

  return self->n_pending < size || put_batches (self, self->n_pending - self->n_pending % size, size, error)
         || (self->has_put && stop_behind (self, count, error));
}

static gboolean
end_batch (AccWalkOutlet *outlet,
           GError       **error)
{
  Boundary *self = (Boundary *) outlet;

  return (self->n_pending == 0 || put_batches (self, self->n_pending, self->n_pending, error)) && boundary_end (outlet, error);
}

static const AccWalkOutletClass batch_class = { build_same, absorb_batch, NULL, NULL, describe, end_batch, boundary_free };

/* --- expand */

static gboolean
absorb_expand (AccWalkOutlet *outlet,
               AccWalkPart  **parts,
               gint64         count,
               GError       **error)
{
  Boundary *self = (Boundary *) outlet;
  g_autoptr(AccWalkPart) rows = acc_walk_part_ungroup (parts[0], acc_backend_get_host_budget (outlet->stage->walk->backend), error);

  if (rows == NULL)
    return FALSE;
  put (self, rows);

  return TRUE;
}

static const AccWalkOutletClass expand_class = { build_same, absorb_expand, NULL, NULL, describe, boundary_end, boundary_free };

/* --- which is which */

static const AccWalkOutletClass *
get_class (AccSequence *boundary)
{
  switch (boundary->kind)
    {
    case ACC_SEQUENCE_KIND_FILTER: return &filter_class;
    case ACC_SEQUENCE_KIND_TAKE: return &take_class;
    case ACC_SEQUENCE_KIND_DROP: return &drop_class;
    case ACC_SEQUENCE_KIND_TAKE_WHILE: return &take_while_class;
    case ACC_SEQUENCE_KIND_SCAN: return &scan_class;
    case ACC_SEQUENCE_KIND_BATCH: return &batch_class;
    case ACC_SEQUENCE_KIND_EXPAND: return &expand_class;
    case ACC_SEQUENCE_KIND_MAP_BATCH: return boundary->number > 0 ? &batch_class : &whole_class;
    case ACC_SEQUENCE_KIND_FOLD_BATCH: return &whole_class;
    case ACC_SEQUENCE_KIND_CONCAT:
    case ACC_SEQUENCE_KIND_PRODUCER:
    case ACC_SEQUENCE_KIND_NESTED:
    case ACC_SEQUENCE_KIND_ARRAY:
    case ACC_SEQUENCE_KIND_COUNTER:
    case ACC_SEQUENCE_KIND_MAP:
      break;
    }

  return &same_class;
}

void
acc_walk_boundary_attach (AccWalkStage *stage,
                          AccSequence  *sequence,
                          AccSequence  *boundary,
                          AccWalkInlet *inlet,
                          guint         feed)
{
  Boundary *self = g_new0 (Boundary, 1);

  self->outlet.boundary = boundary;
  self->outlet.inlet = inlet;
  self->outlet.feed = feed;
  g_queue_init (&self->pending);
  inlet->feeders[feed] = stage;
  acc_walk_outlet_attach (&self->outlet, boundary != NULL ? get_class (boundary) : &same_class, stage, sequence);

  if (boundary == NULL || (boundary->kind != ACC_SEQUENCE_KIND_TAKE && boundary->kind != ACC_SEQUENCE_KIND_DROP))
    return;
  self->left = boundary->number;
  if (boundary->kind == ACC_SEQUENCE_KIND_TAKE)
    self->outlet.wants = self->left;
  if (boundary->kind == ACC_SEQUENCE_KIND_TAKE && self->left == 0)
    boundary_end (&self->outlet, NULL);
}
