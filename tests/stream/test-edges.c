/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The edge demo: a tiled picture streamed within little memory gives, inside every tile, the pixels that the picture by
 * itself gives, run whole in memory, where weak edges are followed to the next pixel. Where they are followed as far as they go, it gives
 * what loops in plain C give, in integers as OpenCV's Canny has them. */

#include "canny.h"

#include <math.h>
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

/* As far as the next pixel: in bands. */
static AccArray *
find_near_edges (AccArray *picture)
{
  g_autoptr(AccArray) grades = picture_thin (picture, 0.05, 0.15);

  return picture_follow_near (grades);
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

/* Weak edges as far as they go: from file to file within little memory, the same pixels as in memory. */
static void
check_exact (AccBackend *backend, GFile *file, GFile *result)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) streamed = open_picture (file), picture = acc_backend_run (backend, streamed, NULL, &error);
  g_autoptr(AccArray) whole = NULL, want = NULL, edges = picture_canny (streamed, 0.05, 0.15), written = NULL, got = NULL;
  g_autoptr(GBytes) wanted = NULL, there = NULL;

  g_assert_no_error (error);
  whole = picture_canny (picture, 0.05, 0.15);
  want = acc_backend_run (backend, whole, NULL, &error);
  g_assert_no_error (error);
  wanted = acc_array_dup_bytes (want, 0, NULL);
  g_clear_object (&picture);
  g_clear_object (&whole);
  g_clear_object (&want);

  for (guint i = 0; i < 2; i++)
    {
      acc_backend_set_memory_limit (backend, acc_backend_get_memory_used (backend) + (i == 0 ? 6 << 20 : 5 << 19));
      write_to (backend, edges, result);
      acc_backend_set_memory_limit (backend, 0);
      g_clear_object (&written);
      g_clear_object (&got);
      g_clear_pointer (&there, g_bytes_unref);
      written = open_picture (result);
      got = acc_backend_run (backend, written, NULL, &error);
      g_assert_no_error (error);
      there = acc_array_dup_bytes (got, 0, NULL);
      g_assert_true (g_bytes_equal (wanted, there));
    }
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
  g_autoptr(AccArray) alone = find_near_edges (picture);
  g_autoptr(AccArray) want = acc_backend_run (backend, alone, NULL, &error);
  g_assert_no_error (error);

  /* By bands, in a fifth of what the picture needs */
  acc_backend_set_memory_limit (backend, acc_backend_get_memory_used (backend) + TILES_Y * TILES_X * height * width * 3 / 5 + (2 << 20));
  g_autoptr(AccArray) big = open_picture (tiled_file);
  g_autoptr(AccArray) edges = find_near_edges (big);
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

  if (g_str_equal (name, "native"))
    check_exact (backend, tiled_file, edges_file);

  g_file_delete (tiled_file, NULL, NULL);
  g_file_delete (edges_file, NULL, NULL);
}

/* --- the same in plain C */

typedef struct {
  gint64  height, width;
  guint8 *pixels;
} Plane;

static gint64
at (const Plane *p, gint64 y, gint64 x)
{
  return p->pixels[CLAMP (y, 0, p->height - 1) * p->width + CLAMP (x, 0, p->width - 1)];
}

static guint8 *
blur_plane (const Plane *p)
{
  static const gint64 weights[] = { 1, 4, 6, 4, 1 };
  guint8 *out = g_new (guint8, p->height * p->width + 1);

  for (gint64 y = 0; y < p->height; y++)
    for (gint64 x = 0; x < p->width; x++)
      {
        gint64 sum = 128;

        for (gint64 dy = -2; dy <= 2; dy++)
          for (gint64 dx = -2; dx <= 2; dx++)
            sum += weights[dy + 2] * weights[dx + 2] * at (p, y + dy, x + dx);
        out[y * p->width + x] = sum / 256;
      }

  return out;
}

static void
gradient_at (const Plane *p, gint64 y, gint64 x, gint64 *gx, gint64 *gy)
{
  *gx = *gy = 0;
  for (gint64 i = -1; i <= 1; i++)
    {
      *gx += (2 - ABS (i)) * (at (p, y + i, x + 1) - at (p, y + i, x - 1));
      *gy += (2 - ABS (i)) * (at (p, y + 1, x + i) - at (p, y - 1, x + i));
    }
}

/* The square of the magnitude; 0 outside. */
static gint64
square_at (const Plane *p, gint64 y, gint64 x)
{
  gint64 gx, gy;

  if (y < 0 || y >= p->height || x < 0 || x >= p->width)
    return 0;
  gradient_at (p, y, x, &gx, &gy);
  return gx * gx + gy * gy;
}

/* Whether it is the largest across its edge. */
static gboolean
is_ridge (const Plane *p, gint64 y, gint64 x)
{
  gint64 gx, gy, own = square_at (p, y, x);

  gradient_at (p, y, x, &gx, &gy);
  gint64 ax = ABS (gx) * 13573, ay = ABS (gy) * 32768, sign = (gx < 0) != (gy < 0) ? -1 : 1;
  if (ay < ax)
    return own > square_at (p, y, x - 1) && own >= square_at (p, y, x + 1);
  if (ay > ax + ABS (gx) * 65536)
    return own > square_at (p, y - 1, x) && own >= square_at (p, y + 1, x);
  return own > square_at (p, y - 1, x - sign) && own > square_at (p, y + 1, x + sign);
}

/* From strong pixels to weak ones beside them, until there are no more. */
static guint8 *
canny_plane (const Plane *grey, double low, double high)
{
  gint64 height = grey->height, width = grey->width;
  gint64 least = floor (pow (low * 1442.5, 2)), enough = floor (pow (high * 1442.5, 2));
  g_autofree guint8 *pixels = blur_plane (grey), *weak = g_new0 (guint8, height * width + 1);
  Plane blurred = { height, width, pixels };
  guint8 *out = g_new0 (guint8, height * width + 1);
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (gint64 i = 0; i < height * width; i++)
    {
      gint64 square = square_at (&blurred, i / width, i % width);

      weak[i] = square > least && is_ridge (&blurred, i / width, i % width);
      if (weak[i] && square > enough)
        {
          out[i] = 255;
          g_array_append_val (stack, i);
        }
    }
  while (stack->len > 0)
    {
      gint64 i = g_array_index (stack, gint64, stack->len - 1);

      g_array_set_size (stack, stack->len - 1);
      for (gint64 y = MAX (i / width - 1, 0); y <= MIN (i / width + 1, height - 1); y++)
        for (gint64 x = MAX (i % width - 1, 0); x <= MIN (i % width + 1, width - 1); x++)
          {
            gint64 next = y * width + x;

            if (weak[next] && !out[next])
              {
                out[next] = 255;
                g_array_append_val (stack, next);
              }
          }
    }

  return out;
}

static void
check_canny (AccBackend *backend, const Plane *grey, double low, double high, gint64 least)
{
  const gint64 extents[] = { grey->height, grey->width };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccShape) shape = acc_shape_new (extents, 2);
  g_autoptr(GBytes) bytes = g_bytes_new (grey->pixels, grey->height * grey->width);
  g_autoptr(AccArray) picture = acc_array_use (acc_element_type_new (ACC_KIND_U8), shape, bytes),
    edges = picture_canny (picture, low, high);
  g_autoptr(AccArray) result = acc_backend_run (backend, edges, NULL, &error);
  g_autofree guint8 *wanted = canny_plane (grey, low, high);
  gint64 found = 0;

  g_assert_no_error (error);
  g_autoptr(GBytes) got = acc_array_dup_bytes (result, 0, &error);
  g_assert_no_error (error);
  if (grey->height * grey->width > 0)
    g_assert_cmpmem (wanted, grey->height * grey->width, g_bytes_get_data (got, NULL), g_bytes_get_size (got));
  for (gint64 i = 0; i < grey->height * grey->width; i++)
    found += wanted[i] != 0;
  g_assert_cmpint (found, >=, least);
}

static void
test_canny (gconstpointer name)
{
  static const gint64 sizes[][2] = { { 0, 7 }, { 1, 1 }, { 1, 30 }, { 30, 1 }, { 3, 2 }, { 97, 61 } };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) backend = acc_backend_new_for_name (name, &error);
  g_autoptr(GRand) rand = g_rand_new_with_seed (7);
  g_assert_no_error (error);

  /* Noise with steps in it. Where kernels take a second to compile, only the largest. */
  gboolean is_device = g_strcmp0 (name, "native") != 0 && g_strcmp0 (name, "interpreter") != 0;
  for (guint i = is_device ? 5 : 0; i < G_N_ELEMENTS (sizes); i++)
    {
      Plane noise = { sizes[i][0], sizes[i][1], g_new (guint8, sizes[i][0] * sizes[i][1] + 1) };

      for (gint64 k = 0; k < noise.height * noise.width; k++)
        noise.pixels[k] = (k % noise.width > 20 ? 110 : 40) + g_rand_int_range (rand, 0, 100);
      check_canny (backend, &noise, 0.03, 0.1, i == 5 ? 50 : 0);
      g_free (noise.pixels);
    }

  g_autoptr(GFile) file = g_file_new_for_path (g_getenv ("ACC_TEST_PICTURE"));
  g_autoptr(AccArray) streamed = open_picture (file), grey = picture_grey (streamed);
  g_autoptr(AccArray) picture = acc_backend_run (backend, grey, NULL, &error);
  g_assert_no_error (error);
  AccShape *shape = acc_array_get_shape (picture);
  Plane plane = { acc_shape_get_extent (shape, 0), acc_shape_get_extent (shape, 1),
                  (gpointer) (guintptr) acc_array_get_address (picture, 0) };

  check_canny (backend, &plane, 0.05, 0.15, 10000);
  if (!is_device)
    check_canny (backend, &plane, 0.02, 0.3, 4000);
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
  g_test_add_data_func ("/edges/canny/native", "native", test_canny);
  g_test_add_data_func ("/edges/canny/interpreter", "interpreter", test_canny);
  for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      g_autofree char *path = g_strdup_printf ("/edges/%s", devices[i]);
      g_autoptr(AccBackend) backend = acc_backend_new_for_name (devices[i], NULL);

      if (backend != NULL)
        {
          g_autofree char *canny = g_strdup_printf ("/edges/canny/%s", devices[i]);

          g_test_add_data_func (path, devices[i], test_tiles);
          g_test_add_data_func (canny, devices[i], test_canny);
        }
    }
  return g_test_run ();
}
