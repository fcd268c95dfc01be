/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-read.h"

#include "acc-error.h"

/* Reads by index, and what checks see. */

void
acc_hlo_check (AccHlo      *self,
               AccHloValue  bad,
               AccHloValue  index,
               AccHloShape  shape,
               guint        kind,
               gint64       extent)
{
  const AccHloCheck check = { self->origin, kind, extent };
  AccHloValue most, is_bad, is_first, number, none;

  if (!self->has_checks)
    return;

  g_array_append_val (self->module->checks, check);
  is_bad = acc_hlo_any (self, bad, shape);
  none = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I32, 0);
  is_first = acc_hlo_compare (self, "EQ", self->failure, none, ACC_HLO_SCALAR, ACC_KIND_I32);
  is_first = acc_hlo_binary (self, "and", is_first, is_bad, ACC_HLO_SCALAR, ACC_KIND_BOOL);
  number = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I32, self->module->checks->len);
  self->failure = acc_hlo_select (self, is_first, number, self->failure, ACC_HLO_SCALAR, ACC_KIND_I32);
  if (index == NULL)
    return;

  most = acc_hlo_integer (self, shape, ACC_KIND_I64, G_MAXINT64);
  index = acc_hlo_select (self, bad, index, most, shape, ACC_KIND_I64);
  index = acc_hlo_reduce_all (self, "minimum", index, acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, G_MAXINT64), shape,
                              ACC_KIND_I64);
  self->failed_index = acc_hlo_select (self, is_first, index, self->failed_index, ACC_HLO_SCALAR, ACC_KIND_I64);
}

AccHloValue
acc_hlo_check_index (AccHlo            *self,
                     const AccHloValue *index,
                     AccHloShape        array,
                     AccHloShape        shape,
                     AccHloValue        mask)
{
  AccHloValue all = NULL;

  for (guint d = 0; d < array.rank; d++)
    {
      AccHloValue extent = acc_hlo_integer (self, shape, ACC_KIND_U64, array.extents[d]), inside, bad;

      inside = acc_hlo_bitcast (self, index[d], shape, ACC_KIND_I64, ACC_KIND_U64);
      inside = acc_hlo_compare (self, "LT", inside, extent, shape, ACC_KIND_U64);
      all = acc_hlo_join_masks (self, all, inside, shape);
      if (!self->has_checks)
        continue;
      bad = acc_hlo_unary (self, "not", inside, shape, ACC_KIND_BOOL);
      acc_hlo_check (self, acc_hlo_join_masks (self, mask, bad, shape), index[d], shape, ACC_ERROR_BOUNDS, array.extents[d]);
    }

  return all != NULL ? all : acc_hlo_integer (self, shape, ACC_KIND_BOOL, 1);
}

AccHloValue
acc_hlo_number (AccHlo            *self,
                const AccHloValue *index,
                AccHloShape        array,
                AccHloShape        shape)
{
  AccHloValue number = array.rank > 0 ? index[0] : acc_hlo_integer (self, shape, ACC_KIND_I64, 0);

  for (guint d = 1; d < array.rank; d++)
    {
      AccHloValue extent = acc_hlo_integer (self, shape, ACC_KIND_I64, array.extents[d]);

      number = acc_hlo_binary (self, "multiply", number, extent, shape, ACC_KIND_I64);
      number = acc_hlo_binary (self, "add", number, index[d], shape, ACC_KIND_I64);
    }

  return number;
}

void
acc_hlo_gather (AccHlo               *self,
                const AccHloValue    *vectors,
                const AccElementKind *kinds,
                guint                 n,
                gint64                length,
                AccHloValue           index,
                AccHloShape           shape,
                AccHloValue          *results)
{
  AccElementKind kind = length <= G_MAXINT32 ? ACC_KIND_I32 : ACC_KIND_I64;
  AccHloShape vector = { 1, &length };

  index = acc_hlo_convert (self, index, shape, ACC_KIND_I64, kind);
  for (guint i = 0; i < n; i++)
    results[i] = acc_hlo_emit (self, "\"stablehlo.gather\"(%s, %s) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], "
                               "start_index_map = [0], index_vector_dim = %u>, slice_sizes = array<i64: 1>, indices_are_sorted = false}"
                               " : (%s, %s) -> %s", vectors[i], index, shape.rank, acc_hlo_type (self, vector, kinds[i]),
                               acc_hlo_type (self, shape, kind), acc_hlo_type (self, shape, kinds[i]));
}

void
acc_hlo_read (AccHlo            *self,
              AccArray          *array,
              const AccHloValue *index,
              gboolean           linear,
              AccHloShape        shape,
              AccHloValue        mask,
              AccHloValue       *results)
{
  AccFusionNode *node = acc_fusion_graph_get (self->graph, array);
  AccHloValue *values = node != NULL ? g_hash_table_lookup (self->values, node) : NULL;
  guint n = acc_element_type_get_n_leaves (array->type);
  AccHloShape all = { node->rank, node->extents }, vector = { 1, &node->size };
  g_autofree AccElementKind *kinds = g_new (AccElementKind, n + 1);
  g_autofree AccHloValue *vectors = g_new (AccHloValue, n + 1);

  g_return_if_fail (values != NULL);

  for (guint i = 0; i < n; i++)
    kinds[i] = acc_element_type_get_leaf (array->type, i);

  if (linear || all.rank > 0)
    acc_hlo_check_index (self, index, linear ? vector : all, shape, mask);
  for (guint i = 0; i < n; i++)
    if (node->size == 0)
      results[i] = acc_hlo_integer (self, shape, kinds[i], 0);
    else if (all.rank == 0)
      results[i] = acc_hlo_spread (self, values[i], shape, kinds[i]);
    else
      vectors[i] = acc_hlo_reshape (self, values[i], all, vector, kinds[i]);
  if (node->size > 0 && all.rank > 0)
    acc_hlo_gather (self, vectors, kinds, n, node->size, linear ? index[0] : acc_hlo_number (self, index, all, shape), shape, results);
}
