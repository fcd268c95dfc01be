/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sources that can be read once, such as pipes, and are needed again: they are stored while they are read, and the elements are those that
 * there are in memory. */
#include "stream-files.h"
#include "stream-flow.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-source-private.h"

#include <string.h>

#define ROWS    400
#define COLUMNS 300
/* A quarter of the source. */
#define LIMIT   120000

/* --- programs */

static AccExpr *
over (AccExpr *x, gpointer most)
{
  return acc_expr_fdiv (acc_expr_cast (x, acc_element_type_new (ACC_KIND_F64)),
                        acc_expr_cast (acc_expr_the (most), acc_element_type_new (ACC_KIND_F64)));
}

/* A reduction, and rows. */
static guint
scaled (AccArray *array, gpointer data, AccArray **results)
{
  g_autoptr(AccArray) most = acc_array_maximum_all (array);

  results[0] = acc_array_map (array, over, most);

  return 1;
}

/* Rows in another order, and rows in order: what is stored for the former has the latter, too. */
static guint
folded (AccArray *array, gpointer data, AccArray **results)
{
  g_autoptr(AccArray) reversed = acc_array_reverse_on (array, 0);

  results[0] = acc_array_zip_with (array, reversed, flow_plus, NULL);

  return 1;
}

/* What goes by algorithms of its own, each of which reads the source. */
static guint
several (AccArray *array, gpointer data, AccArray **results)
{
  results[0] = acc_array_transpose (array);
  results[1] = acc_array_flatten (array);
  results[2] = acc_array_sort (results[1], FALSE);
  results[3] = acc_array_minimum_all (array);

  return 4;
}

static AccExpr *
place (AccExpr *x, gpointer data)
{
  AccElementType *type = acc_element_type_new (ACC_KIND_I64);
  AccExpr *wide = acc_expr_band (acc_expr_cast (x, type), acc_expr_new_int (G_MAXINT32));

  return acc_expr_rem (wide, acc_expr_new_typed_int (type, ROWS * COLUMNS));
}

/* Elements at places that are made of the same ones. */
static guint
gathered (AccArray *array, gpointer data, AccArray **results)
{
  g_autoptr(AccArray) flat = acc_array_flatten (array), places = acc_array_map (flat, place, NULL);

  results[0] = acc_array_gather (flat, places);

  return 1;
}

static AccExpr *is_some (AccExpr *x, gpointer data) { return acc_expr_gt (x, acc_expr_new_int (7)); }

/* Which side is taken the source says. */
static guint
chosen (AccArray *array, gpointer data, AccArray **results)
{
  g_autoptr(AccArray) most = acc_array_maximum_all (array), condition = acc_array_map (most, is_some, NULL),
    other = acc_array_map (array, flow_affine, NULL);

  results[0] = acc_array_cond (condition, other, array);

  return 1;
}

/* It is read once anyhow: nothing is stored. */
static guint
reduced (AccArray *array, gpointer data, AccArray **results)
{
  results[0] = acc_array_map (array, flow_affine, NULL);
  results[1] = acc_array_maximum_all (array);

  return 2;
}

static const struct {
  const char   *name;
  TestBuildFunc build;
  gboolean      is_stored;
} programs[] = {
  { "scaled", scaled, TRUE },   { "folded", folded, FALSE }, { "several", several, TRUE },
  { "gathered", gathered, FALSE }, { "chosen", chosen, TRUE }, { "reduced", reduced, FALSE },
};

/* --- what is checked */

static void
free_all (AccArray **arrays, guint n)
{
  for (guint i = 0; i < n; i++)
    g_object_unref (arrays[i]);
}

static void
check_program (TestPair *f, AccArray *memory, guint nth, guint64 limit)
{
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { ROWS, COLUMNS }, 2, 3);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));
  AccArray *results[4], *expected[4];
  AccSink *sinks[4];
  guint n = programs[nth].build (array, NULL, results);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccPlan) plan = NULL;
  g_autofree char *text = NULL;

  acc_source_set_once (ACC_SOURCE (source), TRUE);
  programs[nth].build (memory, NULL, expected);
  for (guint i = 0; i < n; i++)
    sinks[i] = ACC_SINK (test_sink_new ());

  if (limit > 0)
    acc_backend_set_memory_limit (f->backend, f->before + limit);
  plan = acc_backend_plan (f->backend, results[0], sinks[0], 0, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  g_test_message ("%s: %s", programs[nth].name, text);
  if (limit == LIMIT && n == 1)
    g_assert_true ((strstr (text, "it can be read once") != NULL) == programs[nth].is_stored);
  /* Which side of a choice is taken nobody knows before. */
  if (limit > 0 && programs[nth].build != chosen)
    g_assert_cmpuint (acc_plan_get_bytes (plan), <=, f->before + limit);
  g_assert_cmpint (source->n_started, ==, 0);

  acc_backend_write_many (f->backend, results, n, sinks, n, NULL, &error);
  acc_backend_set_memory_limit (f->backend, 0);
  g_assert_no_error (error);
  g_assert_cmpint (source->n_started, ==, 1);
  g_assert_cmpint (source->n_finished, ==, 1);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr(AccArray) wanted = acc_backend_run (f->roomy, expected[i], NULL, &error);

      g_assert_no_error (error);
      test_sink_assert_same (TEST_SINK (sinks[i]), wanted);
      g_object_unref (sinks[i]);
    }
  free_all (results, n);
  free_all (expected, n);
  g_assert_cmpuint (acc_backend_get_temporary_used (f->backend), ==, 0);
}

static void
test_programs (TestPair *f, gconstpointer name)
{
  g_autoptr(AccArray) memory = test_pair_new_array (f, (gint64[]) { ROWS, COLUMNS }, 2);
  /* The interpreter keeps more of rows. */
  guint64 limit = g_str_equal (name, "interpreter") ? 8 * LIMIT : LIMIT;

  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      check_program (f, memory, i, limit);
      check_program (f, memory, i, 0);
    }
}

/* --- a stream that cannot seek */

typedef struct {
  GInputStream parent_instance;

  GBytes *bytes;
  gsize   at;
} Pipe;
typedef GInputStreamClass PipeClass;
GType pipe_get_type (void);
G_DEFINE_TYPE (Pipe, pipe, G_TYPE_INPUT_STREAM)

static gssize
pipe_read (GInputStream *stream, void *buffer, gsize count, GCancellable *cancellable, GError **error)
{
  Pipe *self = (Pipe *) stream;
  gsize size, n;
  const guint8 *data = g_bytes_get_data (self->bytes, &size);

  n = MIN (count, size - self->at);
  memcpy (buffer, data + self->at, n);
  self->at += n;

  return (gssize) n;
}

static void
pipe_finalize (GObject *object)
{
  g_bytes_unref (((Pipe *) object)->bytes);

  G_OBJECT_CLASS (pipe_parent_class)->finalize (object);
}

static void
pipe_class_init (PipeClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pipe_finalize;
  klass->read_fn = pipe_read;
}

static void
pipe_init (Pipe *self)
{
}

static void
test_pipes (TestPair *f, gconstpointer name)
{
  static const char *const formats[] = { "npy", "png" };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr(TestSource) source = test_source_new ("u1", (gint64[]) { ROWS, COLUMNS }, 2, 3);
      g_autoptr(AccArray) rows = acc_array_new_from_source (ACC_SOURCE (source)), array = NULL, memory = NULL, wanted = NULL;
      Pipe *stream = g_object_new (pipe_get_type (), NULL);
      AccArray *result, *expected;
      g_autoptr(AccSource) pipe = NULL;
      g_autoptr(TestSink) sink = test_sink_new ();
      g_autoptr(GError) error = NULL;

      stream->bytes = test_file_new (f->roomy, rows, formats[i]);
      pipe = acc_source_new_for_stream (G_INPUT_STREAM (stream), NULL, &error);
      g_assert_no_error (error);
      g_object_unref (stream);
      array = acc_array_new_from_source (pipe);
      scaled (array, NULL, &result);
      memory = acc_backend_run (f->roomy, rows, NULL, &error);
      g_assert_no_error (error);
      scaled (memory, NULL, &expected);
      wanted = acc_backend_run (f->roomy, expected, NULL, &error);
      g_assert_no_error (error);

      g_assert_true (test_write_within (f->backend, result, sink, 500000, &error));
      test_sink_assert_same (sink, wanted);
      g_object_unref (result);
      g_object_unref (expected);
    }
}

static const TestPairCase cases[] = { { "programs", test_programs }, { "pipes", test_pipes } };

static void
add_tests (const char *name, AccBackend *backend)
{
  test_pair_add ("once", name, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_add_backends ("native,interpreter", add_tests);

  return g_test_run ();
}
