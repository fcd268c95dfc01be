/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-launch.h"

#include "acc-relax.h"

#include <sched.h>

#define MAX_SWEEP  4
#define MAX_SPINS  4096    /* then others may have the processor */

/* Where tiles wait for their turn in a serial launch, those that are under way at once in lines of the cache of their own: what each
 * looks at changes once, and nobody else asks for it. */
#define N_TURNS    64

typedef struct {
  gint64 tile __attribute__ ((aligned (ACC_CACHE_LINE)));    /* atomic: whose turn it is, or was */
} Turn;

/* Launches that sweep together; mostly it is one. */
typedef struct {
  AccLaunchContext        *context;
  const AccPartition      *partition;
  const AccPreparedLaunch *launches;
  guint                    n;
  const guint64           *slots[MAX_SWEEP];
  AccFailure               failures[MAX_SWEEP];
  Turn                    *turns;    /* N_TURNS per launch; NULL: it is one */
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
wait_for_turn (const Turn *turns,
               gint64      tile)
{
  for (guint n = 0; __atomic_load_n (&turns[tile % N_TURNS].tile, __ATOMIC_ACQUIRE) != tile; n++)
    if (n < MAX_SPINS)
      acc_relax ();
    else
      sched_yield ();
}

static void
pass_turn (Turn   *turns,
           gint64  tile)
{
  __atomic_store_n (&turns[tile % N_TURNS].tile, tile, __ATOMIC_RELEASE);
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
      Turn *turns = self->turns != NULL && self->launches[i].launch->serial ? self->turns + i * N_TURNS : NULL;

      range[4] = self->launches[i].has_own ? worker : number;
      /* Turns pass on whatever happens. */
      if (turns != NULL)
        wait_for_turn (turns, tile);
      if (!should_stop (self))
        self->launches[i].entry (self->slots[i], range, &self->failures[i]);
      if (turns != NULL)
        pass_turn (turns, tile + 1);
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
  gboolean on_caller = partition->claim >= partition->n_tiles;

  g_assert (n <= MAX_SWEEP);
  for (guint i = 0; i < n; i++)
    {
      sweep.slots[i] = slots;
      slots += launches[i].launch->n_slots;
    }
  if (n == 1 || on_caller)
    acc_workers_run (self->host->workers, partition->n_tiles, partition->claim, run_tile, &sweep);
  else
    {
      sweep.turns = g_aligned_alloc0 (n * N_TURNS, sizeof (Turn), ACC_CACHE_LINE);
      acc_workers_run_in_order (self->host->workers, partition->n_tiles, run_tile, &sweep);
      g_aligned_free (sweep.turns);
    }

  for (guint i = 0; i < n; i++)
    if (__atomic_load_n (&sweep.failures[i].state, __ATOMIC_ACQUIRE) != 0)
      {
        acc_failure_to_error (&sweep.failures[i], self->prepared, launches[i].launch->first_origin, error);
        return FALSE;
      }

  return !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}
