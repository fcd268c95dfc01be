/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Sums of products of rows; all products of two vectors; products of matrices */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_dot    (AccArray *self, AccArray *other) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_outer  (AccArray *self, AccArray *other) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_matmul (AccArray *self, AccArray *other) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
