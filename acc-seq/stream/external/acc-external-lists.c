/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-lists-private.h"

#include "acc-core/array/acc-array-private.h"

gboolean
acc_external_lists_init (AccExternalLists *self, const AccExternalTask *task, AccElementType *type, guint n_parts, gint64 block,
                         gint64 most, GError **error)
{
  *self = (AccExternalLists) { .type = type, .n_parts = n_parts, .block = block };
  self->begins = g_new0 (GArray *, n_parts + 1);
  for (guint i = 0; i < n_parts; i++)
    self->begins[i] = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->n_items = g_new0 (gint64, n_parts + 1);
  self->n_open = g_new0 (gint64, n_parts + 1);

  self->store = acc_external_new_growing_store (task, type, most, "parts", error);
  if (self->store != NULL)
    self->blocks = acc_buffers_allocate (type, block * n_parts, acc_backend_get_host_budget (task->backend), "blocks of parts", error);

  return self->blocks != NULL;
}

void
acc_external_lists_clear (AccExternalLists *self)
{
  for (guint i = 0; self->begins != NULL && i < self->n_parts; i++)
    g_array_unref (self->begins[i]);
  g_clear_pointer (&self->begins, g_free);
  g_clear_pointer (&self->n_items, g_free);
  g_clear_pointer (&self->n_open, g_free);
  g_clear_pointer (&self->blocks, acc_buffers_free);
  g_clear_pointer (&self->store, acc_store_unref);
}

static gboolean
write_block (AccExternalLists *self, guint part, GError **error)
{
  if (self->n_open[part] == 0)
    return TRUE;
  if (!acc_store_write_from (self->store, self->n_written, self->n_open[part], self->blocks, self->block * part, error))
    return FALSE;
  g_array_append_val (self->begins[part], self->n_written);
  self->n_items[part] += self->n_open[part];
  self->n_written += self->n_open[part];
  self->n_open[part] = 0;

  return TRUE;
}

gint64
acc_external_lists_add (AccExternalLists *self, guint part, GError **error)
{
  if (self->n_open[part] == self->block && !write_block (self, part, error))
    return -1;

  return self->block * part + self->n_open[part]++;
}

gboolean
acc_external_lists_finish (AccExternalLists *self, GError **error)
{
  for (guint part = 0; part < self->n_parts; part++)
    if (!write_block (self, part, error))
      return FALSE;
  g_clear_pointer (&self->blocks, acc_buffers_free);

  return TRUE;
}

gboolean
acc_external_lists_read (AccExternalLists *self, guint part, guint nth, AccBuffer **buffers, gint64 at, gint64 *n, GError **error)
{
  *n = MIN (self->block, self->n_items[part] - nth * self->block);

  return acc_store_read_to (self->store, g_array_index (self->begins[part], gint64, nth), *n, buffers, at, error);
}
