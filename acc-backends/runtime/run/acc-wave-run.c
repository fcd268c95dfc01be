/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-waves.h"

#include "acc-bands.h"
#include "acc-host-run.h"
#include "acc-times.h"

typedef struct {
  AccHostRun    *run;
  const AccWave *wave;
  GError       **errors;   /* per narrow step; NULL: none */
} Job;

/* Others go on where one fails: of those the first is told. */
static gboolean
run_narrow (gint64   n,
            guint    worker,
            gpointer user_data)
{
  Job *job = user_data;
  g_autofree gpointer *memory = g_new0 (gpointer, acc_host_run_count_step_memory (job->run->parent.prepared));
  AccHostRun own = *job->run;

  acc_host_run_set_step_memory (&own, memory);
  acc_run_step (&own.parent, job->wave->narrow[n], &job->errors[n]);
  acc_host_run_clear_step_memory (&own);

  return !g_error_matches (job->errors[n], G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static gboolean
run_side_by_side (AccRun        *run,
                  const AccWave *wave,
                  GError       **error)
{
  g_autofree GError **errors = g_new0 (GError *, wave->n_narrow);
  Job job = { (AccHostRun *) run, wave, errors };
  gboolean ok = TRUE;

  acc_workers_run (run->host->workers, wave->n_narrow, wave->claim, run_narrow, &job);
  for (guint i = 0; i < wave->n_narrow; i++)
    if (errors[i] != NULL)
      {
        if (ok)
          g_propagate_error (error, errors[i]);
        else
          g_error_free (errors[i]);
        ok = FALSE;
      }

  return ok;
}

/* Side by side they hold all at once what one after the other could be freed between them. */
static gboolean
has_room (AccHost       *host,
          const AccWave *wave)
{
  AccBudget *budget = acc_pool_get_budget (host->pool);
  guint64 limit = acc_budget_get_limit (budget), used = acc_budget_get_used (budget);

  return limit == 0 || (used < limit && wave->bytes <= limit - used);
}

gboolean
acc_wave_run (AccRun        *run,
              const AccWave *wave,
              GError       **error)
{
  gboolean together = wave->n_narrow > 0 && has_room (run->host, wave);
  guint next = 0;

  if (wave->band != NULL)
    {
      gint64 begin = acc_times_begin ();
      gboolean ok = acc_band_run (run, wave->band, error);
      g_autofree gboolean *cached = begin != 0 ? acc_band_list_cached (wave->band, run->prepared) : NULL;

      acc_times_end_steps (begin, run->prepared->schedule, wave->begin, wave->end, cached);
      for (guint s = wave->begin; s < wave->end; s++)
        acc_run_free_after (run, s);

      return ok;
    }

  if (together && !run_side_by_side (run, wave, error))
    return FALSE;

  for (guint s = wave->begin; s < wave->end; s++)
    {
      if (together && next < wave->n_narrow && wave->narrow[next] == s)
        {
          next++;
          continue;
        }
      if (!acc_run_step (run, s, error))
        return FALSE;
      /* The last value that a narrow step reads may still be read by others. */
      acc_run_free_after (run, s);
    }
  for (guint i = 0; i < next; i++)
    acc_run_free_after (run, wave->narrow[i]);

  return TRUE;
}
