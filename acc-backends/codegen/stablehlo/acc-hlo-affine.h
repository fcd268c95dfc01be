/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-hlo-text.h"

/* Writes elements of @node's input at what its index function says, if that only cuts, turns, mirrors and repeats the input, and stays
 * inside: slices, which are faster than gathers and need no checks. FALSE: it does not. */
gboolean acc_hlo_write_affine (AccHlo *self, AccFusionNode *node, AccHloValue *results);
