/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-error.h"
#include "acc-expr-pack-private.h"

#include <math.h>

double
_acc_round_to_kind (AccElementKind kind,
                    double         value)
{
  return acc_scalar_to_double (kind, acc_scalar_from_double (kind, value));
}

static AccExpr *
make_literal (AccElementType *type,
              AccScalar       value)
{
  AccExpr *self = _acc_expr_alloc (ACC_EXPR_LITERAL, type, 0);

  self->value = value;
  return self;
}

static AccExpr *
weak_literal (AccElementKind kind,
              AccScalar      value)
{
  AccExpr *self = make_literal (acc_element_type_new (kind), value);

  self->weak = TRUE;
  return self;
}

/**
 * acc_expr_new_bool:
 * @value: a truth value
 *
 * Creates a literal of type b1.
 *
 * ```c
 * AccExpr *result = acc_expr_new_bool (TRUE); // → true
 * ```
 *
 * Returns: (transfer none): a literal of type b1
 */
AccExpr *
acc_expr_new_bool (gboolean value)
{
  return make_literal (acc_element_type_new (ACC_KIND_BOOL), (AccScalar) { .i = !!value });
}

/**
 * acc_expr_new_int:
 * @value: a number
 *
 * Creates an integer literal that infers its type from the operand that it is used with.
 *
 * It takes any integer or float type that can hold the number, and i8 where no operand has a type. A type that cannot hold it gives an
 * expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * AccExpr *result = acc_expr_new_int (42); // → 42
 * ```
 *
 * Returns: (transfer none): a literal
 */
AccExpr *
acc_expr_new_int (gint64 value)
{
  return weak_literal (ACC_KIND_I64, (AccScalar) { .i = value });
}

/**
 * acc_expr_new_float:
 * @value: a number
 *
 * Creates a float literal that infers its type from the operand that it is used with.
 *
 * It is rounded to that float type, and is an f8 where no operand has a type. An integer operand, or a number beyond the largest one
 * of the type, gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * AccExpr *result = acc_expr_new_float (0.5); // → 0.5
 * ```
 *
 * Returns: (transfer none): a literal
 */
AccExpr *
acc_expr_new_float (double value)
{
  return weak_literal (ACC_KIND_F64, acc_scalar_from_double (ACC_KIND_F64, value));
}

gboolean
_acc_integer_bounds (AccElementKind kind,
                     gint64        *least,
                     guint64       *most)
{
  guint bits = 8 * acc_element_kind_get_size (kind);

  if (!acc_element_kind_is_integer (kind))
    return FALSE;

  if (acc_element_kind_is_signed (kind))
    {
      *most = ((guint64) 1 << (bits - 1)) - 1;
      *least = -(gint64) *most - 1;
    }
  else
    {
      *most = bits == 64 ? G_MAXUINT64 : ((guint64) 1 << bits) - 1;
      *least = 0;
    }
  return TRUE;
}

static AccExpr *
does_not_fit (AccElementType *type,
              const char     *value)
{
  return acc_expr_new_error_literal (ACC_ERROR_TYPE, "the literal %s does not fit %s", value, acc_element_type_get_code (type));
}

static AccExpr *
no_type (void)
{
  return acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "literal: no type was given");
}

AccExpr *
_acc_expr_integer_literal (AccElementType *type,
                           gint64          value)
{
  AccElementKind kind = acc_element_type_get_kind (type);
  gint64 least;
  guint64 most;

  if (acc_element_type_is_packed (type))
    return _acc_expr_fill_pack (type, _acc_expr_integer_literal (acc_element_type_get_item (type, 0), value));

  if (kind == ACC_KIND_F32)
    return make_literal (type, acc_scalar_cast (ACC_KIND_I64, kind, (AccScalar) { .i = value }));
  /* Where the conversion to binary64 rounds, binary16 has overflowed long ago. */
  if (acc_element_kind_is_float (kind))
    return _acc_expr_float_literal (type, (double) value);

  if (!_acc_integer_bounds (kind, &least, &most) || value < least || (value > 0 && (guint64) value > most))
    {
      g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, value);
      return does_not_fit (type, text);
    }
  if (acc_element_kind_is_signed (kind))
    return make_literal (type, (AccScalar) { .i = value });
  return make_literal (type, (AccScalar) { .u = value });
}

AccExpr *
_acc_expr_float_literal (AccElementType *type,
                         double          value)
{
  AccElementKind kind = acc_element_type_get_kind (type);
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (acc_element_type_is_packed (type))
    return _acc_expr_fill_pack (type, _acc_expr_float_literal (acc_element_type_get_item (type, 0), value));
  if (!acc_element_kind_is_float (kind) || (isinf (_acc_round_to_kind (kind, value)) && !isinf (value)))
    {
      g_ascii_formatd (text, sizeof text, "%.9g", value);
      /* A whole number is none of an integer. */
      if (!acc_element_kind_is_float (kind) && text[strspn (text, "-0123456789")] == '\0')
        g_strlcat (text, ".0", sizeof text);
      return does_not_fit (type, text);
    }
  return make_literal (type, acc_scalar_from_double (kind, value));
}

AccExpr *
acc_expr_new_literal (AccElementType *type,
                      AccScalar       value)
{
  if (type == NULL)
    return no_type ();

  AccElementKind kind = acc_element_type_get_kind (type);
  if (kind == ACC_KIND_BOOL)
    return acc_expr_new_bool (value.i != 0);
  if (acc_element_kind_is_float (kind))
    return make_literal (type, value);
  return acc_element_kind_is_signed (kind) ? acc_expr_new_typed_int (type, value.i) : acc_expr_new_typed_uint (type, value.u);
}

/**
 * acc_expr_new_typed_int:
 * @type: an integer or float type, or b1 for 0 and 1; a complex type for a real number, a vector type for a vector with all scalars
 *   the same
 * @value: a number; it is rounded to a float @type
 *
 * Creates a literal of a given type from a signed integer.
 *
 * ```c
 * AccExpr *result = acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I16), -300); // → -300
 * ```
 *
 * Returns: (transfer none): a literal of @type; one with %ACC_ERROR_TYPE where @value does not fit
 */
AccExpr *
acc_expr_new_typed_int (AccElementType *type,
                        gint64          value)
{
  if (type == NULL)
    return no_type ();
  if (acc_element_type_get_kind (type) == ACC_KIND_BOOL && (value == 0 || value == 1))
    return acc_expr_new_bool (value);
  return _acc_expr_integer_literal (type, value);
}

/**
 * acc_expr_new_typed_uint:
 * @type: an integer or float type, or b1 for 0 and 1; a complex type for a real number, a vector type for a vector with all scalars
 *   the same
 * @value: a number; it is rounded to a float @type
 *
 * Creates a literal of a given type from an unsigned integer.
 *
 * ```c
 * AccExpr *result = acc_expr_new_typed_uint (acc_element_type_new (ACC_KIND_U64), G_MAXUINT64); // → 18446744073709551615
 * ```
 *
 * Returns: (transfer none): a literal of @type; one with %ACC_ERROR_TYPE where @value does not fit
 */
AccExpr *
acc_expr_new_typed_uint (AccElementType *type,
                         guint64         value)
{
  if (type == NULL)
    return no_type ();
  if (value <= G_MAXINT64)
    return acc_expr_new_typed_int (type, value);
  if (acc_element_type_is_packed (type))
    return _acc_expr_fill_pack (type, acc_expr_new_typed_uint (acc_element_type_get_item (type, 0), value));

  AccElementKind kind = acc_element_type_get_kind (type);
  if (kind == ACC_KIND_F32)
    return make_literal (type, acc_scalar_cast (ACC_KIND_U64, kind, (AccScalar) { .u = value }));
  if (acc_element_kind_is_float (kind))
    return _acc_expr_float_literal (type, (double) value);
  if (kind == ACC_KIND_U64)
    return make_literal (type, (AccScalar) { .u = value });

  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, value);
  return does_not_fit (type, text);
}

/**
 * acc_expr_new_typed_float:
 * @type: a float type; a complex type for a real number, a vector type for a vector with all scalars the same
 * @value: a number; it is rounded to @type
 *
 * Creates a literal of a given float type.
 *
 * ```c
 * AccExpr *result = acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F16), 0.1); // → 0.0999756
 * ```
 *
 * Returns: (transfer none): a literal of @type; one with %ACC_ERROR_TYPE where @type has no floats, or where @value is finite and too
 *   large
 */
AccExpr *
acc_expr_new_typed_float (AccElementType *type,
                          double          value)
{
  return type ? _acc_expr_float_literal (type, value) : no_type ();
}

typedef enum {
  LEAST,
  GREATEST,
  ZERO,
} Constant;

static AccExpr *
constant (AccElementType *type,
          Constant        which)
{
  if (type == NULL)
    return no_type ();

  AccElementKind kind = acc_element_type_get_kind (type);
  gint64 least;
  guint64 most;

  if (which == ZERO && kind != ACC_KIND_TUPLE && kind != ACC_KIND_VECTOR && kind != ACC_KIND_BOOL)
    return acc_expr_new_typed_int (type, 0);
  if (kind == ACC_KIND_BOOL)
    return acc_expr_new_bool (which == GREATEST);
  if (acc_element_kind_is_float (kind))
    return make_literal (type, acc_scalar_from_double (kind, which == GREATEST ? INFINITY : -INFINITY));
  if (_acc_integer_bounds (kind, &least, &most) && !acc_element_kind_is_signed (kind))
    return make_literal (type, (AccScalar) { .u = which == GREATEST ? most : 0 });
  if (acc_element_kind_is_integer (kind))
    return make_literal (type, (AccScalar) { .i = which == GREATEST ? (gint64) most : least });
  if (kind == ACC_KIND_COMPLEX)
    return acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s: complex numbers have no order", which == GREATEST ? "maximum" : "minimum");
  if (kind == ACC_KIND_VECTOR)
    return _acc_expr_fill_pack (type, constant (acc_element_type_get_item (type, 0), which));

  guint n = acc_element_type_get_n_items (type);
  g_autofree AccExpr **items = g_new (AccExpr *, n + 1);

  for (guint i = 0; i < n; i++)
    items[i] = constant (acc_element_type_get_item (type, i), which);
  return acc_expr_tuple (items, n);
}

/**
 * acc_expr_new_minimum:
 * @type: a type
 *
 * Creates a literal with the least value of a type.
 *
 * It is minus infinity for floats and false for b1; for tuples and vectors, a tuple or vector of least values. Complex numbers have no
 * order and give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * AccExpr *result = acc_expr_new_minimum (acc_element_type_new (ACC_KIND_I8)); // → -128
 * ```
 *
 * Returns: (transfer none): a literal
 */
AccExpr *
acc_expr_new_minimum (AccElementType *type)
{
  return constant (type, LEAST);
}

/**
 * acc_expr_new_maximum:
 * @type: a type
 *
 * Creates a literal with the greatest value of a type.
 *
 * It is infinity for floats and true for b1; for tuples and vectors, a tuple or vector of greatest values. Complex numbers have no
 * order and give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * AccExpr *result = acc_expr_new_maximum (acc_element_type_new (ACC_KIND_U16)); // → 65535
 * ```
 *
 * Returns: (transfer none): a literal
 */
AccExpr *
acc_expr_new_maximum (AccElementType *type)
{
  return constant (type, GREATEST);
}

/**
 * acc_expr_new_zero:
 * @type: a type
 *
 * Creates a literal with the zero of a type.
 *
 * It is false for b1; for tuples and vectors, a tuple or vector of zeros.
 *
 * ```c
 * // type = (i8,f4)
 * AccExpr *result = acc_expr_new_zero (type); // → (0, 0)
 * ```
 *
 * Returns: (transfer none): a literal
 */
AccExpr *
acc_expr_new_zero (AccElementType *type)
{
  return constant (type, ZERO);
}

/**
 * acc_expr_new_pi:
 * @type: a float type
 *
 * Creates a literal of π.
 *
 * ```c
 * AccExpr *result = acc_expr_new_pi (acc_element_type_new (ACC_KIND_F64)); // → 3.14159
 * ```
 *
 * Returns: (transfer none): π, rounded to @type; an expression with %ACC_ERROR_TYPE where @type is not a float type
 */
AccExpr *
acc_expr_new_pi (AccElementType *type)
{
  return acc_expr_new_typed_float (type, G_PI);
}
