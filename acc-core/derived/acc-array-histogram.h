/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* How often each comes */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_bincount  (AccArray *self, gint64 n_bins) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_histogram (AccArray *self, gint64 n_bins, double low, double high) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
