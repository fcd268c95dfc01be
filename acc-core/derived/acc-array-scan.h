/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Partial reductions of every row, made of acc_array_scanl1(). combine (so far, next) from the left, combine (next, so far) from
 * the right. */

/* n + 1 of a row of n: with the initial value alone, and with everything */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_scanl       (AccArray *self, AccExpr *initial, AccExprFunc2 combine, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_scanr       (AccArray *self, AccExpr *initial, AccExprFunc2 combine, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
/* Without an initial value */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_scanr1      (AccArray *self, AccExprFunc2 combine, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
/* n: without the element itself; and everything of each row in @totals */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_scanl_with_total (AccArray *self, AccExpr *initial, AccExprFunc2 combine, gpointer user_data,
                                      AccArray **totals) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_scanr_with_total (AccArray *self, AccExpr *initial, AccExprFunc2 combine, gpointer user_data,
                                      AccArray **totals) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_prescanl    (AccArray *self, AccExpr *initial, AccExprFunc2 combine, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_prescanr    (AccArray *self, AccExpr *initial, AccExprFunc2 combine, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
/* n: with the element itself */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_postscanl   (AccArray *self, AccExpr *initial, AccExprFunc2 combine, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_postscanr   (AccArray *self, AccExpr *initial, AccExprFunc2 combine, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
