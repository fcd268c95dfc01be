/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* Runs it on native, which has the foreign operations of fuzz-generate.h, with arguments of small numbers, and reads all of what comes
 * out; what takes long is cancelled. FALSE with @error set where it fails, and TRUE where there is no native. */
gboolean fuzz_run_program (AccProgram *program, GError **error);

/* Whether it is known to be small, and to have no loop. */
gboolean fuzz_is_small    (AccProgram *program);
