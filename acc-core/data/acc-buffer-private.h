/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-budget-private.h"

AccBuffer *acc_buffer_new_bytes (GBytes *bytes);
