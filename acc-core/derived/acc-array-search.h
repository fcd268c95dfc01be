/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Where values would go in a sorted vector */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_searchsorted (AccArray *self, AccArray *values, gboolean right) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
