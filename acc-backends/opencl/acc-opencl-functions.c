/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-opencl-functions.h"

#include "acc-backends/runtime/device/acc-driver.h"

static AccOpenclFunctions functions;

static void
add_devices (AccOpenclFunctions *cl,
             cl_platform_id      platform,
             cl_device_type      type)
{
  cl_device_id devices[64];
  cl_uint n = 0;

  if (cl->clGetDeviceIDs (platform, type, G_N_ELEMENTS (devices), devices, &n) != CL_SUCCESS)
    return;

  for (guint i = 0; i < MIN (n, G_N_ELEMENTS (devices)); i++)
    g_array_append_vals (cl->devices, &(AccOpenclFound) { platform, devices[i] }, 1);
}

static gboolean
start (AccDriver  *driver,
       GError    **error)
{
  AccOpenclFunctions *cl = &functions;
  cl_platform_id platforms[32];
  cl_uint n_platforms = 0;

#define LOOK_UP(name) \
  if (!acc_driver_look_up (driver, #name, (gpointer *) &cl->name, error)) \
    return FALSE;
  ACC_OPENCL_FUNCTIONS (LOOK_UP)
#undef LOOK_UP

  cl->devices = g_array_new (FALSE, FALSE, sizeof (AccOpenclFound));
  if (cl->clGetPlatformIDs (G_N_ELEMENTS (platforms), platforms, &n_platforms) != CL_SUCCESS)
    n_platforms = 0;
  n_platforms = MIN (n_platforms, G_N_ELEMENTS (platforms));
  for (guint i = 0; i < n_platforms; i++)
    add_devices (cl, platforms[i], CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR);
  for (guint i = 0; i < n_platforms; i++)
    add_devices (cl, platforms[i], CL_DEVICE_TYPE_CPU);
  if (cl->devices->len == 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "no OpenCL device: %s",
                   n_platforms > 0 ? "no driver has any" : "no driver is installed");
      return FALSE;
    }

  return TRUE;
}

const AccOpenclFunctions *
acc_opencl_get_functions (GError **error)
{
  static AccDriver driver = { .library = "libOpenCL.so.1", .what = "OpenCL loader" };

  return acc_driver_start (&driver, start, error) ? &functions : NULL;
}

const char *
acc_opencl_describe (cl_int code)
{
  static const struct { cl_int code; const char *name; } names[] = {
#define NAME(code) { code, #code }
    NAME (CL_DEVICE_NOT_FOUND), NAME (CL_DEVICE_NOT_AVAILABLE), NAME (CL_COMPILER_NOT_AVAILABLE), NAME (CL_MEM_OBJECT_ALLOCATION_FAILURE),
    NAME (CL_OUT_OF_RESOURCES), NAME (CL_OUT_OF_HOST_MEMORY), NAME (CL_MAP_FAILURE), NAME (CL_BUILD_PROGRAM_FAILURE),
    NAME (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST), NAME (CL_INVALID_VALUE), NAME (CL_INVALID_CONTEXT),
    NAME (CL_INVALID_COMMAND_QUEUE), NAME (CL_INVALID_MEM_OBJECT), NAME (CL_INVALID_BINARY), NAME (CL_INVALID_BUILD_OPTIONS),
    NAME (CL_INVALID_PROGRAM), NAME (CL_INVALID_PROGRAM_EXECUTABLE), NAME (CL_INVALID_KERNEL_NAME), NAME (CL_INVALID_KERNEL),
    NAME (CL_INVALID_ARG_INDEX), NAME (CL_INVALID_ARG_VALUE), NAME (CL_INVALID_ARG_SIZE), NAME (CL_INVALID_KERNEL_ARGS),
    NAME (CL_INVALID_WORK_GROUP_SIZE), NAME (CL_INVALID_GLOBAL_WORK_SIZE), NAME (CL_INVALID_EVENT), NAME (CL_INVALID_OPERATION),
    NAME (CL_INVALID_BUFFER_SIZE),
#undef NAME
  };
  g_autofree char *text = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].code == code)
      return names[i].name;

  text = g_strdup_printf ("OpenCL error %d", code);

  return g_intern_string (text);
}

char *
acc_opencl_dup_platform_text (const AccOpenclFunctions *cl,
                              cl_platform_id            platform,
                              cl_platform_info          what)
{
  gsize size = 0;
  char *text;

  if (cl->clGetPlatformInfo (platform, what, 0, NULL, &size) != CL_SUCCESS)
    return g_strdup ("");

  text = g_malloc0 (size + 1);
  cl->clGetPlatformInfo (platform, what, size, text, NULL);

  return g_strstrip (text);
}

char *
acc_opencl_dup_device_text (const AccOpenclFunctions *cl,
                            cl_device_id              device,
                            cl_device_info            what)
{
  gsize size = 0;
  char *text;

  if (cl->clGetDeviceInfo (device, what, 0, NULL, &size) != CL_SUCCESS)
    return g_strdup ("");

  text = g_malloc0 (size + 1);
  cl->clGetDeviceInfo (device, what, size, text, NULL);

  return g_strstrip (text);
}
