/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-xla-run.h"

#include "acc-backends/codegen/stablehlo/acc-hlo-schedule.h"
#include "acc-backends/runtime/run/acc-launch.h"

/* A schedule's module with its code. */
typedef struct {
  AccHloModule *module;
  AccXlaCode   *code;       /* NULL: no step */
} Code;

static void
code_free (gpointer data)
{
  Code *self = data;

  g_clear_pointer (&self->code, acc_xla_code_unref);
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
      const gboolean   *spent,
      guint             n_bound,
      GError          **error)
{
  const AccXlaPlanner *planner = (const AccXlaPlanner *) host->planner;
  AccHloOptions options = { .fast_math = target->fast_math, .keeps_order = planner->engine->keeps_order,
                            .is_rough = planner->engine->is_rough, .stores_gathered = planner->engine->stores_gathered,
                            .is_shaped = planner->engine->is_shaped, .mixes_rows = planner->engine->mixes_rows };
  AccTarget whole = *target;
  g_autoptr(AccFusionGraph) graph = NULL;
  g_autoptr(AccSchedule) schedule = NULL;
  g_autoptr(GHashTable) changing = NULL;
  AccHloModule *module;
  Code *code;

  whole.for_modules = TRUE;
  whole.narrow_modules = planner->engine->is_narrow;
  if (planner->engine->klass->can_take != NULL && !(acc_disable_get_flags () & ACC_DISABLE_DONATION))
    options.spent = spent;
  graph = acc_fusion_graph_new (&whole, NULL, results, n_results, bound, values, n_bound, error);
  if (graph == NULL)
    return NULL;
  options.changing = changing = acc_xla_extents_find (graph);
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
      code->code = acc_xla_codes_get (planner->codes, module, schedule->steps[0].name, error);
      if (code->code == NULL)
        return NULL;
    }

  return g_steal_pointer (&schedule);
}

/* --- runs */

static AccXlaEngine *
get_engine (AccRun *run)
{
  return ((const AccXlaPlanner *) run->host->planner)->engine;
}

static AccBuffer **
get_place (AccRun             *run,
           const AccHloVector *vector)
{
  return &run->buffers[run->prepared->values[vector->value].first_buffer + vector->buffer];
}

static const char *
get_name (AccRun             *run,
          const AccHloVector *vector)
{
  return run->prepared->values[vector->value].name;
}

/* The first @n results, and what was reserved for them, which those that were made have. */
static void
take_back (AccXlaCall *self,
           guint       n)
{
  for (guint i = 0; i < n; i++)
    if (self->results[i] != NULL)
      g_clear_pointer (&self->results[i], acc_buffer_unref);
    else if (acc_xla_call_get_taken (self, i) == NULL)
      acc_budget_release (self->engine->budget, acc_xla_count_bytes (acc_xla_get_vector (self->module->results, i)), self->result_names[i]);
}

/* Bytes of all that the module computes, vector by vector, or none. */
static gboolean
reserve (AccXlaCall *self,
         GError    **error)
{
  for (guint i = 0; i < self->module->results->len; i++)
    {
      guint64 bytes = acc_xla_count_bytes (acc_xla_get_vector (self->module->results, i));

      if (acc_xla_call_get_taken (self, i) == NULL
          && !acc_budget_reserve (self->engine->budget, bytes, self->result_names[i], error))
        {
          take_back (self, i);
          return FALSE;
        }
    }

  return TRUE;
}

/* Whether a check failed. */
static gboolean
look_at_failure (AccXlaCall *self,
                 GError    **error)
{
  AccFailure failure = { .state = 2, .index = self->failed_index };
  const AccHloCheck *check;

  if (self->failure == 0)
    return TRUE;

  failure.origin = (guint32) self->failure - 1;
  check = &g_array_index (self->module->checks, AccHloCheck, failure.origin);
  failure.kind = check->kind;
  failure.extent = check->extent;
  acc_failure_to_error (&failure, self->run->prepared, 0, error);

  return FALSE;
}

static void
give_results (AccXlaCall *self)
{
  for (guint i = 0; i < self->module->results->len; i++)
    *get_place (self->run, acc_xla_get_vector (self->module->results, i)) = g_steal_pointer (&self->results[i]);
}

static gboolean
may_take (AccXlaCall         *self,
          const AccHloVector *argument)
{
  const AccXlaEngineClass *klass = self->engine->klass;

  return argument->alias >= 0 && klass->can_take != NULL && acc_run_may_take (self->run, argument->value)
         && klass->can_take (self->engine, *get_place (self->run, argument), argument);
}

static gboolean
run_step (AccRun  *run,
          guint    number,
          GError **error)
{
  AccXlaEngine *engine = get_engine (run);
  const Code *code = run->prepared->schedule->module;
  guint n_arguments = code->module->arguments->len, n_results = code->module->results->len;
  g_autofree gpointer *memory = g_new0 (gpointer, 2 * (n_arguments + n_results) + 1);
  AccXlaCall call = { engine, run, code->module, code->code->code, run->prepared->schedule->steps[number].name };
  guint64 temporary = engine->klass->count_temporary (code->code->code);
  g_autofree gboolean *taken = g_new0 (gboolean, n_arguments + 1);
  gboolean ok;

  call.taken = taken;
  call.arguments = (AccBuffer **) memory;
  call.argument_names = (const char **) memory + n_arguments;
  call.results = (AccBuffer **) memory + 2 * n_arguments;
  call.result_names = (const char **) memory + 2 * n_arguments + n_results;
  for (guint i = 0; i < n_arguments; i++)
    {
      call.arguments[i] = *get_place (run, acc_xla_get_vector (code->module->arguments, i));
      call.argument_names[i] = get_name (run, acc_xla_get_vector (code->module->arguments, i));
      taken[i] = may_take (&call, acc_xla_get_vector (code->module->arguments, i));
    }
  for (guint i = 0; i < n_results; i++)
    call.result_names[i] = get_name (run, acc_xla_get_vector (code->module->results, i));

  if (g_cancellable_set_error_if_cancelled (run->cancellable, error) || !acc_budget_reserve (engine->budget, temporary, call.what, error))
    return FALSE;
  ok = reserve (&call, error);
  if (ok)
    {
      ok = engine->klass->execute (&call, error) && look_at_failure (&call, error);
      if (ok)
        give_results (&call);
      else
        take_back (&call, n_results);
    }
  acc_budget_release (engine->budget, temporary, call.what);

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
acc_xla_planner_init (AccXlaPlanner *self,
                      AccXlaEngine  *engine)
{
  self->base.plan = plan;
  self->base.new_run = new_run;
  self->engine = engine;
  self->codes = acc_xla_codes_new (engine);
}

void
acc_xla_planner_clear (AccXlaPlanner *self)
{
  g_clear_pointer (&self->codes, acc_xla_codes_free);
}
