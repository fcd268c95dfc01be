/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-blocks-private.h"
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-array-private.h"
#include "acc-core/derived/fft/acc-array-fft-private.h"
#include "acc-core/expr/acc-expr-math.h"

/* Transforms of a vector that has no divisor near its root, as those of a prime length: a convolution with a chirp, exp (πi j² / n), by
 * transforms of a length that has (acc-array-fft-convolve.c tells why). All that is between is in stores. */

typedef struct {
  gint64    n, size;             /* of the vector, and of what is convolved */
  gboolean  forward;
  AccArray *vector, *factors;    /* in stores */
} Chirp;

/* The inverse transform is the conjugate of the forward one of conjugates. */
static AccExpr *
take (const Chirp *self, AccExpr *number)
{
  return self->forward ? number : acc_expr_conjugate (number);
}

/* exp (-πi j² / n) */
static AccExpr *
root_at (const Chirp *self, AccExpr *j)
{
  g_autoptr(AccExpr) place = acc_expr_ref_sink (j);
  AccExpr *turns = acc_expr_rem (acc_expr_mul (place, place), acc_array_number (2 * self->n));
  AccElementType *type = acc_element_type_new (acc_element_type_get_leaf (self->vector->type, 0));
  g_autoptr(AccExpr) pair = acc_expr_ref_sink (acc_fft_cast (acc_fft_root (turns, acc_array_number (2 * self->n)), type));

  return acc_expr_complex (acc_expr_item (pair, 0), acc_expr_item (pair, 1));
}

static AccExpr *
padded_at (AccExpr *index, gpointer data)
{
  const Chirp *self = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (index, 0));
  AccExpr *product = acc_expr_mul (take (self, acc_expr_linear_index (self->vector, place)), root_at (self, place));

  return acc_expr_cond (acc_expr_lt (place, acc_array_number (self->n)), product, acc_expr_new_zero (self->vector->type));
}

static AccExpr *
kernel_at (AccExpr *index, gpointer data)
{
  const Chirp *self = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (index, 0)), distance = NULL;

  distance = acc_expr_ref_sink (acc_expr_min (place, acc_expr_sub (acc_array_number (self->size), place)));

  return acc_expr_cond (acc_expr_lt (distance, acc_array_number (self->n)), acc_expr_conjugate (root_at (self, distance)),
                        acc_expr_new_zero (self->vector->type));
}

/* Conjugate: what its forward transform gives is conjugate to the inverse one. */
static AccExpr *
product_at (AccExpr *index, gpointer data)
{
  const Chirp *self = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (index, 0));

  return acc_expr_conjugate (acc_expr_mul (acc_expr_linear_index (self->vector, place), acc_expr_linear_index (self->factors, place)));
}

static AccExpr *
result_at (AccExpr *index, gpointer data)
{
  const Chirp *self = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (index, 0)), number = NULL;
  AccElementType *type = acc_element_type_new (acc_element_type_get_leaf (self->vector->type, 0));
  g_autoptr(AccExpr) size = acc_expr_ref_sink (acc_expr_new_typed_float (type, (double) self->size));

  number = acc_expr_mul (acc_expr_conjugate (acc_expr_linear_index (self->vector, place)), root_at (self, place));
  number = acc_expr_ref_sink (take (self, number));

  return acc_expr_complex (acc_expr_fdiv (acc_expr_item (number, 0), size), acc_expr_fdiv (acc_expr_item (number, 1), size));
}

/* Of .size numbers, in a store. */
static AccArray *
transform (const AccExternalTask *task, const Chirp *self, AccExprFunc at, GError **error)
{
  g_autoptr(AccArray) numbers = acc_array_generate_expr (acc_array_number (self->size), at, (gpointer) self);
  g_autoptr(AccShape) shape = acc_shape_new_vector (self->size);
  g_auto(AccBlocks) from = { NULL, };

  return acc_blocks_init (&from, task, self->vector->type, shape, 1, error)
         && acc_external_fill_store (task, numbers, from.store, error)
         ? acc_rows_transform_vector (task, &from, self->size, TRUE, error) : NULL;
}

AccArray *
acc_chirp_transform (const AccExternalTask *task, AccArray *vector, gboolean forward, GError **error)
{
  gint64 n = acc_shape_get_size (vector->shape);
  Chirp self = { n, acc_fft_find_size (2 * n - 1), forward, vector, NULL };
  g_autoptr(AccArray) numbers = transform (task, &self, padded_at, error), factors = NULL, sums = NULL, result = NULL;

  factors = numbers != NULL ? transform (task, &self, kernel_at, error) : NULL;
  if (factors == NULL)
    return NULL;
  self.vector = numbers;
  self.factors = factors;
  sums = transform (task, &self, product_at, error);
  if (sums == NULL)
    return NULL;
  g_clear_object (&numbers);
  g_clear_object (&factors);
  self.vector = sums;
  result = acc_array_generate_expr (acc_array_number (n), result_at, &self);

  return acc_external_store (task, result, "a transform", error);
}
