/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Reductions of parts of every row: the same parts of each. @lengths, or @offsets with one more than there are segments: a vector
 * of integers. */

ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fold_seg          (AccArray *self, AccExpr *initial, AccArray *lengths, AccExprFunc2 combine,
                                       gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fold1_seg         (AccArray *self, AccArray *lengths, AccExprFunc2 combine,
                                       gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fold_seg_offsets  (AccArray *self, AccExpr *initial, AccArray *offsets, AccExprFunc2 combine,
                                       gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fold1_seg_offsets (AccArray *self, AccArray *offsets, AccExprFunc2 combine,
                                       gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
