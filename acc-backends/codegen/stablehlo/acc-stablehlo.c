/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-stablehlo.h"

#include "acc-hlo-alias.h"
#include "acc-hlo-border.h"
#include "acc-hlo-check.h"
#include "acc-hlo-round.h"

/* The module around the operations. */

static void
free_vectors (GArray *vectors)
{
  for (guint i = 0; i < vectors->len; i++)
    g_free (g_array_index (vectors, AccHloVector, i).extents);
  g_array_unref (vectors);
}

void
acc_hlo_module_free (AccHloModule *self)
{
  g_free (self->text);
  free_vectors (self->arguments);
  free_vectors (self->results);
  g_array_unref (self->checks);
  g_array_unref (self->lengths);
  g_free (self);
}

/* --- what is needed */

/* Nodes whose elements are read, from the results down: extents of others are known. */
static void
find_needed (AccHlo    *self,
             AccArray **results,
             guint      n_results)
{
  for (guint i = 0; i < n_results; i++)
    g_hash_table_add (self->needed, acc_fusion_graph_get (self->graph, results[i]));

  for (guint i = self->graph->nodes->len; i-- > 0;)
    {
      AccFusionNode *node = g_ptr_array_index (self->graph->nodes, i);

      if (!g_hash_table_contains (self->needed, node) || acc_fusion_node_is_given (node))
        continue;
      for (guint k = 0; k < node->array->n_inputs; k++)
        g_hash_table_add (self->needed, node->inputs[k]);
      for (guint k = 0; k < node->array->references->len; k++)
        {
          AccArray *reference = g_ptr_array_index (node->array->references, k);

          if (acc_array_reads_elements (node->array, reference))
            g_hash_table_add (self->needed, acc_fusion_graph_get (self->graph, reference));
        }
    }
}

/* --- the module */

/* All but the head. */
static gboolean
write_nodes (AccHlo  *self,
             GError **error)
{
  for (guint i = 0; i < self->graph->nodes->len && self->error == NULL; i++)
    {
      AccFusionNode *node = g_ptr_array_index (self->graph->nodes, i);

      if (g_cancellable_set_error_if_cancelled (g_cancellable_get_current (), error))
        return FALSE;
      if (!acc_fusion_node_is_given (node) && g_hash_table_contains (self->needed, node))
        acc_hlo_write_node (self, node);
    }

  return TRUE;
}

/* Last, and only where there are checks: compilers lay out one result better than one of three. */
static void
write_failure (AccHlo  *self,
               GString *values,
               GString *types)
{
  if (self->module->checks->len == 0)
    return;

  g_string_append_printf (values, "%s%s, %s", values->len > 0 ? ", " : "", self->failure, self->failed_index);
  g_string_append_printf (types, "%stensor<i32>, tensor<i64>", types->len > 0 ? ", " : "");
}

static gboolean
write_module (AccHlo               *self,
              AccArray            **results,
              guint                 n_results,
              const AccHloOptions  *options,
              GError              **error)
{
  AccHloModule *module = self->module;
  g_autofree AccFusionNode **nodes = g_new (AccFusionNode *, n_results + 1);
  g_autoptr(GString) header = g_string_new (NULL), values = g_string_new (NULL), types = g_string_new (NULL);

  find_needed (self, results, n_results);
  acc_hlo_write_arguments (self, options, header);
  self->failure = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I32, 0);
  self->failed_index = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, 0);
  if (!write_nodes (self, error))
    return FALSE;

  if (options->is_export && module->takes_zero)
    g_string_append_printf (header, "%s%s: tensor<i32>", header->len > 0 ? ", " : "", self->zero);
  for (guint r = 0; r < n_results && self->error == NULL; r++)
    {
      nodes[r] = acc_fusion_graph_get (self->graph, results[r]);
      acc_hlo_write_result (self, options, nodes[r], values, types);
    }
  write_failure (self, values, types);
  if (self->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->error));
      return FALSE;
    }
  if (options->spent != NULL)
    acc_hlo_write_aliases (self, options, nodes, n_results, header);

  module->text = g_strdup_printf ("module @acc {\nfunc.func public @main(%s) -> (%s) {\n%s return %s : %s\n}\n}\n", header->str, types->str,
                                  self->text->str, values->str, types->str);

  return acc_hlo_check_text (module->text, error);
}

AccHloModule *
acc_hlo_module_new (AccFusionGraph       *graph,
                    AccArray            **results,
                    guint                 n_results,
                    const AccHloOptions  *options,
                    GError              **error)
{
  g_autoptr(AccHloModule) module = g_new0 (AccHloModule, 1);
  AccHlo self = { .graph = graph, .module = module, .fast_math = options->fast_math, .keeps_order = options->keeps_order,
                  .is_rough = options->is_rough, .stores_gathered = options->stores_gathered, .mixes_rows = options->mixes_rows,
                  .is_export = options->is_export };
  gboolean ok;

  module->arguments = g_array_new (FALSE, FALSE, sizeof (AccHloVector));
  module->results = g_array_new (FALSE, FALSE, sizeof (AccHloVector));
  module->checks = g_array_new (FALSE, FALSE, sizeof (AccHloCheck));
  module->lengths = g_array_new (FALSE, FALSE, sizeof (gint64));
  self.has_checks = !(acc_disable_get_flags () & ACC_DISABLE_CHECKS);
  self.text = self.outermost = g_string_new (NULL);
  self.emitted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self.noted = g_hash_table_new (g_str_hash, g_str_equal);
  self.names = g_string_chunk_new (4096);
  self.ranges = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  self.values = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self.needed = g_hash_table_new (NULL, NULL);
  self.widened = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self.lengths = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self.length_names = g_ptr_array_new ();

  ok = write_module (&self, results, n_results, options, error);

  acc_hlo_restore_nodes (&self);
  g_clear_error (&self.error);
  g_string_free (self.text, TRUE);
  g_string_chunk_free (self.names);
  g_hash_table_unref (self.emitted);
  g_hash_table_unref (self.noted);
  g_hash_table_unref (self.ranges);
  g_hash_table_unref (self.values);
  g_hash_table_unref (self.needed);
  g_hash_table_unref (self.widened);
  g_hash_table_unref (self.lengths);
  g_ptr_array_unref (self.length_names);

  return ok ? g_steal_pointer (&module) : NULL;
}
