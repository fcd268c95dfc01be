/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Which functions the cases of a test program use, and what becomes of those, into the file ACC_TEST_RESULTS. Nothing happens
 * where it is not set. */
void conf_coverage_begin (void);
void conf_coverage_count (const char *backend, gboolean passed);
void conf_coverage_end   (void);
