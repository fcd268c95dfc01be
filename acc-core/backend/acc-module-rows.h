/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-executable.h"
#include "acc-module-memory.h"

G_BEGIN_DECLS

/* What a backend compiles to. Included by acc-module.h.
 *
 * Running a program by rows:
 *
 * A *row* is one index of an array's outermost dimension (of rank 1: one element). A run by rows is a list of steps in
 * dependence order over a list of values. Each value is held in a window: rows [first, first + n) of the whole array,
 * in memory that the caller of the run owns. To compute rows [begin, end) of a step's results, rows
 * [begin - above, end + below), clamped to the array, of each value it reads must lie in that value's window.
 * Indices inside kernels stay global, so boundaries and index functions mean the same as in a whole run. */

typedef enum {
  ACC_ROW_VALUE_SOURCE,   /* rows of value.array's AccSource; the caller fills the window */
  ACC_ROW_VALUE_ROWS,     /* computed by a step, window set by the caller; a result when value.result >= 0 */
  ACC_ROW_VALUE_REDUCED,  /* computed by a step that reads all rows in turn; the run owns it; complete when that step has seen every row */
} AccRowValueKind;

typedef struct {
  AccRowValueKind kind;
  AccArray       *array;          /* borrowed: for its type, label and source */
  AccElementType *type;
  gint64          n_rows;         /* of the whole array */
  gint64          row_elements;   /* elements of one row */
  int             result;         /* position among the program's results, or -1 */
  AccShape       *shape;          /* borrowed: of a result, where the run knows it; may be NULL where .array has one */
} AccRowValue;

typedef struct {
  guint  value;
  gint64 above, below;            /* >= 0 */
} AccRowRead;

typedef struct {
  const char *name;               /* "stencil “blur”" */
  gboolean    reduces;            /* consumes rows [begin, end) of its reads; rows must come in order, once */
  gint64      n_rows;             /* of its index space */
  guint       n_reads;
  AccRowRead *reads;
  guint       n_writes;
  guint      *writes;
  gint64      quantum;            /* it takes multiples of so many rows, but for the last ones; 0: any number */
} AccRowStep;

typedef struct _AccRowRun      AccRowRun;
typedef struct _AccRowMemory   AccRowMemory;

/* When work that was handed to a device is done. */
typedef struct {
  guint   queue;
  guint64 point;
} AccRowPoint;

/* Functions of a run whose windows lie in the memory of a device. The caller decides which windows there are and moves rows between them
 * and the host; rows pass through staging, host memory that transfers favour. All but wait() and finish() only enqueue work: work on the
 * same memory is done in the order of the calls, the rest at the same time. So does run_step() of the run. One thread at a time; wait()
 * from any. */
typedef struct {
  /* Bytes that allocate() takes; G_MAXUINT64 where they do not fit a number. */
  guint64       (*measure)    (AccRowRun *run, guint value, gint64 headroom, gint64 capacity);
  /* Rows of @value: @headroom before the origin, @capacity from there on. */
  AccRowMemory *(*allocate)   (AccRowRun *run, guint value, gint64 headroom, gint64 capacity, GError **error);
  void          (*release)    (AccRowRun *run, AccRowMemory *memory);
  AccBuffer    *(*allocate_staging) (AccRowRun *run, gsize size, const char *what, GError **error);
  /* Row @origin_row of the whole array is at the origin; rows [first_row, first_row + n_rows) may be touched. */
  void          (*set_window) (AccRowRun *run, guint value, AccRowMemory *memory, gint64 origin_row, gint64 first_row, gint64 n_rows);
  /* Rows counted from the origins. The ranges may overlap. */
  gboolean      (*copy)       (AccRowRun *run, guint value, AccRowMemory *to, gint64 row, AccRowMemory *from, gint64 from_row,
                               gint64 n_rows, GError **error);
  /* @addresses: of staging; the caller addresses it alone until @point. */
  gboolean      (*upload)     (AccRowRun *run, guint value, AccRowMemory *to, gint64 row, gpointer *addresses, gint64 n_rows,
                               AccRowPoint *point, GError **error);
  gboolean      (*download)   (AccRowRun *run, guint value, gpointer *addresses, AccRowMemory *from, gint64 row, gint64 n_rows,
                               AccRowPoint *point, GError **error);
  /* Tells that all kernels of a chunk are enqueued. Reports failures of earlier ones, if they are known by now. */
  gboolean      (*flush)      (AccRowRun *run, GError **error);
  gboolean      (*wait)       (AccRowRun *run, const AccRowPoint *point, GError **error);
  /* Waits for everything, and tells of failures. */
  gboolean      (*finish)     (AccRowRun *run, GError **error);
  /* Nanoseconds that kernels ran, and that passed since the run began, once, at the end; FALSE if the device cannot tell. */
  gboolean      (*get_busy)   (AccRowRun *run, guint64 *busy, guint64 *passed);
} AccRowDeviceClass;

typedef struct {
  /* @addresses: n_leaves addresses, of the first element of row @first_row */
  void       (*set_window)   (AccRowRun *run, guint value, gpointer *addresses, gint64 first_row, gint64 n_rows);
  /* Blocks until done. Uses all the backend's threads. Fails with BOUNDS or ARITHMETIC errors of kernels, too. */
  gboolean   (*run_step)     (AccRowRun *run, guint step, gint64 begin, gint64 end, GCancellable *cancellable, GError **error);
  /* After the last row: the manifest array of a REDUCED value that is a result (new reference). */
  AccArray  *(*dup_reduced)  (AccRowRun *run, guint value, GError **error);
  /* May come at any time, after errors too: waits for what is under way. */
  void       (*free)         (AccRowRun *run);
  /* NULL: windows are host memory. Otherwise set_window() above is NULL, windows are set by .device, run_step() does not wait, and the
   * failure of a kernel comes out of flush() or finish(). */
  const AccRowDeviceClass *device;
} AccRowRunClass;

struct _AccRowRun {
  const AccRowRunClass *klass;
  guint                 n_values;
  AccRowValue          *values;
  guint                 n_steps;
  AccRowStep           *steps;
  guint64               held;       /* bytes of the memory limit that the run itself has taken, for all of its time */
  guint64               uploads;    /* bytes of arrays that come by no rows, and that the device has to have whole, at a time */
};

struct _AccExecutableClass
{
  GObjectClass parent_class;

  /* Results of a whole run, manifest arrays: (transfer container). The arguments fit, and nothing reads a source. Any thread, several
   * runs at once. */
  GPtrArray *(*run)        (AccExecutable *self, AccArray **arguments, guint n_arguments, GCancellable *cancellable, GError **error);
  /* Binds extents, compiles, runs what does not depend on rows (tables, seeds). ACC_ERROR_STREAM names the operation
   * that cannot run by rows. Allocates no row-sized memory. Without sources: the rows of the results. NULL: a backend of the host does
   * it. */
  AccRowRun *(*begin_rows) (AccExecutable *self, AccArray **arguments, guint n_arguments, GCancellable *cancellable, GError **error);
  /* Not zero: the device has no caches that bands of rows would use better than a whole run does. */
  gsize      prefers_whole;

  gpointer padding[9];
};

/* Sets what a new @self was compiled for, and from. */
ACC_MODULE_API
void       acc_executable_set_origin (AccExecutable *self, AccBackend *backend, AccProgram *program);
/* Calls .begin_rows of the class, once the arguments are found to fit. */
ACC_MODULE_API
AccRowRun *acc_executable_begin_rows (AccExecutable *self, AccArray **arguments, guint n_arguments, GCancellable *cancellable,
                                      GError **error);
/* Calls .free of its class; of NULL nothing. */
ACC_MODULE_API
void       acc_row_run_free          (AccRowRun *run);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccRowRun, acc_row_run_free)

G_END_DECLS
