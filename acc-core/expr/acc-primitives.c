/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-primitives-private.h"

#include <string.h>

static const AccPrimitiveInfo primitives[ACC_N_PRIMITIVES] = {
#define ACC_PRIMITIVE(ID, name, arity, operands, result, family, cost, value) \
  [ACC_PRIM_##ID] = { name, arity, ACC_OPERANDS_##operands, ACC_RESULT_##result, ACC_FAMILY_##family, cost },
#include "acc-primitives.inc"
#undef ACC_PRIMITIVE
};

const AccPrimitiveInfo *
acc_primitive_get_info (AccPrimitive primitive)
{
  return &primitives[primitive];
}

gboolean
acc_primitive_accepts (AccPrimitive   primitive,
                       AccElementKind kind)
{
  switch (primitives[primitive].operands)
    {
    case ACC_OPERANDS_NUM:
      return acc_element_kind_is_integer (kind) || acc_element_kind_is_float (kind);
    case ACC_OPERANDS_INT:
    case ACC_OPERANDS_SHIFT:
      return acc_element_kind_is_integer (kind);
    case ACC_OPERANDS_FLOAT:
      return acc_element_kind_is_float (kind);
    case ACC_OPERANDS_LOGIC:
      return kind == ACC_KIND_BOOL || acc_element_kind_is_integer (kind);
    case ACC_OPERANDS_ANY:
      return kind < ACC_KIND_TUPLE;
    default:
      return FALSE;
    }
}

AccElementKind
acc_primitive_result (AccPrimitive   primitive,
                      AccElementKind kind)
{
  switch (primitives[primitive].result)
    {
    case ACC_RESULT_BOOL:
      return ACC_KIND_BOOL;
    case ACC_RESULT_INT64:
      return ACC_KIND_I64;
    case ACC_RESULT_SAME:
    default:
      return kind;
    }
}

gboolean
acc_primitive_from_name (const char   *name,
                         AccPrimitive *primitive)
{
  for (guint i = 0; i < ACC_N_PRIMITIVES; i++)
    if (strcmp (primitives[i].name, name) == 0)
      {
        *primitive = i;
        return TRUE;
      }

  return FALSE;
}
