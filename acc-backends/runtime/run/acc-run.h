/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-prepared.h"

/* Runs a schedule whole. @arguments: manifest arrays, one per bound node, with the extents that it was made for. @spent: for each of them
 * whether the caller drops it unread afterwards, whatever the outcome: its memory may be taken for results, where nobody else holds it.
 * NULL: none. The results are new references to manifest arrays; what they share with arguments and other results is not copied. Any
 * thread. */
gboolean acc_run_whole (AccHost *host, AccPrepared *prepared, AccArray **arguments, const gboolean *spent, AccArray **results,
                        GCancellable *cancellable, GError **error);

typedef struct _AccRun AccRun;

/* A backend without kernels: it hands what is between two control points to another compiler, as one step. */
struct _AccPlanner {
  /* As acc_schedule_new() does; steps have no launches. @spent: nullable; the bound arrays that acc_run_whole() will be told are spent. */
  AccSchedule *(*plan)    (AccHost *host, const AccTarget *target, AccArray **results, guint n_results, AccArray **bound,
                           AccArray **values, const gboolean *spent, guint n_bound, GError **error);
  AccRun      *(*new_run) (AccHost *host, AccPrepared *prepared, GCancellable *cancellable);
};

/* Where a buffer of a value is for launches over some rows, in place of its own memory: element 0 of the whole array is, or would be,
 * at .offset. */
typedef struct {
  gboolean        is_set;      /* FALSE: in the run's own buffer */
  AccDeviceBlock *block;       /* NULL: .offset is an address of the host */
  gint64          offset;
} AccRunWindow;

/* What differs between memory of the host, where work is done when a call returns, and memory of a device, where it is enqueued and
 * nothing but finish() and clear() waits. */
typedef struct {
  /* Makes bytes of a given buffer ready to be read; NULL: a step does so itself. */
  gboolean   (*map)              (AccRun *self, AccBuffer *given, GError **error);
  AccBuffer *(*allocate)         (AccRun *self, gsize bytes, const char *what, GError **error);
  gboolean   (*run_step)         (AccRun *self, guint step, GError **error);
  gboolean   (*run_rows)         (AccRun *self, guint step, gint64 begin, gint64 end, const AccRunWindow *windows, gpointer *scratch,
                                  GError **error);
  /* Scratch number @scratch of @step for a whole run by rows. @held: grows by what it takes. */
  gpointer   (*allocate_scratch) (AccRun *self, const AccScheduleStep *step, guint scratch, guint64 *held, GError **error);
  void       (*free_scratch)     (gpointer scratch);
  /* Memory for a value that steps add to band by band: it stays where it is until finish(). */
  gboolean   (*keep)             (AccRun *self, guint value, GError **error);
  /* Bytes of the memory limit that what was computed and kept so far takes. @given: the buffers as they were bound. */
  guint64    (*count_held)       (AccRun *self, AccBuffer **given);
  gboolean   (*finish)           (AccRun *self, GError **error);
  void       (*clear)            (AccRun *self);
} AccRunClass;

/* One run under way, in parts: for runs by rows, too. */
struct _AccRun {
  const AccRunClass *klass;
  AccHost           *host;
  AccPrepared       *prepared;     /* borrowed */
  GCancellable      *cancellable;
  AccBuffer        **buffers;      /* per buffer of every value: borrowed where given, owned where computed; NULL: no memory yet */
  gboolean           exact;        /* memory was planned: computed buffers take exactly their size */
  AccArray         **arguments;    /* of acc_run_whole(), as is .spent; borrowed */
  const gboolean    *spent;
};

AccRun   *acc_run_new         (AccHost *host, AccPrepared *prepared, GCancellable *cancellable);
/* Waits for what is enqueued, unless finish() did. */
void      acc_run_free        (AccRun *self);
/* @rows: sources are no mistake. */
gboolean  acc_run_bind        (AccRun *self, AccArray **arguments, gboolean rows, GError **error);
gboolean  acc_run_step        (AccRun *self, guint step, GError **error);
/* What rows [begin, end) of a step take: launches over rows that are in [begin, end), those that come before all rows at the first one, and
 * those over the whole space at the last one, or each time where the step combines per band. @windows: one per buffer of all values.
 * @scratch: the step's, kept by the caller for the whole run. */
gboolean  acc_run_rows        (AccRun *self, guint step, gint64 begin, gint64 end, const AccRunWindow *windows, gpointer *scratch,
                               GError **error);
/* Whether results may take the memory of an argument: it is spent, no result shows it, and nobody else has a reference. */
gboolean  acc_run_may_take    (AccRun *self, guint value);
/* Memory for a value that the run owns. */
gboolean  acc_run_allocate    (AccRun *self, guint value, GError **error);
void      acc_run_free_value  (AccRun *self, guint value);
/* What no step after @step needs. */
void      acc_run_free_after  (AccRun *self, guint step);
/* Waits for all that is enqueued, and tells whether kernels failed. */
gboolean  acc_run_finish      (AccRun *self, GError **error);
/* After finish(): a manifest array of result number @result, in its shape. */
AccArray *acc_run_make_result (AccRun *self, guint result);

/* For classes: a run of @size bytes, with room for @n_pointers behind its buffers. */
gpointer  acc_run_construct   (const AccRunClass *klass, gsize size, gsize n_pointers, AccHost *host, AccPrepared *prepared,
                               GCancellable *cancellable);

static inline gpointer *
acc_run_get_room (AccRun *self)
{
  return (gpointer *) (self->buffers + self->prepared->n_buffers);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccRun, acc_run_free)
