/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* The values that exist: a vector of them, and in @counts how many each row has. */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_filter_just  (AccArray *self, AccArray **counts) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_filter_left  (AccArray *self, AccArray **counts) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_filter_right (AccArray *self, AccArray **counts) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
