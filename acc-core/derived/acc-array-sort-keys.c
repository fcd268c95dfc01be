/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-sort-private.h"

#include "acc-core/expr/acc-expr-build-private.h"

/* --- the order of keys, as that of unsigned numbers */

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

/* --- short rows, which are sorted by rank: every key is compared with every other, and an element goes to the place that is the number of
 * keys in front of it. */

#define SHORT_ROW 32

typedef struct {
  AccArray *orders;
  AccExpr  *index, *row_size, *place, *own;
} Comparison;

gboolean
acc_sort_is_short (AccArray *array)
{
  AccShape *shape = acc_array_get_shape (array);

  return shape != NULL && acc_shape_get_extent (shape, array->rank - 1) <= SHORT_ROW;
}

static AccExpr *
order_at (const Comparison *self,
          AccExpr          *place)
{
  return acc_expr_index (self->orders, acc_array_index_in_row (self->orders, self->index, place));
}

/* The state: which other, and how many of those so far come before the own one. */
static AccExpr *
compare_step (AccExpr *state,
              gpointer data)
{
  const Comparison *self = data;
  AccElementType *type = acc_element_type_new (ACC_KIND_I64);
  g_autoptr(AccExpr) other = acc_expr_ref_sink (acc_expr_item (state, 0));
  g_autoptr(AccExpr) order = acc_expr_ref_sink (order_at (self, other));
  AccExpr *is_before = acc_expr_lor (acc_expr_lt (order, self->own),
                                     acc_expr_land (acc_expr_eq (order, self->own), acc_expr_lt (other, self->place)));

  return acc_expr_tuple2 (acc_expr_lt (other, self->row_size),
                          acc_expr_tuple2 (acc_expr_add (other, acc_array_number (1)),
                                           acc_expr_add (acc_expr_item (state, 1), acc_expr_cast (is_before, type))));
}

static AccExpr *
target_of (AccExpr *index,
           gpointer data)
{
  AccArray *orders = data;
  guint last = orders->rank - 1;
  g_autoptr(AccExpr) row_size = acc_expr_ref_sink (acc_expr_extent (orders, last));
  g_autoptr(AccExpr) place = acc_expr_ref_sink (orders->rank == 1 ? index : acc_expr_item (index, last)), own = NULL;
  Comparison comparison = { orders, index, row_size, place };
  AccExpr *begin = acc_expr_mul (acc_array_outer_place (orders, index, last), row_size);

  comparison.own = own = acc_expr_ref_sink (order_at (&comparison, place));
  return acc_expr_item (acc_expr_while (acc_expr_tuple2 (acc_array_number (0), begin), compare_step, &comparison), 1);
}

AccArray *
acc_sort_short_targets (AccArray *orders)
{
  return acc_array_generate_expr (acc_expr_shape (orders), target_of, orders);
}

AccArray *
acc_sort_move (AccArray *array,
               AccArray *targets)
{
  AccExpr *size = acc_array_number (acc_shape_get_size (acc_array_get_shape (array)));
  g_autoptr(AccArray) room = acc_array_fill_expr (size, acc_expr_cast (acc_array_number (0), array->type));
  g_autoptr(AccArray) moved = acc_array_permute (array, room, targets, acc_array_first_element, NULL);

  return acc_array_reshape_expr (moved, acc_expr_shape (array));
}
