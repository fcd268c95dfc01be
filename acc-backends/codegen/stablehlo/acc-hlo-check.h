/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Whether a module's @text has nothing of what is known to end the process of a compiler, or to be compiled wrong, instead of being
 * refused; else ACC_ERROR_UNSUPPORTED names the operation. It reads the text once. */
gboolean acc_hlo_check_text (const char *text, GError **error);
