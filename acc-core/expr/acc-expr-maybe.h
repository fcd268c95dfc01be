/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* A value or none: a tuple of a tag, u1, and the value. The tag is 0 where there is none, and then the value is zero. */
ACC_AVAILABLE_IN_1_0
AccElementType *acc_element_type_new_maybe (AccElementType *type);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_nothing    (AccElementType *type);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_just       (AccExpr *value);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_is_nothing (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_is_just    (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_from_just  (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_from_maybe (AccExpr *a, AccExpr *otherwise);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_maybe      (AccExpr *a, AccExpr *otherwise, AccExprFunc function, gpointer user_data);

G_END_DECLS
