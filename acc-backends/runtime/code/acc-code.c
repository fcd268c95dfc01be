/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-code-private.h"

#include "acc-core/backend/acc-backend-private.h"

#include <string.h>
#include <time.h>

/* How much longer baseline code runs, and rough nanoseconds that optimising takes, for a kernel and for each of its instructions. */
#define BASELINE_SLOWER 12
#define COMPILE_ONE     5e6
#define COMPILE_LENGTH  5e4

/* How long a run waits for workers to optimise its kernels before it begins with baseline code: as long as most kernels take. */
#define PATIENCE_MILLISECONDS 10

static guint
key_hash (gconstpointer data)
{
  const CodeKey *key = data;
  guint64 begin;

  /* The hash of the kernel serves as it is. */
  memcpy (&begin, key->hash, sizeof begin);

  return (guint) ((begin * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32) ^ (key->variant * 0x9e3779b1u);
}

static gboolean
key_equal (gconstpointer a,
           gconstpointer b)
{
  const CodeKey *x = a, *y = b;

  return x->variant == y->variant && (x->hash == y->hash || strcmp (x->hash, y->hash) == 0);
}

static void
ready_free (gpointer data)
{
  ReadyCode *ready = data;

  g_free ((char *) ready->key.hash);
  g_free (ready);
}

AccCode *
acc_code_new (const AccCodeMaker *maker,
              AccKernelCache     *cache,
              AccWorkers         *workers)
{
  AccCode *self = g_new0 (AccCode, 1);
  pthread_condattr_t clock;

  self->maker = *maker;
  self->cache = cache;
  self->workers = workers;
  pthread_mutex_init (&self->table_mutex, NULL);
  pthread_mutex_init (&self->make_mutex, NULL);
  pthread_mutex_init (&self->load_mutex, NULL);
  pthread_condattr_init (&clock);
  pthread_condattr_setclock (&clock, CLOCK_MONOTONIC);
  pthread_cond_init (&self->optimised, &clock);
  pthread_condattr_destroy (&clock);
  pthread_cond_init (&self->made, NULL);
  self->makings = acc_background_new ();
  self->table = g_hash_table_new_full (key_hash, key_equal, NULL, ready_free);
  self->under_way = g_hash_table_new (key_hash, key_equal);

  return self;
}

void
acc_code_free (AccCode *self)
{
  _acc_code_end_thread (self);
  acc_workers_end_background (self->workers);
  g_hash_table_unref (self->under_way);
  g_hash_table_unref (self->table);
  g_clear_pointer (&self->cache, acc_kernel_cache_free);
  pthread_cond_destroy (&self->made);
  pthread_cond_destroy (&self->optimised);
  pthread_mutex_destroy (&self->load_mutex);
  pthread_mutex_destroy (&self->make_mutex);
  pthread_mutex_destroy (&self->table_mutex);
  g_free (self->target);
  g_free (self);
}

void
acc_code_get_counts (AccCode       *self,
                     AccCodeCounts *counts)
{
  pthread_mutex_lock (&self->table_mutex);
  *counts = self->counts;
  pthread_mutex_unlock (&self->table_mutex);
}

ReadyCode *
_acc_code_find (AccCode   *self,
                AccKernel *kernel,
                guint      variant)
{
  const CodeKey key = _acc_code_key (kernel, variant);

  return g_hash_table_lookup (self->table, &key);
}

/* --- what runs as baseline code, and for how long */

static gboolean
is_open (const AccCodeRequest *request)
{
  return request->entry == NULL && request->device_kernel == NULL;
}

static gboolean
has_baseline (AccCode              *self,
              const AccCodeRequest *request)
{
  return self->maker.baseline != 0 && request->cost > 0;
}

/* The number of runs that baseline code may still do after @spent. Loops of unknown length count by what they have taken. */
static double
count_runs (const AccCodeRequest *request,
            double                spent)
{
  double compiling = COMPILE_ONE + COMPILE_LENGTH * acc_kernel_get_length (request->kernel);

  return acc_kernel_has_while (request->kernel) ? 0 : (compiling - spent) / (request->cost * BASELINE_SLOWER);
}

/* With the lock of the table. Finds baseline code that may do one more run, which is added to its account, or any number while a worker
 * optimises it. */
static ReadyCode *
take_baseline (AccCode        *self,
               AccCodeRequest *request)
{
  ReadyCode *ready = has_baseline (self, request) ? _acc_code_find (self, request->kernel, request->variant | self->maker.baseline) : NULL;
  double n_runs;

  if (ready == NULL || ready->stays || _acc_code_is_under_way (self, request))
    return ready;

  n_runs = count_runs (request, ready->spent);
  if (n_runs < 1)
    return NULL;

  ready->spent += request->cost * BASELINE_SLOWER;
  request->runs_left = (guint) MIN (n_runs - 1, G_MAXINT);

  return ready;
}

/* --- getting */

/* Fills in what is in memory; whether that is all. */
static gboolean
look_up (AccCode        *self,
         AccCodeRequest *requests,
         guint           n_requests)
{
  gboolean all = TRUE;

  pthread_mutex_lock (&self->table_mutex);
  for (guint i = 0; i < n_requests; i++)
    if (is_open (&requests[i]))
      {
        ReadyCode *ready = _acc_code_find (self, requests[i].kernel, requests[i].variant);

        requests[i].runs_left = G_MAXUINT;
        if (ready == NULL)
          ready = take_baseline (self, &requests[i]);
        if (ready != NULL)
          {
            requests[i].entry = ready->entry != NULL ? &ready->entry : NULL;
            requests[i].device_kernel = ready->device_kernel;
            self->counts.n_memory++;
          }
        else
          all = FALSE;
      }
  pthread_mutex_unlock (&self->table_mutex);

  return all;
}

/* Takes over @code, which may be NULL. */
static void
add_missing (GArray    *list,
             AccKernel *kernel,
             guint      variant,
             GBytes    *code)
{
  MissingCode missing = { .kernel = acc_kernel_ref (kernel), .variant = variant, .code = code };

  g_array_append_val (list, missing);
}

static void
add_baseline (AccCode              *self,
              GArray               *list,
              const AccCodeRequest *request)
{
  guint variant = request->variant | self->maker.baseline;

  add_missing (list, request->kernel, variant, _acc_code_look_on_disk (self, request->kernel, variant));
}

static GArray *
new_list (void)
{
  GArray *list = g_array_new (FALSE, TRUE, sizeof (MissingCode));

  g_array_set_clear_func (list, _acc_code_missing_clear);

  return list;
}

static gboolean
make_all (AccCode       *self,
          GArray        *list,
          GCancellable  *cancellable,
          GError       **error)
{
  _acc_code_compile_all (self, list, cancellable);
  for (guint i = 0; i < list->len; i++)
    if (!_acc_code_make_ready (self, &g_array_index (list, MissingCode, i), error))
      return FALSE;

  return TRUE;
}

/* Adds to @list the kernel of @request, with its code from the disk if it is there; to @long_ones a request that runs too long for baseline
 * code. */
static void
choose (AccCode              *self,
        const AccCodeRequest *request,
        GArray               *list,
        GPtrArray            *long_ones)
{
  gboolean may_be_baseline = has_baseline (self, request), is_ready, is_known;
  GBytes *code;

  pthread_mutex_lock (&self->table_mutex);
  is_ready = _acc_code_find (self, request->kernel, request->variant) != NULL;
  is_known = may_be_baseline && _acc_code_find (self, request->kernel, request->variant | self->maker.baseline) != NULL;
  pthread_mutex_unlock (&self->table_mutex);

  /* A worker has just done it. */
  if (is_ready)
    return;

  code = _acc_code_look_on_disk (self, request->kernel, request->variant);
  if (code != NULL || !may_be_baseline)
    add_missing (list, request->kernel, request->variant, code);
  else if (!is_known && count_runs (request, 0) >= 1)
    add_baseline (self, list, request);
  else if (!is_known)
    g_ptr_array_add (long_ones, (gpointer) request);
  /* Baseline code that is loaded serves until then. */
  else if (!_acc_code_send (self, request, TRUE))
    add_missing (list, request->kernel, request->variant, NULL);
}

struct timespec
_acc_code_get_patience (void)
{
  struct timespec until;

  clock_gettime (CLOCK_MONOTONIC, &until);
  until.tv_nsec += PATIENCE_MILLISECONDS * 1000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;

  return until;
}

/* Compiles @list, and @requests, which run long: workers optimise those, and the caller begins with baseline code if they take long. If
 * there are too few workers for one each, they and the caller do nothing else until all are optimised. */
static gboolean
make_long_ones (AccCode       *self,
                GPtrArray     *requests,
                GArray        *list,
                GCancellable  *cancellable,
                GError       **error)
{
  gboolean may_send = requests->len < acc_workers_get_n_threads (self->workers);
  g_autoptr(GPtrArray) sent = g_ptr_array_new ();
  g_autoptr(GArray) rest = new_list ();
  struct timespec until = _acc_code_get_patience ();

  for (guint i = 0; i < requests->len; i++)
    {
      const AccCodeRequest *request = requests->pdata[i];

      if (may_send && _acc_code_send (self, request, request->cost >= ACC_CODE_ENDLESS))
        g_ptr_array_add (sent, requests->pdata[i]);
      else
        add_missing (list, request->kernel, request->variant, NULL);
    }
  if (!make_all (self, list, cancellable, error))
    return FALSE;

  _acc_code_wait_for (self, sent, &until);
  for (guint i = 0; i < sent->len; i++)
    {
      const AccCodeRequest *request = sent->pdata[i];
      gboolean is_ready, will_be;

      pthread_mutex_lock (&self->table_mutex);
      is_ready = _acc_code_find (self, request->kernel, request->variant) != NULL;
      will_be = _acc_code_is_under_way (self, request);
      pthread_mutex_unlock (&self->table_mutex);

      if (!is_ready && will_be)
        add_baseline (self, rest, request);
      else if (!is_ready)
        add_missing (rest, request->kernel, request->variant, NULL);
    }

  return make_all (self, rest, cancellable, error);
}

static gboolean
make (AccCode         *self,
      AccCodeRequest  *requests,
      guint            n_requests,
      GCancellable    *cancellable,
      GError         **error)
{
  g_autoptr(GArray) list = new_list ();
  g_autoptr(GPtrArray) long_ones = g_ptr_array_new ();
  g_autoptr(GHashTable) listed = g_hash_table_new_full (key_hash, key_equal, g_free, NULL);

  if (self->target == NULL)
    self->target = self->maker.dup_target (self->maker.user_data, error);
  if (self->target == NULL)
    return FALSE;

  for (guint i = 0; i < n_requests; i++)
    {
      const CodeKey key = _acc_code_key (requests[i].kernel, requests[i].variant);

      if (is_open (&requests[i]) && g_hash_table_add (listed, g_memdup2 (&key, sizeof key)))
        choose (self, &requests[i], list, long_ones);
    }

  return make_long_ones (self, long_ones, list, cancellable, error);
}

gboolean
_acc_code_make (AccCode         *self,
                AccCodeRequest  *requests,
                guint            n_requests,
                GCancellable    *cancellable,
                GError         **error)
{
  gboolean made = TRUE;

  /* The second of two that share baseline code may be one too many for it. */
  pthread_mutex_lock (&self->make_mutex);
  while (made && !look_up (self, requests, n_requests))
    made = !g_cancellable_set_error_if_cancelled (cancellable, error) && make (self, requests, n_requests, cancellable, error);
  pthread_mutex_unlock (&self->make_mutex);

  return made;
}

gboolean
acc_code_get (AccCode         *self,
              AccCodeRequest  *requests,
              guint            n_requests,
              GCancellable    *cancellable,
              GError         **error)
{
  gboolean made;
  gint64 start;

  for (guint i = 0; i < n_requests; i++)
    {
      requests[i].entry = NULL;
      requests[i].device_kernel = NULL;
    }
  if (look_up (self, requests, n_requests))
    return TRUE;

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  start = g_get_monotonic_time ();
  made = _acc_code_make_on_thread (self, requests, n_requests, cancellable, error);
  if (made && (acc_debug_get_flags () & ACC_DEBUG_CACHE))
    g_message ("kernel cache: %u kernels ready in %.1f ms", n_requests, (double) (g_get_monotonic_time () - start) / 1000);

  return made;
}

void
acc_code_optimise (AccCode              *self,
                   const AccCodeRequest *requests,
                   guint                 n_requests)
{
  for (guint i = 0; i < n_requests; i++)
    {
      gboolean is_ready;

      pthread_mutex_lock (&self->table_mutex);
      is_ready = _acc_code_find (self, requests[i].kernel, requests[i].variant) != NULL;
      pthread_mutex_unlock (&self->table_mutex);

      if (has_baseline (self, &requests[i]) && !is_ready && !_acc_code_send (self, &requests[i], TRUE))
        {
          MissingCode missing = { .kernel = acc_kernel_ref (requests[i].kernel), .variant = requests[i].variant };

          pthread_mutex_lock (&self->make_mutex);
          _acc_code_improve (self, &missing, FALSE);
          pthread_mutex_unlock (&self->make_mutex);
          _acc_code_missing_clear (&missing);
        }
    }
}
