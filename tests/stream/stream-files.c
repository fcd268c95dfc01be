/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream-files.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"
#include "acc-core/data/acc-sink-private.h"

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

void
test_sink_assert_same (TestSink *self, AccArray *expected)
{
  g_assert_true (self->type == acc_array_get_element_type (expected));
  g_assert_true (acc_shape_equal (self->shape, acc_array_get_shape (expected)));
  for (guint i = 0; i < self->n_buffers; i++)
    {
      g_autoptr(GBytes) bytes = acc_array_dup_bytes (expected, i, NULL);
      gsize size;
      gconstpointer data = g_bytes_get_data (bytes, &size);

      g_assert_cmpmem (self->buffers[i]->data, self->buffers[i]->len, data, size);
    }
}

/* --- files in memory */

GBytes *
test_file_new (AccBackend *backend, AccArray *array, const char *format)
{
  g_autoptr(GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSink) sink = acc_sink_new_for_stream (stream, format, &error);

  g_assert_no_error (error);
  acc_backend_write (backend, array, sink, NULL, &error);
  g_assert_no_error (error);

  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (stream));
}

AccSource *
test_file_open (GBytes *file, const char *format, AccElementType *type, AccShape *shape)
{
  g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_bytes (file);
  g_autoptr(GError) error = NULL;
  AccSource *source = strcmp (format, "raw") == 0 ? acc_source_new_raw_for_stream (stream, type, shape, &error)
                                                  : acc_source_new_for_stream (stream, NULL, &error);

  g_assert_no_error (error);

  return source;
}

/* --- backends */

char **
test_dup_backend_names (const char *usual)
{
  const char *named = g_getenv ("ACC_TEST_BACKENDS");

  return g_strsplit (named != NULL && *named != '\0' ? named : usual, ",", -1);
}

void
test_add_backends (const char *usual, TestAddFunc add)
{
  g_auto(GStrv) names = test_dup_backend_names (usual);

  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr(AccBackend) backend = acc_backend_new_for_name (names[i], NULL);

      if (backend != NULL)
        add (g_intern_string (names[i]), backend);
    }
}

gboolean
test_write_within (AccBackend *backend, AccArray *array, TestSink *sink, guint64 limit, GError **error)
{
  AccBudget *budget = acc_backend_get_budget (backend);
  guint64 before_limit = acc_budget_get_limit (budget), before;
  gboolean done;

  acc_budget_spare (budget, G_MAXINT64);
  before = acc_budget_get_used (budget);
  acc_budget_reset_high_water (budget);
  acc_budget_set_limit (budget, limit > 0 ? before + limit : before_limit);
  done = acc_backend_write (backend, array, ACC_SINK (sink), NULL, error);
  acc_budget_set_limit (budget, before_limit);
  acc_budget_spare (budget, G_MAXINT64);

  test_sink_assert_ended (sink, done);
  g_assert_cmpuint (acc_budget_get_used (budget), <=, before);
  g_assert_cmpuint (acc_backend_get_temporary_used (backend), ==, 0);
  if (limit > 0)
    g_assert_cmpuint (acc_budget_get_high_water (budget), <=, before + limit);

  return done;
}

gboolean
test_is_near (const float *x, const float *y, gsize n, float share)
{
  float most = 0, off = 0;

  for (gsize i = 0; i < n; i++)
    {
      most = MAX (most, ABS (y[i]));
      off = MAX (off, ABS (x[i] - y[i]));
    }

  return off <= most * share;
}

void
test_pair_set_up (TestPair *self, gconstpointer name)
{
  g_autoptr(GError) error = NULL;

  self->backend = acc_backend_new_for_name (name, &error);
  g_assert_no_error (error);
  self->roomy = acc_backend_new_for_name (name, &error);
  g_assert_no_error (error);
  self->before = acc_budget_get_used (acc_backend_get_budget (self->backend));
}

void
test_pair_tear_down (TestPair *self, gconstpointer name)
{
  g_assert_cmpuint (acc_backend_get_temporary_used (self->backend), ==, 0);
  g_object_unref (self->backend);
  g_object_unref (self->roomy);
}

void
test_pair_add (const char *group, const char *backend_name, const TestPairCase *cases, guint n_cases)
{
  for (guint i = 0; i < n_cases; i++)
    {
      g_autofree char *path = g_strdup_printf ("/stream/%s/%s/%s", group, backend_name, cases[i].name);

      g_test_add (path, TestPair, backend_name, test_pair_set_up, cases[i].test, test_pair_tear_down);
    }
}

AccArray *
test_pair_new_array (TestPair *self, const gint64 *extents, guint rank)
{
  g_autoptr(TestSource) source = test_source_new ("i4", extents, rank, 3);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));
  g_autoptr(GError) error = NULL;
  AccArray *memory = acc_backend_run (self->roomy, array, NULL, &error);

  g_assert_no_error (error);

  return memory;
}

GPtrArray *
test_pair_write (TestPair *self, AccArray *array, guint64 limit, TestBuildFunc build, gpointer data, GPtrArray *sinks, int *n_reads)
{
  g_autoptr(TestSource) source = test_source_new_for_array (array);
  g_autoptr(AccArray) from_source = acc_array_new_from_source (ACC_SOURCE (source));
  AccArray *wanted[4] = { NULL, }, *results[4] = { NULL, };
  g_autoptr(GError) error = NULL;
  guint n = build (array, data, wanted);
  GPtrArray *expected = acc_backend_run_many (self->roomy, wanted, n, NULL, &error);

  g_assert_no_error (error);
  build (from_source, data, results);
  for (guint i = 0; i < n; i++)
    {
      g_ptr_array_add (sinks, test_sink_new ());
      acc_sink_set_takes_elements (g_ptr_array_index (sinks, i));
    }
  acc_backend_set_memory_limit (self->backend, limit > 0 ? self->before + limit : 0);
  acc_backend_write_many (self->backend, results, n, (AccSink **) sinks->pdata, n, NULL, &error);
  g_assert_no_error (error);
  acc_backend_set_memory_limit (self->backend, 0);

  for (guint i = 0; i < n; i++)
    {
      g_object_unref (results[i]);
      g_object_unref (wanted[i]);
    }
  if (n_reads != NULL)
    *n_reads = source->n_started;

  return expected;
}
