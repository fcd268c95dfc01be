/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix-tile.h"

void
acc_radix_tile_begin (AccRadixTile *self,
                      AccRadixSort *sort,
                      const char   *name)
{
  AccKernelBuilder *b;
  AccLower *l;

  *self = (AccRadixTile) { .sort = sort, .radix = sort->radix, .size = (gint64) sort->group * sort->each };
  self->l = l = acc_simt_begin_sized (&self->simt, sort->radix->step, name, sort->group, sort->group);
  b = l->b;
  acc_radix_order_init (&self->order, &self->simt, sort->each);
  self->u = low_within (l, kb_outer_begin (b), 0, sort->radix->space->outer - 1);
  self->begin = low_within (l, kb_inner_begin (b), 0, sort->radix->space->inner - 1);
  self->n_valid = low_within (l, kb_sub (b, kb_inner_end (b), kb_inner_begin (b)), 1, self->size);
}

KValue
acc_radix_tile_get_place (AccRadixTile *self,
                          guint         k)
{
  return acc_radix_order_get_place (&self->order, low_const (self->l, k));
}

KValue
acc_radix_tile_is_valid (AccRadixTile *self,
                         KValue        i)
{
  return kb_lt (self->l->b, i, self->n_valid);
}

KValue
acc_radix_tile_is_full (AccRadixTile *self)
{
  return kb_eq (self->l->b, self->n_valid, low_const (self->l, self->size));
}

/* One by one, and where there are any. */
static void
for_each_valid (AccRadixTile *self,
                AccRadixEach  each,
                gconstpointer data)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;

  low_for (l, k, low_const (l, 0), low_const (l, self->sort->each))
    {
      KValue i = acc_radix_order_get_place (&self->order, k);
      KValue x = kb_add (b, self->begin, kb_min (b, i, kb_sub (b, self->n_valid, low_const (l, 1))));

      each (self, i, low_within (l, x, 0, self->radix->space->inner - 1), acc_radix_tile_is_valid (self, i), data);
    }
}

void
acc_radix_tile_for_each (AccRadixTile *self,
                         AccRadixEach  each,
                         gconstpointer data)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;

  if (self->sort->is_small)
    {
      for_each_valid (self, each, data);
      return;
    }

  low_if (l, acc_radix_tile_is_full (self))
    {
      KValue valid = kb_int (b, ACC_KIND_BOOL, 1);

      for (guint k = 0; k < self->sort->each; k++)
        {
          KValue i = acc_radix_tile_get_place (self, k);

          each (self, i, low_within (l, kb_add (b, self->begin, i), 0, self->radix->space->inner - 1), valid, data);
        }
    }
  low_else (l)
    {
      for_each_valid (self, each, data);
    }
}

KValue
acc_radix_tile_get_digit (AccRadixTile *self,
                          guint         pass,
                          KValue        x,
                          KValue        valid)
{
  AccLower *l = self->l;
  KValue key = acc_radix_get_key (self->radix, l, pass, self->u, x);

  return kb_select (l->b, valid, acc_radix_get_digit (self->radix, l, pass, key), low_const (l, ACC_RADIX_N_DIGITS - 1));
}

static KValue
number (AccRadixTile *tile,
        gint64        n)
{
  return kb_int (tile->l->b, ACC_KIND_U32, n);
}

/* Number @i, one after the other, of what the threads do in turn, @n things in all. */
static KValue
take_turn (AccRadixTile *tile,
           KValue        i,
           gint64        n)
{
  AccKernelBuilder *b = tile->l->b;

  return low_within (tile->l, kb_add (b, kb_mul (b, i, low_const (tile->l, tile->simt.group)), tile->simt.local), 0, n - 1);
}

void
acc_radix_table_init (AccRadixTable *self,
                      AccRadixTile  *tile,
                      guint          n_counters,
                      guint          n_copies)
{
  AccLower *l = tile->l;
  guint n = n_counters * n_copies;

  *self = (AccRadixTable) { n_counters, n_copies, kb_shared (l->b, ACC_KIND_U32, n, "tables") };
  low_for (l, i, low_const (l, 0), low_const (l, n / tile->simt.group))
    {
      kb_store (l->b, self->copies, take_turn (tile, i, n), number (tile, 0));
    }
  kb_barrier (l->b);
}

void
acc_radix_table_add (const AccRadixTable *self,
                     AccRadixTile        *tile,
                     KValue               counter,
                     KValue               valid)
{
  AccLower *l = tile->l;
  AccKernelBuilder *b = l->b;
  KValue first = kb_mul (b, counter, low_const (l, self->n_copies)), copy = low_urem (l, tile->simt.local, self->n_copies);

  kb_atomic (b, KB_ATOMIC_ADD, self->copies, kb_add (b, first, copy), kb_select (b, valid, number (tile, 1), number (tile, 0)));
}

void
acc_radix_table_for_each (const AccRadixTable *self,
                          AccRadixTile        *tile,
                          AccRadixCount        each,
                          gpointer             data)
{
  AccLower *l = tile->l;
  AccKernelBuilder *b = l->b;

  kb_barrier (b);
  low_for (l, i, low_const (l, 0), low_const (l, self->n_counters / tile->simt.group))
    {
      KValue counter = take_turn (tile, i, self->n_counters), first = kb_mul (b, counter, low_const (l, self->n_copies));
      KValue sum = number (tile, 0);

      for (guint c = 0; c < self->n_copies; c++)
        sum = kb_add (b, sum, kb_load (b, self->copies, kb_add (b, first, low_const (l, c))));
      each (tile, counter, sum, data);
    }
}
