/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-budget-private.h"

AccBuffer  *acc_buffer_new_bytes  (GBytes *bytes);
/* Memory for @n elements: as many buffers as the type has, then NULL. */
AccBuffer **acc_buffers_allocate  (AccElementType *type, gint64 n, AccBudget *budget, const char *what, GError **error);
/* @buffers: nullable; as far as the first NULL. */
void        acc_buffers_free      (AccBuffer **buffers);
