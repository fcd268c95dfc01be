/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix.h"

/* Sorts by groups of threads, each of which puts a tile in order by a digit, in shared memory (N. Satish, M. Harris and M. Garland,
 * 2009): rows that fit a tile by all digits, one after the other; of longer ones tiles count their digits, the counts are scanned,
 * and tiles move theirs, in runs of equal digits. No group waits for another.
 *
 * What is put in order in a tile are words: of a digit, and of where in the tile its element is. That is done four bits at a time:
 * every thread counts its own, which are neighbours, in counters that nobody else has, two to a word; a scan of all counters tells
 * where each goes. */

#define MAX_GROUP    128
#define MIN_GROUP    64
#define MAX_EACH     32     /* elements of a thread */
#define MIN_EACH     4
#define LEAST_SUBGROUP 16   /* of devices whose threads are no loops */
#define N_COPIES     4      /* tables of a group that counts */
#define GAP          4      /* places left out after those of a thread: 16 bytes, so that threads are in other banks */
#define WORDS        8      /* of a thread's counters */
#define HALF_BITS    4
#define PLACE_BITS   16
#define COUNTER_BITS 16
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
  KBuffer   offsets;      /* per digit: from a place in the tile to where it goes */
} Tile;

/* Words for the elements of all threads. */
static guint
add_gaps (guint group,
          guint each)
{
  return group * (each + GAP);
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
sum_before (const AccSimt *simt,
            KBuffer        parts,
            KValue         x,
            KValue        *total)
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
    if (acc_element_kind_get_size (acc_radix_get_kind (radix, i)) == 8)
      return TRUE;

  return acc_element_kind_get_size (radix->key) == 8;
}

/* Of shared memory. */
static gsize
count_bytes (AccRadix *radix,
             guint     group,
             guint     each)
{
  gsize words = add_gaps (group, each);

  return 4 * words * 2 + 4 * group * WORDS + 4 * group + (has_wide (radix) ? 8 * words : 0) + 8 * ACC_RADIX_N_DIGITS;
}

/* Tiles as large as shared memory and rows let them be. */
static void
choose_tile (Sort *self)
{
  const AccTarget *target = self->radix->step->fusion->target;
  gint64 n = self->radix->space->inner;

  self->group = MIN (MAX_GROUP, target->max_group_size);
  /* Where few threads shuffle, or none, they are loops of processors, and what is written out for each costs time to compile. */
  self->each = target->subgroup_size >= LEAST_SUBGROUP ? MAX_EACH : MIN_EACH;
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

  self->words = kb_shared (b, ACC_KIND_U32, add_gaps (self->sort->group, self->sort->each), "words");
  self->counters = kb_shared (b, ACC_KIND_U32, self->sort->group * WORDS, "counters");
  self->parts = kb_shared (b, ACC_KIND_U32, self->sort->group, "parts");
  if (has_wide (self->radix))
    self->wide = kb_shared (b, ACC_KIND_U64, add_gaps (self->sort->group, self->sort->each), "wide");
}

/* The place of this thread among those from @first on, where neighbours are of neighbouring threads. */
static KValue
get_striped_at (Tile   *self,
                KValue  first)
{
  return low_within (self->l, kb_add (self->l->b, first, self->simt.local), 0, self->size - 1);
}

/* Its place number @k. */
static KValue
get_striped (Tile *self,
             guint k)
{
  return get_striped_at (self, low_const (self->l, (gint64) k * self->sort->group));
}

/* Where in shared memory place @i is. */
static KValue
spread (Tile   *self,
        KValue  i)
{
  return low_add (self->l, i, low_mul (self->l, low_udiv (self->l, i, self->sort->each), low_const (self->l, GAP)));
}

/* Word number @k of this thread, where neighbours are of this thread. */
static KValue
load_own_word (Tile *self,
               guint k)
{
  AccKernelBuilder *b = self->l->b;
  KValue first = kb_mul (b, self->simt.local, low_const (self->l, self->sort->each + GAP));

  return kb_load (b, self->words, kb_add (b, first, low_const (self->l, k)));
}

static KValue
is_valid (Tile   *self,
          KValue  i)
{
  return kb_lt (self->l->b, i, self->n_valid);
}

/* What is done with place @i of the tile, and element @x of the row: the last one where @valid says that there is none. */
typedef void (*Each) (Tile *self, KValue i, KValue x, KValue valid, gconstpointer data);

/* All places of the thread: at once where the tile is full, so that loads are. */
static void
for_each (Tile          *self,
          Each           each,
          gconstpointer  data)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  gint64 last = self->radix->space->inner - 1;

  low_if (l, kb_eq (b, self->n_valid, low_const (l, self->size)))
    {
      KValue valid = kb_int (b, ACC_KIND_BOOL, 1);

      for (guint k = 0; k < self->sort->each; k++)
        {
          KValue i = get_striped (self, k);

          each (self, i, low_within (l, kb_add (b, self->begin, i), 0, last), valid, data);
        }
    }
  low_else (l)
    {
      low_for (l, k, low_const (l, 0), low_const (l, self->sort->each))
        {
          KValue i = get_striped_at (self, kb_mul (b, low_within (l, k, 0, self->sort->each - 1), low_const (l, self->sort->group)));
          KValue x = kb_add (b, self->begin, kb_min (b, i, kb_sub (b, self->n_valid, low_const (l, 1))));

          each (self, i, low_within (l, x, 0, last), is_valid (self, i), data);
        }
    }
}

/* The digit of element @x; of all digits the last where there is no element: such stay behind all others. */
static KValue
get_digit (Tile   *self,
           guint   pass,
           KValue  x,
           KValue  valid)
{
  AccLower *l = self->l;
  KValue key = acc_radix_get_key (self->radix, l, pass, self->u, x);

  return kb_select (l->b, valid, acc_radix_get_digit (self->radix, l, pass, key), low_const (l, ACC_RADIX_N_DIGITS - 1));
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
  return kb_load (self->l->b, self->words, spread (self, i));
}

/* Where the thread's counter of the digit of four bits from @bit on is: the word, and the bits that it begins at. */
static KValue
get_counter (Tile   *self,
             KValue  word,
             guint   bit,
             KValue *bits)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue half = shift_right (l, word, PLACE_BITS + bit), row = to_index (l, kb_and (b, half, number (l, WORDS - 1)), WORDS);

  *bits = to_index (l, kb_and (b, kb_prim2 (b, ACC_PRIM_SHL, half, low_const (l, 1)), number (l, COUNTER_BITS)), COUNTER_BITS + 1);
  return low_add (l, low_mul (l, row, low_const (l, self->sort->group)), self->simt.local);
}

static KValue
get_count (Tile   *self,
           KValue  word,
           KValue  bits)
{
  AccKernelBuilder *b = self->l->b;

  return kb_and (b, kb_prim2 (b, ACC_PRIM_SHR, word, bits), number (self->l, (1 << COUNTER_BITS) - 1));
}

/* In place of all counters what comes before each. */
static void
scan_counters (Tile *self)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue first = kb_mul (b, self->simt.local, low_const (l, WORDS)), counts[WORDS], sum = number (l, 0), total, before;

  for (guint w = 0; w < WORDS; w++)
    counts[w] = kb_load (b, self->counters, kb_add (b, first, low_const (l, w)));
  for (guint w = 0; w < WORDS; w++)
    sum = kb_add (b, sum, counts[w]);
  before = sum_before (&self->simt, self->parts, sum, &total);
  /* All in the lower halves come before those in the upper ones. */
  before = kb_add (b, before, kb_prim2 (b, ACC_PRIM_SHL, total, low_const (l, COUNTER_BITS)));
  for (guint w = 0; w < WORDS; w++)
    {
      kb_store (b, self->counters, kb_add (b, first, low_const (l, w)), before);
      before = kb_add (b, before, counts[w]);
    }
}

/* Counts the thread's words by the digit of four bits from @bit on. In a byte of @before, for each: how many of its digit the thread
 * has before it. */
static void
count_words (Tile   *self,
             guint   bit,
             KValue *before)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;

  for (guint w = 0; w < WORDS; w++)
    kb_store (b, self->counters, kb_add (b, low_const (l, (gint64) w * self->sort->group), self->simt.local), number (l, 0));
  for (guint k = 0; k < self->sort->each; k++)
    {
      KValue bits, at = get_counter (self, load_own_word (self, k), bit, &bits), counter = kb_load (b, self->counters, at);
      KValue n = kb_prim2 (b, ACC_PRIM_SHL, get_count (self, counter, bits), low_const (l, 8 * (k % 4)));

      before[k / 4] = k % 4 == 0 ? n : kb_or (b, before[k / 4], n);
      kb_store (b, self->counters, at, kb_add (b, counter, kb_prim2 (b, ACC_PRIM_SHL, number (l, 1), bits)));
    }
}

/* Puts the words in order by four bits from @bit on. What is easily had again is not held over barriers. */
static void
sort_by_half (Tile  *self,
              guint  bit)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue before[MAX_EACH / 4], words[MAX_EACH], ranks[MAX_EACH];

  count_words (self, bit, before);
  kb_barrier (b);
  scan_counters (self);
  kb_barrier (b);
  for (guint k = 0; k < self->sort->each; k++)
    {
      KValue bits, at, n = kb_and (b, shift_right (l, before[k / 4], 8 * (k % 4)), number (l, 0xff));

      words[k] = load_own_word (self, k);
      at = get_counter (self, words[k], bit, &bits);
      ranks[k] = kb_add (b, n, get_count (self, kb_load (b, self->counters, at), bits));
    }
  kb_barrier (b);
  for (guint k = 0; k < self->sort->each; k++)
    kb_store (b, self->words, spread (self, to_index (l, ranks[k], self->size)), words[k]);
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
    kb_store (b, self->wide, spread (self, i), value);
  else
    kb_store (b, self->words, spread (self, i), kb_cast (b, ACC_KIND_U32, value));
}

static KValue
unstage (Tile          *self,
         AccElementKind kind,
         KValue         i)
{
  AccKernelBuilder *b = self->l->b;
  AccElementKind bits = acc_skeleton_get_bits (kind);
  KValue value = kb_load (b, bits == ACC_KIND_U64 ? self->wide : self->words, spread (self, i));

  if (bits != ACC_KIND_U64)
    value = kb_cast (b, bits, value);
  return bits == kind ? value : kb_bitcast (b, kind, value);
}

typedef struct {
  guint          pass, leaf;
  AccElementKind kind;
} Staged;

static void
stage_element (Tile          *self,
               KValue         i,
               KValue         x,
               KValue         valid,
               gconstpointer  data)
{
  const Staged *staged = data;

  stage (self, staged->kind, i, acc_radix_read (self->radix, self->l, staged->pass, self->u, x, staged->leaf));
}

/* Where place @i of the tile, which has @word, goes. */
typedef KValue (*Target) (Tile *self, KValue word, KValue i);

/* Every thread has the @words of its places. */
static void
move_elements (Tile         *self,
               guint         pass_read,
               guint         pass_written,
               const KValue *words,
               Target        target)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;

  for (guint leaf = 0; leaf < self->radix->n_leaves; leaf++)
    {
      Staged staged = { pass_read, leaf, acc_radix_get_kind (self->radix, leaf) };

      for_each (self, stage_element, &staged);
      kb_barrier (b);
      for (guint k = 0; k < self->sort->each; k++)
        {
          KValue i = get_striped (self, k), value = unstage (self, staged.kind, get_place (self, words[k])), to = target (self, words[k], i);

          low_if (l, is_valid (self, i))
            {
              acc_radix_write (self->radix, l, pass_written, leaf, to, value);
            }
        }
      kb_barrier (b);
    }
}

/* --- rows that fit a tile */

static AccElementKind
get_key_kind (AccRadix *radix)
{
  return acc_element_kind_get_size (radix->key) == 8 ? ACC_KIND_U64 : ACC_KIND_U32;
}

static void
stage_key (Tile          *self,
           KValue         i,
           KValue         x,
           KValue         valid,
           gconstpointer  data)
{
  const KBuffer *keys = data;
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  AccElementKind kind = get_key_kind (self->radix);
  KValue key = kb_cast (b, kind, acc_radix_get_key (self->radix, l, 0, self->u, x));

  kb_store (b, *keys, spread (self, i), kb_select (b, valid, key, kb_int (b, kind, -1)));
  kb_store (b, self->words, spread (self, i), kb_cast (b, ACC_KIND_U32, i));
}

/* Words of the next digit, of the same places. */
static void
renew_words (Tile    *self,
             KBuffer  keys,
             KValue   shift)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  AccElementKind kind = get_key_kind (self->radix);

  for (guint k = 0; k < self->sort->each; k++)
    {
      KValue i = get_striped (self, k), place = get_place (self, load_word (self, i));
      KValue key = kb_prim2 (b, ACC_PRIM_SHR, kb_load (b, keys, spread (self, place)), shift);

      kb_store (b, self->words, spread (self, i), make_word (self, kb_and (b, key, kb_int (b, kind, ACC_RADIX_N_DIGITS - 1)), place));
    }
  kb_barrier (b);
}

static KValue
get_row_target (Tile   *self,
                KValue  word,
                KValue  i)
{
  AccKernelBuilder *b = self->l->b;

  return kb_add (b, kb_mul (b, self->u, low_number (self->l, self->radix->space->inner)), i);
}

static void
write_rows (Sort *self)
{
  AccRadix *radix = self->radix;
  KValue words[MAX_EACH];
  AccKernelBuilder *b;
  KBuffer keys;
  AccLower *l;
  Tile tile;

  begin_tile (&tile, self, "sort");
  add_shared (&tile);
  l = tile.l;
  b = l->b;
  keys = get_key_kind (radix) == ACC_KIND_U64 ? tile.wide : kb_shared (b, ACC_KIND_U32, add_gaps (self->group, self->each), "keys");
  for_each (&tile, stage_key, &keys);
  kb_barrier (b);
  low_for (l, pass, low_const (l, 0), low_const (l, radix->n_passes))
    {
      low_within (l, pass, 0, radix->n_passes - 1);
      renew_words (&tile, keys, kb_mul (b, pass, low_const (l, ACC_RADIX_BITS)));
      sort_by_digit (&tile);
    }

  for (guint k = 0; k < self->each; k++)
    words[k] = load_word (&tile, get_striped (&tile, k));
  kb_barrier (b);
  move_elements (&tile, 0, radix->n_passes - 1, words, get_row_target);
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

typedef struct {
  guint   pass;
  KBuffer tables;
} Counted;

static void
count_element (Tile          *self,
               KValue         i,
               KValue         x,
               KValue         valid,
               gconstpointer  data)
{
  const Counted *counted = data;
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue digit = get_digit (self, counted->pass, x, valid), copy = low_urem (l, self->simt.local, N_COPIES);

  kb_atomic (b, KB_ATOMIC_ADD, counted->tables, kb_add (b, kb_mul (b, digit, low_const (l, N_COPIES)), copy),
             kb_select (b, valid, number (l, 1), number (l, 0)));
}

static void
write_counts (Sort  *self,
              guint  pass)
{
  AccRadix *radix = self->radix;
  Counted counted = { pass };
  AccKernelBuilder *b;
  AccLower *l;
  Tile tile;

  begin_tile (&tile, self, "sort_count");
  l = tile.l;
  b = l->b;
  counted.tables = kb_shared (b, ACC_KIND_U32, ACC_RADIX_N_DIGITS * N_COPIES, "tables");
  for (guint i = 0; i < ACC_RADIX_N_DIGITS * N_COPIES; i += self->group)
    kb_store (b, counted.tables, kb_add (b, tile.simt.local, low_const (l, i)), number (l, 0));
  kb_barrier (b);
  for_each (&tile, count_element, &counted);
  kb_barrier (b);

  for (guint i = 0; i < ACC_RADIX_N_DIGITS; i += self->group)
    {
      KValue digit = low_within (l, kb_add (b, tile.simt.local, low_const (l, i)), 0, ACC_RADIX_N_DIGITS - 1), sum = number (l, 0);

      for (guint c = 0; c < N_COPIES; c++)
        sum = kb_add (b, sum, kb_load (b, counted.tables, kb_add (b, kb_mul (b, digit, low_const (l, N_COPIES)), low_const (l, c))));
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
  self->first = kb_mul (b, kb_mul (b, self->u, low_number (l, sort->n_tiles)), low_const (l, ACC_RADIX_N_DIGITS));
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

/* The thread's counts, which are neighbours, from @at on; all that exist become what is before each. */
static void
write_thread_begins (Sort         *self,
                     const Counts *counts,
                     KValue        at,
                     gboolean      whole)
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
  before = kb_add (b, sum_before (&counts->simt, counts->parts, sum, &total), kb_load (b, counts->sums, counts->chunk));
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
write_begins (Sort *self)
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

/* Where the elements of each digit go, less where they begin in the tile. Every thread has the @words of its places. */
static void
find_offsets (Tile         *self,
              const KValue *words)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  AccElementKind kind = self->radix->count;
  KBuffer offsets = self->offsets = kb_shared (b, kind, ACC_RADIX_N_DIGITS, "offsets");

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
}

static KValue
get_target (Tile   *self,
            KValue  word,
            KValue  i)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue offset = kb_load (b, self->offsets, to_index (l, shift_right (l, word, PLACE_BITS), ACC_RADIX_N_DIGITS));

  return low_within (l, kb_cast (b, ACC_KIND_I64, kb_add (b, offset, kb_cast (b, self->radix->count, i))), 0, self->radix->node->size - 1);
}

static void
store_word (Tile          *self,
            KValue         i,
            KValue         x,
            KValue         valid,
            gconstpointer  data)
{
  const guint *pass = data;

  kb_store (self->l->b, self->words, spread (self, i), make_word (self, get_digit (self, *pass, x, valid), i));
}

static void
write_moves (Sort  *self,
             guint  pass)
{
  AccRadix *radix = self->radix;
  KValue words[MAX_EACH];
  Tile tile;

  begin_tile (&tile, self, "sort_move");
  add_shared (&tile);
  for_each (&tile, store_word, &pass);
  kb_barrier (tile.l->b);
  sort_by_digit (&tile);

  for (guint k = 0; k < self->each; k++)
    words[k] = load_word (&tile, get_striped (&tile, k));
  find_offsets (&tile, words);
  move_elements (&tile, pass, pass, words, get_target);
  low_finish (tile.l, acc_radix_get_launch (radix, radix->space->inner, 1, tile.size, 4));
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
