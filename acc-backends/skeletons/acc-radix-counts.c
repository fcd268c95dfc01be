/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix-tile.h"

#include "acc-core/acc-ceil-div-private.h"

#define N_COPIES   4      /* tables of a group that counts */
#define BATCH      16     /* counts that a thread loads at once */
#define GROUPS_PER_CHUNK 8   /* of those that keep the device busy: a group goes over the sums of all chunks of a row */

/* Tiles count their digits: a row of counts each, side by side. What is in front of each count is the sum of those with the same digit
 * in tiles before it, and of all with lesser digits: chunks of tiles are summed up, then the sums of chunks, then the tiles of each
 * chunk, all by threads that have a digit each. */
struct _AccRadixCounts {
  AccRadixSort *sort;
  AccRadix     *radix;
  guint         counts;       /* scratch: per row, tile and digit */
  guint         sums;         /* scratch: per row, chunk and digit; behind the chunks, where digits begin */
  gint64        chunk, n_chunks;   /* tiles; per row */
};

static KBuffer
get_counts (AccRadixCounts *self,
            AccLower       *l)
{
  return low_scratch (l, self->counts, self->radix->count);
}

/* Number of the count of @digit in line @line, of @n of row @u. */
static KValue
get_place (AccLower *l,
           KValue    u,
           gint64    n,
           KValue    line,
           KValue    digit)
{
  AccKernelBuilder *b = l->b;
  KValue lines = kb_add (b, kb_mul (b, u, low_number (l, n)), line);

  return kb_add (b, kb_mul (b, lines, low_const (l, ACC_RADIX_N_DIGITS)), digit);
}

static KValue
get_tile_place (AccRadixTile *self,
                KValue        digit)
{
  return get_place (self->l, self->u, self->sort->n_tiles, low_udiv (self->l, self->begin, self->size), digit);
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

  kb_store (b, get_counts (self, tile->l), get_tile_place (tile, digit), kb_cast (b, self->radix->count, n));
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

/* A kernel over lines of counts, those of a range of tiles or chunks of a row. */
typedef struct {
  AccRadixCounts *owner;
  AccSimt         simt;
  AccLower       *l;
  KBuffer         lines, sums;
  gint64          n;          /* lines of a row */
  KValue          u, begin, end;
} Lines;

static void
begin_lines (Lines          *self,
             AccRadixCounts *owner,
             const char     *name,
             gboolean        of_chunks)
{
  AccRadixSort *sort = owner->sort;
  AccKernelBuilder *b;
  AccLower *l;

  self->owner = owner;
  self->l = l = acc_simt_begin_sized (&self->simt, owner->radix->step, name, sort->group, sort->group);
  b = l->b;
  self->sums = low_scratch (l, owner->sums, owner->radix->count);
  self->lines = of_chunks ? self->sums : get_counts (owner, l);
  self->n = of_chunks ? owner->n_chunks + 1 : sort->n_tiles;
  self->u = low_within (l, kb_outer_begin (b), 0, owner->radix->space->outer - 1);
  self->begin = kb_inner_begin (b);
  self->end = kb_inner_end (b);
}

/* Number @i of the digits that this thread has. */
static KValue
get_digit (Lines *self,
           guint  i)
{
  return low_within (self->l, kb_add (self->l->b, self->simt.local, low_const (self->l, i)), 0, ACC_RADIX_N_DIGITS - 1);
}

/* Adds a batch of counts from line @first on, of which all exist where @whole says so; puts what was before each in its place. */
static void
add_batch (Lines   *self,
           KValue   digit,
           KValue   first,
           gboolean whole,
           gboolean replaces,
           KVar     sum)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue values[BATCH], before = kb_get (b, sum), last = kb_sub (b, self->end, low_const (l, 1));

  for (guint k = 0; k < BATCH; k++)
    {
      KValue line = kb_add (b, first, low_const (l, k));
      KValue value = kb_load (b, self->lines, get_place (l, self->u, self->n, whole ? line : kb_min (b, line, last), digit));

      values[k] = whole ? value : kb_select (b, kb_le (b, line, last), value, kb_int (b, kb_kind (b, value), 0));
    }
  for (guint k = 0; k < BATCH; k++)
    {
      KValue line = kb_add (b, first, low_const (l, k)), place = get_place (l, self->u, self->n, line, digit);

      if (replaces && whole)
        kb_store (b, self->lines, place, before);
      else if (replaces)
        low_if (l, kb_le (b, line, last))
          {
            kb_store (b, self->lines, place, before);
          }
      before = kb_add (b, before, values[k]);
    }
  kb_set (b, sum, before);
}

/* Adds the counts of @digit in all lines to @sum. */
static void
add_lines (Lines   *self,
           KValue   digit,
           gboolean replaces,
           KVar     sum)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue n = kb_sub (b, self->end, self->begin);

  low_for (l, w, low_const (l, 0), low_udiv (l, kb_add (b, n, low_const (l, BATCH - 1)), BATCH))
    {
      KValue first = kb_add (b, self->begin, kb_mul (b, w, low_const (l, BATCH)));

      low_if (l, kb_le (b, kb_add (b, first, low_const (l, BATCH)), self->end))
        {
          add_batch (self, digit, first, TRUE, replaces, sum);
        }
      low_else (l)
        {
          add_batch (self, digit, first, FALSE, replaces, sum);
        }
    }
}

static KValue
get_sum_place (Lines  *self,
               KValue  chunk,
               KValue  digit)
{
  return get_place (self->l, self->u, self->owner->n_chunks + 1, chunk, digit);
}

static KValue
get_chunk (Lines *self)
{
  return low_udiv (self->l, self->begin, self->owner->chunk);
}

static void
write_chunk_sums (AccRadixCounts *self)
{
  AccKernelBuilder *b;
  Lines lines;

  begin_lines (&lines, self, "sort_sums", FALSE);
  b = lines.l->b;
  for (guint i = 0; i < ACC_RADIX_N_DIGITS; i += self->sort->group)
    {
      KValue digit = get_digit (&lines, i);
      KVar sum = kb_var (b, kb_int (b, self->radix->count, 0));

      add_lines (&lines, digit, FALSE, sum);
      kb_store (b, lines.sums, get_sum_place (&lines, get_chunk (&lines), digit), kb_get (b, sum));
    }
  low_finish (lines.l, acc_radix_get_launch (self->radix, self->sort->n_tiles, 1, self->chunk, 1));
}

/* One group per row: where the row begins is where its first digit goes. */
static void
write_sums_before (AccRadixCounts *self)
{
  AccElementKind kind = self->radix->count;
  AccKernelBuilder *b;
  KBuffer parts;
  Lines lines;
  KVar carry;

  begin_lines (&lines, self, "sort_sums_before", TRUE);
  b = lines.l->b;
  parts = kb_shared (b, kind, self->sort->group, "parts");
  carry = kb_var (b, kb_cast (b, kind, kb_mul (b, lines.u, low_number (lines.l, self->radix->space->inner))));
  for (guint i = 0; i < ACC_RADIX_N_DIGITS; i += self->sort->group)
    {
      KValue digit = get_digit (&lines, i), total, before;
      KVar sum = kb_var (b, kb_int (b, kind, 0));

      add_lines (&lines, digit, TRUE, sum);
      before = acc_radix_sum_before (&lines.simt, parts, kb_get (b, sum), &total);
      kb_store (b, lines.sums, get_sum_place (&lines, low_number (lines.l, self->n_chunks), digit), kb_add (b, kb_get (b, carry), before));
      kb_set (b, carry, kb_add (b, kb_get (b, carry), total));
    }
  low_finish (lines.l, acc_radix_get_launch (self->radix, self->n_chunks, 1, self->n_chunks, 1));
}

static void
write_begins (AccRadixCounts *self)
{
  AccKernelBuilder *b;
  Lines lines;

  begin_lines (&lines, self, "sort_begins", FALSE);
  b = lines.l->b;
  for (guint i = 0; i < ACC_RADIX_N_DIGITS; i += self->sort->group)
    {
      KValue digit = get_digit (&lines, i);
      KValue of_chunk = kb_load (b, lines.sums, get_sum_place (&lines, get_chunk (&lines), digit));
      KValue of_digit = kb_load (b, lines.sums, get_sum_place (&lines, low_number (lines.l, self->n_chunks), digit));

      add_lines (&lines, digit, TRUE, kb_var (b, kb_add (b, of_chunk, of_digit)));
    }
  low_finish (lines.l, acc_radix_get_launch (self->radix, self->sort->n_tiles, 1, self->chunk, 1));
}

AccRadixCounts *
acc_radix_counts_new (AccRadixSort *sort)
{
  AccRadixCounts *self = g_new0 (AccRadixCounts, 1);
  AccRadix *radix = sort->radix;
  gint64 batches = acc_ceil_div (sort->n_tiles, BATCH), most = MAX (radix->step->fusion->target->n_groups / GROUPS_PER_CHUNK, 1);

  self->sort = sort;
  self->radix = radix;
  self->chunk = acc_ceil_div (batches, most) * BATCH;
  self->n_chunks = acc_ceil_div (sort->n_tiles, self->chunk);
  self->counts = acc_step_add_scratch (radix->step, radix->count, radix->space->outer * sort->n_tiles * ACC_RADIX_N_DIGITS);
  self->sums = acc_step_add_scratch (radix->step, radix->count, radix->space->outer * (self->n_chunks + 1) * ACC_RADIX_N_DIGITS);

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
  return kb_load (tile->l->b, get_counts (self, tile->l), get_tile_place (tile, digit));
}
