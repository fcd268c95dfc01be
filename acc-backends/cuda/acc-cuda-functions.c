/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-cuda-functions.h"

#include "acc-error.h"

#include <gmodule.h>

#define LIBRARY "libcuda.so.1"

static gboolean
load (AccCudaFunctions  *cuda,
      GError           **error)
{
  GModule *module = g_module_open (LIBRARY, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  CuResult result;

  if (module == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "no CUDA driver: %s", g_module_error ());
      return FALSE;
    }
  /* A driver is not made to be unloaded. */
  g_module_make_resident (module);

#define LOOK_UP(name, arguments) \
  if (!g_module_symbol (module, #name, (gpointer *) &cuda->name)) \
    { \
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "the CUDA driver is too old: %s has no %s", LIBRARY, #name); \
      return FALSE; \
    }
  ACC_CUDA_FUNCTIONS (LOOK_UP)
#undef LOOK_UP

  result = cuda->cuInit (0);
  if (result != CU_SUCCESS)
    {
      g_autofree char *what = acc_cuda_describe (cuda, result);

      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "the CUDA driver does not start: %s", what);
      return FALSE;
    }
  if (cuda->cuDriverGetVersion (&cuda->version) != CU_SUCCESS || cuda->version < 11000)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "the CUDA driver is of version %d.%d; 11.0 or newer is needed",
                   cuda->version / 1000, cuda->version % 1000 / 10);
      return FALSE;
    }

  return TRUE;
}

const AccCudaFunctions *
acc_cuda_get_functions (GError **error)
{
  static GMutex lock;
  static AccCudaFunctions functions;
  static GError *failure;
  static gboolean tried;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);

  if (!tried)
    load (&functions, &failure);
  tried = TRUE;
  if (failure == NULL)
    return &functions;

  if (error != NULL)
    *error = g_error_copy (failure);

  return NULL;
}

char *
acc_cuda_describe (const AccCudaFunctions *cuda,
                   CuResult                result)
{
  const char *name = NULL, *text = NULL;

  cuda->cuGetErrorName (result, &name);
  cuda->cuGetErrorString (result, &text);
  if (name == NULL)
    return g_strdup_printf ("CUDA error %d", result);

  return text != NULL ? g_strdup_printf ("%s: %s", name, text) : g_strdup (name);
}
