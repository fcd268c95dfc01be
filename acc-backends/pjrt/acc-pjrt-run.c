/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-pjrt-run.h"

#include "acc-backends/codegen/stablehlo/acc-hlo-schedule.h"
#include "acc-backends/runtime/run/acc-launch.h"

/* A schedule's module with its code. */
typedef struct {
  AccHloModule      *module;
  AccPjrtExecutable *executable;
} Code;

static void
code_free (gpointer data)
{
  Code *self = data;

  g_clear_pointer (&self->executable, acc_pjrt_executable_unref);
  acc_hlo_module_free (self->module);
  g_free (self);
}

static AccSchedule *
plan (AccHost          *host,
      const AccTarget  *target,
      AccArray        **results,
      guint             n_results,
      AccArray        **bound,
      AccArray        **values,
      guint             n_bound,
      GError          **error)
{
  AccPjrtClient *client = ((const AccPjrtPlanner *) host->planner)->client;
  const AccHloOptions options = { .fast_math = target->fast_math, .keeps_order = client->is_host };
  AccTarget composed = *target;
  g_autoptr(AccFusionGraph) graph = NULL;
  g_autoptr(AccSchedule) schedule = NULL;
  AccHloModule *module;
  Code *code;

  /* Operations in place of compositions have no form there. */
  composed.by_rows = TRUE;
  graph = acc_fusion_graph_new (&composed, results, n_results, bound, values, n_bound, error);
  if (graph == NULL)
    return NULL;
  schedule = acc_hlo_schedule_new (graph, results, n_results, bound, n_bound, &options, &module, error);
  if (schedule == NULL || module == NULL)
    return g_steal_pointer (&schedule);

  if (acc_debug_get_flags () & ACC_DEBUG_KERNELS)
    g_printerr ("%s", module->text);

  code = g_new0 (Code, 1);
  code->module = module;
  schedule->module = code;
  schedule->free_module = code_free;
  if (schedule->n_steps > 0)
    {
      code->executable = acc_pjrt_client_compile (client, module->text, schedule->steps[0].name, error);
      if (code->executable == NULL)
        return NULL;
    }

  return g_steal_pointer (&schedule);
}

/* --- runs */

typedef struct {
  AccRun       *run;
  const Code   *code;
  guint         n_arguments, n_results;
  PjrtBuffer  **arguments;      /* zero first */
  PjrtBuffer  **transients;     /* per argument */
  PjrtBuffer  **results;        /* the failure and its index first */
} Call;

static AccPjrtClient *
get_client (AccRun *run)
{
  return ((const AccPjrtPlanner *) run->host->planner)->client;
}

static const AccHloVector *
get_vector (GArray *vectors,
            guint   n)
{
  return &g_array_index (vectors, AccHloVector, n);
}

static guint
get_buffer (AccRun             *run,
            const AccHloVector *vector)
{
  return run->prepared->values[vector->value].first_buffer + vector->buffer;
}

static guint64
count_bytes (const AccHloVector *vector)
{
  return (guint64) vector->n * acc_element_kind_get_size (vector->kind);
}

static gboolean
gather_arguments (Call    *self,
                  GError **error)
{
  AccPjrtClient *client = get_client (self->run);

  self->arguments[0] = client->zero;
  for (guint i = 0; i < self->n_arguments; i++)
    {
      const AccHloVector *vector = get_vector (self->code->module->arguments, i);
      const char *what = self->run->prepared->values[vector->value].name;

      self->arguments[1 + i] = acc_pjrt_client_upload (client, self->run->buffers[get_buffer (self->run, vector)], vector->kind, vector->n,
                                                       what, &self->transients[i], error);
      if (self->arguments[1 + i] == NULL)
        return FALSE;
    }

  return TRUE;
}

static gboolean
execute (Call        *self,
         const char  *what,
         GError     **error)
{
  AccPjrtClient *client = get_client (self->run);
  PjrtExecuteOptions options = ACC_PJRT_ARGS (PjrtExecuteOptions);
  PjrtBuffer *const *arguments[1] = { self->arguments };
  PjrtBuffer **results[1] = { self->results };
  PjrtEvent *events[1] = { NULL };
  PjrtExecuteArgs args = ACC_PJRT_ARGS (PjrtExecuteArgs, .loaded = self->code->executable->loaded, .options = &options,
                                        .arguments = arguments, .n_devices = 1, .n_arguments = 1 + self->n_arguments,
                                        .results = results, .events = events);

  return acc_pjrt_call (client->api, PJRT_LOADED_EXECUTE, &args, what, error) && acc_pjrt_await (client->api, events[0], what, error);
}

/* Whether a check failed. */
static gboolean
look_at_failure (Call        *self,
                 const char  *what,
                 GError     **error)
{
  AccPjrtClient *client = get_client (self->run);
  GArray *checks = self->code->module->checks;
  AccFailure failure = { .state = 2 };
  gint32 number = 0;

  if (checks->len == 0)
    return TRUE;
  if (!acc_pjrt_client_download (client, self->results[0], &number, sizeof number, what, error))
    return FALSE;
  if (number == 0)
    return TRUE;
  if (!acc_pjrt_client_download (client, self->results[1], &failure.index, sizeof failure.index, what, error))
    return FALSE;

  failure.origin = (guint32) number - 1;
  failure.kind = g_array_index (checks, AccHloCheck, failure.origin).kind;
  failure.extent = g_array_index (checks, AccHloCheck, failure.origin).extent;
  acc_failure_to_error (&failure, self->run->prepared, 0, error);

  return FALSE;
}

static void
give_results (Call *self)
{
  AccPjrtClient *client = get_client (self->run);

  for (guint i = 0; i < self->n_results; i++)
    {
      const AccHloVector *vector = get_vector (self->code->module->results, i);

      self->run->buffers[get_buffer (self->run, vector)] =
        acc_pjrt_client_adopt (client, self->results[2 + i], vector->kind, vector->n, self->run->prepared->values[vector->value].name);
      self->results[2 + i] = NULL;
    }
}

/* What was reserved for the first @n results. */
static void
release (Call  *self,
         guint  n)
{
  for (guint i = 0; i < n; i++)
    {
      const AccHloVector *vector = get_vector (self->code->module->results, i);

      acc_budget_release (get_client (self->run)->budget, count_bytes (vector), self->run->prepared->values[vector->value].name);
    }
}

/* Bytes of all that the module computes, vector by vector, or none. */
static gboolean
reserve (Call    *self,
         GError **error)
{
  for (guint i = 0; i < self->n_results; i++)
    {
      const AccHloVector *vector = get_vector (self->code->module->results, i);

      if (!acc_budget_reserve (get_client (self->run)->budget, count_bytes (vector), self->run->prepared->values[vector->value].name,
                               error))
        {
          release (self, i);
          return FALSE;
        }
    }

  return TRUE;
}

static gboolean
run_step (AccRun  *run,
          guint    number,
          GError **error)
{
  AccPjrtClient *client = get_client (run);
  const Code *code = run->prepared->schedule->module;
  const char *what = run->prepared->schedule->steps[number].name;
  guint n_arguments = code->module->arguments->len, n_results = code->module->results->len;
  g_autofree PjrtBuffer **memory = g_new0 (PjrtBuffer *, 2 * n_arguments + n_results + 3);
  Call call = { run, code, n_arguments, n_results, memory, memory + 1 + n_arguments, memory + 1 + 2 * n_arguments };
  guint64 temporary = code->executable->temporary_bytes;
  gboolean ok = FALSE;

  if (g_cancellable_set_error_if_cancelled (run->cancellable, error) || !acc_budget_reserve (client->budget, temporary, what, error))
    return FALSE;
  if (reserve (&call, error))
    {
      ok = gather_arguments (&call, error) && execute (&call, what, error) && look_at_failure (&call, what, error);
      if (ok)
        give_results (&call);
      else
        release (&call, n_results);
    }
  acc_budget_release (client->budget, temporary, what);
  for (guint i = 0; i < n_arguments; i++)
    if (call.transients[i] != NULL)
      acc_pjrt_buffer_free (client, call.transients[i]);
  for (guint i = 0; i < n_results + 2; i++)
    if (call.results[i] != NULL)
      acc_pjrt_buffer_free (client, call.results[i]);

  return ok && !g_cancellable_set_error_if_cancelled (run->cancellable, error);
}

static void
clear (AccRun *run)
{
}

static const AccRunClass run_class = { .run_step = run_step, .clear = clear };

static AccRun *
new_run (AccHost      *host,
         AccPrepared  *prepared,
         GCancellable *cancellable)
{
  return acc_run_construct (&run_class, sizeof (AccRun), 0, host, prepared, cancellable);
}

void
acc_pjrt_planner_init (AccPjrtPlanner *self,
                       AccPjrtClient  *client)
{
  self->base.plan = plan;
  self->base.new_run = new_run;
  self->client = client;
}
