/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Random numbers: the same for the same @seed and @stream, on every backend. */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_random_bits     (AccElementType *type, AccShape *shape, guint64 seed, guint64 stream) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_random_uniform  (AccElementType *type, AccShape *shape, guint64 seed, guint64 stream) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_random_normal   (AccElementType *type, AccShape *shape, guint64 seed, guint64 stream) G_GNUC_WARN_UNUSED_RESULT;
/* low to high - 1 */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_random_integers (AccElementType *type, AccShape *shape, gint64 low, gint64 high, guint64 seed,
                                     guint64 stream) G_GNUC_WARN_UNUSED_RESULT;
/* lowest to highest, up to the whole of the type */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_random_integers_between (AccElementType *type, AccShape *shape, AccExpr *lowest, AccExpr *highest, guint64 seed,
                                             guint64 stream) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
