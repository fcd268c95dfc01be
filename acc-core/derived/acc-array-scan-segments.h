/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Partial reductions of parts of every row: the same parts of each, one after the other. combine (so far, next) from the left,
 * combine (next, so far) from the right. @lengths: a vector of integers. */

/* One more than the segment has: with the initial value alone, and with everything */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_scanl_seg       (AccArray *self, AccExpr *initial, AccArray *lengths, AccExprFunc2 combine,
                                     gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_scanr_seg       (AccArray *self, AccExpr *initial, AccArray *lengths, AccExprFunc2 combine,
                                     gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
/* As many as it has: without an initial value */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_scanl1_seg      (AccArray *self, AccArray *lengths, AccExprFunc2 combine, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_scanr1_seg      (AccArray *self, AccArray *lengths, AccExprFunc2 combine, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
/* As many: without the element itself; and everything of each segment in @totals */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_scanl_with_total_seg (AccArray *self, AccExpr *initial, AccArray *lengths, AccExprFunc2 combine, gpointer user_data,
                                          AccArray **totals) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_scanr_with_total_seg (AccArray *self, AccExpr *initial, AccArray *lengths, AccExprFunc2 combine, gpointer user_data,
                                          AccArray **totals) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_prescanl_seg    (AccArray *self, AccExpr *initial, AccArray *lengths, AccExprFunc2 combine,
                                     gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_prescanr_seg    (AccArray *self, AccExpr *initial, AccArray *lengths, AccExprFunc2 combine,
                                     gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
/* As many: with the element itself */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_postscanl_seg   (AccArray *self, AccExpr *initial, AccArray *lengths, AccExprFunc2 combine,
                                     gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_postscanr_seg   (AccArray *self, AccExpr *initial, AccArray *lengths, AccExprFunc2 combine,
                                     gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
