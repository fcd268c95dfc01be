/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-array.h"

/* Products of matrices and Fourier transforms, which StableHLO has as they are. */

/* --- products */

/* One real product: of extents [outer …, m, k] and [outer …, k, n], either without the outer ones. */
static AccHloValue
multiply (AccHlo         *self,
          AccFusionNode  *node,
          AccHloValue     x,
          AccHloValue     y,
          AccElementKind  kind)
{
  AccHloShape left = acc_hlo_shape_of (node->inputs[0]), right = acc_hlo_shape_of (node->inputs[1]), result = acc_hlo_shape_of (node);
  guint n_outer = left.rank == right.rank ? left.rank - 2 : 0;
  g_autofree gint64 *numbers = g_new (gint64, result.rank), *turned = g_new (gint64, result.rank), *order = g_new (gint64, result.rank);
  g_autofree char *outer = NULL;
  AccHloShape made = result;
  const char *type;

  for (guint d = 0; d < result.rank; d++)
    numbers[d] = d;
  outer = acc_hlo_join (numbers, n_outer);
  if (right.rank > left.rank)
    {
      /* What the left one has is in front. */
      guint rest = result.rank - 2;

      turned[0] = result.extents[rest];
      for (guint d = 0; d < rest; d++)
        {
          turned[1 + d] = result.extents[d];
          order[d] = 1 + d;
        }
      turned[rest + 1] = result.extents[rest + 1];
      order[rest] = 0;
      order[rest + 1] = rest + 1;
      made.extents = turned;
    }
  type = acc_hlo_type (self, made, kind);
  x = acc_hlo_emit (self, "stablehlo.dot_general %s, %s, batching_dims = [%s] x [%s], contracting_dims = [%u] x [%u], "
                    "precision = [HIGHEST, HIGHEST] : (%s, %s) -> %s", x, y, outer, outer, left.rank - 1, right.rank - 2,
                    acc_hlo_type (self, left, kind), acc_hlo_type (self, right, kind), type);

  return right.rank > left.rank ? acc_hlo_transpose (self, x, made, order, result, kind) : x;
}

/* f2 is added up as f4, as compilers do that have it, and none with fewer bits. */
static AccElementKind
widen (AccHlo              *self,
       const AccFusionNode *node,
       const AccHloValue   *values,
       AccElementKind       kind,
       AccHloValue         *wide)
{
  AccElementKind to = kind == ACC_KIND_F16 ? ACC_KIND_F32 : kind;

  for (guint i = 0; i < acc_hlo_count_leaves (node); i++)
    wide[i] = acc_hlo_convert (self, values[i], acc_hlo_shape_of (node), kind, to);

  return to;
}

void
acc_hlo_write_product (AccHlo        *self,
                       AccFusionNode *node,
                       AccHloValue   *results)
{
  AccHloShape shape = acc_hlo_shape_of (node);
  AccElementKind kind = acc_hlo_leaf (node, 0), wide;
  AccHloValue x[2], y[2];

  widen (self, node->inputs[0], acc_hlo_get_input (self, node, 0), kind, x);
  wide = widen (self, node->inputs[1], acc_hlo_get_input (self, node, 1), kind, y);
  results[0] = multiply (self, node, x[0], y[0], wide);
  if (acc_hlo_count_leaves (node) > 1)
    {
      results[0] = acc_hlo_binary (self, "subtract", results[0], multiply (self, node, x[1], y[1], wide), shape, wide);
      results[1] = acc_hlo_binary (self, "add", multiply (self, node, x[0], y[1], wide), multiply (self, node, x[1], y[0], wide), shape,
                                   wide);
    }
  for (guint i = 0; i < acc_hlo_count_leaves (node); i++)
    results[i] = acc_hlo_convert (self, results[i], shape, wide, kind);
}

/* --- transforms */

/* Exchanges a dimension and the last one. */
static AccHloValue
swap_last (AccHlo         *self,
           AccHloValue     x,
           AccHloShape     from,
           guint           dimension,
           AccHloShape     to,
           AccElementKind  kind)
{
  g_autofree gint64 *order = g_new (gint64, from.rank);

  if (dimension == from.rank - 1)
    return x;

  for (guint d = 0; d < from.rank; d++)
    order[d] = d;
  order[dimension] = from.rank - 1;
  order[from.rank - 1] = dimension;

  return acc_hlo_transpose (self, x, from, order, to, kind);
}

/* Along the last dimension, of real and imaginary parts. */
static void
transform_last (AccHlo         *self,
                AccHloValue    *parts,
                AccHloShape     shape,
                AccElementKind  kind)
{
  const char *type = acc_hlo_complex_type (self, shape, kind);
  AccHloValue number = acc_hlo_emit (self, "stablehlo.complex %s, %s : %s", parts[0], parts[1], type);

  number = acc_hlo_emit (self, "stablehlo.fft %s, type = FFT, length = [%" G_GINT64_FORMAT "] : (%s) -> %s", number,
                         shape.extents[shape.rank - 1], type, type);
  for (guint i = 0; i < 2; i++)
    parts[i] = acc_hlo_emit (self, "stablehlo.%s %s : (%s) -> %s", i == 0 ? "real" : "imag", number, type,
                             acc_hlo_type (self, shape, kind));
}

typedef struct {
  gint64         extents[2];
  AccElementKind kind;
} Rows;

static void
transform_row (AccHlo      *self,
               AccHloValue *values,
               gpointer     data)
{
  Rows *rows = data;
  AccHloShape row = { 2, (gint64[]) { 1, rows->extents[1] } };
  const char *all_type = acc_hlo_type (self, (AccHloShape) { 2, rows->extents }, rows->kind), *type = acc_hlo_type (self, row, rows->kind);
  AccHloValue zero = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, 0), parts[2];

  for (guint i = 0; i < 2; i++)
    parts[i] = acc_hlo_emit (self, "stablehlo.dynamic_slice %s, %s, %s, sizes = [1, %" G_GINT64_FORMAT "] : (%s, tensor<i64>, tensor<i64>)"
                             " -> %s", values[1 + i], values[0], zero, rows->extents[1], all_type, type);
  transform_last (self, parts, row, rows->kind);
  for (guint i = 0; i < 2; i++)
    values[1 + i] = acc_hlo_emit (self, "stablehlo.dynamic_update_slice %s, %s, %s, %s : (%s, %s, tensor<i64>, tensor<i64>) -> %s",
                                  values[1 + i], parts[i], values[0], zero, all_type, type, all_type);
}

/* The same, one row after the other. */
static void
transform_each (AccHlo         *self,
                AccHloValue    *parts,
                AccHloShape     shape,
                AccElementKind  kind)
{
  Rows rows = { { 1, shape.extents[shape.rank - 1] }, kind };
  AccHloShape all = { 2, rows.extents };
  AccHloCarry carry = { 3, (AccHloValue[3]) { acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, 0) }, (const char *[3]) { NULL } };

  for (guint d = 0; d + 1 < shape.rank; d++)
    rows.extents[0] *= shape.extents[d];
  carry.types[0] = acc_hlo_type (self, ACC_HLO_SCALAR, ACC_KIND_I64);
  for (guint i = 0; i < 2; i++)
    {
      carry.values[1 + i] = acc_hlo_reshape (self, parts[i], shape, all, kind);
      carry.types[1 + i] = acc_hlo_type (self, all, kind);
    }
  acc_hlo_count_up (self, rows.extents[0], &carry, transform_row, &rows);
  for (guint i = 0; i < 2; i++)
    parts[i] = acc_hlo_reshape (self, carry.values[1 + i], all, shape, kind);
}

/* The reverse one is that of conjugates, conjugated: StableHLO's divides by the length. */
void
acc_hlo_write_transform (AccHlo        *self,
                         AccFusionNode *node,
                         AccHloValue   *results)
{
  const AccTransformPayload *payload = acc_array_get_transform (node->array);
  AccHloShape shape = acc_hlo_shape_of (node);
  g_autofree gint64 *extents = g_memdup2 (shape.extents, shape.rank * sizeof (gint64));
  AccHloShape turned = { shape.rank, extents };
  AccElementKind kind = acc_hlo_leaf (node, 0), wide;
  AccHloValue parts[2];

  extents[payload->dimension] = shape.extents[shape.rank - 1];
  extents[shape.rank - 1] = shape.extents[payload->dimension];
  wide = widen (self, node->inputs[0], acc_hlo_get_input (self, node, 0), kind, parts);
  for (guint i = 0; i < 2; i++)
    parts[i] = swap_last (self, parts[i], shape, payload->dimension, turned, wide);
  if (payload->reverse)
    parts[1] = acc_hlo_unary (self, "negate", parts[1], turned, wide);

  if (self->mixes_rows && payload->apart)
    transform_each (self, parts, turned, wide);
  else
    transform_last (self, parts, turned, wide);

  for (guint i = 0; i < 2; i++)
    {
      results[i] = parts[i];
      if (i == 1 && payload->reverse)
        results[i] = acc_hlo_unary (self, "negate", results[i], turned, wide);
      results[i] = swap_last (self, results[i], turned, payload->dimension, shape, wide);
      results[i] = acc_hlo_convert (self, results[i], shape, wide, kind);
    }
}
