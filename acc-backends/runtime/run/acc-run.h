/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-launch.h"

G_BEGIN_DECLS

/* Runs a schedule whole. @arguments: manifest arrays, one per bound node, with the extents that it was made for. The results
 * are new references to manifest arrays; what they share with arguments and other results is not copied. Any thread. */
gboolean acc_run_whole (AccHost *host, AccPrepared *prepared, AccArray **arguments, AccArray **results,
                        GCancellable *cancellable, GError **error);

/* One run under way, in parts: for runs by rows, too. */
typedef struct {
  AccHost          *host;
  AccPrepared      *prepared;  /* borrowed */
  AccLaunchContext  launch;
  AccBuffer       **buffers;    /* per buffer of every value: borrowed where given, owned where computed; NULL: no memory yet */
  gpointer         *scratch;    /* of the step that runs: where each is */
  AccBuffer       **held;       /* by it: what large ones are in */
  AccBuffer        *small;      /* what the others are in, for all steps; NULL: none needed it yet */
  guint64          *slots;
  gint64            round_rows; /* of it: that go through it at a time; 0: all */
  gboolean          exact;      /* memory is planned with: what is computed takes no more than its size */
} AccRun;

/* Of the fields above from .scratch on: pointers, and where they go. Zeroed. */
gsize     acc_run_count_step_memory (AccPrepared *prepared);
void      acc_run_set_step_memory   (AccRun *self, gpointer *memory);
void      acc_run_clear_step_memory (AccRun *self);

void      acc_run_init        (AccRun *self, AccHost *host, AccPrepared *prepared, GCancellable *cancellable);
void      acc_run_clear       (AccRun *self);
/* @rows: sources are no mistake. */
gboolean  acc_run_bind        (AccRun *self, AccArray **arguments, gboolean rows, GError **error);
gboolean  acc_run_step        (AccRun *self, guint step, GError **error);
/* Its first launches, whole: buffers and scratch are there. */
gboolean  acc_run_launches    (AccRun *self, guint step, guint n_launches, GError **error);
/* What a launch's slots are, where runs know values by other addresses. */
typedef void (*AccRunFill) (gpointer data, const AccLaunch *launch, guint64 *slots);
/* Rows [begin, end) of a step, by rounds. */
gboolean  acc_run_rows        (AccRun *self, guint step, gint64 begin, gint64 end, AccRunFill fill, gpointer data, GError **error);
gboolean  acc_run_allocate    (AccRun *self, guint value, GError **error);
void      acc_run_free_value  (AccRun *self, guint value);
/* What no step after @step needs. */
void      acc_run_free_after  (AccRun *self, guint step);
/* A manifest array of result number @result, in its shape. */
AccArray *acc_run_make_result (AccRun *self, guint result);

G_END_DECLS
