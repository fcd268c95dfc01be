/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array.h"

/* acc_array_matmul() that no library does, which sums in an order that may follow from how many matrices there are. */
AccArray *acc_array_matmul_alike (AccArray *self, AccArray *other);
