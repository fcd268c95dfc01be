/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/backend/acc-row-halo-private.h"

/* Decides how rows move through a run by rows.
 *
 * The run is driven by one counter of rows, t. A source has its rows [0, t); a step whose lag is l has computed the rows [0, t - l); a
 * value of which no step reads rows further back than c keeps c of them. t goes past the rows of the data until every lag is made up. All
 * of it is known before the run. */

typedef struct {
  gint64   lag;          /* rows behind the driver; of a reduced value: t at which it is complete */
  gint64   carry;        /* rows that readers still need when a band is done */
  AccRowHalo halo;       /* rows of the sources that a row depends on */
  int      writer;       /* step, or -1: a source */
  guint    n_readers;
  guint    owner;        /* first value of the same source: it holds the rows for all of them */
  gboolean awaited;      /* kept for a step that must first see the result of a reduction */
  guint64  row_bytes;
} AccValueFlow;

typedef struct {
  gint64   lag;
  gboolean streamed;     /* depends on a source */
} AccStepFlow;

typedef struct {
  AccRowRun    *run;     /* borrowed */
  AccValueFlow *values;
  AccStepFlow  *steps;
  guint         n_sources;  /* different ones */
  gint64        n_rows;  /* of the longest value */
  gint64        n_ticks; /* t at which all is done */
  gint64        quantum; /* t goes by multiples of it, but for the end: steps see multiples of theirs then */
} AccRowFlow;

/* ACC_ERROR_STREAM where steps and values do not fit together. */
AccRowFlow *acc_row_flow_new  (AccRowRun *run, GError **error);
void        acc_row_flow_free (AccRowFlow *self);
/* What may be a chunk or a band in place of @rows: a multiple of the quantum, or all ticks. */
gint64      acc_row_flow_round     (AccRowFlow *self, gint64 rows);
/* "stencil “blur”", "source “photo.png”" */
char       *acc_row_flow_describe_value (AccRowFlow *self, guint value);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccRowFlow, acc_row_flow_free)
