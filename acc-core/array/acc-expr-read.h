/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-expr.h"

G_BEGIN_DECLS

/* Reading arrays */
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_index        (AccArray *array, AccExpr *index);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_linear_index (AccArray *array, AccExpr *index);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_the          (AccArray *array);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_extent       (AccArray *array, guint dimension);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_shape        (AccArray *array);
/* Sequential left fold of @function over the innermost row of @array at the outer index @index */
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_fold_row     (AccArray *array, AccExpr *index, AccExpr *initial, AccExprFunc2 function, gpointer user_data);

G_END_DECLS
