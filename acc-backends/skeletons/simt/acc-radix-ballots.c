/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix-order.h"

#define WORD_BITS (ACC_RADIX_PLACE_BITS + ACC_RADIX_BITS)

/* What a subgroup has in front fits above a word. */
G_STATIC_ASSERT (32 * ACC_RADIX_MAX_EACH <= 1 << (32 - WORD_BITS));

/* Sorts by all bits at once: subgroups go over neighbouring words, a word per thread at a time. Ballots tell each thread which others have
 * its digit; the first of them adds their number to a counter of the subgroup and the digit, whose earlier value, and how many are in front
 * of it, is a thread's place among the subgroup's words of the digit (A. Adinets and D. Merrill, 2022). */

static KValue
number (AccRadixOrder *self,
        gint64         n)
{
  return kb_int (self->simt->l->b, ACC_KIND_U32, n);
}

static KValue
count_bits (AccRadixOrder *self,
            KValue         mask)
{
  return kb_cast (self->simt->l->b, ACC_KIND_U32, kb_prim (self->simt->l->b, ACC_PRIM_POPCOUNT, mask));
}

gsize
acc_radix_ballots_count_counters (guint group,
                                  guint subgroup)
{
  return group / subgroup * ACC_RADIX_N_DIGITS;
}

/* Counters of this thread's subgroup begin there. */
static KValue
get_counters (AccRadixOrder *self)
{
  AccLower *l = self->simt->l;

  return low_mul (l, low_udiv (l, self->simt->local, self->simt->subgroup), low_const (l, ACC_RADIX_N_DIGITS));
}

static void
clear_counters (AccRadixOrder *self)
{
  AccLower *l = self->simt->l;
  AccKernelBuilder *b = l->b;
  KValue lane = low_urem (l, self->simt->local, self->simt->subgroup), first = kb_add (b, get_counters (self), lane);

  for (guint i = 0; i < ACC_RADIX_N_DIGITS; i += self->simt->subgroup)
    kb_store (b, self->counters, kb_add (b, first, low_const (l, i)), number (self, 0));
  kb_subgroup_barrier (b);
}

/* The threads of the subgroup whose words have the same digit. */
static KValue
find_equal (AccRadixOrder *self,
            KValue         word)
{
  AccKernelBuilder *b = self->simt->l->b;
  KValue equal = number (self, ((gint64) 1 << self->simt->subgroup) - 1);

  for (guint bit = 0; bit < ACC_RADIX_BITS; bit++)
    {
      KValue is_zero = kb_eq (b, kb_and (b, word, number (self, 1u << (ACC_RADIX_PLACE_BITS + bit))), number (self, 0));
      KValue zeros = kb_ballot (b, is_zero);

      equal = kb_and (b, equal, kb_select (b, is_zero, zeros, kb_not (b, zeros)));
    }

  return equal;
}

/* Each of the thread's words, and above it how many words of the digit the subgroup has in front. */
static void
count_words (AccRadixOrder *self,
             KValue        *words)
{
  AccLower *l = self->simt->l;
  AccKernelBuilder *b = l->b;
  KValue lane = low_urem (l, self->simt->local, self->simt->subgroup), counters = get_counters (self);
  KValue in_front = kb_sub (b, kb_prim2 (b, ACC_PRIM_SHL, number (self, 1), lane), number (self, 1));

  for (guint k = 0; k < self->each; k++)
    {
      KValue equal = find_equal (self, words[k]), n_before = count_bits (self, kb_and (b, equal, in_front));
      KValue at = kb_add (b, counters, acc_radix_word_get_digit (self, words[k])), counter = kb_load (b, self->counters, at);
      KValue above = kb_prim2 (b, ACC_PRIM_SHL, kb_add (b, counter, n_before), low_const (l, WORD_BITS));

      words[k] = kb_or (b, words[k], above);
      kb_subgroup_barrier (b);
      low_if (l, kb_eq (b, n_before, number (self, 0)))
        {
          kb_store (b, self->counters, at, kb_add (b, counter, count_bits (self, equal)));
        }
      kb_subgroup_barrier (b);
    }
}

/* In place of each counter where the first word that it counts goes. A thread has digits that are neighbours. */
static void
scan_counters (AccRadixOrder *self)
{
  AccLower *l = self->simt->l;
  AccKernelBuilder *b = l->b;
  guint group = self->simt->group, n_subgroups = group / self->simt->subgroup, n = ACC_RADIX_N_DIGITS / group;
  KValue digits[ACC_RADIX_N_DIGITS], sums[ACC_RADIX_N_DIGITS], sum = number (self, 0), before, total;
  KValue first = kb_mul (b, self->simt->local, low_const (l, n));

  for (guint i = 0; i < n; i++)
    {
      digits[i] = low_within (l, kb_add (b, first, low_const (l, i)), 0, ACC_RADIX_N_DIGITS - 1);
      sums[i] = number (self, 0);
      for (guint s = 0; s < n_subgroups; s++)
        sums[i] = kb_add (b, sums[i], kb_load (b, self->counters, kb_add (b, digits[i], low_const (l, (gint64) s * ACC_RADIX_N_DIGITS))));
      sum = kb_add (b, sum, sums[i]);
    }
  before = acc_radix_sum_before (self->simt, self->parts, sum, &total);

  for (guint i = 0; i < n; i++)
    {
      KValue place = before;

      kb_store (b, self->begins, digits[i], before);
      for (guint s = 0; s < n_subgroups; s++)
        {
          KValue at = kb_add (b, digits[i], low_const (l, (gint64) s * ACC_RADIX_N_DIGITS)), counter = kb_load (b, self->counters, at);

          kb_store (b, self->counters, at, place);
          place = kb_add (b, place, counter);
        }
      before = kb_add (b, before, sums[i]);
    }
  low_if (l, kb_eq (b, self->simt->local, low_const (l, 0)))
    {
      kb_store (b, self->begins, low_const (l, ACC_RADIX_N_DIGITS), total);
    }
}

void
acc_radix_ballots_sort (AccRadixOrder *self,
                        AccRadixKnown  known,
                        gpointer       data)
{
  KValue words[ACC_RADIX_MAX_EACH], counters = get_counters (self);
  AccLower *l = self->simt->l;
  AccKernelBuilder *b = l->b;
  gint64 last = (gint64) self->simt->group * self->each - 1;

  acc_radix_order_load_own (self, words);
  clear_counters (self);
  count_words (self, words);
  kb_barrier (b);
  scan_counters (self);
  kb_barrier (b);
  if (known != NULL)
    known (data);
  for (guint k = 0; k < self->each; k++)
    {
      KValue word = kb_and (b, words[k], number (self, (1 << WORD_BITS) - 1));
      KValue before = kb_prim2 (b, ACC_PRIM_SHR, words[k], low_const (l, WORD_BITS));
      KValue begin = kb_load (b, self->counters, kb_add (b, counters, acc_radix_word_get_digit (self, word)));

      kb_store (b, self->words, low_within (l, kb_cast (b, ACC_KIND_I64, kb_add (b, begin, before)), 0, last), word);
    }
  kb_barrier (b);
}
