/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* No plan of @array, nor a run, is refused within a limit that is larger than one that was enough, and runs are refused where plans are,
 * and nowhere else, but for those of which stages @decide what comes after them: these may do with less than their plans, and their plans
 * say what they cannot promise. ACC_TEST_PLANS says how many limits there are, from a
 * fortieth of @bytes to four times as much, and what sinks hold: @resident. --seed chooses where. */
void limits_test (AccBackend *backend, const char *name, AccArray *array, guint64 bytes, guint64 resident, gboolean decides);
/* Whichever reservation of a run within @limit is refused: the run does without, or says that there is no memory, and nothing is left.
 * @near: the last bits may be others. */
void limits_test_refusals (AccBackend *backend, const char *name, AccArray *array, guint64 limit, gboolean near);
