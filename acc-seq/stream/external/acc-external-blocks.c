/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-blocks-private.h"
#include "acc-external-elements-private.h"
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-error.h"
#include "acc-seq/stream/acc-plan-private.h"

#include <string.h>

gboolean
acc_blocks_init (AccBlocks *self, const AccExternalTask *task, AccElementType *type, AccShape *shape, gint64 n_columns, GError **error)
{
  *self = (AccBlocks) { task->backend, type, acc_element_type_get_n_buffers (type), 0, n_columns, NULL, NULL };
  self->n_rows = n_columns > 0 ? acc_shape_get_size (shape) / n_columns : 0;
  self->store = acc_external_new_store (task, type, shape, "blocks", error);

  return self->store != NULL;
}

gboolean
acc_blocks_init_for (AccBlocks *self, const AccExternalTask *task, AccArray *array, gint64 n_columns, GError **error)
{
  if (acc_array_is_manifest (array))
    {
      *self = (AccBlocks) { task->backend, array->type, acc_element_type_get_n_buffers (array->type), 0, n_columns, NULL,
                            g_object_ref (array) };
      self->n_rows = n_columns > 0 ? acc_shape_get_size (array->shape) / n_columns : 0;
      return TRUE;
    }

  return acc_blocks_init (self, task, array->type, array->shape, n_columns, error)
         && acc_external_fill_store (task, array, self->store, error);
}

void
acc_blocks_clear (AccBlocks *self)
{
  g_clear_pointer (&self->store, acc_store_unref);
  g_clear_object (&self->array);
}

/* --- copies */

/* What runs of rows ahead of the one that is read take at least, so that the disk has enough to do. */
#define AHEAD (4 * 1024 * 1024)

/* Runs of @run elements, from @column of the row on, will be read soon, if there are such rows. */
static void
expect_runs (AccBlocks *self, gint64 row, gint64 n_rows, gint64 column, gint64 run)
{
  gboolean is_whole = run == self->n_columns;

  if (self->store == NULL || row >= self->n_rows)
    return;

  n_rows = MIN (n_rows, self->n_rows - row);
  for (gint64 r = 0; r < (is_whole ? 1 : n_rows); r++)
    acc_store_expect (self->store, (row + r) * self->n_columns + column, is_whole ? n_rows * run : run);
}

/* Elements [first, first + n) to element @at of @buffers. */
static gboolean
read_run (AccBlocks *self, gint64 first, gint64 n, AccBuffer **buffers, gint64 at, GError **error)
{
  if (self->array == NULL)
    return acc_store_read_to (self->store, first, n, buffers, at, error);

  for (guint i = 0; i < self->n_buffers; i++)
    {
      gsize width = acc_element_type_get_buffer_size (self->type, i);
      const guint8 *from = acc_buffer_map (acc_array_get_buffers (self->array)[i], error);

      if (from == NULL && width > 0)
        return FALSE;
      if (width > 0)
        memcpy ((guint8 *) buffers[i]->data + (gsize) at * width, from + (gsize) first * width, (gsize) n * width);
    }

  return TRUE;
}

AccArray *
acc_blocks_read (AccBlocks *self, gint64 row, gint64 n_rows, gint64 column, gint64 n_columns, const gint64 *extents, guint rank,
                 GError **error)
{
  g_autofree AccBuffer **buffers = acc_buffers_allocate (self->type, n_rows * n_columns, acc_backend_get_host_budget (self->backend),
                                                         "a block", error);
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  gboolean is_whole = n_columns == self->n_columns;
  gint64 n_runs = is_whole ? 1 : n_rows, run = is_whole ? n_rows * n_columns : n_columns,
    ahead = AHEAD / MAX (n_columns * acc_element_type_get_size (self->type), 1) + 1;

  if (buffers == NULL)
    return NULL;

  if (!is_whole)
    expect_runs (self, row, MIN (ahead, n_rows), column, n_columns);
  for (gint64 r = 0; r < n_runs; r++)
    {
      if (!is_whole && ahead < n_rows - r)
        expect_runs (self, row + r + ahead, 1, column, n_columns);
      if (!read_run (self, (row + r) * self->n_columns + column, run, buffers, r * run, error))
        {
          acc_buffers_free (g_steal_pointer (&buffers));
          return NULL;
        }
    }
  /* Blocks are read in order: the disk reads the next one while this one is computed. */
  if (is_whole)
    expect_runs (self, row + n_rows, n_rows, column, n_columns);

  return acc_array_new_manifest (self->type, shape, buffers);
}

gboolean
acc_blocks_write (AccBlocks *self, gint64 row, gint64 n_rows, gint64 column, gint64 n_columns, AccArray *block, GError **error)
{
  gboolean is_whole = n_columns == self->n_columns;
  gint64 n_runs = is_whole ? 1 : n_rows, run = is_whole ? n_rows * n_columns : n_columns;

  if (!acc_external_fetch (block, error))
    return FALSE;

  for (gint64 r = 0; r < n_runs; r++)
    if (!acc_store_write_from (self->store, (row + r) * self->n_columns + column, run, acc_array_get_buffers (block), r * run, error))
      return FALSE;

  return TRUE;
}

AccArray *
acc_blocks_dup_array (AccBlocks *self, GError **error)
{
  return self->array != NULL ? g_object_ref (self->array) : acc_store_dup_array (self->store, error);
}

/* --- how many at a time */

gint64
acc_blocks_choose (AccBackend *backend, guint64 row_bytes, gint64 most)
{
  guint64 room = MIN (acc_external_get_room (backend), G_MAXINT64);

  return (gint64) CLAMP (room / MAX (row_bytes, 1), 1, (guint64) MAX (most, 1));
}

gboolean
acc_blocks_each (gint64 all, gint64 n, AccBlockFunc function, gpointer data, GCancellable *cancellable, GError **error)
{
  for (gint64 first = 0; first < all; )
    {
      GError *local = NULL;

      n = MIN (n, all - first);
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (function (first, n, data, cancellable, &local))
        {
          first += n;
          continue;
        }
      if (!g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) || n == 1)
        {
          g_propagate_error (error, local);
          return FALSE;
        }
      g_error_free (local);
      n = (n + 1) / 2;
    }

  return TRUE;
}
