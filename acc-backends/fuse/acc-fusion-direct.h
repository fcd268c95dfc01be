/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-module-array.h"

/* What the operation is that a node may be computed by, under its shape. */
AccArray *acc_fusion_strip_direct (AccArray *direct);
/* Whether @array can be computed where those of @bound are given: what an operation of its own reads may be what nobody made ready, since
 * its composition does not need it. @reached gets what can be, and has what is known to. */
gboolean  acc_fusion_is_in_reach (AccArray *array, GHashTable *bound, GHashTable *reached);
