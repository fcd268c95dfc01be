/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-band-private.h"

#include "acc-core/data/acc-chunk-private.h"

#include "acc-error.h"

#include <string.h>

/* Small rows are read many at a time. */
#define AHEAD (256 * 1024)

struct _AccSequenceBand
{
  AccSource  *source;
  gint64      n_rows;        /* of the source */
  gint64      row_elements;
  guint       n_buffers;
  gsize      *row_bytes;     /* for each buffer, as those below */
  AccBuffer **rows;          /* NULL: not allocated yet */
  AccBuffer **head;
  gint64      capacity;      /* rows */
  gint64      most_head;
  gint64      first, n;      /* those in memory */
  gboolean    started;
};

AccSequenceBand *
acc_sequence_band_new (AccSource *source,
                       gint64     span,
                       gint64     head)
{
  AccSequenceBand *self = g_new0 (AccSequenceBand, 1);
  AccElementType *type = acc_source_get_element_type (source);
  guint rank;
  const gint64 *extents = acc_shape_get_extents (acc_source_get_shape (source), &rank);

  self->source = g_object_ref (source);
  self->n_rows = MAX (extents[0], 0);
  self->row_elements = 1;
  for (guint i = 1; i < rank; i++)
    self->row_elements *= MAX (extents[i], 0);
  self->n_buffers = acc_element_type_get_n_buffers (type);
  self->row_bytes = g_new (gsize, self->n_buffers + 1);
  for (guint i = 0; i < self->n_buffers; i++)
    self->row_bytes[i] = self->row_elements * acc_element_type_get_size (acc_element_type_get_buffer (type, i));
  self->rows = g_new0 (AccBuffer *, self->n_buffers + 1);
  self->head = g_new0 (AccBuffer *, self->n_buffers + 1);
  self->most_head = head;
  /* Some more than needed, so that rows are not moved whenever some are read. */
  self->capacity = MIN (span + MAX (span / 4, AHEAD / (gint64) MAX (self->row_elements * acc_element_type_get_size (type), 1)) + 1,
                        MAX (self->n_rows, 1));

  return self;
}

void
acc_sequence_band_free (AccSequenceBand *self)
{
  if (self == NULL)
    return;

  acc_sequence_band_reset (self);
  for (guint i = 0; i < self->n_buffers; i++)
    {
      g_clear_pointer (&self->rows[i], acc_buffer_unref);
      g_clear_pointer (&self->head[i], acc_buffer_unref);
    }
  g_object_unref (self->source);
  g_free (self->rows);
  g_free (self->head);
  g_free (self->row_bytes);
  g_free (self);
}

void
acc_sequence_band_reset (AccSequenceBand *self)
{
  if (self->started)
    acc_source_finish (self->source);
  self->started = FALSE;
  self->first = self->n = 0;
}

static gboolean
read_rows (AccSequenceBand *self,
           gint64           begin,
           gint64           end,
           gpointer        *addresses,
           GCancellable    *cancellable,
           GError         **error)
{
  AccChunk *chunk;
  gboolean fine;

  if (!self->started && !acc_source_start (self->source, cancellable, error))
    return FALSE;

  self->started = TRUE;
  chunk = acc_chunk_new (acc_source_get_element_type (self->source), begin, end - begin, self->row_elements, addresses);
  fine = acc_source_read (self->source, chunk, cancellable, error);
  acc_chunk_invalidate (chunk);
  acc_chunk_unref (chunk);

  return fine;
}

static gboolean
allocate (AccSequenceBand *self,
          GError         **error)
{
  for (guint i = 0; i < self->n_buffers; i++)
    {
      if (self->rows[i] == NULL)
        self->rows[i] = acc_buffer_allocate (self->capacity * self->row_bytes[i], NULL, "rows of windows", error);
      if (self->rows[i] != NULL && self->head[i] == NULL)
        self->head[i] = acc_buffer_allocate (self->most_head * self->row_bytes[i], NULL, "first rows of windows", error);
      if (self->rows[i] == NULL || self->head[i] == NULL)
        return FALSE;
    }

  return TRUE;
}

static void
drop_before (AccSequenceBand *self,
             gint64           begin)
{
  gint64 n = CLAMP (begin - self->first, 0, self->n);

  for (guint i = 0; i < self->n_buffers && n > 0; i++)
    {
      guint8 *rows = self->rows[i]->data;

      memmove (rows, rows + n * self->row_bytes[i], (self->n - n) * self->row_bytes[i]);
    }
  self->first += n;
  self->n -= n;
}

static void
keep_head (AccSequenceBand *self,
           gint64           begin,
           gint64           end)
{
  gint64 n = MIN (end, self->most_head) - begin;

  for (guint i = 0; i < self->n_buffers && n > 0; i++)
    memcpy ((guint8 *) self->head[i]->data + begin * self->row_bytes[i],
            (guint8 *) self->rows[i]->data + (begin - self->first) * self->row_bytes[i], n * self->row_bytes[i]);
}

gboolean
acc_sequence_band_need (AccSequenceBand *self,
                        gint64           begin,
                        gint64           end,
                        GCancellable    *cancellable,
                        GError         **error)
{
  g_autofree gpointer *addresses = g_new (gpointer, self->n_buffers + 1);

  while (self->first + self->n < end)
    {
      gint64 from = self->first + self->n, to;

      if (!allocate (self, error))
        return FALSE;
      if (self->n == self->capacity || end > self->first + self->capacity)
        drop_before (self, begin);

      to = MIN (self->first + self->capacity, self->n_rows);
      for (guint i = 0; i < self->n_buffers; i++)
        addresses[i] = (guint8 *) self->rows[i]->data + self->n * self->row_bytes[i];
      if (!read_rows (self, from, to, addresses, cancellable, error))
        return FALSE;

      self->n = to - self->first;
      keep_head (self, from, to);
    }

  return TRUE;
}

gboolean
acc_sequence_band_read_direct (AccSequenceBand *self,
                               gint64           begin,
                               gint64           end,
                               gpointer        *addresses,
                               GCancellable    *cancellable,
                               GError         **error)
{
  if (!read_rows (self, begin, end, addresses, cancellable, error))
    return FALSE;

  self->first = end;
  self->n = 0;

  return TRUE;
}

gint64
acc_sequence_band_get_capacity (AccSequenceBand *self)
{
  return self->capacity;
}

gint64
acc_sequence_band_get_first (AccSequenceBand *self)
{
  return self->first;
}

const guint8 *
acc_sequence_band_get_rows (AccSequenceBand *self,
                            guint            buffer)
{
  return self->rows[buffer]->data;
}

const guint8 *
acc_sequence_band_get_head (AccSequenceBand *self,
                            guint            buffer)
{
  return self->head[buffer]->data;
}
