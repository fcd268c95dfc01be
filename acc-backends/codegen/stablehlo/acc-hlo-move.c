/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-array.h"

#include "acc-hlo-affine.h"
#include "acc-hlo-expr.h"
#include "acc-hlo-read.h"
#include "acc-hlo-round.h"

/* Operations that move elements and compute none. */

void
acc_hlo_write_zip (AccHlo        *self,
                   AccFusionNode *node,
                   AccHloValue   *results)
{
  for (guint i = 0; i < node->array->n_inputs; i++)
    {
      g_autofree AccHloValue *values = acc_hlo_crop_input (self, node, i, acc_hlo_shape_of (node));

      for (guint k = 0; k < acc_hlo_count_leaves (node->inputs[i]); k++)
        *results++ = values[k];
    }
}

void
acc_hlo_write_view (AccHlo        *self,
                    AccFusionNode *node,
                    AccHloValue   *results)
{
  AccFusionNode *from = node->inputs[0];
  AccHloValue *values = acc_hlo_get_input (self, node, 0);
  AccHloShape vector = { 1, &from->size }, wanted = { 1, &node->size };

  if (node->array->op == ACC_OP_UNZIP)
    values += acc_element_type_get_first_leaf (from->array->type, acc_array_get_item (node->array));
  for (guint i = 0; i < acc_hlo_count_leaves (node); i++)
    {
      AccElementKind kind = acc_hlo_leaf (node, i);

      results[i] = values[i];
      /* Rows that are rounded up come after all others. */
      if (from->size != node->size)
        {
          results[i] = acc_hlo_reshape (self, results[i], acc_hlo_shape_of (from), vector, kind);
          results[i] = acc_hlo_fit (self, results[i], vector, wanted, kind);
        }
      results[i] = acc_hlo_reshape (self, results[i], from->size != node->size ? wanted : acc_hlo_shape_of (from), acc_hlo_shape_of (node),
                                    kind);
    }
}

void
acc_hlo_write_replicate (AccHlo        *self,
                         AccFusionNode *node,
                         AccHloValue   *results)
{
  const AccSelectionPayload *selection = acc_array_get_selection (node->array);
  AccHloValue *values = acc_hlo_get_input (self, node, 0);
  g_autofree gint64 *dimensions = g_new0 (gint64, node->rank + 1), *extents = g_new0 (gint64, node->rank + 1);
  AccHloShape part = { 0, extents };

  for (guint d = 0; d < selection->n; d++)
    if (selection->entries[d] == ACC_ALL)
      {
        extents[part.rank] = node->extents[d];
        dimensions[part.rank++] = d;
      }
  for (guint i = 0; i < acc_hlo_count_leaves (node); i++)
    {
      AccElementKind kind = acc_hlo_leaf (node, i);
      AccHloValue value = acc_hlo_fit (self, values[i], acc_hlo_shape_of (node->inputs[0]), part, kind);

      results[i] = acc_hlo_broadcast (self, value, part, dimensions, acc_hlo_shape_of (node), kind);
    }
}

void
acc_hlo_write_slice (AccHlo        *self,
                     AccFusionNode *node,
                     AccHloValue   *results)
{
  const AccSelectionPayload *selection = acc_array_get_selection (node->array);
  AccFusionNode *from = node->inputs[0];
  AccHloValue *values = acc_hlo_get_input (self, node, 0);
  g_autofree gint64 *begin = g_new0 (gint64, from->rank + 1), *extents = g_new0 (gint64, from->rank + 1);
  g_autofree gint64 *wanted_extents = g_new0 (gint64, from->rank + 1);
  AccHloShape part = { from->rank, extents }, wanted = { from->rank, wanted_extents };
  guint n = 0;

  for (guint d = 0; d < selection->n; d++)
    {
      gboolean is_all = selection->entries[d] == ACC_ALL;

      begin[d] = is_all ? 0 : selection->entries[d];
      extents[d] = is_all ? from->extents[d] : 1;
      wanted_extents[d] = is_all ? node->extents[n++] : 1;
    }
  for (guint i = 0; i < acc_hlo_count_leaves (node); i++)
    {
      AccElementKind kind = acc_hlo_leaf (node, i);
      AccHloValue value = acc_hlo_slice (self, values[i], acc_hlo_shape_of (from), begin, part, kind);

      value = acc_hlo_fit (self, value, part, wanted, kind);
      results[i] = acc_hlo_reshape (self, value, wanted, acc_hlo_shape_of (node), kind);
    }
}

void
acc_hlo_write_backpermute (AccHlo        *self,
                           AccFusionNode *node,
                           AccHloValue   *results)
{
  AccFunction *function = node->array->functions[0];
  AccHloShape shape = acc_hlo_shape_of (node);
  guint n = acc_element_type_get_n_leaves (function->body->type);
  g_autofree AccHloValue *from = g_new0 (AccHloValue, n + 1), *index = NULL;
  g_autofree AccHloIndex *items = g_new (AccHloIndex, n + 1);
  AccHloValue mask;
  AccHloParam params[1];

  if (acc_hlo_write_affine (self, node, results))
    return;

  params[0] = index = acc_hlo_index_of (self, shape);
  mask = acc_hlo_mask_rows (self, node, shape);
  acc_hlo_apply (self, function, params, shape, mask, from);
  for (guint d = 0; d < n; d++)
    items[d] = (AccHloIndex) { from[d], acc_element_type_get_leaf (function->body->type, d) };
  acc_hlo_read (self, node->inputs[0]->array, items, FALSE, shape, mask, results);
}
