/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/fft/acc-array-fft-private.h"

/* Transforms of irregular elements, where no library does them: Bluestein's, as in acc-array-fft-convolve.c. Each element is made longer
 * along a dimension, to a power of two that a convolution has room in, and all lines of all elements are convolved together. */

typedef struct {
  AccLifted      *input;      /* irregular, of complex numbers */
  guint           dimension;
  AccElementType *type;       /* of the floats */
  gboolean        forward;
  AccLifted      *chirp;      /* for each number of the input: exp (-πi j² / n) */
  AccLifted      *sums;       /* what convolution gives, as long as lines are */
} Transform;

/* The least power of two that is no less than twice @n less one; 0 of nothing. */
static AccExpr *
size_for (AccExpr *n)
{
  g_autoptr(AccExpr) own = acc_expr_ref_sink (n);
  AccExpr *bits = acc_expr_sub (acc_array_number (64), acc_expr_clz (acc_expr_mul (acc_expr_sub (own, acc_array_number (1)),
                                                                                   acc_array_number (2))));

  return acc_expr_cond (acc_expr_gt (own, acc_array_number (0)), acc_expr_shl (acc_array_number (1), bits), acc_array_number (0));
}

static AccExpr *
size_of (const Transform *self,
         AccExpr         *k)
{
  return size_for (acc_lifted_extent (self->input, k, self->dimension));
}

static AccExpr *
longer_extents (AccLift *lift,
                AccExpr *k,
                gpointer data)
{
  const Transform *self = data;
  guint rank = self->input->rank;
  g_autoptr(AccExpr) own = acc_expr_ref_sink (k);
  g_autofree AccExpr **items = g_new (AccExpr *, rank + 1);

  for (guint d = 0; d < rank; d++)
    items[d] = d == self->dimension ? size_of (self, own) : acc_lifted_extent (self->input, own, d);

  return acc_array_join_items (items, rank);
}

/* @index with @place along the dimension. */
static AccExpr *
index_with (const Transform *self,
            AccExpr         *index,
            AccExpr         *place)
{
  guint rank = self->input->rank;
  g_autofree AccExpr **items = g_new (AccExpr *, rank + 1);

  for (guint d = 0; d < rank; d++)
    items[d] = d == self->dimension ? place : acc_lift_index_item (index, rank, d);

  return acc_array_join_items (items, rank);
}

static AccExpr *
chirp_at (AccLift *lift,
          AccExpr *k,
          AccExpr *index,
          gpointer data)
{
  const Transform *self = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_lift_index_item (index, self->input->rank, self->dimension));
  g_autoptr(AccExpr) twice = acc_expr_ref_sink (acc_expr_mul (acc_lifted_extent (self->input, k, self->dimension), acc_array_number (2)));
  AccExpr *root = acc_fft_cast (acc_fft_root (acc_expr_rem (acc_expr_mul (place, place), twice), twice), self->type);

  return acc_fft_number (self->forward ? root : acc_fft_conjugate (root));
}

static AccExpr *
nothing (const Transform *self)
{
  AccExpr *zero = acc_expr_new_typed_float (self->type, 0);

  return acc_expr_complex (zero, zero);
}

static AccExpr *
chirped_at (AccLift *lift,
            AccExpr *k,
            AccExpr *index,
            gpointer data)
{
  const Transform *self = data;
  AccExpr *place = acc_lift_index_item (index, self->input->rank, self->dimension);
  AccExpr *is_inside = acc_expr_lt (place, acc_lifted_extent (self->input, k, self->dimension));
  AccExpr *product = acc_fft_mul (acc_fft_pair (acc_lifted_read (self->input, k, index)),
                                  acc_fft_pair (acc_lifted_read (self->chirp, k, index)));

  return acc_expr_cond (is_inside, acc_fft_number (product), nothing (self));
}

static AccExpr *
kernel_at (AccLift *lift,
           AccExpr *k,
           AccExpr *index,
           gpointer data)
{
  const Transform *self = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_lift_index_item (index, self->input->rank, self->dimension));
  g_autoptr(AccExpr) distance = acc_expr_ref_sink (acc_expr_min (place, acc_expr_sub (size_of (self, k), place)));
  AccExpr *is_inside = acc_expr_lt (distance, acc_lifted_extent (self->input, k, self->dimension));
  AccExpr *factor = acc_lifted_read (self->chirp, k, index_with (self, index, distance));

  return acc_expr_cond (is_inside, acc_fft_number (acc_fft_conjugate (acc_fft_pair (factor))), nothing (self));
}

static AccExpr *
code_at (AccLift *lift,
         AccExpr *k,
         AccExpr *index,
         gpointer data)
{
  const Transform *self = data;
  AccExpr *place = acc_lift_index_item (index, self->input->rank, self->dimension);

  return acc_expr_bor (acc_expr_shl (place, acc_array_number (ACC_FFT_LINE_BITS)), acc_expr_ctz (size_of (self, k)));
}

static AccExpr *
step_at (AccLift *lift,
         AccExpr *k,
         AccExpr *index,
         gpointer data)
{
  const Transform *self = data;
  AccExpr *step = acc_array_number (1);

  for (guint d = self->dimension + 1; d < self->input->rank; d++)
    step = acc_expr_mul (step, acc_lifted_extent (self->input, k, d));

  return step;
}

static AccExpr *
size_of_number (AccExpr *k,
                gpointer data)
{
  return size_of (data, k);
}

static AccExpr *
result_at (AccLift *lift,
           AccExpr *k,
           AccExpr *index,
           gpointer data)
{
  const Transform *self = data;
  AccExpr *size = acc_expr_cast (size_of (self, k), self->type);
  g_autoptr(AccExpr) own_size = acc_expr_ref_sink (size), sum = NULL;

  sum = acc_expr_ref_sink (acc_fft_mul (acc_fft_pair (acc_lifted_read (self->sums, k, index)),
                                        acc_fft_pair (acc_lifted_read (self->chirp, k, index))));

  return acc_expr_complex (acc_expr_fdiv (acc_expr_item (sum, 0), own_size), acc_expr_fdiv (acc_expr_item (sum, 1), own_size));
}

static AccLifted *
transform_along (AccLift   *self,
                 Transform *transform)
{
  AccNesting *nesting = transform->input->nesting;
  g_autoptr(AccNesting) longer = acc_lift_new_nesting (self, transform->input->rank, longer_extents, transform);
  g_autoptr(AccArray) sizes = acc_array_generate_expr (acc_nesting_count (nesting), size_of_number, transform), longest = NULL;
  g_autoptr(AccLifted) chirp = NULL, chirped = NULL, kernel = NULL, codes = NULL, steps = NULL, sums = NULL;
  AccFftLines lines = { transform->type };

  lines.longest = longest = acc_array_fold_all (sizes, acc_array_number (1), acc_array_max_elements, NULL);
  transform->chirp = chirp = acc_lift_make (self, nesting, chirp_at, transform);
  chirped = acc_lift_make (self, longer, chirped_at, transform);
  kernel = acc_lift_make (self, longer, kernel_at, transform);
  codes = acc_lift_make (self, longer, code_at, transform);
  lines.codes = codes->values;
  if (transform->dimension + 1 < transform->input->rank)
    {
      steps = acc_lift_make (self, longer, step_at, transform);
      lines.steps = steps->values;
    }
  transform->sums = sums = acc_lifted_new_irregular (acc_nesting_ref (longer),
                                                     acc_fft_convolve_lines (&lines, chirped->values, kernel->values));

  return acc_lift_make (self, nesting, result_at, transform);
}

AccLifted *
acc_lift_fft (AccLift   *self,
              AccLifted *input,
              guint      n_dimensions,
              gboolean   forward)
{
  g_autoptr(AccLifted) values = acc_lifted_ref (input);

  for (guint i = 0; i < n_dimensions; i++)
    {
      Transform transform = { values, input->rank - 1 - i, acc_element_type_new (acc_element_type_get_leaf (input->values->type, 0)),
                              forward };
      AccLifted *done = transform_along (self, &transform);

      acc_lifted_unref (values);
      values = done;
    }

  return g_steal_pointer (&values);
}
