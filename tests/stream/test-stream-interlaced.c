/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Interlaced pictures, which have no row before they have all: where they do not fit in memory, they are decoded into temporary files. */
#include "stream-files.h"
#include "stream-flow.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"

#include <png.h>
#include <string.h>

#define ROWS     801
#define COLUMNS  333
#define CHANNELS 3
/* A quarter of the picture. */
#define LIMIT    200000

static void
on_write (png_structp png, png_bytep data, png_size_t size)
{
  g_byte_array_append (png_get_io_ptr (png), data, (guint) size);
}

static void
on_flush (png_structp png)
{
}

/* As a picture of @pixels. */
static GBytes *
encode (const guint8 *pixels, int interlace)
{
  GByteArray *bytes = g_byte_array_new ();
  png_structp png = png_create_write_struct (PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct (png);
  g_autofree png_bytep *rows = g_new (png_bytep, ROWS);

  png_set_write_fn (png, bytes, on_write, on_flush);
  png_set_IHDR (png, info, COLUMNS, ROWS, 8, PNG_COLOR_TYPE_RGB, interlace, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info (png, info);
  for (gsize i = 0; i < ROWS; i++)
    rows[i] = (png_bytep) pixels + i * COLUMNS * CHANNELS;
  png_write_image (png, rows);
  png_write_end (png, NULL);
  png_destroy_write_struct (&png, &info);

  return g_byte_array_free_to_bytes (bytes);
}

static guint8 *
draw (void)
{
  guint8 *pixels = g_new (guint8, ROWS * COLUMNS * CHANNELS);

  for (gsize i = 0; i < ROWS * COLUMNS * CHANNELS; i++)
    pixels[i] = (guint8) (i * i / 7 + i / (COLUMNS * CHANNELS));

  return pixels;
}

static AccArray *
open_picture (int interlace)
{
  g_autofree guint8 *pixels = draw ();
  g_autoptr(GBytes) bytes = encode (pixels, interlace);
  g_autoptr(AccSource) source = test_file_open (bytes, "png", NULL, NULL);

  return acc_array_new_from_source (source);
}

/* --- programs */

static AccExpr *
over (AccExpr *x, gpointer most)
{
  return acc_expr_sub (acc_expr_the (most), x);
}

static AccArray *turned (AccArray *array) { return acc_array_transpose_on (array, 0, 1); }
static AccArray *affine (AccArray *array) { return acc_array_map (array, flow_affine, NULL); }
static AccArray *reversed (AccArray *array) { return acc_array_reverse_on (array, 0); }

/* Two walks. */
static AccArray *
inverted (AccArray *array)
{
  g_autoptr(AccArray) most = acc_array_maximum_all (array);

  return acc_array_map (array, over, most);
}

static AccArray *
sum_of_row (AccArray **arrays, guint n_arrays, gpointer data)
{
  g_autoptr(AccArray) wide = acc_array_cast (arrays[0], acc_element_type_new (ACC_KIND_I64));

  return acc_array_sum_all (wide);
}

/* Elements of a sequence. */
static AccArray *
sums (AccArray *array)
{
  g_autoptr(AccSequence) rows = acc_sequence_new_from_array (array), summed = acc_sequence_map (rows, sum_of_row, NULL);

  return acc_sequence_stack (summed);
}

static const struct {
  const char *name;
  AccArray *(*build) (AccArray *array);
} programs[] = { { "affine", affine }, { "turned", turned }, { "reversed", reversed }, { "inverted", inverted }, { "sums", sums } };

static void
test_programs (TestPair *f, gconstpointer name)
{
  g_autoptr(AccArray) array = open_picture (PNG_INTERLACE_ADAM7), plain = open_picture (PNG_INTERLACE_NONE);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) memory = acc_backend_run (f->roomy, plain, NULL, &error);
  /* The interpreter keeps more of rows. */
  guint64 limits[] = { g_str_equal (name, "interpreter") ? 3 * LIMIT : LIMIT, 0 };

  g_assert_no_error (error);
  g_assert_cmpuint (acc_source_get_resident_bytes (acc_array_get_source (array)), >, limits[0]);
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autoptr(AccArray) expected = programs[i].build (memory), result = programs[i].build (array), wanted = NULL;

      wanted = acc_backend_run (f->roomy, expected, NULL, &error);
      g_assert_no_error (error);
      for (guint k = 0; k < G_N_ELEMENTS (limits); k++)
        {
          g_autoptr(TestSink) sink = test_sink_new ();

          g_test_message ("%s within %" G_GUINT64_FORMAT, programs[i].name, limits[k]);
          test_write_within (f->backend, result, sink, limits[k], &error);
          g_assert_no_error (error);
          test_sink_assert_same (sink, wanted);
        }
    }
}

/* It tells of the file, and of none where there is room. */
static void
test_plan (TestPair *f, gconstpointer name)
{
  g_autoptr(AccArray) array = open_picture (PNG_INTERLACE_ADAM7), result = affine (array);
  g_autoptr(GError) error = NULL;
  guint64 limit = g_str_equal (name, "interpreter") ? 3 * LIMIT : LIMIT;
  const struct { guint64 limit; gboolean is_stored; } cases[] = { { limit, TRUE }, { 100 * LIMIT, FALSE }, { 0, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(AccPlan) plan = NULL;
      g_autofree char *text = NULL;

      acc_backend_set_memory_limit (f->backend, cases[i].limit > 0 ? f->before + cases[i].limit : 0);
      plan = acc_backend_plan (f->backend, result, NULL, 0, &error);
      acc_backend_set_memory_limit (f->backend, 0);
      g_assert_no_error (error);
      text = acc_plan_to_string (plan);
      g_test_message ("%s", text);
      g_assert_true ((strstr (text, "temporary file") != NULL && strstr (text, "its rows come all at once") != NULL) == cases[i].is_stored);
      if (cases[i].limit > 0)
        g_assert_cmpuint (acc_plan_get_bytes (plan), <=, f->before + cases[i].limit);
    }
}

/* What ends early leaves nothing. */
static void
test_broken (TestPair *f, gconstpointer name)
{
  g_autofree guint8 *pixels = draw ();
  g_autoptr(GBytes) whole = encode (pixels, PNG_INTERLACE_ADAM7);

  for (guint part = 1; part < 8; part += 2)
    {
      g_autoptr(GBytes) bytes = g_bytes_new_from_bytes (whole, 0, g_bytes_get_size (whole) / 8 * part);
      g_autoptr(AccSource) source = test_file_open (bytes, "png", NULL, NULL);
      g_autoptr(AccArray) array = acc_array_new_from_source (source), result = affine (array);

      for (guint64 limit = 0; limit <= LIMIT; limit += LIMIT)
        {
          g_autoptr(TestSink) sink = test_sink_new ();
          g_autoptr(GError) error = NULL;

          g_assert_false (test_write_within (f->backend, result, sink, limit > 0 && g_str_equal (name, "interpreter") ? 3 * limit : limit,
                                             &error));
          g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
        }
    }
}

static const TestPairCase cases[] = { { "programs", test_programs }, { "plan", test_plan }, { "broken", test_broken } };

static void
add_tests (const char *name, AccBackend *backend)
{
  test_pair_add ("interlaced", name, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_add_backends ("native,interpreter", add_tests);

  return g_test_run ();
}
