/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Neighbours that are equal, once each */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_run_length_encode (AccArray *self, AccArray **lengths) G_GNUC_WARN_UNUSED_RESULT;

/* Every value once, in order */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_unique (AccArray *self, AccArray **counts) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
