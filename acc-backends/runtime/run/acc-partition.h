/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-error.h"
#include "acc-backends/schedule/acc-schedule.h"

/* How a launch's space, or the part of it that a window of rows covers, is cut into tiles. What kernels make of a tile's number has
 * extents of tiles that the launch gives; where it gives none, they depend on extents, cost and the number of threads. */
typedef struct {
  gint64 begin[2], end[2];     /* outer, inner: what is run */
  gint64 tile[2];              /* extents of a tile; tiles start at multiples */
  gint64 first[2], count[2];   /* tiles touched in each dimension */
  gint64 stride;               /* tiles of the whole space in the inner dimension */
  gint64 n_tiles;
  gint64 claim;                /* tiles to take at a time */
} AccPartition;

void acc_partition_init_whole (AccPartition *self, const AccLaunch *launch, guint n_threads);
/* The part that rows [begin, end) of the step's index space cover. Not for WHOLE spaces. */
void acc_partition_init_rows  (AccPartition *self, const AccLaunch *launch, gint64 begin, gint64 end, guint n_threads);
/* As a kernel takes it: all that rows [begin, end) cover, as one tile. */
void acc_partition_get_rows   (const AccLaunch *launch, gint64 begin, gint64 end, gint64 range[5]);
/* Rough nanoseconds of all of it on one core. */
double acc_partition_estimate (const AccPartition *self, const AccLaunch *launch);
/* How many of @n pieces of work of @nanoseconds in all a worker should take at a time; all: the caller alone. */
gint64 acc_partition_choose_claim (gint64 n, double nanoseconds, guint n_threads);
/* As a kernel takes it: outer begin and end, inner begin and end, number of the tile in the whole space. */
void acc_partition_get        (const AccPartition *self, gint64 n, gint64 range[5]);
