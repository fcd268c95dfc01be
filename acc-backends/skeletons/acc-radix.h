/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-skeletons.h"

/* Where a leaf of the elements goes. */
typedef struct {
  const AccRoot *root;         /* the sort, or a part of it; NULL: the leaf is not needed, but passes may read it */
  guint          leaf;         /* of the root */
  guint          moved, kept;  /* scratch of the passes that do not write the result, and of those that do, where there is no root */
} AccRadixLeaf;

/* A radix sort, for both execution models: one digit of the keys after the other, the least significant first; each pass keeps the order of
 * equal digits. The first pass reads the input, which may be inlined; the last one writes the result; those between alternate between
 * result and scratch. */
typedef struct {
  AccStep        *step;
  AccFusionNode  *node, *input;
  AccSpace       *space;       /* rows, and what is in order in each */
  AccRadixLeaf   *leaves;
  guint           n_leaves;
  AccElementKind  key;         /* an unsigned integer */
  guint           n_passes;
  AccElementKind  count;       /* what can count all elements */
  KValue          shift;       /* what is added to a place in the result to make it one in scratch; id 0: nothing */
  gboolean        by_rows;     /* no row needs another one */
  gboolean        is_uniform;  /* the first pass shifts keys, too, by 0: if its input is in memory, it shares the kernels of the others */
  AccBufferFlags  written;     /* of what passes write, besides */
} AccRadix;

#define ACC_RADIX_BITS     8
#define ACC_RADIX_N_DIGITS (1 << ACC_RADIX_BITS)

AccElementKind acc_radix_get_kind (AccRadix *self, guint leaf);
/* The number of element @x of row @u. */
KValue acc_radix_get_linear (AccRadix *self, AccLower *l, KValue u, KValue x);
/* Leaf @leaf of what pass @pass reads at element @x of row @u. */
KValue acc_radix_read      (AccRadix *self, AccLower *l, guint pass, KValue u, KValue x, guint leaf);
/* Its key. */
KValue acc_radix_get_key   (AccRadix *self, AccLower *l, guint pass, KValue u, KValue x);
/* The digit that pass @pass is about, an i64. */
KValue acc_radix_get_digit (AccRadix *self, AccLower *l, guint pass, KValue key);
/* Whether anything needs what pass @pass would write of a leaf. */
gboolean acc_radix_wants   (AccRadix *self, guint pass, guint leaf);
/* Writes an element in pass @pass: @at counts all elements of the result. */
void   acc_radix_write     (AccRadix *self, AccLower *l, guint pass, guint leaf, KValue at, KValue value);
/* Scratch for @n elements at a time. */
void   acc_radix_add_moved (AccRadix *self, gint64 n);
/* The same, private to each of @n_tiles while it runs. */
void   acc_radix_add_moved_of_tiles (AccRadix *self, gint64 n, gint64 n_tiles);
/* A launch over all rows, each of @inner of what its tiles are cut of. */
AccLaunch acc_radix_get_launch (AccRadix *self, gint64 inner, gint64 tile_outer, gint64 tile_inner, double cost);

void   acc_skeleton_sort_simt (AccRadix *self);
/* Segments of the only row, on processors. */
void   acc_skeleton_sort_segments (AccRadix *self);
