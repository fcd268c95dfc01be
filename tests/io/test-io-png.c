/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "io-helpers.h"
#include "reference-png.h"
#include "tests/count-warnings.h"

#include "acc-core/data/acc-chunk-private.h"
#include "acc-core/data/acc-sink-private.h"

#include <string.h>
#include <zlib.h>

static char *
get_suite (void)
{
  const char *data = g_getenv ("ACC_TEST_DATA");

  g_assert_nonnull (data);

  return g_build_filename (data, "pngsuite", NULL);
}

static GPtrArray *
list_pictures (void)
{
  g_autofree char *folder = get_suite ();
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  GPtrArray *files = g_ptr_array_new_with_free_func (g_object_unref);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".png"))
      g_ptr_array_add (files, io_file_in (folder, name));

  g_assert_cmpuint (files->len, >=, 40);

  return files;
}

static void
assert_picture (AccSource *source, GPtrArray *leaves, const ReferencePicture *picture)
{
  g_autofree char *shape = picture->channels == 1
    ? g_strdup_printf ("[%zu,%zu]", picture->height, picture->width)
    : g_strdup_printf ("[%zu,%zu,%u]", picture->height, picture->width, picture->channels);
  gsize n, m;
  gconstpointer a, b = g_bytes_get_data (picture->pixels, &m);

  io_assert_layout (source, picture->bits == 16 ? "u2" : "u1", shape);
  a = g_bytes_get_data (leaves->pdata[0], &n);
  g_assert_cmpmem (a, n, b, m);
}

static void
test_suite_pixels (void)
{
  g_autoptr(GPtrArray) files = list_pictures ();

  for (guint i = 0; i < files->len; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GBytes) bytes = io_get (files->pdata[i]);
      g_autoptr(AccSource) source = acc_source_open (files->pdata[i], NULL, &error);
      ReferencePicture picture;

      g_assert_no_error (error);
      reference_png_read (bytes, &picture);

      /* The same source, again and again */
      for (gint64 rows = 0; rows < 40; rows += 7)
        {
          g_autoptr(GPtrArray) leaves = io_read_all (source, rows, NULL, &error);

          g_assert_no_error (error);
          assert_picture (source, leaves, &picture);
        }

      g_assert_cmpuint (acc_source_get_resident_bytes (source), >, 0);
      reference_png_clear (&picture);
    }
}

static void
test_suite_streams (void)
{
  g_autoptr(GPtrArray) files = list_pictures ();

  for (guint i = 0; i < files->len; i++)
    {
      g_autoptr(GError) outer = NULL;
      g_autoptr(GBytes) bytes = io_get (files->pdata[i]);
      g_autoptr(GInputStream) memory = g_memory_input_stream_new_from_bytes (bytes);
      g_autoptr(GInputStream) once = io_pipe (bytes);
      g_autoptr(AccSource) seekable = acc_source_new_for_stream (memory, NULL, &outer);
      g_autoptr(AccSource) source = acc_source_new_for_stream (once, NULL, &outer);
      ReferencePicture picture;

      g_assert_no_error (outer);
      reference_png_read (bytes, &picture);

      for (guint run = 0; run < 2; run++)
        {
          g_autoptr(GPtrArray) leaves = io_read_all (seekable, 5, NULL, &outer);

          g_assert_no_error (outer);
          assert_picture (seekable, leaves, &picture);
        }

      {
        g_autoptr(GPtrArray) leaves = io_read_all (source, 5, NULL, &outer);

        g_assert_no_error (outer);
        assert_picture (source, leaves, &picture);
      }

      io_assert_refused (io_read_all (source, 5, NULL, error), ACC_ERROR, ACC_ERROR_STREAM);
      reference_png_clear (&picture);
    }
}

/* --- damage */

/* What part of a picture a byte is of */
typedef enum {
  PART_CRITICAL,   /* signature, or length or type of a chunk: nothing is known of what follows */
  PART_PIXELS,     /* the rest of IHDR, PLTE and IDAT */
  PART_OTHER,      /* the rest of what pixels do not need */
  PART_ALPHA,      /* the rest of tRNS, likewise, but with it alpha goes */
  PART_END,        /* IEND, and what is between it and the pixels */
} Part;

static Part *
find_parts (const guint8 *data, gsize size, gsize *pixels_end)
{
  Part *parts = g_new0 (Part, size);
  gsize n;

  for (gsize at = 8; at < size; at += n)
    {
      const char *type = (const char *) data + at + 4;
      Part part = memcmp (type, "tRNS", 4) == 0 ? PART_ALPHA : memcmp (type, "IEND", 4) == 0 ? PART_END
                  : g_ascii_isupper (*type) ? PART_PIXELS : PART_OTHER;

      n = 12 + ((gsize) data[at] << 24 | data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3]);
      for (gsize i = 0; i < n; i++)
        parts[at + i] = i < 8 && part != PART_END ? PART_CRITICAL : part;
      if (memcmp (type, "IDAT", 4) == 0)
        *pixels_end = at + n;
    }
  for (gsize at = *pixels_end; at < size; at++)
    parts[at] = PART_END;

  return parts;
}

/* Of the picture at hand: without tRNS it would be read, but without alpha. */
static gboolean has_transparency;

/* NULL where it was refused, when it was opened or when it was read. */
static GPtrArray *
read_damaged (const guint8 *data, gsize size, AccShape **shape)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_data (data, size, NULL);
  g_autoptr(AccSource) source = NULL;
  GPtrArray *leaves = NULL;

  *shape = NULL;
  n_messages = 0;
  source = acc_source_new_for_stream (stream, NULL, &error);
  if (source != NULL && acc_shape_get_size (acc_source_get_shape (source)) < 1 << 24)
    {
      *shape = acc_shape_ref (acc_source_get_shape (source));
      leaves = io_read_all (source, 3, NULL, &error);
      if (leaves == NULL)
        g_clear_pointer (shape, acc_shape_unref);
    }
  else if (source != NULL)
    return NULL;

  g_assert_true ((leaves != NULL) == (error == NULL));
  if (error != NULL)
    g_assert_true (error->domain == ACC_ERROR);

  return leaves;
}

/* Pixels as they should be, or none */
static void
assert_damaged (const guint8 *data, gsize size, Part part, GPtrArray *good, const char *what, gsize at)
{
  g_autoptr(AccShape) shape = NULL;
  g_autoptr(GPtrArray) leaves = read_damaged (data, size, &shape);
  gboolean same = leaves != NULL
                  && g_bytes_equal (leaves->pdata[0], good->pdata[0]);

  switch (part)
    {
    case PART_PIXELS:
      if (leaves != NULL)
        g_error ("%s was read, damaged at %zu", what, at);
      break;
    case PART_OTHER:
    case PART_END:
      if (!same)
        g_error ("%s was not read well, damaged at %zu", what, at);
      if (n_messages != 1)
        g_error ("%s: %d messages, damaged at %zu of %zu", what, n_messages, at, size);
      break;
    case PART_ALPHA:
      g_assert_nonnull (leaves);
      g_assert_false (same);
      g_assert_cmpint (n_messages, ==, 1);
      break;
    case PART_CRITICAL:
    default:
      if (leaves != NULL && !same && !has_transparency)
        g_error ("%s was read wrongly, damaged at %zu", what, at);
      break;
    }
}

static void
for_each_picture (void (*damage) (const guint8 *data, gsize size, const Part *parts, gsize pixels_end, GPtrArray *good,
                                  const char *name))
{
  g_autoptr(GPtrArray) files = list_pictures ();

  for (guint i = 0; i < files->len; i++)
    {
      g_autoptr(GBytes) bytes = io_get (files->pdata[i]);
      g_autofree char *name = g_file_get_basename (files->pdata[i]);
      g_autoptr(AccShape) shape = NULL;
      gsize size, pixels_end = 0;
      const guint8 *data = g_bytes_get_data (bytes, &size);
      g_autofree Part *parts = find_parts (data, size, &pixels_end);
      g_autoptr(GPtrArray) good = read_damaged (data, size, &shape);

      has_transparency = FALSE;
      for (gsize at = 0; at < size; at++)
        has_transparency |= parts[at] == PART_ALPHA;
      g_assert_nonnull (good);
      g_assert_cmpint (n_messages, ==, 0);
      damage (data, size, parts, pixels_end, good, name);
    }
}

static void
truncate_picture (const guint8 *data, gsize size, const Part *parts, gsize pixels_end, GPtrArray *good, const char *name)
{
  for (gsize n = 0; n < size; n += n < pixels_end - 12 ? MIN (37, pixels_end - 12 - n) : 1)
    {
      /* So that reading past the end is seen */
      g_autofree guint8 *copy = g_memdup2 (data, n);

      assert_damaged (copy, n, n < pixels_end ? PART_PIXELS : PART_END, good, name, n);
    }
}

static void
flip_bits (const guint8 *data, gsize size, const Part *parts, gsize pixels_end, GPtrArray *good, const char *name)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (g_test_rand_int ());

  for (gsize n = 0; n < size; n += size > 4000 && parts[n] == PART_PIXELS ? 13 : 1)
    {
      g_autofree guint8 *copy = g_memdup2 (data, size);

      copy[n] ^= g_rand_int_range (rand, 1, 256);
      assert_damaged (copy, size, parts[n], good, name, n);
    }
}

static void
test_truncated (void)
{
  for_each_picture (truncate_picture);
}

static void
test_flipped (void)
{
  for_each_picture (flip_bits);
}

static void
test_messages (void)
{
  g_autofree char *folder = io_make_folder ();
  g_autofree char *suite = get_suite ();
  g_autoptr(GFile) original = io_file_in (suite, "basn2c16.png");
  g_autoptr(GFile) file = io_file_in (folder, "half.png");
  g_autoptr(GBytes) bytes = io_get (original);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSource) source = NULL;

  io_put (file, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes) - 150);
  source = acc_source_open (file, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (io_read_all (source, 4, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "half.png"));
  g_assert_nonnull (strstr (error->message, "row "));

  io_remove_folder (g_steal_pointer (&folder));
}

static void
append_u32 (GByteArray *array, guint32 value)
{
  value = GUINT32_TO_BE (value);
  g_byte_array_append (array, (guint8 *) &value, 4);
}

static GByteArray *
make_header (guint32 width, guint32 height, guint8 depth, guint8 color, guint8 interlace)
{
  GByteArray *array = g_byte_array_new ();
  guint8 rest[] = { depth, color, 0, 0, interlace };
  gsize begin;

  g_byte_array_append (array, (const guint8 *) "\x89PNG\r\n\x1a\n", 8);
  append_u32 (array, 13);
  begin = array->len;
  g_byte_array_append (array, (const guint8 *) "IHDR", 4);
  append_u32 (array, width);
  append_u32 (array, height);
  g_byte_array_append (array, rest, sizeof rest);
  append_u32 (array, crc32 (0, array->data + begin, array->len - begin));
  append_u32 (array, 0);
  begin = array->len;
  g_byte_array_append (array, (const guint8 *) "IDAT", 4);
  append_u32 (array, crc32 (0, array->data + begin, array->len - begin));

  return array;
}

static void
test_giant (void)
{
  g_autoptr(GByteArray) giant = make_header (0x7fffffff, 0x7fffffff, 16, 6, 0);
  g_autoptr(GByteArray) interlaced = make_header (100000, 100000, 8, 2, 1);
  g_autoptr(GByteArray) wide = make_header (0x7fffffff, 1, 16, 6, 0);
  g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_data (giant->data, giant->len, NULL);
  g_autoptr(GInputStream) second = g_memory_input_stream_new_from_data (interlaced->data, interlaced->len, NULL);
  g_autoptr(GInputStream) third = g_memory_input_stream_new_from_data (wide->data, wide->len, NULL);
  g_autoptr(AccSource) source = NULL;
  g_autoptr(AccSource) row = NULL;
  g_autoptr(GError) outer = NULL;

  io_assert_refused (acc_source_new_for_stream (stream, NULL, error), ACC_ERROR, ACC_ERROR_UNSUPPORTED);

  source = acc_source_new_for_stream (second, NULL, &outer);
  g_assert_no_error (outer);
  g_assert_cmpuint (acc_source_get_resident_bytes (source), >=, G_GUINT64_CONSTANT (30000000000));

  row = acc_source_new_for_stream (third, NULL, &outer);
  g_assert_no_error (outer);
  g_assert_cmpuint (acc_source_get_resident_bytes (row), >=, G_GUINT64_CONSTANT (16) * 0x7fffffff);
}

static GPtrArray *
to_bytes (GPtrArray *leaves)
{
  GPtrArray *result = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  gsize n;
  const guint8 *data = g_bytes_get_data (leaves->pdata[0], &n);
  guint8 *bytes = g_malloc (n);

  for (gsize i = 0; i < n; i++)
    bytes[i] = data[i] ? 255 : 0;
  g_ptr_array_add (result, g_bytes_new_take (bytes, n));

  return result;
}

static void
test_round_trip (void)
{
  static const char *types[] = { "u1", "u2", "b1" };

  for (guint t = 0; t < 3; t++)
    for (gint64 channels = 0; channels <= (t == 2 ? 1 : 4); channels++)
      for (guint filter = 0; filter <= ACC_PNG_FILTER_ADAPTIVE; filter++)
        {
          gint64 extents[] = { 19, 37, channels };
          guint rank = channels == 0 ? 2 : 3;
          g_autoptr(GError) error = NULL;
          g_autoptr(GPtrArray) leaves = io_random_buffers (types[t], extents, rank, filter);
          g_autoptr(GPtrArray) expected = t == 2 ? to_bytes (leaves) : g_ptr_array_ref (leaves);
          g_autoptr(GOutputStream) output = g_memory_output_stream_new_resizable ();
          g_autoptr(AccPngSink) sink = acc_png_sink_new_for_stream (output);
          g_autoptr(GInputStream) input = NULL;
          g_autoptr(AccSource) source = NULL;
          g_autoptr(GPtrArray) result = NULL;
          g_autoptr(GBytes) bytes = NULL;

          g_object_set (sink, "filter", filter, "compression-level", filter + 1, NULL);
          g_assert_cmpuint (acc_png_sink_get_filter (sink), ==, filter);
          g_assert_true (io_write_all (ACC_SINK (sink), types[t], extents, rank, leaves, filter, NULL, &error));
          g_assert_no_error (error);
          g_assert_true (g_output_stream_is_closed (output));

          bytes = g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (output));
          input = g_memory_input_stream_new_from_bytes (bytes);
          source = acc_source_new_for_stream (input, NULL, &error);
          g_assert_no_error (error);
          io_assert_layout (source, t == 1 ? "u2" : "u1",
                            channels < 2 ? "[19,37]" : channels == 2 ? "[19,37,2]" : channels == 3 ? "[19,37,3]" : "[19,37,4]");
          result = io_read_all (source, 4, NULL, &error);
          g_assert_no_error (error);
          io_assert_same (result, expected);
        }
}

/* Elements by pieces of random lengths, whatever the rows are. */
static void
write_pieces (AccSink *sink, const char *code, const gint64 *extents, guint rank, GBytes *bytes, GRand *rand)
{
  g_autoptr(AccElementType) type = acc_element_type_parse (code, NULL);
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  g_autoptr(GError) error = NULL;
  gint64 all = acc_shape_get_size (shape), n;

  g_assert_true (acc_sink_takes_elements (sink));
  g_assert_true (acc_sink_start (sink, type, shape, NULL, &error));
  g_assert_no_error (error);
  acc_sink_begin_elements (sink);
  for (gint64 first = 0; first < all; first += n)
    {
      gpointer at = (guint8 *) g_bytes_get_data (bytes, NULL) + (gsize) first * acc_element_type_get_size (type);
      AccChunk *chunk;

      n = g_rand_int_range (rand, 1, 20000);
      n = MIN (n, all - first);
      chunk = acc_chunk_new (type, first, n, 1, &at);
      acc_sink_write (sink, chunk, NULL, &error);
      g_assert_no_error (error);
      acc_chunk_invalidate (chunk);
      acc_chunk_unref (chunk);
    }
  g_assert_true (acc_sink_commit (sink, NULL, &error));
  g_assert_no_error (error);
}

/* Each row with what compresses well, so that filters differ. */
static GBytes *
make_slopes (gsize size, guint32 seed)
{
  guint8 *bytes = g_malloc (size);
  guint32 x = seed;

  for (gsize i = 0; i < size; i++)
    {
      x = x * 1664525 + 1013904223;
      bytes[i] = (guint8) (i / 7 + (x >> 30));
    }

  return g_bytes_new_take (bytes, size);
}

/* Rows of several pieces, and longer than the fast filter keeps: the same file, however it is cut, and the pixels, by a decoder that
 * shares nothing with the encoder. The encoder says what it keeps. */
static void
test_long_rows (void)
{
  static const char *types[] = { "u1", "u2", "b1" };
  static const gint64 widths[] = { 9001, 131077 };
  /* Rows, by filter. */
  static const guint kept[] = { 1, 0, 0, 1, 1, 1, 2 };
  g_autoptr(GRand) rand = g_rand_new_with_seed (3);

  for (guint i = 0; i < 3 * 2 * G_N_ELEMENTS (kept); i++)
    {
      const char *code = types[i % 3];
      gint64 extents[] = { 5, widths[i / 3 % 2], 1 + i % 4 };
      guint filter = i / 6, rank = g_str_equal (code, "b1") ? 2 : 3, width = g_str_equal (code, "u2") ? 2 : 1;
      gsize row = (gsize) extents[1] * (rank == 3 ? (gsize) extents[2] : 1) * width;
      g_autoptr(AccElementType) type = acc_element_type_parse (code, NULL);
      g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
      g_autoptr(GPtrArray) leaves = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref), expected = NULL;
      g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
      g_autoptr(GError) error = NULL;
      ReferencePicture picture;
      guint64 in_file = rank == 2 ? row / 8 + 1 : row;
      gboolean keeps_none = filter == ACC_PNG_FILTER_FAST && (rank == 2 || row > 128 * 1024);

      g_ptr_array_add (leaves, make_slopes (row * 5, i));
      if (rank == 2)
        {
          g_autoptr(GPtrArray) bits = g_steal_pointer (&leaves);

          leaves = io_random_buffers (code, extents, rank, i);
          expected = to_bytes (leaves);
        }
      else
        {
          expected = g_ptr_array_ref (leaves);
        }
      for (guint k = 0; k < 2; k++)
        {
          g_autoptr(GOutputStream) output = g_memory_output_stream_new_resizable ();
          g_autoptr(AccPngSink) sink = acc_png_sink_new_for_stream (output);
          guint64 resident;

          acc_png_sink_set_filter (sink, filter);
          resident = acc_sink_get_resident_bytes (ACC_SINK (sink), type, shape);
          g_assert_cmpuint (resident, >=, 300000 + (keeps_none ? 0 : kept[filter]) * in_file);
          g_assert_cmpuint (resident, <=, 360000 + (keeps_none ? 0 : kept[filter]) * in_file);
          if (k == 0)
            g_assert_true (io_write_all (ACC_SINK (sink), code, extents, rank, leaves, 2, NULL, &error));
          else
            write_pieces (ACC_SINK (sink), code, extents, rank, g_ptr_array_index (leaves, 0), rand);
          g_assert_no_error (error);
          g_ptr_array_add (files, g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (output)));
        }
      g_assert_true (g_bytes_equal (g_ptr_array_index (files, 0), g_ptr_array_index (files, 1)));
      reference_png_read (g_ptr_array_index (files, 0), &picture);
      g_assert_true (g_bytes_equal (picture.pixels, g_ptr_array_index (expected, 0)));
      reference_png_clear (&picture);
    }
}

static void
test_refused (void)
{
  static const struct {
    const char *type;
    guint       rank;
    gint64      extents[4];
  } cases[] = {
    { "f4", 2, { 3, 3 } },
    { "u4", 2, { 3, 3 } },
    { "(u1,u1)", 2, { 3, 3 } },
    { "u1", 1, { 3 } },
    { "u1", 0, { 0 } },
    { "u1", 4, { 3, 3, 3, 1 } },
    { "u1", 3, { 3, 3, 5 } },
    { "u1", 3, { 3, 3, 0 } },
    { "b1", 3, { 3, 3, 3 } },
    { "u1", 2, { 0, 3 } },
    { "u1", 2, { 3, 0 } },
    { "u1", 2, { 1, G_GINT64_CONSTANT (1) << 31 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *folder = io_make_folder ();
      g_autoptr(GFile) file = io_file_in (folder, "x.png");
      g_autoptr(AccPngSink) sink = acc_png_sink_new (file);
      g_autoptr(AccElementType) type = acc_element_type_parse (cases[i].type, NULL);
      g_autoptr(AccShape) shape = acc_shape_new (cases[i].extents, cases[i].rank);

      io_assert_refused (acc_sink_start (ACC_SINK (sink), type, shape, NULL, error), ACC_ERROR, ACC_ERROR_UNSUPPORTED);
      acc_sink_abort (ACC_SINK (sink));
      g_assert_cmpuint (io_count_files (folder), ==, 0);
      io_remove_folder (g_steal_pointer (&folder));
    }
}

static void
test_cancelled (void)
{
  g_autofree char *suite = get_suite ();
  g_autoptr(GFile) file = io_file_in (suite, "basn2c08.png");
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) outer = NULL;
  g_autoptr(AccSource) source = acc_source_open (file, NULL, &outer);
  g_autoptr(GPtrArray) leaves = NULL;

  g_assert_no_error (outer);
  g_cancellable_cancel (cancellable);
  io_assert_refused (acc_source_open (file, cancellable, error), G_IO_ERROR, G_IO_ERROR_CANCELLED);
  io_assert_refused (io_read_all (source, 1, cancellable, error), G_IO_ERROR, G_IO_ERROR_CANCELLED);
  leaves = io_read_all (source, 1, NULL, &outer);
  g_assert_no_error (outer);
}

int
main (int argc, char **argv)
{
  g_log_set_writer_func (count_warnings, NULL, NULL);
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/io/png/suite/pixels", test_suite_pixels);
  g_test_add_func ("/io/png/suite/streams", test_suite_streams);
  g_test_add_func ("/io/png/truncated", test_truncated);
  g_test_add_func ("/io/png/flipped", test_flipped);
  g_test_add_func ("/io/png/messages", test_messages);
  g_test_add_func ("/io/png/giant", test_giant);
  g_test_add_func ("/io/png/round-trip", test_round_trip);
  g_test_add_func ("/io/png/long-rows", test_long_rows);
  g_test_add_func ("/io/png/refused", test_refused);
  g_test_add_func ("/io/png/cancelled", test_cancelled);

  return g_test_run ();
}
