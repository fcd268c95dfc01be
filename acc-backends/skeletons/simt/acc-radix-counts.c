/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix-tile.h"

#include "acc-core/base/acc-ceil-div-private.h"

#define N_COPIES   4      /* tables of a group that counts */
#define MAX_BATCH  32     /* counts that a thread loads at once */
#define MIN_BATCH  8      /* of few tiles, and where threads are loops of processors, which wait for each */
#define GROUPS_PER_CHUNK 8   /* of those that keep the device busy: each group goes over the sums of all chunks of a row */
#define ONE_CHUNK  128    /* tiles, where elements are few, that a group goes over twice in less time than one more kernel takes to compile */

/* Tiles count their digits: a row of counts each, side by side. The prefix of a count is the sum of those of the same digit in tiles before
 * it, and of all lesser digits: chunks of tiles are summed up, if there are several, then the tiles of each chunk from its prefix, all by
 * threads with a digit each. */
struct _AccRadixCounts {
  AccRadixSort *sort;
  AccRadix     *radix;
  guint         counts;       /* scratch: per row, tile and digit */
  guint         sums;         /* scratch: per row, chunk and digit */
  gint64        chunk, n_chunks;   /* tiles; per row */
  guint         n_launches;   /* of each pass behind its counts: the same, as these lie where those of the pass before lay */
  guint         first_launch; /* of those of the first one */
  guint         batch;
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

/* A kernel over lines of counts, those of a chunk. */
typedef struct {
  AccRadixCounts *owner;
  AccSimt         simt;
  AccLower       *l;
  KBuffer         lines, sums;
  KValue          u, begin, end;
} Lines;

static void
begin_lines (Lines          *self,
             AccRadixCounts *owner,
             const char     *name)
{
  AccRadixSort *sort = owner->sort;
  AccKernelBuilder *b;
  AccLower *l;

  self->owner = owner;
  self->l = l = acc_simt_begin_sized (&self->simt, owner->radix->step, name, sort->group, sort->group);
  b = l->b;
  if (owner->n_chunks > 1)
    self->sums = low_scratch (l, owner->sums, owner->radix->count);
  self->lines = get_counts (owner, l);
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

/* A batch of @digit's counts in lines from @first on, of @n lines of a row. Those behind @last are 0; id 0: there are none. */
static void
load_batch (Lines  *self,
            KBuffer buffer,
            gint64  n,
            KValue  digit,
            KValue  first,
            KValue  last,
            KValue *values)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;

  for (guint k = 0; k < self->owner->batch; k++)
    {
      KValue line = kb_add (b, first, low_const (l, k));

      values[k] = kb_load (b, buffer, get_place (l, self->u, n, last.id != 0 ? kb_min (b, line, last) : line, digit));
      if (last.id != 0)
        values[k] = kb_select (b, kb_le (b, line, last), values[k], kb_int (b, self->owner->radix->count, 0));
    }
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
  gint64 n_tiles = self->owner->sort->n_tiles;
  KValue values[MAX_BATCH], before = kb_get (b, sum), last = kb_sub (b, self->end, low_const (l, 1));

  load_batch (self, self->lines, n_tiles, digit, first, whole ? (KValue) { 0 } : last, values);
  for (guint k = 0; k < self->owner->batch; k++)
    {
      KValue line = kb_add (b, first, low_const (l, k)), place = get_place (l, self->u, n_tiles, line, digit);

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

static void
add_any_batch (Lines   *self,
               KValue   digit,
               KValue   first,
               gboolean replaces,
               KVar     sum)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;

  low_if (l, kb_le (b, kb_add (b, first, low_const (l, self->owner->batch)), self->end))
    {
      add_batch (self, digit, first, TRUE, replaces, sum);
    }
  low_else (l)
    {
      add_batch (self, digit, first, FALSE, replaces, sum);
    }
}

/* Adds the counts of @digit in all lines to @sum. Where there are few, whole batches have no code of their own. */
static void
add_lines (Lines   *self,
           KValue   digit,
           gboolean replaces,
           KVar     sum)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  gint64 batch = self->owner->batch;
  KValue n = kb_sub (b, self->end, self->begin);

  low_for (l, w, low_const (l, 0), low_udiv (l, kb_add (b, n, low_const (l, batch - 1)), batch))
    {
      KValue first = kb_add (b, self->begin, kb_mul (b, w, low_const (l, batch)));

      if (self->owner->sort->is_small)
        add_batch (self, digit, first, FALSE, replaces, sum);
      else
        add_any_batch (self, digit, first, replaces, sum);
    }
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

  begin_lines (&lines, self, "sort_sums");
  b = lines.l->b;
  for (guint i = 0; i < ACC_RADIX_N_DIGITS; i += self->sort->group)
    {
      KValue digit = get_digit (&lines, i);
      KVar sum = kb_var (b, kb_int (b, self->radix->count, 0));

      add_lines (&lines, digit, FALSE, sum);
      kb_store (b, lines.sums, get_place (lines.l, lines.u, self->n_chunks, get_chunk (&lines), digit), kb_get (b, sum));
    }
  low_finish (lines.l, acc_radix_get_launch (self->radix, self->sort->n_tiles, 1, self->chunk, 1));
}

/* Of all chunks, and of those before this one. */
static void
add_chunks (Lines *self,
            KValue digit,
            KVar   total,
            KVar   before)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  gint64 n_chunks = self->owner->n_chunks, batch = self->owner->batch;
  KValue zero = kb_int (b, self->owner->radix->count, 0), chunk = get_chunk (self), last = low_number (l, n_chunks - 1);

  low_for (l, w, low_const (l, 0), low_number (l, acc_ceil_div (n_chunks, batch)))
    {
      KValue first = kb_mul (b, w, low_const (l, batch)), values[MAX_BATCH], sum = kb_get (b, total), sum_before = kb_get (b, before);

      load_batch (self, self->sums, n_chunks, digit, first, last, values);
      for (guint k = 0; k < batch; k++)
        {
          KValue is_before = kb_lt (b, kb_add (b, first, low_const (l, k)), chunk);

          sum = kb_add (b, sum, values[k]);
          sum_before = kb_add (b, sum_before, kb_select (b, is_before, values[k], zero));
        }
      kb_set (b, total, sum);
      kb_set (b, before, sum_before);
    }
}

/* Where a row begins is where its first digit goes. */
static void
write_begins (AccRadixCounts *self)
{
  AccElementKind kind = self->radix->count;
  AccKernelBuilder *b;
  KBuffer parts;
  Lines lines;
  KVar carry;

  begin_lines (&lines, self, "sort_begins");
  b = lines.l->b;
  parts = kb_shared (b, kind, self->sort->group, "parts");
  carry = kb_var (b, kb_cast (b, kind, kb_mul (b, lines.u, low_number (lines.l, self->radix->space->inner))));
  for (guint i = 0; i < ACC_RADIX_N_DIGITS; i += self->sort->group)
    {
      KValue digit = get_digit (&lines, i), of_digit, of_all;
      KVar total = kb_var (b, kb_int (b, kind, 0)), before = kb_var (b, kb_int (b, kind, 0));

      if (self->n_chunks > 1)
        add_chunks (&lines, digit, total, before);
      else
        add_lines (&lines, digit, FALSE, total);
      of_digit = kb_add (b, kb_get (b, carry), acc_radix_sum_before (&lines.simt, parts, kb_get (b, total), &of_all));
      kb_set (b, carry, kb_add (b, kb_get (b, carry), of_all));
      add_lines (&lines, digit, TRUE, kb_var (b, kb_add (b, of_digit, kb_get (b, before))));
    }
  low_finish (lines.l, acc_radix_get_launch (self->radix, self->sort->n_tiles, 1, self->chunk, 1));
}

AccRadixCounts *
acc_radix_counts_new (AccRadixSort *sort)
{
  AccRadixCounts *self = g_new0 (AccRadixCounts, 1);
  AccRadix *radix = sort->radix;
  const AccTarget *target = radix->step->fusion->target;
  gint64 most = MAX (target->n_groups / GROUPS_PER_CHUNK, 1);

  self->sort = sort;
  self->batch = target->merges_loads && radix->node->size >= target->few ? MAX_BATCH : MIN_BATCH;
  self->radix = radix;
  self->chunk = acc_ceil_div (acc_ceil_div (sort->n_tiles, self->batch), most) * self->batch;
  if (sort->is_small && sort->n_tiles <= ONE_CHUNK)
    self->chunk = sort->n_tiles;
  self->n_chunks = acc_ceil_div (sort->n_tiles, self->chunk);
  self->counts = acc_step_add_scratch (radix->step, radix->count, radix->space->outer * sort->n_tiles * ACC_RADIX_N_DIGITS);
  if (self->n_chunks > 1)
    self->sums = acc_step_add_scratch (radix->step, radix->count, radix->space->outer * self->n_chunks * ACC_RADIX_N_DIGITS);

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
  AccStep *step = self->radix->step;

  write_counts (self, pass);
  for (guint i = 0; pass > 0 && i < self->n_launches; i++)
    acc_step_repeat_launch (step, self->first_launch + i);
  if (pass > 0)
    return;

  self->first_launch = step->launches->len;
  if (self->n_chunks > 1)
    write_chunk_sums (self);
  write_begins (self);
  self->n_launches = step->launches->len - self->first_launch;
}

KValue
acc_radix_counts_get_begin (AccRadixCounts *self,
                            AccRadixTile   *tile,
                            KValue          digit)
{
  return kb_load (tile->l->b, get_counts (self, tile->l), get_tile_place (tile, digit));
}
