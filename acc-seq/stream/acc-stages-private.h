/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"
#include "acc-array.h"
#include "acc-plan-traffic-private.h"
#include "acc-seq/stream/external/acc-external-private.h"

/* A program over sources as stages. A stage goes by rows from sources into stores, which are arrays in memory or in a temporary file; the
 * next one reads stores as it likes. */

/* What is stored, besides the first. */
typedef enum {
  ACC_STAGES_FLOW,       /* what programs of nodes read, conditions, and sources of one element: nothing of these has rows before its
                          * inputs are known */
  ACC_STAGES_READS,      /* what is read in another way than by nearby rows in order */
  ACC_STAGES_REDUCTIONS, /* reductions that are read together with rows, which would have to be kept until they are known */
  ACC_STAGES_SOURCES,    /* all sources */
} AccStagesMode;

/* How an array depends on sources, and on what takes their place. */
typedef enum {
  ACC_DEPENDS_NOT,
  ACC_DEPENDS_ON_STORES,      /* of what is in memory or stored: any element can be computed at any time, without room for others */
  ACC_DEPENDS_ON_ROWS,        /* that come in order */
  ACC_DEPENDS_ON_REDUCTIONS,  /* of rows, which are complete when the last row was read */
} AccDependence;

typedef struct {
  AccArray *store;       /* borrowed */
  char     *why;         /* “transpose reads rows in another order” */
  guint     stage;       /* those of stage 0 need no other store */
  gboolean  has_rows;    /* else it is what a reduction leaves */
  guint64   bytes;       /* G_MAXUINT64 where that is not known */
  gboolean  decides;     /* its elements say what comes after it: conditions, extents */
  const AccExternal *external; /* what computes it, where it does not fit in memory; NULL: the backend */
  gboolean  in_memory;   /* it has room there */
  guint     leader;      /* number of the store whose walk computes it, too; its own where there is none before it */
} AccStageStore;

/* What plans say of stages. */
typedef struct {
  AccBackend    *backend;
  GString       *text;
  guint          n;
  AccPlanTraffic traffic;
  /* Whether it goes on behind what filters keep, as if it was all, and whether it has. */
  gboolean       by_most, went_on;
  GHashTable    *counted;     /* AccArray: what is in memory, and held, while plans of stages of stages are made */
  /* Whether there is room to compute @arrays together into memory, or the only one into a file. */
  gboolean     (*check) (gpointer data, AccArray **arrays, guint n_arrays, gboolean in_memory, GError **error);
  gpointer       data;
} AccStagesPlan;

/* What the arrays need before they can run by rows: AccStageStore, owned. @dependences: gets an AccDependence per array; may be NULL. */
GArray    *acc_stages_find_stores (AccBackend *backend, AccArray **arrays, guint n_arrays, AccStagesMode mode,
                                   AccDependence *dependences);
/* Returns arrays of the same elements that need no stores any more: those of each stage are computed together, and memory takes their
 * place; of a choice the side that is taken does. Deferred arrays are computed first. @chunk_rows 0: the planner chooses. @dependences,
 * which may be NULL: how the results depend on sources. */
GPtrArray *acc_stages_run         (AccBackend *backend, AccArray **arrays, guint n_arrays, AccStagesMode mode, gint64 chunk_rows,
                                   AccDependence *dependences, GCancellable *cancellable, GError **error);
/* Tells what acc_stages_run() would do, stage by stage. *@after: what it would return, with zeros in place of reductions, files of holes in
 * place of stores, and rows that do not come in place of what external algorithms compute; NULL where what comes after depends on what is
 * stored, unless it is how much is kept of something. FALSE where a stage has no room. */
gboolean   acc_stages_plan         (AccStagesPlan *self, AccArray **arrays, guint n_arrays, AccStagesMode mode, GPtrArray **after,
                                    GError **error);
/* What stands for an array in plans: a file of holes, to which nothing is written; NULL: there can be no such file. */
AccArray  *acc_stages_new_holes    (AccBackend *backend, AccElementType *type, AccShape *shape);
/* For arrays that will be computed apart: in place of sources that can be read once, and are made use of by several of them, they get what
 * is stored. @arrays: owned. */
gboolean   acc_stages_keep_sources (AccBackend *backend, GPtrArray *arrays, gint64 chunk_rows, GCancellable *cancellable, GError **error);
/* Takes over @local, why arrays do not run by rows: ACC_ERROR_STREAM and OUT_OF_MEMORY are obstacles that stages may take out of the way,
 * others errors. FALSE. */
gboolean   acc_stages_set_obstacle (GError *local, GError **obstacle, GError **error);
/* The mode to try next because of @obstacle, one in which the arrays have stores; FALSE: there is none. @tried: modes that were, as
 * bits. */
gboolean   acc_stages_find_next    (AccBackend *backend, AccArray **arrays, guint n_arrays, guint *tried, const GError *obstacle,
                                    AccStagesMode *mode);

/* --- for stages and their plans */

/* Where sources, or rows that are read in another way, would be stored: rows of sources that come as they are wanted need no store. */
gboolean      acc_stages_take_windows  (AccBackend *backend, GPtrArray *arrays, AccStagesMode mode, GError **error);

/* Whether the store has room in memory, which gets less. */
gboolean      acc_stages_takes_memory  (const AccStageStore *store, guint64 *room);
/* Decides which stores of a stage go to memory, but for @in_files, and of the first one which of the others have one walk. */
void          acc_stages_place         (AccBackend *backend, GArray *stores, AccStagesMode mode, guint stage, gboolean in_files);
/* What the walk of store number @leader computes, AccArray, borrowed. */
GPtrArray    *acc_stages_list_led      (GArray *stores, guint leader);
/* What a walk computes a store by; NULL: it is in memory. */
const AccExternal *acc_stages_get_external (const AccStageStore *store);
/* Puts @values, from AccArray to AccArray, in place of what @arrays are made of. They are gone then. */
gboolean      acc_stages_replace       (GHashTable *values, GPtrArray *arrays, GError **error);
/* Sources that are stored before anything else reads them, AccArray, borrowed: those that can be read once, and that stages read more often
 * (those of the first stage, which are in memory together, and what is left, have a walk each), and those that would hold all of their
 * rows where there is little room. */
GPtrArray    *acc_stages_find_kept     (AccBackend *backend, AccArray **arrays, guint n_arrays, GArray *stores);
/* Small reductions that need no store, AccArray, borrowed: what @arrays are, or read together with rows, of sources that the walks for
 * @stores of the first stage read. They are computed by these walks. */
GPtrArray    *acc_stages_find_beside   (AccBackend *backend, AccArray **arrays, guint n_arrays, AccStagesMode mode, GArray *stores);
/* What stores such a source. */
AccStageStore acc_stages_keep_source   (AccArray *source);
void          acc_stages_prefix_error  (const AccStageStore *store, GError **error);

/* --- stores in memory */

/* Of @store, which a stage has put in memory, or in plans what takes its place. What is given to somebody else is none any more. */
void      acc_stages_set_in_memory  (AccArray *store, gboolean in_memory);
/* Bytes of those that @arrays are made of, and of what plans expect sources to hold, but for those in @counted, AccArray, which gets them,
 * as @added does. */
guint64   acc_stages_count_memory   (GHashTable *counted, GPtrArray *added, AccArray **arrays, guint n_arrays);
/* Empties @added. */
void      acc_stages_uncount_memory (GHashTable *counted, GPtrArray *added);
/* The largest of those that @arrays are made of; NULL: there is none. */
AccArray *acc_stages_find_in_memory (AccArray **arrays, guint n_arrays);
/* The elements of a manifest array in a temporary file. @what: for messages. */
AccArray *acc_stages_dup_in_file    (AccBackend *backend, AccArray *array, const char *what, GError **error);
/* Moves the largest to a file. FALSE: there is none, or no file for it, or memory is not the @reason why more room is wanted. */
gboolean  acc_stages_make_room      (AccBackend *backend, AccArray **arrays, guint n_arrays, const GError *reason);
/* The same in a plan, which tells. */
gboolean  acc_stages_plan_room      (AccStagesPlan *self, AccArray **arrays, guint n_arrays, const GError *reason);
