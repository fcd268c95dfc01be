/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-rearrange.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-error.h"

/* Arrays made of the elements of several, of the indices of one, and of numbers in a row. */

/* --- of several arrays */

typedef struct {
  AccArray *first, *second;
  guint     dimension;
} Pair;

static AccExpr *
read_either (AccExpr *index,
             gpointer data)
{
  const Pair *pair = data;
  guint rank = pair->first->rank;
  g_autoptr(AccExpr) split = acc_expr_ref_sink (acc_expr_extent (pair->first, pair->dimension));
  g_autofree AccExpr **items = g_new (AccExpr *, rank);

  for (guint i = 0; i < rank; i++)
    {
      items[i] = acc_expr_item (index, i);
      if (i == pair->dimension)
        items[i] = acc_expr_sub (items[i], split);
    }

  return acc_expr_cond (acc_expr_lt (acc_expr_item (index, pair->dimension), split), acc_expr_index (pair->first, index),
                        acc_expr_index (pair->second, acc_array_join_items (items, rank)));
}

static AccArray *
concat (AccArray   *self,
        AccArray   *other,
        const char *operation,
        gint        dimension)
{
  AccArray *inputs[] = { self, other };
  g_autoptr(AccArray) both = acc_array_begin (ACC_OP_ZIP, inputs, 2);
  Pair pair = { self, other, 0 };
  AccArray *node;

  if (both->error != NULL)
    return acc_array_complete (g_steal_pointer (&both));

  node = acc_array_begin (ACC_OP_GENERATE, NULL, 0);
  if (self->rank != other->rank)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: an array of rank %u and one of rank %u", operation, self->rank, other->rank);
  else if (self->type != other->type)
    acc_array_fail (node, ACC_ERROR_TYPE, "%s: an array of %s and one of %s", operation, acc_element_type_get_code (self->type),
                    acc_element_type_get_code (other->type));
  else if (acc_array_find_dimension (node, self, operation, dimension, &pair.dimension))
    {
      g_autofree AccExpr **extents = g_new (AccExpr *, self->rank);

      for (guint i = 0; i < self->rank; i++)
        {
          AccExpr *x = acc_expr_extent (self, i), *y = acc_expr_extent (other, i);

          extents[i] = i == pair.dimension ? acc_expr_add (x, y) : acc_expr_min (x, y);
        }
      acc_array_set_extents_expr (node, acc_array_join_items (extents, self->rank));
      acc_array_call1 (node, 0, read_either, &pair);
    }

  return acc_array_complete (node);
}

/**
 * acc_array_concat:
 * @self: an array of rank 1 at least
 * @other: an array of the same rank and type
 *
 * Appends the rows of @other to those of @self along the innermost dimension.
 *
 * Where the other extents differ, the result has the smaller one in every dimension. Takes time linear in the number of elements of the
 * result. Ranks that differ, and arrays of rank 0, are %ACC_ERROR_SHAPE; types that differ are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[1, 2], [3, 4]], ys = [[5], [6]]
 * g_autoptr(AccArray) result = acc_array_concat (xs, ys); // → [[1, 2, 5], [3, 4, 6]]
 * ```
 *
 * Returns: (transfer full): an array of the same rank
 */
AccArray *
acc_array_concat (AccArray *self,
                  AccArray *other)
{
  ACC_ARRAY_NAMED ("concat");
  return concat (self, other, "concat", -1);
}

/**
 * acc_array_concat_on:
 * @self: an array
 * @other: an array of the same rank and type
 * @dimension: 0 for the outermost, -1 for the innermost
 *
 * Concatenates two arrays along any dimension.
 *
 * A dimension that the arrays do not have is %ACC_ERROR_SHAPE. Behaves otherwise as [method@Array.concat].
 *
 * ```c
 * // xs = [[1, 2], [3, 4]], ys = [[5, 6]]
 * g_autoptr(AccArray) result = acc_array_concat_on (xs, ys, 0); // → [[1, 2], [3, 4], [5, 6]]
 * ```
 *
 * Returns: (transfer full): an array of the same rank
 */
AccArray *
acc_array_concat_on (AccArray *self,
                     AccArray *other,
                     gint      dimension)
{
  ACC_ARRAY_NAMED ("concat_on");
  return concat (self, other, "concat_on", dimension);
}

static AccExpr *
read_element (AccExpr *index,
              gpointer array)
{
  return acc_expr_linear_index (array, index);
}

/**
 * acc_array_gather:
 * @self: an array
 * @indices: an array of i8, of any rank: positions in the row-major order of @self
 *
 * Reads the elements at the given indices (gather).
 *
 * Takes time linear in the number of @indices. An index outside @self is %ACC_ERROR_BOUNDS when run.
 *
 * ```c
 * // xs = [10, 20, 30], indices = [2, 0, 2, 1]
 * g_autoptr(AccArray) result = acc_array_gather (xs, indices); // → [30, 10, 30, 20]
 * ```
 *
 * Returns: (transfer full): an array of the type of @self and the extents of @indices
 */
AccArray *
acc_array_gather (AccArray *self,
                  AccArray *indices)
{
  ACC_ARRAY_NAMED ("gather");
  AccArray *inputs[] = { self, indices };
  g_autoptr(AccArray) both = acc_array_begin (ACC_OP_ZIP, inputs, 2);

  if (both->error != NULL)
    return acc_array_complete (g_steal_pointer (&both));

  return acc_array_map (indices, read_element, self);
}

static AccExpr *
pair_with_index (AccExpr *index,
                 AccExpr *x,
                 gpointer data)
{
  return acc_expr_tuple2 (index, x);
}

/**
 * acc_array_indexed:
 * @self: an array
 *
 * Pairs every element with its index.
 *
 * The index is an i8 for rank 1, else a tuple with one i8 for each dimension. Takes time linear in the size of @self. No errors of its own
 * occur.
 *
 * ```c
 * // xs = [0.5, 0.25]
 * g_autoptr(AccArray) result = acc_array_indexed (xs); // → [(0, 0.5), (1, 0.25)]
 * ```
 *
 * Returns: (transfer full): an array of pairs of an index and an element, of the extents of @self
 */
AccArray *
acc_array_indexed (AccArray *self)
{
  ACC_ARRAY_NAMED ("indexed");
  return acc_array_imap (self, pair_with_index, NULL);
}

/* --- numbers in a row */

typedef struct {
  AccExpr      *start, *step;
  const gint64 *extents;
  guint         rank;
} Steps;

static AccExpr *
nth_step (AccExpr *index,
          gpointer data)
{
  const Steps *steps = data;
  AccExpr *place = acc_array_number (0);

  for (guint i = 0; i < steps->rank; i++)
    place = acc_expr_add (acc_expr_mul (place, acc_array_number (steps->extents[i])), acc_expr_item (index, i));

  return acc_expr_add (acc_expr_mul (acc_expr_cast (place, acc_expr_get_element_type (steps->start)), steps->step), steps->start);
}

/**
 * acc_array_enum_from_step_n:
 * @shape: the extents of the result
 * @start: the first number
 * @step: the difference between neighbours, of the same type
 *
 * Creates an array of evenly spaced numbers from a start and a step, in row-major order.
 *
 * Number i is i · @step + @start: it is multiplied, not added up. Integers wrap.
 *
 * Takes time linear in the number of elements. A @start and a @step of different types, or that are not numbers, are %ACC_ERROR_TYPE.
 *
 * ```c
 * // shape = (4,)
 * g_autoptr(AccArray) result = acc_array_enum_from_step_n (shape, acc_expr_new_float (1), acc_expr_new_float (0.5)); // → [1, 1.5, 2, 2.5]
 * ```
 *
 * Returns: (transfer full): an array of @shape
 */
AccArray *
acc_array_enum_from_step_n (AccShape *shape,
                            AccExpr  *start,
                            AccExpr  *step)
{
  ACC_ARRAY_NAMED ("enum_from_step_n");
  g_autoptr(AccExpr) owned_start = start != NULL ? acc_expr_ref_sink (start) : NULL;
  g_autoptr(AccExpr) owned_step = step != NULL ? acc_expr_ref_sink (step) : NULL;
  AccArray *node = acc_array_begin (ACC_OP_GENERATE, NULL, 0);
  Steps steps = { owned_start, owned_step, NULL, 0 };

  acc_array_set_extents (node, shape);
  if (node->error == NULL && (start == NULL || step == NULL))
    acc_array_fail_argument (node, "a number");
  if (node->error == NULL)
    {
      steps.extents = acc_shape_get_extents (shape, &steps.rank);
      acc_array_call1 (node, 0, nth_step, &steps);
    }

  return acc_array_complete (node);
}

static AccExpr *
one_like (AccExpr *start)
{
  AccElementType *type = acc_expr_get_element_type (start);
  AccExpr *one = acc_array_number (1);

  return type != NULL ? acc_expr_cast (one, type) : one;
}

/**
 * acc_array_enum_from_n:
 * @shape: the extents of the result
 * @start: the first number
 *
 * Creates an array of consecutive numbers from a start, in row-major order.
 *
 * The step is 1. Behaves otherwise as [func@Array.enum_from_step_n].
 *
 * ```c
 * // shape = (2, 3)
 * g_autoptr(AccArray) result = acc_array_enum_from_n (shape, acc_expr_new_int (1)); // → [[1, 2, 3], [4, 5, 6]]
 * ```
 *
 * Returns: (transfer full): an array of @shape
 */
AccArray *
acc_array_enum_from_n (AccShape *shape,
                       AccExpr  *start)
{
  ACC_ARRAY_NAMED ("enum_from_n");
  g_autoptr(AccExpr) owned = start != NULL ? acc_expr_ref_sink (start) : NULL;

  return acc_array_enum_from_step_n (shape, owned, owned != NULL ? one_like (owned) : NULL);
}
