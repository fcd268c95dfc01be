/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-expr-derive-private.h"

/* Sums: a tuple of a tag, u1, and what belongs to each tag. */

gboolean  _acc_type_is_maybe  (AccElementType *type);
gboolean  _acc_type_is_either (AccElementType *type);
/* The type of a tag and @n values */
AccElementType *_acc_type_new_sum (AccElementType **values, guint n);
/* Whether @type is such a tuple with @n values */
gboolean  _acc_type_is_sum    (AccElementType *type, guint n);
AccExpr  *_acc_expr_tag       (guint tag);
/* Whether the tag of @sum is 0 */
AccExpr  *_acc_expr_is_first  (AccExpr *sum);
