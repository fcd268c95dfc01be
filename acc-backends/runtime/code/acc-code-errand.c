/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-code-private.h"

/* A kernel that a worker optimises. */
typedef struct {
  CodeKey     key;       /* of .missing */
  AccCode    *code;
  MissingCode missing;
  /* Under the lock of the table. */
  gboolean    has_begun;
  gboolean    is_left;   /* nobody waits for it */
} Errand;

gboolean
_acc_code_is_under_way (AccCode              *self,
                        const AccCodeRequest *request)
{
  const CodeKey key = _acc_code_key (request->kernel, request->variant);

  return g_hash_table_contains (self->under_way, &key);
}

/* Those that wait for it look for it in the table, or find that it will not be there. With the lock of the table. */
static void
leave (Errand *errand)
{
  AccCode *self = errand->code;

  if (g_hash_table_lookup (self->under_way, &errand->key) == errand)
    g_hash_table_remove (self->under_way, &errand->key);
  pthread_cond_broadcast (&self->optimised);
}

static void
errand_free (gpointer data)
{
  Errand *errand = data;
  AccCode *self = errand->code;

  pthread_mutex_lock (&self->table_mutex);
  leave (errand);
  pthread_mutex_unlock (&self->table_mutex);

  _acc_code_missing_clear (&errand->missing);
  g_free (errand);
}

/* From now on the process may end while errands are under way: it waits for them first. */
static void
settle (AccCode *self)
{
  if (self->maker.settle != NULL)
    self->maker.settle (self->maker.user_data);
  acc_errands_guard_exit ();

  pthread_mutex_lock (&self->table_mutex);
  __atomic_store_n (&self->is_settled, TRUE, __ATOMIC_RELEASE);
  pthread_cond_broadcast (&self->optimised);
  pthread_mutex_unlock (&self->table_mutex);
}

static gboolean
is_settled (AccCode *self)
{
  return __atomic_load_n (&self->is_settled, __ATOMIC_ACQUIRE);
}

void
_acc_code_settle_now (AccCode *self)
{
  if (!is_settled (self))
    settle (self);
}

static void
optimise (gpointer data,
          gpointer unused)
{
  Errand *errand = data;
  AccCode *self = errand->code;
  gboolean is_left, is_last;

  pthread_mutex_lock (&self->table_mutex);
  errand->has_begun = TRUE;
  is_left = errand->is_left;
  pthread_mutex_unlock (&self->table_mutex);
  if (is_left)
    _acc_code_settle_now (self);

  _acc_code_improve (self, &errand->missing, TRUE);

  pthread_mutex_lock (&self->table_mutex);
  is_left = errand->is_left;
  is_last = g_hash_table_size (self->under_way) == 1;
  if (!is_left || is_last)
    leave (errand);
  pthread_mutex_unlock (&self->table_mutex);

  /* For those that are still under way. */
  if (is_left && !is_last)
    _acc_code_settle_now (self);
}

gboolean
_acc_code_send (AccCode              *self,
                const AccCodeRequest *request,
                gboolean              is_left)
{
  Errand *errand = NULL;

  pthread_mutex_lock (&self->table_mutex);
  if (!_acc_code_is_under_way (self, request))
    {
      errand = g_new0 (Errand, 1);
      errand->code = self;
      errand->is_left = is_left;
      errand->missing = (MissingCode) { .kernel = acc_kernel_ref (request->kernel), .variant = request->variant };
      errand->key = _acc_code_key (request->kernel, request->variant);
      g_hash_table_insert (self->under_way, &errand->key, errand);
    }
  pthread_mutex_unlock (&self->table_mutex);

  return errand == NULL || acc_workers_send (self->workers, optimise, errand, errand_free);
}

/* Of those under way, how many nobody has begun. With the lock of the table. */
static guint
count_waiting (AccCode *self)
{
  GHashTableIter iter;
  gpointer errand;
  guint n = 0;

  g_hash_table_iter_init (&iter, self->under_way);
  while (g_hash_table_iter_next (&iter, NULL, &errand))
    n += !((Errand *) errand)->has_begun;

  return n;
}

/* Whether somebody will come soon: a worker that was not woken yet, or that optimises. With the lock of the table. */
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
      Errand *errand;

      pthread_mutex_lock (&self->table_mutex);
      while ((errand = g_hash_table_lookup (self->under_way, &key)) != NULL && !is_late)
        is_late = pthread_cond_timedwait (&self->optimised, &self->table_mutex, until) != 0;
      if (errand != NULL && (is_soon (self) || !acc_workers_withdraw (self->workers, errand)))
        {
          errand->is_left = TRUE;
          errand = NULL;
        }
      pthread_mutex_unlock (&self->table_mutex);
      if (errand != NULL)
        errand_free (errand);
    }
}

void
acc_code_settle (AccCode *self)
{
  gboolean is_ready, is_late = FALSE;
  struct timespec until;

  if (self->maker.baseline == 0 || is_settled (self))
    return;

  /* Who has begun does it, if it does not take too long. */
  until = _acc_code_get_patience ();
  pthread_mutex_lock (&self->table_mutex);
  while (!(is_ready = self->is_settled || g_hash_table_size (self->under_way) == 0) && count_waiting (self) == 0 && !is_late)
    is_late = pthread_cond_timedwait (&self->optimised, &self->table_mutex, &until) != 0;
  pthread_mutex_unlock (&self->table_mutex);
  if (!is_ready)
    settle (self);
}
