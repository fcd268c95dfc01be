/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/backend/acc-foreign-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"

/* The graphs of a stage: what functions make of some elements, and what outlets want of that. */

GPtrArray *
acc_walk_compute (AccWalk   *walk,
                  GPtrArray *nested,
                  gint64     count,
                  GError   **error)
{
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref);
  g_autoptr(GPtrArray) arrays = g_ptr_array_new ();
  g_autoptr(GPtrArray) values = NULL;

  for (guint i = 0; i < nested->len; i++)
    g_ptr_array_extend_and_steal (arrays, acc_walk_part_list_arrays (g_ptr_array_index (nested, i)));
  if (arrays->len == 0)
    return g_steal_pointer (&parts);

  values = acc_evaluate_elements (walk->backend, (AccArray **) arrays->pdata, arrays->len, walk->to_host, walk->cancellable, error);
  if (values == NULL)
    return NULL;

  for (guint i = 0, at = 0; i < nested->len; i++)
    {
      AccWalkForm form = acc_walk_part_get_form (g_ptr_array_index (nested, i));

      g_ptr_array_add (parts, acc_walk_part_new_of_form (&form, (AccArray **) values->pdata + at, count));
      at += acc_walk_form_count_arrays (&form);
    }

  return g_steal_pointer (&parts);
}

AccNestedArray *
acc_walk_apply (AccWalk         *walk,
                AccSequence     *sequence,
                AccNestedArray **inputs,
                AccApplyFlags    flags)
{
  return acc_sequence_function_apply (acc_walk_get_function (walk, sequence), inputs,
                                      flags | (acc_walk_is_on_processors (walk) ? ACC_APPLY_IN_LOOPS : 0)
                                        | (acc_backend_has_transforms (walk->backend) ? 0 : ACC_APPLY_OWN)
                                        | (acc_backend_composes_segments (walk->backend) ? ACC_APPLY_COMPOSED : 0));
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
      g_hash_table_insert (elements, map, acc_walk_apply (self->walk, map, inputs, self->alone ? ACC_APPLY_ALONE : 0));
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

void
acc_walk_stage_set_begin (AccWalkStage *self)
{
  g_clear_object (&self->begin);
  self->begin = acc_walk_new_number (self->done);
}

GPtrArray *
acc_walk_stage_build (AccWalkStage *self,
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

void
acc_walk_stage_build_apart (AccWalkStage *self,
                            AccWalkPart **some,
                            gint64        count,
                            GPtrArray    *wanted)
{
  g_autoptr(GHashTable) elements = build_sequences (self, some, count);

  for (guint i = 0; i < self->outlets->len; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (self->outlets, i);
      AccNestedArray *own = find_elements (self, elements, outlet->sequence, count);

      if (outlet->done || outlet->klass->tell != NULL)
        g_ptr_array_add (wanted, g_object_ref (own));
      else
        outlet->klass->build (outlet, own, count, wanted);
    }
}

gboolean
acc_walk_stage_compute_parts (AccWalkStage *self,
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
