/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-error.h"
#include "acc-expr-build-private.h"

#include <math.h>

double
_acc_round_to_kind (AccElementKind kind,
                    double         value)
{
  if (kind == ACC_KIND_F16)
    return (double) (_Float16) value;
  if (kind == ACC_KIND_F32)
    return (double) (float) value;
  return value;
}

AccExpr *
acc_expr_new_literal (AccElementType *type,
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
  AccExpr *self = acc_expr_new_literal (acc_element_type_new (kind), value);

  self->weak = TRUE;
  return self;
}

/**
 * acc_expr_new_bool:
 * @value: a truth value
 *
 * Returns: (transfer none): a literal of type b1
 */
AccExpr *
acc_expr_new_bool (gboolean value)
{
  return acc_expr_new_literal (acc_element_type_new (ACC_KIND_BOOL), (AccScalar) { .i = !!value });
}

/**
 * acc_expr_new_int:
 * @value: a number
 *
 * A literal that takes the type of what it meets, any integer or float type that can hold it; i8 where it meets nothing.
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
 * A literal that takes the float type of what it meets, rounded to it; f8 where it meets nothing.
 *
 * Returns: (transfer none): a literal
 */
AccExpr *
acc_expr_new_float (double value)
{
  return weak_literal (ACC_KIND_F64, (AccScalar) { .f = value });
}

static gboolean
bounds_of (AccElementKind kind,
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
integer_literal (AccElementType *type,
                 gint64          value)
{
  AccElementKind kind = acc_element_type_get_kind (type);
  gint64 least;
  guint64 most;

  if (acc_element_kind_is_float (kind))
    return acc_expr_new_literal (type, (AccScalar) { .f = _acc_round_to_kind (kind, value) });

  if (!bounds_of (kind, &least, &most) || value < least || (value > 0 && (guint64) value > most))
    {
      g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, value);
      return does_not_fit (type, text);
    }
  if (acc_element_kind_is_signed (kind))
    return acc_expr_new_literal (type, (AccScalar) { .i = value });
  return acc_expr_new_literal (type, (AccScalar) { .u = value });
}

static AccExpr *
float_literal (AccElementType *type,
               double          value)
{
  AccElementKind kind = acc_element_type_get_kind (type);

  if (!acc_element_kind_is_float (kind))
    {
      g_autofree char *text = g_strdup_printf ("%g", value);
      return does_not_fit (type, text);
    }
  return acc_expr_new_literal (type, (AccScalar) { .f = _acc_round_to_kind (kind, value) });
}

/**
 * acc_expr_new_typed_int:
 * @type: an integer or float type
 * @value: a number
 *
 * Returns: (transfer none): a literal of @type; an error where @value does not fit
 */
AccExpr *
acc_expr_new_typed_int (AccElementType *type,
                        gint64          value)
{
  return integer_literal (type, value);
}

/**
 * acc_expr_new_typed_uint:
 * @type: an integer or float type
 * @value: a number
 *
 * Returns: (transfer none): a literal of @type; an error where @value does not fit
 */
AccExpr *
acc_expr_new_typed_uint (AccElementType *type,
                         guint64         value)
{
  if (value <= G_MAXINT64)
    return integer_literal (type, value);

  AccElementKind kind = acc_element_type_get_kind (type);
  if (acc_element_kind_is_float (kind))
    return float_literal (type, value);
  if (kind == ACC_KIND_U64)
    return acc_expr_new_literal (type, (AccScalar) { .u = value });

  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, value);
  return does_not_fit (type, text);
}

/**
 * acc_expr_new_typed_float:
 * @type: a float type
 * @value: a number, rounded to @type
 *
 * Returns: (transfer none): a literal of @type; an error where that is no float type
 */
AccExpr *
acc_expr_new_typed_float (AccElementType *type,
                          double          value)
{
  return float_literal (type, value);
}

static AccExpr *
bound (AccElementType *type,
       gboolean        upper)
{
  AccElementKind kind = acc_element_type_get_kind (type);
  gint64 least;
  guint64 most;

  if (kind == ACC_KIND_BOOL)
    return acc_expr_new_bool (upper);
  if (acc_element_kind_is_float (kind))
    return acc_expr_new_literal (type, (AccScalar) { .f = upper ? INFINITY : -INFINITY });
  if (!bounds_of (kind, &least, &most))
    return acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s has no bounds", acc_element_type_get_code (type));
  if (!acc_element_kind_is_signed (kind))
    return acc_expr_new_literal (type, (AccScalar) { .u = upper ? most : 0 });
  return acc_expr_new_literal (type, (AccScalar) { .i = upper ? (gint64) most : least });
}

/**
 * acc_expr_new_minimum:
 * @type: a scalar type
 *
 * The least value of a type; minus infinity for floats.
 *
 * Returns: (transfer none): a literal
 */
AccExpr *
acc_expr_new_minimum (AccElementType *type)
{
  return bound (type, FALSE);
}

/**
 * acc_expr_new_maximum:
 * @type: a scalar type
 *
 * The greatest value of a type; infinity for floats.
 *
 * Returns: (transfer none): a literal
 */
AccExpr *
acc_expr_new_maximum (AccElementType *type)
{
  return bound (type, TRUE);
}

/**
 * acc_expr_new_pi:
 * @type: a float type
 *
 * Returns: (transfer none): π, rounded to @type
 */
AccExpr *
acc_expr_new_pi (AccElementType *type)
{
  return float_literal (type, G_PI);
}

static AccExpr *
settle_items (AccExpr        *expr,
              AccElementType *type)
{
  gboolean fits = type != NULL && acc_element_type_is_tuple (type) && acc_element_type_get_n_items (type) == expr->n_args;
  g_autofree AccExpr **items = g_new (AccExpr *, expr->n_args);

  for (guint i = 0; i < expr->n_args; i++)
    items[i] = acc_expr_settle (expr->args[i], fits ? acc_element_type_get_item (type, i) : NULL);
  return acc_expr_tuple (items, expr->n_args);
}

AccExpr *
acc_expr_settle (AccExpr        *expr,
                 AccElementType *type)
{
  if (!expr->weak)
    return expr;

  if (expr->kind == ACC_EXPR_TUPLE)
    return settle_items (expr, type);

  if (type == NULL)
    type = expr->type;

  if (expr->kind == ACC_EXPR_COND)
    return acc_expr_cond (expr->args[0], acc_expr_settle (expr->args[1], type), acc_expr_settle (expr->args[2], type));

  if (acc_element_type_get_kind (expr->type) == ACC_KIND_I64)
    return integer_literal (type, expr->value.i);
  return float_literal (type, expr->value.f);
}
