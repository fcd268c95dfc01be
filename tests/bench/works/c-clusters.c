/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A step of k-means in the plane, as in demos/k-means but in float: points to the nearest centre, centres to the middle of
 * their points. The square of a point is the same for all centres and left out: |c|² / 2 - p · c is compared. */

#include "c-works.h"
#include "inputs.h"
#include "lanes.h"

#include <stdlib.h>

enum { AT_ONCE = 3, BLOCK = AT_ONCE * STREAM_LANES };

typedef struct {
  gsize   n;
  float  *x, *y;
  float   centre[2][N_CLUSTERS], half_square[N_CLUSTERS], moved[2][N_CLUSTERS];
  gint32 *labels;
} Clusters;

typedef struct {
  double x, y, count;
} Sum;

static void
assign (const Clusters *c, gsize first, gint32 *labels)
{
  StreamF4 x[AT_ONCE], y[AT_ONCE], best[AT_ONCE];
  StreamI4 label[AT_ONCE], number = { 0 };

  for (int k = 0; k < AT_ONCE; k++)
    {
      x[k] = stream_load (c->x + first + k * STREAM_LANES);
      y[k] = stream_load (c->y + first + k * STREAM_LANES);
      best[k] = (StreamF4) { 0 } + G_MAXFLOAT;
      label[k] = (StreamI4) { 0 };
    }

  for (int i = 0; i < N_CLUSTERS; i++)
    {
      float cx = c->centre[0][i], cy = c->centre[1][i], half = c->half_square[i];

#pragma GCC unroll 4
      for (int k = 0; k < AT_ONCE; k++)
        {
          StreamF4 distance = half - x[k] * cx - y[k] * cy;
          StreamI4 closer = distance < best[k];

          best[k] = lanes_min (distance, best[k]);
          label[k] = lanes_choose_i4 (closer, number, label[k]);
        }
      number += 1;
    }

  memcpy (labels, label, sizeof label);
}

/* Neighbours go to different sums, so that no addition waits for the last one. */
static void
gather (const Clusters *c, gsize first, gsize n, Sum sums[2][N_CLUSTERS])
{
  for (gsize i = 0; i < n; i++)
    {
      Sum *sum = &sums[i % 2][c->labels[first + i]];

      sum->x += c->x[first + i];
      sum->y += c->y[first + i];
      sum->count++;
    }
}

static void
run (gpointer data)
{
  Clusters *c = data;
  Sum all[N_CLUSTERS] = { 0 };

  for (int i = 0; i < N_CLUSTERS; i++)
    c->half_square[i] = (c->centre[0][i] * c->centre[0][i] + c->centre[1][i] * c->centre[1][i]) / 2;

#pragma omp parallel
  {
    Sum sums[2][N_CLUSTERS] = { 0 };

#pragma omp for schedule(static)
    for (gsize first = 0; first < c->n; first += BLOCK)
      {
        gint32 labels[BLOCK];
        gsize n = MIN (BLOCK, c->n - first);

        assign (c, first, labels);
        memcpy (c->labels + first, labels, n * sizeof *labels);
        gather (c, first, n, sums);
      }

#pragma omp critical
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < N_CLUSTERS; i++)
        {
          all[i].x += sums[k][i].x;
          all[i].y += sums[k][i].y;
          all[i].count += sums[k][i].count;
        }
  }

  for (int i = 0; i < N_CLUSTERS; i++)
    {
      c->moved[0][i] = all[i].count > 0 ? all[i].x / all[i].count : c->centre[0][i];
      c->moved[1][i] = all[i].count > 0 ? all[i].y / all[i].count : c->centre[1][i];
    }
}

/* --- works */

static gpointer
prepare (gsize n)
{
  Clusters *c = g_new0 (Clusters, 1);
  gsize padded = (n + BLOCK - 1) / BLOCK * BLOCK;

  c->n = n;
  /* What lies behind the last point is assigned, too, and thrown away. */
  c->x = contender_floats (padded, 1, -10, 10);
  c->y = contender_floats (padded, 2, -10, 10);
  memcpy (c->centre[0], c->x, N_CLUSTERS * sizeof (float));
  memcpy (c->centre[1], c->y, N_CLUSTERS * sizeof (float));
  c->labels = contender_memory (n * sizeof *c->labels);
  return c;
}

static double
check (gpointer data)
{
  Clusters *c = data;

  double sum = 0;

  for (int i = 0; i < N_CLUSTERS; i++)
    sum += ABS (c->moved[0][i]) + ABS (c->moved[1][i]);
  return sum + contender_digest_u4 ((guint32 *) c->labels, c->n);
}

static void
clusters_free (gpointer data)
{
  Clusters *c = data;

  free (c->x);
  free (c->y);
  free (c->labels);
  g_free (c);
}

const Work c_clusters[] = {
  { "k-means", prepare, run, check, clusters_free },
  { NULL },
};
