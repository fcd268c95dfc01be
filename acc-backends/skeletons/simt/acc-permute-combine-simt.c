/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-permute-simt.h"

/* Permutes by functions that are no primitives, by groups of threads. Operands commute by contract, so that the order is free:
 *
 *   - where an element is one leaf, compare-and-swap of it;
 *   - where a tuple fits a word, compare-and-swap of words, which are made of the defaults before and become the result after;
 *   - else a lock per target, of a table that targets share, where groups may wait for others. */

#define LOCKS 65536
#define PER_THREAD 16

/* What an element fits, and can be swapped at once; ACC_KIND_TUPLE: nothing. */
static AccElementKind
get_word (AccPermute *self)
{
  gsize bytes = 0;

  for (guint i = 0; i < self->n_leaves; i++)
    bytes += acc_element_kind_get_size (acc_permute_get_kind (self, i));
  if (bytes <= 4)
    return ACC_KIND_U32;

  return bytes <= 8 && self->step->fusion->target->has_atomic_64 ? ACC_KIND_U64 : ACC_KIND_TUPLE;
}

void
acc_permute_swap (AccPermute       *self,
                  AccLower         *l,
                  AccPlace          place,
                  AccElementKind    kind,
                  AccPermuteChange  change,
                  gpointer          data)
{
  AccKernelBuilder *b = l->b;
  KVar seen = kb_var (b, low_load_place (l, place));

  low_while (l)
    {
      KValue old = kb_get (b, seen);
      KValue found = kb_atomic_cas (b, place.buffer, place.at, old, change (self, l, old, data));

      kb_set (b, seen, found);
      kb_until (b, acc_permute_same_bits (b, kind, found, old));
    }
}

static KValue
change_leaf (AccPermute *self,
             AccLower   *l,
             KValue      old,
             gpointer    new_value)
{
  KValue both;

  low_apply2 (l, self->node, self->node->array->functions[0], new_value, &old, &both);

  return both;
}

static void
combine_by_swap (AccPermute     *self,
                 AccSimt        *simt,
                 const AccIndex *ix,
                 KValue          linear,
                 KValue          target,
                 gpointer        data)
{
  AccLower *l = simt->l;
  AccPlace place = acc_permute_get_result (self, l, 0, target, ACC_BUFFER_COHERENT);

  acc_permute_swap (self, l, place, acc_permute_get_kind (self, 0), change_leaf, acc_permute_read (self, l, ix));
}

static KValue
pack (AccPermute   *self,
      AccLower     *l,
      const KValue *values)
{
  AccKernelBuilder *b = l->b;
  AccElementKind word = get_word (self);
  KValue packed = kb_int (b, word, 0);
  guint shift = 0;

  for (guint i = 0; i < self->n_leaves; i++)
    {
      AccElementKind kind = acc_permute_get_kind (self, i), bits = acc_skeleton_get_bits (kind);
      KValue part = kb_cast (b, word, bits == kind ? values[i] : kb_bitcast (b, bits, values[i]));

      packed = kb_or (b, packed, kb_prim2 (b, ACC_PRIM_SHL, part, low_const (l, shift)));
      shift += 8 * acc_element_kind_get_size (kind);
    }

  return packed;
}

static void
unpack (AccPermute *self,
        AccLower   *l,
        KValue      packed,
        KValue     *values)
{
  AccKernelBuilder *b = l->b;
  guint shift = 0;

  for (guint i = 0; i < self->n_leaves; i++)
    {
      AccElementKind kind = acc_permute_get_kind (self, i), bits = acc_skeleton_get_bits (kind);
      KValue part = kb_prim2 (b, ACC_PRIM_SHR, packed, low_const (l, shift));

      /* To bool everything but 0 is true. */
      if (kind == ACC_KIND_BOOL)
        part = kb_cast (b, ACC_KIND_U8, part);
      part = kb_cast (b, bits, part);
      values[i] = bits == kind ? part : kb_bitcast (b, kind, part);
      shift += 8 * acc_element_kind_get_size (kind);
    }
}

static KValue
change_packed (AccPermute *self,
               AccLower   *l,
               KValue      old,
               gpointer    new_value)
{
  KValue *old_value = low_alloc (l, self->n_leaves * sizeof (KValue)), *both = low_alloc (l, self->n_leaves * sizeof (KValue));

  unpack (self, l, old, old_value);
  low_apply2 (l, self->node, self->node->array->functions[0], new_value, old_value, both);

  return pack (self, l, both);
}

/* @data: scratch of words. */
static void
combine_packed (AccPermute     *self,
                AccSimt        *simt,
                const AccIndex *ix,
                KValue          linear,
                KValue          target,
                gpointer        data)
{
  AccLower *l = simt->l;
  AccElementKind word = get_word (self);
  KBuffer words = low_scratch_with (l, GPOINTER_TO_UINT (data), word, ACC_BUFFER_COHERENT);

  acc_permute_swap (self, l, (AccPlace) { words, target }, word, change_packed, acc_permute_read (self, l, ix));
}

/* From the result to words before the first row, or back after the last. */
static void
write_words (AccPermute *self,
             guint       scratch,
             gboolean    back)
{
  AccElementKind word = get_word (self);
  AccSimt simt;
  AccLower *l = acc_simt_begin (&simt, self->step, back ? "permute_unpack" : "permute_pack", acc_simt_get_group (self->step));
  AccKernelBuilder *b = l->b;

  low_for (l, k, low_const (l, 0), low_const (l, PER_THREAD))
    {
      KValue x = kb_add (b, kb_add (b, kb_inner_begin (b), kb_mul (b, k, low_const (l, simt.group))), simt.local);

      low_if (l, kb_lt (b, x, kb_inner_end (b)))
        {
          KBuffer words = low_scratch (l, scratch, word);
          KValue *values = low_alloc (l, self->n_leaves * sizeof (KValue));

          if (back)
            unpack (self, l, kb_load (b, words, x), values);
          for (guint i = 0; i < self->n_leaves; i++)
            if (back)
              low_store_place (l, acc_permute_get_result (self, l, i, x, 0), values[i]);
            else
              values[i] = low_load_place (l, acc_permute_get_result (self, l, i, x, 0));
          if (!back)
            kb_store (b, words, x, pack (self, l, values));
        }
    }
  low_finish (l, (AccLaunch) { .outer = 1, .inner = self->node->size, .rows = back ? ACC_SPACE_WHOLE : ACC_SPACE_FIRST, .units_per_row = 1,
                               .tile_outer = 1, .tile_inner = (gint64) simt.group * PER_THREAD, .cost = 1 });
}

/* @data: scratch of LOCKS, 0 where free. A thread that holds one releases it in the same iteration of the loop: threads that run in lock
 * step need not wait for each other. */
static void
combine_locked (AccPermute     *self,
                AccSimt        *simt,
                const AccIndex *ix,
                KValue          linear,
                KValue          target,
                gpointer        data)
{
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;
  KBuffer locks = low_scratch_with (l, GPOINTER_TO_UINT (data), ACC_KIND_U32, ACC_BUFFER_COHERENT);
  KValue lock = low_urem (l, target, LOCKS), free = kb_int (b, ACC_KIND_U32, 0), taken = kb_int (b, ACC_KIND_U32, 1);
  KVar done = kb_var (b, kb_int (b, ACC_KIND_BOOL, 0));
  KValue *new_value = acc_permute_read (self, l, ix);

  low_while (l)
    {
      low_if (l, kb_eq (b, kb_atomic_cas (b, locks, lock, free, taken), free))
        {
          kb_fence (b);
          acc_permute_combine (self, l, new_value, target, ACC_BUFFER_COHERENT);
          kb_fence (b);
          kb_atomic (b, KB_ATOMIC_EXCHANGE, locks, lock, free);
          kb_set (b, done, kb_int (b, ACC_KIND_BOOL, 1));
        }
      kb_until (b, kb_get (b, done));
    }
}

static gboolean
can_swap (AccPermute *self)
{
  return self->n_leaves == 1
         && (acc_element_kind_get_size (acc_permute_get_kind (self, 0)) < 8 || self->step->fusion->target->has_atomic_64);
}

gboolean
acc_permute_can_combine (AccPermute *self)
{
  return can_swap (self) || get_word (self) != ACC_KIND_TUPLE || self->step->fusion->target->has_progress;
}

void
acc_permute_combine_simt (AccPermute *self)
{
  AccPermuteVisit visit = can_swap (self) ? combine_by_swap : get_word (self) != ACC_KIND_TUPLE ? combine_packed : combine_locked;
  guint scratch = 0;

  if (visit == combine_locked)
    {
      scratch = acc_step_add_scratch (self->step, ACC_KIND_U32, LOCKS);
      acc_simt_write_zeros (self->step, "permute_locks", scratch, ACC_KIND_U32, LOCKS);
    }
  if (visit == combine_packed)
    {
      scratch = acc_step_add_scratch (self->step, get_word (self), self->node->size);
      write_words (self, scratch, FALSE);
    }

  acc_permute_write_visits (self, "permute", 1, visit, GUINT_TO_POINTER (scratch));
  if (visit == combine_packed)
    write_words (self, scratch, TRUE);
}
