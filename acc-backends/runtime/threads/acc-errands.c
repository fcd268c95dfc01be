/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-errands.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  GFunc          function;
  gpointer       user_data;
  GDestroyNotify destroy;
} Errand;

/* Plain POSIX locks, as those of workers. */
struct _AccErrands {
  pthread_mutex_t mutex;
  pthread_cond_t  done;
  GQueue          queue;        /* Errand, not begun */
  guint           n;            /* atomic, changed under the lock: how many those are */
  guint           n_under_way;
  gboolean        has_ended;
};

static struct {
  pthread_mutex_t mutex;
  GPtrArray      *all;          /* AccErrands */
  pid_t           pid;          /* of the process that is guarded; a copy of it has no threads */
} live = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void
errand_free (gpointer data)
{
  Errand *errand = data;

  errand->destroy (errand->user_data);
  g_free (errand);
}

AccErrands *
acc_errands_new (void)
{
  AccErrands *self = g_new0 (AccErrands, 1);

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
acc_errands_free (AccErrands *self)
{
  acc_errands_end (self);

  pthread_mutex_lock (&live.mutex);
  g_ptr_array_remove_fast (live.all, self);
  pthread_mutex_unlock (&live.mutex);

  pthread_cond_destroy (&self->done);
  pthread_mutex_destroy (&self->mutex);
  g_free (self);
}

static void
set_n (AccErrands *self)
{
  __atomic_store_n (&self->n, self->queue.length, __ATOMIC_SEQ_CST);
}

gboolean
acc_errands_add (AccErrands     *self,
                 GFunc           function,
                 gpointer        user_data,
                 GDestroyNotify  destroy)
{
  Errand *errand = g_new (Errand, 1);
  gboolean is_taken;

  *errand = (Errand) { function, user_data, destroy };
  pthread_mutex_lock (&self->mutex);
  is_taken = !self->has_ended;
  if (is_taken)
    g_queue_push_tail (&self->queue, errand);
  set_n (self);
  pthread_mutex_unlock (&self->mutex);

  if (!is_taken)
    errand_free (errand);

  return is_taken;
}

gboolean
acc_errands_withdraw (AccErrands    *self,
                      gconstpointer  user_data)
{
  Errand *found = NULL;

  pthread_mutex_lock (&self->mutex);
  for (GList *l = self->queue.head; l != NULL && found == NULL; l = l->next)
    if (((Errand *) l->data)->user_data == user_data)
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
acc_errands_get_n (AccErrands *self)
{
  return __atomic_load_n (&self->n, __ATOMIC_SEQ_CST);
}

gboolean
acc_errands_do_one (AccErrands *self)
{
  Errand *errand;

  if (acc_errands_get_n (self) == 0)
    return FALSE;

  pthread_mutex_lock (&self->mutex);
  errand = g_queue_pop_head (&self->queue);
  set_n (self);
  self->n_under_way += errand != NULL;
  pthread_mutex_unlock (&self->mutex);
  if (errand == NULL)
    return FALSE;

  errand->function (errand->user_data, NULL);
  errand_free (errand);

  pthread_mutex_lock (&self->mutex);
  if (--self->n_under_way == 0)
    pthread_cond_broadcast (&self->done);
  pthread_mutex_unlock (&self->mutex);

  return TRUE;
}

void
acc_errands_end (AccErrands *self)
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

  g_queue_clear_full (&left, errand_free);
}

static void
end_all (void)
{
  if (getpid () != live.pid)
    return;

  pthread_mutex_lock (&live.mutex);
  for (guint i = 0; i < live.all->len; i++)
    acc_errands_end (live.all->pdata[i]);
  pthread_mutex_unlock (&live.mutex);
}

void
acc_errands_guard_exit (void)
{
  static gsize is_guarded = 0;

  /* Without the lock: who comes here at the end is waited for while that is held. */
  if (g_once_init_enter (&is_guarded))
    {
      live.pid = getpid ();
      atexit (end_all);
      g_once_init_leave (&is_guarded, 1);
    }
}
