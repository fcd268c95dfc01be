/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-simt.h"

/* What is in front of a tile, found while other groups work at theirs: after the decoupled look-back of D. Merrill and
 * M. Garland (2016), but along a tree of fixed shape, so that the order in which floats are added does not depend on who is
 * first. With subgroups of R threads, there are
 *
 *   - the sum of each tile,
 *   - the sum of each R tiles, from the last of them,
 *   - the sum of all before each R * R tiles, from the last tile before.
 *
 * In front of a tile lie less than R of the first, less than R of the second and one of the third: a subgroup takes them all at
 * once. Tiles wait for lower ones only, which began before.
 *
 * A sum lies in words of 64 bits: four bytes of it, and a bit that says that they are there. So it takes no fence to hand it
 * over, and what was cleared holds nothing. */

#define N_LEVELS 3
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
  self->n_sums[0] = n_tiles;
  self->n_sums[1] = n_tiles / self->radix + 1;
  self->n_sums[2] = self->n_sums[1] / self->radix + 1;
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
             guint        level,
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
            guint        level,
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
  KValue *values = low_alloc (l, (self->fold->n_leaves + 1) * sizeof (KValue));
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
  low_if (l, there)
    {
      KValue *x = low_alloc (l, (self->fold->n_leaves + 1) * sizeof (KValue)), *y = low_alloc (l, (self->fold->n_leaves + 1) * sizeof (KValue));

      acc_fold_get_vars (self->fold, l, front, x);
      acc_fold_get_vars (self->fold, l, vars, y);
      acc_fold_combine (self->fold, l, x, y, x);
      acc_fold_set_vars (self->fold, l, vars, x);
    }
}

static void
store_vars (AccLookBack *self,
            AccLower    *l,
            KValue       at,
            const KVar  *vars)
{
  KValue *values = low_alloc (l, (self->fold->n_leaves + 1) * sizeof (KValue));

  acc_fold_get_vars (self->fold, l, vars, values);
  store_sum (self, l, at, values);
}

void
acc_look_back_find (AccLookBack  *self,
                    AccSimt      *simt,
                    KValue        u,
                    KValue        tile,
                    KValue        complete,
                    const KValue *total,
                    const KVar   *carry,
                    KVar          started)
{
  AccLower *l = simt->l;
  AccFold *fold = self->fold;
  AccKernelBuilder *b = l->b;
  gint64 radix = self->radix;
  KBuffer *shared = acc_simt_new_shared (simt, fold, 1);
  KValue zero = low_const (l, 0), one = low_const (l, 1);
  KValue block = low_udiv (l, tile, radix), super = low_udiv (l, block, radix);
  KValue n_tiles = low_urem (l, tile, radix), n_blocks = low_urem (l, block, radix);
  KValue first = kb_eq (b, simt->local, zero), any = kb_lt (b, zero, tile);
  KValue *before = acc_simt_new_values (simt, fold);

  /* One subgroup. */
  low_if (l, kb_lt (b, simt->local, low_const (l, radix)))
    {
      KValue lane = simt->local;
      KValue ends_block = kb_and (b, complete, kb_eq (b, n_tiles, low_const (l, radix - 1)));
      KValue ends_super = kb_and (b, ends_block, kb_eq (b, n_blocks, low_const (l, radix - 1)));
      KVar *all, *sum, *tiles, *blocks, *supers;
      Place of_tiles, of_blocks, of_super;

      low_if (l, kb_and (b, first, complete))
        {
          store_sum (self, l, get_address (self, l, 0, u, tile), total);
        }

      of_tiles = begin_wait (self, l, kb_lt (b, lane, n_tiles), 0, u, kb_add (b, kb_sub (b, tile, n_tiles), lane));
      of_blocks = begin_wait (self, l, kb_lt (b, lane, n_blocks), 1, u, kb_add (b, kb_sub (b, block, n_blocks), lane));
      of_super = begin_wait (self, l, kb_and (b, first, kb_lt (b, zero, super)), 2, u, super);

      end_wait (self, l, &of_tiles);
      tiles = get_sum (self, l, &of_tiles);
      acc_simt_reduce_subgroup (simt, fold, tiles, n_tiles);
      sum = acc_fold_new_vars (fold, l, total);
      low_if (l, kb_and (b, first, ends_block))
        {
          prepend (self, l, sum, kb_lt (b, zero, n_tiles), tiles);
          store_vars (self, l, get_address (self, l, 1, u, block), sum);
        }

      end_wait (self, l, &of_blocks);
      end_wait (self, l, &of_super);
      blocks = get_sum (self, l, &of_blocks);
      acc_simt_reduce_subgroup (simt, fold, blocks, n_blocks);
      supers = get_sum (self, l, &of_super);

      low_if (l, first)
        {
          low_if (l, ends_super)
            {
              prepend (self, l, sum, kb_lt (b, zero, n_blocks), blocks);
              prepend (self, l, sum, kb_lt (b, zero, super), supers);
              store_vars (self, l, get_address (self, l, 2, u, kb_add (b, super, one)), sum);
            }

          /* The last that there are, with those in front of them. */
          all = tiles;
          low_if (l, kb_eq (b, n_tiles, zero))
            {
              KValue *values = acc_simt_new_values (simt, fold);

              acc_fold_get_vars (fold, l, blocks, values);
              acc_fold_set_vars (fold, l, all, values);
            }
          low_if (l, kb_and (b, kb_eq (b, n_tiles, zero), kb_eq (b, n_blocks, zero)))
            {
              KValue *values = acc_simt_new_values (simt, fold);

              acc_fold_get_vars (fold, l, supers, values);
              acc_fold_set_vars (fold, l, all, values);
            }
          prepend (self, l, all, kb_and (b, kb_lt (b, zero, n_tiles), kb_lt (b, zero, n_blocks)), blocks);
          prepend (self, l, all, kb_and (b, kb_lt (b, zero, super), kb_or (b, kb_lt (b, zero, n_tiles), kb_lt (b, zero, n_blocks))), supers);
          acc_fold_get_vars (fold, l, all, before);
          acc_simt_store (simt, fold, shared, zero, before);
        }
    }
  kb_barrier (b);

  before = acc_simt_new_values (simt, fold);
  acc_simt_load (simt, fold, shared, zero, before);
  acc_fold_set_vars (fold, l, carry, before);
  kb_set (b, started, any);
}
