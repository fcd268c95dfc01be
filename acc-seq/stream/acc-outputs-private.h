/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array.h"
#include "acc-core/backend/acc-backend-private.h"
#include "acc-sink.h"

/* Where results go: sinks, all of which keep what they got, or none. */

/* Who holds the memory of sinks */
#define ACC_OUTPUT_HOLDER "sink"

typedef struct {
  AccSink        *sink;       /* NULL: of a plan alone */
  AccArray       *array;      /* what it gets; stages put others of the same elements in its place */
  guint           result;     /* of the run that writes it: its place among the results */
  AccElementType *type;       /* borrowed */
  AccShape       *shape;      /* NULL: not known yet */
  AccShape       *whole;      /* of what is written as the vector of its elements; NULL: rows are written as they are */
  gboolean        started;    /* or tried to */
  AccBudget      *budget;     /* that .resident is taken from */
  guint64         resident;
} AccOutput;

/* Whether each sink is there once, and no two write the same file. Some may be NULL. */
gboolean   acc_outputs_check_sinks (AccSink **sinks, guint n, GError **error);
/* AccOutput, owned; several sinks may take the same array. Sinks that were not committed are aborted with the last reference. */
GPtrArray *acc_outputs_new       (AccArray **arrays, AccSink **sinks, guint n);
/* What filters of sources keep goes straight to sinks that can grow: rows take the place of these arrays. Whether there are any. */
gboolean   acc_outputs_let_grow  (GPtrArray *outputs, AccBackend *backend);
/* Different arrays among them, borrowed: the results of a run that writes all of them. */
GPtrArray *acc_outputs_list      (GPtrArray *outputs);
/* Others of the same elements take the places of those that it listed. */
void       acc_outputs_replace   (GPtrArray *outputs, GPtrArray *arrays);
/* The memory of the sink itself, once the layout is known: before it is started. */
gboolean   acc_output_hold       (AccOutput *self, AccBackend *backend, GError **error);
/* Of all, before anything else takes it: where extents are not known yet, what it takes without elements. */
gboolean   acc_outputs_hold      (GPtrArray *outputs, AccBackend *backend, GError **error);
/* A second time nothing. */
gboolean   acc_output_start      (AccOutput *self, GCancellable *cancellable, GError **error);
/* The layout of what is written. @shape NULL: not known yet. */
void       acc_output_set_layout (AccOutput *self, AccElementType *type, AccShape *shape);
/* When all are written. */
gboolean   acc_outputs_commit    (GPtrArray *outputs, GCancellable *cancellable, GError **error);
/* Whether rows that are too wide for memory may be computed element by element: where all is made so from what is in memory or stored,
 * sources but for that. */
gboolean   acc_outputs_can_narrow (GPtrArray *outputs);
/* Whether all sinks take elements; others get whole rows, which have to be stored for that. */
gboolean   acc_outputs_take_elements (GPtrArray *outputs);
/* Does so: vectors of the elements take the places of arrays. TRUE: they read sources, where a device would get whole arrays of what is
 * in memory. */
gboolean   acc_outputs_narrow     (GPtrArray *outputs, AccBackend *backend);
