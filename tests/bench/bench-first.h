/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* First runs on a device whose kernels nobody has compiled, and second ones, in processes of their own. @self: the program; @only: NULL,
 * or what names of works have in them. */
void bench_first      (const char *self, const char *backend, const char *only);
/* In such a process. */
int  bench_first_main (const char *backend, const char *work);
