/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <glib.h>

/* What is used of OpenCL 1.2. */
#define ACC_OPENCL_FUNCTIONS(F) \
  F (clGetPlatformIDs) \
  F (clGetPlatformInfo) \
  F (clGetDeviceIDs) \
  F (clGetDeviceInfo) \
  F (clCreateContext) \
  F (clReleaseContext) \
  F (clCreateCommandQueue) \
  F (clReleaseCommandQueue) \
  F (clCreateBuffer) \
  F (clReleaseMemObject) \
  F (clEnqueueMapBuffer) \
  F (clEnqueueUnmapMemObject) \
  F (clEnqueueWriteBuffer) \
  F (clEnqueueReadBuffer) \
  F (clEnqueueCopyBuffer) \
  F (clEnqueueFillBuffer) \
  F (clEnqueueMarkerWithWaitList) \
  F (clEnqueueBarrierWithWaitList) \
  F (clEnqueueNDRangeKernel) \
  F (clFlush) \
  F (clFinish) \
  F (clWaitForEvents) \
  F (clGetEventInfo) \
  F (clGetEventProfilingInfo) \
  F (clReleaseEvent) \
  F (clCreateProgramWithSource) \
  F (clCreateProgramWithBinary) \
  F (clBuildProgram) \
  F (clGetProgramInfo) \
  F (clGetProgramBuildInfo) \
  F (clReleaseProgram) \
  F (clCreateKernel) \
  F (clSetKernelArg) \
  F (clGetKernelWorkGroupInfo) \
  F (clReleaseKernel)

typedef struct {
#define DECLARE(name) __typeof__ (name) *name;
  ACC_OPENCL_FUNCTIONS (DECLARE)
#undef DECLARE
  GArray *devices;   /* AccOpenclFound: GPUs and accelerators of all platforms, then processors */
} AccOpenclFunctions;

typedef struct {
  cl_platform_id platform;
  cl_device_id   device;
} AccOpenclFound;

/* The loader and all devices, looked for once in the process. NULL, ACC_ERROR_UNSUPPORTED and the reason where there is no
 * loader, or no device. Any thread. */
const AccOpenclFunctions *acc_opencl_get_functions (GError **error);
/* "CL_OUT_OF_RESOURCES" or "error -5"; static or interned. */
const char *acc_opencl_describe      (cl_int code);
/* Texts of a platform or device; "" where there is none. Owned by the caller. */
char *acc_opencl_dup_platform_text (const AccOpenclFunctions *cl, cl_platform_id platform, cl_platform_info what);
char *acc_opencl_dup_device_text   (const AccOpenclFunctions *cl, cl_device_id device, cl_device_info what);
