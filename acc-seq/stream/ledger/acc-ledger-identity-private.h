/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array.h"

/* Lines that are others when something else is computed: @version, the program with what it has in memory, and each of its sources. Fails
 * where a source cannot be told from another. */
char **acc_ledger_list_identity (const char *version, AccArray *array, GError **error);
