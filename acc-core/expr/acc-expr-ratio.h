/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Ratios: a pair of integers of one type, without a common divisor, the second not negative. Those that are equal are the same
 * pair. */
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_ratio       (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_numerator   (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_denominator (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_to_ratio    (AccExpr *a);

G_END_DECLS
