/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-ledger-file-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/base/acc-error-private.h"
#include "acc-core/data/acc-chunk-private.h"
#include "acc-core/data/acc-sink-private.h"

#include <errno.h>
#include <unistd.h>

/* What is in a ledger becomes the output. */

#define COPY_BYTES (1024 * 1024)

gint64
acc_ledger_count_row_elements (AccShape *shape)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);
  gint64 n = 1;

  for (guint i = 1; i < rank; i++)
    n *= MAX (extents[i], 0);

  return n;
}

gsize
acc_ledger_get_width (AccLedger *self, guint buffer)
{
  return acc_element_type_get_buffer_size (self->type, buffer) * (gsize) acc_ledger_count_row_elements (self->shape);
}

gsize
acc_ledger_measure_block (AccLedger *self, gint64 n_rows)
{
  return (gsize) (n_rows * acc_ledger_count_row_elements (self->shape)) * acc_element_type_get_size (self->type);
}

GBytes *
acc_ledger_make_head (AccLedger *self, AccSink *output, GError **error)
{
  const AccSinkPlain *plain = acc_sink_get_plain (output);
  guint rank;
  const gint64 *extents = acc_shape_get_extents (self->shape, &rank);
  g_autofree gint64 *now = g_memdup2 (extents, rank * sizeof (gint64));
  g_autoptr(AccShape) shape = NULL;

  if (plain == NULL)
    return NULL;
  if (self->grows)
    now[0] = self->n_done;
  shape = acc_shape_new (now, rank);

  return plain->make_head (output, self->type, shape, self->was_growing, error);
}

/* Rows [first, first + n) of a block. */
static gboolean
copy_rows (AccLedger *self, const AccLedgerBlock *block, gint64 first, gint64 n, guint8 *bytes, AccSink *sink, GCancellable *cancellable,
           GError **error)
{
  guint n_buffers = acc_element_type_get_n_buffers (self->type);
  g_autofree gpointer *addresses = g_new0 (gpointer, n_buffers + 1);
  guint64 offset = block->offset;
  AccChunk *chunk;
  gboolean done;

  for (guint i = 0; i < n_buffers; i++)
    {
      gsize width = acc_ledger_get_width (self, i);

      addresses[i] = bytes;
      if (!acc_ledger_transfer (self, FALSE, self->rows, bytes, (gsize) n * width, offset + (guint64) first * width, error))
        return FALSE;
      bytes += (gsize) n * width;
      offset += (guint64) block->n_rows * width;
    }

  chunk = acc_chunk_new (self->type, block->first_row + first, n, acc_ledger_count_row_elements (self->shape), addresses);
  done = acc_sink_write (sink, chunk, cancellable, error);
  acc_chunk_invalidate (chunk);
  acc_chunk_unref (chunk);

  return done;
}

static gboolean
copy_block (AccLedger *self, const AccLedgerBlock *block, AccSink *sink, GCancellable *cancellable, GError **error)
{
  gsize row_bytes = acc_ledger_measure_block (self, 1);
  gint64 most = (gint64) MAX (COPY_BYTES / MAX (row_bytes, 1), 1);
  g_autofree guint8 *bytes = g_malloc (MAX (row_bytes * (gsize) MIN (most, block->n_rows), 1));

  for (gint64 first = 0; first < block->n_rows; first += most)
    if (!copy_rows (self, block, first, MIN (most, block->n_rows - first), bytes, sink, cancellable, error))
      return FALSE;

  return TRUE;
}

static gboolean
copy_to (AccLedger *self, AccSink *sink, GCancellable *cancellable, GError **error)
{
  gboolean done = acc_sink_start (sink, self->type, self->shape, cancellable, error);

  for (guint i = 0; done && i < self->blocks->len; i++)
    done = copy_block (self, &g_array_index (self->blocks, AccLedgerBlock, i), sink, cancellable, error);
  done = done && acc_sink_commit (sink, cancellable, error);
  if (!done)
    {
      acc_sink_abort (sink);
      g_prefix_error (error, "writing “%s”: ", acc_sink_get_name (sink));
    }

  return done;
}

/* FALSE without an error: it is to be copied. */
static gboolean
give_file (AccLedger *self, AccSink *output, GError **error)
{
  g_autoptr(GBytes) head = acc_ledger_make_head (self, output, error);
  g_autofree char *path = g_build_filename (self->folder, ACC_LEDGER_ROWS, NULL);

  if (head == NULL || g_bytes_get_size (head) != self->head)
    return FALSE;
  if (ftruncate (self->rows, (off_t) self->end) < 0)
    {
      acc_error_set_errno (error, "writing", self->name, errno);
      return FALSE;
    }

  return acc_ledger_transfer (self, TRUE, self->rows, (gpointer) g_bytes_get_data (head, NULL), self->head, 0, error)
         && acc_sink_get_plain (output)->adopt (output, path, error);
}

gboolean
acc_ledger_give (AccLedger *self, AccSink *output, GCancellable *cancellable, GError **error)
{
  GError *local = NULL;

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (give_file (self, output, &local))
    return TRUE;
  if (local == NULL)
    return copy_to (self, output, cancellable, error);
  g_propagate_prefixed_error (error, local, "writing “%s”: ", acc_sink_get_name (output));

  return FALSE;
}
