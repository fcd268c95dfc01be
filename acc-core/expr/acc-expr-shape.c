/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shapes and indices: an integer for rank 1, else a tuple of integers, outermost first. Comparisons take them as the tuples they
 * are, lexicographically; that one fits into another is acc_expr_eq (acc_expr_intersect (a, b), a). */

#include "acc-expr-derive-private.h"

/* Whether @index has integers only, or is one; then their number. */
static gboolean
is_index (AccExpr *index,
          guint   *rank)
{
  gboolean tuple = acc_element_type_is_tuple (index->type);

  *rank = tuple ? acc_element_type_get_n_items (index->type) : 1;
  for (guint d = 0; d < *rank; d++)
    {
      AccElementType *type = tuple ? acc_element_type_get_item (index->type, d) : index->type;

      if (!acc_element_kind_is_integer (acc_element_type_get_kind (type)))
        return FALSE;
    }
  return TRUE;
}

static AccExpr *
item_as_i64 (AccExpr *index,
             guint    d)
{
  return acc_expr_cast (acc_expr_item (index, d), acc_index_type (1));
}

/**
 * acc_expr_to_linear:
 * @shape: the extents: an integer for rank 1, else a tuple of integers, outermost first
 * @index: an index of the same rank and type
 *
 * Computes the row-major position of an index in a shape.
 *
 * ```c
 * // shape = (2, 3) of (i8,i8), index = (1, 2) of (i8,i8)
 * AccExpr *result = acc_expr_to_linear (shape, index); // → 5
 * ```
 *
 * Returns: (transfer none): the position, an i8; 0 for rank 0
 */
DERIVED2 (to_linear, TRUE,
  guint rank;
  guint rank_of_index;
  if (!is_index (a, &rank) || !is_index (b, &rank_of_index) || rank != rank_of_index)
    return _acc_expr_needs ("to_linear", "indices", a);

  AccExpr *sum = rank > 0 ? item_as_i64 (b, 0) : acc_expr_new_typed_int (acc_index_type (1), 0);
  for (guint d = 1; d < rank; d++)
    sum = acc_expr_add (acc_expr_mul (sum, item_as_i64 (a, d)), item_as_i64 (b, d));
  return sum;
)

/**
 * acc_expr_from_linear:
 * @shape: the extents: an integer for rank 1, else a tuple of integers, outermost first
 * @index: a row-major position, an integer
 *
 * Computes the index of a row-major position in a shape.
 *
 * The outermost item is not reduced: a position beyond the end gives an index out of range. An inner extent of 0 fails with
 * %ACC_ERROR_ARITHMETIC when it runs.
 *
 * ```c
 * // shape = (2, 3) of (i8,i8), i = 5
 * AccExpr *result = acc_expr_from_linear (shape, i); // → (1, 2)
 * ```
 *
 * Returns: (transfer none): the index: an i8 for rank 1, else a tuple of them
 */
DERIVED2 (from_linear, FALSE,
  guint rank;
  if (!is_index (a, &rank))
    return _acc_expr_needs ("from_linear", "a shape of integers", a);
  if (!_acc_expr_is_integer (b))
    return _acc_expr_needs ("from_linear", "an integer position", b);

  g_autofree AccExpr **items = g_new (AccExpr *, rank + 1);
  g_autoptr(AccExpr) rest = acc_expr_ref_sink (acc_expr_cast (b, acc_index_type (1)));
  for (guint d = rank; d-- > 1;)
    {
      g_autoptr(AccExpr) before = g_steal_pointer (&rest);
      g_autoptr(AccExpr) extent = acc_expr_ref_sink (item_as_i64 (a, d));
      items[d] = acc_expr_rem (before, extent);
      rest = acc_expr_ref_sink (acc_expr_quot (before, extent));
    }
  if (rank == 1)
    return _acc_expr_float (g_steal_pointer (&rest));
  items[0] = rest;
  return acc_expr_tuple (items, rank);
)

/**
 * acc_expr_shape_size:
 * @a: the extents: an integer for rank 1, else a tuple of integers
 *
 * Computes the number of elements in a shape.
 *
 * It is the product of the extents, where one below 0 counts as 0; 1 for rank 0. The product wraps.
 *
 * ```c
 * // shape = (2, 3) of (i8,i8)
 * AccExpr *result = acc_expr_shape_size (shape); // → 6
 * ```
 *
 * Returns: (transfer none): the number, an i8
 */
DERIVED1 (shape_size,
  guint rank;
  if (!is_index (a, &rank))
    return _acc_expr_needs ("shape_size", "a shape of integers", a);

  AccExpr *product = acc_expr_new_typed_int (acc_index_type (1), 1);
  for (guint d = 0; d < rank; d++)
    product = acc_expr_mul (product, acc_expr_max (item_as_i64 (a, d), INT (0)));
  return product;
)

static AccExpr *
join (AccExpr **items,
      AccExpr  *like,
      guint     rank)
{
  return acc_element_type_is_tuple (like->type) ? acc_expr_tuple (items, rank) : items[0];
}

static AccExpr *
each_extent (const char  *name,
             AccExpr     *a,
             AccExpr     *b,
             AccExpr   *(*choose) (AccExpr *x, AccExpr *y))
{
  guint rank;

  if (!is_index (a, &rank))
    return _acc_expr_needs (name, "shapes of integers", a);

  g_autofree AccExpr **items = g_new (AccExpr *, rank + 1);
  for (guint d = 0; d < rank; d++)
    items[d] = choose (acc_expr_item (a, d), acc_expr_item (b, d));
  return join (items, a, rank);
}

/**
 * acc_expr_intersect:
 * @a: the extents: an integer for rank 1, else a tuple of integers
 * @b: other extents of the same type
 *
 * Computes the intersection of two shapes: the smaller extent in each dimension.
 *
 * ```c
 * // a = (2, 5) of (i8,i8), b = (3, 4) of (i8,i8)
 * AccExpr *result = acc_expr_intersect (a, b); // → (2, 4)
 * ```
 *
 * Returns: (transfer none): a shape of the same type
 */
DERIVED2 (intersect, TRUE, return each_extent ("intersect", a, b, acc_expr_min); )

/**
 * acc_expr_union:
 * @a: the extents: an integer for rank 1, else a tuple of integers
 * @b: other extents of the same type
 *
 * Computes the union of two shapes: the larger extent in each dimension.
 *
 * ```c
 * // a = (2, 5) of (i8,i8), b = (3, 4) of (i8,i8)
 * AccExpr *result = acc_expr_union (a, b); // → (3, 5)
 * ```
 *
 * Returns: (transfer none): a shape of the same type
 */
DERIVED2 (union, TRUE, return each_extent ("union", a, b, acc_expr_max); )

/**
 * acc_expr_index_head:
 * @a: an index: an integer for rank 1, else a tuple of integers
 *
 * Returns the innermost item of an index.
 *
 * ```c
 * // index = (1, 2, 3) of (i8,i8,i8)
 * AccExpr *result = acc_expr_index_head (index); // → 3
 * ```
 *
 * Returns: (transfer none): the item; an expression with %ACC_ERROR_TYPE for rank 0
 */
DERIVED1 (index_head,
  guint rank;
  if (!is_index (a, &rank) || rank == 0)
    return _acc_expr_needs ("index_head", "an index of rank 1 or more", a);
  return acc_expr_item (a, rank - 1);
)

/**
 * acc_expr_index_tail:
 * @a: an index: an integer for rank 1, else a tuple of integers
 *
 * Returns an index without its innermost item.
 *
 * The tail of `(y, x, z)` is `(y, x)`, that of `(y, x)` is `y`, and that of `x` is `()`.
 *
 * ```c
 * // index = (1, 2, 3) of (i8,i8,i8)
 * AccExpr *result = acc_expr_index_tail (index); // → (1, 2)
 * ```
 *
 * Returns: (transfer none): an index with one dimension fewer; an expression with %ACC_ERROR_TYPE for rank 0
 */
DERIVED1 (index_tail,
  guint rank;
  if (!is_index (a, &rank) || rank == 0)
    return _acc_expr_needs ("index_tail", "an index of rank 1 or more", a);

  g_autofree AccExpr **items = g_new (AccExpr *, rank);
  for (guint d = 0; d + 1 < rank; d++)
    items[d] = acc_expr_item (a, d);
  return rank == 2 ? items[0] : acc_expr_tuple (items, rank - 1);
)
