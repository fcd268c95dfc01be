/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-module-types.h"

/* Of tuples in each other: types live for ever, and code recurs into them. */
#define ACC_ELEMENT_TYPE_MAX_DEPTH 256

/* How many buffers the items before @item have. */
guint acc_element_type_get_first_buffer (AccElementType *self, guint item);

/* What sums of products of @self are computed in. */
AccElementType *acc_element_type_get_sum_type (AccElementType *self);
