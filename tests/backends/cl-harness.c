/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cl-harness.h"

#include "acc-backends/codegen/c/acc-emit-c.h"

#ifdef HAVE_OPENCL

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <gmodule.h>

#define FUNCTIONS(F) \
  F (clGetPlatformIDs) \
  F (clGetDeviceIDs) \
  F (clCreateContext) \
  F (clReleaseContext) \
  F (clCreateCommandQueue) \
  F (clReleaseCommandQueue) \
  F (clCreateProgramWithSource) \
  F (clBuildProgram) \
  F (clGetProgramBuildInfo) \
  F (clReleaseProgram) \
  F (clCreateKernel) \
  F (clReleaseKernel) \
  F (clCreateBuffer) \
  F (clReleaseMemObject) \
  F (clSetKernelArg) \
  F (clEnqueueNDRangeKernel) \
  F (clEnqueueReadBuffer)

#define DECLARE(name) static __typeof__ (name) *_##name;
FUNCTIONS (DECLARE)

static GModule *module;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

void
cl_open (void)
{
  cl_platform_id platforms[16];
  cl_uint n = 0;
  cl_int status;

  module = g_module_open ("libOpenCL.so.1", G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (module == NULL)
    return;
#define FIND(name) \
  if (!g_module_symbol (module, #name, (gpointer *) &_##name)) \
    return;
  FUNCTIONS (FIND)

  if (_clGetPlatformIDs (G_N_ELEMENTS (platforms), platforms, &n) != CL_SUCCESS)
    return;
  for (guint i = 0; i < MIN (n, G_N_ELEMENTS (platforms)) && context == NULL; i++)
    if (_clGetDeviceIDs (platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
      context = _clCreateContext (NULL, 1, &device, NULL, NULL, &status);
  if (context != NULL)
    queue = _clCreateCommandQueue (context, device, 0, &status);
}

void
cl_close (void)
{
  if (queue != NULL)
    _clReleaseCommandQueue (queue);
  if (context != NULL)
    _clReleaseContext (context);
}

gboolean
cl_is_there (void)
{
  return queue != NULL;
}

#define must(call) g_assert_cmpint (call, ==, CL_SUCCESS)

void
cl_run (const char   *text,
        const char   *symbol,
        ClBuffer     *buffers,
        guint         n,
        const gint64  words[8],
        guint         n_groups,
        guint         threads,
        AccFailure   *failure)
{
  static char *last_text;
  static cl_program program;
  g_autofree cl_mem *memory = g_new0 (cl_mem, n + 1);
  gsize global[2] = { (gsize) n_groups * threads, 1 }, local[2] = { threads, 1 };
  cl_kernel kernel;
  cl_uint arg = 0;
  cl_int status;

  if (g_strcmp0 (text, last_text) != 0)
    {
      if (program != NULL)
        _clReleaseProgram (program);
      g_free (last_text);
      last_text = g_strdup (text);
      program = _clCreateProgramWithSource (context, 1, &text, NULL, &status);
      must (status);
      if (_clBuildProgram (program, 1, &device, "-cl-fp32-correctly-rounded-divide-sqrt", NULL, NULL) != CL_SUCCESS)
        {
          g_autofree char *log = g_malloc0 (1 << 16);

          _clGetProgramBuildInfo (program, device, CL_PROGRAM_BUILD_LOG, (1 << 16) - 1, log, NULL);
          g_error ("%s\n%s", log, text);
        }
    }
  kernel = _clCreateKernel (program, symbol, &status);
  must (status);
  for (guint i = 0; i < n; i++)
    {
      gint64 offset = 0;

      if (buffers[i].data == NULL)
        {
          must (_clSetKernelArg (kernel, arg++, 8, &buffers[i].bits));
          continue;
        }
      memory[i] = _clCreateBuffer (context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, buffers[i].size, buffers[i].data, &status);
      must (status);
      must (_clSetKernelArg (kernel, arg++, sizeof (cl_mem), &memory[i]));
      must (_clSetKernelArg (kernel, arg++, 8, &offset));
    }
  for (guint i = 0; i < 8; i++)
    must (_clSetKernelArg (kernel, arg++, 8, &words[i]));
  memory[n] = _clCreateBuffer (context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof *failure, failure, &status);
  must (status);
  must (_clSetKernelArg (kernel, arg++, sizeof (cl_mem), &memory[n]));
  must (_clEnqueueNDRangeKernel (queue, kernel, 2, NULL, global, local, 0, NULL, NULL));
  for (guint i = 0; i < n; i++)
    if (buffers[i].data != NULL && buffers[i].is_read)
      must (_clEnqueueReadBuffer (queue, memory[i], CL_TRUE, 0, buffers[i].size, buffers[i].data, 0, NULL, NULL));
  must (_clEnqueueReadBuffer (queue, memory[n], CL_TRUE, 0, sizeof *failure, failure, 0, NULL, NULL));
  for (guint i = 0; i <= n; i++)
    if (memory[i] != NULL)
      _clReleaseMemObject (memory[i]);
  _clReleaseKernel (kernel);
}

#else

void
cl_open (void)
{
}

void
cl_close (void)
{
}

gboolean
cl_is_there (void)
{
  return FALSE;
}

void
cl_run (const char   *text G_GNUC_UNUSED,
        const char   *symbol G_GNUC_UNUSED,
        ClBuffer     *buffers G_GNUC_UNUSED,
        guint         n G_GNUC_UNUSED,
        const gint64  words[8] G_GNUC_UNUSED,
        guint         n_groups G_GNUC_UNUSED,
        guint         threads G_GNUC_UNUSED,
        AccFailure   *failure G_GNUC_UNUSED)
{
}

#endif
