/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix-move.h"

static AccElementKind
get_leaf_kind (gpointer radix,
               guint    leaf)
{
  return acc_radix_get_kind (radix, leaf);
}

static gboolean
wants_leaf (gpointer radix,
            guint    pass,
            guint    leaf)
{
  return acc_radix_wants (radix, pass, leaf);
}

static void
write_leaf (gpointer  radix,
            AccLower *l,
            guint     pass,
            guint     leaf,
            KValue    at,
            KValue    value)
{
  acc_radix_write (radix, l, pass, leaf, at, value);
}

void
acc_radix_move_init (AccRadixMove *self,
                     AccRadix     *radix)
{
  *self = (AccRadixMove) {
    .radix = radix,
    .spread = {
      .step = radix->step, .count = radix->count, .size = radix->node->size, .n_leaves = radix->n_leaves,
      .data = radix, .get_kind = get_leaf_kind, .wants = wants_leaf, .write = write_leaf,
    },
  };
}

/* Of an element that is counted. */
typedef struct {
  AccRadixMove *move;
  guint         pass;
  KValue        u, region;
} Counted;

/* The digits of an element, of the pass and those that are counted with it. */
static void
count_one (gpointer  data,
           AccLower *l,
           KValue    x,
           guint     way)
{
  Counted *self = data;
  AccRadix *radix = self->move->radix;
  AccRadixSpread *spread = &self->move->spread;
  KValue key = acc_radix_get_key (radix, l, self->pass, self->u, low_within (l, x, 0, radix->space->inner - 1));

  for (guint i = 0; i < spread->n_counted; i++)
    acc_radix_spread_count (spread, l, self->region, self->pass + i, acc_radix_get_digit (radix, l, self->pass + i, key), way);
}

void
acc_radix_move_count (AccRadixMove *self,
                      AccLower     *l,
                      guint         pass,
                      KValue        u,
                      KValue        begin,
                      KValue        end,
                      KValue        region)
{
  Counted counted = { self, pass, u, region };

  acc_radix_spread_begin_count (&self->spread, l, region);
  acc_radix_spread_visit (&self->spread, l, begin, end, count_one, &counted);
  acc_radix_spread_end_count (&self->spread, l, region, pass);
}

static KValue
get_own_region (gpointer  data,
                AccLower *l,
                KValue    number)
{
  return number;
}

void
acc_radix_move_find_places (AccRadixMove *self,
                            AccLower     *l,
                            KValue        begin,
                            KValue        end,
                            guint         sums,
                            KValue        first)
{
  acc_radix_spread_find_places_of_all (&self->spread, l, begin, end, get_own_region, NULL, sums, first);
}

void
acc_radix_move_run (AccRadixMove *self,
                    AccLower     *l,
                    guint         pass,
                    KValue        u,
                    KValue        begin,
                    KValue        end,
                    KValue        region)
{
  AccRadix *radix = self->radix;

  acc_radix_spread_begin_move (&self->spread, l, region, pass);
  low_for (l, x, begin, end)
    {
      KValue key = acc_radix_get_key (radix, l, pass, u, low_within (l, x, 0, radix->space->inner - 1));
      KValue digit = acc_radix_get_digit (radix, l, pass, key);
      KValue at = acc_radix_spread_take_place (&self->spread, l, region, pass, digit);

      for (guint i = 0; i < radix->n_leaves; i++)
        if (acc_radix_wants (radix, pass, i))
          acc_radix_spread_put (&self->spread, l, region, pass, digit, i, at, acc_radix_read (radix, l, pass, u, x, i));
    }
  acc_radix_spread_end_move (&self->spread, l, region, pass);
}

void
acc_radix_move_sort (AccRadixMove *self,
                     AccLower     *l,
                     KValue        u,
                     KValue        begin,
                     KValue        end,
                     KValue        region)
{
  acc_radix_move_count (self, l, 0, u, begin, end, region);
  acc_radix_spread_find_places (&self->spread, l, region, acc_radix_get_linear (self->radix, l, u, begin));
  for (guint pass = 0; pass < self->radix->n_passes; pass++)
    acc_radix_move_run (self, l, pass, u, begin, end, region);
}
