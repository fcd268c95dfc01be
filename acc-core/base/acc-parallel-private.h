/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-module-machine.h"

G_BEGIN_DECLS

/* As memcpy(), by several processors where it is much: one alone does not keep up with a device. */
void acc_parallel_copy (gpointer to, gconstpointer from, gsize size);

G_END_DECLS
