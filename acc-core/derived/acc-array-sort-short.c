/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-sort-private.h"

/* Sorts short rows by rank: every key is compared with every other, and an element goes to the place that is the number of keys in front of
 * it. */

#define SHORT_ROW 32

typedef struct {
  AccArray *orders;
  AccExpr  *index, *row_size, *place, *own;
} Comparison;

gboolean
acc_sort_is_short (AccArray *array)
{
  AccShape *shape = acc_array_get_shape (array);

  /* Rows of sources come some at a time, and each with all of its elements. */
  return shape != NULL && acc_shape_get_extent (shape, array->rank - 1) <= SHORT_ROW
         && (array->rank == 1 || !acc_array_reads_source (array));
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
