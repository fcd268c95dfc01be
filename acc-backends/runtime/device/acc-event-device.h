/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-device.h"

/* What devices have in common whose drivers order queues by events: points, waiting for them, and what a lost device says. */

typedef struct _AccEventDevice AccEventDevice;

/* Codes: 0 is success, and less a failure, as .check knows it. Events are recorded and let go of with the lock held. */
typedef struct {
  /* Around calls of the driver on this thread; NULL, both: nothing is needed. */
  gboolean (*enter)   (AccEventDevice *self, GError **error);
  void     (*leave)   (AccEventDevice *self);
  /* TRUE for success. Else @error says what failed while @doing, and the device may be lost. */
  gboolean (*check)   (AccEventDevice *self, int code, const char *doing, GError **error);
  /* An event behind all that is on the queue now, which starts. */
  gpointer (*record)  (AccEventDevice *self, AccQueue queue, GError **error);
  void     (*release) (AccEventDevice *self, gpointer event);
  /* More than 0: it has not come to pass. */
  int      (*ask)     (AccEventDevice *self, gpointer event);
  /* Without the lock: blocks until it has. */
  int      (*await)   (AccEventDevice *self, gpointer event);
  /* What is enqueued on @queue from now on begins after it. */
  int      (*order)   (AccEventDevice *self, AccQueue queue, gpointer event);
} AccEventClass;

/* Of one queue. */
typedef struct {
  guint64 marked;    /* number of the latest point */
  guint64 reached;   /* points up to here are known to be */
  GQueue  points;    /* those after that, in order */
} AccEventPoints;

struct _AccEventDevice
{
  AccDevice            parent;
  const AccEventClass *events;
  gint                 lost;      /* atomic */
  GMutex               lock;      /* points, and what the driver's calls share */
  AccEventPoints       points[ACC_N_QUEUES];
  gboolean             is_timed;  /* how long kernels run is kept: somebody asked for it */
  gint64               asked;     /* µs: when, before; 0: never */
};

/* @size: of a device that begins with the above. */
gpointer acc_event_device_new         (const AccDeviceClass *klass, const AccEventClass *events, gsize size);
/* Lets go of all points: nothing is queued. */
void     acc_event_device_drop_points (AccEventDevice *self);
void     acc_event_device_free        (AccEventDevice *self);
/* Fails with DEVICE_LOST where it was. */
gboolean acc_event_device_is_there    (AccEventDevice *self, GError **error);
/* With the lock: the time since the last call, in nanoseconds; from now on kernels are timed. */
guint64  acc_event_device_restart     (AccEventDevice *self);

/* As the class has them. */
gboolean acc_event_device_mark        (AccDevice *device, AccQueue queue, guint64 *point, GError **error);
gboolean acc_event_device_wait        (AccDevice *device, AccQueue queue, AccQueue other, guint64 point, GError **error);
gboolean acc_event_device_is_reached  (AccDevice *device, AccQueue queue, guint64 point);
gboolean acc_event_device_block       (AccDevice *device, AccQueue queue, guint64 point, double seconds, GError **error);
