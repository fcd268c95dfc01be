/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/runtime/device/acc-device-heap.h"
#include "acc-prepared.h"

G_BEGIN_DECLS

/* Runs a schedule whole on the host's device: as acc_run_whole(). One wait of the host, at the end. */
gboolean acc_device_run_whole (AccHost *host, AccPrepared *prepared, AccArray **arguments, AccArray **results,
                               GCancellable *cancellable, GError **error);

/* One run under way, in parts: for runs by rows, too. Nothing here waits but finish(), check() and clear(). */
typedef struct {
  AccHost         *host;
  AccDeviceHeap   *heap;
  AccPrepared     *prepared;    /* borrowed */
  GCancellable    *cancellable;
  AccBuffer      **buffers;      /* per buffer of every value: borrowed where given, owned where computed; NULL: no memory yet */
  /*< private >*/
  AccDeviceBlock **blocks;      /* per buffer: while a step is enqueued */
  AccDeviceBlock **used;        /* of a step, n_used */
  guint            n_used;
  AccDeviceSlot   *slots;
  struct _AccDeviceReport *report;  /* how kernels failed */
  gboolean         may_fail;    /* something is enqueued that has checks: they are asked for */
  gboolean         is_dirty;    /* something is enqueued that was not waited for */
} AccDeviceRun;

/* Where a buffer of a value is for one launch, in place of its buffer: element 0 of the whole array is, or would be, at .offset. */
typedef struct {
  AccDeviceBlock *block;        /* NULL: the run's own buffer */
  gint64          offset;
} AccDeviceWindow;

void      acc_device_run_init       (AccDeviceRun *self, AccHost *host, AccPrepared *prepared, GCancellable *cancellable);
/* Waits for what is enqueued, unless finish() did. */
void      acc_device_run_clear      (AccDeviceRun *self);
/* @rows: sources are no mistake. */
gboolean  acc_device_run_bind       (AccDeviceRun *self, AccArray **arguments, gboolean rows, GError **error);
/* Enqueues a step, whole. */
gboolean  acc_device_run_step       (AccDeviceRun *self, guint step, GError **error);
/* Enqueues what rows [begin, end) of a step take: launches over rows that are in [begin, end), and those over the whole space at
 * the last row, or each time where the step combines per band. @windows: one per buffer of all values. @scratch: the step's,
 * kept by the caller for the whole run. */
gboolean  acc_device_run_rows       (AccDeviceRun *self, guint step, gint64 begin, gint64 end, const AccDeviceWindow *windows,
                                     AccDeviceBlock **scratch, GError **error);
/* Device memory for a value that the run owns. */
gboolean  acc_device_run_allocate   (AccDeviceRun *self, guint value, GError **error);
void      acc_device_run_free_value (AccDeviceRun *self, guint value);
/* Whether kernels failed: enqueues the question behind all launches so far; @point, of ACC_QUEUE_COMPUTE, is when it is
 * answered; check() after that point. One question at a time. */
gboolean  acc_device_run_ask        (AccDeviceRun *self, guint64 *point, GError **error);
gboolean  acc_device_run_check      (AccDeviceRun *self, GError **error);
/* Both, with the wait between. */
gboolean  acc_device_run_finish     (AccDeviceRun *self, GError **error);
/* After finish(): a manifest array of result number @result, in its shape. */
AccArray *acc_device_run_make_result (AccDeviceRun *self, guint result);

G_END_DECLS
