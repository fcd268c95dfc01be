/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix-order.h"

#define LEAST_SUBGROUP 16   /* that ballots are worth it for */
#define GAP            4    /* places left out after those of a thread: 16 bytes, so that threads are in other banks */

static AccLower *
get_lower (AccRadixOrder *self)
{
  return self->simt->l;
}

static gint64
get_size (AccRadixOrder *self)
{
  return (gint64) self->simt->group * self->each;
}

static const AccTarget *
get_target (AccRadixOrder *self)
{
  return get_lower (self)->step->fusion->target;
}

gboolean
acc_radix_order_has_ballots (const AccTarget *target)
{
  return target->has_ballots && target->subgroup_size >= LEAST_SUBGROUP;
}

static guint
count_counters (const AccTarget *target,
                guint            group)
{
  return acc_radix_order_has_ballots (target) ? acc_radix_ballots_count_counters (group, target->subgroup_size)
                                              : acc_radix_halves_count_counters (group);
}

guint
acc_radix_order_count_words (const AccTarget *target,
                             guint            group,
                             guint            each)
{
  return group * (each + (acc_radix_order_has_ballots (target) ? 0 : GAP));
}

gsize
acc_radix_order_count_bytes (const AccTarget *target,
                             guint            group,
                             guint            each)
{
  return 4 * (acc_radix_order_count_words (target, group, each) + ACC_RADIX_N_DIGITS + 1 + count_counters (target, group) + group);
}

void
acc_radix_order_init (AccRadixOrder *self,
                      AccSimt       *simt,
                      guint          each)
{
  *self = (AccRadixOrder) { .simt = simt, .each = each };
}

void
acc_radix_order_add_shared (AccRadixOrder *self)
{
  AccSimt *simt = self->simt;
  AccKernelBuilder *b = simt->l->b;

  self->words = kb_shared (b, ACC_KIND_U32, acc_radix_order_count_words (get_target (self), simt->group, self->each), "words");
  self->begins = kb_shared (b, ACC_KIND_U32, ACC_RADIX_N_DIGITS + 1, "begins");
  self->counters = kb_shared (b, ACC_KIND_U32, count_counters (get_target (self), simt->group), "counters");
  self->parts = kb_shared (b, ACC_KIND_U32, simt->group, "parts");
}

KValue
acc_radix_order_get_place (AccRadixOrder *self,
                           KValue         k)
{
  AccLower *l = get_lower (self);
  guint subgroup = self->simt->subgroup;
  KValue first, local = self->simt->local;

  low_within (l, k, 0, self->each - 1);
  if (!acc_radix_order_has_ballots (get_target (self)))
    return low_within (l, low_add (l, low_mul (l, k, low_const (l, self->simt->group)), local), 0, get_size (self) - 1);

  first = low_mul (l, low_udiv (l, local, subgroup), low_const (l, (gint64) subgroup * self->each));
  return low_within (l, kb_add (l->b, low_mul (l, k, low_const (l, subgroup)), kb_add (l->b, first, low_urem (l, local, subgroup))), 0,
                     get_size (self) - 1);
}

KValue
acc_radix_order_spread (AccRadixOrder *self,
                        KValue         i)
{
  AccLower *l = get_lower (self);

  if (acc_radix_order_has_ballots (get_target (self)))
    return i;

  return low_add (l, i, low_mul (l, low_udiv (l, i, self->each), low_const (l, GAP)));
}

KValue
acc_radix_order_load (AccRadixOrder *self,
                      KValue         i)
{
  return kb_load (get_lower (self)->b, self->words, acc_radix_order_spread (self, i));
}

void
acc_radix_order_store (AccRadixOrder *self,
                       KValue         i,
                       KValue         digit,
                       KValue         place)
{
  AccLower *l = get_lower (self);
  AccKernelBuilder *b = l->b;
  KValue above = kb_prim2 (b, ACC_PRIM_SHL, kb_cast (b, ACC_KIND_U32, digit), low_const (l, ACC_RADIX_PLACE_BITS));

  kb_store (b, self->words, acc_radix_order_spread (self, i), kb_or (b, above, kb_cast (b, ACC_KIND_U32, place)));
}

KValue
acc_radix_word_get_digit (AccRadixOrder *self,
                          KValue         word)
{
  AccLower *l = get_lower (self);
  KValue digit = kb_prim2 (l->b, ACC_PRIM_SHR, word, low_const (l, ACC_RADIX_PLACE_BITS));

  return low_within (l, kb_cast (l->b, ACC_KIND_I64, digit), 0, ACC_RADIX_N_DIGITS - 1);
}

KValue
acc_radix_word_get_place (AccRadixOrder *self,
                          KValue         word)
{
  AccLower *l = get_lower (self);
  KValue place = kb_and (l->b, word, kb_int (l->b, ACC_KIND_U32, (1 << ACC_RADIX_PLACE_BITS) - 1));

  return low_within (l, kb_cast (l->b, ACC_KIND_I64, place), 0, get_size (self) - 1);
}

void
acc_radix_order_load_own (AccRadixOrder *self,
                          KValue        *words)
{
  for (guint k = 0; k < self->each; k++)
    words[k] = acc_radix_order_load (self, acc_radix_order_get_place (self, low_const (get_lower (self), k)));
}

/* From the words in order: a digit begins where the one in front is another, and so do those in between that there are none of. */
static void
find_begins (AccRadixOrder *self)
{
  AccLower *l = get_lower (self);
  AccKernelBuilder *b = l->b;

  low_for (l, k, low_const (l, 0), low_const (l, self->each))
    {
      KValue i = acc_radix_order_get_place (self, k), zero = low_const (l, 0), one = low_const (l, 1);
      KValue previous = acc_radix_order_load (self, low_within (l, kb_max (b, kb_sub (b, i, one), zero), 0, get_size (self) - 1));
      KValue first = kb_select (b, kb_eq (b, i, zero), zero, kb_add (b, acc_radix_word_get_digit (self, previous), one));
      KValue digit = acc_radix_word_get_digit (self, acc_radix_order_load (self, i)), last = low_const (l, get_size (self) - 1);

      low_for (l, d, first, kb_add (b, digit, one))
        {
          kb_store (b, self->begins, low_within (l, d, 0, ACC_RADIX_N_DIGITS - 1), kb_cast (b, ACC_KIND_U32, i));
        }
      low_for (l, d, kb_add (b, digit, one), kb_select (b, kb_eq (b, i, last), low_const (l, ACC_RADIX_N_DIGITS + 1), zero))
        {
          kb_store (b, self->begins, low_within (l, d, 0, ACC_RADIX_N_DIGITS), kb_int (b, ACC_KIND_U32, get_size (self)));
        }
    }
}

void
acc_radix_order_sort (AccRadixOrder *self,
                      AccRadixKnown  known,
                      gpointer       data)
{
  if (acc_radix_order_has_ballots (get_target (self)))
    {
      acc_radix_ballots_sort (self, known, data);
      return;
    }

  acc_radix_halves_sort (self);
  if (known != NULL)
    {
      find_begins (self);
      kb_barrier (get_lower (self)->b);
      known (data);
    }
}

KValue
acc_radix_sum_before (const AccSimt *simt,
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
