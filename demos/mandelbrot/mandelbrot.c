/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mandelbrot [OPTION…] [OUTPUT.png]: the Mandelbrot set. A while loop runs for every pixel, as long as that pixel needs. */

#include "steps.h"

#include <locale.h>
#include <math.h>
#include <string.h>

typedef struct {
  AccArray *palette;
  int       limit;
} Colours;

/* One channel of one pixel: black inside the set, else by the number of steps */
static AccExpr *
colour (AccExpr *index, AccExpr *steps, gpointer data)
{
  const Colours *colours = data;
  AccExpr *inside = acc_expr_ge (steps, acc_expr_new_int (colours->limit));
  AccExpr *place = acc_expr_cast (acc_expr_rem (steps, acc_expr_new_int (PALETTE_SIZE)), acc_element_type_new (ACC_KIND_I64));
  AccExpr *channel = acc_expr_item (index, 2);

  return acc_expr_cond (inside, acc_expr_new_int (0),
                        acc_expr_index (colours->palette, acc_expr_tuple2 (place, channel)));
}

/* The picture [height,width,3] of u1. @palette: [PALETTE_SIZE,3] of u1 */
static AccArray *
mandelbrot (const View *view, AccArray *palette)
{
  const gint64 channels[] = { ACC_ALL, ACC_ALL, 3 };
  Colours colours = { palette, view->limit };
  g_autoptr(AccArray) delayed = mandelbrot_steps (view);
  /* All three channels read the steps: count them once. */
  g_autoptr(AccArray) steps = acc_array_compute (delayed);
  g_autoptr(AccArray) each = acc_array_replicate (steps, channels, 3);

  return acc_array_imap (each, colour, &colours);
}

/* Three waves, one for each channel, that start apart */
static void
fill_palette (uint8_t palette[PALETTE_SIZE][3])
{
  for (int i = 0; i < PALETTE_SIZE; i++)
    for (int channel = 0; channel < 3; channel++)
      palette[i][channel] = 255 * (0.5 - 0.5 * cos (2 * G_PI * (i / 64. + 0.08 * channel)));
}

/* Is every byte the one that plain loops give? */
static gboolean
check (const View *view, const uint8_t palette[][3], AccArray *picture, GError **error)
{
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (picture, 0, error);
  if (bytes == NULL)
    return FALSE;

  gsize size = g_bytes_get_size (bytes), wrong = 0;
  const uint8_t *pixels = g_bytes_get_data (bytes, NULL);
  g_autofree uint8_t *plain = g_malloc (size);

  mandelbrot_plain (view, palette, plain);
  for (gsize i = 0; i < size; i++)
    wrong += pixels[i] != plain[i];

  g_print ("%" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " bytes differ from those of plain loops\n", wrong, size);
  if (wrong > 0)
    g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "the picture is wrong");
  return wrong == 0;
}

static gboolean
run (const View *view, const char *to, gboolean checked, GError **error)
{
  uint8_t palette[PALETTE_SIZE][3];
  AccBackend *backend = acc_backend_get_default (error);
  if (backend == NULL)
    return FALSE;

  fill_palette (palette);
  g_autoptr(GBytes) bytes = g_bytes_new (palette, sizeof palette);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (PALETTE_SIZE, 3);
  g_autoptr(AccArray) colours = acc_array_use (acc_element_type_new (ACC_KIND_U8), shape, bytes);
  g_autoptr(AccArray) delayed = mandelbrot (view, colours);
  gint64 started = g_get_monotonic_time ();
  g_autoptr(AccArray) picture = acc_backend_run (backend, delayed, NULL, error);
  if (picture == NULL)
    return FALSE;

  g_print ("%d × %d pixels, at most %d steps: %.1f ms on %s\n", view->width, view->height, view->limit,
           (g_get_monotonic_time () - started) / 1e3, acc_backend_get_name (backend));

  if (to != NULL)
    {
      g_autoptr(GFile) output = g_file_new_for_commandline_arg (to);
      g_autoptr(AccSink) sink = acc_sink_create (output, NULL, error);

      if (sink == NULL || !acc_backend_write (backend, picture, sink, NULL, error))
        return FALSE;
    }

  return !checked || check (view, palette, picture, error);
}

int
main (int argc, char **argv)
{
  int width = 1200, steps = 255;
  double x = -0.75, y = 0, across = 3.5;
  gboolean checked = FALSE;
  const GOptionEntry entries[] = {
    { "width", 'w', 0, G_OPTION_ARG_INT, &width, "Width of the picture; the height is two thirds (1200)", "PIXELS" },
    { "steps", 's', 0, G_OPTION_ARG_INT, &steps, "Steps until a pixel is black (255)", "N" },
    { "real", 'x', 0, G_OPTION_ARG_DOUBLE, &x, "Real part of the centre (-0.75)", "NUMBER" },
    { "imaginary", 'y', 0, G_OPTION_ARG_DOUBLE, &y, "Imaginary part of the centre (0)", "NUMBER" },
    { "across", 'a', 0, G_OPTION_ARG_DOUBLE, &across, "What the picture spans from left to right (3.5)", "NUMBER" },
    { "check", 'c', 0, G_OPTION_ARG_NONE, &checked, "Compare with plain loops", NULL },
    { NULL }
  };
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = g_option_context_new ("[OUTPUT.png] - draw the Mandelbrot set");

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 2 || width < 1 || width > 100000 || steps < 1)
    {
      g_printerr ("%s\n", error ? error->message : "at most one output, and sizes of at least 1; see --help");
      return 2;
    }

  int height = (width * 2 + 2) / 3;
  float pixel = across / width;
  View view = { height, width, steps, x - width / 2. * pixel, y + height / 2. * pixel, pixel };

  if (!run (&view, argc > 1 ? argv[1] : NULL, checked, &error))
    {
      g_printerr ("mandelbrot: %s\n", error->message);
      return 1;
    }

  return 0;
}
