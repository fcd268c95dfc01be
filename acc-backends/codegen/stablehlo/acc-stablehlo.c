/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-stablehlo.h"

#include "acc-hlo-array.h"

/* The module around the operations. */

void
acc_hlo_module_free (AccHloModule *self)
{
  g_free (self->text);
  g_array_unref (self->arguments);
  g_array_unref (self->results);
  g_array_unref (self->checks);
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

/* --- the border */

static guint
count_lanes (AccElementType *type,
             guint           buffer)
{
  for (guint i = 0; i < acc_element_type_get_n_leaves (type); i++)
    if (acc_element_type_locate (type, i)->buffer == buffer)
      return acc_element_type_locate (type, i)->lanes;

  return 1;
}

static void
list_vectors (GArray        *vectors,
              AccFusionNode *node)
{
  AccElementType *type = node->array->type;

  for (guint k = 0; k < acc_element_type_get_n_buffers (type); k++)
    {
      AccHloVector vector = { .array = node->array, .bound = node->bound, .buffer = k, .n = node->size * count_lanes (type, k) };

      for (guint i = 0; i < acc_element_type_get_n_leaves (type); i++)
        if (acc_element_type_locate (type, i)->buffer == k)
          vector.kind = acc_element_type_locate (type, i)->kind;
      g_array_append_val (vectors, vector);
    }
}

/* Leaves of a given array out of its vectors, of which @names are. */
static void
take_argument (AccHlo            *self,
               AccFusionNode     *node,
               const AccHloValue *names)
{
  AccElementType *type = node->array->type;
  guint n = acc_element_type_get_n_leaves (type);
  AccHloValue *values = g_new (AccHloValue, n + 1);
  AccHloShape shape = acc_hlo_shape_of (node);

  for (guint i = 0; i < n; i++)
    {
      const AccLeafPlace *place = acc_element_type_locate (type, i);
      gint64 all = node->size * place->lanes;
      gint64 packed[2] = { node->size, place->lanes }, single[2] = { node->size, 1 };
      AccHloShape vector = { 1, &all };

      values[i] = names[place->buffer];
      if (place->lanes > 1)
        {
          values[i] = acc_hlo_reshape (self, values[i], vector, (AccHloShape) { 2, packed }, place->kind);
          values[i] = acc_hlo_slice_in (self, values[i], (AccHloShape) { 2, packed }, 1, place->lane, 1, place->kind);
          vector = (AccHloShape) { 2, single };
        }
      values[i] = acc_hlo_reshape (self, values[i], vector, shape, place->kind);
    }
  g_hash_table_insert (self->values, node, values);
}

/* The vector of one buffer of a result. */
static AccHloValue
give_result (AccHlo        *self,
             AccFusionNode *node,
             guint          buffer)
{
  AccElementType *type = node->array->type;
  AccHloValue *values = g_hash_table_lookup (self->values, node), parts[ACC_MAX_LANES];
  gint64 lengths[ACC_MAX_LANES], lanes = count_lanes (type, buffer), all = node->size * lanes;
  gint64 packed[2] = { node->size, lanes }, single[2] = { node->size, 1 };
  AccElementKind kind = ACC_KIND_BOOL;
  AccHloShape shape = acc_hlo_shape_of (node);

  for (guint i = 0; i < acc_element_type_get_n_leaves (type); i++)
    {
      const AccLeafPlace *place = acc_element_type_locate (type, i);

      if (place->buffer != buffer)
        continue;
      kind = place->kind;
      if (lanes == 1)
        return acc_hlo_reshape (self, values[i], shape, (AccHloShape) { 1, &all }, kind);
      parts[place->lane] = acc_hlo_reshape (self, values[i], shape, (AccHloShape) { 2, single }, kind);
      lengths[place->lane] = 1;
    }

  parts[0] = acc_hlo_concatenate (self, parts, lengths, (guint) lanes, 1, (AccHloShape) { 2, packed }, kind);

  return acc_hlo_reshape (self, parts[0], (AccHloShape) { 2, packed }, (AccHloShape) { 1, &all }, kind);
}

static const char *
get_vector_type (AccHlo             *self,
                 const AccHloVector *vector)
{
  return acc_hlo_type (self, (AccHloShape) { 1, &vector->n }, vector->kind);
}

/* --- the module */

static void
write_begin (AccHlo  *self,
             GString *header)
{
  GArray *arguments = self->module->arguments;

  self->zero = acc_hlo_name (self);
  g_string_append_printf (header, "%s: tensor<i32>", self->zero);
  self->failure = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I32, 0);
  self->failed_index = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, 0);
  for (guint i = 0; i < self->graph->nodes->len; i++)
    {
      AccFusionNode *node = g_ptr_array_index (self->graph->nodes, i);
      guint first = arguments->len;
      g_autofree AccHloValue *names = NULL;

      if (!acc_fusion_node_is_given (node) || !g_hash_table_contains (self->needed, node))
        continue;
      list_vectors (arguments, node);
      names = g_new (AccHloValue, arguments->len - first + 1);
      for (guint k = first; k < arguments->len; k++)
        {
          names[k - first] = acc_hlo_name (self);
          g_string_append_printf (header, ", %s: %s", names[k - first],
                                  get_vector_type (self, &g_array_index (arguments, AccHloVector, k)));
        }
      take_argument (self, node, names);
    }
}

static gboolean
write_module (AccHlo     *self,
              AccArray  **results,
              guint       n_results,
              GError    **error)
{
  AccHloModule *module = self->module;
  g_autoptr(GString) header = g_string_new (NULL), values = g_string_new (NULL), types = g_string_new ("tensor<i32>, tensor<i64>");

  find_needed (self, results, n_results);
  write_begin (self, header);
  for (guint i = 0; i < self->graph->nodes->len && self->error == NULL; i++)
    {
      AccFusionNode *node = g_ptr_array_index (self->graph->nodes, i);

      if (g_cancellable_set_error_if_cancelled (g_cancellable_get_current (), error))
        return FALSE;
      if (!acc_fusion_node_is_given (node) && g_hash_table_contains (self->needed, node))
        acc_hlo_write_node (self, node);
    }

  for (guint r = 0; r < n_results && self->error == NULL; r++)
    {
      AccFusionNode *node = acc_fusion_graph_get (self->graph, results[r]);
      guint first = module->results->len;

      list_vectors (module->results, node);
      for (guint i = first; i < module->results->len; i++)
        {
          AccHloVector *vector = &g_array_index (module->results, AccHloVector, i);

          vector->bound = -1;
          g_string_append_printf (values, ", %s", give_result (self, node, i - first));
          g_string_append_printf (types, ", %s", get_vector_type (self, vector));
        }
    }
  if (self->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->error));
      return FALSE;
    }

  module->text = g_strdup_printf ("module @acc {\nfunc.func public @main(%s) -> (%s) {\n%s return %s, %s%s : %s\n}\n}\n", header->str,
                                  types->str, self->text->str, self->failure, self->failed_index, values->str, types->str);

  return TRUE;
}

AccHloModule *
acc_hlo_module_new (AccFusionGraph       *graph,
                    AccArray            **results,
                    guint                 n_results,
                    const AccHloOptions  *options,
                    GError              **error)
{
  g_autoptr(AccHloModule) module = g_new0 (AccHloModule, 1);
  AccHlo self = { .graph = graph, .module = module, .fast_math = options->fast_math, .keeps_order = options->keeps_order };
  gboolean ok;

  module->arguments = g_array_new (FALSE, FALSE, sizeof (AccHloVector));
  module->results = g_array_new (FALSE, FALSE, sizeof (AccHloVector));
  module->checks = g_array_new (FALSE, FALSE, sizeof (AccHloCheck));
  self.has_checks = !(acc_disable_get_flags () & ACC_DISABLE_CHECKS);
  self.text = g_string_new (NULL);
  self.names = g_string_chunk_new (4096);
  self.values = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self.needed = g_hash_table_new (NULL, NULL);

  ok = write_module (&self, results, n_results, error);

  g_clear_error (&self.error);
  g_string_free (self.text, TRUE);
  g_string_chunk_free (self.names);
  g_hash_table_unref (self.values);
  g_hash_table_unref (self.needed);

  return ok ? g_steal_pointer (&module) : NULL;
}
