/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-element-type-private.h"

static const struct {
  const char *code;
  gsize       size;
} kinds[] = {
  [ACC_KIND_BOOL] = { "b1", 1 }, [ACC_KIND_I8] = { "i1", 1 },  [ACC_KIND_I16] = { "i2", 2 }, [ACC_KIND_I32] = { "i4", 4 },
  [ACC_KIND_I64] = { "i8", 8 },  [ACC_KIND_U8] = { "u1", 1 },  [ACC_KIND_U16] = { "u2", 2 }, [ACC_KIND_U32] = { "u4", 4 },
  [ACC_KIND_U64] = { "u8", 8 },  [ACC_KIND_F16] = { "f2", 2 }, [ACC_KIND_F32] = { "f4", 4 }, [ACC_KIND_F64] = { "f8", 8 },
  [ACC_KIND_TUPLE] = { NULL, 0 },  [ACC_KIND_COMPLEX] = { NULL, 0 }, [ACC_KIND_VECTOR] = { NULL, 0 },
};

/**
 * acc_element_kind_get_size:
 * @kind: a scalar kind
 *
 * Returns the size of one scalar of a kind in bytes.
 *
 * Returns: the size; 0 for kinds that are not scalar
 */
gsize
acc_element_kind_get_size (AccElementKind kind)
{
  g_return_val_if_fail ((guint) kind < G_N_ELEMENTS (kinds), 0);
  return kinds[kind].size;
}

/**
 * acc_element_kind_get_code:
 * @kind: a scalar kind
 *
 * Returns the code of a scalar kind, such as "f4".
 *
 * Returns: (transfer none) (nullable): the code; %NULL for kinds that are not scalar
 */
const char *
acc_element_kind_get_code (AccElementKind kind)
{
  g_return_val_if_fail ((guint) kind < G_N_ELEMENTS (kinds), NULL);
  return kinds[kind].code;
}

/**
 * acc_element_kind_is_integer:
 * @kind: a kind
 *
 * Tells whether a kind is an integer, signed or not.
 *
 * Returns: %TRUE for integer kinds
 */
gboolean
acc_element_kind_is_integer (AccElementKind kind)
{
  return kind >= ACC_KIND_I8 && kind <= ACC_KIND_U64;
}

/**
 * acc_element_kind_is_signed:
 * @kind: a kind
 *
 * Tells whether a kind has a sign, as signed integers and floats have.
 *
 * Returns: %TRUE for signed integers and floats
 */
gboolean
acc_element_kind_is_signed (AccElementKind kind)
{
  return (kind >= ACC_KIND_I8 && kind <= ACC_KIND_I64) || acc_element_kind_is_float (kind);
}

/**
 * acc_element_kind_is_float:
 * @kind: a kind
 *
 * Tells whether a kind is floating-point.
 *
 * Returns: %TRUE for floating-point kinds
 */
gboolean
acc_element_kind_is_float (AccElementKind kind)
{
  return kind >= ACC_KIND_F16 && kind <= ACC_KIND_F64;
}
