/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-chunk-private.h"

#include "acc-core/base/acc-element-type-private.h"

#include "acc-error.h"

#include <string.h>

/**
 * AccChunk:
 *
 * Represents rows of a streamed array in memory that the stream owns. It is valid during the call that it was passed to.
 *
 * Each buffer of the element type, see acc_element_type_get_buffer(), is one contiguous row-major run of bytes at its own
 * address. A reference may be kept: after the call the addresses and sizes are 0. But an address that was read during the
 * call must not be used after it.
 *
 * Chunks are for one thread at a time.
 */
struct _AccChunk
{
  gatomicrefcount ref_count;
  int             valid;
  AccElementType *type;
  gint64          first_row;
  gint64          n_rows;
  gint64          row_elements;
  guint           n_buffers;
  gpointer        addresses[];
};

G_DEFINE_BOXED_TYPE (AccChunk, acc_chunk, acc_chunk_ref, acc_chunk_unref)

AccChunk *
acc_chunk_new (AccElementType *type, gint64 first_row, gint64 n_rows, gint64 row_elements, gpointer *addresses)
{
  guint n_buffers = acc_element_type_get_n_buffers (type);
  AccChunk *self = g_malloc0 (sizeof (AccChunk) + n_buffers * sizeof (gpointer));

  g_atomic_ref_count_init (&self->ref_count);
  self->valid = TRUE;
  self->type = acc_element_type_ref (type);
  self->first_row = first_row;
  self->n_rows = MAX (n_rows, 0);
  self->row_elements = MAX (row_elements, 0);
  self->n_buffers = n_buffers;
  for (guint i = 0; i < n_buffers; i++)
    self->addresses[i] = addresses[i];

  return self;
}

void
acc_chunk_invalidate (AccChunk *self)
{
  g_atomic_int_set (&self->valid, FALSE);
}

gint64
acc_chunk_get_row_elements (AccChunk *self)
{
  return self->row_elements;
}

/**
 * acc_chunk_ref:
 * @self: a chunk
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @self
 */
AccChunk *
acc_chunk_ref (AccChunk *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

/**
 * acc_chunk_unref:
 * @self: (transfer full): a chunk
 *
 * Releases a reference.
 */
void
acc_chunk_unref (AccChunk *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  acc_element_type_unref (self->type);
  g_free (self);
}

/**
 * acc_chunk_get_first_row:
 * @self: a chunk
 *
 * Returns the index of the chunk's first row in the whole array, along the outermost dimension.
 *
 * Returns: the row, from 0
 */
gint64
acc_chunk_get_first_row (AccChunk *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->first_row;
}

/**
 * acc_chunk_get_n_rows:
 * @self: a chunk
 *
 * Returns the number of rows in the chunk.
 *
 * Returns: the number of rows
 */
gint64
acc_chunk_get_n_rows (AccChunk *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_rows;
}

/**
 * acc_chunk_get_element_type:
 * @self: a chunk
 *
 * Returns the type of the elements.
 *
 * Returns: (transfer none): the type
 */
AccElementType *
acc_chunk_get_element_type (AccChunk *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->type;
}

/**
 * acc_chunk_get_address:
 * @self: a chunk
 * @buffer: the number of a buffer of the element type; 0 unless it is a tuple
 *
 * Returns the address of a buffer's first element. A source may write [method@Acc.Chunk.get_size] bytes there, a sink may
 * read them.
 *
 * Returns: the address; 0 after the call that the chunk was passed to
 */
guint64
acc_chunk_get_address (AccChunk *self, guint buffer)
{
  g_return_val_if_fail (self != NULL, 0);
  g_return_val_if_fail (buffer < self->n_buffers, 0);

  return g_atomic_int_get (&self->valid) ? (guint64) (guintptr) self->addresses[buffer] : 0;
}

/**
 * acc_chunk_get_size:
 * @self: a chunk
 * @buffer: the number of a buffer of the element type; 0 unless it is a tuple
 *
 * Returns the number of bytes of a buffer in this chunk.
 *
 * Returns: the number of bytes; 0 after the call that the chunk was passed to
 */
guint64
acc_chunk_get_size (AccChunk *self, guint buffer)
{
  g_return_val_if_fail (self != NULL, 0);
  g_return_val_if_fail (buffer < self->n_buffers, 0);

  if (!g_atomic_int_get (&self->valid))
    return 0;

  return (guint64) self->n_rows * (guint64) self->row_elements
         * acc_element_type_get_buffer_size (self->type, buffer);
}

static gboolean
check_usable (AccChunk *self, guint buffer, GError **error)
{
  if (buffer >= self->n_buffers)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS, "a chunk of %s has no buffer %u",
                   acc_element_type_get_code (self->type), buffer);
      return FALSE;
    }

  if (!g_atomic_int_get (&self->valid))
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_STREAM, "the chunk was used after the call that it belongs to");
      return FALSE;
    }

  return TRUE;
}

/**
 * acc_chunk_set_bytes:
 * @self: a chunk
 * @buffer: the number of a buffer of the element type; 0 unless it is a tuple
 * @bytes: the buffer's elements, row-major, exactly [method@Acc.Chunk.get_size] bytes
 * @error: return location for an error
 *
 * Copies bytes into a buffer: for small chunks and simple subclasses.
 *
 * Fails with %ACC_ERROR_SHAPE where the number of bytes is wrong, %ACC_ERROR_BOUNDS where there is no such buffer,
 * %ACC_ERROR_STREAM after the call that the chunk was passed to.
 *
 * Returns: %TRUE on success
 */
gboolean
acc_chunk_set_bytes (AccChunk *self, guint buffer, GBytes *bytes, GError **error)
{
  gconstpointer data;
  guint64 expected;
  gsize size;

  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (bytes != NULL, FALSE);

  if (!check_usable (self, buffer, error))
    return FALSE;

  data = g_bytes_get_data (bytes, &size);
  expected = acc_chunk_get_size (self, buffer);
  if (size != expected)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE,
                   "buffer %u of the chunk of %" G_GINT64_FORMAT " rows takes %" G_GUINT64_FORMAT
                   " bytes, not %" G_GSIZE_FORMAT, buffer, self->n_rows, expected, size);
      return FALSE;
    }

  if (size > 0)
    memcpy (self->addresses[buffer], data, size);

  return TRUE;
}

/**
 * acc_chunk_dup_bytes:
 * @self: a chunk
 * @buffer: the number of a buffer of the element type; 0 unless it is a tuple
 *
 * Copies the elements of a buffer, row-major, to new bytes.
 *
 * Returns: (transfer full): the elements; no bytes after the call that the chunk was passed to
 */
GBytes *
acc_chunk_dup_bytes (AccChunk *self, guint buffer)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (buffer < self->n_buffers, NULL);

  return g_bytes_new (g_atomic_int_get (&self->valid) ? self->addresses[buffer] : NULL, acc_chunk_get_size (self, buffer));
}
