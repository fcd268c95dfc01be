/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "acc-core/acc-backend-private.h"
#include "acc-core/acc-error.h"

#define B (e->builder)

/* No vectoriser and no unroller: the code is vectors already. */
#define PASSES "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>," \
               "loop-mssa(loop-rotate,licm),instcombine<no-verify-fixpoint>,simplifycfg)"

static void
set_string_attribute (Emitter     *e,
                      LLVMValueRef function,
                      const char  *name,
                      const char  *value)
{
  LLVMAddAttributeAtIndex (function, LLVMAttributeFunctionIndex,
                           LLVMCreateStringAttribute (e->context, name, strlen (name), value, strlen (value)));
}

static void
set_attribute (Emitter     *e,
               LLVMValueRef function,
               guint        index,
               const char  *name)
{
  LLVMAddAttributeAtIndex (function, index, LLVMCreateEnumAttribute (
                             e->context, LLVMGetEnumAttributeKindForName (name, strlen (name)), 0));
}

static void
set_function_attributes (Emitter     *e,
                         LLVMValueRef function)
{
  char bits[16];

  g_snprintf (bits, sizeof bits, "%u", e->target->register_bytes * 8);
  set_attribute (e, function, LLVMAttributeFunctionIndex, "nounwind");
  if (e->target->register_bytes > 16)
    {
      set_string_attribute (e, function, "prefer-vector-width", bits);
      set_string_attribute (e, function, "min-legal-vector-width", bits);
    }
}

static void
make_types (Emitter *e)
{
  e->t_void = LLVMVoidTypeInContext (e->context);
  e->t_i1 = LLVMInt1TypeInContext (e->context);
  e->t_i8 = LLVMInt8TypeInContext (e->context);
  e->t_i16 = LLVMInt16TypeInContext (e->context);
  e->t_i32 = LLVMInt32TypeInContext (e->context);
  e->t_i64 = LLVMInt64TypeInContext (e->context);
  e->t_f16 = LLVMHalfTypeInContext (e->context);
  e->t_f32 = LLVMFloatTypeInContext (e->context);
  e->t_f64 = LLVMDoubleTypeInContext (e->context);
  e->t_ptr = LLVMPointerTypeInContext (e->context, 0);
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

static LLVMValueRef
read_scalar (Emitter       *e,
             AccElementKind kind,
             LLVMValueRef   slots,
             guint          slot)
{
  LLVMValueRef bits = read_slot (e, e->t_i64, slots, slot);
  guint width = acc_element_kind_get_size (kind) * 8;

  bits = LLVMBuildIntCast2 (B, bits, LLVMIntTypeInContext (e->context, width), FALSE, "");
  if (kind == ACC_KIND_BOOL)
    return LLVMBuildICmp (B, LLVMIntNE, bits, LLVMConstNull (e->t_i8), "");

  return LLVMBuildBitCast (B, bits, emit_type (e, kind), "");
}

/* The entry takes the slots apart and calls the body: only parameters can be said not to alias. */
static void
build_function (Emitter    *e,
                const char *symbol)
{
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
  set_attribute (e, e->function, LLVMAttributeFunctionIndex, "noinline");
  for (guint i = 0; i < n_params; i++)
    {
      const AccKernelParam *param = acc_kernel_param (e->kernel, i);

      if (param->is_buffer && (param->flags & ACC_BUFFER_NO_ALIAS))
        set_attribute (e, e->function, i + 1, "noalias");
      if (param->is_buffer && !(param->flags & ACC_BUFFER_WRITE))
        set_attribute (e, e->function, i + 1, "readonly");
    }

  entry = LLVMAddFunction (e->module, symbol, entry_type);
  set_function_attributes (e, entry);
  LLVMPositionBuilderAtEnd (B, LLVMAppendBasicBlockInContext (e->context, entry, ""));
  for (guint i = 0; i < n_params; i++)
    {
      const AccKernelParam *param = acc_kernel_param (e->kernel, i);

      args[i] = param->is_buffer ? read_slot (e, e->t_ptr, LLVMGetParam (entry, 0), i)
                                 : read_scalar (e, param->kind, LLVMGetParam (entry, 0), i);
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
  emit_instrs (e, ACC_KERNEL_BODY);
  if (e->streamed)
    emit_call (e, "llvm.x86.sse.sfence", NULL, 0, NULL, 0);
  LLVMBuildRetVoid (B);
  LLVMBuildBr (e->stack_builder, first_block);
}

/* --- from module to object */

static void
on_diagnostic (LLVMDiagnosticInfoRef info,
               void                 *user_data)
{
  GString *messages = user_data;
  char *text;

  if (LLVMGetDiagInfoSeverity (info) != LLVMDSError)
    return;
  text = LLVMGetDiagInfoDescription (info);
  g_string_append_printf (messages, "%s%s", messages->len > 0 ? "; " : "", text);
  LLVMDisposeMessage (text);
}

static void
dump (Emitter    *e,
      AccKernel  *kernel,
      const char *what,
      const char *text,
      gsize       length)
{
  const char *folder = g_getenv ("ACC_DUMP_DIR");

  g_printerr ("--- %s.%s\n%.*s\n", acc_kernel_get_name (kernel), what, (int) length, text);
  if (folder != NULL)
    {
      g_autofree char *name = g_strdup_printf ("%s-%.8s-%u.%s", acc_kernel_get_name (kernel), acc_kernel_get_hash (kernel),
                                               e->flags, what);
      g_autofree char *path = NULL;
      g_autoptr(GError) error = NULL;

      g_strdelimit (name, G_DIR_SEPARATOR_S, '_');
      path = g_build_filename (folder, name, NULL);
      if (!g_file_set_contents (path, text, length, &error))
        g_printerr ("%s\n", error->message);
    }
}

static void
dump_module (Emitter   *e,
             AccKernel *kernel)
{
  char *text = LLVMPrintModuleToString (e->module);

  dump (e, kernel, "ll", text, strlen (text));
  LLVMDisposeMessage (text);
}

static void
dump_assembly (Emitter             *e,
               AccKernel           *kernel,
               LLVMTargetMachineRef machine)
{
  /* Code generation changes the module. */
  LLVMModuleRef copy = LLVMCloneModule (e->module);
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL;

  if (LLVMTargetMachineEmitToMemoryBuffer (machine, copy, LLVMAssemblyFile, &message, &buffer))
    LLVMDisposeMessage (message);
  else
    {
      dump (e, kernel, "s", LLVMGetBufferStart (buffer), LLVMGetBufferSize (buffer));
      LLVMDisposeMemoryBuffer (buffer);
    }
  LLVMDisposeModule (copy);
}

static gboolean
run_passes (Emitter             *e,
            LLVMTargetMachineRef machine,
            GError             **error)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions ();
  LLVMErrorRef failed = LLVMRunPasses (e->module, PASSES, machine, options);

  LLVMDisposePassBuilderOptions (options);
  if (failed != NULL)
    {
      char *message = LLVMGetErrorMessage (failed);

      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "Kernel “%s”: %s", e->kernel->name, message);
      LLVMDisposeErrorMessage (message);
      return FALSE;
    }

  return TRUE;
}

static GBytes *
generate (Emitter             *e,
          LLVMTargetMachineRef machine,
          GError             **error)
{
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL;
  GBytes *object;

  if (LLVMTargetMachineEmitToMemoryBuffer (machine, e->module, LLVMObjectFile, &message, &buffer))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "Kernel “%s”: %s", e->kernel->name, message);
      LLVMDisposeMessage (message);
      return NULL;
    }
  object = g_bytes_new (LLVMGetBufferStart (buffer), LLVMGetBufferSize (buffer));
  LLVMDisposeMemoryBuffer (buffer);

  return object;
}

static GBytes *
compile (Emitter             *e,
         AccKernel           *kernel,
         const char          *symbol,
         LLVMTargetMachineRef machine,
         GError             **error)
{
  gboolean debug = (acc_debug_get_flags () & ACC_DEBUG_KERNELS) != 0;
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout (machine);
  char *message = NULL;

  LLVMSetModuleDataLayout (e->module, layout);
  LLVMSetTarget (e->module, e->target->triple);
  LLVMDisposeTargetData (layout);

  build_function (e, symbol);
  if (LLVMVerifyModule (e->module, LLVMReturnStatusAction, &message))
    {
      if (debug)
        dump_module (e, kernel);
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "Kernel “%s”: %s", kernel->name, message);
      LLVMDisposeMessage (message);
      return NULL;
    }
  LLVMDisposeMessage (message);

  if (!run_passes (e, machine, error))
    return NULL;
  if (debug)
    {
      g_autofree char *text = acc_kernel_to_string (kernel);

      dump (e, kernel, "kernel", text, strlen (text));
      dump_module (e, kernel);
      dump_assembly (e, kernel, machine);
    }

  return generate (e, machine, error);
}

GBytes *
acc_emit_llvm (AccKernel     *kernel,
               AccLlvmTarget *target,
               AccEmitFlags   flags,
               const char    *symbol,
               GError       **error)
{
  g_autofree Fact *facts = NULL;
  g_autofree Value *values = NULL;
  g_autofree LLVMValueRef *variables = NULL, *params = NULL;
  g_autoptr(GString) messages = g_string_new (NULL);
  LLVMTargetMachineRef machine;
  GBytes *object = NULL;
  Emitter emitter, *e = &emitter;

  g_return_val_if_fail (kernel != NULL, NULL);
  g_return_val_if_fail (target != NULL, NULL);

  if (acc_disable_get_flags () & ACC_DISABLE_VECTORISE)
    flags |= ACC_EMIT_SCALAR;

  machine = _acc_llvm_target_take_machine (target, error);
  if (machine == NULL)
    return NULL;

  facts = g_new0 (Fact, kernel->instrs->len);
  values = g_new0 (Value, kernel->instrs->len);
  variables = g_new0 (LLVMValueRef, kernel->instrs->len);
  params = g_new0 (LLVMValueRef, kernel->params->len + 1);
  emitter = (Emitter) {
    .kernel = kernel,
    .target = target,
    .flags = flags,
    .facts = facts,
    .values = values,
    .variables = variables,
    .params = params,
    .context = LLVMContextCreate (),
  };
  LLVMContextSetDiagnosticHandler (e->context, on_diagnostic, messages);
  LLVMContextSetDiscardValueNames (e->context, (acc_debug_get_flags () & ACC_DEBUG_KERNELS) == 0);
  e->module = LLVMModuleCreateWithNameInContext ("acc", e->context);
  e->builder = LLVMCreateBuilderInContext (e->context);
  e->stack_builder = LLVMCreateBuilderInContext (e->context);
  make_types (e);

  object = compile (e, kernel, symbol != NULL ? symbol : ACC_EMIT_SYMBOL, machine, error);
  if (object != NULL && messages->len > 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "Kernel “%s”: %s", kernel->name, messages->str);
      g_clear_pointer (&object, g_bytes_unref);
    }

  LLVMDisposeBuilder (e->stack_builder);
  LLVMDisposeBuilder (e->builder);
  LLVMDisposeModule (e->module);
  LLVMContextDispose (e->context);
  _acc_llvm_target_give_machine (target, machine);

  return object;
}
