/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-error.h"
#include "acc-expr-build-private.h"

static const char *
code_of (AccExpr *expr)
{
  return acc_element_type_get_code (expr->type);
}

/* Gives owned operands their types. NULL, or a floating error. */
static AccExpr *
settle_operands (AccPrimitive  primitive,
                 AccExpr     **args,
                 guint         n)
{
  const AccPrimitiveInfo *info = acc_primitive_get_info (primitive);
  AccElementType *f64 = acc_element_type_new (ACC_KIND_F64);
  AccElementType *type = NULL;

  if (info->operands == ACC_OPERANDS_SHIFT)
    {
      _acc_expr_settle_slot (&args[0], NULL);
      if (!_acc_expr_to_index (&args[1]) && !_acc_expr_is_error (args[1]))
        return acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s: the amount is %s, not an integer", info->name, code_of (args[1]));
      return NULL;
    }

  for (guint i = 0; i < n && type == NULL; i++)
    if (!args[i]->weak)
      type = args[i]->type;
  for (guint i = 0; i < n && type == NULL; i++)
    if (info->operands == ACC_OPERANDS_FLOAT || args[i]->type == f64)
      type = f64;
  for (guint i = 0; i < n; i++)
    _acc_expr_settle_slot (&args[i], type);
  return NULL;
}

AccExpr *
acc_expr_new_primitive (AccPrimitive   primitive,
                        AccExpr      **operands)
{
  const AccPrimitiveInfo *info = acc_primitive_get_info (primitive);
  AccExpr *args[2] = { operands[0], info->arity > 1 ? operands[1] : NULL };
  AccExpr *error = _acc_expr_adopt (args, info->arity);

  if (error != NULL)
    return error;

  error = settle_operands (primitive, args, info->arity);
  for (guint i = 0; i < info->arity && error == NULL; i++)
    if (_acc_expr_is_error (args[i]))
      error = acc_expr_new_error_literal (args[i]->error->code, "%s: %s", info->name, args[i]->error->message);

  AccElementKind kind = error ? ACC_KIND_BOOL : acc_element_type_get_kind (args[0]->type);
  if (error == NULL && info->arity > 1 && info->operands != ACC_OPERANDS_SHIFT && args[0]->type != args[1]->type)
    error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s: %s and %s differ; convert one with cast", info->name, code_of (args[0]),
                                        code_of (args[1]));
  if (error == NULL && !acc_primitive_accepts (primitive, kind))
    error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s does not take %s", info->name, code_of (args[0]));
  if (error != NULL)
    {
      _acc_expr_drop (args, info->arity);
      return error;
    }

  AccExpr *result = _acc_expr_alloc (ACC_EXPR_PRIMITIVE, acc_element_type_new (acc_primitive_result (primitive, kind)), info->arity);
  result->primitive = primitive;
  for (guint i = 0; i < info->arity; i++)
    result->args[i] = args[i];
  return result;
}

static AccExpr *
binary (AccPrimitive primitive,
        AccExpr     *a,
        AccExpr     *b)
{
  return acc_expr_new_primitive (primitive, (AccExpr *[]) { a, b });
}

static AccExpr *
unary (AccPrimitive primitive,
       AccExpr     *a)
{
  return acc_expr_new_primitive (primitive, (AccExpr *[]) { a });
}

/* --- tuples are compared lexicographically */

static gboolean
is_tuple (AccExpr *expr)
{
  return expr != NULL && expr->type != NULL && acc_element_type_is_tuple (expr->type);
}

static AccExpr *compare_tuples (AccPrimitive primitive, AccExpr *a, AccExpr *b);

static AccExpr *
ordered (AccPrimitive primitive,
         AccExpr     *a,
         AccExpr     *b)
{
  return is_tuple (a) && is_tuple (b) ? compare_tuples (primitive, a, b) : binary (primitive, a, b);
}

/* @a and @b are tuples. From the last item to the first: a strict order decides, equality leaves it to what follows. */
static AccExpr *
compare_tuples (AccPrimitive primitive,
                AccExpr     *a,
                AccExpr     *b)
{
  AccExpr *args[] = { a, b };
  AccExpr *error = _acc_expr_adopt (args, 2);

  if (error != NULL)
    return error;
  if (args[0]->weak)
    _acc_expr_settle_slot (&args[0], args[1]->weak ? NULL : args[1]->type);
  if (args[1]->weak)
    _acc_expr_settle_slot (&args[1], args[0]->type);
  if (_acc_expr_is_error (args[0]) || _acc_expr_is_error (args[1]))
    return _acc_expr_fail (_acc_expr_is_error (args[0]) ? args[0] : args[1], args, 2);
  if (args[0]->type != args[1]->type)
    {
      error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s: %s and %s differ", acc_primitive_get_info (primitive)->name,
                                          code_of (args[0]), code_of (args[1]));
      _acc_expr_drop (args, 2);
      return error;
    }

  guint n = acc_element_type_get_n_items (args[0]->type);
  gboolean equality = primitive == ACC_PRIM_EQ || primitive == ACC_PRIM_NE;
  AccPrimitive strict = primitive == ACC_PRIM_LE ? ACC_PRIM_LT : primitive == ACC_PRIM_GE ? ACC_PRIM_GT : primitive;
  AccExpr *result = acc_expr_new_bool (primitive == ACC_PRIM_EQ || primitive == ACC_PRIM_LE || primitive == ACC_PRIM_GE);

  for (guint i = n; i-- > 0;)
    {
      g_autoptr (AccExpr) x = acc_expr_ref_sink (acc_expr_item (args[0], i));
      g_autoptr (AccExpr) y = acc_expr_ref_sink (acc_expr_item (args[1], i));

      if (equality)
        result = binary (primitive == ACC_PRIM_EQ ? ACC_PRIM_BAND : ACC_PRIM_BOR, ordered (primitive, x, y), result);
      else if (i == n - 1)
        {
          acc_expr_unref (acc_expr_ref_sink (result));
          result = ordered (primitive, x, y);
        }
      else
        result = binary (ACC_PRIM_BOR, ordered (strict, x, y), binary (ACC_PRIM_BAND, ordered (ACC_PRIM_EQ, x, y), result));
    }

  _acc_expr_drop (args, 2);
  return result;
}

/* min and max of tuples choose one of them whole. */
static AccExpr *
choose (AccPrimitive order,
        AccPrimitive primitive,
        AccExpr     *a,
        AccExpr     *b)
{
  if (!is_tuple (a) || !is_tuple (b))
    return binary (primitive, a, b);

  g_autoptr (AccExpr) x = acc_expr_ref_sink (a);
  g_autoptr (AccExpr) y = acc_expr_ref_sink (b);

  return acc_expr_cond (compare_tuples (order, x, y), x, y);
}

/**
 * acc_expr_add:
 * @a: an operand
 * @b: an operand
 *
 * The sum; integers wrap.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_add (AccExpr *a,
              AccExpr *b)
{
  return binary (ACC_PRIM_ADD, a, b);
}

/**
 * acc_expr_sub:
 * @a: an operand
 * @b: an operand
 *
 * The difference; integers wrap.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_sub (AccExpr *a,
              AccExpr *b)
{
  return binary (ACC_PRIM_SUB, a, b);
}

/**
 * acc_expr_mul:
 * @a: an operand
 * @b: an operand
 *
 * The product; integers wrap.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_mul (AccExpr *a,
              AccExpr *b)
{
  return binary (ACC_PRIM_MUL, a, b);
}

/**
 * acc_expr_quot:
 * @a: an operand
 * @b: an operand
 *
 * Integer quotient, rounded towards zero. Division by zero is %ACC_ERROR_ARITHMETIC when it is run, 0 where checks are
 * off; the least value by -1 likewise, the dividend where checks are off.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_quot (AccExpr *a,
               AccExpr *b)
{
  return binary (ACC_PRIM_QUOT, a, b);
}

/**
 * acc_expr_rem:
 * @a: an operand
 * @b: an operand
 *
 * Remainder of acc_expr_quot(), with the sign of the dividend. Errors as there; 0 where checks are off.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_rem (AccExpr *a,
              AccExpr *b)
{
  return binary (ACC_PRIM_REM, a, b);
}

/**
 * acc_expr_div:
 * @a: an operand
 * @b: an operand
 *
 * Integer quotient, rounded down. Errors as for acc_expr_quot().
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_div (AccExpr *a,
              AccExpr *b)
{
  return binary (ACC_PRIM_DIV, a, b);
}

/**
 * acc_expr_mod:
 * @a: an operand
 * @b: an operand
 *
 * Remainder of acc_expr_div(), with the sign of the divisor. Errors as for acc_expr_quot().
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_mod (AccExpr *a,
              AccExpr *b)
{
  return binary (ACC_PRIM_MOD, a, b);
}

/**
 * acc_expr_band:
 * @a: an operand
 * @b: an operand
 *
 * Bitwise and; of b1: both, both sides evaluated.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_band (AccExpr *a,
               AccExpr *b)
{
  return binary (ACC_PRIM_BAND, a, b);
}

/**
 * acc_expr_bor:
 * @a: an operand
 * @b: an operand
 *
 * Bitwise or; of b1: either, both sides evaluated.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_bor (AccExpr *a,
              AccExpr *b)
{
  return binary (ACC_PRIM_BOR, a, b);
}

/**
 * acc_expr_bxor:
 * @a: an operand
 * @b: an operand
 *
 * Bitwise exclusive or.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_bxor (AccExpr *a,
               AccExpr *b)
{
  return binary (ACC_PRIM_BXOR, a, b);
}

/**
 * acc_expr_shl:
 * @a: an operand
 * @b: an operand
 *
 * Bits shifted left by @b, any integer; to the right where it is negative; 0 beyond the width.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_shl (AccExpr *a,
              AccExpr *b)
{
  return binary (ACC_PRIM_SHL, a, b);
}

/**
 * acc_expr_shr:
 * @a: an operand
 * @b: an operand
 *
 * Bits shifted right by @b, signed values keeping their sign; to the left where it is negative; 0 or sign bits beyond
 * the width.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_shr (AccExpr *a,
              AccExpr *b)
{
  return binary (ACC_PRIM_SHR, a, b);
}

/**
 * acc_expr_rotl:
 * @a: an operand
 * @b: an operand
 *
 * Bits rotated left by @b modulo the width.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_rotl (AccExpr *a,
               AccExpr *b)
{
  return binary (ACC_PRIM_ROTL, a, b);
}

/**
 * acc_expr_rotr:
 * @a: an operand
 * @b: an operand
 *
 * Bits rotated right by @b modulo the width.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_rotr (AccExpr *a,
               AccExpr *b)
{
  return binary (ACC_PRIM_ROTR, a, b);
}

/**
 * acc_expr_fdiv:
 * @a: an operand
 * @b: an operand
 *
 * Floating-point quotient, IEEE.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_fdiv (AccExpr *a,
               AccExpr *b)
{
  return binary (ACC_PRIM_FDIV, a, b);
}

/**
 * acc_expr_pow:
 * @a: an operand
 * @b: an operand
 *
 * @a to the power of @b, with the special cases of C99.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_pow (AccExpr *a,
              AccExpr *b)
{
  return binary (ACC_PRIM_POW, a, b);
}

/**
 * acc_expr_logbase:
 * @a: an operand
 * @b: an operand
 *
 * Logarithm of @b to the base @a.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_logbase (AccExpr *a,
                  AccExpr *b)
{
  return binary (ACC_PRIM_LOGBASE, a, b);
}

/**
 * acc_expr_atan2:
 * @a: an operand
 * @b: an operand
 *
 * Angle of the point (@b, @a), from -π to π, with the special cases of C99.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_atan2 (AccExpr *a,
                AccExpr *b)
{
  return binary (ACC_PRIM_ATAN2, a, b);
}

/**
 * acc_expr_lt:
 * @a: a scalar or a tuple
 * @b: one of the same type
 *
 * Whether @a < @b. Tuples are compared lexicographically; any comparison with NaN but acc_expr_ne() is false.
 *
 * Returns: (transfer none): a b1
 */
AccExpr *
acc_expr_lt (AccExpr *a,
             AccExpr *b)
{
  return ordered (ACC_PRIM_LT, a, b);
}

/**
 * acc_expr_gt:
 * @a: a scalar or a tuple
 * @b: one of the same type
 *
 * Whether @a > @b. Tuples are compared lexicographically; any comparison with NaN but acc_expr_ne() is false.
 *
 * Returns: (transfer none): a b1
 */
AccExpr *
acc_expr_gt (AccExpr *a,
             AccExpr *b)
{
  return ordered (ACC_PRIM_GT, a, b);
}

/**
 * acc_expr_le:
 * @a: a scalar or a tuple
 * @b: one of the same type
 *
 * Whether @a <= @b. Tuples are compared lexicographically; any comparison with NaN but acc_expr_ne() is false.
 *
 * Returns: (transfer none): a b1
 */
AccExpr *
acc_expr_le (AccExpr *a,
             AccExpr *b)
{
  return ordered (ACC_PRIM_LE, a, b);
}

/**
 * acc_expr_ge:
 * @a: a scalar or a tuple
 * @b: one of the same type
 *
 * Whether @a >= @b. Tuples are compared lexicographically; any comparison with NaN but acc_expr_ne() is false.
 *
 * Returns: (transfer none): a b1
 */
AccExpr *
acc_expr_ge (AccExpr *a,
             AccExpr *b)
{
  return ordered (ACC_PRIM_GE, a, b);
}

/**
 * acc_expr_eq:
 * @a: a scalar or a tuple
 * @b: one of the same type
 *
 * Whether @a = @b. Tuples are compared lexicographically; any comparison with NaN but acc_expr_ne() is false.
 *
 * Returns: (transfer none): a b1
 */
AccExpr *
acc_expr_eq (AccExpr *a,
             AccExpr *b)
{
  return ordered (ACC_PRIM_EQ, a, b);
}

/**
 * acc_expr_ne:
 * @a: a scalar or a tuple
 * @b: one of the same type
 *
 * Whether @a and @b differ. Tuples are compared lexicographically; any comparison with NaN but acc_expr_ne() is false.
 *
 * Returns: (transfer none): a b1
 */
AccExpr *
acc_expr_ne (AccExpr *a,
             AccExpr *b)
{
  return ordered (ACC_PRIM_NE, a, b);
}

/**
 * acc_expr_min:
 * @a: a scalar or a tuple
 * @b: one of the same type
 *
 * The smaller of two. Where one is NaN, the other (IEEE minNum); tuples by lexicographic order.
 *
 * Returns: (transfer none): one of the two
 */
AccExpr *
acc_expr_min (AccExpr *a,
              AccExpr *b)
{
  return choose (ACC_PRIM_LE, ACC_PRIM_MIN, a, b);
}

/**
 * acc_expr_max:
 * @a: a scalar or a tuple
 * @b: one of the same type
 *
 * The larger of two. Where one is NaN, the other (IEEE maxNum); tuples by lexicographic order.
 *
 * Returns: (transfer none): one of the two
 */
AccExpr *
acc_expr_max (AccExpr *a,
              AccExpr *b)
{
  return choose (ACC_PRIM_GE, ACC_PRIM_MAX, a, b);
}

/**
 * acc_expr_neg:
 * @a: an operand
 *
 * The negative; integers wrap.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_neg (AccExpr *a)
{
  return unary (ACC_PRIM_NEG, a);
}

/**
 * acc_expr_abs:
 * @a: an operand
 *
 * The magnitude; of the least integer: itself.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_abs (AccExpr *a)
{
  return unary (ACC_PRIM_ABS, a);
}

/**
 * acc_expr_signum:
 * @a: an operand
 *
 * -1, 0 or 1 by sign; floats keep NaN and signed zero.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_signum (AccExpr *a)
{
  return unary (ACC_PRIM_SIGNUM, a);
}

/**
 * acc_expr_bnot:
 * @a: an operand
 *
 * Bitwise complement; of b1: not.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_bnot (AccExpr *a)
{
  return unary (ACC_PRIM_BNOT, a);
}

/**
 * acc_expr_popcount:
 * @a: an operand
 *
 * Number of bits that are set, an i8.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_popcount (AccExpr *a)
{
  return unary (ACC_PRIM_POPCOUNT, a);
}

/**
 * acc_expr_clz:
 * @a: an operand
 *
 * Number of zero bits before the first that is set, an i8; the width for 0.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_clz (AccExpr *a)
{
  return unary (ACC_PRIM_CLZ, a);
}

/**
 * acc_expr_ctz:
 * @a: an operand
 *
 * Number of zero bits after the last that is set, an i8; the width for 0.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_ctz (AccExpr *a)
{
  return unary (ACC_PRIM_CTZ, a);
}

/**
 * acc_expr_recip:
 * @a: an operand
 *
 * 1 / @a.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_recip (AccExpr *a)
{
  return unary (ACC_PRIM_RECIP, a);
}

/**
 * acc_expr_sin:
 * @a: an operand
 *
 * Sine, of radians.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_sin (AccExpr *a)
{
  return unary (ACC_PRIM_SIN, a);
}

/**
 * acc_expr_cos:
 * @a: an operand
 *
 * Cosine, of radians.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_cos (AccExpr *a)
{
  return unary (ACC_PRIM_COS, a);
}

/**
 * acc_expr_tan:
 * @a: an operand
 *
 * Tangent, of radians.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_tan (AccExpr *a)
{
  return unary (ACC_PRIM_TAN, a);
}

/**
 * acc_expr_asin:
 * @a: an operand
 *
 * Inverse sine, in radians; NaN outside [-1, 1].
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_asin (AccExpr *a)
{
  return unary (ACC_PRIM_ASIN, a);
}

/**
 * acc_expr_acos:
 * @a: an operand
 *
 * Inverse cosine, in radians; NaN outside [-1, 1].
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_acos (AccExpr *a)
{
  return unary (ACC_PRIM_ACOS, a);
}

/**
 * acc_expr_atan:
 * @a: an operand
 *
 * Inverse tangent, in radians.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_atan (AccExpr *a)
{
  return unary (ACC_PRIM_ATAN, a);
}

/**
 * acc_expr_sinh:
 * @a: an operand
 *
 * Hyperbolic sine.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_sinh (AccExpr *a)
{
  return unary (ACC_PRIM_SINH, a);
}

/**
 * acc_expr_cosh:
 * @a: an operand
 *
 * Hyperbolic cosine.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_cosh (AccExpr *a)
{
  return unary (ACC_PRIM_COSH, a);
}

/**
 * acc_expr_tanh:
 * @a: an operand
 *
 * Hyperbolic tangent.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_tanh (AccExpr *a)
{
  return unary (ACC_PRIM_TANH, a);
}

/**
 * acc_expr_asinh:
 * @a: an operand
 *
 * Inverse hyperbolic sine.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_asinh (AccExpr *a)
{
  return unary (ACC_PRIM_ASINH, a);
}

/**
 * acc_expr_acosh:
 * @a: an operand
 *
 * Inverse hyperbolic cosine; NaN below 1.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_acosh (AccExpr *a)
{
  return unary (ACC_PRIM_ACOSH, a);
}

/**
 * acc_expr_atanh:
 * @a: an operand
 *
 * Inverse hyperbolic tangent; NaN outside [-1, 1].
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_atanh (AccExpr *a)
{
  return unary (ACC_PRIM_ATANH, a);
}

/**
 * acc_expr_exp:
 * @a: an operand
 *
 * e to the power of @a.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_exp (AccExpr *a)
{
  return unary (ACC_PRIM_EXP, a);
}

/**
 * acc_expr_sqrt:
 * @a: an operand
 *
 * Square root, correctly rounded; NaN below 0.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_sqrt (AccExpr *a)
{
  return unary (ACC_PRIM_SQRT, a);
}

/**
 * acc_expr_log:
 * @a: an operand
 *
 * Natural logarithm; minus infinity at 0, NaN below.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_log (AccExpr *a)
{
  return unary (ACC_PRIM_LOG, a);
}

/**
 * acc_expr_truncate:
 * @a: an operand
 *
 * The nearest integer towards 0, as a float.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_truncate (AccExpr *a)
{
  return unary (ACC_PRIM_TRUNCATE, a);
}

/**
 * acc_expr_round:
 * @a: an operand
 *
 * The nearest integer, as a float; ties to even.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_round (AccExpr *a)
{
  return unary (ACC_PRIM_ROUND, a);
}

/**
 * acc_expr_floor:
 * @a: an operand
 *
 * The greatest integer not above, as a float.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_floor (AccExpr *a)
{
  return unary (ACC_PRIM_FLOOR, a);
}

/**
 * acc_expr_ceiling:
 * @a: an operand
 *
 * The least integer not below, as a float.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_ceiling (AccExpr *a)
{
  return unary (ACC_PRIM_CEILING, a);
}

/**
 * acc_expr_is_nan:
 * @a: an operand
 *
 * Whether it is NaN, a b1.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_is_nan (AccExpr *a)
{
  return unary (ACC_PRIM_IS_NAN, a);
}

/**
 * acc_expr_is_inf:
 * @a: an operand
 *
 * Whether it is infinite, a b1.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_is_inf (AccExpr *a)
{
  return unary (ACC_PRIM_IS_INF, a);
}
