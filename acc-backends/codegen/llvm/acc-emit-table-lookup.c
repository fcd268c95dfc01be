/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include "acc-module-machine.h"

#define B (e->builder)

/* Lookups in registers. Parameters whose elements fit into a register or two (palettes, the balls of a scene, coefficients) are loaded
 * once; lanes look elements up by permutations, where a gather would load each by itself. */

#define MAX_TABLES 2   /* registers that hold a parameter */

/* Lanes of a permutation, of 4 bytes, or 8. */
static guint
count_lanes (Emitter *e,
             guint    size)
{
  return e->target->register_bytes / size;
}

static guint
size_of_lane (AccElementKind kind)
{
  return MAX (acc_element_kind_get_size (kind), 4);
}

static guint
count_tables (Emitter *e,
              guint32  buffer)
{
  const AccKernelParam *param = acc_kernel_param (e->kernel, buffer);
  guint lanes = count_lanes (e, size_of_lane (param->kind));

  return (param->n_elements + lanes - 1) / lanes;
}

gboolean
emit_is_table (Emitter *e,
               guint32  buffer)
{
  const AccKernelParam *param = acc_kernel_buffer (e->kernel, buffer);

  return !(acc_disable_get_flags () & ACC_DISABLE_TABLE_LOOKUP) && !(buffer & ACC_KERNEL_SHARED) && param->n_elements > 0
         && !(param->flags & (ACC_BUFFER_WRITE | ACC_BUFFER_COHERENT))
         && (e->target->has_masks || e->target->has_lane_moves) && count_tables (e, buffer) <= MAX_TABLES;
}

/* All registers side by side. They are loaded at the beginning of the kernel, so that they dominate every lookup. */
static LLVMValueRef
get_tables (Emitter    *e,
            guint32     buffer,
            LLVMTypeRef lane)
{
  const AccKernelParam *param = acc_kernel_param (e->kernel, buffer);
  LLVMTypeRef memory = emit_memory_type (e, param->kind);
  guint size = acc_element_kind_get_size (param->kind);
  LLVMBuilderRef b = e->stack_builder;
  LLVMValueRef table;

  if (e->tables[buffer] != NULL)
    return e->tables[buffer];

  table = LLVMConstNull (LLVMVectorType (lane, count_tables (e, buffer) * count_lanes (e, size_of_lane (param->kind))));
  for (guint i = 0; i < param->n_elements; i++)
    {
      LLVMValueRef at = LLVMConstInt (e->t_i64, i, FALSE);
      LLVMValueRef x = LLVMBuildLoad2 (b, memory, LLVMBuildGEP2 (b, memory, e->params[buffer], &at, 1, ""), "");

      LLVMSetAlignment (x, 1);
      x = LLVMBuildBitCast (b, x, LLVMIntTypeInContext (e->context, 8 * size), "");
      table = LLVMBuildInsertElement (b, table, size < 4 ? LLVMBuildZExt (b, x, lane, "") : x, LLVMConstInt (e->t_i32, i, FALSE), "");
    }
  e->tables[buffer] = table;

  return table;
}

/* Picks lanes of a register by the low bits of @x. */
static LLVMValueRef
permute (Emitter     *e,
         LLVMValueRef table,
         LLVMValueRef x)
{
  LLVMTypeRef type = LLVMTypeOf (table), words = emit_wide_type (e->t_i32, 8);
  gboolean is_long = emit_width_of (LLVMGetElementType (type)) == 64;
  LLVMValueRef low;

  if (e->target->has_masks)
    return emit_call (e, is_long ? "llvm.x86.avx512.permvar.di.512" : "llvm.x86.avx512.permvar.si.512", NULL, 0,
                      (LLVMValueRef[]) { table, x }, 2);
  if (!is_long)
    return emit_call (e, "llvm.x86.avx2.permd", NULL, 0, (LLVMValueRef[]) { table, x }, 2);

  /* Both words of a lane */
  low = LLVMBuildShl (B, x, emit_int (type, 1), "");
  x = LLVMBuildAdd (B, LLVMBuildOr (B, LLVMBuildShl (B, low, emit_int (type, 32), ""), low, ""),
                    emit_int (type, G_GINT64_CONSTANT (1) << 32), "");
  x = emit_call (e, "llvm.x86.avx2.permd", NULL, 0,
                 (LLVMValueRef[]) { LLVMBuildBitCast (B, table, words, ""), LLVMBuildBitCast (B, x, words, "") }, 2);

  return LLVMBuildBitCast (B, x, type, "");
}

LLVMValueRef
emit_look_up (Emitter     *e,
              guint32      buffer,
              LLVMValueRef index)
{
  const AccKernelParam *param = acc_kernel_param (e->kernel, buffer);
  LLVMTypeRef memory = emit_memory_type (e, param->kind);
  guint size = size_of_lane (param->kind), lanes = count_lanes (e, size), n_tables = count_tables (e, buffer), n_parts = 1;
  LLVMTypeRef lane = LLVMIntTypeInContext (e->context, 8 * size);
  LLVMTypeRef stored = LLVMIntTypeInContext (e->context, 8 * acc_element_kind_get_size (param->kind));
  LLVMValueRef tables = get_tables (e, buffer, lane), x = LLVMBuildIntCast2 (B, index, emit_type_like (index, lane), FALSE, "");
  g_autofree LLVMValueRef *parts = NULL;

  while (n_parts * lanes < emit_lanes_of (index))
    n_parts *= 2;
  x = emit_resized (e, x, n_parts * lanes);
  parts = g_new (LLVMValueRef, n_parts);
  for (guint i = 0; i < n_parts; i++)
    {
      LLVMValueRef own = emit_part (e, x, i * lanes, lanes);

      parts[i] = permute (e, emit_part (e, tables, 0, lanes), own);
      for (guint t = 1; t < n_tables; t++)
        parts[i] = emit_select (e, LLVMBuildICmp (B, LLVMIntULT, own, emit_int (LLVMTypeOf (own), t * lanes), ""), parts[i],
                                permute (e, emit_part (e, tables, t * lanes, lanes), own));
    }
  x = emit_resized (e, emit_concatenate (e, parts, n_parts), emit_lanes_of (index));
  x = LLVMBuildIntCast2 (B, x, emit_type_like (x, stored), FALSE, "");

  return LLVMBuildBitCast (B, x, emit_type_like (x, memory), "");
}
