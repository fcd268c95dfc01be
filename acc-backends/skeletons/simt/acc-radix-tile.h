/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-radix-order.h"

/* A sort by groups of threads, cut into tiles. */
typedef struct {
  AccRadix *radix;
  guint     group, each;
  gint64    n_tiles;      /* per row */
  gboolean  is_small;       /* elements in all: full tiles have no code of their own */
} AccRadixSort;

/* A kernel that has a tile. */
typedef struct {
  AccRadixSort *sort;
  AccRadix     *radix;
  AccSimt       simt;
  AccLower     *l;
  gint64        size;
  KValue        u;            /* its row */
  KValue        begin;        /* its first element there */
  KValue        n_valid;      /* how many there are */
  AccRadixOrder order;
} AccRadixTile;

/* What is done with place @i of the tile, and element @x of the row: the last one where @valid says that there is none. */
typedef void (*AccRadixEach) (AccRadixTile *self, KValue i, KValue x, KValue valid, gconstpointer data);

void   acc_radix_tile_begin     (AccRadixTile *self, AccRadixSort *sort, const char *name);
/* All places of the thread: at once where the tile is full, so that loads are, unless elements are few. */
void   acc_radix_tile_for_each  (AccRadixTile *self, AccRadixEach each, gconstpointer data);
/* The digit of element @x; of all digits the last where there is no element: such stay behind all others. */
KValue acc_radix_tile_get_digit (AccRadixTile *self, guint pass, KValue x, KValue valid);
/* Whether place @i has an element; whether all have. */
KValue acc_radix_tile_is_valid  (AccRadixTile *self, KValue i);
KValue acc_radix_tile_is_full   (AccRadixTile *self);
/* Number @k of this thread's places, where that is a constant. */
KValue acc_radix_tile_get_place (AccRadixTile *self, guint k);

/* --- counting */

/* Counters in shared memory, each in copies that neighbouring threads take in turn. */
typedef struct {
  guint   n_counters, n_copies;   /* together a multiple of the threads */
  KBuffer copies;
} AccRadixTable;

typedef void (*AccRadixCount) (AccRadixTile *tile, KValue counter, KValue n, gpointer data);

/* All 0. Meets a barrier, as the last one. */
void   acc_radix_table_init     (AccRadixTable *self, AccRadixTile *tile, guint n_counters, guint n_copies);
void   acc_radix_table_add      (const AccRadixTable *self, AccRadixTile *tile, KValue counter, KValue valid);
/* What all threads counted, u32: each counter by one of them. */
void   acc_radix_table_for_each (const AccRadixTable *self, AccRadixTile *tile, AccRadixCount each, gpointer data);

/* --- where the elements of a tile go, by their digits */

/* The counts of all tiles, in a kernel of its own, and their sums. */
typedef struct _AccRadixCounts AccRadixCounts;

AccRadixCounts *acc_radix_counts_new       (AccRadixSort *sort);
void            acc_radix_counts_free      (AccRadixCounts *self);
/* Kernels that have to run before those that ask about pass @pass. */
void            acc_radix_counts_write     (AccRadixCounts *self, guint pass);
/* Where the elements of @digit in the tile begin, as number of an element of the result. */
KValue          acc_radix_counts_get_begin (AccRadixCounts *self, AccRadixTile *tile, KValue digit);

/* The same while tiles move their elements, by looking at those in front. */
typedef struct _AccRadixLookBack AccRadixLookBack;

gboolean          acc_radix_look_back_can     (AccStep *step);
/* Adds the kernels that have to run before. */
AccRadixLookBack *acc_radix_look_back_new     (AccRadixSort *sort);
void              acc_radix_look_back_free    (AccRadixLookBack *self);
/* Tells the others of @n elements with @digit in the tile. */
void              acc_radix_look_back_publish (AccRadixLookBack *self, AccRadixTile *tile, guint pass, KValue digit, KValue n);
/* Afterwards: where they begin. */
KValue            acc_radix_look_back_find    (AccRadixLookBack *self, AccRadixTile *tile, guint pass, KValue digit, KValue n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccRadixCounts, acc_radix_counts_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccRadixLookBack, acc_radix_look_back_free)
