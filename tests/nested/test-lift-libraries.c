/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products, transforms, foreign operations, random numbers and sums of floats of the elements of nested arrays, against those of each
 * element by itself; and what libraries are asked for. */

#include "conformance.h"

#include <math.h>
#include <string.h>

#define N 3

typedef enum {
  REGULAR,
  IRREGULAR,
  CONSTANT,
} Form;

/* --- functions */

static AccArray *
f_matmul (AccArray **a, guint n, gpointer data)
{
  return acc_array_matmul (a[0], a[1]);
}

static AccArray *
f_fft (AccArray **a, guint n, gpointer data)
{
  return acc_array_fft (a[0], ACC_FFT_FORWARD);
}

static AccArray *
f_fft_first (AccArray **a, guint n, gpointer data)
{
  return acc_array_fft_on (a[0], 0, ACC_FFT_INVERSE);
}

static AccArray *
f_fft2 (AccArray **a, guint n, gpointer data)
{
  return acc_array_fft2 (a[0], ACC_FFT_REVERSE);
}

static AccArray *
f_fft3 (AccArray **a, guint n, gpointer data)
{
  return acc_array_fft3 (a[0], ACC_FFT_FORWARD);
}

static AccArray *
f_rfft (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) real = acc_array_real (a[0]);

  return acc_array_rfft (real);
}

static AccArray *
f_irfft (AccArray **a, guint n, gpointer data)
{
  return acc_array_irfft (a[0], 6);
}

static AccExpr *
wrap (AccExpr *index, gpointer array)
{
  return acc_expr_mod (index, acc_expr_extent (array, 0));
}

/* Of extents that are known whatever the element. */
static AccArray *
f_window (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (12);
  g_autoptr(AccArray) flat = acc_array_flatten (a[0]), window = acc_array_backpermute (flat, shape, wrap, flat);

  return acc_array_fft (window, ACC_FFT_FORWARD);
}

static AccArray *
f_sum (AccArray **a, guint n, gpointer data)
{
  return acc_array_fold_all (a[0], conf_neutral (acc_array_get_element_type (a[0])), conf_plus, NULL);
}

static AccArray *
f_sums (AccArray **a, guint n, gpointer data)
{
  return acc_array_scanl1 (a[0], conf_plus, NULL);
}

/* --- foreign operations */

static AccArray *
as_foreign (const char *name, AccArray **a, guint n, AccArrayFunc function)
{
  static const char *const extents[] = { "", ":", ":,:", ":,:,:", ":,:,:,:" };
  g_auto(GStrv) signatures = g_new0 (char *, n + 1);
  g_autoptr(AccProgram) fallback = NULL;

  for (guint i = 0; i < n; i++)
    signatures[i] = g_strdup_printf ("%s[%s]", acc_element_type_get_code (acc_array_get_element_type (a[i])),
                                     extents[acc_array_get_rank (a[i])]);
  fallback = acc_program_new ((const char *const *) signatures, function, NULL);

  return acc_array_foreign (name, a, n, fallback);
}

static AccArray *
f_foreign_matmul (AccArray **a, guint n, gpointer data)
{
  return as_foreign ("acc-matmul", a, n, f_matmul);
}

static AccArray *
f_reverse (AccArray **a, guint n, gpointer data)
{
  return acc_array_reverse (a[0]);
}

/* Where there is a library, it is asked in the fallback's place. */
static AccArray *
f_foreign_transform (AccArray **a, guint n, gpointer data)
{
  return as_foreign ("acc-fft-forward", a, n, f_reverse);
}

static AccArray *
f_foreign_own (AccArray **a, guint n, gpointer data)
{
  return as_foreign ("conformance-own", a, n, f_reverse);
}

/* --- cases */

static const struct {
  const char  *name;
  AccArrayFunc function;
  Form         forms[2];
  guint        ranks[2];       /* 0: none */
  gint64       extents[2][3];
  const char  *codes[5];
} cases[] = {
  { "pairs", f_matmul, { REGULAR, REGULAR }, { 2, 2 }, { { 5, 4 }, { 4, 6 } }, { "f4", "f8", "c8", "f2", "i4" } },
  { "large-pairs", f_matmul, { REGULAR, REGULAR }, { 2, 2 }, { { 20, 17 }, { 17, 33 } }, { "f4", "c16", "u1" } },
  { "stacks", f_matmul, { REGULAR, REGULAR }, { 3, 3 }, { { 2, 5, 4 }, { 2, 4, 6 } }, { "f4", "i8" } },
  { "stacks-left", f_matmul, { REGULAR, REGULAR }, { 3, 2 }, { { 2, 5, 4 }, { 4, 6 } }, { "f4", "i8" } },
  { "stacks-right", f_matmul, { REGULAR, REGULAR }, { 2, 3 }, { { 5, 4 }, { 2, 4, 6 } }, { "f4", "i8" } },
  { "constant-left", f_matmul, { CONSTANT, REGULAR }, { 2, 2 }, { { 5, 4 }, { 4, 6 } }, { "f4", "i8" } },
  { "constant-right", f_matmul, { REGULAR, CONSTANT }, { 2, 2 }, { { 5, 4 }, { 4, 6 } }, { "f4", "i8" } },
  { "constant-for-stacks", f_matmul, { CONSTANT, REGULAR }, { 2, 3 }, { { 5, 4 }, { 2, 4, 6 } }, { "f4", "i8" } },
  { "stacks-by-constant", f_matmul, { REGULAR, CONSTANT }, { 3, 2 }, { { 2, 5, 4 }, { 4, 6 } }, { "f4", "i8" } },
  { "constant-stacks", f_matmul, { CONSTANT, REGULAR }, { 3, 2 }, { { 2, 5, 4 }, { 4, 6 } }, { "f4", "i8" } },
  { "constant-stacks-right", f_matmul, { REGULAR, CONSTANT }, { 3, 3 }, { { 2, 5, 4 }, { 2, 4, 6 } }, { "f4", "i8" } },
  { "row", f_matmul, { REGULAR, REGULAR }, { 1, 2 }, { { 4 }, { 4, 6 } }, { "f4", "i8" } },
  { "column", f_matmul, { REGULAR, REGULAR }, { 2, 1 }, { { 5, 4 }, { 4 } }, { "f4", "i8" } },
  { "no-depth", f_matmul, { REGULAR, REGULAR }, { 2, 2 }, { { 5, 0 }, { 0, 6 } }, { "f4" } },
  { "irregular-pairs", f_matmul, { IRREGULAR, IRREGULAR }, { 2, 2 }, { { 5, 4 }, { 4, 6 } }, { "f4", "c8", "i4" } },
  { "irregular-by-constant", f_matmul, { IRREGULAR, CONSTANT }, { 2, 2 }, { { 5, 4 }, { 4, 6 } }, { "f4", "i4" } },
  { "foreign-pairs", f_foreign_matmul, { REGULAR, REGULAR }, { 2, 2 }, { { 5, 4 }, { 4, 6 } }, { "f4", "c8" } },
  { "foreign-by-constant", f_foreign_matmul, { REGULAR, CONSTANT }, { 2, 2 }, { { 5, 4 }, { 4, 6 } }, { "f8" } },
  { "foreign-stacks", f_foreign_matmul, { REGULAR, REGULAR }, { 3, 2 }, { { 2, 5, 4 }, { 4, 6 } }, { "f4" } },
  { "foreign-irregular", f_foreign_matmul, { IRREGULAR, IRREGULAR }, { 2, 2 }, { { 5, 4 }, { 4, 6 } }, { "f4" } },
  { "foreign-own", f_foreign_own, { REGULAR }, { 1 }, { { 16 } }, { "c8", "i4" } },
  { "foreign-own-irregular", f_foreign_own, { IRREGULAR }, { 1 }, { { 16 } }, { "c8" } },
  { "fft", f_fft, { REGULAR }, { 1 }, { { 16 } }, { "c8", "c16", "f4" } },
  { "fft-odd", f_fft, { REGULAR }, { 1 }, { { 15 } }, { "c8" } },
  { "fft-prime", f_fft, { REGULAR }, { 1 }, { { 37 } }, { "c16" } },
  { "fft-long", f_fft, { REGULAR }, { 1 }, { { 1024 } }, { "c16" } },
  { "fft-one", f_fft, { REGULAR }, { 1 }, { { 1 } }, { "c8" } },
  { "fft-empty", f_fft, { REGULAR }, { 1 }, { { 0 } }, { "c8" } },
  { "fft-rows", f_fft, { REGULAR }, { 2 }, { { 3, 8 } }, { "c8" } },
  { "fft-columns", f_fft_first, { REGULAR }, { 2 }, { { 8, 3 } }, { "c8", "c16" } },
  { "fft-planes", f_fft_first, { REGULAR }, { 3 }, { { 8, 3, 2 } }, { "c8" } },
  { "fft2", f_fft2, { REGULAR }, { 2 }, { { 4, 6 } }, { "c8", "c16" } },
  { "fft2-stacks", f_fft2, { REGULAR }, { 3 }, { { 2, 4, 6 } }, { "c8" } },
  { "fft3", f_fft3, { REGULAR }, { 3 }, { { 2, 4, 6 } }, { "c8" } },
  { "rfft", f_rfft, { REGULAR }, { 1 }, { { 16 } }, { "c8" } },
  { "fft-irregular", f_fft, { IRREGULAR }, { 1 }, { { 40 } }, { "c8", "c16", "f4" } },
  { "fft-irregular-hard", f_fft, { IRREGULAR }, { 1 }, { { 77 } }, { "c16" } },
  { "fft-irregular-empty", f_fft, { IRREGULAR }, { 1 }, { { 3 } }, { "c8" } },
  { "fft-irregular-rows", f_fft, { IRREGULAR }, { 2 }, { { 5, 12 } }, { "c8" } },
  { "fft-irregular-columns", f_fft_first, { IRREGULAR }, { 2 }, { { 10, 3 } }, { "c16" } },
  { "fft2-irregular", f_fft2, { IRREGULAR }, { 2 }, { { 5, 6 } }, { "c8" } },
  { "fft3-irregular", f_fft3, { IRREGULAR }, { 3 }, { { 5, 2, 6 } }, { "c8" } },
  { "rfft-irregular", f_rfft, { IRREGULAR }, { 1 }, { { 16 } }, { "c8" } },
  { "rfft-irregular-empty", f_rfft, { IRREGULAR }, { 1 }, { { 3 } }, { "c8" } },
  { "irfft-irregular", f_irfft, { IRREGULAR }, { 1 }, { { 3 } }, { "c8" } },
  { "window", f_window, { IRREGULAR }, { 1 }, { { 5 } }, { "c8" } },
  { "window-constant-stacks", f_window, { REGULAR }, { 2 }, { { 3, 2 } }, { "c16" } },
  { "sum", f_sum, { IRREGULAR }, { 1 }, { { 10000 } }, { "f4", "f8", "c8" } },
  { "sum-of-matrix", f_sum, { IRREGULAR }, { 2 }, { { 100, 70 } }, { "f4" } },
  { "sums", f_sums, { IRREGULAR }, { 1 }, { { 10000 } }, { "f4", "f8" } },
};

static AccArray *
f_captured (AccArray **a, guint n, gpointer array)
{
  return g_object_ref (array);
}

/* Floats from -1 to 1 in steps that all of them have. */
static AccArray *
draw (const char *code, const gint64 *extents, guint rank, GRand *rand)
{
  g_autoptr(AccArray) numbers = conf_array (conf_type (code), extents, rank, rand, CONF_SMALL);

  return g_steal_pointer (&numbers);
}

/* Regular: one array with one more dimension. Irregular: the first is as given, the second one row shorter where there are more, the
 * third again as given. */
static AccNestedArray *
new_input (guint which, guint i, const char *code, guint n, GRand *rand, AccNestedArray *first, AccArray **elements)
{
  guint rank = cases[which].ranks[i];
  gint64 extents[4] = { n };
  g_autoptr(AccArray) all = NULL;
  g_autoptr(AccNestedArray) nested = NULL;
  g_autoptr(GError) error = NULL;

  memcpy (extents + 1, cases[which].extents[i], sizeof (gint64) * rank);
  if (cases[which].forms[i] == CONSTANT)
    {
      elements[0] = draw (code, extents + 1, rank, rand);
      for (guint k = 1; k < n; k++)
        elements[k] = g_object_ref (elements[0]);
      return acc_nested_array_map (first, f_captured, elements[0]);
    }
  if (cases[which].forms[i] == REGULAR)
    {
      all = draw (code, extents, rank + 1, rand);
      nested = acc_nested_array_new_from_regular (all);
      for (guint k = 0; k < n; k++)
        {
          g_autoptr(AccArray) element = acc_nested_array_dup_element (nested, k);

          elements[k] = acc_backend_run (conf_interpreter (), element, NULL, &error);
          g_assert_no_error (error);
        }
      return g_steal_pointer (&nested);
    }
  for (guint k = 0; k < n; k++)
    {
      gint64 own[4];

      memcpy (own, extents + 1, sizeof own - sizeof *own);
      /* Of factors, the one on the right has columns fewer. */
      own[i == 0 ? 0 : rank - 1] -= k == 1 ? 3 : 0;
      elements[k] = draw (code, own, rank, rand);
    }
  return acc_nested_array_new_from_arrays (elements, n);
}

/* Sums of n terms are off by n half steps of the sum of magnitudes at most, in whatever order they are made; those of transforms are of
 * 2 n products. */
static ConfTolerance
tolerance_for (guint which, AccElementType *type)
{
  AccElementKind kind = acc_element_type_get_leaf (type, 0);
  double step = kind == ACC_KIND_F64 ? ldexp (1, -53) : kind == ACC_KIND_F32 ? ldexp (1, -24) : ldexp (1, -11), n = 1;

  if (!acc_element_kind_is_float (kind))
    return CONF_EXACT;
  for (guint d = 0; d < cases[which].ranks[0]; d++)
    n *= MAX (cases[which].extents[0][d], 2);

  /* Numbers are of 8 at most. */
  return (ConfTolerance) { .zeros_equal = TRUE, .absolute = 2 * n * step * n * 64 };
}

static void
check (guint which, const char *code, guint n)
{
  g_autofree char *name = g_strdup_printf ("lift-libraries/%s/%s/%u", cases[which].name, code, n);
  g_autoptr(GRand) rand = g_rand_new_with_seed (which);
  guint n_inputs = cases[which].ranks[1] > 0 ? 2 : 1;
  AccNestedArray *inputs[2] = { NULL, NULL };
  AccArray *elements[2][N] = { { NULL } };
  g_autoptr(AccNestedArray) mapped = NULL;
  g_autoptr(AccArray) values = NULL;
  g_autoptr(GPtrArray) got = NULL;
  g_autoptr(GError) error = NULL;
  gint64 begin = 0;

  for (guint i = 0; i < n_inputs; i++)
    if (cases[which].forms[i] != CONSTANT)
      inputs[i] = new_input (which, i, code, n, rand, NULL, elements[i]);
  for (guint i = 0; i < n_inputs; i++)
    if (inputs[i] == NULL)
      inputs[i] = new_input (which, i, code, n, rand, inputs[1 - i], elements[i]);
  mapped = acc_nested_array_zip_with_many (inputs, n_inputs, cases[which].function, NULL);
  values = acc_nested_array_flatten (mapped);
  got = acc_backend_run_many (conf_backend (0), (AccArray *[]) { values, acc_nested_array_get_lengths (mapped) }, 2, NULL, &error);
  if (got == NULL)
    conf_fail (acc_backend_get_name (conf_backend (0)), name, "%s", error->message);

  for (guint k = 0; k < n && got != NULL; k++)
    {
      AccArray *one[2] = { elements[0][k], elements[1][k] };
      g_autoptr(AccArray) plain = cases[which].function (one, n_inputs, NULL);
      g_autoptr(AccArray) wanted = acc_backend_run (conf_interpreter (), plain, NULL, &error), part = NULL;
      g_autofree char *difference = NULL;

      g_assert_no_error (error);
      g_assert_cmpint (acc_array_get_int (g_ptr_array_index (got, 1), 0, k), ==, acc_shape_get_size (acc_array_get_shape (wanted)));
      part = conf_cut (g_ptr_array_index (got, 0), begin, acc_array_get_shape (wanted));
      difference = conf_compare (wanted, part, tolerance_for (which, acc_array_get_element_type (wanted)));
      if (difference != NULL)
        conf_fail (acc_backend_get_name (conf_backend (0)), name, "element %u: %s", k, difference);
      begin += acc_shape_get_size (acc_array_get_shape (wanted));
    }

  for (guint i = 0; i < n_inputs; i++)
    {
      for (guint k = 0; k < n; k++)
        g_clear_object (&elements[i][k]);
      g_clear_object (&inputs[i]);
    }
}

static void
test_case (gconstpointer data)
{
  guint which = GPOINTER_TO_UINT (data);

  for (guint i = 0; i < G_N_ELEMENTS (cases[which].codes) && cases[which].codes[i] != NULL; i++)
    {
      check (which, cases[which].codes[i], N);
      check (which, cases[which].codes[i], 1);
      if (cases[which].forms[0] == REGULAR && i == 0)
        check (which, cases[which].codes[i], 0);
    }
}

/* --- what libraries are asked for */

typedef struct {
  guint n_calls, rank;
} Library;

/* As a library would, by what the interpreter makes of it. */
static AccArray *
multiply (AccArray **inputs, guint n, gpointer data, GError **error)
{
  Library *library = data;
  g_autoptr(AccArray) product = acc_array_matmul (inputs[0], inputs[1]);

  library->n_calls++;
  library->rank = acc_array_get_rank (product);

  return acc_backend_run (conf_interpreter (), product, NULL, error);
}

static AccArray *
transform (AccArray **inputs, guint n, gpointer data, GError **error)
{
  Library *library = data;
  g_autoptr(AccArray) transformed = acc_array_fft (inputs[0], ACC_FFT_FORWARD);

  library->n_calls++;
  library->rank = acc_array_get_rank (transformed);

  return acc_backend_run (conf_interpreter (), transformed, NULL, error);
}

static AccArray *
reverse (AccArray **inputs, guint n, gpointer data, GError **error)
{
  Library *library = data;
  g_autoptr(AccArray) reversed = acc_array_reverse (inputs[0]);

  library->n_calls++;
  library->rank = acc_array_get_rank (reversed);

  return acc_backend_run (conf_interpreter (), reversed, NULL, error);
}

static void
expect_calls (AccArrayFunc function, AccArray *all, AccArray *constant, guint n_calls, const Library *library)
{
  g_autoptr(AccNestedArray) nested = acc_nested_array_new_from_regular (all), other = NULL, mapped = NULL;
  AccNestedArray *both[2] = { nested };
  g_autoptr(AccArray) result = NULL;
  g_autoptr(GError) error = NULL;
  guint before = library->n_calls;

  if (constant != NULL)
    both[1] = other = acc_nested_array_map (nested, f_captured, constant);
  mapped = acc_nested_array_zip_with_many (both, constant != NULL ? 2 : 1, function, NULL);
  result = acc_backend_run (conf_backend (0), acc_nested_array_get_values (mapped), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (library->n_calls - before, ==, n_calls);
}

static void
test_calls (void)
{
  AccBackend *backend = conf_backend (0);
  gboolean takes_offers = !g_str_equal (acc_backend_get_name (backend), "interpreter");
  Library products = { 0 }, transforms = { 0 }, own = { 0 };
  g_autoptr(GRand) rand = g_rand_new_with_seed (1);
  g_autoptr(AccArray) matrices = draw ("f4", (gint64[]) { N, 64, 64 }, 3, rand), matrix = draw ("f4", (gint64[]) { 64, 64 }, 2, rand);
  g_autoptr(AccArray) rows = draw ("c8", (gint64[]) { N, 4096 }, 2, rand);

  acc_backend_set_foreign (backend, "acc-matmul", multiply, &products, NULL);
  acc_backend_set_foreign (backend, "acc-fft-forward", transform, &transforms, NULL);
  acc_backend_set_foreign (backend, "conformance-own", reverse, &own, NULL);
  /* The interpreter takes no offers. */
  expect_calls (f_matmul, matrices, matrix, takes_offers, &products);
  g_assert_cmpuint (products.rank, ==, takes_offers ? 3 : 0);
  expect_calls (f_foreign_matmul, matrices, matrix, 1, &products);
  g_assert_cmpuint (products.rank, ==, 3);
  expect_calls (f_fft, rows, NULL, takes_offers, &transforms);
  g_assert_cmpuint (transforms.rank, ==, takes_offers ? 2 : 0);
  expect_calls (f_foreign_transform, rows, NULL, 1, &transforms);
  g_assert_cmpuint (transforms.rank, ==, 2);
  /* It takes the ranks that it was written for. */
  expect_calls (f_foreign_own, rows, NULL, N, &own);
  g_assert_cmpuint (own.rank, ==, 1);
  acc_backend_set_foreign (backend, "acc-matmul", NULL, NULL, NULL);
  acc_backend_set_foreign (backend, "acc-fft-forward", NULL, NULL, NULL);
  acc_backend_set_foreign (backend, "conformance-own", NULL, NULL, NULL);
}

/* --- random numbers: the number of the element is the stream */

#define SEED 42

static AccExpr *
word (AccExpr *x)
{
  return acc_expr_cast (x, conf_type ("u4"));
}

static AccExpr *
random_at (AccExpr *index, gpointer number)
{
  g_autoptr(AccExpr) stream = acc_expr_ref_sink (acc_expr_the (number)), part = NULL, block = NULL, counter = NULL;
  AccExpr *number_of_block = acc_expr_shr (index, conf_i64 (2)), *bits;

  part = acc_expr_ref_sink (acc_expr_band (index, conf_i64 (3)));
  counter = acc_expr_ref_sink (acc_expr_tuple4 (word (number_of_block), word (conf_i64 (0)), word (stream),
                                                word (acc_expr_shr (stream, conf_i64 (32)))));
  block = acc_expr_ref_sink (acc_expr_philox (counter, acc_expr_tuple2 (word (conf_i64 (SEED)), word (conf_i64 (0)))));
  bits = acc_expr_item (block, 3);
  for (guint i = 3; i-- > 0;)
    bits = acc_expr_cond (acc_expr_eq (part, conf_i64 (i)), acc_expr_item (block, i), bits);

  return bits;
}

static AccArray *
f_random (AccArray **a, guint n, gpointer data)
{
  return acc_array_generate_expr (acc_expr_extent (a[1], 0), random_at, a[0]);
}

static void
test_random_numbers (void)
{
  static const gint64 lengths[] = { 7, 0, 9 };
  g_autoptr(GRand) rand = g_rand_new_with_seed (1);
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccNestedArray) nested = NULL, own = NULL;
  g_autoptr(AccArray) values = NULL, got = NULL;
  g_autoptr(GError) error = NULL;
  gint64 begin = 0;

  for (guint k = 0; k < N; k++)
    g_ptr_array_add (elements, draw ("f4", &lengths[k], 1, rand));
  nested = acc_nested_array_new_from_arrays ((AccArray **) elements->pdata, N);
  own = acc_nested_array_imap (nested, f_random, NULL);
  values = acc_nested_array_flatten (own);
  got = acc_backend_run (conf_backend (0), values, NULL, &error);
  g_assert_no_error (error);

  for (guint k = 0; k < N; k++)
    {
      g_autoptr(AccShape) shape = acc_shape_new_vector (lengths[k]);
      g_autoptr(AccArray) bits = acc_array_random_bits (conf_type ("u4"), shape, SEED, k);
      g_autoptr(AccArray) wanted = acc_backend_run (conf_interpreter (), bits, NULL, &error);
      g_autoptr(AccArray) part = conf_cut (got, begin, shape);
      g_autofree char *difference = conf_compare (wanted, part, CONF_EXACT);

      g_assert_cmpstr (difference, ==, NULL);
      begin += lengths[k];
    }
  g_assert_cmpint (acc_array_get_int (got, 0, 0), !=, acc_array_get_int (got, 0, 7));
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/lift/libraries/%s", cases[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_case);
    }
  g_test_add_func ("/lift/libraries/random-numbers", test_random_numbers);
  g_test_add_func ("/lift/libraries/calls", test_calls);
  return conf_run ();
}
