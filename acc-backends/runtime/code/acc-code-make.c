/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-code-private.h"

#include "acc-core/backend/acc-backend-private.h"

/* Compiles the missing kernels of a request, by all workers at once, and loads them. */

void
_acc_code_missing_clear (gpointer data)
{
  MissingCode *missing = data;

  g_clear_pointer (&missing->kernel, acc_kernel_unref);
  g_clear_pointer (&missing->code, g_bytes_unref);
  g_clear_error (&missing->error);
}

static char *
dup_target (AccCode *self,
            guint    variant)
{
  return g_strdup_printf ("%s variant %x", self->target, variant);
}

GBytes *
_acc_code_look_on_disk (AccCode   *self,
                        AccKernel *kernel,
                        guint      variant)
{
  g_autofree char *target = NULL;

  if (self->cache == NULL)
    return NULL;

  target = dup_target (self, variant);

  return acc_kernel_cache_lookup (self->cache, acc_kernel_get_hash (kernel), target);
}

void
_acc_code_compile (AccCode      *self,
                   MissingCode  *missing,
                   gboolean      meanwhile,
                   GError      **error)
{
  gint64 start = g_get_monotonic_time ();

  missing->code = self->maker.compile (missing->kernel, missing->variant, self->maker.user_data, error);
  missing->compiled = missing->code != NULL;
  if (missing->compiled && (acc_debug_get_flags () & ACC_DEBUG_CACHE))
    g_message ("kernel cache: compiled %s %.12s in %.1f ms, %" G_GSIZE_FORMAT " bytes, %u instructions%s%s",
               acc_kernel_get_name (missing->kernel), acc_kernel_get_hash (missing->kernel),
               (double) (g_get_monotonic_time () - start) / 1000, g_bytes_get_size (missing->code), acc_kernel_get_length (missing->kernel),
               missing->variant & self->maker.baseline ? ", as baseline code" : "", meanwhile ? ", meanwhile" : "");
}

typedef struct {
  AccCode      *self;
  GPtrArray    *list;   /* MissingCode */
  GCancellable *cancellable;
} Batch;

static gboolean
compile_one (gint64   n,
             guint    worker,
             gpointer user_data)
{
  Batch *batch = user_data;
  MissingCode *missing = g_ptr_array_index (batch->list, n);

  if (!g_cancellable_set_error_if_cancelled (batch->cancellable, &missing->error))
    _acc_code_compile (batch->self, missing, FALSE, &missing->error);

  return TRUE;
}

void
_acc_code_compile_all (AccCode      *self,
                       GArray       *list,
                       GCancellable *cancellable)
{
  g_autoptr(GPtrArray) wanted = g_ptr_array_new ();
  Batch batch = { self, wanted, cancellable };
  gint64 start = g_get_monotonic_time ();

  for (guint i = 0; i < list->len; i++)
    if (g_array_index (list, MissingCode, i).code == NULL)
      g_ptr_array_add (wanted, &g_array_index (list, MissingCode, i));
  if (wanted->len == 0)
    return;

  acc_workers_run (self->workers, wanted->len, 1, compile_one, &batch);

  pthread_mutex_lock (&self->table_mutex);
  self->counts.n_compiled += wanted->len;
  self->counts.compile_seconds += (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  pthread_mutex_unlock (&self->table_mutex);
}

static gboolean
load (AccCode      *self,
      MissingCode  *missing,
      ReadyCode    *ready,
      GError      **error)
{
  pthread_mutex_lock (&self->load_mutex);
  if (self->maker.load_device != NULL)
    ready->device_kernel = self->maker.load_device (missing->kernel, missing->code, self->maker.user_data, error);
  else
    ready->entry = self->maker.load (missing->code, self->maker.user_data, error);
  pthread_mutex_unlock (&self->load_mutex);

  return ready->entry != NULL || ready->device_kernel != NULL;
}

/* Optimised code takes the entry of baseline code. An entry that is there stays, since others have it. */
static void
insert (AccCode         *self,
        MissingCode     *missing,
        const ReadyCode *loaded)
{
  guint baseline = self->maker.baseline;
  ReadyCode *other, *ready;

  pthread_mutex_lock (&self->table_mutex);
  if (!missing->compiled)
    self->counts.n_disk++;
  if (_acc_code_find (self, missing->kernel, missing->variant) == NULL)
    {
      ready = g_memdup2 (loaded, sizeof *loaded);
      ready->key.hash = g_strdup (acc_kernel_get_hash (missing->kernel));
      ready->key.variant = missing->variant;
      g_hash_table_insert (self->table, &ready->key, ready);

      other = baseline != 0 ? _acc_code_find (self, missing->kernel, missing->variant ^ baseline) : NULL;
      if (other != NULL && (missing->variant & baseline))
        ready->entry = other->entry;
      else if (other != NULL)
        __atomic_store_n (&other->entry, ready->entry, __ATOMIC_RELEASE);
    }
  pthread_mutex_unlock (&self->table_mutex);
}

gboolean
_acc_code_make_ready (AccCode      *self,
                      MissingCode  *missing,
                      GError      **error)
{
  ReadyCode loaded = { .entry = NULL };
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
      /* Code from the disk that does not load here is compiled again. */
      g_clear_pointer (&missing->code, g_bytes_unref);
      _acc_code_compile (self, missing, FALSE, error);
      ok = missing->compiled && load (self, missing, &loaded, error);
    }
  if (!ok)
    {
      g_prefix_error (error, "kernel “%s”: ", acc_kernel_get_name (missing->kernel));
      return FALSE;
    }

  insert (self, missing, &loaded);
  if (missing->compiled && self->cache != NULL)
    {
      g_autofree char *target = dup_target (self, missing->variant);

      acc_kernel_cache_store (self->cache, acc_kernel_get_hash (missing->kernel), target, missing->code);
    }

  return TRUE;
}

void
_acc_code_improve (AccCode      *self,
                   MissingCode  *missing,
                   gboolean      meanwhile)
{
  g_autoptr(GError) error = NULL;
  gboolean ok;
  ReadyCode *baseline;

  _acc_code_compile (self, missing, meanwhile, &missing->error);
  ok = _acc_code_make_ready (self, missing, &error);

  pthread_mutex_lock (&self->table_mutex);
  self->counts.n_compiled += missing->compiled;
  baseline = ok ? NULL : _acc_code_find (self, missing->kernel, missing->variant | self->maker.baseline);
  if (baseline != NULL)
    baseline->stays = TRUE;
  pthread_mutex_unlock (&self->table_mutex);

  if (!ok && (acc_debug_get_flags () & ACC_DEBUG_CACHE))
    g_message ("kernel cache: %s stays baseline code: %s", acc_kernel_get_name (missing->kernel), error->message);
}
