/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-code-private.h"

/* Kernels that workers optimise as background tasks. */

/* One kernel. */
typedef struct {
  CodeKey     key;       /* of .missing */
  AccCode    *code;
  MissingCode missing;
  /* Under the lock of the table. */
  gboolean    has_begun;
  gboolean    is_left;   /* no run waits for it */
} Task;

gboolean
_acc_code_is_under_way (AccCode              *self,
                        const AccCodeRequest *request)
{
  const CodeKey key = _acc_code_key (request->kernel, request->variant);

  return g_hash_table_contains (self->under_way, &key);
}

/* Wakes those that wait for the kernel: it is in the table now, or will not be. With the lock of the table. */
static void
leave (Task *task)
{
  AccCode *self = task->code;

  if (g_hash_table_lookup (self->under_way, &task->key) == task)
    g_hash_table_remove (self->under_way, &task->key);
  pthread_cond_broadcast (&self->optimised);
}

static void
task_free (gpointer data)
{
  Task *task = data;
  AccCode *self = task->code;

  pthread_mutex_lock (&self->table_mutex);
  leave (task);
  pthread_mutex_unlock (&self->table_mutex);

  _acc_code_missing_clear (&task->missing);
  g_free (task);
}

/* From now on the process may end while tasks are under way: it waits for them first. */
static void
prepare_exit (AccCode *self)
{
  if (self->maker.prepare_exit != NULL)
    self->maker.prepare_exit (self->maker.user_data);
  acc_background_guard_exit ();

  pthread_mutex_lock (&self->table_mutex);
  __atomic_store_n (&self->is_exit_ready, TRUE, __ATOMIC_RELEASE);
  pthread_cond_broadcast (&self->optimised);
  pthread_mutex_unlock (&self->table_mutex);
}

static gboolean
is_exit_ready (AccCode *self)
{
  return __atomic_load_n (&self->is_exit_ready, __ATOMIC_ACQUIRE);
}

void
_acc_code_prepare_exit_now (AccCode *self)
{
  if (!is_exit_ready (self))
    prepare_exit (self);
}

static void
optimise (gpointer data,
          gpointer unused)
{
  Task *task = data;
  AccCode *self = task->code;
  gboolean is_left, is_last;

  pthread_mutex_lock (&self->table_mutex);
  task->has_begun = TRUE;
  is_left = task->is_left;
  pthread_mutex_unlock (&self->table_mutex);
  if (is_left)
    _acc_code_prepare_exit_now (self);

  _acc_code_improve (self, &task->missing, TRUE);

  pthread_mutex_lock (&self->table_mutex);
  is_left = task->is_left;
  is_last = g_hash_table_size (self->under_way) == 1;
  if (!is_left || is_last)
    leave (task);
  pthread_mutex_unlock (&self->table_mutex);

  /* For those that are still under way. */
  if (is_left && !is_last)
    _acc_code_prepare_exit_now (self);
}

gboolean
_acc_code_send (AccCode              *self,
                const AccCodeRequest *request,
                gboolean              is_left)
{
  Task *task = NULL;

  pthread_mutex_lock (&self->table_mutex);
  if (!_acc_code_is_under_way (self, request))
    {
      task = g_new0 (Task, 1);
      task->code = self;
      task->is_left = is_left;
      task->missing = (MissingCode) { .kernel = acc_kernel_ref (request->kernel), .variant = request->variant };
      task->key = _acc_code_key (request->kernel, request->variant);
      g_hash_table_insert (self->under_way, &task->key, task);
    }
  pthread_mutex_unlock (&self->table_mutex);

  return task == NULL || acc_workers_send (self->workers, optimise, task, task_free);
}

/* Counts the tasks that no worker has begun. With the lock of the table. */
static guint
count_waiting (AccCode *self)
{
  GHashTableIter iter;
  gpointer task;
  guint n = 0;

  g_hash_table_iter_init (&iter, self->under_way);
  while (g_hash_table_iter_next (&iter, NULL, &task))
    n += !((Task *) task)->has_begun;

  return n;
}

/* Whether a worker will begin soon: one that was not woken yet, or that optimises. With the lock of the table. */
static gboolean
is_soon (AccCode *self)
{
  return !acc_workers_are_in_jobs (self->workers) && count_waiting (self) <= acc_workers_get_n_threads (self->workers);
}

void
_acc_code_wait_for (AccCode               *self,
                    GPtrArray             *sent,
                    const struct timespec *until)
{
  gboolean is_late = FALSE;

  for (guint i = 0; i < sent->len; i++)
    {
      const AccCodeRequest *request = sent->pdata[i];
      const CodeKey key = _acc_code_key (request->kernel, request->variant);
      Task *task;

      pthread_mutex_lock (&self->table_mutex);
      while ((task = g_hash_table_lookup (self->under_way, &key)) != NULL && !is_late)
        is_late = pthread_cond_timedwait (&self->optimised, &self->table_mutex, until) != 0;
      if (task != NULL && (is_soon (self) || !acc_workers_withdraw (self->workers, task)))
        {
          task->is_left = TRUE;
          task = NULL;
        }
      pthread_mutex_unlock (&self->table_mutex);
      if (task != NULL)
        task_free (task);
    }
}

void
acc_code_prepare_exit (AccCode *self)
{
  gboolean is_ready, is_late = FALSE;
  struct timespec until;

  if (self->maker.baseline == 0 || is_exit_ready (self))
    return;

  /* The worker that optimises makes the exit safe, if that does not take too long. */
  until = _acc_code_get_patience ();
  pthread_mutex_lock (&self->table_mutex);
  while (!(is_ready = self->is_exit_ready || g_hash_table_size (self->under_way) == 0) && count_waiting (self) == 0 && !is_late)
    is_late = pthread_cond_timedwait (&self->optimised, &self->table_mutex, &until) != 0;
  pthread_mutex_unlock (&self->table_mutex);
  if (!is_ready)
    prepare_exit (self);
}
