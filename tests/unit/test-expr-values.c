/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc.h>

#include <float.h>
#include <math.h>
#include <string.h>

/* What expressions that are made of primitives compute, against the C library, on the interpreter. */

#define INT(value) acc_expr_new_int (value)

static AccBackend *backend;

static AccElementType *
type (const char *code)
{
  AccElementType *result = acc_element_type_parse (code, NULL);

  g_assert_nonnull (result);
  return result;
}

static AccArray *
use (const char    *code,
     gconstpointer  data,
     gsize          n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (data, n * acc_element_type_get_size (type (code)));

  return acc_array_use (type (code), shape, bytes);
}

/* Takes over @array. */
static AccArray *
run (AccArray *array)
{
  g_autoptr(AccArray) owned = array;
  g_autoptr(GError) error = NULL;
  AccArray *result = acc_backend_run (backend, array, NULL, &error);

  g_assert_no_error (error);
  return result;
}

typedef AccExpr *(*Function)  (AccExpr *);
typedef AccExpr *(*Function2) (AccExpr *, AccExpr *);

static AccExpr *call (AccExpr *x, gpointer data) { return ((Function) data) (x); }
static AccExpr *call2 (AccExpr *x, AccExpr *y, gpointer data) { return ((Function2) data) (x, y); }

static AccArray *
map (const char    *code,
     gconstpointer  data,
     gsize          n,
     Function       function)
{
  g_autoptr(AccArray) array = use (code, data, n);

  return run (acc_array_map (array, call, function));
}

static AccArray *
zip (const char    *code,
     gconstpointer  data,
     const char    *other_code,
     gconstpointer  other,
     gsize          n,
     Function2      function)
{
  g_autoptr(AccArray) a = use (code, data, n);
  g_autoptr(AccArray) b = use (other_code, other, n);

  return run (acc_array_zip_with (a, b, call2, function));
}

static guint64
random_bits (void)
{
  return (guint64) (guint32) g_test_rand_int () << 32 | (guint32) g_test_rand_int ();
}

static double
from_bits (guint64 bits)
{
  double value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* Of any class, about as often. */
static double
random_double (void)
{
  guint64 bits = random_bits ();

  switch (g_test_rand_int_range (0, 8))
    {
    case 0: /* subnormal */
      return from_bits ((bits & G_GUINT64_CONSTANT (0x800fffffffffffff)));
    case 1: /* subnormal of few bits */
      return copysign (from_bits ((bits & G_GUINT64_CONSTANT (0xfffffffffffff)) >> g_test_rand_int_range (0, 52)), (gint64) bits);
    case 2: /* near the least normal number */
      return from_bits ((bits & G_GUINT64_CONSTANT (0x803fffffffffffff)));
    case 3:
      return copysign (g_test_rand_bit () ? INFINITY : g_test_rand_bit () ? NAN : 0.0, (gint64) bits);
    case 4:
      return g_test_rand_int_range (-1000, 1000);
    default:
      return from_bits (bits);
    }
}

static float
random_float (void)
{
  guint32 bits = g_test_rand_int ();
  float value;

  if (g_test_rand_int_range (0, 4) == 0)
    bits &= 0x80ffffff;
  memcpy (&value, &bits, sizeof value);
  return value;
}

static gboolean
same (double a,
      double b)
{
  return isnan (a) ? isnan (b) : a == b && !signbit (a) == !signbit (b);
}

/* Value and the format of its type: precision, number of values. */
typedef struct {
  const char *code;
  int         precision;
  gsize       n;
  gpointer    data;
  double     *values;
} Samples;

static Samples
make_samples (const char *code)
{
  Samples s = { .code = code, .n = 40000 };

  if (strcmp (code, "f2") == 0)
    {
      guint16 *halves = g_new (guint16, 65536);

      s.n = 65536;
      s.precision = 11;
      s.values = g_new (double, s.n);
      for (guint i = 0; i < s.n; i++)
        {
          guint magnitude = i & 0x7fff;

          halves[i] = i;
          s.values[i] = magnitude > 0x7c00 ? NAN : magnitude == 0x7c00 ? INFINITY
            : magnitude < 0x400 ? ldexp (magnitude, -24) : ldexp (1024 + (magnitude & 1023), (int) (magnitude >> 10) - 25);
          s.values[i] = copysign (s.values[i], i & 0x8000 ? -1 : 1);
        }
      s.data = halves;
      return s;
    }

  s.values = g_new (double, s.n);
  if (strcmp (code, "f4") == 0)
    {
      float *floats = g_new (float, s.n);

      s.precision = 24;
      for (gsize i = 0; i < s.n; i++)
        s.values[i] = floats[i] = random_float ();
      s.data = floats;
      return s;
    }

  s.precision = 53;
  for (gsize i = 0; i < s.n; i++)
    s.values[i] = random_double ();
  s.data = g_memdup2 (s.values, s.n * sizeof (double));
  return s;
}

static void
free_samples (Samples *s)
{
  g_free (s->data);
  g_free (s->values);
}

static const char *const formats[] = { "f2", "f4", "f8" };

static AccExpr *
decode_and_encode (AccExpr *x)
{
  AccExpr *decoded = acc_expr_decode_float (x);

  return acc_expr_tuple2 (decoded, acc_expr_encode_float (acc_expr_item (decoded, 0), acc_expr_item (decoded, 1)));
}

static void
test_decode (void)
{
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    {
      Samples s = make_samples (formats[f]);
      g_autoptr(AccArray) decoded = map (s.code, s.data, s.n, decode_and_encode);

      for (gsize i = 0; i < s.n; i++)
        {
          gint64 m = acc_array_get_int (decoded, 0, i), e = acc_array_get_int (decoded, 1, i);
          int exponent;

          if (!isfinite (s.values[i]))
            continue;
          frexp (s.values[i], &exponent);
          if (s.values[i] == 0)
            g_assert_true (m == 0 && e == 0);
          else
            {
              g_assert_cmpint (e, ==, exponent - s.precision);
              g_assert_true ((double) m == ldexp (frexp (s.values[i], &exponent), s.precision));
            }
          g_assert_true (acc_array_get_double (decoded, 2, i) == s.values[i]);
        }
      free_samples (&s);
    }
}

static AccExpr *
parts (AccExpr *x)
{
  AccExpr *items[] = {
    acc_expr_exponent (x), acc_expr_significand (x), acc_expr_is_denormalized (x), acc_expr_is_negative_zero (x),
    acc_expr_copy_sign (acc_expr_new_float (3), x),
  };

  return acc_expr_tuple (items, G_N_ELEMENTS (items));
}

static void
test_parts (void)
{
  static const double least_normal[] = { 0x1p-14, 0x1p-126, 0x1p-1022 };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    {
      Samples s = make_samples (formats[f]);
      g_autoptr(AccArray) result = map (s.code, s.data, s.n, parts);

      for (gsize i = 0; i < s.n; i++)
        {
          double x = s.values[i];
          int exponent;
          double significand = frexp (x, &exponent);

          if (isfinite (x))
            g_assert_cmpint (acc_array_get_int (result, 0, i), ==, x == 0 ? 0 : exponent);
          g_assert_true (same (acc_array_get_double (result, 1, i), significand));
          g_assert_cmpint (acc_array_get_int (result, 2, i), ==, x != 0 && fabs (x) < least_normal[f]);
          g_assert_cmpint (acc_array_get_int (result, 3, i), ==, x == 0 && signbit (x));
          g_assert_true (acc_array_get_double (result, 4, i) == copysign (3, x));
        }
      free_samples (&s);
    }
}

static AccExpr *scale (AccExpr *x, AccExpr *k) { return acc_expr_scale_float (k, x); }

static double
round_half (double value)
{
  int exponent;
  double quantum;

  if (value == 0 || !isfinite (value))
    return value;
  frexp (value, &exponent);
  quantum = ldexp (1, MAX (exponent - 11, -24));
  value = rint (value / quantum) * quantum;
  return fabs (value) > 65504 ? copysign (INFINITY, value) : value;
}

static void
test_scale (void)
{
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    {
      Samples s = make_samples (formats[f]);
      int reach = f == 0 ? 60 : f == 1 ? 320 : 2300;
      g_autofree gint64 *powers = g_new (gint64, s.n);

      for (gsize i = 0; i < s.n; i++)
        powers[i] = i % 50 == 0 ? (gint64) random_bits () : g_test_rand_int_range (-reach, reach);
      powers[0] = G_MININT64;
      powers[1] = G_MAXINT64;

      g_autoptr(AccArray) result = zip (s.code, s.data, "i8", powers, s.n, scale);

      for (gsize i = 0; i < s.n; i++)
        {
          double expected = ldexp (s.values[i], CLAMP (powers[i], -10000, 10000));

          if (f == 0)
            expected = round_half (expected);
          else if (f == 1)
            expected = (float) expected;
          g_assert_true (same (acc_array_get_double (result, 0, i), expected));
        }
      free_samples (&s);
    }
}

static void
test_encode (void)
{
  const gsize n = 100000;
  g_autofree gint64 *m = g_new (gint64, n);
  g_autofree gint64 *e = g_new (gint64, n);

  if (LDBL_MANT_DIG < 64)
    {
      g_test_skip ("long double is too short to judge");
      return;
    }

  for (gsize i = 0; i < n; i++)
    {
      m[i] = (gint64) random_bits () >> g_test_rand_int_range (0, 64);
      e[i] = i % 2 ? g_test_rand_int_range (-1150, -1000) : g_test_rand_int_range (-1200, 1100);
      if (i % 16 == 1) /* ties */
        m[i] = m[i] / 4096 * 4096 + 2048;
    }
  m[0] = G_MININT64, e[0] = -1138;  /* half of the least subnormal number: to even */
  m[1] = G_MININT64, e[1] = -1137;
  m[2] = G_MININT64 + 1, e[2] = -1138;
  m[3] = 5, e[3] = G_MININT64;
  m[4] = 5, e[4] = G_MAXINT64;
  m[5] = 0, e[5] = G_MAXINT64;

  g_autoptr(AccArray) result = zip ("i8", m, "i8", e, n, acc_expr_encode_float);
  for (gsize i = 0; i < n; i++)
    g_assert_true (acc_array_get_double (result, 0, i) == (double) ldexpl ((long double) m[i], CLAMP (e[i], -10000, 10000)));
}

static AccExpr *
compare_all (AccExpr *x,
             AccExpr *y)
{
  AccExpr *items[] = {
    acc_expr_lt (x, y), acc_expr_le (x, y), acc_expr_gt (x, y), acc_expr_ge (x, y), acc_expr_eq (x, y), acc_expr_ne (x, y),
    acc_expr_compare (x, y), acc_expr_min (x, y), acc_expr_max (x, y),
  };

  return acc_expr_tuple (items, G_N_ELEMENTS (items));
}

static AccExpr *
compare_triples (AccExpr *x,
                 AccExpr *y)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (acc_expr_tuple2 (acc_expr_item (x, 0),
                                                             acc_expr_tuple2 (acc_expr_item (x, 1), acc_expr_item (x, 2))));
  g_autoptr(AccExpr) b = acc_expr_ref_sink (acc_expr_tuple2 (acc_expr_item (y, 0),
                                                             acc_expr_tuple2 (acc_expr_item (y, 1), acc_expr_item (y, 2))));

  return compare_all (a, b);
}

static AccArray *
use_triples (const gint8 *values,
             gsize        n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  GBytes *leaves[3];
  AccArray *array;

  for (guint k = 0; k < 3; k++)
    leaves[k] = g_bytes_new (values + k * n, n);
  array = acc_array_use_buffers (type ("(i1,i1,i1)"), shape, leaves, 3);
  for (guint k = 0; k < 3; k++)
    g_bytes_unref (leaves[k]);
  return array;
}

static void
test_tuples (void)
{
  enum { N = 729 };
  gint8 x[3 * N], y[3 * N];

  for (guint i = 0; i < N; i++)
    for (guint k = 0, rest = i; k < 3; k++)
      {
        x[k * N + i] = rest % 3;
        y[k * N + i] = rest / 3 % 3;
        rest /= 9;
      }

  g_autoptr(AccArray) a = use_triples (x, N);
  g_autoptr(AccArray) b = use_triples (y, N);
  g_autoptr(AccArray) result = run (acc_array_zip_with (a, b, call2, compare_triples));

  for (guint i = 0; i < N; i++)
    {
      int order = 0;

      for (guint k = 0; k < 3 && order == 0; k++)
        order = (x[k * N + i] > y[k * N + i]) - (x[k * N + i] < y[k * N + i]);

      const int expected[] = { order < 0, order <= 0, order > 0, order >= 0, order == 0, order != 0, order };
      for (guint k = 0; k < G_N_ELEMENTS (expected); k++)
        g_assert_cmpint (acc_array_get_int (result, k, i), ==, expected[k]);
      for (guint k = 0; k < 3; k++)
        {
          g_assert_cmpint (acc_array_get_int (result, 7 + k, i), ==, order <= 0 ? x[k * N + i] : y[k * N + i]);
          g_assert_cmpint (acc_array_get_int (result, 10 + k, i), ==, order >= 0 ? x[k * N + i] : y[k * N + i]);
        }
    }
}

static AccExpr *unit_order (AccExpr *x) { return compare_all (acc_expr_tuple (NULL, 0), acc_expr_tuple (NULL, 0)); }

static void
test_unit (void)
{
  static const int expected[] = { 0, 1, 0, 1, 1, 0, 0 };
  g_autoptr(AccArray) result = map ("u1", "", 1, unit_order);

  for (guint k = 0; k < G_N_ELEMENTS (expected); k++)
    g_assert_cmpint (acc_array_get_int (result, k, 0), ==, expected[k]);
}

static void
test_gcd (void)
{
  enum { N = 65536 };
  g_autofree gint8 *a = g_new (gint8, N);
  g_autofree gint8 *b = g_new (gint8, N);

  for (guint i = 0; i < N; i++)
    {
      a[i] = i >> 8;
      b[i] = i;
    }

  g_autoptr(AccArray) divisors = zip ("i1", a, "i1", b, N, acc_expr_gcd);
  g_autoptr(AccArray) multiples = zip ("i1", a, "i1", b, N, acc_expr_lcm);
  for (guint i = 0; i < N; i++)
    {
      int x = abs (a[i]), y = abs (b[i]);

      while (y != 0)
        {
          int rest = x % y;
          x = y;
          y = rest;
        }
      g_assert_cmpint (acc_array_get_int (divisors, 0, i), ==, (gint8) x);
      if (a[i] != G_MININT8 && b[i] != G_MININT8)
        g_assert_cmpint ((guint8) abs ((gint8) acc_array_get_int (multiples, 0, i)), ==,
                         a[i] == 0 || b[i] == 0 ? 0 : (guint8) abs ((gint8) (a[i] / x * b[i])));
    }
}

static void
test_int_pow (void)
{
  enum { N = 256 * 64 };
  g_autofree gint8 *base = g_new (gint8, N);
  g_autofree guint8 *unsigned_base = g_new (guint8, N);
  g_autofree double *float_base = g_new (double, N);
  g_autofree gint16 *k = g_new (gint16, N);

  for (int i = 0; i < N; i++)
    {
      base[i] = i >> 6;
      unsigned_base[i] = base[i];
      float_base[i] = base[i];
      k[i] = i % 64 - 20;
    }

  g_autoptr(AccArray) powers = zip ("i1", base, "i2", k, N, acc_expr_int_pow);
  g_autoptr(AccArray) unsigned_powers = zip ("u1", unsigned_base, "i2", k, N, acc_expr_int_pow);
  g_autoptr(AccArray) float_powers = zip ("f8", float_base, "i2", k, N, acc_expr_int_pow);
  for (int i = 0; i < N; i++)
    {
      gint8 expected = 1;

      for (int n = 0; n < k[i]; n++)
        expected = (gint8) (guint8) ((guint) expected * (guint) base[i]);
      if (k[i] < 0)
        expected = base[i] == 1 ? 1 : base[i] == -1 ? (k[i] % 2 ? -1 : 1) : 0;
      g_assert_cmpint (acc_array_get_int (powers, 0, i), ==, expected);
      if (k[i] < 0)
        expected = unsigned_base[i] == 1;
      g_assert_cmpint (acc_array_get_int (unsigned_powers, 0, i), ==, (guint8) expected);

      double power = pow (float_base[i], k[i]), got = acc_array_get_double (float_powers, 0, i);
      g_assert_true (isinf (power) ? got == power : fabs (got - power) <= 1e-13 * fabs (power));
    }
}

static AccExpr *huge_power (AccExpr *x) { return acc_expr_int_pow (x, acc_expr_new_typed_uint (type ("u8"), G_MAXUINT64)); }
static AccExpr *least_power (AccExpr *x) { return acc_expr_int_pow (x, INT (G_MININT64)); }

static void
test_extreme_powers (void)
{
  const gint8 base[] = { -1, 0, 1, 2, 3 };
  const gint8 huge[] = { -1, 0, 1, 0, (gint8) 171 };  /* 3^-1 modulo 256 */
  const gint8 least[] = { 1, 0, 1, 0, 0 };
  g_autoptr(AccArray) a = map ("i1", base, 5, huge_power);
  g_autoptr(AccArray) b = map ("i1", base, 5, least_power);

  for (guint i = 0; i < 5; i++)
    {
      g_assert_cmpint (acc_array_get_int (a, 0, i), ==, huge[i]);
      g_assert_cmpint (acc_array_get_int (b, 0, i), ==, least[i]);
    }
}

static AccExpr *
bits (AccExpr *x,
      AccExpr *i)
{
  AccExpr *items[] = {
    acc_expr_test_bit (x, i), acc_expr_set_bit (x, i), acc_expr_clear_bit (x, i), acc_expr_complement_bit (x, i),
    acc_expr_even (x), acc_expr_odd (x), acc_expr_succ (x), acc_expr_pred (x),
  };

  return acc_expr_tuple (items, G_N_ELEMENTS (items));
}

static void
test_bits (void)
{
  enum { N = 256 * 14 };
  guint8 x[N];
  gint8 at[N];

  for (guint i = 0; i < N; i++)
    {
      x[i] = i;
      at[i] = (int) (i >> 8) - 3;
    }

  g_autoptr(AccArray) result = zip ("u1", x, "i1", at, N, bits);
  for (guint i = 0; i < N; i++)
    {
      guint8 bit = at[i] >= 0 && at[i] < 8 ? 1 << at[i] : 0;
      const guint8 expected[] = { (x[i] & bit) != 0, x[i] | bit, x[i] & ~bit, x[i] ^ bit, !(x[i] & 1), x[i] & 1, x[i] + 1, x[i] - 1 };

      for (guint k = 0; k < G_N_ELEMENTS (expected); k++)
        g_assert_cmpint (acc_array_get_int (result, k, i), ==, expected[k]);
    }
}

static AccExpr *
floored (AccExpr *x,
         AccExpr *y)
{
  return acc_expr_tuple2 (acc_expr_div_float (x, y), acc_expr_mod_float (x, y));
}

/* Against C's fmod, for floats of any size. Where q is an integer of the format, x - q y rounded once is the remainder. */
static void
test_floored (void)
{
  static const double largest[] = { 65504, 0x1.fffffep127, G_MAXDOUBLE };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    {
      Samples a = make_samples (formats[f]);
      gsize size = f == 0 ? 2 : f == 1 ? 4 : 8;
      g_autofree guint8 *others = g_malloc (a.n * size);
      g_autofree gsize *at = g_new (gsize, a.n);

      /* Half of the divisors near the dividend. */
      for (gsize i = 0; i < a.n; i++)
        {
          at[i] = i % 2 != 0 ? (gsize) g_test_rand_int_range (0, (gint32) a.n) : (i * 7 + 3) % a.n;
          memcpy (others + i * size, (guint8 *) a.data + at[i] * size, size);
        }

      g_autoptr(AccArray) result = zip (a.code, a.data, a.code, others, a.n, floored);
      for (gsize i = 0; i < a.n; i++)
        {
          double x = a.values[i], y = a.values[at[i]], rest = fmod (x, y);
          double q = acc_array_get_double (result, 0, i), r = acc_array_get_double (result, 1, i);

          if (rest == 0)
            rest = copysign (0, y);
          else if ((rest < 0) != (y < 0))
            rest = f == 0 ? round_half (rest + y) : f == 1 ? (float) (rest + y) : rest + y;
          g_assert_true (same (r, rest));

          if (isnan (x) || isnan (y) || isinf (x))
            g_assert_true (isnan (q));
          else if (y == 0)
            g_assert_true (same (q, x / y));
          else if (isinf (y))
            g_assert_true (same (q, x != 0 && (x < 0) != (y < 0) ? -1 : x / y));
          else if (fabs (q) < ldexp (1, a.precision))
            g_assert_true (q == floor (q)
                           && (f == 0 ? round_half (fma (-q, y, x)) : f == 1 ? (float) fma (-q, y, x) : fma (-q, y, x)) == rest);
          else
            g_assert_true (isinf (q) ? fabs (x / y) >= largest[f] : fabs (q - x / y) <= ldexp (fabs (q), 1 - a.precision));
        }
      free_samples (&a);
    }
}

static AccExpr *
there_and_back (AccExpr *i)
{
  AccExpr *shape = acc_expr_tuple3 (INT (3), INT (4), INT (5));
  AccExpr *index = acc_expr_from_linear (shape, i);

  return acc_expr_tuple4 (index, acc_expr_to_linear (shape, index), acc_expr_from_linear (INT (7), i),
                          acc_expr_to_linear (acc_expr_tuple (NULL, 0), acc_expr_tuple (NULL, 0)));
}

static void
test_linear (void)
{
  gint32 positions[75];

  for (guint i = 0; i < 75; i++)
    positions[i] = i;

  g_autoptr(AccArray) result = map ("i4", positions, 75, there_and_back);
  for (guint i = 0; i < 75; i++)
    {
      g_assert_cmpint (acc_array_get_int (result, 0, i), ==, i / 20);
      g_assert_cmpint (acc_array_get_int (result, 1, i), ==, i / 5 % 4);
      g_assert_cmpint (acc_array_get_int (result, 2, i), ==, i % 5);
      g_assert_cmpint (acc_array_get_int (result, 3, i), ==, i);
      g_assert_cmpint (acc_array_get_int (result, 4, i), ==, i);
      g_assert_cmpint (acc_array_get_int (result, 5, i), ==, 0);
    }
}

static AccExpr *
digits (AccExpr *x,
        AccExpr *y,
        gpointer data)
{
  return acc_expr_add (acc_expr_mul (x, INT (10)), acc_expr_cast (y, type ("i8")));
}

static AccExpr *
fold_rows (AccExpr *row,
           gpointer data)
{
  return acc_expr_fold_row (data, row, acc_expr_new_typed_int (type ("i8"), 9), digits, NULL);
}

static AccExpr *double_it (AccExpr *x, gpointer data) { return acc_expr_mul (x, INT (2)); }
static AccExpr *times_two_to_n (AccExpr *n) { return acc_expr_iterate (n, INT (3), double_it, NULL); }

/* Reads outside are never evaluated. */
static AccExpr *
guarded (AccExpr *i,
         gpointer data)
{
  AccExpr *inside = acc_expr_and_then (acc_expr_ge (i, INT (0)), acc_expr_lt (i, acc_expr_extent (data, 0)));
  AccExpr *big = acc_expr_gt (acc_expr_index (data, i), INT (1));

  return acc_expr_tuple3 (acc_expr_and_then (inside, big), acc_expr_or_else (acc_expr_lnot (inside), big),
                          acc_expr_cond (inside, acc_expr_index (data, i), INT (77)));
}

static void
test_flow (void)
{
  const gint8 counts[] = { -1, 0, 1, 5 };
  const gint32 values[] = { 1, 2, 3, 4, 5, 6 };
  const gint64 indices[] = { -5, 0, 5, 6 };
  g_autoptr(AccArray) vector = use ("i4", values, 6);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (2, 3);
  g_autoptr(AccShape) rows = acc_shape_new_vector (2);
  g_autoptr(AccArray) matrix = acc_array_reshape (vector, shape);
  g_autoptr(AccArray) folded = run (acc_array_generate (rows, fold_rows, matrix));
  g_autoptr(AccArray) iterated = map ("i1", counts, 4, times_two_to_n);
  g_autoptr(AccArray) where = use ("i8", indices, 4);
  g_autoptr(AccArray) found = run (acc_array_map (where, guarded, vector));

  g_assert_cmpint (acc_array_get_int (folded, 0, 0), ==, 9123);
  g_assert_cmpint (acc_array_get_int (folded, 0, 1), ==, 9456);

  g_assert_cmpint (acc_array_get_int (iterated, 0, 0), ==, 3);
  g_assert_cmpint (acc_array_get_int (iterated, 0, 1), ==, 3);
  g_assert_cmpint (acc_array_get_int (iterated, 0, 2), ==, 6);
  g_assert_cmpint (acc_array_get_int (iterated, 0, 3), ==, 96);

  for (guint i = 0; i < 4; i++)
    {
      gboolean inside = indices[i] >= 0 && indices[i] < 6;

      g_assert_cmpint (acc_array_get_int (found, 0, i), ==, inside && values[indices[i]] > 1);
      g_assert_cmpint (acc_array_get_int (found, 1, i), ==, !inside || values[indices[i]] > 1);
      g_assert_cmpint (acc_array_get_int (found, 2, i), ==, inside ? values[indices[i]] : 77);
    }
}

static AccExpr *
weak_choices (AccExpr *x)
{
  g_autoptr(AccExpr) positive = acc_expr_ref_sink (acc_expr_gt (x, INT (0)));
  AccExpr *sign = acc_expr_cond (positive, INT (1), acc_expr_cond (acc_expr_lt (x, INT (0)), INT (-1), acc_expr_new_float (0.5)));

  return acc_expr_tuple2 (acc_expr_mul (x, sign), acc_expr_cast (acc_expr_new_int (300), type ("u1")));
}

static void
test_weak (void)
{
  const float x[] = { -2.5, 0, 4 };
  g_autoptr(AccArray) result = map ("f4", x, 3, weak_choices);

  g_assert_true (acc_array_get_double (result, 0, 0) == 2.5);
  g_assert_true (acc_array_get_double (result, 0, 1) == 0);
  g_assert_true (acc_array_get_double (result, 0, 2) == 4);
  g_assert_cmpint (acc_array_get_int (result, 1, 0), ==, 44);
}

int
main (int    argc,
      char **argv)
{
  g_autoptr(GError) error = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  backend = acc_backend_new_for_name ("interpreter", &error);
  g_assert_no_error (error);

  g_test_add_func ("/expr-values/decode", test_decode);
  g_test_add_func ("/expr-values/parts", test_parts);
  g_test_add_func ("/expr-values/scale", test_scale);
  g_test_add_func ("/expr-values/encode", test_encode);
  g_test_add_func ("/expr-values/tuples", test_tuples);
  g_test_add_func ("/expr-values/unit", test_unit);
  g_test_add_func ("/expr-values/gcd", test_gcd);
  g_test_add_func ("/expr-values/int-pow", test_int_pow);
  g_test_add_func ("/expr-values/extreme-powers", test_extreme_powers);
  g_test_add_func ("/expr-values/bits", test_bits);
  g_test_add_func ("/expr-values/floored", test_floored);
  g_test_add_func ("/expr-values/linear", test_linear);
  g_test_add_func ("/expr-values/flow", test_flow);
  g_test_add_func ("/expr-values/weak", test_weak);
  status = g_test_run ();
  g_object_unref (backend);
  return status;
}
