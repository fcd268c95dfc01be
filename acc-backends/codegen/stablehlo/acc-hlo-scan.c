/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-array.h"

#include "acc-hlo-expr.h"
#include "acc-hlo-round.h"
#include "acc-backends/fuse/acc-function-facts.h"

/* Scans. Of sums, products, extremes and the like compilers have a form. Others go in blocks: a loop takes the next element of all blocks
 * at a time, the totals of blocks are scanned, and what is before a block is combined with its elements. */

/* Rows up to here are one block. */
#define SHORT_ROW  64
#define MOST_BLOCK 1024

/* A block on devices, where each turn of a loop costs a start of some kernels, whatever it computes */
#define DEVICE_BLOCK 16

/* [outer][n]. Where extents are rounded up the true ones are scalars, i64; else NULL. */
typedef struct {
  gint64         outer, n;
  AccHloValue    true_outer, true_n;
} Rows;

/* And its blocks: [width][outer][n_blocks] */
typedef struct {
  AccHloOperator base;
  Rows           rows;
  gint64         width, n_blocks;
  gboolean       needs_mask;    /* of elements that are there: others fill up the last block, or what is rounded up */
  AccHloValue   *elements;      /* [width][outer * n_blocks] */
} Scan;

static void scan_rows (AccHlo *self, const AccHloOperator *operator, Rows rows, AccHloValue *values);

#define SHAPE(...) ((AccHloShape) { G_N_ELEMENTS (((gint64[]) { __VA_ARGS__ })), (gint64[]) { __VA_ARGS__ } })

static AccHloValue
to_blocks (AccHlo         *self,
           const Scan     *scan,
           AccHloValue     x,
           AccElementKind  kind)
{
  gint64 outer = scan->rows.outer, n = scan->rows.n, width = scan->width, n_blocks = scan->n_blocks;
  AccHloShape blocks = SHAPE (outer, n_blocks, width), turned = SHAPE (width, outer, n_blocks);
  AccHloValue zero = acc_hlo_integer (self, ACC_HLO_SCALAR, kind, 0);
  gint64 none[2] = { 0 }, more[2] = { 0, n_blocks * width - n };

  x = acc_hlo_pad (self, x, SHAPE (outer, n), none, more, zero, kind);
  x = acc_hlo_reshape (self, x, SHAPE (outer, n_blocks * width), blocks, kind);
  x = acc_hlo_transpose (self, x, blocks, (gint64[]) { 2, 0, 1 }, turned, kind);

  return acc_hlo_reshape (self, x, turned, SHAPE (width, outer * n_blocks), kind);
}

static AccHloValue
from_blocks (AccHlo         *self,
             const Scan     *scan,
             AccHloValue     x,
             AccElementKind  kind)
{
  gint64 outer = scan->rows.outer, width = scan->width, n_blocks = scan->n_blocks;
  AccHloShape blocks = SHAPE (outer, n_blocks, width), filled = SHAPE (outer, n_blocks * width);

  x = acc_hlo_transpose (self, x, SHAPE (width, outer, n_blocks), (gint64[]) { 1, 2, 0 }, blocks, kind);
  x = acc_hlo_reshape (self, x, blocks, filled, kind);

  return acc_hlo_slice (self, x, filled, (gint64[]) { 0, 0 }, SHAPE (outer, scan->rows.n), kind);
}

/* Whether elements at @place of @block of row @row are before the end. NULL: all are. */
static AccHloValue
make_mask (AccHlo      *self,
           const Scan  *scan,
           AccHloValue  place,
           AccHloValue  block,
           AccHloValue  row,
           AccHloShape  shape)
{
  AccHloValue number, end = scan->rows.true_n, is_before;

  if (!scan->needs_mask)
    return NULL;

  number = acc_hlo_binary (self, "multiply", block, acc_hlo_integer (self, shape, ACC_KIND_I64, scan->width), shape, ACC_KIND_I64);
  number = acc_hlo_binary (self, "add", number, place, shape, ACC_KIND_I64);
  end = end != NULL ? acc_hlo_spread (self, end, shape, ACC_KIND_I64) : acc_hlo_integer (self, shape, ACC_KIND_I64, scan->rows.n);
  is_before = acc_hlo_compare (self, "LT", number, end, shape, ACC_KIND_I64);
  if (scan->rows.true_outer == NULL)
    return is_before;

  end = acc_hlo_spread (self, scan->rows.true_outer, shape, ACC_KIND_I64);

  return acc_hlo_join_masks (self, is_before, acc_hlo_compare (self, "LT", row, end, shape, ACC_KIND_I64), shape);
}

/* The values: which place is next, what the blocks have come to, the results. */
static void
take_next (AccHlo      *self,
           AccHloValue *values,
           gpointer     data)
{
  Scan *scan = data;
  guint n = scan->base.n;
  gint64 all = scan->rows.outer * scan->n_blocks;
  AccHloShape column = SHAPE (1, all), whole = SHAPE (scan->width, all);
  g_autofree AccHloValue *next = g_new (AccHloValue, n + 1);
  AccHloValue *carry = values + 1, *results = values + 1 + n;
  AccHloValue zero = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, 0), mask = NULL;

  if (scan->needs_mask)
    {
      AccHloValue number = acc_hlo_iota (self, column, 1, ACC_KIND_I64);
      AccHloValue n_blocks = acc_hlo_integer (self, column, ACC_KIND_I64, scan->n_blocks);
      AccHloValue block = acc_hlo_binary (self, "remainder", number, n_blocks, column, ACC_KIND_I64);
      AccHloValue row = acc_hlo_binary (self, "divide", number, n_blocks, column, ACC_KIND_I64);

      mask = make_mask (self, scan, acc_hlo_spread (self, values[0], column, ACC_KIND_I64), block, row, column);
    }
  for (guint i = 0; i < n; i++)
    next[i] = acc_hlo_emit (self, "stablehlo.dynamic_slice %s, %s, %s, sizes = [1, %" G_GINT64_FORMAT "] : (%s, tensor<i64>, tensor<i64>)"
                            " -> %s", scan->elements[i], values[0], zero, all, acc_hlo_type (self, whole, scan->base.kinds[i]),
                            acc_hlo_type (self, column, scan->base.kinds[i]));
  acc_hlo_combine (self, &scan->base, carry, next, column, mask, carry);
  for (guint i = 0; i < n; i++)
    results[i] = acc_hlo_emit (self, "stablehlo.dynamic_update_slice %s, %s, %s, %s : (%s, %s, tensor<i64>, tensor<i64>) -> %s", results[i],
                               carry[i], values[0], zero, acc_hlo_type (self, whole, scan->base.kinds[i]),
                               acc_hlo_type (self, column, scan->base.kinds[i]), acc_hlo_type (self, whole, scan->base.kinds[i]));
}

/* What is before each block, and all of its elements: from [width][outer][n_blocks] of both to that. */
static void
add_before (AccHlo            *self,
            const Scan        *scan,
            const AccHloValue *totals,
            AccHloValue       *blocks)
{
  guint n = scan->base.n;
  gint64 rest = scan->n_blocks - 1;
  AccHloShape all = SHAPE (scan->width, scan->rows.outer, scan->n_blocks), later = SHAPE (scan->width, scan->rows.outer, rest);
  g_autofree AccHloValue *before = g_new (AccHloValue, n + 1), *after = g_new (AccHloValue, n + 1), *first = g_new (AccHloValue, n + 1);
  AccHloValue mask = NULL;

  for (guint i = 0; i < n; i++)
    {
      AccElementKind kind = scan->base.kinds[i];

      before[i] = acc_hlo_broadcast (self, totals[i], SHAPE (scan->rows.outer, rest), (gint64[]) { 1, 2 }, later, kind);
      first[i] = acc_hlo_slice_in (self, blocks[i], all, 2, 0, 1, kind);
      after[i] = acc_hlo_slice_in (self, blocks[i], all, 2, 1, rest, kind);
    }
  if (scan->needs_mask)
    {
      AccHloValue block = acc_hlo_iota (self, later, 2, ACC_KIND_I64);

      block = acc_hlo_binary (self, "add", block, acc_hlo_integer (self, later, ACC_KIND_I64, 1), later, ACC_KIND_I64);
      mask = make_mask (self, scan, acc_hlo_iota (self, later, 0, ACC_KIND_I64), block, acc_hlo_iota (self, later, 1, ACC_KIND_I64), later);
    }
  acc_hlo_combine (self, &scan->base, before, after, later, mask, after);
  for (guint i = 0; i < n; i++)
    blocks[i] = acc_hlo_concatenate (self, (AccHloValue[]) { first[i], after[i] }, (gint64[]) { 1, rest }, 2, 2, all, scan->base.kinds[i]);
}

/* Of blocks before the last one, those that have elements. */
static Rows
count_blocks (AccHlo     *self,
              const Scan *scan)
{
  Rows blocks = { scan->rows.outer, scan->n_blocks - 1, scan->rows.true_outer, scan->rows.true_n };

  if (blocks.true_n != NULL)
    {
      AccHloValue width = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, scan->width);
      AccHloValue rest = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, scan->width - 1);

      blocks.true_n = acc_hlo_binary (self, "add", blocks.true_n, rest, ACC_HLO_SCALAR, ACC_KIND_I64);
      blocks.true_n = acc_hlo_binary (self, "divide", blocks.true_n, width, ACC_HLO_SCALAR, ACC_KIND_I64);
    }

  return blocks;
}

static void
scan_blocks (AccHlo               *self,
             const AccHloOperator *operator,
             Rows                  rows,
             AccHloValue          *values)
{
  guint n_leaves = operator->n;
  gint64 outer = rows.outer, n = rows.n;
  Scan scan = { *operator, rows, n, 1, FALSE, g_new (AccHloValue, n_leaves + 1) };
  AccHloCarry carry = { 1 + 2 * n_leaves, g_new (AccHloValue, 1 + 2 * n_leaves), g_new (const char *, 1 + 2 * n_leaves) };
  AccHloShape column, whole;
  g_autofree AccHloValue *totals = g_new (AccHloValue, n_leaves + 1);

  if (n > (self->keeps_order ? SHORT_ROW : DEVICE_BLOCK))
    {
      scan.width = self->keeps_order ? 32 : DEVICE_BLOCK;
      while (self->keeps_order && scan.width < MOST_BLOCK && scan.width * scan.width < n)
        scan.width *= 2;
      scan.n_blocks = (n + scan.width - 1) / scan.width;
    }
  scan.needs_mask = (scan.n_blocks * scan.width > n || rows.true_n != NULL || rows.true_outer != NULL)
                    && !acc_hlo_is_plain (self, operator->function);
  column = SHAPE (1, outer * scan.n_blocks);
  whole = SHAPE (scan.width, outer * scan.n_blocks);

  carry.values[0] = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, 1);
  carry.types[0] = acc_hlo_type (self, ACC_HLO_SCALAR, ACC_KIND_I64);
  for (guint i = 0; i < n_leaves; i++)
    {
      AccElementKind kind = operator->kinds[i];

      scan.elements[i] = to_blocks (self, &scan, values[i], kind);
      carry.values[1 + i] = acc_hlo_slice_in (self, scan.elements[i], whole, 0, 0, 1, kind);
      carry.types[1 + i] = acc_hlo_type (self, column, kind);
      carry.values[1 + n_leaves + i] = scan.elements[i];
      carry.types[1 + n_leaves + i] = acc_hlo_type (self, whole, kind);
    }
  acc_hlo_count_up (self, scan.width, &carry, take_next, &scan);

  for (guint i = 0; i < n_leaves; i++)
    {
      AccElementKind kind = operator->kinds[i];

      values[i] = acc_hlo_reshape (self, carry.values[1 + n_leaves + i], whole, SHAPE (scan.width, outer, scan.n_blocks), kind);
      totals[i] = acc_hlo_reshape (self, carry.values[1 + i], column, SHAPE (outer, scan.n_blocks), kind);
      if (scan.n_blocks > 1)
        totals[i] = acc_hlo_slice_in (self, totals[i], SHAPE (outer, scan.n_blocks), 1, 0, scan.n_blocks - 1, kind);
    }
  if (scan.n_blocks > 1)
    {
      scan_rows (self, operator, count_blocks (self, &scan), totals);
      add_before (self, &scan, totals, values);
    }
  for (guint i = 0; i < n_leaves; i++)
    values[i] = from_blocks (self, &scan, values[i], operator->kinds[i]);

  g_free (scan.elements);
  g_free (carry.values);
  g_free (carry.types);
}

static void
scan_rows (AccHlo               *self,
           const AccHloOperator *operator,
           Rows                  rows,
           AccHloValue          *values)
{
  if (rows.n > 1)
    scan_blocks (self, operator, rows, values);
}

AccHloValue
acc_hlo_scan_rows (AccHlo         *self,
                   AccPrimitive    primitive,
                   AccHloValue     x,
                   AccHloShape     shape,
                   AccElementKind  kind)
{
  gint64 n = shape.extents[shape.rank - 1];
  const char *before = shape.rank > 1 ? "1, " : "";
  const char *type = acc_hlo_type (self, shape, kind), *scalar = acc_hlo_type (self, ACC_HLO_SCALAR, kind);
  AccHloValue neutral = acc_hlo_constant (self, ACC_HLO_SCALAR, kind, acc_hlo_get_neutral (primitive, kind)), a, b, both;
  g_autoptr(GString) region = g_string_new (NULL);
  GString *around = self->text;

  self->text = region;
  acc_hlo_write_pairs (self, &kind, 1, FALSE, &a, &b);
  both = acc_hlo_primitive_plain (self, primitive, a, b, kind);
  acc_hlo_write_return (self, &both, &kind, 1);
  self->text = around;

  return acc_hlo_emit (self, "\"stablehlo.reduce_window\"(%s, %s) ({\n%s }) {window_dimensions = array<i64: %s%"
                       G_GINT64_FORMAT ">, window_strides = array<i64: %s1>, padding = dense<[%s[%" G_GINT64_FORMAT
                       ", 0]]> : tensor<%ux2xi64>} : (%s, %s) -> %s", x, neutral, region->str, before, n, before,
                       shape.rank > 1 ? "[0, 0], " : "", n - 1, shape.rank, type, scalar, type);
}

static Rows
find_true (AccHlo        *self,
           AccFusionNode *node,
           gint64         outer,
           gint64         n)
{
  const AccHloLength *length = acc_hlo_get_length (self, node);
  Rows rows = { outer, n };
  AccHloValue each;

  if (length == NULL)
    return rows;
  if (node->rank == 1)
    {
      rows.true_n = length->value;
      return rows;
    }

  each = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, outer / node->extents[0]);
  rows.true_outer = acc_hlo_binary (self, "multiply", length->value, each, ACC_HLO_SCALAR, ACC_KIND_I64);

  return rows;
}

void
acc_hlo_write_scan (AccHlo        *self,
                    AccFusionNode *node,
                    AccHloValue   *results)
{
  guint n_leaves = acc_hlo_count_leaves (node);
  gint64 n = node->extents[node->rank - 1], outer = node->size / n;
  g_autofree AccElementKind *kinds = g_new (AccElementKind, n_leaves + 1);
  g_autofree AccPrimitive *primitives = g_new (AccPrimitive, n_leaves + 1);
  AccHloOperator operator = { node->array->functions[0], n_leaves, kinds };
  g_autofree AccHloValue *input = acc_hlo_crop_input (self, node, 0, acc_hlo_shape_of (node));
  AccHloShape rows = SHAPE (outer, n);
  gboolean are_primitives = acc_function_get_reductions (operator.function, primitives) && acc_hlo_is_plain (self, operator.function);

  for (guint i = 0; i < n_leaves; i++)
    kinds[i] = acc_hlo_leaf (node, i);
  if (are_primitives && outer == 1)
    rows = (AccHloShape) { 1, &n };
  for (guint i = 0; i < n_leaves; i++)
    results[i] = acc_hlo_reshape (self, input[i], acc_hlo_shape_of (node), rows, kinds[i]);
  for (guint i = 0; i < n_leaves && are_primitives; i++)
    results[i] = acc_hlo_scan_rows (self, primitives[i], results[i], rows, kinds[i]);
  if (!are_primitives)
    scan_rows (self, &operator, find_true (self, node, outer, n), results);
  for (guint i = 0; i < n_leaves; i++)
    results[i] = acc_hlo_reshape (self, results[i], rows, acc_hlo_shape_of (node), kinds[i]);
}
