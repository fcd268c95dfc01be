/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* One value or another: a tuple of a tag, u1, and both. The tag is 0 for the left one, and the other is zero. */
ACC_AVAILABLE_IN_1_0
AccElementType *acc_element_type_new_either (AccElementType *left, AccElementType *right);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_left       (AccExpr *value, AccElementType *right);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_right      (AccExpr *value, AccElementType *left);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_is_left    (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_is_right   (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_from_left  (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_from_right (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_either     (AccExpr *a, AccExpr *of_left, AccExpr *of_right);

G_END_DECLS
