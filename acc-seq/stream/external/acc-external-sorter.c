/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-sorter-private.h"
#include "acc-external-elements-private.h"

#include "acc-core/array/acc-array-build-private.h"

/* --- programs of a vector */

typedef struct {
  AccOperation op;
  AccFunction *function;
} Body;

static AccArray *
build_body (AccArray **vectors, guint n_vectors, gpointer data)
{
  const Body *body = data;
  AccArray *node = acc_array_begin (body->op, vectors, n_vectors);

  acc_array_take_function (node, 0, acc_function_ref (body->function));

  return acc_array_complete (node);
}

static AccExecutable *
compile (AccBackend *backend, AccArray *node, AccOperation op, GCancellable *cancellable, GError **error)
{
  g_autofree char *signature = g_strdup_printf ("%s[:]", acc_element_type_get_code (node->type));
  g_autoptr(AccFunction) function = acc_external_dup_function (node);
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { signature, NULL }, build_body, &(Body) { op, function });

  return acc_backend_compile (backend, program, cancellable, error);
}

AccSorter *
acc_sorter_new (AccBackend *backend, AccArray *node, GCancellable *cancellable, GError **error)
{
  g_autoptr(AccSorter) self = g_new0 (AccSorter, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->backend = g_object_ref (backend);
  self->type = node->type;
  self->n_buffers = acc_element_type_get_n_buffers (node->type);
  self->sort = compile (backend, node, ACC_OP_SORT, cancellable, error);
  self->keys = self->sort != NULL ? compile (backend, node, ACC_OP_MAP, cancellable, error) : NULL;

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
  g_clear_object (&self->sort);
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
acc_sorter_allocate (AccSorter *self, gint64 n, GError **error)
{
  return acc_buffers_allocate (self->type, n, acc_backend_get_host_budget (self->backend), "what is sorted", error);
}

void
acc_sorter_copy (AccSorter *self, AccBuffer **to, gint64 at, AccBuffer **from, gint64 first, gint64 n)
{
  acc_external_copy (self->type, to, at, from, first, n);
}

/* --- the backend */

static AccArray *
run (AccSorter *self, AccExecutable *executable, AccBuffer **buffers, gint64 first, gint64 n, GCancellable *cancellable, GError **error)
{
  g_autoptr(AccArray) vector = acc_external_new_view (self->type, buffers, first, n);
  g_autoptr(GPtrArray) results = NULL;
  guint64 held = self->held;

  acc_sorter_hold (self, 0);
  results = acc_executable_run_whole (executable, &vector, 1, cancellable, error);
  if (results == NULL)
    acc_sorter_hold (self, held);

  return results != NULL ? g_object_ref (g_ptr_array_index (results, 0)) : NULL;
}

AccArray *
acc_sorter_sort (AccSorter *self, AccBuffer **buffers, gint64 first, gint64 n, GCancellable *cancellable, GError **error)
{
  guint64 held = self->held, taken = (guint64) n * acc_element_type_get_size (self->type);
  g_autoptr(AccArray) result = run (self, self->sort, buffers, first, n, cancellable, error);

  if (result == NULL || !acc_external_fetch (result, error))
    return NULL;
  acc_sorter_hold (self, held > taken ? held - taken : 0);

  return g_steal_pointer (&result);
}

gboolean
acc_sorter_get_keys (AccSorter *self, AccBuffer **buffers, gint64 n, guint64 *keys, GCancellable *cancellable, GError **error)
{
  guint64 held = self->held;
  g_autoptr(AccArray) result = run (self, self->keys, buffers, 0, n, cancellable, error);
  gconstpointer data = result != NULL ? acc_buffer_map (acc_array_get_buffers (result)[0], error) : NULL;

  for (gint64 i = 0; data != NULL && i < n; i++)
    keys[i] = acc_external_get_number (data, i, acc_element_type_get_size (result->type));
  g_clear_object (&result);
  acc_sorter_hold (self, held);

  return data != NULL;
}
