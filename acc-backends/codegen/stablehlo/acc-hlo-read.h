/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-hlo-text.h"

/* Elements of @array at @index, of which there is one for each dimension, in i64; @linear: at one in row-major order. Those of @mask (NULL:
 * all) are checked. @results: one for each leaf. */
void         acc_hlo_read       (AccHlo *self, AccArray *array, const AccHloValue *index, gboolean linear, AccHloShape shape,
                                 AccHloValue mask, AccHloValue *results);
/* Element number @index of each of @n vectors of @length. The index is in i64, and inside or without meaning. */
void         acc_hlo_gather     (AccHlo *self, const AccHloValue *vectors, const AccElementKind *kinds, guint n, gint64 length,
                                 AccHloValue index, AccHloShape shape, AccHloValue *results);
/* Row-major number of the elements at @index. */
AccHloValue  acc_hlo_number     (AccHlo *self, const AccHloValue *index, AccHloShape array, AccHloShape shape);
/* Fails where an index is outside. Returns where it is inside all of @array. */
AccHloValue  acc_hlo_check_index (AccHlo *self, const AccHloValue *index, AccHloShape array, AccHloShape shape, AccHloValue mask);
/* Fails where @bad is true. @index: NULL, or what is told with it. */
void         acc_hlo_check      (AccHlo *self, AccHloValue bad, AccHloValue index, AccHloShape shape, guint kind, gint64 extent);
