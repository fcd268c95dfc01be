/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-array.h"

#include "acc-hlo-expr.h"
#include "acc-hlo-round.h"

/* Sorts of rows by an unsigned key, which keep the order of equal ones: the key goes with the elements, but where it is
 * the element, which compilers have a quicker form for. */

static AccElementKind
get_unsigned (AccElementKind kind)
{
  gsize size = acc_element_kind_get_size (kind);

  return kind == ACC_KIND_BOOL ? kind : size == 1 ? ACC_KIND_U8 : size == 2 ? ACC_KIND_U16 : size == 4 ? ACC_KIND_U32 : ACC_KIND_U64;
}

/* What is behind the end comes last. */
static AccHloValue
compare_ends (AccHlo      *self,
              AccHloValue  first,
              AccHloValue  second,
              AccHloValue  is_less)
{
  AccHloValue before = acc_hlo_compare (self, "LT", first, second, ACC_HLO_SCALAR, ACC_KIND_BOOL);
  AccHloValue same = acc_hlo_compare (self, "EQ", first, second, ACC_HLO_SCALAR, ACC_KIND_BOOL);

  is_less = acc_hlo_binary (self, "and", same, is_less, ACC_HLO_SCALAR, ACC_KIND_BOOL);

  return acc_hlo_binary (self, "or", before, is_less, ACC_HLO_SCALAR, ACC_KIND_BOOL);
}

void
acc_hlo_write_sort (AccHlo        *self,
                    AccFusionNode *node,
                    AccHloValue   *results)
{
  AccFunction *function = node->array->functions[0];
  AccHloShape shape = acc_hlo_shape_of (node);
  guint n = acc_hlo_count_leaves (node), n_keys = acc_element_type_get_n_leaves (function->body->type);
  g_autofree AccHloValue *values = g_new (AccHloValue, n + 3), *first = g_new (AccHloValue, n + 3), *second = g_new (AccHloValue, n + 3);
  g_autofree AccHloValue *keys = g_new (AccHloValue, n_keys + 1);
  g_autofree AccElementKind *kinds = g_new (AccElementKind, n + 3);
  g_autofree AccHloValue *input = acc_hlo_crop_input (self, node, 0, shape);
  const AccHloParam params[1] = { input };
  g_autoptr(GString) operands = g_string_new (NULL), types = g_string_new (NULL), region = g_string_new (NULL);
  GString *around = self->text;
  AccElementKind kind = acc_element_type_get_leaf (function->body->type, 0);
  AccHloValue is_less, mask = acc_hlo_mask_rows (self, node, shape);
  gboolean has_end = mask != NULL && shape.rank == 1;
  guint n_operands = n + 1, n_all;

  acc_hlo_apply (self, function, params, shape, mask, keys);
  kinds[0] = get_unsigned (kind);
  values[0] = acc_hlo_bitcast (self, keys[0], shape, kind, kinds[0]);
  for (guint i = 0; i < n; i++)
    {
      values[1 + i] = params[0][i];
      kinds[1 + i] = acc_hlo_leaf (node, i);
    }
  if (n == 1 && values[0] == values[1])
    n_operands = 1;
  n_all = n_operands + has_end;
  if (has_end)
    {
      values[n_operands] = acc_hlo_unary (self, "not", mask, shape, ACC_KIND_BOOL);
      kinds[n_operands] = ACC_KIND_BOOL;
    }

  acc_hlo_append_values (operands, values, n_all);
  acc_hlo_append_types (self, types, kinds, n_all, shape);
  self->text = region;
  acc_hlo_write_pairs (self, kinds, n_all, TRUE, first, second);
  is_less = acc_hlo_compare (self, "LT", first[0], second[0], ACC_HLO_SCALAR, kinds[0]);
  if (has_end)
    is_less = compare_ends (self, first[n_operands], second[n_operands], is_less);
  acc_hlo_line (self, "stablehlo.return %s : tensor<i1>", is_less);
  self->text = around;
  acc_hlo_emit_parts (self, n_all, values, "\"stablehlo.sort\"(%s) ({\n%s }) {dimension = %u : i64, is_stable = true} : (%s) -> (%s)",
                      operands->str, region->str, shape.rank - 1, types->str, types->str);
  for (guint i = 0; i < n; i++)
    results[i] = values[n_operands - n + i];
}
