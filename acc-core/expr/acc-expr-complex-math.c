/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elementary functions of complex numbers, made of those of their parts. Branch cuts and signs of zero are those of C99;
 * inverse functions are Kahan's ("Branch cuts for complex elementary functions", 1987). */

#include "acc-expr-complex-private.h"

#include <float.h>
#include <math.h>

static AccExpr *
is_zero (AccExpr *x)
{
  return acc_expr_eq (x, NUM (0));
}

static AccExpr *
is_finite (AccExpr *x)
{
  return acc_expr_lt (acc_expr_abs (x), NUM (INFINITY));
}

static AccExpr *
with_sign (AccExpr *x,
           double   magnitude)
{
  return acc_expr_copy_sign (acc_expr_new_typed_float (x->type, magnitude), x);
}

static AccExpr *
half_of (AccExpr *x)
{
  return MUL (x, NUM (0.5));
}

/* i z */
static AccExpr *
turn (AccExpr *z)
{
  return acc_expr_complex (NEG (acc_expr_item (z, 1)), acc_expr_item (z, 0));
}

/* -i z */
static AccExpr *
turn_back (AccExpr *z)
{
  return acc_expr_complex (acc_expr_item (z, 1), NEG (acc_expr_item (z, 0)));
}

/* A function of i z, turned back. */
static AccExpr *
build_turned (AccExpr      *z,
              AccExprBuild  build)
{
  AccExpr *turned = OWN (turn (z));
  g_autoptr(AccExpr) value = OWN (build (&turned));

  acc_expr_unref (turned);
  return turn_back (value);
}

/* log (1 + x), precise near 0: what rounding takes from 1 + x is in the quotient, too. */
static AccExpr *
log1p_of (AccExpr *x)
{
  g_autoptr(AccExpr) u = OWN (ADD (x, NUM (1)));
  g_autoptr(AccExpr) rest = OWN (SUB (u, NUM (1)));
  AccExpr *log = acc_expr_log (u);

  return CHOOSE (is_zero (rest), x, CHOOSE (is_finite (u), MUL (log, DIV (x, rest)), log));
}

/* --- exponentials */

/* @t times e^@x / @divisor, where the product has a value, though e^@x be too large. */
static AccExpr *
times_exp (AccExpr *t,
           AccExpr *x,
           double   divisor)
{
  g_autoptr(AccExpr) root = OWN (acc_expr_exp (half_of (x)));

  return MUL (MUL (t, root), MUL (root, NUM (1 / divisor)));
}

/* From where cosh and sinh are e^|x| / 2, and not yet infinite. */
static double
large_exponent (AccExpr *x)
{
  return _acc_expr_is_double (x) ? 40 : 20;
}

static AccExpr *
wide_exp (AccExpr **args)
{
  g_auto(AccExprParts) z = _acc_expr_get_parts (args[0]);
  g_autoptr(AccExpr) e = OWN (acc_expr_exp (z.re));
  g_autoptr(AccExpr) turns = OWN (is_finite (z.im));
  g_autoptr(AccExpr) ends = OWN (BOTH (acc_expr_is_inf (z.re), acc_expr_lnot (turns)));
  g_autoptr(AccExpr) falls = OWN (BOTH (ends, acc_expr_lt (z.re, NUM (0))));
  g_autoptr(AccExpr) c = OWN (CHOOSE (ends, NUM (1), acc_expr_cos (z.im)));
  g_autoptr(AccExpr) s = OWN (CHOOSE (falls, NUM (1), acc_expr_sin (z.im)));
  g_autoptr(AccExpr) split = OWN (BOTH (acc_expr_gt (z.re, NUM (_acc_expr_is_double (z.re) ? 700 : 88)), is_finite (z.re)));
  AccExpr *re = CHOOSE (split, times_exp (c, z.re, 1), MUL (e, c));
  AccExpr *im = CHOOSE (split, times_exp (s, z.re, 1), MUL (e, s));

  return acc_expr_complex (re, CHOOSE (is_zero (z.im), z.im, im));
}

/* @t cosh @x; where @t is 0 that is @t, though cosh be infinite. */
static AccExpr *
times_cosh (AccExpr *t,
            AccExpr *x)
{
  g_autoptr(AccExpr) size = OWN (acc_expr_abs (x));
  AccExpr *large = BOTH (acc_expr_gt (size, NUM (large_exponent (x))), is_finite (x));

  return CHOOSE (is_zero (t), t, CHOOSE (large, times_exp (t, size, 2), MUL (t, acc_expr_cosh (x))));
}

/* @t sinh @x; where one is 0 that is 0. */
static AccExpr *
times_sinh (AccExpr *t,
            AccExpr *x)
{
  g_autoptr(AccExpr) size = OWN (acc_expr_abs (x));
  g_autoptr(AccExpr) sign = OWN (with_sign (x, 1));
  AccExpr *large = BOTH (acc_expr_gt (size, NUM (large_exponent (x))), is_finite (x));
  AccExpr *product = CHOOSE (large, MUL (times_exp (t, size, 2), sign), MUL (t, acc_expr_sinh (x)));

  return CHOOSE (is_zero (t), MUL (t, sign), CHOOSE (is_zero (x), MUL (x, with_sign (t, 1)), product));
}

static AccExpr *
wide_sinh (AccExpr **args)
{
  g_auto(AccExprParts) z = _acc_expr_get_parts (args[0]);
  g_autoptr(AccExpr) c = OWN (acc_expr_cos (z.im));
  g_autoptr(AccExpr) s = OWN (acc_expr_sin (z.im));

  return acc_expr_complex (times_sinh (c, z.re), times_cosh (s, z.re));
}

static AccExpr *
wide_cosh (AccExpr **args)
{
  g_auto(AccExprParts) z = _acc_expr_get_parts (args[0]);
  g_autoptr(AccExpr) c = OWN (acc_expr_cos (z.im));
  g_autoptr(AccExpr) s = OWN (acc_expr_sin (z.im));

  return acc_expr_complex (times_cosh (c, z.re), times_sinh (s, z.re));
}

static AccExpr *
wide_sin (AccExpr **args)
{
  return build_turned (args[0], wide_sinh);
}

static AccExpr *
wide_cos (AccExpr **args)
{
  g_autoptr(AccExpr) turned = OWN (turn (args[0]));

  return wide_cosh (&turned);
}

static AccExpr *
wide_tanh (AccExpr **args)
{
  g_auto(AccExprParts) z = _acc_expr_get_parts (args[0]);
  g_autoptr(AccExpr) t = OWN (acc_expr_tan (z.im));
  g_autoptr(AccExpr) beta = OWN (ADD (MUL (t, t), NUM (1)));
  g_autoptr(AccExpr) s = OWN (acc_expr_sinh (z.re));
  g_autoptr(AccExpr) rho = OWN (acc_expr_sqrt (ADD (MUL (s, s), NUM (1))));
  g_autoptr(AccExpr) n = OWN (ADD (MUL (beta, MUL (s, s)), NUM (1)));
  g_autoptr(AccExpr) far = OWN (acc_expr_ge (acc_expr_abs (z.re), NUM (large_exponent (z.re) / 2)));
  g_autoptr(AccExpr) tail = OWN (acc_expr_exp (MUL (acc_expr_abs (z.re), NUM (-2))));
  AccExpr *rest = MUL (MUL (acc_expr_sin (z.im), acc_expr_cos (z.im)), MUL (tail, NUM (4)));
  AccExpr *re = CHOOSE (far, with_sign (z.re, 1), DIV (MUL (MUL (beta, rho), s), n));
  AccExpr *im = CHOOSE (far, CHOOSE (is_finite (z.re), rest, CHOOSE (is_finite (z.im), with_sign (t, 0), NUM (0))), DIV (t, n));

  return acc_expr_complex (CHOOSE (BOTH (is_zero (z.re), is_finite (z.im)), z.re, re), CHOOSE (is_zero (z.im), z.im, im));
}

static AccExpr *
wide_tan (AccExpr **args)
{
  return build_turned (args[0], wide_tanh);
}

/* --- roots and logarithms */

static AccExpr *
wide_sqrt (AccExpr **args)
{
  g_auto(AccExprParts) z = _acc_expr_get_parts (args[0]);
  gboolean f8 = _acc_expr_is_double (z.re);
  g_autoptr(AccExpr) size = OWN (acc_expr_max (acc_expr_abs (z.re), acc_expr_abs (z.im)));
  g_autoptr(AccExpr) is_large = OWN (acc_expr_gt (size, NUM (f8 ? DBL_MAX / 4 : FLT_MAX / 4)));
  g_autoptr(AccExpr) is_small = OWN (acc_expr_lt (size, NUM (f8 ? DBL_MIN * 4 : FLT_MIN * 4)));
  g_autoptr(AccExpr) factor = OWN (CHOOSE (is_large, NUM (0x1p-4), CHOOSE (is_small, NUM (f8 ? 0x1p54 : 0x1p24), NUM (1))));
  g_autoptr(AccExpr) back = OWN (CHOOSE (is_large, NUM (0x1p2), CHOOSE (is_small, NUM (f8 ? 0x1p-27 : 0x1p-12), NUM (1))));
  g_autoptr(AccExpr) x = OWN (MUL (z.re, factor));
  g_autoptr(AccExpr) y = OWN (MUL (z.im, factor));
  g_autoptr(AccExpr) t = OWN (acc_expr_sqrt (half_of (ADD (acc_expr_abs (x), _acc_expr_hypot (x, y)))));
  g_autoptr(AccExpr) u = OWN (MUL (DIV (half_of (y), t), back));
  g_autoptr(AccExpr) v = OWN (MUL (t, back));
  g_autoptr(AccExpr) left = OWN (acc_expr_lt (z.re, NUM (0)));
  g_autoptr(AccExpr) zero = OWN (BOTH (is_zero (z.re), is_zero (z.im)));
  g_autoptr(AccExpr) up = OWN (acc_expr_is_inf (z.im));
  AccExpr *re = CHOOSE (left, acc_expr_abs (u), v);
  AccExpr *im = CHOOSE (left, acc_expr_copy_sign (v, z.im), u);

  return acc_expr_complex (CHOOSE (up, NUM (INFINITY), CHOOSE (zero, NUM (0), re)), CHOOSE (EITHER (up, zero), z.im, im));
}

/* log |z|: near 1 by the distance from it. */
static AccExpr *
log_magnitude (AccExprParts *z)
{
  g_autoptr(AccExpr) x = OWN (acc_expr_abs (z->re));
  g_autoptr(AccExpr) y = OWN (acc_expr_abs (z->im));
  g_autoptr(AccExpr) swap = OWN (acc_expr_lt (x, y));
  g_autoptr(AccExpr) large = OWN (CHOOSE (swap, y, x));
  g_autoptr(AccExpr) small = OWN (CHOOSE (swap, x, y));
  g_autoptr(AccExpr) r = OWN (DIV (small, large));
  g_autoptr(AccExpr) near = OWN (BOTH (acc_expr_gt (large, NUM (0.5)), acc_expr_lt (large, NUM (2))));
  g_autoptr(AccExpr) distance = OWN (ADD (MUL (SUB (large, NUM (1)), ADD (large, NUM (1))), MUL (small, small)));
  g_autoptr(AccExpr) logp = OWN (half_of (log1p_of (CHOOSE (near, distance, MUL (r, r)))));
  AccExpr *infinite = EITHER (acc_expr_is_inf (x), acc_expr_is_inf (y));
  AccExpr *far = CHOOSE (is_zero (large), NUM (-INFINITY), ADD (acc_expr_log (large), logp));

  return CHOOSE (infinite, NUM (INFINITY), CHOOSE (near, logp, far));
}

static AccExpr *
wide_log (AccExpr **args)
{
  g_auto(AccExprParts) z = _acc_expr_get_parts (args[0]);

  return acc_expr_complex (log_magnitude (&z), acc_expr_atan2 (z.im, z.re));
}

static AccExpr *
wide_logbase (AccExpr **args)
{
  g_autoptr(AccExpr) base = OWN (wide_log (&args[0]));
  g_autoptr(AccExpr) log = OWN (wide_log (&args[1]));

  return _acc_expr_complex_div ((AccExpr *[]) { log, base });
}

static AccExpr *
wide_pow (AccExpr **args)
{
  g_auto(AccExprParts) w = _acc_expr_get_parts (args[1]);
  g_autoptr(AccExpr) log = OWN (wide_log (&args[0]));
  g_autoptr(AccExpr) exponent = OWN (_acc_expr_complex_mul ((AccExpr *[]) { args[1], log }));
  g_autoptr(AccExpr) zero = OWN (acc_expr_eq (args[0], acc_expr_new_typed_int (args[0]->type, 0)));
  g_autoptr(AccExpr) none = OWN (BOTH (is_zero (w.re), is_zero (w.im)));
  AccExpr *of_zero = CHOOSE (acc_expr_gt (w.re, NUM (0)), acc_expr_new_typed_int (args[0]->type, 0),
                             acc_expr_complex (acc_expr_new_typed_float (w.re->type, NAN), acc_expr_new_typed_float (w.re->type, NAN)));

  return CHOOSE (none, acc_expr_new_typed_int (args[0]->type, 1), CHOOSE (zero, of_zero, wide_exp (&exponent)));
}

/* --- inverse functions */

/* √(1 ± z), or √(z - 1) */
static AccExpr *
root_beside (AccExprParts *z,
             int           sign,
             int           one)
{
  g_autoptr(AccExpr) x = OWN (sign < 0 ? SUB (NUM (one), z->re) : ADD (z->re, NUM (one)));
  g_autoptr(AccExpr) beside = OWN (acc_expr_complex (x, sign < 0 ? NEG (z->im) : z->im));

  return wide_sqrt (&beside);
}

/* asinh (Im (conjugate (@a) @b)), or Re */
static AccExpr *
asinh_of_product (AccExprParts *a,
                  AccExprParts *b,
                  gboolean      imag)
{
  return acc_expr_asinh (imag ? SUB (MUL (a->re, b->im), MUL (a->im, b->re)) : ADD (MUL (a->re, b->re), MUL (a->im, b->im)));
}

static AccExpr *
wide_asin (AccExpr **args)
{
  g_auto(AccExprParts) z = _acc_expr_get_parts (args[0]);
  g_autoptr(AccExpr) minus = OWN (root_beside (&z, -1, 1));
  g_autoptr(AccExpr) plus = OWN (root_beside (&z, 1, 1));
  g_auto(AccExprParts) m = _acc_expr_get_parts (minus);
  g_auto(AccExprParts) p = _acc_expr_get_parts (plus);

  return acc_expr_complex (acc_expr_atan2 (z.re, SUB (MUL (m.re, p.re), MUL (m.im, p.im))), asinh_of_product (&m, &p, TRUE));
}

static AccExpr *
wide_acos (AccExpr **args)
{
  g_auto(AccExprParts) z = _acc_expr_get_parts (args[0]);
  g_autoptr(AccExpr) minus = OWN (root_beside (&z, -1, 1));
  g_autoptr(AccExpr) plus = OWN (root_beside (&z, 1, 1));
  g_auto(AccExprParts) m = _acc_expr_get_parts (minus);
  g_auto(AccExprParts) p = _acc_expr_get_parts (plus);

  return acc_expr_complex (MUL (acc_expr_atan2 (m.re, p.re), NUM (2)), asinh_of_product (&p, &m, TRUE));
}

static AccExpr *
wide_asinh (AccExpr **args)
{
  return build_turned (args[0], wide_asin);
}

static AccExpr *
wide_acosh (AccExpr **args)
{
  g_auto(AccExprParts) z = _acc_expr_get_parts (args[0]);
  g_autoptr(AccExpr) minus = OWN (root_beside (&z, 1, -1));
  g_autoptr(AccExpr) plus = OWN (root_beside (&z, 1, 1));
  g_auto(AccExprParts) m = _acc_expr_get_parts (minus);
  g_auto(AccExprParts) p = _acc_expr_get_parts (plus);

  return acc_expr_complex (asinh_of_product (&m, &p, FALSE), MUL (acc_expr_atan2 (m.im, p.re), NUM (2)));
}

static AccExpr *
wide_atanh (AccExpr **args)
{
  g_auto(AccExprParts) z = _acc_expr_get_parts (args[0]);
  g_autoptr(AccExpr) one = OWN (acc_expr_new_typed_int (args[0]->type, 1));
  g_autoptr(AccExpr) inverse = OWN (_acc_expr_complex_div ((AccExpr *[]) { one, args[0] }));
  g_autoptr(AccExpr) rest = OWN (SUB (NUM (1), acc_expr_abs (z.re)));
  g_autoptr(AccExpr) yy = OWN (MUL (z.im, z.im));
  g_autoptr(AccExpr) size = OWN (acc_expr_max (acc_expr_abs (z.re), acc_expr_abs (z.im)));
  g_autoptr(AccExpr) far = OWN (acc_expr_gt (size, NUM (_acc_expr_is_double (size) ? 0x1p60 : 0x1p30)));
  g_autoptr(AccExpr) ratio = OWN (DIV (MUL (acc_expr_abs (z.re), NUM (4)), ADD (MUL (rest, rest), yy)));
  AccExpr *re = acc_expr_copy_sign (MUL (log1p_of (ratio), NUM (0.25)), z.re);
  AccExpr *im = half_of (acc_expr_atan2 (MUL (z.im, NUM (2)), SUB (MUL (rest, ADD (acc_expr_abs (z.re), NUM (1))), yy)));

  return acc_expr_complex (CHOOSE (far, acc_expr_item (inverse, 0), re), CHOOSE (far, with_sign (z.im, G_PI_2), im));
}

static AccExpr *
wide_atan (AccExpr **args)
{
  return build_turned (args[0], wide_atanh);
}

#define UNARY(name)                                     \
  static AccExpr *                                      \
  complex_##name (AccExpr **args)                       \
  {                                                     \
    return _acc_expr_build_wide (args, 1, wide_##name); \
  }
#define BINARY(name)                                    \
  static AccExpr *                                      \
  complex_##name (AccExpr **args)                       \
  {                                                     \
    return _acc_expr_build_wide (args, 2, wide_##name); \
  }

UNARY (exp) UNARY (log) UNARY (sqrt) BINARY (pow) BINARY (logbase)
UNARY (sin) UNARY (cos) UNARY (tan) UNARY (asin) UNARY (acos) UNARY (atan)
UNARY (sinh) UNARY (cosh) UNARY (tanh) UNARY (asinh) UNARY (acosh) UNARY (atanh)

AccExprBuild
_acc_expr_get_complex_function (AccPrimitive primitive)
{
  static const AccExprBuild builds[ACC_N_PRIMITIVES] = {
    [ACC_PRIM_EXP] = complex_exp,     [ACC_PRIM_LOG] = complex_log,         [ACC_PRIM_SQRT] = complex_sqrt,
    [ACC_PRIM_POW] = complex_pow,     [ACC_PRIM_LOGBASE] = complex_logbase, [ACC_PRIM_SIN] = complex_sin,
    [ACC_PRIM_COS] = complex_cos,     [ACC_PRIM_TAN] = complex_tan,         [ACC_PRIM_ASIN] = complex_asin,
    [ACC_PRIM_ACOS] = complex_acos,   [ACC_PRIM_ATAN] = complex_atan,       [ACC_PRIM_SINH] = complex_sinh,
    [ACC_PRIM_COSH] = complex_cosh,   [ACC_PRIM_TANH] = complex_tanh,       [ACC_PRIM_ASINH] = complex_asinh,
    [ACC_PRIM_ACOSH] = complex_acosh, [ACC_PRIM_ATANH] = complex_atanh,
  };

  return builds[primitive];
}
