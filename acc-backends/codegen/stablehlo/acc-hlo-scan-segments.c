/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-segments.h"

#include "acc-hlo-read.h"

/* Scans of segments: of blocks, in order; of their totals, in the loop; and what is before a block is combined with its elements. */

/* Elements with those before them in their blocks, which are shifted over them one after the other, in order. The barrier keeps compilers
 * from computing elements for each of them, and from looking where they end. */
static void
scan_in_order (AccHlo               *self,
               const AccHloOperator *operator,
               AccHloValue           place,
               gint64                n,
               AccElementKind        kind,
               AccHloValue          *values)
{
  guint n_leaves = operator->n;
  gint64 most = ACC_HLO_BLOCK - 1, none = 0, n_padded = n + most;
  AccHloShape all = { 1, &n }, padded = { 1, &n_padded };
  AccHloValue number = acc_hlo_with_number (self, "and", place, most, n, kind);
  g_autofree AccHloValue *room = g_new (AccHloValue, n_leaves + 1), *so_far = g_new (AccHloValue, n_leaves + 1);
  g_autofree AccHloValue *next = g_new (AccHloValue, n_leaves + 1);

  for (guint i = 0; i < n_leaves; i++)
    {
      room[i] = acc_hlo_pad (self, values[i], all, &most, &none, acc_hlo_integer (self, ACC_HLO_SCALAR, operator->kinds[i], 0),
                             operator->kinds[i]);
      room[i] = acc_hlo_unary (self, "optimization_barrier", room[i], padded, operator->kinds[i]);
      so_far[i] = acc_hlo_slice_in (self, room[i], padded, 0, 0, n, operator->kinds[i]);
    }
  for (gint64 back = most - 1; back >= 0; back--)
    {
      AccHloValue is_first = acc_hlo_compare_number (self, "EQ", number, back, n, kind);
      AccHloValue is_later = acc_hlo_compare_number (self, "GT", number, back, n, kind);

      for (guint i = 0; i < n_leaves; i++)
        next[i] = acc_hlo_slice_in (self, room[i], padded, 0, most - back, n, operator->kinds[i]);
      acc_hlo_combine_where (self, operator, so_far, next, all, is_later, so_far, so_far);
      for (guint i = 0; i < n_leaves; i++)
        so_far[i] = acc_hlo_select (self, is_first, next[i], so_far[i], all, operator->kinds[i]);
    }
  for (guint i = 0; i < n_leaves; i++)
    values[i] = so_far[i];
}

/* Totals of blocks, of elements that have been scanned in them. */
static void
take_totals (AccHlo               *self,
             const AccHloOperator *operator,
             const AccHloSegments *segments,
             const AccHloSegments *blocks,
             const AccHloPlaces   *places,
             const AccHloValue    *scanned,
             AccHloValue          *totals)
{
  AccElementKind kind = segments->kind;
  gint64 n = blocks->n;
  AccHloShape all = { 1, &n };
  AccHloValue first, left, last;

  acc_hlo_find_firsts (self, segments, blocks, places, &first, &left);
  last = acc_hlo_binary (self, "add", first, acc_hlo_with_number (self, "minimum", left, ACC_HLO_BLOCK, n, kind), all, kind);
  acc_hlo_gather (self, scanned, operator->kinds, operator->n, segments->n,
                  (AccHloIndex) { acc_hlo_with_number (self, "subtract", last, 1, n, kind), kind }, all, totals);
}

void
acc_hlo_write_scan_segments (AccHlo        *self,
                             AccFusionNode *node,
                             AccHloValue   *results)
{
  guint n = acc_hlo_count_leaves (node);
  gint64 length = acc_hlo_get_row_length (node), n_segments = node->inputs[1]->size - 1, size = node->size;
  g_autofree AccElementKind *kinds = g_new (AccElementKind, n + 1);
  g_autofree AccHloValue *values = g_new (AccHloValue, n + 1), *before = g_new (AccHloValue, n + 1);
  AccHloOperator operator = { node->array->functions[0], n, kinds };
  AccHloShape all = { 1, &size };
  AccHloSegments segments, blocks;
  AccHloPlaces places, block_places;
  AccHloValue block, mask;

  acc_hlo_take_rows (self, node, length, size, kinds, values);
  if (n_segments > 0)
    {
      segments = acc_hlo_find_segments (self, node, length, n_segments);
      blocks = acc_hlo_cut_blocks (self, &segments);
      places = acc_hlo_place_elements (self, &segments);
      block_places = acc_hlo_place_elements (self, &blocks);
      scan_in_order (self, &operator, places.place, size, segments.kind, values);
      take_totals (self, &operator, &segments, &blocks, &block_places, values, before);
      acc_hlo_reach_all (self, &operator, &blocks, &block_places, TRUE, before);

      block = acc_hlo_gather_integers (self, blocks.begins, blocks.n_segments, places.number, size, segments.kind);
      block = acc_hlo_binary (self, "add", block,
                              acc_hlo_with_number (self, "shift_right_logical", places.place, ACC_HLO_BLOCK_BITS, size, segments.kind), all,
                              segments.kind);
      acc_hlo_gather (self, before, kinds, n, blocks.n,
                      (AccHloIndex) { acc_hlo_with_number (self, "subtract", block, 1, size, segments.kind), segments.kind }, all, before);
      mask = acc_hlo_join_masks (self, acc_hlo_compare_number (self, "GE", places.place, ACC_HLO_BLOCK, size, segments.kind),
                                 acc_hlo_compare_number (self, "GT", places.left, 0, size, segments.kind), all);
      acc_hlo_combine_where (self, &operator, before, values, all, mask, values, values);
    }
  for (guint i = 0; i < n; i++)
    results[i] = acc_hlo_reshape (self, values[i], all, acc_hlo_shape_of (node), kinds[i]);
}
