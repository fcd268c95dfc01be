/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-partition.h"

#include "acc-core/base/acc-ceil-div-private.h"

/* A tile should take long compared with claiming it and short compared with the launch. Times in nanoseconds. */
#define TILE_LONGEST     75e3
#define TILE_SHORTEST    15e3
#define TILES_WANTED     32      /* at least, or for each thread: */
#define TILES_PER_THREAD 4
#define INNER_MULTIPLE   1024

enum { OUTER, INNER };

static gint64
count_wanted (guint n_threads)
{
  return MAX (TILES_WANTED, TILES_PER_THREAD * (gint64) n_threads);
}

static void
choose_tile (AccPartition    *self,
             const AccLaunch *launch,
             guint            n_threads)
{
  double cost = launch->cost > 0 ? launch->cost : 1;
  double outer = MAX (self->end[OUTER] - self->begin[OUTER], 0);
  double inner = MAX (self->end[INNER] - self->begin[INNER], 0);
  double target = CLAMP (outer * inner * cost / count_wanted (n_threads), TILE_SHORTEST, TILE_LONGEST);

  self->tile[OUTER] = launch->tile_outer;
  self->tile[INNER] = launch->tile_inner;

  if (self->tile[INNER] <= 0)
    {
      double rows = self->tile[OUTER] > 0 ? self->tile[OUTER] : 1;
      double wanted = target / (cost * rows);

      if (wanted * 1.5 >= inner)
        self->tile[INNER] = MAX (launch->inner, 1);
      else
        {
          /* Even parts, of whole vectors and cache lines. */
          gint64 multiple = INNER_MULTIPLE * MAX (launch->multiple, 1);
          double parts = inner / MAX (wanted, multiple);
          gint64 even = (gint64) (inner / MAX ((gint64) (parts + 0.5), 1)) + 1;

          self->tile[INNER] = acc_ceil_div (even, multiple) * multiple;
        }
    }

  if (self->tile[OUTER] <= 0)
    {
      double row = MAX (MIN ((double) self->tile[INNER], inner), 1) * cost;

      self->tile[OUTER] = (gint64) CLAMP (target / row, 1, (double) MAX (launch->outer, 1));
    }
}

/* The part [begin, end) of each dimension is within the launch's space. */
static void
partition_init (AccPartition    *self,
                const AccLaunch *launch,
                const gint64     begin[2],
                const gint64     end[2],
                guint            n_threads)
{
  for (guint d = 0; d < 2; d++)
    {
      self->begin[d] = begin[d];
      self->end[d] = MAX (begin[d], end[d]);
    }

  if (launch->serial)
    {
      self->tile[OUTER] = MAX (launch->outer, 1);
      self->tile[INNER] = MAX (launch->inner, 1);
      self->first[OUTER] = self->first[INNER] = 0;
      self->count[OUTER] = self->count[INNER] = 1;
      self->stride = 1;
      self->n_tiles = self->claim = 1;
      return;
    }

  choose_tile (self, launch, n_threads);

  for (guint d = 0; d < 2; d++)
    {
      self->first[d] = self->begin[d] / self->tile[d];
      self->count[d] = self->end[d] > self->begin[d] ? acc_ceil_div (self->end[d], self->tile[d]) - self->first[d] : 0;
    }

  /* A row without elements may still have a result: the seed of a fold. */
  if (launch->inner == 0)
    {
      self->first[INNER] = 0;
      self->count[INNER] = 1;
    }
  self->stride = MAX (acc_ceil_div (launch->inner, self->tile[INNER]), 1);
  self->n_tiles = self->count[OUTER] * self->count[INNER];

  self->claim = acc_partition_choose_claim (self->n_tiles, acc_partition_estimate (self, launch), n_threads);
}

double
acc_partition_estimate (const AccPartition *self,
                        const AccLaunch    *launch)
{
  double cost = launch->cost > 0 ? launch->cost : 1;

  return (double) (self->end[OUTER] - self->begin[OUTER]) * (double) MAX (self->end[INNER] - self->begin[INNER], 1) * cost;
}

gint64
acc_partition_choose_claim (gint64 n,
                            double nanoseconds,
                            guint  n_threads)
{
  if (nanoseconds < 2 * TILE_SHORTEST)
    return MAX (n, 1);

  return (gint64) CLAMP (TILE_SHORTEST / (nanoseconds / MAX (n, 1)), 1, MAX (n / count_wanted (n_threads), 1));
}

void
acc_partition_init_whole (AccPartition    *self,
                          const AccLaunch *launch,
                          guint            n_threads)
{
  partition_init (self, launch, (const gint64[]) { 0, 0 }, (const gint64[]) { launch->outer, launch->inner }, n_threads);
}

void
acc_partition_get_rows (const AccLaunch *launch,
                        gint64           begin,
                        gint64           end,
                        gint64           range[5])
{
  guint d = launch->rows == ACC_SPACE_INNER_ROWS ? INNER : OUTER;
  gint64 all = d == INNER ? launch->inner : launch->outer;

  g_assert (launch->rows != ACC_SPACE_WHOLE && launch->rows != ACC_SPACE_FIRST);

  range[2 * OUTER] = range[2 * INNER] = range[4] = 0;
  range[2 * OUTER + 1] = launch->outer;
  range[2 * INNER + 1] = launch->inner;
  range[2 * d] = MIN (begin * launch->units_per_row, all);
  range[2 * d + 1] = MIN (end * launch->units_per_row, all);
}

void
acc_partition_init_rows (AccPartition    *self,
                         const AccLaunch *launch,
                         gint64           begin,
                         gint64           end,
                         guint            n_threads)
{
  gint64 range[5];

  acc_partition_get_rows (launch, begin, end, range);
  partition_init (self, launch, (const gint64[]) { range[0], range[2] }, (const gint64[]) { range[1], range[3] }, n_threads);
}

void
acc_partition_get (const AccPartition *self,
                   gint64              n,
                   gint64              range[5])
{
  gint64 tile[2] = { self->first[OUTER] + n / self->count[INNER], self->first[INNER] + n % self->count[INNER] };

  for (guint d = 0; d < 2; d++)
    {
      range[2 * d] = MAX (tile[d] * self->tile[d], self->begin[d]);
      range[2 * d + 1] = MIN ((tile[d] + 1) * self->tile[d], self->end[d]);
    }
  range[4] = tile[OUTER] * self->stride + tile[INNER];
}
