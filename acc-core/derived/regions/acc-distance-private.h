/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Of an element that is nowhere near a 0: this or more. With the square of an extent it is an i8. */
#define ACC_DISTANCE_NOWHERE (G_GINT64_CONSTANT (1) << 62)

/* Of an offer that takes b1, whether an element is 0, and gives squares of distances. */
#define ACC_DISTANCE_SQUARES "acc-distance-squares"
