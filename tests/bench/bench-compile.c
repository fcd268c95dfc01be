/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compile times of the edge pipeline. Run twice with one ACC_CACHE_DIR: the second run is the warm start. Prints the time
 * from an open backend to a runnable result on a small picture, first and second time in the process. */

#include "bench.h"
#include "canny.h"

#include <stdio.h>

int
main (void)
{
  g_autoptr (GError) error = NULL;
  double start = bench_now ();
  AccBackend *backend = acc_backend_get_default (&error);

  if (backend == NULL)
    g_error ("%s", error->message);

  double opened = bench_now ();
  const gint64 extents[] = { 64, 64, 3 };
  g_autoptr (AccShape) shape = acc_shape_new (extents, 3);
  g_autoptr (GBytes) bytes = g_bytes_new_take (g_malloc0 (64 * 64 * 3), 64 * 64 * 3);
  g_autoptr (AccArray) picture = acc_array_use (acc_element_type_new (ACC_KIND_U8), shape, bytes);

  for (int i = 0; i < 3; i++)
    {
      double begun = bench_now ();
      g_autoptr (AccArray) edges = picture_canny (picture, 0.05, 0.15);
      double built = bench_now ();
      g_autoptr (AccArray) result = acc_backend_run (backend, edges, NULL, &error);
      double done = bench_now ();

      if (result == NULL)
        g_error ("%s", error->message);
      printf ("run %d: graph %.3f ms, compile and run %.3f ms\n", i + 1, (built - begun) * 1e3, (done - built) * 1e3);
    }
  printf ("backend opened in %.3f ms\n", (opened - start) * 1e3);
  return 0;
}
