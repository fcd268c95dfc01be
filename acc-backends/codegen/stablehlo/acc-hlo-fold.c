/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-array.h"

#include <string.h>

#include "acc-hlo-expr.h"
#include "acc-hlo-primitive.h"
#include "acc-hlo-round.h"
#include "acc-backends/fuse/acc-function-facts.h"
#include "acc-backends/fuse/acc-fusion.h"

/* Folds. Most become reductions, whose initial value must be neutral: that of sums and the like, or else "nothing yet", which is a bool
 * beside the elements. Operators that may fail or loop, or that need their order where reductions have none, fold neighbours in turn, or
 * parts of rows where they commute. */

/* Rows longer than that are reduced in blocks of no more: they are spread over processors, and sums of floats stay as exact as acc's
 * are. */
#define BLOCK       4096
#define LEAST_BLOCK 512

typedef struct {
  AccHloOperator  base;
  AccPrimitive   *primitives;   /* one, where it is that of its one leaf; NULL: any function */
  AccFusionNode  *input;
  AccHloValue     inside;       /* which elements are there, where rows are rounded up; NULL: all */
  AccHloValue     end;          /* and how many: a scalar i64 */
} Fold;

/* --- reductions */

/* The region: of scalars, and of a bool for each, last, where there is no neutral element. */
static void
write_region (AccHlo               *self,
              const Fold           *fold,
              const AccElementKind *kinds)
{
  guint n = fold->base.n;
  gboolean is_flagged = fold->primitives == NULL;
  g_autofree AccHloValue *x = g_new (AccHloValue, n + 2), *y = g_new (AccHloValue, n + 2), *both = g_new (AccHloValue, n + 2);
  const AccHloParam params[2] = { x, y };

  acc_hlo_write_pairs (self, kinds, n + is_flagged, FALSE, x, y);
  if (!is_flagged)
    {
      both[0] = acc_hlo_primitive_plain (self, fold->primitives[0], x[0], y[0], kinds[0]);
    }
  else
    {
      acc_hlo_apply_plain (self, fold->base.function, params, both);
      for (guint i = 0; i < n; i++)
        {
          both[i] = acc_hlo_select (self, x[n], both[i], y[i], ACC_HLO_SCALAR, kinds[i]);
          both[i] = acc_hlo_select (self, y[n], both[i], x[i], ACC_HLO_SCALAR, kinds[i]);
        }
      both[n] = acc_hlo_binary (self, "or", x[n], y[n], ACC_HLO_SCALAR, ACC_KIND_BOOL);
    }
  acc_hlo_write_return (self, both, kinds, n + is_flagged);
}

/* Rows of the innermost dimension to one element each; @values are replaced. */
static void
reduce_rows (AccHlo               *self,
             const Fold           *fold,
             const AccElementKind *kinds,
             const AccHloValue    *neutral,
             AccHloShape           shape,
             AccHloValue          *values)
{
  guint n = fold->base.n + (fold->primitives == NULL);
  AccHloShape outer = { shape.rank - 1, shape.extents };
  g_autoptr(GString) operands = g_string_new (NULL), types = g_string_new (NULL), result_types = g_string_new (NULL);
  GString *around = self->text;
  g_autoptr(GString) region = g_string_new (NULL);

  acc_hlo_append_values (operands, values, n);
  acc_hlo_append_values (operands, neutral, n);
  acc_hlo_append_types (self, types, kinds, n, shape);
  acc_hlo_append_types (self, types, kinds, n, ACC_HLO_SCALAR);
  acc_hlo_append_types (self, result_types, kinds, n, outer);
  self->text = region;
  write_region (self, fold, kinds);
  self->text = around;
  acc_hlo_emit_parts (self, n, values, "\"stablehlo.reduce\"(%s) ({\n%s }) {dimensions = array<i64: %u>} : (%s) -> (%s)", operands->str,
                      region->str, shape.rank - 1, types->str, result_types->str);
}

/* Elements of rows are taken in one order by compilers, and in another by a library for so many bytes of them, with any number of rows:
 * floats of a row must not show whether there are others. */
#define MOST_COMPILED (1 << 15)

/* Rows of fewer elements go in order, as segments of as many do. */
#define SHORT_ROW 8

/* Whether the order shows. */
static gboolean
is_ordered (AccHlo         *self,
            const Fold     *fold,
            AccElementKind  kind)
{
  return fold->primitives != NULL && self->keeps_order && !self->is_export && acc_element_kind_is_float (kind)
         && (fold->primitives[0] == ACC_PRIM_ADD || fold->primitives[0] == ACC_PRIM_MUL);
}

/* Rows of few bytes, with as many others as make them go to the library. Compilers would leave those out, but for the barriers. */
static void
reduce_few (AccHlo      *self,
            const Fold  *fold,
            AccHloValue  neutral,
            AccHloShape  shape,
            AccHloValue *value)
{
  AccElementKind kind = fold->base.kinds[0];
  gint64 n = shape.extents[shape.rank - 1], n_rows = acc_hlo_count (shape) / n, none[2] = { 0 }, more[2] = { 0 }, n_all;
  AccHloShape rows = { 2, (gint64[]) { n_rows, n } }, all, results;

  n_all = MOST_COMPILED / (n * (gint64) acc_element_kind_get_size (kind)) + 1;
  more[0] = n_all - n_rows;
  all = (AccHloShape) { 2, (gint64[]) { n_all, n } };
  results = (AccHloShape) { 1, &n_all };
  *value = acc_hlo_pad (self, acc_hlo_reshape (self, *value, shape, rows, kind), rows, none, more, neutral, kind);
  *value = acc_hlo_unary (self, "optimization_barrier", *value, all, kind);
  reduce_rows (self, fold, &kind, &neutral, all, value);
  *value = acc_hlo_unary (self, "optimization_barrier", *value, results, kind);
  *value = acc_hlo_slice_in (self, *value, results, 0, 0, n_rows, kind);
  *value = acc_hlo_reshape (self, *value, (AccHloShape) { 1, &n_rows }, (AccHloShape) { shape.rank - 1, shape.extents }, kind);
}

/* In the one order. */
static void
reduce_ordered (AccHlo      *self,
                const Fold  *fold,
                AccHloValue  neutral,
                AccHloShape  shape,
                AccHloValue *value)
{
  AccElementKind kind = fold->base.kinds[0];

  if (acc_hlo_count (shape) * (gint64) acc_element_kind_get_size (kind) <= MOST_COMPILED)
    reduce_few (self, fold, neutral, shape, value);
  else
    reduce_rows (self, fold, &kind, &neutral, shape, value);
}

/* What rows of @n are cut into: parts of them where some have the same number of elements, as padding copies all. */
static gint64
choose_block (gint64 n)
{
  for (gint64 block = BLOCK; block >= LEAST_BLOCK; block--)
    if (n % block == 0)
      return block;

  return BLOCK;
}

/* In blocks, until there are few. */
static void
reduce_blocks (AccHlo      *self,
               const Fold  *fold,
               AccHloShape  shape,
               AccHloValue *values)
{
  guint n = fold->base.n;
  guint n_all = n + (fold->primitives == NULL);
  g_autofree AccElementKind *kinds = g_new (AccElementKind, n + 1);
  g_autofree AccHloValue *neutral = g_new (AccHloValue, n + 1);
  g_autofree gint64 *extents = g_new (gint64, shape.rank + 1), *none = g_new0 (gint64, shape.rank + 1),
                    *high = g_new0 (gint64, shape.rank + 1);
  guint last = shape.rank - 1;
  gboolean ordered = last > 0 && is_ordered (self, fold, fold->base.kinds[0]);
  AccHloShape rows;

  memcpy (extents, shape.extents, shape.rank * sizeof (gint64));
  for (guint i = 0; i < n_all; i++)
    {
      kinds[i] = i < n ? fold->base.kinds[i] : ACC_KIND_BOOL;
      neutral[i] = acc_hlo_constant (self, ACC_HLO_SCALAR, kinds[i],
                                     fold->primitives != NULL
                                     ? acc_hlo_get_neutral (fold->primitives[i], kinds[i]) : (AccScalar) { .u = 0 });
    }

  while (extents[last] > BLOCK)
    {
      AccHloShape padded, blocks;
      gint64 block = ordered ? choose_block (extents[last]) : BLOCK, n_blocks = (extents[last] + block - 1) / block;
      g_autofree gint64 *more = g_memdup2 (extents, (shape.rank + 1) * sizeof (gint64));
      g_autofree gint64 *full = g_memdup2 (extents, (shape.rank + 1) * sizeof (gint64));

      rows = (AccHloShape) { shape.rank, extents };
      high[last] = n_blocks * block - extents[last];
      full[last] = n_blocks * block;
      more[last] = n_blocks;
      more[last + 1] = block;
      padded = (AccHloShape) { shape.rank, full };
      blocks = (AccHloShape) { shape.rank + 1, more };
      for (guint i = 0; i < n_all; i++)
        {
          values[i] = acc_hlo_pad (self, values[i], rows, none, high, neutral[i], kinds[i]);
          values[i] = acc_hlo_reshape (self, values[i], padded, blocks, kinds[i]);
        }
      extents[last] = n_blocks;
      if (!ordered)
        {
          reduce_rows (self, fold, kinds, neutral, blocks, values);
          continue;
        }

      reduce_ordered (self, fold, neutral[0], blocks, values);
      /* Compilers would make one of both. */
      values[0] = acc_hlo_unary (self, "optimization_barrier", values[0], (AccHloShape) { shape.rank, extents }, kinds[0]);
    }
  rows = (AccHloShape) { shape.rank, extents };
  if (ordered)
    reduce_ordered (self, fold, neutral[0], rows, values);
  else
    reduce_rows (self, fold, kinds, neutral, rows, values);
}

/* --- parts of rows */

/* Parts are combined element by element, in one pass over them: few where that is memory's speed, many of operators that compute. */
#define FEW_PARTS  4
#define MANY_PARTS 16

/* Computed elements are written to memory before they are reduced: as many as a part has, where rows are that long. */
#define LONG_ROW 256

static void
apply (AccHlo            *self,
       const Fold        *fold,
       const AccHloValue *x,
       const AccHloValue *y,
       AccHloShape        shape,
       AccHloValue       *results)
{
  if (fold->primitives != NULL)
    results[0] = acc_hlo_primitive (self, fold->primitives[0], x[0], y[0], shape, fold->base.kinds[0]);
  else
    acc_hlo_combine (self, &fold->base, x, y, shape, NULL, results);
}

/* Replaces rows of @extents by their parts combined, and @extents by theirs. @n_parts: a power of 2. @rest: gets what no part has, the
 * remainder of the length. The barrier keeps compilers from reductions of more than one operand, which are slow, and from computing all of
 * it again for the next; integers may be known numbers of elements. */
static void
combine_parts (AccHlo      *self,
               const Fold  *fold,
               guint        n_parts,
               gint64      *extents,
               guint        last,
               AccHloValue *values,
               AccHloValue *rest)
{
  AccHloShape rows = { last + 1, extents };
  guint n = fold->base.n;
  gint64 length = extents[last] / n_parts, n_rest = extents[last] % n_parts;
  g_autofree gint64 *part_extents = g_memdup2 (extents, (last + 1) * sizeof (gint64));
  AccHloShape part = { last + 1, part_extents };
  g_autofree AccHloValue *parts = g_new (AccHloValue, n_parts * n + 1);

  part_extents[last] = length;
  for (guint i = 0; i < n; i++)
    {
      for (guint k = 0; k < n_parts; k++)
        parts[k * n + i] = acc_hlo_slice_in (self, values[i], rows, last, k * length, length, fold->base.kinds[i]);
      if (n_rest > 0)
        rest[i] = acc_hlo_slice_in (self, values[i], rows, last, n_parts * length, n_rest, fold->base.kinds[i]);
    }
  for (guint step = 1; step < n_parts; step *= 2)
    for (guint k = 0; k < n_parts; k += 2 * step)
      apply (self, fold, parts + k * n, parts + (k + step) * n, part, parts + k * n);
  for (guint i = 0; i < n; i++)
    values[i] = acc_element_kind_is_float (fold->base.kinds[i])
                  ? acc_hlo_unary (self, "optimization_barrier", parts[i], part, fold->base.kinds[i]) : parts[i];
  extents[last] = length;
}

/* Of one leaf that a primitive combines: one pass before the reduction. */
static void
reduce_computed (AccHlo      *self,
                 const Fold  *fold,
                 AccHloShape  shape,
                 AccHloValue *value)
{
  guint last = shape.rank - 1;
  g_autofree gint64 *extents = g_memdup2 (shape.extents, shape.rank * sizeof (gint64));
  g_autofree gint64 *rest_extents = g_memdup2 (shape.extents, shape.rank * sizeof (gint64));
  AccHloValue rest = NULL;

  combine_parts (self, fold, FEW_PARTS, extents, last, value, &rest);
  reduce_blocks (self, fold, (AccHloShape) { shape.rank, extents }, value);
  if (rest == NULL)
    return;

  rest_extents[last] = shape.extents[last] % FEW_PARTS;
  reduce_blocks (self, fold, (AccHloShape) { shape.rank, rest_extents }, &rest);
  apply (self, fold, value, &rest, (AccHloShape) { last, extents }, value);
}

static void
fold_in_order (AccHlo      *self,
               const Fold  *fold,
               AccHloShape  shape,
               AccHloValue *value)
{
  guint last = shape.rank - 1;
  AccElementKind kind = fold->base.kinds[0];
  g_autofree gint64 *extents = g_memdup2 (shape.extents, shape.rank * sizeof (gint64));
  AccHloShape column = { shape.rank, extents }, result = { last, extents };
  AccHloValue so_far = NULL;

  extents[last] = 1;
  for (gint64 k = 0; k < shape.extents[last]; k++)
    {
      AccHloValue next = acc_hlo_slice_in (self, *value, shape, last, k, 1, kind);

      next = acc_hlo_reshape (self, next, column, result, kind);
      if (so_far == NULL)
        so_far = next;
      else
        apply (self, fold, &so_far, &next, result, &so_far);
    }
  *value = so_far;
}

/* --- any operator */

/* Each second element of rows, from @first on. */
static AccHloValue
take_half (AccHlo         *self,
           AccHloValue     x,
           AccHloShape     pairs,
           guint           first,
           AccHloShape     half,
           AccElementKind  kind)
{
  g_autofree gint64 *extents = g_memdup2 (pairs.extents, pairs.rank * sizeof (gint64));

  x = acc_hlo_slice_in (self, x, pairs, pairs.rank - 1, first, 1, kind);
  extents[pairs.rank - 1] = 1;

  return acc_hlo_reshape (self, x, (AccHloShape) { pairs.rank, extents }, half, kind);
}

/* Pairs of which both are there, of rows that have @end elements; NULL: all. */
static AccHloValue
mask_pairs (AccHlo      *self,
            const Fold  *fold,
            AccHloShape  shape,
            AccHloValue  end)
{
  AccHloValue second;

  if (end == NULL)
    return shape.rank > 1 ? acc_hlo_mask_rows (self, fold->input, shape) : NULL;

  second = acc_hlo_iota (self, shape, 0, ACC_KIND_I64);
  second = acc_hlo_binary (self, "multiply", second, acc_hlo_integer (self, shape, ACC_KIND_I64, 2), shape, ACC_KIND_I64);
  second = acc_hlo_binary (self, "add", second, acc_hlo_integer (self, shape, ACC_KIND_I64, 1), shape, ACC_KIND_I64);

  return acc_hlo_compare (self, "LT", second, acc_hlo_spread (self, end, shape, ACC_KIND_I64), shape, ACC_KIND_I64);
}

/* (@end + 1) / 2 */
static AccHloValue
halve_end (AccHlo      *self,
           AccHloValue  end)
{
  AccHloValue one = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, 1);

  end = acc_hlo_binary (self, "add", end, one, ACC_HLO_SCALAR, ACC_KIND_I64);

  return acc_hlo_binary (self, "shift_right_logical", end, one, ACC_HLO_SCALAR, ACC_KIND_I64);
}

/* Rows of @x with those of @y behind: of @rows but in the last dimension, in which they have @n_x and @n_y. */
static AccHloValue
append (AccHlo         *self,
        AccHloValue     x,
        gint64          n_x,
        AccHloValue     y,
        gint64          n_y,
        guint           last,
        AccHloShape     rows,
        AccElementKind  kind)
{
  g_autofree gint64 *extents = g_memdup2 (rows.extents, rows.rank * sizeof (gint64));

  extents[last] = n_x + n_y;

  return acc_hlo_concatenate (self, (AccHloValue[]) { x, y }, (gint64[]) { n_x, n_y }, 2, last, (AccHloShape) { rows.rank, extents }, kind);
}

static void
fold_neighbours (AccHlo      *self,
                 const Fold  *fold,
                 AccHloShape  shape,
                 AccHloValue *values)
{
  guint last = shape.rank - 1, n = fold->base.n;
  g_autofree gint64 *extents = g_memdup2 (shape.extents, shape.rank * sizeof (gint64)), *pair_extents = g_new (gint64, shape.rank + 1);
  g_autofree AccHloValue *x = g_new (AccHloValue, n + 1), *y = g_new (AccHloValue, n + 1), *rest = g_new (AccHloValue, n + 1);
  AccHloShape rows = { shape.rank, extents }, pairs = { shape.rank + 1, pair_extents };
  AccHloValue end = fold->end;

  memcpy (pair_extents, extents, shape.rank * sizeof (gint64));
  pair_extents[last + 1] = 2;
  while (extents[last] > 1)
    {
      gint64 length = extents[last], n_pairs = length / 2;
      g_autofree gint64 *even_extents = g_memdup2 (extents, shape.rank * sizeof (gint64));
      AccHloShape even = { shape.rank, even_extents }, half = { shape.rank, pair_extents };
      AccHloValue mask;

      even_extents[last] = 2 * n_pairs;
      pair_extents[last] = n_pairs;
      for (guint i = 0; i < n; i++)
        {
          AccHloValue all;

          if (length % 2 != 0)
            rest[i] = acc_hlo_slice_in (self, values[i], rows, last, length - 1, 1, fold->base.kinds[i]);
          all = acc_hlo_slice_in (self, values[i], rows, last, 0, 2 * n_pairs, fold->base.kinds[i]);
          all = acc_hlo_reshape (self, all, even, pairs, fold->base.kinds[i]);
          x[i] = take_half (self, all, pairs, 0, half, fold->base.kinds[i]);
          y[i] = take_half (self, all, pairs, 1, half, fold->base.kinds[i]);
        }
      mask = mask_pairs (self, fold, half, end);
      acc_hlo_combine (self, &fold->base, x, y, half, mask, values);
      for (guint i = 0; i < n && end != NULL; i++)
        values[i] = acc_hlo_select (self, mask, values[i], x[i], half, fold->base.kinds[i]);
      if (end != NULL)
        end = halve_end (self, end);
      extents[last] = n_pairs + length % 2;
      for (guint i = 0; i < n && length % 2 != 0; i++)
        values[i] = append (self, values[i], n_pairs, rest[i], 1, last, rows, fold->base.kinds[i]);
    }
  for (guint i = 0; i < n; i++)
    values[i] = acc_hlo_reshape (self, values[i], rows, (AccHloShape) { last, extents }, fold->base.kinds[i]);
}

/* Of an operator that commutes. What parts leave over is folded with the last of them. */
static void
fold_parts (AccHlo      *self,
            const Fold  *fold,
            AccHloShape  shape,
            AccHloValue *values)
{
  guint last = shape.rank - 1, n = fold->base.n;
  g_autofree gint64 *extents = g_memdup2 (shape.extents, shape.rank * sizeof (gint64));
  g_autofree AccHloValue *rest = g_new (AccHloValue, n + 1), *left = g_new (AccHloValue, n + 1);
  AccHloShape rows = { shape.rank, extents };
  gint64 n_left = 0;

  while (extents[last] >= 2 * FEW_PARTS)
    {
      guint n_parts = extents[last] >= MANY_PARTS * MANY_PARTS ? MANY_PARTS : FEW_PARTS;
      gint64 n_rest = extents[last] % n_parts;

      combine_parts (self, fold, n_parts, extents, last, values, rest);
      for (guint i = 0; i < n && n_rest > 0; i++)
        left[i] = n_left > 0 ? append (self, left[i], n_left, rest[i], n_rest, last, rows, fold->base.kinds[i]) : rest[i];
      n_left += n_rest;
    }
  for (guint i = 0; i < n && n_left > 0; i++)
    values[i] = append (self, values[i], extents[last], left[i], n_left, last, rows, fold->base.kinds[i]);
  extents[last] += n_left;
  fold_neighbours (self, fold, (AccHloShape) { shape.rank, extents }, values);
}

/* --- */

static gboolean
commutes (AccFunction *function)
{
  return function->commutes || acc_function_is_commutative (function);
}

gboolean
acc_hlo_may_reduce (AccHlo      *self,
                    AccFunction *function)
{
  return acc_hlo_is_plain (self, function) && (self->keeps_order || commutes (function));
}

/* Rows of @shape, which have elements; @are_computed: not in memory. */
static void
fold_rows (AccHlo      *self,
           const Fold  *fold,
           AccHloShape  shape,
           gboolean     are_computed,
           AccHloValue *values)
{
  guint n = fold->base.n;
  g_autofree AccPrimitive *primitives = g_new (AccPrimitive, n + 1);

  if (!acc_hlo_may_reduce (self, fold->base.function))
    {
      if (commutes (fold->base.function) && !self->is_export && acc_hlo_get_length (self, fold->input) == NULL)
        fold_parts (self, fold, shape, values);
      else
        fold_neighbours (self, fold, shape, values);
      return;
    }

  if (!acc_function_get_reductions (fold->base.function, primitives))
    {
      /* What is there is something. */
      values[n] = fold->inside != NULL ? fold->inside : acc_hlo_integer (self, shape, ACC_KIND_BOOL, 1);
      reduce_blocks (self, fold, shape, values);
      return;
    }

  /* Leaves that do not meet are reduced one by one, and compilers do so together. */
  for (guint i = 0; i < n; i++)
    {
      AccElementKind kind = fold->base.kinds[i];
      const Fold one = { { fold->base.function, 1, &kind }, primitives + i };

      if (fold->inside != NULL)
        values[i] = acc_hlo_select (self, fold->inside, values[i],
                                    acc_hlo_constant (self, shape, kind, acc_hlo_get_neutral (primitives[i], kind)), shape, kind);
      if (is_ordered (self, &one, kind) && shape.rank > 1 && shape.extents[shape.rank - 1] < SHORT_ROW)
        fold_in_order (self, &one, shape, values + i);
      else if (are_computed && self->keeps_order && !self->is_export && acc_element_kind_is_float (kind)
          && shape.extents[shape.rank - 1] >= LONG_ROW)
        reduce_computed (self, &one, shape, values + i);
      else
        reduce_blocks (self, &one, shape, values + i);
    }
}

void
acc_hlo_write_fold (AccHlo        *self,
                    AccFusionNode *node,
                    AccHloValue   *results)
{
  AccArray *array = node->array;
  AccFusionNode *input = node->inputs[0];
  AccHloShape result = acc_hlo_shape_of (node), shape = acc_hlo_shape_of (input), row = { 1, &input->size };
  guint n = acc_hlo_count_leaves (node);
  g_autofree AccElementKind *kinds = g_new (AccElementKind, n + 1);
  g_autofree AccHloValue *values = g_new (AccHloValue, n + 2), *seed = g_new (AccHloValue, n + 1);
  Fold fold = { { array->functions[0], n, kinds }, NULL, input };
  gboolean has_seed = array->n_functions > 1, is_rounded = acc_hlo_get_length (self, input) != NULL;

  for (guint i = 0; i < n; i++)
    {
      kinds[i] = acc_hlo_leaf (node, i);
      values[i] = acc_hlo_get_input (self, node, 0)[i];
      if (acc_operation_has_fact (array->op, ACC_FACT_FOLDS_ALL) && input->size > 0)
        values[i] = acc_hlo_reshape (self, values[i], shape, row, kinds[i]);
    }
  if (acc_operation_has_fact (array->op, ACC_FACT_FOLDS_ALL))
    shape = row;
  if (has_seed)
    acc_hlo_apply_closed (self, array->functions[1], result, seed);
  if (is_rounded && shape.rank == 1)
    {
      fold.inside = acc_hlo_mask_elements (self, input);
      fold.end = acc_hlo_count_elements (self, input).value;
    }
  if (input->size > 0)
    fold_rows (self, &fold, shape, !acc_fusion_node_is_given (acc_fusion_graph_strip (self->graph, input)), values);
  for (guint i = 0; i < n && input->size > 0; i++)
    values[i] = acc_hlo_fit (self, values[i], (AccHloShape) { shape.rank - 1, shape.extents }, result, kinds[i]);

  if (has_seed && input->size > 0)
    acc_hlo_combine (self, &fold.base, seed, values, result, acc_hlo_mask_rows (self, node, result), values);
  for (guint i = 0; i < n; i++)
    results[i] = input->size > 0 ? values[i] : has_seed ? seed[i] : acc_hlo_integer (self, result, kinds[i], 0);
}
