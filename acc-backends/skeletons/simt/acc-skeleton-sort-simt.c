/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix-tile.h"
#include "acc-simt.h"

/* Sorts by groups of threads, each of which puts a tile in order by a digit, in shared memory (N. Satish, M. Harris and M. Garland,
 * 2009). Rows that fit a tile are sorted by all digits there; tiles of longer ones learn the places of their digits, and move elements
 * there in runs of equal digits. */

#define MIN_GROUP      64
#define MAX_GROUP      128
#define MAX_GROUP_WITH_BALLOTS 256
#define MIN_EACH       4      /* elements of a thread */
#define LEAST_SUBGROUP 16     /* of devices whose threads are no loops */
#define RESIDENT       768    /* threads of a processor that moves */
#define SHORT_ROW      32     /* elements that one thread puts in order */
#define ROWS           4      /* of a thread, where there are many */

/* Each digit has a thread, or several digits one. */
G_STATIC_ASSERT (MAX_GROUP_WITH_BALLOTS <= ACC_RADIX_N_DIGITS);

/* A kernel that moves elements. */
typedef struct {
  AccRadixTile      tile;
  AccRadix         *radix;
  AccLower         *l;
  guint             pass;
  KBuffer           wide;       /* shared: elements of eight bytes */
  KBuffer           offsets;    /* shared: per digit, from a place in the tile to where it goes */
  AccRadixCounts   *counts;     /* one of these knows */
  AccRadixLookBack *look_back;
} Mover;

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
count_bytes (AccRadixSort *self,
             gboolean      has_keys)
{
  const AccTarget *target = self->radix->step->fusion->target;
  gsize words = acc_radix_order_count_words (target, self->group, self->each);

  return acc_radix_order_count_bytes (target, self->group, self->each) + (has_wide (self->radix) ? 8 * words : has_keys ? 4 * words : 0)
         + 8 * ACC_RADIX_N_DIGITS;
}

/* Tiles as large as shared memory and rows let them be. */
static void
choose_tile (AccRadixSort *self,
             gboolean      of_rows)
{
  const AccTarget *target = self->radix->step->fusion->target;
  gint64 n = self->radix->space->inner;

  self->group = MIN (acc_radix_order_has_ballots (target) ? MAX_GROUP_WITH_BALLOTS : MAX_GROUP, target->max_group_size);
  /* Where few threads shuffle, or none, they are loops of processors, and what is written out for each costs time to compile. */
  self->each = target->subgroup_size >= LEAST_SUBGROUP
               ? MIN (MIN (ACC_RADIX_MAX_EACH, target->max_held), ACC_RADIX_MAX_TILE / self->group) : MIN_EACH;
  self->is_small = !of_rows && self->radix->node->size < target->few;
  if (self->is_small)
    self->each = MIN (self->each, MIN_EACH);
  while (self->each > 1 && count_bytes (self, of_rows) > target->shared_bytes)
    self->each /= 2;
  while (self->each > MIN_EACH && (gint64) self->group * self->each / 2 >= n)
    self->each /= 2;
  while (self->group > MIN_GROUP && (gint64) self->group * self->each / 2 >= n)
    self->group /= 2;
  self->n_tiles = (n + (gint64) self->group * self->each - 1) / ((gint64) self->group * self->each);
}

/* Shared memory for an element of each place. */
static KBuffer
new_places (Mover         *self,
            AccElementKind kind,
            const char    *name)
{
  const AccRadixSort *sort = self->tile.sort;

  return kb_shared (self->l->b, kind, acc_radix_order_count_words (self->l->step->fusion->target, sort->group, sort->each), name);
}

static void
begin (Mover        *self,
       AccRadixSort *sort,
       const char   *name)
{
  acc_radix_tile_begin (&self->tile, sort, name);
  self->radix = sort->radix;
  self->l = self->tile.l;
  acc_radix_order_add_shared (&self->tile.order);
  if (has_wide (sort->radix))
    self->wide = new_places (self, ACC_KIND_U64, "wide");
}

/* --- elements through shared memory */

static KBuffer
get_stage (Mover         *self,
           AccElementKind kind)
{
  return acc_element_kind_get_size (kind) == 8 ? self->wide : self->tile.order.words;
}

typedef struct {
  Mover         *mover;
  guint          leaf, pass_written;
  AccElementKind kind;
} Staged;

static void
stage_element (AccRadixTile *tile,
               KValue        i,
               KValue        x,
               KValue        valid G_GNUC_UNUSED,
               gconstpointer data)
{
  const Staged *staged = data;
  AccKernelBuilder *b = tile->l->b;
  AccElementKind bits = acc_skeleton_get_bits (staged->kind);
  KValue value = acc_radix_read (tile->radix, tile->l, staged->mover->pass, tile->u, x, staged->leaf);

  if (bits != staged->kind)
    value = kb_bitcast (b, bits, value);
  kb_store (b, get_stage (staged->mover, bits), acc_radix_order_spread (&tile->order, i),
            bits == ACC_KIND_U64 ? value : kb_cast (b, ACC_KIND_U32, value));
}

static KValue
unstage (Mover         *self,
         AccElementKind kind,
         KValue         i)
{
  AccKernelBuilder *b = self->l->b;
  AccElementKind bits = acc_skeleton_get_bits (kind);
  KValue value = kb_load (b, get_stage (self, bits), acc_radix_order_spread (&self->tile.order, i));

  if (bits != ACC_KIND_U64)
    value = kb_cast (b, bits, value);
  return bits == kind ? value : kb_bitcast (b, kind, value);
}

/* Where place @i of the tile, which has @word, goes. */
typedef KValue (*Target) (Mover *self, KValue word, KValue i);

/* The element of place number @k of this thread. */
static void
write_element (Mover        *self,
               const Staged *staged,
               guint         k,
               KValue        word,
               Target        target)
{
  KValue to = target (self, word, acc_radix_tile_get_place (&self->tile, k));
  KValue value = unstage (self, staged->kind, acc_radix_word_get_place (&self->tile.order, word));

  acc_radix_write (self->radix, self->l, staged->pass_written, staged->leaf, to, value);
}

static void
write_valid (Mover        *self,
             const Staged *staged,
             const KValue *words,
             Target        target)
{
  AccLower *l = self->l;

  for (guint k = 0; k < self->tile.sort->each; k++)
    low_if (l, acc_radix_tile_is_valid (&self->tile, acc_radix_tile_get_place (&self->tile, k)))
      {
        write_element (self, staged, k, words[k], target);
      }
}

static void
write_full (Mover        *self,
            const Staged *staged,
            const KValue *words,
            Target        target)
{
  for (guint k = 0; k < self->tile.sort->each; k++)
    write_element (self, staged, k, words[k], target);
}

/* Of pass @pass_written; every thread has the @words of its places. */
static void
move_elements (Mover        *self,
               guint         pass_written,
               const KValue *words,
               Target        target)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;

  for (guint leaf = 0; leaf < self->radix->n_leaves; leaf++)
    {
      Staged staged = { self, leaf, pass_written, acc_radix_get_kind (self->radix, leaf) };

      if (!acc_radix_wants (self->radix, pass_written, leaf))
        continue;
      acc_radix_tile_for_each (&self->tile, stage_element, &staged);
      kb_barrier (b);
      if (self->tile.sort->is_small)
        {
          write_valid (self, &staged, words, target);
        }
      else
        {
          low_if (l, acc_radix_tile_is_full (&self->tile))
            {
              write_full (self, &staged, words, target);
            }
          low_else (l)
            {
              write_valid (self, &staged, words, target);
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
stage_key (AccRadixTile *tile,
           KValue        i,
           KValue        x,
           KValue        valid,
           gconstpointer data)
{
  const KBuffer *keys = data;
  AccKernelBuilder *b = tile->l->b;
  AccElementKind kind = get_key_kind (tile->radix);
  KValue key = kb_cast (b, kind, acc_radix_get_key (tile->radix, tile->l, 0, tile->u, x));

  kb_store (b, *keys, acc_radix_order_spread (&tile->order, i), kb_select (b, valid, key, kb_int (b, kind, -1)));
  acc_radix_order_store (&tile->order, i, low_const (tile->l, 0), i);
}

/* Words of the next digit, of the same places. */
static void
renew_words (Mover  *self,
             KBuffer keys,
             KValue  shift)
{
  AccKernelBuilder *b = self->l->b;
  AccRadixOrder *order = &self->tile.order;
  AccElementKind kind = get_key_kind (self->radix);

  for (guint k = 0; k < order->each; k++)
    {
      KValue i = acc_radix_tile_get_place (&self->tile, k), place = acc_radix_word_get_place (order, acc_radix_order_load (order, i));
      KValue key = kb_prim2 (b, ACC_PRIM_SHR, kb_load (b, keys, acc_radix_order_spread (order, place)), shift);

      acc_radix_order_store (order, i, kb_and (b, key, kb_int (b, kind, ACC_RADIX_N_DIGITS - 1)), place);
    }
}

static KValue
get_row_target (Mover *self,
                KValue word G_GNUC_UNUSED,
                KValue i)
{
  AccKernelBuilder *b = self->l->b;

  return kb_add (b, kb_mul (b, self->tile.u, low_number (self->l, self->radix->space->inner)), i);
}

static void
write_rows (AccRadixSort *sort)
{
  AccRadix *radix = sort->radix;
  KValue words[ACC_RADIX_MAX_EACH];
  Mover self = { .pass = 0 };
  KBuffer keys;
  AccLower *l;

  begin (&self, sort, "sort");
  l = self.l;
  keys = get_key_kind (radix) == ACC_KIND_U64 ? self.wide : new_places (&self, ACC_KIND_U32, "keys");
  acc_radix_tile_for_each (&self.tile, stage_key, &keys);
  kb_barrier (l->b);
  low_for (l, pass, low_const (l, 0), low_const (l, radix->n_passes))
    {
      low_within (l, pass, 0, radix->n_passes - 1);
      renew_words (&self, keys, kb_mul (l->b, pass, low_const (l, ACC_RADIX_BITS)));
      acc_radix_order_sort (&self.tile.order, NULL, NULL);
    }

  acc_radix_order_load_own (&self.tile.order, words);
  move_elements (&self, radix->n_passes - 1, words, get_row_target);
  low_finish (l, acc_radix_get_launch (radix, radix->space->inner, 1, radix->space->inner, 4));
}

/* --- longer rows */

/* What is done with a digit, which begins at @begin of the tile and has @n elements there. */
typedef void (*EachDigit) (Mover *self, KValue digit, KValue begin, KValue n);

static void
for_each_digit (Mover    *self,
                EachDigit each)
{
  AccRadixOrder *order = &self->tile.order;
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  guint group = self->tile.simt.group;

  for (guint i = 0; i < ACC_RADIX_N_DIGITS; i += group)
    {
      KValue digit = low_within (l, kb_add (b, self->tile.simt.local, low_const (l, i)), 0, ACC_RADIX_N_DIGITS - 1);
      KValue begin = kb_load (b, order->begins, digit), end = kb_load (b, order->begins, kb_add (b, digit, low_const (l, 1)));

      each (self, digit, begin, kb_sub (b, end, begin));
    }
}

static void
publish (Mover *self,
         KValue digit,
         KValue begin G_GNUC_UNUSED,
         KValue n)
{
  acc_radix_look_back_publish (self->look_back, &self->tile, self->pass, digit, n);
}

static void
find_offset (Mover *self,
             KValue digit,
             KValue begin,
             KValue n)
{
  AccKernelBuilder *b = self->l->b;
  AccElementKind kind = self->radix->count;
  KValue to;

  if (self->look_back != NULL)
    to = kb_cast (b, kind, acc_radix_look_back_find (self->look_back, &self->tile, self->pass, digit, n));
  else
    to = acc_radix_counts_get_begin (self->counts, &self->tile, digit);
  kb_store (b, self->offsets, digit, kb_sub (b, to, kb_cast (b, kind, begin)));
}

/* As soon as it is known where digits begin. */
static void
begins_known (gpointer data)
{
  Mover *self = data;

  if (self->look_back != NULL)
    for_each_digit (self, publish);
}

static KValue
get_target (Mover *self,
            KValue word,
            KValue i)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue offset = kb_load (b, self->offsets, acc_radix_word_get_digit (&self->tile.order, word));

  return low_within (l, kb_cast (b, ACC_KIND_I64, kb_add (b, offset, kb_cast (b, self->radix->count, i))), 0, self->radix->node->size - 1);
}

static void
store_word (AccRadixTile *tile,
            KValue        i,
            KValue        x,
            KValue        valid,
            gconstpointer data)
{
  const guint *pass = data;

  acc_radix_order_store (&tile->order, i, acc_radix_tile_get_digit (tile, *pass, x, valid), i);
}

static void
write_moves (AccRadixSort     *sort,
             guint             pass,
             AccRadixCounts   *counts,
             AccRadixLookBack *look_back)
{
  Mover self = { .pass = pass, .counts = counts, .look_back = look_back };
  KValue words[ACC_RADIX_MAX_EACH];

  begin (&self, sort, "sort_move");
  kb_set_resident (self.l->b, RESIDENT);
  self.offsets = kb_shared (self.l->b, sort->radix->count, ACC_RADIX_N_DIGITS, "offsets");
  acc_radix_tile_for_each (&self.tile, store_word, &pass);
  acc_radix_order_sort (&self.tile.order, begins_known, &self);
  acc_radix_order_load_own (&self.tile.order, words);
  for_each_digit (&self, find_offset);
  kb_barrier (self.l->b);
  move_elements (&self, pass, words, get_target);
  low_finish (self.l, acc_radix_get_launch (sort->radix, sort->radix->space->inner, 1, self.tile.size, 4));
}

static void
write_tiles (AccRadixSort *self)
{
  gboolean looks_back = acc_radix_look_back_can (self->radix->step);
  g_autoptr(AccRadixLookBack) look_back = looks_back ? acc_radix_look_back_new (self) : NULL;
  g_autoptr(AccRadixCounts) counts = looks_back ? NULL : acc_radix_counts_new (self);

  self->radix->is_uniform = TRUE;
  acc_radix_add_moved (self->radix, self->radix->node->size);
  for (guint pass = 0; pass < self->radix->n_passes; pass++)
    {
      if (!looks_back)
        acc_radix_counts_write (counts, pass);
      write_moves (self, pass, counts, look_back);
    }
}

/* --- short rows: a thread for each, which finds the place of every key among the others */

static KValue
find_place (AccRadix *radix,
            AccLower *l,
            KValue    u,
            KValue    x)
{
  AccKernelBuilder *b = l->b;
  KValue own = acc_radix_get_key (radix, l, 0, u, x), n = low_number (l, radix->space->inner);
  KVar place = kb_var (b, low_const (l, 0));

  low_for (l, k, low_const (l, 0), n)
    {
      KValue other = acc_radix_get_key (radix, l, 0, u, low_within (l, k, 0, radix->space->inner - 1));
      KValue is_before = kb_or (b, kb_lt (b, other, own), kb_and (b, kb_eq (b, other, own), kb_lt (b, k, x)));

      kb_set (b, place, kb_add (b, kb_get (b, place), kb_cast (b, ACC_KIND_I64, is_before)));
    }

  return low_within (l, kb_get (b, place), 0, radix->space->inner - 1);
}

static void
write_short_rows (AccRadix *radix)
{
  const AccSpace *space = radix->space;
  guint last = radix->n_passes - 1, group = acc_simt_get_group (radix->step);
  AccSimt simt;
  AccLower *l = acc_simt_begin (&simt, radix->step, "sort", 1);
  AccKernelBuilder *b = l->b;
  KValue first = kb_add (b, kb_outer_begin (b), simt.row);
  KValue count = kb_max (b, kb_sub (b, kb_outer_end (b), first), low_const (l, 0));

  low_for (l, r, low_const (l, 0), kb_udiv (b, kb_add (b, count, low_const (l, group - 1)), low_const (l, group)))
    {
      KValue u = low_within (l, kb_add (b, first, kb_mul (b, r, low_const (l, group))), 0, space->outer - 1);

      low_for (l, i, low_const (l, 0), low_number (l, space->inner))
        {
          KValue x = low_within (l, i, 0, space->inner - 1), at = acc_radix_get_linear (radix, l, u, find_place (radix, l, u, x));

          for (guint leaf = 0; leaf < radix->n_leaves; leaf++)
            if (acc_radix_wants (radix, last, leaf))
              acc_radix_write (radix, l, last, leaf, at, acc_radix_read (radix, l, 0, u, x, leaf));
        }
    }

  low_finish (l, acc_radix_get_launch (radix, space->inner, (gint64) group * ROWS, space->inner, 4));
}

void
acc_skeleton_sort_simt (AccRadix *radix)
{
  AccRadixSort self = { .radix = radix };
  gboolean fits;

  if (radix->node->rank > 1 && radix->space->inner <= SHORT_ROW && radix->space->outer > 1)
    {
      radix->by_rows = TRUE;
      write_short_rows (radix);
      return;
    }
  choose_tile (&self, TRUE);
  fits = self.n_tiles == 1;
  radix->by_rows = fits && radix->node->rank > 1;
  if (fits)
    {
      write_rows (&self);
    }
  else
    {
      choose_tile (&self, FALSE);
      write_tiles (&self);
    }
}
