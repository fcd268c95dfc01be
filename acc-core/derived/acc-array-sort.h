/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Rows in order; equal ones stay in the order in which they were. */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_sort    (AccArray *self, gboolean descending) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_argsort (AccArray *self, gboolean descending) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_sort_pairs (AccArray *self, AccArray *keys, gboolean descending, AccArray **sorted_keys) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_sort_by_key (AccArray *self, gboolean descending, AccExprFunc key, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
