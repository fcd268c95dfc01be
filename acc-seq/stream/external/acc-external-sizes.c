/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/data/acc-budget-private.h"
#include "acc-core/data/acc-source-private.h"
#include "acc-error.h"
#include "acc-seq/stream/acc-plan-private.h"
#include "acc-seq/stream/acc-store-private.h"

/* Bytes of chunks of some elements, and what is counted of their buffers. */
#define LEAST_CHUNKS (32 * 1024)

#define HELD "what an external algorithm computes"

/* How often the room of the runs of a thread is halved. */
static GPrivate halvings = G_PRIVATE_INIT (NULL);

void
acc_external_set_share (guint n)
{
  g_private_set (&halvings, GUINT_TO_POINTER (n));
}

guint64
acc_external_take_share (guint64 room)
{
  return room != G_MAXUINT64 ? room >> GPOINTER_TO_UINT (g_private_get (&halvings)) : room;
}

guint64
acc_external_get_host_room (AccBackend *backend)
{
  AccBudget *budget = acc_backend_get_host_budget (backend);
  guint64 limit = acc_budget_get_limit (budget), used;

  if (limit == 0)
    return G_MAXUINT64;

  used = acc_budget_get_used (budget);
  if (used > limit / 8)
    {
      acc_budget_spare (budget, used);
      used = acc_budget_get_used (budget);
    }

  return limit > used ? acc_external_take_share (limit - used) : 0;
}

/* Of the outermost run of a thread. 0: it has one attempt. */
static GPrivate attempt = G_PRIVATE_INIT (NULL);

/* Of attempts, the last of which has an eighth of the room. */
#define MOST_ATTEMPTS 4

guint64
acc_external_get_room (AccBackend *backend)
{
  AccBudget *device = acc_backend_get_budget (backend);
  guint64 room = acc_external_get_host_room (backend), limit = acc_budget_get_limit (device);
  guint number = GPOINTER_TO_UINT (g_private_get (&attempt));

  /* A device moves what it has out of the way. */
  if (device != acc_backend_get_host_budget (backend) && limit > 0)
    room = MIN (room, limit);

  return room != G_MAXUINT64 && number > 1 ? room >> (number - 1) : room;
}

static gboolean
is_refused (const GError *error)
{
  return g_error_matches (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
}

gboolean
acc_external_can_repeat (AccArray **arrays, guint n_arrays)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (arrays, n_arrays);

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      if (node->op == ACC_OP_DEFERRED || (node->op == ACC_OP_SOURCE && acc_source_is_once (acc_array_get_source (node))))
        return FALSE;
    }

  return TRUE;
}

gboolean
acc_external_attempt (AccBackend *backend, AccArray **arrays, guint n_arrays, AccAttempt run, gpointer data, GError **error)
{
  gboolean is_outermost = g_private_get (&attempt) == NULL && acc_backend_is_apart (backend)
                          && acc_budget_get_limit (acc_backend_get_budget (backend)) > 0
                          && acc_external_can_repeat (arrays, n_arrays);
  g_autoptr(GError) reason = NULL;
  gboolean is_final = FALSE, done;

  if (is_outermost)
    g_private_set (&attempt, GUINT_TO_POINTER (1));
  done = run (data, &is_final, &reason);
  for (guint number = 2; !done && is_outermost && !is_final && number <= MOST_ATTEMPTS && is_refused (reason); number++)
    {
      g_autoptr(GError) last = NULL;

      g_private_set (&attempt, GUINT_TO_POINTER (number));
      done = run (data, &is_final, &last);
      if (last != NULL && !is_refused (last))
        {
          g_clear_error (&reason);
          reason = g_steal_pointer (&last);
        }
    }
  if (is_outermost)
    g_private_set (&attempt, NULL);
  if (!done)
    g_propagate_error (error, g_steal_pointer (&reason));

  return done;
}

void
acc_external_hold (AccBackend *backend, guint64 *held, guint64 bytes)
{
  AccBudget *budget = acc_backend_get_host_budget (backend);

  if (bytes < *held)
    acc_budget_release (budget, *held - bytes, HELD);
  else if (!acc_budget_reserve (budget, bytes - *held, HELD, NULL))
    return;
  *held = bytes;
}

void
acc_external_hold_runs (AccBackend *backend, guint64 *held, guint64 bytes)
{
  AccBudget *device = acc_backend_get_budget (backend);
  guint64 before = *held;

  acc_external_hold (backend, held, bytes);
  if (!acc_backend_is_apart (backend))
    return;
  if (*held < before)
    acc_budget_release (device, before - *held, HELD);
  else if (!acc_budget_reserve (device, *held - before, HELD, NULL))
    acc_external_hold (backend, held, before);
}

AccBuffer *
acc_external_allocate (AccBackend *backend, gsize bytes, guint64 most, const char *what, GError **error)
{
  AccBuffer *buffer = bytes <= most ? acc_buffer_allocate (bytes, acc_backend_get_host_budget (backend), what, NULL) : NULL;
  g_autoptr(AccShape) shape = NULL;
  g_autoptr(AccStore) store = NULL;
  g_autoptr(AccArray) array = NULL;

  if (buffer != NULL)
    return buffer;

  shape = acc_shape_new_vector ((gint64) bytes);
  store = acc_store_new (backend, acc_element_type_new (ACC_KIND_U8), shape, what, error);
  array = store != NULL ? acc_store_dup_array (store, error) : NULL;

  return array != NULL ? acc_buffer_ref (acc_array_get_buffers (array)[0]) : NULL;
}

guint64
acc_external_get_size (AccArray *array)
{
  return array->shape != NULL ? (guint64) acc_shape_get_size (array->shape) : G_MAXUINT64;
}

guint64
acc_external_get_bytes (AccArray *array)
{
  return array->shape != NULL
         ? acc_bytes_multiply (acc_external_get_size (array), acc_element_type_get_size (array->type)) : G_MAXUINT64;
}

guint64
acc_external_measure_row (AccArray *array)
{
  gint64 rows = array->rank > 0 && array->shape != NULL ? acc_shape_get_extent (array->shape, 0) : 0;

  return rows > 0 ? acc_external_get_bytes (array) / (guint64) rows : 0;
}

guint64
acc_external_measure_rows (AccArray *array)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (&array, 1);
  guint64 bytes = LEAST_CHUNKS;

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      if (node->op == ACC_OP_SOURCE)
        bytes = acc_bytes_add (bytes, acc_source_get_resident_bytes (acc_array_get_source (node)));
    }

  return bytes;
}

guint64
acc_external_measure_walk (AccBackend *backend, AccArray *array)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (&array, 1);
  guint64 row = acc_external_measure_row (array);

  for (guint i = 0; i < nodes->len; i++)
    if (((AccArray *) g_ptr_array_index (nodes, i))->op == ACC_OP_SOURCE)
      row = acc_bytes_add (row, acc_external_measure_row (g_ptr_array_index (nodes, i)));
  /* On their way to a device and back, they are in pinned memory as well. */
  if (acc_backend_is_apart (backend))
    row = acc_bytes_multiply (row, 2);

  return acc_bytes_add (acc_external_measure_rows (array), acc_bytes_add (row, row / 16));
}

gboolean
acc_external_is_in_memory (AccArray *array)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (&array, 1);

  for (guint i = 0; i < nodes->len; i++)
    if (((AccArray *) g_ptr_array_index (nodes, i))->op == ACC_OP_SOURCE || acc_store_holds (g_ptr_array_index (nodes, i)))
      return FALSE;

  return TRUE;
}
