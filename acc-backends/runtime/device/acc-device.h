/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/ir/acc-kernel.h"
#include "acc-backends/ir/acc-target.h"
#include "acc-backend.h"
#include "acc-error.h"

/* A device with memory of its own, as the runtime sees it: what CUDA, Vulkan and OpenCL have in common. Each implements the
 * class below, and nothing above it knows which one it has. Any thread; an implementation locks for itself.
 *
 * Work is enqueued on one of three queues and runs in the order of its queue. Queues run side by side; points order them.
 * Nothing but block(), and transfers from or to memory that is not pinned, waits. Every failure is a GError: OUT_OF_MEMORY,
 * COMPILE, DEVICE_LOST (of which everything fails from then on), UNSUPPORTED. */

typedef struct _AccDevice       AccDevice;
typedef struct _AccDeviceKernel AccDeviceKernel;

typedef enum {
  ACC_QUEUE_COMPUTE,
  ACC_QUEUE_UPLOAD,
  ACC_QUEUE_DOWNLOAD,
  ACC_N_QUEUES,
} AccQueue;

/* A block of the device's memory, aligned to 256 bytes at least. */
typedef struct {
  gpointer handle;    /* the implementation's */
  guint64  address;   /* in kernels, where the device has addresses; else 0 */
  gsize    size;
  gpointer host;      /* where the host sees it all the time (unified memory, direct); else NULL */
} AccDeviceMemory;

/* One per parameter of a kernel. */
typedef struct {
  const AccDeviceMemory *memory;  /* a buffer; NULL: a scalar */
  gint64                 offset;  /* bytes from the start of memory to element 0 of the whole array: negative for a window
                                   * that begins later; a multiple of the element's size */
  guint64                bits;    /* a scalar, in the low bytes */
} AccDeviceSlot;

/* The part of a launch's space that is run: [begin, end) of outer and inner, in tiles that lie on multiples of .tile counted
 * from 0. Group (x, y) has inner tile x and outer tile y, counted from that which .begin lies in. */
typedef struct {
  gint64 begin[2], end[2];
  gint64 tile[2];
} AccGroups;

typedef struct {
  const char *name;                /* "cuda" */

  void     (*free)         (AccDevice *self);

  /* Code of @kernel for this device: what the cache on disk keeps. @general: for any launch; else for those that do not need that, as few
   * do, which runs faster. Several threads at once. */
  GBytes  *(*compile)      (AccDevice *self, AccKernel *kernel, gboolean general, GError **error);
  /* Whether a launch takes code for any, where @kernel is of the other; NULL: all code is for any. */
  gboolean (*needs_general) (AccDevice *self, AccDeviceKernel *kernel, const AccDeviceSlot *slots, guint n_slots, const AccGroups *groups);
  AccDeviceKernel *(*load) (AccDevice *self, AccKernel *kernel, GBytes *code, GError **error);
  void     (*unload)       (AccDevice *self, AccDeviceKernel *kernel);   /* nothing queued runs it */
  /* Groups of @kernel that the device runs at once, by what they take of it; 0, or NULL, where it cannot tell. */
  guint    (*count_resident) (AccDevice *self, AccDeviceKernel *kernel);

  gboolean (*allocate)     (AccDevice *self, gsize size, AccDeviceMemory *memory, GError **error);
  void     (*release)      (AccDevice *self, AccDeviceMemory *memory);   /* nothing queued uses it */
  /* Host memory that transfers go to and from without waiting: page-aligned. */
  gpointer (*allocate_host) (AccDevice *self, gsize size, GError **error);
  void     (*release_host) (AccDevice *self, gpointer host, gsize size);

  /* @size of all four: more than 0. To and from any host address; the range [host, host + size) may be used again when a later point of
   * @queue is reached (or at once, where it is not from allocate_host()). */
  gboolean (*upload)       (AccDevice *self, AccQueue queue, const AccDeviceMemory *to, gsize offset, gconstpointer from, gsize size,
                            GError **error);
  gboolean (*download)     (AccDevice *self, AccQueue queue, gpointer to, const AccDeviceMemory *from, gsize offset, gsize size,
                            GError **error);
  gboolean (*copy)         (AccDevice *self, AccQueue queue, const AccDeviceMemory *to, gsize to_offset,
                            const AccDeviceMemory *from, gsize from_offset, gsize size, GError **error);
  gboolean (*clear)        (AccDevice *self, AccQueue queue, const AccDeviceMemory *memory, gsize offset, gsize size, GError **error);
  /* On ACC_QUEUE_COMPUTE. @failure: memory of an AccFailure. */
  gboolean (*launch)       (AccDevice *self, AccDeviceKernel *kernel, const AccDeviceSlot *slots, guint n_slots,
                            const AccGroups *groups, const AccDeviceMemory *failure, GError **error);

  /* Returns a point behind all work on the queue, and starts that work if the device has not begun. Points of a queue grow. */
  gboolean (*mark)         (AccDevice *self, AccQueue queue, guint64 *point, GError **error);
  /* Lets work that is enqueued on @queue from now on begin when @other has reached @point. */
  gboolean (*wait)         (AccDevice *self, AccQueue queue, AccQueue other, guint64 point, GError **error);
  gboolean (*is_reached)   (AccDevice *self, AccQueue queue, guint64 point);
  /* @seconds: DEVICE_LOST when it takes longer ("…did not finish within 10 s"); 0: however long it takes. */
  gboolean (*block)        (AccDevice *self, AccQueue queue, guint64 point, double seconds, GError **error);

  /* Nanoseconds that kernels ran and that the device's clock went, since the last call: for reports; NULL where it cannot tell. */
  gboolean (*get_busy)     (AccDevice *self, guint64 *busy, guint64 *passed);

  /* unified: sees memory of the host that is not its own, where that is aligned as it needs; kernels only read it. FALSE: it must be
   * copied. Given up by release(). NULL where it never can. */
  gboolean (*import)       (AccDevice *self, gpointer host, gsize size, AccDeviceMemory *memory);

  /* Foreign work, which this thread enqueues on ACC_QUEUE_COMPUTE until it leaves: @queue is the native handle of the queue. NULL, both,
   * where memory has no addresses. */
  gboolean (*enter)        (AccDevice *self, guint64 *queue, GError **error);
  void     (*leave)        (AccDevice *self);
  /* Gives the device's backend routines of libraries; NULL: there are none. */
  void     (*add_routines) (AccDevice *self, AccBackend *backend);
} AccDeviceClass;

struct _AccDevice {
  const AccDeviceClass *klass;
  AccTarget             target;
  char                 *description;  /* "NVIDIA H200, CUDA 13.0" */
  char                 *id;           /* all that code depends on besides the kernel: device, driver, versions; part of cache keys */
  guint64               memory;       /* bytes the device has */
  gsize                 max_buffer;   /* largest allocation; 0: all of its memory */
  gboolean              may_fail;     /* kernels without checks may report a failure, too */
  gboolean              unified;      /* device memory is the host's: AccDeviceMemory.host is set, and uploads are copies to be avoided */
};

/* Which tiles are touched, and how many: the groups of a launch. The inner range may be empty: a fold's seed is a result
 * without elements; that is one tile. Launches with nothing to do never come to a device. */
static inline void
acc_groups_count (const AccGroups *self, gint64 first[2], gint64 count[2])
{
  for (guint d = 0; d < 2; d++)
    {
      first[d] = self->begin[d] / self->tile[d];
      count[d] = self->end[d] > self->begin[d] ? (self->end[d] - 1) / self->tile[d] + 1 - first[d] : 1;
    }
}

#define ACC_GROUPS_WORDS 8

/* Some of the groups of a launch: no more than one call of a driver takes. */
typedef struct {
  gint64           words[ACC_GROUPS_WORDS];  /* as kernels take them: begin, end, tile and first of the outer dimension, then of the
                                              * inner */
  gint64           count[2];                 /* groups: outer, inner */
  /*< private >*/
  const AccGroups *groups;
  gint64           most[2], first[2], all[2], at[2];
} AccGroupsPart;

/* @most: groups of a part. */
void     acc_groups_begin_parts     (const AccGroups *self, const gint64 most[2], AccGroupsPart *part);
/* FALSE: there are no more. */
gboolean acc_groups_next_part       (AccGroupsPart *part);

/* The device that @name, a number or NULL for the first, means among @n of @kind. */
gboolean acc_device_find_number     (const char *name, const char *kind, guint n, guint *number, GError **error);
/* "0" to @n - 1: owned by the caller. */
char   **acc_device_list_numbers    (guint n);
/* ACC_DEBUG=cache: tells what it took to write the source of @kernel since @start, of g_get_monotonic_time(). */
void     acc_device_tell_emitted    (AccKernel *kernel, gint64 start);
/* Whether quick code (acc-emit-c.h) may run. @kinds: per slot, of its elements, or of the scalar. */
gboolean acc_device_is_small_launch (const AccDeviceSlot *slots, const guint8 *kinds, guint n_slots, const AccGroups *groups);
