/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-math-private.h"

typedef KValue (*Unary)  (const AccMath *m, KValue x);
typedef KValue (*Binary) (const AccMath *m, KValue x, KValue y);

static const struct {
  Unary  unary;
  Binary binary;
  const char *library;
} functions[ACC_N_PRIMITIVES] = {
#define UNARY(function)  .unary = function
#define BINARY(function) .binary = function
#define LIBRARY(name)    #name
#define NONE             NULL
#define ACC_FUNCTION(ID, name, operands, library_name) [ACC_PRIM_##ID] = { operands (acc_math_##name), .library = library_name },
#define ACC_SPELLING(ID, bool, integer, float, llvm_integer, llvm_float)
#include "acc-backends/ir/acc-spellings.inc"
#undef ACC_FUNCTION
#undef ACC_SPELLING
};

const char *
acc_math_get_library (AccPrimitive primitive)
{
  return functions[primitive].library;
}

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
