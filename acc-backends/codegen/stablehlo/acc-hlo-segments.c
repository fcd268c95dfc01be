/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-array.h"

#include "acc-hlo-expr.h"
#include "acc-hlo-primitive.h"
#include "acc-hlo-read.h"
#include "acc-hlo-round.h"
#include "acc-hlo-scan-tree.h"

/* Folds of the segments of a vector, by operators that are primitives: the ends of a scan that begins anew with each segment. It is of
 * pairs: whether a segment has begun, and the elements since. */

/* (a, x) and (b, y): (a or b, y where b is true, else x with y) */
static void
combine_pairs (AccHlo            *self,
               const AccHloValue *x,
               const AccHloValue *y,
               AccHloShape        shape,
               AccHloValue       *results,
               gpointer           data)
{
  const AccHloOperator *operator = data;

  acc_hlo_combine (self, operator, x + 1, y + 1, shape, NULL, results + 1);
  for (guint i = 0; i < operator->n; i++)
    results[1 + i] = acc_hlo_select (self, y[0], y[1 + i], results[1 + i], shape, operator->kinds[i]);
  results[0] = acc_hlo_binary (self, "or", x[0], y[0], shape, ACC_KIND_BOOL);
}

/* Which of @n elements are the first ones of segments. Several segments may begin there, of which all but the last are empty. */
static AccHloValue
mark_begins (AccHlo      *self,
             AccHloValue  begins,
             gint64       n_segments,
             gint64       n)
{
  AccHloShape segments = { 1, &n_segments }, all = { 1, &n };
  AccHloValue marks = acc_hlo_scatter (self, ACC_KIND_I32, ACC_PRIM_MAX, acc_hlo_integer (self, all, ACC_KIND_I32, 0), n, begins,
                                       acc_hlo_integer (self, segments, ACC_KIND_I32, 1), n_segments);

  return acc_hlo_compare (self, "NE", marks, acc_hlo_integer (self, all, ACC_KIND_I32, 0), all, ACC_KIND_I32);
}

/* Offsets from number @first on, as many as there are segments; where rows are rounded up, behind the end those of empty segments there. */
static AccHloValue
take_offsets (AccHlo        *self,
              AccFusionNode *node,
              gint64         first)
{
  AccFusionNode *offsets = node->inputs[1];
  AccHloShape all = acc_hlo_shape_of (offsets), segments = acc_hlo_shape_of (node);
  AccHloValue value = acc_hlo_get_input (self, node, 1)[0], mask = acc_hlo_mask_rows (self, offsets, all);
  AccElementKind kind = acc_hlo_leaf (offsets, 0);
  gint64 n = offsets->size - first;

  value = acc_hlo_convert (self, value, all, kind, ACC_KIND_I64);
  if (mask != NULL)
    value = acc_hlo_select (self, mask, value, acc_hlo_integer (self, all, ACC_KIND_I64, node->inputs[0]->size), all, ACC_KIND_I64);
  value = acc_hlo_slice_in (self, value, all, 0, first, n, ACC_KIND_I64);
  if (n == node->size)
    return value;

  value = acc_hlo_fit (self, value, (AccHloShape) { 1, &n }, segments, ACC_KIND_I64);
  mask = acc_hlo_compare (self, "LT", acc_hlo_iota (self, segments, 0, ACC_KIND_I64), acc_hlo_integer (self, segments, ACC_KIND_I64, n),
                          segments, ACC_KIND_I64);

  return acc_hlo_select (self, mask, value, acc_hlo_integer (self, segments, ACC_KIND_I64, node->inputs[0]->size), segments, ACC_KIND_I64);
}

void
acc_hlo_write_fold_segments (AccHlo        *self,
                             AccFusionNode *node,
                             AccHloValue   *results)
{
  AccArray *array = node->array;
  guint n = acc_hlo_count_leaves (node);
  gint64 length = node->inputs[0]->size;
  AccHloShape segments = acc_hlo_shape_of (node);
  g_autofree AccElementKind *kinds = g_new (AccElementKind, n + 2);
  g_autofree AccHloValue *values = g_new (AccHloValue, n + 2), *seed = g_new (AccHloValue, n + 1), *found = g_new (AccHloValue, n + 1);
  AccHloOperator operator = { array->functions[0], n, kinds + 1 };
  AccHloValue begins, ends, has_elements, last;

  kinds[0] = ACC_KIND_BOOL;
  for (guint i = 0; i < n; i++)
    {
      kinds[1 + i] = acc_hlo_leaf (node, i);
      values[1 + i] = acc_hlo_get_input (self, node, 0)[i];
      seed[i] = acc_hlo_integer (self, segments, kinds[1 + i], 0);
    }
  if (array->n_functions > 1)
    acc_hlo_apply_closed (self, array->functions[1], segments, seed);
  for (guint i = 0; i < n; i++)
    results[i] = seed[i];
  if (length == 0)
    return;

  begins = take_offsets (self, node, 0);
  ends = take_offsets (self, node, 1);
  values[0] = mark_begins (self, begins, node->size, length);
  acc_hlo_scan_tree (self, kinds, n + 1, length, combine_pairs, &operator, values);
  last = acc_hlo_binary (self, "subtract", ends, acc_hlo_integer (self, segments, ACC_KIND_I64, 1), segments, ACC_KIND_I64);
  acc_hlo_gather (self, values + 1, kinds + 1, n, length, (AccHloIndex) { last, ACC_KIND_I64 }, segments, found);
  has_elements = acc_hlo_compare (self, "LT", begins, ends, segments, ACC_KIND_I64);
  if (array->n_functions > 1)
    acc_hlo_combine (self, &operator, seed, found, segments, NULL, found);
  for (guint i = 0; i < n; i++)
    results[i] = acc_hlo_select (self, has_elements, found[i], seed[i], segments, kinds[1 + i]);
}
