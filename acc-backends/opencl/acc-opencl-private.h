/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-opencl-device.h"
#include "acc-opencl-functions.h"
#include "acc-backends/codegen/c/acc-emit-c.h"
#include "acc-backends/runtime/device/acc-event-device.h"

/* Host memory that stays mapped. */
typedef struct {
  guint8 *begin;
  gsize   size;
  cl_mem  memory;
} AccOpenclPinned;

typedef struct {
  AccEventDevice            parent;
  const AccOpenclFunctions *cl;
  cl_platform_id            platform;
  cl_device_id              device;
  cl_context                context;
  AccCDialect               dialect;
  char                     *options;   /* of the compiler */

  GMutex                    compiler;  /* one at a time: older drivers ask for it, but not NVIDIA's */
  GMutex                    built_lock;
  GHashTable               *built;     /* GBytes → cl_program: code that was just compiled, until it is loaded */
  cl_command_queue          queues[ACC_N_QUEUES];
  GPtrArray                *pinned;    /* AccOpenclPinned, by address */
  GPtrArray                *runs;      /* cl_event of kernels */
} AccOpenclDevice;

struct _AccDeviceKernel {
  cl_program program;
  cl_kernel  kernel;
  guint      group_size;
  guint8    *kinds;                    /* per slot: AccElementKind */
};

/* TRUE for success. Else @error says what failed while @doing; a device that was lost stays so. */
gboolean acc_opencl_check (AccOpenclDevice *self, cl_int code, const char *doing, GError **error);

/* acc-opencl-code.c */
GBytes          *acc_opencl_compile (AccDevice *device, AccKernel *kernel, gboolean general, GError **error);
void             acc_opencl_free_built (AccOpenclDevice *self);
gboolean         acc_opencl_needs_general (AccDevice *device, AccDeviceKernel *kernel, const AccDeviceSlot *slots, guint n_slots,
                                           const AccGroups *groups);
AccDeviceKernel *acc_opencl_load    (AccDevice *device, AccKernel *kernel, GBytes *code, GError **error);
void             acc_opencl_unload  (AccDevice *device, AccDeviceKernel *kernel);
gboolean         acc_opencl_launch  (AccDevice *device, AccDeviceKernel *kernel, const AccDeviceSlot *slots, guint n_slots,
                                     const AccGroups *groups, const AccDeviceMemory *failure, GError **error);

/* acc-opencl-queue.c */
extern const AccEventClass acc_opencl_events;
gboolean acc_opencl_get_busy   (AccDevice *device, guint64 *busy, guint64 *passed);
void     acc_opencl_free_queues (AccOpenclDevice *self);
