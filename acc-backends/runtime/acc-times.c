/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-times.h"

#include "acc-backends/fusion/acc-traffic.h"
#include "acc-core/acc-backend-private.h"

#include <time.h>

static gint64
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);

  return (gint64) t.tv_sec * 1000000000 + t.tv_nsec;
}

gint64
acc_times_begin (void)
{
  return acc_debug_get_flags () & ACC_DEBUG_TIMES ? now () : 0;
}

void
acc_times_end_launches (gint64                 begin,
                        const AccScheduleStep *step,
                        guint                  first,
                        guint                  n)
{
  g_autoptr (GString) line = NULL;

  if (begin == 0)
    return;

  begin = now () - begin;
  line = g_string_new ("times:   ");
  for (guint i = first; i < first + n; i++)
    g_string_append_printf (line, "%s%s", i > first ? ", " : "", acc_kernel_get_name (step->launches[i].kernel));
  g_printerr ("%s: %.3f ms\n", line->str, begin * 1e-6);
}

void
acc_times_end_steps (gint64       begin,
                     AccSchedule *schedule,
                     guint        first,
                     guint        end)
{
  guint64 bytes = 0;

  if (begin == 0)
    return;

  begin = now () - begin;
  for (guint s = first; s < end; s++)
    {
      AccTraffic traffic = acc_schedule_count_step (schedule, s, NULL);

      bytes += traffic.read + traffic.written;
      g_printerr ("%s%s", s == first ? "times: step " : " with step ", schedule->steps[s].name);
    }
  g_printerr (": %.3f ms, %.2f GB/s of %.3f MB\n", begin * 1e-6, (double) bytes / (double) MAX (begin, 1), bytes * 1e-6);
}
