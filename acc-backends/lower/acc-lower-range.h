/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/ir/acc-kernel-builder-private.h"
#include "acc-lower.h"

/* What the parts of arithmetic share. */

/* What the kind holds; FALSE: its values have no ranges. */
gboolean low_range_get_limits (AccElementKind kind, gint64 *lo, gint64 *hi);
/* Whether it is a value of a kind that has ranges. */
gboolean low_range_is_known   (AccLower *l, KValue x);
/* Notes that the exact result lies in the range, which is that of @x where nothing wraps; gives @x back. */
KValue   low_range_keep       (AccLower *l, KValue x, gint64 lo, gint64 hi);
/* Something from @a to @b and something from @c to @d, as acc_interval_apply() has it. FALSE: nothing is known of it. */
gboolean low_range_combine    (AccPrimitive primitive, gint64 a, gint64 b, gint64 c, gint64 d, gint64 *lo, gint64 *hi);
