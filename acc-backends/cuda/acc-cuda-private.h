/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-cuda-device.h"
#include "acc-cuda-functions.h"
#include "acc-backends/runtime/device/acc-event-device.h"

/* From the first launch behind a point to the next point. */
typedef struct {
  CuEvent begin, end;
} AccCudaSpan;

typedef struct {
  AccEventDevice          parent;
  const AccCudaFunctions *cuda;
  CuDevice                device;
  CuContext               context;      /* the primary context, shared with other users of the device in the process */
  guint                   compute;      /* of the code: 90 for 9.0 */
  guint                   isa;
  guint                   n_processors;

  CuStream                streams[ACC_N_QUEUES];
  GPtrArray              *events;       /* unused CuEvent */

  GPtrArray              *kept;         /* of libraries: acc_cuda_keep() */
  CuEvent                 span_begin;   /* of the span that is open; NULL */
  GArray                 *spans;        /* AccCudaSpan */
} AccCudaDevice;

struct _AccDeviceKernel {
  CuModule   module;
  CuFunction function;
  guint      group_size;
  guint      n_resident;    /* groups that the device runs at once */
};

/* Makes the context current for this thread until leave; what was current before is so again after. */
gboolean acc_cuda_enter (AccCudaDevice *self, GError **error);
void     acc_cuda_leave (AccCudaDevice *self);
/* TRUE for success. Else @error says what failed while @doing; a device that was lost stays so. */
gboolean acc_cuda_check (AccCudaDevice *self, CuResult result, const char *doing, GError **error);

/* Lets go of @data with the device, in its context. */
void     acc_cuda_keep  (AccCudaDevice *self, gpointer data, GDestroyNotify destroy);

/* acc-cuda-code.c */
GBytes          *acc_cuda_compile (AccDevice *device, AccKernel *kernel, gboolean general, GError **error);
gboolean         acc_cuda_needs_general (AccDevice *device, AccDeviceKernel *kernel, const AccDeviceSlot *slots, guint n_slots,
                                         const AccGroups *groups);
AccDeviceKernel *acc_cuda_load    (AccDevice *device, AccKernel *kernel, GBytes *code, GError **error);
void             acc_cuda_unload  (AccDevice *device, AccDeviceKernel *kernel);
guint            acc_cuda_count_resident (AccDevice *device, AccDeviceKernel *kernel);
gboolean         acc_cuda_launch  (AccDevice *device, AccDeviceKernel *kernel, const AccDeviceSlot *slots, guint n_slots,
                                   const AccGroups *groups, const AccDeviceMemory *failure, GError **error);

/* acc-cuda-queue.c */
extern const AccEventClass acc_cuda_events;
gboolean acc_cuda_get_busy    (AccDevice *device, guint64 *busy, guint64 *passed);
/* With the lock and the context: something is about to be launched. */
void     acc_cuda_note_launch (AccCudaDevice *self);
/* Frees all points and events; nothing is queued. */
void     acc_cuda_free_queues (AccCudaDevice *self);
