/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-rearrange.h"

#include "acc-core/array/acc-array-build-private.h"

/* Each function here is one backpermute or generate with a function of indices, which fuses, streams and is checked. */

static AccExpr *
clamp (AccExpr *x,
       AccExpr *high)
{
  return acc_expr_min (acc_expr_max (x, acc_array_number (0)), high);
}

typedef struct {
  AccExpr *(*function) (AccExpr *item, gpointer data);
  gpointer data;
  guint    rank;
  guint    dimensions[2];   /* the one that is changed, twice; or those that change places */
} Change;

static AccExpr *
change_index (AccExpr *index,
              gpointer data)
{
  const Change *change = data;
  g_autofree AccExpr **items = g_new (AccExpr *, change->rank);

  for (guint i = 0; i < change->rank; i++)
    {
      guint from = i == change->dimensions[0] ? change->dimensions[1] : i == change->dimensions[1] ? change->dimensions[0] : i;

      items[i] = acc_expr_item (index, from);
      if (change->function != NULL && i == change->dimensions[0])
        items[i] = change->function (items[i], change->data);
    }

  return acc_array_join_items (items, change->rank);
}

/* Gives @node, which is sound, its extents, and the function that goes from its indices to those of @self. */
static void
set_change (AccArray *node,
            AccArray *self,
            AccExpr **extents,
            Change   *change)
{
  change->rank = self->rank;
  acc_array_set_extents_expr (node, acc_array_join_items (extents, self->rank));
  acc_array_call1 (node, 0, change_index, change);
}

/* --- windows */

static AccExpr *
add_start (AccExpr *item,
           gpointer start)
{
  return acc_expr_add (item, start);
}

/* At most @count from @start on, both clamped. NULL: from the beginning; to the end. */
static AccArray *
take_window (AccArray   *self,
             const char *operation,
             gint        dimension,
             AccExpr    *start,
             AccExpr    *count)
{
  AccArray *node = acc_array_begin (ACC_OP_BACKPERMUTE, &self, 1);
  g_autoptr(AccExpr) owned_start = acc_expr_ref_sink (start != NULL ? start : acc_array_number (0));
  g_autoptr(AccExpr) owned_count = acc_expr_ref_sink (count != NULL ? count : acc_array_number (G_MAXINT64));
  g_autoptr(AccExpr) begin = NULL;
  Change change = { .function = add_start };
  guint d;

  if (node->error == NULL && acc_array_find_dimension (node, self, operation, dimension, &d))
    {
      g_autofree AccExpr **extents = acc_array_list_extents (self);

      begin = acc_expr_ref_sink (clamp (owned_start, acc_expr_extent (self, d)));
      extents[d] = clamp (owned_count, acc_expr_sub (extents[d], begin));
      change.data = begin;
      change.dimensions[0] = change.dimensions[1] = d;
      set_change (node, self, extents, &change);
    }

  return acc_array_complete (node);
}

/**
 * acc_array_take:
 * @self: an array of rank 1 at least
 * @count: the number of elements
 *
 * Returns the first @count elements of each row along the innermost dimension.
 *
 * Returns all elements where there are fewer, none where @count is negative. Takes time linear in the number of elements of the result. An
 * array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [1, 2, 3, 4, 5]
 * g_autoptr(AccArray) result = acc_array_take (xs, 2); // → [1, 2]
 * ```
 *
 * Returns: (transfer full): an array of the same rank
 */
AccArray *
acc_array_take (AccArray *self,
                gint64    count)
{
  ACC_ARRAY_NAMED ("take");
  return take_window (self, "take", -1, NULL, acc_array_number (count));
}

/**
 * acc_array_take_on:
 * @self: an array
 * @dimension: 0 for the outermost, -1 for the innermost
 * @count: the number of elements: an i8, which may depend on extents and elements of arrays
 *
 * Returns the first @count elements along any dimension.
 *
 * A dimension that @self does not have is %ACC_ERROR_SHAPE. Behaves otherwise as [method@Array.take].
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_take_on (xs, 0, acc_expr_new_int (1)); // → [[1, 2, 3]]
 * ```
 *
 * Returns: (transfer full): an array of the same rank
 */
AccArray *
acc_array_take_on (AccArray *self,
                   gint      dimension,
                   AccExpr  *count)
{
  ACC_ARRAY_NAMED ("take_on");
  return take_window (self, "take_on", dimension, NULL, count);
}

/**
 * acc_array_drop:
 * @self: an array of rank 1 at least
 * @count: the number of elements
 *
 * Returns all but the first @count elements of each row along the innermost dimension.
 *
 * Returns no elements where there are fewer, all where @count is negative. Takes time linear in the number of elements of the result. An
 * array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [1, 2, 3, 4, 5]
 * g_autoptr(AccArray) result = acc_array_drop (xs, 2); // → [3, 4, 5]
 * ```
 *
 * Returns: (transfer full): an array of the same rank
 */
AccArray *
acc_array_drop (AccArray *self,
                gint64    count)
{
  ACC_ARRAY_NAMED ("drop");
  return take_window (self, "drop", -1, acc_array_number (count), NULL);
}

/**
 * acc_array_drop_on:
 * @self: an array
 * @dimension: 0 for the outermost, -1 for the innermost
 * @count: the number of elements: an i8, which may depend on extents and elements of arrays
 *
 * Returns all but the first @count elements along any dimension.
 *
 * A dimension that @self does not have is %ACC_ERROR_SHAPE. Behaves otherwise as [method@Array.drop].
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_drop_on (xs, 0, acc_expr_new_int (1)); // → [[4, 5, 6]]
 * ```
 *
 * Returns: (transfer full): an array of the same rank
 */
AccArray *
acc_array_drop_on (AccArray *self,
                   gint      dimension,
                   AccExpr  *count)
{
  ACC_ARRAY_NAMED ("drop_on");
  return take_window (self, "drop_on", dimension, count, NULL);
}

static AccArray *
drop_last (AccArray   *self,
           const char *operation,
           gint        dimension,
           AccExpr    *count)
{
  AccArray *node = acc_array_begin (ACC_OP_BACKPERMUTE, &self, 1);
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (count != NULL ? count : acc_array_number (0));
  guint d;

  if (node->error != NULL || !acc_array_find_dimension (node, self, operation, dimension, &d))
    return acc_array_complete (node);
  g_object_unref (node);

  return take_window (self, operation, dimension, NULL,
                      acc_expr_sub (acc_expr_extent (self, d), clamp (owned, acc_expr_extent (self, d))));
}

/**
 * acc_array_drop_last:
 * @self: an array of rank 1 at least
 * @count: the number of elements
 *
 * Returns all but the last @count elements of each row along the innermost dimension.
 *
 * Returns no elements where there are fewer, all where @count is negative. With a @count of 1 it is the init of Haskell. Takes time linear
 * in the number of elements of the result. An array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [1, 2, 3, 4, 5]
 * g_autoptr(AccArray) result = acc_array_drop_last (xs, 1); // → [1, 2, 3, 4]
 * ```
 *
 * Returns: (transfer full): an array of the same rank
 */
AccArray *
acc_array_drop_last (AccArray *self,
                     gint64    count)
{
  ACC_ARRAY_NAMED ("drop_last");
  return drop_last (self, "drop_last", -1, acc_array_number (count));
}

/**
 * acc_array_drop_last_on:
 * @self: an array
 * @dimension: 0 for the outermost, -1 for the innermost
 * @count: the number of elements: an i8, which may depend on extents and elements of arrays
 *
 * Returns all but the last @count elements along any dimension.
 *
 * A dimension that @self does not have is %ACC_ERROR_SHAPE. Behaves otherwise as [method@Array.drop_last].
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_drop_last_on (xs, 0, acc_expr_new_int (1)); // → [[1, 2, 3]]
 * ```
 *
 * Returns: (transfer full): an array of the same rank
 */
AccArray *
acc_array_drop_last_on (AccArray *self,
                        gint      dimension,
                        AccExpr  *count)
{
  ACC_ARRAY_NAMED ("drop_last_on");
  return drop_last (self, "drop_last_on", dimension, count);
}

/**
 * acc_array_tail:
 * @self: an array of rank 1 at least
 *
 * Returns all but the first element of each row along the innermost dimension.
 *
 * An empty row stays empty. Takes time linear in the number of elements of the result. An array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_tail (xs); // → [[2, 3], [5, 6]]
 * ```
 *
 * Returns: (transfer full): an array of the same rank
 */
AccArray *
acc_array_tail (AccArray *self)
{
  ACC_ARRAY_NAMED ("tail");
  return take_window (self, "tail", -1, acc_array_number (1), NULL);
}

/**
 * acc_array_tail_on:
 * @self: an array
 * @dimension: 0 for the outermost, -1 for the innermost
 *
 * Returns all but the first element along any dimension.
 *
 * A dimension that @self does not have is %ACC_ERROR_SHAPE. Behaves otherwise as [method@Array.tail].
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_tail_on (xs, 0); // → [[4, 5, 6]]
 * ```
 *
 * Returns: (transfer full): an array of the same rank
 */
AccArray *
acc_array_tail_on (AccArray *self,
                   gint      dimension)
{
  ACC_ARRAY_NAMED ("tail_on");
  return take_window (self, "tail_on", dimension, acc_array_number (1), NULL);
}

/**
 * acc_array_slit:
 * @self: an array of rank 1 at least
 * @start: the index of the first element
 * @count: the number of elements
 *
 * Returns @count elements of each row along the innermost dimension, from index @start on.
 *
 * Gives the same as [method@Array.drop] with @start, followed by [method@Array.take] with @count.
 *
 * ```c
 * // xs = [1, 2, 3, 4, 5]
 * g_autoptr(AccArray) result = acc_array_slit (xs, 1, 3); // → [2, 3, 4]
 * ```
 *
 * Returns: (transfer full): an array of the same rank
 */
AccArray *
acc_array_slit (AccArray *self,
                gint64    start,
                gint64    count)
{
  ACC_ARRAY_NAMED ("slit");
  return take_window (self, "slit", -1, acc_array_number (start), acc_array_number (count));
}

/**
 * acc_array_slit_on:
 * @self: an array
 * @dimension: 0 for the outermost, -1 for the innermost
 * @start: the index of the first element: an i8, which may depend on extents and elements of arrays
 * @count: the number of elements: an i8, too
 *
 * Returns @count elements along any dimension, from index @start on.
 *
 * A dimension that @self does not have is %ACC_ERROR_SHAPE. Behaves otherwise as [method@Array.slit].
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_slit_on (xs, -1, acc_expr_new_int (1), acc_expr_new_int (2)); // → [[2, 3], [5, 6]]
 * ```
 *
 * Returns: (transfer full): an array of the same rank
 */
AccArray *
acc_array_slit_on (AccArray *self,
                   gint      dimension,
                   AccExpr  *start,
                   AccExpr  *count)
{
  ACC_ARRAY_NAMED ("slit_on");
  return take_window (self, "slit_on", dimension, start, count);
}

/* --- orders */

static AccExpr *
from_end (AccExpr *item,
          gpointer extent)
{
  return acc_expr_sub (acc_expr_sub (extent, acc_array_number (1)), item);
}

static AccArray *
reverse (AccArray   *self,
         const char *operation,
         gint        dimension)
{
  AccArray *node = acc_array_begin (ACC_OP_BACKPERMUTE, &self, 1);
  Change change = { .function = from_end };
  guint d;

  if (node->error == NULL && acc_array_find_dimension (node, self, operation, dimension, &d))
    {
      g_autofree AccExpr **extents = acc_array_list_extents (self);
      g_autoptr(AccExpr) extent = acc_expr_ref_sink (acc_expr_extent (self, d));

      change.data = extent;
      change.dimensions[0] = change.dimensions[1] = d;
      set_change (node, self, extents, &change);
    }

  return acc_array_complete (node);
}

/**
 * acc_array_reverse:
 * @self: an array of rank 1 at least
 *
 * Reverses the order of the elements of each row along the innermost dimension.
 *
 * Takes time linear in the number of elements of the result. An array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_reverse (xs); // → [[3, 2, 1], [6, 5, 4]]
 * ```
 *
 * Returns: (transfer full): an array of the same extents
 */
AccArray *
acc_array_reverse (AccArray *self)
{
  ACC_ARRAY_NAMED ("reverse");
  return reverse (self, "reverse", -1);
}

/**
 * acc_array_reverse_on:
 * @self: an array
 * @dimension: 0 for the outermost, -1 for the innermost
 *
 * Reverses the order of the elements along any dimension.
 *
 * A dimension that @self does not have is %ACC_ERROR_SHAPE. Behaves otherwise as [method@Array.reverse].
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_reverse_on (xs, 0); // → [[4, 5, 6], [1, 2, 3]]
 * ```
 *
 * Returns: (transfer full): an array of the same extents
 */
AccArray *
acc_array_reverse_on (AccArray *self,
                      gint      dimension)
{
  ACC_ARRAY_NAMED ("reverse_on");
  return reverse (self, "reverse_on", dimension);
}

static AccArray *
transpose (AccArray   *self,
           const char *operation,
           gint        first,
           gint        second)
{
  AccArray *node = acc_array_begin (ACC_OP_BACKPERMUTE, &self, 1);
  Change change = { .function = NULL };
  guint *d = change.dimensions;

  if (node->error == NULL && acc_array_find_dimension (node, self, operation, first, &d[0])
      && acc_array_find_dimension (node, self, operation, second, &d[1]))
    {
      g_autofree AccExpr **extents = acc_array_list_extents (self);
      AccExpr *first_extent = extents[d[0]];

      extents[d[0]] = extents[d[1]];
      extents[d[1]] = first_extent;
      set_change (node, self, extents, &change);
    }

  return acc_array_complete (node);
}

/**
 * acc_array_transpose:
 * @self: an array of rank 2 at least
 *
 * Exchanges the two innermost dimensions, so that rows become columns.
 *
 * Takes time linear in the size of @self. An array of a rank below 2 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_transpose (xs); // → [[1, 4], [2, 5], [3, 6]]
 * ```
 *
 * Returns: (transfer full): an array of the same rank
 */
AccArray *
acc_array_transpose (AccArray *self)
{
  ACC_ARRAY_NAMED ("transpose");
  return transpose (self, "transpose", -2, -1);
}

/**
 * acc_array_transpose_on:
 * @self: an array
 * @first: a dimension: 0 for the outermost, -1 for the innermost
 * @second: the dimension to exchange it with
 *
 * Exchanges two dimensions of an array.
 *
 * Takes time linear in the size of @self. A dimension that @self does not have is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[[1, 2], [3, 4]]]
 * g_autoptr(AccArray) result = acc_array_transpose_on (xs, 0, 1); // → [[[1, 2]], [[3, 4]]]
 * ```
 *
 * Returns: (transfer full): an array of the same rank
 */
AccArray *
acc_array_transpose_on (AccArray *self,
                        gint      first,
                        gint      second)
{
  ACC_ARRAY_NAMED ("transpose_on");
  return transpose (self, "transpose_on", first, second);
}
