/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-background.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  GFunc          function;
  gpointer       user_data;
  GDestroyNotify destroy;
} Task;

/* Plain POSIX locks, as those of workers. */
struct _AccBackground {
  pthread_mutex_t mutex;
  pthread_cond_t  done;
  GQueue          queue;        /* Task, not begun */
  guint           n;            /* atomic, changed under the lock: how many those are */
  guint           n_under_way;
  gboolean        has_ended;
};

static struct {
  pthread_mutex_t mutex;
  GPtrArray      *all;          /* AccBackground */
  pid_t           pid;          /* the process that is guarded; after a fork the child has no threads */
} live = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void
task_free (gpointer data)
{
  Task *task = data;

  task->destroy (task->user_data);
  g_free (task);
}

AccBackground *
acc_background_new (void)
{
  AccBackground *self = g_new0 (AccBackground, 1);

  pthread_mutex_init (&self->mutex, NULL);
  pthread_cond_init (&self->done, NULL);
  g_queue_init (&self->queue);

  pthread_mutex_lock (&live.mutex);
  if (live.all == NULL)
    live.all = g_ptr_array_new ();
  g_ptr_array_add (live.all, self);
  pthread_mutex_unlock (&live.mutex);

  return self;
}

void
acc_background_free (AccBackground *self)
{
  acc_background_end (self);

  pthread_mutex_lock (&live.mutex);
  g_ptr_array_remove_fast (live.all, self);
  pthread_mutex_unlock (&live.mutex);

  pthread_cond_destroy (&self->done);
  pthread_mutex_destroy (&self->mutex);
  g_free (self);
}

static void
set_n (AccBackground *self)
{
  __atomic_store_n (&self->n, self->queue.length, __ATOMIC_SEQ_CST);
}

gboolean
acc_background_add (AccBackground  *self,
                    GFunc           function,
                    gpointer        user_data,
                    GDestroyNotify  destroy)
{
  Task *task = g_new (Task, 1);
  gboolean is_taken;

  *task = (Task) { function, user_data, destroy };
  pthread_mutex_lock (&self->mutex);
  is_taken = !self->has_ended;
  if (is_taken)
    g_queue_push_tail (&self->queue, task);
  set_n (self);
  pthread_mutex_unlock (&self->mutex);

  if (!is_taken)
    task_free (task);

  return is_taken;
}

gboolean
acc_background_withdraw (AccBackground *self,
                         gconstpointer  user_data)
{
  Task *found = NULL;

  pthread_mutex_lock (&self->mutex);
  for (GList *l = self->queue.head; l != NULL && found == NULL; l = l->next)
    if (((Task *) l->data)->user_data == user_data)
      {
        found = l->data;
        g_queue_delete_link (&self->queue, l);
      }
  set_n (self);
  pthread_mutex_unlock (&self->mutex);

  g_free (found);

  return found != NULL;
}

guint
acc_background_get_n (AccBackground *self)
{
  return __atomic_load_n (&self->n, __ATOMIC_SEQ_CST);
}

gboolean
acc_background_do_one (AccBackground *self)
{
  Task *task;

  if (acc_background_get_n (self) == 0)
    return FALSE;

  pthread_mutex_lock (&self->mutex);
  task = g_queue_pop_head (&self->queue);
  set_n (self);
  self->n_under_way += task != NULL;
  pthread_mutex_unlock (&self->mutex);
  if (task == NULL)
    return FALSE;

  task->function (task->user_data, NULL);
  task_free (task);

  pthread_mutex_lock (&self->mutex);
  if (--self->n_under_way == 0)
    pthread_cond_broadcast (&self->done);
  pthread_mutex_unlock (&self->mutex);

  return TRUE;
}

void
acc_background_end (AccBackground *self)
{
  GQueue left;

  pthread_mutex_lock (&self->mutex);
  self->has_ended = TRUE;
  left = self->queue;
  g_queue_init (&self->queue);
  set_n (self);
  while (self->n_under_way > 0)
    pthread_cond_wait (&self->done, &self->mutex);
  pthread_mutex_unlock (&self->mutex);

  g_queue_clear_full (&left, task_free);
}

static void
end_all (void)
{
  if (getpid () != live.pid)
    return;

  pthread_mutex_lock (&live.mutex);
  for (guint i = 0; i < live.all->len; i++)
    acc_background_end (live.all->pdata[i]);
  pthread_mutex_unlock (&live.mutex);
}

void
acc_background_guard_exit (void)
{
  static gsize is_guarded = 0;

  /* Without the lock: the exit waits for this thread while it holds it. */
  if (g_once_init_enter (&is_guarded))
    {
      live.pid = getpid ();
      atexit (end_all);
      g_once_init_leave (&is_guarded, 1);
    }
}
