/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What GLib orders, told to the thread sanitizer: GLib is not built with it, so that its locks, its counts and its hand-overs from thread
 * to thread are not seen. A library to be loaded before GLib; each function here does what GLib's does, between announcements. */

#define GLIB_DISABLE_DEPRECATION_WARNINGS
#include <gio/gio.h>

#include <dlfcn.h>

void __tsan_acquire (void *address);
void __tsan_ignore_thread_begin (void);
void __tsan_ignore_thread_end (void);
void __tsan_release (void *address);

#define REAL(name)                                                         \
  static __typeof__ (&name) real;                                          \
  __typeof__ (&name) found = __atomic_load_n (&real, __ATOMIC_RELAXED);    \
                                                                           \
  if (found == NULL)                                                       \
    {                                                                      \
      found = (__typeof__ (&name)) dlsym (RTLD_NEXT, #name);               \
      __atomic_store_n (&real, found, __ATOMIC_RELAXED);                   \
    }

#define EXPORT __attribute__ ((visibility ("default")))

/* --- locks */

#define LOCK(name, Type)                  \
  EXPORT void name (Type *self)           \
  {                                       \
    REAL (name)                           \
    found (self);                         \
    __tsan_acquire (self);                \
  }

#define TRYLOCK(name, Type)               \
  EXPORT gboolean name (Type *self)       \
  {                                       \
    REAL (name)                           \
    gboolean got = found (self);          \
                                          \
    if (got)                              \
      __tsan_acquire (self);              \
    return got;                           \
  }

#define UNLOCK(name, Type)                \
  EXPORT void name (Type *self)           \
  {                                       \
    REAL (name)                           \
    __tsan_release (self);                \
    found (self);                         \
  }

LOCK (g_mutex_lock, GMutex)
TRYLOCK (g_mutex_trylock, GMutex)
UNLOCK (g_mutex_unlock, GMutex)
LOCK (g_rec_mutex_lock, GRecMutex)
TRYLOCK (g_rec_mutex_trylock, GRecMutex)
UNLOCK (g_rec_mutex_unlock, GRecMutex)
LOCK (g_rw_lock_writer_lock, GRWLock)
UNLOCK (g_rw_lock_writer_unlock, GRWLock)
LOCK (g_rw_lock_reader_lock, GRWLock)
UNLOCK (g_rw_lock_reader_unlock, GRWLock)

EXPORT void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  REAL (g_cond_wait)
  __tsan_release (mutex);
  found (cond, mutex);
  __tsan_acquire (mutex);
}

EXPORT gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 until)
{
  REAL (g_cond_wait_until)
  gboolean signalled;

  __tsan_release (mutex);
  signalled = found (cond, mutex, until);
  __tsan_acquire (mutex);

  return signalled;
}

/* --- what is made once */

EXPORT gboolean
(g_once_init_enter) (volatile void *location)
{
  static gboolean (*real) (volatile void *location);
  gboolean first;

  if (real == NULL)
    real = (gboolean (*) (volatile void *)) dlsym (RTLD_NEXT, "g_once_init_enter");
  first = real (location);
  if (!first)
    __tsan_acquire ((void *) location);

  return first;
}

EXPORT void
(g_once_init_leave) (volatile void *location, gsize result)
{
  static void (*real) (volatile void *location, gsize result);

  if (real == NULL)
    real = (void (*) (volatile void *, gsize)) dlsym (RTLD_NEXT, "g_once_init_leave");
  __tsan_release ((void *) location);
  real (location, result);
}

/* --- counts: who gives up the last has all before it behind it */

#define UNREF(name, Type)                 \
  EXPORT void name (Type self)            \
  {                                       \
    REAL (name)                           \
    __tsan_release ((void *) self);       \
    __tsan_acquire ((void *) self);       \
    found (self);                         \
  }

UNREF (g_object_unref, gpointer)
UNREF (g_bytes_unref, GBytes *)
UNREF (g_ptr_array_unref, GPtrArray *)
UNREF (g_array_unref, GArray *)
UNREF (g_hash_table_unref, GHashTable *)
UNREF (g_variant_unref, GVariant *)
UNREF (g_source_unref, GSource *)

EXPORT gboolean
g_atomic_ref_count_dec (gatomicrefcount *count)
{
  REAL (g_atomic_ref_count_dec)
  __tsan_release (count);
  __tsan_acquire (count);

  return found (count);
}

/* --- hand-overs */

typedef struct {
  GTaskThreadFunc function;
} Handover;

static void
run_task (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Handover *handover = g_object_get_data (G_OBJECT (task), "tsan-handover");

  __tsan_acquire (task);
  handover->function (task, source, data, cancellable);
  __tsan_release (task);
}

EXPORT void
g_task_run_in_thread (GTask *task, GTaskThreadFunc function)
{
  REAL (g_task_run_in_thread)
  Handover *handover = g_new (Handover, 1);

  handover->function = function;
  g_object_set_data_full (G_OBJECT (task), "tsan-handover", handover, g_free);
  __tsan_release (task);
  found (task, run_task);
}

typedef struct {
  GSourceFunc    function;
  gpointer       data;
  GDestroyNotify notify;
} Callback;

static gboolean
call_back (gpointer data)
{
  Callback *self = data;

  __tsan_acquire (self);
  __tsan_acquire (g_main_current_source ());

  return self->function (self->data);
}

static void
callback_free (gpointer data)
{
  Callback *self = data;

  __tsan_acquire (self);
  if (self->notify != NULL)
    self->notify (self->data);
  g_free (self);
}

EXPORT void
g_source_set_callback (GSource *source, GSourceFunc function, gpointer data, GDestroyNotify notify)
{
  REAL (g_source_set_callback)
  Callback *self;

  /* Others call it in their own ways. */
  if (function == NULL || (source->source_funcs != &g_idle_funcs && source->source_funcs != &g_timeout_funcs))
    {
      found (source, function, data, notify);
      return;
    }
  self = g_new (Callback, 1);
  *self = (Callback) { function, data, notify };
  __tsan_release (self);
  found (source, call_back, self, callback_free);
}

/* What comes before it, callbacks see; what GLib makes in it, it may free in another thread before it returns here. */
EXPORT guint
g_source_attach (GSource *source, GMainContext *context)
{
  REAL (g_source_attach)
  guint id;

  __tsan_release (source);
  __tsan_ignore_thread_begin ();
  id = found (source, context);
  __tsan_ignore_thread_end ();

  return id;
}

EXPORT gulong
g_cancellable_connect (GCancellable *self, GCallback function, gpointer data, GDestroyNotify notify)
{
  REAL (g_cancellable_connect)
  if (self != NULL)
    {
      __tsan_release (self);
      __tsan_acquire (self);
    }

  return found (self, function, data, notify);
}

EXPORT void
g_cancellable_disconnect (GCancellable *self, gulong handler)
{
  REAL (g_cancellable_disconnect)
  found (self, handler);
  if (self != NULL)
    __tsan_acquire (self);
}

/* Handlers run in here; whoever disconnects waits for them. */
EXPORT void
g_cancellable_cancel (GCancellable *self)
{
  REAL (g_cancellable_cancel)
  if (self != NULL)
    __tsan_acquire (self);
  found (self);
  if (self != NULL)
    __tsan_release (self);
}
