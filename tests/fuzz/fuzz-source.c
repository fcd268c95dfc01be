/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzz-source.h"

#include "acc-core/data/acc-chunk-private.h"

#define MOST_BYTES (4 << 20)

static void
read_rows (AccSource *source)
{
  AccElementType *type = acc_source_get_element_type (source);
  guint rank, n_buffers = acc_element_type_get_n_buffers (type);
  const gint64 *extents = acc_shape_get_extents (acc_source_get_shape (source), &rank);
  gint64 elements = acc_shape_get_size (acc_source_get_shape (source));
  g_autofree gpointer *buffers = g_new0 (gpointer, n_buffers + 1);
  gint64 n_rows = rank > 0 ? extents[0] : 1, row = 1, step;

  if (elements > MOST_BYTES / 8 || acc_source_get_resident_bytes (source) > 2 * MOST_BYTES)
    return;

  for (guint i = 1; i < rank; i++)
    row *= extents[i];
  step = MAX (n_rows / 3, 1);
  for (guint i = 0; i < n_buffers; i++)
    buffers[i] = g_malloc (step * row * acc_element_type_get_size (acc_element_type_get_buffer (type, i)));

  if (acc_source_start (source, NULL, NULL))
    for (gint64 first = 0; elements > 0 && first < n_rows; first += step)
      {
        g_autoptr(AccChunk) chunk = acc_chunk_new (type, first, MIN (step, n_rows - first), row, buffers);

        if (!acc_source_read (source, chunk, NULL, NULL))
          break;
      }
  acc_source_finish (source);

  for (guint i = 0; i < n_buffers; i++)
    g_free (buffers[i]);
}

void
fuzz_read_source (const guint8 *data, gsize size)
{
  g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_data (data, size, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSource) source = acc_source_new_for_stream (stream, NULL, &error);

  g_assert_true ((source == NULL) == (error != NULL));
  if (source != NULL)
    read_rows (source);
}
