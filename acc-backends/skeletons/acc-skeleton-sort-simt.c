/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix.h"

/* Sorts by groups of threads, each of which puts a tile in order by a digit, in shared memory (N. Satish, M. Harris and M. Garland,
 * 2009): rows that fit a tile by all digits, one after the other; of longer ones tiles count their digits, the counts are scanned,
 * and tiles move theirs, in runs of equal digits. No group waits for another.
 *
 * What is put in order in a tile are words: of a digit, and of where in the tile its element is. That is done four bits at a time:
 * every thread counts its own, which are neighbours, in counters that nobody else has, two to a word; a scan of all counters tells
 * where each goes. */

#define MAX_GROUP    256
#define MIN_GROUP    64
#define MAX_EACH     16     /* elements of a thread */
#define MIN_EACH     4
#define N_COPIES     4      /* tables of a group that counts */
#define BANKS        32
#define WORDS        8      /* of a thread's counters */
#define HALF_BITS    4
#define PLACE_BITS   16
#define CHUNK_EACH   16

typedef struct {
  AccRadix *radix;
  guint     group, each;
  gint64    n_tiles;      /* per row */
  guint     counts;       /* scratch: per row, digit and tile */
  guint     sums;         /* scratch: per chunk of them */
  gint64    n_counts, chunk, n_chunks;   /* per row */
} Sort;

/* A kernel that has a tile. */
typedef struct {
  Sort     *sort;
  AccRadix *radix;
  AccSimt   simt;
  AccLower *l;
  gint64    size;
  KValue    u;            /* its row */
  KValue    begin;        /* its first element there */
  KValue    n_valid;      /* how many there are */
  KBuffer   words, counters, parts;
  KBuffer   wide;         /* elements of eight bytes */
} Tile;

static guint
add_banks (gint64 n)
{
  return (guint) (n + n / BANKS);
}

/* Place @i where neighbours of runs are in other banks. */
static KValue
spread (AccLower *l,
        KValue    i)
{
  return low_add (l, i, low_udiv (l, i, BANKS));
}

static KValue
number (AccLower *l,
        gint64    n)
{
  return kb_int (l->b, ACC_KIND_U32, n);
}

static KValue
to_index (AccLower *l,
          KValue    word,
          gint64    size)
{
  return low_within (l, kb_cast (l->b, ACC_KIND_I64, word), 0, size - 1);
}

static KValue
shift_right (AccLower *l,
             KValue    word,
             gint64    bits)
{
  return kb_prim2 (l->b, ACC_PRIM_SHR, word, low_const (l, bits));
}

/* --- sums over the threads of a group */

/* The sum of @x of the threads before; @total: of all. Meets barriers. */
static KValue
sum_before (AccSimt *simt,
            KBuffer  parts,
            KValue   x,
            KValue  *total)
{
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;
  AccElementKind kind = kb_kind (b, x);
  guint subgroup = simt->subgroup > 1 ? simt->subgroup : 1, n_parts = simt->group / subgroup;
  KValue lane = low_urem (l, simt->local, subgroup), own = low_udiv (l, simt->local, subgroup), sum = x;
  KVar before, all;

  for (guint d = 1; d < subgroup; d *= 2)
    {
      KValue other = kb_shuffle (b, KB_SHUFFLE_UP, sum, d);

      sum = kb_select (b, kb_le (b, low_const (l, d), lane), kb_add (b, sum, other), sum);
    }
  low_if (l, kb_eq (b, lane, low_const (l, subgroup - 1)))
    {
      kb_store (b, parts, own, sum);
    }
  kb_barrier (b);

  if (subgroup == 1)
    {
      for (guint d = 1; d < n_parts; d *= 2)
        {
          KValue other = kb_load (b, parts, kb_max (b, kb_sub (b, own, low_const (l, d)), low_const (l, 0)));

          sum = kb_select (b, kb_le (b, low_const (l, d), own), kb_add (b, sum, other), sum);
          kb_barrier (b);
          kb_store (b, parts, own, sum);
          kb_barrier (b);
        }
      *total = kb_load (b, parts, low_const (l, n_parts - 1));
      kb_barrier (b);
      return kb_sub (b, sum, x);
    }

  before = kb_var (b, kb_int (b, kind, 0));
  all = kb_var (b, kb_int (b, kind, 0));
  low_for (l, k, low_const (l, 0), low_const (l, n_parts))
    {
      KValue part = kb_load (b, parts, k);

      kb_set (b, before, kb_add (b, kb_get (b, before), kb_select (b, kb_lt (b, k, own), part, kb_int (b, kind, 0))));
      kb_set (b, all, kb_add (b, kb_get (b, all), part));
    }
  *total = kb_get (b, all);
  kb_barrier (b);

  return kb_add (b, kb_get (b, before), kb_sub (b, sum, x));
}

/* --- a tile */

static gboolean
has_wide (AccRadix *radix)
{
  for (guint i = 0; i < radix->n_leaves; i++)
    if (acc_element_kind_get_size (acc_element_type_get_leaf (radix->node->array->type, i)) == 8)
      return TRUE;

  return acc_element_kind_get_size (radix->key) == 8;
}

/* Of shared memory. */
static gsize
count_bytes (AccRadix *radix,
             guint     group,
             guint     each)
{
  gsize spread = add_banks ((gint64) group * each);

  return 4 * spread * 2 + 4 * (gsize) add_banks ((gint64) group * WORDS) + 4 * group + (has_wide (radix) ? 8 * spread : 0) + 8 * ACC_RADIX_N_DIGITS;
}

/* Tiles as large as shared memory and rows let them be. */
static void
choose_tile (Sort *self)
{
  const AccTarget *target = self->radix->step->fusion->target;
  gint64 n = self->radix->space->inner;

  self->group = MIN (MAX_GROUP, target->max_group_size);
  self->each = MAX_EACH;
  while (self->each > 1 && count_bytes (self->radix, self->group, self->each) > target->shared_bytes)
    self->each /= 2;
  while (self->each > MIN_EACH && (gint64) self->group * self->each / 2 >= n)
    self->each /= 2;
  while (self->group > MIN_GROUP && (gint64) self->group * self->each / 2 >= n)
    self->group /= 2;
}

static void
begin_tile (Tile       *self,
            Sort       *sort,
            const char *name)
{
  AccKernelBuilder *b;
  AccLower *l;

  *self = (Tile) { .sort = sort, .radix = sort->radix, .size = (gint64) sort->group * sort->each };
  self->l = l = acc_simt_begin_sized (&self->simt, sort->radix->step, name, sort->group, sort->group);
  b = l->b;
  self->u = low_within (l, kb_outer_begin (b), 0, sort->radix->space->outer - 1);
  self->begin = low_within (l, kb_inner_begin (b), 0, sort->radix->space->inner - 1);
  self->n_valid = low_within (l, kb_sub (b, kb_inner_end (b), kb_inner_begin (b)), 1, self->size);
}

static void
add_shared (Tile *self)
{
  AccKernelBuilder *b = self->l->b;

  self->words = kb_shared (b, ACC_KIND_U32, add_banks (self->size), "words");
  self->counters = kb_shared (b, ACC_KIND_U32, add_banks ((gint64) self->sort->group * WORDS), "counters");
  self->parts = kb_shared (b, ACC_KIND_U32, self->sort->group, "parts");
  if (has_wide (self->radix))
    self->wide = kb_shared (b, ACC_KIND_U64, add_banks (self->size), "wide");
}

/* Place number @k of this thread, where neighbours are of neighbouring threads. */
static KValue
get_striped (Tile *self,
             guint k)
{
  return low_within (self->l, kb_add (self->l->b, low_const (self->l, (gint64) k * self->sort->group), self->simt.local), 0, self->size - 1);
}

/* The same, where neighbours are of this thread. */
static KValue
get_blocked (Tile *self,
             guint k)
{
  KValue first = kb_mul (self->l->b, self->simt.local, low_const (self->l, self->sort->each));

  return low_within (self->l, kb_add (self->l->b, first, low_const (self->l, k)), 0, self->size - 1);
}

static KValue
is_valid (Tile   *self,
          KValue  i)
{
  return kb_lt (self->l->b, i, self->n_valid);
}

/* The element at place @i of the tile; the last one where there is none. */
static KValue
get_element (Tile   *self,
             KValue  i)
{
  AccKernelBuilder *b = self->l->b;
  KValue last = kb_sub (b, self->n_valid, low_const (self->l, 1));

  return low_within (self->l, kb_add (b, self->begin, kb_min (b, i, last)), 0, self->radix->space->inner - 1);
}

/* Of all digits the last where there is no element: such stay behind all others. */
static KValue
get_digit (Tile   *self,
           guint   pass,
           KValue  i)
{
  AccLower *l = self->l;
  KValue key = acc_radix_get_key (self->radix, l, pass, self->u, get_element (self, i));

  return kb_select (l->b, is_valid (self, i), acc_radix_get_digit (self->radix, l, pass, key), low_const (l, ACC_RADIX_N_DIGITS - 1));
}

static KValue
make_word (Tile   *self,
           KValue  digit,
           KValue  place)
{
  AccKernelBuilder *b = self->l->b;

  return kb_or (b, kb_prim2 (b, ACC_PRIM_SHL, kb_cast (b, ACC_KIND_U32, digit), low_const (self->l, PLACE_BITS)), kb_cast (b, ACC_KIND_U32, place));
}

static KValue
get_place (Tile   *self,
           KValue  word)
{
  return to_index (self->l, kb_and (self->l->b, word, number (self->l, (1 << PLACE_BITS) - 1)), self->size);
}

static KValue
load_word (Tile   *self,
           KValue  i)
{
  return kb_load (self->l->b, self->words, spread (self->l, i));
}

/* Where the thread's counter of a digit of four bits is: the word, and the bits that it begins at. */
static KValue
get_counter (Tile   *self,
             KValue  half,
             KValue *bits)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue row = to_index (l, kb_and (b, half, number (l, WORDS - 1)), WORDS);

  *bits = to_index (l, kb_and (b, kb_prim2 (b, ACC_PRIM_SHL, half, low_const (l, 1)), number (l, 16)), 17);
  return spread (l, low_add (l, low_mul (l, row, low_const (l, self->sort->group)), self->simt.local));
}

static KValue
get_count (Tile   *self,
           KValue  word,
           KValue  bits)
{
  AccKernelBuilder *b = self->l->b;

  return kb_and (b, kb_prim2 (b, ACC_PRIM_SHR, word, bits), number (self->l, 0xffff));
}

/* In place of all counters what comes before each. */
static void
scan_counters (Tile *self)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue at[WORDS], counts[WORDS], sum = number (l, 0), total, before;

  for (guint w = 0; w < WORDS; w++)
    {
      KValue i = kb_add (b, kb_mul (b, self->simt.local, low_const (l, WORDS)), low_const (l, w));

      at[w] = spread (l, low_within (l, i, 0, (gint64) self->sort->group * WORDS - 1));
      counts[w] = kb_load (b, self->counters, at[w]);
    }
  for (guint w = 0; w < WORDS; w++)
    sum = kb_add (b, sum, counts[w]);
  before = sum_before (&self->simt, self->parts, sum, &total);
  /* All in the lower halves come before those in the upper ones. */
  before = kb_add (b, before, kb_prim2 (b, ACC_PRIM_SHL, total, low_const (l, 16)));
  for (guint w = 0; w < WORDS; w++)
    {
      kb_store (b, self->counters, at[w], before);
      before = kb_add (b, before, counts[w]);
    }
}

/* Puts the words in order by four bits from @bit on. */
static void
sort_by_half (Tile  *self,
              guint  bit)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  guint each = self->sort->each;
  KValue words[MAX_EACH], at[MAX_EACH], bits[MAX_EACH], before[MAX_EACH];

  for (guint k = 0; k < each; k++)
    words[k] = load_word (self, get_blocked (self, k));
  for (guint w = 0; w < WORDS; w++)
    kb_store (b, self->counters, spread (l, low_add (l, low_const (l, (gint64) w * self->sort->group), self->simt.local)), number (l, 0));
  for (guint k = 0; k < each; k++)
    {
      KValue half = kb_and (b, shift_right (l, words[k], PLACE_BITS + bit), number (l, (1 << HALF_BITS) - 1)), counter;

      at[k] = get_counter (self, half, &bits[k]);
      counter = kb_load (b, self->counters, at[k]);
      before[k] = get_count (self, counter, bits[k]);
      kb_store (b, self->counters, at[k], kb_add (b, counter, kb_prim2 (b, ACC_PRIM_SHL, number (l, 1), bits[k])));
    }
  kb_barrier (b);
  scan_counters (self);
  kb_barrier (b);
  for (guint k = 0; k < each; k++)
    {
      KValue rank = kb_add (b, before[k], get_count (self, kb_load (b, self->counters, at[k]), bits[k]));

      kb_store (b, self->words, spread (l, to_index (l, rank, self->size)), words[k]);
    }
  kb_barrier (b);
}

static void
sort_by_digit (Tile *self)
{
  for (guint bit = 0; bit < ACC_RADIX_BITS; bit += HALF_BITS)
    sort_by_half (self, bit);
}

/* --- elements through shared memory */

static void
stage (Tile          *self,
       AccElementKind kind,
       KValue         i,
       KValue         x)
{
  AccKernelBuilder *b = self->l->b;
  AccElementKind bits = acc_skeleton_get_bits (kind);
  KValue value = bits == kind ? x : kb_bitcast (b, bits, x);

  if (bits == ACC_KIND_U64)
    kb_store (b, self->wide, spread (self->l, i), value);
  else
    kb_store (b, self->words, spread (self->l, i), kb_cast (b, ACC_KIND_U32, value));
}

static KValue
unstage (Tile          *self,
         AccElementKind kind,
         KValue         i)
{
  AccKernelBuilder *b = self->l->b;
  AccElementKind bits = acc_skeleton_get_bits (kind);
  KValue value = kb_load (b, bits == ACC_KIND_U64 ? self->wide : self->words, spread (self->l, i));

  if (bits != ACC_KIND_U64)
    value = kb_cast (b, bits, value);
  return bits == kind ? value : kb_bitcast (b, kind, value);
}

/* Every thread has the @words of its places; element number k goes to @to[k], which is valid where it is. */
static void
move_elements (Tile         *self,
               guint         pass_read,
               guint         pass_written,
               const KValue *words,
               const KValue *to)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;

  for (guint leaf = 0; leaf < self->radix->n_leaves; leaf++)
    {
      AccElementKind kind = acc_element_type_get_leaf (self->radix->node->array->type, leaf);

      for (guint k = 0; k < self->sort->each; k++)
        {
          KValue i = get_striped (self, k);

          stage (self, kind, i, acc_radix_read (self->radix, l, pass_read, self->u, get_element (self, i), leaf));
        }
      kb_barrier (b);
      for (guint k = 0; k < self->sort->each; k++)
        {
          KValue value = unstage (self, kind, get_place (self, words[k]));

          low_if (l, is_valid (self, get_striped (self, k)))
            {
              acc_radix_write (self->radix, l, pass_written, leaf, to[k], value);
            }
        }
      kb_barrier (b);
    }
}

/* --- rows that fit a tile */

static void
stage_keys (Tile    *self,
            KBuffer  keys)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  AccElementKind kind = acc_element_kind_get_size (self->radix->key) == 8 ? ACC_KIND_U64 : ACC_KIND_U32;

  for (guint k = 0; k < self->sort->each; k++)
    {
      KValue i = get_striped (self, k);
      KValue key = kb_cast (b, kind, acc_radix_get_key (self->radix, l, 0, self->u, get_element (self, i)));

      kb_store (b, keys, spread (l, i), kb_select (b, is_valid (self, i), key, kb_int (b, kind, -1)));
      kb_store (b, self->words, spread (l, i), kb_cast (b, ACC_KIND_U32, i));
    }
  kb_barrier (b);
}

/* Words of the next digit, of the same places. */
static void
renew_words (Tile    *self,
             KBuffer  keys,
             KValue   shift)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  AccElementKind kind = acc_element_kind_get_size (self->radix->key) == 8 ? ACC_KIND_U64 : ACC_KIND_U32;

  for (guint k = 0; k < self->sort->each; k++)
    {
      KValue i = get_striped (self, k), place = get_place (self, load_word (self, i));
      KValue key = kb_prim2 (b, ACC_PRIM_SHR, kb_load (b, keys, spread (l, place)), shift);

      kb_store (b, self->words, spread (l, i), make_word (self, kb_and (b, key, kb_int (b, kind, ACC_RADIX_N_DIGITS - 1)), place));
    }
  kb_barrier (b);
}

static void
write_rows (Sort *self)
{
  AccRadix *radix = self->radix;
  KValue words[MAX_EACH], to[MAX_EACH];
  AccKernelBuilder *b;
  KBuffer keys;
  AccLower *l;
  Tile tile;

  begin_tile (&tile, self, "sort");
  add_shared (&tile);
  l = tile.l;
  b = l->b;
  keys = acc_element_kind_get_size (radix->key) == 8 ? tile.wide : kb_shared (b, ACC_KIND_U32, add_banks (tile.size), "keys");
  stage_keys (&tile, keys);
  low_for (l, pass, low_const (l, 0), low_const (l, radix->n_passes))
    {
      low_within (l, pass, 0, radix->n_passes - 1);
      renew_words (&tile, keys, kb_mul (b, pass, low_const (l, ACC_RADIX_BITS)));
      sort_by_digit (&tile);
    }

  for (guint k = 0; k < self->each; k++)
    {
      words[k] = load_word (&tile, get_striped (&tile, k));
      to[k] = kb_add (b, kb_mul (b, tile.u, low_number (l, radix->space->inner)), get_striped (&tile, k));
    }
  kb_barrier (b);
  move_elements (&tile, 0, radix->n_passes - 1, words, to);
  low_finish (l, acc_radix_get_launch (radix, radix->space->inner, 1, radix->space->inner, 4));
}

/* --- longer rows */

static KBuffer
get_counts (Sort     *self,
            AccLower *l)
{
  return low_scratch (l, self->counts, self->radix->count);
}

/* Where the count of @digit in the tile is. */
static KValue
get_count_place (Tile   *self,
                 KValue  digit)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue column = kb_add (b, kb_mul (b, self->u, low_const (l, ACC_RADIX_N_DIGITS)), digit);

  return kb_add (b, kb_mul (b, column, low_number (l, self->sort->n_tiles)), low_udiv (l, self->begin, self->size));
}

static void
write_counts (Sort  *self,
              guint  pass)
{
  AccRadix *radix = self->radix;
  AccKernelBuilder *b;
  KBuffer tables;
  AccLower *l;
  Tile tile;

  begin_tile (&tile, self, "sort_count");
  l = tile.l;
  b = l->b;
  tables = kb_shared (b, ACC_KIND_U32, ACC_RADIX_N_DIGITS * N_COPIES, "tables");
  for (guint i = 0; i < ACC_RADIX_N_DIGITS * N_COPIES; i += self->group)
    kb_store (b, tables, kb_add (b, tile.simt.local, low_const (l, i)), number (l, 0));
  kb_barrier (b);

  {
    KValue digits[MAX_EACH], copy = low_urem (l, tile.simt.local, N_COPIES);

    for (guint k = 0; k < self->each; k++)
      digits[k] = get_digit (&tile, pass, get_striped (&tile, k));
    for (guint k = 0; k < self->each; k++)
      {
        KValue one = kb_select (b, is_valid (&tile, get_striped (&tile, k)), number (l, 1), number (l, 0));

        kb_atomic (b, KB_ATOMIC_ADD, tables, kb_add (b, kb_mul (b, digits[k], low_const (l, N_COPIES)), copy), one);
      }
  }
  kb_barrier (b);

  for (guint i = 0; i < ACC_RADIX_N_DIGITS; i += self->group)
    {
      KValue digit = low_within (l, kb_add (b, tile.simt.local, low_const (l, i)), 0, ACC_RADIX_N_DIGITS - 1), sum = number (l, 0);

      for (guint c = 0; c < N_COPIES; c++)
        sum = kb_add (b, sum, kb_load (b, tables, kb_add (b, kb_mul (b, digit, low_const (l, N_COPIES)), low_const (l, c))));
      kb_store (b, get_counts (self, l), get_count_place (&tile, digit), kb_cast (b, radix->count, sum));
    }

  low_finish (l, acc_radix_get_launch (radix, radix->space->inner, 1, tile.size, 1));
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
begin_counts (Counts     *self,
              Sort       *sort,
              const char *name)
{
  AccElementKind kind = sort->radix->count;
  AccKernelBuilder *b;
  AccLower *l;

  self->l = l = acc_simt_begin_sized (&self->simt, sort->radix->step, name, sort->group, sort->group);
  b = l->b;
  self->parts = kb_shared (b, kind, sort->group, "parts");
  self->counts = get_counts (sort, l);
  self->sums = low_scratch (l, sort->sums, kind);
  self->u = low_within (l, kb_outer_begin (b), 0, sort->radix->space->outer - 1);
  self->begin = kb_inner_begin (b);
  self->end = kb_inner_end (b);
  self->first = kb_mul (b, self->u, low_number (l, sort->n_counts));
  self->chunk = kb_add (b, kb_mul (b, self->u, low_number (l, sort->n_chunks)), low_udiv (l, self->begin, sort->chunk));
}

static void
write_chunk_sums (Sort *self)
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
      KValue at = kb_add (b, kb_add (b, counts.begin, low_const (l, (gint64) k * self->group)), counts.simt.local);

      sum = kb_add (b, sum, load_count (l, counts.counts, counts.first, at, counts.end));
    }
  sum_before (&counts.simt, counts.parts, sum, &total);
  low_if (l, kb_eq (b, counts.simt.local, low_const (l, 0)))
    {
      kb_store (b, counts.sums, counts.chunk, total);
    }
  low_finish (l, acc_radix_get_launch (self->radix, self->n_counts, 1, self->chunk, 1));
}

/* One group per row: where the row begins is where its first chunk goes. */
static void
write_sums_before (Sort *self)
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
  low_for (l, w, low_const (l, 0), low_udiv (l, kb_add (b, counts.end, low_const (l, self->group - 1)), self->group))
    {
      KValue at = kb_add (b, kb_mul (b, w, low_const (l, self->group)), counts.simt.local), total;
      KValue before = sum_before (&counts.simt, counts.parts, load_count (l, counts.sums, first, at, counts.end), &total);

      low_if (l, kb_lt (b, at, counts.end))
        {
          kb_store (b, counts.sums, kb_add (b, first, at), kb_add (b, kb_get (b, carry), before));
        }
      kb_set (b, carry, kb_add (b, kb_get (b, carry), total));
    }
  low_finish (l, acc_radix_get_launch (self->radix, self->n_chunks, 1, self->n_chunks, 1));
}

static void
write_begins (Sort *self)
{
  KValue at[CHUNK_EACH], values[CHUNK_EACH], sum, total, before;
  AccKernelBuilder *b;
  Counts counts;
  AccLower *l;

  begin_counts (&counts, self, "sort_begins");
  l = counts.l;
  b = l->b;
  sum = kb_int (b, self->radix->count, 0);
  for (guint k = 0; k < CHUNK_EACH; k++)
    {
      at[k] = kb_add (b, kb_add (b, counts.begin, kb_mul (b, counts.simt.local, low_const (l, CHUNK_EACH))), low_const (l, k));
      values[k] = load_count (l, counts.counts, counts.first, at[k], counts.end);
    }
  for (guint k = 0; k < CHUNK_EACH; k++)
    sum = kb_add (b, sum, values[k]);
  before = kb_add (b, sum_before (&counts.simt, counts.parts, sum, &total), kb_load (b, counts.sums, counts.chunk));
  for (guint k = 0; k < CHUNK_EACH; k++)
    {
      low_if (l, kb_lt (b, at[k], counts.end))
        {
          kb_store (b, counts.counts, kb_add (b, counts.first, at[k]), before);
        }
      before = kb_add (b, before, values[k]);
    }
  low_finish (l, acc_radix_get_launch (self->radix, self->n_counts, 1, self->chunk, 1));
}

/* Where the elements of each digit go, less where they begin in the tile. Every thread has the @words of its places. */
static KBuffer
find_offsets (Tile         *self,
              const KValue *words)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  AccElementKind kind = self->radix->count;
  KBuffer offsets = kb_shared (b, kind, ACC_RADIX_N_DIGITS, "offsets");

  for (guint k = 0; k < self->sort->each; k++)
    {
      KValue i = get_striped (self, k), zero = low_const (l, 0), digit = shift_right (l, words[k], PLACE_BITS);
      KValue previous = load_word (self, low_within (l, kb_max (b, kb_sub (b, i, low_const (l, 1)), zero), 0, self->size - 1));

      low_if (l, kb_or (b, kb_eq (b, i, zero), kb_not (b, kb_eq (b, digit, shift_right (l, previous, PLACE_BITS)))))
        {
          kb_store (b, offsets, to_index (l, digit, ACC_RADIX_N_DIGITS), kb_cast (b, kind, i));
        }
    }
  kb_barrier (b);
  for (guint i = 0; i < ACC_RADIX_N_DIGITS; i += self->sort->group)
    {
      KValue digit = low_within (l, kb_add (b, self->simt.local, low_const (l, i)), 0, ACC_RADIX_N_DIGITS - 1);
      KValue begin = kb_load (b, get_counts (self->sort, l), get_count_place (self, digit));

      kb_store (b, offsets, digit, kb_sub (b, begin, kb_load (b, offsets, digit)));
    }
  kb_barrier (b);

  return offsets;
}

static void
write_moves (Sort  *self,
             guint  pass)
{
  AccRadix *radix = self->radix;
  KValue words[MAX_EACH], to[MAX_EACH];
  AccKernelBuilder *b;
  KBuffer offsets;
  AccLower *l;
  Tile tile;

  begin_tile (&tile, self, "sort_move");
  add_shared (&tile);
  l = tile.l;
  b = l->b;
  for (guint k = 0; k < self->each; k++)
    words[k] = make_word (&tile, get_digit (&tile, pass, get_striped (&tile, k)), get_striped (&tile, k));
  for (guint k = 0; k < self->each; k++)
    kb_store (b, tile.words, spread (l, get_striped (&tile, k)), words[k]);
  kb_barrier (b);
  sort_by_digit (&tile);

  for (guint k = 0; k < self->each; k++)
    words[k] = load_word (&tile, get_striped (&tile, k));
  offsets = find_offsets (&tile, words);
  for (guint k = 0; k < self->each; k++)
    {
      KValue digit = to_index (l, shift_right (l, words[k], PLACE_BITS), ACC_RADIX_N_DIGITS);
      KValue place = kb_add (b, kb_load (b, offsets, digit), kb_cast (b, radix->count, get_striped (&tile, k)));

      to[k] = low_within (l, kb_cast (b, ACC_KIND_I64, place), 0, radix->node->size - 1);
    }
  move_elements (&tile, pass, pass, words, to);
  low_finish (l, acc_radix_get_launch (radix, radix->space->inner, 1, tile.size, 4));
}

static void
write_tiles (Sort *self)
{
  AccStep *step = self->radix->step;

  acc_radix_add_moved (self->radix, self->radix->node->size);
  self->n_counts = ACC_RADIX_N_DIGITS * self->n_tiles;
  self->chunk = (gint64) self->group * CHUNK_EACH;
  self->n_chunks = (self->n_counts + self->chunk - 1) / self->chunk;
  self->counts = acc_step_add_scratch (step, self->radix->count, self->radix->space->outer * self->n_counts);
  self->sums = acc_step_add_scratch (step, self->radix->count, self->radix->space->outer * self->n_chunks);
  for (guint pass = 0; pass < self->radix->n_passes; pass++)
    {
      write_counts (self, pass);
      write_chunk_sums (self);
      write_sums_before (self);
      write_begins (self);
      write_moves (self, pass);
    }
}

void
acc_skeleton_sort_simt (AccRadix *radix)
{
  Sort self = { .radix = radix };

  choose_tile (&self);
  self.n_tiles = (radix->space->inner + (gint64) self.group * self.each - 1) / ((gint64) self.group * self.each);
  radix->by_rows = self.n_tiles == 1 && radix->node->rank > 1;
  if (self.n_tiles == 1)
    write_rows (&self);
  else
    write_tiles (&self);
}
