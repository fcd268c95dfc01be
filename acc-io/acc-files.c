/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-files.h"

#include "acc-byte-reader-private.h"
#include "acc-byte-writer-private.h"
#include "acc-error.h"
#include "acc-io-private.h"
#include "acc-npy-private.h"
#include "acc-png-sink.h"
#include "acc-png-source-private.h"
#include "acc-raw-sink-private.h"
#include "acc-raw-source-private.h"

#include <string.h>

#define PNG_SIGNATURE "\x89PNG\r\n\x1a\n"

static AccSource *
open_npy (AccByteReader *reader, GCancellable *cancellable, GError **error)
{
  g_auto(AccNpyHeader) header = { 0 };
  AccSource *source;

  if (!acc_npy_header_read (&header, reader, cancellable, error))
    {
      if (error != NULL && *error != NULL && (*error)->domain == ACC_ERROR
          && strstr ((*error)->message, acc_byte_reader_get_name (reader)) != (*error)->message)
        g_prefix_error (error, "%s: ", acc_byte_reader_get_name (reader));
      acc_byte_reader_free (reader);
      return NULL;
    }

  if (acc_byte_reader_can_seek (reader))
    acc_byte_reader_rest (reader);

  source = acc_raw_source_new (reader, header.type, header.shape, g_steal_pointer (&header.record), header.offset, error);
  if (source == NULL)
    return NULL;

  acc_source_set_transposed (source, header.transposed);
  if (header.note != NULL)
    g_message ("%s: %s", acc_source_get_name (source), header.note);

  return source;
}

/* Takes @reader. */
static AccSource *
open_by_content (AccByteReader *reader, GCancellable *cancellable, GError **error)
{
  char start[8];
  gsize n;

  if (!acc_byte_reader_peek (reader, start, sizeof start, &n, cancellable, error))
    {
      acc_byte_reader_free (reader);
      return NULL;
    }

  if (n == 8 && memcmp (start, PNG_SIGNATURE, 8) == 0)
    return acc_png_source_new (reader, cancellable, error);

  if (n >= ACC_NPY_MAGIC_SIZE && memcmp (start, ACC_NPY_MAGIC, ACC_NPY_MAGIC_SIZE) == 0)
    return open_npy (reader, cancellable, error);

  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED,
               "%s is neither a PNG picture nor a NumPy array; other data is read as raw, with its type and shape",
               acc_byte_reader_get_name (reader));
  acc_byte_reader_free (reader);

  return NULL;
}

/**
 * acc_source_open:
 * @file: a PNG picture or a NumPy array
 * @cancellable: (nullable): cancels the call
 * @error: return location for an error
 *
 * Opens a PNG picture or a NumPy array as a source of rows. The content decides which it is.
 *
 * A PNG picture has the shape [rows,columns] (grey) or [rows,columns,channels] with 2 (grey and alpha), 3 (RGB) or 4 channels
 * (RGBA). Its elements are `u1`, or `u2` where the picture has 16 bits. Palettes become colours; a transparent colour becomes
 * an alpha channel. An interlaced picture is decoded as a whole before its first row, in memory or in a temporary file. Damage that does
 * not touch the pixels (text, colour profiles, the end of the file) gives a message.
 *
 * A .npy file of versions 1 to 3 has its own shape, of any rank. Fortran order gives a transposed source: see
 * [method@Acc.Source.is_transposed]. Structures become tuples. Dates and spans of time (`M8`, `m8`) become `i8`, single
 * characters (`U1`, `S1`) become `u4` and `u1`, with a message.
 *
 * Fails with %ACC_ERROR_IO where the file cannot be read or is damaged, and with %ACC_ERROR_UNSUPPORTED where it is something
 * else.
 *
 * Returns: (transfer full): the source
 */
AccSource *
acc_source_open (GFile *file, GCancellable *cancellable, GError **error)
{
  AccByteReader *reader;

  g_return_val_if_fail (G_IS_FILE (file), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  reader = acc_byte_reader_new_for_file (file, cancellable, error);

  return reader != NULL ? open_by_content (reader, cancellable, error) : NULL;
}

/**
 * acc_source_open_raw:
 * @file: a file
 * @type: the type of the elements
 * @shape: the extents
 * @offset: the offset of the first element, in bytes
 * @cancellable: (nullable): cancels the call
 * @error: return location for an error
 *
 * Opens a file of bare elements as a source of rows. The elements are in row-major order and in this machine's byte order.
 *
 * The scalars of a tuple lie side by side without padding. Bytes after the last element are ignored.
 *
 * Fails with %ACC_ERROR_IO where the file cannot be read or is too short, and with %ACC_ERROR_SHAPE where the elements would be
 * more bytes than a file can have.
 *
 * Returns: (transfer full): the source
 */
AccSource *
acc_source_open_raw (GFile           *file,
                     AccElementType  *type,
                     AccShape        *shape,
                     guint64          offset,
                     GCancellable    *cancellable,
                     GError         **error)
{
  AccByteReader *reader;

  g_return_val_if_fail (G_IS_FILE (file), NULL);
  g_return_val_if_fail (type != NULL && shape != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  reader = acc_byte_reader_new_for_file (file, cancellable, error);

  return reader != NULL ? acc_raw_source_new (reader, type, shape, NULL, offset, error) : NULL;
}

/**
 * acc_source_new_for_stream:
 * @stream: a PNG picture or a NumPy array
 * @cancellable: (nullable): cancels the call
 * @error: return location for an error
 *
 * Creates a source of rows from a stream, as [func@Acc.Source.open] does from a file.
 *
 * It starts at the current position of the stream. A stream that cannot seek can be run once: a later run fails with
 * %ACC_ERROR_STREAM. What a run needs twice of it is stored. The stream is not closed. Fails as [func@Acc.Source.open] does.
 *
 * Returns: (transfer full): the source
 */
AccSource *
acc_source_new_for_stream (GInputStream *stream, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (G_IS_INPUT_STREAM (stream), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return open_by_content (acc_byte_reader_new_for_stream (stream), cancellable, error);
}

/**
 * acc_source_new_raw_for_stream:
 * @stream: a stream
 * @type: the type of the elements
 * @shape: the extents
 * @error: return location for an error
 *
 * Creates a source of rows from a stream of bare elements, as [func@Acc.Source.open_raw] does from a file.
 *
 * It starts at the current position of the stream. A stream that cannot seek can be run once: a later run fails with
 * %ACC_ERROR_STREAM. What a run needs twice of it is stored. The stream is not closed. Fails as [func@Acc.Source.open_raw] does.
 *
 * Returns: (transfer full): the source
 */
AccSource *
acc_source_new_raw_for_stream (GInputStream *stream, AccElementType *type, AccShape *shape, GError **error)
{
  g_return_val_if_fail (G_IS_INPUT_STREAM (stream), NULL);
  g_return_val_if_fail (type != NULL && shape != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return acc_raw_source_new (acc_byte_reader_new_for_stream (stream), type, shape, NULL, 0, error);
}

/* What its ending says of a file that is written: `png`, `npy`, `raw`, or NULL. */
static const char *
find_format (const char *name)
{
  static const char *const formats[][2] = { { ".png", "png" }, { ".npy", "npy" }, { ".raw", "raw" }, { ".bin", "raw" }, { ".dat", "raw" } };
  const char *ending = strrchr (name, '.');

  if (ending == NULL || ending == name)
    return "raw";
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_ascii_strcasecmp (ending, formats[i][0]) == 0)
      return formats[i][1];
  return NULL;
}

static gboolean
check_place (GFile *file, GError **error)
{
  const char *path = g_file_peek_path (file);
  g_autofree char *folder = path != NULL ? g_path_get_dirname (path) : NULL, *name = acc_io_name_file (file);

  if (path == NULL)
    return TRUE;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "%s is a folder", name);
  else if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    {
      g_autofree char *shown = g_filename_display_name (folder);

      g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "%s: there is no folder %s", name, shown);
    }
  else
    return TRUE;

  return FALSE;
}

/**
 * acc_sink_create:
 * @file: the file to write
 * @cancellable: (nullable): cancels the call
 * @error: return location for an error
 *
 * Creates a sink that writes a file, in the format that the file's name decides.
 *
 * `.png` gives an [class@Acc.PngSink], `.npy` a NumPy array (tuples become structures). `.raw`, `.bin`, `.dat` and a name
 * without an ending give bare elements in row-major order, the scalars of a tuple side by side.
 *
 * Nothing is written before a run starts. The file appears under its name when it is complete. Until then an existing file
 * stays as it is, even where the run reads it, and it stays after an error or a cancellation. A file that is replaced passes
 * its permissions on. Where @file is a link, the file that it leads to is replaced or created. Where a process is killed,
 * nothing stays; on file systems that have no files without a name, a `.acc-….tmp` stays until something is written to that
 * folder again.
 *
 * Fails with %ACC_ERROR_IO where there is no place for the file, with %ACC_ERROR_UNSUPPORTED where its name has another ending,
 * and with %G_IO_ERROR_CANCELLED.
 *
 * Returns: (transfer full): the sink
 */
AccSink *
acc_sink_create (GFile *file, GCancellable *cancellable, GError **error)
{
  g_autofree char *name = NULL;
  const char *format;

  g_return_val_if_fail (G_IS_FILE (file), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (g_cancellable_set_error_if_cancelled (cancellable, error) || !check_place (file, error))
    return NULL;

  name = g_file_get_basename (file);
  format = find_format (name != NULL ? name : "");
  if (format == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED,
                   "%s: what is written is a .png picture, a .npy array, or bare elements in .raw, .bin, .dat or a name without an ending",
                   name);
      return NULL;
    }
  if (g_str_equal (format, "png"))
    return ACC_SINK (acc_png_sink_new (file));

  return acc_raw_sink_new (acc_byte_writer_new_for_file (file), g_str_equal (format, "npy"));
}

/**
 * acc_sink_new_for_stream:
 * @stream: the stream to write
 * @format: `png`, `npy` or `raw`
 * @error: return location for an error
 *
 * Creates a sink that writes into a stream, for one run. A second run fails with %ACC_ERROR_STREAM.
 *
 * Complete data closes the stream. After an error the stream is the caller's, to close or to drop.
 *
 * Fails with %ACC_ERROR_UNSUPPORTED where @format is another.
 *
 * Returns: (transfer full): the sink
 */
AccSink *
acc_sink_new_for_stream (GOutputStream *stream, const char *format, GError **error)
{
  g_return_val_if_fail (G_IS_OUTPUT_STREAM (stream), NULL);
  g_return_val_if_fail (format != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (g_str_equal (format, "png"))
    return ACC_SINK (acc_png_sink_new_for_stream (stream));

  if (g_str_equal (format, "npy") || g_str_equal (format, "raw"))
    return acc_raw_sink_new (acc_byte_writer_new_for_stream (stream), *format == 'n');

  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "“%s” is not one of the formats png, npy and raw", format);

  return NULL;
}
