/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/skeletons/acc-radix.h"

/* Short segments of rows, or short rows, that are sorted side by side, a lane each, in scratch of a worker, by a network of
 * compare-exchanges: as many for all as for one. */
typedef struct {
  AccRadix *radix;
  gint64    most;         /* elements of a lane, and of all that a worker has: */
  gint64    stride;
  gboolean  is_key;       /* an element is its key */
  guint     keys, places; /* scratch of tiles */
} AccSortLanes;

#define ACC_SORT_LANES      16
#define ACC_SORT_LANES_MOST 256   /* elements of a segment */

/* @most: elements of a segment, ACC_SORT_LANES_MOST or fewer. */
void acc_sort_lanes_init  (AccSortLanes *self, AccRadix *radix, gint64 most, gint64 n_tiles);
/* Behind the last element of a segment are keys that no other comes behind: all, up to @most of each, at first. */
void acc_sort_lanes_fill  (AccSortLanes *self, AccLower *l, KValue most);
/* Puts a segment of row @u into a lane, and into the result. */
void acc_sort_lanes_read  (AccSortLanes *self, AccLower *l, KValue lane, KValue u, KValue first, KValue length);
void acc_sort_lanes_write (AccSortLanes *self, AccLower *l, KValue lane, KValue u, KValue first, KValue length);
/* Sorts the first @most of each lane, which is at most 2^@n_rounds. */
void acc_sort_lanes_run   (AccSortLanes *self, AccLower *l, KValue most, KValue n_rounds);
