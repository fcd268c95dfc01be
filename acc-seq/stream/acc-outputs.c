/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-outputs-private.h"

#include "acc-seq/stream/external/acc-external-elements-private.h"
#include "acc-seq/stream/external/acc-pack-sink-private.h"
#include "acc-memory-source-private.h"
#include "acc-error.h"
#include "acc-core/array/acc-array-private.h"
#include "acc-core/data/acc-sink-private.h"

static void
output_free (gpointer data)
{
  AccOutput *self = data;

  if (self->started)
    acc_sink_abort (self->sink);
  if (self->resident > 0)
    acc_budget_release (self->budget,
                        self->resident - (ACC_IS_PACK_SINK (self->sink) ? acc_pack_sink_get_lent (ACC_PACK_SINK (self->sink)) : 0),
                        ACC_OUTPUT_HOLDER);

  g_clear_pointer (&self->budget, acc_budget_unref);
  g_clear_pointer (&self->shape, acc_shape_unref);
  g_clear_pointer (&self->whole, acc_shape_unref);
  g_object_unref (self->array);
  g_clear_object (&self->sink);
  g_free (self);
}

gboolean
acc_outputs_check_sinks (AccSink **sinks, guint n, GError **error)
{
  g_autoptr(GHashTable) places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < n && n > 1; i++)
    {
      g_autofree char *place = sinks[i] != NULL ? acc_sink_dup_place (sinks[i]) : NULL;
      gpointer stream = sinks[i] != NULL ? acc_sink_get_stream (sinks[i]) : NULL;

      if (sinks[i] != NULL && !g_hash_table_add (seen, sinks[i]))
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "the sink “%s” is given twice: each array has its own",
                       acc_sink_get_name (sinks[i]));
          return FALSE;
        }
      if (stream != NULL && !g_hash_table_add (seen, stream))
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "two sinks write the same stream, “%s”: each array has its own",
                       acc_sink_get_name (sinks[i]));
          return FALSE;
        }
      if (place != NULL && g_hash_table_contains (places, place))
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "two sinks write the same file, “%s”: each array has its own", place);
          return FALSE;
        }
      if (place != NULL)
        g_hash_table_add (places, g_steal_pointer (&place));
    }

  return TRUE;
}

GPtrArray *
acc_outputs_new (AccArray **arrays, AccSink **sinks, guint n)
{
  GPtrArray *outputs = g_ptr_array_new_with_free_func (output_free);

  for (guint i = 0; i < n; i++)
    {
      AccOutput *output = g_new0 (AccOutput, 1);

      output->sink = sinks[i] != NULL ? g_object_ref (sinks[i]) : NULL;
      output->array = g_object_ref (arrays[i]);
      g_ptr_array_add (outputs, output);
    }

  return outputs;
}

GPtrArray *
acc_outputs_list (GPtrArray *outputs)
{
  GPtrArray *arrays = g_ptr_array_new ();

  for (guint i = 0; i < outputs->len; i++)
    {
      AccOutput *output = g_ptr_array_index (outputs, i);

      if (!g_ptr_array_find (arrays, output->array, &output->result))
        {
          output->result = arrays->len;
          g_ptr_array_add (arrays, output->array);
        }
    }

  return arrays;
}

void
acc_outputs_replace (GPtrArray *outputs, GPtrArray *arrays)
{
  for (guint i = 0; i < outputs->len; i++)
    {
      AccOutput *output = g_ptr_array_index (outputs, i);

      g_set_object (&output->array, g_ptr_array_index (arrays, output->result));
    }
}

gboolean
acc_outputs_let_grow (GPtrArray *outputs, AccBackend *backend)
{
  g_autoptr(GHashTable) split = g_hash_table_new_full (NULL, NULL, g_object_unref, g_object_unref);

  for (guint i = 0; i < outputs->len; i++)
    {
      AccOutput *output = g_ptr_array_index (outputs, i);
      AccArray *array = output->array;
      g_autoptr(AccSink) pack = NULL;
      AccArray *rows;

      if (output->sink == NULL || !acc_sink_can_grow (output->sink) || !acc_array_reads_source (array))
        continue;
      rows = acc_pack_split (backend, array, output->sink, outputs->len, &pack);
      if (rows == NULL)
        continue;

      /* Several sinks of one array take the same rows. */
      if (g_hash_table_contains (split, array))
        g_object_unref (rows);
      else
        g_hash_table_insert (split, g_object_ref (array), rows);
      g_set_object (&output->sink, pack);
      g_set_object (&output->array, g_hash_table_lookup (split, array));
    }

  return g_hash_table_size (split) > 0;
}

void
acc_output_set_layout (AccOutput *self, AccElementType *type, AccShape *shape)
{
  self->type = type;
  g_clear_pointer (&self->shape, acc_shape_unref);
  if (self->whole != NULL)
    shape = self->whole;
  self->shape = shape != NULL ? acc_shape_ref (shape) : NULL;
}

static gboolean
hold (AccOutput *self, AccBackend *backend, AccElementType *type, AccShape *shape, GError **error)
{
  AccBudget *budget = acc_backend_get_budget (backend);
  guint64 bytes = self->sink != NULL ? acc_sink_get_resident_bytes (self->sink, type, shape) : 0;

  if (bytes <= self->resident)
    return TRUE;
  if (!acc_budget_reserve (budget, bytes - self->resident, ACC_OUTPUT_HOLDER, error))
    return FALSE;

  if (self->budget == NULL)
    self->budget = acc_budget_ref (budget);
  self->resident = bytes;

  return TRUE;
}

gboolean
acc_output_hold (AccOutput *self, AccBackend *backend, GError **error)
{
  return self->shape == NULL || hold (self, backend, self->type, self->shape, error);
}

gboolean
acc_outputs_hold (GPtrArray *outputs, AccBackend *backend, GError **error)
{
  for (guint i = 0; i < outputs->len; i++)
    {
      AccOutput *output = g_ptr_array_index (outputs, i);
      AccArray *array = output->array;
      g_autofree gint64 *extents = g_new0 (gint64, array->rank + 1);
      g_autoptr(AccShape) shape = array->shape != NULL ? acc_shape_ref (array->shape) : acc_shape_new (extents, array->rank);

      if (!hold (output, backend, array->type, shape, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
tell_which (AccOutput *self, gboolean done, GError **error)
{
  if (!done)
    g_prefix_error (error, "writing “%s”: ", acc_sink_get_name (self->sink));

  return done;
}

gboolean
acc_output_start (AccOutput *self, GCancellable *cancellable, GError **error)
{
  if (self->started)
    return TRUE;

  /* A start that failed is aborted as well. */
  self->started = TRUE;

  if (!tell_which (self, acc_sink_start (self->sink, self->type, self->shape, cancellable, error), error))
    return FALSE;
  if (self->whole != NULL)
    acc_sink_begin_elements (self->sink);

  return TRUE;
}

/* --- rows that are too wide */

/* Whether any element can be computed at any time, once sources are stored, and single values are known. */
static gboolean
is_made_of_elements (AccArray *array)
{
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) left = g_ptr_array_new ();

  g_ptr_array_add (left, array);
  while (left->len > 0)
    {
      AccArray *node = g_ptr_array_steal_index_fast (left, left->len - 1), *other;

      if (node->rank == 0 || acc_array_is_manifest (node) || node->op == ACC_OP_SOURCE || !g_hash_table_add (seen, node))
        continue;
      if (!acc_operation_has_fact (node->op, ACC_FACT_FUSES))
        return FALSE;
      for (guint n = 0; (other = acc_array_nth_dependence (node, n)) != NULL; n++)
        g_ptr_array_add (left, other);
    }

  return TRUE;
}

static gboolean
has_wide_rows (AccArray *array)
{
  return array->shape != NULL && array->rank > 1 && acc_shape_get_size (array->shape) > acc_shape_get_extent (array->shape, 0);
}

gboolean
acc_outputs_can_narrow (GPtrArray *outputs)
{
  for (guint i = 0; i < outputs->len; i++)
    {
      AccOutput *output = g_ptr_array_index (outputs, i);

      if (!has_wide_rows (output->array) || output->sink == NULL || output->started || !is_made_of_elements (output->array))
        return FALSE;
    }

  return outputs->len > 0;
}

gboolean
acc_outputs_take_elements (GPtrArray *outputs)
{
  for (guint i = 0; i < outputs->len; i++)
    if (!acc_sink_takes_elements (((AccOutput *) g_ptr_array_index (outputs, i))->sink))
      return FALSE;

  return TRUE;
}

gboolean
acc_outputs_narrow (GPtrArray *outputs, AccBackend *backend)
{
  g_autoptr(GPtrArray) arrays = NULL, others = NULL;

  for (guint i = 0; i < outputs->len; i++)
    {
      AccOutput *output = g_ptr_array_index (outputs, i);
      g_autoptr(AccArray) vector = acc_external_new_vector (output->array, FALSE);

      output->whole = acc_shape_ref (output->array->shape);
      g_set_object (&output->array, vector);
    }

  if (!acc_backend_is_apart (backend))
    return FALSE;
  arrays = acc_outputs_list (outputs);
  others = acc_memory_source_replace (backend, (AccArray **) arrays->pdata, arrays->len, FALSE, NULL);
  if (others != NULL)
    acc_outputs_replace (outputs, others);

  return others != NULL;
}

static gboolean
commit (AccOutput *self, GCancellable *cancellable, GError **error)
{
  if (!tell_which (self, acc_sink_commit (self->sink, cancellable, error), error))
    return FALSE;

  self->started = FALSE;

  return TRUE;
}

/* Whether little can fail when it is committed, once it is complete. */
static gboolean
is_certain (AccSink *sink)
{
  if (ACC_IS_PACK_SINK (sink))
    sink = acc_pack_sink_get_inner (ACC_PACK_SINK (sink));

  return ACC_SINK_GET_CLASS (sink)->complete != NULL;
}

gboolean
acc_outputs_commit (GPtrArray *outputs, GCancellable *cancellable, GError **error)
{
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  for (guint i = 0; i < outputs->len; i++)
    {
      AccOutput *output = g_ptr_array_index (outputs, i);

      if (!tell_which (output, acc_sink_complete (output->sink, cancellable, error), error))
        return FALSE;
    }

  /* First those that may still fail. When the first has appeared, it is too late to cancel the others. */
  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < outputs->len; i++)
      {
        AccOutput *output = g_ptr_array_index (outputs, i);

        if (output->started && (round == 1 || !is_certain (output->sink)))
          {
            if (!commit (output, cancellable, error))
              return FALSE;
            cancellable = NULL;
          }
      }

  return TRUE;
}
