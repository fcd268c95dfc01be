/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array-statistics.h"

/* NULL, or the node that says that @self, which may carry an error, has no rows. */
AccArray *acc_array_refuse_scalar (AccArray *self, const char *operation);
