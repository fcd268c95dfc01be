/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-launch.h"

#include "acc-relax.h"

#include <sched.h>

typedef struct {
  AccLaunchContext   *context;
  const AccPartition *partition;
  AccKernelEntry      entry;
  const guint64      *slots;
} Job;

void
acc_launch_context_init (AccLaunchContext *self,
                         AccHost          *host,
                         AccPrepared      *prepared,
                         GCancellable     *cancellable)
{
  *self = (AccLaunchContext) { .host = host, .prepared = prepared, .cancellable = cancellable };
}

gboolean
acc_launch_should_stop (AccLaunchContext *self)
{
  return __atomic_load_n (&self->failure.state, __ATOMIC_RELAXED) != 0
         || (self->cancellable != NULL && g_cancellable_is_cancelled (self->cancellable));
}

static void
run_tile (gint64   tile,
          guint    worker,
          gpointer user_data)
{
  const Job *job = user_data;
  gint64 range[5];

  if (acc_launch_should_stop (job->context))
    return;

  acc_partition_get (job->partition, tile, range);
  job->entry (job->slots, range, &job->context->failure);
}

void
acc_failure_to_error (const AccFailure  *failure,
                      AccPrepared       *prepared,
                      guint              first_origin,
                      GError           **error)
{
  GPtrArray *origins = prepared->schedule->origins;
  gsize origin = (gsize) first_origin + failure->origin;
  g_autofree char *what = origin < origins->len ? acc_array_describe (g_ptr_array_index (origins, origin))
                                                : g_strdup ("kernel");

  if (failure->kind == ACC_ERROR_ARITHMETIC)
    g_set_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC, "%s: %s", what,
                 failure->extent == 0 ? "division by zero" : "minimum divided by -1");
  else if (failure->kind == ACC_ERROR_UNSUPPORTED)
    g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: a loop takes more turns than this device runs", what);
  else
    g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS,
                 "%s: index %" G_GINT64_FORMAT " is outside extent %" G_GINT64_FORMAT, what, failure->index, failure->extent);
}

static gboolean
run_one (AccLaunchContext         *self,
         const AccPreparedLaunch  *launch,
         const AccPartition       *partition,
         const guint64            *slots,
         GError                  **error)
{
  Job job = { self, partition, launch->entry, slots };

  acc_workers_run (self->host->workers, partition->n_tiles, partition->claim, run_tile, &job);

  if (__atomic_load_n (&self->failure.state, __ATOMIC_ACQUIRE) != 0)
    {
      acc_failure_to_error (&self->failure, self->prepared, launch->launch->first_origin, error);
      return FALSE;
    }

  return !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}

/* --- sweeps */

#define MAX_SWEEP  4
#define MAX_SPINS  1024    /* then others may have the processor */

typedef struct {
  AccLaunchContext        *context;
  const AccPartition      *partition;
  const AccPreparedLaunch *launches;
  guint                    n;
  const guint64           *slots[MAX_SWEEP];
  AccFailure               failures[MAX_SWEEP];
  gint64                   turns[MAX_SWEEP];    /* atomic: the tile that a serial launch is at */
} Sweep;

static gboolean
should_stop_sweep (Sweep *self)
{
  gboolean stops = acc_launch_should_stop (self->context);

  for (guint i = 0; i < self->n; i++)
    stops |= __atomic_load_n (&self->failures[i].state, __ATOMIC_RELAXED) != 0;

  return stops;
}

/* Tiles are taken in order, so whoever is waited for is at work. */
static void
wait_for_turn (const gint64 *turn,
               gint64        tile)
{
  for (guint n = 0; __atomic_load_n (turn, __ATOMIC_ACQUIRE) != tile; n++)
    if (n < MAX_SPINS)
      acc_relax ();
    else
      sched_yield ();
}

static void
sweep_tile (gint64   tile,
            guint    worker,
            gpointer user_data)
{
  Sweep *self = user_data;
  gint64 range[5];

  acc_partition_get (self->partition, tile, range);
  for (guint i = 0; i < self->n; i++)
    {
      gboolean serial = self->launches[i].launch->serial;

      /* Turns pass on whatever happens. */
      if (serial)
        wait_for_turn (&self->turns[i], tile);
      if (!should_stop_sweep (self))
        self->launches[i].entry (self->slots[i], range, &self->failures[i]);
      if (serial)
        __atomic_store_n (&self->turns[i], tile + 1, __ATOMIC_RELEASE);
    }
}

static gboolean
run_sweep (AccLaunchContext         *self,
           const AccPreparedLaunch  *launches,
           guint                     n,
           const AccPartition       *partition,
           const guint64            *slots,
           GError                  **error)
{
  Sweep sweep = { self, partition, launches, n };

  g_assert (n <= MAX_SWEEP);
  for (guint i = 0; i < n; i++)
    {
      sweep.slots[i] = slots;
      slots += launches[i].launch->n_slots;
    }
  /* One at a time, as the next one waits. */
  acc_workers_run (self->host->workers, partition->n_tiles, partition->claim < partition->n_tiles ? 1 : partition->claim, sweep_tile, &sweep);

  for (guint i = 0; i < n; i++)
    if (__atomic_load_n (&sweep.failures[i].state, __ATOMIC_ACQUIRE) != 0)
      {
        acc_failure_to_error (&sweep.failures[i], self->prepared, launches[i].launch->first_origin, error);
        return FALSE;
      }

  return !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}

guint
acc_launch_count_swept (const AccScheduleStep *step,
                        guint                  first)
{
  guint n = 1;

  while (step->launches[first + n - 1].sweeps)
    n++;

  return n;
}

gboolean
acc_launch_run (AccLaunchContext         *self,
                const AccPreparedLaunch  *launches,
                guint                     n,
                const AccPartition       *partition,
                const guint64            *slots,
                GError                  **error)
{
  return n == 1 ? run_one (self, launches, partition, slots, error) : run_sweep (self, launches, n, partition, slots, error);
}
