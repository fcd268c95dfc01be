/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-times.h"

#include "acc-backends/schedule/acc-traffic.h"

gint64
acc_times_begin (void)
{
  return acc_debug_get_flags () & ACC_DEBUG_TIMES ? g_get_monotonic_time () : 0;
}

void
acc_times_end_launches (gint64                 begin,
                        const AccScheduleStep *step,
                        guint                  first,
                        guint                  n)
{
  g_autoptr(GString) line = NULL;

  if (begin == 0)
    return;

  begin = g_get_monotonic_time () - begin;
  line = g_string_new ("times:   ");
  for (guint i = first; i < first + n; i++)
    g_string_append_printf (line, "%s%s", i > first ? ", " : "", acc_kernel_get_name (step->launches[i].kernel));
  g_printerr ("%s: %.3f ms\n", line->str, begin * 1e-3);
}

void
acc_times_end_steps (gint64       begin,
                     AccSchedule *schedule,
                     guint        first,
                     guint        end,
                     gboolean    *cached)
{
  guint64 bytes = 0;

  if (begin == 0)
    return;

  begin = g_get_monotonic_time () - begin;
  for (guint s = first; s < end; s++)
    {
      AccTraffic traffic = acc_schedule_count_step (schedule, s, cached);

      bytes += traffic.read + traffic.written;
      g_printerr ("%s%s", s == first ? "times: step " : " with step ", schedule->steps[s].name);
    }
  g_printerr (": %.3f ms, %.2f GB/s of %.3f MB\n", begin * 1e-3, (double) bytes * 1e-3 / (double) MAX (begin, 1), bytes * 1e-6);
}
