/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Some of the elements: a vector of those, and in @counts how many there are of each row. */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_filter  (AccArray *self, AccExprFunc predicate, gpointer user_data, AccArray **counts) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_compact (AccArray *self, AccArray *flags, AccArray **counts) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
