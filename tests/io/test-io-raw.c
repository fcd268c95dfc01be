/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "io-helpers.h"

#include <glib/gstdio.h>
#include <string.h>

static const char *all_types[] = {
  "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8",
  "(f4,u1)", "((u1,f8),(i2,),b1)", "(u1,)", "(b1,())",
};

static AccSource *
open_raw (GFile *file, const char *code, const gint64 *extents, guint rank, guint64 offset, GError **error)
{
  g_autoptr(AccElementType) type = acc_element_type_parse (code, NULL);
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);

  return acc_source_open_raw (file, type, shape, offset, NULL, error);
}

static void
round_trip (const char *code, const gint64 *extents, guint rank)
{
  g_autofree char *folder = io_make_folder ();
  g_autoptr(GFile) file = io_file_in (folder, "data.bin");
  g_autoptr(GPtrArray) leaves = io_random_buffers (code, extents, rank, rank * 7);
  g_autoptr(GError) error = NULL;

  for (gint64 rows = 0; rows < 12; rows += 3)
    {
      g_autoptr(AccSink) sink = acc_sink_create (file, NULL, &error);
      g_autoptr(AccSource) source = NULL;
      g_autoptr(GPtrArray) result = NULL;
      g_autoptr(GPtrArray) again = NULL;

      g_assert_true (io_write_all (sink, code, extents, rank, leaves, rows, NULL, &error));
      g_assert_no_error (error);

      source = open_raw (file, code, extents, rank, 0, &error);
      g_assert_no_error (error);
      result = io_read_all (source, rows, NULL, &error);
      g_assert_no_error (error);
      io_assert_same (result, leaves);
      again = io_read_all (source, 5, NULL, &error);
      io_assert_same (again, leaves);
    }

  io_remove_folder (g_steal_pointer (&folder));
}

static void
test_round_trip (void)
{
  static const gint64 extents[] = { 11, 3, 2, 5 };
  static const gint64 empty[] = { 4, 0, 3 };
  static const gint64 none[] = { 0, 7 };
  static const gint64 wide[] = { 9, 70001 };

  for (guint i = 0; i < G_N_ELEMENTS (all_types); i++)
    {
      for (guint rank = 0; rank <= 4; rank++)
        round_trip (all_types[i], extents, rank);
      round_trip (all_types[i], empty, 3);
      round_trip (all_types[i], none, 2);
      round_trip (all_types[i], wide, 2);
    }
}

/* Tuples lie packed, element by element. */
static void
test_packing (void)
{
  static const guint8 expected[] = { 1, 0, 5, 2, 0, 6, 3, 0, 7 };
  const gint64 three = 3;
  g_autofree char *folder = io_make_folder ();
  g_autoptr(GFile) file = io_file_in (folder, "data");
  g_autoptr(AccSink) sink = acc_sink_create (file, NULL, NULL);
  g_autoptr(GPtrArray) leaves = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr(GBytes) bytes = NULL;
  guint16 first[3] = { GUINT16_FROM_LE (1), GUINT16_FROM_LE (2), GUINT16_FROM_LE (3) };

  g_ptr_array_add (leaves, g_bytes_new (first, 6));
  g_ptr_array_add (leaves, g_bytes_new ("\5\6\7", 3));
  g_assert_true (io_write_all (sink, "(u2,u1)", &three, 1, leaves, 2, NULL, NULL));
  bytes = io_get (file);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected, sizeof expected);

  io_remove_folder (g_steal_pointer (&folder));
}

static void
test_offset_and_size (void)
{
  const gint64 extents[] = { 3, 2 };
  const gint64 scalar[] = { 0 };
  const gint64 giant[] = { G_MAXINT64 / 2, 3 };
  const gint64 overflow[] = { G_MAXINT64 / 4 };
  g_autofree char *folder = io_make_folder ();
  g_autoptr(GFile) file = io_file_in (folder, "data");
  g_autoptr(GFile) missing = io_file_in (folder, "missing");
  g_autoptr(GFile) directory = g_file_new_for_path (folder);
  g_autoptr(GError) outer = NULL;
  g_autoptr(AccSource) source = NULL;
  g_autoptr(GPtrArray) leaves = NULL;

  io_put (file, "head123456tail", 14);
  source = open_raw (file, "u1", extents, 2, 4, &outer);
  g_assert_no_error (outer);
  leaves = io_read_all (source, 1, NULL, &outer);
  g_assert_cmpmem (g_bytes_get_data (leaves->pdata[0], NULL), g_bytes_get_size (leaves->pdata[0]), "123456", 6);

  io_assert_refused (open_raw (file, "u2", extents, 2, 4, error), ACC_ERROR, ACC_ERROR_IO);
  io_assert_refused (open_raw (file, "u1", extents, 2, 9, error), ACC_ERROR, ACC_ERROR_IO);
  io_assert_refused (open_raw (file, "u1", extents, 2, G_MAXUINT64 - 2, error), ACC_ERROR, ACC_ERROR_SHAPE);
  io_assert_refused (open_raw (file, "u1", giant, 2, 0, error), ACC_ERROR, ACC_ERROR_SHAPE);
  io_assert_refused (open_raw (file, "u8", overflow, 1, 0, error), ACC_ERROR, ACC_ERROR_SHAPE);
  {
    g_autoptr(AccSource) single = open_raw (file, "u1", scalar, 0, 0, NULL);

    io_assert_layout (single, "u1", "[]");
  }
  io_assert_refused (open_raw (missing, "u1", extents, 2, 0, error), ACC_ERROR, ACC_ERROR_IO);
  io_assert_refused (open_raw (directory, "u1", extents, 2, 0, error), ACC_ERROR, ACC_ERROR_IO);
  io_assert_refused (acc_source_open (file, NULL, error), ACC_ERROR, ACC_ERROR_UNSUPPORTED);

  /* Shorter by the time it is read */
  io_put (file, "head123", 7);
  g_clear_object (&source);
  source = open_raw (file, "u1", extents, 1, 4, &outer);
  g_assert_no_error (outer);
  {
    GFileIOStream *stream = g_file_open_readwrite (file, NULL, NULL);

    g_assert_true (g_seekable_truncate (G_SEEKABLE (stream), 5, NULL, NULL));
    g_object_unref (stream);
  }
  g_assert_null (io_read_all (source, 1, NULL, &outer));
  g_assert_error (outer, ACC_ERROR, ACC_ERROR_IO);
  g_assert_nonnull (strstr (outer->message, "row 1"));

  io_remove_folder (g_steal_pointer (&folder));
}

static void
test_bools (void)
{
  const gint64 four = 4;
  g_autofree char *folder = io_make_folder ();
  g_autoptr(GFile) file = io_file_in (folder, "data");
  g_autoptr(AccSource) source = NULL;
  g_autoptr(GPtrArray) leaves = NULL;

  io_put (file, "\0\1\2\xff", 4);
  source = open_raw (file, "b1", &four, 1, 0, NULL);
  leaves = io_read_all (source, 3, NULL, NULL);
  g_assert_cmpmem (g_bytes_get_data (leaves->pdata[0], NULL), 4, "\0\1\1\1", 4);

  io_remove_folder (g_steal_pointer (&folder));
}

static void
test_streams (void)
{
  const gint64 extents[] = { 1000, 333 };
  g_autoptr(GPtrArray) leaves = io_random_buffers ("(u2,f4)", extents, 2, 1);
  g_autoptr(AccElementType) type = acc_element_type_parse ("(u2,f4)", NULL);
  g_autoptr(AccShape) shape = acc_shape_new (extents, 2);
  g_autoptr(GOutputStream) output = g_memory_output_stream_new_resizable ();
  g_autoptr(GError) outer = NULL;
  g_autoptr(AccSink) sink = acc_sink_new_for_stream (output, "raw", &outer);
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(GInputStream) memory = NULL;
  g_autoptr(GInputStream) once = NULL;
  g_autoptr(AccSource) source = NULL;
  g_autoptr(AccSource) second = NULL;
  g_autoptr(GPtrArray) a = NULL;
  g_autoptr(GPtrArray) b = NULL;
  g_autoptr(GPtrArray) c = NULL;

  g_assert_true (io_write_all (sink, "(u2,f4)", extents, 2, leaves, 77, NULL, &outer));
  io_assert_refused (acc_sink_start (sink, type, shape, NULL, error), ACC_ERROR, ACC_ERROR_STREAM);
  io_assert_refused (acc_sink_new_for_stream (output, "jpeg", error), ACC_ERROR, ACC_ERROR_UNSUPPORTED);

  bytes = g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (output));
  memory = g_memory_input_stream_new_from_bytes (bytes);
  source = acc_source_new_raw_for_stream (memory, type, shape, &outer);
  g_assert_no_error (outer);
  a = io_read_all (source, 100, NULL, &outer);
  io_assert_same (a, leaves);
  b = io_read_all (source, 0, NULL, &outer);
  io_assert_same (b, leaves);

  once = io_pipe (bytes);
  second = acc_source_new_raw_for_stream (once, type, shape, &outer);
  g_assert_no_error (outer);
  c = io_read_all (second, 9, NULL, &outer);
  g_assert_no_error (outer);
  io_assert_same (c, leaves);
  io_assert_refused (io_read_all (second, 9, NULL, error), ACC_ERROR, ACC_ERROR_STREAM);
}

/* Messages are UTF-8, whatever names are. */
static void
test_names (void)
{
  char *folder = io_make_folder ();
  const char *names[] = { "caf\xe9/x.npy", "\xff\xfe.npy" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      g_autoptr(GFile) file = g_file_new_for_path (path);
      g_autoptr(GError) error = NULL;

      g_assert_true (i == 0 || g_mkdir (path, 0700) == 0);
      g_assert_null (acc_sink_create (file, NULL, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      g_assert_nonnull (strstr (error->message, i == 0 ? "no folder" : "is a folder"));
      if (i > 0)
        g_rmdir (path);
    }
  io_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/io/raw/round-trip", test_round_trip);
  g_test_add_func ("/io/raw/packing", test_packing);
  g_test_add_func ("/io/raw/offset-and-size", test_offset_and_size);
  g_test_add_func ("/io/raw/bools", test_bools);
  g_test_add_func ("/io/raw/streams", test_streams);
  g_test_add_func ("/io/raw/names", test_names);

  return g_test_run ();
}
