/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include "acc-core/data/acc-chunk-private.h"

#include <string.h>

/* A source and a sink whose functions do what a test tells them. */

typedef struct {
  AccSource parent_instance;
  GString  *calls;
  char      fail;       /* 's'tart, 'r'ead: with an error; capital: without */
} TestSource;

typedef AccSourceClass TestSourceClass;

GType test_source_get_type (void);
G_DEFINE_TYPE (TestSource, test_source, ACC_TYPE_SOURCE)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestSource, g_object_unref)

static gboolean
say (GString *calls, char fail, char name, GError **error)
{
  g_string_append_c (calls, name);
  if (fail == name)
    g_set_error_literal (error, ACC_ERROR, ACC_ERROR_IO, "told to");

  return g_ascii_tolower (fail) != name;
}

static gboolean
test_source_start (AccSource *source, GCancellable *cancellable, GError **error)
{
  TestSource *self = (TestSource *) source;

  return say (self->calls, self->fail, 's', error);
}

static gboolean
test_source_read (AccSource *source, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  TestSource *self = (TestSource *) source;

  return say (self->calls, self->fail, 'r', error);
}

static void
test_source_finish (AccSource *source)
{
  g_string_append_c (((TestSource *) source)->calls, 'f');
}

static guint64
test_source_get_resident_bytes (AccSource *source)
{
  return 77;
}

static void
test_source_finalize (GObject *object)
{
  g_string_free (((TestSource *) object)->calls, TRUE);
  G_OBJECT_CLASS (test_source_parent_class)->finalize (object);
}

static void
test_source_class_init (TestSourceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_source_finalize;
  klass->start = test_source_start;
  klass->read = test_source_read;
  klass->finish = test_source_finish;
  klass->get_resident_bytes = test_source_get_resident_bytes;
}

static void
test_source_init (TestSource *self)
{
  self->calls = g_string_new (NULL);
}

typedef struct {
  AccSource parent_instance;
} BareSource;
typedef AccSourceClass BareSourceClass;
GType bare_source_get_type (void);
G_DEFINE_TYPE (BareSource, bare_source, ACC_TYPE_SOURCE)
static void bare_source_class_init (BareSourceClass *klass) {}
static void bare_source_init (BareSource *self) {}

typedef struct {
  AccSink  parent_instance;
  GString *calls;       /* the test's */
  char     fail;        /* 's'tart, 'w'rite, 'c'ommit; capital: without an error */
} TestSink;

typedef AccSinkClass TestSinkClass;

GType test_sink_get_type (void);
G_DEFINE_TYPE (TestSink, test_sink, ACC_TYPE_SINK)

static gboolean
test_sink_start (AccSink *sink, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error)
{
  TestSink *self = (TestSink *) sink;

  return say (self->calls, self->fail, 's', error);
}

static gboolean
test_sink_write (AccSink *sink, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  TestSink *self = (TestSink *) sink;

  return say (self->calls, self->fail, 'w', error);
}

static gboolean
test_sink_commit (AccSink *sink, GCancellable *cancellable, GError **error)
{
  TestSink *self = (TestSink *) sink;

  return say (self->calls, self->fail, 'c', error);
}

static void
test_sink_abort (AccSink *sink)
{
  g_string_append_c (((TestSink *) sink)->calls, 'a');
}

static gboolean
test_sink_start_growing (AccSink *sink, AccElementType *type, AccShape *row_shape, GCancellable *cancellable, GError **error)
{
  TestSink *self = (TestSink *) sink;

  return say (self->calls, self->fail, 'g', error);
}

static void
test_sink_class_init (TestSinkClass *klass)
{
  klass->start_growing = test_sink_start_growing;
  klass->start = test_sink_start;
  klass->write = test_sink_write;
  klass->commit = test_sink_commit;
  klass->abort = test_sink_abort;
}

static void
test_sink_init (TestSink *self)
{
}

typedef struct {
  AccSink parent_instance;
} BareSink;
typedef AccSinkClass BareSinkClass;
GType bare_sink_get_type (void);
G_DEFINE_TYPE (BareSink, bare_sink, ACC_TYPE_SINK)
static void bare_sink_class_init (BareSinkClass *klass) {}
static void bare_sink_init (BareSink *self) {}

static AccChunk *
make_chunk (const char *code, gint64 first, gint64 n, gint64 row_elements, gpointer data)
{
  g_autoptr(AccElementType) type = acc_element_type_parse (code, NULL);
  gpointer leaves[4] = { data, data, data, data };

  return acc_chunk_new (type, first, n, row_elements, leaves);
}

static void
test_chunk_memory (void)
{
  guint8 bytes[6] = { 1, 2, 3, 4, 5, 6 };
  guint16 shorts[6] = { 1, 2, 3, 4, 5, 6 };
  gpointer leaves[] = { bytes, shorts };
  g_autoptr(AccElementType) type = acc_element_type_parse ("(u1,u2)", NULL);
  g_autoptr(AccChunk) chunk = acc_chunk_new (type, 10, 2, 3, leaves);
  g_autoptr(GBytes) copy = NULL;
  g_autoptr(GBytes) none = NULL;
  g_autoptr(GBytes) wrong = g_bytes_new ("ab", 2);
  g_autoptr(GBytes) right = g_bytes_new ("abcdef", 6);
  g_autoptr(GError) error = NULL;
  GValue value = G_VALUE_INIT;

  g_assert_cmpint (acc_chunk_get_first_row (chunk), ==, 10);
  g_assert_cmpint (acc_chunk_get_n_rows (chunk), ==, 2);
  g_assert_true (acc_chunk_get_element_type (chunk) == type);
  g_assert_cmpuint (acc_chunk_get_address (chunk, 0), ==, (guintptr) bytes);
  g_assert_cmpuint (acc_chunk_get_address (chunk, 1), ==, (guintptr) shorts);
  g_assert_cmpuint (acc_chunk_get_size (chunk, 0), ==, 6);
  g_assert_cmpuint (acc_chunk_get_size (chunk, 1), ==, 12);

  copy = acc_chunk_dup_bytes (chunk, 1);
  g_assert_cmpmem (g_bytes_get_data (copy, NULL), g_bytes_get_size (copy), shorts, 12);

  g_assert_true (acc_chunk_set_bytes (chunk, 0, right, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (bytes, 6, "abcdef", 6);
  g_assert_false (acc_chunk_set_bytes (chunk, 0, wrong, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);
  g_assert_false (acc_chunk_set_bytes (chunk, 2, right, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
  g_clear_error (&error);

  g_value_init (&value, ACC_TYPE_CHUNK);
  g_value_set_boxed (&value, chunk);
  g_assert_true (g_value_get_boxed (&value) == chunk);

  acc_chunk_invalidate (chunk);
  g_value_unset (&value);
  g_assert_cmpuint (acc_chunk_get_address (chunk, 0), ==, 0);
  g_assert_cmpuint (acc_chunk_get_size (chunk, 1), ==, 0);
  g_assert_false (acc_chunk_set_bytes (chunk, 0, right, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
  none = acc_chunk_dup_bytes (chunk, 0);
  g_assert_cmpuint (g_bytes_get_size (none), ==, 0);
}

static TestSource *
make_source (const char *code, const gint64 *extents, guint rank)
{
  g_autoptr(AccElementType) type = acc_element_type_parse (code, NULL);
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);

  return g_object_new (test_source_get_type (), "element-type", type, "shape", shape, "name", "camera", NULL);
}

static gboolean
read_source (gpointer source, gint64 first, gint64 n, GError **error)
{
  guint8 data[64];
  g_autoptr(AccChunk) chunk = make_chunk ("u1", first, n, 3, data);

  return acc_source_read (source, chunk, NULL, error);
}

static void
assert_source_refuses (gpointer source, gint64 first, gint64 n, int code)
{
  g_autoptr(GError) error = NULL;

  g_assert_false (read_source (source, first, n, &error));
  g_assert_error (error, ACC_ERROR, code);
  g_assert_nonnull (strstr (error->message, "camera"));
}

static void
test_source_states (void)
{
  const gint64 extents[] = { 5, 3 };
  g_autoptr(TestSource) source = make_source ("u1", extents, 2);
  AccSource *base = ACC_SOURCE (source);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccShape) shape = NULL;
  g_autofree char *name = NULL;
  guint8 data[64];
  g_autoptr(AccChunk) other_type = make_chunk ("i1", 2, 1, 3, data);
  g_autoptr(AccChunk) other_row = make_chunk ("u1", 2, 1, 4, data);

  g_object_get (base, "name", &name, "shape", &shape, NULL);
  g_assert_cmpstr (name, ==, "camera");
  g_assert_cmpint (acc_shape_get_extent (shape, 0), ==, 5);
  g_assert_cmpuint (acc_source_get_resident_bytes (base), ==, 77);

  assert_source_refuses (source, 0, 1, ACC_ERROR_STREAM);
  acc_source_finish (base);
  g_assert_cmpstr (source->calls->str, ==, "");

  g_assert_true (acc_source_start (base, NULL, &error));
  g_assert_false (acc_source_start (base, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
  g_clear_error (&error);

  g_assert_true (read_source (source, 0, 2, NULL));
  assert_source_refuses (source, 1, 2, ACC_ERROR_STREAM);
  assert_source_refuses (source, 3, 1, ACC_ERROR_STREAM);
  assert_source_refuses (source, 2, 4, ACC_ERROR_STREAM);
  g_assert_false (acc_source_read (base, other_type, NULL, NULL));
  g_assert_false (acc_source_read (base, other_row, NULL, NULL));
  g_assert_true (read_source (source, 2, 0, NULL));
  g_assert_true (read_source (source, 2, 3, NULL));
  assert_source_refuses (source, 5, 1, ACC_ERROR_STREAM);
  acc_source_finish (base);
  acc_source_finish (base);
  g_assert_cmpstr (source->calls->str, ==, "srrf");

  /* Again, and given up */
  g_assert_true (acc_source_start (base, NULL, NULL));
  g_assert_true (read_source (source, 0, 1, NULL));
  acc_source_finish (base);
  g_assert_cmpstr (source->calls->str, ==, "srrfsrf");
}

static void
test_source_failures (void)
{
  const gint64 extents[] = { 5, 3 };
  const gint64 giant[] = { G_MAXINT64, 3 };
  g_autoptr(TestSource) source = make_source ("u1", extents, 2);
  g_autoptr(TestSource) scalar = make_source ("u1", extents, 0);
  g_autoptr(TestSource) large = make_source ("u1", giant, 2);
  g_autoptr(AccSource) bare = g_object_new (bare_source_get_type (), NULL);
  guint8 value[64];
  g_autoptr(AccChunk) element = make_chunk ("u1", 0, 1, 1, value);
  g_autoptr(AccElementType) type = acc_element_type_parse ("u1", NULL);
  g_autoptr(AccShape) shape = acc_shape_new (extents, 2);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < 2; i++)
    {
      source->fail = "sS"[i];
      g_assert_false (acc_source_start (ACC_SOURCE (source), NULL, &error));
      g_assert_error (error, ACC_ERROR, (i == 0 ? ACC_ERROR_IO : ACC_ERROR_CALLBACK));
      g_clear_error (&error);

      source->fail = "rR"[i];
      g_assert_true (acc_source_start (ACC_SOURCE (source), NULL, NULL));
      g_assert_false (read_source (source, 0, 1, &error));
      g_assert_error (error, ACC_ERROR, (i == 0 ? ACC_ERROR_IO : ACC_ERROR_CALLBACK));
      g_clear_error (&error);
      assert_source_refuses (source, 0, 1, ACC_ERROR_STREAM);
      acc_source_finish (ACC_SOURCE (source));
    }

  g_cancellable_cancel (cancellable);
  g_assert_false (acc_source_start (ACC_SOURCE (source), cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);

  g_assert_true (acc_source_start (ACC_SOURCE (scalar), NULL, NULL));
  g_assert_true (acc_source_read (ACC_SOURCE (scalar), element, NULL, NULL));
  g_assert_false (acc_source_read (ACC_SOURCE (scalar), element, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
  g_clear_error (&error);
  acc_source_finish (ACC_SOURCE (scalar));

  g_assert_false (acc_source_start (ACC_SOURCE (large), NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);

  g_assert_false (acc_source_start (bare, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);
  acc_source_set_layout (bare, type, shape);
  g_assert_true (acc_source_start (bare, NULL, &error));
  g_assert_false (read_source (bare, 0, 1, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  acc_source_finish (bare);
  g_assert_cmpuint (acc_source_get_resident_bytes (bare), ==, 0);
}

static gboolean
start_sink (gpointer sink, GError **error)
{
  const gint64 extents[] = { 5, 3 };
  g_autoptr(AccElementType) type = acc_element_type_parse ("u1", NULL);
  g_autoptr(AccShape) shape = acc_shape_new (extents, 2);

  return acc_sink_start (sink, type, shape, NULL, error);
}

static gboolean
write_sink (gpointer sink, gint64 first, gint64 n, GError **error)
{
  guint8 data[64] = { 0 };
  g_autoptr(AccChunk) chunk = make_chunk ("u1", first, n, 3, data);

  return acc_sink_write (sink, chunk, NULL, error);
}

/* A run of which each step that is reached is made; the calls that arrive. */
static void
assert_calls (char fail, gint64 first, gint64 n, int code, const char *expected)
{
  g_autoptr(GString) calls = g_string_new (NULL);
  TestSink *sink = g_object_new (test_sink_get_type (), "name", "screen", NULL);
  g_autoptr(GError) error = NULL;

  sink->calls = calls;
  sink->fail = fail;
  if (start_sink (sink, &error) && write_sink (sink, 0, 2, &error)
      && write_sink (sink, first, n, &error))
    acc_sink_commit (ACC_SINK (sink), NULL, &error);

  if (code >= 0)
    {
      g_assert_error (error, ACC_ERROR, code);
      g_clear_error (&error);

      /* Nothing goes on after a failure. */
      g_assert_false (write_sink (sink, 2, 1, NULL));
      g_assert_false (acc_sink_commit (ACC_SINK (sink), NULL, NULL));
      g_assert_false (start_sink (sink, NULL));
      acc_sink_abort (ACC_SINK (sink));
    }
  else
    g_assert_no_error (error);

  acc_sink_abort (ACC_SINK (sink));
  g_assert_cmpstr (calls->str, ==, expected);

  sink->fail = 0;
  g_assert_true (start_sink (sink, NULL));
  g_object_unref (sink);
  g_assert_true (g_str_has_suffix (calls->str, "sa"));
}

static void
test_sink_states (void)
{
  assert_calls (0, 2, 3, -1, "swwc");
  assert_calls ('s', 2, 3, ACC_ERROR_IO, "sa");
  assert_calls ('S', 2, 3, ACC_ERROR_CALLBACK, "sa");
  assert_calls ('w', 2, 3, ACC_ERROR_IO, "swa");
  assert_calls ('W', 2, 3, ACC_ERROR_CALLBACK, "swa");
  assert_calls ('c', 2, 3, ACC_ERROR_IO, "swwca");
  assert_calls ('C', 2, 3, ACC_ERROR_CALLBACK, "swwca");
  assert_calls (0, 3, 2, ACC_ERROR_STREAM, "swa");
  assert_calls (0, 2, 4, ACC_ERROR_STREAM, "swa");
  assert_calls (0, 2, 2, ACC_ERROR_STREAM, "swwa");
}

/* How many rows there will be is not known: the message has no number for it. */
static void
test_sink_grows (void)
{
  g_autoptr(GString) calls = g_string_new (NULL);
  TestSink *sink = g_object_new (test_sink_get_type (), "name", "screen", NULL);
  g_autoptr(AccShape) row = acc_shape_new_vector (3);
  g_autoptr(GError) error = NULL;

  sink->calls = calls;
  g_assert_true (acc_sink_start_growing (ACC_SINK (sink), acc_element_type_new (ACC_KIND_U8), row, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (write_sink (sink, 0, 2, &error));
  g_assert_false (write_sink (sink, 4, 1, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
  g_assert_cmpstr (error->message, ==, "screen: rows from 4 to 5 were given where row 2 comes next");
  g_object_unref (sink);
  g_assert_cmpstr (calls->str, ==, "gwa");
}

static void
test_sink_bare (void)
{
  g_autoptr(AccSink) sink = g_object_new (bare_sink_get_type (), NULL);
  g_autoptr(AccElementType) type = acc_element_type_parse ("u1", NULL);
  g_autoptr(AccShape) scalar = acc_shape_new_scalar ();
  g_autoptr(AccShape) large = acc_shape_new_matrix (G_MAXINT64, 2);
  g_autoptr(AccShape) empty = acc_shape_new_matrix (0, 2);
  g_autoptr(GError) error = NULL;
  guint8 data[8];
  g_autoptr(AccChunk) one = make_chunk ("u1", 0, 1, 1, data);

  g_assert_cmpstr (acc_sink_get_name (sink), ==, "BareSink");
  g_assert_false (acc_sink_start (sink, type, large, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);

  g_assert_true (acc_sink_start (sink, type, empty, NULL, &error));
  g_assert_true (acc_sink_commit (sink, NULL, &error));
  g_assert_no_error (error);

  g_assert_true (acc_sink_start (sink, type, scalar, NULL, &error));
  g_assert_false (acc_sink_write (sink, one, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  acc_sink_abort (sink);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/chunk/memory", test_chunk_memory);
  g_test_add_func ("/source/states", test_source_states);
  g_test_add_func ("/source/failures", test_source_failures);
  g_test_add_func ("/sink/states", test_sink_states);
  g_test_add_func ("/sink/grows", test_sink_grows);
  g_test_add_func ("/sink/bare", test_sink_bare);

  return g_test_run ();
}
