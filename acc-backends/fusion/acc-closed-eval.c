/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-closed-eval.h"

#include <math.h>
#include <string.h>

#include "acc-core/acc-error.h"
#include "acc-function-facts.h"

/* Scalars are kept as AccExpr keeps literals: signed kinds and bool in i, unsigned ones in u, floats in f. */

typedef struct {
  const AccClosedContext *context;
  GPtrArray              *scopes;   /* GHashTable: AccExpr → AccScalar per leaf; the innermost last */
  GError                **error;
} Evaluator;

static AccScalar *evaluate (Evaluator *self, AccExpr *expr);

static guint
get_bits (AccElementKind kind)
{
  return kind == ACC_KIND_BOOL ? 1 : acc_element_kind_get_size (kind) * 8;
}

static AccScalar
normalise (AccElementKind kind,
           AccScalar      x)
{
  guint bits = get_bits (kind);

  if (kind == ACC_KIND_F32 || kind == ACC_KIND_F16)
    x.f = (float) x.f;
  else if (!acc_element_kind_is_float (kind) && bits < 64)
    {
      if (acc_element_kind_is_signed (kind))
        x.i = (gint64) (x.u << (64 - bits)) >> (64 - bits);
      else
        x.u &= (G_GUINT64_CONSTANT (1) << bits) - 1;
    }

  return x;
}

static AccScalar
cast (AccElementKind from,
      AccElementKind to,
      AccScalar      x)
{
  gboolean is_signed = acc_element_kind_is_signed (from);
  AccScalar result = x;

  if (from == to)
    return x;
  if (to == ACC_KIND_BOOL)
    return (AccScalar) { .i = acc_element_kind_is_float (from) ? x.f != 0 : x.i != 0 };
  if (acc_element_kind_is_float (to))
    {
      if (!acc_element_kind_is_float (from))
        result.f = is_signed || from == ACC_KIND_BOOL ? (double) x.i : (double) x.u;
      return normalise (to, result);
    }
  if (!acc_element_kind_is_float (from))
    return normalise (to, x);

  if (isnan (x.f))
    result.i = 0;
  else if (acc_element_kind_is_signed (to))
    {
      double limit = ldexp (1, get_bits (to) - 1);

      result.i = x.f >= limit ? (gint64) ((G_GUINT64_CONSTANT (1) << (get_bits (to) - 1)) - 1)
                 : x.f < -limit ? -(gint64) ((G_GUINT64_CONSTANT (1) << (get_bits (to) - 1)) - 1) - 1 : (gint64) x.f;
    }
  else
    {
      double limit = ldexp (1, get_bits (to));

      result.u = x.f >= limit ? G_MAXUINT64 >> (64 - get_bits (to)) : x.f <= 0 ? 0 : (guint64) x.f;
    }

  return result;
}

static double
float_primitive (AccPrimitive primitive,
                 double       x,
                 double       y)
{
  switch ((int) primitive)
    {
    case ACC_PRIM_ADD: return x + y;
    case ACC_PRIM_SUB: return x - y;
    case ACC_PRIM_MUL: return x * y;
    case ACC_PRIM_NEG: return -x;
    case ACC_PRIM_ABS: return fabs (x);
    case ACC_PRIM_SIGNUM: return x > 0 ? 1 : x < 0 ? -1 : x;
    case ACC_PRIM_FDIV: return x / y;
    case ACC_PRIM_RECIP: return 1 / x;
    case ACC_PRIM_SIN: return sin (x);
    case ACC_PRIM_COS: return cos (x);
    case ACC_PRIM_TAN: return tan (x);
    case ACC_PRIM_ASIN: return asin (x);
    case ACC_PRIM_ACOS: return acos (x);
    case ACC_PRIM_ATAN: return atan (x);
    case ACC_PRIM_SINH: return sinh (x);
    case ACC_PRIM_COSH: return cosh (x);
    case ACC_PRIM_TANH: return tanh (x);
    case ACC_PRIM_ASINH: return asinh (x);
    case ACC_PRIM_ACOSH: return acosh (x);
    case ACC_PRIM_ATANH: return atanh (x);
    case ACC_PRIM_EXP: return exp (x);
    case ACC_PRIM_SQRT: return sqrt (x);
    case ACC_PRIM_LOG: return log (x);
    case ACC_PRIM_POW: return pow (x, y);
    case ACC_PRIM_LOGBASE: return log (y) / log (x);
    case ACC_PRIM_ATAN2: return atan2 (x, y);
    case ACC_PRIM_TRUNCATE: return trunc (x);
    case ACC_PRIM_ROUND: return rint (x);
    case ACC_PRIM_FLOOR: return floor (x);
    case ACC_PRIM_CEILING: return ceil (x);
    case ACC_PRIM_MIN: return fmin (x, y);
    case ACC_PRIM_MAX: return fmax (x, y);
    default: return 0;
    }
}

static gboolean
divide (Evaluator     *self,
        AccPrimitive   primitive,
        AccElementKind kind,
        AccScalar      x,
        AccScalar      y,
        AccScalar     *result)
{
  gboolean is_signed = acc_element_kind_is_signed (kind);
  gint64 quotient, remainder;

  if (is_signed && y.i == -1 && (primitive == ACC_PRIM_REM || primitive == ACC_PRIM_MOD))
    {
      result->i = 0;
      return TRUE;
    }
  if (y.u == 0 || (is_signed && y.i == -1 && x.i == (gint64) (G_MAXUINT64 << (get_bits (kind) - 1))))
    {
      g_set_error (self->error, ACC_ERROR, ACC_ERROR_ARITHMETIC, y.u == 0 ? "division by zero" : "division overflows");
      return FALSE;
    }

  if (!is_signed)
    {
      result->u = primitive == ACC_PRIM_QUOT || primitive == ACC_PRIM_DIV ? x.u / y.u : x.u % y.u;
      return TRUE;
    }

  quotient = x.i / y.i;
  remainder = x.i % y.i;
  if ((primitive == ACC_PRIM_DIV || primitive == ACC_PRIM_MOD) && remainder != 0 && (remainder < 0) != (y.i < 0))
    {
      quotient--;
      remainder += y.i;
    }
  result->i = primitive == ACC_PRIM_QUOT || primitive == ACC_PRIM_DIV ? quotient : remainder;

  return TRUE;
}

static AccScalar
shift (AccPrimitive   primitive,
       AccElementKind kind,
       AccScalar      x,
       gint64         amount)
{
  guint bits = get_bits (kind);
  guint64 mask = G_MAXUINT64 >> (64 - bits), u = x.u & mask;

  if (primitive == ACC_PRIM_ROTL || primitive == ACC_PRIM_ROTR)
    {
      guint n = (guint) (((primitive == ACC_PRIM_ROTL ? amount % bits : -(amount % bits)) + bits) % bits);

      return (AccScalar) { .u = n == 0 ? u : (u << n | u >> (bits - n)) };
    }

  if (primitive == ACC_PRIM_SHR)
    amount = amount == G_MININT64 ? G_MAXINT64 : -amount;
  if (amount >= (gint64) bits)
    return (AccScalar) { .u = 0 };
  if (amount >= 0)
    return (AccScalar) { .u = u << amount };
  amount = MIN (-(amount + 1), 62) + 1;
  if (acc_element_kind_is_signed (kind))
    return (AccScalar) { .i = x.i >> amount };

  return (AccScalar) { .u = amount >= (gint64) bits ? 0 : u >> amount };
}

static int
compare (AccElementKind kind,
         AccScalar      x,
         AccScalar      y)
{
  if (acc_element_kind_is_float (kind))
    return isnan (x.f) || isnan (y.f) ? 2 : (x.f > y.f) - (x.f < y.f);
  if (acc_element_kind_is_signed (kind))
    return (x.i > y.i) - (x.i < y.i);

  return (x.u > y.u) - (x.u < y.u);
}

static gboolean
apply (Evaluator     *self,
       AccPrimitive   primitive,
       AccElementKind kind,
       AccScalar      x,
       AccScalar      y,
       AccScalar     *result)
{
  guint bits = get_bits (kind);
  guint64 u = x.u & G_MAXUINT64 >> (64 - bits);
  int order = acc_primitive_get_info (primitive)->arity == 2 ? compare (kind, x, y) : 0;

  *result = x;
  switch ((int) primitive)
    {
    case ACC_PRIM_LT: result->i = order == -1; return TRUE;
    case ACC_PRIM_GT: result->i = order == 1; return TRUE;
    case ACC_PRIM_LE: result->i = order == -1 || order == 0; return TRUE;
    case ACC_PRIM_GE: result->i = order == 1 || order == 0; return TRUE;
    case ACC_PRIM_EQ: result->i = order == 0; return TRUE;
    case ACC_PRIM_NE: result->i = order != 0; return TRUE;
    case ACC_PRIM_IS_NAN: result->i = isnan (x.f) != 0; return TRUE;
    case ACC_PRIM_IS_INF: result->i = isinf (x.f) != 0; return TRUE;
    case ACC_PRIM_POPCOUNT: result->i = __builtin_popcountll (u); return TRUE;
    case ACC_PRIM_CLZ: result->i = u == 0 ? bits : (guint) __builtin_clzll (u) - (64 - bits); return TRUE;
    case ACC_PRIM_CTZ: result->i = u == 0 ? bits : (guint) __builtin_ctzll (u); return TRUE;
    default: break;
    }

  if (acc_element_kind_is_float (kind))
    {
      result->f = float_primitive (primitive, x.f, y.f);
      *result = normalise (kind, *result);
      return TRUE;
    }

  switch ((int) primitive)
    {
    case ACC_PRIM_ADD: result->u = x.u + y.u; break;
    case ACC_PRIM_SUB: result->u = x.u - y.u; break;
    case ACC_PRIM_MUL: result->u = x.u * y.u; break;
    case ACC_PRIM_NEG: result->u = 0 - x.u; break;
    case ACC_PRIM_ABS: result->u = acc_element_kind_is_signed (kind) && x.i < 0 ? 0 - x.u : x.u; break;
    case ACC_PRIM_SIGNUM: result->i = acc_element_kind_is_signed (kind) ? (x.i > 0) - (x.i < 0) : x.u != 0; break;
    case ACC_PRIM_QUOT:
    case ACC_PRIM_REM:
    case ACC_PRIM_DIV:
    case ACC_PRIM_MOD:
      if (!divide (self, primitive, kind, x, y, result))
        return FALSE;
      break;
    case ACC_PRIM_BAND: result->u = x.u & y.u; break;
    case ACC_PRIM_BOR: result->u = x.u | y.u; break;
    case ACC_PRIM_BXOR: result->u = x.u ^ y.u; break;
    case ACC_PRIM_BNOT: result->u = ~x.u; break;
    case ACC_PRIM_SHL:
    case ACC_PRIM_SHR:
    case ACC_PRIM_ROTL:
    case ACC_PRIM_ROTR:
      *result = shift (primitive, kind, x, y.i);
      break;
    case ACC_PRIM_MIN: *result = order <= 0 ? x : y; break;
    case ACC_PRIM_MAX: *result = order >= 0 ? x : y; break;
    default: break;
    }
  *result = normalise (kind, *result);

  return TRUE;
}

static double
half_to_double (guint16 half)
{
  int exponent = half >> 10 & 0x1f;
  double fraction = half & 0x3ff;
  double value = exponent == 0x1f ? (fraction ? NAN : INFINITY)
                 : exponent ? ldexp (1024 + fraction, exponent - 25) : ldexp (fraction, -24);

  return half & 0x8000 ? -value : value;
}

guint16
acc_half_from_double (double value)
{
  guint16 sign = signbit (value) ? 0x8000 : 0;
  int exponent;
  double scaled;

  value = fabs (value);
  if (isnan (value))
    return 0x7e00;
  if (value >= 65520)
    return sign | 0x7c00;
  if (value < ldexp (1, -14))
    return sign | (guint16) rint (ldexp (value, 24));
  scaled = rint (ldexp (frexp (value, &exponent), 11));
  if (scaled == 2048)
    {
      scaled = 1024;
      exponent++;
    }

  return sign | (guint16) ((exponent + 14) << 10 | ((int) scaled & 0x3ff));
}

static AccScalar
load (AccElementKind kind,
      gconstpointer  data,
      gint64         index)
{
  switch (kind)
    {
    case ACC_KIND_BOOL: return (AccScalar) { .i = ((const guint8 *) data)[index] != 0 };
    case ACC_KIND_I8: return (AccScalar) { .i = ((const gint8 *) data)[index] };
    case ACC_KIND_I16: return (AccScalar) { .i = ((const gint16 *) data)[index] };
    case ACC_KIND_I32: return (AccScalar) { .i = ((const gint32 *) data)[index] };
    case ACC_KIND_I64: return (AccScalar) { .i = ((const gint64 *) data)[index] };
    case ACC_KIND_U8: return (AccScalar) { .u = ((const guint8 *) data)[index] };
    case ACC_KIND_U16: return (AccScalar) { .u = ((const guint16 *) data)[index] };
    case ACC_KIND_U32: return (AccScalar) { .u = ((const guint32 *) data)[index] };
    case ACC_KIND_U64: return (AccScalar) { .u = ((const guint64 *) data)[index] };
    case ACC_KIND_F16: return (AccScalar) { .f = half_to_double (((const guint16 *) data)[index]) };
    case ACC_KIND_F32: return (AccScalar) { .f = ((const float *) data)[index] };
    case ACC_KIND_F64: return (AccScalar) { .f = ((const double *) data)[index] };
    case ACC_KIND_TUPLE:
    case ACC_KIND_COMPLEX:
    case ACC_KIND_VECTOR:
    default: return (AccScalar) { .i = 0 };
    }
}

static gboolean
read_element (Evaluator *self,
              AccExpr   *expr,
              AccScalar *index,
              AccScalar *result)
{
  AccArray *data = self->context->find_data (expr->array, self->context->user_data);
  guint n_leaves = acc_element_type_get_n_leaves (expr->type);
  const gint64 *extents;
  gint64 linear = 0, size;
  guint rank;

  if (data == NULL)
    {
      g_set_error (self->error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "it depends on elements that are not computed yet");
      return FALSE;
    }

  extents = acc_shape_get_extents (data->shape, &rank);
  size = acc_shape_get_size (data->shape);
  if (expr->kind == ACC_EXPR_LINEAR_INDEX)
    {
      linear = index[0].i;
      if (linear < 0 || linear >= size)
        goto outside;
    }
  else
    {
      for (guint d = 0; d < rank; d++)
        {
          if (index[d].i < 0 || index[d].i >= extents[d])
            goto outside;
          linear = linear * extents[d] + index[d].i;
        }
    }

  for (guint i = 0; i < n_leaves; i++)
    {
      const AccLeafPlace *place = acc_element_type_locate (expr->type, i);
      gpointer elements = acc_buffer_map (data->buffers[place->buffer], self->error);

      if (elements == NULL)
        return FALSE;
      result[i] = load (place->kind, elements, linear * place->lanes + place->lane);
    }
  return TRUE;

outside:
  g_set_error (self->error, ACC_ERROR, ACC_ERROR_BOUNDS, "an index is outside an array");
  return FALSE;
}

static AccScalar *
find_known (Evaluator *self,
            AccExpr   *expr)
{
  for (guint i = self->scopes->len; i-- > 0; )
    {
      AccScalar *known = g_hash_table_lookup (g_ptr_array_index (self->scopes, i), expr);

      if (known != NULL)
        return known;
    }

  return NULL;
}

static void
keep (Evaluator *self,
      AccExpr   *expr,
      AccScalar *values)
{
  g_hash_table_replace (g_ptr_array_index (self->scopes, self->scopes->len - 1), expr, values);
}

static AccScalar *
evaluate_while (Evaluator *self,
                AccExpr   *expr)
{
  guint n = MAX (acc_element_type_get_n_leaves (expr->type), 1);
  AccScalar *initial = evaluate (self, expr->args[0]);
  g_autofree AccScalar *state = initial ? g_memdup2 (initial, n * sizeof (AccScalar)) : NULL;
  gboolean running = state != NULL;

  while (running)
    {
      AccScalar *condition, *next;

      g_ptr_array_add (self->scopes, g_hash_table_new_full (NULL, NULL, NULL, g_free));
      keep (self, expr->functions[0]->params[0], g_memdup2 (state, n * sizeof (AccScalar)));
      keep (self, expr->functions[1]->params[0], g_memdup2 (state, n * sizeof (AccScalar)));
      condition = evaluate (self, expr->functions[0]->body);
      running = condition != NULL && condition[0].i;
      next = running ? evaluate (self, expr->functions[1]->body) : NULL;
      if (condition == NULL || (running && next == NULL))
        {
          g_clear_pointer (&state, g_free);
          running = FALSE;
        }
      if (next != NULL)
        memcpy (state, next, n * sizeof (AccScalar));
      g_ptr_array_remove_index (self->scopes, self->scopes->len - 1);
    }

  return g_steal_pointer (&state);
}

static gboolean
evaluate_into (Evaluator *self,
               AccExpr   *expr,
               AccScalar *result)
{
  guint n = acc_element_type_get_n_leaves (expr->type);
  AccElementKind kind = expr->n_args > 0 && acc_element_type_is_scalar (expr->args[0]->type)
                          ? acc_element_type_get_kind (expr->args[0]->type) : ACC_KIND_BOOL;
  AccScalar *args[3] = { NULL };

  if (expr->kind == ACC_EXPR_COND)
    {
      AccScalar *condition = evaluate (self, expr->args[0]);

      if (condition == NULL || !(args[0] = evaluate (self, expr->args[condition[0].i ? 1 : 2])))
        return FALSE;
      memcpy (result, args[0], n * sizeof (AccScalar));
      return TRUE;
    }

  for (guint i = 0; i < MIN (expr->n_args, 3) && expr->kind != ACC_EXPR_TUPLE; i++)
    if (!(args[i] = evaluate (self, expr->args[i])))
      return FALSE;

  switch (expr->kind)
    {
    case ACC_EXPR_LITERAL:
      result[0] = expr->value;
      return TRUE;
    case ACC_EXPR_PRIMITIVE:
      return apply (self, expr->primitive, kind, args[0][0], expr->n_args > 1 ? args[1][0] : args[0][0], result);
    case ACC_EXPR_CAST:
      result[0] = cast (kind, acc_element_type_get_kind (expr->type), args[0][0]);
      return TRUE;
    case ACC_EXPR_TUPLE:
      for (guint i = 0; i < expr->n_args; i++)
        {
          AccScalar *item = evaluate (self, expr->args[i]);
          guint m = acc_element_type_get_n_leaves (expr->args[i]->type);

          if (item == NULL)
            return FALSE;
          memcpy (result, item, m * sizeof (AccScalar));
          result += m;
        }
      return TRUE;
    case ACC_EXPR_ITEM:
      memcpy (result, args[0] + acc_element_type_get_first_leaf (expr->args[0]->type, expr->item), n * sizeof (AccScalar));
      return TRUE;
    case ACC_EXPR_INDEX:
    case ACC_EXPR_LINEAR_INDEX:
      return read_element (self, expr, args[0], result);
    case ACC_EXPR_EXTENT:
      {
        const gint64 *extents = self->context->get_extents (expr->array, self->context->user_data, self->error);

        if (extents != NULL)
          result[0].i = extents[expr->item];
        return extents != NULL;
      }
    case ACC_EXPR_BITCAST:
      {
        AccElementKind to = acc_element_type_get_kind (expr->type);
        guint64 bits = args[0][0].u;
        float single = args[0][0].f;

        if (kind == ACC_KIND_F32)
          {
            guint32 bits32;

            memcpy (&bits32, &single, sizeof bits32);
            bits = bits32;
          }
        if (kind == ACC_KIND_F16)
          bits = acc_half_from_double (args[0][0].f);
        result[0].u = bits;
        if (to == ACC_KIND_F16)
          result[0].f = half_to_double (bits);
        else if (to == ACC_KIND_F32)
          {
            guint32 bits32 = bits;

            memcpy (&single, &bits32, sizeof single);
            result[0].f = single;
          }
        else if (to != ACC_KIND_F64)
          result[0] = normalise (to, result[0]);
        return TRUE;
      }
    case ACC_EXPR_VARIABLE:
    case ACC_EXPR_COND:
    case ACC_EXPR_WHILE:
    case ACC_EXPR_ERROR:
    default:
      break;
    }

  g_set_error (self->error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "it cannot be computed before the run");
  return FALSE;
}

static AccScalar *
evaluate (Evaluator *self,
          AccExpr   *expr)
{
  AccScalar *values = find_known (self, expr);

  if (values != NULL)
    return values;

  if (expr->kind == ACC_EXPR_WHILE)
    {
      values = evaluate_while (self, expr);
    }
  else
    {
      values = g_new0 (AccScalar, MAX (acc_element_type_get_n_leaves (expr->type), 1));
      if (!evaluate_into (self, expr, values))
        g_clear_pointer (&values, g_free);
    }
  if (values != NULL)
    keep (self, expr, values);

  return values;
}

gboolean
acc_closed_function_evaluate (AccFunction            *function,
                              const AccClosedContext *context,
                              gint64                 *values,
                              GError                **error)
{
  g_autoptr (GPtrArray) scopes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  Evaluator self = { context, scopes, error };
  AccScalar *result;

  g_ptr_array_add (scopes, g_hash_table_new_full (NULL, NULL, NULL, g_free));
  result = evaluate (&self, function->body);
  if (result == NULL)
    return FALSE;
  for (guint i = 0; i < acc_element_type_get_n_leaves (function->body->type); i++)
    values[i] = result[i].i;

  return TRUE;
}
