/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-core/array/acc-array-build-private.h"
#include "acc-array-fft-private.h"

/* Stockham's transform, by decimation in frequency: a pass of radix r takes its input as (outer, r, m, q) and gives (outer, m, r, q), where
 * the next one finds it as (outer, r', m', r · q). What element (p, k) of the result takes of input j is exp (-2πi k (p + m j) / (r m)):
 * twiddle and transform of r elements in one, from a table of roots. Indices of elements need no division, and the innermost loop runs over
 * q, which all passes but the first find long; therefore long rows are cut in two (Bailey 1990), and so is each matrix that comes of it
 * transformed down its columns.
 *
 * All passes of one radix are one kernel: extents are its parameters. */

static const guint radices[] = { 4, 2, 3, 5, 7 };

#define MAX_PASSES 64

AccExpr *
acc_fft_root (AccExpr *turns,
              AccExpr *n)
{
  AccElementType *type = acc_element_type_new (ACC_KIND_F64);
  g_autoptr(AccExpr) degree = acc_expr_ref_sink (n);
  g_autoptr(AccExpr) fourfold = acc_expr_ref_sink (acc_expr_mul (turns, acc_array_number (4)));
  g_autoptr(AccExpr) quarter = acc_expr_ref_sink (acc_expr_quot (fourfold, degree));
  g_autoptr(AccExpr) rest = acc_expr_ref_sink (acc_expr_sub (fourfold, acc_expr_mul (quarter, degree))), angle = NULL, cosine = NULL,
    sine = NULL;
  g_autoptr(AccExpr) parts = NULL;
  g_autoptr(AccExpr) mirrored = acc_expr_ref_sink (acc_expr_gt (acc_expr_add (rest, rest), degree));
  AccExpr *nearest, *is_odd, *swapped, *re, *im;

  /* Exactly to an eighth of a turn, whose sine and cosine lose nothing. */
  nearest = acc_expr_cond (mirrored, acc_expr_sub (degree, rest), rest);
  angle = acc_expr_fdiv (acc_expr_mul (acc_expr_cast (nearest, type), acc_expr_new_typed_float (type, G_PI_2)),
                         acc_expr_cast (degree, type));
  angle = acc_expr_ref_sink (angle);
  cosine = acc_expr_ref_sink (acc_expr_cos (angle));
  sine = acc_expr_ref_sink (acc_expr_sin (angle));

  is_odd = acc_expr_ne (acc_expr_band (quarter, acc_array_number (1)), acc_array_number (0));
  swapped = acc_expr_bxor (is_odd, mirrored);
  parts = acc_expr_ref_sink (acc_expr_cond (swapped, acc_expr_tuple2 (sine, cosine), acc_expr_tuple2 (cosine, sine)));
  re = acc_expr_item (parts, 0);
  im = acc_expr_item (parts, 1);
  re = acc_expr_cond (acc_expr_lor (acc_expr_eq (quarter, acc_array_number (1)), acc_expr_eq (quarter, acc_array_number (2))),
                      acc_expr_neg (re), re);
  im = acc_expr_cond (acc_expr_lt (quarter, acc_array_number (2)), acc_expr_neg (im), im);

  return acc_expr_tuple2 (re, im);
}

AccExpr *
acc_fft_cast (AccExpr        *pair,
              AccElementType *type)
{
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (pair);

  return acc_expr_tuple2 (acc_expr_cast (acc_expr_item (owned, 0), type), acc_expr_cast (acc_expr_item (owned, 1), type));
}

AccExpr *
acc_fft_pair (AccExpr *number)
{
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (number);

  return acc_expr_tuple2 (acc_expr_real (owned), acc_expr_imag (owned));
}

AccExpr *
acc_fft_number (AccExpr *pair)
{
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (pair);

  return acc_expr_complex (acc_expr_item (owned, 0), acc_expr_item (owned, 1));
}

AccExpr *
acc_fft_conjugate (AccExpr *pair)
{
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (pair);

  return acc_expr_tuple2 (acc_expr_item (owned, 0), acc_expr_neg (acc_expr_item (owned, 1)));
}

AccExpr *
acc_fft_mul (AccExpr *x,
             AccExpr *y)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (x), b = acc_expr_ref_sink (y);
  g_autoptr(AccExpr) x_re = acc_expr_ref_sink (acc_expr_item (a, 0)), x_im = acc_expr_ref_sink (acc_expr_item (a, 1));
  g_autoptr(AccExpr) y_re = acc_expr_ref_sink (acc_expr_item (b, 0)), y_im = acc_expr_ref_sink (acc_expr_item (b, 1));

  return acc_expr_tuple2 (acc_expr_sub (acc_expr_mul (x_re, y_re), acc_expr_mul (x_im, y_im)),
                          acc_expr_add (acc_expr_mul (x_re, y_im), acc_expr_mul (x_im, y_re)));
}

AccArray *
acc_fft_generate3 (gint64      outer,
                   gint64      n,
                   gint64      inner,
                   AccExprFunc element,
                   gpointer    user_data)
{
  return acc_array_generate_expr (acc_expr_tuple3 (acc_array_number (outer), acc_array_number (n), acc_array_number (inner)), element,
                                  user_data);
}

/* --- passes */

/* 0 where there is none for what remains of @n. */
static guint
next_radix (gint64 n)
{
  for (guint i = 0; i < G_N_ELEMENTS (radices); i++)
    if (n % radices[i] == 0)
      return radices[i];

  return 0;
}

gboolean
acc_fft_is_smooth (gint64 n)
{
  guint radix = 0;

  for (; n > 1 && (radix = next_radix (n)) > 0; n /= radix)
    ;

  return n == 1;
}

typedef struct {
  AccArray *input;       /* outer, radix, m, q */
  AccArray *roots;       /* of 1, all n */
  guint     radix;
} Pass;

/* k (p + m j) modulo r m; k p is less than that. */
static AccExpr *
coefficient_at (const Pass *pass,
                AccExpr    *k,
                AccExpr    *p,
                guint       j)
{
  g_autoptr(AccExpr) m = acc_expr_ref_sink (acc_expr_extent (pass->input, 2));
  g_autoptr(AccExpr) n = acc_expr_ref_sink (acc_expr_mul (m, acc_array_number (pass->radix)));
  AccExpr *turns = acc_expr_mul (acc_expr_rem (acc_expr_mul (k, acc_array_number (j)), acc_array_number (pass->radix)), m);
  g_autoptr(AccExpr) sum = acc_expr_ref_sink (acc_expr_add (acc_expr_mul (k, p), turns));
  AccExpr *rest = acc_expr_cond (acc_expr_lt (sum, n), sum, acc_expr_sub (sum, n));

  return acc_expr_linear_index (pass->roots, acc_expr_mul (rest, acc_expr_quot (acc_expr_extent (pass->roots, 0), n)));
}

/* @index: outer, p, k, q */
static AccExpr *
pass_element (AccExpr *index,
              gpointer data)
{
  const Pass *pass = data;
  g_autoptr(AccExpr) p = acc_expr_ref_sink (acc_expr_item (index, 1)), k = acc_expr_ref_sink (acc_expr_item (index, 2));
  AccExpr *re = NULL, *im = NULL;

  for (guint j = 0; j < pass->radix; j++)
    {
      AccExpr *x = acc_expr_index (pass->input,
                                   acc_expr_tuple4 (acc_expr_item (index, 0), acc_array_number (j), p, acc_expr_item (index, 3)));
      g_autoptr(AccExpr) product = acc_expr_ref_sink (acc_fft_mul (x, coefficient_at (pass, k, p, j)));

      re = j == 0 ? acc_expr_item (product, 0) : acc_expr_add (re, acc_expr_item (product, 0));
      im = j == 0 ? acc_expr_item (product, 1) : acc_expr_add (im, acc_expr_item (product, 1));
    }

  return acc_expr_tuple2 (re, im);
}

/* By the passes of @list. */
static AccArray *
run_list (const AccFft *self,
          AccArray     *pairs,
          AccArray     *roots,
          const guint  *list,
          guint         n_passes)
{
  g_autoptr(AccArray) values = g_object_ref (pairs);
  g_autoptr(AccExpr) outer = acc_expr_ref_sink (acc_array_number (self->outer));
  gint64 rest = self->n, before = self->inner;

  for (guint i = 0; i < n_passes; before *= list[i++])
    {
      Pass pass = { NULL, roots, list[i] };
      g_autoptr(AccExpr) radix = acc_expr_ref_sink (acc_array_number (list[i])), m = acc_expr_ref_sink (acc_array_number (rest /= list[i]));
      g_autoptr(AccExpr) q = acc_expr_ref_sink (acc_array_number (before));
      g_autoptr(AccArray) input = pass.input = acc_array_reshape_expr (values, acc_expr_tuple4 (outer, radix, m, q));

      g_object_unref (values);
      values = acc_array_generate_expr (acc_expr_tuple4 (outer, m, radix, q), pass_element, &pass);
    }

  return acc_array_reshape_expr (values, acc_expr_tuple3 (outer, acc_array_number (self->n), acc_array_number (self->inner)));
}

/* Which roots of 1: every 1 << bits-th of all n, as pairs of @type. */
typedef struct {
  AccElementType *type;
  AccArray       *of;
  guint           first, last;   /* its dimensions whose size is n */
  guint           bits;
} Roots;

static AccExpr *
root_at (AccExpr *index,
         gpointer data)
{
  const Roots *roots = data;

  AccExpr *turns = roots->bits > 0 ? acc_expr_shl (index, acc_array_number (roots->bits)) : index;
  AccExpr *n = acc_expr_extent (roots->of, roots->first);

  for (guint i = roots->first + 1; i <= roots->last; i++)
    n = acc_expr_mul (n, acc_expr_extent (roots->of, i));

  return acc_fft_cast (acc_fft_root (turns, n), roots->type);
}

/* The first @count of them. */
static AccArray *
make_roots (const Roots *roots,
            gint64       count)
{
  return acc_array_generate_expr (acc_array_number (count), root_at, (gpointer) roots);
}

AccArray *
acc_fft_new_roots (AccElementType *type,
                   gint64          n,
                   gint64          count)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(AccArray) all = acc_array_fill (shape, acc_expr_new_bool (FALSE));

  return make_roots (&(Roots) { type, all, 0, 0 }, count);
}

AccArray *
acc_fft_run_passes (const AccFft *self,
                    AccArray     *pairs)
{
  g_autoptr(AccArray) roots = make_roots (&(Roots) { self->type, pairs, 1, 1 }, self->n);
  guint list[MAX_PASSES], n = 0;

  for (gint64 rest = self->n; rest > 1; rest /= list[n++])
    list[n] = next_radix (rest);

  return run_list (self, pairs, roots, list, n);
}

/* --- two steps */

void
acc_fft_turns_init (AccFftTurns    *self,
                    AccElementType *type,
                    AccArray       *matrix,
                    gint64          n)
{
  AccElementType *wide = acc_element_type_new (ACC_KIND_F64);

  *self = (AccFftTurns) { type };
  while ((G_GINT64_CONSTANT (1) << (2 * self->bits)) < n)
    self->bits++;
  self->coarse = make_roots (&(Roots) { wide, matrix, 1, 2, self->bits }, ((n - 1) >> self->bits) + 1);
  self->fine = make_roots (&(Roots) { wide, matrix, 1, 2 }, G_GINT64_CONSTANT (1) << self->bits);
}

void
acc_fft_turns_clear (AccFftTurns *self)
{
  g_clear_object (&self->coarse);
  g_clear_object (&self->fine);
}

AccExpr *
acc_fft_turns_get (const AccFftTurns *self,
                   AccExpr           *row,
                   AccExpr           *column)
{
  g_autoptr(AccExpr) turns = acc_expr_ref_sink (acc_expr_mul (row, column));
  AccExpr *coarse = acc_expr_linear_index (self->coarse, acc_expr_shr (turns, acc_array_number (self->bits)));
  AccExpr *fine = acc_expr_linear_index (self->fine, acc_expr_band (turns, acc_array_number ((G_GINT64_CONSTANT (1) << self->bits) - 1)));

  return acc_fft_cast (acc_fft_mul (coarse, fine), self->type);
}

typedef struct {
  AccArray    *columns;   /* outer, n1, n2: transformed down the columns */
  AccFftTurns *turns;
} Step;

/* @index: outer, n2, n1 */
static AccExpr *
turned_element (AccExpr *index,
                gpointer data)
{
  const Step *step = data;
  g_autoptr(AccExpr) row = acc_expr_ref_sink (acc_expr_item (index, 2)), column = acc_expr_ref_sink (acc_expr_item (index, 1));
  AccExpr *turn = acc_fft_turns_get (step->turns, row, column);
  AccExpr *x = acc_expr_index (step->columns, acc_expr_tuple3 (acc_expr_item (index, 0), row, column));

  return acc_fft_mul (x, turn);
}

AccArray *
acc_fft_run_two_steps (const AccFft *self,
                       AccArray     *pairs)
{
  guint lists[2][MAX_PASSES], n_passes[2] = { 0, 0 };
  gint64 sizes[2] = { 1, 1 };
  AccFft first, second;
  g_auto(AccFftTurns) turns = { NULL };
  g_autoptr(AccArray) matrix = NULL, columns = NULL, turned = NULL, rows = NULL;
  g_autoptr(AccArray) roots = NULL, other_roots = NULL;

  for (gint64 rest = self->n; rest > 1; )
    {
      guint radix = next_radix (rest), side = sizes[1] < sizes[0];

      lists[side][n_passes[side]++] = radix;
      sizes[side] *= radix;
      rest /= radix;
    }
  first = (AccFft) { self->outer, sizes[0], sizes[1], self->type };
  second = (AccFft) { self->outer, sizes[1], sizes[0], self->type };

  matrix = acc_array_reshape_expr (pairs,
                                   acc_expr_tuple3 (acc_array_number (self->outer), acc_array_number (sizes[0]),
                                                    acc_array_number (sizes[1])));
  roots = make_roots (&(Roots) { self->type, matrix, 1, 1 }, sizes[0]);
  other_roots = sizes[0] == sizes[1] ? g_object_ref (roots) : make_roots (&(Roots) { self->type, matrix, 2, 2 }, sizes[1]);
  columns = run_list (&first, matrix, roots, lists[0], n_passes[0]);
  acc_fft_turns_init (&turns, self->type, matrix, self->n);
  turned = acc_fft_generate3 (self->outer, sizes[1], sizes[0], turned_element, &(Step) { columns, &turns });
  rows = run_list (&second, turned, other_roots, lists[1], n_passes[1]);

  return acc_array_reshape_expr (rows, acc_expr_tuple3 (acc_array_number (self->outer), acc_array_number (self->n), acc_array_number (1)));
}
