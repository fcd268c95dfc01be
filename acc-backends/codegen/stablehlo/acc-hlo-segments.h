/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-hlo-array.h"

/* What folds and scans of segments share. How elements are grouped follows from the length of their segment alone, wherever it lies, so
 * that the same segment has the same bits beside whatever others: blocks are counted from its begin, and combined in pairs, pairs of pairs
 * and so on. */

#define ACC_HLO_BLOCK_BITS 3
#define ACC_HLO_BLOCK      (1 << ACC_HLO_BLOCK_BITS)

/* Of a vector of @n elements, in which rows lie one after the other. */
typedef struct {
  gint64         n, n_segments;
  AccElementKind kind;            /* of the integers */
  AccHloValue    begins, ends;    /* an empty one may have any that are equal */
} AccHloSegments;

/* Of the elements of a vector. */
typedef struct {
  AccHloValue number;    /* of the segment; -1: there is none before */
  AccHloValue place;     /* in its segment */
  AccHloValue left;      /* with those behind it there; not above 0: it is in none */
} AccHloPlaces;

/* Those of the rows of @node's input, which have @length elements, and @n_segments each. */
AccHloSegments acc_hlo_find_segments   (AccHlo *self, AccFusionNode *node, gint64 length, gint64 n_segments);
/* The blocks of all segments, with room between those of two. */
AccHloSegments acc_hlo_cut_blocks      (AccHlo *self, const AccHloSegments *segments);
AccHloPlaces   acc_hlo_place_elements  (AccHlo *self, const AccHloSegments *segments);
/* Of each block: its first element, and how many there are from that on in its segment. @places: of blocks. */
void           acc_hlo_find_firsts     (AccHlo *self, const AccHloSegments *segments, const AccHloSegments *blocks,
                                        const AccHloPlaces *places, AccHloValue *first, AccHloValue *left);
/* Rows of @length one after the other, @n elements in all. @kinds: get those of the leaves. */
void           acc_hlo_take_rows       (AccHlo *self, AccFusionNode *node, gint64 length, gint64 n, AccElementKind *kinds,
                                        AccHloValue *values);
/* @results: @x with @y where @mask is true, else @others. */
void           acc_hlo_combine_where   (AccHlo *self, const AccHloOperator *operator, const AccHloValue *x, const AccHloValue *y,
                                        AccHloShape shape, AccHloValue mask, const AccHloValue *others, AccHloValue *results);
/* Each of @values with all others of its segment that are behind, or with @backwards before it: in a loop that doubles how many. */
void           acc_hlo_reach_all       (AccHlo *self, const AccHloOperator *operator, const AccHloSegments *segments,
                                        const AccHloPlaces *places, gboolean backwards, AccHloValue *values);

/* Vectors of @n integers */
AccHloValue    acc_hlo_with_number     (AccHlo *self, const char *operation, AccHloValue x, gint64 number, gint64 n, AccElementKind kind);
AccHloValue    acc_hlo_compare_number  (AccHlo *self, const char *direction, AccHloValue x, gint64 number, gint64 n, AccElementKind kind);
/* Elements of a vector of @length at @index, both of @kind. */
AccHloValue    acc_hlo_gather_integers (AccHlo *self, AccHloValue vector, gint64 length, AccHloValue index, gint64 n, AccElementKind kind);

static inline gint64
acc_hlo_get_row_length (const AccFusionNode *node)
{
  return node->extents[node->rank - 1];
}
