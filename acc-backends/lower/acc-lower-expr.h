/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-lower.h"

/* What the parts of the expression writer share. */

/* Where the leaves of @expr are kept. */
AccMemo          *low_expr_memo    (AccLower *l, AccFrame *frame, AccExpr *expr);
/* Where leaf *leaf of *expr is kept; both become what they resolve to. */
KValue           *low_expr_slot    (AccLower *l, AccFrame *frame, AccExpr **expr, guint *leaf);
const AccBinding *low_expr_binding (AccLower *l, AccFrame *frame, AccExpr *variable);
/* Whether the divisor of a division can never make it fail. */
gboolean          low_divisor_is_safe (AccExpr *expr);

/* Whether both sides of a cond may be computed everywhere, and are soon. */
gboolean low_expr_is_cheap        (AccLower *l, AccFrame *frame, AccExpr *cond, guint leaf);
/* Whether it may be computed everywhere, and all but is. */
gboolean low_expr_is_ready        (AccLower *l, AccFrame *frame, AccExpr *expr);
/* Computes in front of a cond what both of its sides need. */
void     low_expr_hoist_common    (AccLower *l, AccFrame *frame, AccExpr *cond);
/* Computes in front of a while what its functions need and do not change. */
void     low_expr_hoist_invariant (AccLower *l, AccFrame *frame, AccExpr *loop);
