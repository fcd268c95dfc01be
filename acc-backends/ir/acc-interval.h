/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/expr/acc-primitives-private.h"

/* A range of integers, both ends of it; not known: any. */
typedef struct {
  gboolean known;
  gint64   lo, hi;
} AccInterval;

/* What the kind holds; not known of floats, and of what a gint64 does not hold. */
AccInterval acc_interval_of_kind (AccElementKind kind);
/* What a sum, difference, product, minimum or maximum of two may be, had it any number of bits; not known of other primitives. */
AccInterval acc_interval_apply   (AccPrimitive primitive, AccInterval x, AccInterval y);
