/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sort-lanes.h"

/* A network keeps no order, so that it sorts pairs of a key and its place in the segment, where an element is more than its key. */

void
acc_sort_lanes_init (AccSortLanes *self,
                     AccRadix     *radix,
                     gint64        most,
                     gint64        n_tiles)
{
  AccFunction *function = radix->node->array->functions[0];

  *self = (AccSortLanes) { .radix = radix, .most = most, .stride = most * ACC_SORT_LANES + ACC_SKELETON_FALSE_SHARING };
  self->is_key = radix->n_leaves == 1 && function->body == function->params[0];
  self->keys = acc_step_add_tile_scratch (radix->step, radix->key, self->stride, n_tiles);
  if (!self->is_key)
    self->places = acc_step_add_tile_scratch (radix->step, ACC_KIND_U32, self->stride, n_tiles);
}

static KValue
get_slot (AccSortLanes *self,
          AccLower     *l,
          KValue        x,
          KValue        lane)
{
  AccKernelBuilder *b = l->b;
  KValue own = kb_mul (b, kb_tile (b), low_const (l, self->stride));

  return kb_add (b, kb_add (b, own, kb_mul (b, low_within (l, x, 0, self->most - 1), low_const (l, ACC_SORT_LANES))), lane);
}

static KBuffer
get_keys (AccSortLanes *self,
          AccLower     *l)
{
  return low_scratch (l, self->keys, self->radix->key);
}

static KBuffer
get_places (AccSortLanes *self,
            AccLower     *l)
{
  return low_scratch (l, self->places, ACC_KIND_U32);
}

static KValue
get_element (AccSortLanes *self,
             AccLower     *l,
             KValue        x)
{
  return low_within (l, x, 0, self->radix->space->inner - 1);
}

/* Behind the last element of a segment are keys that no other comes behind. */
void
acc_sort_lanes_fill (AccSortLanes *self,
                     AccLower     *l,
                     KValue        most)
{
  low_for (l, x, low_const (l, 0), most)
    {
      kb_set_lanes (l->b, ACC_SORT_LANES);
      low_foreach (l, lane, low_const (l, 0), low_const (l, ACC_SORT_LANES))
        {
          KValue slot = get_slot (self, l, x, lane);

          kb_store (l->b, get_keys (self, l), slot, kb_int (l->b, self->radix->key, -1));
          if (!self->is_key)
            kb_store (l->b, get_places (self, l), slot, kb_cast (l->b, ACC_KIND_U32, x));
        }
      kb_set_lanes (l->b, 0);
    }
}

void
acc_sort_lanes_read (AccSortLanes *self,
                     AccLower     *l,
                     KValue        lane,
                     KValue        u,
                     KValue        first,
                     KValue        length)
{
  low_for (l, i, low_const (l, 0), length)
    {
      KValue x = get_element (self, l, kb_add (l->b, first, i));

      kb_store (l->b, get_keys (self, l), get_slot (self, l, i, lane), acc_radix_get_key (self->radix, l, 0, u, x));
    }
}

void
acc_sort_lanes_write (AccSortLanes *self,
                      AccLower     *l,
                      KValue        lane,
                      KValue        u,
                      KValue        first,
                      KValue        length)
{
  AccKernelBuilder *b = l->b;
  AccRadix *radix = self->radix;
  guint last = radix->n_passes - 1;

  low_for (l, i, low_const (l, 0), length)
    {
      KValue at = acc_radix_get_linear (radix, l, u, get_element (self, l, kb_add (b, first, i))), slot = get_slot (self, l, i, lane);

      if (self->is_key)
        {
          acc_radix_write (radix, l, last, 0, at, kb_load (b, get_keys (self, l), slot));
        }
      else
        {
          KValue place = kb_cast (b, ACC_KIND_I64, kb_load (b, get_places (self, l), slot));
          KValue from = get_element (self, l, kb_add (b, first, place));

          for (guint leaf = 0; leaf < radix->n_leaves; leaf++)
            if (acc_radix_wants (radix, last, leaf))
              acc_radix_write (radix, l, last, leaf, at, acc_radix_read (radix, l, 0, u, from, leaf));
        }
    }
}

static void
exchange (AccSortLanes *self,
          AccLower     *l,
          KValue        lane,
          KValue        x,
          KValue        y)
{
  AccKernelBuilder *b = l->b;
  KBuffer keys = get_keys (self, l), places;
  KValue at_x = get_slot (self, l, x, lane), at_y = get_slot (self, l, y, lane);
  KValue key_x = kb_load (b, keys, at_x), key_y = kb_load (b, keys, at_y), place_x, place_y, swaps;

  kb_store (b, keys, at_x, kb_min (b, key_x, key_y));
  kb_store (b, keys, at_y, kb_max (b, key_x, key_y));
  if (self->is_key)
    return;

  places = get_places (self, l);
  place_x = kb_load (b, places, at_x);
  place_y = kb_load (b, places, at_y);
  swaps = kb_or (b, kb_lt (b, key_y, key_x), kb_and (b, kb_eq (b, key_x, key_y), kb_lt (b, place_y, place_x)));
  kb_store (b, places, at_x, kb_select (b, swaps, place_y, place_x));
  kb_store (b, places, at_y, kb_select (b, swaps, place_x, place_y));
}

/* Batcher's merge exchange ("Sorting networks and their applications", 1968), which sorts any number of elements: rounds of @p = 2^@round
 * merge what is sorted in blocks of p, by steps that compare elements @k apart. */
static void
write_step (AccSortLanes *self,
            AccLower     *l,
            KValue        lane,
            KValue        most,
            KValue        step,
            KValue        shift)
{
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), one = low_const (l, 1);
  KValue is_first = kb_eq (b, step, zero), k = kb_prim2 (b, ACC_PRIM_SHL, one, shift), double_shift = kb_add (b, shift, one);
  KValue begin = kb_select (b, is_first, zero, k), turns = kb_sub (b, kb_prim2 (b, ACC_PRIM_SHL, one, step), one);
  KValue left = kb_sub (b, kb_sub (b, kb_add (b, most, k), begin), one);
  KValue n_runs = kb_prim2 (b, ACC_PRIM_SHR, kb_max (b, left, zero), double_shift);

  low_for (l, run, zero, n_runs)
    {
      KValue at = kb_add (b, begin, kb_prim2 (b, ACC_PRIM_SHL, run, double_shift));
      KValue end = kb_min (b, kb_add (b, at, k), kb_sub (b, most, k));

      low_if (l, kb_or (b, is_first, kb_lt (b, zero, kb_and (b, kb_add (b, run, one), turns))))
        {
          low_for (l, x, at, end)
            {
              exchange (self, l, lane, x, kb_add (b, x, k));
            }
        }
    }
}

void
acc_sort_lanes_run (AccSortLanes *self,
                    AccLower     *l,
                    KValue        most,
                    KValue        n_rounds)
{
  AccKernelBuilder *b = l->b;

  kb_set_lanes (b, ACC_SORT_LANES);
  low_foreach (l, lane, low_const (l, 0), low_const (l, ACC_SORT_LANES))
    {
      low_for (l, round, low_const (l, 0), n_rounds)
        {
          low_for (l, step, low_const (l, 0), kb_add (b, round, low_const (l, 1)))
            {
              write_step (self, l, lane, most, step, kb_sub (b, round, step));
            }
        }
    }
  kb_set_lanes (b, 0);
}
