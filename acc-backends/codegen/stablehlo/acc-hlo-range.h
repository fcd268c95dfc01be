/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-hlo-text.h"

/* Between which numbers the elements of a tensor of i32 or i64 are, as far as the text says it: indices that are certain to be inside need
 * no check. */

typedef struct {
  gint64 least, most;
} AccHloRange;

/* NULL: any. */
const AccHloRange *acc_hlo_get_range      (AccHlo *self, AccHloValue value);
void               acc_hlo_set_range      (AccHlo *self, AccHloValue value, AccElementKind kind, AccHloRange range);
/* @to: elements of @from, of @kind. */
void               acc_hlo_keep_range     (AccHlo *self, AccHloValue from, AccHloValue to, AccElementKind kind);
/* @result: @operation of @x and @y. */
void               acc_hlo_combine_ranges (AccHlo *self, const char *operation, AccHloValue x, AccHloValue y, AccHloValue result,
                                           AccElementKind kind);
