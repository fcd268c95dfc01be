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

/* The area within the hull of sorted points and its corners, by Andrew's chains (1979) */
static double
area_by_chains (Point *points, gsize n_points, gsize *n_corners)
{
  g_autofree Point *chain = g_new (Point, 2 * n_points + 1);
  gsize n = 0, k = 0;
  double area = 0;

  for (gsize i = 0; i < n_points; i++)
    if (n == 0 || compare_points (&points[n - 1], &points[i]) != 0)
      points[n++] = points[i];
  *n_corners = n;
  if (n < 2)
    return 0;

  for (gsize i = 0; i < n; chain[k++] = points[i++])
    while (k >= 2 && turn (chain[k - 2], chain[k - 1], points[i]) <= 0)
      k--;
  for (gsize i = n - 1, first = k + 1; i-- > 0; chain[k++] = points[i])
    while (k >= first && turn (chain[k - 2], chain[k - 1], points[i]) <= 0)
      k--;
  for (gsize i = 0; i + 1 < k; i++)
    area += ((double) chain[i].x * chain[i + 1].y - (double) chain[i + 1].x * chain[i].y) / 2;
  *n_corners = k - 1;
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

typedef enum {
  DISC,
  GRID,        /* many on a line, and many the same */
  LINE,
  ONE_PLACE,
  N_CLOUDS,
} Cloud;

static const char *const cloud_names[N_CLOUDS] = { "of a disc", "of a grid", "of a line", "in one place" };

static Point
draw_point (Cloud cloud, GRand *random)
{
  double angle = g_rand_double_range (random, 0, 2 * G_PI), radius = sqrt (g_rand_double (random));

  switch (cloud)
    {
    case GRID:
      return (Point) { rint (9 * radius * cos (angle)), rint (7 * radius * sin (angle)) };
    case LINE:
      angle = g_rand_int_range (random, 0, 100);
      return (Point) { angle - 50, 20 - angle * 2 };
    case ONE_PLACE:
      return (Point) { 3, -4 };
    case DISC:
    case N_CLOUDS:
    default:
      return (Point) { radius * cos (angle), radius * sin (angle) };
    }
}

static gboolean
run (Cloud cloud, gsize n, guint32 seed, gboolean check, GError **error)
{
  AccBackend *backend = acc_backend_get_default (error);
  if (backend == NULL)
    return FALSE;

  g_autoptr(GRand) random = g_rand_new_with_seed (seed);
  g_autofree Point *points = g_new (Point, n);
  float *x = g_new (float, n), *y = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    {
      points[i] = draw_point (cloud, random);
      x[i] = points[i].x;
      y[i] = points[i].y;
    }

  g_autoptr(GBytes) x_bytes = g_bytes_new_take (x, n * sizeof *x), y_bytes = g_bytes_new_take (y, n * sizeof *y);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(AccArray) array = acc_array_use_buffers (acc_element_type_parse ("(f4,f4)", NULL), shape,
                                                     (GBytes *[]) { x_bytes, y_bytes }, 2);
  g_autoptr(AccArray) delayed = convex_hull (array);
  gint64 started = g_get_monotonic_time ();
  g_autoptr(AccArray) hull = acc_backend_run (backend, delayed, NULL, error);
  if (hull == NULL)
    return FALSE;

  gboolean is_convex;
  double milliseconds = (g_get_monotonic_time () - started) / 1e3, area = area_of_hull (hull, &is_convex);

  gsize n_corners = acc_shape_get_size (acc_array_get_shape (hull)), n_wanted;

  g_print ("%" G_GSIZE_FORMAT " points %s: %" G_GSIZE_FORMAT " corners, area %.6f, %.1f ms on %s\n", n, cloud_names[cloud], n_corners, area,
           milliseconds, acc_backend_get_name (backend));
  if (!check)
    return TRUE;

  qsort (points, n, sizeof *points, compare_points);

  double off = fabs (area - area_by_chains (points, n, &n_wanted));
  if (is_convex && off <= 1e-5 && n_corners == n_wanted)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC, "%" G_GSIZE_FORMAT " points %s: the area is off by %g, %s, %" G_GSIZE_FORMAT
               " corners, not %" G_GSIZE_FORMAT, n, cloud_names[cloud], off, is_convex ? "convex" : "not convex", n_corners, n_wanted);
  return FALSE;
}

int
main (int argc, char **argv)
{
  static const struct {
    Cloud cloud;
    gsize n;
  } cases[] = {
    { DISC, 0 }, { DISC, 1 }, { DISC, 2 }, { DISC, 3 }, { DISC, 4 }, { DISC, 10 }, { DISC, 1000 }, { DISC, 20011 },
    { GRID, 6 }, { GRID, 1000 }, { LINE, 6 }, { LINE, 1000 }, { ONE_PLACE, 3 },
  };
  gboolean check = FALSE;
  const GOptionEntry entries[] = {
    { "check", 'c', 0, G_OPTION_ARG_NONE, &check, "Compare several clouds of points with Andrew's chains", NULL },
    { NULL }
  };
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = g_option_context_new ("[N] - the convex hull of N points (1000000)");
  guint64 n = 1000000;

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 2
      || (argc == 2 && !g_ascii_string_to_unsigned (argv[1], 10, 0, G_MAXINT32, &n, &error)))
    {
      g_printerr ("%s\n", error ? error->message : "at most one number; see --help");
      return 2;
    }

  gboolean good = check || run (DISC, n, 1, FALSE, &error);

  for (gsize i = 0; check && good && i < G_N_ELEMENTS (cases); i++)
    good = run (cases[i].cloud, cases[i].n, i, TRUE, &error);
  if (!good)
    g_printerr ("quickhull: %s\n", error->message);
  return good ? 0 : 1;
}
