/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-simt.h"

/* For how many of the first numbers a condition holds, of two places at once: half of the group's threads look for either.
 *
 *   n = numbers + 1 answers there may be, from least = 0 on
 *   while n > 1:
 *     n = n / threads, rounded up
 *     thread t: if the answer is among the n from least + t n on, least = that
 *
 * A thread asks for two numbers at once, so that a million takes three waits for memory, where a search in halves takes twenty. */

#define LEAST_GROUP 4

typedef struct {
  AccSimt         *simt;
  gint64           n;
  AccSearchCondition condition;
  gpointer         data;
  KValue           place;    /* the thread's */
} Search;

static KValue
holds_at (Search *self,
          KValue  number)
{
  AccLower *l = self->simt->l;
  AccKernelBuilder *b = l->b;
  KValue within = kb_min (b, kb_max (b, number, low_const (l, 0)), low_number (l, self->n - 1));

  return self->condition (l, low_within (l, within, 0, self->n - 1), self->place, self->data);
}

/* Whether the answer, which is in [@least, @end), is in [@first, @first + @n). */
static KValue
is_among (Search *self,
          KValue  first,
          KValue  n,
          KValue  least,
          KValue  end)
{
  AccLower *l = self->simt->l;
  AccKernelBuilder *b = l->b;
  KValue behind = kb_add (b, first, n), before = holds_at (self, kb_sub (b, first, low_const (l, 1)));
  KValue ends = kb_not (b, holds_at (self, kb_sub (b, behind, low_const (l, 1))));

  return kb_and (b, kb_and (b, kb_lt (b, first, end), kb_or (b, kb_eq (b, first, least), before)),
                 kb_or (b, kb_le (b, end, behind), ends));
}

gboolean
acc_simt_search (AccSimt           *self,
                 gint64             n,
                 const KValue      *places,
                 AccSearchCondition condition,
                 gpointer           data,
                 KValue            *answers)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  gint64 half = self->group / 2;
  KValue zero = low_const (l, 0), one = low_const (l, 1), side, own;
  Search search = { self, n, condition, data, { 0 } };
  KBuffer shared;
  KVar left;

  if (self->group < LEAST_GROUP)
    return FALSE;

  shared = kb_shared (b, ACC_KIND_I64, 2, "found");
  side = low_udiv (l, self->local, half);
  own = low_urem (l, self->local, half);
  search.place = kb_select (b, kb_eq (b, side, zero), places[0], places[1]);
  low_if (l, kb_eq (b, own, zero))
    {
      kb_store (b, shared, side, zero);
    }
  kb_barrier (b);

  left = kb_var (b, low_number (l, n + 1));
  low_while (l)
    {
      KValue before = kb_get (b, left), least, first, some;

      kb_until (b, kb_le (b, before, one));
      least = kb_load (b, shared, side);
      some = low_udiv (l, kb_add (b, before, low_const (l, half - 1)), half);
      first = kb_add (b, least, kb_mul (b, own, some));
      kb_barrier (b);
      low_if (l, is_among (&search, first, some, least, kb_min (b, kb_add (b, least, before), low_number (l, n + 1))))
        {
          kb_store (b, shared, side, first);
        }
      kb_barrier (b);
      kb_set (b, left, some);
    }
  for (guint i = 0; i < 2; i++)
    answers[i] = low_within (l, kb_min (b, kb_load (b, shared, low_const (l, i)), low_number (l, n)), 0, n);
  kb_barrier (b);

  return TRUE;
}
