/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Of functions of one number, @n values that are right to a few units of the last place, but for infinities and what is no number. */
void near_function (const char *name, const double *x, double *y, gsize n);
