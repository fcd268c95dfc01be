/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Cumulative reductions of each row: element i covers the elements up to i */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_cumsum  (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_cumprod (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_cummin  (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_cummax  (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
