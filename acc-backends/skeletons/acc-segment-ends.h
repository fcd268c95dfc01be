/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-skeletons.h"

/* Offset number @segment of @offsets, at most @most; @culprit needs all of them. */
KValue         acc_skeleton_get_offset (AccLower *l, AccFusionNode *offsets, AccFusionNode *culprit, KValue segment, gint64 most);

/* Where the segments end by which a step is walked, for steps that are told the number of each element's segment. Offsets that do not
 * ascend are an error, which the kernel that makes them finds; here they cost nothing but a wrong number. */
typedef struct {
  AccFusionNode *offsets, *culprit;   /* that these are of all rows is the culprit's need */
  gint64         n_segments, n;       /* n: elements */
} AccSegmentEnds;

/* Of the step of @l, whose elements are those of @space. */
AccSegmentEnds acc_segment_ends_new  (AccLower *l, const AccSpace *space);
KValue         acc_segment_ends_get  (const AccSegmentEnds *self, AccLower *l, KValue segment);
/* Whether element @x lies behind @segment: an AccSearchCondition. */
KValue         acc_segment_ends_before (AccLower *l, KValue segment, KValue x, gpointer ends);
/* The first segment from @least to @most that ends behind element @x; @most where none does. */
KValue         acc_segment_ends_find (const AccSegmentEnds *self, AccLower *l, KValue x, KValue least, KValue most);
