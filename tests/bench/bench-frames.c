/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench-frames [BACKEND [SECONDS]]: a camera of 640 × 480 pixels and 60 frames a second, whose edges are looked for. How long a frame takes
 * from when the camera has it to when its edges are there, with a target and without. */

#include "bench.h"

#include "demos/edges/canny.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 640
#define HEIGHT 480
#define PERIOD (G_USEC_PER_SEC / 60)
/* While kernels are compiled. */
#define WARM_UP 60

#define BENCH_TYPE_CAMERA (bench_camera_get_type ())
G_DECLARE_FINAL_TYPE (BenchCamera, bench_camera, BENCH, CAMERA, AccSequenceProducer)

/* Has frame k at .begin + k · PERIOD. */
struct _BenchCamera {
  AccSequenceProducer parent_instance;

  gint64  begin;
  gint64  next;
  gint64  n_frames;
  guint8 *picture;
};

G_DEFINE_FINAL_TYPE (BenchCamera, bench_camera, ACC_TYPE_SEQUENCE_PRODUCER)

static AccNestedArray *
bench_camera_read (AccSequenceProducer *producer, gint64 max_elements, gint64 max_values, GCancellable *cancellable, GError **error)
{
  BenchCamera *self = BENCH_CAMERA (producer);
  gint64 there, n, now = g_get_monotonic_time (), due = self->begin + self->next * PERIOD;
  g_autoptr(AccShape) shape = NULL;
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccArray) frames = NULL;
  guint8 *pixels;

  if (self->next == self->n_frames)
    return NULL;
  if (now < due)
    g_usleep ((gulong) (due - now));

  there = (g_get_monotonic_time () - self->begin) / PERIOD + 1 - self->next;
  n = CLAMP (MIN (max_elements, max_values / (WIDTH * HEIGHT)), 1, MIN (MAX (there, 1), self->n_frames - self->next));
  pixels = g_malloc ((gsize) n * WIDTH * HEIGHT);
  for (gint64 i = 0; i < n; i++)
    memcpy (pixels + i * WIDTH * HEIGHT, self->picture + (self->next + i) % 64, WIDTH * HEIGHT);
  self->next += n;

  shape = acc_shape_new ((gint64[]) { n, HEIGHT, WIDTH }, 3);
  bytes = g_bytes_new_take (pixels, (gsize) n * WIDTH * HEIGHT);
  frames = acc_array_use (acc_element_type_new (ACC_KIND_U8), shape, bytes);

  return acc_nested_array_new_from_regular (frames);
}

static void
bench_camera_finalize (GObject *object)
{
  g_free (BENCH_CAMERA (object)->picture);
  G_OBJECT_CLASS (bench_camera_parent_class)->finalize (object);
}

static void
bench_camera_class_init (BenchCameraClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = bench_camera_finalize;
  ACC_SEQUENCE_PRODUCER_CLASS (klass)->read = bench_camera_read;
}

/* Shapes with edges, and noise. */
static void
bench_camera_init (BenchCamera *self)
{
  self->picture = g_malloc (WIDTH * HEIGHT + 64);
  for (gint i = 0; i < WIDTH * HEIGHT + 64; i++)
    self->picture[i] = (guint8) ((i / WIDTH / 40 + i % WIDTH / 40) % 2 * 120 + rand () % 32);
}

static AccArray *
find_edges (AccArray **arrays, guint n_arrays, gpointer data)
{
  return picture_canny (arrays[0], 0.1, 0.2);
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static void
bench_target (AccBackend *backend, gint64 latency, gint64 n_frames)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (HEIGHT, WIDTH);
  g_autoptr(BenchCamera) camera = g_object_new (BENCH_TYPE_CAMERA, "element-type", acc_element_type_new (ACC_KIND_U8), "rank", 2, "shape",
                                                shape, NULL);
  g_autoptr(AccSequence) frames = acc_sequence_new (ACC_SEQUENCE_PRODUCER (camera)), edges = acc_sequence_map (frames, find_edges, NULL);
  g_autoptr(AccSequenceIterator) iterator = NULL;
  g_autofree double *times = g_new0 (double, n_frames);
  gint64 late = 0, n = 0;

  acc_sequence_set_latency (frames, latency);
  camera->n_frames = n_frames + WARM_UP;
  camera->begin = g_get_monotonic_time ();
  iterator = acc_sequence_iterate (edges, backend);
  for (gint64 i = 0; i < camera->n_frames; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccArray) edge = acc_sequence_iterator_next (iterator, NULL, &error);

      if (edge == NULL)
        g_error ("frame %d: %s", (int) i, error != NULL ? error->message : "none");
      if (i < WARM_UP)
        continue;
      times[n] = (double) (g_get_monotonic_time () - camera->begin - i * PERIOD) / 1e3;
      late += times[n++] > 33;
    }

  qsort (times, (size_t) n, sizeof *times, compare_times);
  printf ("%4.0f ms  %8.1f %8.1f %8.1f %8.1f %8.2f %%\n", (double) latency / 1e3, times[n / 2], times[n * 99 / 100], times[n * 999 / 1000],
          times[n - 1], 100.0 * (double) late / (double) n);
}

int
main (int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) backend = acc_backend_new_for_name (argc > 1 ? argv[1] : "native", &error);
  gint64 n_frames = argc > 2 ? MAX (atoi (argv[2]) * 60, 1) : 600;

  if (backend == NULL)
    g_error ("%s", error->message);

  printf ("# edges of 640 × 480 pixels, 60 frames a second, %d of them: milliseconds from the camera to the edges\n", (int) n_frames);
  printf ("target    median 99 of 100    999   longest  over 33 ms\n");
  bench_target (backend, 0, n_frames);
  bench_target (backend, 33 * G_TIME_SPAN_MILLISECOND, n_frames);
  bench_target (backend, 10 * G_TIME_SPAN_MILLISECOND, n_frames);

  return 0;
}
