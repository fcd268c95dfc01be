/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The convex hull of points in the plane by quickhull: every thread of its own share, then one of what the shares have. */

#include "c-works.h"
#include "inputs.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* The farthest point must not be found to lie left of itself. */
#pragma GCC optimize ("fp-contract=off")

typedef struct {
  float x, y;
} Point;

/* Points on one side of an edge, and the one that is farthest from it */
typedef struct {
  Point *points;
  gsize  n;
  Point  farthest;
  float  distance;
} Side;

typedef struct {
  gsize   n, n_hull;
  Point  *points, *hull;
  Point  *scratch;
} Hull;

/* Twice the area of a, b, p: more than 0 where p lies on the left of the way from a to b */
static inline float
turn (Point a, Point b, Point p)
{
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

static inline void
keep (Side *side, Point p, float distance)
{
  side->points[side->n] = p;
  side->n += distance > 0;
  side->farthest = distance > side->distance ? p : side->farthest;
  side->distance = distance > side->distance ? distance : side->distance;
}

/* Parts @from into what lies left of a to b and left of b to c; the first may lie where @from does. */
static void
part (const Point *from, gsize n, Point a, Point b, Point c, Side *first, Side *second)
{
  Side one = { first->points, 0, { 0 }, 0 }, other = { second->points, 0, { 0 }, 0 };

  for (gsize i = 0; i < n; i++)
    {
      Point p = from[i];

      keep (&one, p, turn (a, b, p));
      keep (&other, p, turn (b, c, p));
    }
  *first = one;
  *second = other;
}

/* Writes the vertices behind @a and before @b; gives how many. @scratch has room for as many points as the side has. */
static gsize
complete (Side *side, Point a, Point b, Point *hull, Point *scratch)
{
  if (side->n == 0)
    return 0;

  Side first = { side->points }, second = { scratch };
  Point farthest = side->farthest;
  gsize n_first, n_second;

  part (side->points, side->n, a, farthest, b, &first, &second);
  n_first = complete (&first, a, farthest, hull, scratch + second.n + 1);
  hull[n_first] = farthest;
  n_second = complete (&second, farthest, b, hull + n_first + 1, scratch + second.n + 1);
  return n_first + 1 + n_second;
}

/* @scratch: three times @n points and some */
static gsize
quickhull (const Point *points, gsize n, Point *hull, Point *scratch)
{
  Point left = points[0], right = points[0];
  Side above = { scratch }, below = { scratch + n + 1 };
  gsize n_hull = 0;

  for (gsize i = 1; i < n; i++)
    {
      left = points[i].x < left.x || (points[i].x == left.x && points[i].y < left.y) ? points[i] : left;
      right = points[i].x > right.x || (points[i].x == right.x && points[i].y > right.y) ? points[i] : right;
    }
  part (points, n, left, right, left, &above, &below);

  hull[n_hull++] = left;
  n_hull += complete (&above, left, right, hull + n_hull, scratch + 2 * n + 2);
  hull[n_hull++] = right;
  n_hull += complete (&below, right, left, hull + n_hull, scratch + 2 * n + 2);
  return n_hull;
}

static gsize
room (gsize n)
{
  return 4 * n + 64;
}

static void
run (gpointer data)
{
  Hull *h = data;
  gsize n_found = 0;
  Point *found = h->hull + h->n;

#pragma omp parallel
  {
    gsize n_threads = omp_get_num_threads (), thread = omp_get_thread_num ();
    gsize begin = h->n * thread / n_threads, end = h->n * (thread + 1) / n_threads;
    Point *scratch = h->scratch + room (h->n) / n_threads * thread;
    gsize n = end > begin ? quickhull (h->points + begin, end - begin, h->hull + begin, scratch) : 0;

#pragma omp critical
    {
      memcpy (found + n_found, h->hull + begin, n * sizeof *found);
      n_found += n;
    }
  }

  h->n_hull = quickhull (found, n_found, h->hull, h->scratch);
}

/* --- works */

static gpointer
prepare (gsize n)
{
  Hull *h = g_new (Hull, 1);

  if (n < 2)
    return NULL;
  h->n = n;
  h->points = (Point *) input_disc (n);
  h->hull = contender_memory ((2 * n + 64) * sizeof *h->hull);
  h->scratch = contender_memory ((room (n) + 64 * 64) * sizeof *h->scratch);
  return h;
}

static double
check (gpointer data)
{
  Hull *h = data;
  double area = 0;

  for (gsize i = 0; i < h->n_hull; i++)
    {
      Point a = h->hull[i], b = h->hull[(i + 1) % h->n_hull];

      area += (double) b.x * a.y - (double) a.x * b.y;
    }
  return area / 2;
}

static void
hull_free (gpointer data)
{
  Hull *h = data;

  free (h->points);
  free (h->hull);
  free (h->scratch);
  g_free (h);
}

/* --- of many clouds, each by one thread */

typedef struct {
  gsize   n;
  gint64 *offsets, *counts;
  Point  *points;
} Clouds;

static gpointer
prepare_clouds (gsize n)
{
  Clouds *self = g_new (Clouds, 1);

  self->n = n;
  self->offsets = input_clouds (n);
  self->counts = contender_memory (n * sizeof (gint64));
  self->points = (Point *) input_disc (self->offsets[n]);
  return self;
}

static void
run_clouds (gpointer data)
{
  Clouds *self = data;

#pragma omp parallel for schedule(dynamic, 64)
  for (gsize c = 0; c < self->n; c++)
    {
      Point hull[512], scratch[1024];

      self->counts[c] = quickhull (self->points + self->offsets[c], self->offsets[c + 1] - self->offsets[c], hull, scratch);
    }
}

static double
check_clouds (gpointer data)
{
  Clouds *self = data;

  return contender_digest_i8 (self->counts, self->n);
}

static void
free_clouds (gpointer data)
{
  Clouds *self = data;

  free (self->offsets);
  free (self->counts);
  free (self->points);
  g_free (self);
}

const Work c_hull[] = {
  { "nested-hulls", prepare_clouds, run_clouds, check_clouds, free_clouds },
  { "quickhull", prepare, run, check, hull_free },
  { NULL },
};
