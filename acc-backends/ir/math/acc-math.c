/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-math-private.h"

typedef KValue (*Unary)  (const AccMath *m, KValue x);
typedef KValue (*Binary) (const AccMath *m, KValue x, KValue y);

static const struct {
  Unary  unary;
  Binary binary;
} functions[ACC_N_PRIMITIVES] = {
  [ACC_PRIM_SIN] = { acc_math_sin },
  [ACC_PRIM_COS] = { acc_math_cos },
  [ACC_PRIM_TAN] = { acc_math_tan },
  [ACC_PRIM_ASIN] = { acc_math_asin },
  [ACC_PRIM_ACOS] = { acc_math_acos },
  [ACC_PRIM_ATAN] = { acc_math_atan },
  [ACC_PRIM_SINH] = { acc_math_sinh },
  [ACC_PRIM_COSH] = { acc_math_cosh },
  [ACC_PRIM_TANH] = { acc_math_tanh },
  [ACC_PRIM_ASINH] = { acc_math_asinh },
  [ACC_PRIM_ACOSH] = { acc_math_acosh },
  [ACC_PRIM_ATANH] = { acc_math_atanh },
  [ACC_PRIM_EXP] = { acc_math_exp },
  [ACC_PRIM_LOG] = { acc_math_log },
  [ACC_PRIM_POW] = { NULL, acc_math_pow },
  [ACC_PRIM_LOGBASE] = { NULL, acc_math_logbase },
  [ACC_PRIM_ATAN2] = { NULL, acc_math_atan2 },
};

gboolean
acc_math_covers (AccPrimitive primitive, AccElementKind kind)
{
  return acc_element_kind_is_float (kind) && (functions[primitive].unary || functions[primitive].binary);
}

KValue
acc_math_build (AccKernelBuilder *b, AccPrimitive primitive, KValue x, KValue y)
{
  AccElementKind kind = kb_kind (b, x);
  gboolean half = kind == ACC_KIND_F16;
  AccMath m = acc_math_for (b, half ? ACC_KIND_F32 : kind);

  if (half)
    {
      x = kb_cast (b, ACC_KIND_F32, x);
      y = y.id ? kb_cast (b, ACC_KIND_F32, y) : y;
    }

  KValue result = functions[primitive].unary ? functions[primitive].unary (&m, x) : functions[primitive].binary (&m, x, y);

  return half ? kb_cast (b, ACC_KIND_F16, result) : result;
}
