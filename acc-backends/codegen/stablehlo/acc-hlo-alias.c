/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-alias.h"

#include <string.h>

/* How a node follows from one array. */
typedef enum {
  FOLLOWS_NOT,
  FOLLOWS_IN_PLACE,     /* each element from the one at its place, once others are there that know nothing of the array */
  FOLLOWS_OTHERWISE,
} Follows;

static gboolean
have_same_extents (const AccFusionNode *a,
                   const AccFusionNode *b)
{
  return a->rank == b->rank && (a->rank == 0 || memcmp (a->extents, b->extents, a->rank * sizeof *a->extents) == 0);
}

/* From its input @n, which follows in place. */
static gboolean
keeps_places (const AccFusionNode *node,
              guint                n)
{
  switch (acc_operation_get_family (node->array->op))
    {
    case ACC_FAMILY_ELEMENTS:
    case ACC_FAMILY_ZIP:
      return have_same_extents (node, node->inputs[n]);
    case ACC_FAMILY_VIEW:
      return node->size == node->inputs[n]->size;
    case ACC_FAMILY_PERMUTE:
      return n == 1 && have_same_extents (node, node->inputs[n]);
    case ACC_FAMILY_LEAF:
    case ACC_FAMILY_FLOW:
    case ACC_FAMILY_GATHER:
    case ACC_FAMILY_STENCIL:
    case ACC_FAMILY_FOLD:
    case ACC_FAMILY_FOLD_SEG:
    case ACC_FAMILY_SCAN:
    case ACC_FAMILY_SCAN_SEG:
    case ACC_FAMILY_SORT:
    case ACC_FAMILY_MATMUL:
    case ACC_FAMILY_FFT:
      break;
    }

  return FALSE;
}

static Follows
find_how (AccHlo        *self,
          AccFusionNode *node,
          const Follows *before)
{
  Follows how = FOLLOWS_NOT;

  for (guint i = 0; i < node->array->n_inputs; i++)
    {
      Follows input = before[node->inputs[i]->position];

      if (input == FOLLOWS_OTHERWISE || (input == FOLLOWS_IN_PLACE && !keeps_places (node, i)))
        return FOLLOWS_OTHERWISE;
      how = MAX (how, input);
    }
  for (guint i = 0; i < node->array->references->len; i++)
    {
      AccArray *reference = g_ptr_array_index (node->array->references, i);

      if (acc_array_reads_elements (node->array, reference)
          && before[acc_fusion_graph_get (self->graph, reference)->position] != FOLLOWS_NOT)
        return FOLLOWS_OTHERWISE;
    }

  return how;
}

/* Scalars of elements are computed together, and compilers do so one after the other: each but the first would come too late. */
static gboolean
has_apt_type (const AccFusionNode *argument,
              const AccFusionNode *result)
{
  guint n_leaves = acc_hlo_count_leaves (argument);

  if (argument->array->type != result->array->type || acc_element_type_get_n_buffers (argument->array->type) != n_leaves)
    return FALSE;

  return n_leaves == 1 || (result->array->op == ACC_OP_PERMUTE && result->inputs[1] == argument);
}

/* The only one that follows from @argument, if it does so in place; or NULL. */
static AccFusionNode *
find_heir (AccHlo         *self,
           AccFusionNode  *argument,
           AccFusionNode **results,
           guint           n_results)
{
  GPtrArray *nodes = self->graph->nodes;
  g_autofree Follows *how = g_new0 (Follows, nodes->len);
  AccFusionNode *heir = NULL;

  for (guint i = 0; i < nodes->len; i++)
    {
      AccFusionNode *node = g_ptr_array_index (nodes, i);

      if (node == argument)
        how[node->position] = FOLLOWS_IN_PLACE;
      else if (!acc_fusion_node_is_given (node) && g_hash_table_contains (self->needed, node))
        how[node->position] = find_how (self, node, how);
      if (how[node->position] == FOLLOWS_OTHERWISE)
        return NULL;
    }
  for (guint r = 0; r < n_results; r++)
    if (how[results[r]->position] != FOLLOWS_NOT)
      {
        if (heir != NULL)
          return NULL;
        heir = results[r];
      }

  return heir != NULL && heir != argument && has_apt_type (argument, heir) ? heir : NULL;
}

/* The vector of @array with the form of @argument that no other has; -1: none. */
static gint
find_vector (AccHlo             *self,
             AccArray           *array,
             const AccHloVector *argument)
{
  GArray *results = self->module->results;

  for (guint i = 0; i < results->len; i++)
    {
      const AccHloVector *vector = &g_array_index (results, AccHloVector, i);

      if (vector->array == array && vector->buffer == argument->buffer && vector->alias < 0 && vector->kind == argument->kind
          && vector->rank == argument->rank && memcmp (vector->extents, argument->extents, vector->rank * sizeof *vector->extents) == 0)
        return (gint) i;
    }

  return -1;
}

void
acc_hlo_write_aliases (AccHlo               *self,
                       const AccHloOptions  *options,
                       AccFusionNode       **results,
                       guint                 n_results,
                       GString              *header)
{
  GArray *arguments = self->module->arguments;

  /* From the last to the first, as the header grows. */
  for (guint i = arguments->len; i-- > 0;)
    {
      AccHloVector *argument = &g_array_index (arguments, AccHloVector, i);
      AccFusionNode *heir = NULL;
      g_autofree char *attribute = NULL;

      if (argument->bound >= 0 && options->spent[argument->bound] && argument->n > 0)
        heir = find_heir (self, acc_fusion_graph_get (self->graph, argument->array), results, n_results);
      if (heir != NULL)
        argument->alias = find_vector (self, heir->array, argument);
      if (argument->alias < 0)
        continue;
      g_array_index (self->module->results, AccHloVector, argument->alias).alias = (gint) i;
      attribute = g_strdup_printf (" {tf.aliasing_output = %d : i32}", argument->alias);
      g_string_insert (header, (gssize) argument->end, attribute);
    }
}
