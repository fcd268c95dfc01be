/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-hlo-array.h"

/* Finds results that can be written over an argument that is spent, and says so in @header, which has all arguments: those that are
 * computed from it element by element, or by a permute into it, while nothing else reads it. Others would be written elsewhere and
 * copied. */
void acc_hlo_write_aliases (AccHlo *self, const AccHloOptions *options, AccFusionNode **results, guint n_results, GString *header);
