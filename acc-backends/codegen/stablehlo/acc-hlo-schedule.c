/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-schedule.h"

#include "acc-backends/fuse/acc-cluster.h"

typedef struct {
  AccFusionGraph *graph;
  GHashTable     *numbers;   /* AccFusionNode to its value + 1 */
  GArray         *values;    /* AccScheduleValue */
} Values;

static guint
get_value (Values        *self,
           AccFusionNode *node)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->numbers, node));
  AccScheduleValue value = { .array = node->array, .type = node->array->type, .rank = node->rank };

  if (number > 0)
    return number - 1;

  value.extents = g_memdup2 (node->extents, MAX (node->rank, 1) * sizeof (gint64));
  value.role = node->bound >= 0 ? ACC_VALUE_ARGUMENT : node->array->op == ACC_OP_USE ? ACC_VALUE_MANIFEST
               : node->array->op == ACC_OP_SOURCE ? ACC_VALUE_SOURCE : ACC_VALUE_COMPUTED;
  value.position = node->bound >= 0 ? (guint) node->bound : 0;
  value.stored = value.role == ACC_VALUE_COMPUTED ? ACC_STORED_RESULT : ACC_STORED_GIVEN;
  g_array_append_val (self->values, value);
  g_hash_table_insert (self->numbers, node, GUINT_TO_POINTER (self->values->len));

  return self->values->len - 1;
}

static void
number_vectors (Values *self,
                GArray *vectors)
{
  for (guint i = 0; i < vectors->len; i++)
    {
      AccHloVector *vector = &g_array_index (vectors, AccHloVector, i);

      vector->value = get_value (self, acc_fusion_graph_get (self->graph, vector->array));
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

static AccScheduleStep *
make_step (AccHloModule *module)
{
  AccScheduleStep *step = g_new0 (AccScheduleStep, 1);

  step->array = g_array_index (module->results, AccHloVector, 0).array;
  step->name = acc_array_describe (step->array);
  step->reads = list_values (module->arguments, &step->n_reads);
  step->writes = list_values (module->results, &step->n_writes);
  step->n_rows = 1;

  return step;
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
  g_autoptr(GHashTable) numbers = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) computed = g_ptr_array_new ();
  Values values = { graph, numbers, NULL };
  AccSchedule *self;

  for (guint i = 0; i < n_results; i++)
    {
      AccFusionNode *base = acc_fusion_graph_strip (graph, acc_fusion_graph_get (graph, results[i]));

      if (!acc_fusion_node_is_given (base) && !g_ptr_array_find (computed, base->array, NULL))
        g_ptr_array_add (computed, base->array);
    }
  *module = NULL;
  if (computed->len > 0)
    *module = acc_hlo_module_new (graph, (AccArray **) computed->pdata, computed->len, options, error);
  if (computed->len > 0 && *module == NULL)
    return NULL;

  self = g_new0 (AccSchedule, 1);
  self->nodes = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n_results; i++)
    g_ptr_array_add (self->nodes, g_object_ref (results[i]));
  for (guint i = 0; i < n_bound; i++)
    g_ptr_array_add (self->nodes, g_object_ref (bound[i]));
  self->origins = g_ptr_array_new ();
  self->data_extents = g_array_ref (graph->data_extents);
  self->asked_extents = g_hash_table_ref (graph->asked_extents);

  values.values = g_array_new (FALSE, TRUE, sizeof (AccScheduleValue));
  if (*module != NULL)
    {
      number_vectors (&values, (*module)->arguments);
      number_vectors (&values, (*module)->results);
      for (guint i = 0; i < (*module)->checks->len; i++)
        g_ptr_array_add (self->origins, g_array_index ((*module)->checks, AccHloCheck, i).origin);
      self->module = *module;
      self->free_module = (GDestroyNotify) acc_hlo_module_free;
    }

  self->n_results = n_results;
  self->results = g_new0 (guint, MAX (n_results, 1));
  self->result_shapes = g_new0 (AccShape *, MAX (n_results, 1));
  for (guint i = 0; i < n_results; i++)
    {
      AccFusionNode *node = acc_fusion_graph_get (graph, results[i]);

      self->results[i] = get_value (&values, acc_fusion_graph_strip (graph, node));
      self->result_shapes[i] = acc_shape_new (node->extents, node->rank);
    }
  /* Elements of no scalars have no vectors, and need no step. */
  if (*module != NULL && (*module)->results->len > 0)
    {
      self->n_steps = 1;
      self->steps = make_step (*module);
    }
  self->n_values = values.values->len;
  self->values = (AccScheduleValue *) g_array_free (values.values, FALSE);

  return self;
}
