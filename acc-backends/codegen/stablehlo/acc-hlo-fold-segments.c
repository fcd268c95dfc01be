/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-segments.h"

#include "acc-hlo-expr.h"
#include "acc-hlo-read.h"

/* Folds of segments: blocks of elements, each in order or in pairs, blocks of these, and so on, while they become fewer; then the loop. */

/* Of so many elements, or so many times as many as there are segments, the loop alone takes less. */
#define FEW (1 << 15)

/* Elements of blocks, [ACC_HLO_BLOCK][blocks], of each leaf; @order: which of a block's each row has. Owned. */
static AccHloValue *
take_blocks (AccHlo               *self,
             const AccHloOperator *operator,
             const AccHloSegments *segments,
             const AccHloSegments *blocks,
             AccHloValue           first,
             AccHloValue           order,
             const AccHloValue    *values)
{
  AccElementKind kind = segments->kind;
  AccHloShape all = { 1, &blocks->n }, column = { 1, (gint64[]) { ACC_HLO_BLOCK } },
    matrix = { 2, (gint64[]) { ACC_HLO_BLOCK, blocks->n } };
  AccHloValue *elements = g_new (AccHloValue, operator->n + 1), index;

  index = acc_hlo_binary (self, "add", acc_hlo_broadcast (self, first, all, (gint64[]) { 1 }, matrix, kind),
                          acc_hlo_broadcast (self, order, column, (gint64[]) { 0 }, matrix, kind), matrix, kind);
  acc_hlo_gather (self, values, operator->kinds, operator->n, segments->n, (AccHloIndex) { index, kind }, matrix, elements);

  return elements;
}

/* Written out, as compilers take elements where they are then. */
static void
fold_in_order (AccHlo               *self,
               const AccHloOperator *operator,
               const AccHloSegments *segments,
               const AccHloSegments *blocks,
               AccHloValue           first,
               AccHloValue           left,
               const AccHloValue    *values,
               AccHloValue          *totals)
{
  AccElementKind kind = blocks->kind;
  gint64 n = blocks->n;
  AccHloShape all = { 1, &n };
  g_autofree AccHloValue *next = g_new (AccHloValue, operator->n + 1), *so_far = g_new (AccHloValue, operator->n + 1);

  acc_hlo_gather (self, values, operator->kinds, operator->n, segments->n, (AccHloIndex) { first, kind }, all, so_far);
  for (guint k = 1; k < ACC_HLO_BLOCK; k++)
    {
      acc_hlo_gather (self, values, operator->kinds, operator->n, segments->n,
                      (AccHloIndex) { acc_hlo_with_number (self, "add", first, k, n, kind), kind }, all, next);
      acc_hlo_combine_where (self, operator, so_far, next, all, acc_hlo_compare_number (self, "GT", left, k, n, kind), so_far, so_far);
    }
  for (guint i = 0; i < operator->n; i++)
    totals[i] = so_far[i];
}

/* Pairs of elements of blocks, pairs of pairs, and so on: of halves of rows, in the order of bits from the right. */
static void
fold_in_pairs (AccHlo               *self,
               const AccHloOperator *operator,
               const AccHloSegments *segments,
               const AccHloSegments *blocks,
               AccHloValue           first,
               AccHloValue           left,
               const AccHloValue    *values,
               AccHloValue          *totals)
{
  AccElementKind kind = blocks->kind;
  gint64 n = blocks->n, n_rows = ACC_HLO_BLOCK;
  AccHloShape all = { 1, &n };
  AccHloValue order = acc_hlo_emit (self, "stablehlo.constant dense<[0, 4, 2, 6, 1, 5, 3, 7]> : %s",
                                    acc_hlo_type (self, (AccHloShape) { 1, &n_rows }, kind));
  g_autofree AccHloValue *elements = take_blocks (self, operator, segments, blocks, first, order, values);
  g_autofree AccHloValue *second = g_new (AccHloValue, operator->n + 1);

  while (n_rows > 1)
    {
      gint64 n_pairs = n_rows / 2;
      AccHloShape rows = { 2, (gint64[]) { n_rows, n } }, pairs = { 2, (gint64[]) { n_pairs, n } }, column = { 1, &n_pairs };
      AccHloValue numbers = acc_hlo_slice_in (self, order, (AccHloShape) { 1, (gint64[]) { ACC_HLO_BLOCK } }, 0, n_pairs, n_pairs, kind),
        mask;

      mask = acc_hlo_compare (self, "LT", acc_hlo_broadcast (self, numbers, column, (gint64[]) { 0 }, pairs, kind),
                              acc_hlo_broadcast (self, left, all, (gint64[]) { 1 }, pairs, kind), pairs, kind);
      for (guint i = 0; i < operator->n; i++)
        {
          second[i] = acc_hlo_slice_in (self, elements[i], rows, 0, n_pairs, n_pairs, operator->kinds[i]);
          elements[i] = acc_hlo_slice_in (self, elements[i], rows, 0, 0, n_pairs, operator->kinds[i]);
        }
      acc_hlo_combine_where (self, operator, elements, second, pairs, mask, elements, elements);
      n_rows = n_pairs;
    }
  for (guint i = 0; i < operator->n; i++)
    totals[i] = acc_hlo_reshape (self, elements[i], (AccHloShape) { 2, (gint64[]) { 1, n } }, all, operator->kinds[i]);
}

void
acc_hlo_write_fold_segments (AccHlo        *self,
                             AccFusionNode *node,
                             AccHloValue   *results)
{
  AccArray *array = node->array;
  guint n = acc_hlo_count_leaves (node);
  gint64 length = acc_hlo_get_row_length (node->inputs[0]), n_segments = acc_hlo_get_row_length (node);
  AccHloShape shape = acc_hlo_shape_of (node), all = { 1, &node->size };
  g_autofree AccElementKind *kinds = g_new (AccElementKind, n + 1);
  g_autofree AccHloValue *values = g_new (AccHloValue, n + 1), *seed = g_new (AccHloValue, n + 1), *found = g_new (AccHloValue, n + 1);
  AccHloOperator operator = { array->functions[0], n, kinds };
  AccHloSegments segments;
  AccHloPlaces places;
  AccHloValue first, left, has_elements;
  gboolean is_first = TRUE;

  for (guint i = 0; i < n; i++)
    seed[i] = acc_hlo_integer (self, all, acc_hlo_leaf (node, i), 0);
  if (array->n_functions > 1)
    acc_hlo_apply_closed (self, array->functions[1], all, seed);
  for (guint i = 0; i < n; i++)
    results[i] = acc_hlo_reshape (self, seed[i], all, shape, acc_hlo_leaf (node, i));
  if (length == 0)
    return;

  segments = acc_hlo_find_segments (self, node, length, n_segments);
  has_elements = acc_hlo_compare (self, "LT", segments.begins, segments.ends, all, segments.kind);
  acc_hlo_take_rows (self, node, length, segments.n, kinds, values);
  do
    {
      AccHloSegments blocks = acc_hlo_cut_blocks (self, &segments);

      places = acc_hlo_place_elements (self, &blocks);
      acc_hlo_find_firsts (self, &segments, &blocks, &places, &first, &left);
      if (is_first && acc_hlo_may_reduce (self, array->functions[0]))
        fold_in_order (self, &operator, &segments, &blocks, first, left, values, values);
      else
        fold_in_pairs (self, &operator, &segments, &blocks, first, left, values, values);
      segments = blocks;
      is_first = FALSE;
    }
  while (segments.n > FEW && segments.n > ACC_HLO_BLOCK * segments.n_segments);
  acc_hlo_reach_all (self, &operator, &segments, &places, FALSE, values);

  acc_hlo_gather (self, values, kinds, n, segments.n, (AccHloIndex) { segments.begins, segments.kind }, all, found);
  if (array->n_functions > 1)
    acc_hlo_combine (self, &operator, seed, found, all, has_elements, found);
  for (guint i = 0; i < n; i++)
    results[i] = acc_hlo_reshape (self, acc_hlo_select (self, has_elements, found[i], seed[i], all, kinds[i]), all, shape, kinds[i]);
}
