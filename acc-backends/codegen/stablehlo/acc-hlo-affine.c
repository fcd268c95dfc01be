/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-affine.h"

#include "acc-hlo-array.h"
#include "acc-hlo-round.h"
#include "acc-backends/fuse/acc-function-facts.h"

/* Of what fills a dimension up to a length that a run tells, the extent is none. */
static gboolean
get_extent (AccArray *array,
            guint     dimension,
            gint64   *extent,
            gpointer  data)
{
  AccHlo *self = data;
  AccFusionNode *node = acc_fusion_graph_get (self->graph, array);

  if (dimension == 0 && acc_hlo_get_length (self, node) != NULL)
    return FALSE;
  *extent = node->extents[dimension];

  return TRUE;
}

/* Whether all indices step by 1 or -1 and are inside, and no dimension of the result is met twice. What is mirrored ends where the true
 * extents do. */
static gboolean
check (AccHlo          *self,
       AccFusionNode   *node,
       const AccAffine *affine)
{
  AccFusionNode *from = node->inputs[0];
  guint64 seen = 0;

  for (guint d = 0; d < from->rank; d++)
    {
      gint64 length = affine[d].step != 0 ? acc_hlo_true_extent (self, node, affine[d].dimension) : 1;
      gint64 extent = acc_hlo_true_extent (self, from, d);
      gint64 first = affine[d].step < 0 ? affine[d].offset - (length - 1) : affine[d].offset;

      if (affine[d].step < -1 || affine[d].step > 1 || affine[d].offset < -extent || affine[d].offset > 2 * extent || first < 0
          || first + length > extent)
        return FALSE;
      if (affine[d].step < 0 && affine[d].dimension == 0 && acc_hlo_get_length (self, node) != NULL)
        return FALSE;
      if (affine[d].step == 0)
        continue;
      if (affine[d].dimension >= 64 || (seen >> affine[d].dimension & 1))
        return FALSE;
      seen |= G_GUINT64_CONSTANT (1) << affine[d].dimension;
    }

  return TRUE;
}

/* The part of one leaf, with dimensions as the input has them; what is mirrored is. */
static AccHloValue
cut (AccHlo          *self,
     AccFusionNode   *node,
     const AccAffine *affine,
     AccHloShape      part,
     AccHloValue      x,
     AccElementKind   kind)
{
  AccFusionNode *from = node->inputs[0];
  g_autofree gint64 *begin = g_new0 (gint64, from->rank + 1), *mirrored = g_new0 (gint64, from->rank + 1);
  g_autofree gint64 *there_extents = g_new0 (gint64, from->rank + 1);
  AccHloShape there = { from->rank, there_extents };
  guint n = 0;

  for (guint d = 0; d < from->rank; d++)
    {
      begin[d] = affine[d].step < 0 ? affine[d].offset - (part.extents[d] - 1) : affine[d].offset;
      if (affine[d].step < 0)
        mirrored[n++] = d;
      there_extents[d] = MIN (part.extents[d], from->extents[d] - begin[d]);
    }
  x = acc_hlo_slice (self, x, acc_hlo_shape_of (from), begin, there, kind);
  x = acc_hlo_fit (self, x, there, part, kind);
  if (n > 0)
    {
      g_autofree char *list = acc_hlo_join (mirrored, n);

      x = acc_hlo_emit (self, "stablehlo.reverse %s, dims = [%s] : %s", x, list, acc_hlo_type (self, part, kind));
    }

  return x;
}

gboolean
acc_hlo_write_affine (AccHlo        *self,
                      AccFusionNode *node,
                      AccHloValue   *results)
{
  AccFusionNode *from = node->inputs[0];
  AccFunction *function = node->array->functions[0];
  g_autofree AccAffine *affine = g_new0 (AccAffine, from->rank + 1);
  g_autofree gint64 *cut_extents = g_new0 (gint64, from->rank + 1), *turned_extents = g_new0 (gint64, from->rank + 1);
  g_autofree gint64 *order = g_new0 (gint64, from->rank + 1), *dimensions = g_new0 (gint64, from->rank + 1);
  AccHloShape kept = { 0, cut_extents }, turned = { 0, turned_extents };
  g_autofree gint64 *part_extents = g_new0 (gint64, from->rank + 1), *places = g_new0 (gint64, from->rank + 1);
  AccHloShape part = { from->rank, part_extents };
  gboolean is_turned = FALSE;

  for (guint d = 0; d < from->rank; d++)
    if (acc_element_type_get_leaf (function->body->type, d) != ACC_KIND_I64
        || !acc_expr_find_affine (function->body, d, function->params[0], get_extent, self, &affine[d]))
      return FALSE;
  if (!check (self, node, affine))
    return FALSE;

  for (guint d = 0; d < from->rank; d++)
    {
      part_extents[d] = affine[d].step != 0 ? node->extents[affine[d].dimension] : 1;
      if (affine[d].step == 0)
        continue;
      places[kept.rank] = affine[d].dimension;
      cut_extents[kept.rank++] = part_extents[d];
    }
  /* In the order of the result. */
  for (guint k = 0; k < node->rank; k++)
    for (guint i = 0; i < kept.rank; i++)
      if (places[i] == k)
        {
          is_turned |= i != turned.rank;
          order[turned.rank] = i;
          dimensions[turned.rank] = k;
          turned_extents[turned.rank++] = cut_extents[i];
        }

  for (guint i = 0; i < acc_hlo_count_leaves (node); i++)
    {
      AccElementKind kind = acc_hlo_leaf (node, i);
      AccHloValue x = cut (self, node, affine, part, acc_hlo_get_input (self, node, 0)[i], kind);

      x = acc_hlo_reshape (self, x, part, kept, kind);
      if (is_turned)
        x = acc_hlo_transpose (self, x, kept, order, turned, kind);
      results[i] = acc_hlo_broadcast (self, x, turned, dimensions, acc_hlo_shape_of (node), kind);
    }

  return TRUE;
}
