/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"
#include "acc-emit-ptx.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdlib.h>

#include "acc-error.h"

/* Links CUDA's mathematical library into a module for NVIDIA's devices. */

#define NAME "libdevice.10.bc"

static char *
find_library (void)
{
  const char *named = secure_getenv ("ACC_LIBDEVICE");
  const char *roots[] = { secure_getenv ("CUDA_HOME"), secure_getenv ("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda", NULL };
  const char *folders[] = { "/usr/lib/nvidia-cuda-toolkit/libdevice", "/usr/share/nvidia-cuda-toolkit/libdevice" };

  if (named != NULL)
    return g_file_test (named, G_FILE_TEST_IS_REGULAR) ? g_strdup (named) : NULL;

  for (guint i = 0; i < G_N_ELEMENTS (roots); i++)
    {
      g_autofree char *path = roots[i] != NULL ? g_build_filename (roots[i], "nvvm", "libdevice", NAME, NULL) : NULL;

      if (path != NULL && g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer (&path);
    }
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = g_build_filename (folders[i], NAME, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer (&path);
    }

  return NULL;
}

const char *
acc_emit_ptx_get_library (void)
{
  static gsize searched = 0;
  static char *path;

  if (g_once_init_enter (&searched))
    {
      path = find_library ();
      g_once_init_leave (&searched, 1);
    }

  return path;
}

static gboolean
calls_library (Emitter *e)
{
  for (LLVMValueRef f = LLVMGetFirstFunction (e->module); f != NULL; f = LLVMGetNextFunction (f))
    {
      size_t length;

      if (g_str_has_prefix (LLVMGetValueName2 (f, &length), "__nv_"))
        return TRUE;
    }

  return FALSE;
}

gboolean
emit_link_library (Emitter  *e,
                   GError  **error)
{
  const char *path = acc_emit_ptx_get_library ();
  LLVMMemoryBufferRef buffer = NULL;
  LLVMModuleRef library = NULL;
  char *message = NULL;

  if (!calls_library (e))
    return TRUE;
  if (path == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Kernel “%s” calls functions of CUDA's library, of which there is none",
                   e->kernel->name);
      return FALSE;
    }
  if (LLVMCreateMemoryBufferWithContentsOfFile (path, &buffer, &message))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "Kernel “%s”: %s: %s", e->kernel->name, path, message);
      LLVMDisposeMessage (message);
      return FALSE;
    }
  /* The module keeps the buffer, and reads functions as they are linked. */
  if (LLVMGetBitcodeModuleInContext2 (e->context, buffer, &library))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "Kernel “%s”: LLVM does not read %s", e->kernel->name, path);
      LLVMDisposeMemoryBuffer (buffer);
      return FALSE;
    }

  LLVMSetModuleDataLayout (library, LLVMGetModuleDataLayout (e->module));
  LLVMSetTarget (library, e->target->triple);
  if (LLVMLinkModules2 (e->module, library))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "Kernel “%s” does not link with %s", e->kernel->name, path);
      return FALSE;
    }
  /* What is not called goes away. */
  for (LLVMValueRef f = LLVMGetFirstFunction (e->module); f != NULL; f = LLVMGetNextFunction (f))
    if (f != e->function && !LLVMIsDeclaration (f))
      LLVMSetLinkage (f, LLVMInternalLinkage);

  return TRUE;
}
