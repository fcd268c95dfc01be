/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-array.h"

#include "acc-hlo-expr.h"
#include "acc-hlo-read.h"
#include "acc-backends/fuse/acc-function-facts.h"

/* Permutes: scatters with a region, which leave out what is outside. Operators that may fail or loop take one element after the other. */

typedef struct {
  AccHloOperator base;
  AccHloValue   *updates;    /* vectors of .n */
  AccHloValue    index;      /* of those, in i64; .size: none */
  gint64         n, size;
} Permute;

/* Where each source goes, in row-major order; the size of the result where it goes nowhere. */
static AccHloValue
find_targets (AccHlo        *self,
              AccFusionNode *node,
              AccHloShape    space)
{
  AccFusionNode *targets = node->inputs[2];
  g_autofree AccHloValue *values = acc_hlo_crop_input (self, node, 2, space);
  gboolean is_masked = acc_hlo_count_leaves (targets) == node->rank + 1;
  g_autofree AccHloIndex *index = g_new (AccHloIndex, node->rank + 1);
  AccHloValue mask = acc_hlo_mask_rows (self, node->inputs[0], space), other = acc_hlo_mask_rows (self, targets, space), inside;
  AccHloIndex number;

  for (guint d = 0; d < node->rank; d++)
    index[d] = (AccHloIndex) { values[d + is_masked], acc_hlo_leaf (targets, d + is_masked) };
  if (other != NULL)
    mask = acc_hlo_join_masks (self, mask, other, space);
  if (is_masked)
    mask = acc_hlo_join_masks (self, mask, values[0], space);
  inside = acc_hlo_check_index (self, index, acc_hlo_shape_of (node), acc_hlo_get_length (self, node), space, mask);
  inside = acc_hlo_join_masks (self, mask, inside, space);
  number = acc_hlo_number (self, index, acc_hlo_shape_of (node), space);
  number.value = acc_hlo_convert (self, number.value, space, number.kind, ACC_KIND_I64);

  return acc_hlo_select (self, inside, number.value, acc_hlo_integer (self, space, ACC_KIND_I64, node->size), space, ACC_KIND_I64);
}

/* @region: what an old and a new element come to. */
static AccHloValue
end_scatter (AccHlo         *self,
             AccElementKind  kind,
             AccHloValue     into,
             gint64          size,
             AccHloValue     index,
             AccHloValue     updates,
             gint64          n,
             GString        *region)
{
  AccHloShape to = { 1, &size }, from = { 1, &n };
  AccElementKind index_kind = size < G_MAXINT32 ? ACC_KIND_I32 : ACC_KIND_I64;
  const char *type = acc_hlo_type (self, to, kind);

  index = acc_hlo_convert (self, index, from, ACC_KIND_I64, index_kind);

  return acc_hlo_emit (self, "\"stablehlo.scatter\"(%s, %s, %s) ({\n%s }) {scatter_dimension_numbers = #stablehlo.scatter<"
                       "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, "
                       "unique_indices = false} : (%s, %s, %s) -> %s", into, index, updates, region->str, type,
                       acc_hlo_type (self, from, index_kind), acc_hlo_type (self, from, kind), type);
}

AccHloValue
acc_hlo_scatter (AccHlo         *self,
                 AccElementKind  kind,
                 AccPrimitive    primitive,
                 AccHloValue     into,
                 gint64          size,
                 AccHloValue     index,
                 AccHloValue     updates,
                 gint64          n)
{
  g_autoptr(GString) region = g_string_new (NULL);
  GString *around = self->text;
  AccHloValue old, new, both;

  self->text = region;
  acc_hlo_write_pairs (self, &kind, 1, FALSE, &old, &new);
  both = acc_hlo_primitive_plain (self, primitive, new, old, kind);
  acc_hlo_write_return (self, &both, &kind, 1);
  self->text = around;

  return end_scatter (self, kind, into, size, index, updates, n, region);
}

/* Of one leaf: XLA on processors mixes up the operands of scatters of several. */
static AccHloValue
scatter (AccHlo         *self,
         const Permute  *permute,
         AccHloValue     into)
{
  g_autoptr(GString) region = g_string_new (NULL);
  GString *around = self->text;
  AccHloValue old, new, both;
  const AccHloParam params[2] = { &new, &old };

  self->text = region;
  acc_hlo_write_pairs (self, permute->base.kinds, 1, FALSE, &old, &new);
  acc_hlo_apply_plain (self, permute->base.function, params, &both);
  acc_hlo_write_return (self, &both, permute->base.kinds, 1);
  self->text = around;

  return end_scatter (self, permute->base.kinds[0], into, permute->size, permute->index, permute->updates[0], permute->n, region);
}

/* Whether the new element takes the place of the old one. */
static gboolean
replaces (AccFunction *function)
{
  for (guint i = 0; i < acc_element_type_get_n_leaves (function->body->type); i++)
    {
      guint leaf = i;

      if (acc_expr_resolve_leaf (function->body, &leaf) != function->params[0] || leaf != i)
        return FALSE;
    }

  return TRUE;
}

/* The last source of each target wins, all of it. */
static void
replace (AccHlo        *self,
         const Permute *permute,
         AccHloValue   *results)
{
  AccHloShape to = { 1, &permute->size }, from = { 1, &permute->n };
  AccHloValue none = acc_hlo_integer (self, to, ACC_KIND_I64, -1), is_there;
  AccHloValue source = acc_hlo_scatter (self, ACC_KIND_I64, ACC_PRIM_MAX, none, permute->size, permute->index,
                                        acc_hlo_iota (self, from, 0, ACC_KIND_I64), permute->n);
  g_autofree AccHloValue *values = g_new (AccHloValue, permute->base.n + 1);

  is_there = acc_hlo_compare (self, "NE", source, none, to, ACC_KIND_I64);
  acc_hlo_gather (self, permute->updates, permute->base.kinds, permute->base.n, permute->n, (AccHloIndex) { source, ACC_KIND_I64 }, to,
                  values);
  for (guint i = 0; i < permute->base.n; i++)
    results[i] = acc_hlo_select (self, is_there, values[i], results[i], to, permute->base.kinds[i]);
}

/* --- one after the other */

static AccHloValue
take_one (AccHlo         *self,
          AccHloValue     vector,
          gint64          n,
          AccHloValue     number,
          AccElementKind  kind)
{
  const gint64 one = 1;

  return acc_hlo_emit (self, "stablehlo.dynamic_slice %s, %s, sizes = [1] : (%s, tensor<i64>) -> %s", vector, number,
                       acc_hlo_type (self, (AccHloShape) { 1, &n }, kind), acc_hlo_type (self, (AccHloShape) { 1, &one }, kind));
}

static void
put_one (AccHlo      *self,
         AccHloValue *values,
         gpointer     data)
{
  Permute *permute = data;
  guint n = permute->base.n;
  const gint64 one = 1;
  AccHloShape single = { 1, &one }, to = { 1, &permute->size };
  AccHloValue place = take_one (self, permute->index, permute->n, values[0], ACC_KIND_I64), inside, number;
  g_autofree AccHloValue *old = g_new (AccHloValue, n + 1), *new = g_new (AccHloValue, n + 1), *both = g_new (AccHloValue, n + 1);

  inside = acc_hlo_compare (self, "LT", place, acc_hlo_integer (self, single, ACC_KIND_I64, permute->size), single, ACC_KIND_I64);
  number = acc_hlo_reshape (self, place, single, ACC_HLO_SCALAR, ACC_KIND_I64);
  for (guint i = 0; i < n; i++)
    {
      new[i] = take_one (self, permute->updates[i], permute->n, values[0], permute->base.kinds[i]);
      old[i] = take_one (self, values[1 + i], permute->size, number, permute->base.kinds[i]);
    }
  acc_hlo_combine (self, &permute->base, new, old, single, inside, both);
  for (guint i = 0; i < n; i++)
    {
      AccElementKind kind = permute->base.kinds[i];
      AccHloValue value = acc_hlo_select (self, inside, both[i], old[i], single, kind);

      values[1 + i] = acc_hlo_emit (self, "stablehlo.dynamic_update_slice %s, %s, %s : (%s, %s, tensor<i64>) -> %s", values[1 + i], value,
                                    number, acc_hlo_type (self, to, kind), acc_hlo_type (self, single, kind),
                                    acc_hlo_type (self, to, kind));
    }
}

static void
put_in_turn (AccHlo      *self,
             Permute     *permute,
             AccHloValue *results)
{
  guint n = permute->base.n;
  AccHloCarry carry = { 1 + n, g_new (AccHloValue, 1 + n), g_new (const char *, 1 + n) };

  carry.values[0] = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, 0);
  carry.types[0] = acc_hlo_type (self, ACC_HLO_SCALAR, ACC_KIND_I64);
  for (guint i = 0; i < n; i++)
    {
      carry.values[1 + i] = results[i];
      carry.types[1 + i] = acc_hlo_type (self, (AccHloShape) { 1, &permute->size }, permute->base.kinds[i]);
    }
  acc_hlo_count_up (self, permute->n, &carry, put_one, permute);
  for (guint i = 0; i < n; i++)
    results[i] = carry.values[1 + i];
  g_free (carry.values);
  g_free (carry.types);
}

/* --- */

static void
combine (AccHlo      *self,
         Permute     *permute,
         AccHloValue *results)
{
  guint n = permute->base.n;
  g_autofree AccPrimitive *primitives = g_new (AccPrimitive, n + 1);

  if (n > 1 && replaces (permute->base.function))
    {
      replace (self, permute, results);
      return;
    }
  if (!acc_hlo_is_plain (self, permute->base.function))
    {
      put_in_turn (self, permute, results);
      return;
    }
  if (n == 1)
    {
      results[0] = scatter (self, permute, results[0]);
      return;
    }
  if (!acc_function_get_reductions (permute->base.function, primitives))
    {
      put_in_turn (self, permute, results);
      return;
    }
  for (guint i = 0; i < n; i++)
    results[i] = acc_hlo_scatter (self, permute->base.kinds[i], primitives[i], results[i], permute->size, permute->index,
                                  permute->updates[i], permute->n);
}

void
acc_hlo_write_permute (AccHlo        *self,
                       AccFusionNode *node,
                       AccHloValue   *results)
{
  AccFusionNode *source = node->inputs[0], *targets = node->inputs[2];
  guint n = acc_hlo_count_leaves (node);
  g_autofree gint64 *extents = g_new (gint64, source->rank + 1);
  AccHloShape space = { source->rank, extents };
  g_autofree AccHloValue *updates = NULL, *old = acc_hlo_crop_input (self, node, 1, acc_hlo_shape_of (node));
  g_autofree AccElementKind *kinds = g_new (AccElementKind, n + 1);
  Permute permute = { { node->array->functions[0], n, kinds }, .size = node->size };

  for (guint d = 0; d < source->rank; d++)
    extents[d] = MIN (source->extents[d], targets->extents[d]);
  permute.n = acc_hlo_count (space);
  for (guint i = 0; i < n; i++)
    {
      kinds[i] = acc_hlo_leaf (node, i);
      results[i] = old[i];
    }
  if (permute.n == 0)
    return;

  permute.index = find_targets (self, node, space);
  permute.index = acc_hlo_reshape (self, permute.index, space, (AccHloShape) { 1, &permute.n }, ACC_KIND_I64);
  if (node->size == 0)
    return;

  permute.updates = updates = acc_hlo_crop_input (self, node, 0, space);
  for (guint i = 0; i < n; i++)
    {
      updates[i] = acc_hlo_reshape (self, updates[i], space, (AccHloShape) { 1, &permute.n }, kinds[i]);
      results[i] = acc_hlo_reshape (self, results[i], acc_hlo_shape_of (node), (AccHloShape) { 1, &permute.size }, kinds[i]);
    }
  combine (self, &permute, results);
  for (guint i = 0; i < n; i++)
    results[i] = acc_hlo_reshape (self, results[i], (AccHloShape) { 1, &permute.size }, acc_hlo_shape_of (node), kinds[i]);
}
