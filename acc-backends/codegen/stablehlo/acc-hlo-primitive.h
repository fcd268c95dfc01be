/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-hlo-text.h"

/* Of operands of @kind, whose shape is @shape; @y is not looked at where one is enough. With the values that acc gives where a check would
 * fail. */
AccHloValue acc_hlo_primitive       (AccHlo *self, AccPrimitive primitive, AccHloValue x, AccHloValue y, AccHloShape shape,
                                     AccElementKind kind);
/* Where a division fails by a divisor of 0, and where by a quotient that is too large; the latter is NULL where none is. */
void        acc_hlo_division_fails  (AccHlo *self, AccPrimitive primitive, AccHloValue x, AccHloValue y, AccHloShape shape,
                                     AccElementKind kind, AccHloValue *by_zero, AccHloValue *too_large);
/* The same floats, of which compilers do not know what they are, so that they round as often as acc does: with a zero that the run has
 * the bits are combined. In regions, which see no values from outside, and with fast_math they are as they were. */
AccHloValue acc_hlo_hide            (AccHlo *self, AccHloValue x, AccHloShape shape, AccElementKind kind);
/* Whether integers become integers of fewer bytes. */
gboolean    acc_hlo_is_narrowing    (AccElementKind from, AccElementKind to);
AccHloValue acc_hlo_cast            (AccHlo *self, AccHloValue x, AccHloShape shape, AccElementKind from, AccElementKind to);
AccHloValue acc_hlo_reinterpret     (AccHlo *self, AccHloValue x, AccHloShape shape, AccElementKind from, AccElementKind to);
