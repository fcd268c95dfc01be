/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-launch.h"

#include "acc-backends/runtime/threads/acc-relax.h"

#include <sched.h>

#define MAX_SWEEP  4
#define MAX_SPINS  4096    /* then others may have the processor */
#define FEW_SPINS  64      /* between looks at the clock */

/* Where tiles wait for their turn in a serial launch, each in a cache line of its own, which changes once and which no other thread reads.
 * Handing a turn to another processor takes a few cache misses, so the holder of the turn also does the tiles that wait behind it.
 *
 * A thread that the system suspends between two launches would stop all others. So a thread that waits too long for a tile computes that
 * tile itself (the decoupled fallback of T. Smith, R. L. Levien and J. D. Owens, 2025): sweeps may be done twice, and each tile of a serial
 * launch is taken once. */
#define N_TURNS    64

/* Microseconds, or twice what a tile's way to the serial launch takes; as often as there are tiles between, so that one after the other
 * comes to help. */
#define LEAST_PATIENCE 20

typedef struct {
  gint64 tile __attribute__ ((aligned (ACC_CACHE_LINE)));    /* atomic: whose turn it is, or was */
} Turn;

typedef struct {
  Turn   turns[N_TURNS];
  gint64 taken __attribute__ ((aligned (ACC_CACHE_LINE)));            /* atomic: the first tile that no thread has taken */
  gint64 ready[N_TURNS] __attribute__ ((aligned (ACC_CACHE_LINE)));   /* atomic: 1 + tile that waits here, or did */
} Queue;

/* Launches that sweep together; mostly it is one. */
typedef struct {
  AccLaunchContext        *context;
  const AccPartition      *partition;
  const AccPreparedLaunch *launches;
  guint                    n;
  const guint64           *slots[MAX_SWEEP];
  AccFailure               failures[MAX_SWEEP];
  Queue                   *queues;   /* per launch; NULL: it is one */
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
  AccArray *array = origin < origins->len ? g_ptr_array_index (origins, origin) : NULL;
  g_autofree char *what = array != NULL ? acc_array_describe (array) : g_strdup ("kernel");
  g_autofree char *refused = acc_array_refuse_number (array, failure->index, TRUE);

  if (failure->kind == ACC_ERROR_ARITHMETIC)
    g_set_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC, "%s: %s", what,
                 failure->extent == 0 ? "division by zero" : "minimum divided by -1");
  else if (failure->kind == ACC_ERROR_UNSUPPORTED)
    g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: a loop takes more iterations than this device runs", what);
  else if (refused != NULL)
    g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS, "%s: %s", what, refused);
  else
    g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS,
                 "%s: index %" G_GINT64_FORMAT " is outside extent %" G_GINT64_FORMAT, what, failure->index, failure->extent);
}

/* --- cancellation of kernels that are under way */

static void
on_cancelled (GCancellable *cancellable,
              gpointer      user_data)
{
  AccLaunchStop *self = user_data;

  for (guint i = 0; i < self->n; i++)
    {
      gint free = 0;

      __atomic_compare_exchange_n (&self->failures[i].state, &free, ACC_FAILURE_STOP, FALSE, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

void
acc_launch_stop_begin (AccLaunchStop *self,
                       GCancellable  *cancellable,
                       AccFailure    *failures,
                       guint          n)
{
  *self = (AccLaunchStop) { .cancellable = cancellable, .failures = failures, .n = n };
  if (cancellable != NULL)
    self->handler = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), self, NULL);
}

gboolean
acc_launch_stop_end (AccLaunchStop  *self,
                     GError        **error)
{
  if (self->handler != 0)
    g_cancellable_disconnect (self->cancellable, self->handler);

  /* Whatever the cancellable says by now. */
  for (guint i = 0; i < self->n; i++)
    if (__atomic_load_n (&self->failures[i].state, __ATOMIC_RELAXED) == ACC_FAILURE_STOP)
      {
        g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The run was cancelled");
        return FALSE;
      }

  return TRUE;
}

gboolean
acc_launch_may_stop (const AccPreparedLaunch *launches,
                     guint                    n)
{
  for (guint i = 0; i < n; i++)
    if (launches[i].may_stop)
      return TRUE;

  return FALSE;
}

/* --- tiles */

/* Tiles [tile, end), which are neighbours in a row. FALSE: they need not be done. */
static gboolean
run_launch (Sweep  *self,
            guint   i,
            gint64  tile,
            gint64  end,
            guint   worker)
{
  gint64 range[5], last[5];

  acc_partition_get (self->partition, tile, range);
  if (end > tile + 1)
    {
      acc_partition_get (self->partition, end - 1, last);
      range[3] = last[3];
    }
  if (self->launches[i].has_own)
    range[4] = worker;
  if (should_stop (self))
    return FALSE;
  acc_prepared_launch_get_entry (&self->launches[i]) (self->slots[i], range, &self->failures[i]);

  return TRUE;
}

static gboolean
has_come (Queue  *queue,
          gint64  tile)
{
  return __atomic_load_n (&queue->turns[tile % N_TURNS].tile, __ATOMIC_ACQUIRE) >= tile;
}

/* Behind @tile and the tiles of its row that wait behind it. */
static gint64
find_end (Sweep  *self,
          Queue  *queue,
          gint64  tile)
{
  gint64 in_row = self->partition->count[1] - tile % self->partition->count[1], n = 1;

  while (n < MIN (in_row, N_TURNS) && __atomic_load_n (&queue->ready[(tile + n) % N_TURNS], __ATOMIC_ACQUIRE) == tile + n + 1)
    n++;

  return tile + n;
}

/* Runs the serial launch for a tile, unless another thread has taken it. Turns are passed on in any case. */
static void
take_turn (Sweep  *self,
           guint   i,
           gint64  tile,
           guint   worker)
{
  Queue *queue = &self->queues[i];
  gint64 next = tile, end = find_end (self, queue, tile);

  if (!__atomic_compare_exchange_n (&queue->taken, &next, end, FALSE, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return;
  run_launch (self, i, tile, end, worker);
  /* The thread that continues from there is told last, so that no turn is overwritten by an earlier one. */
  for (next = tile + 1; next <= end; next++)
    __atomic_store_n (&queue->turns[next % N_TURNS].tile, next, __ATOMIC_RELEASE);
}

/* Until the turn has come, or for a while. */
static void
look_out (Queue  *queue,
          gint64  tile,
          guint  *n_spins)
{
  for (guint k = 0; k < FEW_SPINS && !has_come (queue, tile); k++)
    acc_relax ();
  *n_spins += FEW_SPINS;
  if (*n_spins > MAX_SPINS)
    sched_yield ();
}

/* Tiles are taken in order, so the thread that is waited for is running, or was suspended. @microseconds: that this tile took so far. */
static void
wait_for_turn (Sweep  *self,
               guint   i,
               gint64  tile,
               guint   worker,
               gint64  microseconds)
{
  Queue *queue = &self->queues[i];
  gint64 front = -1, since = 0;
  guint n_spins = 0;

  for (look_out (queue, tile, &n_spins); !has_come (queue, tile); look_out (queue, tile, &n_spins))
    {
      gint64 now = g_get_monotonic_time (), next = __atomic_load_n (&queue->taken, __ATOMIC_RELAXED);

      if (next != front)
        {
          front = next;
          since = now;
        }
      else if (front < tile && has_come (queue, front) && now - since > MAX (2 * microseconds, LEAST_PATIENCE) * (tile - front))
        {
          for (guint k = 0; k < i; k++)
            run_launch (self, k, front, front + 1, worker);
          take_turn (self, i, front, worker);
        }
    }
}

static gboolean
run_tile (gint64   tile,
          guint    worker,
          gpointer user_data)
{
  Sweep *self = user_data;
  gint64 begin = self->queues != NULL ? g_get_monotonic_time () : 0;
  gboolean goes_on = TRUE;

  for (guint i = 0; i < self->n; i++)
    if (self->queues == NULL || !self->launches[i].launch->serial)
      {
        goes_on = run_launch (self, i, tile, tile + 1, worker);
      }
    else
      {
        Queue *queue = &self->queues[i];
        guint n_spins = 0;

        __atomic_store_n (&queue->ready[tile % N_TURNS], tile + 1, __ATOMIC_RELEASE);
        wait_for_turn (self, i, tile, worker, g_get_monotonic_time () - begin);
        take_turn (self, i, tile, worker);
        while (!has_come (queue, tile + 1))
          look_out (queue, tile + 1, &n_spins);
      }

  return goes_on;
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
  AccLaunchStop stop;

  g_assert (n <= MAX_SWEEP);
  for (guint i = 0; i < n; i++)
    {
      sweep.slots[i] = slots;
      slots += launches[i].launch->n_slots;
    }
  acc_launch_stop_begin (&stop, acc_launch_may_stop (launches, n) ? self->cancellable : NULL, sweep.failures, n);
  if (n == 1 || on_caller)
    acc_workers_run (self->host->workers, partition->n_tiles, partition->claim, run_tile, &sweep);
  else
    {
      sweep.queues = g_aligned_alloc0 (n, sizeof (Queue), ACC_CACHE_LINE);
      acc_workers_run_in_order (self->host->workers, partition->n_tiles, run_tile, &sweep);
      g_aligned_free (sweep.queues);
    }

  for (guint i = 0; i < n; i++)
    {
      gint state = __atomic_load_n (&sweep.failures[i].state, __ATOMIC_ACQUIRE);

      if (state != 0 && state != ACC_FAILURE_STOP)
        {
          acc_launch_stop_end (&stop, NULL);
          acc_failure_to_error (&sweep.failures[i], self->prepared, launches[i].launch->first_origin, error);
          return FALSE;
        }
    }

  return acc_launch_stop_end (&stop, error) && !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}
