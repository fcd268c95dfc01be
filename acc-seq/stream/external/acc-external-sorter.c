/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-sorter-private.h"
#include "acc-external-elements-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-error.h"

/* More gains nothing. */
#define MOST_KEYS (256 * 1024)

/* --- programs of a vector */

static AccArray *
build_keys (AccArray **vectors, guint n_vectors, gpointer function)
{
  AccArray *node = acc_array_begin (ACC_OP_MAP, vectors, n_vectors);

  acc_array_take_function (node, 0, acc_function_ref (function));

  return acc_array_complete (node);
}

static AccExecutable *
compile (AccBackend *backend, AccArray *node, GCancellable *cancellable, GError **error)
{
  g_autofree char *signature = g_strdup_printf ("%s[:]", acc_element_type_get_code (node->type));
  g_autoptr(AccFunction) function = acc_external_dup_function (node);
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { signature, NULL }, build_keys, function);

  return acc_backend_compile (backend, program, cancellable, error);
}

AccElementType *
acc_sorter_get_key_type (AccArray *node)
{
  return node->functions[0]->body->type;
}

AccSorter *
acc_sorter_new (AccBackend *backend, AccArray *node, GCancellable *cancellable, GError **error)
{
  g_autoptr(AccSorter) self = g_new0 (AccSorter, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->backend = g_object_ref (backend);
  self->type = node->type;
  self->key_type = acc_sorter_get_key_type (node);
  self->n_buffers = acc_element_type_get_n_buffers (node->type);
  self->most = MOST_KEYS;
  self->keys = compile (backend, node, cancellable, error);

  return self->keys != NULL ? g_steal_pointer (&self) : NULL;
}

AccSorter *
acc_sorter_ref (AccSorter *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
acc_sorter_unref (AccSorter *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  acc_sorter_hold (self, 0);
  g_clear_object (&self->keys);
  g_object_unref (self->backend);
  g_free (self);
}

/* --- memory */

void
acc_sorter_hold (AccSorter *self, guint64 bytes)
{
  acc_external_hold (self->backend, &self->held, bytes);
}

AccBuffer **
acc_sorter_allocate (AccSorter *self, AccElementType *type, gint64 n, GError **error)
{
  return acc_buffers_allocate (type, n, acc_backend_get_host_budget (self->backend), "what is sorted", error);
}

/* --- the backend */

static gboolean
compute_keys (AccSorter *self, AccBuffer **elements, AccBuffer **keys, gint64 first, gint64 n, GCancellable *cancellable, GError **error)
{
  g_autoptr(AccArray) vector = acc_external_new_view (self->type, elements, first, n);
  g_autoptr(GPtrArray) results = acc_executable_run_whole (self->keys, &vector, 1, cancellable, error);
  AccArray *result = results != NULL ? g_ptr_array_index (results, 0) : NULL;

  if (result == NULL || !acc_external_fetch (result, error))
    return FALSE;
  acc_external_copy (self->key_type, keys, first, acc_array_get_buffers (result), 0, n);

  return TRUE;
}

gboolean
acc_sorter_get_keys (AccSorter *self, AccBuffer **elements, AccBuffer **keys, gint64 first, gint64 n, GCancellable *cancellable,
                     GError **error)
{
  guint64 held = self->held;
  gboolean done = TRUE;

  acc_sorter_hold (self, 0);
  for (gint64 at = 0; at < n && done;)
    {
      GError *local = NULL;
      gint64 m = MIN (self->most, n - at);

      if (compute_keys (self, elements, keys, first + at, m, cancellable, &local))
        {
          at += m;
          continue;
        }
      done = g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) && m > 1;
      self->most = MAX (m / 2, 1);
      if (done)
        g_error_free (local);
      else
        g_propagate_error (error, local);
    }
  acc_sorter_hold (self, held);

  return done;
}
