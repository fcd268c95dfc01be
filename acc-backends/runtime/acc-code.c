/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-code.h"

#include "acc-core/acc-backend-private.h"

#include <pthread.h>
#include <string.h>

typedef struct {
  char  *hash;
  guint  variant;
} Key;

/* What baseline code takes longer to run, and rough nanoseconds that compiling well takes, for a kernel and for each of its instructions. */
#define BASELINE_SLOWER 12
#define COMPILE_ONE     5e6
#define COMPILE_LENGTH  5e4

typedef struct {
  Key              key;
  AccKernelEntry   entry;
  AccDeviceKernel *device_kernel;
  double           spent;       /* nanoseconds, of baseline code */
} Ready;

/* A kernel that is not in memory. */
typedef struct {
  AccKernel      *kernel;   /* borrowed */
  guint           variant;
  GBytes         *code;
  gboolean        compiled;
  GError         *error;
} Missing;

struct _AccCode {
  AccCodeMaker    maker;
  AccKernelCache *cache;
  AccWorkers     *workers;
  pthread_mutex_t table_mutex;
  GHashTable     *table;         /* Ready */
  /* Held while kernels are made, so that nobody makes what another thread is about to have made. */
  pthread_mutex_t make_mutex;
  char           *target;
  AccCodeCounts   counts;        /* under table_mutex */
};

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;
  guint64 begin;

  /* What has been hashed well need not be hashed again. */
  memcpy (&begin, key->hash, sizeof begin);

  return (guint) ((begin * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32) ^ (key->variant * 0x9e3779b1u);
}

static gboolean
key_equal (gconstpointer a,
           gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->variant == y->variant && (x->hash == y->hash || strcmp (x->hash, y->hash) == 0);
}

static void
ready_free (gpointer data)
{
  Ready *ready = data;

  g_free (ready->key.hash);
  g_free (ready);
}

static void
missing_clear (gpointer data)
{
  Missing *missing = data;

  g_clear_pointer (&missing->code, g_bytes_unref);
  g_clear_error (&missing->error);
}

AccCode *
acc_code_new (const AccCodeMaker *maker,
              AccKernelCache     *cache,
              AccWorkers         *workers)
{
  AccCode *self = g_new0 (AccCode, 1);

  self->maker = *maker;
  self->cache = cache;
  self->workers = workers;
  pthread_mutex_init (&self->table_mutex, NULL);
  pthread_mutex_init (&self->make_mutex, NULL);
  self->table = g_hash_table_new_full (key_hash, key_equal, NULL, ready_free);

  return self;
}

void
acc_code_free (AccCode *self)
{
  g_hash_table_unref (self->table);
  g_clear_pointer (&self->cache, acc_kernel_cache_free);
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

static gboolean
is_open (const AccCodeRequest *request)
{
  return request->entry == NULL && request->device_kernel == NULL;
}

/* Runs that baseline code may still do, of which so much was spent. */
static double
count_runs (const AccCodeRequest *request,
            double                spent)
{
  double compiling = COMPILE_ONE + COMPILE_LENGTH * acc_kernel_get_length (request->kernel);

  return request->cost <= 0 ? 0 : (compiling - spent) / (request->cost * BASELINE_SLOWER);
}

/* With the lock of the table. */
static Ready *
find (AccCode              *self,
      const AccCodeRequest *request,
      guint                 more)
{
  Key key = { (char *) acc_kernel_get_hash (request->kernel), request->variant | more };

  return g_hash_table_lookup (self->table, &key);
}

static char *
dup_target (AccCode *self,
            guint    variant)
{
  return g_strdup_printf ("%s variant %x", self->target, variant);
}

/* Baseline code that may do one more run, which is put to its account. With the lock of the table. */
static Ready *
take_baseline (AccCode        *self,
               AccCodeRequest *request)
{
  Ready *ready = self->maker.baseline != 0 ? find (self, request, self->maker.baseline) : NULL;
  double n_runs = ready != NULL ? count_runs (request, ready->spent) : 0;

  if (n_runs < 1)
    return NULL;

  ready->spent += request->cost * BASELINE_SLOWER;
  request->runs_left = (guint) MIN (n_runs - 1, G_MAXINT);

  return ready;
}

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
        Ready *ready = find (self, &requests[i], 0);

        requests[i].runs_left = G_MAXUINT;
        if (ready == NULL)
          ready = take_baseline (self, &requests[i]);
        if (ready != NULL)
          {
            requests[i].entry = ready->entry;
            requests[i].device_kernel = ready->device_kernel;
            self->counts.n_memory++;
          }
        else
          all = FALSE;
      }
  pthread_mutex_unlock (&self->table_mutex);

  return all;
}

static GBytes *
look_up_on_disk (AccCode   *self,
                 AccKernel *kernel,
                 guint      variant)
{
  g_autofree char *target = NULL;

  if (self->cache == NULL)
    return NULL;

  target = dup_target (self, variant);

  return acc_kernel_cache_lookup (self->cache, acc_kernel_get_hash (kernel), target);
}

/* Code that was made before, for a request that is open all the same, has run often enough. What loops take nobody knows where values
 * end them. */
static gboolean
may_be_baseline (AccCode              *self,
                 const AccCodeRequest *request)
{
  gboolean is_known;

  if (self->maker.baseline == 0 || count_runs (request, 0) < 1 || acc_kernel_has_while (request->kernel))
    return FALSE;

  pthread_mutex_lock (&self->table_mutex);
  is_known = find (self, request, self->maker.baseline) != NULL;
  pthread_mutex_unlock (&self->table_mutex);

  return !is_known;
}

/* With what the disk has of it. */
static GArray *
list_missing (AccCode        *self,
              AccCodeRequest *requests,
              guint           n_requests)
{
  GArray *list = g_array_new (FALSE, TRUE, sizeof (Missing));
  g_autoptr (GHashTable) listed = g_hash_table_new_full (key_hash, key_equal, g_free, NULL);

  g_array_set_clear_func (list, missing_clear);
  for (guint i = 0; i < n_requests; i++)
    {
      const Key key = { (char *) acc_kernel_get_hash (requests[i].kernel), requests[i].variant };
      Missing missing = { .kernel = requests[i].kernel, .variant = requests[i].variant };

      if (!is_open (&requests[i]) || g_hash_table_contains (listed, &key))
        continue;

      missing.code = look_up_on_disk (self, missing.kernel, missing.variant);
      if (missing.code == NULL && may_be_baseline (self, &requests[i]))
        {
          missing.variant |= self->maker.baseline;
          missing.code = look_up_on_disk (self, missing.kernel, missing.variant);
        }
      g_array_append_val (list, missing);
      g_hash_table_add (listed, g_memdup2 (&key, sizeof key));
    }

  return list;
}

static void
compile (AccCode  *self,
         Missing  *missing,
         GError  **error)
{
  gint64 start = g_get_monotonic_time ();

  missing->code = self->maker.compile (missing->kernel, missing->variant, self->maker.user_data, error);
  missing->compiled = missing->code != NULL;
  if (missing->compiled && (acc_debug_get_flags () & ACC_DEBUG_CACHE))
    g_message ("kernel cache: compiled %s %.12s in %.1f ms, %" G_GSIZE_FORMAT " bytes, %u instructions%s", acc_kernel_get_name (missing->kernel),
               acc_kernel_get_hash (missing->kernel), (double) (g_get_monotonic_time () - start) / 1000, g_bytes_get_size (missing->code),
               acc_kernel_get_length (missing->kernel), missing->variant & self->maker.baseline ? ", as baseline code" : "");
}

typedef struct {
  AccCode      *self;
  GPtrArray    *list;   /* Missing */
  GCancellable *cancellable;
} Batch;

static void
compile_one (gint64   n,
             guint    worker,
             gpointer user_data)
{
  Batch *batch = user_data;
  Missing *missing = g_ptr_array_index (batch->list, n);
  AccCode *self = batch->self;

  if (g_cancellable_set_error_if_cancelled (batch->cancellable, &missing->error))
    return;

  compile (self, missing, &missing->error);
}

static void
compile_all (AccCode      *self,
             GArray       *list,
             GCancellable *cancellable)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  Batch batch = { self, wanted, cancellable };
  gint64 start = g_get_monotonic_time ();

  for (guint i = 0; i < list->len; i++)
    if (g_array_index (list, Missing, i).code == NULL)
      g_ptr_array_add (wanted, &g_array_index (list, Missing, i));
  if (wanted->len == 0)
    return;

  acc_workers_run (self->workers, wanted->len, 1, compile_one, &batch);

  pthread_mutex_lock (&self->table_mutex);
  self->counts.n_compiled += wanted->len;
  self->counts.compile_seconds += (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  pthread_mutex_unlock (&self->table_mutex);
}

static gboolean
load (AccCode  *self,
      Missing  *missing,
      Ready    *ready,
      GError  **error)
{
  if (self->maker.load_device != NULL)
    ready->device_kernel = self->maker.load_device (missing->kernel, missing->code, self->maker.user_data, error);
  else
    ready->entry = self->maker.load (missing->code, self->maker.user_data, error);

  return ready->entry != NULL || ready->device_kernel != NULL;
}

/* From code to an entry in the table. */
static gboolean
make_ready (AccCode  *self,
            Missing  *missing,
            GError  **error)
{
  Ready loaded = { { NULL, 0 }, NULL, NULL, 0 };
  Ready *ready;
  gboolean ok;

  if (missing->code == NULL)
    {
      g_prefix_error (&missing->error, "kernel “%s”: ", acc_kernel_get_name (missing->kernel));
      g_propagate_error (error, g_steal_pointer (&missing->error));
      return FALSE;
    }

  ok = load (self, missing, &loaded, missing->compiled ? error : NULL);
  if (!ok && !missing->compiled)
    {
      /* What the disk gave does not load here: made anew. */
      g_clear_pointer (&missing->code, g_bytes_unref);
      compile (self, missing, error);
      ok = missing->compiled && load (self, missing, &loaded, error);
    }
  if (!ok)
    {
      g_prefix_error (error, "kernel “%s”: ", acc_kernel_get_name (missing->kernel));
      return FALSE;
    }

  if (missing->compiled && self->cache != NULL)
    {
      g_autofree char *target = dup_target (self, missing->variant);

      acc_kernel_cache_store (self->cache, acc_kernel_get_hash (missing->kernel), target, missing->code);
    }

  ready = g_memdup2 (&loaded, sizeof loaded);
  ready->key.hash = g_strdup (acc_kernel_get_hash (missing->kernel));
  ready->key.variant = missing->variant;
  pthread_mutex_lock (&self->table_mutex);
  g_hash_table_replace (self->table, &ready->key, ready);
  if (!missing->compiled)
    self->counts.n_disk++;
  pthread_mutex_unlock (&self->table_mutex);

  return TRUE;
}

static gboolean
make (AccCode         *self,
      AccCodeRequest  *requests,
      guint            n_requests,
      GCancellable    *cancellable,
      GError         **error)
{
  g_autoptr (GArray) list = NULL;

  if (self->target == NULL)
    self->target = self->maker.dup_target (self->maker.user_data, error);
  if (self->target == NULL)
    return FALSE;

  list = list_missing (self, requests, n_requests);
  compile_all (self, list, cancellable);
  for (guint i = 0; i < list->len; i++)
    if (!make_ready (self, &g_array_index (list, Missing, i), error))
      return FALSE;

  return TRUE;
}

gboolean
acc_code_get (AccCode         *self,
              AccCodeRequest  *requests,
              guint            n_requests,
              GCancellable    *cancellable,
              GError         **error)
{
  gboolean made = TRUE;

  for (guint i = 0; i < n_requests; i++)
    {
      requests[i].entry = NULL;
      requests[i].device_kernel = NULL;
    }
  if (look_up (self, requests, n_requests))
    return TRUE;

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  /* The second of two that share baseline code may be one too many for it. */
  pthread_mutex_lock (&self->make_mutex);
  while (made && !look_up (self, requests, n_requests))
    made = make (self, requests, n_requests, cancellable, error);
  pthread_mutex_unlock (&self->make_mutex);

  return made;
}
