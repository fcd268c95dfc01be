/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-label-table-private.h"

#include "acc-external-private.h"

#define WHAT "numbers of connected runs"

void
acc_label_table_init (AccLabelTable *self, AccBackend *backend, guint64 room)
{
  *self = (AccLabelTable) { .backend = g_object_ref (backend), .room = room };
}

void
acc_label_table_clear (AccLabelTable *self)
{
  for (guint i = 0; i < self->n_blocks; i++)
    acc_buffer_unref (self->kept[i]);
  g_clear_object (&self->backend);
  self->n_blocks = 0;
}

static gboolean
add_block (AccLabelTable *self, GError **error)
{
  gsize size = sizeof (gint64) << (ACC_LABEL_FIRST_BITS + self->n_blocks);
  AccBuffer *buffer = acc_external_allocate (self->backend, size, self->room, WHAT, error);

  if (buffer == NULL)
    return FALSE;
  self->room -= MIN (self->room, size);
  self->kept[self->n_blocks] = buffer;
  self->blocks[self->n_blocks++] = (gint64 *) buffer->data;

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
