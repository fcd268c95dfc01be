/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Several results, or none, of each element: element (x, 0) to element (x, count (x) - 1) */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_expand (AccArray *self, AccExprFunc count, gpointer count_data, AccExprFunc2 element,
                            gpointer element_data) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
