/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-cuda-functions.h"

#include "acc-backends/runtime/device/acc-driver.h"

static AccCudaFunctions functions;

static gboolean
start (AccDriver  *driver,
       GError    **error)
{
  AccCudaFunctions *cuda = &functions;
  CuResult result;

#define LOOK_UP(name, arguments) \
  if (!acc_driver_look_up (driver, #name, (gpointer *) &cuda->name, error)) \
    return FALSE;
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
  static AccDriver driver = { .library = "libcuda.so.1", .what = "CUDA driver" };

  return acc_driver_start (&driver, start, error) ? &functions : NULL;
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
