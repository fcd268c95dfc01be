/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-segments.h"

#include "acc-hlo-expr.h"
#include "acc-hlo-read.h"
#include "acc-hlo-round.h"

typedef struct {
  AccHloOperator base;
  gint64         n;
  AccHloPlaces   places;
  gboolean       backwards;   /* what is combined lies before */
  AccHloValue    longest;     /* a scalar */
  AccElementKind kind;
} Doubling;

AccHloValue
acc_hlo_with_number (AccHlo         *self,
                     const char     *operation,
                     AccHloValue     x,
                     gint64          number,
                     gint64          n,
                     AccElementKind  kind)
{
  AccHloShape shape = { 1, &n };

  return acc_hlo_binary (self, operation, x, acc_hlo_integer (self, shape, kind, number), shape, kind);
}

AccHloValue
acc_hlo_compare_number (AccHlo         *self,
                        const char     *direction,
                        AccHloValue     x,
                        gint64          number,
                        gint64          n,
                        AccElementKind  kind)
{
  AccHloShape shape = { 1, &n };

  return acc_hlo_compare (self, direction, x, acc_hlo_integer (self, shape, kind, number), shape, kind);
}

/* --- which they are */

/* Offsets from number @first on, of @n_segments in each row. */
static AccHloValue
take_offsets (AccHlo              *self,
              const AccFusionNode *offsets,
              AccHloValue          value,
              gint64               first,
              gint64               n_segments)
{
  AccElementKind kind = acc_hlo_leaf (offsets, 0);
  gint64 n = offsets->size - first;

  value = acc_hlo_slice_in (self, value, acc_hlo_shape_of (offsets), 0, first, n, kind);
  value = acc_hlo_fit (self, value, (AccHloShape) { 1, &n }, (AccHloShape) { 1, &n_segments }, kind);

  return acc_hlo_convert (self, value, (AccHloShape) { 1, &n_segments }, kind, ACC_KIND_I64);
}

AccHloSegments
acc_hlo_find_segments (AccHlo        *self,
                       AccFusionNode *node,
                       gint64         length,
                       gint64         n_segments)
{
  AccFusionNode *offsets = node->inputs[1];
  gint64 outer = acc_hlo_count ((AccHloShape) { node->rank - 1, node->extents });
  const AccHloLength *true_length = acc_hlo_get_length (self, offsets);
  g_autofree gint64 *extents = g_memdup2 (node->extents, node->rank * sizeof (gint64));
  AccHloShape row = { 1, &n_segments }, rows = { 2, (gint64[]) { outer, n_segments } }, each = { node->rank, extents };
  AccHloSegments segments = { outer * length, outer * n_segments };
  AccHloShape all = { 1, &segments.n_segments };
  AccHloValue value = acc_hlo_get_input (self, node, 1)[0], bounds[2], number, end, begin, mask;

  segments.kind = segments.n + ACC_HLO_BLOCK * segments.n_segments <= G_MAXINT32 ? ACC_KIND_I32 : ACC_KIND_I64;
  bounds[0] = take_offsets (self, offsets, value, 0, n_segments);
  bounds[1] = take_offsets (self, offsets, value, 1, n_segments);
  if (true_length != NULL || n_segments > offsets->size - 1)
    {
      end = true_length != NULL ? true_length->value : acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, offsets->size);
      number = acc_hlo_with_number (self, "add", acc_hlo_iota (self, row, 0, ACC_KIND_I64), 1, n_segments, ACC_KIND_I64);
      mask = acc_hlo_compare (self, "LT", number, acc_hlo_spread (self, end, row, ACC_KIND_I64), row, ACC_KIND_I64);
      bounds[1] = acc_hlo_select (self, mask, bounds[1], bounds[0], row, ACC_KIND_I64);
    }
  for (guint i = 0; i < 2; i++)
    {
      bounds[i] = acc_hlo_convert (self, bounds[i], row, ACC_KIND_I64, segments.kind);
      if (outer == 1)
        continue;
      bounds[i] = acc_hlo_broadcast (self, bounds[i], row, (gint64[]) { 1 }, rows, segments.kind);
      begin = acc_hlo_binary (self, "multiply", acc_hlo_iota (self, rows, 0, segments.kind),
                              acc_hlo_integer (self, rows, segments.kind, length), rows, segments.kind);
      bounds[i] = acc_hlo_binary (self, "add", bounds[i], begin, rows, segments.kind);
      bounds[i] = acc_hlo_reshape (self, bounds[i], rows, all, segments.kind);
    }
  segments.begins = bounds[0];
  segments.ends = bounds[1];
  /* What is in rows that are not there must not fail. */
  extents[node->rank - 1] = n_segments;
  mask = node->rank > 1 ? acc_hlo_mask_rows (self, node, each) : NULL;
  if (mask != NULL)
    segments.ends = acc_hlo_select (self, acc_hlo_reshape (self, mask, each, all, ACC_KIND_BOOL), segments.ends, segments.begins, all,
                                    segments.kind);

  return segments;
}

/* --- where elements are in them */

AccHloValue
acc_hlo_gather_integers (AccHlo         *self,
                         AccHloValue     vector,
                         gint64          length,
                         AccHloValue     index,
                         gint64          n,
                         AccElementKind  kind)
{
  AccHloValue result;

  acc_hlo_gather (self, &vector, &kind, 1, length, (AccHloIndex) { index, kind }, (AccHloShape) { 1, &n }, &result);

  return result;
}

static AccHloValue
number_elements (AccHlo               *self,
                 const AccHloSegments *segments)
{
  AccElementKind kind = segments->kind;
  gint64 n = segments->n, n_segments = segments->n_segments;
  AccHloShape each = { 1, &n_segments }, all = { 1, &n };
  AccHloValue is_empty = acc_hlo_compare (self, "GE", segments->begins, segments->ends, each, kind);
  AccHloValue begins = acc_hlo_select (self, is_empty, acc_hlo_integer (self, each, kind, n), segments->begins, each, kind);
  AccHloValue marks = acc_hlo_scatter (self, kind, ACC_PRIM_MAX, acc_hlo_integer (self, all, kind, -1), n,
                                       acc_hlo_convert (self, begins, each, kind, ACC_KIND_I64), acc_hlo_iota (self, each, 0, kind),
                                       n_segments);

  return acc_hlo_scan_rows (self, ACC_PRIM_MAX, marks, all, kind);
}

AccHloPlaces
acc_hlo_place_elements (AccHlo               *self,
                        const AccHloSegments *segments)
{
  AccElementKind kind = segments->kind;
  gint64 n = segments->n, n_segments = segments->n_segments;
  AccHloShape all = { 1, &n };
  AccHloPlaces places = { number_elements (self, segments) };
  AccHloValue index = acc_hlo_iota (self, all, 0, kind);
  AccHloValue end = acc_hlo_gather_integers (self, segments->ends, n_segments, places.number, n, kind);

  end = acc_hlo_select (self, acc_hlo_compare_number (self, "GE", places.number, 0, n, kind), end, acc_hlo_integer (self, all, kind, 0),
                        all, kind);
  places.place = acc_hlo_binary (self, "subtract", index,
                                 acc_hlo_gather_integers (self, segments->begins, n_segments, places.number, n, kind), all, kind);
  places.left = acc_hlo_binary (self, "subtract", end, index, all, kind);

  return places;
}

AccHloSegments
acc_hlo_cut_blocks (AccHlo               *self,
                    const AccHloSegments *segments)
{
  AccElementKind kind = segments->kind;
  gint64 n_segments = segments->n_segments;
  AccHloShape each = { 1, &n_segments };
  AccHloSegments blocks = { MAX ((segments->n + (ACC_HLO_BLOCK - 1) * n_segments) / ACC_HLO_BLOCK, 1), n_segments, kind };
  AccHloValue number = acc_hlo_with_number (self, "multiply", acc_hlo_iota (self, each, 0, kind), ACC_HLO_BLOCK - 1, n_segments, kind),
    length;

  blocks.begins = acc_hlo_binary (self, "add", segments->begins, number, each, kind);
  blocks.begins = acc_hlo_with_number (self, "shift_right_logical", blocks.begins, ACC_HLO_BLOCK_BITS, n_segments, kind);
  length = acc_hlo_binary (self, "subtract", segments->ends, segments->begins, each, kind);
  length = acc_hlo_with_number (self, "add", length, ACC_HLO_BLOCK - 1, n_segments, kind);
  length = acc_hlo_with_number (self, "shift_right_logical", length, ACC_HLO_BLOCK_BITS, n_segments, kind);
  blocks.ends = acc_hlo_binary (self, "add", blocks.begins, length, each, kind);

  return blocks;
}

void
acc_hlo_find_firsts (AccHlo               *self,
                     const AccHloSegments *segments,
                     const AccHloSegments *blocks,
                     const AccHloPlaces   *places,
                     AccHloValue          *first,
                     AccHloValue          *left)
{
  AccElementKind kind = segments->kind;
  gint64 n = blocks->n, n_segments = segments->n_segments;
  AccHloShape all = { 1, &n };
  AccHloValue begin = acc_hlo_gather_integers (self, segments->begins, n_segments, places->number, n, kind);
  AccHloValue end = acc_hlo_gather_integers (self, segments->ends, n_segments, places->number, n, kind);
  AccHloValue is_there = acc_hlo_compare_number (self, "GT", places->left, 0, n, kind);

  *first = acc_hlo_binary (self, "add", acc_hlo_with_number (self, "multiply", places->place, ACC_HLO_BLOCK, n, kind), begin, all, kind);
  *left = acc_hlo_binary (self, "subtract", end, *first, all, kind);
  *left = acc_hlo_select (self, is_there, *left, acc_hlo_integer (self, all, kind, 0), all, kind);
}

/* --- combined */

void
acc_hlo_combine_where (AccHlo               *self,
                       const AccHloOperator *operator,
                       const AccHloValue    *x,
                       const AccHloValue    *y,
                       AccHloShape           shape,
                       AccHloValue           mask,
                       const AccHloValue    *others,
                       AccHloValue          *results)
{
  g_autofree AccHloValue *both = g_new (AccHloValue, operator->n + 1);

  acc_hlo_combine (self, operator, x, y, shape, mask, both);
  for (guint i = 0; i < operator->n; i++)
    results[i] = acc_hlo_select (self, mask, both[i], others[i], shape, operator->kinds[i]);
}

static AccHloValue
is_short (AccHlo            *self,
          const AccHloValue *values,
          gpointer           data)
{
  const Doubling *doubling = data;

  return acc_hlo_compare (self, "LT", values[0], doubling->longest, ACC_HLO_SCALAR, doubling->kind);
}

/* The values: how many elements each has come to, and what. */
static void
reach_twice (AccHlo      *self,
             AccHloValue *values,
             gpointer     data)
{
  const Doubling *doubling = data;
  guint n_leaves = doubling->base.n;
  AccElementKind kind = doubling->kind;
  gint64 n = doubling->n, wide = 2 * n;
  AccHloShape all = { 1, &n }, padded = { 1, &wide };
  g_autofree AccHloValue *others = g_new (AccHloValue, n_leaves + 1);
  AccHloValue begin = values[0], *own = values + 1, reach = acc_hlo_spread (self, values[0], all, kind), mask;

  if (doubling->backwards)
    begin = acc_hlo_binary (self, "subtract", acc_hlo_integer (self, ACC_HLO_SCALAR, kind, n), begin, ACC_HLO_SCALAR, kind);
  for (guint i = 0; i < n_leaves; i++)
    {
      AccElementKind leaf = doubling->base.kinds[i];
      gint64 none = 0, more = n;
      AccHloValue room = acc_hlo_pad (self, own[i], all, doubling->backwards ? &more : &none, doubling->backwards ? &none : &more,
                                      acc_hlo_integer (self, ACC_HLO_SCALAR, leaf, 0), leaf);

      others[i] = acc_hlo_emit (self, "stablehlo.dynamic_slice %s, %s, sizes = [%" G_GINT64_FORMAT "] : (%s, %s) -> %s", room, begin, n,
                                acc_hlo_type (self, padded, leaf), acc_hlo_type (self, ACC_HLO_SCALAR, kind),
                                acc_hlo_type (self, all, leaf));
    }
  mask = doubling->backwards ? acc_hlo_compare (self, "LE", reach, doubling->places.place, all, kind)
                             : acc_hlo_compare (self, "LT", reach, doubling->places.left, all, kind);
  if (doubling->backwards)
    mask = acc_hlo_join_masks (self, mask, acc_hlo_compare_number (self, "GT", doubling->places.left, 0, n, kind), all);
  acc_hlo_combine_where (self, &doubling->base, doubling->backwards ? others : own, doubling->backwards ? own : others, all, mask, own,
                         own);
  values[0] = acc_hlo_binary (self, "add", values[0], values[0], ACC_HLO_SCALAR, kind);
}

void
acc_hlo_reach_all (AccHlo               *self,
                   const AccHloOperator *operator,
                   const AccHloSegments *segments,
                   const AccHloPlaces   *places,
                   gboolean              backwards,
                   AccHloValue          *values)
{
  guint n_leaves = operator->n;
  AccElementKind kind = segments->kind;
  AccHloShape each = { 1, &segments->n_segments }, all = { 1, &segments->n };
  Doubling doubling = { *operator, segments->n, *places, backwards, NULL, kind };
  AccHloCarry carry = { 1 + n_leaves, g_new (AccHloValue, 1 + n_leaves), g_new (const char *, 1 + n_leaves) };
  AccHloValue lengths = acc_hlo_binary (self, "subtract", segments->ends, segments->begins, each, kind);

  /* Where offsets are wrong, which is an error, it ends, too. */
  lengths = acc_hlo_with_number (self, "minimum", lengths, segments->n, segments->n_segments, kind);
  doubling.longest = acc_hlo_reduce_all (self, "maximum", lengths, acc_hlo_integer (self, ACC_HLO_SCALAR, kind, 0), each, kind);
  carry.values[0] = acc_hlo_integer (self, ACC_HLO_SCALAR, kind, 1);
  carry.types[0] = acc_hlo_type (self, ACC_HLO_SCALAR, kind);
  for (guint i = 0; i < n_leaves; i++)
    {
      carry.values[1 + i] = values[i];
      carry.types[1 + i] = acc_hlo_type (self, all, operator->kinds[i]);
    }
  acc_hlo_while (self, &carry, is_short, reach_twice, &doubling);
  for (guint i = 0; i < n_leaves; i++)
    values[i] = carry.values[1 + i];
  g_free (carry.values);
  g_free (carry.types);
}

void
acc_hlo_take_rows (AccHlo         *self,
                   AccFusionNode  *node,
                   gint64          length,
                   gint64          n,
                   AccElementKind *kinds,
                   AccHloValue    *values)
{
  g_autofree gint64 *extents = g_memdup2 (node->extents, node->rank * sizeof (gint64));
  AccHloShape shape = { node->rank, extents };
  g_autofree AccHloValue *input = NULL;

  extents[node->rank - 1] = length;
  input = acc_hlo_crop_input (self, node, 0, shape);
  for (guint i = 0; i < acc_hlo_count_leaves (node); i++)
    {
      kinds[i] = acc_hlo_leaf (node, i);
      values[i] = acc_hlo_reshape (self, input[i], shape, (AccHloShape) { 1, &n }, kinds[i]);
    }
}
