/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-skeletons.h"

#include "acc-core/base/acc-ceil-div-private.h"

#define LEAST_FULL 16      /* tiles are at least this part of the size wanted, where rows can be cut evenly */
#define FEW_ROWS   4       /* so few come at once rather than that they are cut badly */

static gint64
floor_power (gint64 n)
{
  return n > 1 ? (gint64) 1 << (g_bit_storage ((gulong) n) - 1) : 1;
}

/* The largest divisor of @n up to @most. */
static gint64
find_divisor (gint64 n,
              gint64 most)
{
  for (gint64 d = MIN (n, most); d > 1; d--)
    if (n % d == 0)
      return d;

  return 1;
}

/* Outer units of a tile, of @inner elements each, where a row has @units of them. */
static gint64
choose_outer (AccFold        *self,
              const AccSpace *space,
              gint64          units,
              gint64          inner,
              gint64          size,
              gint64         *quantum)
{
  gint64 wanted = MAX (size / inner, 1), divisor;

  *quantum = 1;
  if (units <= wanted)
    {
      *quantum = floor_power (wanted / units);
      return *quantum * units;
    }

  if (!self->rounds)
    return wanted;

  divisor = find_divisor (units, wanted);
  if (divisor >= wanted / LEAST_FULL)
    return divisor;
  if (space->n_rows > FEW_ROWS)
    return units;

  *quantum = space->n_rows;

  return wanted;
}

void
acc_fold_cut (AccFold      *self,
              AccSpace     *space,
              gint64        size,
              AccFoldTiles *tiles)
{
  gint64 quantum = 1;

  *tiles = (AccFoldTiles) { 1, MAX (space->inner, 1), FALSE, 1, 0 };
  if (space->outer == 0 || space->inner == 0)
    return;

  if (space->first_inner == 0 && space->rank > 1 && space->units_per_row > size)
    {
      space->first_inner = 1;
      space->merged[0] = FALSE;
      space->outer = space->n_rows;
      space->inner = space->units_per_row;
      space->units_per_row = 1;
    }

  if (space->first_inner == 0)
    {
      tiles->tile_inner = choose_outer (self, space, space->units_per_row, 1, size, &quantum);
      tiles->is_inner = TRUE;
      tiles->n_inner = tiles->n_parts = acc_ceil_div (space->inner, tiles->tile_inner);
    }
  else if (space->inner > size)
    {
      tiles->is_inner = TRUE;
      tiles->tile_inner = size;
      tiles->n_inner = acc_ceil_div (space->inner, size);
      tiles->n_parts = space->outer * tiles->n_inner;
    }
  else
    {
      tiles->tile_outer = choose_outer (self, space, space->units_per_row, space->inner, size, &quantum);
      tiles->n_parts = acc_ceil_div (space->outer, tiles->tile_outer);
    }

  if (self->rounds && quantum > 1)
    self->step->quantum = MIN (quantum, space->n_rows);
}

KValue
acc_fold_get_part (AccLower           *l,
                   const AccFoldTiles *tiles,
                   KValue             *goes_on)
{
  AccKernelBuilder *b = l->b;
  KValue begin = tiles->is_inner ? kb_inner_begin (b) : kb_outer_begin (b);
  gint64 tile = tiles->is_inner ? tiles->tile_inner : tiles->tile_outer;
  KValue part = low_udiv (l, begin, tile);

  *goes_on = kb_lt (b, kb_mul (b, part, low_number (l, tile)), begin);
  if (tiles->is_inner && tiles->n_inner < tiles->n_parts)
    part = kb_add (b, part, kb_mul (b, kb_outer_begin (b), low_number (l, tiles->n_inner)));

  return part;
}
