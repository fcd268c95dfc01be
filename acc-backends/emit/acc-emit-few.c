/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* Parameters whose elements fit into a register: palettes, the balls of a scene, coefficients. They are loaded once, and lanes look them
 * up by a permutation, where a gather would load each by itself. */

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

gboolean
emit_has_few (Emitter *e,
              guint32  buffer)
{
  const AccKernelParam *param = acc_kernel_buffer (e->kernel, buffer);
  guint size = size_of_lane (param->kind);

  return !(buffer & ACC_KERNEL_SHARED) && param->n_elements > 0 && !(param->flags & (ACC_BUFFER_WRITE | ACC_BUFFER_COHERENT))
         && (e->target->has_masks || (e->target->has_lane_moves && size == 4)) && param->n_elements <= count_lanes (e, size);
}

/* Loaded where the kernel begins, so that it is there wherever it is asked for. */
static LLVMValueRef
get_table (Emitter     *e,
           guint32      buffer,
           LLVMTypeRef  lane)
{
  const AccKernelParam *param = acc_kernel_param (e->kernel, buffer);
  LLVMTypeRef memory = emit_memory_type (e, param->kind);
  guint size = acc_element_kind_get_size (param->kind);
  LLVMBuilderRef b = e->stack_builder;
  LLVMValueRef table;

  if (e->few[buffer] != NULL)
    return e->few[buffer];

  table = LLVMConstNull (LLVMVectorType (lane, count_lanes (e, size_of_lane (param->kind))));
  for (guint i = 0; i < param->n_elements; i++)
    {
      LLVMValueRef at = LLVMConstInt (e->t_i64, i, FALSE);
      LLVMValueRef x = LLVMBuildLoad2 (b, memory, LLVMBuildGEP2 (b, memory, e->params[buffer], &at, 1, ""), "");

      LLVMSetAlignment (x, 1);
      x = LLVMBuildBitCast (b, x, LLVMIntTypeInContext (e->context, 8 * size), "");
      table = LLVMBuildInsertElement (b, table, size < 4 ? LLVMBuildZExt (b, x, lane, "") : x, LLVMConstInt (e->t_i32, i, FALSE), "");
    }
  e->few[buffer] = table;

  return table;
}

LLVMValueRef
emit_look_up (Emitter     *e,
              guint32      buffer,
              LLVMValueRef index)
{
  const AccKernelParam *param = acc_kernel_param (e->kernel, buffer);
  LLVMTypeRef memory = emit_memory_type (e, param->kind);
  guint size = size_of_lane (param->kind), lanes = count_lanes (e, size), n_parts = 1;
  LLVMTypeRef lane = LLVMIntTypeInContext (e->context, 8 * size);
  LLVMTypeRef stored = LLVMIntTypeInContext (e->context, 8 * acc_element_kind_get_size (param->kind));
  LLVMValueRef table = get_table (e, buffer, lane), x = LLVMBuildIntCast2 (B, index, emit_type_like (index, lane), FALSE, "");
  g_autofree LLVMValueRef *parts = NULL;
  const char *permute = e->target->has_masks ? size == 4 ? "llvm.x86.avx512.permvar.si.512" : "llvm.x86.avx512.permvar.di.512"
                                             : "llvm.x86.avx2.permd";

  while (n_parts * lanes < emit_lanes_of (index))
    n_parts *= 2;
  x = emit_resized (e, x, n_parts * lanes);
  parts = g_new (LLVMValueRef, n_parts);
  for (guint i = 0; i < n_parts; i++)
    parts[i] = emit_call (e, permute, NULL, 0, (LLVMValueRef[]) { table, emit_part (e, x, i * lanes, lanes) }, 2);
  x = emit_resized (e, emit_concatenate (e, parts, n_parts), emit_lanes_of (index));
  x = LLVMBuildIntCast2 (B, x, emit_type_like (x, stored), FALSE, "");

  return LLVMBuildBitCast (B, x, emit_type_like (x, memory), "");
}
