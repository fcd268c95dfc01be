/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The parts of the CUDA driver interface that are used, declared here so that CUDA is not needed to build. Names are those of the library's
 * symbols. */

typedef int                    CuResult;     /* 0: success */
typedef int                    CuDevice;
typedef struct CUctx_st       *CuContext;
typedef struct CUmod_st       *CuModule;
typedef struct CUfunc_st      *CuFunction;
typedef struct CUstream_st    *CuStream;
typedef struct CUevent_st     *CuEvent;
typedef struct CUlinkState_st *CuLinkState;
typedef guint64                CuPointer;

enum {
  CU_SUCCESS = 0,
  CU_OUT_OF_MEMORY = 2,
  CU_DEINITIALIZED = 4,
  CU_INVALID_PTX = 218,
  CU_NOT_READY = 600,
  CU_LAUNCH_OUT_OF_RESOURCES = 701,
};

enum {
  CU_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_ATTRIBUTE_WARP_SIZE = 10,
  CU_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
};

enum {
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_HOST_PORTABLE = 1,
  CU_LINK_ERROR_LOG = 5,
  CU_LINK_ERROR_LOG_SIZE = 6,
  CU_LINK_INPUT_PTX = 1,
};

#define ACC_CUDA_FUNCTIONS(F) \
  F (cuInit, (unsigned flags)) \
  F (cuDriverGetVersion, (int *version)) \
  F (cuGetErrorName, (CuResult result, const char **name)) \
  F (cuGetErrorString, (CuResult result, const char **text)) \
  F (cuDeviceGetCount, (int *count)) \
  F (cuDeviceGet, (CuDevice *device, int ordinal)) \
  F (cuDeviceGetName, (char *name, int size, CuDevice device)) \
  F (cuDeviceGetAttribute, (int *value, int attribute, CuDevice device)) \
  F (cuDeviceTotalMem_v2, (size_t *bytes, CuDevice device)) \
  F (cuDevicePrimaryCtxRetain, (CuContext *context, CuDevice device)) \
  F (cuDevicePrimaryCtxRelease_v2, (CuDevice device)) \
  F (cuCtxPushCurrent_v2, (CuContext context)) \
  F (cuCtxPopCurrent_v2, (CuContext *context)) \
  F (cuMemAlloc_v2, (CuPointer *pointer, size_t size)) \
  F (cuMemFree_v2, (CuPointer pointer)) \
  F (cuMemHostAlloc, (void **pointer, size_t size, unsigned flags)) \
  F (cuMemFreeHost, (void *pointer)) \
  F (cuMemcpyHtoDAsync_v2, (CuPointer to, const void *from, size_t size, CuStream stream)) \
  F (cuMemcpyDtoHAsync_v2, (void *to, CuPointer from, size_t size, CuStream stream)) \
  F (cuMemcpyDtoDAsync_v2, (CuPointer to, CuPointer from, size_t size, CuStream stream)) \
  F (cuMemsetD8Async, (CuPointer to, unsigned char value, size_t n, CuStream stream)) \
  F (cuStreamCreate, (CuStream *stream, unsigned flags)) \
  F (cuStreamDestroy_v2, (CuStream stream)) \
  F (cuStreamWaitEvent, (CuStream stream, CuEvent event, unsigned flags)) \
  F (cuEventCreate, (CuEvent *event, unsigned flags)) \
  F (cuEventDestroy_v2, (CuEvent event)) \
  F (cuEventRecord, (CuEvent event, CuStream stream)) \
  F (cuEventQuery, (CuEvent event)) \
  F (cuEventSynchronize, (CuEvent event)) \
  F (cuEventElapsedTime, (float *milliseconds, CuEvent begin, CuEvent end)) \
  F (cuModuleLoadData, (CuModule *module, const void *image)) \
  F (cuModuleUnload, (CuModule module)) \
  F (cuModuleGetFunction, (CuFunction *function, CuModule module, const char *name)) \
  F (cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *n, CuFunction function, int n_threads, size_t shared_bytes)) \
  F (cuLinkCreate_v2, (unsigned n_options, int *options, void **values, CuLinkState *state)) \
  F (cuLinkAddData_v2, (CuLinkState state, int type, void *data, size_t size, const char *name, unsigned n_options, \
                        int *options, void **values)) \
  F (cuLinkComplete, (CuLinkState state, void **image, size_t *size)) \
  F (cuLinkDestroy, (CuLinkState state)) \
  F (cuLaunchKernel, (CuFunction function, unsigned groups_x, unsigned groups_y, unsigned groups_z, unsigned threads_x, \
                      unsigned threads_y, unsigned threads_z, unsigned shared_bytes, CuStream stream, void **parameters, void **extra))

typedef struct {
#define DECLARE(name, arguments) CuResult (*name) arguments;
  ACC_CUDA_FUNCTIONS (DECLARE)
#undef DECLARE
  int version;            /* of the driver: 13000 is 13.0 */
} AccCudaFunctions;

/* Returns the driver, which is loaded and initialised once in the process, and stays. NULL, with ACC_ERROR_UNSUPPORTED and the reason, if
 * there is none. Any thread. */
const AccCudaFunctions *acc_cuda_get_functions (GError **error);
/* "CUDA_ERROR_OUT_OF_MEMORY: out of memory"; owned by the caller. */
char                   *acc_cuda_describe      (const AccCudaFunctions *cuda, CuResult result);
