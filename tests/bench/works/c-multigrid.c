/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NAS MG, the iterations of class A, to the benchmark's report (Bailey et al., RNR-94-007). Grids have a rim of one point that
 * repeats the other side; sums of a row's neighbours are made once for all three points that need them. */

#include "c-works.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_ITERATIONS = 4, MAX_LEVELS = 10, MAX_ROW = (1 << MAX_LEVELS) + 2 };

static const double laplacian[4] = { -8. / 3, 0, 1. / 6, 1. / 12 };
static const double smoother[4] = { -3. / 8, 1. / 32, -1. / 64, 0 };

typedef struct {
  long    side;
  double *points;           /* [side + 2,side + 2,side + 2] */
} Grid;

typedef struct {
  int     n_levels;         /* the last is the finest */
  Grid    u[MAX_LEVELS], r[MAX_LEVELS], v;
  double  norm;
} Multigrid;

static Grid
grid_new (long side)
{
  return (Grid) { side, contender_memory ((side + 2) * (side + 2) * (side + 2) * sizeof (double)) };
}

static inline double *
row (const Grid *g, long z, long y)
{
  return g->points + (z * (g->side + 2) + y) * (g->side + 2);
}

static inline void
wrap_row (double *row, long side)
{
  row[0] = row[side];
  row[side + 1] = row[1];
}

/* Rows 0 and side + 1 of a plane, whose other rows are wrapped already */
static void
wrap_plane (const Grid *g, long z)
{
  gsize size = (g->side + 2) * sizeof (double);

  memcpy (row (g, z, 0), row (g, z, g->side), size);
  memcpy (row (g, z, g->side + 1), row (g, z, 1), size);
}

static void
wrap (const Grid *g)
{
  gsize size = (g->side + 2) * (g->side + 2) * sizeof (double);

  memcpy (row (g, 0, 0), row (g, g->side, 0), size);
  memcpy (row (g, g->side + 1, 0), row (g, 1, 0), size);
}

/* Sums over the four neighbours of a row that share a face with it, and over the four that share an edge */
static inline void
sum_rows (const Grid *g, long z, long y, double *restrict faces, double *restrict edges)
{
  const double *up = row (g, z - 1, y), *down = row (g, z + 1, y), *before = row (g, z, y - 1), *after = row (g, z, y + 1);
  const double *a = row (g, z - 1, y - 1), *b = row (g, z - 1, y + 1), *c = row (g, z + 1, y - 1), *d = row (g, z + 1, y + 1);

  for (long x = 0; x < g->side + 2; x++)
    {
      faces[x] = up[x] + down[x] + before[x] + after[x];
      edges[x] = a[x] + b[x] + c[x] + d[x];
    }
}

/* r = v - A u; @v may be @r. Gives the sum of the squares of @r. */
static double
residual (const Grid *u, const Grid *v, const Grid *r)
{
  double squares = 0;

#pragma omp parallel reduction(+ : squares)
  {
    double faces[MAX_ROW], edges[MAX_ROW];

#pragma omp for schedule(static)
    for (long z = 1; z <= u->side; z++)
      {
        for (long y = 1; y <= u->side; y++)
          {
            const double *centre = row (u, z, y), *from = row (v, z, y);
            double *to = row (r, z, y);

            sum_rows (u, z, y, faces, edges);
#pragma omp simd reduction(+ : squares)
            for (long x = 1; x <= u->side; x++)
              {
                double rest = from[x] - laplacian[0] * centre[x] - laplacian[2] * (edges[x] + faces[x - 1] + faces[x + 1])
                              - laplacian[3] * (edges[x - 1] + edges[x + 1]);

                to[x] = rest;
                squares += rest * rest;
              }
            wrap_row (to, u->side);
          }
        wrap_plane (r, z);
      }
  }

  wrap (r);
  return squares;
}

/* u += S r; from nothing if @fresh */
static void
smooth (const Grid *u, const Grid *r, gboolean fresh)
{
#pragma omp parallel
  {
    double faces[MAX_ROW], edges[MAX_ROW];

#pragma omp for schedule(static)
    for (long z = 1; z <= u->side; z++)
      {
        for (long y = 1; y <= u->side; y++)
          {
            const double *centre = row (r, z, y);
            double *to = row (u, z, y);

            sum_rows (r, z, y, faces, edges);
            if (fresh)
              memset (to, 0, (u->side + 2) * sizeof *to);
#pragma omp simd
            for (long x = 1; x <= u->side; x++)
              to[x] += smoother[0] * centre[x] + smoother[1] * (centre[x - 1] + centre[x + 1] + faces[x])
                       + smoother[2] * (edges[x] + faces[x - 1] + faces[x + 1]);
            wrap_row (to, u->side);
          }
        wrap_plane (u, z);
      }
  }

  wrap (u);
}

/* Point i of the coarse grid lies on point 2 i + 1 of the fine one; both count from 0 behind the rim. */
static void
restrict_to (const Grid *coarse, const Grid *fine)
{
#pragma omp parallel
  {
    double faces[MAX_ROW], edges[MAX_ROW];

#pragma omp for schedule(static)
    for (long z = 1; z <= coarse->side; z++)
      {
        for (long y = 1; y <= coarse->side; y++)
          {
            const double *centre = row (fine, 2 * z, 2 * y);
            double *to = row (coarse, z, y);

            sum_rows (fine, 2 * z, 2 * y, faces, edges);
            for (long x = 1; x <= coarse->side; x++)
              {
                long at = 2 * x;

                to[x] = 0.5 * centre[at] + 0.25 * (centre[at - 1] + centre[at + 1] + faces[at])
                        + 0.125 * (edges[at] + faces[at - 1] + faces[at + 1]) + 0.0625 * (edges[at - 1] + edges[at + 1]);
              }
            wrap_row (to, coarse->side);
          }
        wrap_plane (coarse, z);
      }
  }

  wrap (coarse);
}

/* Adds to a point the mean of the eight coarse points around it, some of which may be the same; from nothing if @fresh. */
static void
prolong (const Grid *fine, const Grid *coarse, gboolean fresh)
{
#pragma omp parallel
  {
    double sums[MAX_ROW];

#pragma omp for schedule(static)
    for (long z = 1; z <= fine->side; z++)
      {
        for (long y = 1; y <= fine->side; y++)
          {
            const double *a = row (coarse, z / 2, y / 2), *b = row (coarse, z / 2, (y + 1) / 2),
                         *c = row (coarse, (z + 1) / 2, y / 2), *d = row (coarse, (z + 1) / 2, (y + 1) / 2);
            double *to = row (fine, z, y);

            for (long x = 0; x < coarse->side + 2; x++)
              sums[x] = 0.125 * (a[x] + b[x] + c[x] + d[x]);
            if (fresh)
              memset (to, 0, (fine->side + 2) * sizeof *to);
            for (long x = 0; x < coarse->side; x++)
              {
                to[2 * x + 1] += sums[x] + sums[x + 1];
                to[2 * x + 2] += 2 * sums[x + 1];
              }
            wrap_row (to, fine->side);
          }
        wrap_plane (fine, z);
      }
  }

  wrap (fine);
}

static void
cycle (Multigrid *m)
{
  int finest = m->n_levels - 1;

  for (int level = finest; level > 0; level--)
    restrict_to (&m->r[level - 1], &m->r[level]);
  smooth (&m->u[0], &m->r[0], TRUE);
  for (int level = 1; level < finest; level++)
    {
      prolong (&m->u[level], &m->u[level - 1], TRUE);
      residual (&m->u[level], &m->r[level], &m->r[level]);
      smooth (&m->u[level], &m->r[level], FALSE);
    }
  prolong (&m->u[finest], &m->u[finest - 1], FALSE);
  residual (&m->u[finest], &m->v, &m->r[finest]);
  smooth (&m->u[finest], &m->r[finest], FALSE);
}

static void
run (gpointer data)
{
  Multigrid *m = data;
  Grid *u = &m->u[m->n_levels - 1], *r = &m->r[m->n_levels - 1];
  gsize n = (u->side + 2) * (u->side + 2) * (u->side + 2);

#pragma omp parallel for simd schedule(static)
  for (gsize i = 0; i < n; i++)
    {
      u->points[i] = 0;
      r->points[i] = m->v.points[i];
    }
  for (int i = 0; i < N_ITERATIONS; i++)
    {
      cycle (m);
      m->norm = sqrt (residual (u, &m->v, r) / pow (u->side, 3));
    }
}

/* --- works */

static void
charge (const Grid *v)
{
  enum { N = 10 };
  guint64 number = 314159265, largest[N] = { 0 }, smallest[N];
  double *at_largest[N] = { NULL }, *at_smallest[N] = { NULL };

  memset (smallest, 0xFF, sizeof smallest);
  for (long z = 1; z <= v->side; z++)
    for (long y = 1; y <= v->side; y++)
      for (long x = 1; x <= v->side; x++)
        {
          double *at = row (v, z, y) + x;
          int i;

          number = number * 1220703125 & ((G_GUINT64_CONSTANT (1) << 46) - 1);
          /* The last is the least of the largest. */
          for (i = N - 1; i >= 0 && number > largest[i]; i--)
            if (i + 1 < N)
              largest[i + 1] = largest[i], at_largest[i + 1] = at_largest[i];
          if (i + 1 < N)
            largest[i + 1] = number, at_largest[i + 1] = at;
          for (i = N - 1; i >= 0 && number < smallest[i]; i--)
            if (i + 1 < N)
              smallest[i + 1] = smallest[i], at_smallest[i + 1] = at_smallest[i];
          if (i + 1 < N)
            smallest[i + 1] = number, at_smallest[i + 1] = at;
        }

  for (int i = 0; i < N; i++)
    {
      *at_largest[i] = 1;
      *at_smallest[i] = -1;
    }
  for (long z = 1; z <= v->side; z++)
    {
      for (long y = 1; y <= v->side; y++)
        wrap_row (row (v, z, y), v->side);
      wrap_plane (v, z);
    }
  wrap (v);
}

static gpointer
prepare (gsize side)
{
  Multigrid *m = g_new0 (Multigrid, 1);

  if (side < 4 || side + 2 > MAX_ROW || (side & (side - 1)) != 0)
    return NULL;
  for (gsize s = 2; s <= side; s *= 2)
    {
      m->u[m->n_levels] = grid_new (s);
      m->r[m->n_levels++] = grid_new (s);
    }
  m->v = grid_new (side);
  charge (&m->v);
  return m;
}

static double
check (gpointer data)
{
  return ((Multigrid *) data)->norm;
}

static void
multigrid_free (gpointer data)
{
  Multigrid *m = data;

  for (int level = 0; level < m->n_levels; level++)
    {
      free (m->u[level].points);
      free (m->r[level].points);
    }
  free (m->v.points);
  g_free (m);
}

const Work c_multigrid[] = {
  { "nas-mg", prepare, run, check, multigrid_free },
  { NULL },
};
