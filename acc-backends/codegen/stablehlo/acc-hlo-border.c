/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-border.h"

#include "acc-hlo-round.h"

/* Arguments and results of the module, and arrays in memory. */

/* Those of an array of extents @shape, of which @n_elements are the array's. @is_shaped: its extents, and one for the scalars of packed
 * elements; else a vector of all. */
static void
list_vectors (GArray      *vectors,
              AccArray    *array,
              AccHloShape  shape,
              gint64       n_elements,
              int          bound,
              gboolean     is_shaped)
{
  for (guint k = 0; k < acc_element_type_get_n_buffers (array->type); k++)
    {
      AccElementType *scalars = acc_element_type_get_buffer (array->type, k);
      guint lanes = acc_element_type_get_n_leaves (scalars);
      AccHloVector vector = { .array = array, .bound = bound, .buffer = k, .kind = acc_element_type_get_leaf (scalars, 0), .rank = 1,
                              .alias = -1 };

      vector.n = acc_hlo_count (shape) * lanes;
      vector.n_used = n_elements * lanes;
      vector.extents = g_new (gint64, shape.rank + 1);
      vector.extents[0] = vector.n;
      if (is_shaped)
        {
          vector.rank = shape.rank + (lanes > 1 ? 1 : 0);
          for (guint d = 0; d < shape.rank; d++)
            vector.extents[d] = shape.extents[d];
          if (lanes > 1)
            vector.extents[shape.rank] = lanes;
        }
      g_array_append_val (vectors, vector);
    }
}

/* Elements of @node without those of rows that are rounded up. */
static gint64
count_true (AccHlo              *self,
            const AccFusionNode *node)
{
  return acc_hlo_get_length (self, node) != NULL ? node->size / node->extents[0] * acc_hlo_get_length (self, node)->n : node->size;
}

static AccHloShape
get_shape (const AccHloVector *vector)
{
  return (AccHloShape) { vector->rank, vector->extents };
}

static const char *
get_type (AccHlo             *self,
          const AccHloVector *vector)
{
  return acc_hlo_type (self, get_shape (vector), vector->kind);
}

/* --- arguments */

/* Leaves of a given array out of its buffers, of which @names are, in the form that the first of @vectors and those after it have. */
static void
take_argument (AccHlo             *self,
               AccFusionNode      *node,
               const AccHloValue  *names,
               const AccHloVector *vectors)
{
  AccElementType *type = node->array->type;
  guint n = acc_element_type_get_n_leaves (type);
  AccHloValue *values = g_new (AccHloValue, n + 1);

  for (guint i = 0; i < n; i++)
    {
      const AccLeafPlace *place = acc_element_type_locate (type, i);
      gint64 packed[2] = { node->size, place->lanes }, single[2] = { node->size, 1 };
      AccHloShape from = get_shape (&vectors[place->buffer]);

      values[i] = names[place->buffer];
      if (place->lanes > 1)
        {
          values[i] = acc_hlo_reshape (self, values[i], from, (AccHloShape) { 2, packed }, place->kind);
          values[i] = acc_hlo_slice_in (self, values[i], (AccHloShape) { 2, packed }, 1, place->lane, 1, place->kind);
          from = (AccHloShape) { 2, single };
        }
      values[i] = acc_hlo_reshape (self, values[i], from, acc_hlo_shape_of (node), place->kind);
    }
  g_hash_table_insert (self->values, node, values);
}

/* Adds the vectors of @array as arguments. @node: NULL: nobody needs it. */
static void
add_argument (AccHlo        *self,
              AccArray      *array,
              AccHloShape    shape,
              AccFusionNode *node,
              int            bound,
              gboolean       is_shaped,
              GString       *header)
{
  GArray *arguments = self->module->arguments;
  guint first = arguments->len;
  g_autofree AccHloValue *names = NULL;

  list_vectors (arguments, array, shape, node != NULL ? count_true (self, node) : acc_hlo_count (shape), bound, is_shaped);
  names = g_new (AccHloValue, arguments->len - first + 1);
  for (guint k = first; k < arguments->len; k++)
    {
      names[k - first] = acc_hlo_name (self);
      g_string_append_printf (header, "%s%s: %s", header->len > 0 ? ", " : "", names[k - first],
                              get_type (self, &g_array_index (arguments, AccHloVector, k)));
      g_array_index (arguments, AccHloVector, k).end = header->len;
    }
  if (node != NULL)
    take_argument (self, node, names, &g_array_index (arguments, AccHloVector, first));
}

/* --- arrays in memory, as constants */

static void
append_bools (GString      *text,
              const guint8 *data,
              gsize         n)
{
  g_string_append_c (text, '[');
  for (gsize i = 0; i < n; i++)
    g_string_append (text, i == 0 ? (data[i] ? "true" : "false") : data[i] ? ", true" : ", false");
  g_string_append_c (text, ']');
}

/* As bytes, of scalars in the order of this machine, which must be that of the text: little-endian. */
static void
append_bytes (GString      *text,
              const guint8 *data,
              gsize         size)
{
  static const char digits[] = "0123456789ABCDEF";

  g_string_append (text, "\"0x");
  for (gsize i = 0; i < size; i++)
    {
      g_string_append_c (text, digits[data[i] >> 4]);
      g_string_append_c (text, digits[data[i] & 15]);
    }
  g_string_append_c (text, '"');
}

static AccHloValue
write_constant (AccHlo             *self,
                AccBuffer          *buffer,
                const AccHloVector *vector)
{
  g_autoptr(GString) text = g_string_new (NULL);
  gsize size = (gsize) vector->n * acc_element_kind_get_size (vector->kind);
  const guint8 *data = NULL;

  if (size > ACC_HLO_MOST_CONSTANT)
    {
      acc_hlo_refuse (self, "an array of more than %u bytes would be part of the text", ACC_HLO_MOST_CONSTANT);
      return "";
    }
  if (vector->n > 0)
    data = acc_buffer_map (buffer, self->error == NULL ? &self->error : NULL);
  if (data != NULL && vector->kind == ACC_KIND_BOOL)
    append_bools (text, data, (gsize) vector->n);
  else if (data != NULL)
    append_bytes (text, data, size);

  return acc_hlo_emit (self, "stablehlo.constant dense<%s> : %s", text->str, get_type (self, vector));
}

static void
add_constant (AccHlo        *self,
              AccFusionNode *node)
{
  g_autoptr(GArray) vectors = g_array_new (FALSE, FALSE, sizeof (AccHloVector));
  AccBuffer **buffers = node->array->op == ACC_OP_USE ? acc_array_get_buffers (node->array) : NULL;
  g_autofree AccHloValue *names = NULL;

  self->origin = node->array;
  if (buffers == NULL)
    {
      acc_hlo_refuse (self, "it is not in memory");
      return;
    }

  list_vectors (vectors, node->array, acc_hlo_shape_of (node), node->size, -1, FALSE);
  names = g_new (AccHloValue, vectors->len + 1);
  for (guint k = 0; k < vectors->len; k++)
    names[k] = write_constant (self, buffers[k], &g_array_index (vectors, AccHloVector, k));
  take_argument (self, node, names, (const AccHloVector *) vectors->data);
  for (guint k = 0; k < vectors->len; k++)
    g_free (g_array_index (vectors, AccHloVector, k).extents);
}

/* --- both */

static gboolean
is_wanted (AccHlo        *self,
           AccFusionNode *node)
{
  return acc_fusion_node_is_given (node) && g_hash_table_contains (self->needed, node);
}

/* Parameters in their order, and nothing else. */
static void
write_own_arguments (AccHlo              *self,
                     const AccHloOptions *options,
                     GString             *header)
{
  for (guint i = 0; i < options->n_parameters; i++)
    {
      AccArray *parameter = options->parameters[i];
      AccFusionNode *node = acc_fusion_graph_get (self->graph, parameter);
      guint rank;
      const gint64 *extents = acc_shape_get_extents (parameter->shape, &rank);

      add_argument (self, parameter, (AccHloShape) { rank, extents },
                    node != NULL && g_hash_table_contains (self->needed, node) ? node : NULL, (int) i, TRUE, header);
    }

  self->zero = acc_hlo_name (self);
  for (guint i = 0; i < self->graph->nodes->len; i++)
    {
      AccFusionNode *node = g_ptr_array_index (self->graph->nodes, i);

      if (is_wanted (self, node) && node->bound < 0)
        add_constant (self, node);
    }
}

void
acc_hlo_write_arguments (AccHlo              *self,
                         const AccHloOptions *options,
                         GString             *header)
{
  if (options->is_export)
    {
      write_own_arguments (self, options, header);
      return;
    }

  self->zero = acc_hlo_name (self);
  self->module->takes_zero = TRUE;
  g_string_append_printf (header, "%s: tensor<i32>", self->zero);
  if (options->changing != NULL)
    acc_hlo_round_nodes (self, options->changing, header);
  for (guint i = 0; i < self->graph->nodes->len; i++)
    {
      AccFusionNode *node = g_ptr_array_index (self->graph->nodes, i);

      if (is_wanted (self, node))
        add_argument (self, node->array, acc_hlo_shape_of (node), node, node->bound, options->is_shaped, header);
    }
}

/* --- results */

static AccHloValue
give_result (AccHlo             *self,
             AccFusionNode      *node,
             const AccHloVector *vector)
{
  AccElementType *type = node->array->type;
  AccHloValue *values = g_hash_table_lookup (self->values, node), parts[ACC_MAX_LANES];
  gint64 lengths[ACC_MAX_LANES], lanes = acc_element_type_get_n_leaves (acc_element_type_get_buffer (type, vector->buffer));
  gint64 packed[2] = { node->size, lanes }, single[2] = { node->size, 1 };
  AccHloShape shape = acc_hlo_shape_of (node);

  for (guint i = 0; i < acc_element_type_get_n_leaves (type); i++)
    {
      const AccLeafPlace *place = acc_element_type_locate (type, i);

      if (place->buffer != vector->buffer)
        continue;
      if (lanes == 1)
        return acc_hlo_reshape (self, values[i], shape, get_shape (vector), vector->kind);
      parts[place->lane] = acc_hlo_reshape (self, values[i], shape, (AccHloShape) { 2, single }, vector->kind);
      lengths[place->lane] = 1;
    }

  parts[0] = acc_hlo_concatenate (self, parts, lengths, (guint) lanes, 1, (AccHloShape) { 2, packed }, vector->kind);

  return acc_hlo_reshape (self, parts[0], (AccHloShape) { 2, packed }, get_shape (vector), vector->kind);
}

void
acc_hlo_write_result (AccHlo              *self,
                      const AccHloOptions *options,
                      AccFusionNode       *node,
                      GString             *values,
                      GString             *types)
{
  GArray *results = self->module->results;
  guint first = results->len;

  list_vectors (results, node->array, acc_hlo_shape_of (node), count_true (self, node), -1, options->is_shaped || options->is_export);
  for (guint i = first; i < results->len; i++)
    {
      const AccHloVector *vector = &g_array_index (results, AccHloVector, i);

      g_string_append_printf (values, "%s%s", values->len > 0 ? ", " : "", give_result (self, node, vector));
      g_string_append_printf (types, "%s%s", types->len > 0 ? ", " : "", get_type (self, vector));
    }
}
