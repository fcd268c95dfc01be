/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-build-private.h"

/* Where the initial value of a scan is, in the order of the scan. */
typedef enum {
  ACC_SEED_NONE,
  ACC_SEED_EXTRA,    /* before the elements, of which there is one more then */
  ACC_SEED_FIRST,    /* before the elements, whose last one goes */
  ACC_SEED_JOINED,   /* combined with the first element */
} AccSeed;

/* @given, of the type of @self. NULL: it is not, which @node says in the name of @operation. */
AccExpr *acc_array_resolve_initial (AccArray *node, const char *operation, AccArray *self, AccExpr *given);

/* --- filters, whose places a scan gives */

/* Whether @node is a filter of a vector: a permute that fills its result in order. */
gboolean  acc_array_is_filter        (AccArray *node);
/* Of such a filter: which elements are kept, without their places; borrowed. NULL: places were not found from that. */
AccArray *acc_array_get_filter_flags (AccArray *filter);
/* The elements of vector @self whose flag is true, of which there are @count. */
AccArray *acc_array_pack             (AccArray *self, AccArray *flags, AccExpr *count);
/* The same, counting them. */
AccArray *acc_array_new_filter       (AccArray *self, AccArray *flags);
