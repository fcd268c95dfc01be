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
  ACC_STAGES_FLOW,       /* what programs of nodes read, conditions, and sources of another order than their arrays': nothing of these
                          * has rows before its inputs are known */
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
} AccStageStore;

/* What the arrays need before they can run by rows: AccStageStore, owned. @dependences: gets an AccDependence per array; may be NULL. */
GArray    *acc_stages_find_stores (AccBackend *backend, AccArray **arrays, guint n_arrays, AccStagesMode mode,
                                   AccDependence *dependences);
/* Returns arrays of the same elements that need no stores any more: those of each stage are computed together, and memory takes their
 * place; of a choice the side that is taken does. Deferred arrays are computed first. @chunk_rows 0: the planner chooses. @dependences,
 * which may be NULL: how the results depend on sources. */
GPtrArray *acc_stages_run         (AccBackend *backend, AccArray **arrays, guint n_arrays, AccStagesMode mode, gint64 chunk_rows,
                                   AccDependence *dependences, GCancellable *cancellable, GError **error);
/* Appends what that would do, for plans; FALSE where there is nothing to store. @n_stages: those before, then with these. @traffic: of
 * the stages, with those before, and of the walk that computes the arrays then, but for what that writes. */
gboolean   acc_stages_describe    (AccBackend *backend, AccArray **arrays, guint n_arrays, AccStagesMode mode, GString *text,
                                   guint *n_stages, AccPlanTraffic *traffic);
/* A line of that. Returns whether the store is computed by a walk of its own. */
gboolean   acc_stages_describe_store (AccBackend *backend, const AccStageStore *store, guint stage, gboolean in_memory, GString *text,
                                      AccPlanTraffic *traffic);
/* Whether what its first stage needs at least is free, as far as that is known; ACC_ERROR_OUT_OF_MEMORY. */
gboolean   acc_stages_check       (AccBackend *backend, AccArray **arrays, guint n_arrays, AccStagesMode mode, GError **error);
/* The reductions that it computes first, by a walk of their own, borrowed; *@why: what reads them, owned. */
GPtrArray *acc_stages_list_reductions (AccBackend *backend, AccArray **arrays, guint n_arrays, char **why);
/* What acc_stages_run() would return, for plans, with zeros in place of reductions and of stores, which take no memory, and rows that do
 * not come in place of what external algorithms compute; NULL where what comes after depends on what is stored. */
GPtrArray *acc_stages_pretend     (AccBackend *backend, AccArray **arrays, guint n_arrays, AccStagesMode mode);
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
