/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* Addresses, elements as they are in memory, and accesses of neighbours. */

LLVMValueRef
emit_base (Emitter *e,
           guint32  buffer)
{
  return buffer & ACC_KERNEL_SHARED ? e->shared[buffer & ~ACC_KERNEL_SHARED] : e->params[buffer];
}

static LLVMValueRef
go_on (Emitter     *e,
       guint32      buffer,
       LLVMValueRef from,
       LLVMValueRef index)
{
  return LLVMBuildGEP2 (B, emit_memory_type (e, acc_kernel_buffer (e->kernel, buffer)->kind), from, &index, 1, "");
}

LLVMValueRef
emit_element (Emitter     *e,
              guint32      buffer,
              LLVMValueRef index)
{
  return go_on (e, buffer, emit_base (e, buffer), index);
}

#define MAX_TRACED 32

/* Whether a value is the same in all iterations of @loop, as far as @n more steps tell. */
static gboolean
is_invariant (Emitter *e,
              guint32  id,
              guint32  loop,
              guint   *n)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

  if (!_acc_kernel_is_inside (e->kernel, id, loop))
    return TRUE;
  if (*n == 0 || !_acc_kernel_op_is_pure (instr->op))
    return FALSE;
  (*n)--;
  for (guint i = _acc_kernel_first_id (instr); i < instr->n_args; i++)
    if (!is_invariant (e, instr->args[i], loop, n))
      return FALSE;

  return TRUE;
}

/* The address of element @index of @buffer from @base on. The part of a sum that @loop does not change is added first, so that it is
 * hoisted; constants, which are part of an instruction, last. */
static LLVMValueRef
element_from (Emitter     *e,
              guint32      buffer,
              LLVMValueRef base,
              guint32      index,
              guint32      loop)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, index);
  gboolean is_sum = loop != 0 && instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD;
  guint n = MAX_TRACED;

  for (guint i = 0; i < 2 && is_sum; i++)
    if (acc_kernel_instr (e->kernel, instr->args[i])->op == ACC_KOP_CONST)
      return go_on (e, buffer, element_from (e, buffer, base, instr->args[1 - i], loop), emit_scalar (e, instr->args[i]));
  for (guint i = 0; i < 2 && is_sum; i++)
    if (is_invariant (e, instr->args[i], loop, &n) && !is_invariant (e, instr->args[1 - i], loop, &n))
      return element_from (e, buffer, go_on (e, buffer, base, emit_scalar (e, instr->args[i])), instr->args[1 - i], loop);

  return go_on (e, buffer, base, emit_scalar (e, index));
}

/* Of an access that is the same for all lanes. */
LLVMValueRef
emit_uniform_element (Emitter *e,
                      guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  guint32 loop = id;

  do
    loop = _acc_kernel_get_parent (e->kernel, loop);
  while (loop != 0 && !_acc_kernel_op_is_loop (acc_kernel_instr (e->kernel, loop)->op));

  return element_from (e, instr->args[0], emit_base (e, instr->args[0]), instr->args[1], loop);
}

LLVMValueRef
emit_from_memory (Emitter       *e,
                  AccElementKind kind,
                  LLVMValueRef   x)
{
  if (kind == ACC_KIND_BOOL)
    return LLVMBuildICmp (B, LLVMIntNE, x, LLVMConstNull (LLVMTypeOf (x)), "");
  if (kind == ACC_KIND_F16)
    return LLVMBuildBitCast (B, x, emit_type_like (x, e->t_f16), "");

  return x;
}

LLVMValueRef
emit_to_memory (Emitter       *e,
                AccElementKind kind,
                LLVMValueRef   x)
{
  if (kind == ACC_KIND_BOOL)
    return LLVMBuildZExt (B, x, emit_type_like (x, e->t_i8), "");
  if (kind == ACC_KIND_F16)
    return LLVMBuildBitCast (B, x, emit_type_like (x, e->t_i16), "");

  return x;
}

guint
emit_size_of (LLVMTypeRef scalar)
{
  return emit_width_of (scalar) / 8;
}

LLVMValueRef
emit_load_plain (Emitter     *e,
                 LLVMTypeRef  memory,
                 LLVMValueRef address,
                 guint        lanes)
{
  LLVMValueRef x = LLVMBuildLoad2 (B, emit_wide_type (memory, lanes), address, "");

  LLVMSetAlignment (x, emit_size_of (memory));

  return x;
}

LLVMValueRef
emit_store_plain (Emitter     *e,
                  LLVMTypeRef  memory,
                  LLVMValueRef address,
                  LLVMValueRef x)
{
  LLVMValueRef store = LLVMBuildStore (B, x, address);

  LLVMSetAlignment (store, emit_size_of (memory));

  return store;
}

gboolean
emit_has_masked_access (Emitter    *e,
                        LLVMTypeRef memory)
{
  return emit_size_of (memory) >= 4 ? e->target->has_masked_words : e->target->has_narrow_masks;
}

/* Bytes of the smallest pages that there are. */
#define PAGE 4096

/* Active lanes have an element in memory, so all that lies in the same page may be read: lanes are loaded as one vector, and inactive ones
 * ignored. If they lie in two pages, or none is active, they are loaded one by one. */
static LLVMValueRef
load_from_page (Emitter     *e,
                LLVMTypeRef  memory,
                LLVMValueRef address,
                LLVMValueRef mask,
                guint        lanes)
{
  LLVMTypeRef type = emit_wide_type (memory, lanes);
  LLVMBasicBlockRef whole = emit_block (e, "page"), across = emit_block (e, "page.not"), after = emit_block (e, "page.end");
  LLVMValueRef in_page = LLVMBuildAnd (B, LLVMBuildPtrToInt (B, address, e->t_i64, ""), LLVMConstInt (e->t_i64, PAGE - 1, FALSE), "");
  LLVMValueRef fits = LLVMBuildICmp (B, LLVMIntULE, in_page, LLVMConstInt (e->t_i64, PAGE - emit_size_of (memory) * lanes, FALSE), "");
  LLVMValueRef place = emit_stack (e, type, 64), found[2], x;
  LLVMBasicBlockRef from[2];
  LaneLoop loop;

  LLVMBuildCondBr (B, LLVMBuildAnd (B, fits, emit_any (e, mask), ""), whole, across);
  emit_enter (e, whole);
  found[0] = emit_select (e, mask, emit_load_plain (e, memory, address, lanes), LLVMConstNull (type));
  from[0] = LLVMGetInsertBlock (B);
  LLVMBuildBr (B, after);

  emit_enter (e, across);
  LLVMBuildStore (B, LLVMConstNull (type), place);
  loop = emit_enter_lanes (e, mask);
  x = emit_load_plain (e, memory, LLVMBuildGEP2 (B, memory, address, &loop.lane, 1, ""), 1);
  emit_store_plain (e, memory, LLVMBuildGEP2 (B, memory, place, &loop.lane, 1, ""), x);
  emit_leave_lanes (e, &loop, lanes);
  found[1] = LLVMBuildLoad2 (B, type, place, "");
  from[1] = LLVMGetInsertBlock (B);
  LLVMBuildBr (B, after);

  emit_enter (e, after);
  x = LLVMBuildPhi (B, type, "");
  LLVMAddIncoming (x, found, from, 2);

  return x;
}

/* Lanes outside the mask are 0. */
LLVMValueRef
emit_load_masked (Emitter     *e,
                  LLVMTypeRef  memory,
                  LLVMValueRef address,
                  LLVMValueRef mask,
                  guint        lanes)
{
  LLVMTypeRef type = emit_wide_type (memory, lanes);

  if (mask == NULL)
    return emit_load_plain (e, memory, address, lanes);

  if (emit_has_masked_access (e, memory))
    return emit_call (e, "llvm.masked.load", (LLVMTypeRef[]) { type, e->t_ptr }, 2,
                      (LLVMValueRef[]) { address, LLVMConstInt (e->t_i32, emit_size_of (memory), FALSE), mask,
                                         LLVMConstNull (type) }, 4);

  return load_from_page (e, memory, address, mask, lanes);
}

void
emit_store_masked (Emitter     *e,
                   LLVMValueRef value,
                   LLVMValueRef address,
                   LLVMValueRef mask)
{
  LLVMTypeRef type = LLVMTypeOf (value), memory = emit_is_vector (value) ? LLVMGetElementType (type) : type;
  LLVMValueRef place, x;
  LaneLoop loop;

  if (mask == NULL)
    {
      emit_store_plain (e, memory, address, value);
      return;
    }

  if (emit_has_masked_access (e, memory))
    {
      emit_call (e, "llvm.masked.store", (LLVMTypeRef[]) { type, e->t_ptr }, 2,
                 (LLVMValueRef[]) { value, address, LLVMConstInt (e->t_i32, emit_size_of (memory), FALSE), mask }, 4);
      return;
    }

  place = emit_stack (e, type, 64);
  LLVMBuildStore (B, value, place);
  loop = emit_enter_lanes (e, mask);
  x = emit_load_plain (e, memory, LLVMBuildGEP2 (B, memory, place, &loop.lane, 1, ""), 1);
  emit_store_plain (e, memory, LLVMBuildGEP2 (B, memory, address, &loop.lane, 1, ""), x);
  emit_leave_lanes (e, &loop, emit_lanes_of (value));
}

/* Past the caches where the address is that of a line, as it is after the first, peeled, lanes of a foreach. */
static void
streaming_store (Emitter     *e,
                 LLVMTypeRef  memory,
                 LLVMValueRef address,
                 LLVMValueRef value)
{
  LLVMBasicBlockRef aligned = emit_block (e, "stream"), other = emit_block (e, "stream.not");
  LLVMBasicBlockRef after = emit_block (e, "stream.end");
  LLVMValueRef low = LLVMBuildAnd (B, LLVMBuildPtrToInt (B, address, e->t_i64, ""),
                                   LLVMConstInt (e->t_i64, EMIT_CACHE_LINE - 1, FALSE), "");
  LLVMMetadataRef one = LLVMValueAsMetadata (LLVMConstInt (e->t_i32, 1, FALSE));
  LLVMValueRef is_line = LLVMBuildICmp (B, LLVMIntEQ, low, LLVMConstNull (e->t_i64), ""), store;

  LLVMBuildCondBr (B, e->streams != NULL ? LLVMBuildAnd (B, is_line, e->streams, "") : is_line, aligned, other);
  emit_enter (e, aligned);
  store = LLVMBuildStore (B, value, address);
  LLVMSetAlignment (store, EMIT_CACHE_LINE);
  LLVMSetMetadata (store, LLVMGetMDKindIDInContext (e->context, "nontemporal", strlen ("nontemporal")),
                   LLVMMetadataAsValue (e->context, LLVMMDNodeInContext2 (e->context, &one, 1)));
  LLVMBuildBr (B, after);
  emit_enter (e, other);
  emit_store_plain (e, memory, address, value);
  LLVMBuildBr (B, after);
  emit_enter (e, after);
  e->streamed = TRUE;
}

/* Whole lines only: parts of one that do not come together go to memory one by one, which AMD's processors take longer for than for lines
 * that are read, changed and written back. */
void
emit_store_neighbours (Emitter     *e,
                       guint32      buffer,
                       LLVMValueRef index,
                       LLVMValueRef x)
{
  const AccKernelParam *param = acc_kernel_buffer (e->kernel, buffer);
  LLVMTypeRef memory = emit_memory_type (e, param->kind);
  LLVMValueRef address = emit_element (e, buffer, index);
  guint bytes = emit_size_of (memory) * e->lanes;

  if (e->streaming && e->mask.v == NULL && (param->flags & ACC_BUFFER_ONCE) && bytes % EMIT_CACHE_LINE == 0)
    streaming_store (e, memory, address, x);
  else
    emit_store_masked (e, x, address, e->mask.v);
}
