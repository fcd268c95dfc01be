/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array-statistics.h"

G_BEGIN_DECLS

/* NULL, or the node that says that @self, which may carry an error, has no rows. */
AccArray *acc_array_refuse_scalar (AccArray *self, const char *operation);

G_END_DECLS
