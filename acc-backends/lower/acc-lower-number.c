/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lower-range.h"

/* Arithmetic that ranges make simpler, and whose results have ranges. */

KValue
low_prim (AccLower    *l,
          AccPrimitive primitive,
          KValue       x)
{
  KValue z = kb_prim (l->b, primitive, x);
  gint64 lo, hi;

  if (!low_range_is_known (l, x) || !low_range_is_known (l, z))
    return z;

  low_get_range (l, x, &lo, &hi);
  if (primitive == ACC_PRIM_NEG && lo > G_MININT64)
    return low_range_keep (l, z, -hi, -lo);
  if (primitive == ACC_PRIM_ABS && lo > G_MININT64)
    return low_range_keep (l, z, lo > 0 ? lo : hi < 0 ? -hi : 0, MAX (ABS (lo), ABS (hi)));
  if (primitive == ACC_PRIM_POPCOUNT || primitive == ACC_PRIM_CLZ || primitive == ACC_PRIM_CTZ)
    return low_range_keep (l, z, 0, 64);

  return z;
}

/* --- what ranges make simpler */

static KValue
select_less (AccLower *l,
             KValue    x,
             KValue    limit,
             KValue    below,
             KValue    above)
{
  return low_select (l, kb_lt (l->b, x, limit), below, above);
}

/* x mod n for -n <= x < 2n, as of an index around a border: at most one n is added or taken away. */
static KValue
wrap (AccLower *l,
      KValue    x,
      KValue    divisor,
      gint64    n)
{
  KValue zero = kb_int (l->b, kb_kind (l->b, x), 0), wrapped = x;
  gint64 lo, hi;

  low_get_range (l, x, &lo, &hi);
  if (lo >= 0 && hi < n)
    return x;
  if (hi >= n)
    wrapped = select_less (l, x, divisor, wrapped, low_sub (l, x, divisor));
  if (lo < 0)
    wrapped = select_less (l, x, zero, low_add (l, x, divisor), wrapped);

  return low_within (l, wrapped, 0, n - 1);
}

/* Divisions whose quotient has few values, or that are shifts: id 0 where neither is known. */
static KValue
divide_by_range (AccLower    *l,
                 AccPrimitive primitive,
                 KValue       x,
                 KValue       y)
{
  const AccKernelInstr *divisor = acc_kernel_instr (l->b->kernel, y.id);
  AccElementKind kind = kb_kind (l->b, x);
  gint64 lo, hi, n, most;
  gboolean floors = primitive == ACC_PRIM_DIV || primitive == ACC_PRIM_MOD;
  gboolean wants_quotient = primitive == ACC_PRIM_DIV || primitive == ACC_PRIM_QUOT;

  low_get_range (l, x, &lo, &hi);
  low_get_range (l, y, &n, &most);
  if (n != most || n <= 0 || n > G_MAXINT64 / 4)
    return (KValue) { 0 };

  if (lo > -n && hi < n && (lo >= 0 || !floors))
    return wants_quotient ? kb_int (l->b, kind, 0) : x;
  if (lo < 0 && !floors)
    return (KValue) { 0 };
  if (!wants_quotient && lo >= -n && hi < 2 * n)
    return wrap (l, x, y, n);
  if (divisor->op == ACC_KOP_CONST && (n & (n - 1)) == 0)
    return wants_quotient ? low_prim2 (l, ACC_PRIM_SHR, x, low_const (l, g_bit_nth_lsf (n, -1)))
                          : low_prim2 (l, ACC_PRIM_BAND, x, kb_int (l->b, kind, n - 1));

  return (KValue) { 0 };
}

/* Of x from @a to @b, and y from @c to @d. */
static KValue
compare_by_range (AccLower    *l,
                  AccPrimitive primitive,
                  gint64       a,
                  gint64       b,
                  gint64       c,
                  gint64       d)
{
  gboolean less = b < c, more = d < a, equal = a == b && c == d && a == c, no_less = d <= a, no_more = b <= c;
  gboolean never = FALSE, always = FALSE;

  if (primitive == ACC_PRIM_LT || primitive == ACC_PRIM_GE)
    {
      always = primitive == ACC_PRIM_LT ? less : no_less;
      never = primitive == ACC_PRIM_LT ? no_less : less;
    }
  else if (primitive == ACC_PRIM_GT || primitive == ACC_PRIM_LE)
    {
      always = primitive == ACC_PRIM_GT ? more : no_more;
      never = primitive == ACC_PRIM_GT ? no_more : more;
    }
  else
    {
      always = primitive == ACC_PRIM_EQ ? equal : less || more;
      never = primitive == ACC_PRIM_EQ ? less || more : equal;
    }

  return always || never ? kb_int (l->b, ACC_KIND_BOOL, always) : (KValue) { 0 };
}

/* id 0 where ranges do not tell. */
static KValue
simplify_by_range (AccLower    *l,
                   AccPrimitive primitive,
                   KValue       x,
                   KValue       y)
{
  gint64 a, b, c, d;

  if (!low_range_is_known (l, x) || !low_range_is_known (l, y) || kb_kind (l->b, x) == ACC_KIND_BOOL)
    return (KValue) { 0 };

  low_get_range (l, x, &a, &b);
  low_get_range (l, y, &c, &d);
  if (acc_primitive_is (primitive, ACC_FAMILY_DIVISION))
    return divide_by_range (l, primitive, x, y);
  if (acc_primitive_is (primitive, ACC_FAMILY_COMPARISON))
    return compare_by_range (l, primitive, a, b, c, d);
  if (primitive == ACC_PRIM_MIN)
    return b <= c ? x : d <= a ? y : (KValue) { 0 };
  if (primitive == ACC_PRIM_MAX)
    return a >= d ? x : c >= b ? y : (KValue) { 0 };

  return (KValue) { 0 };
}

/* Of an operation on something from @a to @b and something from @c to @d. FALSE: nothing is known of it. */
static gboolean
find_range (AccPrimitive primitive,
            gint64       a,
            gint64       b,
            gint64       c,
            gint64       d,
            gint64      *lo,
            gint64      *hi)
{
  *lo = 0;
  if (low_range_combine (primitive, a, b, c, d, lo, hi))
    return TRUE;
  if (primitive == ACC_PRIM_BAND)
    {
      *hi = c < 0 ? b : a < 0 ? d : MIN (b, d);
      return a >= 0 || c >= 0;
    }
  if (primitive == ACC_PRIM_SHL && a >= 0 && c >= 0 && d < 62 && b <= G_MAXINT64 >> (d + 1))
    {
      *hi = b << d;
      return TRUE;
    }
  if (primitive == ACC_PRIM_SHR && c >= 0 && (a >= 0 || c == d))
    {
      *lo = c == d ? a >> MIN (c, 63) : 0;
      *hi = c == d ? b >> MIN (c, 63) : c < 63 ? b >> c : 0;
      return TRUE;
    }
  if (!acc_primitive_is (primitive, ACC_FAMILY_DIVISION) || c <= 0)
    return FALSE;
  if (primitive == ACC_PRIM_QUOT || primitive == ACC_PRIM_DIV)
    {
      *lo = a / d;
      *hi = b / c;
      return a >= 0;
    }
  *lo = primitive == ACC_PRIM_REM && a < 0 ? -(d - 1) : 0;
  *hi = a >= 0 ? MIN (b, d - 1) : d - 1;

  return TRUE;
}

KValue
low_prim2 (AccLower    *l,
           AccPrimitive primitive,
           KValue       x,
           KValue       y)
{
  KValue z = simplify_by_range (l, primitive, x, y);
  gint64 a, b, c, d, lo, hi;

  if (z.id != 0)
    return z;
  z = kb_prim2 (l->b, primitive, x, y);
  if (z.id == 0)
    l->failed = TRUE;
  if (!low_range_is_known (l, x) || !low_range_is_known (l, y) || !low_range_is_known (l, z) || kb_kind (l->b, z) == ACC_KIND_BOOL)
    return z;

  low_get_range (l, x, &a, &b);
  low_get_range (l, y, &c, &d);

  return find_range (primitive, a, b, c, d, &lo, &hi) ? low_range_keep (l, z, lo, hi) : z;
}

KValue
low_add (AccLower *l,
         KValue    x,
         KValue    y)
{
  return low_prim2 (l, ACC_PRIM_ADD, x, y);
}

KValue
low_sub (AccLower *l,
         KValue    x,
         KValue    y)
{
  return low_prim2 (l, ACC_PRIM_SUB, x, y);
}

KValue
low_mul (AccLower *l,
         KValue    x,
         KValue    y)
{
  return low_prim2 (l, ACC_PRIM_MUL, x, y);
}

/* A power of two is worth a kernel of its own: a shift. */
static KValue
divisor (AccLower *l,
         gint64    n)
{
  return n & (n - 1) ? low_stride (l, n) : low_const (l, n);
}

/* Whether @x was made as @q * @n + @r, of a q that is not below 0. */
static gboolean
is_counted (AccLower *l,
            KValue    x,
            gint64    n,
            KValue   *q,
            gint64   *r)
{
  const AccKernelInstr *instr = acc_kernel_instr (l->b->kernel, x.id);
  gint64 lo, hi, factor;

  *r = 0;
  if (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD && low_is_const (l, (KValue) { instr->args[1] }, r))
    instr = acc_kernel_instr (l->b->kernel, instr->args[0]);
  if (*r < 0 || *r >= n || instr->op != ACC_KOP_PRIM || instr->primitive != ACC_PRIM_MUL || instr->kind != ACC_KIND_I64
      || !low_is_const (l, (KValue) { instr->args[1] }, &factor) || factor != n)
    return FALSE;
  *q = (KValue) { instr->args[0] };
  low_get_range (l, *q, &lo, &hi);

  return lo >= 0 && hi < G_MAXINT64 / n;
}

KValue
low_udiv (AccLower *l,
          KValue    x,
          gint64    n)
{
  gint64 lo, hi, value, r;
  KValue q;

  if (n <= 1)
    return n == 1 ? x : low_const (l, 0);
  if (low_is_const (l, x, &value))
    return low_const (l, value / n);
  if (is_counted (l, x, n, &q, &r))
    return q;
  low_get_range (l, x, &lo, &hi);
  if (lo >= 0 && hi < n)
    return low_const (l, 0);

  return low_range_keep (l, kb_udiv (l->b, x, divisor (l, n)), MAX (lo, 0) / n, hi / n);
}

KValue
low_urem (AccLower *l,
          KValue    x,
          gint64    n)
{
  gint64 lo, hi, value, r;
  KValue q;

  if (n <= 1)
    return low_const (l, 0);
  if (low_is_const (l, x, &value))
    return low_const (l, value % n);
  if (is_counted (l, x, n, &q, &r))
    return low_const (l, r);
  low_get_range (l, x, &lo, &hi);
  if (lo >= 0 && hi < n)
    return x;

  return low_range_keep (l, kb_urem (l->b, x, divisor (l, n)), 0, n - 1);
}

KValue
low_cast (AccLower      *l,
          AccElementKind kind,
          KValue         x)
{
  KValue z = kb_cast (l->b, kind, x);
  gint64 lo, hi;

  if (!low_range_is_known (l, x) || !low_range_is_known (l, z))
    return z;
  low_get_range (l, x, &lo, &hi);

  return kind == ACC_KIND_BOOL ? z : low_range_keep (l, z, lo, hi);
}
