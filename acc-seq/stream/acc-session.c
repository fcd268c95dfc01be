/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-session-private.h"

#include "acc-error.h"
#include "acc-memory-source-private.h"
#include "acc-core/array/acc-array-private.h"
#include "acc-core/array/acc-foreign-known-private.h"
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

/* What a node that leaves something in memory is computed from. */
static AccArray **
list_operands (AccArray *node, guint *n_operands)
{
  AccArray *direct = node->direct;

  while (direct != NULL && direct->op == ACC_OP_RESHAPE)
    direct = direct->inputs[0];
  if (node->offer != NULL)
    return acc_foreign_get_inputs (node, n_operands);
  if (direct == NULL)
    return NULL;
  *n_operands = direct->n_inputs;

  return direct->inputs;
}

static void
push_read (GPtrArray *stack, AccArray *node)
{
  guint n = 0;
  AccArray **operands = list_operands (node, &n), *other;

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (stack, operands[i]);
  for (guint i = 0; operands == NULL && (other = acc_array_nth_dependence (node, i)) != NULL; i++)
    if (i < node->n_inputs || acc_array_reads_elements (node, other))
      g_ptr_array_add (stack, other);
}

/* At least: a part of its items may be read alone. */
static guint64
measure_read (AccArray *array)
{
  guint64 size = array->shape != NULL ? (guint64) acc_shape_get_size (array->shape) : 0;
  gsize least = acc_element_type_get_size (array->type);

  for (guint i = 0; i < acc_element_type_get_n_buffers (array->type); i++)
    least = MIN (least, acc_element_type_get_buffer_size (array->type, i));

  return acc_bytes_multiply (size, least);
}

/* What @node and what it is read from take at once, what is in memory where that is @counted; what else has to be computed goes to @more,
 * borrowed. */
static guint64
measure_step (AccArray *node, gboolean counted, GPtrArray *more)
{
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) stack = g_ptr_array_new ();
  guint64 bytes = node->shape != NULL ? acc_external_get_bytes (node) : 0;

  push_read (stack, node);
  while (stack->len > 0)
    {
      AccArray *other = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      if (!g_hash_table_add (seen, other))
        continue;
      if (acc_array_is_manifest (other))
        bytes = acc_bytes_add (bytes, counted ? measure_read (other) : 0);
      else if (acc_operation_has_fact (other->op, ACC_FACT_FUSES) && other->direct == NULL && other->offer == NULL)
        push_read (stack, other);
      else
        {
          bytes = acc_bytes_add (bytes, measure_read (other));
          g_ptr_array_add (more, other);
        }
    }

  return bytes;
}

/* Its elements are where those of its inputs are. */
static gboolean
is_view (AccArray *node)
{
  return acc_operation_get_family (node->op) == ACC_FAMILY_VIEW || node->op == ACC_OP_ZIP;
}

gboolean
acc_session_lacks_room (AccSession *self, AccArray **arrays, guint n_arrays, GError **error)
{
  guint64 limit = acc_budget_get_limit (acc_backend_get_budget (self->backend)), room;
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) nodes = g_ptr_array_new ();

  if (limit == 0)
    return FALSE;

  /* What others have on a device moves out of the way. */
  room = acc_backend_is_apart (self->backend) ? limit : acc_external_get_room (self->backend);
  for (guint i = 0; i < n_arrays; i++)
    g_ptr_array_add (nodes, arrays[i]);
  while (nodes->len > 0)
    {
      AccArray *node = g_ptr_array_steal_index_fast (nodes, nodes->len - 1);
      guint64 bytes;

      /* Nobody knows which side of a choice. */
      if (!g_hash_table_add (seen, node) || acc_array_is_manifest (node) || node->op == ACC_OP_COND)
        continue;
      if (is_view (node))
        {
          for (guint i = 0; i < node->n_inputs; i++)
            g_ptr_array_add (nodes, node->inputs[i]);
          continue;
        }
      bytes = measure_step (node, acc_backend_is_apart (self->backend), nodes);
      if (bytes > room)
        {
          g_autofree char *what = acc_array_describe (node);

          g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "%s needs %" G_GUINT64_FORMAT " bytes; of the memory limit of %s, %"
                       G_GUINT64_FORMAT " bytes, %" G_GUINT64_FORMAT " can be had", what, bytes, acc_backend_get_name (self->backend),
                       limit, room);
          return TRUE;
        }
    }

  return FALSE;
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

/* --- what goes to outputs */

static void
measure (AccShape *shape, AccElementType *type, gint64 *n_rows, guint64 *row_bytes)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);

  *n_rows = rank > 0 ? MAX (extents[0], 0) : 1;
  *row_bytes = *n_rows > 0 ? acc_bytes_multiply ((guint64) (acc_shape_get_size (shape) / *n_rows), acc_element_type_get_size (type)) : 0;
}

AccPlan *
acc_session_plan_whole (AccSession *self, AccArray *array, gint64 chunk_rows, gboolean in_memory, const char *why)
{
  gint64 n_rows = 0;
  guint64 row_bytes = 0;

  if (array->shape != NULL)
    measure (array->shape, array->type, &n_rows, &row_bytes);

  return acc_planner_plan_whole (self->backend, array, n_rows, row_bytes, self->resident, chunk_rows, in_memory, why);
}

/* A layout for each output, NULL where that is not known yet. */
static gboolean
find_layouts (AccSession *self, gboolean *to_sink, GError **error)
{
  *to_sink = FALSE;
  for (guint i = 0; i < self->outputs->len; i++)
    {
      AccOutput *output = g_ptr_array_index (self->outputs, i);
      const AccRowValue *value = acc_session_find_result (self, output->result, error);
      g_autoptr(AccShape) shape = NULL;

      if (value == NULL)
        return FALSE;
      if (value->kind != ACC_ROW_VALUE_REDUCED)
        {
          *to_sink = TRUE;
          shape = acc_stream_dup_shape (value, error);
          if (shape == NULL)
            return FALSE;
        }
      else if (output->array->shape != NULL)
        shape = acc_shape_ref (output->array->shape);
      acc_output_set_layout (output, value->type, shape);
    }

  return TRUE;
}

gboolean
acc_session_plan_outputs (AccSession *self, gint64 chunk_rows, GError **obstacle)
{
  gboolean to_sink;

  return find_layouts (self, &to_sink, obstacle) && acc_session_hold_resident (self, obstacle)
         && acc_session_plan (self, to_sink, chunk_rows, obstacle);
}

/* Whether arrays in memory should pass through the backend by rows, too: they take most of a device. */
static GPtrArray *
find_rows_in_memory (AccSession *self, GPtrArray *arrays)
{
  guint64 limit = acc_budget_get_limit (acc_backend_get_budget (self->backend));
  g_autoptr(GPtrArray) others = NULL;
  guint64 bytes;

  if (limit == 0 || !ACC_EXECUTABLE_GET_CLASS (self->executable)->prefers_whole || !acc_executable_has_rows (self->executable))
    return NULL;

  others = acc_memory_source_replace (self->backend, (AccArray **) arrays->pdata, arrays->len, FALSE, &bytes);

  return others != NULL && bytes > limit / 2 ? g_steal_pointer (&others) : NULL;
}

gboolean
acc_session_reads_sources (GPtrArray *arrays)
{
  for (guint i = 0; i < arrays->len; i++)
    if (acc_array_reads_source (g_ptr_array_index (arrays, i)))
      return TRUE;

  return FALSE;
}

gboolean
acc_session_begin_outputs (AccSession **session, GPtrArray *arrays, GCancellable *cancellable, GError **error)
{
  g_autoptr(GError) local = NULL;
  g_autoptr(GPtrArray) others = NULL;

  if (!acc_session_compile (*session, (AccArray **) arrays->pdata, arrays->len, cancellable, error))
    return FALSE;

  others = find_rows_in_memory (*session, arrays);
  if (others != NULL)
    {
      g_autoptr(AccSession) by_rows = acc_session_new ((*session)->backend, (*session)->outputs);

      if (acc_session_begin_rows (by_rows, (AccArray **) others->pdata, others->len, cancellable, NULL))
        {
          acc_session_free (*session);
          *session = g_steal_pointer (&by_rows);
          return TRUE;
        }
    }

  if (!acc_session_reads_sources (arrays) && acc_session_prefers_whole (*session, (AccArray **) arrays->pdata, arrays->len))
    return TRUE;
  if (acc_session_begin_rows (*session, (AccArray **) arrays->pdata, arrays->len, cancellable, &local))
    return TRUE;

  g_clear_pointer (&(*session)->flow, acc_row_flow_free);
  g_clear_pointer (&(*session)->run, acc_row_run_free);
  if (g_error_matches (local, ACC_ERROR, ACC_ERROR_STREAM) && !acc_session_reads_sources (arrays))
    return TRUE;

  g_propagate_error (error, g_steal_pointer (&local));

  return FALSE;
}
