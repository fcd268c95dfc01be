/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-hlo-round.h"

/* An index in one dimension, in integers as they came. */
typedef struct {
  AccHloValue    value;
  AccElementKind kind;
} AccHloIndex;

/* Elements of @array at @index, of which there is one for each dimension; @linear: at one in row-major order. Those of @mask (NULL: all)
 * are checked. @results: one for each leaf. */
void         acc_hlo_read       (AccHlo *self, AccArray *array, const AccHloIndex *index, gboolean linear, AccHloShape shape,
                                 AccHloValue mask, AccHloValue *results);
/* Element number @index of each of @n vectors of @length. The index is inside or without meaning. */
void         acc_hlo_gather     (AccHlo *self, const AccHloValue *vectors, const AccElementKind *kinds, guint n, gint64 length,
                                 AccHloIndex index, AccHloShape shape, AccHloValue *results);
/* Row-major number of the elements at @index. */
AccHloIndex  acc_hlo_number     (AccHlo *self, const AccHloIndex *index, AccHloShape array, AccHloShape shape);
/* Fails where an index is outside. Returns where it is inside all of @array. @length: NULL, or its true leading extent. */
AccHloValue  acc_hlo_check_index (AccHlo *self, const AccHloIndex *index, AccHloShape array, const AccHloLength *length,
                                  AccHloShape shape, AccHloValue mask);
/* Fails where @bad is true. */
void         acc_hlo_check      (AccHlo *self, AccHloValue bad, AccHloShape shape, guint kind, gint64 extent);
