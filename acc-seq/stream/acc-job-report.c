/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-job-private.h"

static void
append_bytes (GString *text, const char *name, guint64 bytes, double seconds)
{
  g_autofree char *size = g_format_size (bytes);

  g_string_append_printf (text, "%-10s %s", name, size);
  if (seconds > 0)
    g_string_append_printf (text, ", %.1f MB/s", (double) bytes / seconds * 1e-6);
  g_string_append_c (text, '\n');
}

/**
 * acc_job_dup_report:
 * @self: a job
 *
 * Returns a report of the run so far: the device, the seconds of each stage, bytes read and written, and the peak of memory.
 *
 * Stages overlap, so that their seconds may add up to more than the time that passed. With a device, the stage of computing is
 * the time to enqueue work. Where a device measures it, the report of a job that has ended tells how long no kernel ran on the
 * device.
 *
 * Returns: (transfer full): several lines of text, each with a newline at its end
 */
char *
acc_job_dup_report (AccJob *self)
{
  static const char *names[ACC_N_STAGES] = { "reading", "computing", "writing", "waiting" };
  g_autoptr(GMutexLocker) locker = NULL;
  g_autofree char *peak = NULL;
  GString *text;
  double seconds;

  g_return_val_if_fail (ACC_IS_JOB (self), NULL);

  locker = g_mutex_locker_new (&self->lock);
  seconds = ((self->state == ACC_JOB_RUNNING ? g_get_monotonic_time () : self->ended) - self->began) * 1e-6;
  peak = g_format_size (self->peak);
  text = g_string_new (NULL);

  g_string_append_printf (text, "%-10s %s\n%-10s %.3f s\n", "device", self->device, "time", seconds);
  for (guint i = 0; i < ACC_N_STAGES; i++)
    g_string_append_printf (text, "%-10s %.3f s\n", names[i], self->seconds[i]);

  if (self->device_passed > 0)
    {
      double idle = MAX (self->device_passed - self->device_busy, 0);

      g_string_append_printf (text, "%-10s %.3f s of the device, %.1f %%\n", "idle", idle, idle / self->device_passed * 100);
    }

  append_bytes (text, "read", self->bytes_in, seconds);
  append_bytes (text, "written", self->bytes_out, seconds);
  g_string_append_printf (text, "%-10s %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT "\n%-10s %s\n",
                          "chunks", self->chunks_done, self->n_chunks, "memory", peak);
  if (self->n_walks > 0 && self->n_open > 0)
    g_string_append_printf (text, "%-10s %" G_GUINT64_FORMAT "\n", "elements", self->elements_done);
  else if (self->n_walks > 0)
    g_string_append_printf (text, "%-10s %" G_GUINT64_FORMAT " of %" G_GINT64_FORMAT "\n", "elements", self->elements_done,
                            self->n_elements);

  return g_string_free (text, FALSE);
}
