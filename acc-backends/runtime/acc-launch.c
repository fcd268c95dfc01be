/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-launch.h"

#include "acc-relax.h"

#include <sched.h>

#define MAX_SWEEP  4
#define MAX_SPINS  1024    /* then others may have the processor */

/* Launches that sweep together; mostly it is one. */
typedef struct {
  AccLaunchContext        *context;
  const AccPartition      *partition;
  const AccPreparedLaunch *launches;
  guint                    n;
  const guint64           *slots[MAX_SWEEP];
  AccFailure               failures[MAX_SWEEP];
  gint64                   turns[MAX_SWEEP];    /* atomic: the tile that a serial launch is at */
} Sweep;

void
acc_launch_context_init (AccLaunchContext *self,
                         AccHost          *host,
                         AccPrepared      *prepared,
                         GCancellable     *cancellable)
{
  *self = (AccLaunchContext) { .host = host, .prepared = prepared, .cancellable = cancellable };
}

static gboolean
should_stop (Sweep *self)
{
  for (guint i = 0; i < self->n; i++)
    if (__atomic_load_n (&self->failures[i].state, __ATOMIC_RELAXED) != 0)
      return TRUE;

  return g_cancellable_is_cancelled (self->context->cancellable);
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
run_tile (gint64   tile,
          guint    worker,
          gpointer user_data)
{
  Sweep *self = user_data;
  gint64 range[5], number;

  acc_partition_get (self->partition, tile, range);
  number = range[4];
  for (guint i = 0; i < self->n; i++)
    {
      gboolean serial = self->launches[i].launch->serial;

      range[4] = self->launches[i].has_own ? worker : number;
      /* Turns pass on whatever happens. */
      if (serial)
        wait_for_turn (&self->turns[i], tile);
      if (!should_stop (self))
        self->launches[i].entry (self->slots[i], range, &self->failures[i]);
      if (serial)
        __atomic_store_n (&self->turns[i], tile + 1, __ATOMIC_RELEASE);
    }
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
  Sweep sweep = { self, partition, launches, n };
  /* Where others wait, one at a time. */
  gint64 claim = n > 1 && partition->claim < partition->n_tiles ? 1 : partition->claim;

  g_assert (n <= MAX_SWEEP);
  for (guint i = 0; i < n; i++)
    {
      sweep.slots[i] = slots;
      slots += launches[i].launch->n_slots;
    }
  acc_workers_run (self->host->workers, partition->n_tiles, claim, run_tile, &sweep);

  for (guint i = 0; i < n; i++)
    if (__atomic_load_n (&sweep.failures[i].state, __ATOMIC_ACQUIRE) != 0)
      {
        acc_failure_to_error (&sweep.failures[i], self->prepared, launches[i].launch->first_origin, error);
        return FALSE;
      }

  return !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}
