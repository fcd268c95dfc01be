/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-evaluate-private.h"

#include "acc-error.h"
#include "acc-core/backend/acc-deferred-private.h"
#include "acc-core/array/acc-array-private.h"
#include "acc-memory-source-private.h"
#include "acc-session-private.h"
#include "acc-stages-private.h"

static void
measure (AccShape *shape, AccElementType *type, gint64 *n_rows, guint64 *row_bytes)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);

  *n_rows = rank > 0 ? MAX (extents[0], 0) : 1;
  *row_bytes = *n_rows > 0 ? acc_bytes_multiply ((guint64) (acc_shape_get_size (shape) / *n_rows), acc_element_type_get_size (type)) : 0;
}

static AccPlan *
plan_manifest (AccSession *session, AccArray *array, AccElementType *type, AccShape *shape, gint64 chunk_rows,
               gboolean in_memory, const char *why)
{
  gint64 n_rows = 0;
  guint64 row_bytes = 0;

  if (shape != NULL)
    measure (shape, type, &n_rows, &row_bytes);

  return acc_planner_plan_whole (session->backend, array, n_rows, row_bytes, session->resident, chunk_rows, in_memory, why);
}

/* The result is there: write it from memory. */
static gboolean
write_manifest (AccSession *session, AccArray *array, gint64 chunk_rows, AccJob *job, const char *why,
                GCancellable *cancellable, GError **error)
{
  g_autoptr(AccPlan) plan = NULL;

  if (!session->sink_started
      && (!acc_session_hold_resident (session, array->type, array->shape, error)
          || !acc_session_start_sink (session, array->type, array->shape, cancellable, error)))
    return FALSE;

  plan = plan_manifest (session, array, array->type, array->shape, chunk_rows, TRUE, why);
  acc_job_set_plan (job, plan);

  return acc_stream_write_manifest (array, session->sink, acc_plan_get_chunk_rows (plan), job, cancellable, error)
         && acc_session_commit_sink (session, cancellable, error);
}

/* No row order: the whole array is computed first. */
static gboolean
write_computed (AccSession *session, AccArray *array, gint64 chunk_rows, AccJob *job, GCancellable *cancellable, GError **error)
{
  g_autoptr(GPtrArray) results = NULL;

  if (array->shape != NULL
      && (!acc_session_hold_resident (session, array->type, array->shape, error)
          || !acc_session_start_sink (session, array->type, array->shape, cancellable, error)))
    return FALSE;

  results = acc_executable_run (session->executable, NULL, 0, cancellable, error);

  return results != NULL
         && write_manifest (session, g_ptr_array_index (results, 0), chunk_rows, job,
                            "computed whole: it cannot run chunk by chunk", cancellable, error);
}

/* Decides all that must be known before the sink is started, for plans as for runs. @shape: of the result, NULL if it is not known yet.
 * FALSE with @obstacle: stages may take it out of the way. */
static gboolean
plan_streamed (AccSession *session, AccArray *array, gint64 chunk_rows, const AccRowValue **value, AccShape **shape, GError **obstacle,
               GError **error)
{
  gboolean to_sink;

  *value = acc_session_find_result (session, 0, obstacle);
  if (*value == NULL)
    return FALSE;

  to_sink = (*value)->kind != ACC_ROW_VALUE_REDUCED;
  if (to_sink)
    *shape = acc_stream_dup_shape (*value, obstacle);
  else if (array->shape != NULL)
    *shape = acc_shape_ref (array->shape);

  return (*shape != NULL || !to_sink)
         && acc_session_hold_resident (session, (*value)->type, *shape, error)
         && acc_session_plan (session, to_sink, chunk_rows, obstacle);
}

/* With a plan. @value: of the result. */
static gboolean
write_streamed (AccSession *session, const AccRowValue *value, AccShape *shape, gint64 chunk_rows, AccJob *job, GCancellable *cancellable,
                GError **error)
{
  gboolean to_sink = value->kind != ACC_ROW_VALUE_REDUCED;
  g_autoptr(AccStream) stream = NULL;
  g_autoptr(AccArray) reduced = NULL;

  if (shape != NULL && !acc_session_start_sink (session, value->type, shape, cancellable, error))
    return FALSE;

  acc_job_set_plan (job, session->plan);

  stream = acc_stream_new (session->backend, session->flow, session->plan, to_sink ? session->sink : NULL, job, error);
  if (stream == NULL || !acc_stream_execute (stream, cancellable, &reduced, error))
    return FALSE;

  if (!to_sink)
    return write_manifest (session, reduced, chunk_rows, NULL, "reduced", cancellable, error);

  return acc_session_commit_sink (session, cancellable, error);
}

/* Whether arrays in memory should pass through the backend by rows, too: they take most of a device. */
static AccArray *
find_rows_in_memory (AccSession *session, AccArray *array)
{
  guint64 limit = acc_budget_get_limit (acc_backend_get_budget (session->backend));
  g_autoptr(GPtrArray) others = NULL;
  guint64 bytes;

  if (limit == 0 || !ACC_EXECUTABLE_GET_CLASS (session->executable)->prefers_whole)
    return NULL;

  others = acc_memory_source_replace (&array, 1, &bytes);

  return others != NULL && bytes > limit / 2 ? g_object_ref (g_ptr_array_index (others, 0)) : NULL;
}

/* Begins to run by rows, perhaps with another session for another array of the same elements. Without an error and a run where
 * the array has to be computed whole. */
static gboolean
begin_rows (AccSession **session, AccArray **array, GCancellable *cancellable, GError **error)
{
  g_autoptr(GError) local = NULL;
  g_autoptr(AccArray) other = NULL;

  if (!acc_session_compile (*session, array, 1, cancellable, error))
    return FALSE;

  other = find_rows_in_memory (*session, *array);
  if (other != NULL)
    {
      g_autoptr(AccSession) by_rows = acc_session_new ((*session)->backend, (*session)->sink);

      if (acc_session_begin_rows (by_rows, &other, 1, cancellable, NULL))
        {
          acc_session_free (*session);
          *session = g_steal_pointer (&by_rows);
          g_set_object (array, other);
          return TRUE;
        }
    }

  if (acc_session_begin_rows (*session, array, 1, cancellable, &local))
    return TRUE;

  g_clear_pointer (&(*session)->flow, acc_row_flow_free);
  g_clear_pointer (&(*session)->run, acc_row_run_free);
  if (g_error_matches (local, ACC_ERROR, ACC_ERROR_STREAM) && !acc_array_reads_source (*array))
    return TRUE;

  g_propagate_error (error, g_steal_pointer (&local));

  return FALSE;
}

/* FALSE with @obstacle, and without an error, where nothing was begun. */
static gboolean
write_array (AccBackend *backend, AccArray *array, AccSink *sink, gint64 chunk_rows, AccJob *job, GCancellable *cancellable,
             GError **obstacle, GError **error)
{
  g_autoptr(AccSession) session = acc_session_new (backend, sink);
  g_autoptr(AccArray) held = g_object_ref (array);
  g_autoptr(AccShape) shape = NULL;
  const AccRowValue *value;
  GError *local = NULL;

  if (acc_array_is_manifest (array))
    return acc_session_claim_files (session, error)
           && write_manifest (session, array, chunk_rows, job, "in memory already", cancellable, error);

  if (!begin_rows (&session, &held, cancellable, &local))
    return acc_stages_set_obstacle (local, obstacle, error);
  if (!acc_session_claim_files (session, error))
    return FALSE;
  if (session->run == NULL)
    return write_computed (session, held, chunk_rows, job, cancellable, error);

  return plan_streamed (session, held, chunk_rows, &value, &shape, obstacle, error)
         && write_streamed (session, value, shape, chunk_rows, job, cancellable, error);
}

gboolean
acc_evaluate_write_with_chunk_rows (AccBackend *backend, AccArray *array, AccSink *sink, gint64 chunk_rows,
                                    AccJob *job, GCancellable *cancellable, GError **error)
{
  g_autoptr(GPtrArray) staged = NULL;
  guint tried = 1 << ACC_STAGES_FLOW;
  AccStagesMode mode = ACC_STAGES_FLOW;

  if (!acc_array_check (array, error) || g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  for (;;)
    {
      GPtrArray *next = acc_stages_run (backend, &array, 1, mode, chunk_rows, NULL, cancellable, error);
      g_autoptr(GError) obstacle = NULL;
      gboolean done;

      if (next == NULL)
        return FALSE;
      g_clear_pointer (&staged, g_ptr_array_unref);
      staged = next;
      array = g_ptr_array_index (staged, 0);

      done = write_array (backend, array, sink, chunk_rows, job, cancellable, &obstacle, error);
      if (done || obstacle == NULL)
        return done;
      if (!acc_stages_find_next (backend, &array, 1, &tried, obstacle, &mode))
        {
          g_propagate_error (error, g_steal_pointer (&obstacle));
          return FALSE;
        }
    }
}

/**
 * acc_backend_write:
 * @self: a backend
 * @array: the array to compute
 * @sink: the sink that takes the elements
 * @cancellable: (nullable): cancels the run
 * @error: return location for an error
 *
 * Computes an array and writes it to a sink chunk by chunk, without ever holding all of it.
 *
 * Reading, computing and writing overlap, and the memory is planned before the run starts. Blocks until the output is complete
 * and has its name. After an error nothing is left behind.
 *
 * What an operation reads of a source in another way than row by row is computed and stored before anything is written, as
 * [method@Acc.Backend.run] tells. An array without a source that cannot run chunk by chunk is computed whole first.
 *
 * Fails as acc_backend_run() does, with the errors of the sink (%ACC_ERROR_IO, %ACC_ERROR_UNSUPPORTED where the sink does not
 * take such elements or extents), and with %ACC_ERROR_STREAM where a source or the sink is in use by another run.
 *
 * Returns: %TRUE if everything was written, %FALSE with @error set
 */
gboolean
acc_backend_write (AccBackend *self, AccArray *array, AccSink *sink, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), FALSE);
  g_return_val_if_fail (ACC_IS_ARRAY (array), FALSE);
  g_return_val_if_fail (ACC_IS_SINK (sink), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return acc_evaluate_write_with_chunk_rows (self, array, sink, 0, NULL, cancellable, error);
}

/* --- plans */

/* Without reading or computing anything: of a result that is computed whole. */
static AccPlan *
plan_computed (AccBackend *backend, AccArray *array, AccSink *sink, gint64 chunk_rows, gboolean in_memory, const char *why, GError **error)
{
  g_autoptr(AccSession) session = acc_session_new (backend, sink);

  return acc_session_hold_resident (session, array->type, array->shape, error)
         ? plan_manifest (session, array, array->type, array->shape, chunk_rows, in_memory, why) : NULL;
}

/* Of one stage, whose rows are written as they come. */
static AccPlan *
plan_rows (AccBackend *backend, AccArray *array, AccSink *sink, gint64 chunk_rows, GError **obstacle, GError **error)
{
  g_autoptr(AccSession) session = acc_session_new (backend, sink);
  g_autoptr(AccArray) held = g_object_ref (array);
  g_autoptr(AccShape) shape = NULL;
  const AccRowValue *value;
  GError *local = NULL;

  if (begin_rows (&session, &held, NULL, &local) && session->run == NULL)
    return plan_computed (backend, array, sink, chunk_rows, FALSE, "computed whole: it cannot run chunk by chunk", error);
  if (local != NULL)
    {
      acc_stages_set_obstacle (local, obstacle, error);
      return NULL;
    }

  return plan_streamed (session, held, chunk_rows, &value, &shape, obstacle, error) ? g_steal_pointer (&session->plan) : NULL;
}

/* Of what comes after stages; NULL without an error where there are none. */
static AccPlan *
plan_staged (AccBackend *backend, AccArray *array, AccSink *sink, gint64 chunk_rows, AccStagesMode mode, GError **error)
{
  guint64 bytes;
  g_autofree char *stages = acc_stages_describe (backend, &array, 1, mode, &bytes);
  g_autoptr(AccArray) after = stages != NULL ? acc_stages_pretend (backend, array, mode) : NULL;
  g_autoptr(GError) obstacle = NULL;
  AccPlan *plan = NULL;

  if (after != NULL)
    plan = plan_rows (backend, after, sink, chunk_rows, &obstacle, error);
  if (stages != NULL && plan == NULL && (after == NULL || obstacle != NULL))
    plan = plan_computed (backend, array, sink, chunk_rows, FALSE, "computed from what stages before it store", error);

  if (plan != NULL)
    {
      plan->stages = g_steal_pointer (&stages);
      plan->bytes = acc_bytes_add (plan->bytes, bytes);
    }

  return plan;
}

static AccPlan *
plan_stages (AccBackend *backend, AccArray *array, AccSink *sink, gint64 chunk_rows, GError **error)
{
  guint tried = 1 << ACC_STAGES_FLOW;
  AccStagesMode mode = ACC_STAGES_FLOW;
  GError *local = NULL, *obstacle = NULL;
  AccPlan *plan = plan_staged (backend, array, sink, chunk_rows, mode, &local);

  if (plan == NULL && local == NULL)
    plan = plan_rows (backend, array, sink, chunk_rows, &obstacle, &local);
  if (obstacle != NULL && acc_stages_find_next (backend, &array, 1, &tried, obstacle, &mode))
    {
      g_clear_error (&obstacle);
      plan = plan_staged (backend, array, sink, chunk_rows, mode, &local);
    }
  if (plan == NULL)
    g_propagate_error (error, obstacle != NULL ? obstacle : local);

  return plan;
}

/**
 * acc_backend_plan:
 * @self: a backend
 * @array: the array to compute
 * @sink: (nullable): the sink that the elements would go to
 * @chunk_rows: rows of input per chunk; 0 lets the planner choose
 * @error: return location for an error
 *
 * Returns the plan of acc_backend_write(), without running it. The program is compiled; nothing is read or written.
 *
 * The memory that @sink holds itself is part of the plan's bytes; without @sink, the plan assumes a sink that holds nothing.
 * Where stages come first, whose results are stored, the plan names the stores, their bytes and the operations that read them in
 * another way than row by row; its own bytes are those of stores in memory and of the result. What depends on a condition is
 * not planned before that is known. Of sequences the plan tells how they will be walked.
 *
 * Fails as acc_backend_write() would before it reads the first row.
 *
 * Returns: (transfer full): the plan
 */
AccPlan *
acc_backend_plan (AccBackend *self, AccArray *array, AccSink *sink, gint64 chunk_rows, GError **error)
{
  g_autofree char *before = NULL;

  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (array), NULL);
  g_return_val_if_fail (sink == NULL || ACC_IS_SINK (sink), NULL);
  g_return_val_if_fail (chunk_rows >= 0, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!acc_array_check (array, error))
    return NULL;

  if (acc_array_is_manifest (array))
    return plan_computed (self, array, sink, chunk_rows, TRUE, "in memory already", error);

  before = acc_deferred_describe (self, &array, 1, chunk_rows);
  if (before != NULL)
    return plan_computed (self, array, sink, chunk_rows, FALSE, before, error);

  return plan_stages (self, array, sink, chunk_rows, error);
}
