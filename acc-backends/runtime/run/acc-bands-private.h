/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-bands.h"
#include "acc-core/backend/acc-row-halo-private.h"

#define ACC_BAND_MAX_STEPS 8

/* Rows of a value that are there only for the steps of a band. */
typedef struct {
  guint  value;
  guint  writer;          /* among the steps of the band */
  gint64 carry;           /* rows before those of a strip that are still read */
  gint64 capacity;
  gsize *offsets;         /* per buffer: in a worker's memory */
} AccBandWindow;

/* What a step does besides. */
typedef struct {
  guint  n_first;         /* launches, before all rows */
  gsize *scratch;         /* where each is: in shared memory, or in a worker's, if it is private to a tile */
} AccBandExtra;

struct _AccBand {
  guint          begin, end;     /* steps */
  gint64         n_rows;
  gint64         band_rows;      /* of the results, that a worker takes at a time */
  gint64         strip_rows;     /* of each step, that it runs at a time */
  gint64         warm_up;        /* rows that the first step begins before the band */
  AccRowHalo     halos[ACC_BAND_MAX_STEPS];   /* rows beyond those of a band */
  AccBandExtra   extras[ACC_BAND_MAX_STEPS];
  guint          n_windows;
  AccBandWindow *windows;
  gsize          bytes;          /* of a worker */
  gsize          common_bytes;   /* for all */
};

/* NULL: the value has memory as a whole. */
static inline AccBandWindow *
acc_band_find_window (const AccBand *self,
                      guint          value)
{
  for (guint i = 0; i < self->n_windows; i++)
    if (self->windows[i].value == value)
      return &self->windows[i];

  return NULL;
}

/* Of buffer @k of the value. */
static inline gsize
acc_band_get_row_bytes (AccPrepared *prepared,
                        guint        value,
                        guint        k)
{
  return (gsize) prepared->values[value].row_elements * prepared->element_bytes[prepared->values[value].first_buffer + k];
}
