/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/skeletons/acc-radix.h"

/* Workers distribute elements by a digit, keeping the order of equal digits. A region, which is a tile or a worker's part, counts its
 * digits; the counts of all regions give the places of each region's elements; then they are moved. CPU.
 *
 * If the destination is larger than the second cache, elements of a digit are collected until they fill a cache line. */
typedef struct {
  AccStep        *step;
  AccElementKind  count;      /* what can count all elements */
  gint64          size;       /* of them */
  guint           n_leaves;
  gpointer        data;       /* of: */
  AccElementKind (*get_kind) (gpointer data, guint leaf);
  /* Whether pass @pass writes the leaf at all; none does that pass 0 does not. */
  gboolean       (*wants)    (gpointer data, guint pass, guint leaf);
  void           (*write)    (gpointer data, AccLower *l, guint pass, guint leaf, KValue at, KValue value);

  /*< private >*/
  guint           counts;     /* scratch: regions of tables of a counter per digit: the ways of a pass, one pass behind the other */
  guint           n_counted;  /* passes that are counted at once */
  guint           n_ways;
  guint           begins;     /* scratch: what the counters were before */
  guint          *lines;      /* scratch, per leaf: regions of a line per digit; NULL: they go where they belong at once */
} AccRadixSpread;

/* Elements of a tile, about, where there are few. */
#define ACC_RADIX_TILE 65536
/* The unit of tiles, so that their lines are whole. */
#define ACC_RADIX_LINE 16

/* In flight at once, at most. */
gint64 acc_radix_spread_count_regions (AccStep *step);

/* @n_regions: of @n_elements at most, each; @n_room: of all places that are written at a time. */
void   acc_radix_spread_init   (AccRadixSpread *self, gint64 n_regions, gint64 n_elements, gint64 n_room, guint n_counted);
void   acc_radix_spread_clear  (AccRadixSpread *self);

/* --- counting: what is called for elements [begin, end) of a region */

typedef void (*AccRadixVisit) (gpointer data, AccLower *l, KValue x, guint way);

void   acc_radix_spread_begin_count (AccRadixSpread *self, AccLower *l, KValue region);
/* @visit counts what element @x has. */
void   acc_radix_spread_visit       (AccRadixSpread *self, AccLower *l, KValue begin, KValue end, AccRadixVisit visit, gpointer data);
void   acc_radix_spread_count       (AccRadixSpread *self, AccLower *l, KValue region, guint pass, KValue digit, guint way);
void   acc_radix_spread_end_count   (AccRadixSpread *self, AccLower *l, KValue region, guint pass);

/* --- finding places, the first of which is @first */

/* Of one region alone. */
void   acc_radix_spread_find_places (AccRadixSpread *self, AccLower *l, KValue region, KValue first);
/* Of those numbered [begin, end), with @sums, scratch for a counter per digit, which tells where digits begin, then. @get_region: of a
 * number. */
typedef KValue (*AccRadixRegion) (gpointer data, AccLower *l, KValue number);
void   acc_radix_spread_find_places_of_all (AccRadixSpread *self, AccLower *l, KValue begin, KValue end, AccRadixRegion get_region,
                                            gpointer data, guint sums, KValue first);

/* --- moving */

void   acc_radix_spread_begin_move (AccRadixSpread *self, AccLower *l, KValue region, guint pass);
/* Where the next element of a digit goes. */
KValue acc_radix_spread_take_place (AccRadixSpread *self, AccLower *l, KValue region, guint pass, KValue digit);
/* Each leaf that is wanted of it, before another place is taken. */
void   acc_radix_spread_put        (AccRadixSpread *self, AccLower *l, KValue region, guint pass, KValue digit, guint leaf, KValue at,
                                    KValue value);
void   acc_radix_spread_end_move   (AccRadixSpread *self, AccLower *l, KValue region, guint pass);
