/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a filter keeps goes straight to sinks that can grow: the same elements as in memory, nothing stored, files complete or not there. */
#include "stream-files.h"
#include "stream-flow.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/backend/acc-backend-temporary-private.h"
#include "acc-core/data/acc-budget-private.h"
#include "tests/remove-tree.h"

#include <glib/gstdio.h>
#include <string.h>

#define LIMIT 700000

/* --- programs */

static AccExpr *is_odd (AccExpr *x, gpointer data) { return acc_expr_ne (acc_expr_band (x, acc_expr_new_int (1)), acc_expr_new_int (0)); }
static AccExpr *never (AccExpr *x, gpointer data) { return acc_expr_ne (x, x); }
static AccExpr *always (AccExpr *x, gpointer data) { return acc_expr_eq (x, x); }
static AccExpr *is_third (AccExpr *x, gpointer data) { return acc_expr_eq (acc_expr_rem (x, acc_expr_new_int (3)), acc_expr_new_int (0)); }
static AccExpr *pair_is_odd (AccExpr *x, gpointer data) { return is_odd (acc_expr_item (x, 0), data); }

static AccExpr *
pair (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (x, acc_expr_cast (acc_expr_band (x, acc_expr_new_int (255)), acc_element_type_new (ACC_KIND_U8)));
}

static AccArray *odd (AccArray *a) { return acc_array_filter (a, is_odd, NULL, NULL); }
static AccArray *none (AccArray *a) { return acc_array_filter (a, never, NULL, NULL); }
static AccArray *all (AccArray *a) { return acc_array_filter (a, always, NULL, NULL); }

static AccArray *
odd_pairs (AccArray *a)
{
  g_autoptr(AccArray) pairs = acc_array_map (a, pair, NULL);

  return acc_array_filter (pairs, pair_is_odd, NULL, NULL);
}

static AccArray *
mapped (AccArray *a)
{
  g_autoptr(AccArray) kept = odd (a);

  return acc_array_map (kept, pair, NULL);
}

/* One over those that are not 0 alone: others would divide by it. */
static AccExpr *
part (AccExpr *x, gpointer data)
{
  return acc_expr_div (acc_expr_new_int (1000000), x);
}

static AccArray *
divided (AccArray *a)
{
  g_autoptr(AccArray) kept = odd (a);

  return acc_array_map (kept, part, NULL);
}

static AccArray *
itself (AccArray *a)
{
  g_autoptr(AccArray) kept = odd (a);

  return acc_array_zip_with (kept, kept, flow_mix, NULL);
}

static AccArray *
twice (AccArray *a)
{
  g_autoptr(AccArray) kept = odd (a), mapped_kept = acc_array_map (kept, flow_affine, NULL);

  return acc_array_filter (mapped_kept, is_third, NULL, NULL);
}

/* Needs the place in what is kept. */
static AccArray *
indexed (AccArray *a)
{
  g_autoptr(AccArray) kept = odd (a);

  return acc_array_indexed (kept);
}

static AccArray *
shifted (AccArray *a)
{
  g_autoptr(AccArray) kept = odd (a);

  return acc_array_reverse (kept);
}

static const struct {
  const char *name;
  AccArray *(*build) (AccArray *a);
  gboolean    is_stored;   /* not element by element */
} programs[] = {
  { "odd", odd }, { "none", none }, { "all", all }, { "odd-pairs", odd_pairs }, { "mapped", mapped }, { "divided", divided },
  { "itself", itself }, { "twice", twice, TRUE }, { "indexed", indexed, TRUE }, { "reverse", shifted, TRUE },
};

/* --- what is checked */

static AccArray *
make_expected (AccArray *(*build) (AccArray *), const gint64 *extents, guint rank)
{
  g_autoptr(AccBackend) judge = acc_backend_new_for_name ("interpreter", NULL);
  g_autoptr(TestSource) source = test_source_new ("i4", extents, rank, 7);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source)), wanted = build (array);
  g_autoptr(GError) error = NULL;
  AccArray *expected = acc_backend_run (judge, wanted, NULL, &error);

  g_assert_no_error (error);

  return expected;
}

static void
check_file (GFile *file, const char *format, AccArray *expected)
{
  g_autoptr(AccBackend) judge = acc_backend_new_for_name ("interpreter", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSource) source = strcmp (format, "raw") == 0
                                ? acc_source_open_raw (file, acc_array_get_element_type (expected), acc_array_get_shape (expected), 0, NULL,
                                                       &error)
                                : acc_source_open (file, NULL, &error);
  g_autoptr(AccArray) array = NULL, got = NULL;
  g_autoptr(GFileInfo) info = g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_SIZE, G_FILE_QUERY_INFO_NONE, NULL, NULL);

  g_assert_no_error (error);
  array = acc_array_new_from_source (source);
  g_assert_true (acc_shape_equal (acc_array_get_shape (array), acc_array_get_shape (expected)));
  g_assert_true (acc_array_get_element_type (array) == acc_array_get_element_type (expected));
  if (strcmp (format, "raw") == 0)
    g_assert_cmpint (g_file_info_get_size (info), ==, acc_shape_get_size (acc_array_get_shape (expected))
                                                      * (gint64) acc_element_type_get_size (acc_array_get_element_type (expected)));
  got = acc_backend_run (judge, array, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < acc_element_type_get_n_buffers (acc_array_get_element_type (expected)); i++)
    {
      g_autoptr(GBytes) a = acc_array_dup_bytes (expected, i, NULL), b = acc_array_dup_bytes (got, i, NULL);

      g_assert_true (g_bytes_equal (a, b));
    }
}

typedef struct {
  AccBackend *backend;
  char       *folder;
  TestSource *source;
  AccArray   *array;
  gboolean    is_device;
} Fixture;

static void
set_source (Fixture *f, const gint64 *extents, guint rank)
{
  g_clear_object (&f->array);
  g_clear_object (&f->source);
  f->source = test_source_new ("i4", extents, rank, 7);
  f->array = acc_array_new_from_source (ACC_SOURCE (f->source));
}

static void
set_up (Fixture *f, gconstpointer name)
{
  g_autoptr(GError) error = NULL;

  f->backend = acc_backend_new_for_name (name, &error);
  g_assert_no_error (error);
  f->is_device = acc_backend_get_budget (f->backend) != acc_backend_get_host_budget (f->backend);
  f->folder = g_dir_make_tmp ("acc-growing-XXXXXX", &error);
  g_assert_no_error (error);
  set_source (f, (gint64[]) { 2500, 100 }, 2);
  acc_backend_set_memory_limit (f->backend, acc_backend_get_memory_used (f->backend) + LIMIT);
}

static void
tear_down (Fixture *f, gconstpointer name)
{
  g_object_unref (f->array);
  g_assert_cmpint (f->source->n_started, ==, f->source->n_finished);
  g_object_unref (f->source);
  g_object_unref (f->backend);
  remove_tree (f->folder);
  g_free (f->folder);
}

static GFile *
get_file (Fixture *f, const char *name)
{
  g_autofree char *path = g_build_filename (f->folder, name, NULL);

  return g_file_new_for_path (path);
}

static gboolean
is_empty (Fixture *f)
{
  g_autoptr(GDir) dir = g_dir_open (f->folder, 0, NULL);

  return g_dir_read_name (dir) == NULL;
}

static void
check_program (Fixture *f, guint program, const gint64 *extents, guint rank, const char *format, AccArray *expected)
{
  AccBudget *stored = acc_backend_get_temporary_budget (f->backend);
  g_autofree char *base = g_strconcat ("out.", format, NULL);
  g_autoptr(GFile) file = get_file (f, base);
  g_autoptr(AccSink) sink = acc_sink_create (file, NULL, NULL);
  g_autoptr(AccArray) result = NULL;
  g_autoptr(GError) error = NULL;

  g_test_message ("%s of rank %u to %s", programs[program].name, rank, format);
  set_source (f, extents, rank);
  result = programs[program].build (f->array);
  /* The interpreter takes what is stored whole. */
  if (programs[program].is_stored && strcmp (acc_backend_get_name (f->backend), "interpreter") == 0)
    acc_backend_set_memory_limit (f->backend, acc_backend_get_memory_used (f->backend) + 8 * LIMIT);
  acc_budget_reset_high_water (stored);
  acc_backend_write (f->backend, result, sink, NULL, &error);
  g_assert_no_error (error);
  check_file (file, format, expected);
  acc_backend_set_memory_limit (f->backend, acc_backend_get_memory_used (f->backend) + LIMIT);
  if (!programs[program].is_stored)
    {
      g_assert_cmpuint (acc_budget_get_high_water (stored), ==, 0);
      g_assert_cmpint (f->source->n_started, ==, 1);
    }
}

static void
test_programs (Fixture *f, gconstpointer name)
{
  static const gint64 extents[][2] = { { 250000, 0 }, { 2500, 100 }, { 0, 0 }, { 0, 3 }, { 1, 0 } };
  static const char *const formats[] = { "npy", "raw" };

  for (guint e = 0; e < G_N_ELEMENTS (extents); e++)
    for (guint p = 0; p < G_N_ELEMENTS (programs); p++)
      {
        guint rank = extents[e][1] > 0 ? 2 : 1;
        g_autoptr(AccArray) expected = NULL;

        /* The interpreter is slow, and goes the same way; devices compile for long. */
        if (strcmp (name, "interpreter") == 0 && extents[e][0] > 1000 && (p % 4 != 0 || rank == 1))
          continue;
        if (f->is_device && !programs[p].is_stored && (p + e) % 3 != 0)
          continue;
        expected = make_expected (programs[p].build, extents[e], rank);
        for (guint k = 0; k < G_N_ELEMENTS (formats); k++)
          check_program (f, p, extents[e], rank, formats[k], expected);
      }
}

/* All outputs of one call come of one walk. */
static void
test_many (Fixture *f, gconstpointer name)
{
  static const char *const names[] = { "a.npy", "b.npy", "c.raw", "d.npy" };
  g_autoptr(AccArray) some = odd (f->array), flat = acc_array_flatten (f->array), other = acc_array_map (flat, flow_affine, NULL),
    made = mapped (f->array);
  g_autoptr(AccArray) kept = make_expected (odd, (gint64[]) { 2500, 100 }, 2), pairs = make_expected (mapped, (gint64[]) { 2500, 100 }, 2);
  AccArray *arrays[] = { some, other, some, made };
  AccSink *sinks[4];
  GFile *files[4];
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < 4; i++)
    {
      files[i] = get_file (f, names[i]);
      sinks[i] = acc_sink_create (files[i], NULL, NULL);
    }
  /* A device has to have room for the store besides what the sinks hold. */
  acc_backend_set_memory_limit (f->backend, acc_backend_get_memory_used (f->backend) + (f->is_device ? 4 : 3) * LIMIT);
  acc_backend_write_many (f->backend, arrays, 4, sinks, 4, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (f->source->n_started, ==, 1);
  check_file (files[0], "npy", kept);
  check_file (files[2], "raw", kept);
  check_file (files[3], "npy", pairs);
  for (guint i = 0; i < 4; i++)
    {
      g_assert_true (g_file_query_exists (files[i], NULL));
      g_object_unref (sinks[i]);
      g_object_unref (files[i]);
    }
}

static void
test_failure (Fixture *f, gconstpointer name)
{
  g_autoptr(GFile) file = get_file (f, "out.npy");
  g_autoptr(AccSink) sink = acc_sink_create (file, NULL, NULL);
  g_autoptr(AccArray) result = mapped (f->array);
  g_autoptr(GError) error = NULL;

  f->source->fail_row = 2400;
  g_assert_false (acc_backend_write (f->backend, result, sink, NULL, &error));
  g_assert_nonnull (strstr (error->message, "bad row"));
  g_assert_true (is_empty (f));
  g_clear_error (&error);

  /* The same sink again, in place of a file that is there. */
  f->source->fail_row = -1;
  for (guint i = 0; i < 2; i++)
    {
      acc_backend_write (f->backend, result, sink, NULL, &error);
      g_assert_no_error (error);
    }
}

/* A picture begins with its height: that is said before anything is read. */
static void
test_picture (Fixture *f, gconstpointer name)
{
  g_autoptr(GFile) file = get_file (f, "out.png");
  g_autoptr(AccSink) sink = acc_sink_create (file, NULL, NULL);
  g_autoptr(AccArray) result = odd (f->array);
  g_autoptr(GError) error = NULL;

  g_assert_false (acc_backend_write (f->backend, result, sink, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  g_assert_cmpint (f->source->n_started, ==, 0);
  g_assert_true (is_empty (f));
}

static void
check_bytes (Fixture *f, gconstpointer bytes, gsize size, AccArray *expected)
{
  g_autoptr(GFile) file = get_file (f, "out.npy");
  g_autoptr(GError) error = NULL;

  g_file_replace_contents (file, bytes, size, NULL, FALSE, G_FILE_CREATE_NONE, NULL, NULL, &error);
  g_assert_no_error (error);
  check_file (file, "npy", expected);
}

/* A header in a stream is written again where the stream can seek, not at its beginning. */
static void
test_stream (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) expected = make_expected (odd, (gint64[]) { 2500, 100 }, 2), result = odd (f->array);
  g_autoptr(GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSink) sink = NULL;
  g_autoptr(GBytes) bytes = NULL;

  g_assert_true (g_output_stream_write_all (memory, "before", 6, NULL, NULL, NULL));
  sink = acc_sink_new_for_stream (memory, "npy", NULL);
  g_assert_true (acc_sink_can_grow (sink));
  acc_backend_write (f->backend, result, sink, NULL, &error);
  g_assert_no_error (error);
  bytes = g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (memory));
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), 6, "before", 6);
  check_bytes (f, (const guint8 *) g_bytes_get_data (bytes, NULL) + 6, g_bytes_get_size (bytes) - 6, expected);
}

/* Where it cannot, elements are stored first. */
static void
test_forward (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) expected = make_expected (odd, (gint64[]) { 2500, 100 }, 2), result = odd (f->array);
  g_autoptr(GOutputStream) inner = g_memory_output_stream_new_resizable (), packed = NULL;
  g_autoptr(GConverter) deflate = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW, 1)),
    inflate = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW));
  g_autoptr(GOutputStream) forward = g_converter_output_stream_new (inner, deflate);
  g_autoptr(AccSink) sink = acc_sink_new_for_stream (forward, "npy", NULL);
  g_autoptr(GInputStream) in = NULL, out = NULL;
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(GError) error = NULL;

  g_assert_false (acc_sink_can_grow (sink));
  acc_backend_write (f->backend, result, sink, NULL, &error);
  g_assert_no_error (error);
  bytes = g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (inner));
  in = g_memory_input_stream_new_from_bytes (bytes);
  out = g_converter_input_stream_new (in, inflate);
  packed = g_memory_output_stream_new_resizable ();
  g_output_stream_splice (packed, out, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, &error);
  g_assert_no_error (error);
  check_bytes (f, g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (packed)),
               g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (packed)), expected);
}

/* Sinks that know nothing of it get the same. */
static void
test_other_sink (Fixture *f, gconstpointer name)
{
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(AccArray) expected = make_expected (odd, (gint64[]) { 2500, 100 }, 2), result = odd (f->array);
  g_autoptr(AccShape) scalar = acc_shape_new (NULL, 0);
  g_autoptr(GError) error = NULL;

  g_assert_false (acc_sink_can_grow (ACC_SINK (sink)));
  g_assert_false (acc_sink_start_growing (ACC_SINK (sink), acc_array_get_element_type (result), scalar, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  acc_backend_write (f->backend, result, ACC_SINK (sink), NULL, &error);
  g_assert_no_error (error);
  test_sink_assert_ended (sink, TRUE);
  test_sink_assert_same (sink, expected);
}

static void
test_plan (Fixture *f, gconstpointer name)
{
  g_autoptr(GFile) file = get_file (f, "out.npy");
  g_autoptr(AccSink) sink = acc_sink_create (file, NULL, NULL);
  g_autoptr(AccArray) result = odd (f->array);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccPlan) plan = acc_backend_plan (f->backend, result, sink, 0, &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  g_assert_nonnull (strstr (text, "straight to the sink"));
  g_assert_null (strstr (text, "stored in"));
  g_assert_cmpuint (acc_plan_get_bytes (plan), <=, LIMIT);
  g_assert_cmpint (f->source->n_started, ==, 0);
}

static const struct { const char *name; void (*test) (Fixture *f, gconstpointer name); } tests[] = {
  { "programs", test_programs }, { "many", test_many }, { "failure", test_failure }, { "picture", test_picture }, { "stream", test_stream },
  { "forward", test_forward },  { "other-sink", test_other_sink }, { "plan", test_plan },
};

static void
add_backend (const char *name, AccBackend *backend)
{
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strdup_printf ("/stream/growing/%s/%s", name, tests[i].name);

      g_test_add (path, Fixture, name, set_up, tests[i].test, tear_down);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_add_backends ("native,interpreter", add_backend);

  return g_test_run ();
}
