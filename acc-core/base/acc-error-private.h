/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-error.h"

/* Sets %ACC_ERROR_IO from an errno. @doing: "reading", "writing" … @name: of the file. */
static inline void
acc_error_set_errno (GError **error, const char *doing, const char *name, int saved_errno)
{
  g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "%s: %s: %s", name, doing, g_strerror (saved_errno));
}
