/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-error.h"
#include "acc-expr-build-private.h"

static AccExpr *
no_type (const char *what,
         AccExpr    *self)
{
  AccExpr *args[] = { self };
  AccExpr *error = _acc_expr_adopt (what, args, 1);

  if (error != NULL)
    return error;
  return _acc_expr_keep (acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "%s: no type was given", what), args, 1);
}

/**
 * acc_expr_cast:
 * @self: a scalar
 * @type: a scalar type
 *
 * Converts: between integers by wrapping, to floats by rounding to nearest, from floats towards zero and saturating, NaN
 * to 0; to b1 by comparing with 0.
 *
 * Returns: (transfer none): the converted value; @self where it is of @type
 */
AccExpr *
acc_expr_cast (AccExpr        *self,
               AccElementType *type)
{
  AccExpr *args[] = { self };
  AccExpr *error, *result;

  if (type == NULL)
    return no_type ("cast", self);
  if ((error = _acc_expr_adopt ("cast", args, 1)) != NULL)
    return error;

  if (args[0]->weak)
    {
      /* A literal that fits is one of @type; another one is converted like any value. */
      g_autoptr(AccExpr) fitting = acc_expr_ref_sink (acc_expr_settle (args[0], type));

      _acc_expr_settle_slot (&args[0], _acc_expr_is_error (fitting) ? NULL : type);
    }

  if (args[0]->type == type)
    return _acc_expr_float (args[0]);

  if (acc_element_type_is_tuple (args[0]->type) || acc_element_type_is_tuple (type))
    return _acc_expr_keep (acc_expr_new_error_literal (ACC_ERROR_TYPE, "cast: from %s to %s: only scalars can be cast",
                           acc_element_type_get_code (args[0]->type), acc_element_type_get_code (type)), args, 1);

  result = _acc_expr_alloc (ACC_EXPR_CAST, type, 1);
  result->args[0] = args[0];
  return _acc_expr_seal (result);
}

static gboolean
has_bits_of (AccElementType *from,
             AccElementType *to)
{
  return !acc_element_type_is_tuple (from) && !acc_element_type_is_tuple (to)
         && acc_element_type_get_size (from) == acc_element_type_get_size (to)
         && acc_element_type_get_kind (to) != ACC_KIND_BOOL;
}

/**
 * acc_expr_bitcast:
 * @self: a scalar
 * @type: a scalar type of the same size; not b1, which has two values only
 *
 * The same bits as another type.
 *
 * Returns: (transfer none): the value; @self where it is of @type
 */
AccExpr *
acc_expr_bitcast (AccExpr        *self,
                  AccElementType *type)
{
  AccExpr *args[] = { self };
  AccExpr *error, *result;

  if (type == NULL)
    return no_type ("bitcast", self);
  if ((error = _acc_expr_adopt ("bitcast", args, 1)) != NULL)
    return error;

  _acc_expr_settle_slot (&args[0], NULL);
  if (args[0]->type == type)
    return _acc_expr_float (args[0]);

  if (!has_bits_of (args[0]->type, type))
    return _acc_expr_keep (acc_expr_new_error_literal (ACC_ERROR_TYPE, "bitcast: %s has not the bits of %s",
                           acc_element_type_get_code (args[0]->type), acc_element_type_get_code (type)), args, 1);

  result = _acc_expr_alloc (ACC_EXPR_BITCAST, type, 1);
  result->args[0] = args[0];
  return _acc_expr_seal (result);
}
