/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"
#include "acc-emit-ptx.h"

#include <string.h>

#include "acc-error.h"

#define B (e->builder)

#define PASSES "always-inline,globaldce,function(nvvm-reflect,sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>," \
               "loop-mssa(loop-rotate,licm),instcombine<no-verify-fixpoint>,early-cse<memssa>,infer-alignment,simplifycfg)"

/* Address spaces and calling convention of LLVM's NVPTX. */
#define GLOBAL_SPACE 1
#define SHARED_SPACE 3
#define PTX_KERNEL   71

/* What a launch can pass. */
#define MAX_PARAM_BYTES 4096
#define WORDS 8

static LLVMValueRef
special (Emitter    *e,
         const char *intrinsic)
{
  return LLVMBuildZExt (B, emit_call (e, intrinsic, NULL, 0, NULL, 0), e->t_i64, "");
}

/* The group's part of a dimension, from begin, end, tile and first. */
static void
make_range (Emitter      *e,
            LLVMValueRef *words,
            LLVMValueRef  group,
            LLVMValueRef  range[2])
{
  LLVMValueRef first = LLVMBuildAdd (B, words[3], LLVMBuildMul (B, group, words[2], ""), "");
  LLVMValueRef left = LLVMBuildSub (B, words[1], first, "");

  range[0] = emit_binary (e, "llvm.smax", first, words[0]);
  /* Not first + tile where that may be past what an i64 holds. */
  range[1] = LLVMBuildAdd (B, first, emit_binary (e, "llvm.smin", left, words[2]), "");
}

static void
make_shared (Emitter *e)
{
  for (guint i = 0; i < e->kernel->shared->len; i++)
    {
      const AccKernelParam *array = &g_array_index (e->kernel->shared, AccKernelParam, i);
      /* Whole words, for compare-and-swap of small elements. */
      LLVMTypeRef type = LLVMArrayType2 (emit_memory_type (e, array->kind), (array->n_elements + 7) / 8 * 8);

      e->shared[i] = LLVMAddGlobalInAddressSpace (e->module, type, "shared", SHARED_SPACE);
      LLVMSetLinkage (e->shared[i], LLVMInternalLinkage);
      LLVMSetInitializer (e->shared[i], LLVMGetUndef (type));
      LLVMSetAlignment (e->shared[i], 16);
    }
}

static void
add_annotation (Emitter    *e,
                const char *name,
                guint       value)
{
  LLVMMetadataRef parts[] = {
    LLVMValueAsMetadata (e->function),
    LLVMMDStringInContext2 (e->context, name, strlen (name)),
    LLVMValueAsMetadata (LLVMConstInt (e->t_i32, value, FALSE)),
  };

  LLVMAddNamedMetadataOperand (e->module, "nvvm.annotations",
                               LLVMMetadataAsValue (e->context, LLVMMDNodeInContext2 (e->context, parts, G_N_ELEMENTS (parts))));
}

static void
make_function (Emitter    *e,
               AccPtxFlags flags)
{
  guint n_params = e->kernel->params->len, n_types = n_params + WORDS + 1;
  g_autofree LLVMTypeRef *types = g_new (LLVMTypeRef, n_types);
  LLVMTypeRef pointer = LLVMPointerTypeInContext (e->context, GLOBAL_SPACE);

  for (guint i = 0; i < n_types; i++)
    types[i] = (i < n_params && acc_kernel_param (e->kernel, i)->is_buffer) || i == n_types - 1 ? pointer : e->t_i64;
  e->function = LLVMAddFunction (e->module, ACC_EMIT_SYMBOL, LLVMFunctionType (e->t_void, types, n_types, FALSE));
  LLVMSetFunctionCallConv (e->function, PTX_KERNEL);
  emit_set_attribute (e, e->function, LLVMAttributeFunctionIndex, "nounwind", 0);
  add_annotation (e, "reqntidx", e->kernel->group_size);
  add_annotation (e, "reqntidy", 1);
  add_annotation (e, "reqntidz", 1);
  if (e->kernel->n_resident >= e->kernel->group_size)
    add_annotation (e, "minctasm", e->kernel->n_resident / e->kernel->group_size);

  for (guint i = 0; i < n_params; i++)
    {
      const AccKernelParam *param = acc_kernel_param (e->kernel, i);

      if (!param->is_buffer)
        continue;
      emit_set_attribute (e, e->function, i + 1, "align", flags & ACC_PTX_ALIGNED ? 16 : acc_element_kind_get_size (param->kind));
      if (param->flags & ACC_BUFFER_COHERENT)
        continue;
      if (param->flags & ACC_BUFFER_NO_ALIAS)
        emit_set_attribute (e, e->function, i + 1, "noalias", 0);
      if (!(param->flags & ACC_BUFFER_WRITE))
        emit_set_attribute (e, e->function, i + 1, "readonly", 0);
    }
}

static gboolean
build_function (Emitter      *e,
                gconstpointer data,
                GError      **error)
{
  AccPtxFlags flags = *(const AccPtxFlags *) data;
  guint n_params = e->kernel->params->len;
  LLVMBasicBlockRef stack_block, first_block;
  LLVMValueRef words[WORDS];

  if ((n_params + WORDS + 1) * 8 > MAX_PARAM_BYTES)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Kernel “%s”: %u arrays and scalars are more than a launch passes",
                   e->kernel->name, n_params);
      return FALSE;
    }

  make_function (e, flags);
  make_shared (e);
  stack_block = LLVMAppendBasicBlockInContext (e->context, e->function, "");
  first_block = LLVMAppendBasicBlockInContext (e->context, e->function, "");
  LLVMPositionBuilderAtEnd (B, first_block);
  LLVMPositionBuilderAtEnd (e->stack_builder, stack_block);

  for (guint i = 0; i < n_params; i++)
    {
      const AccKernelParam *param = acc_kernel_param (e->kernel, i);
      LLVMValueRef given = LLVMGetParam (e->function, i);

      e->params[i] = param->is_buffer ? given : emit_from_slot (e, param->kind, given);
    }
  for (guint i = 0; i < WORDS; i++)
    words[i] = LLVMGetParam (e->function, n_params + i);
  make_range (e, words, special (e, "llvm.nvvm.read.ptx.sreg.ctaid.y"), e->range);
  make_range (e, words + 4, special (e, "llvm.nvvm.read.ptx.sreg.ctaid.x"), e->range + 2);
  e->local = special (e, "llvm.nvvm.read.ptx.sreg.tid.x");
  e->failure = LLVMBuildAddrSpaceCast (B, LLVMGetParam (e->function, n_params + WORDS), e->t_ptr, "");

  emit_instrs (e, ACC_KERNEL_BODY);
  LLVMBuildRetVoid (B);
  LLVMBuildBr (e->stack_builder, first_block);

  return emit_link_library (e, error);
}

char *
acc_emit_ptx (AccKernel   *kernel,
              guint        compute,
              guint        isa,
              AccPtxFlags  flags,
              GError     **error)
{
  static const EmitForm form = { build_function, PASSES, NULL, LLVMAssemblyFile };
  g_autoptr(AccLlvmTarget) target = NULL;
  g_autoptr(GBytes) text = NULL;

  g_return_val_if_fail (kernel != NULL, NULL);

  if (kernel->group_size == 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Kernel “%s” is not for groups of threads", kernel->name);
      return NULL;
    }
  target = _acc_llvm_target_get_ptx (compute, isa, error);
  if (target == NULL)
    return NULL;
  text = emit_module (kernel, target, ACC_EMIT_SCALAR, &form, &flags, error);

  return text != NULL ? g_strndup (g_bytes_get_data (text, NULL), g_bytes_get_size (text)) : NULL;
}
