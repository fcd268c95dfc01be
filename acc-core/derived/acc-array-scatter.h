/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Element i goes to @targets[i] of @defaults; with a mask only where @predicate holds for its element. */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_scatter    (AccArray *self, AccArray *defaults, AccArray *targets) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_scatter_if (AccArray *self, AccArray *defaults, AccArray *targets, AccArray *mask, AccExprFunc predicate,
                                gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
/* The elements at @indices where @predicate holds for the mask's, those of @defaults elsewhere */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_gather_if  (AccArray *self, AccArray *indices, AccArray *defaults, AccArray *mask, AccExprFunc predicate,
                                gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
