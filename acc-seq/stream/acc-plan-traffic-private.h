/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array.h"
#include "acc-seq/stream/external/acc-external-private.h"

/* What a run moves and computes, for plans; bytes are G_MAXUINT64 where that is not known before. */
typedef struct {
  guint64 memory;           /* of stores in memory */
  guint64 read, written;    /* from and to files: sources, temporary files, sinks */
  guint64 last;             /* read by the last walk, besides */
  double  seconds;          /* of computing while no file is read or written */
  gboolean at_most;         /* how much is kept of what is filtered is not known: as if it was all */
} AccPlanTraffic;

/* Elements that @array may have at most; G_MAXUINT64: not known. */
guint64 acc_plan_traffic_count_most (AccArray *array);
/* Bytes of @array, or the most that they may be: of what is kept all. */
guint64 acc_plan_traffic_measure   (AccPlanTraffic *self, AccArray *array);
/* Adds to @bytes all sources that @arrays are computed from, but for what comes from one of @stored, AccArray, which they may be. */
void    acc_plan_traffic_add_walk  (guint64 *bytes, AccArray **arrays, guint n_arrays, GHashTable *stored);
/* Adds what is written to temporary files, and read from them, besides: by @external, or, without, for a store of @array. */
void    acc_plan_traffic_add_files (AccPlanTraffic *self, AccBackend *backend, AccArray *array, const AccExternal *external);
/* Bytes a second that a disk reads and writes. */
guint64 acc_plan_traffic_get_rate  (void);
