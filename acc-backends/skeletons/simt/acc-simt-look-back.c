/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-simt.h"

/* Decoupled look-back (D. Merrill and M. Garland, 2016): finds the prefix of a tile while other groups work on theirs. It goes along
 * a tree of fixed shape, so that the order in which floats are added does not depend on timing. With subgroups of R threads, R tiles
 * are a block and R blocks a super-block. There are
 *
 *   - the sum of each tile,
 *   - the sum of each block, from its last tile,
 *   - the prefix of each block, from the last tile before it, which adds the prefix of its super-block and the blocks in
 *     between.
 *
 * The prefix of a tile is that of its block and less than R tiles. Few groups read any one word, so that none is contended.
 * Tiles wait for lower ones only, which began before.
 *
 * A sum lies in words of 64 bits: four bytes of it, and a bit that says that they are valid. So it takes no fence to hand it
 * over, and cleared words are invalid. */

typedef enum { TILES, BLOCKS, FRONTS, N_LEVELS } Level;

#define PRESENT (G_GINT64_CONSTANT (1) << 32)

struct _AccLookBack {
  AccFold *fold;
  guint    radix;
  guint    n_words;              /* of a sum */
  guint    scratch;
  gint64   n_sums[N_LEVELS];     /* per row */
  gint64   first[N_LEVELS];      /* sums in front of a level's */
};

/* One that a thread waits for. */
typedef struct {
  KValue wanted;
  KValue at;        /* its first word; of some sum where none is wanted */
  KVar  *words;
} Place;

static guint
count_words (AccElementKind kind)
{
  return acc_element_kind_get_size (kind) == 8 ? 2 : 1;
}

gboolean
acc_look_back_can (AccStep *step)
{
  const AccTarget *target = step->fusion->target;

  return target->has_progress && target->subgroup_size > 1;
}

AccLookBack *
acc_look_back_new (AccStep *step,
                   AccFold *fold,
                   gint64   n_rows,
                   gint64   n_tiles)
{
  AccLookBack *self = g_new0 (AccLookBack, 1);
  gint64 n = 0;

  self->fold = fold;
  self->radix = step->fusion->target->subgroup_size;
  for (guint i = 0; i < fold->n_leaves; i++)
    self->n_words += count_words (acc_fold_get_kind (fold, i));
  self->n_sums[TILES] = n_tiles;
  self->n_sums[BLOCKS] = n_tiles / self->radix + 1;
  self->n_sums[FRONTS] = self->n_sums[BLOCKS] + 1;
  for (guint i = 0; i < N_LEVELS; i++)
    {
      self->first[i] = n;
      n += n_rows * self->n_sums[i];
    }
  self->scratch = acc_step_add_scratch (step, ACC_KIND_U64, n * self->n_words);
  acc_simt_write_zeros (step, "scan_clear", self->scratch, ACC_KIND_U64, n * self->n_words);

  return self;
}

void
acc_look_back_free (AccLookBack *self)
{
  g_free (self);
}

static KBuffer
get_buffer (AccLookBack *self,
            AccLower    *l)
{
  return low_scratch_with (l, self->scratch, ACC_KIND_U64, ACC_BUFFER_COHERENT);
}

/* Sum @i of row @u. */
static KValue
get_address (AccLookBack *self,
             AccLower    *l,
             Level        level,
             KValue       u,
             KValue       i)
{
  AccKernelBuilder *b = l->b;
  KValue sum = kb_add (b, kb_add (b, kb_mul (b, u, low_number (l, self->n_sums[level])), i), low_number (l, self->first[level]));

  return kb_mul (b, sum, low_const (l, self->n_words));
}

static void
store_sum (AccLookBack  *self,
           AccLower     *l,
           KValue        at,
           const KValue *values)
{
  AccKernelBuilder *b = l->b;
  KValue present = kb_int (b, ACC_KIND_U64, PRESENT);
  gint64 next = 0;

  for (guint i = 0; i < self->fold->n_leaves; i++)
    {
      AccElementKind kind = acc_fold_get_kind (self->fold, i);
      AccElementKind bits = acc_skeleton_get_bits (kind);
      KValue x = bits == kind ? values[i] : kb_bitcast (b, bits, values[i]);

      for (guint k = 0; k < count_words (kind); k++)
        {
          KValue part = k == 0 ? x : kb_prim2 (b, ACC_PRIM_SHR, x, low_const (l, 32));

          kb_store (b, get_buffer (self, l), kb_add (b, at, low_const (l, next++)),
                    kb_or (b, kb_cast (b, ACC_KIND_U64, kb_cast (b, ACC_KIND_U32, part)), present));
        }
    }
}

static void
load_words (AccLookBack *self,
            AccLower    *l,
            KValue       at,
            KValue      *words)
{
  for (guint i = 0; i < self->n_words; i++)
    words[i] = kb_load (l->b, get_buffer (self, l), kb_add (l->b, at, low_const (l, i)));
}

static KValue
is_present (AccLookBack  *self,
            AccLower     *l,
            const Place  *place)
{
  AccKernelBuilder *b = l->b;
  KValue all = { 0 };

  for (guint i = 0; i < self->n_words; i++)
    {
      KValue one = kb_le (b, kb_int (b, ACC_KIND_U64, PRESENT), kb_get (b, place->words[i]));

      all = i == 0 ? one : kb_and (b, all, one);
    }

  return kb_or (b, kb_not (b, place->wanted), all);
}

/* Asks for it, without waiting. */
static Place
begin_wait (AccLookBack *self,
            AccLower    *l,
            KValue       wanted,
            Level        level,
            KValue       u,
            KValue       i)
{
  Place place = { wanted, get_address (self, l, level, u, kb_select (l->b, wanted, i, low_const (l, 0))), NULL };
  KValue *words = low_alloc (l, self->n_words * sizeof (KValue));

  place.words = low_alloc (l, self->n_words * sizeof (KVar));
  load_words (self, l, place.at, words);
  for (guint w = 0; w < self->n_words; w++)
    place.words[w] = kb_var (l->b, words[w]);

  return place;
}

static void
end_wait (AccLookBack *self,
          AccLower    *l,
          const Place *place)
{
  low_while (l)
    {
      KValue *words = low_alloc (l, self->n_words * sizeof (KValue));

      kb_until (l->b, is_present (self, l, place));
      load_words (self, l, place->at, words);
      for (guint w = 0; w < self->n_words; w++)
        kb_set (l->b, place->words[w], words[w]);
    }
}

static KVar *
get_sum (AccLookBack *self,
         AccLower    *l,
         const Place *place)
{
  AccKernelBuilder *b = l->b;
  KValue *values = acc_fold_new_values (self->fold, l);
  guint next = 0;

  for (guint i = 0; i < self->fold->n_leaves; i++)
    {
      AccElementKind kind = acc_fold_get_kind (self->fold, i);
      AccElementKind bits = acc_skeleton_get_bits (kind);
      KValue x = kb_cast (b, bits, kb_cast (b, ACC_KIND_U32, kb_get (b, place->words[next++])));

      if (count_words (kind) == 2)
        {
          KValue high = kb_prim2 (b, ACC_PRIM_SHL, kb_get (b, place->words[next++]), low_const (l, 32));

          x = kb_or (b, x, kb_cast (b, bits, high));
        }
      values[i] = bits == kind ? x : kb_bitcast (b, kind, x);
    }

  return acc_fold_new_vars (self->fold, l, values);
}

/* vars = front . vars, where @there is a front; else they stay. */
static void
prepend (AccLookBack *self,
         AccLower    *l,
         const KVar  *vars,
         KValue       there,
         const KVar  *front)
{
  KValue *values = acc_fold_new_values (self->fold, l);

  acc_fold_get_vars (self->fold, l, front, values);
  acc_fold_prepend_if (self->fold, l, vars, there, values);
}

static void
store_vars (AccLookBack *self,
            AccLower    *l,
            KValue       at,
            const KVar  *vars)
{
  KValue *values = acc_fold_new_values (self->fold, l);

  acc_fold_get_vars (self->fold, l, vars, values);
  store_sum (self, l, at, values);
}

/* In front of the last tile of a block; hands on what is in front of the next. */
static void
end_block (AccLookBack *self,
           AccSimt     *simt,
           KValue       u,
           KValue       block,
           const KVar  *sum,
           const KVar  *before)
{
  AccLower *l = simt->l;
  AccFold *fold = self->fold;
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), lane = simt->local, first = kb_eq (b, lane, zero);
  KValue n_blocks = low_urem (l, block, self->radix), start = kb_sub (b, block, n_blocks);
  Place of_blocks, of_front;
  KVar *blocks, *front;

  low_if (l, first)
    {
      store_vars (self, l, get_address (self, l, BLOCKS, u, block), sum);
    }
  of_blocks = begin_wait (self, l, kb_lt (b, lane, n_blocks), BLOCKS, u, kb_add (b, start, lane));
  of_front = begin_wait (self, l, kb_and (b, first, kb_lt (b, zero, start)), FRONTS, u, start);
  end_wait (self, l, &of_blocks);
  end_wait (self, l, &of_front);
  blocks = get_sum (self, l, &of_blocks);
  front = get_sum (self, l, &of_front);
  acc_simt_reduce_subgroup (simt, fold, blocks, n_blocks);

  low_if (l, first)
    {
      prepend (self, l, blocks, kb_and (b, kb_lt (b, zero, n_blocks), kb_lt (b, zero, start)), front);
      low_if (l, kb_lt (b, zero, n_blocks))
        {
          KValue *values = acc_fold_new_values (fold, l);

          acc_fold_get_vars (fold, l, blocks, values);
          acc_fold_set_vars (fold, l, front, values);
        }
      prepend (self, l, sum, kb_lt (b, zero, block), front);
      store_vars (self, l, get_address (self, l, FRONTS, u, kb_add (b, block, low_const (l, 1))), sum);
      prepend (self, l, before, kb_lt (b, zero, block), front);
    }
}

void
acc_look_back_find (AccLookBack *self,
                    AccSimt     *simt,
                    KValue       u,
                    KValue       tile,
                    KValue       complete,
                    const KVar  *total,
                    const KVar  *before)
{
  AccLower *l = simt->l;
  AccFold *fold = self->fold;
  AccKernelBuilder *b = l->b;
  gint64 radix = self->radix;
  KValue zero = low_const (l, 0), lane = simt->local, first = kb_eq (b, lane, zero);
  KValue block = low_udiv (l, tile, radix), n_tiles = low_urem (l, tile, radix);
  KValue ends = kb_and (b, complete, kb_eq (b, n_tiles, low_const (l, radix - 1)));
  KValue *values = acc_fold_new_values (fold, l);
  Place of_tiles, of_front;
  KVar *tiles;

  low_if (l, kb_and (b, first, complete))
    {
      store_vars (self, l, get_address (self, l, TILES, u, tile), total);
    }
  of_tiles = begin_wait (self, l, kb_lt (b, lane, n_tiles), TILES, u, kb_add (b, kb_sub (b, tile, n_tiles), lane));
  of_front = begin_wait (self, l, kb_and (b, kb_and (b, first, kb_not (b, ends)), kb_lt (b, zero, block)), FRONTS, u, block);
  end_wait (self, l, &of_tiles);
  tiles = get_sum (self, l, &of_tiles);
  acc_simt_reduce_subgroup (simt, fold, tiles, n_tiles);
  acc_fold_get_vars (fold, l, tiles, values);
  acc_fold_set_vars (fold, l, before, values);

  low_if (l, ends)
    {
      KVar *sum;

      values = acc_fold_new_values (fold, l);
      acc_fold_get_vars (fold, l, total, values);
      sum = acc_fold_new_vars (fold, l, values);
      prepend (self, l, sum, kb_and (b, first, kb_lt (b, zero, n_tiles)), tiles);
      end_block (self, simt, u, block, sum, before);
    }
  low_else (l)
    {
      KVar *front;

      end_wait (self, l, &of_front);
      front = get_sum (self, l, &of_front);
      prepend (self, l, before, kb_and (b, kb_lt (b, zero, n_tiles), kb_lt (b, zero, block)), front);
      low_if (l, kb_eq (b, n_tiles, zero))
        {
          values = acc_fold_new_values (fold, l);
          acc_fold_get_vars (fold, l, front, values);
          acc_fold_set_vars (fold, l, before, values);
        }
    }
}
