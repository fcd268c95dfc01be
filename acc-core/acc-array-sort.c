/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-sort.h"

#include "acc-array-sort-private.h"
#include "acc-error.h"

/* Rows are cut into tiles, put in order (acc-array-sort-passes.c), and joined again. */

#define SHORT_ROW 32

static AccExpr *
place_in_row (AccExpr *index,
              AccExpr *tile_size)
{
  return acc_expr_add (acc_expr_mul (acc_expr_item (index, 1), tile_size), acc_expr_item (index, 2));
}

typedef struct {
  AccSort        *sort;
  AccExpr        *row_size, *tile_size;
  AccElementType *number_type;
} Tiling;

static AccExpr *
key_or_last (AccExpr *index,
             gpointer data)
{
  const Tiling *tiling = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (place_in_row (index, tiling->tile_size));
  AccExpr *key = acc_expr_linear_index (tiling->sort->array, acc_expr_add (acc_expr_mul (acc_expr_item (index, 0), tiling->row_size), place));

  return acc_expr_cond (acc_expr_lt (place, tiling->row_size), key, acc_sort_last_key (tiling->sort->array->type, tiling->sort->descending));
}

static AccExpr *
own_number (AccExpr *index,
            gpointer data)
{
  const Tiling *tiling = data;

  return acc_expr_cast (place_in_row (index, tiling->tile_size), tiling->number_type);
}

static void
cut_tiles (AccSort  *self,
           gboolean  numbered)
{
  AccArray *array = self->array;
  guint last = array->rank - 1;
  AccShape *shape = acc_array_get_shape (array);
  gint64 n = shape != NULL ? acc_shape_get_extent (shape, last) : -1;
  g_autoptr(AccExpr) row_size = acc_expr_ref_sink (acc_expr_extent (array, last));
  g_autoptr(AccExpr) tile_size = acc_expr_ref_sink (acc_expr_max (acc_expr_min (row_size, acc_array_number (ACC_SORT_TILE)), acc_array_number (1)));
  AccExpr *rows = acc_array_number (1), *tiles, *extents;
  Tiling tiling = { self, row_size, tile_size };

  for (guint i = 0; i < last; i++)
    rows = acc_expr_mul (rows, acc_expr_extent (array, i));
  tiles = acc_expr_quot (acc_expr_sub (acc_expr_add (row_size, tile_size), acc_array_number (1)), tile_size);
  extents = acc_expr_tuple3 (rows, tiles, tile_size);

  self->is_short = n >= 0 && n <= SHORT_ROW;
  self->padded = n < 0 || (n > ACC_SORT_TILE && n % ACC_SORT_TILE != 0);
  self->keys = self->padded ? acc_array_generate_expr (extents, key_or_last, &tiling) : acc_array_reshape_expr (array, extents);

  tiling.number_type = acc_element_type_new (n >= 0 && n < G_MAXINT32 - ACC_SORT_TILE ? ACC_KIND_I32 : ACC_KIND_I64);
  if (numbered)
    self->numbers = acc_array_generate_expr (acc_expr_shape (self->keys), own_number, &tiling);
}

static AccExpr *
padded_place (AccExpr *index,
              gpointer data)
{
  const AccSort *self = data;
  guint last = self->array->rank - 1;
  AccExpr *row = acc_array_outer_place (self->array, index, last);

  return acc_expr_add (acc_expr_mul (row, acc_expr_mul (acc_expr_extent (self->keys, 1), acc_expr_extent (self->keys, 2))),
                       acc_expr_item (index, last));
}

/* Rows as they were given, of @tiles. */
static AccArray *
join_tiles (AccSort  *self,
            AccArray *tiles)
{
  g_autoptr(AccArray) flat = acc_array_flatten (tiles);
  AccExpr *shape = acc_expr_shape (self->array);

  return self->padded ? acc_array_backpermute_expr (flat, shape, padded_place, self) : acc_array_reshape_expr (flat, shape);
}

/* --- the operations */

static AccArray *
check_keys (AccArray   *keys,
            const char *operation)
{
  AccArray *node = acc_array_begin (ACC_OP_PERMUTE, &keys, 1);

  if (node->error == NULL && keys->rank == 0)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: an array of rank 0 has no rows", operation);
  if (node->error == NULL && acc_element_type_is_tuple (keys->type))
    acc_array_fail (node, ACC_ERROR_TYPE, "%s: keys are scalars, not %s", operation, acc_element_type_get_code (keys->type));

  return node;
}

/* @order: NULL, or set to where in its row each was, before: an i8. */
static AccArray *
sort_rows (AccArray  *array,
           gboolean   descending,
           AccArray **order)
{
  AccSort self = { array, descending };
  guint bits = acc_sort_count_bits (array->type);
  AccArray *sorted;

  cut_tiles (&self, order != NULL);
  if (self.is_short)
    acc_sort_by_comparison (&self);
  for (; !self.is_short && self.shift < bits; self.shift += ACC_SORT_DIGIT_BITS)
    acc_sort_by_digit (&self);

  sorted = join_tiles (&self, self.keys);
  if (order != NULL)
    {
      g_autoptr(AccArray) numbers = join_tiles (&self, self.numbers);

      *order = acc_array_cast (numbers, acc_element_type_new (ACC_KIND_I64));
      g_object_unref (self.numbers);
    }
  g_object_unref (self.keys);

  return sorted;
}

/**
 * acc_array_sort:
 * @self: an array of scalars, of rank 1 or more
 * @descending: the largest first
 *
 * Every innermost row in order. Equal elements stay in the order in which they were: so do -0.0 and 0.0, which are equal. NaN comes
 * last, in both directions. Linear in the size of @self and in the bits of an element; it needs memory for @self twice, and twelve bytes
 * more per element.
 *
 * An array of rank 0 is %ACC_ERROR_SHAPE, tuples are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[3, 1, 2], [6, 5, 4]]
 * g_autoptr(AccArray) result = acc_array_sort (xs, FALSE); // → [[1, 2, 3], [4, 5, 6]]
 * ```
 *
 * Returns: (transfer full): an array of the type and extents of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_sort (AccArray *self,
                gboolean  descending)
{
  AccArray *node = check_keys (self, "sort");

  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  return sort_rows (self, descending, NULL);
}

/**
 * acc_array_argsort:
 * @self: an array of scalars, of rank 1 or more
 * @descending: the largest first
 *
 * Where in its row each element of [method@Array.sort] was: of equal ones the first comes first.
 * As [method@Array.sort] otherwise.
 *
 * ```c
 * // xs = [30, 10, 20]
 * g_autoptr(AccArray) result = acc_array_argsort (xs, FALSE); // → [1, 2, 0]
 * ```
 *
 * Returns: (transfer full): an array of i8 of the extents of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_argsort (AccArray *self,
                   gboolean  descending)
{
  AccArray *node = check_keys (self, "argsort");
  g_autoptr(AccArray) sorted = NULL;
  AccArray *order;

  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  sorted = sort_rows (self, descending, &order);
  return order;
}

typedef struct {
  AccArray *values, *order;
} Arrangement;

static AccExpr *
arranged (AccExpr *index,
          gpointer data)
{
  const Arrangement *arrangement = data;

  return acc_array_index_in_row (arrangement->values, index, acc_expr_index (arrangement->order, index));
}

/**
 * acc_array_sort_by:
 * @self: an array of rank 1 or more, of any element type
 * @keys: an array of scalars, of the extents of @self
 * @descending: the largest key first
 * @sorted_keys: (out) (optional) (transfer full): the keys, as [method@Array.sort] has them
 *
 * The elements of every innermost row in the order of their keys; those of equal keys stay in the order in which they were. Keys of
 * other extents are %ACC_ERROR_SHAPE while building, or %ACC_ERROR_BOUNDS when run, where the extents are known only then.
 * As [method@Array.sort] otherwise.
 *
 * ```c
 * // xs = [10, 20, 30], keys = [2.5, 0.5, 1.5]
 * g_autoptr(AccArray) sorted_keys = NULL;
 * g_autoptr(AccArray) sorted = acc_array_sort_by (xs, keys, TRUE, &sorted_keys); // → [10, 30, 20]
 * // sorted_keys → [2.5, 1.5, 0.5]
 * ```
 *
 * Returns: (transfer full): an array of the type and extents of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_sort_by (AccArray  *self,
                   AccArray  *keys,
                   gboolean   descending,
                   AccArray **sorted_keys)
{
  g_autoptr(AccArray) node = check_keys (keys, "sort_by"), matched = NULL, sorted = NULL, order = NULL;
  Arrangement arrangement = { self, NULL };

  if (node->error == NULL)
    {
      AccArray *both[] = { self, keys };

      g_object_unref (node);
      node = acc_array_begin (ACC_OP_BACKPERMUTE, both, 2);
    }
  if (node->error == NULL)
    acc_array_check_extents (node, "sort_by: keys", self, keys);
  if (node->error != NULL)
    return acc_array_refuse (g_steal_pointer (&node), sorted_keys);

  matched = acc_array_match_extents (self, keys);
  sorted = sort_rows (matched, descending, &order);
  if (sorted_keys != NULL)
    *sorted_keys = g_object_ref (sorted);

  arrangement.order = order;
  return acc_array_backpermute_expr (self, acc_expr_shape (self), arranged, &arrangement);
}
