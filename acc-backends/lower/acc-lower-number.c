/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lower.h"

#include "acc-backends/ir/acc-kernel-builder-private.h"

/* Ranges of integers: enough to see that most indices need no check. The lanes' values all lie within. */

static gboolean
get_limits (AccElementKind kind,
            gint64        *lo,
            gint64        *hi)
{
  switch (kind)
    {
    case ACC_KIND_BOOL: *lo = 0, *hi = 1; return TRUE;
    case ACC_KIND_I8: *lo = G_MININT8, *hi = G_MAXINT8; return TRUE;
    case ACC_KIND_I16: *lo = G_MININT16, *hi = G_MAXINT16; return TRUE;
    case ACC_KIND_I32: *lo = G_MININT32, *hi = G_MAXINT32; return TRUE;
    case ACC_KIND_I64: *lo = G_MININT64, *hi = G_MAXINT64; return TRUE;
    case ACC_KIND_U8: *lo = 0, *hi = G_MAXUINT8; return TRUE;
    case ACC_KIND_U16: *lo = 0, *hi = G_MAXUINT16; return TRUE;
    case ACC_KIND_U32: *lo = 0, *hi = G_MAXUINT32; return TRUE;
    case ACC_KIND_U64:
    case ACC_KIND_F16:
    case ACC_KIND_F32:
    case ACC_KIND_F64:
    case ACC_KIND_TUPLE:
    case ACC_KIND_COMPLEX:
    case ACC_KIND_VECTOR:
    default:
      return FALSE;
    }
}

KValue
low_within (AccLower *l,
            KValue    x,
            gint64    lo,
            gint64    hi)
{
  AccFact *fact;

  if (x.id == 0)
    {
      l->failed = TRUE;
      return x;
    }
  if (x.id >= l->facts->len)
    g_array_set_size (l->facts, x.id + 1);
  fact = &g_array_index (l->facts, AccFact, x.id);
  if (!fact->known)
    *fact = (AccFact) { TRUE, lo, hi };
  else if (MAX (fact->lo, lo) <= MIN (fact->hi, hi))
    *fact = (AccFact) { TRUE, MAX (fact->lo, lo), MIN (fact->hi, hi) };

  return x;
}

/* Returns the range of an i64 or narrower; if none is known, all values of its kind. Constants come from the builder as well, which
 * simplifies. */
void
low_get_range (AccLower *l,
               KValue    x,
               gint64   *lo,
               gint64   *hi)
{
  const AccKernelInstr *instr = x.id < l->b->kernel->instrs->len ? acc_kernel_instr (l->b->kernel, x.id) : NULL;

  if (instr != NULL && instr->op == ACC_KOP_CONST && get_limits (instr->kind, lo, hi))
    *lo = *hi = (gint64) instr->bits;
  else if (x.id < l->facts->len && g_array_index (l->facts, AccFact, x.id).known)
    {
      *lo = g_array_index (l->facts, AccFact, x.id).lo;
      *hi = g_array_index (l->facts, AccFact, x.id).hi;
    }
  else if (!get_limits (kb_kind (l->b, x), lo, hi))
    {
      *lo = G_MININT64;
      *hi = G_MAXINT64;
    }
}

/* NULL: @x is no constant of that kind. */
static const AccKernelInstr *
get_constant (AccLower      *l,
              KValue         x,
              AccElementKind kind)
{
  const AccKernelInstr *instr = x.id < l->b->kernel->instrs->len ? acc_kernel_instr (l->b->kernel, x.id) : NULL;

  return instr != NULL && instr->op == ACC_KOP_CONST && instr->kind == kind ? instr : NULL;
}

gboolean
low_is_const (AccLower *l,
              KValue    x,
              gint64   *value)
{
  const AccKernelInstr *constant = get_constant (l, x, ACC_KIND_I64);

  if (constant != NULL)
    *value = (gint64) constant->bits;

  return constant != NULL;
}

gboolean
low_is_known (AccLower *l,
              KValue    condition,
              gboolean *holds)
{
  const AccKernelInstr *constant = get_constant (l, condition, ACC_KIND_BOOL);

  if (constant != NULL)
    *holds = constant->bits != 0;

  return constant != NULL;
}

static gboolean
is_known (AccLower *l,
          KValue    x)
{
  gint64 lo, hi;

  return x.id != 0 && get_limits (kb_kind (l->b, x), &lo, &hi);
}

/* @lo and @hi are of the exact result; it holds only where nothing wraps. */
static KValue
keep_range (AccLower *l,
            KValue    x,
            gint64    lo,
            gint64    hi)
{
  gint64 least, most;

  if (x.id != 0 && get_limits (kb_kind (l->b, x), &least, &most) && lo >= least && hi <= most && lo <= hi)
    return low_within (l, x, lo, hi);
  if (x.id == 0)
    l->failed = TRUE;

  return x;
}

/* The range of a sum or difference of values in [@a, @b] and [@c, @d]. FALSE: 64 bits do not hold it. */
static gboolean
combine_ranges (AccPrimitive primitive,
                gint64       a,
                gint64       b,
                gint64       c,
                gint64       d,
                gint64      *lo,
                gint64      *hi)
{
  return primitive == ACC_PRIM_ADD ? !__builtin_add_overflow (a, c, lo) && !__builtin_add_overflow (b, d, hi)
                                   : !__builtin_sub_overflow (a, d, lo) && !__builtin_sub_overflow (b, c, hi);
}

static KValue
keep_product (AccLower *l,
              KValue    z,
              gint64    a,
              gint64    b,
              gint64    c,
              gint64    d)
{
  gint64 p[4];

  if (__builtin_mul_overflow (a, c, &p[0]) || __builtin_mul_overflow (a, d, &p[1]) ||
      __builtin_mul_overflow (b, c, &p[2]) || __builtin_mul_overflow (b, d, &p[3]))
    return z;

  return keep_range (l, z, MIN (MIN (p[0], p[1]), MIN (p[2], p[3])), MAX (MAX (p[0], p[1]), MAX (p[2], p[3])));
}

KValue
low_prim (AccLower    *l,
          AccPrimitive primitive,
          KValue       x)
{
  KValue z = kb_prim (l->b, primitive, x);
  gint64 lo, hi;

  if (!is_known (l, x) || !is_known (l, z))
    return z;

  low_get_range (l, x, &lo, &hi);
  if (primitive == ACC_PRIM_NEG && lo > G_MININT64)
    return keep_range (l, z, -hi, -lo);
  if (primitive == ACC_PRIM_ABS && lo > G_MININT64)
    return keep_range (l, z, lo > 0 ? lo : hi < 0 ? -hi : 0, MAX (ABS (lo), ABS (hi)));
  if (primitive == ACC_PRIM_POPCOUNT || primitive == ACC_PRIM_CLZ || primitive == ACC_PRIM_CTZ)
    return keep_range (l, z, 0, 64);

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

  if (!is_known (l, x) || !is_known (l, y) || kb_kind (l->b, x) == ACC_KIND_BOOL)
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
  if (!is_known (l, x) || !is_known (l, y) || !is_known (l, z) || kb_kind (l->b, z) == ACC_KIND_BOOL)
    return z;

  low_get_range (l, x, &a, &b);
  low_get_range (l, y, &c, &d);
  switch ((int) primitive)
    {
    case ACC_PRIM_ADD:
    case ACC_PRIM_SUB:
      if (combine_ranges (primitive, a, b, c, d, &lo, &hi))
        return keep_range (l, z, lo, hi);
      break;
    case ACC_PRIM_MUL:
      return keep_product (l, z, a, b, c, d);
    case ACC_PRIM_MIN:
      return keep_range (l, z, MIN (a, c), MIN (b, d));
    case ACC_PRIM_MAX:
      return keep_range (l, z, MAX (a, c), MAX (b, d));
    case ACC_PRIM_QUOT:
    case ACC_PRIM_DIV:
      if (c > 0 && a >= 0)
        return keep_range (l, z, a / d, b / c);
      break;
    case ACC_PRIM_REM:
      if (c > 0 && a >= 0)
        return keep_range (l, z, 0, MIN (b, d - 1));
      if (c > 0)
        return keep_range (l, z, -(d - 1), d - 1);
      break;
    case ACC_PRIM_MOD:
      if (c > 0)
        return keep_range (l, z, 0, a >= 0 ? MIN (b, d - 1) : d - 1);
      break;
    case ACC_PRIM_BAND:
      if (c >= 0)
        return keep_range (l, z, 0, a >= 0 ? MIN (b, d) : d);
      if (a >= 0)
        return keep_range (l, z, 0, b);
      break;
    case ACC_PRIM_SHR:
      if (c >= 0 && c == d)
        return keep_range (l, z, a >> MIN (c, 63), b >> MIN (c, 63));
      if (a >= 0 && c >= 0)
        return keep_range (l, z, 0, c < 63 ? b >> c : 0);
      break;
    case ACC_PRIM_SHL:
      if (a >= 0 && c >= 0 && d < 62 && b <= G_MAXINT64 >> (d + 1))
        return keep_range (l, z, 0, b << d);
      break;
    default:
      break;
    }

  return z;
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

  return keep_range (l, kb_udiv (l->b, x, divisor (l, n)), MAX (lo, 0) / n, hi / n);
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

  return keep_range (l, kb_urem (l->b, x, divisor (l, n)), 0, n - 1);
}

KValue
low_cast (AccLower      *l,
          AccElementKind kind,
          KValue         x)
{
  KValue z = kb_cast (l->b, kind, x);
  gint64 lo, hi;

  if (!is_known (l, x) || !is_known (l, z))
    return z;
  low_get_range (l, x, &lo, &hi);

  return kind == ACC_KIND_BOOL ? z : keep_range (l, z, lo, hi);
}

/* --- choices */

static const AccPrimitive negated[ACC_N_PRIMITIVES] = {
  [ACC_PRIM_LT] = ACC_PRIM_GE, [ACC_PRIM_LE] = ACC_PRIM_GT, [ACC_PRIM_GT] = ACC_PRIM_LE,
  [ACC_PRIM_GE] = ACC_PRIM_LT, [ACC_PRIM_EQ] = ACC_PRIM_NE, [ACC_PRIM_NE] = ACC_PRIM_EQ,
};

static const AccPrimitive exchanged[ACC_N_PRIMITIVES] = {
  [ACC_PRIM_LT] = ACC_PRIM_GT, [ACC_PRIM_LE] = ACC_PRIM_GE, [ACC_PRIM_GT] = ACC_PRIM_LT,
  [ACC_PRIM_GE] = ACC_PRIM_LE, [ACC_PRIM_EQ] = ACC_PRIM_EQ, [ACC_PRIM_NE] = ACC_PRIM_NE,
};

/* The range of @x where it compares so with what lies in [@least, @most]; all of it where that cannot be. */
static void
get_compared_range (AccLower    *l,
                    KValue       x,
                    AccPrimitive comparison,
                    gint64       least,
                    gint64       most,
                    gint64      *lo,
                    gint64      *hi)
{
  gint64 a, b;

  low_get_range (l, x, lo, hi);
  a = *lo;
  b = *hi;
  if (comparison == ACC_PRIM_LT && most > G_MININT64)
    b = MIN (b, most - 1);
  if (comparison == ACC_PRIM_LE || comparison == ACC_PRIM_EQ)
    b = MIN (b, most);
  if (comparison == ACC_PRIM_GT && least < G_MAXINT64)
    a = MAX (a, least + 1);
  if (comparison == ACC_PRIM_GE || comparison == ACC_PRIM_EQ)
    a = MAX (a, least);
  if (comparison == ACC_PRIM_NE && least == most && a < b)
    {
      a += a == least;
      b -= b == most;
    }
  if (a <= b)
    {
      *lo = a;
      *hi = b;
    }
}

/* The range of @instr, if it is a sum or difference of @one, which lies in [@a, @b], and something else. FALSE: it is not, or may wrap. */
static gboolean
get_sum_range (AccLower             *l,
               const AccKernelInstr *instr,
               KValue                one,
               gint64                a,
               gint64                b,
               gint64               *lo,
               gint64               *hi)
{
  gboolean is_first = instr->args[0] == one.id;
  gint64 c, d, least, most;

  if (instr->op != ACC_KOP_PRIM || (instr->primitive != ACC_PRIM_ADD && instr->primitive != ACC_PRIM_SUB) ||
      (!is_first && instr->args[1] != one.id) || !get_limits (instr->kind, &least, &most))
    return FALSE;

  low_get_range (l, (KValue) { instr->args[is_first ? 1 : 0] }, &c, &d);
  if (is_first ? !combine_ranges (instr->primitive, a, b, c, d, lo, hi) : !combine_ranges (instr->primitive, c, d, a, b, lo, hi))
    return FALSE;

  return *lo >= least && *hi <= most;
}

/* The range of @x where @condition holds, or does not: @x may be compared there, or be a sum or difference of a compared value, such as an
 * index that wraps. */
static void
get_range_where (AccLower *l,
                 KValue    x,
                 KValue    condition,
                 gboolean  holds,
                 gint64   *lo,
                 gint64   *hi)
{
  const AccKernelInstr *compared = acc_kernel_instr (l->b->kernel, condition.id), *instr = acc_kernel_instr (l->b->kernel, x.id);

  low_get_range (l, x, lo, hi);
  if (compared->op != ACC_KOP_PRIM || compared->primitive < ACC_PRIM_LT || compared->primitive > ACC_PRIM_NE)
    return;

  for (guint i = 0; i < 2; i++)
    {
      KValue one = { compared->args[i] }, other = { compared->args[1 - i] };
      AccPrimitive primitive = holds ? compared->primitive : negated[compared->primitive];
      gint64 least, most, a, b;

      if (!is_known (l, one) || kb_kind (l->b, one) != kb_kind (l->b, x))
        continue;
      low_get_range (l, other, &least, &most);
      get_compared_range (l, one, i == 0 ? primitive : exchanged[primitive], least, most, &a, &b);
      if (one.id != x.id && !get_sum_range (l, instr, one, a, b, &a, &b))
        continue;
      *lo = MAX (*lo, a);
      *hi = MIN (*hi, b);
    }
}

KValue
low_select (AccLower *l,
            KValue    condition,
            KValue    x,
            KValue    y)
{
  KValue z = kb_select (l->b, condition, x, y);
  gint64 a, b, c, d;

  if (!is_known (l, x) || !is_known (l, y) || condition.id == 0 || z.id == x.id || z.id == y.id)
    return z;
  get_range_where (l, x, condition, TRUE, &a, &b);
  get_range_where (l, y, condition, FALSE, &c, &d);

  return keep_range (l, z, MIN (a, c), MAX (b, d));
}
