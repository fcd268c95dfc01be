/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-primitive.h"

#include <math.h>

/* Scalar primitives, as acc means them. */

typedef struct {
  AccHlo         *hlo;
  AccHloShape     shape;
  AccElementKind  kind;
} Place;

#define BINARY(place, operation, x, y)    acc_hlo_binary ((place)->hlo, operation, x, y, (place)->shape, (place)->kind)
#define UNARY(place, operation, x)        acc_hlo_unary ((place)->hlo, operation, x, (place)->shape, (place)->kind)
#define COMPARE(place, direction, x, y)   acc_hlo_compare ((place)->hlo, direction, x, y, (place)->shape, (place)->kind)
#define SELECT(place, condition, x, y)    acc_hlo_select ((place)->hlo, condition, x, y, (place)->shape, (place)->kind)
#define BOTH(place, operation, p, q)      acc_hlo_binary ((place)->hlo, operation, p, q, (place)->shape, ACC_KIND_BOOL)

static AccHloValue
make_integer (const Place *place,
              gint64       value)
{
  return acc_hlo_integer (place->hlo, place->shape, place->kind, value);
}

static AccHloValue
make_float (const Place *place,
            double       value)
{
  return acc_hlo_constant (place->hlo, place->shape, place->kind, acc_scalar_from_double (place->kind, value));
}

/* --- floats */

/* A product that is rounded before anything is added to it: compilers make one rounding of both, unless they cannot know its bits. */
static AccHloValue
multiply (const Place *place,
          AccHloValue  x,
          AccHloValue  y)
{
  AccHlo *self = place->hlo;
  AccElementKind bits = place->kind == ACC_KIND_F64 ? ACC_KIND_I64 : place->kind == ACC_KIND_F32 ? ACC_KIND_I32 : ACC_KIND_I16;
  AccHloValue product = BINARY (place, "multiply", x, y), mask;

  if (self->fast_math || self->zero == NULL)
    return product;

  mask = acc_hlo_spread (self, acc_hlo_convert (self, self->zero, ACC_HLO_SCALAR, ACC_KIND_I32, bits), place->shape, bits);
  product = acc_hlo_bitcast (self, product, place->shape, place->kind, bits);
  product = acc_hlo_binary (self, "xor", product, mask, place->shape, bits);

  return acc_hlo_bitcast (self, product, place->shape, bits, place->kind);
}

/* A NaN gives the other operand. */
static AccHloValue
choose_extreme (const Place *place,
                const char  *direction,
                AccHloValue  x,
                AccHloValue  y)
{
  AccHloValue is_nan = COMPARE (place, "NE", x, x), is_better = COMPARE (place, direction, y, x);

  return SELECT (place, BOTH (place, "or", is_nan, is_better), y, x);
}

static AccHloValue
truncate_float (const Place *place,
                AccHloValue  x)
{
  AccHloValue is_negative = COMPARE (place, "LT", x, make_float (place, 0));
  AccHloValue up = UNARY (place, "ceil", x);

  return SELECT (place, is_negative, up, UNARY (place, "floor", x));
}

/* The sign of @x for @value, which is not negative. */
static AccHloValue
copy_sign (const Place *place,
           AccHloValue  value,
           AccHloValue  x)
{
  AccHloValue zero = make_float (place, 0);

  value = SELECT (place, COMPARE (place, "LT", x, zero), UNARY (place, "negate", value), value);

  return SELECT (place, COMPARE (place, "EQ", x, zero), x, value);
}

/* sinh and cosh: CHLO's are off by as many bits as their operand has. */
static AccHloValue
write_hyperbolic (const Place *place,
                  gboolean     is_sinh,
                  AccHloValue  x)
{
  AccHloValue size = UNARY (place, "abs", x), one = make_float (place, 1), half = make_float (place, 0.5);
  AccHloValue root = UNARY (place, "exponential", BINARY (place, "multiply", size, half)), t, near, far, is_far, value;

  if (is_sinh)
    {
      t = UNARY (place, "exponential_minus_one", size);
      near = BINARY (place, "add", t, BINARY (place, "divide", t, BINARY (place, "add", t, one)));
    }
  else
    {
      t = UNARY (place, "exponential", size);
      near = BINARY (place, "add", t, BINARY (place, "divide", one, t));
    }
  far = BINARY (place, "multiply", BINARY (place, "multiply", root, half), root);
  is_far = COMPARE (place, "GT", size, make_float (place, place->kind == ACC_KIND_F16 ? 8 : 40));
  value = SELECT (place, is_far, far, BINARY (place, "multiply", near, half));

  return is_sinh ? copy_sign (place, value, x) : value;
}

/* XLA's is off by several units. */
static AccHloValue
write_tanh (const Place *place,
            AccHloValue  x)
{
  AccHloValue t;

  if (place->kind == ACC_KIND_F16)
    return UNARY (place, "tanh", x);

  t = BINARY (place, "multiply", UNARY (place, "abs", x), make_float (place, -2));
  t = UNARY (place, "exponential_minus_one", t);
  t = BINARY (place, "divide", UNARY (place, "negate", t), BINARY (place, "add", t, make_float (place, 2)));

  return copy_sign (place, t, x);
}

/* --- integers */

static AccHloValue
divide (const Place  *place,
        AccPrimitive  primitive,
        AccHloValue   x,
        AccHloValue   y)
{
  gboolean is_signed = acc_element_kind_is_signed (place->kind);
  AccHloValue zero = make_integer (place, 0), one = make_integer (place, 1);
  AccHloValue by_zero = COMPARE (place, "EQ", y, zero), is_odd = by_zero, by_minus_one = NULL, safe, quotient, rest, differs;

  if (is_signed)
    {
      by_minus_one = COMPARE (place, "EQ", y, make_integer (place, -1));
      is_odd = BOTH (place, "or", by_zero, by_minus_one);
    }
  safe = SELECT (place, is_odd, one, y);
  rest = BINARY (place, "remainder", x, safe);
  quotient = BINARY (place, "divide", x, safe);
  if (is_signed)
    quotient = SELECT (place, by_minus_one, UNARY (place, "negate", x), quotient);
  quotient = SELECT (place, by_zero, zero, quotient);
  if (!is_signed || !acc_primitive_floors (primitive))
    return acc_primitive_wants_quotient (primitive) ? quotient : rest;

  differs = BOTH (place, "xor", COMPARE (place, "LT", x, zero), COMPARE (place, "LT", y, zero));
  differs = BOTH (place, "and", differs, COMPARE (place, "NE", rest, zero));
  if (acc_primitive_wants_quotient (primitive))
    return BINARY (place, "subtract", quotient, SELECT (place, differs, one, zero));

  return BINARY (place, "add", rest, SELECT (place, differs, y, zero));
}

void
acc_hlo_division_fails (AccHlo         *self,
                        AccPrimitive    primitive,
                        AccHloValue     x,
                        AccHloValue     y,
                        AccHloShape     shape,
                        AccElementKind  kind,
                        AccHloValue    *by_zero,
                        AccHloValue    *too_large)
{
  Place place = { self, shape, kind };
  guint width = (guint) acc_element_kind_get_size (kind) * 8;
  AccHloValue is_least;

  *by_zero = COMPARE (&place, "EQ", y, make_integer (&place, 0));
  *too_large = NULL;
  if (!acc_element_kind_is_signed (kind) || !acc_primitive_wants_quotient (primitive))
    return;

  is_least = COMPARE (&place, "EQ", x, make_integer (&place, G_MININT64 >> (64 - width)));
  *too_large = BOTH (&place, "and", is_least, COMPARE (&place, "EQ", y, make_integer (&place, -1)));
}

/* By any amount, an i64: a negative one goes the other way, and one beyond the width leaves zeros or sign bits. */
static AccHloValue
shift (const Place *place,
       gboolean     is_left,
       AccHloValue  x,
       AccHloValue  amount)
{
  AccHlo *self = place->hlo;
  gint64 width = (gint64) acc_element_kind_get_size (place->kind) * 8;
  AccHloValue none = acc_hlo_integer (self, place->shape, ACC_KIND_I64, 0);
  AccHloValue is_back = acc_hlo_compare (self, "LT", amount, none, place->shape, ACC_KIND_I64);
  AccHloValue length = acc_hlo_unary (self, "abs", amount, place->shape, ACC_KIND_I64), left, right, beyond;
  AccHloValue limit = acc_hlo_integer (self, place->shape, ACC_KIND_U64, width);
  const char *to_right = acc_element_kind_is_signed (place->kind) ? "shift_right_arithmetic" : "shift_right_logical";

  length = acc_hlo_bitcast (self, length, place->shape, ACC_KIND_I64, ACC_KIND_U64);
  beyond = acc_hlo_compare (self, "GE", length, limit, place->shape, ACC_KIND_U64);
  length = acc_hlo_binary (self, "minimum", length, acc_hlo_integer (self, place->shape, ACC_KIND_U64, width - 1), place->shape,
                           ACC_KIND_U64);
  length = acc_hlo_convert (self, length, place->shape, ACC_KIND_U64, place->kind);
  left = SELECT (place, beyond, make_integer (place, 0), BINARY (place, "shift_left", x, length));
  right = BINARY (place, to_right, x, length);
  if (!acc_element_kind_is_signed (place->kind))
    right = SELECT (place, beyond, make_integer (place, 0), right);

  return is_left ? SELECT (place, is_back, right, left) : SELECT (place, is_back, left, right);
}

static AccHloValue
rotate (const Place *place,
        gboolean     is_left,
        AccHloValue  x,
        AccHloValue  amount)
{
  AccHlo *self = place->hlo;
  gint64 width = (gint64) acc_element_kind_get_size (place->kind) * 8;
  AccHloValue mask = make_integer (place, width - 1), left, right;

  amount = acc_hlo_binary (self, "and", amount, acc_hlo_integer (self, place->shape, ACC_KIND_I64, width - 1), place->shape, ACC_KIND_I64);
  left = acc_hlo_convert (self, amount, place->shape, ACC_KIND_I64, place->kind);
  right = BINARY (place, "and", BINARY (place, "subtract", make_integer (place, 0), left), mask);
  if (!is_left)
    {
      AccHloValue swap = left;

      left = right;
      right = swap;
    }

  return BINARY (place, "or", BINARY (place, "shift_left", x, left), BINARY (place, "shift_right_logical", x, right));
}

static AccHloValue
count_bits (const Place  *place,
            AccPrimitive  primitive,
            AccHloValue   x)
{
  AccHlo *self = place->hlo;

  if (primitive == ACC_PRIM_CTZ)
    {
      /* The ones below the lowest one that is set */
      AccHloValue below = BINARY (place, "subtract", x, make_integer (place, 1));

      x = BINARY (place, "and", UNARY (place, "not", x), below);
    }
  x = UNARY (place, primitive == ACC_PRIM_CLZ ? "count_leading_zeros" : "popcnt", x);

  return acc_hlo_convert (self, x, place->shape, place->kind, ACC_KIND_I64);
}

/* --- all */

static const struct {
  const char *integers, *floats;
} spellings[] = {
#define ACC_HLO_PRIMITIVE(ID, integers, floats) [ACC_PRIM_##ID] = { integers, floats },
#include "acc-hlo-primitives.inc"
#undef ACC_HLO_PRIMITIVE
};

G_STATIC_ASSERT (G_N_ELEMENTS (spellings) == ACC_N_PRIMITIVES);

static const char *
get_direction (AccPrimitive comparison)
{
  return comparison == ACC_PRIM_LT ? "LT" : comparison == ACC_PRIM_GT ? "GT" : comparison == ACC_PRIM_LE ? "LE"
         : comparison == ACC_PRIM_GE ? "GE" : comparison == ACC_PRIM_EQ ? "EQ" : "NE";
}

static AccHloValue
write_float (const Place  *place,
             AccPrimitive  primitive,
             AccHloValue   x,
             AccHloValue   y)
{
  switch ((guint) primitive)
    {
    case ACC_PRIM_MUL:
      return multiply (place, x, y);
    case ACC_PRIM_MIN:
      return choose_extreme (place, "LT", x, y);
    case ACC_PRIM_MAX:
      return choose_extreme (place, "GT", x, y);
    case ACC_PRIM_RECIP:
      return BINARY (place, "divide", make_float (place, 1), x);
    case ACC_PRIM_LOGBASE:
      return BINARY (place, "divide", UNARY (place, "log", y), UNARY (place, "log", x));
    case ACC_PRIM_SINH:
    case ACC_PRIM_COSH:
      return write_hyperbolic (place, primitive == ACC_PRIM_SINH, x);
    case ACC_PRIM_TANH:
      return write_tanh (place, x);
    case ACC_PRIM_ATAN:
      /* XLA on processors mixes up elements of atan (x), for which it takes atan2 (x, 1), too. */
      return BINARY (place, "atan2", BINARY (place, "multiply", x, make_float (place, 0.5)), make_float (place, 0.5));
    case ACC_PRIM_TRUNCATE:
      return truncate_float (place, x);
    case ACC_PRIM_IS_NAN:
      return COMPARE (place, "NE", x, x);
    case ACC_PRIM_IS_INF:
      return COMPARE (place, "EQ", UNARY (place, "abs", x), make_float (place, HUGE_VAL));
    default:
      return NULL;
    }
}

static AccHloValue
write_integer (const Place  *place,
               AccPrimitive  primitive,
               AccHloValue   x,
               AccHloValue   y)
{
  gboolean is_signed = acc_element_kind_is_signed (place->kind);

  switch ((guint) primitive)
    {
    case ACC_PRIM_ABS:
      return is_signed ? UNARY (place, "abs", x) : x;
    case ACC_PRIM_SIGNUM:
      return is_signed ? UNARY (place, "sign", x) : BINARY (place, "minimum", x, make_integer (place, 1));
    case ACC_PRIM_QUOT:
    case ACC_PRIM_REM:
    case ACC_PRIM_DIV:
    case ACC_PRIM_MOD:
      return divide (place, primitive, x, y);
    case ACC_PRIM_SHL:
    case ACC_PRIM_SHR:
      return shift (place, primitive == ACC_PRIM_SHL, x, y);
    case ACC_PRIM_ROTL:
    case ACC_PRIM_ROTR:
      return rotate (place, primitive == ACC_PRIM_ROTL, x, y);
    case ACC_PRIM_POPCOUNT:
    case ACC_PRIM_CLZ:
    case ACC_PRIM_CTZ:
      return count_bits (place, primitive, x);
    default:
      return NULL;
    }
}

AccHloValue
acc_hlo_primitive (AccHlo         *self,
                   AccPrimitive    primitive,
                   AccHloValue     x,
                   AccHloValue     y,
                   AccHloShape     shape,
                   AccElementKind  kind)
{
  Place place = { self, shape, kind };
  gboolean is_float = acc_element_kind_is_float (kind);
  const char *spelling = is_float ? spellings[primitive].floats : spellings[primitive].integers;
  AccHloValue value;

  if (acc_primitive_is (primitive, ACC_FAMILY_COMPARISON))
    return COMPARE (&place, get_direction (primitive), x, y);
  if (*spelling != '\0')
    return acc_primitive_get_info (primitive)->arity == 1 ? UNARY (&place, spelling, x) : BINARY (&place, spelling, x, y);

  value = is_float ? write_float (&place, primitive, x, y) : write_integer (&place, primitive, x, y);
  if (value == NULL)
    {
      acc_hlo_refuse (self, "%s of %s", acc_primitive_get_info (primitive)->name, acc_element_kind_get_code (kind));
      return x;
    }

  return value;
}

AccHloValue
acc_hlo_reinterpret (AccHlo         *self,
                     AccHloValue     x,
                     AccHloShape     shape,
                     AccElementKind  from,
                     AccElementKind  to)
{
  if (from == ACC_KIND_BOOL || to == ACC_KIND_BOOL)
    return acc_hlo_convert (self, x, shape, from, to);

  return acc_hlo_bitcast (self, x, shape, from, to);
}
