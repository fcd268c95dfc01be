/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-workers.h"

#include "acc-relax.h"

#include <pthread.h>
#include <unistd.h>

/* Work assisting after de Wolff, van Balen, Keller and McDonell: a running job is one object with counters of tiles that idle
 * threads join; nothing is forked per range of tiles. There is a counter for each thread's share of the tiles, so that jobs of the
 * same extents find most of their memory in the cache, or on the node, of who had it before; whoever is done with its own goes on
 * with the others'.
 *
 * The list of jobs is guarded by one mutex, taken once per job by each thread that joins it. Plain POSIX locks, since thread
 * sanitizers see through those. */

/* What a thread without work, or one that waits for others, looks out for before it sleeps: about what it costs to be woken, or
 * longer where the next job of a run is soon to come. */
#define SPIN_MICROSECONDS         30
#define SPIN_MICROSECONDS_IN_RUNS 300

#define WAKES      2
#define MAX_SHARES 64

typedef struct {
  gint64 next __attribute__ ((aligned (ACC_CACHE_LINE)));  /* atomic: first tile not claimed */
  gint64 end;
} Share;

typedef struct _Job Job;

struct _Job {
  gint        n_inside __attribute__ ((aligned (ACC_CACHE_LINE)));  /* atomic: workers in the job */
  gint        is_claimed;                                       /* atomic: all tiles are */
  guint       n_joined;                                         /* under the lock */
  gint64      n_claims;
  gint64      claim;
  AccTileFunc function;
  gpointer    user_data;
  Job        *newer;
  guint       n_shares;
  Share       shares[MAX_SHARES];   /* the first are there */
};

struct _AccWorkers {
  guint           n_threads;
  gboolean        may_spin;
  pthread_mutex_t mutex;
  pthread_cond_t  wake;       /* a job has come, or the end */
  pthread_cond_t  done;       /* a worker has left a job as the last one */
  Job            *jobs;       /* oldest first */
  guint           n_sleeping;
  guint           n_started;
  guint           n_homes;    /* of threads that are at work or were: each its own share */
  gboolean        stopping;
  GThread       **threads;
  guint           generation __attribute__ ((aligned (ACC_CACHE_LINE)));  /* atomic: counts jobs put up */
  guint           n_runs;                                             /* atomic */
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

static void
take_share (Job   *job,
            Share *share,
            guint  worker)
{
  while (has_tiles (share))
    {
      gint64 begin = __atomic_fetch_add (&share->next, job->claim, __ATOMIC_RELAXED);

      for (gint64 tile = begin, end = MIN (begin + job->claim, share->end); tile < end; tile++)
        job->function (tile, worker, job->user_data);
    }
}

/* @home: 0 for the caller; those from 1 on are of workers */
static void
take_tiles (AccWorkers *self,
            Job        *job,
            guint       worker,
            guint       home)
{
  guint first = get_share (self, job, home) - job->shares;

  for (guint i = first; i < job->n_shares; i++)
    take_share (job, &job->shares[i], worker);
  for (guint i = 0; i < first; i++)
    take_share (job, &job->shares[i], worker);
  __atomic_store_n (&job->is_claimed, TRUE, __ATOMIC_RELAXED);
}

/* Under the lock. */
static Job *
find_job (AccWorkers *self)
{
  for (Job *job = self->jobs; job != NULL; job = job->newer)
    if (!__atomic_load_n (&job->is_claimed, __ATOMIC_RELAXED))
      return job;

  return NULL;
}

/* Under the lock: how many sleepers whoever comes to a job wakes. Each one that comes wakes as many, so that all are there after as
 * many turns as the logarithm of their number, and the caller need not wake them all. */
static guint
count_wanted (AccWorkers *self,
              Job        *job)
{
  guint n = MIN (self->n_sleeping, WAKES);

  return (guint) CLAMP (job->n_claims - 1 - job->n_joined, 0, (gint64) n);
}

/* Without the lock, which they need. */
static void
wake (AccWorkers *self,
      guint       n)
{
  for (guint i = 0; i < n; i++)
    pthread_cond_signal (&self->wake);
}

static gint64
get_patience (AccWorkers *self)
{
  return __atomic_load_n (&self->n_runs, __ATOMIC_RELAXED) > 0 ? SPIN_MICROSECONDS_IN_RUNS : SPIN_MICROSECONDS;
}

/* Whether a job came soon. */
static gboolean
spin_for_job (AccWorkers *self,
              guint       seen)
{
  gint64 begin;

  if (!self->may_spin)
    return FALSE;

  begin = g_get_monotonic_time ();
  do
    {
      for (guint i = 0; i < 32; i++)
        {
          if (__atomic_load_n (&self->generation, __ATOMIC_RELAXED) != seen)
            return TRUE;
          acc_relax ();
        }
    }
  while (g_get_monotonic_time () - begin < get_patience (self));

  return FALSE;
}

static gpointer
worker_main (gpointer data)
{
  AccWorkers *self = data;
  guint home;

  pthread_mutex_lock (&self->mutex);
  home = ++self->n_homes;
  while (!self->stopping)
    {
      Job *job = find_job (self);

      if (job != NULL)
        {
          guint worker = ++job->n_joined, n_woken = count_wanted (self, job);

          __atomic_add_fetch (&job->n_inside, 1, __ATOMIC_RELAXED);
          pthread_mutex_unlock (&self->mutex);

          /* Where others are through with its share, they are soon with all. */
          if (has_tiles (get_share (self, job, home)))
            wake (self, n_woken);
          take_tiles (self, job, worker, home);

          pthread_mutex_lock (&self->mutex);
          if (__atomic_sub_fetch (&job->n_inside, 1, __ATOMIC_RELEASE) == 0)
            pthread_cond_broadcast (&self->done);
        }
      else
        {
          guint seen = __atomic_load_n (&self->generation, __ATOMIC_RELAXED);
          gboolean came;

          pthread_mutex_unlock (&self->mutex);
          came = spin_for_job (self, seen);
          pthread_mutex_lock (&self->mutex);

          if (!came && !self->stopping && find_job (self) == NULL)
            {
              self->n_sleeping++;
              pthread_cond_wait (&self->wake, &self->mutex);
              self->n_sleeping--;
            }
        }
    }
  pthread_mutex_unlock (&self->mutex);

  return NULL;
}

AccWorkers *
acc_workers_new (guint n_threads)
{
  AccWorkers *self = g_aligned_alloc0 (1, sizeof (AccWorkers), ACC_CACHE_LINE);
  long n_processors = sysconf (_SC_NPROCESSORS_ONLN);

  self->n_threads = MAX (n_threads, 1);
  self->may_spin = n_processors < 0 || self->n_threads <= (guint) n_processors;
  pthread_mutex_init (&self->mutex, NULL);
  pthread_cond_init (&self->wake, NULL);
  pthread_cond_init (&self->done, NULL);
  self->threads = g_new0 (GThread *, self->n_threads);

  return self;
}

void
acc_workers_free (AccWorkers *self)
{
  g_assert (self->jobs == NULL);

  pthread_mutex_lock (&self->mutex);
  self->stopping = TRUE;
  __atomic_add_fetch (&self->generation, 1, __ATOMIC_RELAXED);
  pthread_cond_broadcast (&self->wake);
  pthread_mutex_unlock (&self->mutex);

  for (guint i = 0; i < self->n_started; i++)
    g_thread_join (self->threads[i]);

  pthread_cond_destroy (&self->done);
  pthread_cond_destroy (&self->wake);
  pthread_mutex_destroy (&self->mutex);
  g_free (self->threads);
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
  guint n;

  pthread_mutex_lock (&self->mutex);
  n = self->n_started;
  pthread_mutex_unlock (&self->mutex);

  return n;
}

guint
acc_workers_get_n_sleeping (AccWorkers *self)
{
  guint n;

  pthread_mutex_lock (&self->mutex);
  n = self->n_sleeping;
  pthread_mutex_unlock (&self->mutex);

  return n;
}

/* Under the lock. A machine that gives fewer threads than asked for makes runs slower, not wrong. */
static void
start_threads (AccWorkers *self,
               guint       wanted)
{
  while (self->n_started < wanted)
    {
      g_autofree char *name = g_strdup_printf ("acc-%u", self->n_started + 1);
      GThread *thread = g_thread_try_new (name, worker_main, self, NULL);

      if (thread == NULL)
        return;
      self->threads[self->n_started++] = thread;
    }
}

static void
put_up (AccWorkers *self,
        Job        *job)
{
  guint helpers = (guint) MIN ((gint64) self->n_threads - 1, job->n_claims - 1), n_woken;
  Job **end;

  pthread_mutex_lock (&self->mutex);
  if (self->n_started < helpers)
    start_threads (self, helpers);
  for (end = &self->jobs; *end != NULL; end = &(*end)->newer)
    ;
  *end = job;
  __atomic_add_fetch (&self->generation, 1, __ATOMIC_RELAXED);
  n_woken = count_wanted (self, job);
  pthread_mutex_unlock (&self->mutex);

  wake (self, n_woken);
}

static void
take_down (AccWorkers *self,
           Job        *job)
{
  gint64 until;
  Job **link;

  pthread_mutex_lock (&self->mutex);
  for (link = &self->jobs; *link != job; link = &(*link)->newer)
    ;
  *link = job->newer;
  pthread_mutex_unlock (&self->mutex);

  if (self->may_spin)
    for (until = g_get_monotonic_time () + SPIN_MICROSECONDS_IN_RUNS;
         __atomic_load_n (&job->n_inside, __ATOMIC_ACQUIRE) != 0 && g_get_monotonic_time () < until;)
      acc_relax ();

  if (__atomic_load_n (&job->n_inside, __ATOMIC_ACQUIRE) != 0)
    {
      pthread_mutex_lock (&self->mutex);
      while (__atomic_load_n (&job->n_inside, __ATOMIC_ACQUIRE) != 0)
        pthread_cond_wait (&self->done, &self->mutex);
      pthread_mutex_unlock (&self->mutex);
    }
}

static void
run (AccWorkers  *self,
     gint64       n_tiles,
     gint64       claim,
     guint        most_shares,
     AccTileFunc  function,
     gpointer     user_data)
{
  if (self->n_threads == 1 || n_tiles <= MAX (claim, 1))
    {
      for (gint64 tile = 0; tile < n_tiles; tile++)
        function (tile, 0, user_data);
    }
  else
    {
      Job job;

      job.n_inside = job.is_claimed = FALSE;
      job.n_joined = 0;
      job.claim = MAX (claim, 1);
      job.n_claims = (n_tiles - 1) / job.claim + 1;
      job.function = function;
      job.user_data = user_data;
      job.newer = NULL;
      job.n_shares = job.n_claims < self->n_threads ? 1 : MIN (self->n_threads, most_shares);
      for (guint i = 0; i < job.n_shares; i++)
        {
          job.shares[i].next = i == 0 ? 0 : job.shares[i - 1].end;
          job.shares[i].end = n_tiles / job.n_shares * (i + 1) + n_tiles % job.n_shares * (i + 1) / job.n_shares;
        }

      put_up (self, &job);
      take_tiles (self, &job, 0, 0);
      take_down (self, &job);
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
