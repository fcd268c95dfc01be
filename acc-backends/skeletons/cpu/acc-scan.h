/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/skeletons/acc-permute.h"

/* Inclusive scans from the left, by workers: of rows (acc-skeleton-scan.c), and of segments of rows (acc-skeleton-scan-segments.c). */
typedef struct {
  AccStep        *step;
  AccFold        *fold;
  const AccSpace *space;
  const AccSpace *results;
  gint64          n_tiles;      /* per row */
  gboolean        vector;       /* one row, whose elements are the rows of the step */
  AccPermute     *permute;      /* takes the place of the roots; NULL: none */
  guint          *carry;        /* scratch per leaf */
  guint          *before;       /* scratch per leaf: sum of all before each tile */
} AccScan;

/* The sum of all elements before the scanned ones. If there are none, it is the neutral element, or, if the operator has none, absent. */
typedef struct {
  KVar    *vars;
  gboolean is_neutral_at_first;
  KVar     is_there;            /* where it is not */
} AccScanSum;

AccScanSum acc_scan_begin_sum (AccScan *self, AccLower *l, KValue is_there);
/* Where there is one there. */
void       acc_scan_load_sum  (AccScan *self, AccLower *l, const AccScanSum *sum, KValue is_there, const guint *scratch, KValue at);
/* Elements [begin, end) of row @u, after @before. @n_stay: if the scan packs, how many stay of these and all before them, or what is more,
 * as long as nobody but this thread writes there. */
void       acc_scan_run       (AccScan *self, AccLower *l, KValue u, KValue begin, KValue end, KValue n_stay, const AccScanSum *before);
