/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-plan.h"

/* Where the rows of a value are kept during a run. */
typedef enum {
  ACC_PLACE_NONE,    /* nowhere: kept by the run itself, or together with another value of the same source */
  ACC_PLACE_SLOTS,   /* slots that a reader fills */
  ACC_PLACE_READ_WHOLE, /* all rows of a source */
  ACC_PLACE_WINDOW,  /* a window that slides */
  ACC_PLACE_WHOLE,   /* all rows */
  ACC_PLACE_OUTPUT,  /* slots that the writer empties */
  ACC_PLACE_RESULT,  /* all rows, as a result */
  ACC_PLACE_UPLOAD,   /* slots that a reader fills for a device */
  ACC_PLACE_DOWNLOAD, /* slots that a device fills, and the writer empties */
} AccPlace;

typedef struct {
  char    *name;
  AccPlace place;
  gint64   n_rows;
  gint64   lag, carry;
  gint64   headroom;   /* rows before the origin of each buffer */
  gint64   capacity;   /* rows from the origin on */
  guint    n_buffers;
  guint64  row_bytes;
  guint64  bytes;      /* of all buffers */
  guint    value;
  guint    copied_to;  /* part that new rows are copied to as well; 0: none */
  guint    staging;    /* part that rows pass through between here and the host; 0: none */
  guint    result;     /* part that the writer puts them together in; 0: none */
  gboolean on_device;
  gboolean is_fetched; /* memory of the host for what a device computes: not counted here */
  gboolean awaited;
} AccPlanPart;

struct _AccPlan
{
  GObject  parent_instance;

  char    *device;
  gint64   chunk_rows;
  gint64   band_rows;   /* rows that go through all steps before the next ones do */
  guint64  n_chunks;
  gint64   n_rows;
  gint64   halo_above, halo_below;
  guint    n_input_slots, n_output_slots;
  guint64  bytes, slope, resident;
  guint64  limit, available;
  guint64  host_available; /* for what passes between the host and a device */
  guint64  read, written;      /* bytes from and to files; G_MAXUINT64: not known */
  double   compute_seconds;    /* while the disk waits */
  gboolean at_most;            /* it may be less: how much is kept of what is filtered is not known */
  GArray  *parts;       /* AccPlanPart: one per value, then what those need besides */
  char    *why;
  char    *stages;      /* NULL, or lines of what is stored before */
  char    *apart;       /* NULL, or why several results are not computed in one walk */
  GPtrArray *others;    /* AccPlan of the walks that follow then */
};

AccPlan     *acc_plan_new      (void);
AccPlanPart *acc_plan_get_part (AccPlan *self, guint part);

/* Sums and products that stop at G_MAXUINT64: more than any limit. */
static inline guint64
acc_bytes_add (guint64 a, guint64 b)
{
  return a > G_MAXUINT64 - b ? G_MAXUINT64 : a + b;
}

static inline guint64
acc_bytes_multiply (guint64 a, guint64 b)
{
  guint64 product;

  return g_uint64_checked_mul (&product, a, b) ? product : G_MAXUINT64;
}
