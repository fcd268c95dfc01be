/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-job-private.h"
#include "acc-planner-private.h"
#include "acc-row-buffer-private.h"
#include "acc-sink.h"
#include "acc-source.h"

/* A run by rows: a reader thread per source, the kernels on the caller's thread, a writer thread per result.
 *
 * With a device the caller's thread only enqueues work, and runs ahead of the device as far as there are slots: chunk k+1 goes up and chunk
 * k-1 comes down while chunk k is computed. A slot that the device still uses goes back to its reader or on to its writer with the point at
 * which it is free; these threads wait for that.
 *
 * Credits: a reader starts a chunk when it holds an empty slot; the kernels start one when they hold a full slot of each source and an
 * empty one for the result. Slots are the only buffers, so that a slow stage stops the others. One lock guards all counters; it is taken a
 * few times per chunk. */

typedef struct _AccStream AccStream;

/* Buffers for rows of a source or of a result. */
typedef struct {
  guint          n_buffers;
  AccRowBuffer **buffers;    /* that a reader fills, or a writer empties */
  guint          n_seen;
  AccRowBuffer **seen;       /* that kernels see: the same, or on a device, where rows are staged in .buffers */
} AccStreamSlots;

typedef struct {
  AccStream     *stream;
  AccSource     *source;
  guint          value;
  gint64         n_rows, row_elements;
  gint64         carry;
  gboolean       whole;      /* one buffer for all rows, where the kernels see them */
  gboolean       in_place;   /* which the reader fills */
  AccStreamSlots rows;
  AccRowPoint   *uploaded;   /* per buffer; lock */
  guint64        n_chunks;
  guint64        n_filled;   /* lock */
  guint64        n_released; /* lock */
  GError        *failure;    /* lock; nullable: why no more chunks are filled */
  GThread       *thread;
} AccStreamInput;

typedef struct {
  guint64 chunk;
  gint64  first_row, n_rows;
  AccRowPoint downloaded;
} AccStreamSlot;

typedef struct {
  AccStream     *stream;
  GPtrArray     *sinks;      /* AccSink; NULL: rows go to .result */
  AccRowBuffer  *result;     /* borrowed */
  guint          value, part;
  gint64         row_elements;
  AccStreamSlots rows;
  AccStreamSlot *slots;
  guint64        n_filled;   /* lock */
  guint64        n_written;  /* lock */
  gboolean       closed;     /* lock */
  gboolean       writes_here;  /* when a slot is filled: only this thread may */
  GThread       *thread;     /* NULL: none */
} AccStreamOutput;

/* Rows of a value as the kernels see them now. */
typedef struct {
  AccRowBuffer *buffer;
  gint64        first_row;   /* at the buffer's origin */
} AccStreamWindow;

/* What differs where kernels see what readers fill and writers empty, which is done with when a call returns, and where rows are staged
 * between that and a device. */
typedef struct {
  /* The chunk is full: brings it to where kernels see it. */
  gboolean      (*send)    (AccStreamInput *input, guint64 chunk, GError **error);
  /* The kernels are done with the chunk. */
  void          (*release) (AccStreamInput *input, guint64 chunk);
  /* Where kernels write the chunk's rows; NULL: the run stops. */
  AccRowBuffer *(*open)    (AccStreamOutput *output, guint64 chunk);
  /* They did: hands them on to the writer. FALSE without an error when the run stops. */
  gboolean      (*submit)  (AccStreamOutput *output, AccStreamSlot *slot, GError **error);
} AccStreamClass;

extern const AccStreamClass acc_stream_on_host, acc_stream_on_device;
/* The host as a device whose work is done when a call returns. */
extern const AccRowDeviceClass acc_stream_host_device;

struct _AccStream
{
  const AccStreamClass *klass;
  const AccRowDeviceClass *device;
  AccBackend      *backend;
  AccRowRun       *run;
  AccRowFlow      *flow;
  AccPlan         *plan;
  AccJob          *job;          /* nullable */

  guint            n_inputs;
  AccStreamInput  *inputs;
  guint            n_outputs;    /* 0: results are made whole */
  AccStreamOutput *outputs;
  GPtrArray       *buffers;      /* AccRowBuffer: all that the run holds */
  AccStreamWindow *windows;      /* per part of the plan */
  gint64          *done;         /* per step: rows computed */
  gint64           ticked;       /* rows of the driver that all steps have seen */
  guint64          first_chunk;  /* those before it are not computed */
  gpointer        *addresses;       /* scratch: addresses of the widest element type */

  GCancellable    *cancellable;  /* cancelled when the run must stop, whatever the reason */
  GCancellable    *user;         /* nullable: of the caller of the run */
  GMutex           lock;
  GCond            cond;
  gboolean         stopped;      /* lock */
  GError          *error;        /* lock; the first one */
};

/* Allocates all memory of the run. @outputs: AccOutput, started, for all results but reduced ones; or NULL. The stream borrows everything
 * given. */
AccStream *acc_stream_new      (AccBackend *backend, AccRowFlow *flow, AccPlan *plan, GPtrArray *outputs, AccJob *job, GError **error);
/* Leaves out chunks that only rows of results before @row need, where the rows of each step depend on no more than nearby rows: before
 * it is executed. The first row that is written may be less. */
void       acc_stream_skip_to  (AccStream *self, gint64 row);
/* Once. @results: one entry per result of the program, filled unless there are outputs; a reduced one is filled even then. */
gboolean   acc_stream_execute  (AccStream *self, GCancellable *cancellable, AccArray **results, GError **error);
void       acc_stream_free     (AccStream *self);

/* For the stages: takes over @error. The first one stays, and everything stops. */
void       acc_stream_fail     (AccStream *self, GError *error);
/* Rows of the driver that a chunk begins at; bytes that are done when it is. */
gint64     acc_stream_get_tick (AccStream *self, guint64 chunk);
void       acc_stream_advance  (AccStream *self, guint64 chunks_done);

/* Rows from @first_row on of a value lie in the part's buffer from row @origin_row on: kernels see them. */
void       acc_stream_set_window (AccStream *self, guint value, guint part, gint64 origin_row, gint64 first_row, gint64 n_rows);

gboolean   acc_stream_input_start    (AccStreamInput *self, GError **error);
/* Waits for the chunk. FALSE when the run stops. */
gboolean   acc_stream_input_acquire  (AccStreamInput *self, guint64 chunk);
/* The kernels are done with the chunk; keeps the rows that the next one needs. */
gboolean   acc_stream_input_release  (AccStreamInput *self, guint64 chunk, GError **error);
/* Gives the chunk's slot back to the reader, who waits for @point. */
void       acc_stream_input_give_back (AccStreamInput *self, guint64 chunk, const AccRowPoint *point);
void       acc_stream_input_join     (AccStreamInput *self);
gboolean   acc_stream_output_start   (AccStreamOutput *self, GError **error);
/* Waits for an empty slot. */
AccRowBuffer *acc_stream_output_acquire (AccStreamOutput *self);
void       acc_stream_output_submit  (AccStreamOutput *self, const AccStreamSlot *slot);
/* No more slots come; waits until all are written, or the run has stopped. */
void       acc_stream_output_join    (AccStreamOutput *self);

/* Shape of a row value that is a result. */
AccShape  *acc_stream_dup_shape      (const AccRowValue *value, GError **error);
/* Writes all rows of a manifest array. @sink: started. */
gboolean   acc_stream_write_manifest (AccArray *array, AccSink *sink, gint64 chunk_rows, AccJob *job,
                                      GCancellable *cancellable, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccStream, acc_stream_free)
