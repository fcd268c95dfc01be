/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/skeletons/acc-permute.h"
#include "acc-radix-spread.h"

/* Permutes by all workers: how they go, which acc-permute-spread.c chooses, and their kernels. */

#define ACC_SPREAD_N_PARTS      ACC_RADIX_N_DIGITS
#define ACC_SPREAD_AHEAD        32         /* elements ahead of which their places are asked for, in large parts */

/* Rough nanoseconds of spreading an element, of combining it then, and of an operation. */
#define ACC_SPREAD_COST         4.6
#define ACC_SPREAD_COMBINE_COST 1.3
#define ACC_SPREAD_OPERATION_COST 0.25

typedef struct {
  AccPermute     *permute;
  AccRadixSpread  spread;
  AccElementKind  place;       /* a kind for all targets, and one more: none */
  guint          *moved;       /* scratch: places, and leaves, in the order of parts */
  gboolean        is_orderly;  /* places are computed of indices alone */
  gboolean       *is_same;     /* per leaf: for all elements */
  gboolean       *is_kept;     /* of what is moved: it is computed before it is counted */
  guint          *kept;        /* scratch of that, as tiles have it */
  guint           sums;        /* scratch: where parts begin, and the end; and whether nothing went anywhere before */
  guint           shift;       /* of a place, below which it is a place in a block */
  gint64          tile_outer, tile_inner;
  gint64          stride;      /* tiles of an outer unit */
  gint64          n_regions;   /* tiles of a round, one of which may be two halves */
  gint64          round_rows;
  gint64          room;        /* elements of a round */
} AccPermuteSpread;

/* Says what the columns of buckets are, and looks at the source: which of them are the same for all elements, or kept. */
void acc_permute_spread_look  (AccPermuteSpread *self);
/* All kernels, in their order. */
void acc_permute_spread_write (AccPermuteSpread *self);
