/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-search.h"

KValue
acc_search (AccLower          *l,
            gint64             n,
            KValue             least,
            KValue             most,
            KValue             place,
            AccSearchCondition condition,
            gpointer           data)
{
  AccKernelBuilder *b = l->b;
  KValue one = low_const (l, 1);
  KVar low = kb_var (b, least), high = kb_var (b, most);

  low_while (l)
    {
      KValue middle;

      kb_until (b, kb_le (b, kb_get (b, high), kb_get (b, low)));
      middle = low_within (l, kb_prim2 (b, ACC_PRIM_SHR, kb_add (b, kb_get (b, low), kb_get (b, high)), one), 0, n - 1);
      low_if (l, condition (l, middle, place, data))
        {
          kb_set (b, low, kb_add (b, middle, one));
        }
      low_else (l)
        {
          kb_set (b, high, middle);
        }
    }

  return kb_get (b, low);
}
