/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Parts and rearrangements of arrays, made of the operations of acc-array.h. Those that work along one dimension take the
 * innermost; their _on forms take @dimension, 0 the outermost, -1 the innermost, -2 the one before. */

/* The first; all but the first; all but the last; those from @start on */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_take         (AccArray *self, gint64 count) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_take_on      (AccArray *self, gint dimension, AccExpr *count) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_drop         (AccArray *self, gint64 count) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_drop_on      (AccArray *self, gint dimension, AccExpr *count) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_drop_last    (AccArray *self, gint64 count) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_drop_last_on (AccArray *self, gint dimension, AccExpr *count) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_tail         (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_tail_on      (AccArray *self, gint dimension) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_slit         (AccArray *self, gint64 start, gint64 count) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_slit_on      (AccArray *self, gint dimension, AccExpr *start, AccExpr *count) G_GNUC_WARN_UNUSED_RESULT;

/* The other way round */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_reverse      (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_reverse_on   (AccArray *self, gint dimension) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_transpose    (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_transpose_on (AccArray *self, gint first, gint second) G_GNUC_WARN_UNUSED_RESULT;

/* One behind the other */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_concat       (AccArray *self, AccArray *other) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_concat_on    (AccArray *self, AccArray *other, gint dimension) G_GNUC_WARN_UNUSED_RESULT;

/* The elements at indices */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_gather       (AccArray *self, AccArray *indices) G_GNUC_WARN_UNUSED_RESULT;
/* Pairs of index and element */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_indexed      (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;
/* start, start + step, … in row-major order */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_enum_from_n      (AccShape *shape, AccExpr *start) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_enum_from_step_n (AccShape *shape, AccExpr *start, AccExpr *step) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
