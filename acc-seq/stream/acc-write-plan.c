/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-evaluate-private.h"
#include "acc-write-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/array/acc-array-values-private.h"
#include "acc-core/backend/acc-deferred-private.h"
#include "acc-evaluate.h"
#include "acc-stages-private.h"
#include "acc-store-private.h"
#include "acc-error.h"

/* Plans of what is written, without reading or computing anything. */

typedef struct {
  AccBackend *backend;
  gint64      chunk_rows;
  gboolean    by_most, went_on;      /* as AccStagesPlan has them */
  gboolean    from_memory;           /* what is in memory comes by rows */
  GHashTable *counted;
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
         ? acc_session_plan_whole (session, first->array, self->chunk_rows, in_memory, why) : NULL;
}

static AccPlan *plan_apart (Planning *self, GPtrArray *outputs, GPtrArray *arrays, const char *why, GError **error);

/* Of such results no element is computed. */
static gboolean
shows_memory (AccArray *array)
{
  while (acc_operation_get_family (array->op) == ACC_FAMILY_VIEW)
    array = array->inputs[0];

  return acc_array_is_manifest (array);
}

/* What does not go by rows. */
static AccPlan *
plan_whole (Planning *self, AccSession *session, GPtrArray *outputs, GPtrArray *arrays, GError **obstacle, GError **error)
{
  static const char why[] = "computed whole: it cannot run chunk by chunk";

  if (acc_write_goes_apart (self->backend, arrays))
    return plan_apart (self, outputs, arrays, why, error);
  if (shows_memory (g_ptr_array_index (arrays, 0)))
    return plan_computed (self, outputs, TRUE, "in memory already", error);

  return acc_session_lacks_room (session, (AccArray **) arrays->pdata, arrays->len, obstacle)
         ? NULL : plan_computed (self, outputs, FALSE, why, error);
}

/* Of one stage, whose rows are written as they come. */
static AccPlan *
plan_rows (Planning *self, GPtrArray *outputs, GPtrArray *arrays, GError **obstacle, GError **error)
{
  g_autoptr(AccSession) session = acc_session_new (self->backend, outputs);
  GError *local = NULL;

  session->by_rows = self->chunk_rows > 0;
  if (acc_session_begin_outputs (&session, arrays, NULL, &local) && session->run == NULL)
    return plan_whole (self, session, outputs, arrays, obstacle, error);
  if (local != NULL)
    {
      acc_stages_set_obstacle (local, obstacle, error);
      return NULL;
    }

  return acc_session_plan_outputs (session, self->chunk_rows, obstacle) ? g_steal_pointer (&session->plan) : NULL;
}

static AccPlan *plan_outputs (Planning *self, GPtrArray *outputs, GError **error);

static AccPlan *
plan_each (Planning *self, GPtrArray *outputs, GPtrArray *arrays, const char *why, GError **error)
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
          first->apart = g_strdup (why);
          first->others = g_ptr_array_new_with_free_func (g_object_unref);
        }
      else
        {
          g_ptr_array_add (first->others, g_steal_pointer (&plan));
        }
    }

  return g_steal_pointer (&first);
}

/* A walk for each array. What one has in memory, or holds, is there while others are computed. */
static AccPlan *
plan_apart (Planning *self, GPtrArray *outputs, GPtrArray *arrays, const char *why, GError **error)
{
  g_autoptr(GPtrArray) counted = g_ptr_array_new ();
  guint64 held = 0;
  AccPlan *plan;

  acc_external_hold (self->backend, &held,
                     acc_stages_count_memory (self->counted, counted, (AccArray **) arrays->pdata, arrays->len));
  plan = plan_each (self, outputs, arrays, why, error);
  acc_external_hold (self->backend, &held, 0);
  acc_stages_uncount_memory (self->counted, counted);

  return plan;
}

/* --- stages */

static gboolean check_stage (gpointer data, AccArray **arrays, guint n_arrays, gboolean in_memory, GError **error);

/* Nobody reads the text of what stages of stages do. */
static AccStagesPlan
new_stages (Planning *self)
{
  return (AccStagesPlan) { .backend = self->backend, .text = g_string_new (NULL), .by_most = self->by_most, .counted = self->counted,
                           .check = check_stage, .data = self };
}

/* Whether there is room for one walk that leaves what @arrays depend on sources for in memory. */
static gboolean
check_results (Planning *self, GPtrArray *arrays, GError **obstacle, GError **error)
{
  g_autoptr(AccSession) session = acc_session_new (self->backend, NULL);
  GError *local = NULL;

  session->by_rows = self->chunk_rows > 0;
  if (!acc_session_reads_sources (arrays)
      || (acc_session_begin_rows (session, (AccArray **) arrays->pdata, arrays->len, NULL, &local)
          && acc_session_plan_results (session, arrays->len, self->chunk_rows, &local)))
    return TRUE;

  return acc_stages_set_obstacle (local, obstacle, error);
}

/* In the order in which acc_evaluate_with_chunk_rows() tries what it does. */
static gboolean
check_evaluation (Planning *self, AccStagesPlan *stages, AccArray **arrays, guint n_arrays, GError **error)
{
  g_autoptr(GPtrArray) wanted = g_ptr_array_new_with_free_func (g_object_unref);
  AccStagesMode mode = ACC_STAGES_FLOW;
  guint tried = 1 << ACC_STAGES_FLOW;

  for (guint i = 0; i < n_arrays; i++)
    g_ptr_array_add (wanted, g_object_ref (arrays[i]));
  for (;;)
    {
      g_autoptr(GPtrArray) after = NULL, counted = g_ptr_array_new ();
      g_autoptr(GError) obstacle = NULL;
      guint64 held = 0;
      gboolean done;

      if (!acc_stages_plan (stages, (AccArray **) wanted->pdata, wanted->len, mode, &after, error))
        return FALSE;
      if (after == NULL)
        return TRUE;
      g_ptr_array_unref (wanted);
      wanted = g_steal_pointer (&after);
      acc_external_hold (self->backend, &held,
                         acc_stages_count_memory (self->counted, counted, (AccArray **) wanted->pdata, wanted->len));
      done = check_results (self, wanted, &obstacle, error);
      acc_external_hold (self->backend, &held, 0);
      acc_stages_uncount_memory (self->counted, counted);
      if (done || obstacle == NULL)
        return done;
      if (acc_stages_find_next (self->backend, (AccArray **) wanted->pdata, wanted->len, &tried, obstacle, &mode)
          || acc_stages_plan_room (stages, (AccArray **) wanted->pdata, wanted->len, obstacle))
        continue;
      g_propagate_error (error, g_steal_pointer (&obstacle));
      return FALSE;
    }
}

/* @stored: nullable; a file of holes in place of the array. */
static gboolean
check_store (Planning *self, AccArray *array, AccArray **stored, GError **error)
{
  gint64 size = array->shape != NULL ? acc_shape_get_size (array->shape) : 0;
  g_autoptr(AccStore) store = acc_store_new_growing (self->backend, array->type, size, "a plan", error);
  g_autoptr(AccSink) sink = store != NULL ? acc_store_new_sink (store) : NULL;
  g_autoptr(GPtrArray) outputs = sink != NULL ? acc_outputs_new (&array, &sink, 1) : NULL;
  g_autoptr(AccPlan) plan = outputs != NULL ? plan_outputs (self, outputs, error) : NULL;
  g_autoptr(AccArray) vector = NULL;

  if (plan == NULL || stored == NULL)
    return plan != NULL;
  vector = acc_store_dup_array (store, error);
  *stored = vector != NULL ? acc_array_see_as (vector, array->shape) : NULL;

  return vector != NULL;
}

static gboolean
check_stage (gpointer data, AccArray **arrays, guint n_arrays, gboolean in_memory, GError **error)
{
  Planning *self = data;
  AccStagesPlan stages;
  gboolean fits;

  if (!in_memory)
    return check_store (self, arrays[0], NULL, error);

  stages = new_stages (self);
  fits = check_evaluation (self, &stages, arrays, n_arrays, error);
  self->went_on |= stages.went_on;
  g_string_free (stages.text, TRUE);

  return fits;
}

/* Of the walk that has what stores in memory leave. */
static AccPlan *
plan_last (Planning *self, GPtrArray *outputs, GPtrArray *arrays, AccStagesPlan *stages, GError **obstacle, GError **error)
{
  g_autoptr(GPtrArray) counted = g_ptr_array_new ();
  guint64 held = 0;
  AccPlan *plan;

  stages->traffic.memory = acc_stages_count_memory (self->counted, counted, (AccArray **) arrays->pdata, arrays->len);
  acc_external_hold (self->backend, &held, stages->traffic.memory);
  plan = plan_rows (self, outputs, arrays, obstacle, error);
  acc_external_hold (self->backend, &held, 0);
  acc_stages_uncount_memory (self->counted, counted);

  return plan;
}

/* Of the only array. */
static void
tell_narrow (GPtrArray *outputs, AccStagesPlan *stages)
{
  guint64 bytes = acc_external_get_bytes (((AccOutput *) g_ptr_array_index (outputs, 0))->array);

  if (acc_outputs_take_elements (outputs))
    {
      g_string_append (stages->text, "wide     a row does not fit: rows are written element by element\n");
      return;
    }
  g_string_append (stages->text,
                   "wide     a row does not fit: elements are stored in a temporary file, from which whole rows are written\n");
  stages->traffic.written = acc_bytes_add (stages->traffic.written, bytes);
  stages->traffic.read = acc_bytes_add (stages->traffic.read, bytes);
}

/* The only array of @outputs, element by element: to the sink, or to a store. @reads: which come from sources then. */
static gboolean
plan_narrow (Planning *self, GPtrArray *outputs, AccStagesPlan *stages, gboolean *reads, GError **error)
{
  g_autoptr(GPtrArray) stored = g_ptr_array_new_with_free_func (g_object_unref);
  AccArray *rows;

  tell_narrow (outputs, stages);
  if (acc_outputs_take_elements (outputs))
    {
      *reads = acc_outputs_narrow (outputs, self->backend);
      return TRUE;
    }
  if (!check_store (self, ((AccOutput *) g_ptr_array_index (outputs, 0))->array, &rows, error))
    return FALSE;
  g_ptr_array_add (stored, rows);
  acc_outputs_replace (outputs, stored);

  return TRUE;
}

/* In the order in which write_outputs() tries what it does. */
static AccPlan *
plan_staged (Planning *self, GPtrArray *outputs, AccStagesPlan *stages, GError **error)
{
  AccStagesMode mode = ACC_STAGES_FLOW;
  guint tried = 1 << ACC_STAGES_FLOW;
  gboolean is_narrow = FALSE;

  for (;;)
    {
      g_autoptr(GPtrArray) arrays = acc_outputs_list (outputs), after = NULL;
      g_autoptr(GError) obstacle = NULL;
      gboolean reads;
      AccPlan *plan;

      if (!is_narrow)
        {
          if (!acc_stages_plan (stages, (AccArray **) arrays->pdata, arrays->len, mode, &after, error))
            return NULL;
          if (after == NULL)
            {
              g_string_append (stages->text, "unknown  what comes then depends on what is stored: it may need more memory\n");
              return plan_computed (self, outputs, FALSE, "computed from what stages before it store", error);
            }
          acc_outputs_replace (outputs, after);
          g_ptr_array_unref (arrays);
          arrays = acc_outputs_list (outputs);
        }

      if (arrays->len == 1 && acc_array_is_manifest (g_ptr_array_index (arrays, 0)))
        return plan_computed (self, outputs, TRUE, "in memory already", error);
      plan = plan_last (self, outputs, arrays, stages, &obstacle, error);
      if (plan != NULL || obstacle == NULL)
        return plan;

      reads = acc_session_reads_sources (arrays);
      if ((reads && !is_narrow
           && acc_stages_find_next (self->backend, (AccArray **) arrays->pdata, arrays->len, &tried, obstacle, &mode))
          || acc_stages_plan_room (stages, (AccArray **) arrays->pdata, arrays->len, obstacle))
        continue;
      if (!reads && !self->from_memory && acc_write_read_memory (self->backend, outputs))
        {
          g_string_append_printf (stages->text, "rows     what is in memory comes by rows: %s\n", obstacle->message);
          self->from_memory = TRUE;
          plan = plan_staged (self, outputs, stages, error);
          self->from_memory = FALSE;
          return plan;
        }
      if (arrays->len > 1)
        return plan_apart (self, outputs, arrays, obstacle->message, error);
      if (is_narrow || !g_error_matches (obstacle, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) || !acc_outputs_can_narrow (outputs))
        {
          g_propagate_error (error, g_steal_pointer (&obstacle));
          return NULL;
        }
      /* Element by element, once all sources are stored. */
      is_narrow = mode == ACC_STAGES_SOURCES || !reads;
      mode = ACC_STAGES_SOURCES;
      if (is_narrow)
        {
          reads = FALSE;
          if (!plan_narrow (self, outputs, stages, &reads, error))
            return NULL;
          if (reads)
            {
              is_narrow = FALSE;
              mode = ACC_STAGES_FLOW;
              tried = 1 << ACC_STAGES_FLOW;
            }
        }
    }
}

/* What is read and written for @outputs; for what is computed apart, by the stages before that. */
static void
tell_traffic (AccPlanTraffic *self, GPtrArray *outputs, AccPlan *plan)
{
  if (plan->others != NULL)
    {
      plan->read = acc_bytes_add (plan->read, self->read);
      plan->written = acc_bytes_add (plan->written, self->written);
      plan->compute_seconds += self->seconds;
      plan->at_most |= self->at_most;
      return;
    }
  plan->read = acc_bytes_add (self->read, self->last);
  plan->written = self->written;
  plan->compute_seconds = self->seconds;
  for (guint i = 0; i < outputs->len; i++)
    plan->written = acc_bytes_add (plan->written, acc_plan_traffic_measure (self, ((AccOutput *) g_ptr_array_index (outputs, i))->array));
  plan->at_most = self->at_most;
}

static AccPlan *
plan_outputs (Planning *self, GPtrArray *outputs, GError **error)
{
  AccStagesPlan stages = new_stages (self);
  AccPlan *plan = plan_staged (self, outputs, &stages, error);

  self->went_on |= stages.went_on;
  if (plan != NULL && stages.text->len > 0)
    {
      g_autofree char *more = plan->stages;

      plan->stages = g_strconcat (stages.text->str, more, NULL);
      /* Of the host, where a device has a limit of its own. */
      if (!acc_backend_is_apart (self->backend))
        plan->bytes = acc_bytes_add (plan->bytes, stages.traffic.memory);
    }
  if (plan != NULL)
    tell_traffic (&stages.traffic, outputs, plan);
  g_string_free (stages.text, TRUE);

  return plan;
}

static void
add_line (AccPlan *self, const char *line)
{
  g_autofree char *stages = self->stages;

  self->stages = g_strconcat (stages != NULL ? stages : "", line, NULL);
}

typedef struct {
  Planning  *planning;
  AccArray **arrays;
  AccSink  **sinks;
  guint      n;
  AccPlan   *plan;
} All;

static gboolean
plan_attempt (gpointer data, gboolean *is_final, GError **error)
{
  All *self = data;
  AccBackend *backend = self->planning->backend;
  g_autoptr(GPtrArray) outputs = acc_outputs_new (self->arrays, self->sinks, self->n);
  gboolean grows = acc_outputs_let_grow (outputs, backend);

  self->plan = acc_outputs_hold (outputs, backend, error) ? plan_outputs (self->planning, outputs, error) : NULL;
  if (self->plan != NULL && grows)
    add_line (self->plan, "filter   what is kept goes straight to the sink, and nothing is stored; how much it is is known at the end\n");

  return self->plan != NULL;
}

static AccPlan *
plan_once (Planning *self, AccArray **arrays, AccSink **sinks, guint n, GError **error)
{
  All all = { self, arrays, sinks, n, NULL };

  return acc_external_attempt (self->backend, arrays, n, plan_attempt, &all, error) ? all.plan : NULL;
}

/* As if filters kept all; where that has no room, as far as it is known, and with a line that says so. */
static AccPlan *
plan_many (AccBackend *backend, AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks, gint64 chunk_rows, GError **error)
{
  g_autoptr(GHashTable) counted = g_hash_table_new (NULL, NULL);
  Planning self = { .backend = backend, .chunk_rows = chunk_rows, .by_most = TRUE, .counted = counted };
  g_autofree char *before = NULL, *line = NULL;
  g_autoptr(GError) local = NULL;
  AccPlan *plan;

  if (!acc_write_check (arrays, n_arrays, sinks, n_sinks, error))
    return NULL;

  before = acc_deferred_describe (backend, arrays, n_arrays, chunk_rows);
  if (before != NULL)
    {
      g_autoptr(GPtrArray) outputs = acc_outputs_new (arrays, sinks, n_arrays);

      return plan_computed (&self, outputs, FALSE, before, error);
    }

  plan = plan_once (&self, arrays, sinks, n_arrays, &local);
  if (plan != NULL)
    return plan;
  if (!self.went_on || !g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return NULL;
    }

  self.by_most = FALSE;
  plan = plan_once (&self, arrays, sinks, n_arrays, error);
  line = g_strdup_printf ("refused  if all is kept of what is filtered: %s\n", local->message);
  if (plan != NULL)
    add_line (plan, line);

  return plan;
}

gboolean
acc_evaluate_check_stages (AccBackend *backend, AccArray **arrays, guint n_arrays, GError **error)
{
  g_autoptr(GHashTable) counted = g_hash_table_new (NULL, NULL);
  Planning self = { .backend = backend, .by_most = TRUE, .counted = counted };
  gboolean fits = FALSE, again = TRUE;

  while (again)
    {
      AccStagesPlan stages = new_stages (&self);
      g_autoptr(GError) local = NULL;

      fits = check_evaluation (&self, &stages, arrays, n_arrays, &local) || !g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      g_string_free (stages.text, TRUE);
      /* What filters keep may be less. */
      again = !fits && self.by_most && stages.went_on;
      self.by_most = FALSE;
      if (!fits && !again)
        g_propagate_error (error, g_steal_pointer (&local));
    }

  return fits;
}

gboolean
acc_evaluate_check_bands (AccBackend *backend, AccArray **arrays, guint n_arrays, GError **error)
{
  g_autoptr(AccSession) session = acc_session_new (backend, NULL);
  g_autoptr(GError) local = NULL;

  if ((acc_session_begin_rows (session, arrays, n_arrays, NULL, &local) && acc_session_plan_results (session, n_arrays, 0, &local))
      || !g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));

  return FALSE;
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
 * another way than row by row; its own bytes are those of stores in memory and of the last walk. What filters keep is taken for
 * all; where that has no room, the plan says so, and ends there. What depends on a condition, or on extents that are computed, is not
 * planned before those are known: its bytes are those of the whole result, and the plan says that it is not known. Of sequences the plan
 * tells how they will be walked. Arrays in memory that a device has no room for are planned as sources are.
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
