/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-label-table-private.h"

#include "acc-array.h"
#include "acc-core/array/acc-array-private.h"
#include "acc-external-private.h"
#include "acc-seq/stream/acc-store-private.h"

#define WHAT "numbers of connected runs"

void
acc_label_table_init (AccLabelTable *self, AccBackend *backend)
{
  *self = (AccLabelTable) { .backend = g_object_ref (backend) };
}

void
acc_label_table_clear (AccLabelTable *self)
{
  for (guint i = 0; i < self->n_blocks; i++)
    if (self->stored[i])
      g_object_unref (self->kept[i]);
    else
      acc_buffer_unref (self->kept[i]);
  g_clear_object (&self->backend);
  self->n_blocks = 0;
}

/* Of at most an eighth of what is left: rows need memory, too. */
static gboolean
add_in_memory (AccLabelTable *self, gsize size)
{
  AccBuffer *buffer;

  if (size > acc_external_get_room (self->backend) / 8)
    return FALSE;

  buffer = acc_buffer_allocate (size, acc_backend_get_host_budget (self->backend), WHAT, NULL);
  if (buffer == NULL)
    return FALSE;
  self->kept[self->n_blocks] = buffer;
  self->blocks[self->n_blocks] = (gint64 *) buffer->data;

  return TRUE;
}

static gboolean
add_in_file (AccLabelTable *self, gint64 n, GError **error)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(AccStore) store = acc_store_new (self->backend, acc_element_type_new (ACC_KIND_I64), shape, WHAT, error);
  AccArray *array = store != NULL ? acc_store_dup_array (store, error) : NULL;

  if (array == NULL)
    return FALSE;
  self->kept[self->n_blocks] = array;
  self->stored[self->n_blocks] = TRUE;
  self->blocks[self->n_blocks] = (gint64 *) acc_array_get_buffers (array)[0]->data;

  return TRUE;
}

static gboolean
add_block (AccLabelTable *self, GError **error)
{
  gint64 n = G_GINT64_CONSTANT (1) << (ACC_LABEL_FIRST_BITS + self->n_blocks);

  if (!add_in_memory (self, (gsize) n * sizeof (gint64)) && !add_in_file (self, n, error))
    return FALSE;
  self->n_blocks++;

  return TRUE;
}

gboolean
acc_label_table_add (AccLabelTable *self, GError **error)
{
  guint64 first = G_GUINT64_CONSTANT (1) << ACC_LABEL_FIRST_BITS;

  if ((guint64) self->n + first >= first << self->n_blocks && !add_block (self, error))
    return FALSE;
  *acc_label_table_at (self, self->n) = self->n;
  self->n++;

  return TRUE;
}

/* Halves the path to the root. */
static gint64
find (AccLabelTable *self, gint64 number)
{
  gint64 *place = acc_label_table_at (self, number);

  while (*place != number)
    {
      gint64 *next = acc_label_table_at (self, *place);

      number = *place = *next;
      place = acc_label_table_at (self, number);
    }

  return number;
}

void
acc_label_table_join (AccLabelTable *self, gint64 a, gint64 b)
{
  gint64 root = find (self, a), other = find (self, b);

  if (root < other)
    *acc_label_table_at (self, other) = root;
  else
    *acc_label_table_at (self, root) = other;
}

gint64
acc_label_table_number (AccLabelTable *self)
{
  gint64 n_sets = 0;

  /* What a number was joined to is no larger, so that it is known. */
  for (gint64 i = 0; i < self->n; i++)
    {
      gint64 *place = acc_label_table_at (self, i);

      *place = *place == i ? ++n_sets : *acc_label_table_at (self, *place);
    }

  return n_sets;
}
