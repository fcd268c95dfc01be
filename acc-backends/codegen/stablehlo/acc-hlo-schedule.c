/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-schedule.h"

#include "acc-backends/acc-compile.h"

static void
number_vectors (AccFusion *self,
                GArray    *vectors)
{
  for (guint i = 0; i < vectors->len; i++)
    {
      AccHloVector *vector = &g_array_index (vectors, AccHloVector, i);

      vector->value = acc_fusion_get_value (self, acc_fusion_graph_get (self->graph, vector->array));
    }
}

static guint *
list_values (GArray *vectors,
             guint  *n)
{
  guint *values = g_new (guint, vectors->len + 1);

  *n = 0;
  for (guint i = 0; i < vectors->len; i++)
    if (g_array_index (vectors, AccHloVector, i).buffer == 0)
      values[(*n)++] = g_array_index (vectors, AccHloVector, i).value;

  return values;
}

static void
add_step (AccFusion    *self,
          AccHloModule *module)
{
  AccScheduleStep step = { .array = g_array_index (module->results, AccHloVector, 0).array, .n_rows = 1 };

  step.name = acc_array_describe (step.array);
  step.reads = list_values (module->arguments, &step.n_reads);
  step.writes = list_values (module->results, &step.n_writes);
  g_array_append_val (self->steps, step);
}

AccSchedule *
acc_hlo_schedule_new (AccFusionGraph       *graph,
                      AccArray            **results,
                      guint                 n_results,
                      AccArray            **bound,
                      guint                 n_bound,
                      const AccHloOptions  *options,
                      AccHloModule        **module,
                      GError              **error)
{
  g_autoptr(GPtrArray) computed = g_ptr_array_new (), value_nodes = NULL;
  g_autofree AccFusionNode **bases = g_new0 (AccFusionNode *, MAX (n_results, 1));
  AccFusion self = { .graph = graph };
  AccSchedule *schedule;

  for (guint i = 0; i < n_results; i++)
    {
      bases[i] = acc_fusion_graph_strip (graph, acc_fusion_graph_get (graph, results[i]));
      if (!acc_fusion_node_is_given (bases[i]) && !g_ptr_array_find (computed, bases[i]->array, NULL))
        g_ptr_array_add (computed, bases[i]->array);
    }
  *module = NULL;
  if (computed->len > 0)
    *module = acc_hlo_module_new (graph, (AccArray **) computed->pdata, computed->len, options, error);
  if (computed->len > 0 && *module == NULL)
    return NULL;

  self.values = g_array_new (FALSE, TRUE, sizeof (AccScheduleValue));
  self.value_nodes = value_nodes = g_ptr_array_new ();
  self.steps = g_array_new (FALSE, TRUE, sizeof (AccScheduleStep));
  self.origins = g_ptr_array_new ();
  if (*module != NULL)
    {
      number_vectors (&self, (*module)->arguments);
      number_vectors (&self, (*module)->results);
      for (guint i = 0; i < (*module)->checks->len; i++)
        g_ptr_array_add (self.origins, g_array_index ((*module)->checks, AccHloCheck, i).origin);
      /* Elements of no scalars have no vectors, and need no step. */
      if ((*module)->results->len > 0)
        add_step (&self, *module);
    }

  schedule = acc_compile_finish (&self, bases, results, n_results, bound, n_bound);
  schedule->module = *module;
  schedule->free_module = (GDestroyNotify) acc_hlo_module_free;

  return schedule;
}
