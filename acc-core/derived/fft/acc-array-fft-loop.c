/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-fft-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-foreign-known-private.h"
#include "acc-core/array/acc-program-private.h"
#include "acc-array-rearrange.h"

/* Transforms of extents that only a run tells: passes are turns of a loop, each of which finds its factor. The library's routine takes its
 * place where the backend has one. Of elements of many extents lifting makes other passes: acc-lift-fft.c. */

/* What is left without the small factors is one pass up to here, else the row is convolved with a chirp. */
#define LARGEST_REST 32

typedef struct {
  AccElementType *type;        /* of the floats */
  gboolean        forward;
  guint           dimension;   /* which a pass is of */
  guint           first, n_dimensions;
} Loop;

/* A pass: transforms of .done elements that lie .groups apart become ones of more. */
typedef struct {
  const Loop *loop;
  AccArray   *numbers, *roots, *factor;   /* the factor and where it comes in: (factor, groups, done) */
  AccExpr    *index, *turn, *groups;
} Pass;

/* Bluestein's convolution along a dimension. */
typedef struct {
  const Loop *loop;
  AccArray   *numbers, *chirp, *size;
  AccArray   *padded, *kernel;            /* what is convolved and its transform */
} Chirp;

/* --- factors */

static AccExpr *
divides (AccExpr *n,
         gint64   prime)
{
  return acc_expr_eq (acc_expr_rem (n, acc_array_number (prime)), acc_array_number (0));
}

static AccExpr *
divide_once (AccExpr *n,
             gpointer prime)
{
  gint64 p = GPOINTER_TO_INT (prime);

  return acc_expr_tuple2 (acc_expr_land (acc_expr_gt (n, acc_array_number (0)), divides (n, p)), acc_expr_quot (n, acc_array_number (p)));
}

/* Whether passes do all of it. */
static AccExpr *
is_easy (AccExpr *n)
{
  static const gint primes[] = { 2, 3, 5, 7 };

  for (guint i = 0; i < G_N_ELEMENTS (primes); i++)
    n = acc_expr_while (n, divide_once, GINT_TO_POINTER (primes[i]));

  return acc_expr_le (n, acc_array_number (LARGEST_REST));
}

static AccExpr *
next_factor (AccExpr *rest)
{
  static const gint64 primes[] = { 7, 5, 3, 2, 4 };
  g_autoptr(AccExpr) n = acc_expr_ref_sink (rest);
  AccExpr *factor = n;

  for (guint i = 0; i < G_N_ELEMENTS (primes); i++)
    factor = acc_expr_cond (divides (n, primes[i]), acc_array_number (primes[i]), factor);

  return factor;
}

/* --- passes */

static AccExpr *
root_at (AccExpr *turns,
         gpointer data)
{
  const Pass *pass = data;
  AccExpr *root = acc_fft_cast (acc_fft_root (turns, acc_expr_extent (pass->numbers, pass->loop->dimension)), pass->loop->type);

  return acc_fft_number (pass->loop->forward ? root : acc_fft_conjugate (root));
}

/* (place, turns, re, im): adds the number at that place, turned. */
static AccExpr *
add_turned (AccExpr *state,
            gpointer data)
{
  const Pass *pass = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (state, 0)), turns = acc_expr_ref_sink (acc_expr_item (state, 1));
  g_autoptr(AccExpr) n = acc_expr_ref_sink (acc_expr_extent (pass->roots, 0)), further = NULL, product = NULL;
  AccExpr *number = acc_expr_index (pass->numbers, acc_array_index_along (pass->numbers, pass->loop->dimension, pass->index, place));

  product = acc_expr_ref_sink (acc_fft_mul (acc_fft_pair (number), acc_fft_pair (acc_expr_linear_index (pass->roots, turns))));
  further = acc_expr_ref_sink (acc_expr_add (turns, pass->turn));

  return acc_expr_tuple4 (acc_expr_add (place, pass->groups),
                          acc_expr_cond (acc_expr_ge (further, n), acc_expr_sub (further, n), further),
                          acc_expr_add (acc_expr_item (state, 2), acc_expr_item (product, 0)),
                          acc_expr_add (acc_expr_item (state, 3), acc_expr_item (product, 1)));
}

static AccExpr *
pass_element (AccExpr *index,
              gpointer data)
{
  Pass *pass = data;
  g_autoptr(AccExpr) step = acc_expr_ref_sink (acc_expr_the (pass->factor)), factor = acc_expr_ref_sink (acc_expr_item (step, 0));
  g_autoptr(AccExpr) groups = acc_expr_ref_sink (acc_expr_item (step, 1)), done = acc_expr_ref_sink (acc_expr_item (step, 2));
  g_autoptr(AccExpr) at = acc_expr_ref_sink (acc_expr_item (index, pass->loop->dimension));
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_expr_quot (at, groups)), group = acc_expr_ref_sink (acc_expr_rem (at, groups));
  g_autoptr(AccExpr) turn = acc_expr_ref_sink (acc_expr_sub (at, group)), sum = NULL;
  g_autoptr(AccExpr) zero = acc_expr_ref_sink (acc_expr_new_typed_float (pass->loop->type, 0));
  AccExpr *place = acc_expr_add (acc_expr_mul (acc_expr_rem (k, done), acc_expr_mul (groups, factor)), group);

  pass->index = index;
  pass->turn = turn;
  pass->groups = groups;
  sum = acc_expr_iterate (factor, acc_expr_tuple4 (place, acc_array_number (0), zero, zero), add_turned, pass);
  sum = acc_expr_ref_sink (sum);

  return acc_expr_complex (acc_expr_item (sum, 2), acc_expr_item (sum, 3));
}

static AccArray *
is_unfinished (AccArray **states,
               guint      n,
               gpointer   data)
{
  const Pass *pass = data;

  return acc_array_unit (acc_expr_lt (acc_expr_the (states[1]), acc_expr_extent (states[0], pass->loop->dimension)));
}

static AccExpr *
times_factor (AccExpr *done,
              AccExpr *step,
              gpointer data)
{
  return acc_expr_mul (done, acc_expr_item (step, 0));
}

static GPtrArray *
next_pass (AccArray **states,
           guint      n,
           gpointer   data)
{
  const Pass *all = data;
  Pass pass = { all->loop, states[0], all->roots };
  g_autoptr(AccExpr) done = acc_expr_ref_sink (acc_expr_the (states[1])), rest = NULL, factor = NULL;
  g_autoptr(AccArray) step = NULL;
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  rest = acc_expr_ref_sink (acc_expr_quot (acc_expr_extent (states[0], all->loop->dimension), done));
  factor = acc_expr_ref_sink (next_factor (rest));
  pass.factor = step = acc_array_unit (acc_expr_tuple3 (factor, acc_expr_quot (rest, factor), done));
  g_ptr_array_add (next, acc_array_generate_expr (acc_expr_shape (states[0]), pass_element, &pass));
  g_ptr_array_add (next, acc_array_zip_with (states[1], step, times_factor, NULL));

  return next;
}

static AccArray *
run_passes (const Loop *loop,
            AccArray   *numbers)
{
  Pass pass = { loop, numbers };
  g_autoptr(GString) signature = g_string_new (acc_element_type_get_code (numbers->type));
  const char *signatures[] = { NULL, "i8[]", NULL };
  g_autoptr(AccArray) made = NULL, roots = NULL, one = acc_array_unit (acc_array_number (1));
  g_autoptr(AccProgram) condition = NULL, step = NULL;
  g_autoptr(GPtrArray) last = NULL;

  for (guint i = 0; i < numbers->rank; i++)
    g_string_append (signature, i == 0 ? "[:" : ",:");
  g_string_append_c (signature, ']');
  signatures[0] = signature->str;

  made = acc_array_generate_expr (acc_expr_extent (numbers, loop->dimension), root_at, &pass);
  /* Each pass reads them. */
  pass.roots = roots = acc_array_compute (made);
  condition = acc_program_new (signatures, is_unfinished, &pass);
  step = acc_program_new_many (signatures, next_pass, &pass);
  last = acc_array_while_loop_many ((AccArray *[]) { numbers, one }, 2, condition, step);

  return g_object_ref (g_ptr_array_index (last, 0));
}

/* --- any extent, as in acc-array-fft-convolve.c */

static AccExpr *
chirp_at (AccExpr *index,
          gpointer data)
{
  const Chirp *self = data;
  g_autoptr(AccExpr) n = acc_expr_ref_sink (acc_expr_mul (acc_expr_extent (self->numbers, self->loop->dimension), acc_array_number (2)));
  AccExpr *root = acc_fft_cast (acc_fft_root (acc_expr_rem (acc_expr_mul (index, index), n), n), self->loop->type);

  return acc_fft_number (self->loop->forward ? root : acc_fft_conjugate (root));
}

static AccExpr *
nothing (const Chirp *self)
{
  AccExpr *zero = acc_expr_new_typed_float (self->loop->type, 0);

  return acc_expr_complex (zero, zero);
}

static AccExpr *
chirped_element (AccExpr *index,
                 gpointer data)
{
  const Chirp *self = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (index, self->loop->dimension));
  AccExpr *number = acc_expr_index (self->numbers, acc_array_index_along (self->numbers, self->loop->dimension, index, place));
  AccExpr *chirped = acc_fft_mul (acc_fft_pair (number), acc_fft_pair (acc_expr_linear_index (self->chirp, place)));

  return acc_expr_cond (acc_expr_lt (place, acc_expr_extent (self->numbers, self->loop->dimension)), acc_fft_number (chirped),
                        nothing (self));
}

static AccExpr *
kernel_element (AccExpr *place,
                gpointer data)
{
  const Chirp *self = data;
  g_autoptr(AccExpr) distance = acc_expr_ref_sink (acc_expr_min (place, acc_expr_sub (acc_expr_the (self->size), place)));

  return acc_expr_cond (acc_expr_lt (distance, acc_expr_extent (self->chirp, 0)),
                        acc_fft_number (acc_fft_conjugate (acc_fft_pair (acc_expr_linear_index (self->chirp, distance)))), nothing (self));
}

/* The conjugate of a product: what the same transform gives of it is conjugate to the inverse one. */
static AccExpr *
product_at (AccExpr *index,
            gpointer data)
{
  const Chirp *self = data;
  AccExpr *factor = acc_expr_linear_index (self->kernel, acc_expr_item (index, self->loop->dimension));

  return acc_fft_number (acc_fft_conjugate (acc_fft_mul (acc_fft_pair (acc_expr_index (self->padded, index)), acc_fft_pair (factor))));
}

static AccExpr *
result_at (AccExpr *index,
           gpointer data)
{
  const Chirp *self = data;
  AccExpr *factor = acc_expr_linear_index (self->chirp, acc_expr_item (index, self->loop->dimension));
  g_autoptr(AccExpr) sum = acc_expr_ref_sink (acc_fft_mul (acc_fft_conjugate (acc_fft_pair (acc_expr_index (self->padded, index))),
                                                           acc_fft_pair (factor)));
  g_autoptr(AccExpr) size = acc_expr_ref_sink (acc_expr_cast (acc_expr_the (self->size), self->loop->type));

  return acc_expr_complex (acc_expr_fdiv (acc_expr_item (sum, 0), size), acc_expr_fdiv (acc_expr_item (sum, 1), size));
}

static AccExpr *
twice_if_short (AccExpr *size,
                gpointer least)
{
  return acc_expr_tuple2 (acc_expr_lt (size, least), acc_expr_mul (size, acc_array_number (2)));
}

static AccArray *
convolve (const Loop *loop,
          AccArray   *numbers)
{
  Chirp chirp = { loop, numbers };
  Loop line = *loop;
  g_autoptr(AccExpr) shape = acc_expr_ref_sink (acc_expr_shape (numbers)), n = NULL, least = NULL;
  g_autoptr(AccArray) size = NULL, turns = NULL, padded = NULL, kernel = NULL, values = NULL, factors = NULL, product = NULL, sums = NULL;

  n = acc_expr_ref_sink (acc_expr_extent (numbers, loop->dimension));
  least = acc_expr_ref_sink (acc_expr_sub (acc_expr_mul (n, acc_array_number (2)), acc_array_number (1)));
  chirp.size = size = acc_array_unit (acc_expr_while (acc_array_number (1), twice_if_short, least));
  chirp.chirp = turns = acc_array_generate_expr (n, chirp_at, &chirp);
  padded = acc_array_generate_expr (acc_array_index_along (numbers, loop->dimension, shape, acc_expr_the (size)),
                                    chirped_element, &chirp);
  kernel = acc_array_generate_expr (acc_expr_the (size), kernel_element, &chirp);
  line.dimension = 0;
  chirp.padded = values = run_passes (loop, padded);
  chirp.kernel = factors = run_passes (&line, kernel);
  product = acc_array_generate_expr (acc_expr_shape (padded), product_at, &chirp);
  chirp.padded = sums = run_passes (loop, product);

  return acc_array_generate_expr (acc_expr_shape (numbers), result_at, &chirp);
}

static AccArray *
transform_dimensions (AccArray   *numbers,
                      const Loop *all)
{
  g_autoptr(AccArray) values = g_object_ref (numbers);

  for (guint d = all->first + all->n_dimensions; d-- > all->first; )
    {
      Loop loop = *all;
      g_autoptr(AccArray) easy = acc_array_unit (is_easy (acc_expr_extent (values, d))), by_passes = NULL, by_chirp = NULL;

      loop.dimension = d;
      by_passes = run_passes (&loop, values);
      by_chirp = convolve (&loop, values);
      g_object_unref (values);
      values = acc_array_cond (easy, by_passes, by_chirp);
    }

  return g_steal_pointer (&values);
}

/* The foreign operation that falls back to @function. */
static AccArray *
make_foreign (const char *name,
              AccArray   *numbers,
              AccArray *(*function) (AccArray *numbers, gpointer data),
              gpointer    data)
{
  g_autoptr(AccArray) parameter = acc_array_new_parameter (numbers->type, numbers->rank, NULL, 0), result = function (parameter, data);
  g_autoptr(AccProgram) fallback = acc_program_new_for_nodes (&parameter, 1, &result, 1);

  return acc_array_foreign (name, &numbers, 1, fallback);
}

static AccArray *
run_loops (AccArray *numbers,
           gpointer  loop)
{
  return transform_dimensions (numbers, loop);
}

/* What lifting knows by its name. */
static AccArray *
run_any (AccArray *numbers,
         gpointer  data)
{
  const Loop *loop = data;
  g_autofree char *name = g_strconcat (ACC_FOREIGN_ANY, acc_foreign_get_transform_name (loop->n_dimensions, 0, loop->forward), NULL);

  return make_foreign (name, numbers, run_loops, data);
}

AccArray *
acc_fft_run_loop (AccArray       *numbers,
                  guint           n_dimensions,
                  AccElementType *type,
                  gboolean        forward)
{
  Loop loop = { type, forward, 0, numbers->rank - n_dimensions, n_dimensions };

  return make_foreign (acc_foreign_get_transform_name (n_dimensions, 0, forward), numbers, run_any, &loop);
}
