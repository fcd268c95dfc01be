/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-device-heap.h"
#include "acc-pool.h"

#include <pthread.h>

/* Below this a transfer goes on the compute queue: ordering queues costs more than the overlap gains. */
#define ACC_SMALL_TRANSFER (64 * 1024)

#define ACC_MAX_MARKS 32

/* Bytes of the smallest block, and what blocks are of. */
#define ACC_SMALLEST_BLOCK 256

enum { ACC_BLOCK_DEVICE, ACC_BLOCK_HOST };

/* Uses of a queue are numbered when they have been enqueued; a mark says that a point is behind all up to a number. */
typedef struct {
  guint64 number;
  guint64 point;
} AccDeviceMark;

typedef struct {
  guint64       used;                     /* number of the last use */
  guint64       reached;                  /* all up to this one are done */
  guint64       behind[ACC_N_QUEUES];     /* what is enqueued from now on begins after these uses of other queues */
  AccDeviceMark marks[ACC_MAX_MARKS];     /* oldest first */
  guint         n_marks;
} AccDeviceQueue;

/* The failure slot of a run: memory of an AccFailure, which is zero unless a failed run holds it; and pinned memory to read it. */
typedef struct _AccDeviceReport AccDeviceReport;

#define ACC_REPORT_BYTES 4096

struct _AccDeviceReport {
  AccDeviceMemory memory;
  guint8         *host;         /* ACC_REPORT_BYTES */
  gsize           filled;       /* of host: the failure, then small results */
};

typedef struct _AccDeviceStage AccDeviceStage;

struct _AccDeviceHeap {
  gatomicrefcount ref_count;
  AccDevice      *device;       /* NULL once it has no more blocks and the heap is closed */
  AccBudget      *budget;
  AccBudget      *host_budget;
  AccPool        *fetched;      /* host memory for what is moved there: counted in .host_budget */
  double          timeout;      /* seconds; 0: none */

  pthread_mutex_t mutex;        /* recursive: what asks for memory of the host with it may be given pinned memory back */
  pthread_cond_t  changed;      /* a copy is no longer busy */
  gboolean        closed, lost;
  guint           n_blocks;
  GTree          *shelves[2];   /* idle blocks, of the device and of the host: size → GQueue of blocks, latest first */
  GQueue          idle;         /* all of them, latest first */
  guint64         idle_bytes;
  GQueue          resident;     /* copies with counted blocks that are not pinned, latest used first */
  AccDeviceQueue  queues[ACC_N_QUEUES];
  GPtrArray      *reports;
  AccDeviceStage *stages[2];    /* up and down */
};

/* --- queues; with the lock */

gboolean acc_device_heap_order      (AccDeviceHeap *self, AccQueue queue, AccDeviceBlock *block, GError **error);
/* Lets the host wait until no queue uses the block. */
gboolean acc_device_heap_wait_until_idle (AccDeviceHeap *self, AccDeviceBlock *block, GError **error);

/* --- blocks; with the lock */

void     acc_device_heap_put_away   (AccDeviceHeap *self, AccDeviceBlock *block);
/* Frees the idle block that has been so for longest, of which there is one; returns the bytes no longer counted. */
gsize    acc_device_heap_destroy_oldest (AccDeviceHeap *self);
/* Of a heap that is closed and has no more blocks. */
void     acc_device_heap_free_device    (AccDeviceHeap *self);
int      acc_device_heap_compare_sizes  (gconstpointer a, gconstpointer b, gpointer user_data);
/* Moves the least recently used copy out; FALSE: there is none, or it cannot be moved. @freed: bytes no longer counted. */
gboolean acc_device_heap_evict      (AccDeviceHeap *self, guint64 *freed, GError **error);
/* Moves all out that has a host copy: for a heap that is closed. */
void     acc_device_heap_drop_clean (AccDeviceHeap *self);

/* --- without the lock */

/* Frees idle blocks, then moves copies out, until @wanted bytes are no longer counted. */
guint64          acc_device_heap_reclaim      (guint64 wanted, gpointer user_data);
/* Frees idle pinned blocks until @wanted bytes of the host are no longer counted; the lock may be held. */
guint64          acc_device_heap_reclaim_pinned (guint64 wanted, gpointer user_data);
/* Memory of the device, or of the host that transfers like, from the device itself; what can be spared is given back to it first. */
gboolean         acc_device_heap_ask          (AccDeviceHeap *self, guint kind, gsize size, AccDeviceMemory *memory, GError **error);
/* A block that is the host's memory; NULL: it must be copied. */
AccDeviceBlock  *acc_device_heap_import       (AccDeviceHeap *self, gpointer host, gsize size, const char *what);
/* As unpin; @data: the buffer's bytes, copied; may be NULL. */
void             acc_device_heap_unpin_filled (AccDeviceHeap *self, AccBuffer *buffer, gconstpointer data);
/* Memory that a lost device may still access is kept until the process ends. */
void             acc_device_abandon           (gpointer data);

AccDeviceReport *acc_device_heap_take_report (AccDeviceHeap *self, GError **error);
/* @is_clean: the failure is zero, and nothing enqueued uses it. */
void             acc_device_heap_give_report (AccDeviceHeap *self, AccDeviceReport *report, gboolean is_clean);

static inline void
acc_device_heap_lock (AccDeviceHeap *self)
{
  pthread_mutex_lock (&self->mutex);
}

static inline void
acc_device_heap_unlock (AccDeviceHeap *self)
{
  pthread_mutex_unlock (&self->mutex);
}
