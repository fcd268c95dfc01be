/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream-files.h"

#include <string.h>

/* --- source */

G_DEFINE_FINAL_TYPE (TestSource, test_source, ACC_TYPE_SOURCE)

gint32
test_source_element (guint32 seed, gint64 row, gint64 column)
{
  guint32 x = seed * 2654435761u + (guint32) row * 40503u + (guint32) column * 977u;

  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;

  return (gint32) x;
}

static void
fill_element (AccElementKind kind, guint8 *to, gint32 x)
{
  switch (kind)
    {
    case ACC_KIND_BOOL:
      *to = x & 1;
      break;
    case ACC_KIND_F32:
      {
        float f = (float) (x % 1000) / 8;
        memcpy (to, &f, 4);
        break;
      }
    case ACC_KIND_F64:
      {
        double f = (double) (x % 100000) / 64;
        memcpy (to, &f, 8);
        break;
      }
    case ACC_KIND_F16:
      {
        guint16 half = 0x3c00 | (x & 0x3ff);
        memcpy (to, &half, 2);
        break;
      }
    case ACC_KIND_I8:
    case ACC_KIND_U8:
      memcpy (to, &x, 1);
      break;
    case ACC_KIND_I16:
    case ACC_KIND_U16:
      memcpy (to, &x, 2);
      break;
    case ACC_KIND_I32:
    case ACC_KIND_U32:
      memcpy (to, &x, 4);
      break;
    case ACC_KIND_I64:
    case ACC_KIND_U64:
      {
        gint64 wide = (gint64) x * 1000003;
        memcpy (to, &wide, 8);
        break;
      }
    case ACC_KIND_TUPLE:
    case ACC_KIND_COMPLEX:
    case ACC_KIND_VECTOR:
    default:
      g_assert_not_reached ();
    }
}

static gboolean
test_source_start (AccSource *source, GCancellable *cancellable, GError **error)
{
  TestSource *self = TEST_SOURCE (source);

  if (self->fail_start)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_IO, "no such tape");
      return FALSE;
    }

  g_atomic_int_inc (&self->n_started);
  g_atomic_int_set (&self->n_read, 0);

  return TRUE;
}

static gboolean
wait_for_cancel (GCancellable *cancellable, GError **error)
{
  GPollFD fd;

  if (g_cancellable_make_pollfd (cancellable, &fd))
    {
      g_poll (&fd, 1, 20000);
      g_cancellable_release_fd (cancellable);
    }

  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

static gboolean
test_source_read (AccSource *source, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  TestSource *self = TEST_SOURCE (source);
  AccElementType *type = acc_source_get_element_type (source);
  gint64 first = acc_chunk_get_first_row (chunk), n = acc_chunk_get_n_rows (chunk);

  if (self->delay_us > 0)
    g_usleep (self->delay_us);

  if (self->block && !wait_for_cancel (cancellable, error))
    return FALSE;

  if (self->cancels != NULL && first <= self->cancel_row && self->cancel_row < first + n)
    g_cancellable_cancel (self->cancels);

  if (self->fail_row >= first && self->fail_row < first + n)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "bad row %d", (int) self->fail_row);
      return FALSE;
    }

  for (guint buffer = 0; buffer < acc_element_type_get_n_buffers (type); buffer++)
    {
      AccElementKind kind = acc_element_type_get_leaf (acc_element_type_get_buffer (type, buffer), 0);
      gsize size = acc_element_kind_get_size (kind);
      guint8 *to = (guint8 *) (guintptr) acc_chunk_get_address (chunk, buffer);
      gsize bytes = acc_chunk_get_size (chunk, buffer);
      gint64 columns = n > 0 ? (gint64) (bytes / size) / n : 0;

      if (self->buffers != NULL)
        {
          if (bytes > 0)
            memcpy (to, (const guint8 *) g_bytes_get_data (self->buffers[buffer], NULL) + (gsize) first * (gsize) columns * size, bytes);
          continue;
        }

      for (gint64 r = 0; r < n; r++)
        for (gint64 c = 0; c < columns; c++, to += size)
          fill_element (kind, to, test_source_element (self->seed + buffer, first + r, c));
    }

  g_atomic_int_add (&self->n_read, (int) n);

  return TRUE;
}

static void
test_source_finish (AccSource *source)
{
  g_atomic_int_inc (&TEST_SOURCE (source)->n_finished);
}

static guint64
test_source_get_resident_bytes (AccSource *source)
{
  return TEST_SOURCE (source)->resident;
}

static char *
test_source_dup_identity (AccSource *source, GError **error)
{
  return g_strdup (TEST_SOURCE (source)->identity);
}

static void
test_source_finalize (GObject *object)
{
  TestSource *self = TEST_SOURCE (object);

  for (guint i = 0; i < self->n_buffers; i++)
    g_bytes_unref (self->buffers[i]);
  g_free (self->buffers);
  g_clear_object (&self->cancels);

  G_OBJECT_CLASS (test_source_parent_class)->finalize (object);
}

static void
test_source_class_init (TestSourceClass *klass)
{
  AccSourceClass *source_class = ACC_SOURCE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = test_source_finalize;
  source_class->start = test_source_start;
  source_class->read = test_source_read;
  source_class->finish = test_source_finish;
  source_class->get_resident_bytes = test_source_get_resident_bytes;
  source_class->dup_identity = test_source_dup_identity;
}

static void
test_source_init (TestSource *self)
{
  self->fail_row = self->cancel_row = -1;
}

TestSource *
test_source_new (const char *code, const gint64 *extents, guint rank, guint32 seed)
{
  g_autoptr(AccElementType) type = acc_element_type_parse (code, NULL);
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  g_autofree char *name = g_strdup_printf ("tape %u", seed);
  TestSource *self = g_object_new (TEST_TYPE_SOURCE, "element-type", type, "shape", shape, "name", name, NULL);

  self->seed = seed;

  return self;
}

TestSource *
test_source_new_for_array (AccArray *array)
{
  TestSource *self = g_object_new (TEST_TYPE_SOURCE, "element-type", acc_array_get_element_type (array),
                                   "shape", acc_array_get_shape (array), "name", "array", NULL);

  self->n_buffers = acc_element_type_get_n_buffers (acc_array_get_element_type (array));
  self->buffers = g_new0 (GBytes *, self->n_buffers);
  for (guint i = 0; i < self->n_buffers; i++)
    self->buffers[i] = acc_array_dup_bytes (array, i, NULL);

  return self;
}

/* --- sink */

G_DEFINE_FINAL_TYPE (TestSink, test_sink, ACC_TYPE_SINK)

static void
clear_rows (TestSink *self)
{
  for (guint i = 0; i < self->n_buffers; i++)
    g_byte_array_unref (self->buffers[i]);
  g_clear_pointer (&self->buffers, g_free);
  self->n_buffers = 0;
  self->n_rows = 0;
  self->n_chunks = 0;
  g_clear_pointer (&self->type, acc_element_type_unref);
  g_clear_pointer (&self->shape, acc_shape_unref);
}

static gboolean
test_sink_start (AccSink *sink, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error)
{
  TestSink *self = TEST_SINK (sink);

  self->n_started++;
  if (self->fail_start)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "no such format");
      return FALSE;
    }

  clear_rows (self);
  self->type = acc_element_type_ref (type);
  self->shape = acc_shape_ref (shape);
  self->n_buffers = acc_element_type_get_n_buffers (type);
  self->buffers = g_new0 (GByteArray *, self->n_buffers);
  for (guint i = 0; i < self->n_buffers; i++)
    self->buffers[i] = g_byte_array_new ();

  return TRUE;
}

static gboolean
test_sink_write (AccSink *sink, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  TestSink *self = TEST_SINK (sink);
  gint64 first = acc_chunk_get_first_row (chunk), n = acc_chunk_get_n_rows (chunk);

  if (self->delay_us > 0)
    g_usleep (self->delay_us);

  if (self->watched != NULL)
    self->most_ahead = MAX (self->most_ahead, g_atomic_int_get (&self->watched->n_read) - first);

  if (self->block && !wait_for_cancel (cancellable, error))
    return FALSE;

  if (self->fail_row >= first && self->fail_row < first + n)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "full at row %d", (int) self->fail_row);
      return FALSE;
    }

  g_assert_cmpint (first, ==, self->n_rows);
  for (guint i = 0; i < self->n_buffers; i++)
    {
      g_autoptr(GBytes) bytes = acc_chunk_dup_bytes (chunk, i);
      gsize size;
      const guint8 *data = g_bytes_get_data (bytes, &size);

      if (size > 0)
        g_byte_array_append (self->buffers[i], data, (guint) size);
    }
  self->n_rows += n;
  self->n_chunks++;

  return TRUE;
}

static gboolean
test_sink_commit (AccSink *sink, GCancellable *cancellable, GError **error)
{
  TestSink *self = TEST_SINK (sink);

  if (self->fail_commit)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_IO, "cannot rename");
      return FALSE;
    }

  self->n_committed++;

  return TRUE;
}

static void
test_sink_abort (AccSink *sink)
{
  TestSink *self = TEST_SINK (sink);

  self->n_aborted++;
  clear_rows (self);
}

static guint64
test_sink_get_resident_bytes (AccSink *sink, AccElementType *type, AccShape *shape)
{
  return TEST_SINK (sink)->resident;
}

static void
test_sink_finalize (GObject *object)
{
  clear_rows (TEST_SINK (object));

  G_OBJECT_CLASS (test_sink_parent_class)->finalize (object);
}

static void
test_sink_class_init (TestSinkClass *klass)
{
  AccSinkClass *sink_class = ACC_SINK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = test_sink_finalize;
  sink_class->start = test_sink_start;
  sink_class->write = test_sink_write;
  sink_class->commit = test_sink_commit;
  sink_class->abort = test_sink_abort;
  sink_class->get_resident_bytes = test_sink_get_resident_bytes;
}

static void
test_sink_init (TestSink *self)
{
  self->fail_row = -1;
}

TestSink *
test_sink_new (void)
{
  return g_object_new (TEST_TYPE_SINK, "name", "drain", NULL);
}

void
test_sink_assert_ended (TestSink *self, gboolean committed)
{
  g_assert_cmpint (self->n_committed, ==, committed ? 1 : 0);
  g_assert_cmpint (self->n_aborted, ==, committed ? 0 : self->n_started);
  g_assert_cmpint (self->n_started, <=, 1);
}
