/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/ir/acc-kernel.h"
#include "acc-backends/ir/acc-target.h"
#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"

/* A program with its extents bound, cut into steps for one target: what fusion and the skeletons make, and the runtime executes.
 *
 * A *value* is an array that has memory. Steps are in dependence order. A launch runs one kernel over a two-dimensional
 * space (outer units x inner elements), split into tiles by the runtime; the partition depends on the numbers here only. */

typedef enum {
  ACC_VALUE_ARGUMENT,    /* the value of bound node number .position: its data is given per run */
  ACC_VALUE_MANIFEST,    /* .array is a use node: its buffers */
  ACC_VALUE_SOURCE,      /* .array is a source node */
  ACC_VALUE_COMPUTED,    /* written by a step; freed after its last reader unless a result */
} AccValueRole;

/* Why an array has memory. */
typedef enum {
  ACC_STORED_NOT,
  ACC_STORED_GIVEN,
  ACC_STORED_RESULT,
  ACC_STORED_ASKED,      /* a compute */
  ACC_STORED_INDEXED,    /* read by index from a scalar function */
  ACC_STORED_UNFUSED,    /* fusion is switched off */
  ACC_STORED_COMPLETE,   /* known when all of its input was seen: permutes, sorts */
  ACC_STORED_DEAR,       /* better than computing it again */
  ACC_STORED_SEVERAL,    /* several steps read it, which cannot be one */
  ACC_STORED_ORDER,      /* read in another order than the one it is computed in */
  ACC_STORED_OCCUPIED,   /* the step that reads it does something already that leaves no room for it */
  ACC_STORED_LIMIT,      /* of what one kernel may hold */
} AccStored;

typedef struct {
  AccValueRole    role;
  AccArray       *array;      /* borrowed from the program: label, type */
  AccElementType *type;
  guint           rank;
  gint64         *extents;    /* rank entries */
  guint           position;   /* argument number */

  /* Why it has memory, and the estimate: operations to compute an element, how often fusion would do so, the cost of storing it */
  AccStored       stored;
  double          cost, visits, store;
} AccScheduleValue;

typedef enum {
  ACC_SLOT_BUFFER,     /* address of buffer .buffer of value .value, biased by its window */
  ACC_SLOT_LITERAL,    /* .bits */
  ACC_SLOT_SCRATCH,    /* scratch buffer number .scratch of the step */
  ACC_SLOT_N_WORKERS,  /* how many workers there are, each of which may have its part of what tiles have for themselves. CPU. */
} AccSlotKind;

typedef struct {
  AccSlotKind kind;
  guint       value, buffer;
  guint       scratch;
  guint64     bits;
} AccSlot;

/* How a launch's space relates to rows of the step's index space. */
typedef enum {
  ACC_SPACE_OUTER_ROWS,  /* row r covers outer units [r*units_per_row, (r+1)*units_per_row), all inner */
  ACC_SPACE_INNER_ROWS,  /* one outer unit; row r covers inner [r*units_per_row, (r+1)*units_per_row) */
  ACC_SPACE_FIRST,       /* not divisible by rows: runs once before the first row, or in a whole run */
  ACC_SPACE_WHOLE,       /* not divisible by rows: runs once after all rows (combining partial results) or in a whole run */
} AccSpaceRows;

typedef struct {
  AccKernel   *kernel;
  guint        n_slots;
  AccSlot     *slots;        /* one per kernel parameter */
  gint64       outer, inner; /* extents of the space, whole */
  AccSpaceRows rows;
  gint64       units_per_row;
  guint        first_origin; /* among the schedule's: what a failure of the kernel calls origin 0 */
  /* Tiles: at most tile_outer x tile_inner; 0: the runtime chooses by .cost. Where partial results are indexed by tile they are
   * given, and tiles lie on multiples of them counted from 0 of the whole space. */
  gint64       tile_outer, tile_inner;
  gint64       multiple;     /* of inner elements that a tile begins at, where the runtime chooses; 0: any */
  double       cost;         /* rough nanoseconds per inner element on one core */
  gboolean     serial;       /* one invocation over the whole space, on one thread */
  gboolean     sweeps;       /* each tile may go on to the next launch, of the same tiles or serial, while it is in a worker's cache;
                              * a serial one, of which there is one, is invoked in order then, for one tile or some that are neighbours
                              * in a row, and those before it once or more often for a tile, by several workers at once, so that
                              * what they give must be the same each time */
  gboolean     spreads;      /* writes whole lines of the cache here and there: past it, however little that is in all */
  /* SIMT: a tile is what a group goes over. tile_outer and tile_inner are given, always; one group where .serial. */
  gint64       unit;         /* not 0: each group keeps tables of its own, so tiles should be such multiples of so many elements that all
                              * groups run at once, if the device can tell how many do */
} AccLaunch;

/* Memory of a step while it runs; by rows: during the run. */
typedef struct {
  gsize bytes;         /* of a whole run, or a round */
  gsize tile_bytes;    /* private to a tile while it runs, so that workers own it; 0: shared by all */
  gsize row_bytes;     /* of .bytes, for each row of a round; 0: however many those are */
} AccScratch;

typedef struct _AccSchedule AccSchedule;

/* Extents that were read from the data of bound arrays. */
typedef struct {
  AccFunction *function;        /* closed */
  gint64      *values;          /* one per leaf */
} AccDataExtents;

typedef struct {
  AccArray     *array;        /* borrowed: whose result it is, for messages */
  char         *name;
  guint         n_reads;
  guint        *reads;        /* values that must be complete (or, by rows, in their window) */
  guint         n_writes;
  guint        *writes;

  /* Run in order, each after the one before it. */
  guint         n_launches;
  AccLaunch    *launches;
  guint         n_scratch;
  AccScratch   *scratch;

  /* By rows: per read, the rows above and below that row r of the step's space needs. row_error tells why not, where it
   * cannot ("backpermute “transpose” reads rows in another order"); NULL where it can. */
  AccRowRead   *row_reads;    /* n_reads entries; a read of a value without rows (argument, manifest, independent) is ignored */
  char         *row_error;
  gint64        n_rows;
  gint64        quantum;      /* not 0: bands of rows begin at multiples of it, so that floats are grouped as in a whole run */
  gboolean      reduces;      /* all rows into one result. By rows: launches that are not WHOLE run per band, the WHOLE ones run
                               * at the end, or per band where combine_per_band says so */
  gboolean      combine_per_band;
  gint64        round_rows;   /* not 0: at most so many rows go through all launches at a time, also in whole runs; fewer if memory is
                               * short */
} AccScheduleStep;

struct _AccSchedule {
  GPtrArray        *nodes;     /* owned references that keep every borrowed node alive */
  guint             n_values;
  AccScheduleValue *values;
  guint             n_steps;
  AccScheduleStep  *steps;
  guint             n_results;
  guint            *results;   /* values; several results may be one value; a result may be an argument, manifest, source
                                * or a reshape of one: then result_shapes differs from the value's extents */
  AccShape        **result_shapes;
  GArray           *data_extents; /* what was read from the data of bound arrays, for extents: see acc_schedule_fits() */
  GHashTable       *asked_extents; /* and what was found on the way to them */
  gpointer          module;    /* what a backend without kernels made of it all; NULL: nothing */
  GDestroyNotify    free_module;
  GPtrArray        *origins;   /* AccArray (borrowed): what a failure's origin number means, counted from the launch's first */
};

/* Finds steps that look the same to skeletons. The first one is written; the others take its kernels, with values and origins of their
 * own. A long program mostly repeats itself, and so does one that is planned again for other extents: most of its steps have the same ones.
 * Writing a kernel takes far longer than comparing steps. One thread at a time. */
typedef struct _AccDeduplicator AccDeduplicator;

AccDeduplicator *acc_deduplicator_new  (void);
void             acc_deduplicator_free (AccDeduplicator *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccDeduplicator, acc_deduplicator_free)

/* @deduplicator: nullable; of schedules of the same program, which lives as long, for the same target but for what is asked for.
 * @results: what to compute. @bound: nodes whose data is given at run time (program parameters, arrays captured by a loop
 * body, results of cond and while_loop, sub-results that later extents depend on), with @values, manifest arrays of the
 * extents to plan for. The graph under @results, cut at @bound, contains no cond, while_loop or unbound parameter: the
 * runtime evaluates those first and binds their results. Needs no device. ACC_ERROR_UNSUPPORTED names the operation and the
 * element type where @target lacks a kind. */
AccSchedule *acc_schedule_new   (const AccTarget *target, AccDeduplicator *deduplicator, AccArray **results, guint n_results,
                                 AccArray **bound, AccArray **values, guint n_bound, GError **error);
/* Whether it is the schedule for other @values, of the same extents: what it read of their data is the same. */
gboolean     acc_schedule_fits  (AccSchedule *self, AccArray **bound, AccArray **values, guint n_bound);
/* What its .data_extents are of other @values, one after the other; NULL where they have none. */
gint64      *acc_schedule_read_data (AccSchedule *self, AccArray **bound, AccArray **values, guint n_bound, guint *n_read);
void         acc_schedule_free  (AccSchedule *self);
/* Of all its elements. */
guint64      acc_schedule_get_bytes        (AccSchedule *self, guint value);
guint64      acc_schedule_get_buffer_bytes (AccSchedule *self, guint value, guint buffer);
/* Text: steps, kernels, values, bytes: ACC_DEBUG=fusion */
char        *acc_schedule_to_string (AccSchedule *self);
char        *acc_schedule_to_dot    (AccSchedule *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccSchedule, acc_schedule_free)
