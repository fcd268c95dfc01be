/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/skeletons/acc-radix.h"
#include "acc-simt.h"

/* A group sorts the words of a tile by a digit, in shared memory, stably. A word has a digit and, below it, where in the tile its element
 * is; above, nothing.
 *
 * With ballots the threads of a subgroup learn at once which of them have the same digit. Without, half a digit at a time, every thread
 * counts its neighbouring words, in private counters. */
typedef struct {
  AccSimt *simt;
  guint    each;          /* words of a thread */
  KBuffer  words;         /* place i of the tile is at acc_radix_order_spread () */
  KBuffer  begins;        /* per digit: its first place; and one more: the end */
  KBuffer  counters, parts;
} AccRadixOrder;

#define ACC_RADIX_MAX_EACH   32
#define ACC_RADIX_PLACE_BITS 13
#define ACC_RADIX_MAX_TILE   (1 << ACC_RADIX_PLACE_BITS)

gboolean acc_radix_order_has_ballots (const AccTarget *target);
/* Elements of an array of shared memory for all places of a tile. */
guint    acc_radix_order_count_words (const AccTarget *target, guint group, guint each);
/* Shared memory that it takes. */
gsize    acc_radix_order_count_bytes (const AccTarget *target, guint group, guint each);

void     acc_radix_order_init        (AccRadixOrder *self, AccSimt *simt, guint each);
/* Before anything but places are asked for. */
void     acc_radix_order_add_shared  (AccRadixOrder *self);
/* Number @k, below .each, of the places that this thread reads and writes: those of neighbouring threads are neighbours. */
KValue   acc_radix_order_get_place   (AccRadixOrder *self, KValue k);
/* Where in arrays of shared memory place @i is. */
KValue   acc_radix_order_spread      (AccRadixOrder *self, KValue i);
/* The word of place @i. */
KValue   acc_radix_order_load        (AccRadixOrder *self, KValue i);
void     acc_radix_order_store       (AccRadixOrder *self, KValue i, KValue digit, KValue place);
KValue   acc_radix_word_get_digit    (AccRadixOrder *self, KValue word);
KValue   acc_radix_word_get_place    (AccRadixOrder *self, KValue word);
/* Called by all threads as soon as they know .begins. */
typedef void (*AccRadixKnown) (gpointer data);
/* After all threads stored the words of their places. @known may be NULL: .begins is not needed. Has barriers. */
void     acc_radix_order_sort        (AccRadixOrder *self, AccRadixKnown known, gpointer data);
/* The words of this thread's places. */
void     acc_radix_order_load_own    (AccRadixOrder *self, KValue *words);

/* The sum of @x of the threads of the group before; @total: of all. @parts: an element per thread. Meets barriers. */
KValue   acc_radix_sum_before        (const AccSimt *simt, KBuffer parts, KValue x, KValue *total);

/* --- the two ways */

gsize    acc_radix_ballots_count_counters (guint group, guint subgroup);
void     acc_radix_ballots_sort           (AccRadixOrder *self, AccRadixKnown known, gpointer data);
gsize    acc_radix_halves_count_counters  (guint group);
void     acc_radix_halves_sort            (AccRadixOrder *self);
