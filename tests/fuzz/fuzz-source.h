/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "fuzz-main.h"

#include <acc/acc.h>

/* Opens the bytes by content and reads all rows, where they are not very many. */
void fuzz_read_source (const guint8 *data, gsize size);
