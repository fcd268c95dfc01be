/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-runs.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-array-filter.h"
#include "acc-array-rearrange.h"
#include "acc-array-sort.h"
#include "acc-error.h"

/* The first element of every run is kept, with its place; the length of a run is the distance to the next. */

static AccExpr *
begins_run (AccExpr *index,
            AccExpr *x,
            gpointer array)
{
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (index, 0));
  AccExpr *before = acc_expr_linear_index (array, acc_expr_max (acc_expr_sub (place, acc_array_number (1)), acc_array_number (0)));

  return acc_expr_lor (acc_expr_eq (place, acc_array_number (0)), acc_expr_lnot (acc_array_same_elements (x, before, NULL)));
}

static AccExpr *
own_place (AccExpr *index,
           gpointer data)
{
  return acc_expr_item (index, 0);
}

typedef struct {
  AccArray *array, *begins;
} Runs;

static AccExpr *
length_of (AccExpr *index,
           AccExpr *begin,
           gpointer data)
{
  const Runs *runs = data;
  g_autoptr(AccExpr) next = acc_expr_ref_sink (acc_expr_add (acc_expr_item (index, 0), acc_array_number (1)));
  AccExpr *is_last = acc_expr_eq (next, acc_expr_extent (runs->begins, 0));

  return acc_expr_sub (acc_expr_cond (is_last, acc_expr_extent (runs->array, 0), acc_expr_linear_index (runs->begins, next)), begin);
}

/**
 * acc_array_run_length_encode:
 * @self: a vector, of any element type
 * @lengths: (out) (optional) (transfer full): the number of elements in each run: a vector of i8
 *
 * Returns the first element of every run of equal neighbours, and the lengths of the runs.
 *
 * NaN equals NaN here. Takes time linear in the size of @self. An array of another rank than 1 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, 7, 7, 2, 2]
 * g_autoptr(AccArray) lengths = NULL;
 * g_autoptr(AccArray) values = acc_array_run_length_encode (xs, &lengths); // → [7, 2]
 * // lengths → [3, 2]
 * ```
 *
 * Returns: (transfer full): a vector of the element type of @self
 */
AccArray *
acc_array_run_length_encode (AccArray  *self,
                             AccArray **lengths)
{
  ACC_ARRAY_NAMED ("run_length_encode");
  AccArray *node = acc_array_begin (ACC_OP_IMAP, &self, 1);
  g_autoptr(AccArray) flags = NULL, places = NULL, begins = NULL;

  if (node->error == NULL && self->rank != 1)
    acc_array_fail (node, ACC_ERROR_SHAPE, "run_length_encode: an array of rank %u is no vector", self->rank);
  if (node->error != NULL)
    return acc_array_refuse (node, lengths);
  g_object_unref (node);

  flags = acc_array_imap (self, begins_run, self);
  places = acc_array_generate_expr (acc_expr_extent (self, 0), own_place, NULL);
  begins = acc_array_compact (places, flags, NULL);
  if (lengths != NULL)
    *lengths = acc_array_imap (begins, length_of, &(Runs) { self, begins });

  return acc_array_gather (self, begins);
}

/**
 * acc_array_unique:
 * @self: an array of scalars
 * @counts: (out) (optional) (transfer full): how often each value occurs: a vector of i8
 *
 * Returns the distinct values of an array in ascending order.
 *
 * Of elements that are equal, such as -0.0 and 0.0, the first one is kept. NaN comes last, and once. The order, the time and the memory are
 * the same as [method@Array.sort] has for the elements in row-major order. Tuples are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [3, 1, 3, 2, 1, 3]
 * g_autoptr(AccArray) counts = NULL;
 * g_autoptr(AccArray) values = acc_array_unique (xs, &counts); // → [1, 2, 3]
 * // counts → [2, 1, 3]
 * ```
 *
 * Returns: (transfer full): a vector of the element type of @self
 */
AccArray *
acc_array_unique (AccArray  *self,
                  AccArray **counts)
{
  ACC_ARRAY_NAMED ("unique");
  g_autoptr(AccArray) flat = acc_array_flatten (self), sorted = acc_array_sort (flat, FALSE);

  return acc_array_run_length_encode (sorted, counts);
}
