/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <complex.h>
#include <float.h>
#include <math.h>

/* Fourier transforms against the sums that they are, in long double. An element may be wrong by 2 + log2 n units: of the last place of the
 * type, times the norm of what was transformed, which is what elements of the result of random numbers are about as large as. */

typedef long double complex Complex;

typedef struct {
  gint64   extents[3];
  guint    rank;
  gint64   size;
  Complex *values;
} Signal;

static void
signal_clear (Signal *self)
{
  g_clear_pointer (&self->values, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Signal, signal_clear)

static gboolean
is_double (const char *code)
{
  return g_str_equal (code, "c16") || g_str_equal (code, "f8");
}

/* Numbers that @code holds. */
static Signal
make_signal (const char *code, const gint64 *extents, guint rank, guint32 seed)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  Signal self = { { 1, 1, 1 }, rank, 1 };

  for (guint i = 0; i < rank; i++)
    self.size *= self.extents[i] = extents[i];
  self.values = g_new (Complex, self.size + 1);
  for (gint64 i = 0; i < self.size; i++)
    {
      double re = g_rand_double_range (rand, -1, 1), im = code[0] == 'c' ? g_rand_double_range (rand, -1, 1) : 0;

      self.values[i] = is_double (code) ? re + im * I : (float) re + (float) im * I;
    }

  return self;
}

static AccArray *
to_array (const Signal *self, const char *code)
{
  guint n_parts = code[0] == 'c' ? 2 : 1;
  g_autofree double *parts = g_new (double, 2 * self->size + 1);
  g_autofree float *singles = g_new (float, 2 * self->size + 1);
  g_autoptr(AccShape) shape = acc_shape_new (self->extents, self->rank);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < self->size; i++)
    {
      parts[n_parts * i] = creall (self->values[i]);
      if (n_parts == 2)
        parts[2 * i + 1] = cimagl (self->values[i]);
    }
  for (gint64 i = 0; i < n_parts * self->size; i++)
    singles[i] = parts[i];
  bytes = is_double (code)
          ? g_bytes_new (parts, n_parts * self->size * sizeof (double)) : g_bytes_new (singles, n_parts * self->size * sizeof (float));

  return acc_array_use (conf_type (code), shape, bytes);
}

/* --- the reference */

static Complex *
make_roots (gint64 n, AccFftMode mode)
{
  Complex *roots = g_new (Complex, n);

  for (gint64 i = 0; i < n; i++)
    roots[i] = cosl (2 * M_PIl * i / n) + (mode == ACC_FFT_FORWARD ? -1 : 1) * sinl (2 * M_PIl * i / n) * I;

  return roots;
}

static Complex
sum_at (const Complex *x, gint64 stride, gint64 n, gint64 k, const Complex *roots, AccFftMode mode)
{
  Complex sum = 0;

  for (gint64 j = 0, turns = 0; j < n; j++, turns = (turns + k) % n)
    sum += x[j * stride] * roots[turns];

  return mode == ACC_FFT_INVERSE ? sum / n : sum;
}

static void
transform (Signal *self, guint dimension, AccFftMode mode)
{
  gint64 n = self->extents[dimension], stride = 1;
  g_autofree Complex *roots = make_roots (n, mode), *made = g_new (Complex, self->size + 1);

  for (guint i = dimension + 1; i < self->rank; i++)
    stride *= self->extents[i];
  for (gint64 i = 0; i < self->size; i++)
    made[i] = sum_at (self->values + i / (stride * n) * stride * n + i % stride, stride, n, i / stride % n, roots, mode);
  for (gint64 i = 0; i < self->size; i++)
    self->values[i] = made[i];
}

/* --- comparing */

typedef struct {
  const Signal *signal;     /* what to expect; or, with @roots, what was transformed */
  Complex      *roots;
  long double   tolerance;
} Expectation;

static void
compare (const char *backend, const char *name, AccArray *result, const GError *error, gpointer data)
{
  const Expectation *wanted = data;
  const Signal *signal = wanted->signal;
  gint64 step = wanted->roots != NULL ? MAX (signal->size / 61, 1) : 1;
  g_autoptr(AccShape) shape = acc_shape_new (signal->extents, signal->rank);

  if (result == NULL)
    {
      conf_fail (backend, name, "%s", error->message);
      return;
    }
  if (!acc_shape_equal (result->shape, shape))
    {
      g_autofree char *given = acc_shape_to_string (result->shape);

      conf_fail (backend, name, "the shape is %s", given);
      return;
    }
  for (gint64 i = 0; i < signal->size; i += step)
    {
      Complex got = acc_array_get_double (result, 0, i) + acc_array_get_double (result, 1, i) * I;
      Complex right = wanted->roots != NULL
                      ? sum_at (signal->values, 1, signal->size, i, wanted->roots, ACC_FFT_FORWARD) : signal->values[i];

      if (!(cabsl (got - right) <= wanted->tolerance))
        {
          conf_fail (backend, name, "element %d is %g%+gi, not %g%+gi: wrong by %g, more than %g", (int) i, (double) creall (got),
                     (double) cimagl (got), (double) creall (right), (double) cimagl (right), (double) cabsl (got - right),
                     (double) wanted->tolerance);
          return;
        }
    }
  conf_pass (backend, name);
}

/* @scale: of the result, as of the input, by the transform. */
static long double
get_tolerance (const Signal *input, const char *code, gint64 n, long double scale)
{
  long double sum = 0;

  for (gint64 i = 0; i < input->size; i++)
    sum += creall (input->values[i] * conjl (input->values[i]));

  return (2 + log2l (MAX (n, 1))) * (is_double (code) ? DBL_EPSILON : FLT_EPSILON) * sqrtl (sum) * scale;
}

typedef AccArray *(*Of) (AccArray *self, AccFftMode mode);

static AccArray *along_0 (AccArray *self, AccFftMode mode) { return acc_array_fft_on (self, 0, mode); }
static AccArray *along_1 (AccArray *self, AccFftMode mode) { return acc_array_fft_on (self, self->rank == 2 ? -1 : 1, mode); }

typedef struct {
  const char *name;
  Of          of;
  guint       first, n;   /* dimensions; first: G_MAXUINT: the innermost ones */
} Form;

static const Form forms[] = {
  { "fft", acc_array_fft, G_MAXUINT, 1 }, { "fft_on-0", along_0, 0, 1 }, { "fft_on-1", along_1, 1, 1 },
  { "fft2", acc_array_fft2, G_MAXUINT, 2 }, { "fft3", acc_array_fft3, G_MAXUINT, 3 },
};

static void
check_form (const Form *form, const char *code, const gint64 *extents, guint rank, AccFftMode mode)
{
  g_auto(Signal) signal = make_signal (code, extents, rank, extents[rank - 1] + mode);
  g_autoptr(AccArray) array = to_array (&signal, code);
  g_autofree char *name = g_strdup_printf ("%s/%s/%d-%d-%d/%u/%d", form->name, code, (int) signal.extents[0], (int) signal.extents[1],
                                           (int) signal.extents[2], rank, mode);
  guint first = form->first == G_MAXUINT ? rank - form->n : form->first;
  Expectation wanted = { &signal };
  gint64 n = 1;

  for (guint d = first; d < first + form->n; d++)
    n *= extents[d];
  wanted.tolerance = get_tolerance (&signal, code, n, mode == ACC_FFT_INVERSE && n > 0 ? 1 / (long double) n : 1);
  for (guint d = first; d < first + form->n; d++)
    transform (&signal, d, mode);
  conf_run_everywhere (name, form->of (array, mode), compare, &wanted);
}

/* --- tests */

/* All short lengths; in f8, some. */
static void
test_lengths (gconstpointer data)
{
  guint step = !conf_is_thorough () ? 29 : is_double (data) ? 5 : 1;

  for (gint64 n = 0; n <= 130; n += n < 8 ? 1 : step)
    check_form (&forms[0], data, (gint64[]) { n % 3 + 1, n }, 2, n % 3);
}

/* Some elements of each. */
static void
test_long (gconstpointer data)
{
  static const gint64 lengths[] = { 1024, 1000, 4099, 4096, 65536, 1023, 2310 };
  const char *code = data;

  for (guint i = 0; i < (conf_is_thorough () ? G_N_ELEMENTS (lengths) : 2); i++)
    {
      g_auto(Signal) signal = make_signal (code, &lengths[i], 1, i);
      g_autoptr(AccArray) array = to_array (&signal, code);
      g_autofree Complex *roots = make_roots (lengths[i], ACC_FFT_FORWARD);
      g_autofree char *name = g_strdup_printf ("long/%s/%d", code, (int) lengths[i]);

      conf_run_everywhere (name, acc_array_fft (array, ACC_FFT_FORWARD), compare,
                           &(Expectation) { &signal, roots, get_tolerance (&signal, code, lengths[i], 1) });
    }
}

static void
test_ranks (gconstpointer data)
{
  static const gint64 shapes[][3] = { { 6, 5, 4 }, { 3, 1, 8 }, { 4, 0, 3 }, { 0, 3, 5 }, { 5, 3, 0 }, { 2, 11, 7 }, { 2, 3, 1024 } };

  for (guint i = 0; i < (conf_is_thorough () ? G_N_ELEMENTS (shapes) : 3); i++)
    for (guint f = 0; f < G_N_ELEMENTS (forms); f++)
      {
        check_form (&forms[f], data, shapes[i], 3, (i + f) % 3);
        if (conf_is_thorough () && forms[f].n < 3)
          check_form (&forms[f], data, &shapes[i][1], 2, (i + f + 1) % 3);
      }
}

/* Groups of neighbouring columns, which hang over; columns that are cut in two; rows of several lengths side by side. */
static void
test_columns (gconstpointer data)
{
  static const gint64 shapes[][3] = { { 2, 96, 5 }, { 1, 2048, 3 }, { 3, 105, 40 }, { 1, 512, 9 } };

  for (guint i = 0; i < (conf_is_thorough () ? G_N_ELEMENTS (shapes) : 2); i++)
    {
      check_form (&forms[2], data, shapes[i], 3, i % 3);
      if (conf_is_thorough ())
        check_form (&forms[0], data, (gint64[]) { shapes[i][2], shapes[i][1] }, 2, (i + 1) % 3);
    }
}

static AccArray *
there_and_back (AccArray *self, AccFftMode mode)
{
  g_autoptr(AccArray) spectrum = acc_array_fft (self, ACC_FFT_FORWARD);

  return acc_array_fft (spectrum, mode);
}

static void
test_back (void)
{
  const gint64 lengths[] = { 1, 6, 13, 64, 100 };

  for (guint i = 0; i < (conf_is_thorough () ? G_N_ELEMENTS (lengths) : 2); i++)
    {
      g_auto(Signal) signal = make_signal ("c16", &lengths[i], 1, 7);
      g_autoptr(AccArray) array = to_array (&signal, "c16");
      g_autofree char *name = g_strdup_printf ("back/%d", (int) lengths[i]);

      conf_run_everywhere (name, there_and_back (array, ACC_FFT_INVERSE), compare,
                           &(Expectation) { &signal, NULL, get_tolerance (&signal, "c16", lengths[i], 1) });
      for (gint64 k = 0; k < signal.size; k++)
        signal.values[k] *= lengths[i];
      conf_run_everywhere (name, there_and_back (array, ACC_FFT_REVERSE), compare,
                           &(Expectation) { &signal, NULL, get_tolerance (&signal, "c16", lengths[i], 1) });
    }
}

/* 2 F x - 3 F y, and what F (2 x - 3 y) should be. */
static AccExpr *
mix (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_sub (acc_expr_mul (x, acc_expr_new_float (2)), acc_expr_mul (y, acc_expr_new_float (3)));
}

static void
test_linear (void)
{
  const gint64 n = 60;
  g_auto(Signal) x = make_signal ("c16", &n, 1, 1), y = make_signal ("c16", &n, 1, 2);
  g_autoptr(AccArray) first = to_array (&x, "c16"), second = to_array (&y, "c16"), mixed = NULL, x_spectrum = NULL, y_spectrum = NULL;
  long double tolerance = 5 * get_tolerance (&x, "c16", n, 1);

  x_spectrum = acc_array_fft (first, ACC_FFT_FORWARD);
  y_spectrum = acc_array_fft (second, ACC_FFT_FORWARD);
  mixed = acc_array_zip_with (first, second, mix, NULL);
  for (gint64 i = 0; i < n; i++)
    x.values[i] = 2 * x.values[i] - 3 * y.values[i];
  transform (&x, 0, ACC_FFT_FORWARD);
  conf_run_everywhere ("linear/spectra", acc_array_zip_with (x_spectrum, y_spectrum, mix, NULL), compare,
                       &(Expectation) { &x, NULL, tolerance });
  conf_run_everywhere ("linear/signals", acc_array_fft (mixed, ACC_FFT_FORWARD), compare, &(Expectation) { &x, NULL, tolerance });
}

/* --- of real numbers */

static AccExpr *
is_positive (AccExpr *x, gpointer data)
{
  return acc_expr_gt (x, acc_expr_new_float (0));
}

/* The first @n elements of every row. */
static Signal
cut_rows (const Signal *self, gint64 n)
{
  Signal cut = *self;
  gint64 from = self->extents[self->rank - 1];

  cut.extents[self->rank - 1] = n;
  cut.size = from > 0 ? self->size / from * n : 0;
  cut.values = g_new (Complex, cut.size + 1);
  for (gint64 i = 0; i < cut.size; i++)
    cut.values[i] = self->values[i / n * from + i % n];

  return cut;
}

static AccExpr *
as_complex (AccExpr *x, gpointer data)
{
  AccElementType *type = acc_expr_get_element_type (x);

  return acc_expr_complex (x, acc_expr_new_typed_float (type, 0));
}

static AccArray *
numbers_of (AccArray *floats)
{
  g_autoptr(AccArray) owned = floats;

  return acc_array_map (owned, as_complex, NULL);
}

/* There, and back to as many, and to fewer, of which the spectrum is longer than it needs to be. */
static void
check_real (const char *code, const gint64 *extents, guint rank)
{
  gint64 n = extents[rank - 1];
  g_auto(Signal) signal = make_signal (code, extents, rank, n + rank), whole = cut_rows (&signal, n), some = { { 0, }, 0, 0, NULL };
  g_autoptr(AccArray) array = to_array (&signal, code);
  AccArray *spectrum = acc_array_rfft (array);
  long double tolerance = 2 * get_tolerance (&signal, code, n, 1);
  g_autofree char *there = g_strdup_printf ("rfft/%s/%u/%d", code, rank, (int) n),
    *back = g_strdup_printf ("irfft/%s/%u/%d", code, rank, (int) n);

  transform (&whole, rank - 1, ACC_FFT_FORWARD);
  some = cut_rows (&whole, n / 2 + 1);
  conf_run_everywhere (back, numbers_of (acc_array_irfft (spectrum, n)), compare, &(Expectation) { &signal, NULL, tolerance });
  conf_run_everywhere (there, spectrum, compare, &(Expectation) { &some, NULL, tolerance });
}

static void
test_real (gconstpointer data)
{
  static const gint64 lengths[] = { 1, 2, 3, 4, 6, 7, 34, 45, 64, 129, 206, 8192, 4095 };
  static const gint64 cube[] = { 3, 2, 26 };
  guint n = conf_is_thorough () ? G_N_ELEMENTS (lengths) : 5;

  for (guint i = 0; i < n; i++)
    if (lengths[i] < 1000)
      check_real (data, (gint64[]) { 2, lengths[i] }, 2);
    else if (is_double (data))
      check_real (data, &lengths[i], 1);
  check_real (data, cube, 3);
}

static void
test_real_by_hand (void)
{
  g_autoptr(AccArray) singles = CONF_FLOATS1 ("f4", 1, 2, 3, 4), halves = CONF_FLOATS1 ("f2", 1, 2, 3, 4),
    odd = CONF_FLOATS1 ("f8", 3, 0, 0);
  g_autoptr(AccArray) half_spectrum = acc_array_rfft (halves), spectrum = acc_array_rfft (singles),
    short_spectrum = acc_array_take (spectrum, 2);
  g_autoptr(AccArray) none = acc_array_take (singles, 0), rows = conf_floats ("f4", (gint64[]) { 0, 4 }, 2, NULL),
    scalar = acc_array_sum (singles);
  g_autoptr(AccArray) empty_rows = conf_floats ("f8", (gint64[]) { 2, 0 }, 2, NULL),
    kept = acc_array_filter (singles, is_positive, NULL, NULL);
  g_autoptr(AccArray) whole = CONF_INTS1 ("i4", 1, 2), pairs = acc_array_zip (singles, singles);
  AccArray *bad = acc_array_rfft (spectrum);

  g_assert_cmpstr (acc_element_type_get_code (acc_array_get_element_type (half_spectrum)), ==, "c4");
  CONF_EXPECT_FLOATS ("rfft/real", g_object_ref (spectrum), "[3]", 10, -2, -2);
  conf_expect_floats ("rfft/imag", g_object_ref (spectrum), "[3]", 1, 3, (double[]) { 0, 2, 0 });
  conf_expect_floats ("rfft/halves", g_object_ref (half_spectrum), "[3]", 1, 3, (double[]) { 0, 2, 0 });
  CONF_EXPECT_FLOATS ("rfft/odd", acc_array_rfft (odd), "[2]", 3, 3);
  CONF_EXPECT_FLOATS ("irfft/same", acc_array_irfft (spectrum, 4), "[4]", 1, 2, 3, 4);
  CONF_EXPECT_FLOATS ("irfft/halves", acc_array_irfft (half_spectrum, 4), "[4]", 1, 2, 3, 4);
  /* Of fewer than are there, 10 and -2 (the imaginary part of the last is not); of more, of 10, -2+2i, 0. */
  CONF_EXPECT_FLOATS ("irfft/fewer", acc_array_irfft (spectrum, 2), "[2]", 4, 6);
  CONF_EXPECT_FLOATS ("irfft/more", acc_array_irfft (short_spectrum, 4), "[4]", 1.5, 1.5, 3.5, 3.5);
  CONF_EXPECT_FLOATS ("irfft/one", acc_array_irfft (spectrum, 1), "[1]", 10);
  CONF_EXPECT_FLOATS ("irfft/floats", acc_array_irfft (singles, 2), "[2]", 1.5, -0.5);
  CONF_EXPECT_FLOATS ("rfft/none", acc_array_rfft (none), "[1]", 0);
  CONF_EXPECT_FLOATS ("rfft/empty-rows", acc_array_rfft (empty_rows), "[2,1]", 0, 0);
  conf_expect_floats ("rfft/no-rows", acc_array_rfft (rows), "[0,3]", 0, 0, NULL);
  conf_expect_floats ("irfft/no-rows", acc_array_irfft (rows, 5), "[0,5]", 0, 0, NULL);
  CONF_EXPECT_FLOATS ("irfft/empty-rows", acc_array_irfft (empty_rows, 1), "[2,1]", 0, 0);

  /* Loops are many kernels. */
  if (conf_is_thorough ())
    {
      CONF_EXPECT_FLOATS ("rfft/computed", acc_array_rfft (kept), "[3]", 10, -2, -2);
      CONF_EXPECT_FLOATS ("irfft/computed", acc_array_irfft (kept, 2), "[2]", 1.5, -0.5);
    }

  acc_array_set_label (bad, "twice");
  CONF_EXPECT_ERROR ("rfft/complex", bad, ACC_ERROR_TYPE, "rfft", "twice", "c8");
  CONF_EXPECT_ERROR ("rfft/integers", acc_array_rfft (whole), ACC_ERROR_TYPE, "rfft", "i4");
  CONF_EXPECT_ERROR ("rfft/pairs", acc_array_rfft (pairs), ACC_ERROR_TYPE, "rfft", "(f4,f4)");
  CONF_EXPECT_ERROR ("rfft/rank-0", acc_array_rfft (scalar), ACC_ERROR_SHAPE, "rfft", "rank 0");
  CONF_EXPECT_ERROR ("irfft/none", acc_array_irfft (spectrum, 0), ACC_ERROR_SHAPE, "irfft", "0 elements");
  CONF_EXPECT_ERROR ("irfft/fewer-than-none", acc_array_irfft (spectrum, -3), ACC_ERROR_SHAPE, "irfft", "-3 elements");
  CONF_EXPECT_ERROR ("irfft/integers", acc_array_irfft (whole, 2), ACC_ERROR_TYPE, "irfft", "i4");
  CONF_EXPECT_ERROR ("irfft/rank-0", acc_array_irfft (scalar, 2), ACC_ERROR_SHAPE, "irfft", "rank 0");
  CONF_EXPECT_ERROR ("irfft/large", acc_array_irfft (spectrum, ((gint64) 1 << 31) + 11), ACC_ERROR_UNSUPPORTED, "irfft", "2147483659");
}

/* Exact ones, by hand; and of every type there is. */
static void
test_types (void)
{
  g_autoptr(AccArray) singles = CONF_FLOATS1 ("f4", 1, 2, 3, 4), doubles = CONF_FLOATS1 ("f8", 1, 2, 3, 4),
    halves = CONF_FLOATS1 ("f2", 1, 2, 3, 4);
  AccArray *arrays[] = { singles, doubles, halves };
  const char *codes[] = { "c8", "c16", "c4" };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    {
      AccArray *spectrum = acc_array_fft (arrays[i], ACC_FFT_FORWARD);
      g_autoptr(AccArray) same = acc_array_fft (spectrum, ACC_FFT_INVERSE);

      g_assert_cmpstr (acc_element_type_get_code (acc_array_get_element_type (spectrum)), ==, codes[i]);
      g_assert_cmpstr (acc_element_type_get_code (acc_array_get_element_type (same)), ==, codes[i]);
      conf_expect_floats ("types/real", g_object_ref (spectrum), "[4]", 0, 4, (double[]) { 10, -2, -2, -2 });
      conf_expect_floats ("types/imag", spectrum, "[4]", 1, 4, (double[]) { 0, 2, 0, -2 });
      conf_expect_floats ("types/back", g_steal_pointer (&same), "[4]", 0, 4, (double[]) { 1, 2, 3, 4 });
    }
}

static void
test_shifts (void)
{
  g_autoptr(AccArray) odd = CONF_INTS1 ("u1", 0, 1, 2, 3, 4), even = CONF_INTS1 ("i8", 0, 1, 2, 3),
    matrix = CONF_INTS2 ("i4", 2, 3, 0, 1, 2, 3, 4, 5);
  g_autoptr(AccArray) none = acc_array_take (odd, 0), scalar = acc_array_sum (even), pairs = acc_array_zip (odd, odd),
    floats = CONF_FLOATS1 ("f8", -1, 0.5, 2, 3);
  g_autoptr(AccArray) kept = acc_array_filter (floats, is_positive, NULL, NULL), shifted = acc_array_fftshift (matrix),
    broken = acc_array_fft (odd, ACC_FFT_FORWARD);

  CONF_EXPECT_INTS ("fftshift/odd", acc_array_fftshift (odd), "[5]", 3, 4, 0, 1, 2);
  CONF_EXPECT_INTS ("ifftshift/odd", acc_array_ifftshift (odd), "[5]", 2, 3, 4, 0, 1);
  CONF_EXPECT_INTS ("fftshift/even", acc_array_fftshift (even), "[4]", 2, 3, 0, 1);
  CONF_EXPECT_INTS ("ifftshift/even", acc_array_ifftshift (even), "[4]", 2, 3, 0, 1);
  CONF_EXPECT_INTS ("fftshift/matrix", g_object_ref (shifted), "[2,3]", 5, 3, 4, 2, 0, 1);
  CONF_EXPECT_INTS ("ifftshift/matrix", acc_array_ifftshift (shifted), "[2,3]", 0, 1, 2, 3, 4, 5);
  CONF_EXPECT_INTS ("fftshift/scalar", acc_array_fftshift (scalar), "[]", 6);
  CONF_EXPECT_INTS ("fftshift/pairs", acc_array_fftshift (pairs), "[5]", 3, 4, 0, 1, 2);
  CONF_EXPECT_FLOATS ("fftshift/computed", acc_array_fftshift (kept), "[3]", 3, 0.5, 2);
  conf_expect_ints ("fftshift/nothing", acc_array_fftshift (none), "[0]", 0, 0, NULL);
  CONF_EXPECT_ERROR ("fftshift/of-broken", acc_array_fftshift (broken), ACC_ERROR_TYPE, "u1");
}

static void
test_mistakes (void)
{
  g_autoptr(AccArray) x = CONF_FLOATS1 ("f4", 1, 2, 3), whole = CONF_INTS1 ("i4", 1, 2), scalar = acc_array_sum (x),
    pairs = acc_array_zip (x, x);
  g_autoptr(AccArray) broken = acc_array_fft (whole, ACC_FFT_FORWARD);
  AccArray *bad = acc_array_fft2 (x, ACC_FFT_FORWARD);

  acc_array_set_label (bad, "spectrum");
  CONF_EXPECT_ERROR ("mistakes/fft2", bad, ACC_ERROR_SHAPE, "fft2", "rank 1", "spectrum");
  CONF_EXPECT_ERROR ("mistakes/fft3", acc_array_fft3 (x, ACC_FFT_FORWARD), ACC_ERROR_SHAPE, "fft3", "rank 1");
  CONF_EXPECT_ERROR ("mistakes/rank-0", acc_array_fft (scalar, ACC_FFT_FORWARD), ACC_ERROR_SHAPE, "fft", "rank 0");
  CONF_EXPECT_ERROR ("mistakes/dimension", acc_array_fft_on (x, 1, ACC_FFT_FORWARD), ACC_ERROR_SHAPE, "fft_on", "dimension 1");
  CONF_EXPECT_ERROR ("mistakes/far", acc_array_fft_on (x, -2, ACC_FFT_FORWARD), ACC_ERROR_SHAPE, "fft_on", "dimension -2");
  CONF_EXPECT_ERROR ("mistakes/integers", g_object_ref (broken), ACC_ERROR_TYPE, "fft", "i4");
  CONF_EXPECT_ERROR ("mistakes/pairs", acc_array_fft (pairs, ACC_FFT_FORWARD), ACC_ERROR_TYPE, "fft", "(f4,f4)");
  CONF_EXPECT_ERROR ("mistakes/of-broken", acc_array_fft2 (broken, ACC_FFT_FORWARD), ACC_ERROR_TYPE, "i4");
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  g_test_add_data_func ("/fft/lengths/c8", "c8", test_lengths);
  g_test_add_data_func ("/fft/long/c8", "c8", test_long);
  g_test_add_data_func ("/fft/ranks/f4", "f4", test_ranks);
  g_test_add_data_func ("/fft/columns/c8", "c8", test_columns);
  if (conf_is_thorough ())
    {
      g_test_add_data_func ("/fft/lengths/c16", "c16", test_lengths);
      g_test_add_data_func ("/fft/long/c16", "c16", test_long);
      g_test_add_data_func ("/fft/ranks/c16", "c16", test_ranks);
      g_test_add_data_func ("/fft/columns/c16", "c16", test_columns);
    }
  g_test_add_data_func ("/fft/real/f4", "f4", test_real);
  g_test_add_data_func ("/fft/real/f8", "f8", test_real);
  g_test_add_func ("/fft/real/by-hand", test_real_by_hand);
  g_test_add_func ("/fft/back", test_back);
  g_test_add_func ("/fft/linear", test_linear);
  g_test_add_func ("/fft/types", test_types);
  g_test_add_func ("/fft/shifts", test_shifts);
  g_test_add_func ("/fft/mistakes", test_mistakes);
  return conf_run ();
}
