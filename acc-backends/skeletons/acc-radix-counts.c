/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix-tile.h"

#define N_COPIES   4      /* tables of a group that counts */
#define CHUNK_EACH 16

/* Tiles count their digits, and the counts of a row, digit by digit and tile by tile, are scanned: in chunks that groups sum up, then
 * the sums, then each chunk. */
struct _AccRadixCounts {
  AccRadixSort *sort;
  AccRadix     *radix;
  guint         counts;       /* scratch: per row, digit and tile */
  guint         sums;         /* scratch: per chunk of them */
  gint64        n_counts, chunk, n_chunks;   /* per row */
};

static KBuffer
get_counts (AccRadixCounts *self,
            AccLower       *l)
{
  return low_scratch (l, self->counts, self->radix->count);
}

/* Where the count of @digit in the tile is. */
static KValue
get_place (AccRadixTile *self,
           KValue        digit)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue column = kb_add (b, kb_mul (b, self->u, low_const (l, ACC_RADIX_N_DIGITS)), digit);

  return kb_add (b, kb_mul (b, column, low_number (l, self->sort->n_tiles)), low_udiv (l, self->begin, self->size));
}

typedef struct {
  guint         pass;
  AccRadixTable table;
} Counted;

static void
count_element (AccRadixTile *self,
               KValue        i G_GNUC_UNUSED,
               KValue        x,
               KValue        valid,
               gconstpointer data)
{
  const Counted *counted = data;

  acc_radix_table_add (&counted->table, self, acc_radix_tile_get_digit (self, counted->pass, x, valid), valid);
}

static void
store_count (AccRadixTile *tile,
             KValue        digit,
             KValue        n,
             gpointer      data)
{
  AccRadixCounts *self = data;
  AccKernelBuilder *b = tile->l->b;

  kb_store (b, get_counts (self, tile->l), get_place (tile, digit), kb_cast (b, self->radix->count, n));
}

static void
write_counts (AccRadixCounts *self,
              guint           pass)
{
  Counted counted = { .pass = pass };
  AccRadixTile tile;

  acc_radix_tile_begin (&tile, self->sort, "sort_count");
  acc_radix_table_init (&counted.table, &tile, ACC_RADIX_N_DIGITS, N_COPIES);
  acc_radix_tile_for_each (&tile, count_element, &counted);
  acc_radix_table_for_each (&counted.table, &tile, store_count, self);
  low_finish (tile.l, acc_radix_get_launch (self->radix, self->radix->space->inner, 1, tile.size, 1));
}

/* Number @at of those from @first on; 0 where there is none. */
static KValue
load_count (AccLower *l,
            KBuffer   counts,
            KValue    first,
            KValue    at,
            KValue    end)
{
  AccKernelBuilder *b = l->b;
  KValue value = kb_load (b, counts, kb_add (b, first, kb_min (b, at, kb_sub (b, end, low_const (l, 1)))));

  return kb_select (b, kb_lt (b, at, end), value, kb_int (b, kb_kind (b, value), 0));
}

/* A kernel over the counts of a row. */
typedef struct {
  AccSimt  simt;
  AccLower *l;
  KBuffer  parts, counts, sums;
  KValue   u, begin, end;
  KValue   first;     /* count of the row */
  KValue   chunk;     /* the group's, where it has one */
} Counts;

static void
begin_counts (Counts         *self,
              AccRadixCounts *owner,
              const char     *name)
{
  AccElementKind kind = owner->radix->count;
  AccKernelBuilder *b;
  AccLower *l;

  self->l = l = acc_simt_begin_sized (&self->simt, owner->radix->step, name, owner->sort->group, owner->sort->group);
  b = l->b;
  self->parts = kb_shared (b, kind, owner->sort->group, "parts");
  self->counts = get_counts (owner, l);
  self->sums = low_scratch (l, owner->sums, kind);
  self->u = low_within (l, kb_outer_begin (b), 0, owner->radix->space->outer - 1);
  self->begin = kb_inner_begin (b);
  self->end = kb_inner_end (b);
  self->first = kb_mul (b, kb_mul (b, self->u, low_number (l, owner->sort->n_tiles)), low_const (l, ACC_RADIX_N_DIGITS));
  self->chunk = kb_add (b, kb_mul (b, self->u, low_number (l, owner->n_chunks)), low_udiv (l, self->begin, owner->chunk));
}

static void
write_chunk_sums (AccRadixCounts *self)
{
  AccKernelBuilder *b;
  KValue sum, total;
  Counts counts;
  AccLower *l;

  begin_counts (&counts, self, "sort_sums");
  l = counts.l;
  b = l->b;
  sum = kb_int (b, self->radix->count, 0);
  for (guint k = 0; k < CHUNK_EACH; k++)
    {
      KValue at = kb_add (b, kb_add (b, counts.begin, low_const (l, (gint64) k * self->sort->group)), counts.simt.local);

      sum = kb_add (b, sum, load_count (l, counts.counts, counts.first, at, counts.end));
    }
  acc_radix_sum_before (&counts.simt, counts.parts, sum, &total);
  low_if (l, kb_eq (b, counts.simt.local, low_const (l, 0)))
    {
      kb_store (b, counts.sums, counts.chunk, total);
    }
  low_finish (l, acc_radix_get_launch (self->radix, self->n_counts, 1, self->chunk, 1));
}

/* One group per row: where the row begins is where its first chunk goes. */
static void
write_sums_before (AccRadixCounts *self)
{
  AccKernelBuilder *b;
  Counts counts;
  AccLower *l;
  KValue first;
  KVar carry;

  begin_counts (&counts, self, "sort_sums_before");
  l = counts.l;
  b = l->b;
  first = kb_mul (b, counts.u, low_number (l, self->n_chunks));
  carry = kb_var (b, kb_cast (b, self->radix->count, kb_mul (b, counts.u, low_number (l, self->radix->space->inner))));
  low_for (l, w, low_const (l, 0), low_udiv (l, kb_add (b, counts.end, low_const (l, self->sort->group - 1)), self->sort->group))
    {
      KValue at = kb_add (b, kb_mul (b, w, low_const (l, self->sort->group)), counts.simt.local), total;
      KValue before = acc_radix_sum_before (&counts.simt, counts.parts, load_count (l, counts.sums, first, at, counts.end), &total);

      low_if (l, kb_lt (b, at, counts.end))
        {
          kb_store (b, counts.sums, kb_add (b, first, at), kb_add (b, kb_get (b, carry), before));
        }
      kb_set (b, carry, kb_add (b, kb_get (b, carry), total));
    }
  low_finish (l, acc_radix_get_launch (self->radix, self->n_chunks, 1, self->n_chunks, 1));
}

/* The thread's counts, which are neighbours, from @at on; all that exist become what is before each. */
static void
write_thread_begins (AccRadixCounts *self,
                     const Counts   *counts,
                     KValue          at,
                     gboolean        whole)
{
  AccLower *l = counts->l;
  AccKernelBuilder *b = l->b;
  KValue values[CHUNK_EACH], sum = kb_int (b, self->radix->count, 0), total, before;

  for (guint k = 0; k < CHUNK_EACH; k++)
    {
      KValue i = kb_add (b, at, low_const (l, k));

      values[k] = whole ? kb_load (b, counts->counts, kb_add (b, counts->first, i)) : load_count (l, counts->counts, counts->first, i, counts->end);
    }
  for (guint k = 0; k < CHUNK_EACH; k++)
    sum = kb_add (b, sum, values[k]);
  before = kb_add (b, acc_radix_sum_before (&counts->simt, counts->parts, sum, &total), kb_load (b, counts->sums, counts->chunk));
  for (guint k = 0; k < CHUNK_EACH; k++)
    {
      KValue i = kb_add (b, at, low_const (l, k)), place = kb_add (b, counts->first, i);

      if (whole)
        kb_store (b, counts->counts, place, before);
      else
        low_if (l, kb_lt (b, i, counts->end))
          {
            kb_store (b, counts->counts, place, before);
          }
      before = kb_add (b, before, values[k]);
    }
}

static void
write_begins (AccRadixCounts *self)
{
  AccKernelBuilder *b;
  Counts counts;
  AccLower *l;
  KValue at, size;

  begin_counts (&counts, self, "sort_begins");
  l = counts.l;
  b = l->b;
  size = low_const (l, self->chunk);
  /* That it lies on a multiple is plain to see from its number. */
  at = kb_add (b, kb_mul (b, low_udiv (l, counts.begin, self->chunk), size), kb_mul (b, counts.simt.local, low_const (l, CHUNK_EACH)));
  low_if (l, kb_eq (b, kb_sub (b, counts.end, counts.begin), size))
    {
      write_thread_begins (self, &counts, at, TRUE);
    }
  low_else (l)
    {
      write_thread_begins (self, &counts, at, FALSE);
    }
  low_finish (l, acc_radix_get_launch (self->radix, self->n_counts, 1, self->chunk, 1));
}

AccRadixCounts *
acc_radix_counts_new (AccRadixSort *sort)
{
  AccRadixCounts *self = g_new0 (AccRadixCounts, 1);
  AccRadix *radix = sort->radix;

  self->sort = sort;
  self->radix = radix;
  self->n_counts = ACC_RADIX_N_DIGITS * sort->n_tiles;
  self->chunk = (gint64) sort->group * CHUNK_EACH;
  self->n_chunks = (self->n_counts + self->chunk - 1) / self->chunk;
  self->counts = acc_step_add_scratch (radix->step, radix->count, radix->space->outer * self->n_counts);
  self->sums = acc_step_add_scratch (radix->step, radix->count, radix->space->outer * self->n_chunks);

  return self;
}

void
acc_radix_counts_free (AccRadixCounts *self)
{
  g_free (self);
}

void
acc_radix_counts_write (AccRadixCounts *self,
                        guint           pass)
{
  write_counts (self, pass);
  write_chunk_sums (self);
  write_sums_before (self);
  write_begins (self);
}

KValue
acc_radix_counts_get_begin (AccRadixCounts *self,
                            AccRadixTile   *tile,
                            KValue          digit)
{
  return kb_load (tile->l->b, get_counts (self, tile->l), get_place (tile, digit));
}
