/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-module-expr.h"

/* The numbers of the elements that this thread calls functions of elements for: random arrays that are made in such a function depend on
 * them. */
typedef struct {
  GPtrArray *before;
} AccNumbering;

/* Of one level more, whose elements have @number, a parameter of rank 0. NULL: of no level. */
AccNumbering acc_numbering_begin       (AccArray *number);
/* With what acc_numbering_get_numbers() gave before. */
AccNumbering acc_numbering_begin_again (GPtrArray *numbers);
void         acc_numbering_end         (AccNumbering *self);
/* AccArray, the outermost level first; NULL: this thread calls no function of elements. Borrowed. */
GPtrArray   *acc_numbering_get_numbers (void);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccNumbering, acc_numbering_end)

/* Extents of a reshape to a vector that say which element of many it refuses: one of which the number is not known, or, from the next
 * number on, element 0, 1 and so on. No vector can have as few. */
#define ACC_REFUSED_ELEMENT  (G_MININT64 / 2)
#define ACC_REFUSED_ELEMENTS (ACC_REFUSED_ELEMENT + 1)
