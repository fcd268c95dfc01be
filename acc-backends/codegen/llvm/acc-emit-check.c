/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

/* Emits checks of indices and divisors, which write the failure slot, and polls for cancellation. */

#define B (e->builder)

static LLVMValueRef
field (Emitter      *e,
       LLVMValueRef  failure,
       gsize         offset)
{
  LLVMValueRef at = LLVMConstInt (e->t_i64, offset, FALSE);

  return LLVMBuildGEP2 (B, e->t_i8, failure, &at, 1, "");
}

/* void fail (failure, kind, origin, index, extent): the first lane to fail writes, the others go on. */
static LLVMValueRef
get_fail_function (Emitter *e)
{
  static const char *const of_calls[] = { "nounwind", "noinline", "cold" }, *const of_groups[] = { "nounwind", "alwaysinline", "cold" };
  gboolean groups = e->kernel->group_size > 0;
  const char *const *attributes = groups ? of_groups : of_calls;
  LLVMTypeRef type = LLVMFunctionType (e->t_void, (LLVMTypeRef[]) { e->t_ptr, e->t_i32, e->t_i32, e->t_i64, e->t_i64 }, 5,
                                       FALSE);
  LLVMBasicBlockRef saved = LLVMGetInsertBlock (B), entry, write, end;
  LLVMValueRef f, failure, old, store;

  if (e->fail_function != NULL)
    return e->fail_function;

  f = e->fail_function = LLVMAddFunction (e->module, "fail", type);
  LLVMSetLinkage (f, LLVMInternalLinkage);
  for (guint i = 0; i < G_N_ELEMENTS (of_calls); i++)
    LLVMAddAttributeAtIndex (f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute (e->context,
                             LLVMGetEnumAttributeKindForName (attributes[i], strlen (attributes[i])), 0));

  entry = LLVMAppendBasicBlockInContext (e->context, f, "");
  write = LLVMAppendBasicBlockInContext (e->context, f, "");
  end = LLVMAppendBasicBlockInContext (e->context, f, "");
  failure = LLVMGetParam (f, 0);

  LLVMPositionBuilderAtEnd (B, entry);
  old = LLVMBuildAtomicCmpXchg (B, field (e, failure, G_STRUCT_OFFSET (AccFailure, state)),
                                LLVMConstInt (e->t_i32, 0, FALSE), LLVMConstInt (e->t_i32, 1, FALSE),
                                groups ? LLVMAtomicOrderingMonotonic : LLVMAtomicOrderingAcquireRelease,
                                groups ? LLVMAtomicOrderingMonotonic : LLVMAtomicOrderingAcquire, FALSE);
  LLVMBuildCondBr (B, LLVMBuildExtractValue (B, old, 1, ""), write, end);

  LLVMPositionBuilderAtEnd (B, write);
  LLVMBuildStore (B, LLVMGetParam (f, 1), field (e, failure, G_STRUCT_OFFSET (AccFailure, kind)));
  LLVMBuildStore (B, LLVMGetParam (f, 2), field (e, failure, G_STRUCT_OFFSET (AccFailure, origin)));
  LLVMBuildStore (B, LLVMGetParam (f, 3), field (e, failure, G_STRUCT_OFFSET (AccFailure, index)));
  LLVMBuildStore (B, LLVMGetParam (f, 4), field (e, failure, G_STRUCT_OFFSET (AccFailure, extent)));
  store = LLVMBuildStore (B, LLVMConstInt (e->t_i32, 2, FALSE), field (e, failure, G_STRUCT_OFFSET (AccFailure, state)));
  /* A device's is read when all groups are done. */
  if (groups)
    LLVMSetVolatile (store, TRUE);
  else
    LLVMSetOrdering (store, LLVMAtomicOrderingRelease);
  LLVMSetAlignment (store, 4);
  LLVMBuildBr (B, end);

  LLVMPositionBuilderAtEnd (B, end);
  LLVMBuildRetVoid (B);
  LLVMPositionBuilderAtEnd (B, saved);

  return f;
}

static void
look (Emitter          *e,
      LLVMBasicBlockRef taken,
      LLVMBasicBlockRef go_on)
{
  LLVMValueRef state = LLVMBuildLoad2 (B, e->t_i32, field (e, e->failure, G_STRUCT_OFFSET (AccFailure, state)), "");

  LLVMSetOrdering (state, LLVMAtomicOrderingMonotonic);
  LLVMSetAlignment (state, 4);
  emit_expect_false (e, LLVMBuildCondBr (B, LLVMBuildICmp (B, LLVMIntNE, state, LLVMConstInt (e->t_i32, 0, FALSE), ""), taken, go_on));
}

/* Another thread may write it at any time: the code may keep a copy, but not for ever. */
void
emit_poll (Emitter *e)
{
  LLVMBasicBlockRef go_on = emit_block (e, "go.on");

  look (e, e->end, go_on);
  emit_enter (e, go_on);
  e->n_in_line = 0;
}

/* LLVM sinks the values of a block into a successor that only this block enters. So there is a second way into it, which looks once
 * more. */
void
emit_cut (Emitter *e)
{
  LLVMBasicBlockRef again = emit_block (e, "again"), go_on = emit_block (e, "go.on");

  look (e, again, go_on);
  emit_enter (e, again);
  look (e, e->end, go_on);
  emit_enter (e, go_on);
  e->n_in_line = 0;
}

void
emit_check (Emitter *e,
            guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  Value ok = emit_value (e, instr->args[0]);
  LLVMBasicBlockRef bad_block = emit_block (e, "bad"), after = emit_block (e, "good");
  LLVMValueRef f = get_fail_function (e), bad = LLVMBuildNot (B, ok.v, ""), bits = NULL, lane = NULL;

  if (ok.shape == SHAPE_VARYING)
    bad = emit_mask_and (e, e->mask.v, bad);
  else if (e->mask.v != NULL)
    bits = emit_bits (e, e->mask.v);

  if (ok.shape == SHAPE_VARYING)
    bits = emit_bits (e, bad);
  emit_expect_false (e, LLVMBuildCondBr (B, emit_any (e, bad), bad_block, after));
  emit_enter (e, bad_block);
  lane = bits != NULL ? emit_first_lane (e, bits) : LLVMConstNull (e->t_i64);
  LLVMBuildCall2 (B, LLVMGlobalGetValueType (f), f, (LLVMValueRef[]) {
                    e->failure,
                    LLVMConstInt (e->t_i32, instr->bits & G_MAXUINT32, FALSE),
                    LLVMConstInt (e->t_i32, instr->bits >> 32, FALSE),
                    emit_lane_of (e, emit_value (e, instr->args[1]), lane),
                    emit_lane_of (e, emit_value (e, instr->args[2]), lane),
                  }, 5, "");
  LLVMBuildBr (B, after);
  emit_enter (e, after);
}
