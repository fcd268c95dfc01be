/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-builder-private.h"

#include <math.h>
#include <string.h>

#include "acc-backends/ir/math/acc-math.h"
#include "acc-core/base/acc-half-private.h"

/* Constants and instructions without effects. */

KValue
kb_int (AccKernelBuilder *b,
        AccElementKind    kind,
        gint64            value)
{
  if (kind != ACC_KIND_BOOL && !acc_element_kind_is_integer (kind))
    {
      _kb_set_error (b, "kb_int of a kind that is no integer");
      return (KValue) { 0 };
    }

  return _kb_const (b, kind, acc_scalar_cast (ACC_KIND_I64, kind, (AccScalar) { .i = value }).u);
}

KValue
kb_i64 (AccKernelBuilder *b,
        gint64            value)
{
  return _kb_const (b, ACC_KIND_I64, value);
}

gboolean
kb_is_const (AccKernelBuilder *b,
             KValue            x)
{
  return b->error == NULL && acc_kernel_instr (b->kernel, x.id)->op == ACC_KOP_CONST;
}

#define MAX_TRACED 64

gboolean
kb_is_loaded (AccKernelBuilder *b,
              KValue            x)
{
  guint32 trace[MAX_TRACED] = { x.id };
  guint n = 1;

  for (guint at = 0; at < n && b->error == NULL; at++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (b->kernel, trace[at]);

      if (instr->op == ACC_KOP_LOAD)
        return TRUE;
      for (guint i = _acc_kernel_first_id (instr); i < instr->n_args && _acc_kernel_op_is_pure (instr->op) && n < MAX_TRACED; i++)
        trace[n++] = instr->args[i];
    }

  return FALSE;
}

#define MAX_SIMPLE 16

gboolean
kb_is_simple (AccKernelBuilder *b,
              KValue            x,
              gboolean          is_integer)
{
  guint32 trace[MAX_SIMPLE + ACC_KERNEL_MAX_ARGS] = { x.id };
  guint n = 1;

  for (guint at = 0; at < n && b->error == NULL; at++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (b->kernel, trace[at]);
      gboolean is_index = instr->op == ACC_KOP_FOR || instr->op == ACC_KOP_FOREACH;

      if (!is_index && !_acc_kernel_op_is_pure (instr->op) && instr->op != ACC_KOP_LOAD)
        return FALSE;
      if (is_integer && acc_element_kind_is_float (instr->kind))
        return FALSE;
      for (guint i = _acc_kernel_first_id (instr); i < instr->n_args && !is_index; i++)
        if (n < G_N_ELEMENTS (trace))
          trace[n++] = instr->args[i];
      if (n > MAX_SIMPLE)
        return FALSE;
    }

  return b->error == NULL;
}

gboolean
kb_is_invariant (AccKernelBuilder *b,
                 KValue            x)
{
  return kb_is_const (b, x) || (b->error == NULL && acc_kernel_instr (b->kernel, x.id)->op == ACC_KOP_PARAM);
}

KValue
kb_float (AccKernelBuilder *b,
          AccElementKind    kind,
          double            value)
{
  float single = value;
  guint32 bits32;
  guint64 bits;

  if (kind == ACC_KIND_F16)
    return _kb_const (b, kind, acc_half_from_double (value));

  if (kind == ACC_KIND_F32)
    {
      memcpy (&bits32, &single, sizeof bits32);
      return _kb_const (b, kind, bits32);
    }

  if (kind != ACC_KIND_F64)
    {
      _kb_set_error (b, "kb_float of a kind that is no float");
      return (KValue) { 0 };
    }

  memcpy (&bits, &value, sizeof bits);

  return _kb_const (b, kind, bits);
}

static AccElementKind
result_of (AccKernelBuilder *b,
           AccPrimitive      primitive,
           KValue            x)
{
  AccElementKind kind = kb_kind (b, x);

  if (primitive >= ACC_N_PRIMITIVES || !acc_primitive_accepts (primitive, kind))
    return kind;

  return acc_primitive_result (primitive, kind);
}

KValue
kb_prim_platform (AccKernelBuilder *b,
                  AccPrimitive      primitive,
                  KValue            x,
                  KValue            y)
{
  return _kb_pure (b, (AccKernelInstr) {
    .op = ACC_KOP_PRIM, .primitive = primitive, .kind = result_of (b, primitive, x),
    .n_args = y.id ? 2 : 1, .args = { x.id, y.id },
  });
}

static gboolean
is_built_here (AccKernelBuilder *b,
               AccPrimitive      primitive,
               KValue            x)
{
  /* No library says that its powers are exact where they can be. */
  if ((b->kernel->precise && (b->kernel->fast || primitive != ACC_PRIM_POW)) || x.id == 0)
    return FALSE;
  if (b->approximate && kb_kind (b, x) == ACC_KIND_F32 && (primitive == ACC_PRIM_EXP || primitive == ACC_PRIM_LOG))
    return FALSE;

  return acc_math_covers (primitive, kb_kind (b, x));
}

KValue
kb_prim (AccKernelBuilder *b,
         AccPrimitive      primitive,
         KValue            x)
{
  if (is_built_here (b, primitive, x))
    return acc_math_build (b, primitive, x, (KValue) { 0 });

  return kb_prim_platform (b, primitive, x, (KValue) { 0 });
}

KValue
kb_prim2 (AccKernelBuilder *b,
          AccPrimitive      primitive,
          KValue            x,
          KValue            y)
{
  if (is_built_here (b, primitive, x) && y.id != 0)
    return acc_math_build (b, primitive, x, y);

  return _kb_pure (b, (AccKernelInstr) {
    .op = ACC_KOP_PRIM, .primitive = primitive, .kind = result_of (b, primitive, x), .n_args = 2, .args = { x.id, y.id },
  });
}

KValue
kb_cast (AccKernelBuilder *b,
         AccElementKind    kind,
         KValue            x)
{
  return _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_CAST, .kind = kind, .n_args = 1, .args = { x.id } });
}

KValue
kb_bitcast (AccKernelBuilder *b,
            AccElementKind    kind,
            KValue            x)
{
  return _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_BITCAST, .kind = kind, .n_args = 1, .args = { x.id } });
}

KValue
kb_select (AccKernelBuilder *b,
           KValue            condition,
           KValue            x,
           KValue            y)
{
  return _kb_pure (b, (AccKernelInstr) {
    .op = ACC_KOP_SELECT, .kind = kb_kind (b, x), .n_args = 3, .args = { condition.id, x.id, y.id },
  });
}

KValue
kb_fma (AccKernelBuilder *b,
        KValue            x,
        KValue            y,
        KValue            z)
{
  return _kb_pure (b, (AccKernelInstr) {
    .op = ACC_KOP_FMA, .kind = kb_kind (b, x), .n_args = 3, .args = { x.id, y.id, z.id },
  });
}

KValue
kb_estimate_exp2 (AccKernelBuilder *b,
                  KValue            x)
{
  return _kb_pure (b, (AccKernelInstr) {
    .op = ACC_KOP_ESTIMATE, .kind = ACC_KIND_F32, .primitive = ACC_PRIM_EXP, .n_args = 1, .args = { x.id },
  });
}

KValue
kb_udiv (AccKernelBuilder *b,
         KValue            x,
         KValue            y)
{
  return _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_UDIV, .kind = ACC_KIND_I64, .n_args = 2, .args = { x.id, y.id } });
}

KValue
kb_urem (AccKernelBuilder *b,
         KValue            x,
         KValue            y)
{
  return _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_UREM, .kind = ACC_KIND_I64, .n_args = 2, .args = { x.id, y.id } });
}
