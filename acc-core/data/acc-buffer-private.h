/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-budget-private.h"

G_BEGIN_DECLS

AccBuffer *acc_buffer_new_bytes (GBytes *bytes);

G_END_DECLS
