/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-fft-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-array-fft.h"
#include "acc-array-math.h"
#include "acc-array-rearrange.h"
#include "acc-error.h"

/* Fourier transforms of real numbers, of which half of the spectrum determines the other. For an even number of them, neighbours are the
 * parts of complex numbers, and half as many of those are transformed: even and odd elements are separated by symmetry. */

typedef struct {
  AccArray       *array;
  AccElementType *type;       /* floats: what is computed with */
  gint64          n;          /* real numbers in a row */
  AccArray       *roots;      /* of 1, as many as the row of the spectrum has; for even n */
} Real;

static AccShape *
with_last (AccArray *array,
           gint64    last)
{
  g_autofree gint64 *extents = g_memdup2 (acc_shape_get_extents (acc_array_get_shape (array), NULL), array->rank * sizeof (gint64));

  extents[array->rank - 1] = last;

  return acc_shape_new (extents, array->rank);
}

/* Half of x + y and of x - y, of pairs. */
static AccExpr *
half (AccExpr        *x,
      AccExpr        *y,
      AccExpr       *(*combine) (AccExpr *, AccExpr *),
      AccElementType *type)
{
  AccExpr *parts[2];

  for (guint i = 0; i < 2; i++)
    parts[i] = acc_expr_mul (combine (acc_expr_item (x, i), acc_expr_item (y, i)), acc_expr_new_typed_float (type, 0.5));

  return acc_expr_tuple2 (parts[0], parts[1]);
}

/* --- forward */

static AccExpr *
two_neighbours (AccExpr *index,
                gpointer data)
{
  const Real *self = data;
  guint rank = self->array->rank;
  AccExpr *parts[2];

  for (guint i = 0; i < 2; i++)
    {
      AccExpr *place = acc_expr_add (acc_expr_mul (acc_expr_item (index, rank - 1), acc_array_number (2)), acc_array_number (i));

      parts[i] = acc_expr_cast (acc_expr_index (self->array, acc_array_index_in_row (self->array, index, place)), self->type);
    }

  return acc_expr_complex (parts[0], parts[1]);
}

/* Element k of what all have, from the spectrum of neighbours: (z[k] + z*[h-k]) / 2 and (z[k] - z*[h-k]) / 2i, turned. */
static AccExpr *
take_apart (AccExpr *index,
            gpointer data)
{
  const Real *self = data;
  guint rank = self->array->rank;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_expr_item (index, rank - 1)),
    h = acc_expr_ref_sink (acc_expr_extent (self->array, rank - 1));
  AccExpr *near = acc_expr_cond (acc_expr_lt (k, h), k, acc_array_number (0));
  AccExpr *far = acc_expr_cond (acc_expr_eq (k, acc_array_number (0)), acc_array_number (0), acc_expr_sub (h, k));
  g_autoptr(AccExpr) x = acc_expr_ref_sink (acc_fft_pair (acc_expr_index (self->array, acc_array_index_in_row (self->array, index, near))));
  g_autoptr(AccExpr) y = acc_expr_ref_sink (acc_fft_conjugate (acc_fft_pair (acc_expr_index (self->array,
                                                                                acc_array_index_in_row (self->array, index, far)))));
  g_autoptr(AccExpr) even = acc_expr_ref_sink (half (x, y, acc_expr_add, self->type));
  g_autoptr(AccExpr) odd = acc_expr_ref_sink (half (x, y, acc_expr_sub, self->type));
  AccExpr *quarter = acc_expr_tuple2 (acc_expr_item (odd, 1), acc_expr_neg (acc_expr_item (odd, 0)));
  g_autoptr(AccExpr) turned = acc_expr_ref_sink (acc_fft_mul (quarter, acc_expr_linear_index (self->roots, k)));

  return acc_expr_complex (acc_expr_add (acc_expr_item (even, 0), acc_expr_item (turned, 0)),
                           acc_expr_add (acc_expr_item (even, 1), acc_expr_item (turned, 1)));
}

/* --- and back */

/* Element k of the spectrum as it must be where the result is real; 0 behind its end. */
static AccExpr *
half_spectrum_at (const Real *self,
                  AccExpr    *index,
                  AccExpr    *place)
{
  guint rank = self->array->rank;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (place), m = acc_expr_ref_sink (acc_expr_extent (self->array, rank - 1)), x = NULL, im = NULL,
    is_real = NULL;
  gboolean is_complex = acc_element_type_get_kind (self->array->type) == ACC_KIND_COMPLEX;
  AccExpr *zero = acc_expr_new_typed_float (self->type, 0), *inside = acc_expr_lt (k, m), *number;
  g_autoptr(AccExpr) nothing = acc_expr_ref_sink (zero), is_inside = acc_expr_ref_sink (inside);

  number = acc_expr_index (self->array, acc_array_index_in_row (self->array, index, acc_expr_cond (is_inside, k, acc_array_number (0))));
  /* A row that a run tells the extent of may be empty. */
  if (self->array->shape == NULL)
    number = acc_expr_cond (is_inside, number, acc_expr_new_typed_float (self->array->type, 0));
  x = acc_expr_ref_sink (number);
  is_real = acc_expr_eq (k, acc_array_number (0));
  if (self->n % 2 == 0)
    is_real = acc_expr_lor (is_real, acc_expr_eq (k, acc_array_number (self->n / 2)));
  is_real = acc_expr_ref_sink (is_real);
  im = acc_expr_ref_sink (is_complex
                          ? acc_expr_cond (is_real, nothing, acc_expr_cast (acc_expr_imag (x), self->type))
                          : acc_expr_add (nothing, nothing));

  return acc_expr_tuple2 (acc_expr_cond (is_inside, acc_expr_cast (is_complex ? acc_expr_real (x) : x, self->type), nothing),
                          acc_expr_cond (is_inside, im, nothing));
}

/* The spectrum of neighbours: the even-numbered, and the odd-numbered times i. */
static AccExpr *
put_together (AccExpr *index,
              gpointer data)
{
  const Real *self = data;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_expr_item (index, self->array->rank - 1)),
    h = acc_expr_ref_sink (acc_array_number (self->n / 2));
  g_autoptr(AccExpr) x = acc_expr_ref_sink (half_spectrum_at (self, index, k));
  g_autoptr(AccExpr) y = acc_expr_ref_sink (acc_fft_conjugate (half_spectrum_at (self, index, acc_expr_sub (h, k))));
  g_autoptr(AccExpr) even = acc_expr_ref_sink (half (x, y, acc_expr_add, self->type));
  AccExpr *root = acc_fft_conjugate (acc_expr_linear_index (self->roots, k));
  g_autoptr(AccExpr) odd = acc_expr_ref_sink (acc_fft_mul (half (x, y, acc_expr_sub, self->type), root));

  return acc_expr_complex (acc_expr_sub (acc_expr_item (even, 0), acc_expr_item (odd, 1)),
                           acc_expr_add (acc_expr_item (even, 1), acc_expr_item (odd, 0)));
}

static AccExpr *
part_of_neighbours (AccExpr *index,
                    gpointer data)
{
  const Real *self = data;
  guint rank = self->array->rank;
  g_autoptr(AccExpr) i = acc_expr_ref_sink (acc_expr_item (index, rank - 1)), x = NULL;

  x = acc_expr_ref_sink (acc_expr_index (self->array, acc_array_index_in_row (self->array, index, acc_expr_shr (i, acc_array_number (1)))));
  return acc_expr_cast (acc_expr_cond (acc_expr_odd (i), acc_expr_imag (x), acc_expr_real (x)), self->type);
}

/* The whole spectrum, of which the second half mirrors the first. */
static AccExpr *
mirror (AccExpr *index,
        gpointer data)
{
  const Real *self = data;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_expr_item (index, self->array->rank - 1)), is_first = NULL, x = NULL;
  AccExpr *place;

  is_first = acc_expr_ref_sink (acc_expr_le (k, acc_array_number (self->n / 2)));
  place = acc_expr_cond (is_first, k, acc_expr_sub (acc_array_number (self->n), k));
  x = acc_expr_ref_sink (half_spectrum_at (self, index, place));

  return acc_expr_complex (acc_expr_item (x, 0), acc_expr_cond (is_first, acc_expr_item (x, 1), acc_expr_neg (acc_expr_item (x, 1))));
}

static AccExpr *
real_part (AccExpr *x,
           gpointer type)
{
  return acc_expr_cast (acc_expr_real (x), type);
}

/* --- of arrays */

/* @n: real numbers in a row. */
static gboolean
check (AccArray   *node,
       const char *operation,
       AccArray   *self,
       gint64      n)
{
  guint last;

  if (!acc_fft_check (node, operation, self, -1, 1, &last))
    return FALSE;
  if (n % 2 != 0 && n > G_MAXINT32 && !acc_fft_is_smooth (n))
    return acc_array_fail (node, ACC_ERROR_UNSUPPORTED, "%s: a row of %" G_GINT64_FORMAT " elements is too long, for want of small factors",
                           operation, n);

  return TRUE;
}

static AccExpr *
with_last_expr (AccArray *array,
                AccExpr  *last)
{
  g_autoptr(AccExpr) shape = acc_expr_ref_sink (acc_expr_shape (array));

  return acc_array_index_in_row (array, shape, last);
}

static AccExpr *
element_or_nothing (AccExpr *index,
                    gpointer data)
{
  AccArray *whole = data;
  AccExpr *inside = acc_expr_lt (acc_expr_item (index, whole->rank - 1), acc_expr_extent (whole, whole->rank - 1));

  return acc_expr_cond (inside, acc_expr_index (whole, index), acc_expr_new_typed_float (whole->type, 0));
}

/* Where a run tells the extents. */
static AccArray *
transform_unknown (AccArray *self)
{
  g_autoptr(AccArray) whole = acc_array_fft (self, ACC_FFT_FORWARD);
  AccExpr *half = acc_expr_shr (acc_expr_extent (whole, self->rank - 1), acc_array_number (1));

  return acc_array_generate_expr (with_last_expr (self, acc_expr_add (half, acc_array_number (1))), element_or_nothing, whole);
}

/**
 * acc_array_rfft:
 * @self: an array of floats, of rank 1 or more
 *
 * Computes the discrete Fourier transform of each row of real numbers.
 *
 * Gives the first n/2 + 1 elements, n/2 rounded down, of what [method@Array.fft] gives for a row of n elements; the others are their
 * conjugates. An empty row gives 0, the sum of no elements. Takes O(n log n) operations, half of those of [method@Array.fft] where n is
 * even.
 *
 * An array of rank 0 is %ACC_ERROR_SHAPE, elements that are not floats are %ACC_ERROR_TYPE. Rows of 2^31 or more elements that have large
 * prime factors are %ACC_ERROR_UNSUPPORTED. Behaves otherwise as [method@Array.fft].
 *
 * ```c
 * // xs = [1.0, 2.0, 3.0, 4.0]
 * g_autoptr(AccArray) spectrum = acc_array_rfft (xs); // → [(10, 0), (-2, 2), (-2, 0)]
 * ```
 *
 * Returns: (transfer full): an array of complex numbers, of the extents of @self but for the innermost
 */
AccArray *
acc_array_rfft (AccArray *self)
{
  ACC_ARRAY_NAMED ("rfft");
  AccArray *node = acc_array_begin (ACC_OP_GENERATE, &self, 1);
  g_autoptr(AccArray) whole = NULL, pairs = NULL, spectrum = NULL, roots = NULL, apart = NULL;
  g_autoptr(AccShape) short_shape = NULL, shape = NULL;
  AccElementType *result;
  Real real = { self, NULL, 0 };

  if (node->error == NULL && acc_element_type_get_kind (self->type) == ACC_KIND_COMPLEX && !acc_element_type_is_tuple (self->type))
    acc_array_fail (node, ACC_ERROR_TYPE, "rfft: elements are floats, not %s", acc_element_type_get_code (self->type));
  if (node->error != NULL || !check (node, "rfft", self, 0))
    return acc_array_complete (node);
  g_object_unref (node);

  if (self->shape == NULL)
    return transform_unknown (self);
  real.n = acc_shape_get_extent (self->shape, self->rank - 1);
  real.type = acc_array_float_type (self->type);
  result = acc_element_type_new_complex (acc_element_type_get_kind (self->type));
  shape = with_last (self, real.n / 2 + 1);
  if (acc_shape_get_size (acc_array_get_shape (self)) == 0)
    return acc_array_fill (shape, acc_expr_new_typed_float (result, 0));
  if (real.n % 2 != 0)
    {
      whole = acc_array_fft (self, ACC_FFT_FORWARD);
      return acc_array_take (whole, real.n / 2 + 1);
    }

  short_shape = with_last (self, real.n / 2);
  pairs = acc_array_generate (short_shape, two_neighbours, &real);
  real.array = spectrum = acc_array_fft (pairs, ACC_FFT_FORWARD);
  real.roots = roots = acc_fft_new_roots (real.type, real.n, real.n / 2 + 1);
  apart = acc_array_generate (shape, take_apart, &real);

  return apart->type == result ? g_steal_pointer (&apart) : acc_array_cast (apart, result);
}

/**
 * acc_array_irfft:
 * @self: an array of complex numbers or of floats, of rank 1 or more
 * @n: the number of real numbers in a row of the result, 1 or more
 *
 * Computes the inverse of [method@Array.rfft]: rows of real numbers from their transforms.
 *
 * Takes the first n/2 + 1 elements of each row of @self, n/2 rounded down, as the beginning of a transform; where there are fewer, the
 * others are 0. The result is divided by @n. The imaginary part of the first element, and of the last where @n is even, counts as 0. Takes
 * O(n log n) operations.
 *
 * An @n below 1 and an array of rank 0 are %ACC_ERROR_SHAPE, elements that are neither complex numbers nor floats are %ACC_ERROR_TYPE.
 * Behaves otherwise as [method@Array.rfft].
 *
 * ```c
 * // xs = [1.0, 2.0, 3.0, 4.0]
 * g_autoptr(AccArray) spectrum = acc_array_rfft (xs);
 * g_autoptr(AccArray) again = acc_array_irfft (spectrum, 4); // → [1, 2, 3, 4]
 * ```
 *
 * Returns: (transfer full): an array of floats, of the extents of @self but for the innermost, which is @n
 */
AccArray *
acc_array_irfft (AccArray *self,
                 gint64    n)
{
  ACC_ARRAY_NAMED ("irfft");
  AccArray *node = acc_array_begin (ACC_OP_GENERATE, &self, 1);
  g_autoptr(AccArray) spectrum = NULL, numbers = NULL, roots = NULL;
  g_autoptr(AccShape) shape = NULL;
  AccElementType *result;
  Real real = { self, NULL, n };

  if (node->error == NULL && n < 1)
    acc_array_fail (node, ACC_ERROR_SHAPE, "irfft: a row of %" G_GINT64_FORMAT " elements", n);
  if (node->error != NULL || !check (node, "irfft", self, n))
    return acc_array_complete (node);
  g_object_unref (node);

  result = acc_element_type_new (acc_element_type_get_leaf (self->type, 0));
  real.type = acc_array_float_type (result);
  shape = self->shape != NULL ? with_last (self, n) : NULL;
  if (shape != NULL && acc_shape_get_size (self->shape) == 0)
    return acc_array_fill (shape, acc_expr_new_typed_float (result, 0));

  real.roots = roots = n % 2 == 0 ? acc_fft_new_roots (real.type, n, n / 2) : NULL;
  spectrum = acc_array_generate_expr (with_last_expr (self, acc_array_number (n % 2 == 0 ? n / 2 : n)), n % 2 == 0 ? put_together : mirror,
                                      &real);
  numbers = acc_array_fft (spectrum, ACC_FFT_INVERSE);
  if (n % 2 != 0)
    return acc_array_map (numbers, real_part, result);

  return acc_array_generate_expr (with_last_expr (self, acc_array_number (n)), part_of_neighbours, &(Real) { numbers, result, n });
}
