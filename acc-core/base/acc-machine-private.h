/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-module-machine.h"

/* What control groups (v1 and v2) allow this process, as read from the files under @root ("" but in tests). */

/* G_MAXUINT64 where there is no limit */
guint64 acc_machine_find_memory_limit (const char *root);
/* Processors' worth of time; 0 where there is no limit */
double  acc_machine_find_cpu_quota    (const char *root);

/* "67108864", "64M", "1.5GiB": bytes, or powers of 1024 by K, M, G, T. */
gboolean acc_machine_parse_size       (const char *text, guint64 *size, GError **error);
