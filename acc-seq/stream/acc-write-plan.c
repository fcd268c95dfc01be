/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-write-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-deferred-private.h"
#include "acc-evaluate.h"
#include "acc-stages-private.h"
#include "acc-error.h"

/* Plans of what is written, without reading or computing anything. */

typedef struct {
  AccBackend *backend;
  gint64      chunk_rows;
} Planning;

/* Of results that are computed whole: the first of them. */
static AccPlan *
plan_computed (Planning *self, GPtrArray *outputs, gboolean in_memory, const char *why, GError **error)
{
  g_autoptr(AccSession) session = acc_session_new (self->backend, outputs);
  AccOutput *first = g_ptr_array_index (outputs, 0);

  for (guint i = 0; i < outputs->len; i++)
    {
      AccOutput *output = g_ptr_array_index (outputs, i);

      acc_output_set_layout (output, output->array->type, output->array->shape);
    }

  return acc_session_hold_resident (session, error)
         ? acc_write_plan_whole (session, first->array, self->chunk_rows, in_memory, why) : NULL;
}

/* Of one stage, whose rows are written as they come. */
static AccPlan *
plan_rows (Planning *self, GPtrArray *outputs, GPtrArray *arrays, GError **obstacle, GError **error)
{
  g_autoptr(AccSession) session = acc_session_new (self->backend, outputs);
  GError *local = NULL;

  if (acc_write_begin_rows (&session, arrays, NULL, &local) && session->run == NULL)
    return plan_computed (self, outputs, FALSE, "computed whole: it cannot run chunk by chunk", error);
  if (local != NULL)
    {
      acc_stages_set_obstacle (local, obstacle, error);
      return NULL;
    }

  return acc_write_plan_rows (session, self->chunk_rows, obstacle, error) ? g_steal_pointer (&session->plan) : NULL;
}

/* Whether there is room for the walk that computes reductions before what reads them together with rows. */
static gboolean
check_reductions (Planning *self, GPtrArray *arrays, GError **error)
{
  g_autofree char *why = NULL;
  g_autoptr(GPtrArray) reductions = acc_stages_list_reductions (self->backend, (AccArray **) arrays->pdata, arrays->len, &why);
  AccArray **wanted = (AccArray **) reductions->pdata;
  g_autoptr(AccSession) session = acc_session_new (self->backend, NULL);
  g_autoptr(GError) local = NULL;
  guint tried = 1 << ACC_STAGES_FLOW;
  AccStagesMode mode;

  if (reductions->len == 0
      || (acc_session_begin_rows (session, wanted, reductions->len, NULL, &local)
          && acc_session_plan_results (session, reductions->len, self->chunk_rows, &local)))
    return TRUE;
  /* By other stages. */
  if (acc_stages_find_next (self->backend, wanted, reductions->len, &tried, local, &mode))
    return TRUE;

  g_propagate_prefixed_error (error, g_steal_pointer (&local), "%s: ", why);

  return FALSE;
}

/* Of the walk that has what stores in memory, of @bytes, leave. */
static AccPlan *
plan_after (Planning *self, GPtrArray *outputs, GPtrArray *arrays, guint64 bytes, GError **obstacle, GError **error)
{
  guint64 held = 0;
  AccPlan *plan;

  acc_external_hold (self->backend, &held, bytes);
  plan = plan_rows (self, outputs, arrays, obstacle, error);
  acc_external_hold (self->backend, &held, 0);

  return plan;
}

/* Of results whose sources are stored; they are written element by element where not even one row fits then. */
static AccPlan *
plan_narrow (Planning *self, GPtrArray *outputs, GPtrArray *arrays, GError **error)
{
  guint64 bytes = 0;
  g_autofree char *stages = acc_stages_describe (self->backend, (AccArray **) arrays->pdata, arrays->len, ACC_STAGES_SOURCES, &bytes);
  gboolean has_stores;
  g_autoptr(GPtrArray) after = acc_stages_pretend (self->backend, (AccArray **) arrays->pdata, arrays->len, ACC_STAGES_SOURCES,
                                                   &has_stores);
  g_autoptr(GError) local = NULL;
  AccPlan *plan = after != NULL ? plan_after (self, outputs, after, bytes, &local, &local) : NULL;

  if (plan == NULL)
    plan = plan_computed (self, outputs, TRUE, "a row does not fit: rows are written element by element", error);
  if (plan != NULL)
    plan->stages = g_steal_pointer (&stages);
  if (plan != NULL)
    plan->bytes = acc_bytes_add (plan->bytes, bytes);

  return plan;
}

/* Of what comes after stages for @arrays, one for each that @outputs had, if it is written so. */
static AccPlan *
plan_too_wide (Planning *self, GPtrArray *outputs, GPtrArray *arrays, GError *obstacle, GError **error)
{
  for (guint i = 0; i < outputs->len; i++)
    {
      AccOutput *output = g_ptr_array_index (outputs, i);

      g_set_object (&output->array, g_ptr_array_index (arrays, output->result));
    }
  if (g_error_matches (obstacle, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) && acc_outputs_can_narrow (outputs))
    {
      g_error_free (obstacle);
      return plan_narrow (self, outputs, arrays, error);
    }
  g_propagate_error (error, obstacle);

  return NULL;
}

/* Of what comes after stages; NULL without an error where there are none. NULL with @obstacle: of several arrays, which may do better one
 * by one. @tried: modes that were, as bits. */
static AccPlan *
plan_staged (Planning *self, GPtrArray *outputs, GPtrArray *arrays, AccStagesMode mode, guint *tried, GError **obstacle, GError **error)
{
  guint64 bytes;
  gboolean has_stores = FALSE;
  g_autofree char *stages = acc_stages_describe (self->backend, (AccArray **) arrays->pdata, arrays->len, mode, &bytes);
  g_autoptr(GPtrArray) after = NULL;
  g_autoptr(GError) local = NULL;
  AccPlan *plan = NULL;

  if (stages == NULL || (mode == ACC_STAGES_REDUCTIONS && !check_reductions (self, arrays, error))
      || !acc_stages_check (self->backend, (AccArray **) arrays->pdata, arrays->len, mode, error))
    return NULL;

  after = acc_stages_pretend (self->backend, (AccArray **) arrays->pdata, arrays->len, mode, &has_stores);
  if (after != NULL)
    plan = plan_after (self, outputs, after, bytes, &local, has_stores ? &local : error);
  if (local != NULL && has_stores && arrays->len == 1)
    {
      g_clear_error (&local);
      g_clear_pointer (&after, g_ptr_array_unref);
    }
  if (local != NULL && arrays->len > 1)
    g_propagate_error (obstacle, g_steal_pointer (&local));
  else if (local != NULL && !acc_stages_find_next (self->backend, (AccArray **) after->pdata, after->len, tried, local, &mode))
    plan = plan_too_wide (self, outputs, after, g_steal_pointer (&local), error);
  else if (plan == NULL && (after == NULL || local != NULL))
    plan = plan_computed (self, outputs, FALSE, "computed from what stages before it store", error);

  if (plan != NULL)
    {
      g_autofree char *more = plan->stages;

      plan->stages = more != NULL ? g_strconcat (stages, more, NULL) : g_steal_pointer (&stages);
      plan->bytes = acc_bytes_add (plan->bytes, bytes);
    }

  return plan;
}

static AccPlan *plan_outputs (Planning *self, GPtrArray *outputs, GError **error);

/* A walk for each array. */
static AccPlan *
plan_apart (Planning *self, GPtrArray *outputs, GPtrArray *arrays, const GError *why, GError **error)
{
  g_autoptr(AccPlan) first = NULL;

  for (guint i = 0; i < arrays->len; i++)
    {
      g_autoptr(GPtrArray) own = g_ptr_array_new ();
      g_autoptr(AccPlan) plan = NULL;

      for (guint j = 0; j < outputs->len; j++)
        if (((AccOutput *) g_ptr_array_index (outputs, j))->array == g_ptr_array_index (arrays, i))
          g_ptr_array_add (own, g_ptr_array_index (outputs, j));

      plan = plan_outputs (self, own, error);
      if (plan == NULL)
        return NULL;
      if (first == NULL)
        {
          first = g_steal_pointer (&plan);
          first->apart = g_strdup (why->message);
          first->others = g_ptr_array_new_with_free_func (g_object_unref);
        }
      else
        {
          g_ptr_array_add (first->others, g_steal_pointer (&plan));
        }
    }

  return g_steal_pointer (&first);
}

static AccPlan *
plan_outputs (Planning *self, GPtrArray *outputs, GError **error)
{
  g_autoptr(GPtrArray) arrays = acc_outputs_list (outputs);
  guint tried = 1 << ACC_STAGES_FLOW;
  AccStagesMode mode = ACC_STAGES_FLOW;
  g_autoptr(GError) obstacle = NULL;
  GError *local = NULL;
  AccPlan *plan;

  if (arrays->len == 1 && acc_array_is_manifest (g_ptr_array_index (arrays, 0)))
    return plan_computed (self, outputs, TRUE, "in memory already", error);

  plan = plan_staged (self, outputs, arrays, mode, &tried, &obstacle, &local);
  if (plan == NULL && local == NULL && obstacle == NULL)
    plan = plan_rows (self, outputs, arrays, &obstacle, &local);
  if (obstacle != NULL && acc_stages_find_next (self->backend, (AccArray **) arrays->pdata, arrays->len, &tried, obstacle, &mode))
    {
      g_clear_error (&obstacle);
      plan = plan_staged (self, outputs, arrays, mode, &tried, &obstacle, &local);
    }
  if (obstacle != NULL && arrays->len > 1)
    return plan_apart (self, outputs, arrays, obstacle, error);
  if (g_error_matches (obstacle, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) && acc_outputs_can_narrow (outputs))
    return plan_narrow (self, outputs, arrays, error);
  if (obstacle != NULL)
    local = g_steal_pointer (&obstacle);

  if (plan == NULL)
    g_propagate_error (error, local);

  return plan;
}

static AccPlan *
plan_many (AccBackend *backend, AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks, gint64 chunk_rows, GError **error)
{
  Planning self = { backend, chunk_rows };
  g_autofree char *before = NULL, *stages = NULL;
  AccPlan *plan;
  g_autoptr(GPtrArray) outputs = NULL;

  if (!acc_write_check (arrays, n_arrays, n_sinks, error))
    return NULL;

  outputs = acc_outputs_new (arrays, sinks, n_arrays);
  before = acc_deferred_describe (backend, arrays, n_arrays, chunk_rows);
  if (before != NULL)
    return plan_computed (&self, outputs, FALSE, before, error);
  if (!acc_outputs_let_grow (outputs, backend))
    return plan_outputs (&self, outputs, error);

  plan = plan_outputs (&self, outputs, error);
  if (plan != NULL)
    {
      stages = plan->stages;
      plan->stages = g_strconcat (stages != NULL ? stages : "",
                                  "filter   what is kept goes straight to the sink, and nothing is stored; how much it is is known at the end\n", NULL);
    }

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
 * another way than row by row; its own bytes are those of stores in memory and of the last walk. What depends on a condition, or
 * on extents that are computed, is not planned before those are known: its bytes are those of the whole result. Of sequences the plan tells
 * how they will be walked.
 *
 * Fails as acc_backend_write() would before it reads the first row.
 *
 * Returns: (transfer full): the plan
 */
AccPlan *
acc_backend_plan (AccBackend *self, AccArray *array, AccSink *sink, gint64 chunk_rows, GError **error)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (array), NULL);
  g_return_val_if_fail (sink == NULL || ACC_IS_SINK (sink), NULL);
  g_return_val_if_fail (chunk_rows >= 0, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return plan_many (self, &array, 1, &sink, 1, chunk_rows, error);
}

/**
 * acc_backend_plan_many:
 * @self: a backend
 * @arrays: (array length=n_arrays): the arrays to compute, at least one
 * @n_arrays: number of @arrays
 * @sinks: (array length=n_sinks): the sink of each array
 * @n_sinks: number of @sinks, the same
 * @error: return location for an error
 *
 * Returns the plan of acc_backend_write_many(), without running it, as [method@Acc.Backend.plan] does for one array.
 *
 * Where one walk would need more memory than there is, so that each array gets a walk of its own, its text tells so, and which sources
 * are read again.
 *
 * Fails as acc_backend_write_many() would before it reads the first row.
 *
 * Returns: (transfer full): the plan
 */
AccPlan *
acc_backend_plan_many (AccBackend *self, AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks, GError **error)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (arrays != NULL && sinks != NULL && n_arrays > 0, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return plan_many (self, arrays, n_arrays, sinks, n_sinks, 0, error);
}
