/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-chunk-private.h"
#include "acc-array.h"

/* Algorithms for nodes that do not fit in memory whole: they read what comes by rows and stores, and need little memory. There is one table
 * of them. A stage computes such a node by itself; what the algorithm returns takes the place of the node: an array in a store, or one
 * whose rows come from a source that can be read again. */

/* What a walk takes along that reads its sources. */
typedef struct {
  GPtrArray    *wanted;       /* AccArray, borrowed: small reductions, which are not there yet */
  GHashTable   *values;       /* AccArray to what it is, owned: of those that are */
} AccBeside;

typedef struct {
  AccBackend   *backend;
  AccArray     *node;
  gint64        chunk_rows;   /* 0: the planner chooses */
  GHashTable   *shared;       /* AccArray to a GObject that keeps it: what algorithms for nodes of the same stages share */
  AccBeside    *beside;       /* NULL, or without .wanted: nothing */
  GCancellable *cancellable;
} AccExternalTask;

/* What an algorithm does with the rows that it reads. */
typedef struct {
  const char *name;             /* for messages */
  gboolean (*write)  (gpointer data, AccChunk *chunk, GCancellable *cancellable, GError **error);
  gboolean (*finish) (gpointer data, GCancellable *cancellable, GError **error);      /* after the last row; NULL: nothing */
  gboolean    takes_elements;   /* as many at a time as come: rows need not be whole */
} AccExternalWalk;

typedef struct {
  const char *way;            /* for plans: "runs are sorted and merged" */
  gboolean    leaves_store;   /* its result is in a store, else rows come from a source */
  /* NULL, or what says that in place of .leaves_store */
  gboolean   (*leaves)        (AccBackend *backend, AccArray *node);
  guint       nanoseconds;    /* of computing each element while the disk waits, as measured (docs/results/streams.md); for plans */
  gboolean    has_flow;       /* such a node is made of loops: whoever computes it reads all that it reads at once, even where it fits */
  gboolean    on_devices;     /* for them alone: what reads stores where they are needs no algorithm */
  gboolean    by_hosts;       /* the host's memory decides, not a device's; where it is less than the least, the backend, or another
                               * algorithm, reads a mapped store in any order */
  /* What it reads of a node that it takes, borrowed; NULL: it does not take it. */
  AccArray **(*takes)         (AccArray *node, guint *n_inputs);
  /* NULL, or whether it computes the node for a backend. */
  gboolean   (*suits)         (AccBackend *backend, AccArray *node);
  guint       skips;          /* those of them that it does not read after all, as bits */
  gboolean    reads_references; /* all inputs of a node, and what its functions read, too */
  /* NULL, or whether it takes a node, or will when its extents are known, that has no other way where it depends on sources: rows that come
   * piece by piece group floats otherwise. */
  gboolean   (*keeps_groups)  (AccArray *node);
  /* Bytes that computing the node whole takes, and the least that the algorithm does; G_MAXUINT64: not known. */
  guint64    (*measure_whole) (AccArray *node);
  guint64    (*measure_apart) (AccArray *node);   /* the first of a device, which has what is read as well; NULL: the same */
  guint64    (*measure_least) (AccArray *node);
  /* NULL, or bytes that rows that come from a source take: as long as there is the source, and, as acc_source_get_resident_bytes() tells,
   * while it is read. */
  guint64    (*measure_held)     (AccBackend *backend, AccArray *node);
  guint64    (*measure_resident) (AccBackend *backend, AccArray *node);
  guint       n_written, n_read;   /* how often all elements are written to temporary files, and read from there */
  /* NULL, or what computes those numbers. */
  void       (*count_passes)  (AccBackend *backend, AccArray *node, guint *n_written, guint *n_read);
  /* NULL, or what takes the place of a node without being computed: what it falls back to. NULL without an error where it is computed. */
  AccArray  *(*replace)       (AccBackend *backend, AccArray *node, GError **error);
  /* NULL, or what plans say in place of that: owned */
  char      *(*describe)      (AccBackend *backend, AccArray *node);
  /* Of the same elements and extents. */
  AccArray  *(*compute)       (const AccExternalTask *task, GError **error);
  /* NULL, or the array that the algorithm reads first, and by rows: owned. Then it is what it does before, the walk, which gets what that
   * returns as its data, what it does with that behind the walk, and what becomes of it in the end. Others may read in the same walk.
   * NULL: it is .compute for this node. */
  AccArray  *(*dup_read)      (AccBackend *backend, AccArray *node);
  gpointer   (*begin)         (const AccExternalTask *task, GError **error);
  const AccExternalWalk *walk;
  AccSink   *(*new_sink)      (gpointer state);        /* in place of .walk; may be NULL */
  AccArray  *(*end)           (gpointer state, GError **error);
  void       (*clear)         (gpointer state);
} AccExternal;

/* What takes @node, whether it fits in memory or not; NULL: none. */
const AccExternal *acc_external_get      (AccArray *node);
/* What computes @node where it does not fit in memory whole; NULL: it fits, or nothing else does. */
const AccExternal *acc_external_find     (AccBackend *backend, AccArray *node);
/* What computes @node, which depends on sources, even where it fits; NULL: it goes by rows as well. */
const AccExternal *acc_external_get_only (AccArray *node);
/* The first of what @arrays are made of for which there is such, or will be; NULL: there is none. @in_memory: or would be if it depended on
 * sources. */
AccArray          *acc_external_find_only (AccArray **arrays, guint n_arrays, gboolean in_memory);
/* Whether its result is in a store, else rows come from a source. */
gboolean           acc_external_leaves_store (const AccExternal *self, AccBackend *backend, AccArray *node);
/* How often all elements of @node are written to temporary files, and read from there. */
void               acc_external_count_passes (const AccExternal *self, AccBackend *backend, AccArray *node, guint *n_written,
                                              guint *n_read);
/* A line for plans. Owned. */
char              *acc_external_describe (const AccExternal *self, AccBackend *backend, AccArray *node);
/* An array of such a layout, whose rows nobody reads, for plans of what comes after what leaves rows. */
AccArray          *acc_external_pretend  (const AccExternal *self, AccBackend *backend, AccArray *node);
/* Whether @source, read from a source, is such an array, and what that holds. */
gboolean           acc_external_is_pretended (AccArray *source, guint64 *held);
/* Whether it has the memory that it needs at least; ACC_ERROR_OUT_OF_MEMORY tells how much. */
gboolean           acc_external_check    (const AccExternal *self, AccBackend *backend, AccArray *node, GError **error);
/* Names what was to be computed, unless it was cancelled. */
void               acc_external_prefix_error (const AccExternalTask *task, GError **error);
/* Errors name the node. */
AccArray          *acc_external_compute  (const AccExternal *self, const AccExternalTask *task, GError **error);

/* --- for algorithms */

/* Bytes of memory that are left, once what can be spared was given back; no more than a device may have at all. */
guint64  acc_external_get_room     (AccBackend *backend);
/* The same, of the host alone. */
guint64  acc_external_get_host_room (AccBackend *backend);
/* Runs of this thread, and their plans, take half of what is left, @n times: for those that others compute beside. 0: all. */
void     acc_external_set_share    (guint n);
guint64  acc_external_take_share   (guint64 room);
/* Whether all that @arrays read can be read again. */
gboolean acc_external_can_repeat   (AccArray **arrays, guint n_arrays);
/* *@is_final: it must not be attempted again. */
typedef gboolean (*AccAttempt) (gpointer data, gboolean *is_final, GError **error);

/* How much a device takes for what is computed whole is not known before. So a run, or a plan, that has no room is attempted again, and
 * all is decided as if there was half of the room, which fits within less; not by a run within another one, or one that reads what cannot
 * be read again. The error is why there was no room at first, unless something else came of the last attempt. */
gboolean acc_external_attempt      (AccBackend *backend, AccArray **arrays, guint n_arrays, AccAttempt attempt, gpointer data,
                                    GError **error);
/* Elements of an array, or of one element; G_MAXUINT64: not known. */
guint64  acc_external_get_size     (AccArray *array);
guint64  acc_external_get_bytes    (AccArray *array);
/* Bytes of a row; 0: it has none. */
guint64  acc_external_measure_row  (AccArray *array);
/* What the rows of an array take at least while they are computed: what its sources hold, and chunks of a few rows. */
guint64  acc_external_measure_rows (AccArray *array);
/* The same of a row at a time, each of which is there whole, in the memory that the backend computes in. */
guint64  acc_external_measure_walk (AccBackend *backend, AccArray *array);

/* Computes the nodes of @n tasks, whose algorithms read what goes by rows first, by one walk. Where that has no room, or there is one, each
 * by itself. @results: owned. */
gboolean acc_external_compute_together (const AccExternal *const *externals, const AccExternalTask *tasks, guint n, AccArray **results,
                                        GError **error);
/* Writes what goes by rows, all by one walk, to a sink each, and takes along what is wanted beside it, where there is room for that. */
gboolean acc_external_write        (const AccExternalTask *task, GPtrArray *arrays, GPtrArray *sinks, GError **error);
/* Whether @array is made of all sources that @other is made of, and there is one. */
gboolean acc_external_reads_all    (AccArray *array, AccArray *other);

/* Whether nothing of what it is made of is a source, or in a store. */
gboolean acc_external_is_in_memory (AccArray *array);

/* Holds @bytes of the memory limit, of which *@held are held, so that nothing else takes them while a backend does not run; as many as
 * before where there are not so many any more: whoever needs them gets an error then. */
void     acc_external_hold         (AccBackend *backend, guint64 *held, guint64 bytes);
/* The same, and as much of a device's: for what the backend computes while a walk of its own goes on. */
void     acc_external_hold_runs    (AccBackend *backend, guint64 *held, guint64 bytes);
/* Memory of the limit where it is at most @most bytes, and there are so many; else of a temporary file, whose pages the kernel takes back:
 * for what is gone through in order. */
AccBuffer *acc_external_allocate   (AccBackend *backend, gsize bytes, guint64 most, const char *what, GError **error);

/* What puts an array that goes by rows into a store as it is. In no table: stages choose it. */
extern const AccExternal acc_external_to_file;

/* --- the table */

extern const AccExternal acc_external_pack, acc_external_scatter, acc_external_sort, acc_external_segments, acc_external_wide;
extern const AccExternal acc_external_segment_rows, acc_external_stencil;
extern const AccExternal acc_external_labels, acc_external_label_count, acc_external_loop, acc_external_distance;
extern const AccExternal acc_external_transpose, acc_external_gather, acc_external_bring, acc_external_by_host,
                         acc_external_foreign;
