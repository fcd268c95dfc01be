/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-module-machine.h"

/* Like memcpy(), by several processors if it is much: one alone does not keep up with a device. */
void acc_parallel_copy (gpointer to, gconstpointer from, gsize size);
