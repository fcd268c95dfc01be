/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-core/array/acc-array-build-private.h"
#include "acc-array-fft-private.h"

/* Bluestein's transform of any length: 2jk = j² + k² - (k - j)², so it is a convolution with a chirp, exp (πi j² / n), of both factors'
 * ends; that is done by transforms of a length that there are passes for. */

typedef struct {
  const AccFft *fft;
  AccArray     *pairs, *chirp;     /* outer, n, inner; exp (-πi j² / n) */
  AccArray     *padded, *kernel;   /* what is convolved, or its transform: outer, size, inner; 1, size, 1 */
} Convolution;

static AccExpr *
chirp_at (AccExpr *index,
          gpointer data)
{
  const Convolution *self = data;
  g_autoptr(AccExpr) n = acc_expr_ref_sink (acc_expr_mul (acc_expr_extent (self->pairs, 1), acc_array_number (2)));

  return acc_fft_cast (acc_fft_root (acc_expr_rem (acc_expr_mul (index, index), n), n), self->fft->type);
}

static AccExpr *
nothing (const Convolution *self)
{
  AccExpr *zero = acc_expr_new_typed_float (self->fft->type, 0);

  return acc_expr_tuple2 (zero, zero);
}

static AccExpr *
padded_element (AccExpr *index,
                gpointer data)
{
  const Convolution *self = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (index, 1));
  AccExpr *chirped = acc_fft_mul (acc_expr_index (self->pairs, index), acc_expr_linear_index (self->chirp, place));

  return acc_expr_cond (acc_expr_lt (place, acc_expr_extent (self->pairs, 1)), chirped, nothing (self));
}

static AccExpr *
kernel_element (AccExpr *index,
                gpointer data)
{
  const Convolution *self = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (index, 1)), distance = NULL;

  distance = acc_expr_ref_sink (acc_expr_min (place, acc_expr_sub (acc_expr_extent (self->padded, 1), place)));
  return acc_expr_cond (acc_expr_lt (distance, acc_expr_extent (self->pairs, 1)),
                        acc_fft_conjugate (acc_expr_linear_index (self->chirp, distance)), nothing (self));
}

/* The conjugate of a product: what its forward transform gives is conjugate to the inverse one. */
static AccExpr *
product_at (AccExpr *index,
            gpointer data)
{
  const Convolution *self = data;
  AccExpr *factor = acc_expr_index (self->kernel, acc_expr_tuple3 (acc_array_number (0), acc_expr_item (index, 1), acc_array_number (0)));

  return acc_fft_conjugate (acc_fft_mul (acc_expr_index (self->padded, index), factor));
}

static AccExpr *
result_at (AccExpr *index,
           gpointer data)
{
  const Convolution *self = data;
  g_autoptr(AccExpr) sum = acc_expr_ref_sink (acc_fft_mul (acc_fft_conjugate (acc_expr_index (self->padded, index)),
                                                           acc_expr_linear_index (self->chirp, acc_expr_item (index, 1))));
  g_autoptr(AccExpr) size = acc_expr_ref_sink (acc_expr_cast (acc_expr_extent (self->padded, 1), self->fft->type));

  return acc_expr_tuple2 (acc_expr_fdiv (acc_expr_item (sum, 0), size), acc_expr_fdiv (acc_expr_item (sum, 1), size));
}

gint64
acc_fft_find_size (gint64 least)
{
  gint64 best = G_MAXINT64;

  for (gint64 five = 1; five < 5 * least; five *= 5)
    for (gint64 three = five; three < 3 * least; three *= 3)
      {
        gint64 size = three;

        while (size < least)
          size *= 2;
        best = MIN (best, size);
      }

  return best;
}

static AccArray *
transform (const AccFft *fft,
           AccArray     *pairs)
{
  AccArray *result = acc_fft_transform (fft, pairs);

  result->direct = acc_fft_run_directly (pairs, 1, fft->type, FALSE, fft->apart);

  return result;
}

AccArray *
acc_fft_convolve (const AccFft *self,
                  AccArray     *pairs)
{
  Convolution convolution = { self, pairs };
  gint64 size = acc_fft_find_size (2 * self->n - 1);
  AccFft many = { self->outer, size, self->inner, self->type, self->apart }, one = { 1, size, 1, self->type, self->apart };
  g_autoptr(AccArray) chirp = acc_array_generate_expr (acc_array_number (self->n), chirp_at, &convolution);
  g_autoptr(AccArray) padded = NULL, kernel = NULL, values = NULL, factors = NULL, product = NULL, sums = NULL;

  convolution.chirp = chirp;
  convolution.padded = padded = acc_fft_generate3 (self->outer, size, self->inner, padded_element, &convolution);
  kernel = acc_fft_generate3 (1, size, 1, kernel_element, &convolution);
  convolution.padded = values = transform (&many, padded);
  convolution.kernel = factors = transform (&one, kernel);
  product = acc_fft_generate3 (self->outer, size, self->inner, product_at, &convolution);
  convolution.padded = sums = transform (&many, product);

  return acc_fft_generate3 (self->outer, self->n, self->inner, result_at, &convolution);
}
