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

static AccElementKind
get_bits_kind (AccElementKind kind)
{
  return !acc_element_kind_is_float (kind) ? kind : kind == ACC_KIND_F64 ? ACC_KIND_I64 : kind == ACC_KIND_F32
         ? ACC_KIND_I32 : ACC_KIND_I16;
}

/* As many zeros, which no compiler knows. Exported modules have the argument where it is used. */
static AccHloValue
get_zeros (AccHlo         *self,
           AccHloShape     shape,
           AccElementKind  kind)
{
  AccElementKind from = ACC_KIND_I32;
  AccHloValue zero = self->zero;

  self->module->takes_zero = TRUE;
  /* Not narrowed: see acc_hlo_check_text(). */
  if (acc_element_kind_get_size (kind) < acc_element_kind_get_size (from))
    {
      zero = acc_hlo_compare (self, "NE", zero, acc_hlo_integer (self, ACC_HLO_SCALAR, from, 0), ACC_HLO_SCALAR, from);
      from = ACC_KIND_BOOL;
    }

  return acc_hlo_spread (self, acc_hlo_convert (self, zero, ACC_HLO_SCALAR, from, kind), shape, kind);
}

/* What compilers know nothing about, with the same bits. */
static AccHloValue
hide_bits (AccHlo         *self,
           AccHloValue     x,
           AccHloShape     shape,
           AccElementKind  kind)
{
  AccElementKind bits = get_bits_kind (kind);
  AccHloValue zeros;

  if (self->zero == NULL)
    return x;

  zeros = get_zeros (self, shape, bits);
  x = acc_hlo_bitcast (self, x, shape, kind, bits);
  x = acc_hlo_binary (self, "xor", x, zeros, shape, bits);

  return acc_hlo_bitcast (self, x, shape, bits, kind);
}

AccHloValue
acc_hlo_hide (AccHlo         *self,
              AccHloValue     x,
              AccHloShape     shape,
              AccElementKind  kind)
{
  return self->fast_math ? x : hide_bits (self, x, shape, kind);
}

#define HIDE(place, x) acc_hlo_hide ((place)->hlo, x, (place)->shape, (place)->kind)

/* A product is rounded before anything is added to it, or it is multiplied again. */
static AccHloValue
multiply (const Place  *place,
          AccPrimitive  primitive,
          AccHloValue   x,
          AccHloValue   y)
{
  return HIDE (place, BINARY (place, "multiply", x, y));
}

/* A quotient or a root of f4 where those of compilers are not rounded correctly: that of f8, rounded once more, is. They do not see that it
 * is of f4. */
static AccHloValue
round_wide (const Place *place,
            const char  *operation,
            AccHloValue  x,
            AccHloValue  y)
{
  AccHlo *self = place->hlo;
  AccHloValue wide = acc_hlo_convert (self, x, place->shape, place->kind, ACC_KIND_F64);

  if (y == NULL)
    wide = acc_hlo_unary (self, operation, wide, place->shape, ACC_KIND_F64);
  else
    wide = acc_hlo_binary (self, operation, wide, acc_hlo_convert (self, y, place->shape, place->kind, ACC_KIND_F64), place->shape,
                           ACC_KIND_F64);

  return acc_hlo_convert (self, acc_hlo_hide (self, wide, place->shape, ACC_KIND_F64), place->shape, ACC_KIND_F64, place->kind);
}

static gboolean
rounds_wide (const Place *place)
{
  return place->hlo->is_rough && !place->hlo->fast_math && place->kind == ACC_KIND_F32;
}

static AccHloValue
write_root (const Place  *place,
            AccPrimitive  primitive,
            AccHloValue   x,
            AccHloValue   y)
{
  return rounds_wide (place) ? round_wide (place, "sqrt", x, NULL) : UNARY (place, "sqrt", x);
}

/* Neither times the reciprocal of what all elements are divided by, of a root, an exponential, a power or a quotient, nor by a product of
 * divisors: the divisor is combined with bits of what is divided, of which none is left. */
static AccHloValue
divide_floats (const Place  *place,
               AccPrimitive  primitive,
               AccHloValue   x,
               AccHloValue   y)
{
  AccHlo *self = place->hlo;
  AccElementKind bits = get_bits_kind (place->kind);
  AccHloValue mask;

  if (rounds_wide (place))
    return round_wide (place, "divide", x, y);
  if (self->fast_math || self->zero == NULL)
    return BINARY (place, "divide", x, y);

  mask = get_zeros (self, place->shape, bits);
  mask = acc_hlo_binary (self, "and", acc_hlo_bitcast (self, x, place->shape, place->kind, bits), mask, place->shape, bits);
  y = acc_hlo_binary (self, "xor", acc_hlo_bitcast (self, y, place->shape, place->kind, bits), mask, place->shape, bits);

  return HIDE (place, BINARY (place, "divide", x, acc_hlo_bitcast (self, y, place->shape, bits, place->kind)));
}

/* Products of exponentials are no exponentials of sums. */
static AccHloValue
write_exponential (const Place  *place,
                   AccPrimitive  primitive,
                   AccHloValue   x,
                   AccHloValue   y)
{
  return HIDE (place, UNARY (place, "exponential", x));
}

/* A NaN gives the other operand. */
static AccHloValue
choose_extreme (const Place  *place,
                AccPrimitive  primitive,
                AccHloValue   x,
                AccHloValue   y)
{
  AccHloValue left_out = COMPARE (place, "NE", x, x), is_better = COMPARE (place, primitive == ACC_PRIM_MIN ? "LT" : "GT", y, x);

  return SELECT (place, BOTH (place, "or", left_out, is_better), y, x);
}

static AccHloValue
truncate_float (const Place  *place,
                AccPrimitive  primitive,
                AccHloValue   x,
                AccHloValue   y)
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
write_hyperbolic (const Place  *place,
                  AccPrimitive  primitive,
                  AccHloValue   x,
                  AccHloValue   y)
{
  gboolean is_sinh = primitive == ACC_PRIM_SINH;
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
write_tanh (const Place  *place,
            AccPrimitive  primitive,
            AccHloValue   x,
            AccHloValue   y)
{
  AccHloValue t;

  if (place->kind == ACC_KIND_F16)
    return UNARY (place, "tanh", x);

  t = BINARY (place, "multiply", UNARY (place, "abs", x), make_float (place, -2));
  t = UNARY (place, "exponential_minus_one", t);
  t = BINARY (place, "divide", UNARY (place, "negate", t), BINARY (place, "add", t, make_float (place, 2)));

  return copy_sign (place, t, x);
}

static AccHloValue
write_atan (const Place  *place,
            AccPrimitive  primitive,
            AccHloValue   x,
            AccHloValue   y)
{
  /* XLA on processors mixes up elements of atan (x), for which it takes atan2 (x, 1), too. */
  return BINARY (place, "atan2", BINARY (place, "multiply", x, make_float (place, 0.5)), make_float (place, 0.5));
}

static AccHloValue
write_reciprocal (const Place  *place,
                  AccPrimitive  primitive,
                  AccHloValue   x,
                  AccHloValue   y)
{
  return divide_floats (place, primitive, make_float (place, 1), x);
}

static AccHloValue
write_log_base (const Place  *place,
                AccPrimitive  primitive,
                AccHloValue   x,
                AccHloValue   y)
{
  return BINARY (place, "divide", UNARY (place, "log", y), UNARY (place, "log", x));
}

static AccHloValue
is_nan (const Place  *place,
        AccPrimitive  primitive,
        AccHloValue   x,
        AccHloValue   y)
{
  return COMPARE (place, "NE", x, x);
}

static AccHloValue
is_infinite (const Place  *place,
             AccPrimitive  primitive,
             AccHloValue   x,
             AccHloValue   y)
{
  return COMPARE (place, "EQ", UNARY (place, "abs", x), make_float (place, HUGE_VAL));
}

/* --- integers */

/* XLA takes its own “abs” for positive, which that of the least integer is not. */
static AccHloValue
magnitude (const Place *place,
           AccHloValue  x)
{
  return SELECT (place, COMPARE (place, "LT", x, make_integer (place, 0)), UNARY (place, "negate", x), x);
}

/* XLA takes squares for positive, though they overflow. */
static AccHloValue
multiply_integers (const Place  *place,
                   AccPrimitive  primitive,
                   AccHloValue   x,
                   AccHloValue   y)
{
  return BINARY (place, "multiply", x,
                 x == y && acc_element_kind_is_signed (place->kind) ? hide_bits (place->hlo, y, place->shape, place->kind) : y);
}

static AccHloValue
write_abs (const Place  *place,
           AccPrimitive  primitive,
           AccHloValue   x,
           AccHloValue   y)
{
  if (acc_element_kind_is_float (place->kind))
    return UNARY (place, "abs", x);

  return acc_element_kind_is_signed (place->kind) ? magnitude (place, x) : x;
}

static AccHloValue
write_sign (const Place  *place,
            AccPrimitive  primitive,
            AccHloValue   x,
            AccHloValue   y)
{
  return acc_element_kind_is_signed (place->kind) ? UNARY (place, "sign", x) : BINARY (place, "minimum", x, make_integer (place, 1));
}

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
shift (const Place  *place,
       AccPrimitive  primitive,
       AccHloValue   x,
       AccHloValue   amount)
{
  AccHlo *self = place->hlo;
  gint64 width = (gint64) acc_element_kind_get_size (place->kind) * 8;
  AccHloValue none = acc_hlo_integer (self, place->shape, ACC_KIND_I64, 0);
  AccHloValue is_back = acc_hlo_compare (self, "LT", amount, none, place->shape, ACC_KIND_I64);
  AccHloValue length = magnitude (&(Place) { self, place->shape, ACC_KIND_I64 }, amount), left, right, beyond;
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

  return primitive == ACC_PRIM_SHL ? SELECT (place, is_back, right, left) : SELECT (place, is_back, left, right);
}

static AccHloValue
rotate (const Place  *place,
        AccPrimitive  primitive,
        AccHloValue   x,
        AccHloValue   amount)
{
  AccHlo *self = place->hlo;
  gint64 width = (gint64) acc_element_kind_get_size (place->kind) * 8;
  AccHloValue mask = make_integer (place, width - 1), left, right;

  amount = acc_hlo_binary (self, "and", amount, acc_hlo_integer (self, place->shape, ACC_KIND_I64, width - 1), place->shape, ACC_KIND_I64);
  left = acc_hlo_convert (self, amount, place->shape, ACC_KIND_I64, place->kind);
  right = BINARY (place, "and", BINARY (place, "subtract", make_integer (place, 0), left), mask);
  if (primitive == ACC_PRIM_ROTR)
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
            AccHloValue   x,
            AccHloValue   y)
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

/* One of them, or none. */
typedef struct {
  const char    *operation, *direction;
  AccHloValue (*write) (const Place *place, AccPrimitive primitive, AccHloValue x, AccHloValue y);
} Form;

#define SPELT(name)        { .operation = (name) }
#define COMPARED(name)     { .direction = (name) }
#define BY(function)       { .write = function }
#define NONE               { NULL }

static const struct {
  Form integers, floats;
} forms[] = {
#define ACC_HLO_PRIMITIVE(ID, integers, floats) [ACC_PRIM_##ID] = { integers, floats },
#include "acc-hlo-primitives.inc"
#undef ACC_HLO_PRIMITIVE
};

G_STATIC_ASSERT (G_N_ELEMENTS (forms) == ACC_N_PRIMITIVES);

AccHloValue
acc_hlo_primitive (AccHlo         *self,
                   AccPrimitive    primitive,
                   AccHloValue     x,
                   AccHloValue     y,
                   AccHloShape     shape,
                   AccElementKind  kind)
{
  Place place = { self, shape, kind };
  const Form *form = acc_element_kind_is_float (kind) ? &forms[primitive].floats : &forms[primitive].integers;

  if (form->write != NULL)
    return form->write (&place, primitive, x, y);
  if (form->direction != NULL)
    return COMPARE (&place, form->direction, x, y);
  if (form->operation != NULL)
    return acc_primitive_get_info (primitive)->arity == 1 ? UNARY (&place, form->operation, x) : BINARY (&place, form->operation, x, y);

  acc_hlo_refuse (self, "%s of %s", acc_primitive_get_info (primitive)->name, acc_element_kind_get_code (kind));

  return x;
}

/* From f8 to f2 with one rounding, by an f4 that is odd where it is not exact (Boldo and Melquiond 2008). */
static AccHloValue
narrow (AccHlo      *self,
        AccHloValue  x,
        AccHloShape  shape)
{
  Place wide = { self, shape, ACC_KIND_F64 }, word = { self, shape, ACC_KIND_I32 };
  AccHloValue single = acc_hlo_convert (self, x, shape, ACC_KIND_F64, ACC_KIND_F32), one = make_integer (&word, 1);
  AccHloValue back = acc_hlo_convert (self, single, shape, ACC_KIND_F32, ACC_KIND_F64);
  AccHloValue bits = acc_hlo_bitcast (self, single, shape, ACC_KIND_F32, ACC_KIND_I32), is_large, is_odd;

  is_large = COMPARE (&wide, "GT", UNARY (&wide, "abs", back), UNARY (&wide, "abs", x));
  is_odd = COMPARE (&wide, "NE", back, x);
  bits = SELECT (&word, is_large, BINARY (&word, "subtract", bits, one), bits);
  bits = SELECT (&word, is_odd, BINARY (&word, "or", bits, one), bits);

  return acc_hlo_convert (self, acc_hlo_bitcast (self, bits, shape, ACC_KIND_I32, ACC_KIND_F32), shape, ACC_KIND_F32, ACC_KIND_F16);
}

gboolean
acc_hlo_is_narrowing (AccElementKind from,
                      AccElementKind to)
{
  return acc_element_kind_is_integer (from) && acc_element_kind_is_integer (to)
         && acc_element_kind_get_size (to) < acc_element_kind_get_size (from);
}

AccHloValue
acc_hlo_cast (AccHlo         *self,
              AccHloValue     x,
              AccHloShape     shape,
              AccElementKind  from,
              AccElementKind  to)
{
  AccElementKind bits = get_bits_kind (from);
  guint unused = 65 - (guint) acc_element_kind_get_size (from) * 8;

  if (from == ACC_KIND_F64 && to == ACC_KIND_F16)
    return narrow (self, x, shape);
  /* A conversion times a number would be a choice of XLA's, between the number and 0 without its sign. */
  if (from == ACC_KIND_BOOL && acc_element_kind_is_float (to))
    {
      Place place = { self, shape, to };

      return SELECT (&place, x, make_float (&place, 1), make_float (&place, 0));
    }
  /* Not as it is: see acc_hlo_check_text(). */
  if (acc_hlo_is_narrowing (from, to))
    return hide_bits (self, acc_hlo_convert (self, x, shape, from, to), shape, to);
  if (to != ACC_KIND_BOOL || !acc_element_kind_is_float (from))
    return acc_hlo_convert (self, x, shape, from, to);

  /* By its bits but the sign: it is not 0 where compilers take denormals for that, either. */
  x = acc_hlo_bitcast (self, x, shape, from, bits);
  x = acc_hlo_binary (self, "and", x, acc_hlo_integer (self, shape, bits, (gint64) (G_MAXUINT64 >> unused)), shape, bits);

  return acc_hlo_compare (self, "NE", x, acc_hlo_integer (self, shape, bits, 0), shape, bits);
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
