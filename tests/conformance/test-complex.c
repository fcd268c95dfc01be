/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Complex numbers against C99's, computed in long double. What is said of precision is of the number as a whole: the distance
 * from the right one, in units of its magnitude. */

typedef long double complex Complex;

static Complex
recip (Complex z)
{
  return 1 / z;
}

static Complex
negate (Complex z)
{
  return -z;
}

static Complex
magnitude (Complex z)
{
  return cabsl (z);
}

static Complex
signum (Complex z)
{
  return z == 0 ? z : z / cabsl (z);
}

static Complex
add (Complex z, Complex w)
{
  return z + w;
}

static Complex
subtract (Complex z, Complex w)
{
  return z - w;
}

static Complex
multiply (Complex z, Complex w)
{
  return z * w;
}

static Complex
divide (Complex z, Complex w)
{
  return z / w;
}

static Complex
logarithm (Complex base, Complex z)
{
  return clogl (z) / clogl (base);
}

/* @error: in units of the last place of the component type; @distance: may be as far away in any case, of values near 0 that
 * come from values near 1. */
static const struct {
  const char *name;
  ConfUnary   function;
  Complex   (*reference) (Complex z);
  double      error;
  gboolean    by_distance;
} unary[] = {
  { "neg", acc_expr_neg, negate, 0 },
  { "conjugate", acc_expr_conjugate, conjl, 0 },
  { "abs", acc_expr_abs, magnitude, 4 },
  { "signum", acc_expr_signum, signum, 8 },
  { "recip", acc_expr_recip, recip, 8 },
  { "sqrt", acc_expr_sqrt, csqrtl, 8 },
  { "exp", acc_expr_exp, cexpl, 16 },
  { "log", acc_expr_log, clogl, 8, TRUE },
  { "sin", acc_expr_sin, csinl, 16 },
  { "cos", acc_expr_cos, ccosl, 16 },
  { "tan", acc_expr_tan, ctanl, 40 },
  { "sinh", acc_expr_sinh, csinhl, 16 },
  { "cosh", acc_expr_cosh, ccoshl, 16 },
  { "tanh", acc_expr_tanh, ctanhl, 40 },
  { "asin", acc_expr_asin, casinl, 24, TRUE },
  { "acos", acc_expr_acos, cacosl, 24, TRUE },
  { "atan", acc_expr_atan, catanl, 24, TRUE },
  { "asinh", acc_expr_asinh, casinhl, 24, TRUE },
  { "acosh", acc_expr_acosh, cacoshl, 24, TRUE },
  { "atanh", acc_expr_atanh, catanhl, 24, TRUE },
};

static const struct {
  const char *name;
  ConfBinary  function;
  Complex   (*reference) (Complex z, Complex w);
  double      error;
  gboolean    by_distance;
} binary[] = {
  { "add", acc_expr_add, add, 1 },
  { "sub", acc_expr_sub, subtract, 1 },
  { "mul", acc_expr_mul, multiply, 4 },
  { "fdiv", acc_expr_fdiv, divide, 12 },
  { "pow", acc_expr_pow, cpowl, 0 },
  { "logbase", acc_expr_logbase, logarithm, 0 },
};

/* --- values of a type */

typedef struct {
  const char *code, *component;
  double      epsilon, largest, smallest;
} Precision;

static const Precision precisions[] = {
  { "c4", "f2", 0x1p-11, 65504, 0x1p-14 },
  { "c8", "f4", 0x1p-24, FLT_MAX, FLT_MIN },
  { "c16", "f8", 0x1p-53, DBL_MAX, DBL_MIN },
};

/* c8 alone where time is short. */
static gboolean
is_wanted (guint precision)
{
  return conf_is_thorough () || precision == 1;
}

/* @n pairs of parts, as they lie in memory. */
static AccArray *
numbers (const Precision *p, const double *parts, guint n)
{
  g_autoptr(AccArray) flat = conf_floats (p->component, (gint64[]) { 2 * (gint64) n }, 1, parts);
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (flat, 0, NULL);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  return acc_array_use (conf_type (p->code), shape, bytes);
}

static Complex
nth (AccArray *array, gint64 i)
{
  return CMPLXL (acc_array_get_double (array, 0, i), acc_array_get_double (array, 1, i));
}

static AccArray *
finite_numbers (const Precision *p, GRand *rand)
{
  static const double parts[] = { 0, -0.0, 1, -1, 0.5, -0.5, 2, 3, -7.25, 0.001, -0.03125, 15, -40 };
  g_autoptr(GArray) all = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
      {
        g_array_append_val (all, parts[i]);
        g_array_append_val (all, parts[k]);
      }
  for (guint i = 0; i < 600; i++)
    {
      double x = g_rand_double_range (rand, -10, 10) * pow (2, g_rand_int_range (rand, -9, 3));

      g_array_append_val (all, x);
    }
  return numbers (p, (double *) all->data, all->len / 2);
}

/* Everywhere that @make may run. */
static void
check (const char *name, const Precision *p, AccArray *made, AccArray *z, AccArray *w, gpointer reference, double error,
       gboolean by_distance)
{
  for (guint b = 0; b <= conf_n_backends (); b++)
    {
      AccBackend *backend = b == 0 ? conf_interpreter () : conf_backend (b - 1);
      g_autoptr(GError) failure = NULL;
      g_autoptr(AccArray) got = acc_backend_run (backend, made, NULL, &failure);
      gint64 n_wrong = 0;

      if (got == NULL)
        {
          conf_fail (acc_backend_get_name (backend), name, "%s", failure->message);
          continue;
        }
      for (gint64 i = 0; i < acc_shape_get_size (acc_array_get_shape (z)); i++)
        {
          Complex a = nth (z, i), c = w != NULL ? nth (w, i) : 0;
          Complex wanted = w != NULL ? ((Complex (*) (Complex, Complex)) reference) (a, c) : ((Complex (*) (Complex)) reference) (a);
          Complex g = nth (got, i);
          long double size = cabsl (wanted), allowed = (by_distance ? MAX (size, 1) : size) * error * p->epsilon + p->smallest * error;

          /* What overflows, or is at a pole, is not a number to be compared with. */
          if (!isfinite (creall (wanted)) || !isfinite (cimagl (wanted)) || size > p->largest / 4)
            continue;
          if (!(cabsl (g - wanted) <= allowed) && n_wrong++ == 0)
            conf_fail (acc_backend_get_name (backend), name, "of %a%+ai and %a%+ai is %a%+ai, not %a%+ai: %g units", (double) creall (a),
                       (double) cimagl (a), (double) creall (c), (double) cimagl (c), (double) creall (g), (double) cimagl (g),
                       (double) creall (wanted), (double) cimagl (wanted), (double) (cabsl (g - wanted) / size / p->epsilon));
        }
      if (n_wrong == 0)
        conf_pass (acc_backend_get_name (backend), name);
    }
}

static void
test_unary (gconstpointer data)
{
  guint u = GPOINTER_TO_UINT (data);

  for (guint t = 0; t < G_N_ELEMENTS (precisions); t++)
    {
      const Precision *p = &precisions[t];
      g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed () + u);
      g_autofree char *name = g_strdup_printf ("complex/%s/%s", unary[u].name, p->code);
      g_autoptr(AccArray) z = finite_numbers (p, rand);
      g_autoptr(AccArray) made = acc_array_map (z, conf_call1, unary[u].function);

      if (is_wanted (t))
        check (name, p, made, z, NULL, unary[u].reference, unary[u].error, unary[u].by_distance);
    }
}

static void
test_binary (gconstpointer data)
{
  guint u = GPOINTER_TO_UINT (data);

  for (guint t = 0; t < G_N_ELEMENTS (precisions); t++)
    {
      const Precision *p = &precisions[t];
      g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed () + u);
      g_autofree char *name = g_strdup_printf ("complex/%s/%s", binary[u].name, p->code);
      g_autoptr(AccArray) z = finite_numbers (p, rand);
      g_autoptr(AccArray) turned = acc_array_reverse (z);
      g_autoptr(AccArray) w = acc_backend_run (conf_interpreter (), turned, NULL, NULL);
      g_autoptr(AccArray) made = acc_array_zip_with (z, w, conf_call2, binary[u].function);
      /* The exponent multiplies the error of the logarithm, which logbase divides by: near 1 there is none to speak of. */
      double error = binary[u].error > 0 ? binary[u].error : strcmp (binary[u].name, "pow") == 0 ? 3000 : 6000;

      if (is_wanted (t))
        check (name, p, made, z, w, binary[u].reference, error, binary[u].error == 0 && strcmp (binary[u].name, "pow") != 0);
    }
}

/* --- the ends of the range, signs of zero, and what is no number */

typedef struct {
  ConfUnary function;
  double    z[2], wanted[2];
} Special;

static void
test_special (void)
{
  const double inf = INFINITY, nan = NAN, big = 0x1p1020, tiny = 0x1p-1070;
  const Special cases[] = {
    { acc_expr_sqrt, { 0, 0 }, { 0, 0 } },          { acc_expr_sqrt, { -0.0, -0.0 }, { 0, -0.0 } },
    { acc_expr_sqrt, { -4, 0 }, { 0, 2 } },         { acc_expr_sqrt, { -4, -0.0 }, { 0, -2 } },
    { acc_expr_sqrt, { nan, inf }, { inf, inf } },  { acc_expr_sqrt, { 1, -inf }, { inf, -inf } },
    { acc_expr_sqrt, { -inf, 1 }, { 0, inf } },     { acc_expr_sqrt, { inf, -1 }, { inf, -0.0 } },
    { acc_expr_sqrt, { big, 0 }, { 0x1p510, 0 } },  { acc_expr_sqrt, { -tiny, 0 }, { 0, 0x1p-535 } },
    { acc_expr_sqrt, { nan, 1 }, { nan, nan } },
    { acc_expr_exp, { 0, 0 }, { 1, 0 } },           { acc_expr_exp, { -0.0, -0.0 }, { 1, -0.0 } },
    { acc_expr_exp, { inf, 0 }, { inf, 0 } },       { acc_expr_exp, { -inf, 2 }, { -0.0, 0 } },
    { acc_expr_exp, { -inf, nan }, { 0, 0 } },      { acc_expr_exp, { inf, nan }, { inf, nan } },
    { acc_expr_exp, { nan, 0 }, { nan, 0 } },       { acc_expr_exp, { 1, inf }, { nan, nan } },
    { acc_expr_log, { 0, 0 }, { -inf, 0 } },        { acc_expr_log, { -1, 0 }, { 0, G_PI } },
    { acc_expr_log, { -1, -0.0 }, { 0, -G_PI } },   { acc_expr_log, { -inf, 1 }, { inf, G_PI } },
    { acc_expr_log, { nan, inf }, { inf, nan } },   { acc_expr_log, { 1, nan }, { nan, nan } },
    { acc_expr_recip, { 0, 0 }, { inf, nan } },     { acc_expr_recip, { inf, 1 }, { 0, 0 } },
    { acc_expr_recip, { -inf, nan }, { -0.0, -0.0 } },{ acc_expr_recip, { big, big }, { 0x1p-1021, -0x1p-1021 } },
    { acc_expr_recip, { 0, -0x1p-1020 }, { -0.0, 0x1p1020 } },
    { acc_expr_abs, { big, -big }, { 0x1.6a09e667f3bcdp1020, 0 } }, { acc_expr_abs, { tiny, 0 }, { tiny, 0 } },
    { acc_expr_abs, { nan, -inf }, { inf, 0 } },    { acc_expr_abs, { nan, 1 }, { nan, 0 } },
    { acc_expr_signum, { 0, -0.0 }, { 0, -0.0 } },  { acc_expr_signum, { -3, 4 }, { -0.6, 0.8 } },
    { acc_expr_sinh, { inf, 0 }, { inf, 0 } },      { acc_expr_cosh, { inf, 0 }, { inf, 0 } },
    { acc_expr_cosh, { -inf, 0 }, { inf, -0.0 } },  { acc_expr_sin, { 0, 710.5 }, { 0, sinh (710.25) * exp (0.25) } },
    { acc_expr_tanh, { 800, 1 }, { 1, 0 } },        { acc_expr_tanh, { -inf, 3 }, { -1, -0.0 } },
    { acc_expr_tan, { 1, 800 }, { 0, 1 } },
    { acc_expr_asin, { 1, 0 }, { G_PI_2, 0 } },     { acc_expr_acos, { -1, 0 }, { G_PI, -0.0 } },
    { acc_expr_acosh, { 1, 0 }, { 0, 0 } },         { acc_expr_atan, { 0, 0.5 }, { 0, 0.54930614433405489 } },
    { acc_expr_asin, { 2, 0 }, { G_PI_2, 1.3169578969248166 } }, { acc_expr_asin, { 2, -0.0 }, { G_PI_2, -1.3169578969248166 } },
    { acc_expr_atanh, { 0x1p600, 1 }, { 0x1p-600, G_PI_2 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint leaf = 0; leaf < 2; leaf++)
      {
        g_autofree char *name = g_strdup_printf ("complex/special/%u/%u", i, leaf);
        g_autoptr(AccArray) z = numbers (&precisions[2], cases[i].z, 1);
        double wanted = cases[i].wanted[leaf];

        if (fabs (cases[i].z[0]) == tiny && !conf_keeps_subnormals ())
          continue;
        for (guint b = 0; b <= conf_n_backends (); b++)
          {
            AccBackend *backend = b == 0 ? conf_interpreter () : conf_backend (b - 1);
            g_autoptr(AccArray) made = acc_array_map (z, conf_call1, cases[i].function);
            g_autoptr(GError) error = NULL;
            g_autoptr(AccArray) got = acc_backend_run (backend, made, NULL, &error);
            double value = got != NULL ? acc_array_get_double (got, leaf, 0) : 0;
            gboolean right = got != NULL && (isnan (wanted) ? isnan (value)
                             : isinf (wanted) || wanted == 0 ? value == wanted && !signbit (value) == !signbit (wanted)
                             : fabs (value - wanted) <= fabs (wanted) * 0x1p-48);

            if (right)
              conf_pass (acc_backend_get_name (backend), name);
            else
              conf_fail (acc_backend_get_name (backend), name, "of %a%+ai: %a, not %a %s", cases[i].z[0], cases[i].z[1], value, wanted,
                         error != NULL ? error->message : "");
          }
      }
}

/* No quotient of numbers that can be told overflows or underflows on the way. */
static void
test_division_range (void)
{
  const double sizes[] = { conf_keeps_subnormals () ? 0x1p-1060 : 0x1p-1020, 0x1p-1000, 0x1p-600, 0x1p-300, 1, 0x1p300, 0x1p600, 0x1p1000,
                           0x1p1022 };
  g_autoptr(GArray) z = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr(GArray) w = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr(AccArray) zs = NULL, ws = NULL, made = NULL;

  for (guint i = 0; i < 9 * 9 * 9 * 9; i++)
    {
      double parts[] = { sizes[i % 9] * 1.25, sizes[i / 9 % 9] * -1.5, sizes[i / 81 % 9], sizes[i / 729] * 1.75 };

      g_array_append_vals (z, parts, 2);
      g_array_append_vals (w, parts + 2, 2);
    }
  zs = numbers (&precisions[2], (double *) z->data, z->len / 2);
  ws = numbers (&precisions[2], (double *) w->data, w->len / 2);
  made = acc_array_zip_with (zs, ws, conf_call2, acc_expr_fdiv);
  check ("complex/division-range", &precisions[2], made, zs, ws, divide, 16, FALSE);
}

/* --- parts, types, literals */

static AccExpr *
parts_of (AccExpr *z, gpointer data)
{
  AccExpr *items[] = { acc_expr_real (z), acc_expr_imag (z), acc_expr_magnitude (z), acc_expr_magnitude_unscaled (z), acc_expr_phase (z),
                       acc_expr_real (acc_expr_from_polar (acc_expr_magnitude (z), acc_expr_phase (z))),
                       acc_expr_imag (acc_expr_cis (acc_expr_real (z))), acc_expr_item (acc_expr_to_polar (z), 0) };

  return acc_expr_tuple (items, G_N_ELEMENTS (items));
}

static void
test_parts (void)
{
  const double z[] = { 3, 4, 0, 0, -0.0, 0, -2, 0, 0, -1 };
  const double wanted[][5] = {
    { 3, 0, -0.0, -2, 0 }, { 4, 0, 0, 0, -1 }, { 5, 0, 0, 2, 1 }, { 5, 0, 0, 2, 1 },
    { atan2 (4, 3), 0, 0, G_PI, -G_PI_2 },
  };

  for (guint leaf = 0; leaf < 5; leaf++)
    {
      g_autofree char *name = g_strdup_printf ("complex/parts/%u", leaf);
      g_autoptr(AccArray) zs = numbers (&precisions[2], z, 5);

      conf_expect_floats (name, acc_array_map (zs, parts_of, NULL), "[5]", leaf, 5, wanted[leaf]);
    }
  for (guint t = 0; t < 3; t++)
    {
      g_autoptr(AccArray) zs = numbers (&precisions[t], z, 5);

      conf_check_array ("complex/parts/all", acc_array_map (zs, parts_of, NULL), (ConfTolerance) { 8, FALSE, 4 * precisions[t].epsilon });
    }
}

static AccExpr *
with_literals (AccExpr *z, gpointer data)
{
  AccExpr *i = acc_expr_complex (acc_expr_new_int (0), acc_expr_new_int (1));
  AccExpr *sum = acc_expr_add (acc_expr_mul (acc_expr_new_int (2), z), acc_expr_new_float (0.5));

  return acc_expr_add (sum, acc_expr_mul (i, z));
}

static AccExpr *
equal_to_literal (AccExpr *z, gpointer data)
{
  return acc_expr_tuple3 (acc_expr_eq (z, acc_expr_new_int (3)), acc_expr_ne (acc_expr_new_float (3), z),
                          acc_expr_eq (acc_expr_tuple2 (z, z), acc_expr_tuple2 (acc_expr_new_int (3), z)));
}

static AccExpr *
powers (AccExpr *z, gpointer data)
{
  return acc_expr_add (acc_expr_int_pow (z, acc_expr_new_int (3)),
                       acc_expr_int_pow (acc_expr_cast (z, conf_type ("c8")), acc_expr_new_int (0)));
}

static AccExpr *
from_real (AccExpr *x, gpointer type)
{
  return acc_expr_cast (x, type);
}

static void
test_literals (void)
{
  g_autoptr(AccArray) z = numbers (&precisions[1], (const double[]) { 1, 2, 3, 0, 3, 1 }, 3);
  g_autoptr(AccArray) made = acc_array_map (z, with_literals, NULL);
  g_autoptr(AccArray) equal = acc_array_map (z, equal_to_literal, NULL);
  g_autoptr(AccArray) raised = acc_array_map (z, powers, NULL);
  g_autoptr(AccArray) reals = CONF_INTS1 ("i2", 1, -2, 300);
  g_autoptr(AccArray) cast = acc_array_map (reals, from_real, conf_type ("c16"));

  g_assert_true (acc_array_get_element_type (made) == conf_type ("c8"));
  conf_expect_floats ("complex/literals/re", g_object_ref (made), "[3]", 0, 3, (const double[]) { 2 + .5 - 2, 6.5, 6.5 - 1 });
  conf_expect_floats ("complex/literals/im", g_object_ref (made), "[3]", 1, 3, (const double[]) { 5, 3, 5 });
  conf_expect_ints ("complex/literals/eq", g_object_ref (equal), "[3]", 0, 3, (const gint64[]) { 0, 1, 0 });
  conf_expect_ints ("complex/literals/ne", g_object_ref (equal), "[3]", 1, 3, (const gint64[]) { 1, 0, 1 });
  conf_expect_ints ("complex/literals/tuple", g_object_ref (equal), "[3]", 2, 3, (const gint64[]) { 0, 1, 0 });
  conf_expect_floats ("complex/int-pow/re", g_object_ref (raised), "[3]", 0, 3, (const double[]) { -11 + 1, 28, 18 + 1 });
  conf_expect_floats ("complex/int-pow/im", g_object_ref (raised), "[3]", 1, 3, (const double[]) { -2, 0, 26 });
  conf_expect_floats ("complex/cast/re", g_object_ref (cast), "[3]", 0, 3, (const double[]) { 1, -2, 300 });
  conf_expect_floats ("complex/cast/im", g_object_ref (cast), "[3]", 1, 3, (const double[]) { 0, 0, 0 });
}

static AccExpr *
wrong (AccExpr *z, gpointer data)
{
  g_autoptr(AccExpr) x = acc_expr_ref_sink (acc_expr_real (z));

  switch (GPOINTER_TO_UINT (data))
    {
    case 0: return acc_expr_lt (z, z);
    case 1: return acc_expr_min (z, acc_expr_new_int (1));
    case 2: return acc_expr_add (z, x);
    case 3: return acc_expr_cast (z, conf_type ("f4"));
    case 4: return acc_expr_complex (x, acc_expr_cast (x, conf_type ("f8")));
    case 5: return acc_expr_complex (acc_expr_cast (x, conf_type ("i4")), acc_expr_new_int (0));
    case 6: return acc_expr_magnitude (x);
    case 7: return acc_expr_ge (acc_expr_tuple2 (x, z), acc_expr_tuple2 (x, z));
    case 8: return acc_expr_band (z, z);
    case 9: return acc_expr_new_maximum (conf_type ("c8"));
    case 10: return acc_expr_atan2 (z, z);
    default: return acc_expr_item (z, 2);
    }
}

static void
test_mistakes (void)
{
  for (guint i = 0; i <= 11; i++)
    {
      g_autoptr(AccArray) z = numbers (&precisions[1], (const double[]) { 1, 2 }, 1);
      g_autoptr(AccArray) made = acc_array_map (z, wrong, GUINT_TO_POINTER (i));
      g_autoptr(GError) error = NULL;

      g_assert_false (acc_array_check (made, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_TYPE);
    }
}

/* --- whole arrays */

/* Turns by quarters: products are exact. */
static AccExpr *
turn_at (AccExpr *index, gpointer type)
{
  AccExpr *i = acc_expr_item (index, acc_expr_get_n_items (index) - 1);
  AccExpr *odd = acc_expr_cast (acc_expr_band (i, conf_i64 (1)), type);

  return acc_expr_complex (acc_expr_sub (acc_expr_new_int (1), odd), odd);
}

static void
test_folds (void)
{
  static const gint64 sizes[] = { 1, 2, 7, 64, 1000, 70001 };
  /* Regrouping changes signs of zero. */
  const ConfTolerance same = { 0, TRUE, 0 };

  for (guint t = 1; t < G_N_ELEMENTS (precisions); t++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      for (guint rank = 1; rank <= 3; rank++)
        {
          gint64 extents[] = { rank > 2 ? 2 : 1, 3, sizes[s] };
          g_autoptr(AccShape) shape = acc_shape_new (extents + 3 - rank, rank);
          g_autoptr(AccArray) zs = acc_array_generate (shape, turn_at, conf_type (precisions[t].component));
          g_autofree char *name = g_strdup_printf ("complex/fold/%s/%u/%d", precisions[t].code, rank, (int) sizes[s]);

          if ((rank == 3 && sizes[s] > 10000) || !is_wanted (t))
            continue;
          conf_check_array (name, acc_array_fold (zs, acc_expr_new_int (1), conf_times, NULL), same);
          conf_check_array (name, acc_array_fold1 (zs, conf_plus, NULL), same);
          conf_check_array (name, acc_array_fold_all (zs, acc_expr_new_float (0.5), conf_plus, NULL), same);
          conf_check_array (name, acc_array_scanl1 (zs, conf_times, NULL), same);
          conf_check_array (name, acc_array_scanr (zs, acc_expr_new_int (2), conf_times, NULL), same);
        }

  {
    g_autoptr(AccShape) shape = acc_shape_new_vector (1001);
    g_autoptr(AccArray) zs = acc_array_generate (shape, turn_at, conf_type ("f4"));
    g_autoptr(AccArray) product = acc_array_fold (zs, acc_expr_new_int (3), conf_times, NULL), sum = acc_array_sum (zs);

    /* i to the power of 500, and 501 ones and 500 i */
    conf_expect_floats ("complex/product/re", g_object_ref (product), "[]", 0, 1, (const double[]) { 3 });
    conf_expect_floats ("complex/product/im", g_object_ref (product), "[]", 1, 1, (const double[]) { 0 });
    conf_expect_floats ("complex/sum/re", g_object_ref (sum), "[]", 0, 1, (const double[]) { 501 });
    conf_expect_floats ("complex/sum/im", g_object_ref (sum), "[]", 1, 1, (const double[]) { 500 });
  }
}

static AccExpr *
target_of (AccExpr *index, AccExpr *z, gpointer data)
{
  return acc_expr_rem (acc_expr_item (index, 0), conf_i64 (37));
}

static AccExpr *
opposite_at (AccExpr *index, gpointer type)
{
  AccExpr *x = acc_expr_cast (acc_expr_item (index, 0), type);

  return acc_expr_complex (x, acc_expr_neg (x));
}

/* Neither a primitive nor leaf by leaf: the larger real part, with what belongs to it. */
static AccExpr *
greater (AccExpr *z, AccExpr *w, gpointer data)
{
  return acc_expr_cond (acc_expr_gt (acc_expr_real (z), acc_expr_real (w)), z, w);
}

static void
test_permutes (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (precisions); t++)
    {
      const Precision *p = &precisions[t];
      AccElementType *component = conf_type (p->component);
      g_autoptr(AccShape) shape = acc_shape_new_vector (2000);
      g_autoptr(AccShape) few = acc_shape_new_vector (37);
      g_autoptr(AccArray) zs = acc_array_generate (shape, opposite_at, component);
      g_autoptr(AccArray) targets = acc_array_imap (zs, target_of, NULL);
      g_autoptr(AccArray) defaults = acc_array_generate (few, turn_at, component);
      const AccExprFunc2 functions[] = { conf_plus, conf_first, greater };

      for (guint f = t == 0 ? 1 : 0; f < G_N_ELEMENTS (functions); f++)
        {
          g_autofree char *name = g_strdup_printf ("complex/permute/%s/%u", p->code, f);
          g_autoptr(AccArray) permuted = acc_array_permute (zs, defaults, targets, functions[f], NULL);

          if (!is_wanted (t))
            continue;
          conf_check_array (name, acc_array_map (permuted, conf_mix, NULL), CONF_EXACT);
          conf_check_array (name, g_object_ref (permuted), CONF_EXACT);
        }
    }
}

static AccExpr *
neighbours (AccExpr *n, gpointer data)
{
  return acc_expr_sub (acc_expr_mul (acc_expr_neighbour2 (n, 0, -1), acc_expr_neighbour2 (n, 1, 1)), acc_expr_neighbour2 (n, -1, 0));
}

static AccExpr *
read_at (AccExpr *index, gpointer array)
{
  return acc_expr_conjugate (acc_expr_linear_index (array,
                                                    acc_expr_add (acc_expr_mul (acc_expr_item (index, 0), conf_i64 (3)), conf_i64 (1))));
}

static AccExpr *
transposed (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (index, 1), acc_expr_item (index, 0));
}

static void
test_arrays (void)
{
  static const gint64 sides[][2] = { { 33, 70 }, { 0, 5 }, { 4, 0 }, { 1, 1 }, { 64, 64 } };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint t = 0; t < G_N_ELEMENTS (precisions); t++)
    for (guint s = 0; s < G_N_ELEMENTS (sides); s++)
      for (guint k = 0; k < 3; k++)
        {
          const AccBoundaryKind kinds[] = { ACC_BOUNDARY_CLAMP, ACC_BOUNDARY_MIRROR, ACC_BOUNDARY_WRAP };
          g_autoptr(AccArray) zs = conf_array (conf_type (precisions[t].code), sides[s], 2, rand, CONF_SMALL);
          g_autoptr(AccBoundary) boundary = k == 0
                                            ? acc_boundary_new_constant (acc_expr_complex (acc_expr_new_int (1), acc_expr_new_int (2)))
                                                   : acc_boundary_new (kinds[k]);
          g_autoptr(AccArray) blurred = acc_array_stencil (zs, (gint64[]) { 3, 3 }, 2, boundary, neighbours, NULL);
          g_autoptr(AccShape) few = acc_shape_new_vector (sides[s][0] * sides[s][1] > 4 ? 500 : 0);
          g_autoptr(AccShape) turned = acc_shape_new_matrix (sides[s][1], sides[s][0]);
          g_autofree char *name = g_strdup_printf ("complex/arrays/%s/%u/%u", precisions[t].code, s, k);

          if (!is_wanted (t))
            continue;
          conf_check_array (name, g_object_ref (blurred), CONF_EXACT);
          conf_check_array (name, acc_array_generate (few, read_at, zs), CONF_EXACT);
          conf_check_array (name, acc_array_backpermute (zs, turned, transposed, NULL), CONF_EXACT);
          conf_check_array (name, acc_array_concat (zs, blurred), CONF_EXACT);
          conf_check_array (name, acc_array_zip (zs, blurred), CONF_EXACT);
          /* Programs with sources have no text that can be read back. */
          if (sides[s][0] > 0 && g_getenv ("ACC_TEST_TEXT") == NULL)
            {
              g_autoptr(AccArray) streamed = conf_through_source (g_object_ref (zs));

              conf_check_array (name, acc_array_stencil (streamed, (gint64[]) { 3, 3 }, 2, boundary, neighbours, NULL), CONF_EXACT);
              conf_check_array (name, acc_array_fold (streamed, acc_expr_new_int (0), conf_plus, NULL), CONF_EXACT);
              /* Of half precision are not all integers that these sums reach. */
              if (!g_str_equal (precisions[t].code, "c4"))
                conf_check_array (name, acc_array_fold_all (streamed, acc_expr_new_int (0), conf_plus, NULL), CONF_EXACT);
            }
        }

  {
    g_autoptr(AccShape) shape = acc_shape_new_vector (40);
    g_autoptr(AccArray) zs = conf_array (conf_type ("c8"), (gint64[]) { 100 }, 1, rand, CONF_SMALL);
    AccArray *outside = acc_array_generate (shape, read_at, zs);

    acc_array_set_label (outside, "beyond");
    CONF_EXPECT_ERROR ("complex/out-of-range", outside, ACC_ERROR_BOUNDS, "generate", "beyond");
  }
}

/* --- loops */

#define MOST_STEPS 60

static AccExpr *
iterate (AccExpr *state, gpointer c)
{
  g_autoptr(AccExpr) z = acc_expr_ref_sink (acc_expr_item (state, 0));
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_expr_item (state, 1));
  AccExpr *inside = acc_expr_le (acc_expr_add (acc_expr_mul (acc_expr_real (z), acc_expr_real (z)),
                                               acc_expr_mul (acc_expr_imag (z), acc_expr_imag (z))),
                                 acc_expr_new_int (4));

  return acc_expr_tuple2 (acc_expr_land (inside, acc_expr_lt (k, acc_expr_new_int (MOST_STEPS))),
                          acc_expr_tuple2 (acc_expr_add (acc_expr_mul (z, z), c), acc_expr_add (k, acc_expr_new_int (1))));
}

static AccExpr *
count_steps (AccExpr *c, gpointer data)
{
  return acc_expr_item (acc_expr_while (acc_expr_tuple2 (c, conf_i64 (0)), iterate, c), 1);
}

/* Mandelbrot's set; f8 rounds as C does. */
static void
test_loops (void)
{
  double parts[2 * 400];
  gint64 wanted[400];
  g_autoptr(AccArray) c = NULL;

  for (gint i = 0; i < 400; i++)
    {
      double x = parts[2 * i] = -2 + i % 20 * 0.15, y = parts[2 * i + 1] = -1.1 + i / 20 * 0.11;
      volatile double re = x, im = y;

      for (wanted[i] = 0; re * re + im * im <= 4 && wanted[i] < MOST_STEPS; wanted[i]++)
        {
          volatile double xx = re * re, yy = im * im, xy = re * im;
          volatile double difference = xx - yy, sum = xy + xy;

          re = difference + x;
          im = sum + y;
        }
    }
  c = numbers (&precisions[2], parts, 400);
  conf_expect_ints ("complex/mandelbrot", acc_array_map (c, count_steps, NULL), "[400]", 0, 400, wanted);
}

/* --- memory */

static void
test_layout (void)
{
  const double parts[] = { 1, -2, 0.5, 4 };
  const gint64 index = 1;
  g_autoptr(AccArray) z = numbers (&precisions[1], parts, 2);
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (z, 0, NULL);
  g_autofree char *text = acc_array_to_string (z);
  g_autoptr(GVariant) value = acc_array_dup_value (z, &index, 1, NULL);
  g_autoptr(GVariant) all = acc_array_to_variant (z, NULL);
  g_autofree char *printed = g_variant_print (value, FALSE), *all_printed = g_variant_print (all, FALSE);
  const float complex *memory = g_bytes_get_data (bytes, NULL);
  g_autoptr(AccArray) unzipped = acc_array_unzip (z, 0);

  g_assert_cmpuint (g_bytes_get_size (bytes), ==, 16);
  g_assert_true (memory[0] == 1 - 2 * I && memory[1] == 0.5f + 4 * I);
  g_assert_null (acc_array_dup_bytes (z, 1, NULL));
  g_assert_cmpstr (text, ==, "array([1. -2.j, 0.5+4.j], dtype=c8)");
  g_assert_cmpstr (printed, ==, "(0.5, 4.0)");
  g_assert_cmpstr (all_printed, ==, "[(1.0, -2.0), (0.5, 4.0)]");
  g_assert_false (acc_array_check (unzipped, NULL));
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (unary); i++)
    {
      g_autofree char *path = g_strdup_printf ("/complex/%s", unary[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_unary);
    }
  for (guint i = 0; i < G_N_ELEMENTS (binary); i++)
    {
      g_autofree char *path = g_strdup_printf ("/complex/%s", binary[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_binary);
    }
  g_test_add_func ("/complex/special", test_special);
  g_test_add_func ("/complex/division-range", test_division_range);
  g_test_add_func ("/complex/parts", test_parts);
  g_test_add_func ("/complex/literals", test_literals);
  g_test_add_func ("/complex/mistakes", test_mistakes);
  g_test_add_func ("/complex/folds", test_folds);
  g_test_add_func ("/complex/permutes", test_permutes);
  g_test_add_func ("/complex/arrays", test_arrays);
  g_test_add_func ("/complex/loops", test_loops);
  g_test_add_func ("/complex/layout", test_layout);
  return conf_run ();
}
