/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "io-helpers.h"

#include "acc-core/data/acc-chunk-private.h"

#include <gio/gunixinputstream.h>
#include <glib/gstdio.h>
#include <unistd.h>

char *
io_make_folder (void)
{
  g_autoptr(GError) error = NULL;
  char *folder = g_dir_make_tmp ("acc-io-XXXXXX", &error);

  g_assert_no_error (error);

  return folder;
}

void
io_remove_folder (char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (g_remove (path), ==, 0);
    }

  g_dir_close (dir);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (folder);
}

guint
io_count_files (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  g_dir_close (dir);

  return n;
}

GFile *
io_file_in (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return g_file_new_for_path (path);
}

void
io_put (GFile *file, gconstpointer data, gsize size)
{
  g_assert_true (g_file_set_contents (g_file_peek_path (file), data, size, NULL));
}

GBytes *
io_get (GFile *file)
{
  g_autoptr(GError) error = NULL;
  GBytes *bytes = g_file_load_bytes (file, NULL, NULL, &error);

  g_assert_no_error (error);

  return bytes;
}

static gint64
get_row_elements (const gint64 *extents, guint rank)
{
  gint64 n = 1;

  for (guint i = 1; i < rank; i++)
    n *= extents[i];

  return n;
}

GPtrArray *
io_read_all (AccSource *source, gint64 chunk_rows, GCancellable *cancellable, GError **error)
{
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  AccElementType *type = acc_source_get_element_type (source);
  guint rank, n_buffers = acc_element_type_get_n_buffers (type);
  const gint64 *extents = acc_shape_get_extents (acc_source_get_shape (source), &rank);
  gint64 n_rows = rank > 0 ? extents[0] : 1, row = get_row_elements (extents, rank);
  g_autofree gpointer *data = g_new0 (gpointer, n_buffers + 1);
  g_autofree gpointer *at = g_new0 (gpointer, n_buffers + 1);
  gboolean done;

  for (guint i = 0; i < n_buffers; i++)
    {
      gsize size = n_rows * row * acc_element_type_get_size (acc_element_type_get_buffer (type, i));

      data[i] = g_malloc (size + 1);
      g_ptr_array_add (buffers, g_bytes_new_take (data[i], size));
    }

  done = acc_source_start (source, cancellable, error);
  for (gint64 begin = 0; done && begin < n_rows; )
    {
      gint64 n = chunk_rows > 0 ? MIN (chunk_rows, n_rows - begin) : n_rows - begin;
      AccChunk *chunk;

      for (guint i = 0; i < n_buffers; i++)
        at[i] = (guint8 *) data[i] + begin * row * acc_element_type_get_size (acc_element_type_get_buffer (type, i));

      chunk = acc_chunk_new (type, begin, n, row, at);
      done = acc_source_read (source, chunk, cancellable, error);
      acc_chunk_invalidate (chunk);
      acc_chunk_unref (chunk);
      begin += n;
    }
  acc_source_finish (source);

  return done ? g_steal_pointer (&buffers) : NULL;
}

gboolean
io_write_all (AccSink       *sink,
              const char    *code,
              const gint64  *extents,
              guint          rank,
              GPtrArray     *buffers,
              gint64         chunk_rows,
              GCancellable  *cancellable,
              GError       **error)
{
  g_autoptr(AccElementType) type = acc_element_type_parse (code, NULL);
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  guint n_buffers = acc_element_type_get_n_buffers (type);
  gint64 n_rows = rank > 0 ? extents[0] : 1, row = get_row_elements (extents, rank);
  g_autofree gpointer *at = g_new0 (gpointer, n_buffers + 1);
  gboolean done = acc_sink_start (sink, type, shape, cancellable, error);

  for (gint64 begin = 0; done && begin < n_rows; )
    {
      gint64 n = chunk_rows > 0 ? MIN (chunk_rows, n_rows - begin) : n_rows - begin;
      AccChunk *chunk;

      for (guint i = 0; i < n_buffers; i++)
        at[i] = (guint8 *) g_bytes_get_data (buffers->pdata[i], NULL)
                + begin * row * acc_element_type_get_size (acc_element_type_get_buffer (type, i));

      chunk = acc_chunk_new (type, begin, n, row, at);
      done = acc_sink_write (sink, chunk, cancellable, error);
      acc_chunk_invalidate (chunk);
      acc_chunk_unref (chunk);
      begin += n;
    }

  done = done && acc_sink_commit (sink, cancellable, error);
  if (!done)
    acc_sink_abort (sink);

  return done;
}

GPtrArray *
io_random_buffers (const char *code, const gint64 *extents, guint rank, guint32 seed)
{
  g_autoptr(AccElementType) type = acc_element_type_parse (code, NULL);
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  GPtrArray *buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  gint64 n = get_row_elements (extents, rank) * (rank > 0 ? extents[0] : 1);

  for (guint i = 0; i < acc_element_type_get_n_buffers (type); i++)
    {
      AccElementType *buffer = acc_element_type_get_buffer (type, i);
      AccElementKind kind = acc_element_type_get_leaf (buffer, 0);
      gsize size = n * acc_element_type_get_size (buffer);
      guint8 *data = g_malloc (size + 1);

      for (gsize j = 0; j < size; j++)
        data[j] = kind == ACC_KIND_BOOL ? g_rand_int_range (rand, 0, 2) : g_rand_int_range (rand, 0, 256);
      g_ptr_array_add (buffers, g_bytes_new_take (data, size));
    }

  return buffers;
}

void
io_assert_same (GPtrArray *a, GPtrArray *b)
{
  g_assert_cmpuint (a->len, ==, b->len);
  for (guint i = 0; i < a->len; i++)
    {
      gsize n, m;
      gconstpointer x = g_bytes_get_data (a->pdata[i], &n);
      gconstpointer y = g_bytes_get_data (b->pdata[i], &m);

      g_assert_cmpmem (x, n, y, m);
    }
}

void
io_assert_layout (AccSource *source, const char *type, const char *shape)
{
  g_autofree char *text = acc_shape_to_string (acc_source_get_shape (source));

  g_assert_cmpstr (acc_element_type_get_code (acc_source_get_element_type (source)), ==, type);
  g_assert_cmpstr (text, ==, shape);
}

typedef struct {
  GBytes *bytes;
  int     fd;
} Feed;

static gpointer
feed_pipe (gpointer data)
{
  Feed *feed = data;
  gsize size, done = 0;
  const guint8 *bytes = g_bytes_get_data (feed->bytes, &size);

  /* Uneven pieces */
  while (done < size)
    {
      gssize n = write (feed->fd, bytes + done, MIN (size - done, 1 + done % 977));

      if (n < 0)
        break;
      done += n;
    }

  close (feed->fd);
  g_bytes_unref (feed->bytes);
  g_free (feed);

  return NULL;
}

GInputStream *
io_pipe (GBytes *bytes)
{
  Feed *feed = g_new (Feed, 1);
  int fds[2];

  g_assert_cmpint (pipe (fds), ==, 0);
  feed->bytes = g_bytes_ref (bytes);
  feed->fd = fds[1];
  g_thread_unref (g_thread_new ("feed", feed_pipe, feed));

  return g_unix_input_stream_new (fds[0], TRUE);
}
