/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The arithmetic of rows that go through steps some at a time, by chunks of a stream or by bands of a worker.
 *
 * One counter of rows, t, drives all steps. A step whose lag is l has computed its rows [0, t - l). To compute row r it reads rows
 * [r - above, r + below], clamped to the array, of what another one wrote. */

/* Row counts add up to at most this: far from where gint64 ends, more than any memory. */
#define ACC_ROWS_MAX (G_MAXINT64 / 8)

static inline gint64
acc_rows_add (gint64 a,
              gint64 b)
{
  return a > ACC_ROWS_MAX - b ? ACC_ROWS_MAX : a + b;
}

/* Rows around those of another step that a row depends on. */
typedef struct {
  gint64 above, below;
} AccRowHalo;

/* @self reaches as far, too, as one read after those of @from does. */
static inline void
acc_row_halo_extend (AccRowHalo       *self,
                     const AccRowHalo *from,
                     gint64            above,
                     gint64            below)
{
  self->above = MAX (self->above, acc_rows_add (from->above, above));
  self->below = MAX (self->below, acc_rows_add (from->below, below));
}

/* The least lag of a step that reads @below rows below its own, of the @n_rows of one that has @lag. */
static inline gint64
acc_rows_get_reader_lag (gint64 lag,
                         gint64 below,
                         gint64 n_rows)
{
  return acc_rows_add (lag, MIN (below, n_rows));
}

/* The most lag of a step that is read so by one that has @reader_lag. */
static inline gint64
acc_rows_get_writer_lag (gint64 reader_lag,
                         gint64 below,
                         gint64 n_rows)
{
  return reader_lag - MIN (below, n_rows);
}

/* Rows in front of those that the writer computes next which the reader may still read. */
static inline gint64
acc_rows_get_carry (gint64 lag,
                    gint64 reader_lag,
                    gint64 above)
{
  return acc_rows_add (reader_lag - lag, above);
}
