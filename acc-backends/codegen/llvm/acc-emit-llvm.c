/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include "acc-core/backend/acc-backend-private.h"

#define B (e->builder)

/* No vectoriser and no unroller: the code is vectors already. */
#define PASSES "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>," \
               "loop-mssa(loop-rotate,licm),instcombine<no-verify-fixpoint>,simplifycfg)"
#define BASELINE_PASSES "function(sroa)"

/* LLVM's loop and memory passes take time by the square of the number of loops and accesses. A kernel with more instructions goes without
 * them, and has one register's worth of lanes; one with many more is always baseline code, with its variables in memory. */
#define LARGE_PASSES "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg)"
#define HUGE_KERNEL  3072

/* The nesting of blocks: passes visit all that lies in a block for each block, and LLVM's register allocation takes time by the square. */
#define MOST_DEEP 64

static gboolean
is_narrow (AccElementKind kind)
{
  return acc_element_kind_get_size (kind) < 4;
}

/* Whether nothing is narrower than 4 bytes but masks */
static gboolean
has_words_only (Emitter *e)
{
  for (guint i = 0; i < e->kernel->params->len; i++)
    if (acc_kernel_param (e->kernel, i)->is_buffer && is_narrow (acc_kernel_param (e->kernel, i)->kind))
      return FALSE;
  for (guint32 id = 1; id < e->kernel->instrs->len; id++)
    {
      AccElementKind kind = acc_kernel_instr (e->kernel, id)->kind;

      if (kind != ACC_KIND_BOOL && is_narrow (kind))
        return FALSE;
    }

  return TRUE;
}

static void
set_function_attributes (Emitter     *e,
                         LLVMValueRef function)
{
  char bits[16];

  g_snprintf (bits, sizeof bits, "%u", e->target->register_bytes * 8);
  emit_set_attribute (e, function, LLVMAttributeFunctionIndex, "nounwind", 0);
  if (e->target->register_bytes > 16)
    {
      emit_set_text (e, function, "prefer-vector-width", bits);
      emit_set_text (e, function, "min-legal-vector-width", bits);
      /* Otherwise spills lie across cache lines, since the system aligns the stack to 16 bytes: LLVM gives the frame pointer away before it
       * knows whether there are spills. */
      emit_set_text (e, function, "stackrealign", "");
    }

  /* Masks of more lanes than a register has would be packed into one predicate register, and unpacked for each use. Without
   * predicates of bytes they are as many as the vectors. */
  if (e->target->has_narrow_masks && has_words_only (e))
    {
      g_autofree char *features = g_strconcat (e->target->features, ",-avx512bw", NULL);

      emit_set_text (e, function, "target-features", features);
    }
}

static LLVMValueRef
read_slot (Emitter     *e,
           LLVMTypeRef  type,
           LLVMValueRef slots,
           guint        slot)
{
  LLVMValueRef at = LLVMConstInt (e->t_i64, slot, FALSE);

  return LLVMBuildLoad2 (B, type, LLVMBuildGEP2 (B, e->t_i64, slots, &at, 1, ""), "");
}

/* The entry unpacks the slots and calls the body: only parameters can be declared not to alias. */
static gboolean
build_function (Emitter      *e,
                gconstpointer data,
                GError      **error)
{
  const char *symbol = data;
  guint n_params = e->kernel->params->len, n_types = n_params + G_N_ELEMENTS (e->range) + 1;
  g_autofree LLVMTypeRef *types = g_new (LLVMTypeRef, n_types);
  g_autofree LLVMValueRef *args = g_new (LLVMValueRef, n_types);
  g_autofree char *name = g_strconcat (symbol, ".body", NULL);
  LLVMTypeRef entry_type = LLVMFunctionType (e->t_void, (LLVMTypeRef[]) { e->t_ptr, e->t_ptr, e->t_ptr }, 3, FALSE);
  LLVMTypeRef body_type;
  LLVMValueRef entry;
  LLVMBasicBlockRef stack_block, first_block;

  for (guint i = 0; i < n_params; i++)
    {
      const AccKernelParam *param = acc_kernel_param (e->kernel, i);

      types[i] = param->is_buffer ? e->t_ptr : emit_type (e, param->kind);
    }
  for (guint i = 0; i < G_N_ELEMENTS (e->range); i++)
    types[n_params + i] = e->t_i64;
  types[n_types - 1] = e->t_ptr;
  body_type = LLVMFunctionType (e->t_void, types, n_types, FALSE);

  e->function = LLVMAddFunction (e->module, name, body_type);
  LLVMSetLinkage (e->function, LLVMInternalLinkage);
  set_function_attributes (e, e->function);
  emit_set_attribute (e, e->function, LLVMAttributeFunctionIndex, "noinline", 0);
  for (guint i = 0; i < n_params; i++)
    {
      const AccKernelParam *param = acc_kernel_param (e->kernel, i);

      if (param->is_buffer && (param->flags & ACC_BUFFER_NO_ALIAS))
        emit_set_attribute (e, e->function, i + 1, "noalias", 0);
      if (param->is_buffer && !(param->flags & ACC_BUFFER_WRITE))
        emit_set_attribute (e, e->function, i + 1, "readonly", 0);
    }

  entry = LLVMAddFunction (e->module, symbol, entry_type);
  set_function_attributes (e, entry);
  LLVMPositionBuilderAtEnd (B, LLVMAppendBasicBlockInContext (e->context, entry, ""));
  for (guint i = 0; i < n_params; i++)
    {
      const AccKernelParam *param = acc_kernel_param (e->kernel, i);

      args[i] = param->is_buffer ? read_slot (e, e->t_ptr, LLVMGetParam (entry, 0), i)
                                 : emit_from_slot (e, param->kind, read_slot (e, e->t_i64, LLVMGetParam (entry, 0), i));
    }
  for (guint i = 0; i < G_N_ELEMENTS (e->range); i++)
    args[n_params + i] = read_slot (e, e->t_i64, LLVMGetParam (entry, 1), i);
  args[n_types - 1] = LLVMGetParam (entry, 2);
  LLVMBuildCall2 (B, body_type, e->function, args, n_types, "");
  LLVMBuildRetVoid (B);

  for (guint i = 0; i < n_params; i++)
    e->params[i] = LLVMGetParam (e->function, i);
  for (guint i = 0; i < G_N_ELEMENTS (e->range); i++)
    e->range[i] = LLVMGetParam (e->function, n_params + i);
  e->failure = LLVMGetParam (e->function, n_types - 1);

  stack_block = LLVMAppendBasicBlockInContext (e->context, e->function, "");
  first_block = LLVMAppendBasicBlockInContext (e->context, e->function, "");
  LLVMPositionBuilderAtEnd (B, first_block);
  LLVMPositionBuilderAtEnd (e->stack_builder, stack_block);
  e->end = emit_block (e, "end");
  emit_instrs (e, ACC_KERNEL_BODY);
  LLVMBuildBr (B, e->end);
  emit_enter (e, e->end);
  if (e->streamed)
    emit_call (e, "llvm.x86.sse.sfence", NULL, 0, NULL, 0);
  LLVMBuildRetVoid (B);
  LLVMBuildBr (e->stack_builder, first_block);

  return TRUE;
}

static gboolean
is_deep (const AccKernel *kernel)
{
  g_autofree guint *depths = g_new0 (guint, kernel->instrs->len);

  for (guint32 id = 1; id < kernel->instrs->len; id++)
    {
      guint32 parent = _acc_kernel_get_parent (kernel, id);

      depths[id] = parent != 0 ? depths[parent] + 1 : 0;
      if (depths[id] > MOST_DEEP)
        return TRUE;
    }

  return FALSE;
}

static void
finish (Emitter *e)
{
  if (!e->target->has_masks && !(acc_disable_get_flags () & ACC_DISABLE_WIDE_MASKS))
    emit_widen_masks (e);
}

GBytes *
acc_emit_llvm (AccKernel     *kernel,
               AccLlvmTarget *target,
               AccEmitFlags   flags,
               const char    *symbol,
               GError       **error)
{
  static const EmitForm form = { build_function, PASSES, finish, LLVMObjectFile };
  static const EmitForm large_form = { build_function, LARGE_PASSES, finish, LLVMObjectFile };
  static const EmitForm baseline_form = { build_function, BASELINE_PASSES, finish, LLVMObjectFile };
  static const EmitForm huge_form = { build_function, NULL, finish, LLVMObjectFile };

  const EmitForm *used = &form;

  g_return_val_if_fail (kernel != NULL, NULL);
  g_return_val_if_fail (target != NULL, NULL);

  if (kernel->instrs->len > HUGE_KERNEL || is_deep (kernel))
    flags |= ACC_EMIT_BASELINE;
  if ((acc_disable_get_flags () & ACC_DISABLE_VECTORISE) || (flags & ACC_EMIT_BASELINE))
    flags |= ACC_EMIT_SCALAR;
  if (kernel->instrs->len > HUGE_KERNEL)
    used = &huge_form;
  else if (flags & ACC_EMIT_BASELINE)
    used = &baseline_form;
  else if (emit_is_large (kernel))
    used = &large_form;

  return emit_module (kernel, target, flags, used, symbol != NULL ? symbol : ACC_EMIT_SYMBOL, error);
}
