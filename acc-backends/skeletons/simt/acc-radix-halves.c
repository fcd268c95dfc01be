/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix-order.h"

/* Sorts four bits at a time: every thread counts its neighbouring words, in private counters, two to a word; a scan of all counters gives
 * the places (N. Satish, M. Harris and M. Garland, 2009). */

#define HALF_BITS    4
#define WORDS        8      /* of a thread's counters */
#define COUNTER_BITS 16

gsize
acc_radix_halves_count_counters (guint group)
{
  return group * WORDS;
}

static KValue
number (AccRadixOrder *self,
        gint64         n)
{
  return kb_int (self->simt->l->b, ACC_KIND_U32, n);
}

static KValue
shift_right (AccRadixOrder *self,
             KValue         word,
             gint64         bits)
{
  AccLower *l = self->simt->l;

  return kb_prim2 (l->b, ACC_PRIM_SHR, word, low_const (l, bits));
}

static KValue
to_index (AccRadixOrder *self,
          KValue         word,
          gint64         size)
{
  AccLower *l = self->simt->l;

  return low_within (l, kb_cast (l->b, ACC_KIND_I64, word), 0, size - 1);
}

/* Word number @k of this thread, where neighbours are of this thread. */
static KValue
load_own_word (AccRadixOrder *self,
               guint          k)
{
  AccKernelBuilder *b = self->simt->l->b;
  KValue first = kb_mul (b, self->simt->local, low_const (self->simt->l, self->each));

  return acc_radix_order_load (self, kb_add (b, first, low_const (self->simt->l, k)));
}

/* Where the thread's counter of the digit of four bits from @bit on is: the word, and the bits that it begins at. */
static KValue
get_counter (AccRadixOrder *self,
             KValue         word,
             guint          bit,
             KValue        *bits)
{
  AccLower *l = self->simt->l;
  AccKernelBuilder *b = l->b;
  KValue half = shift_right (self, word, ACC_RADIX_PLACE_BITS + bit),
    row = to_index (self, kb_and (b, half, number (self, WORDS - 1)), WORDS);

  *bits = to_index (self, kb_and (b, kb_prim2 (b, ACC_PRIM_SHL, half, low_const (l, 1)), number (self, COUNTER_BITS)), COUNTER_BITS + 1);
  return low_add (l, low_mul (l, row, low_const (l, self->simt->group)), self->simt->local);
}

static KValue
get_count (AccRadixOrder *self,
           KValue         word,
           KValue         bits)
{
  AccKernelBuilder *b = self->simt->l->b;

  return kb_and (b, kb_prim2 (b, ACC_PRIM_SHR, word, bits), number (self, (1 << COUNTER_BITS) - 1));
}

/* In place of all counters what comes before each. */
static void
scan_counters (AccRadixOrder *self)
{
  AccLower *l = self->simt->l;
  AccKernelBuilder *b = l->b;
  KValue first = kb_mul (b, self->simt->local, low_const (l, WORDS)), counts[WORDS], sum = number (self, 0), total, before;

  for (guint w = 0; w < WORDS; w++)
    counts[w] = kb_load (b, self->counters, kb_add (b, first, low_const (l, w)));
  for (guint w = 0; w < WORDS; w++)
    sum = kb_add (b, sum, counts[w]);
  before = acc_radix_sum_before (self->simt, self->parts, sum, &total);
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
count_words (AccRadixOrder *self,
             guint          bit,
             KValue        *before)
{
  AccLower *l = self->simt->l;
  AccKernelBuilder *b = l->b;

  for (guint w = 0; w < WORDS; w++)
    kb_store (b, self->counters, kb_add (b, low_const (l, (gint64) w * self->simt->group), self->simt->local), number (self, 0));
  for (guint k = 0; k < self->each; k++)
    {
      KValue bits, at = get_counter (self, load_own_word (self, k), bit, &bits), counter = kb_load (b, self->counters, at);
      KValue n = kb_prim2 (b, ACC_PRIM_SHL, get_count (self, counter, bits), low_const (l, 8 * (k % 4)));

      before[k / 4] = k % 4 == 0 ? n : kb_or (b, before[k / 4], n);
      kb_store (b, self->counters, at, kb_add (b, counter, kb_prim2 (b, ACC_PRIM_SHL, number (self, 1), bits)));
    }
}

/* Sorts the words by four bits from @bit on. Values that are cheap to compute again are not held over barriers. */
static void
sort_by_half (AccRadixOrder *self,
              guint          bit)
{
  AccLower *l = self->simt->l;
  AccKernelBuilder *b = l->b;
  KValue before[ACC_RADIX_MAX_EACH / 4], words[ACC_RADIX_MAX_EACH], ranks[ACC_RADIX_MAX_EACH];

  count_words (self, bit, before);
  kb_barrier (b);
  scan_counters (self);
  kb_barrier (b);
  for (guint k = 0; k < self->each; k++)
    {
      KValue bits, at, n = kb_and (b, shift_right (self, before[k / 4], 8 * (k % 4)), number (self, 0xff));

      words[k] = load_own_word (self, k);
      at = get_counter (self, words[k], bit, &bits);
      ranks[k] = kb_add (b, n, get_count (self, kb_load (b, self->counters, at), bits));
    }
  kb_barrier (b);
  for (guint k = 0; k < self->each; k++)
    kb_store (b, self->words, acc_radix_order_spread (self, to_index (self, ranks[k], (gint64) self->simt->group * self->each)), words[k]);
  kb_barrier (b);
}

void
acc_radix_halves_sort (AccRadixOrder *self)
{
  kb_barrier (self->simt->l->b);
  for (guint bit = 0; bit < ACC_RADIX_BITS; bit += HALF_BITS)
    sort_by_half (self, bit);
}
