/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-radix-spread.h"

/* What a worker does with elements of a region in a pass of a radix sort. */
typedef struct {
  AccRadix       *radix;
  AccRadixSpread  spread;
} AccRadixMove;

void acc_radix_move_init  (AccRadixMove *self, AccRadix *radix);
/* The work on a region in a pass: one of the two below. */
typedef void (*AccRadixWork) (AccRadixMove *self, AccLower *l, guint pass, KValue u, KValue begin, KValue end, KValue region);
/* Counts the digits of elements [begin, end) of row @u, of the pass and those that are counted with it. */
void acc_radix_move_count (AccRadixMove *self, AccLower *l, guint pass, KValue u, KValue begin, KValue end, KValue region);
void acc_radix_move_run   (AccRadixMove *self, AccLower *l, guint pass, KValue u, KValue begin, KValue end, KValue region);
/* Between the two, of regions [begin, end) (acc-radix-spread.h). */
void acc_radix_move_find_places (AccRadixMove *self, AccLower *l, KValue begin, KValue end, guint sums, KValue first);
/* All passes over a region by one worker; it is elements [begin, end) of row @u. */
void acc_radix_move_sort  (AccRadixMove *self, AccLower *l, KValue u, KValue begin, KValue end, KValue region);
