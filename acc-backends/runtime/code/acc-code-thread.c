/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-code-private.h"

#include <unistd.h>

/* Compiles on a thread of its own for callers that may be cancelled, since compilers cannot be interrupted. A cancelled caller returns at
 * once; the kernel under way is finished and kept, those that have not begun are dropped. */

typedef struct {
  AccCode        *code;
  AccCodeRequest *requests;     /* a copy, each with its kernel counted */
  guint           n_requests;
  GCancellable   *own;          /* cancelled when no caller waits */
  guint           n_refs;       /* this and the next: under the lock of the table */
  gboolean        is_done;
  gboolean        is_made;
  GError         *error;
} Making;

static Making *
making_new (AccCode              *self,
            const AccCodeRequest *requests,
            guint                 n_requests)
{
  Making *making = g_new0 (Making, 1);

  making->code = self;
  making->requests = g_memdup2 (requests, n_requests * sizeof *requests);
  making->n_requests = n_requests;
  making->own = g_cancellable_new ();
  making->n_refs = 2;
  for (guint i = 0; i < n_requests; i++)
    acc_kernel_ref (requests[i].kernel);

  return making;
}

static void
making_unref (Making *making)
{
  gboolean is_last;

  pthread_mutex_lock (&making->code->table_mutex);
  is_last = --making->n_refs == 0;
  pthread_mutex_unlock (&making->code->table_mutex);
  if (!is_last)
    return;

  for (guint i = 0; i < making->n_requests; i++)
    acc_kernel_unref (making->requests[i].kernel);
  g_free (making->requests);
  g_clear_error (&making->error);
  g_object_unref (making->own);
  g_free (making);
}

static void
make (gpointer data,
      gpointer unused)
{
  Making *making = data;

  making->is_made = _acc_code_make (making->code, making->requests, making->n_requests, making->own, &making->error);
}

/* Also of one that was not begun, as the process ends. */
static void
leave (gpointer data)
{
  Making *making = data;
  AccCode *self = making->code;

  pthread_mutex_lock (&self->table_mutex);
  making->is_done = TRUE;
  pthread_cond_broadcast (&self->made);
  pthread_mutex_unlock (&self->table_mutex);
  making_unref (making);
}

static gpointer
maker_main (gpointer data)
{
  AccCode *self = data;
  gboolean is_ending = FALSE;

  while (!is_ending)
    {
      if (acc_background_do_one (self->makings))
        continue;
      pthread_mutex_lock (&self->table_mutex);
      while (!(is_ending = self->is_ending) && acc_background_get_n (self->makings) == 0)
        pthread_cond_wait (&self->made, &self->table_mutex);
      pthread_mutex_unlock (&self->table_mutex);
    }

  return NULL;
}

/* FALSE: there is no thread, as in a copy of the process that had it. */
static gboolean
start (AccCode *self)
{
  gboolean has_thread;

  pthread_mutex_lock (&self->table_mutex);
  if (self->maker_thread == NULL)
    {
      self->maker_thread = g_thread_try_new ("acc-code", maker_main, self, NULL);
      self->maker_pid = getpid ();
    }
  has_thread = self->maker_thread != NULL && self->maker_pid == getpid ();
  pthread_mutex_unlock (&self->table_mutex);

  return has_thread;
}

static void
on_cancelled (GCancellable *cancellable,
              gpointer      data)
{
  Making *making = data;

  g_cancellable_cancel (making->own);
  pthread_mutex_lock (&making->code->table_mutex);
  pthread_cond_broadcast (&making->code->made);
  pthread_mutex_unlock (&making->code->table_mutex);
}

/* FALSE: cancelled before that. */
static gboolean
wait_for (Making       *making,
          GCancellable *cancellable)
{
  AccCode *self = making->code;
  gulong handler = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), making, NULL);
  gboolean is_done;

  pthread_mutex_lock (&self->table_mutex);
  while (!(is_done = making->is_done) && !g_cancellable_is_cancelled (making->own))
    pthread_cond_wait (&self->made, &self->table_mutex);
  pthread_mutex_unlock (&self->table_mutex);
  if (handler != 0)
    g_cancellable_disconnect (cancellable, handler);

  return is_done;
}

gboolean
_acc_code_make_on_thread (AccCode         *self,
                          AccCodeRequest  *requests,
                          guint            n_requests,
                          GCancellable    *cancellable,
                          GError         **error)
{
  Making *making;
  gboolean is_made = FALSE;

  if (cancellable == NULL || !start (self))
    return _acc_code_make (self, requests, n_requests, cancellable, error);

  making = making_new (self, requests, n_requests);
  acc_background_add (self->makings, make, making, leave);
  pthread_mutex_lock (&self->table_mutex);
  pthread_cond_broadcast (&self->made);
  pthread_mutex_unlock (&self->table_mutex);

  if (!wait_for (making, cancellable))
    {
      _acc_code_prepare_exit_now (self);
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The run was cancelled");
    }
  else
    {
      is_made = making->is_made;
      for (guint i = 0; i < n_requests && is_made; i++)
        requests[i] = making->requests[i];
      if (!is_made && making->error != NULL)
        g_propagate_error (error, g_steal_pointer (&making->error));
      else if (!is_made)
        g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The process ends");
    }
  making_unref (making);

  return is_made;
}

void
_acc_code_end_thread (AccCode *self)
{
  pthread_mutex_lock (&self->table_mutex);
  self->is_ending = TRUE;
  pthread_cond_broadcast (&self->made);
  pthread_mutex_unlock (&self->table_mutex);

  acc_background_end (self->makings);
  if (self->maker_thread != NULL && self->maker_pid == getpid ())
    g_thread_join (self->maker_thread);
  acc_background_free (self->makings);
}
