/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-device.h"
#include "acc-core/data/acc-buffer-private.h"

/* The memory of a device: blocks that are used again, the device copies of buffers, and the order of the queues that use them.
 * Counted; lives as long as a buffer has bytes on the device. Any thread.
 *
 * The budget, and with it the backend's memory limit, bounds the bytes of device memory (idle blocks included) and those of
 * pinned host memory. What moves out of the device to make room, and what is fetched for reading, lies in plain host memory,
 * which counts in the budget of the host, as pinned memory does besides. On a device that shares the host's memory nothing is
 * moved: making room means counting there. */
typedef struct _AccDeviceHeap  AccDeviceHeap;
typedef struct _AccDeviceBlock AccDeviceBlock;

/* A piece of device memory. Others read .memory. */
struct _AccDeviceBlock {
  AccDeviceMemory memory;
  AccDeviceHeap  *heap;
  /*< private >*/
  gsize           counted;              /* bytes reserved under .what */
  gboolean        is_counted;
  gboolean        is_moved;             /* counted in the budget of the host instead */
  gboolean        is_host;              /* pinned memory at memory.host, not a device's */
  gboolean        is_imported;          /* borrowed memory */
  char           *what;
  guint64         used[ACC_N_QUEUES];   /* number of the last use on each queue; 0: none */
  GList           shelf_link, idle_link;
};

/* Takes over @device, and becomes the pool that both budgets reclaim from. ACC_ERROR_UNSUPPORTED if ACC_DEVICE_TIMEOUT is not a number of
 * seconds: how long a host wait may last before the device counts as lost; 0, or unset: for ever. */
AccDeviceHeap  *acc_device_heap_new        (AccDevice *device, AccBudget *budget, AccBudget *host_budget, GError **error);
AccDeviceHeap  *acc_device_heap_ref        (AccDeviceHeap *self);
void            acc_device_heap_unref      (AccDeviceHeap *self);
/* Frees all unused blocks, now and from now on. The device is freed with its last block. */
void            acc_device_heap_close      (AccDeviceHeap *self);
AccDevice      *acc_device_heap_get_device (AccDeviceHeap *self);

/* --- blocks */

/* Allocates a block, not cleared: recycles one, or makes room; ACC_ERROR_OUT_OF_MEMORY lists the holders if that does not help. @queue: the
 * first to use it. A block of 0 bytes is memory, too. */
AccDeviceBlock *acc_device_heap_allocate      (AccDeviceHeap *self, gsize size, AccQueue queue, const char *what, GError **error);
/* For planned memory: counts exactly its size, rounded. */
AccDeviceBlock *acc_device_heap_allocate_exact (AccDeviceHeap *self, gsize size, AccQueue queue, const char *what, GError **error);
/* Frees it at once: work of queues on it is ordered before that of the next owner. */
void            acc_device_block_free         (AccDeviceBlock *block);
/* Pinned host memory, or memory that both see: for chunks. Transfers to and from it do not wait, but for small ones. */
AccBuffer      *acc_device_heap_allocate_host (AccDeviceHeap *self, gsize size, const char *what, GError **error);

/* --- queues
 *
 * Each enqueues its work behind what other queues do with the same blocks, without the host waiting. */

gboolean acc_device_heap_upload   (AccDeviceHeap *self, AccQueue queue, AccDeviceBlock *to, gsize offset, gconstpointer from, gsize size,
                                   GError **error);
gboolean acc_device_heap_download (AccDeviceHeap *self, AccQueue queue, gpointer to, AccDeviceBlock *from, gsize offset, gsize size,
                                   GError **error);
gboolean acc_device_heap_copy     (AccDeviceHeap *self, AccQueue queue, AccDeviceBlock *to, gsize to_offset,
                                   AccDeviceBlock *from, gsize from_offset, gsize size, GError **error);
/* Around launches: orders @queue behind the other queues' uses of the blocks; notes that it used them. NULL blocks are skipped. */
gboolean acc_device_heap_begin    (AccDeviceHeap *self, AccQueue queue, AccDeviceBlock **blocks, guint n_blocks, GError **error);
void     acc_device_heap_end      (AccDeviceHeap *self, AccQueue queue, AccDeviceBlock **blocks, guint n_blocks);
/* Behind all that is on the queue now. */
gboolean acc_device_heap_mark     (AccDeviceHeap *self, AccQueue queue, guint64 *point, GError **error);
/* The host waits, for ACC_DEVICE_TIMEOUT at most. */
gboolean acc_device_heap_block    (AccDeviceHeap *self, AccQueue queue, guint64 point, GError **error);
/* Until all queues have done all; for giving up. */
void     acc_device_heap_drain    (AccDeviceHeap *self);
/* Fails with DEVICE_LOST where the device is gone; an error of a direct call of the device is told by the second. */
gboolean acc_device_heap_check    (AccDeviceHeap *self, GError **error);
gboolean acc_device_heap_note_error (AccDeviceHeap *self, const GError *error);

/* --- residency */

/* Where the buffer's bytes are on the device, uploaded (on ACC_QUEUE_UPLOAD, if there is something to overlap) where they are
 * not there yet. It stays until as many acc_device_heap_unpin(); after that until room is needed. */
AccDeviceBlock *acc_device_heap_pin        (AccDeviceHeap *self, AccBuffer *buffer, const char *what, GError **error);
void            acc_device_heap_unpin      (AccDeviceHeap *self, AccBuffer *buffer);
/* What acc_device_heap_pin() will want soon begins to be uploaded, if it is not small. */
void            acc_device_heap_send_ahead (AccDeviceHeap *self, AccBuffer *buffer);
/* A buffer whose bytes are on the device, for a kernel to write: pinned once. @exact: it counts for no more than its size, rounded. */
AccBuffer      *acc_device_heap_new_buffer (AccDeviceHeap *self, gsize size, gboolean exact, const char *what, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccDeviceHeap, acc_device_heap_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccDeviceBlock, acc_device_block_free)
