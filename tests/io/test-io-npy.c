/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "io-helpers.h"
#include "tests/count-warnings.h"

#include <string.h>

static gboolean
run_peer (const char *verb, const char *folder)
{
  const char *argv[] = { g_getenv ("ACC_TEST_PYTHON"), g_getenv ("ACC_TEST_NPY_PEER"), verb, folder, NULL };
  g_autofree char *said = NULL;
  g_autoptr(GError) error = NULL;
  int status;

  if (argv[0] == NULL || argv[1] == NULL)
    return FALSE;

  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &said, &status, &error));
  g_assert_no_error (error);
  if (strstr (said, "No module named") != NULL)
    return FALSE;

  if (status != 0)
    g_error ("%s", said);

  return TRUE;
}

static void
assert_as_told (const char *folder, const char *name)
{
  g_autofree char *base = g_strndup (name, strlen (name) - 4);
  g_autofree char *text_name = g_strconcat (base, ".txt", NULL);
  g_autoptr(GFile) file = io_file_in (folder, name);
  g_autoptr(GFile) text_file = io_file_in (folder, text_name);
  g_autoptr(GBytes) text = io_get (text_file);
  g_autoptr(GPtrArray) expected = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSource) source = NULL;
  g_autoptr(AccArray) array = NULL;
  g_autoptr(AccArray) values = NULL;
  AccBackend *backend = acc_backend_get_default (&error);
  g_auto(GStrv) lines = NULL;
  g_autofree char *copy = g_strndup (g_bytes_get_data (text, NULL), g_bytes_get_size (text));
  g_autofree char *shape = NULL;

  n_messages = 0;
  source = acc_source_open (file, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (n_messages, ==, g_str_has_prefix (name, "note-") ? 1 : 0);
  lines = g_strsplit (copy, "\n", -1);
  array = acc_array_new_from_source (source);
  shape = acc_shape_to_string (acc_array_get_shape (array));
  g_assert_cmpstr (acc_element_type_get_code (acc_array_get_element_type (array)), ==, lines[0]);
  g_assert_cmpstr (shape, ==, lines[1]);
  values = acc_backend_run (backend, array, NULL, &error);
  g_assert_no_error (error);

  for (guint i = 0; i < acc_element_type_get_n_buffers (acc_source_get_element_type (source)); i++)
    {
      g_autofree char *buffer_name = g_strdup_printf ("%s.%u", base, i);
      g_autoptr(GFile) buffer_file = io_file_in (folder, buffer_name);

      g_ptr_array_add (expected, io_get (buffer_file));
      {
        g_autoptr(GBytes) bytes = acc_array_dup_bytes (values, i, &error);

        if (acc_shape_get_size (acc_array_get_shape (array)) > 0)
          g_assert_true (g_bytes_equal (bytes, expected->pdata[i]));
      }
    }

  if (acc_source_is_transposed (source))
    return;

  for (gint64 rows = 0; rows < 3; rows++)
    {
      g_autoptr(GPtrArray) buffers = io_read_all (source, rows, NULL, &error);

      g_assert_no_error (error);
      io_assert_same (buffers, expected);
    }
}

static void
test_numpy_writes (void)
{
  g_autofree char *folder = io_make_folder ();
  GDir *dir;
  const char *name;
  guint n = 0;

  if (!run_peer ("make", folder))
    {
      g_test_skip ("no NumPy");
      io_remove_folder (g_steal_pointer (&folder));
      return;
    }

  dir = g_dir_open (folder, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, "refused-"))
      {
        g_autoptr(GFile) file = io_file_in (folder, name);

        io_assert_refused (acc_source_open (file, NULL, error), ACC_ERROR, ACC_ERROR_UNSUPPORTED);
      }
    else if (g_str_has_suffix (name, ".npy"))
      {
        assert_as_told (folder, name);
        n++;
      }

  g_assert_cmpuint (n, >, 30);
  g_dir_close (dir);
  io_remove_folder (g_steal_pointer (&folder));
}

static void
write_for_peer (const char *folder, guint number, const char *type, const gint64 *extents, guint rank)
{
  g_autofree char *base = g_strdup_printf ("%s/file-%u", folder, number);
  g_autofree char *path = g_strconcat (base, ".npy", NULL);
  g_autofree char *text_path = g_strconcat (base, ".txt", NULL);
  g_autoptr(GFile) file = g_file_new_for_path (path);
  g_autoptr(GFile) text_file = g_file_new_for_path (text_path);
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  g_autofree char *shape_text = acc_shape_to_string (shape);
  g_autofree char *text = g_strconcat (type, "\n", shape_text, "\n", NULL);
  g_autoptr(GPtrArray) buffers = io_random_buffers (type, extents, rank, number);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSink) sink = acc_sink_create (file, NULL, &error);

  g_assert_true (io_write_all (sink, type, extents, rank, buffers, number % 3, NULL, &error));
  g_assert_no_error (error);
  io_put (text_file, text, strlen (text));

  for (guint i = 0; i < buffers->len; i++)
    {
      g_autofree char *leaf_path = g_strdup_printf ("%s.%u", base, i);
      g_autoptr(GFile) buffer_file = g_file_new_for_path (leaf_path);

      io_put (buffer_file, g_bytes_get_data (buffers->pdata[i], NULL), g_bytes_get_size (buffers->pdata[i]));
    }

  {
    g_autoptr(AccSource) source = acc_source_open (file, NULL, &error);
    g_autoptr(GPtrArray) again = NULL;

    g_assert_no_error (error);
    again = io_read_all (source, 2, NULL, &error);
    io_assert_layout (source, type, shape_text);
    io_assert_same (again, buffers);
  }
}

static void
test_numpy_reads (void)
{
  static const char *types[] = {
    "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8",
    "c8", "c16", "(f4,u1)", "(u1,)", "((u1,f8),(i2,),b1)", "(c16,3i2,(u1,16b1),1f4)",
  };
  static const gint64 extents[] = { 5, 3, 4, 2 };
  static const gint64 empty[] = { 3, 0 };
  g_autofree char *folder = io_make_folder ();
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      for (guint rank = 0; rank <= 4; rank++)
        write_for_peer (folder, n++, types[i], extents, rank);
      write_for_peer (folder, n++, types[i], empty, 2);
    }

  if (!run_peer ("check", folder))
    g_test_skip ("no NumPy");
  io_remove_folder (g_steal_pointer (&folder));
}

/* NumPy has no arrays of vectors: one more dimension. */
static void
test_vectors (void)
{
  static const gint64 extents[] = { 4, 5 };
  g_autofree char *folder = io_make_folder ();
  g_autoptr(GFile) file = io_file_in (folder, "vectors.npy");
  g_autoptr(GPtrArray) buffers = io_random_buffers ("3i2", extents, 2, 1);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSink) sink = acc_sink_create (file, NULL, &error);
  g_autoptr(AccSource) source = NULL;
  g_autoptr(GPtrArray) again = NULL;

  g_assert_true (io_write_all (sink, "3i2", extents, 2, buffers, 3, NULL, &error));
  source = acc_source_open (file, NULL, &error);
  g_assert_no_error (error);
  again = io_read_all (source, 2, NULL, &error);
  io_assert_layout (source, "i2", "[4,5,3]");
  io_assert_same (again, buffers);
  io_remove_folder (g_steal_pointer (&folder));
}

static AccSource *
open_header (const char *header, gsize data_size, GError **error)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new ();
  guint16 length = GUINT16_TO_LE (strlen (header));
  g_autofree guint8 *data = g_malloc0 (data_size + 1);
  g_autoptr(GBytes) all = NULL;
  g_autoptr(GInputStream) stream = NULL;

  g_byte_array_append (bytes, (const guint8 *) "\x93NUMPY\1\0", 8);
  g_byte_array_append (bytes, (guint8 *) &length, 2);
  g_byte_array_append (bytes, (const guint8 *) header, strlen (header));
  g_byte_array_append (bytes, data, data_size);
  all = g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
  stream = g_memory_input_stream_new_from_bytes (all);

  return acc_source_new_for_stream (stream, NULL, error);
}

static void
test_headers (void)
{
  static const struct {
    const char *header;
    int         code;   /* -1: fine */
  } cases[] = {
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{\"shape\":(3L,),'descr':'|u1','fortran_order':True}  \n", -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'x': [None, {'a': -1}], }", -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", -1 },
    { "{'descr': '<f4', 'fortran_order': True, 'shape': (3,1,1), }", -1 },
    { "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,), }", -1 },
    { "{'descr': '>U1', 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{'descr': [('a', '<m8'), ('b', '|S1', (4,))], 'fortran_order': False, 'shape': (1,), }", -1 },
    { "{'descr': '<M8[ns', 'fortran_order': False, 'shape': (1,), }", ACC_ERROR_UNSUPPORTED },
    { "{'descr': '<M4', 'fortran_order': False, 'shape': (1,), }", ACC_ERROR_UNSUPPORTED },
    { "{'descr': '<M82', 'fortran_order': False, 'shape': (1,), }", ACC_ERROR_UNSUPPORTED },
    { "{'descr': '<U2', 'fortran_order': False, 'shape': (1,), }", ACC_ERROR_UNSUPPORTED },
    { "{'descr': '<U', 'fortran_order': False, 'shape': (1,), }", ACC_ERROR_UNSUPPORTED },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3), }", ACC_ERROR_IO },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }", ACC_ERROR_IO },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000, 4000000000,), }", ACC_ERROR_IO },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", ACC_ERROR_IO },
    { "{'descr': '<f8', 'fortran_order': False, 'shape': (2000000000000000000,), }", ACC_ERROR_SHAPE },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (300,), }", ACC_ERROR_IO },
    { "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,), }", ACC_ERROR_IO },
    { "{'descr': '<f4', 'shape': (3,), }", ACC_ERROR_IO },
    { "{'fortran_order': False, 'shape': (3,), }", ACC_ERROR_IO },
    { "{'descr': '<f4', 'fortran_order': False}", ACC_ERROR_IO },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } x", ACC_ERROR_IO },
    { "{'descr': '<f4", ACC_ERROR_IO },
    { "", ACC_ERROR_IO },
    { "((((((((((((((((((((((((((((((((((((((((((((((((", ACC_ERROR_IO },
    { "{'descr': '<f3', 'fortran_order': False, 'shape': (3,), }", ACC_ERROR_UNSUPPORTED },
    { "{'descr': '', 'fortran_order': False, 'shape': (3,), }", ACC_ERROR_UNSUPPORTED },
    { "{'descr': 7, 'fortran_order': False, 'shape': (3,), }", ACC_ERROR_UNSUPPORTED },
    { "{'descr': [('a',)], 'fortran_order': False, 'shape': (3,), }", ACC_ERROR_UNSUPPORTED },
    { "{'descr': [('a', '<f4', (1000, 1000))], 'fortran_order': False, 'shape': (3,), }", ACC_ERROR_UNSUPPORTED },
    { "{'descr': [('a', [('b', [], (1000,))], (1000,))], 'fortran_order': False, 'shape': (3,), }", ACC_ERROR_UNSUPPORTED },
    { "{'descr': [('', '|V4'), ('a', '<u2'), ('', '|V1')], 'fortran_order': False, 'shape': (1,), }", -1 },
    { "{'descr': [], 'fortran_order': False, 'shape': (1000000000000000000,), }", -1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccSource) source = open_header (cases[i].header, 12, &error);

      g_test_message ("%s", cases[i].header);
      if (cases[i].code < 0)
        g_assert_no_error (error);
      else
        g_assert_error (error, ACC_ERROR, cases[i].code);
    }
}

static void
test_damaged (void)
{
  const gint64 extents[] = { 5, 3 };
  g_autoptr(GPtrArray) buffers = io_random_buffers ("(u2,f4)", extents, 2, 1);
  g_autoptr(GOutputStream) output = g_memory_output_stream_new_resizable ();
  g_autoptr(AccSink) sink = acc_sink_new_for_stream (output, "npy", NULL);
  g_autoptr(GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  g_autoptr(GBytes) bytes = NULL;
  gsize size;
  const guint8 *data;

  g_assert_true (io_write_all (sink, "(u2,f4)", extents, 2, buffers, 0, NULL, NULL));
  bytes = g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (output));
  data = g_bytes_get_data (bytes, &size);

  for (gsize n = 0; n < size; n++)
    {
      g_autoptr(GBytes) cut = g_bytes_new (data, n);
      g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_bytes (cut);
      g_autoptr(GInputStream) once = io_pipe (cut);
      g_autoptr(GError) outer = NULL;
      g_autoptr(AccSource) source = NULL;

      io_assert_refused (acc_source_new_for_stream (stream, NULL, error), ACC_ERROR,
                         n < 6 ? ACC_ERROR_UNSUPPORTED : ACC_ERROR_IO);

      /* Without a size, the end is found while reading. */
      source = acc_source_new_for_stream (once, NULL, &outer);
      if (source != NULL)
        io_assert_refused (io_read_all (source, 1, NULL, error), ACC_ERROR, ACC_ERROR_IO);
    }

  for (guint i = 0; i < 3000; i++)
    {
      g_autofree guint8 *copy = g_memdup2 (data, size);
      g_autoptr(GInputStream) stream = NULL;
      g_autoptr(AccSource) source = NULL;
      g_autoptr(GPtrArray) result = NULL;

      for (guint j = 0; j < 1 + i % 4; j++)
        copy[g_rand_int_range (rand, 0, MIN (size, 128))] = g_rand_int_range (rand, 0, 256);
      stream = g_memory_input_stream_new_from_data (copy, size, NULL);
      source = acc_source_new_for_stream (stream, NULL, NULL);
      if (source != NULL)
        result = io_read_all (source, 2, NULL, NULL);
    }
}

int
main (int argc, char **argv)
{
  g_log_set_writer_func (count_warnings, NULL, NULL);
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/io/npy/numpy-writes", test_numpy_writes);
  g_test_add_func ("/io/npy/numpy-reads", test_numpy_reads);
  g_test_add_func ("/io/npy/vectors", test_vectors);
  g_test_add_func ("/io/npy/headers", test_headers);
  g_test_add_func ("/io/npy/damaged", test_damaged);

  return g_test_run ();
}
