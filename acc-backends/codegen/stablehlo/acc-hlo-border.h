/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-hlo-array.h"

/* Writes the head of @main: zero and the arguments, "%v0: tensor<i32>, …", to @header, and in the text what becomes of them, for all given
 * nodes whose elements are needed. */
void acc_hlo_write_arguments (AccHlo *self, const AccHloOptions *options, GString *header);
/* What one of @results is, ", %v7" to @values and its types to @types. */
void acc_hlo_write_result    (AccHlo *self, const AccHloOptions *options, AccFusionNode *node, GString *values, GString *types);
