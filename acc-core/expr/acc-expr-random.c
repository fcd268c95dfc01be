/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Numbers that are random by being a function of where they are. */

#include "acc-expr-derive-private.h"

#define N_ROUNDS 10

static const guint32 multipliers[] = { 0xd2511f53, 0xcd9e8d57 };
static const guint32 increments[] = { 0x9e3779b9, 0xbb67ae85 };

static AccExpr *
word (guint32 value)
{
  return acc_expr_new_typed_uint (acc_element_type_new (ACC_KIND_U32), value);
}

static void
replace (AccExpr **slot,
         AccExpr  *with)
{
  acc_expr_ref_sink (with);
  g_clear_pointer (slot, acc_expr_unref);
  *slot = with;
}

static void
run_round (AccExpr **counter,
           AccExpr **key)
{
  AccExpr *next[4] = { NULL, };

  for (guint i = 0; i < 2; i++)
    {
      AccElementType *wide = acc_element_type_new (ACC_KIND_U64), *narrow = acc_element_type_new (ACC_KIND_U32);
      g_autoptr(AccExpr) product = acc_expr_ref_sink (acc_expr_mul (acc_expr_cast (counter[2 * i], wide),
                                                                    acc_expr_new_typed_uint (wide, multipliers[i])));
      AccExpr *high = acc_expr_cast (acc_expr_shr (product, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 32)), narrow);
      guint other = 2 - 2 * i;

      replace (&next[other], acc_expr_bxor (acc_expr_bxor (high, counter[other + 1]), key[1 - i]));
      replace (&next[other + 1], acc_expr_cast (product, narrow));
    }
  for (guint i = 0; i < 4; i++)
    {
      acc_expr_unref (counter[i]);
      counter[i] = next[i];
    }
}

static gboolean
is_words (AccExpr *expr,
          guint    n)
{
  if (!acc_element_type_is_tuple (expr->type) || acc_element_type_get_n_items (expr->type) != n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (acc_element_type_get_item (expr->type, i) != acc_element_type_new (ACC_KIND_U32))
      return FALSE;

  return TRUE;
}

/**
 * acc_expr_philox:
 * @counter: the counter, a tuple of four u4
 * @key: the key, a tuple of two u4
 *
 * Computes 128 random bits from a counter and a key, by the generator Philox4x32-10.
 *
 * The algorithm is that of Salmon, Moraes, Dror and Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3". Different counters give
 * different bits. There is no state, so that every element of an array has bits of its own, in any order, the same on every backend.
 *
 * ```c
 * // counter = (0, 0, 0, 0) of (u4,u4,u4,u4), key = (0, 0) of (u4,u4)
 * AccExpr *bits = acc_expr_philox (counter, key); // → (1713891541, 3781805453, 3159862348, 2600524760)
 * ```
 *
 * Returns: (transfer none): the bits, a tuple of four u4
 */
DERIVED2 (philox, FALSE,
  AccExpr *counter[4] = { NULL };
  AccExpr *keys[2] = { NULL };
  AccExpr *result;

  if (!is_words (a, 4))
    return _acc_expr_needs ("philox", "a counter of four u4", a);
  if (!is_words (b, 2))
    return _acc_expr_needs ("philox", "a key of two u4", b);

  for (guint i = 0; i < 4; i++)
    replace (&counter[i], acc_expr_item (a, i));
  for (guint i = 0; i < 2; i++)
    replace (&keys[i], acc_expr_item (b, i));
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      run_round (counter, keys);
      for (guint i = 0; i < 2; i++)
        replace (&keys[i], acc_expr_add (keys[i], word (increments[i])));
    }
  result = acc_expr_tuple (counter, 4);
  for (guint i = 0; i < 4; i++)
    acc_expr_unref (counter[i]);
  for (guint i = 0; i < 2; i++)
    acc_expr_unref (keys[i]);
  return result;
)
