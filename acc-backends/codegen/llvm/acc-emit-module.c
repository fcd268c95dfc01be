/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "acc-core/backend/acc-backend-private.h"
#include "acc-error.h"

/* A kernel as a module of LLVM, from which code is made: what all targets share. */

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

/* One file per form of the kernel. */
static void
dump (Emitter    *e,
      AccKernel  *kernel,
      const char *what,
      const char *text,
      gsize       length)
{
  g_autofree char *suffix = g_strdup_printf ("%u.%s", e->flags, what);

  _acc_kernel_dump (kernel, suffix, text, length);
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
            const char          *passes,
            GError             **error)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions ();
  LLVMErrorRef failed = LLVMRunPasses (e->module, passes, machine, options);

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
          LLVMCodeGenFileType  type,
          GError             **error)
{
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL;
  GBytes *object;

  if (LLVMTargetMachineEmitToMemoryBuffer (machine, e->module, type, &message, &buffer))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "Kernel “%s”: %s", e->kernel->name, message);
      LLVMDisposeMessage (message);
      return NULL;
    }
  object = g_bytes_new (LLVMGetBufferStart (buffer), LLVMGetBufferSize (buffer));
  LLVMDisposeMemoryBuffer (buffer);

  return object;
}

#define LONG_BLOCK 512   /* instructions */

/* LLVM schedules once more behind the allocation of registers, if a processor's description says so, in time by the square of a block. */
static gboolean
has_long_block (Emitter *e)
{
  for (LLVMValueRef function = LLVMGetFirstFunction (e->module); function != NULL; function = LLVMGetNextFunction (function))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock (function); block != NULL; block = LLVMGetNextBasicBlock (block))
      {
        guint n = 0;

        for (LLVMValueRef instr = LLVMGetFirstInstruction (block); instr != NULL; instr = LLVMGetNextInstruction (instr))
          if (++n > LONG_BLOCK)
            return TRUE;
      }

  return FALSE;
}

static GBytes *
compile (Emitter             *e,
         AccKernel           *kernel,
         const EmitForm      *form,
         gconstpointer        data,
         LLVMTargetMachineRef machine,
         GError             **error)
{
  gboolean debug = (acc_debug_get_flags () & ACC_DEBUG_KERNELS) != 0;
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout (machine);
  gboolean is_x86 = g_str_has_prefix (e->target->triple, "x86_64");
  LLVMTargetMachineRef other = NULL;
  char *message = NULL;
  GBytes *code;

  LLVMSetModuleDataLayout (e->module, layout);
  LLVMSetTarget (e->module, e->target->triple);
  LLVMDisposeTargetData (layout);

  if (!form->build (e, data, error))
    return NULL;
  if (LLVMVerifyModule (e->module, LLVMReturnStatusAction, &message))
    {
      if (debug)
        dump_module (e, kernel);
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "Kernel “%s”: %s", kernel->name, message);
      LLVMDisposeMessage (message);
      return NULL;
    }
  LLVMDisposeMessage (message);

  if (form->passes != NULL && !run_passes (e, machine, form->passes, error))
    return NULL;
  if (form->finish != NULL)
    form->finish (e);
  if (debug)
    {
      g_autofree char *text = acc_kernel_to_string (kernel);

      dump (e, kernel, "kernel", text, strlen (text));
      dump_module (e, kernel);
      dump_assembly (e, kernel, machine);
    }

  if (is_x86 && !(e->flags & ACC_EMIT_BASELINE) && has_long_block (e))
    other = _acc_llvm_target_take_machine (e->target, LLVMCodeGenLevelLess, NULL);
  code = generate (e, other != NULL ? other : machine, form->file, error);
  if (other != NULL)
    _acc_llvm_target_give_machine (e->target, LLVMCodeGenLevelLess, other);

  return code;
}

GBytes *
emit_module (AccKernel      *kernel,
             AccLlvmTarget  *target,
             AccEmitFlags    flags,
             const EmitForm *form,
             gconstpointer   data,
             GError        **error)
{
  g_autofree Fact *facts = NULL;
  g_autofree Value *values = NULL;
  g_autofree LLVMValueRef *variables = NULL, *params = NULL, *tables = NULL, *shared = NULL;
  g_autoptr(GString) messages = g_string_new (NULL);
  LLVMCodeGenOptLevel level = flags & ACC_EMIT_BASELINE ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault;
  LLVMTargetMachineRef machine;
  GBytes *code = NULL;
  Emitter emitter, *e = &emitter;

  machine = _acc_llvm_target_take_machine (target, level, error);
  if (machine == NULL)
    return NULL;

  facts = g_new0 (Fact, kernel->instrs->len);
  values = g_new0 (Value, kernel->instrs->len);
  variables = g_new0 (LLVMValueRef, kernel->instrs->len);
  params = g_new0 (LLVMValueRef, kernel->params->len + 1);
  tables = g_new0 (LLVMValueRef, kernel->params->len + 1);
  shared = g_new0 (LLVMValueRef, kernel->shared->len + 1);
  emitter = (Emitter) {
    .kernel = kernel,
    .target = target,
    .flags = flags,
    .facts = facts,
    .values = values,
    .variables = variables,
    .params = params,
    .tables = tables,
    .shared = shared,
    .context = LLVMContextCreate (),
  };
  LLVMContextSetDiagnosticHandler (e->context, on_diagnostic, messages);
  LLVMContextSetDiscardValueNames (e->context, (acc_debug_get_flags () & ACC_DEBUG_KERNELS) == 0);
  e->module = LLVMModuleCreateWithNameInContext ("acc", e->context);
  e->builder = LLVMCreateBuilderInContext (e->context);
  e->stack_builder = LLVMCreateBuilderInContext (e->context);
  make_types (e);

  code = compile (e, kernel, form, data, machine, error);
  if (code != NULL && messages->len > 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "Kernel “%s”: %s", kernel->name, messages->str);
      g_clear_pointer (&code, g_bytes_unref);
    }

  LLVMDisposeBuilder (e->stack_builder);
  LLVMDisposeBuilder (e->builder);
  LLVMDisposeModule (e->module);
  LLVMContextDispose (e->context);
  g_clear_pointer (&e->outlined, g_ptr_array_unref);
  g_clear_pointer (&e->windows, g_array_unref);
  _acc_llvm_target_give_machine (target, level, machine);

  return code;
}
