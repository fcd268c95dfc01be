/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-read.h"

#include "acc-hlo-range.h"
#include "acc-error.h"

/* Reads by index, and what checks see. */

/* @failed_index: NULL, or a scalar i64 that is told. */
static void
note (AccHlo      *self,
      AccHloValue  is_bad,
      AccHloValue  failed_index,
      guint        kind,
      gint64       extent)
{
  const AccHloCheck check = { self->origin, kind, extent };
  AccHloValue none, is_first, number;

  /* It would not be the first. */
  if (g_hash_table_contains (self->noted, is_bad))
    return;

  if (self->text == self->outermost)
    g_hash_table_add (self->noted, (gpointer) is_bad);
  none = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I32, 0);
  g_array_append_val (self->module->checks, check);
  is_first = acc_hlo_compare (self, "EQ", self->failure, none, ACC_HLO_SCALAR, ACC_KIND_I32);
  is_first = acc_hlo_binary (self, "and", is_first, is_bad, ACC_HLO_SCALAR, ACC_KIND_BOOL);
  number = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I32, self->module->checks->len);
  self->failure = acc_hlo_select (self, is_first, number, self->failure, ACC_HLO_SCALAR, ACC_KIND_I32);
  if (failed_index != NULL)
    self->failed_index = acc_hlo_select (self, is_first, failed_index, self->failed_index, ACC_HLO_SCALAR, ACC_KIND_I64);
}

void
acc_hlo_check (AccHlo      *self,
               AccHloValue  bad,
               AccHloShape  shape,
               guint        kind,
               gint64       extent)
{
  if (self->has_checks)
    note (self, acc_hlo_any (self, bad, shape), NULL, kind, extent);
}

/* The same numbers in the type that they had at first. */
static AccHloIndex
make_narrow (AccHlo      *self,
             AccHloIndex  index)
{
  const AccHloWidened *widened = g_hash_table_lookup (self->widened, index.value);

  return widened != NULL ? (AccHloIndex) { widened->value, widened->kind } : index;
}

/* The same numbers as unsigned ones, in which those below 0 are above all extents. */
static AccHloIndex
make_unsigned (AccHlo      *self,
               AccHloIndex  index,
               AccHloShape  shape,
               gint64       extent)
{
  gboolean is_signed = acc_element_kind_is_signed (index.kind);
  gboolean is_wide = acc_element_kind_get_size (index.kind) > 4 || extent > (is_signed ? G_MAXINT32 : (gint64) G_MAXUINT32);
  AccElementKind from = is_signed ? (is_wide ? ACC_KIND_I64 : ACC_KIND_I32) : index.kind;
  AccElementKind to = is_wide ? ACC_KIND_U64 : ACC_KIND_U32;

  index.value = acc_hlo_convert (self, index.value, shape, index.kind, from);
  index.value = is_signed ? acc_hlo_bitcast (self, index.value, shape, from, to) : acc_hlo_convert (self, index.value, shape, from, to);
  index.kind = to;

  return index;
}

/* One pass over the numbers finds the largest, which tells whether one is outside: at @end, a scalar that is @extent, or behind it. */
static void
check_largest (AccHlo      *self,
               AccHloIndex  index,
               gboolean     is_signed,
               gint64       extent,
               AccHloValue  end,
               AccHloShape  shape,
               AccHloValue  mask)
{
  AccHloValue none = acc_hlo_integer (self, ACC_HLO_SCALAR, index.kind, 0), most, is_bad;
  AccElementKind narrow = index.kind == ACC_KIND_U64 ? ACC_KIND_I64 : ACC_KIND_I32;

  if (mask != NULL)
    index.value = acc_hlo_select (self, mask, index.value, acc_hlo_integer (self, shape, index.kind, 0), shape, index.kind);
  most = acc_hlo_reduce_all (self, "maximum", index.value, none, shape, index.kind);
  is_bad = acc_hlo_compare (self, "GE", most, end, ACC_HLO_SCALAR, index.kind);
  if (is_signed || index.kind == ACC_KIND_U64)
    most = acc_hlo_convert (self, acc_hlo_bitcast (self, most, ACC_HLO_SCALAR, index.kind, narrow), ACC_HLO_SCALAR, narrow, ACC_KIND_I64);
  else
    most = acc_hlo_convert (self, most, ACC_HLO_SCALAR, index.kind, ACC_KIND_I64);
  note (self, is_bad, most, ACC_ERROR_BOUNDS, extent);
}

/* Of no elements each index is outside. */
static void
check_none (AccHlo      *self,
            AccHloIndex  index,
            AccHloShape  shape,
            AccHloValue  mask)
{
  AccHloValue least = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, G_MAXINT64);

  if (mask == NULL)
    mask = acc_hlo_integer (self, shape, ACC_KIND_BOOL, 1);
  index.value = acc_hlo_convert (self, index.value, shape, index.kind, ACC_KIND_I64);
  index.value = acc_hlo_select (self, mask, index.value, acc_hlo_spread (self, least, shape, ACC_KIND_I64), shape, ACC_KIND_I64);
  index.value = acc_hlo_reduce_all (self, "minimum", index.value, least, shape, ACC_KIND_I64);
  note (self, acc_hlo_any (self, mask, shape), index.value, ACC_ERROR_BOUNDS, 0);
}

/* Whether it is known that each index is before @extent. */
static gboolean
is_within (AccHlo      *self,
           AccHloIndex  index,
           gint64       extent)
{
  const AccHloRange *range = acc_hlo_get_range (self, index.value);

  return range != NULL && range->least >= 0 && range->most < extent;
}

AccHloValue
acc_hlo_check_index (AccHlo             *self,
                     const AccHloIndex  *index,
                     AccHloShape         array,
                     const AccHloLength *length,
                     AccHloShape         shape,
                     AccHloValue         mask)
{
  AccHloValue all = NULL;

  for (guint d = 0; d < array.rank; d++)
    {
      gint64 extent = array.extents[d];
      gboolean is_rounded = length != NULL && d == 0;
      AccHloIndex narrow, number;
      AccHloValue end, inside;

      if (!is_rounded && is_within (self, index[d], extent))
        continue;
      narrow = make_narrow (self, index[d]);
      number = make_unsigned (self, narrow, shape, extent);
      end = is_rounded ? acc_hlo_convert (self, length->value, ACC_HLO_SCALAR, ACC_KIND_I64, number.kind)
                       : acc_hlo_integer (self, ACC_HLO_SCALAR, number.kind, extent);
      inside = acc_hlo_compare (self, "LT", number.value, acc_hlo_spread (self, end, shape, number.kind), shape, number.kind);
      all = acc_hlo_join_masks (self, all, inside, shape);
      if (self->has_checks && extent == 0)
        check_none (self, index[d], shape, mask);
      else if (self->has_checks)
        check_largest (self, number, acc_element_kind_is_signed (narrow.kind), is_rounded ? length->n : extent, end,
                       shape, mask);
    }

  return all != NULL ? all : acc_hlo_integer (self, shape, ACC_KIND_BOOL, 1);
}

AccHloIndex
acc_hlo_number (AccHlo            *self,
                const AccHloIndex *index,
                AccHloShape        array,
                AccHloShape        shape)
{
  AccElementKind kind = acc_hlo_count (array) <= G_MAXINT32 ? ACC_KIND_I32 : ACC_KIND_I64;
  AccHloValue number = NULL;

  if (array.rank == 1)
    return index[0];

  for (guint d = 0; d < array.rank; d++)
    {
      AccHloValue item = acc_hlo_convert (self, index[d].value, shape, index[d].kind, kind);

      if (number == NULL)
        {
          number = item;
          continue;
        }
      number = acc_hlo_binary (self, "multiply", number, acc_hlo_integer (self, shape, kind, array.extents[d]), shape, kind);
      number = acc_hlo_binary (self, "add", number, item, shape, kind);
    }

  return (AccHloIndex) { number != NULL ? number : acc_hlo_integer (self, shape, kind, 0), kind };
}

void
acc_hlo_gather (AccHlo               *self,
                const AccHloValue    *vectors,
                const AccElementKind *kinds,
                guint                 n,
                gint64                length,
                AccHloIndex           index,
                AccHloShape           shape,
                AccHloValue          *results)
{
  AccElementKind kind = length <= G_MAXINT32 ? ACC_KIND_I32 : ACC_KIND_I64;
  AccHloShape vector = { 1, &length };

  index = make_narrow (self, index);
  index.value = acc_hlo_convert (self, index.value, shape, index.kind, kind);
  for (guint i = 0; i < n; i++)
    {
      AccHloValue from = self->stores_gathered ? acc_hlo_unary (self, "optimization_barrier", vectors[i], vector, kinds[i]) : vectors[i];

      results[i] = acc_hlo_emit (self, "\"stablehlo.gather\"(%s, %s) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], "
                                 "start_index_map = [0], index_vector_dim = %u>, slice_sizes = array<i64: 1>, indices_are_sorted = false}"
                                 " : (%s, %s) -> %s", from, index.value, shape.rank, acc_hlo_type (self, vector, kinds[i]),
                                 acc_hlo_type (self, shape, kind), acc_hlo_type (self, shape, kinds[i]));
    }
}

void
acc_hlo_read (AccHlo            *self,
              AccArray          *array,
              const AccHloIndex *index,
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
  const AccHloLength *length = node != NULL ? acc_hlo_get_length (self, node) : NULL;
  AccHloLength elements;

  g_return_if_fail (values != NULL);

  for (guint i = 0; i < n; i++)
    kinds[i] = acc_element_type_get_leaf (array->type, i);

  if (linear && length != NULL)
    {
      elements = acc_hlo_count_elements (self, node);
      length = &elements;
    }
  if (linear || all.rank > 0)
    acc_hlo_check_index (self, index, linear ? vector : all, length, shape, mask);
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
