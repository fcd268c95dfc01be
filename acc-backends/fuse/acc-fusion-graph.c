/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-fusion-graph.h"

#include "acc-function-facts.h"
#include "acc-fusion-direct.h"
#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-error.h"

typedef struct {
  AccArray *array;
  guint     next;
  gboolean  of_direct;    /* next: of those of .array->direct, which may be computed */
} Frame;

static void
data_extents_clear (gpointer data)
{
  AccDataExtents *self = data;

  acc_function_unref (self->function);
  g_free (self->values);
}

void
acc_fusion_graph_free (AccFusionGraph *self)
{
  g_ptr_array_unref (self->nodes);
  g_hash_table_unref (self->table);
  acc_function_forms_unref (self->forms);
  g_array_unref (self->data_extents);
  g_hash_table_unref (self->asked_extents);
  g_hash_table_unref (self->reached);
  g_free (self);
}

AccFusionNode *
acc_fusion_graph_get (AccFusionGraph *self,
                      AccArray       *array)
{
  AccFusionNode *node = g_hash_table_lookup (self->table, array);

  return node == NULL && array->direct != NULL ? g_hash_table_lookup (self->table, array->direct) : node;
}

gboolean
acc_fusion_node_is_segmented (AccFusionNode *node)
{
  AccOperationFamily family = acc_operation_get_family (node->array->op);

  return family == ACC_FAMILY_FOLD_SEG || family == ACC_FAMILY_SCAN_SEG || node->array->op == ACC_OP_SORT_SEG;
}

gboolean
acc_fusion_node_is_given (AccFusionNode *node)
{
  return node->bound >= 0 || node->array->op == ACC_OP_USE || node->array->op == ACC_OP_SOURCE;
}

gboolean
acc_fusion_node_is_fold (AccFusionNode *node)
{
  return acc_operation_get_family (node->array->op) == ACC_FAMILY_FOLD;
}

gboolean
acc_fusion_node_is_view (AccFusionNode *node)
{
  return !node->is_value && acc_operation_get_family (node->array->op) == ACC_FAMILY_VIEW;
}

guint
acc_fold_get_lanes (AccElementType *type)
{
  gsize widest = acc_element_type_get_widest (type);
  guint lanes = 4;

  /* What four registers hold, of the scalars of packed elements together. */
  while (lanes * 2 * widest <= 256)
    lanes *= 2;

  return lanes;
}

/* From so many elements on groups of threads fold a row together. */
#define SHORTEST_ROW 8

AccFoldForm
acc_fusion_graph_get_fold_form (AccFusionGraph *self,
                                AccFusionNode  *node)
{
  AccFusionNode *input = node->inputs[0];
  gint64 n;

  if (acc_operation_has_fact (node->array->op, ACC_FACT_FOLDS_ALL) || node->rank == 0)
    return input->size == 0 || (input->size <= 16 && !input->from_source) ? ACC_FOLD_SHORT : ACC_FOLD_FULL;

  n = input->extents[input->rank - 1];
  if (self->for_groups)
    return n < SHORTEST_ROW ? ACC_FOLD_SHORT : ACC_FOLD_LONG;
  /* How floats are grouped does not show how many rows there are. */
  if (n <= 16
      || (n < 2 * (gint64) acc_fold_get_lanes (node->array->type) && (node->size >= 16 || !acc_element_type_is_exact (node->array->type))))
    return ACC_FOLD_SHORT;

  return ACC_FOLD_LONG;
}

AccTaps
acc_fusion_graph_find_taps (AccFusionGraph *self,
                            AccFusionNode  *node,
                            guint           input)
{
  return acc_function_forms_find_taps (self->forms, node->array->functions[0], input, acc_array_get_stencil (node->array)->sizes[input],
                                       node->rank);
}

/* Columns are cut, too, where the smallest blocks of rows keep few workers busy, and where there is so much to do that even blocks of many
 * rows take long, so that all workers end at about the same time. */
#define PART_COLUMNS   256
#define PRODUCTS_LONG  (1 << 25)   /* of pairs of elements */
#define MOST_PARTS     4           /* for the second reason: each packs the rows anew */
#define MOST_WANTED    256

gint64
acc_fusion_node_count_parts (AccFusionNode *node)
{
  gint64 n = node->extents[node->rank - 1], rows = n > 0 ? node->size / n : 0;
  gint64 least = acc_ceil_div (ACC_PRODUCT_BLOCKS_WANTED, rows / ACC_PRODUCT_LEAST_ROWS + 1);
  double n_long = (double) node->size * (double) node->inputs[0]->extents[node->inputs[0]->rank - 1] / PRODUCTS_LONG;
  gint64 more = acc_ceil_div ((gint64) MIN (n_long, MOST_WANTED), rows / ACC_PRODUCT_MOST_ROWS + 1);

  return CLAMP (MAX (least, MIN (more, MOST_PARTS)), 1, MAX (n / PART_COLUMNS, 1));
}

/* Tiles of a product by groups of threads are about this wide. */
#define GROUP_TILE 64

double
acc_fusion_graph_count_product_reads (AccFusionGraph *self,
                                      AccFusionNode  *node,
                                      guint           input)
{
  gint64 other = node->extents[node->rank - (input == 0 ? 1 : 2)];

  if (!self->for_groups)
    return input == 0 ? (double) acc_fusion_node_count_parts (node) : 1;

  return (double) MAX (acc_ceil_div (other, GROUP_TILE), 1);
}

static const gint64 *
get_extents (AccArray *array,
             gpointer  user_data,
             GError  **error)
{
  AccFusionGraph *self = user_data;
  AccFusionNode *node = acc_fusion_graph_get (self, array);

  if (node == NULL)
    g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "The extents of a part of the program are not known before it runs");

  return node != NULL ? node->extents : NULL;
}

typedef struct {
  AccFusionGraph *graph;
  AccArray      **bound;
  AccArray      **values;
  gboolean        reads_data;
} Context;

static AccArray *
find_data (AccArray *array,
           gpointer  user_data)
{
  Context *context = user_data;
  AccFusionNode *node = acc_fusion_graph_get (context->graph, array);

  if (node != NULL && node->bound >= 0)
    {
      context->reads_data = TRUE;
      return context->values[node->bound];
    }

  return array->op == ACC_OP_USE ? array : NULL;
}

static const gint64 *
context_extents (AccArray *array,
                 gpointer  user_data,
                 GError  **error)
{
  Context *context = user_data;

  return get_extents (array, context->graph, error);
}

/* Plans are keyed by what is bound. */
static const gint64 *
closed_extents (AccArray *array,
                gpointer  user_data,
                GError  **error)
{
  AccFusionGraph *self = ((Context *) user_data)->graph;
  const gint64 *extents = get_extents (array, self, error);

  if (extents != NULL && acc_fusion_graph_get (self, array)->bound < 0 && !g_hash_table_contains (self->asked_extents, array))
    g_hash_table_insert (self->asked_extents, array, g_memdup2 (extents, MAX (array->rank, 1) * sizeof (gint64)));

  return extents;
}

static gboolean
context_evaluate (AccFunction *function,
                  gint64      *values,
                  gpointer     user_data,
                  GError     **error)
{
  const AccClosedContext closed = { closed_extents, find_data, user_data };
  Context *context = user_data;
  AccDataExtents found = { function, NULL };

  context->reads_data = FALSE;
  if (!acc_closed_evaluate (function, &closed, values, NULL, error))
    return FALSE;
  if (context->reads_data)
    {
      acc_function_ref (function);
      found.values = g_memdup2 (values, acc_element_type_get_n_leaves (function->body->type) * sizeof (gint64));
      g_array_append_val (context->graph->data_extents, found);
    }

  return TRUE;
}

static gboolean
check_size (AccFusionNode *node,
            GError       **error)
{
  g_autofree char *name = NULL;
  gsize size = 1, bytes;

  for (guint d = 0; d < node->rank; d++)
    if (node->extents[d] <= 0)
      {
        node->extents[d] = MAX (node->extents[d], 0);
        size = 0;
      }
  for (guint d = 0; d < node->rank && size > 0; d++)
    if (!g_size_checked_mul (&size, size, (gsize) node->extents[d]) || size > G_MAXINT64 / 64)
      goto overflow;
  if (!g_size_checked_mul (&bytes, size, MAX (acc_element_type_get_size (node->array->type), 1)) || bytes > G_MAXINT64)
    goto overflow;

  node->size = size;
  return TRUE;

overflow:
  name = acc_array_describe (node->array);
  g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%s: the array has too many elements", name);
  return FALSE;
}

static void
estimate_cost (AccFusionGraph *self,
               AccFusionNode  *node)
{
  AccArray *array = node->array;
  double inlined = 0;

  if (array->n_functions > 0 && array->functions[0] != NULL)
    node->own_cost = acc_function_forms_get_cost (self->forms, array->functions[0]);
  if (array->op == ACC_OP_BACKPERMUTE)
    node->own_cost += 2;

  for (guint i = 0; i < array->n_inputs; i++)
    inlined += node->inputs[i]->cost;

  if (acc_operation_has_fact (array->op, ACC_FACT_FUSES))
    {
      node->cost = MIN (node->own_cost + inlined, 1e9);
    }
  else if (acc_fusion_node_is_fold (node) && acc_fusion_graph_get_fold_form (self, node) == ACC_FOLD_SHORT)
    {
      /* Of long ones the cost is per element that is consumed. */
      double n = (double) node->inputs[0]->size / MAX (node->size, 1);

      node->own_cost *= n;
      node->cost = MIN (node->own_cost + inlined * n, 1e9);
    }
}

/* Of an array without error, whose inputs come before it. */
static AccFusionNode *
make_node (AccFusionGraph *self,
           AccArray       *array,
           int             bound)
{
  guint n_extents = MAX (array->rank, 1);
  AccFusionNode *node = g_malloc0 (sizeof *node + n_extents * sizeof (gint64) + array->n_inputs * sizeof (AccFusionNode *));

  node->array = array;
  node->position = self->nodes->len;
  node->rank = array->rank;
  node->extents = (gint64 *) (node + 1);
  node->inputs = (AccFusionNode **) (node->extents + n_extents);
  for (guint i = 0; i < array->n_inputs; i++)
    node->inputs[i] = acc_fusion_graph_get (self, array->inputs[i]);
  node->bound = bound;
  node->value = -1;
  node->cluster = ACC_CLUSTER_NONE;
  g_ptr_array_add (self->nodes, node);
  g_hash_table_insert (self->table, array, node);

  return node;
}

static gboolean
add_node (AccFusionGraph *self,
          AccArray       *array,
          GHashTable     *numbers,
          Context        *context,
          GError        **error)
{
  AccFusionNode *node;
  gpointer number;

  if (array->error != NULL)
    {
      g_propagate_error (error, acc_array_dup_error (array));
      return FALSE;
    }

  node = make_node (self, array, g_hash_table_lookup_extended (numbers, array, NULL, &number) ? GPOINTER_TO_INT (number) : -1);
  if (node->bound >= 0)
    {
      const gint64 *extents = acc_shape_get_extents (context->values[node->bound]->shape, NULL);

      for (guint d = 0; d < node->rank; d++)
        node->extents[d] = extents[d];
    }
  else
    {
      const AccShapeContext shapes = { context_extents, context_evaluate, context };

      if (!acc_array_infer_extents (array, &shapes, node->extents, error))
        return FALSE;
    }
  if (!check_size (node, error))
    return FALSE;

  node->is_value = acc_fusion_node_is_given (node);
  node->stored = node->is_value ? ACC_STORED_GIVEN : ACC_STORED_NOT;
  if (!node->is_value)
    {
      if (array->op == ACC_OP_PARAMETER || acc_operation_get_family (array->op) == ACC_FAMILY_FLOW)
        {
          g_autofree char *name = acc_array_describe (array);

          g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: no data is bound to it", name);
          return FALSE;
        }
      estimate_cost (self, node);
      self->n_stencils += acc_operation_get_family (array->op) == ACC_FAMILY_STENCIL;
    }
  acc_fusion_graph_find_sources (self, node);

  return TRUE;
}

static gboolean
takes_numbers (AccFusionGraph *self)
{
  return !self->by_rows && !self->for_modules && !(acc_disable_get_flags () & ACC_DISABLE_SEGMENTS);
}

/* Of a node that computes numbers of segments, or is given those of offsets that are given as well. */
static void
find_segments (AccFusionGraph *self,
               AccFusionNode  *node)
{
  AccArray *direct = node->array->direct;
  AccFusionNode *offsets;

  if (!acc_fusion_node_is_given (node))
    {
      node->segments = node->array->op == ACC_OP_SEG_NUMBERS ? node->inputs[0] : NULL;
      return;
    }
  if (direct == NULL || direct->op != ACC_OP_SEG_NUMBERS || !takes_numbers (self))
    return;

  offsets = g_hash_table_lookup (self->table, direct->inputs[0]);
  if (offsets != NULL && acc_fusion_node_is_given (offsets))
    node->segments = offsets;
}

AccFusionGraph *
acc_fusion_graph_new (const AccTarget  *target,
                      AccFunctionForms *forms,
                      AccArray        **results,
                      guint             n_results,
                      AccArray        **bound,
                      AccArray        **values,
                      guint             n_bound,
                      GError          **error)
{
  g_autoptr(AccFusionGraph) self = g_new0 (AccFusionGraph, 1);
  g_autoptr(GHashTable) numbers = g_hash_table_new (NULL, NULL);
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));
  Context context = { self, bound, values };

  self->for_groups = target->model == ACC_MODEL_SIMT;
  self->for_modules = target->for_modules;
  self->narrow_modules = target->narrow_modules;
  self->by_rows = target->by_rows;
  self->nodes = g_ptr_array_new_with_free_func (g_free);
  self->table = g_hash_table_new (NULL, NULL);
  self->forms = forms != NULL ? acc_function_forms_ref (forms) : acc_function_forms_new ();
  self->asked_extents = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->reached = g_hash_table_new (NULL, NULL);
  self->data_extents = g_array_new (FALSE, FALSE, sizeof (AccDataExtents));
  g_array_set_clear_func (self->data_extents, data_extents_clear);

  for (guint i = 0; i < n_bound; i++)
    g_hash_table_insert (numbers, bound[i], GINT_TO_POINTER (i));
  if (self->by_rows)
    self->has_sources = acc_fusion_read_sources (results, n_results, numbers);

  for (guint i = 0; i < n_results; i++)
    {
      if (g_hash_table_add (seen, results[i]))
        g_array_append_vals (stack, &(Frame) { results[i], 0, acc_fusion_may_take_direct (self, results[i], numbers) }, 1);

      while (stack->len > 0)
        {
          Frame *top = &g_array_index (stack, Frame, stack->len - 1);
          AccArray *dependence = NULL;

          if (top->array->error == NULL && !g_hash_table_contains (numbers, top->array))
            dependence = acc_array_nth_dependence (top->of_direct ? top->array->direct : top->array, top->next++);

          if (dependence != NULL)
            {
              if (g_hash_table_add (seen, dependence))
                g_array_append_vals (stack, &(Frame) { dependence, 0, acc_fusion_may_take_direct (self, dependence, numbers) }, 1);
            }
          else if (top->of_direct && !acc_fusion_takes_direct (self, target, top->array))
            {
              top->of_direct = FALSE;
              top->next = 0;
            }
          else
            {
              if (!add_node (self, top->of_direct ? top->array->direct : top->array, numbers, &context, error))
                return NULL;
              g_array_set_size (stack, stack->len - 1);
            }
        }
    }

  for (guint i = 0; i < self->nodes->len; i++)
    find_segments (self, g_ptr_array_index (self->nodes, i));

  return g_steal_pointer (&self);
}
