/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "accuracy-search.h"

#include <math.h>
#include <string.h>

#define CHUNK     8192
#define CELLS     (1 << 14)
#define REFINED   512         /* cells, at a time */
#define DRAWN     (1 << 19)   /* arguments of the first round, and of each other */
#define HEAD_BITS 12          /* of f8: sign and exponent */
#define STEP_BITS 2

/* What was worst of the arguments whose numbers begin with the same bits; an empty one has no error. */
typedef struct {
  Found *cells;
  Found *chunk;
  gsize  n;
} State;

static guint64
to_bits (double x)
{
  guint64 bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

static double
from_bits (guint64 bits)
{
  double x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

void
search_note (Worst *worst, const Found *found)
{
  guint i = SEARCH_KEPT - 1;

  if (!(found->error > worst->found[i].error))
    return;
  for (; i > 0 && found->error > worst->found[i - 1].error; i--)
    worst->found[i] = worst->found[i - 1];
  worst->found[i] = *found;
}

static guint
find_cell (const Search *self, const Found *found, guint n_bits)
{
  guint64 hash = 0;

  for (guint k = 0; k < self->n_numbers; k++)
    hash = (hash + (to_bits (found->at[k]) >> (64 - n_bits))) * 0x9e3779b97f4a7c15;

  return hash >> (64 - 14);
}

static void
flush (const Search *self, State *state, guint n_bits, Worst *worst)
{
  if (state->n == 0)
    return;

  self->measure (state->chunk, state->n, self->data);
  for (gsize i = 0; i < state->n; i++)
    {
      Found *found = &state->chunk[i], *cell = &state->cells[find_cell (self, found, n_bits)];

      search_note (worst, found);
      if (found->error > cell->error)
        *cell = *found;
    }
  state->n = 0;
}

static double
rounded (const Search *self, double x)
{
  return self->is_narrow ? (float) x : x;
}

static int
compare_errors (gconstpointer a, gconstpointer b)
{
  double x = ((const Found *) a)->error, y = ((const Found *) b)->error;

  return (x < y) - (x > y);
}

/* @x, or its neighbour by some units of the last place, or what begins with the same @n_bits bits */
static double
draw_near (const Search *self, GRand *random, double x, guint n_bits)
{
  guint64 unit = self->is_narrow ? (guint64) 1 << 29 : 1, mask = ~(guint64) 0 >> n_bits, bits;
  int how = g_rand_int_range (random, 0, 8);

  if (how == 0)
    return x;
  if (how == 1)
    bits = to_bits (x) + unit * (guint64) g_rand_int_range (random, -2, 3);
  else
    bits = (to_bits (x) & ~mask) | (((guint64) g_rand_int (random) << 32 | g_rand_int (random)) & mask & ~(unit - 1));

  return isfinite (from_bits (bits)) && isfinite (rounded (self, from_bits (bits))) ? rounded (self, from_bits (bits)) : x;
}

void
search_run (const Search *self, const double *first, gsize n_first, Worst *worst)
{
  g_autoptr(GRand) random = g_rand_new_with_seed (self->seed);
  g_autofree Found *cells = g_new0 (Found, CELLS), *chunk = g_new (Found, CHUNK), *seeds = g_new (Found, CELLS);
  State state = { cells, chunk, 0 };
  guint most_bits = self->is_narrow ? 34 : 62;

  for (gsize i = 0; i < n_first; i++)
    {
      chunk[state.n++] = (Found) { .at = { rounded (self, first[i]) } };
      if (state.n == CHUNK)
        flush (self, &state, HEAD_BITS, worst);
    }
  for (gsize i = 0; i < (gsize) DRAWN * 4 * self->effort; i++)
    {
      Found *found = &chunk[state.n++];

      *found = (Found) { 0 };
      for (guint k = 0; k < self->n_numbers; k++)
        found->at[k] = rounded (self, self->draw (random, self->data));
      if (state.n == CHUNK)
        flush (self, &state, HEAD_BITS, worst);
    }
  flush (self, &state, HEAD_BITS, worst);

  for (guint n_bits = HEAD_BITS; n_bits < most_bits; n_bits += STEP_BITS)
    {
      memcpy (seeds, cells, CELLS * sizeof (Found));
      qsort (seeds, CELLS, sizeof (Found), compare_errors);
      memset (cells, 0, CELLS * sizeof (Found));
      for (guint i = REFINED; i-- > 0;)
        cells[find_cell (self, &seeds[i], n_bits + STEP_BITS)] = seeds[i];

      for (gsize i = 0; i < (gsize) DRAWN * self->effort && seeds[0].error > 0; i++)
        {
          const Found *seed = &seeds[i % REFINED];
          Found *found;

          if (seed->error <= 0)
            continue;
          found = &chunk[state.n++];
          *found = (Found) { 0 };
          for (guint k = 0; k < self->n_numbers; k++)
            found->at[k] = draw_near (self, random, seed->at[k], n_bits);
          if (state.n == CHUNK)
            flush (self, &state, n_bits + STEP_BITS, worst);
        }
      flush (self, &state, n_bits + STEP_BITS, worst);
    }
}
