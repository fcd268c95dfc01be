/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

/* Emits loads and stores: contiguous, gathered, scattered, packed, masked and non-temporal ones. */

#define B (e->builder)

static LLVMValueRef
reverse (Emitter     *e,
         LLVMValueRef x)
{
  guint n = emit_lanes_of (x);
  g_autofree int *places = g_new (int, n);

  for (guint i = 0; i < n; i++)
    places[i] = n - 1 - i;

  return emit_shuffle (e, x, NULL, places, n);
}

/* For step -1: the address of the last lane. */
static LLVMValueRef
last_address (Emitter     *e,
              guint32      buffer,
              LLVMValueRef index)
{
  return emit_element (e, buffer, LLVMBuildSub (B, index, LLVMConstInt (e->t_i64, e->lanes - 1, FALSE), ""));
}

Value
emit_load (Emitter *e,
           guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  guint32 buffer = instr->args[0];
  LLVMTypeRef memory = emit_memory_type (e, instr->kind);
  Value index = emit_value (e, instr->args[1]);
  LLVMValueRef x = NULL;

  if (index.shape == SHAPE_UNIFORM)
    {
      x = emit_load_plain (e, memory, emit_uniform_element (e, id), 1);
      LLVMSetVolatile (x, (acc_kernel_buffer (e->kernel, buffer)->flags & ACC_BUFFER_COHERENT) != 0);
      return (Value) { .v = emit_from_memory (e, instr->kind, x), .shape = SHAPE_UNIFORM };
    }

  if (index.shape == SHAPE_LINEAR && index.stride == 1)
    x = emit_load_masked (e, memory, emit_element (e, buffer, index.v), e->mask.v, e->lanes);
  else if (index.shape == SHAPE_LINEAR && index.stride == -1)
    {
      LLVMValueRef mask = e->mask.v != NULL ? reverse (e, e->mask.v) : NULL;

      x = reverse (e, emit_load_masked (e, memory, last_address (e, buffer, index.v), mask, e->lanes));
    }
  else if (index.shape == SHAPE_LINEAR)
    x = emit_load_strided (e, id, &index);
  else if (index.repeats > 0)
    x = emit_load_repeated (e, id, &index);
  if (x == NULL)
    x = emit_load_window (e, id);
  if (x == NULL)
    x = emit_gather (e, buffer, memory, &index);

  return (Value) { .v = emit_from_memory (e, instr->kind, x), .shape = SHAPE_VARYING };
}

void
emit_store (Emitter *e,
            guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  guint32 buffer = instr->args[0];
  const AccKernelParam *param = acc_kernel_buffer (e->kernel, buffer);
  LLVMTypeRef memory = emit_memory_type (e, param->kind);
  Value index = emit_value (e, instr->args[1]);
  Value value = emit_value (e, instr->args[2]);
  LLVMValueRef x;

  if (index.shape == SHAPE_UNIFORM)
    {
      if (value.shape != SHAPE_UNIFORM)
        {
          LLVMValueRef lane = LLVMConstInt (e->t_i64, e->lanes - 1, FALSE);

          if (e->mask.v != NULL)
            lane = emit_last_lane (e, emit_bits (e, e->mask.v));
          value.v = LLVMBuildExtractElement (B, emit_as_vector (e, value), lane, "");
        }
      x = emit_store_plain (e, memory, emit_uniform_element (e, id), emit_to_memory (e, param->kind, value.v));
      LLVMSetVolatile (x, (param->flags & ACC_BUFFER_COHERENT) != 0);
      return;
    }

  if (index.shape == SHAPE_LINEAR && index.stride > 1 && emit_store_strided (e, id, &index))
    return;

  x = emit_to_memory (e, param->kind, emit_as_vector (e, value));
  if (index.shape == SHAPE_LINEAR && index.stride == 1)
    emit_store_neighbours (e, buffer, index.v, x);
  else if (index.shape == SHAPE_LINEAR && index.stride == -1)
    emit_store_masked (e, reverse (e, x), last_address (e, buffer, index.v),
                       e->mask.v != NULL ? reverse (e, e->mask.v) : NULL);
  else
    emit_scatter (e, buffer, memory, &index, x);
}

#define MAX_APART 64   /* lanes of which each is asked for */

/* Into the second cache. */
static void
prefetch (Emitter     *e,
          LLVMValueRef address)
{
  emit_call (e, "llvm.prefetch", &e->t_ptr, 1,
             (LLVMValueRef[]) { address, LLVMConstInt (e->t_i32, 0, FALSE), LLVMConstInt (e->t_i32, 2, FALSE),
                                LLVMConstInt (e->t_i32, 1, FALSE) }, 4);
}

/* From the first lane's element on to the last one's. */
static void
prefetch_lines (Emitter *e,
                guint32  buffer,
                Value    index)
{
  LLVMValueRef first = emit_element (e, buffer, index.v);
  gint64 size = (gint64) acc_element_kind_get_size (acc_kernel_buffer (e->kernel, buffer)->kind);
  gint64 bytes = index.shape == SHAPE_UNIFORM ? 1 : MIN (e->lanes * ABS (index.stride) * size, MAX_APART * EMIT_CACHE_LINE);

  for (gint64 at = 0; at < bytes; at += EMIT_CACHE_LINE)
    {
      LLVMValueRef distance = LLVMConstInt (e->t_i64, (guint64) (index.stride < 0 ? -at : at), TRUE);

      prefetch (e, LLVMBuildGEP2 (B, LLVMInt8TypeInContext (e->context), first, &distance, 1, ""));
    }
}

/* What lanes that are neighbours load at once, or what each loads for itself. */
void
emit_prefetch (Emitter *e,
               guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  Value index = emit_value (e, instr->args[1]);
  LLVMValueRef addresses;
  LLVMTypeRef memory;

  if (index.shape != SHAPE_VARYING)
    {
      prefetch_lines (e, instr->args[0], index);
      return;
    }

  if (e->lanes > MAX_APART)
    return;
  memory = emit_memory_type (e, acc_kernel_buffer (e->kernel, instr->args[0])->kind);
  addresses = emit_addresses (e, instr->args[0], memory, index.v, NULL, NULL);
  for (guint i = 0; i < e->lanes; i++)
    prefetch (e, emit_lane_address (e, addresses, i));
}
