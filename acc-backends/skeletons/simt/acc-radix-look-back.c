/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix-tile.h"

#define N_TILES    16  /* that a group counts the digits of */
#define COPIES     8   /* of a counter, where there is room */
#define MIN_COPIES 4

/* One-sweep radix sort with decoupled look-back (A. Adinets and D. Merrill, 2022). The keys are read once to count the digits of all
 * passes. In a pass, a tile learns its prefix from the tiles in front of it, which began before, while it moves its elements: it publishes
 * its count of each digit, adds up those of others until one knows its whole prefix, and publishes its own.
 *
 * A published word is a number, and above it the pass and whether it is the tile's own count or the whole prefix. So it takes no fence to
 * hand it over, and words of an earlier pass are not mistaken. */
struct _AccRadixLookBack {
  AccRadixSort *sort;
  AccRadix     *radix;
  guint         words;        /* scratch: per row, tile and digit */
  guint         begins;       /* scratch: per row, pass and digit */
};

#define NUMBER_BITS 56

gboolean
acc_radix_look_back_can (AccStep *step)
{
  const AccTarget *target = step->fusion->target;

  /* With few resident groups, waiting takes longer than counting before each pass. */
  return target->has_progress && target->has_atomic_64 && target->has_residency;
}

static KBuffer
get_begins (AccRadixLookBack *self,
            AccLower         *l)
{
  return low_scratch_with (l, self->begins, ACC_KIND_U64, ACC_BUFFER_COHERENT);
}

static KValue
get_begin_place (AccRadixLookBack *self,
                 AccLower         *l,
                 KValue            u,
                 KValue            counter)
{
  return kb_add (l->b, kb_mul (l->b, u, low_const (l, (gint64) self->radix->n_passes * ACC_RADIX_N_DIGITS)), counter);
}

/* --- the counts of all passes */

static void
count_element (AccRadixTile *self,
               KValue        i G_GNUC_UNUSED,
               KValue        x,
               KValue        valid,
               gconstpointer data)
{
  const AccRadixTable *table = data;
  AccLower *l = self->l;
  KValue key = acc_radix_get_key (self->radix, l, 0, self->u, x);

  for (guint pass = 0; pass < self->radix->n_passes; pass++)
    {
      KValue digit = acc_radix_get_digit (self->radix, l, pass, key);

      acc_radix_table_add (table, self, kb_add (l->b, digit, low_const (l, pass * ACC_RADIX_N_DIGITS)), valid);
    }
}

static void
add_count (AccRadixTile *tile,
           KValue        counter,
           KValue        n,
           gpointer      data)
{
  AccRadixLookBack *self = data;
  AccLower *l = tile->l;

  kb_atomic (l->b, KB_ATOMIC_ADD, get_begins (self, l), get_begin_place (self, l, tile->u, counter), kb_cast (l->b, ACC_KIND_U64, n));
}

static void
write_counts (AccRadixLookBack *self)
{
  AccRadix *radix = self->radix;
  gint64 n_counters = (gint64) radix->n_passes * ACC_RADIX_N_DIGITS, room = (gint64) radix->step->fusion->target->shared_bytes / 4;
  guint n_copies = room >= COPIES * n_counters ? COPIES : room >= MIN_COPIES * n_counters ? MIN_COPIES : 1;
  AccKernelBuilder *b;
  AccRadixTable table;
  AccRadixTile tile;
  AccLower *l;
  KValue end, first;

  acc_radix_tile_begin (&tile, self->sort, "sort_count");
  l = tile.l;
  b = l->b;
  first = tile.begin;
  end = kb_inner_end (b);
  acc_radix_table_init (&table, &tile, n_counters, n_copies);
  low_for (l, t, low_const (l, 0), low_udiv (l, kb_add (b, kb_sub (b, end, first), low_const (l, tile.size - 1)), tile.size))
    {
      KValue begin = kb_add (b, first, kb_mul (b, t, low_const (l, tile.size)));

      tile.begin = low_within (l, begin, 0, radix->space->inner - 1);
      tile.n_valid = low_within (l, kb_min (b, kb_sub (b, end, begin), low_const (l, tile.size)), 1, tile.size);
      acc_radix_tile_for_each (&tile, count_element, &table);
    }
  acc_radix_table_for_each (&table, &tile, add_count, self);
  low_finish (l, acc_radix_get_launch (radix, radix->space->inner, 1, tile.size * N_TILES, 1));
}

/* In place of the counts of each row and pass where elements of the digit begin. One group per row. */
static void
write_begins (AccRadixLookBack *self)
{
  guint group = self->sort->group, n = ACC_RADIX_N_DIGITS / group;
  AccRadix *radix = self->radix;
  AccSimt simt;
  AccLower *l = acc_simt_begin_sized (&simt, radix->step, "sort_begins", group, group);
  AccKernelBuilder *b = l->b;
  KBuffer parts = kb_shared (b, ACC_KIND_U64, group, "parts");
  KValue u = low_within (l, kb_outer_begin (b), 0, radix->space->outer - 1);
  KValue row = kb_cast (b, ACC_KIND_U64, kb_mul (b, u, low_number (l, radix->space->inner)));

  low_for (l, pass, low_const (l, 0), low_const (l, radix->n_passes))
    {
      KValue places[ACC_RADIX_N_DIGITS], counts[ACC_RADIX_N_DIGITS], sum = kb_int (b, ACC_KIND_U64, 0), before, total;

      for (guint i = 0; i < n; i++)
        {
          KValue digit = kb_add (b, kb_mul (b, simt.local, low_const (l, n)), low_const (l, i));

          places[i] = get_begin_place (self, l, u, kb_add (b, kb_mul (b, pass, low_const (l, ACC_RADIX_N_DIGITS)), digit));
          counts[i] = kb_load (b, get_begins (self, l), places[i]);
          sum = kb_add (b, sum, counts[i]);
        }
      before = kb_add (b, row, acc_radix_sum_before (&simt, parts, sum, &total));
      for (guint i = 0; i < n; i++)
        {
          kb_store (b, get_begins (self, l), places[i], before);
          before = kb_add (b, before, counts[i]);
        }
    }
  low_finish (l, acc_radix_get_launch (radix, 1, 1, 1, 1));
}

AccRadixLookBack *
acc_radix_look_back_new (AccRadixSort *sort)
{
  AccRadixLookBack *self = g_new0 (AccRadixLookBack, 1);
  AccRadix *radix = sort->radix;
  gint64 n_words = radix->space->outer * sort->n_tiles * ACC_RADIX_N_DIGITS;
  gint64 n_begins = radix->space->outer * radix->n_passes * ACC_RADIX_N_DIGITS;

  self->sort = sort;
  self->radix = radix;
  self->words = acc_step_add_scratch (radix->step, ACC_KIND_U64, n_words);
  self->begins = acc_step_add_scratch (radix->step, ACC_KIND_U64, n_begins);
  acc_simt_write_zeros (radix->step, "sort_clear", self->words, ACC_KIND_U64, n_words);
  acc_simt_write_zeros (radix->step, "sort_clear", self->begins, ACC_KIND_U64, n_begins);
  write_counts (self);
  write_begins (self);

  return self;
}

void
acc_radix_look_back_free (AccRadixLookBack *self)
{
  g_free (self);
}

/* --- tiles */

static KBuffer
get_words (AccRadixLookBack *self,
           AccLower         *l)
{
  return low_scratch_with (l, self->words, ACC_KIND_U64, ACC_BUFFER_COHERENT);
}

static KValue
get_tile (AccRadixTile *tile)
{
  return low_udiv (tile->l, tile->begin, tile->size);
}

static KValue
get_word_place (AccRadixLookBack *self,
                AccRadixTile     *tile,
                KValue            t,
                KValue            digit)
{
  AccLower *l = tile->l;
  AccKernelBuilder *b = l->b;
  KValue counted = kb_add (b, kb_mul (b, tile->u, low_number (l, self->sort->n_tiles)), t);

  return kb_add (b, kb_mul (b, counted, low_const (l, ACC_RADIX_N_DIGITS)), digit);
}

/* What stands above a number: of a tile alone, and one more of all up to it. Passes differ in numbers that a kernel is given, so that those
 * behind the first one are one kernel. */
static KValue
get_mark (AccLower *l,
          guint     pass)
{
  return kb_cast (l->b, ACC_KIND_U64, low_number (l, 1 + 2 * pass));
}

static void
store_word (AccRadixLookBack *self,
            AccRadixTile     *tile,
            KValue            digit,
            KValue            n,
            KValue            mark)
{
  AccKernelBuilder *b = tile->l->b;
  KValue above = kb_prim2 (b, ACC_PRIM_SHL, mark, low_const (tile->l, NUMBER_BITS));

  kb_store (b, get_words (self, tile->l), get_word_place (self, tile, get_tile (tile), digit), kb_or (b, n, above));
}

static KValue
is_first (AccRadixTile *tile)
{
  return kb_eq (tile->l->b, get_tile (tile), low_const (tile->l, 0));
}

/* Where elements of @digit in the row begin. */
static KValue
load_begin (AccRadixLookBack *self,
            AccRadixTile     *tile,
            guint             pass,
            KValue            digit)
{
  AccLower *l = tile->l;
  KValue counter = kb_add (l->b, digit, low_number (l, (gint64) pass * ACC_RADIX_N_DIGITS));

  return kb_load (l->b, get_begins (self, l), get_begin_place (self, l, tile->u, counter));
}

void
acc_radix_look_back_publish (AccRadixLookBack *self,
                             AccRadixTile     *tile,
                             guint             pass,
                             KValue            digit,
                             KValue            n)
{
  AccLower *l = tile->l;
  AccKernelBuilder *b = l->b;
  KValue first = is_first (tile), own = kb_cast (b, ACC_KIND_U64, n);
  KVar known = kb_var (b, own);

  low_if (l, first)
    {
      kb_set (b, known, kb_add (b, own, load_begin (self, tile, pass, digit)));
    }
  store_word (self, tile, digit, kb_get (b, known), kb_add (b, get_mark (l, pass), kb_cast (b, ACC_KIND_U64, first)));
}

KValue
acc_radix_look_back_find (AccRadixLookBack *self,
                          AccRadixTile     *tile,
                          guint             pass,
                          KValue            digit,
                          KValue            n)
{
  AccLower *l = tile->l;
  AccKernelBuilder *b = l->b;
  KValue own = get_mark (l, pass), all = kb_add (b, own, kb_int (b, ACC_KIND_U64, 1));
  KVar at = kb_var (b, kb_sub (b, get_tile (tile), low_const (l, 1))), sum = kb_var (b, kb_int (b, ACC_KIND_U64, 0));

  low_if (l, is_first (tile))
    {
      kb_set (b, sum, load_begin (self, tile, pass, digit));
    }
  low_else (l)
    {
      low_while (l)
        {
          KValue t = low_within (l, kb_get (b, at), 0, self->sort->n_tiles - 1);
          KValue word = kb_load (b, get_words (self, l), get_word_place (self, tile, t, digit));
          KValue mark = kb_prim2 (b, ACC_PRIM_SHR, word, low_const (l, NUMBER_BITS)), is_there = kb_le (b, own, mark);
          KValue known = kb_and (b, word, kb_int (b, ACC_KIND_U64, (G_GINT64_CONSTANT (1) << NUMBER_BITS) - 1));

          kb_set (b, sum, kb_add (b, kb_get (b, sum), kb_select (b, is_there, known, kb_int (b, ACC_KIND_U64, 0))));
          kb_until (b, kb_eq (b, mark, all));
          kb_set (b, at, kb_select (b, is_there, kb_sub (b, t, low_const (l, 1)), t));
        }
      store_word (self, tile, digit, kb_add (b, kb_get (b, sum), kb_cast (b, ACC_KIND_U64, n)), all);
    }

  return kb_get (b, sum);
}
