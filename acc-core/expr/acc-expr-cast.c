/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-error.h"
#include "acc-expr-pack-private.h"

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

static AccExpr *
cast_item (AccExpr  **args,
           gpointer   type)
{
  return acc_expr_cast (args[0], type);
}

/* To a packed type; NULL where there is no way. */
static AccExpr *
cast_pack (AccExpr        *from,
           AccElementType *type)
{
  AccElementType *component = acc_element_type_get_item (type, 0);

  if (acc_element_type_get_kind (from->type) == acc_element_type_get_kind (type)
      && acc_element_type_get_n_items (from->type) == acc_element_type_get_n_items (type))
    return _acc_expr_map_items (type, &from, 1, cast_item, component);
  if (!acc_element_type_is_scalar (from->type))
    return NULL;

  return _acc_expr_fill_pack (type, acc_expr_cast (from, component));
}

/**
 * acc_expr_cast:
 * @self: a scalar, a complex number or a vector
 * @type: a scalar type; or the type of complex numbers, or of vectors of as many scalars
 *
 * Converts a value to another element type.
 *
 * Integers wrap to integers. Values are rounded to the nearest float. Floats are truncated towards zero to integers and saturate, NaN
 * becoming 0. A scalar becomes a b1 by comparing it with 0.
 *
 * A scalar becomes a complex number without an imaginary part, or a vector whose scalars are all that value. Complex numbers and
 * vectors are converted scalar by scalar, and never to a scalar: acc_expr_real() and acc_expr_item() take one out. Other pairs of
 * types give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // x = 300.7
 * AccExpr *result = acc_expr_cast (x, acc_element_type_new (ACC_KIND_U8)); // → 255
 * ```
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
      g_autoptr(AccExpr) fitting = acc_expr_ref_sink (acc_expr_resolve (args[0], type));

      _acc_expr_resolve_slot (&args[0], _acc_expr_is_error (fitting) ? NULL : type);
    }

  if (args[0]->type == type)
    return _acc_expr_float (args[0]);

  if (acc_element_type_is_packed (type) && (result = cast_pack (args[0], type)) != NULL)
    return _acc_expr_keep (result, args, 1);

  if (!acc_element_type_is_scalar (args[0]->type) || !acc_element_type_is_scalar (type))
    return _acc_expr_keep (acc_expr_new_error_literal (ACC_ERROR_TYPE, "cast: from %s to %s: only scalars can be cast",
                           acc_element_type_get_code (args[0]->type), acc_element_type_get_code (type)), args, 1);

  result = _acc_expr_alloc (ACC_EXPR_CAST, type, 1);
  result->args[0] = args[0];
  return _acc_expr_seal (result);
}

static AccExpr *
bitcast_scalar (AccExpr        *from,
                AccElementType *type)
{
  AccExpr *result;

  if (from->type == type)
    return _acc_expr_float (acc_expr_ref (from));

  result = _acc_expr_alloc (ACC_EXPR_BITCAST, type, 1);
  result->args[0] = acc_expr_ref (from);
  return _acc_expr_seal (result);
}

AccElementType *
_acc_unsigned_type (gsize size)
{
  return acc_element_type_new (size == 1 ? ACC_KIND_U8 : size == 2 ? ACC_KIND_U16 : size == 4 ? ACC_KIND_U32 : ACC_KIND_U64);
}

/* How far scalar @i of the @n that lie within a wider one is from its lowest bit. */
static AccExpr *
shift_of (guint i,
          guint n,
          gsize size)
{
  guint place = G_BYTE_ORDER == G_LITTLE_ENDIAN ? i : n - 1 - i;

  return acc_expr_new_typed_int (acc_index_type (1), 8 * (gint64) size * place);
}

/* Scalar @i of @type, from the owned scalars of a value of the same size: one of as many bits, or a part of one, or several
 * side by side. */
static AccExpr *
bitcast_item (AccElementType  *type,
              guint            i,
              AccExpr        **from)
{
  gsize size = acc_element_type_get_size (type), from_size = acc_element_type_get_size (from[0]->type);
  AccElementType *wide = _acc_unsigned_type (MAX (size, from_size)), *from_bits = _acc_unsigned_type (from_size);
  g_autoptr(AccExpr) bits = NULL;

  if (from_size >= size)
    {
      guint n = from_size / size;

      bits = acc_expr_ref_sink (bitcast_scalar (from[i / n], from_bits));
      if (n > 1)
        {
          g_autoptr(AccExpr) whole = g_steal_pointer (&bits);

          bits = acc_expr_ref_sink (acc_expr_cast (acc_expr_shr (whole, shift_of (i % n, n, size)), _acc_unsigned_type (size)));
        }
    }
  else
    {
      guint n = size / from_size;

      for (guint k = 0; k < n; k++)
        {
          AccExpr *part = acc_expr_cast (bitcast_scalar (from[i * n + k], from_bits), wide);
          AccExpr *moved = acc_expr_shl (part, shift_of (k, n, from_size));
          AccExpr *sum = acc_expr_ref_sink (bits != NULL ? acc_expr_bor (bits, moved) : moved);

          g_clear_pointer (&bits, acc_expr_unref);
          bits = sum;
        }
    }
  return bitcast_scalar (bits, type);
}

static AccExpr *
bitcast_pack (AccExpr        *from,
              AccElementType *type)
{
  gboolean packed = acc_element_type_is_packed (type);
  AccExpr *parts[ACC_MAX_LANES], *items[ACC_MAX_LANES];
  guint n_parts = acc_expr_get_n_items (from);

  for (guint i = 0; i < n_parts; i++)
    parts[i] = acc_expr_ref_sink (acc_expr_item (from, i));
  for (guint i = 0; i < acc_element_type_get_n_leaves (type); i++)
    items[i] = bitcast_item (packed ? acc_element_type_get_item (type, i) : type, i, parts);
  _acc_expr_drop (parts, n_parts);
  return packed ? acc_expr_new_pack (type, items) : items[0];
}

static gboolean
has_bits_of (AccElementType *from,
             AccElementType *to)
{
  return !acc_element_type_is_tuple (from) && !acc_element_type_is_tuple (to)
         && acc_element_type_get_size (from) == acc_element_type_get_size (to)
         && acc_element_type_get_leaf (to, 0) != ACC_KIND_BOOL;
}

/**
 * acc_expr_bitcast:
 * @self: a scalar, a complex number or a vector
 * @type: a type of the same size, no tuple; not of b1, which has two values only
 *
 * Reinterprets the bits of a value as another type of the same size.
 *
 * The bits of complex numbers and vectors are those in memory: "4u1" has the bytes of a "u4" in the machine's order. Types of other
 * sizes, tuples and b1 give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // word = 1.0 of f4
 * AccExpr *bits = acc_expr_bitcast (word, acc_element_type_new (ACC_KIND_U32)); // → 1065353216
 * ```
 *
 * Returns: (transfer none): the reinterpreted value; @self where it is of @type
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

  _acc_expr_resolve_slot (&args[0], NULL);
  if (args[0]->type == type)
    return _acc_expr_float (args[0]);

  if (!has_bits_of (args[0]->type, type))
    result = acc_expr_new_error_literal (ACC_ERROR_TYPE, "bitcast: %s has not the bits of %s",
                                         acc_element_type_get_code (args[0]->type), acc_element_type_get_code (type));
  else if (acc_element_type_is_packed (args[0]->type) || acc_element_type_is_packed (type))
    result = bitcast_pack (args[0], type);
  else
    result = bitcast_scalar (args[0], type);

  return _acc_expr_keep (result, args, 1);
}
