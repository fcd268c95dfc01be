/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-skeletons.h"

/* Whether something holds for number @number and @place: for all numbers below some. */
typedef KValue (*AccSearchCondition) (AccLower *l, KValue number, KValue place, gpointer data);

/* The first of the numbers from @least to @most for which the condition does not hold, @most where there is none, by one thread. There are
 * @n numbers, from 0 on. */
KValue acc_search (AccLower *l, gint64 n, KValue least, KValue most, KValue place, AccSearchCondition condition, gpointer data);
