/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/schedule/acc-schedule.h"

/* ACC_DEBUG=times: how long what ran took, on standard error. */

/* Microseconds; 0: times are not asked for. Then the others do nothing. */
gint64 acc_times_begin        (void);
/* Of @n launches that ran together. */
void   acc_times_end_launches (gint64 begin, const AccScheduleStep *step, guint first, guint n);
/* Of steps @first to @end, and what they moved in a second; of values that are @cached nothing. */
void   acc_times_end_steps    (gint64 begin, AccSchedule *schedule, guint first, guint end, gboolean *cached);
