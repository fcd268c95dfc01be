/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-module-array.h"

/* How many nodes were made so far. Those that were made later are no part of those before. */
guint64 acc_array_count_made (void);
/* How many were made before @self. */
guint64 acc_array_get_age    (AccArray *self);
