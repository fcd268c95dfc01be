/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-evaluate-private.h"

#include "acc-error.h"
#include "acc-graph-cache-private.h"
#include "acc-session-private.h"
#include "acc-stages-private.h"

#include "acc-seq/nested/acc-nested-array-private.h"
#include "acc-seq/stream/external/acc-external-private.h"
#include "acc-seq/stream/external/acc-kept-sink-private.h"

#include <string.h>

/* --- bands */

/* FALSE without an error: it cannot, for @obstacle (nullable). */
static gboolean
run_by_bands (AccSession *session, AccArray **arrays, guint n_arrays, gint64 chunk_rows, AccArray **results,
              GCancellable *cancellable, GError **obstacle, GError **error)
{
  g_autoptr(AccStream) stream = NULL;
  g_autoptr(GError) local = NULL;

  if (acc_session_begin_rows (session, arrays, n_arrays, cancellable, &local))
    {
      gboolean complete = TRUE;

      for (guint i = 0; i < n_arrays && complete; i++)
        complete = acc_session_find_result (session, i, &local) != NULL;

      if (complete && acc_session_plan (session, FALSE, chunk_rows, &local))
        stream = acc_stream_new (session->backend, session->flow, session->plan, NULL, acc_job_find_by_chunks (cancellable), &local);
    }

  if (stream == NULL)
    {
      if (local != NULL)
        acc_stages_set_obstacle (g_steal_pointer (&local), obstacle, error);

      g_clear_pointer (&session->flow, acc_row_flow_free);
      g_clear_pointer (&session->run, acc_row_run_free);
      return FALSE;
    }

  acc_job_set_plan (acc_job_find_by_chunks (cancellable), session->plan);

  return acc_stream_execute (stream, cancellable, results, error);
}

/* --- arrays with sources */

/* FALSE with @obstacle, and without an error: they do not go by rows, or not within the memory limit. */
static gboolean
run_streamed (AccBackend *backend, AccArray **arrays, guint n_arrays, gint64 chunk_rows, AccArray **results,
              GCancellable *cancellable, GError **obstacle, GError **error)
{
  g_autoptr(AccSession) session = acc_session_new (backend, NULL);
  g_autoptr(AccStream) stream = NULL;
  g_autoptr(GError) local = NULL;

  session->by_rows = chunk_rows > 0;
  if (acc_session_begin_rows (session, arrays, n_arrays, cancellable, &local))
    {
      if (!acc_session_claim_sources (session, error))
        return FALSE;

      acc_session_plan_results (session, n_arrays, chunk_rows, &local);
    }

  if (local != NULL)
    return acc_stages_set_obstacle (g_steal_pointer (&local), obstacle, error);

  stream = acc_stream_new (backend, session->flow, session->plan, NULL, acc_job_find_by_chunks (cancellable), error);
  if (stream != NULL)
    acc_job_set_plan (acc_job_find_by_chunks (cancellable), session->plan);

  return stream != NULL && acc_stream_execute (stream, cancellable, results, error);
}

/* --- arrays without sources */

/* Why it runs neither whole nor by rows. Takes over both. */
static void
propagate_reasons (GError **error, GError *reason, GError *by_rows)
{
  if (g_error_matches (by_rows, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) && strcmp (reason->message, by_rows->message) != 0)
    g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "%s; by rows: %s", reason->message, by_rows->message);
  else
    g_propagate_error (error, g_steal_pointer (&reason));
  g_clear_error (&reason);
  g_clear_error (&by_rows);
}

/* Runs by bands, which need less memory than a whole run. Takes over @reason: why it does not run whole. */
static gboolean
run_in_less (AccSession *session, AccArray **arrays, guint n_arrays, AccArray **results, GCancellable *cancellable,
             GError *reason, GError **error)
{
  GError *local = NULL, *obstacle = NULL, **tells = ACC_EXECUTABLE_GET_CLASS (session->executable)->prefers_whole ? &obstacle : NULL;

  session->by_rows = TRUE;
  if ((acc_disable_get_flags () & ACC_DISABLE_CHUNKING) == 0
      && run_by_bands (session, arrays, n_arrays, 0, results, cancellable, tells, &local))
    {
      g_error_free (reason);
      return TRUE;
    }

  if (local == NULL)
    {
      propagate_reasons (error, reason, obstacle);
      return FALSE;
    }
  g_error_free (reason);
  g_propagate_error (error, local);

  return FALSE;
}

/* By what equal graphs were compiled to. FALSE without an error: by a plan of its own. */
static gboolean
run_known (AccBackend *backend, AccArray **arrays, guint n_arrays, AccArray **results, GCancellable *cancellable, GError **error)
{
  g_autoptr(GPtrArray) arguments = NULL, values = NULL;
  g_autoptr(AccExecutable) executable = acc_graph_cache_get (backend, arrays, n_arrays, &arguments);
  GError *local = NULL;

  if (executable == NULL)
    return FALSE;

  values = acc_executable_run_whole (executable, (AccArray **) arguments->pdata, arguments->len, cancellable, &local);
  for (guint i = 0; values != NULL && i < n_arrays; i++)
    results[i] = g_object_ref (g_ptr_array_index (values, i));

  /* There are ways that need less memory. */
  if (g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
    g_clear_error (&local);
  if (local != NULL)
    g_propagate_error (error, local);

  return values != NULL;
}

/* Modes of stages that were tried, and what for. */
typedef struct {
  AccBackend   *backend;
  gint64        chunk_rows;
  gboolean      keeps_groups;   /* bands are for what floats show nothing of */
  gboolean      to_host;        /* results that have no room on a device are written to the host */
  guint         tried;
  GError       *reason;         /* why what was compiled of the same does not run whole; NULL: that was not tried */
  GCancellable *cancellable;
} Run;

static gboolean
run_whole (Run *self, AccArray **arrays, guint n_arrays, AccArray **results, GError **error)
{
  AccBackend *backend = self->backend;
  GCancellable *cancellable = self->cancellable;
  gint64 chunk_rows = self->chunk_rows;
  g_autoptr(AccSession) session = NULL;
  g_autoptr(GPtrArray) whole = NULL;
  GError *local = NULL;

  if (chunk_rows == 0 && self->reason == NULL && run_known (backend, arrays, n_arrays, results, cancellable, &local))
    return TRUE;

  if (local != NULL)
    {
      g_propagate_error (error, local);
      return FALSE;
    }

  session = acc_session_new (backend, NULL);
  session->by_rows = chunk_rows > 0;
  if (!acc_session_compile (session, arrays, n_arrays, cancellable, error))
    return FALSE;

  if (chunk_rows > 0 && run_by_bands (session, arrays, n_arrays, chunk_rows, results, cancellable, NULL, &local))
    return TRUE;

  if (local != NULL)
    {
      g_propagate_error (error, local);
      return FALSE;
    }

  if (self->reason != NULL)
    local = g_steal_pointer (&self->reason);
  else
    whole = acc_executable_run_whole (session->executable, NULL, 0, cancellable, &local);
  if (whole == NULL && g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) && !acc_backend_is_apart (backend)
      && !(self->keeps_groups && acc_external_find_only (arrays, n_arrays, TRUE) != NULL))
    return run_in_less (session, arrays, n_arrays, results, cancellable, local, error);

  if (whole == NULL)
    {
      g_propagate_error (error, local);
      return FALSE;
    }

  for (guint i = 0; i < n_arrays; i++)
    results[i] = g_object_ref (g_ptr_array_index (whole, i));

  return TRUE;
}

/* --- run */

static gboolean
check_arrays (AccArray **arrays, guint n_arrays, GError **error)
{
  for (guint i = 0; i < n_arrays; i++)
    if (!acc_array_check (arrays[i], error))
      return FALSE;

  return TRUE;
}

static GPtrArray *run_stages (Run *self, AccArray **arrays, guint n_arrays, AccStagesMode mode, GError **error);

/* By rows; or, where something keeps it from that, in more stages. */
static GPtrArray *
run_by_rows (Run *self, AccArray **arrays, guint n_arrays, GError **error)
{
  g_autofree AccArray **values = g_new0 (AccArray *, n_arrays + 1);
  g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GError) obstacle = NULL;
  AccStagesMode mode;
  gboolean done = run_streamed (self->backend, arrays, n_arrays, self->chunk_rows, values, self->cancellable, &obstacle, error);

  for (guint i = 0; i < n_arrays; i++)
    if (values[i] != NULL)
      g_ptr_array_add (results, values[i]);
  if (done || obstacle == NULL)
    return done ? g_steal_pointer (&results) : NULL;

  if (acc_stages_find_next (self->backend, arrays, n_arrays, &self->tried, obstacle, &mode))
    return run_stages (self, arrays, n_arrays, mode, error);
  if (acc_stages_make_room (self->backend, arrays, n_arrays, obstacle))
    return run_by_rows (self, arrays, n_arrays, error);
  g_propagate_error (error, g_steal_pointer (&obstacle));

  return NULL;
}

static GPtrArray *
run_in_memory (Run *self, AccArray **arrays, guint n_arrays, GError **error)
{
  g_autofree AccArray **values = g_new0 (AccArray *, n_arrays + 1);
  g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func (g_object_unref);
  GError *local = NULL;
  gboolean done = run_whole (self, arrays, n_arrays, values, &local);

  for (guint i = 0; i < n_arrays; i++)
    if (values[i] != NULL)
      g_ptr_array_add (results, values[i]);
  if (done)
    return g_steal_pointer (&results);

  if (acc_stages_make_room (self->backend, arrays, n_arrays, local))
    {
      g_error_free (local);
      return run_in_memory (self, arrays, n_arrays, error);
    }
  g_propagate_error (error, local);

  return NULL;
}

/* Runs different arrays together; their results go into @values, from array to array. */
static gboolean
run_group (Run *self, GPtrArray *arrays, GPtrArray *(*run) (Run *self, AccArray **arrays, guint n_arrays, GError **error),
           GHashTable *values, GError **error)
{
  g_autoptr(GPtrArray) results = NULL;

  if (arrays->len == 0)
    return TRUE;

  results = run (self, (AccArray **) arrays->pdata, arrays->len, error);
  for (guint i = 0; results != NULL && i < arrays->len; i++)
    g_hash_table_insert (values, g_ptr_array_index (arrays, i), g_object_ref (g_ptr_array_index (results, i)));

  return results != NULL;
}

/* What @mode stores is computed first. */
static GPtrArray *
run_stages (Run *self, AccArray **arrays, guint n_arrays, AccStagesMode mode, GError **error)
{
  g_autoptr(GHashTable) values = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  g_autoptr(GPtrArray) whole = g_ptr_array_new (), streamed = g_ptr_array_new ();
  g_autoptr(GPtrArray) staged = NULL;
  g_autoptr(GPtrArray) results = NULL;
  g_autofree AccDependence *dependences = g_new0 (AccDependence, n_arrays + 1);

  staged = acc_stages_run (self->backend, arrays, n_arrays, mode, self->chunk_rows, dependences, self->cancellable, error);
  if (staged == NULL)
    return NULL;

  for (guint i = 0; i < n_arrays; i++)
    {
      AccArray *array = g_ptr_array_index (staged, i);

      if (acc_array_is_manifest (array))
        g_hash_table_insert (values, array, g_object_ref (array));
      else if (!g_ptr_array_find (whole, array, NULL) && !g_ptr_array_find (streamed, array, NULL))
        g_ptr_array_add (dependences[i] != ACC_DEPENDS_NOT ? streamed : whole, array);
    }

  if (!run_group (self, whole, run_in_memory, values, error) || !run_group (self, streamed, run_by_rows, values, error))
    return NULL;

  results = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n_arrays; i++)
    g_ptr_array_add (results, g_object_ref (g_hash_table_lookup (values, g_ptr_array_index (staged, i))));

  return g_steal_pointer (&results);
}

/* --- results that a device has no room for */

/* Whether results are written already. */
static GPrivate writes = G_PRIVATE_INIT (NULL);

/* Sinks in the host's memory, one for each of @arrays that is not there yet. */
static GPtrArray *
write_to_host (Run *self, AccArray **arrays, guint n_arrays, GError **error)
{
  g_autoptr(GPtrArray) wanted = g_ptr_array_new (), sinks = g_ptr_array_new_with_free_func (g_object_unref), results = NULL;
  guint number;

  for (guint i = 0; i < n_arrays; i++)
    if (!acc_array_is_manifest (arrays[i]) && !g_ptr_array_find (wanted, arrays[i], NULL))
      {
        g_ptr_array_add (wanted, arrays[i]);
        g_ptr_array_add (sinks, acc_kept_sink_new (self->backend));
      }
  if (!acc_evaluate_write_plain (self->backend, (AccArray **) wanted->pdata, (AccSink **) sinks->pdata, wanted->len, self->chunk_rows,
                                 acc_job_find_by_chunks (self->cancellable), self->cancellable, error))
    return NULL;

  results = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n_arrays; i++)
    g_ptr_array_add (results, g_ptr_array_find (wanted, arrays[i], &number)
                                ? acc_kept_sink_dup_array (g_ptr_array_index (sinks, number)) : g_object_ref (arrays[i]));

  return g_steal_pointer (&results);
}

/* Results that have no room on a device, or are made of what has none, are written to the host as they come. @reason: why they do not
 * stay there; taken over. */
static GPtrArray *
run_in_host (Run *self, AccArray **arrays, guint n_arrays, GError *reason, GError **error)
{
  GError *local = NULL;
  GPtrArray *results;

  if (!g_error_matches (reason, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) || !acc_backend_is_apart (self->backend)
      || g_private_get (&writes) != NULL || !self->to_host
      || (self->keeps_groups && acc_external_find_only (arrays, n_arrays, TRUE) != NULL))
    {
      g_propagate_error (error, reason);
      return NULL;
    }

  g_private_set (&writes, self);
  results = write_to_host (self, arrays, n_arrays, &local);
  g_private_set (&writes, NULL);
  if (results != NULL)
    g_error_free (reason);
  else if (g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) || g_error_matches (local, ACC_ERROR, ACC_ERROR_STREAM))
    propagate_reasons (error, reason, local);
  else
    {
      g_error_free (reason);
      g_propagate_error (error, local);
    }

  return results;
}

typedef struct {
  Run       *run;
  AccArray **arrays;
  guint      n_arrays;
  GPtrArray *results;
} Evaluation;

static gboolean
evaluate_once (gpointer data, gboolean *is_final, GError **error)
{
  Evaluation *self = data;
  GError *local = NULL;

  self->run->tried = 1 << ACC_STAGES_FLOW;
  self->results = run_stages (self->run, self->arrays, self->n_arrays, ACC_STAGES_FLOW, &local);
  if (self->results == NULL)
    self->results = run_in_host (self->run, self->arrays, self->n_arrays, local, error);

  return self->results != NULL;
}

static GPtrArray *
evaluate (Run *self, AccArray **arrays, guint n_arrays, GError **error)
{
  Evaluation evaluation = { self, arrays, n_arrays, NULL };

  if (!check_arrays (arrays, n_arrays, error) || g_cancellable_set_error_if_cancelled (self->cancellable, error))
    return NULL;

  if (!acc_external_attempt (self->backend, arrays, n_arrays, evaluate_once, &evaluation, error))
    return NULL;
  for (guint i = 0; i < n_arrays; i++)
    acc_stages_set_in_memory (g_ptr_array_index (evaluation.results, i), FALSE);

  return evaluation.results;
}

GPtrArray *
acc_evaluate_plain (AccBackend *backend, AccArray **arrays, guint n_arrays, GCancellable *cancellable, GError **error)
{
  Run self = { .backend = backend, .to_host = TRUE, .cancellable = cancellable };

  return evaluate (&self, arrays, n_arrays, error);
}

static GPtrArray *
evaluate_or_blame (Run *self, AccArray **arrays, guint n_arrays, GError **error)
{
  GPtrArray *results = evaluate (self, arrays, n_arrays, error);

  if (results == NULL && error != NULL)
    acc_evaluate_blame (self->backend, arrays, n_arrays, self->cancellable, error);

  return results;
}

GPtrArray *
acc_evaluate_elements (AccBackend *backend, AccArray **arrays, guint n_arrays, gboolean to_host, GCancellable *cancellable, GError **error)
{
  Run self = { .backend = backend, .keeps_groups = TRUE, .to_host = to_host, .cancellable = cancellable };

  return evaluate_or_blame (&self, arrays, n_arrays, error);
}

GPtrArray *
acc_evaluate_with_chunk_rows (AccBackend *backend, AccArray **arrays, guint n_arrays, gint64 chunk_rows,
                              GCancellable *cancellable, GError **error)
{
  Run self = { .backend = backend, .chunk_rows = chunk_rows, .to_host = TRUE, .cancellable = cancellable };

  return evaluate_or_blame (&self, arrays, n_arrays, error);
}

GPtrArray *
acc_evaluate_in_less (AccBackend *backend, AccArray **arrays, guint n_arrays, GError *reason, GCancellable *cancellable, GError **error)
{
  Run self = { .backend = backend, .to_host = TRUE, .reason = reason, .cancellable = cancellable };
  GPtrArray *results = evaluate_or_blame (&self, arrays, n_arrays, error);

  g_clear_error (&self.reason);

  return results;
}

/**
 * acc_backend_run:
 * @self: a backend
 * @array: the array to compute
 * @cancellable: (nullable): cancels the run
 * @error: return location for an error
 *
 * Computes an array and keeps the elements in memory. Blocks until they are there.
 *
 * An array that depends on a source is streamed: rows are read, computed and released chunk by chunk, so that a reduction of a
 * file takes little memory however long the file is. What an operation reads in another way, such as the input of a
 * transposition, is computed first and stored: in memory, or in a temporary file where the memory limit is too low for that
 * (see [method@Acc.Backend.set_temporary_quota]). So are the inputs of loops and foreign operations. The condition of a
 * [method@Array.cond] is computed first, and only the branch that is taken is read. A source is read again for the work that
 * follows.
 *
 * Fails with an error that the array carries, with %ACC_ERROR_SHAPE, %ACC_ERROR_BOUNDS or %ACC_ERROR_ARITHMETIC found during
 * the run, with %ACC_ERROR_OUT_OF_MEMORY where the memory limit does not suffice, with %ACC_ERROR_IO from a source, and with
 * %G_IO_ERROR_CANCELLED.
 *
 * Returns: (transfer full): a manifest array; a manifest @array is its own result
 */
AccArray *
acc_backend_run (AccBackend *self, AccArray *array, GCancellable *cancellable, GError **error)
{
  g_autoptr(GPtrArray) results = NULL;

  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (array), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  results = acc_evaluate_with_chunk_rows (self, &array, 1, 0, cancellable, error);

  return results != NULL ? g_object_ref (g_ptr_array_index (results, 0)) : NULL;
}

/**
 * acc_backend_run_many:
 * @self: a backend
 * @arrays: (array length=n_arrays): the arrays to compute
 * @n_arrays: number of @arrays
 * @cancellable: (nullable): cancels the run
 * @error: return location for an error
 *
 * Computes several arrays in one run. Shared work is done once, and each source is read once. In everything else it is as
 * acc_backend_run().
 *
 * Returns: (transfer container) (element-type AccArray): manifest arrays, in the order of @arrays
 */
GPtrArray *
acc_backend_run_many (AccBackend *self, AccArray **arrays, guint n_arrays, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (arrays != NULL || n_arrays == 0, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return acc_evaluate_with_chunk_rows (self, arrays, n_arrays, 0, cancellable, error);
}

/**
 * acc_backend_run_nested:
 * @self: a backend
 * @nested: a nested array
 * @cancellable: (nullable): cancels the run
 * @error: return location for an error
 *
 * Computes a nested array: its values and where its elements lie on all levels, in one run. In everything else it is as acc_backend_run().
 *
 * Returns: (transfer full): a manifest nested array of the same form, or %NULL with @error set
 */
AccNestedArray *
acc_backend_run_nested (AccBackend     *self,
                        AccNestedArray *nested,
                        GCancellable   *cancellable,
                        GError        **error)
{
  g_autoptr(GPtrArray) arrays = NULL, results = NULL;

  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (nested), NULL);

  arrays = g_ptr_array_new ();
  acc_nested_array_collect (nested, arrays);
  results = acc_backend_run_many (self, (AccArray **) arrays->pdata, arrays->len, cancellable, error);
  if (results == NULL)
    return NULL;

  return acc_nested_array_new_manifest (nested, (AccArray **) results->pdata);
}
