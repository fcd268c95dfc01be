/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-external-order-private.h"
#include "acc-external-sorter-private.h"

/* Merges sorted runs of elements in memory, by parts that a cache keeps: all that comes before some key. Parts are sorted by several
 * threads. */

/* What it may take is divided: so much of it for elements and their keys, a part at once, and what sorts them. The rest is for a backend
 * that computes keys. */
typedef struct {
  gint64  n_elements;
  gint64  part;
  guint   n_orders, n_parts;   /* threads; parts that are ready at once */
  guint64 rest;
} AccPartsSizes;

/* @n_runs: 0 for those of acc_parts_sort(). */
void     acc_parts_choose        (AccPartsSizes *sizes, AccElementType *type, AccElementType *key_type, guint n_runs, guint64 bytes);
/* Of one element, where it takes least. */
guint64  acc_parts_measure_least (AccElementType *type, AccElementType *key_type);

typedef struct {
  gint64   at, n;      /* elements that are left */
  gboolean has_more;   /* others follow, which are not in memory */
} AccPartsRun;

typedef struct {
  AccSorter    *sorter;
  AccPartsSizes sizes;
  AccBuffer   **elements, **keys;
  guint         n_runs;
  AccPartsRun  *runs;
  AccOrder     *orders;
  AccSlice     *slices;       /* of the part that each order sorts */
  guint         most_runs;    /* a part has so many at most */
  GMutex        lock;         /* of what is cut: */
  guint         n_cut;
  gint64        n_ready;
  guint         next, next_order;   /* atomic */
  AccBuffer   **ready;        /* the next elements, once acc_parts_next() said how many */
} AccParts;

/* There is no run yet, and room for @n_runs. Holds what is left of @bytes of the memory limit, instead of what was held. */
gboolean acc_parts_init   (AccParts *self, AccSorter *sorter, guint n_runs, guint64 bytes, GError **error);
void     acc_parts_clear  (AccParts *self);
/* Makes runs, as long as parts, of elements up to @n that no run has yet: they are in no order, and their keys are there. @n: a multiple of
 * that length, but for the last ones. */
void     acc_parts_sort   (AccParts *self, gint64 n);
/* How many elements of each run are wanted for all parts that are ready at once. */
gint64   acc_parts_count_wanted (AccParts *self);
/* 0: nothing is left. Each run of which more follows has an element at least. */
gint64   acc_parts_next   (AccParts *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccParts, acc_parts_clear)
