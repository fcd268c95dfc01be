/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array.h"
#include "acc-module-types.h"

G_BEGIN_DECLS

/* Rows that are columns. Included by acc-module.h. */

/* Where rows of the inputs lie along the last dimension of an array. */
typedef enum {
  ACC_TURN_OTHER,
  ACC_TURN_ROWS,    /* those of its input do */
  ACC_TURN_SAME,    /* where they do in its inputs */
} AccTurn;

/* Tells where the outermost rows of the inputs of @self lie in it; what has less than two dimensions has none along its last. O(1), but for
 * the size of the function of a backpermute. */
ACC_MODULE_API
AccTurn acc_array_get_turn (AccArray *self);

G_END_DECLS
