/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The edge demo: a tiled picture streamed within little memory gives, inside every tile, the pixels that the picture by
 * itself gives, run whole in memory. */

#include "canny.h"

#include <string.h>

#define HALO 5      /* rows and columns that an edge pixel depends on: 2 of the Gaussian, 1 each of three stages */
#define TILES_Y 3
#define TILES_X 2

static AccExpr *
within_tile (AccExpr *index, gpointer data)
{
  AccShape *tile = data;

  return acc_expr_tuple3 (acc_expr_mod (acc_expr_item (index, 0), acc_expr_new_int (acc_shape_get_extent (tile, 0))),
                          acc_expr_mod (acc_expr_item (index, 1), acc_expr_new_int (acc_shape_get_extent (tile, 1))),
                          acc_expr_item (index, 2));
}

static AccArray *
open_picture (GFile *file)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSource) source = acc_source_open (file, NULL, &error);

  g_assert_no_error (error);
  return acc_array_new_from_source (source);
}

static GFile *
temporary (const char *name)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), name, NULL);

  return g_file_new_for_path (path);
}

static void
write_to (AccBackend *backend, AccArray *array, GFile *file)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSink) sink = acc_sink_create (file, NULL, &error);

  g_assert_no_error (error);
  acc_backend_write (backend, array, sink, NULL, &error);
  g_assert_no_error (error);
}

static void
test_tiles (gconstpointer name)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) backend = acc_backend_new_for_name (name, &error);
  g_assert_no_error (error);

  g_autofree char *unique = g_strdup_printf ("acc-tiled-%s-%u.png", (const char *) name, g_random_int ());
  g_autofree char *unique_edges = g_strdup_printf ("acc-edges-%s-%u.png", (const char *) name, g_random_int ());
  g_autoptr(GFile) small = g_file_new_for_path (g_getenv ("ACC_TEST_PICTURE"));
  g_autoptr(GFile) tiled_file = temporary (unique), edges_file = temporary (unique_edges);
  g_autoptr(AccArray) streamed = open_picture (small);
  g_autoptr(AccArray) picture = acc_backend_run (backend, streamed, NULL, &error);
  g_assert_no_error (error);

  AccShape *tile = acc_array_get_shape (picture);
  gint64 height = acc_shape_get_extent (tile, 0), width = acc_shape_get_extent (tile, 1);
  const gint64 extents[] = { TILES_Y * height, TILES_X * width, 3 };
  g_autoptr(AccShape) large = acc_shape_new (extents, 3);
  g_autoptr(AccArray) tiled = acc_array_backpermute (picture, large, within_tile, tile);
  write_to (backend, tiled, tiled_file);

  /* Whole, in memory */
  g_autoptr(AccArray) alone = picture_canny (picture, 0.05, 0.15);
  g_autoptr(AccArray) want = acc_backend_run (backend, alone, NULL, &error);
  g_assert_no_error (error);

  /* By bands, in a fifth of what the picture needs */
  acc_backend_set_memory_limit (backend, acc_backend_get_memory_used (backend) + TILES_Y * TILES_X * height * width * 3 / 5 + (2 << 20));
  g_autoptr(AccArray) big = open_picture (tiled_file);
  g_autoptr(AccArray) edges = picture_canny (big, 0.05, 0.15);
  write_to (backend, edges, edges_file);

  acc_backend_set_memory_limit (backend, 0);
  g_autoptr(AccArray) written = open_picture (edges_file);
  g_autoptr(AccArray) got = acc_backend_run (backend, written, NULL, &error);
  g_assert_no_error (error);

  const guint8 *w = (gpointer) (guintptr) acc_array_get_address (want, 0), *g = (gpointer) (guintptr) acc_array_get_address (got, 0);
  guint edge_pixels = 0;
  for (gint64 y = 0; y < TILES_Y * height; y++)
    for (gint64 x = 0; x < TILES_X * width; x++)
      {
        gint64 ty = y % height, tx = x % width;

        if (ty < HALO || ty >= height - HALO || tx < HALO || tx >= width - HALO)
          continue;
        g_assert_cmpint (g[y * TILES_X * width + x], ==, w[ty * width + tx]);
        edge_pixels += w[ty * width + tx] != 0;
      }
  g_assert_cmpuint (edge_pixels, >, 1000);

  g_file_delete (tiled_file, NULL, NULL);
  g_file_delete (edges_file, NULL, NULL);
}

/* The edges of a grey picture do not depend on how grey is told. */
static void
test_channels (void)
{
  enum { SIDE = 40 };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("interpreter", &error);
  g_autoptr(GBytes) want = NULL;

  g_assert_no_error (error);
  for (gint64 channels = 1; channels <= 4; channels++)
    {
      const gint64 extents[] = { SIDE, SIDE, channels };
      g_autoptr(AccShape) shape = acc_shape_new (extents, channels == 1 ? 2 : 3);
      guint8 *data = g_new (guint8, SIDE * SIDE * channels);

      for (gint64 i = 0; i < SIDE * SIDE; i++)
        for (gint64 c = 0; c < channels; c++)
          data[i * channels + c] = channels % 2 == 0 && c == channels - 1 ? (guint8) (i * 77)   /* alpha */
                                   : (i / SIDE - 20) * (i / SIDE - 20) + (i % SIDE - 20) * (i % SIDE - 20) < 150 ? 200 : 10;

      g_autoptr(GBytes) bytes = g_bytes_new_take (data, SIDE * SIDE * channels);
      g_autoptr(AccArray) picture = acc_array_use (acc_element_type_new (ACC_KIND_U8), shape, bytes);
      g_autoptr(AccArray) edges = picture_canny (picture, 0.05, 0.15);
      g_autoptr(AccArray) result = acc_backend_run (backend, edges, NULL, &error);
      g_assert_no_error (error);
      g_autoptr(GBytes) got = acc_array_dup_bytes (result, 0, &error);

      g_assert_no_error (error);
      if (want == NULL)
        want = g_bytes_ref (got);
      g_assert_true (g_bytes_equal (got, want));
    }
}

int
main (int argc, char **argv)
{
  static const char *const devices[] = { "cuda", "opencl", "vulkan" };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/edges/channels", test_channels);
  g_test_add_data_func ("/edges/native", "native", test_tiles);
  g_test_add_data_func ("/edges/interpreter", "interpreter", test_tiles);
  for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      g_autofree char *path = g_strdup_printf ("/edges/%s", devices[i]);
      g_autoptr(AccBackend) backend = acc_backend_new_for_name (devices[i], NULL);

      if (backend != NULL)
        g_test_add_data_func (path, devices[i], test_tiles);
    }
  return g_test_run ();
}
