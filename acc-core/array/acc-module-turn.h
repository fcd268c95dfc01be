/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array.h"
#include "acc-module-types.h"

G_BEGIN_DECLS

/* Where rows of the inputs lie along the last dimension of an array. */
typedef enum {
  ACC_TURN_OTHER,
  ACC_TURN_ROWS,    /* those of its input do */
  ACC_TURN_SAME,    /* where they do in its inputs */
} AccTurn;

ACC_MODULE_API
AccTurn acc_array_get_turn (AccArray *self);

G_END_DECLS
