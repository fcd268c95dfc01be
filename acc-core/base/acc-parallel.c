/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-parallel-private.h"

#include <string.h>

#define MAX_THREADS 16
#define COPY_PIECE  ((gsize) 512 << 10)

typedef struct {
  gatomicrefcount ref_count;   /* of the caller, and of each thread that was asked */
  AccParallelFunc func;
  gpointer        data;
  GMutex          lock;
  GCond           cond;
  guint           n_inside;
  gboolean        closed;      /* late threads do not enter */
} Job;

static void
job_unref (Job *job)
{
  if (!g_atomic_ref_count_dec (&job->ref_count))
    return;

  g_mutex_clear (&job->lock);
  g_cond_clear (&job->cond);
  g_free (job);
}

static void
join_job (gpointer data, gpointer user_data)
{
  Job *job = data;
  gboolean late;

  g_mutex_lock (&job->lock);
  late = job->closed;
  job->n_inside += !late;
  g_mutex_unlock (&job->lock);

  if (!late)
    {
      job->func (job->data);

      g_mutex_lock (&job->lock);
      if (--job->n_inside == 0)
        g_cond_signal (&job->cond);
      g_mutex_unlock (&job->lock);
    }
  job_unref (job);
}

typedef struct {
  GThreadPool *threads;   /* NULL: none can be had */
  guint        n;         /* that work together, the caller's included */
} Team;

static const Team *
get_team (void)
{
  static Team team;
  static gsize ready;

  if (g_once_init_enter (&ready))
    {
      g_autoptr(GError) error = NULL;

      team.n = CLAMP (acc_machine_get_n_processors (), 1, MAX_THREADS);
      if (team.n > 1)
        team.threads = g_thread_pool_new (join_job, NULL, (gint) team.n - 1, TRUE, &error);
      if (error != NULL)
        team.threads = NULL;
      g_once_init_leave (&ready, 1);
    }

  return &team;
}

void
acc_parallel_run (guint64 n_pieces, AccParallelFunc func, gpointer data)
{
  const Team *team = n_pieces > 1 ? get_team () : NULL;
  guint n_others = team != NULL && team->threads != NULL ? (guint) MIN (n_pieces, team->n) - 1 : 0;
  Job *job;

  if (n_others == 0)
    {
      func (data);
      return;
    }

  job = g_new0 (Job, 1);
  g_atomic_ref_count_init (&job->ref_count);
  job->func = func;
  job->data = data;
  g_mutex_init (&job->lock);
  g_cond_init (&job->cond);

  for (guint i = 0; i < n_others; i++)
    {
      g_atomic_ref_count_inc (&job->ref_count);
      g_thread_pool_push (team->threads, job, NULL);
    }
  func (data);

  g_mutex_lock (&job->lock);
  job->closed = TRUE;
  while (job->n_inside > 0)
    g_cond_wait (&job->cond, &job->lock);
  g_mutex_unlock (&job->lock);
  job_unref (job);
}

typedef struct {
  guint8       *to;
  const guint8 *from;
  gsize         size;
  gsize         next;   /* atomic: bytes that are taken */
} Copy;

static void
copy_pieces (gpointer data)
{
  Copy *copy = data;
  gsize begin;

  while ((begin = __atomic_fetch_add (&copy->next, COPY_PIECE, __ATOMIC_RELAXED)) < copy->size)
    memcpy (copy->to + begin, copy->from + begin, MIN (copy->size - begin, COPY_PIECE));
}

void
acc_parallel_copy (gpointer to, gconstpointer from, gsize size)
{
  Copy copy = { to, from, size, 0 };

  if (size > 0)
    acc_parallel_run (size / COPY_PIECE, copy_pieces, &copy);
}
