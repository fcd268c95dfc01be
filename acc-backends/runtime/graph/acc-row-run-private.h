/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-row-program.h"
#include "acc-row-run.h"
#include "acc-backends/runtime/run/acc-run.h"

/* Rows of one row value. */
typedef struct {
  guint         n_buffers;
  gsize        *row_bytes;   /* per buffer */
  AccRunWindow *windows;     /* per buffer: as kernels see it, but for a copy of rows, which has one that kernels do not know */
  /*< device >*/
  AccRowMemory *memory;      /* borrowed; NULL: no window yet */
  gint64        origin_row;
} AccScheduleRowValue;

/* A run by rows of a schedule, wherever it runs. */
typedef struct {
  AccRowRun            base;
  AccRun              *run;
  AccRowProgram        program;
  AccPrepared         *prepared;
  GPtrArray           *bound;
  GObject             *owner;
  AccScheduleRowValue *values;    /* per row value */
  AccRunWindow        *windows;   /* per buffer of all values of the schedule, then those of copies */
  gpointer           **scratch;   /* per row step: kept for the whole run */
} AccScheduleRows;

/* For what has the rows in other places: @size of a run that begins with the above. */
AccRowRun *acc_schedule_rows_new  (const AccRowRunClass *klass, gsize size, AccHost *host, AccPrepared *prepared, GPtrArray *values,
                                   AccGraph *graph, gpointer owner, GCancellable *cancellable, GError **error);
void       acc_schedule_rows_free (AccRowRun *base);
/* Runs a step of the schedule, but for copies. */
gboolean   acc_schedule_rows_run_step (AccScheduleRows *self, guint number, gint64 begin, gint64 end, GCancellable *cancellable,
                                       GError **error);
AccArray  *acc_schedule_rows_dup_reduced (AccRowRun *base, guint number, GError **error);
