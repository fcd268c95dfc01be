/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-write-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-error.h"
#include "acc-evaluate-private.h"
#include "acc-memory-source-private.h"
#include "acc-stages-private.h"
#include "acc-store-private.h"

/* What has to be known of all runs of a call. */
typedef struct {
  AccBackend   *backend;
  gint64        chunk_rows;
  AccJob       *job;
  GCancellable *cancellable;
  gint64        skip;          /* rows of the only result that need not be computed */
  gboolean      from_memory;   /* what is in memory comes by rows */
} Write;

/* --- results that are there */

static gboolean
start (AccSession *session, GCancellable *cancellable, GError **error)
{
  for (guint i = 0; i < session->outputs->len; i++)
    {
      AccOutput *output = g_ptr_array_index (session->outputs, i);

      if (output->shape != NULL && !acc_output_start (output, cancellable, error))
        return FALSE;
    }

  return TRUE;
}

/* Writes @array, which is in memory, to the sinks of a result. */
static gboolean
write_manifest (Write *self, AccSession *session, guint result, AccArray *array, AccJob *job, const char *why, GError **error)
{
  for (guint i = 0; i < session->outputs->len; i++)
    {
      AccOutput *output = g_ptr_array_index (session->outputs, i);
      g_autoptr(AccPlan) plan = NULL;

      if (output->result != result)
        continue;

      if (!output->started)
        {
          acc_output_set_layout (output, array->type, array->shape);
          if (!acc_session_hold_resident (session, error) || !acc_output_start (output, self->cancellable, error))
            return FALSE;
        }

      plan = acc_session_plan_whole (session, array, self->chunk_rows, TRUE, why);
      acc_job_set_plan (job, plan);
      if (!acc_stream_write_manifest (array, output->sink, acc_plan_get_chunk_rows (plan), job, self->cancellable, error))
        return FALSE;
    }

  return TRUE;
}

/* --- by rows */

gboolean
acc_write_fits (AccBackend *backend, AccArray **arrays, AccSink **sinks, guint n, gint64 chunk_rows)
{
  g_autoptr(GPtrArray) outputs = acc_outputs_new (arrays, sinks, n), wanted = acc_outputs_list (outputs);
  g_autoptr(AccSession) session = acc_session_new (backend, outputs);

  return acc_session_begin_outputs (&session, wanted, NULL, NULL) && session->run != NULL
         && acc_session_plan_outputs (session, chunk_rows, NULL);
}

/* With a plan. */
static gboolean
write_streamed (Write *self, AccSession *session, GPtrArray *arrays, GError **error)
{
  g_autofree AccArray **reduced = g_new0 (AccArray *, arrays->len + 1);
  g_autoptr(AccStream) stream = NULL;
  gboolean done;

  if (!start (session, self->cancellable, error))
    return FALSE;

  acc_job_set_plan (self->job, session->plan);
  stream = acc_stream_new (session->backend, session->flow, session->plan, session->outputs, self->job, error);
  if (stream != NULL)
    acc_stream_skip_to (stream, self->skip);
  done = stream != NULL && acc_stream_execute (stream, self->cancellable, reduced, error);

  for (guint i = 0; i < arrays->len; i++)
    if (reduced[i] != NULL)
      {
        done = done && write_manifest (self, session, i, reduced[i], NULL, "reduced", error);
        g_object_unref (reduced[i]);
      }

  return done;
}

/* Whether rows take less than there is, where a whole run took more. */
static gboolean
by_rows_instead (Write *self, AccSession *session, GPtrArray *arrays, const GError *reason)
{
  if (!g_error_matches (reason, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) || acc_executable_has_rows (session->executable))
    return FALSE;

  session->by_rows = TRUE;

  return acc_session_begin_rows (session, (AccArray **) arrays->pdata, arrays->len, self->cancellable, NULL)
         && acc_session_plan_outputs (session, self->chunk_rows, NULL);
}

/* No row order: the whole arrays are computed first. FALSE with @obstacle: rows might do with less, but not with what is left. */
static gboolean
write_computed (Write *self, AccSession *session, GPtrArray *arrays, GError **obstacle, GError **error)
{
  g_autoptr(GPtrArray) results = NULL;
  GError *local = NULL;
  /* A device may have no room: sinks are started when it had. */
  gboolean is_apart = acc_backend_is_apart (self->backend) && acc_budget_get_limit (acc_backend_get_budget (self->backend)) > 0;

  for (guint i = 0; i < session->outputs->len; i++)
    {
      AccOutput *output = g_ptr_array_index (session->outputs, i);

      acc_output_set_layout (output, output->array->type, output->array->shape);
    }
  if (!acc_session_hold_resident (session, error) || (!is_apart && !start (session, self->cancellable, error)))
    return FALSE;

  results = acc_executable_run_whole (session->executable, NULL, 0, self->cancellable, &local);
  if (results == NULL && by_rows_instead (self, session, arrays, local))
    {
      g_error_free (local);
      return write_streamed (self, session, arrays, error);
    }
  if (results == NULL)
    return acc_stages_set_obstacle (local, obstacle, error);
  for (guint i = 0; i < arrays->len; i++)
    if (!write_manifest (self, session, i, g_ptr_array_index (results, i), self->job, "computed whole: it cannot run chunk by chunk",
                         error))
      return FALSE;

  return TRUE;
}

/* --- several arrays */

gboolean
acc_write_goes_apart (AccBackend *backend, GPtrArray *arrays)
{
  return arrays->len > 1 && acc_budget_get_limit (acc_backend_get_host_budget (backend)) > 0;
}

static gboolean write_apart (Write *self, GPtrArray *outputs, gboolean all, GError **error);
static gboolean write_outputs (Write *self, GPtrArray *outputs, GError **error);

/* Writes what goes to @outputs by one run; where that would be no run by rows, which takes more memory, by one for each array. FALSE with
 * @obstacle, and without an error, where nothing was begun. */
static gboolean
write_together (Write *self, GPtrArray *outputs, GError **obstacle, GError **error)
{
  g_autoptr(AccSession) session = acc_session_new (self->backend, outputs);
  g_autoptr(GPtrArray) arrays = acc_outputs_list (outputs);
  GError *local = NULL;

  session->by_rows = self->chunk_rows > 0;

  if (arrays->len == 1 && acc_array_is_manifest (g_ptr_array_index (arrays, 0)))
    return write_manifest (self, session, 0, g_ptr_array_index (arrays, 0), self->job, "in memory already", error);

  if (!acc_session_begin_outputs (&session, arrays, self->cancellable, &local))
    return acc_stages_set_obstacle (local, obstacle, error);
  if (session->run == NULL && acc_write_goes_apart (self->backend, arrays))
    return write_apart (self, outputs, TRUE, error);
  if (session->run == NULL)
    return write_computed (self, session, arrays, obstacle, error);

  return acc_session_claim_sources (session, error) && acc_session_plan_outputs (session, self->chunk_rows, obstacle)
         && write_streamed (self, session, arrays, error);
}

/* What @mode stores is computed; other arrays take the place of those of @outputs. */
static gboolean
run_stages (Write *self, GPtrArray *outputs, AccStagesMode mode, AccDependence *dependences, GError **error)
{
  g_autoptr(GPtrArray) arrays = acc_outputs_list (outputs);
  g_autoptr(GPtrArray) staged = acc_stages_run (self->backend, (AccArray **) arrays->pdata, arrays->len, mode, self->chunk_rows,
                                                dependences, self->cancellable, error);

  if (staged != NULL)
    acc_outputs_replace (outputs, staged);

  return staged != NULL;
}

/* Those of one array, or of those that depend on sources, or on none. */
static GPtrArray *
select_outputs (GPtrArray *outputs, AccArray *array, const AccDependence *dependences, gboolean depend)
{
  GPtrArray *selected = g_ptr_array_new ();

  for (guint i = 0; i < outputs->len; i++)
    {
      const AccOutput *output = g_ptr_array_index (outputs, i);

      if (array != NULL ? output->array == array
          : !acc_array_is_manifest (output->array) && (dependences[output->result] != ACC_DEPENDS_NOT) == depend)
        g_ptr_array_add (selected, (gpointer) output);
    }

  return selected;
}

/* Sources that can be read once are stored where several of the arrays read them. */
static gboolean
keep_sources (Write *self, GPtrArray *outputs, GError **error)
{
  g_autoptr(GPtrArray) arrays = acc_outputs_list (outputs), kept = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < arrays->len; i++)
    g_ptr_array_add (kept, g_object_ref (g_ptr_array_index (arrays, i)));
  if (!acc_stages_keep_sources (self->backend, kept, self->chunk_rows, self->cancellable, error))
    return FALSE;
  acc_outputs_replace (outputs, kept);

  return TRUE;
}

/* A walk for each array: those that are in memory, or all. */
static gboolean
write_apart (Write *self, GPtrArray *outputs, gboolean all, GError **error)
{
  g_autoptr(GPtrArray) arrays = NULL;

  if (all && !keep_sources (self, outputs, error))
    return FALSE;
  arrays = acc_outputs_list (outputs);
  for (guint i = 0; i < arrays->len; i++)
    {
      AccArray *array = g_ptr_array_index (arrays, i);
      g_autoptr(GPtrArray) own = select_outputs (outputs, array, NULL, FALSE);

      if (all ? !write_outputs (self, own, error) : acc_array_is_manifest (array) && !write_together (self, own, NULL, error))
        return FALSE;
    }

  return TRUE;
}

/* Rows that go element by element, which may need others of the same kind, so often at most: what needs itself would go on for ever. */
#define MOST_NARROWED 4

/* How many do now. */
static GPrivate narrowed = G_PRIVATE_INIT (NULL);

/* Whether rows of which one takes too much memory may go element by element. */
static gboolean
is_too_wide (GPtrArray *outputs, const GError *obstacle)
{
  return g_error_matches (obstacle, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) && acc_outputs_can_narrow (outputs)
         && GPOINTER_TO_UINT (g_private_get (&narrowed)) < MOST_NARROWED;
}

static gboolean
write_narrowed (Write *self, GPtrArray *outputs, GError **error)
{
  guint n = GPOINTER_TO_UINT (g_private_get (&narrowed));
  gboolean done;

  g_private_set (&narrowed, GUINT_TO_POINTER (n + 1));
  done = write_outputs (self, outputs, error);
  g_private_set (&narrowed, GUINT_TO_POINTER (n));

  return done;
}

/* Stores the only array of @outputs, element by element; its rows are read where they are then. */
static gboolean
store_rows (Write *self, GPtrArray *outputs, GError **error)
{
  g_autoptr(GPtrArray) arrays = acc_outputs_list (outputs), stored = g_ptr_array_new_with_free_func (g_object_unref);
  AccArray *array = g_ptr_array_index (arrays, 0), *rows;
  g_autoptr(AccStore) store = acc_store_new (self->backend, array->type, array->shape, "rows that do not fit", error);
  g_autoptr(AccSink) sink = store != NULL ? acc_store_new_sink (store) : NULL;

  if (sink == NULL || !acc_evaluate_write_with_chunk_rows (self->backend, array, sink, 0, NULL, self->cancellable, error))
    return FALSE;
  rows = acc_store_dup_array (store, error);
  if (rows == NULL)
    return FALSE;
  g_ptr_array_add (stored, rows);
  acc_outputs_replace (outputs, stored);

  return TRUE;
}

gboolean
acc_write_read_memory (AccBackend *backend, GPtrArray *outputs)
{
  g_autoptr(GPtrArray) arrays = acc_outputs_list (outputs), others = NULL;

  others = acc_memory_source_replace (backend, (AccArray **) arrays->pdata, arrays->len, TRUE, NULL);
  if (others == NULL)
    return FALSE;
  acc_outputs_replace (outputs, others);

  return TRUE;
}

/* Once: what is left in memory then stays there. */
static gboolean
write_from_memory (Write *self, GPtrArray *outputs, GError **error)
{
  gboolean done;

  self->from_memory = TRUE;
  done = write_outputs (self, outputs, error);
  self->from_memory = FALSE;

  return done;
}

/* What depends on no source. */
static gboolean
write_whole (Write *self, GPtrArray *outputs, GError **error)
{
  g_autoptr(GPtrArray) arrays = acc_outputs_list (outputs);
  g_autoptr(GError) obstacle = NULL;

  if (arrays->len == 0 || write_together (self, outputs, &obstacle, error))
    return TRUE;
  if (acc_stages_make_room (self->backend, (AccArray **) arrays->pdata, arrays->len, obstacle))
    return write_whole (self, outputs, error);
  if (obstacle != NULL && !self->from_memory && acc_write_read_memory (self->backend, outputs))
    return write_from_memory (self, outputs, error);
  if (obstacle != NULL && arrays->len > 1)
    return write_apart (self, outputs, TRUE, error);
  if (is_too_wide (outputs, obstacle))
    {
      if (acc_outputs_take_elements (outputs))
        {
          if (acc_outputs_narrow (outputs, self->backend))
            return write_narrowed (self, outputs, error);
        }
      else if (!store_rows (self, outputs, error))
        return FALSE;
      return write_whole (self, outputs, error);
    }
  if (obstacle != NULL)
    g_propagate_error (error, g_steal_pointer (&obstacle));

  return FALSE;
}

/* As many together as can be. */
static gboolean
write_outputs (Write *self, GPtrArray *outputs, GError **error)
{
  g_autoptr(GPtrArray) left = g_ptr_array_ref (outputs);
  guint tried = 1 << ACC_STAGES_FLOW;
  AccStagesMode mode = ACC_STAGES_FLOW;

  for (;;)
    {
      g_autofree AccDependence *dependences = g_new0 (AccDependence, left->len + 1);
      g_autoptr(GPtrArray) whole = NULL, streamed = NULL, arrays = NULL;
      g_autoptr(GError) obstacle = NULL;
      gboolean done;

      if (!run_stages (self, left, mode, dependences, error))
        return FALSE;

      whole = select_outputs (left, NULL, dependences, FALSE);
      streamed = select_outputs (left, NULL, dependences, TRUE);
      if (!write_apart (self, left, FALSE, error))
        return FALSE;
      if (!write_whole (self, whole, error))
        return FALSE;
      if (streamed->len == 0)
        return TRUE;

      done = write_together (self, streamed, &obstacle, error);
      if (done || obstacle == NULL)
        return done;

      g_ptr_array_unref (left);
      left = g_ptr_array_ref (streamed);
      arrays = acc_outputs_list (left);
      if (acc_stages_find_next (self->backend, (AccArray **) arrays->pdata, arrays->len, &tried, obstacle, &mode)
          || acc_stages_make_room (self->backend, (AccArray **) arrays->pdata, arrays->len, obstacle))
        continue;
      if (arrays->len > 1)
        return write_apart (self, left, TRUE, error);
      if (is_too_wide (left, obstacle) && mode != ACC_STAGES_SOURCES)
        {
          mode = ACC_STAGES_SOURCES;
          continue;
        }
      g_propagate_error (error, g_steal_pointer (&obstacle));
      return FALSE;
    }
}

gboolean
acc_write_check (AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks, GError **error)
{
  if (n_arrays != n_sinks)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%u arrays cannot be written to %u sinks: each has its own", n_arrays, n_sinks);
      return FALSE;
    }

  for (guint i = 0; i < n_arrays; i++)
    if (!acc_array_check (arrays[i], error))
      return FALSE;

  return acc_outputs_check_sinks (sinks, n_sinks, error);
}

typedef struct {
  Write     *write;
  AccArray **arrays;
  AccSink  **sinks;
  guint      n;
} All;

/* Once: where some sink was started. */
static gboolean
write_once (gpointer data, gboolean *is_final, GError **error)
{
  const All *all = data;
  Write *self = all->write;
  g_autoptr(GPtrArray) outputs = acc_outputs_new (all->arrays, all->sinks, all->n);
  gboolean done;

  /* Rows are counted by what is kept of them. */
  if (acc_outputs_let_grow (outputs, self->backend))
    self->skip = 0;

  done = acc_outputs_hold (outputs, self->backend, error) && write_outputs (self, outputs, error)
         && acc_outputs_commit (outputs, self->cancellable, error);
  for (guint i = 0; i < outputs->len; i++)
    *is_final |= ((AccOutput *) g_ptr_array_index (outputs, i))->started;

  return done;
}

static gboolean
write_all (Write *self, AccArray **arrays, AccSink **sinks, guint n, GError **error)
{
  g_autoptr(GPtrArray) claimed = acc_session_new_claims ();

  if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!acc_session_claim (claimed, sinks[i], acc_sink_get_name (sinks[i]), error))
      return FALSE;

  return acc_external_attempt (self->backend, arrays, n, write_once, &(All) { self, arrays, sinks, n }, error);
}

gboolean
acc_evaluate_write_plain (AccBackend *backend, AccArray **arrays, AccSink **sinks, guint n, gint64 chunk_rows, AccJob *job,
                          GCancellable *cancellable, GError **error)
{
  Write self = { backend, chunk_rows, job, cancellable, 0, FALSE };

  return write_all (&self, arrays, sinks, n, error);
}

static gboolean
write_and_blame (Write *self, AccArray **arrays, AccSink **sinks, guint n, GError **error)
{
  gboolean done = write_all (self, arrays, sinks, n, error);

  if (!done && error != NULL)
    acc_evaluate_blame (self->backend, arrays, n, self->cancellable, error);

  return done;
}

gboolean
acc_evaluate_write_many (AccBackend *backend, AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks, gint64 chunk_rows,
                         AccJob *job, GCancellable *cancellable, GError **error)
{
  Write self = { backend, chunk_rows, job, cancellable, 0, FALSE };

  return acc_write_check (arrays, n_arrays, sinks, n_sinks, error) && write_and_blame (&self, arrays, sinks, n_arrays, error);
}

gboolean
acc_evaluate_write_rest (AccBackend *backend, AccArray *array, AccSink *sink, gint64 skip, AccJob *job, GCancellable *cancellable,
                         GError **error)
{
  Write self = { backend, 0, job, cancellable, skip, FALSE };

  return acc_array_check (array, error) && write_and_blame (&self, &array, &sink, 1, error);
}

gboolean
acc_evaluate_write_with_chunk_rows (AccBackend *backend, AccArray *array, AccSink *sink, gint64 chunk_rows,
                                    AccJob *job, GCancellable *cancellable, GError **error)
{
  return acc_evaluate_write_many (backend, &array, 1, &sink, 1, chunk_rows, job, cancellable, error);
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

  return acc_evaluate_write_many (self, &array, 1, &sink, 1, 0, NULL, cancellable, error);
}

/**
 * acc_backend_write_many:
 * @self: a backend
 * @arrays: (array length=n_arrays): the arrays to compute
 * @n_arrays: number of @arrays
 * @sinks: (array length=n_sinks): the sink of each array
 * @n_sinks: number of @sinks, the same
 * @cancellable: (nullable): cancels the run
 * @error: return location for an error
 *
 * Computes several arrays and writes each to its own sink, in one walk over their sources where these and the memory limit allow it.
 *
 * Shared work is done once. What has to be stored first, as [method@Acc.Backend.run] tells, is stored for all arrays together. Where
 * the memory limit is too low for one walk, there is one for each array; [method@Acc.Backend.plan_many] tells. One array may go to
 * several sinks.
 *
 * All or nothing: outputs appear under their names when all of them are complete. After an error nothing is left behind, and the
 * message names the sink where it comes from one.
 *
 * Fails as acc_backend_write() does, with %ACC_ERROR_SHAPE where there are more arrays or more sinks, and with %ACC_ERROR_STREAM where
 * one sink is given twice, or two sinks are of one file or stream: before anything is read or written.
 *
 * Returns: %TRUE if everything was written, %FALSE with @error set
 */
gboolean
acc_backend_write_many (AccBackend *self, AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks, GCancellable *cancellable,
                        GError **error)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), FALSE);
  g_return_val_if_fail ((arrays != NULL || n_arrays == 0) && (sinks != NULL || n_sinks == 0), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return acc_evaluate_write_many (self, arrays, n_arrays, sinks, n_sinks, 0, NULL, cancellable, error);
}
