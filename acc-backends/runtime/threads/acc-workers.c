/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-workers.h"

#include "acc-background.h"
#include "acc-relax.h"

#include <pthread.h>
#include <unistd.h>

/* Work assisting after de Wolff, van Balen, Keller and McDonell: a running job is one object with counters of tiles that idle threads join;
 * nothing is forked per range of tiles. There is a counter for each thread's share of the tiles, so that jobs of the same extents find most
 * of their memory in the cache, or on the node, of the thread that had it before; a thread that is done with its own share goes on with the
 * others'.
 *
 * A job is put into a slot, whose bit tells that there is something to do. A thread that joins marks its own seat before it looks at the
 * bit once more; the thread that removes the job clears the bit before it looks at the seats. So one of them sees the other, without a lock
 * or a shared count. Locks are for sleeping: plain POSIX ones, since thread sanitizers understand those. Likewise a thread counts as
 * sleeping before it looks for jobs the last time, and a thread that adds a job looks for sleepers after it. */

/* How long a thread without work, or one that waits for others, spins before it sleeps: about as long as waking takes, or longer if the
 * next job of a run will come soon. */
#define SPIN_MICROSECONDS         30
#define SPIN_MICROSECONDS_IN_RUNS 300

/* A spinning thread that finds that so much time has passed since it last looked was suspended by the system, or the host of a virtual
 * machine: others want the processor. Spinning then suspends a working thread, for whom all wait. So for some time nobody spins for longer
 * than that. */
#define STOP_MICROSECONDS  200
#define CROWD_MICROSECONDS 50000
#define SPIN_MICROSECONDS_IN_CROWDS 5

#define WAKES      2
#define MAX_SHARES 64
#define N_SLOTS    64

typedef struct {
  gint64 next __attribute__ ((aligned (ACC_CACHE_LINE)));  /* atomic: first tile not claimed */
  gint64 end;
} Share;

typedef struct {
  gint64      n_claims;
  gint64      claim;
  AccTileFunc function;
  gpointer    user_data;
  guint       n_shares;
  Share       shares[MAX_SHARES];   /* the first are there */
} Job;

typedef struct {
  Job  *job __attribute__ ((aligned (ACC_CACHE_LINE)));   /* of the job in the slot */
  gint  is_awaited;                                       /* atomic: by one that sleeps */
} Slot;

typedef struct {
  Slot *slot __attribute__ ((aligned (ACC_CACHE_LINE)));  /* atomic: whose job the worker is in, or looks whether there is one */
} Seat;

struct _AccWorkers {
  guint           n_threads;
  gboolean        may_spin;
  pthread_mutex_t mutex;
  pthread_cond_t  wake;        /* a job has come, or the end */
  pthread_cond_t  done;        /* a worker has left a job as the last one */
  guint           n_sleeping;  /* atomic, changed under the lock */
  guint           n_started;   /* likewise */
  gint64          stopped;     /* atomic: when one that looked out was found to have been stopped, the last time */
  guint           n_homes;     /* atomic: of threads that are at work or were: each its own share and seat */
  gboolean        stopping;    /* atomic, changed under the lock */
  GThread       **threads;
  pid_t           pid;         /* atomic: that has the threads: a copy of it has none */
  Seat           *seats;       /* by home */
  AccBackground  *background;
  guint64         open __attribute__ ((aligned (ACC_CACHE_LINE)));  /* atomic: bits of slots whose jobs have tiles to claim */
  guint64         used __attribute__ ((aligned (ACC_CACHE_LINE)));  /* atomic: bits of slots in use */
  guint           n_runs;                                           /* atomic */
  Slot            slots[N_SLOTS];
};

static Share *
get_share (AccWorkers *self,
           Job        *job,
           guint       home)
{
  return &job->shares[(guint64) home * job->n_shares / self->n_threads];
}

static gboolean
has_tiles (Share *share)
{
  return __atomic_load_n (&share->next, __ATOMIC_RELAXED) < share->end;
}

/* Claimed tiles are run all the same: others may wait for them. */
static void
leave_tiles (Job *job)
{
  for (guint i = 0; i < job->n_shares; i++)
    __atomic_store_n (&job->shares[i].next, job->shares[i].end, __ATOMIC_RELAXED);
}

static void
take_share (Job   *job,
            Share *share,
            guint  worker)
{
  while (has_tiles (share))
    {
      gint64 tile = __atomic_fetch_add (&share->next, job->claim, __ATOMIC_RELAXED), end = MIN (tile + job->claim, share->end);

      while (tile < end && job->function (tile, worker, job->user_data))
        tile++;
      if (tile < end)
        leave_tiles (job);
    }
}

static guint64
get_bit (AccWorkers *self,
         Slot       *slot)
{
  return G_GUINT64_CONSTANT (1) << (slot - self->slots);
}

static gboolean
is_open (AccWorkers *self,
         Slot       *slot)
{
  return (__atomic_load_n (&self->open, __ATOMIC_RELAXED) & get_bit (self, slot)) != 0;
}

/* No more threads need join. */
static void
close_slot (AccWorkers *self,
            Slot       *slot)
{
  if (is_open (self, slot))
    __atomic_fetch_and (&self->open, ~get_bit (self, slot), __ATOMIC_SEQ_CST);
}

/* @worker: 0 for the caller of the job, which has the first share; the others number their own. */
static void
take_tiles (AccWorkers *self,
            Slot       *slot,
            guint       worker)
{
  Job *job = slot->job;
  guint first = get_share (self, job, worker) - job->shares;

  /* The first that finds nothing more spares the others the search. */
  for (guint i = first; i < job->n_shares && is_open (self, slot); i++)
    take_share (job, &job->shares[i], worker);
  for (guint i = 0; i < first && is_open (self, slot); i++)
    take_share (job, &job->shares[i], worker);
  close_slot (self, slot);
}

/* Claims that are left for others in a job, once the worker whose share it is has taken one. A share that is empty means that the others
 * soon will be, too. */
static gint64
count_for_others (Job   *job,
                  Share *share)
{
  gint64 left = share->end - __atomic_load_n (&share->next, __ATOMIC_RELAXED);

  if (left <= 0)
    return 0;

  return job->n_shares > 1 ? WAKES : (left - 1) / job->claim;
}

/* The caller wakes a few sleeping threads, and each of these wakes as many, so that all are awake after a number of rounds that is the
 * logarithm of theirs. @n: how many can still be of use. */
static void
wake (AccWorkers *self,
      gint64      n)
{
  n = MIN (n, WAKES);
  if (n <= 0 || __atomic_load_n (&self->n_sleeping, __ATOMIC_SEQ_CST) == 0)
    return;

  pthread_mutex_lock (&self->mutex);
  n = MIN (n, (gint64) self->n_sleeping);
  pthread_mutex_unlock (&self->mutex);
  while (n-- > 0)
    pthread_cond_signal (&self->wake);
}

static void
leave (AccWorkers *self,
       Seat       *seat)
{
  Slot *slot = seat->slot;

  __atomic_store_n (&seat->slot, NULL, __ATOMIC_SEQ_CST);
  if (!__atomic_load_n (&slot->is_awaited, __ATOMIC_SEQ_CST))
    return;

  pthread_mutex_lock (&self->mutex);
  pthread_cond_broadcast (&self->done);
  pthread_mutex_unlock (&self->mutex);
}

/* The slot, with the worker of the seat inside, of a job that has tiles to claim, or NULL. */
static Slot *
enter (AccWorkers *self,
       Seat       *seat)
{
  for (guint64 open; (open = __atomic_load_n (&self->open, __ATOMIC_SEQ_CST)) != 0;)
    {
      Slot *slot = &self->slots[__builtin_ctzll (open)];

      __atomic_store_n (&seat->slot, slot, __ATOMIC_SEQ_CST);
      if (__atomic_load_n (&self->open, __ATOMIC_SEQ_CST) & get_bit (self, slot))
        return slot;
      leave (self, seat);
    }

  return NULL;
}

static gint64
get_patience (AccWorkers *self,
              gint64      now)
{
  if (now - __atomic_load_n (&self->stopped, __ATOMIC_RELAXED) < CROWD_MICROSECONDS)
    return SPIN_MICROSECONDS_IN_CROWDS;

  return __atomic_load_n (&self->n_runs, __ATOMIC_RELAXED) > 0 ? SPIN_MICROSECONDS_IN_RUNS : SPIN_MICROSECONDS;
}

/* Whether there is something to do. */
static gboolean
is_called (AccWorkers *self)
{
  return __atomic_load_n (&self->open, __ATOMIC_SEQ_CST) != 0 || acc_background_get_n (self->background) > 0 ||
         __atomic_load_n (&self->stopping, __ATOMIC_RELAXED);
}

/* Until there is something to do, or there was nothing for long enough. */
static void
look_out (AccWorkers *self)
{
  gint64 begin, before, now;

  if (!self->may_spin)
    return;

  begin = now = g_get_monotonic_time ();
  do
    {
      for (guint i = 0; i < 32; i++)
        {
          if (is_called (self))
            return;
          acc_relax ();
        }
      before = now;
      now = g_get_monotonic_time ();
      if (now - before > STOP_MICROSECONDS)
        __atomic_store_n (&self->stopped, now, __ATOMIC_RELAXED);
    }
  while (now - begin < get_patience (self, now));
}

static void
sleep_until_woken (AccWorkers *self)
{
  pthread_mutex_lock (&self->mutex);
  __atomic_add_fetch (&self->n_sleeping, 1, __ATOMIC_SEQ_CST);
  if (!is_called (self))
    pthread_cond_wait (&self->wake, &self->mutex);
  __atomic_sub_fetch (&self->n_sleeping, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock (&self->mutex);
}

static gpointer
worker_main (gpointer data)
{
  AccWorkers *self = data;
  guint home = __atomic_add_fetch (&self->n_homes, 1, __ATOMIC_SEQ_CST);
  Seat *seat = &self->seats[home];

  while (!__atomic_load_n (&self->stopping, __ATOMIC_RELAXED))
    {
      Slot *slot;

      if (acc_background_do_one (self->background))
        continue;
      slot = enter (self, seat);
      if (slot != NULL)
        {
          wake (self, count_for_others (slot->job, get_share (self, slot->job, home)));
          take_tiles (self, slot, home);
          leave (self, seat);
          continue;
        }
      look_out (self);
      if (!is_called (self))
        sleep_until_woken (self);
    }

  return NULL;
}

AccWorkers *
acc_workers_new (guint n_threads)
{
  AccWorkers *self = g_aligned_alloc0 (1, sizeof (AccWorkers), ACC_CACHE_LINE);
  long n_processors = sysconf (_SC_NPROCESSORS_ONLN);

  self->n_threads = MAX (n_threads, 1);
  self->stopped = -CROWD_MICROSECONDS;
  self->may_spin = n_processors < 0 || self->n_threads <= (guint) n_processors;
  pthread_mutex_init (&self->mutex, NULL);
  pthread_cond_init (&self->wake, NULL);
  pthread_cond_init (&self->done, NULL);
  self->threads = g_new0 (GThread *, self->n_threads);
  self->seats = g_aligned_alloc0 (self->n_threads, sizeof (Seat), ACC_CACHE_LINE);
  self->background = acc_background_new ();

  return self;
}

void
acc_workers_free (AccWorkers *self)
{
  g_assert (self->used == 0);

  pthread_mutex_lock (&self->mutex);
  __atomic_store_n (&self->stopping, TRUE, __ATOMIC_RELAXED);
  pthread_cond_broadcast (&self->wake);
  pthread_mutex_unlock (&self->mutex);

  for (guint i = 0; i < self->n_started; i++)
    g_thread_join (self->threads[i]);

  pthread_cond_destroy (&self->done);
  pthread_cond_destroy (&self->wake);
  pthread_mutex_destroy (&self->mutex);
  g_free (self->threads);
  g_aligned_free (self->seats);
  acc_background_free (self->background);
  g_aligned_free (self);
}

guint
acc_workers_get_n_threads (AccWorkers *self)
{
  return self->n_threads;
}

guint
acc_workers_get_n_started (AccWorkers *self)
{
  return __atomic_load_n (&self->n_started, __ATOMIC_RELAXED);
}

guint
acc_workers_get_n_sleeping (AccWorkers *self)
{
  return __atomic_load_n (&self->n_sleeping, __ATOMIC_RELAXED);
}

/* A machine that gives fewer threads than asked for makes runs slower, not wrong. */
static void
start_threads (AccWorkers *self,
               guint       wanted)
{
  if (__atomic_load_n (&self->n_started, __ATOMIC_RELAXED) >= wanted)
    return;

  pthread_mutex_lock (&self->mutex);
  while (self->n_started < wanted)
    {
      g_autofree char *name = g_strdup_printf ("acc-%u", self->n_started + 1);
      GThread *thread = g_thread_try_new (name, worker_main, self, NULL);

      if (thread == NULL)
        break;
      __atomic_store_n (&self->pid, getpid (), __ATOMIC_RELAXED);
      self->threads[self->n_started] = thread;
      __atomic_store_n (&self->n_started, self->n_started + 1, __ATOMIC_RELAXED);
    }
  pthread_mutex_unlock (&self->mutex);
}

/* NULL: so many jobs run already that no thread would join. */
static Slot *
take_slot (AccWorkers *self)
{
  guint64 used = __atomic_load_n (&self->used, __ATOMIC_RELAXED);

  while (used != G_MAXUINT64)
    {
      guint i = __builtin_ctzll (~used);

      if (__atomic_compare_exchange_n (&self->used, &used, used | G_GUINT64_CONSTANT (1) << i, FALSE, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return &self->slots[i];
    }

  return NULL;
}

static void
put_up (AccWorkers *self,
        Slot       *slot,
        Job        *job)
{
  start_threads (self, (guint) MIN ((gint64) self->n_threads - 1, job->n_claims - 1));
  slot->job = job;
  __atomic_fetch_or (&self->open, get_bit (self, slot), __ATOMIC_SEQ_CST);
  wake (self, job->n_claims - 1);
}

/* Whether no thread is inside from *home on, up to which the seats were found to be left. */
static gboolean
is_left (AccWorkers *self,
         Slot       *slot,
         guint      *home)
{
  for (guint n = __atomic_load_n (&self->n_homes, __ATOMIC_SEQ_CST); *home <= n; ++*home)
    if (__atomic_load_n (&self->seats[*home].slot, __ATOMIC_SEQ_CST) == slot)
      return FALSE;

  return TRUE;
}

static void
take_down (AccWorkers *self,
           Slot       *slot)
{
  guint home = 1;
  gint64 until;

  close_slot (self, slot);
  if (self->may_spin)
    for (until = g_get_monotonic_time () + SPIN_MICROSECONDS_IN_RUNS; !is_left (self, slot, &home) && g_get_monotonic_time () < until;)
      acc_relax ();

  if (!is_left (self, slot, &home))
    {
      pthread_mutex_lock (&self->mutex);
      __atomic_store_n (&slot->is_awaited, TRUE, __ATOMIC_SEQ_CST);
      while (!is_left (self, slot, &home))
        pthread_cond_wait (&self->done, &self->mutex);
      __atomic_store_n (&slot->is_awaited, FALSE, __ATOMIC_SEQ_CST);
      pthread_mutex_unlock (&self->mutex);
    }
  __atomic_fetch_and (&self->used, ~get_bit (self, slot), __ATOMIC_RELEASE);
}

static void
run (AccWorkers  *self,
     gint64       n_tiles,
     gint64       claim,
     guint        most_shares,
     AccTileFunc  function,
     gpointer     user_data)
{
  Slot *slot = self->n_threads > 1 && n_tiles > MAX (claim, 1) ? take_slot (self) : NULL;

  if (slot == NULL)
    {
      gint64 tile = 0;

      while (tile < n_tiles && function (tile, 0, user_data))
        tile++;
    }
  else
    {
      Job job;

      job.claim = MAX (claim, 1);
      job.n_claims = (n_tiles - 1) / job.claim + 1;
      job.function = function;
      job.user_data = user_data;
      job.n_shares = job.n_claims < self->n_threads ? 1 : MIN (self->n_threads, most_shares);
      for (guint i = 0; i < job.n_shares; i++)
        {
          job.shares[i].next = i == 0 ? 0 : job.shares[i - 1].end;
          job.shares[i].end = n_tiles / job.n_shares * (i + 1) + n_tiles % job.n_shares * (i + 1) / job.n_shares;
        }

      put_up (self, slot, &job);
      take_tiles (self, slot, 0);
      take_down (self, slot);
    }
}

void
acc_workers_run (AccWorkers  *self,
                 gint64       n_tiles,
                 gint64       claim,
                 AccTileFunc  function,
                 gpointer     user_data)
{
  run (self, n_tiles, claim, MAX_SHARES, function, user_data);
}

void
acc_workers_run_in_order (AccWorkers  *self,
                          gint64       n_tiles,
                          AccTileFunc  function,
                          gpointer     user_data)
{
  run (self, n_tiles, 1, 1, function, user_data);
}

gboolean
acc_workers_send (AccWorkers     *self,
                  GFunc           function,
                  gpointer        user_data,
                  GDestroyNotify  destroy)
{
  guint n = acc_background_get_n (self->background);

  start_threads (self, MIN (self->n_threads - 1, n + 1));
  if (acc_workers_get_n_started (self) == 0 || __atomic_load_n (&self->pid, __ATOMIC_RELAXED) != getpid ())
    {
      destroy (user_data);
      return FALSE;
    }

  if (!acc_background_add (self->background, function, user_data, destroy))
    return FALSE;
  wake (self, 1);

  return TRUE;
}

gboolean
acc_workers_withdraw (AccWorkers    *self,
                      gconstpointer  user_data)
{
  return acc_background_withdraw (self->background, user_data);
}

gboolean
acc_workers_are_in_jobs (AccWorkers *self)
{
  guint n = __atomic_load_n (&self->n_homes, __ATOMIC_SEQ_CST);

  for (guint home = 1; home <= n; home++)
    if (__atomic_load_n (&self->seats[home].slot, __ATOMIC_SEQ_CST) == NULL)
      return FALSE;

  return n >= acc_workers_get_n_started (self);
}

void
acc_workers_end_background (AccWorkers *self)
{
  acc_background_end (self->background);
}

void
acc_workers_begin_run (AccWorkers *self)
{
  __atomic_add_fetch (&self->n_runs, 1, __ATOMIC_RELAXED);
}

void
acc_workers_end_run (AccWorkers *self)
{
  __atomic_sub_fetch (&self->n_runs, 1, __ATOMIC_RELAXED);
}
