/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

/* Makes any error but a cancellation an %ACC_ERROR_IO that names the file. */
void     acc_io_wrap_error (GError **error, const char *name);
char    *acc_io_name_file  (GFile *file);
