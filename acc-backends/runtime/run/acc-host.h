/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/runtime/code/acc-code.h"
#include "acc-backends/runtime/device/acc-device-heap.h"
#include "acc-backends/runtime/device/acc-pool.h"
#include "acc-backends/runtime/threads/acc-workers.h"

typedef struct _AccPlanner AccPlanner;

/* The resources for running schedules; a backend owns one. Kernels run on the workers, or on the heap's device. */
typedef struct {
  AccBackend    *backend;          /* not counted */
  AccPool       *pool;             /* NULL where there is a device */
  AccWorkers    *workers;
  AccCode       *code;
  AccDeviceHeap *heap;             /* NULL: the host's processors */
  const AccTarget *target;         /* those; NULL: nothing is known of them */
  const AccPlanner *planner;       /* makes and runs schedules of its own; NULL: the compiler does, and kernels run */
  /* Flags for acc_code_get() by what a launch is like. */
  guint          variant;             /* all kernels */
  guint          streaming_variant;   /* added where what a whole run writes does not fit the caches */
  guint64        streaming_bytes;     /* from here on; 0: never */
  guint64        cache_bytes;         /* of one worker alone; 0: no bands */
} AccHost;

static inline const AccTarget *
acc_host_get_target (AccHost *self)
{
  return self->heap != NULL ? &acc_device_heap_get_device (self->heap)->target : self->target != NULL ? self->target : &acc_target_cpu;
}
