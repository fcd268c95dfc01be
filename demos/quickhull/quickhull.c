/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* quickhull [--check] [N]: the convex hull of N points of the unit disc. Quickhull calls itself for both sides of the point that is
 * farthest from an edge; here one round of a loop does so for all edges at once. */

#include "hull.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
  float x, y;
} Point;

static int
compare_points (gconstpointer a, gconstpointer b)
{
  const Point *p = a, *q = b;

  return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

static double
turn (Point a, Point b, Point p)
{
  return ((double) b.x - a.x) * ((double) p.y - a.y) - ((double) b.y - a.y) * ((double) p.x - a.x);
}

/* The area within the hull of sorted points, by Andrew's chains (1979) */
static double
area_by_chains (Point *points, gsize n)
{
  g_autofree Point *chain = g_new (Point, 2 * n + 1);
  gsize k = 0;
  double area = 0;

  for (gsize i = 0; i < n; chain[k++] = points[i++])
    while (k >= 2 && turn (chain[k - 2], chain[k - 1], points[i]) <= 0)
      k--;
  for (gsize i = n - 1, first = k + 1; i-- > 0; chain[k++] = points[i])
    while (k >= first && turn (chain[k - 2], chain[k - 1], points[i]) <= 0)
      k--;
  for (gsize i = 0; i + 1 < k; i++)
    area += ((double) chain[i].x * chain[i + 1].y - (double) chain[i + 1].x * chain[i].y) / 2;
  return area;
}

/* Of corners in clockwise order; they must turn right everywhere. */
static double
area_of_hull (AccArray *hull, gboolean *is_convex)
{
  gsize n = acc_shape_get_size (acc_array_get_shape (hull));
  double area = 0;

  *is_convex = TRUE;
  for (gsize i = 0; i < n; i++)
    {
      Point p[3];

      for (gsize k = 0; k < 3; k++)
        p[k] = (Point) { acc_array_get_double (hull, 0, (i + k) % n), acc_array_get_double (hull, 1, (i + k) % n) };
      area -= ((double) p[0].x * p[1].y - (double) p[1].x * p[0].y) / 2;
      *is_convex = *is_convex && turn (p[0], p[1], p[2]) <= 1e-6;
    }
  return area;
}

static gboolean
run (gsize n, guint32 seed, gboolean check, GError **error)
{
  AccBackend *backend = acc_backend_get_default (error);
  if (backend == NULL)
    return FALSE;

  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autofree Point *points = g_new (Point, n);
  float *x = g_new (float, n), *y = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    {
      double angle = g_rand_double_range (random, 0, 2 * G_PI), radius = sqrt (g_rand_double (random));

      points[i] = (Point) { x[i] = radius * cos (angle), y[i] = radius * sin (angle) };
    }

  g_autoptr (GBytes) x_bytes = g_bytes_new_take (x, n * sizeof *x), y_bytes = g_bytes_new_take (y, n * sizeof *y);
  g_autoptr (AccShape) shape = acc_shape_new_vector (n);
  g_autoptr (AccArray) array = acc_array_use_buffers (acc_element_type_parse ("(f4,f4)", NULL), shape,
                                                      (GBytes *[]) { x_bytes, y_bytes }, 2);
  g_autoptr (AccArray) delayed = convex_hull (array);
  gint64 started = g_get_monotonic_time ();
  g_autoptr (AccArray) hull = acc_backend_run (backend, delayed, NULL, error);
  if (hull == NULL)
    return FALSE;

  gboolean is_convex;
  double milliseconds = (g_get_monotonic_time () - started) / 1e3, area = area_of_hull (hull, &is_convex);

  g_print ("%" G_GSIZE_FORMAT " points: %" G_GSIZE_FORMAT " corners, area %.6f, %.1f ms on %s\n", n,
           (gsize) acc_shape_get_size (acc_array_get_shape (hull)), area, milliseconds, acc_backend_get_name (backend));
  if (!check)
    return TRUE;

  qsort (points, n, sizeof *points, compare_points);

  double off = fabs (area - area_by_chains (points, n));
  if (is_convex && off <= 1e-5)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC, "%" G_GSIZE_FORMAT " points: the area is off by %g, %s", n, off,
               is_convex ? "convex" : "not convex");
  return FALSE;
}

int
main (int argc, char **argv)
{
  static const gsize lengths[] = { 2, 3, 4, 10, 1000, 20011 };
  gboolean check = FALSE;
  const GOptionEntry entries[] = {
    { "check", 'c', 0, G_OPTION_ARG_NONE, &check, "Compare several numbers of points with Andrew's chains", NULL },
    { NULL }
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new ("[N] - the convex hull of N points (1000000)");
  guint64 n = 1000000;

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 2
      || (argc == 2 && !g_ascii_string_to_unsigned (argv[1], 10, 2, G_MAXINT32, &n, &error)))
    {
      g_printerr ("%s\n", error ? error->message : "at most one number; see --help");
      return 2;
    }

  gboolean good = check || run (n, 1, FALSE, &error);

  for (gsize i = 0; check && good && i < G_N_ELEMENTS (lengths); i++)
    good = run (lengths[i], i, TRUE, &error);
  if (!good)
    g_printerr ("quickhull: %s\n", error->message);
  return good ? 0 : 1;
}
