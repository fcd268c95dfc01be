/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-session-private.h"

#include "acc-error.h"
#include "acc-memory-source-private.h"
#include "acc-core/array/acc-array-private.h"
#include "acc-seq/stream/external/acc-external-private.h"

/* --- files serve one run at a time */

static GQuark
get_claim_quark (void)
{
  return g_quark_from_static_string ("acc-session-claim");
}

static void
give_back (gpointer file)
{
  g_object_set_qdata (file, get_claim_quark (), NULL);
  g_object_unref (file);
}

GPtrArray *
acc_session_new_claims (void)
{
  return g_ptr_array_new_with_free_func (give_back);
}

gboolean
acc_session_claim (GPtrArray *claimed, gpointer file, const char *name, GError **error)
{
  if (!g_object_replace_qdata (file, get_claim_quark (), NULL, claimed, NULL, NULL))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "“%s” is in use by another run", name);
      return FALSE;
    }

  g_ptr_array_add (claimed, g_object_ref (file));

  return TRUE;
}

/* --- the session */

AccSession *
acc_session_new (AccBackend *backend, GPtrArray *outputs)
{
  AccSession *self = g_new0 (AccSession, 1);

  self->backend = g_object_ref (backend);
  self->outputs = outputs;
  self->claimed = acc_session_new_claims ();

  return self;
}

void
acc_session_free (AccSession *self)
{
  if (self->held > 0)
    acc_budget_release (acc_backend_get_budget (self->backend), self->held, "sources");

  g_ptr_array_unref (self->claimed);
  g_clear_object (&self->plan);
  g_clear_pointer (&self->flow, acc_row_flow_free);
  g_clear_pointer (&self->run, acc_row_run_free);
  g_clear_object (&self->executable);
  g_object_unref (self->backend);
  g_free (self);
}

gboolean
acc_session_compile (AccSession *self, AccArray **arrays, guint n_arrays, GCancellable *cancellable, GError **error)
{
  g_autoptr(AccProgram) program = NULL;

  if (self->executable != NULL)
    return TRUE;

  program = acc_program_new_for_results (arrays, n_arrays);
  self->executable = acc_backend_compile (self->backend, program, cancellable, error);

  return self->executable != NULL;
}

/* What a whole run leaves in memory: functions of elements leave nothing. @from_memory: whether rows come from memory alone, as they do
 * where a whole run had no room. */
static guint64
measure_whole (AccSession *self, AccArray **arrays, guint n_arrays, gboolean *from_memory)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (arrays, n_arrays);
  gboolean is_apart = acc_backend_is_apart (self->backend), from_files = FALSE;
  guint64 bytes = 0;

  *from_memory = FALSE;
  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);
      gboolean is_source = node->op == ACC_OP_SOURCE,
               in_memory = is_source && acc_memory_source_get_array (acc_array_get_source (node)) != NULL;

      *from_memory |= in_memory;
      from_files |= is_source && !in_memory;
      if (is_source || (acc_array_is_manifest (node) ? is_apart : !acc_operation_has_fact (node->op, ACC_FACT_FUSES)))
        bytes = acc_bytes_add (bytes, acc_external_get_bytes (node));
    }
  for (guint i = 0; i < n_arrays; i++)
    if (acc_operation_has_fact (arrays[i]->op, ACC_FACT_FUSES))
      bytes = acc_bytes_add (bytes, acc_external_get_bytes (arrays[i]));
  *from_memory &= !from_files;

  return bytes;
}

gboolean
acc_session_prefers_whole (AccSession *self, AccArray **arrays, guint n_arrays)
{
  gboolean from_memory;
  guint64 bytes;

  if (self->by_rows || acc_executable_has_rows (self->executable))
    return FALSE;
  bytes = measure_whole (self, arrays, n_arrays, &from_memory);

  return !from_memory && bytes <= acc_external_get_room (self->backend) / 2;
}

gboolean
acc_session_begin_rows (AccSession *self, AccArray **arrays, guint n_arrays, GCancellable *cancellable, GError **error)
{
  AccArray *whole = acc_external_find_only (arrays, n_arrays, FALSE);

  if (whole != NULL)
    {
      g_autofree char *name = acc_array_describe (whole);

      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s groups floats by segments", name);
      return FALSE;
    }
  if (!acc_session_compile (self, arrays, n_arrays, cancellable, error))
    return FALSE;
  if (acc_session_prefers_whole (self, arrays, n_arrays))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s computes no rows, and has room for all of them",
                   acc_backend_get_name (self->backend));
      return FALSE;
    }

  self->run = acc_executable_begin_rows (self->executable, NULL, 0, cancellable, error);
  if (self->run == NULL)
    return FALSE;

  self->flow = acc_row_flow_new (self->run, error);

  return self->flow != NULL;
}

gboolean
acc_session_claim_sources (AccSession *self, GError **error)
{
  for (guint i = 0; self->flow != NULL && i < self->run->n_values; i++)
    if (self->run->values[i].kind == ACC_ROW_VALUE_SOURCE && self->flow->values[i].owner == i)
      {
        AccSource *source = acc_array_get_source (self->run->values[i].array);

        if (!acc_session_claim (self->claimed, source, acc_source_get_name (source), error))
          return FALSE;
      }

  return TRUE;
}

static guint64
measure_sources (AccSession *self)
{
  guint64 bytes = 0;

  for (guint i = 0; self->flow != NULL && i < self->run->n_values; i++)
    if (self->run->values[i].kind == ACC_ROW_VALUE_SOURCE && self->flow->values[i].owner == i)
      bytes = acc_bytes_add (bytes, acc_source_get_resident_bytes (acc_array_get_source (self->run->values[i].array)));

  return bytes;
}

gboolean
acc_session_hold_resident (AccSession *self, GError **error)
{
  guint64 bytes = measure_sources (self);

  if (bytes > self->held)
    {
      if (!acc_budget_reserve (acc_backend_get_budget (self->backend), bytes - self->held, "sources", error))
        return FALSE;
      self->held = bytes;
    }
  self->resident = self->held;

  for (guint i = 0; self->outputs != NULL && i < self->outputs->len; i++)
    {
      AccOutput *output = g_ptr_array_index (self->outputs, i);

      if (!acc_output_hold (output, self->backend, error))
        return FALSE;
      self->resident = acc_bytes_add (self->resident, output->resident);
    }

  return TRUE;
}

gboolean
acc_session_plan (AccSession *self, gboolean to_sink, gint64 chunk_rows, GError **error)
{
  AccPlanRequest request = { self->backend, self->flow, to_sink, self->resident, TRUE, chunk_rows };

  self->plan = acc_planner_plan (&request, error);

  if (self->plan != NULL && (acc_debug_get_flags () & ACC_DEBUG_PLAN) != 0)
    {
      g_autofree char *text = acc_plan_to_string (self->plan);

      g_message ("plan\n%s", text);
    }

  return self->plan != NULL;
}

AccRowValue *
acc_session_find_result (AccSession *self, guint result, GError **error)
{
  for (guint i = 0; i < self->run->n_values; i++)
    if (self->run->values[i].result == (int) result)
      return &self->run->values[i];

  g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "result %u has no rows that could run chunk by chunk", result);

  return NULL;
}

gboolean
acc_session_plan_results (AccSession *self, guint n_results, gint64 chunk_rows, GError **error)
{
  for (guint i = 0; i < n_results; i++)
    if (acc_session_find_result (self, i, error) == NULL)
      return FALSE;

  return acc_session_hold_resident (self, error) && acc_session_plan (self, FALSE, chunk_rows, error);
}
