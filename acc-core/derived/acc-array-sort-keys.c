/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-sort-private.h"

#include "acc-core/expr/acc-expr-build-private.h"

/* The order of keys, as that of unsigned numbers. */

static AccElementType *
get_signed_type (AccElementType *type)
{
  switch (acc_element_type_get_size (type))
    {
    case 2:
      return acc_element_type_new (ACC_KIND_I16);
    case 4:
      return acc_element_type_new (ACC_KIND_I32);
    default:
      return acc_element_type_new (ACC_KIND_I64);
    }
}

static AccExpr *
top_bit (AccElementType *type,
         guint           bits)
{
  return acc_expr_new_typed_uint (type, G_GUINT64_CONSTANT (1) << (bits - 1));
}

/* Signed magnitude to two's complement: -0 becomes 0. */
static AccExpr *
order_float (AccExpr        *x,
             AccElementType *type,
             guint           bits)
{
  AccElementType *words = _acc_unsigned_type (acc_element_type_get_size (type)), *numbers = get_signed_type (type);
  g_autoptr(AccExpr) signs = acc_expr_ref_sink (acc_expr_shr (acc_expr_bitcast (x, numbers), acc_array_number (bits - 1)));
  AccExpr *magnitude = acc_expr_shr (acc_expr_bitcast (signs, words), acc_array_number (1));
  AccExpr *flipped = acc_expr_bxor (acc_expr_bitcast (x, words), magnitude);

  return acc_expr_bxor (acc_expr_sub (flipped, acc_expr_bitcast (signs, words)), top_bit (words, bits));
}

AccExpr *
acc_sort_order_key (AccExpr *x,
                    gboolean descending)
{
  AccElementType *type = acc_expr_get_element_type (x), *words = _acc_unsigned_type (acc_element_type_get_size (type));
  AccElementKind kind = acc_element_type_get_kind (type);
  guint bits = 8 * acc_element_type_get_size (type);
  AccExpr *order;

  if (kind == ACC_KIND_BOOL)
    return acc_expr_cast (descending ? acc_expr_lnot (x) : x, words);

  if (acc_element_kind_is_float (kind))
    order = order_float (x, type, bits);
  else if (acc_element_kind_is_signed (kind))
    order = acc_expr_bxor (acc_expr_bitcast (x, words), top_bit (words, bits));
  else
    order = x;
  if (descending)
    order = acc_expr_bnot (order);

  return acc_element_kind_is_float (kind) ? acc_expr_cond (acc_expr_is_nan (x), acc_expr_new_maximum (words), order) : order;
}
