/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel-eval.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <ucontext.h>

#define WIDTH(kind) ((kind) == ACC_KIND_BOOL ? 1u : (guint) acc_element_kind_get_size (kind) * 8)
#define IS_SIGNED(kind) (acc_element_kind_is_signed (kind) && !acc_element_kind_is_float (kind))
#define IS_FLOAT(kind) acc_element_kind_is_float (kind)

static guint64
wrap (AccElementKind kind,
      guint64        x)
{
  guint shift = 64 - WIDTH (kind);

  return IS_SIGNED (kind) ? (guint64) ((gint64) (x << shift) >> shift) : x << shift >> shift;
}

/* --- floats */

static guint64
half_from (double value)
{
  guint64 sign = signbit (value) ? 0x8000 : 0;
  double magnitude = fabs (value), quantum, units;
  int exponent;

  if (isnan (value))
    return 0x7e00;
  if (isinf (value) || magnitude >= 65520)
    return sign | 0x7c00;
  frexp (magnitude, &exponent);
  if (exponent < -13 || magnitude == 0)
    exponent = -13;
  quantum = ldexp (1, exponent - 11);
  units = nearbyint (magnitude / quantum);
  if (units == 2048)
    {
      units = 1024;
      exponent++;
    }

  return sign | (units < 1024 ? (guint64) units : (guint64) (exponent + 14) << 10 | ((guint64) units - 1024));
}

double
eval_to_double (AccElementKind kind,
                guint64        x)
{
  if (kind == ACC_KIND_F16)
    {
      guint exponent = x >> 10 & 31, significand = x & 1023;
      double magnitude;

      if (exponent == 31)
        magnitude = significand != 0 ? NAN : INFINITY;
      else
        magnitude = exponent == 0 ? ldexp (significand, -24) : ldexp (1024 + significand, (int) exponent - 25);
      return x & 0x8000 ? -magnitude : magnitude;
    }
  if (kind == ACC_KIND_F32)
    {
      guint32 bits = x;
      float f;

      memcpy (&f, &bits, 4);
      return f;
    }
  if (kind == ACC_KIND_F64)
    {
      double d;

      memcpy (&d, &x, 8);
      return d;
    }

  return IS_SIGNED (kind) ? (double) (gint64) x : (double) x;
}

static guint64
bits_of_float (float f)
{
  guint32 bits;

  memcpy (&bits, &f, 4);

  return bits;
}

static guint64
bits_of_double (double d)
{
  guint64 bits;

  memcpy (&bits, &d, 8);

  return bits;
}

/* Rounds once. */
guint64
eval_from_double (AccElementKind kind,
                  double         x)
{
  if (kind == ACC_KIND_F16)
    return half_from (x);
  if (kind == ACC_KIND_F32)
    return bits_of_float ((float) x);
  if (kind == ACC_KIND_F64)
    return bits_of_double (x);

  return wrap (kind, (guint64) (gint64) x);
}

static double
double_function (AccPrimitive primitive,
                 double       x,
                 double       y)
{
  switch ((int) primitive)
    {
    case ACC_PRIM_ADD: return x + y;
    case ACC_PRIM_SUB: return x - y;
    case ACC_PRIM_MUL: return x * y;
    case ACC_PRIM_FDIV: return x / y;
    case ACC_PRIM_RECIP: return 1 / x;
    case ACC_PRIM_NEG: return -x;
    case ACC_PRIM_ABS: return fabs (x);
    case ACC_PRIM_SIGNUM: return x > 0 ? 1 : x < 0 ? -1 : x;
    case ACC_PRIM_SIN: return sin (x);
    case ACC_PRIM_COS: return cos (x);
    case ACC_PRIM_TAN: return tan (x);
    case ACC_PRIM_ASIN: return asin (x);
    case ACC_PRIM_ACOS: return acos (x);
    case ACC_PRIM_ATAN: return atan (x);
    case ACC_PRIM_SINH: return sinh (x);
    case ACC_PRIM_COSH: return cosh (x);
    case ACC_PRIM_TANH: return tanh (x);
    case ACC_PRIM_ASINH: return asinh (x);
    case ACC_PRIM_ACOSH: return acosh (x);
    case ACC_PRIM_ATANH: return atanh (x);
    case ACC_PRIM_EXP: return exp (x);
    case ACC_PRIM_EXPM1: return expm1 (x);
    case ACC_PRIM_SQRT: return sqrt (x);
    case ACC_PRIM_LOG: return log (x);
    case ACC_PRIM_LOG1P: return log1p (x);
    case ACC_PRIM_POW: return pow (x, y);
    case ACC_PRIM_LOGBASE: return log (y) / log (x);
    case ACC_PRIM_ATAN2: return atan2 (x, y);
    case ACC_PRIM_TRUNCATE: return trunc (x);
    case ACC_PRIM_ROUND: return nearbyint (x);
    case ACC_PRIM_FLOOR: return floor (x);
    case ACC_PRIM_CEILING: return ceil (x);
    case ACC_PRIM_MIN: return isnan (x) ? y : y < x ? y : x;
    case ACC_PRIM_MAX: return isnan (x) ? y : y > x ? y : x;
    default: g_assert_not_reached ();
    }
}

static float
float_function (AccPrimitive primitive,
                float        x,
                float        y)
{
  switch ((int) primitive)
    {
    case ACC_PRIM_ADD: return x + y;
    case ACC_PRIM_SUB: return x - y;
    case ACC_PRIM_MUL: return x * y;
    case ACC_PRIM_FDIV: return x / y;
    case ACC_PRIM_RECIP: return 1 / x;
    case ACC_PRIM_SIN: return sinf (x);
    case ACC_PRIM_COS: return cosf (x);
    case ACC_PRIM_TAN: return tanf (x);
    case ACC_PRIM_ASIN: return asinf (x);
    case ACC_PRIM_ACOS: return acosf (x);
    case ACC_PRIM_ATAN: return atanf (x);
    case ACC_PRIM_SINH: return sinhf (x);
    case ACC_PRIM_COSH: return coshf (x);
    case ACC_PRIM_TANH: return tanhf (x);
    case ACC_PRIM_ASINH: return asinhf (x);
    case ACC_PRIM_ACOSH: return acoshf (x);
    case ACC_PRIM_ATANH: return atanhf (x);
    case ACC_PRIM_EXP: return expf (x);
    case ACC_PRIM_EXPM1: return expm1f (x);
    case ACC_PRIM_SQRT: return sqrtf (x);
    case ACC_PRIM_LOG: return logf (x);
    case ACC_PRIM_LOG1P: return log1pf (x);
    case ACC_PRIM_POW: return powf (x, y);
    case ACC_PRIM_LOGBASE: return logf (y) / logf (x);
    case ACC_PRIM_ATAN2: return atan2f (x, y);
    default: return (float) double_function (primitive, x, y);
    }
}

static guint64
float_prim (AccPrimitive   primitive,
            AccElementKind kind,
            guint64        bx,
            guint64        by)
{
  double x = eval_to_double (kind, bx), y = eval_to_double (kind, by);

  switch ((int) primitive)
    {
    case ACC_PRIM_IS_NAN: return isnan (x);
    case ACC_PRIM_IS_INF: return isinf (x) != 0;
    case ACC_PRIM_LT: return x < y;
    case ACC_PRIM_GT: return x > y;
    case ACC_PRIM_LE: return x <= y;
    case ACC_PRIM_GE: return x >= y;
    case ACC_PRIM_EQ: return x == y;
    case ACC_PRIM_NE: return x != y;
    default: break;
    }
  if (kind == ACC_KIND_F64)
    return bits_of_double (double_function (primitive, x, y));
  if (kind == ACC_KIND_F32)
    return bits_of_float (float_function (primitive, x, y));

  return half_from (float_function (primitive, x, y));
}

/* --- integers */

static guint64
shift_by (AccElementKind kind,
          guint64        x,
          gint64         left)
{
  gint64 width = WIDTH (kind);

  if (left >= width)
    return 0;
  if (left >= 0)
    return wrap (kind, x << left);
  if (left <= -width)
    return IS_SIGNED (kind) && (gint64) x < 0 ? wrap (kind, G_MAXUINT64) : 0;

  return IS_SIGNED (kind) ? (guint64) ((gint64) x >> -left) : x >> -left;
}

static guint64
rotate_by (AccElementKind kind,
           guint64        x,
           guint64        left)
{
  guint width = WIDTH (kind);
  guint64 mask = width == 64 ? G_MAXUINT64 : (1ull << width) - 1;
  guint by = left & (width - 1);

  x &= mask;

  return wrap (kind, by == 0 ? x : (x << by | x >> (width - by)));
}

static guint64
divide (AccPrimitive   primitive,
        AccElementKind kind,
        guint64        bx,
        guint64        by)
{
  __int128 x = IS_SIGNED (kind) ? (__int128) (gint64) bx : (__int128) bx;
  __int128 y = IS_SIGNED (kind) ? (__int128) (gint64) by : (__int128) by;
  __int128 q, r;

  if (y == 0)
    return 0;
  q = x / y;
  r = x % y;
  if ((primitive == ACC_PRIM_DIV || primitive == ACC_PRIM_MOD) && r != 0 && (r < 0) != (y < 0))
    {
      q -= 1;
      r += y;
    }

  return wrap (kind, (guint64) (primitive == ACC_PRIM_QUOT || primitive == ACC_PRIM_DIV ? q : r));
}

guint64
eval_prim (AccPrimitive   primitive,
           AccElementKind kind,
           guint64        x,
           guint64        y)
{
  guint width = WIDTH (kind);
  guint64 bits = width == 64 ? x : x & ((1ull << width) - 1);
  gboolean less;

  if (IS_FLOAT (kind))
    return float_prim (primitive, kind, x, y);

  less = IS_SIGNED (kind) ? (gint64) x < (gint64) y : x < y;
  switch ((int) primitive)
    {
    case ACC_PRIM_ADD: return wrap (kind, x + y);
    case ACC_PRIM_SUB: return wrap (kind, x - y);
    case ACC_PRIM_MUL: return wrap (kind, x * y);
    case ACC_PRIM_NEG: return wrap (kind, 0 - x);
    case ACC_PRIM_ABS: return IS_SIGNED (kind) && (gint64) x < 0 ? wrap (kind, 0 - x) : x;
    case ACC_PRIM_SIGNUM: return x == 0 ? 0 : IS_SIGNED (kind) && (gint64) x < 0 ? G_MAXUINT64 : 1;
    case ACC_PRIM_QUOT:
    case ACC_PRIM_REM:
    case ACC_PRIM_DIV:
    case ACC_PRIM_MOD: return divide (primitive, kind, x, y);
    case ACC_PRIM_BAND: return x & y;
    case ACC_PRIM_BOR: return x | y;
    case ACC_PRIM_BXOR: return x ^ y;
    case ACC_PRIM_BNOT: return wrap (kind, ~x);
    case ACC_PRIM_SHL: return shift_by (kind, x, MAX ((gint64) y, -100));
    case ACC_PRIM_SHR: return shift_by (kind, x, -CLAMP ((gint64) y, -100, 100));
    case ACC_PRIM_ROTL: return rotate_by (kind, x, y);
    case ACC_PRIM_ROTR: return rotate_by (kind, x, 0 - y);
    case ACC_PRIM_POPCOUNT: return __builtin_popcountll (bits);
    case ACC_PRIM_CLZ: return bits == 0 ? width : (guint) __builtin_clzll (bits) - (64 - width);
    case ACC_PRIM_CTZ: return bits == 0 ? width : (guint) __builtin_ctzll (bits);
    case ACC_PRIM_LT: return less;
    case ACC_PRIM_GT: return !less && x != y;
    case ACC_PRIM_LE: return less || x == y;
    case ACC_PRIM_GE: return !less;
    case ACC_PRIM_EQ: return x == y;
    case ACC_PRIM_NE: return x != y;
    case ACC_PRIM_MIN: return less ? x : y;
    case ACC_PRIM_MAX: return less ? y : x;
    default: g_assert_not_reached ();
    }
}

guint64
eval_cast (AccElementKind from,
           AccElementKind to,
           guint64        x)
{
  if (IS_FLOAT (from))
    {
      double v = eval_to_double (from, x);
      guint width = WIDTH (to);

      if (IS_FLOAT (to))
        return eval_from_double (to, v);
      if (to == ACC_KIND_BOOL)
        return v != 0;
      if (isnan (v))
        return 0;
      if (IS_SIGNED (to))
        return v >= ldexp (1, width - 1) ? (1ull << (width - 1)) - 1
               : v <= -ldexp (1, width - 1) ? (guint64) (G_MININT64 >> (64 - width)) : (guint64) (gint64) v;
      return v >= ldexp (1, width) ? wrap (to, G_MAXUINT64) : v <= 0 ? 0 : (guint64) v;
    }
  if (to == ACC_KIND_BOOL)
    return x != 0;
  if (to == ACC_KIND_F32)
    return bits_of_float (IS_SIGNED (from) ? (float) (gint64) x : (float) x);
  if (IS_FLOAT (to))
    return eval_from_double (to, eval_to_double (from, x));

  return wrap (to, x);
}

/* --- memory */

guint64
eval_read (AccElementKind kind,
           gconstpointer  address)
{
  guint64 x = 0;

  memcpy (&x, address, acc_element_kind_get_size (kind));
  if (kind == ACC_KIND_BOOL)
    return x != 0;

  return IS_FLOAT (kind) ? x : wrap (kind, x);
}

void
eval_write (AccElementKind kind,
            gpointer       address,
            guint64        x)
{
  memcpy (address, &x, acc_element_kind_get_size (kind));
}

gboolean
eval_equal (AccElementKind kind,
            guint64        x,
            guint64        y)
{
  if (IS_FLOAT (kind) && isnan (eval_to_double (kind, x)) && isnan (eval_to_double (kind, y)))
    return TRUE;

  return x == y;
}

guint64
eval_random (AccElementKind kind,
             GRand         *rand)
{
  static const double special[] = {
    0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 127.5, 128, 255.4, 255.5, 256, -129, 32767.6, 65504, 65519, 65520, 65536,
    2147483647, 2147483648.0, -2147483649.0, 4294967295.0, 4294967296.0, 9.2e18, 1e19, 1.9e19, -9.3e18, 1e30, -1e300,
    1e-8, 3e-8, 6e-5, 1e-40, 5e-324, INFINITY, -INFINITY, NAN, 2049, 2051, 0.1, 3,
  };
  guint64 x = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);
  guint width = WIDTH (kind);

  if (IS_FLOAT (kind))
    switch (g_rand_int_range (rand, 0, 4))
      {
      case 0:
        return eval_from_double (kind, special[g_rand_int_range (rand, 0, G_N_ELEMENTS (special))]);
      case 1:
        return x & (width == 64 ? G_MAXUINT64 : (1ull << width) - 1);
      case 2:
        return eval_from_double (kind, g_rand_double_range (rand, -10, 10));
      default:
        return eval_from_double (kind, g_rand_double_range (rand, -70000, 70000));
      }

  switch (g_rand_int_range (rand, 0, 4))
    {
    case 0:
      return wrap (kind, (guint64) (gint64) g_rand_int_range (rand, -3, 4));
    case 1:
      return wrap (kind, (1ull << (width - 1)) + (guint64) (gint64) g_rand_int_range (rand, -2, 3));
    case 2:
      return wrap (kind, (guint64) (gint64) g_rand_int_range (rand, -100, 100));
    default:
      return wrap (kind, x >> g_rand_int_range (rand, 0, 64));
    }
}

/* --- kernels */

typedef struct _Group Group;

typedef struct {
  AccKernel     *kernel;
  const guint64 *slots;
  const gint64  *range;
  AccFailure    *failure;
  guint64       *values;
  Group         *group;     /* NULL: for processors */
  guint          local;
} Eval;

static guint64 meet         (Eval *e, guint32 id, guint64 x);
static void    let_others   (Eval *e);
static void    touch_shared (Eval *e, guint32 array, gint64 index, gboolean write, guint64 x);
static guint8 *get_shared   (Eval *e, guint32 array);
static guint64 do_atomic    (KAtomic how, AccElementKind kind, guint64 x, guint64 y);

static guint64
value_of (Eval   *e,
          guint32 id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

  if (instr->op == ACC_KOP_CONST)
    return instr->bits;
  if (instr->op == ACC_KOP_PARAM)
    return eval_read (instr->kind, &e->slots[instr->args[0]]);
  if (instr->op == ACC_KOP_RANGE)
    return e->range[instr->args[0]];

  if (instr->op == ACC_KOP_LOCAL)
    return e->local;

  return e->values[id];
}

static guint64
bitcast (AccElementKind from,
         AccElementKind to,
         guint64        x)
{
  guint64 bits = 0;

  eval_write (from, &bits, x);

  return eval_read (to, &bits);
}

static guint64
fused (AccElementKind kind,
       guint64        x,
       guint64        y,
       guint64        z)
{
  if (kind == ACC_KIND_F32)
    return bits_of_float (fmaf (eval_to_double (kind, x), eval_to_double (kind, y), eval_to_double (kind, z)));

  return bits_of_double (fma (eval_to_double (kind, x), eval_to_double (kind, y), eval_to_double (kind, z)));
}

/* The nearest, of what is no denormal. */
static guint64
estimate (AccPrimitive of,
          guint64      bits)
{
  float x = (float) eval_to_double (ACC_KIND_F32, bits), y;

  if (fabsf (x) < FLT_MIN)
    x = copysignf (0, x);
  y = of == ACC_PRIM_SQRT ? (float) (1 / sqrt (x)) : of == ACC_PRIM_EXP ? (float) exp2 (x) : 1 / x;

  return bits_of_float (fabsf (y) < FLT_MIN ? copysignf (0, y) : y);
}

static gpointer
element (Eval                 *e,
         const AccKernelInstr *instr)
{
  gsize size = acc_element_kind_get_size (acc_kernel_buffer (e->kernel, instr->args[0])->kind);

  if (instr->args[0] & ACC_KERNEL_SHARED)
    {
      gint64 index = (gint64) value_of (e, instr->args[1]);

      g_assert_cmpint (index, >=, 0);
      g_assert_cmpint (index, <, acc_kernel_buffer (e->kernel, instr->args[0])->n_elements);
      if (instr->op == ACC_KOP_LOAD || instr->op == ACC_KOP_STORE)
        touch_shared (e, instr->args[0], index, instr->op == ACC_KOP_STORE, instr->op == ACC_KOP_STORE ? value_of (e, instr->args[2]) : 0);
      return get_shared (e, instr->args[0]) + index * (gint64) size;
    }

  return (guint8 *) (guintptr) e->slots[instr->args[0]] + (gint64) value_of (e, instr->args[1]) * (gint64) size;
}

static gboolean eval_items (Eval *e, const GArray *items, guint first, guint end);

/* FALSE: an until held. */
static gboolean
eval_block (Eval   *e,
            guint32 block)
{
  const GArray *items = acc_kernel_block (e->kernel, block)->items;

  return eval_items (e, items, 0, items->len);
}

/* What instruction @id, at which lanes meet, gives to @lane. @all: values of all lanes, @n of each. */
static guint64
eval_meeting (Eval          *e,
              guint32        id,
              const guint64 *all,
              guint          n_lanes,
              guint          lane)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  guint n = e->kernel->instrs->len, delta = (guint32) instr->bits, from = lane, n_before = 0;
  guint64 ballot = 0;

#define LANE_VALUE(of, arg) (e->values = (guint64 *) all + (of) * n, value_of (e, instr->args[arg]))
  if (instr->op == ACC_KOP_BALLOT)
    {
      for (guint i = 0; i < n_lanes; i++)
        ballot |= (guint64) (LANE_VALUE (i, 0) != 0) << i;
      return ballot;
    }
  if (instr->op == ACC_KOP_PACK)
    {
      for (guint i = 0; i < lane; i++)
        n_before += LANE_VALUE (i, 3) != 0;
      if (LANE_VALUE (lane, 3))
        {
          AccElementKind kind = acc_kernel_buffer (e->kernel, instr->args[0])->kind;

          eval_write (kind, (guint8 *) element (e, instr) + n_before * acc_element_kind_get_size (kind), LANE_VALUE (lane, 2));
        }
      return 0;
    }

  /* What is before the start nobody may rely on. */
  if (instr->bits >> 32 == KB_SHUFFLE_LAST || lane >= delta)
    from = instr->bits >> 32 == KB_SHUFFLE_LAST ? n_lanes - 1 : lane - delta;
  return LANE_VALUE (from, 0);
#undef LANE_VALUE
}

/* Item by item, all lanes of each before the next. */
static void
eval_lock_step (Eval   *e,
                guint32 id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  const GArray *items = acc_kernel_block (e->kernel, instr->blocks[0])->items;
  guint n_lanes = instr->bits, n = e->kernel->instrs->len;
  g_autofree guint64 *all = g_new (guint64, n_lanes * n);
  guint64 *values = e->values;

  for (guint lane = 0; lane < n_lanes; lane++)
    {
      memcpy (all + lane * n, values, n * sizeof *all);
      all[lane * n + id] = lane;
    }
  for (guint i = 0; i < items->len; i++)
    {
      guint32 item = g_array_index (items, guint32, i);
      AccKernelOp op = acc_kernel_instr (e->kernel, item)->op;

      for (guint lane = 0; lane < n_lanes; lane++)
        {
          e->values = all + lane * n;
          if (_acc_kernel_op_meets (op))
            all[lane * n + item] = eval_meeting (e, item, all, n_lanes, lane);
          else
            eval_items (e, items, i, i + 1);
        }
    }
  memcpy (values, all + (n_lanes - 1) * n, n * sizeof *all);
  e->values = values;
}

static gboolean
eval_items (Eval         *e,
            const GArray *items,
            guint         first,
            guint         end)
{
  for (guint i = first; i < end; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
      AccElementKind kind = _acc_kernel_first_id (instr) == 0 && instr->n_args > 0
                            ? acc_kernel_instr (e->kernel, instr->args[0])->kind : instr->kind;
      guint64 a[ACC_KERNEL_MAX_ARGS] = { 0, };

      for (guint j = _acc_kernel_first_id (instr); j < instr->n_args; j++)
        a[j] = value_of (e, instr->args[j]);

      switch ((int) instr->op)
        {
        case ACC_KOP_PRIM:
          e->values[id] = eval_prim (instr->primitive, kind, a[0], a[1]);
          break;
        case ACC_KOP_CAST:
          e->values[id] = eval_cast (kind, instr->kind, a[0]);
          break;
        case ACC_KOP_BITCAST:
          e->values[id] = bitcast (kind, instr->kind, a[0]);
          break;
        case ACC_KOP_SELECT:
          e->values[id] = a[0] ? a[1] : a[2];
          break;
        case ACC_KOP_FMA:
          e->values[id] = fused (instr->kind, a[0], a[1], a[2]);
          break;
        case ACC_KOP_ESTIMATE:
          e->values[id] = estimate (instr->primitive, a[0]);
          break;
        case ACC_KOP_EXTEND:
          e->values[id] = instr->bits == 8
                          ? eval_cast (ACC_KIND_U32, instr->kind == ACC_KIND_I32 ? ACC_KIND_I8 : ACC_KIND_U8, a[0] & G_MAXUINT32)
                                           : eval_cast (ACC_KIND_U32, instr->kind == ACC_KIND_I32 ? ACC_KIND_I16 : ACC_KIND_U16,
                                                        a[0] & G_MAXUINT32);
          break;
        case ACC_KOP_OPAQUE:
          e->values[id] = a[0];
          break;
        case ACC_KOP_UDIV:
          e->values[id] = a[0] / a[1];
          break;
        case ACC_KOP_UREM:
          e->values[id] = a[0] % a[1];
          break;
        case ACC_KOP_LOAD:
          if (e->group != NULL && (acc_kernel_buffer (e->kernel, instr->args[0])->flags & ACC_BUFFER_COHERENT))
            let_others (e);
          e->values[id] = eval_read (instr->kind, element (e, instr));
          break;
        case ACC_KOP_STORE:
          eval_write (acc_kernel_buffer (e->kernel, instr->args[0])->kind, element (e, instr), a[2]);
          break;
        case ACC_KOP_BARRIER:
        case ACC_KOP_SUBGROUP_BARRIER:
        case ACC_KOP_SHUFFLE:
        case ACC_KOP_BALLOT:
          e->values[id] = meet (e, id, a[0]);
          break;
        case ACC_KOP_FENCE:
        case ACC_KOP_PREFETCH:
          break;
        case ACC_KOP_ATOMIC:
        case ACC_KOP_CAS:
          {
            AccElementKind of = acc_kernel_buffer (e->kernel, instr->args[0])->kind;
            gpointer address = element (e, instr);

            let_others (e);
            e->values[id] = eval_read (of, address);
            if (instr->op == ACC_KOP_ATOMIC)
              eval_write (of, address, do_atomic ((KAtomic) instr->bits, of, e->values[id], a[2]));
            else if (e->values[id] == a[2])
              eval_write (of, address, a[3]);
          }
          break;
        case ACC_KOP_VAR:
          e->values[id] = a[0];
          break;
        case ACC_KOP_GET:
          e->values[id] = e->values[instr->args[0]];
          break;
        case ACC_KOP_SET:
          e->values[instr->args[0]] = a[1];
          break;
        case ACC_KOP_CHECK:
          if (!a[0] && e->failure->state == 0)
            *e->failure = (AccFailure) { 2, instr->bits & G_MAXUINT32, instr->bits >> 32, 0, a[1], a[2] };
          break;
        case ACC_KOP_FOREACH:
          if (_acc_kernel_is_lock_step (e->kernel, id))
            {
              eval_lock_step (e, id);
              break;
            }
          G_GNUC_FALLTHROUGH;
        case ACC_KOP_FOR:
          for (gint64 j = a[0]; j < (gint64) a[1]; j++)
            {
              e->values[id] = j;
              eval_block (e, instr->blocks[0]);
            }
          break;
        case ACC_KOP_IF:
          if (a[0])
            eval_block (e, instr->blocks[0]);
          else if (instr->blocks[1] != 0)
            eval_block (e, instr->blocks[1]);
          break;
        case ACC_KOP_WHILE:
          while (eval_block (e, instr->blocks[0]))
            ;
          break;
        case ACC_KOP_UNTIL:
          if (a[0])
            return FALSE;
          break;
        default:
          g_assert_not_reached ();
        }
    }

  return TRUE;
}

void
eval_kernel (AccKernel     *kernel,
             const guint64 *slots,
             const gint64  *range,
             AccFailure    *failure)
{
  g_autofree guint64 *values = g_new0 (guint64, kernel->instrs->len);
  Eval e = { .kernel = kernel, .slots = slots, .range = range, .failure = failure, .values = values };

  eval_block (&e, ACC_KERNEL_BODY);
}

/* --- groups: each thread has a stack of its own, and runs until it meets others */

#define STACK_SIZE (48 * 1024)

typedef struct {
  ucontext_t context;
  Eval       eval;
  guint32    at;        /* barrier, shuffle or ballot that it waits at; 0: runs */
  gboolean   done;
  guint64    given, taken;
} Thread;

#define NOBODY G_MAXUINT

/* Between which barriers an element of shared memory was touched, and by whom: a thread; or several, of one subgroup, which is numbered
 * after all threads; or NOBODY in particular. */
typedef struct {
  guint epoch;     /* of the group */
  guint turn;      /* of the subgroup */
  guint who;
} Touch;

typedef struct {
  Touch   write, read;
  guint64 value;
} Touches;

struct _Group {
  AccKernel *kernel;
  guint      n, subgroup;
  guint      epoch;      /* barriers passed, from 1 */
  Thread    *threads;
  guint8   **shared;
  guint     *turns;      /* per subgroup: its barriers passed */
  Touches  **touches;
  ucontext_t scheduler;
};

static GPrivate stacks = G_PRIVATE_INIT (g_free);
static GPrivate running;

static void
let_others (Eval *e)
{
  if (e->group != NULL)
    swapcontext (&e->group->threads[e->local].context, &e->group->scheduler);
}

static guint64
meet (Eval    *e,
      guint32  id,
      guint64  x)
{
  Thread *thread = &e->group->threads[e->local];

  thread->at = id;
  thread->given = x;
  let_others (e);

  return thread->taken;
}

static guint8 *
get_shared (Eval    *e,
            guint32  array)
{
  return e->group->shared[array & ~ACC_KERNEL_SHARED];
}

static void
complain (Group      *self,
          const char *what,
          guint       local)
{
  g_autofree char *text = acc_kernel_to_string (self->kernel);

  g_error ("thread %u: %s in kernel %s", local, what, text);
}

static guint
get_subgroup (const Group *self,
              guint        who)
{
  return who == NOBODY ? NOBODY : who >= self->n ? who - self->n : who / self->subgroup;
}

/* Whether no barrier lies between @touch and what thread @local does now. */
static gboolean
meets (const Group *self,
       const Touch *touch,
       guint        local)
{
  guint subgroup = local / self->subgroup;

  return touch->epoch == self->epoch && touch->who != local
         && (get_subgroup (self, touch->who) != subgroup || touch->turn == self->turns[subgroup]);
}

static void
touch_shared (Eval     *e,
              guint32   array,
              gint64    index,
              gboolean  write,
              guint64   x)
{
  Group *self = e->group;
  Touches *touches = &self->touches[array & ~ACC_KERNEL_SHARED][index];
  guint subgroup = e->local / self->subgroup;
  Touch now = { self->epoch, self->turns[subgroup], e->local };

  if (meets (self, &touches->write, e->local) && !(write && touches->value == x))
    complain (self, write ? "writes what another wrote" : "reads what another writes", e->local);
  if (write && meets (self, &touches->read, e->local))
    complain (self, "writes what another reads", e->local);

  if (write)
    {
      touches->write = now;
      touches->value = x;
      return;
    }
  if (meets (self, &touches->read, e->local))
    now.who = get_subgroup (self, touches->read.who) == subgroup ? self->n + subgroup : NOBODY;
  touches->read = now;
}

static guint64
do_atomic (KAtomic        how,
           AccElementKind kind,
           guint64        x,
           guint64        y)
{
  switch (how)
    {
    case KB_ATOMIC_ADD: return eval_prim (ACC_PRIM_ADD, kind, x, y);
    case KB_ATOMIC_MIN: return eval_prim (ACC_PRIM_MIN, kind, x, y);
    case KB_ATOMIC_MAX: return eval_prim (ACC_PRIM_MAX, kind, x, y);
    case KB_ATOMIC_AND: return eval_prim (ACC_PRIM_BAND, kind, x, y);
    case KB_ATOMIC_OR: return eval_prim (ACC_PRIM_BOR, kind, x, y);
    case KB_ATOMIC_XOR: return eval_prim (ACC_PRIM_BXOR, kind, x, y);
    case KB_ATOMIC_EXCHANGE: return y;
    }

  g_return_val_if_reached (0);
}

static void
run_thread (void)
{
  Thread *self = g_private_get (&running);

  eval_block (&self->eval, ACC_KERNEL_BODY);
  self->done = TRUE;
  swapcontext (&self->context, &self->eval.group->scheduler);
}

/* What thread @lane of the @n from @first on takes of what they gave. */
static guint64
exchange (Group                *self,
          const AccKernelInstr *instr,
          guint                 first,
          guint                 n,
          guint                 lane)
{
  guint delta = (guint32) instr->bits, from = lane;
  guint64 ballot = 0;

  if (instr->op == ACC_KOP_BALLOT)
    {
      for (guint i = 0; i < n; i++)
        ballot |= (guint64) (self->threads[first + i].given != 0) << i;
      return ballot;
    }

  switch ((KShuffle) (instr->bits >> 32))
    {
    case KB_SHUFFLE_DOWN: from = lane + delta; break;
    case KB_SHUFFLE_UP: from = lane - delta; break;
    case KB_SHUFFLE_XOR: from = lane ^ delta; break;
    case KB_SHUFFLE_LAST: from = n - 1; break;
    }

  return self->threads[first + (from < n ? from : lane)].given;
}

/* Lets those go on that all threads of their subgroup wait with; TRUE where there are some. */
static gboolean
release_subgroups (Group *self)
{
  gboolean released = FALSE;

  for (guint first = 0; first < self->n; first += self->subgroup)
    {
      guint n = MIN (self->subgroup, self->n - first);
      guint32 at = self->threads[first].at;
      const AccKernelInstr *instr = acc_kernel_instr (self->kernel, at);
      gboolean all = at != 0 && instr->op != ACC_KOP_BARRIER;

      for (guint i = 0; i < n; i++)
        all &= self->threads[first + i].at == at;
      for (guint i = 0; i < n && all && instr->op != ACC_KOP_SUBGROUP_BARRIER; i++)
        self->threads[first + i].taken = exchange (self, instr, first, n, i);
      for (guint i = 0; i < n && all; i++)
        self->threads[first + i].at = 0;
      self->turns[first / self->subgroup] += all && instr->op == ACC_KOP_SUBGROUP_BARRIER;
      released |= all;
    }

  return released;
}

static void
release_barrier (Group *self)
{
  for (guint i = 0; i < self->n; i++)
    if (self->threads[i].at != self->threads[0].at
        || acc_kernel_instr (self->kernel, self->threads[i].at)->op != ACC_KOP_BARRIER)
      complain (self, "waits for threads that are elsewhere", i);
  for (guint i = 0; i < self->n; i++)
    self->threads[i].at = 0;
  self->epoch++;
}

static void
run_all (Group *self,
         GRand *rand)
{
  guint n_done = 0;

  while (n_done < self->n)
    {
      guint start = (guint) g_rand_int_range (rand, 0, (gint32) self->n), step = g_rand_boolean (rand) ? 1 : self->n - 1;
      gboolean moved = FALSE;

      for (guint k = 0, i = start; k < self->n; k++, i = (i + step) % self->n)
        if (!self->threads[i].done && self->threads[i].at == 0)
          {
            moved = TRUE;
            g_private_set (&running, &self->threads[i]);
            swapcontext (&self->scheduler, &self->threads[i].context);
            n_done += self->threads[i].done;
          }
      if (!moved && !release_subgroups (self))
        release_barrier (self);
    }
}

void
eval_group (AccKernel     *kernel,
            guint          subgroup,
            GRand         *rand,
            const guint64 *slots,
            const gint64  *range,
            AccFailure    *failure)
{
  Group self = { .kernel = kernel, .n = acc_kernel_get_group_size (kernel), .subgroup = subgroup, .epoch = 1 };
  guint8 *stack = g_private_get (&stacks);

  if (stack == NULL)
    g_private_set (&stacks, stack = g_malloc (1024 * STACK_SIZE));
  g_assert_cmpuint (self.n, <=, 1024);
  self.threads = g_new0 (Thread, self.n);
  self.shared = g_new0 (guint8 *, kernel->shared->len + 1);
  self.touches = g_new0 (Touches *, kernel->shared->len + 1);
  self.turns = g_new0 (guint, self.n / subgroup + 1);
  for (guint i = 0; i < kernel->shared->len; i++)
    {
      const AccKernelParam *array = &g_array_index (kernel->shared, AccKernelParam, i);
      gsize size = array->n_elements * acc_element_kind_get_size (array->kind);

      self.shared[i] = memset (g_malloc (size), 0xa5, size);
      self.touches[i] = g_new0 (Touches, array->n_elements);
    }
  for (guint i = 0; i < self.n; i++)
    {
      Thread *thread = &self.threads[i];

      thread->eval = (Eval) { .kernel = kernel, .slots = slots, .range = range, .failure = failure, .group = &self, .local = i,
                              .values = g_new0 (guint64, kernel->instrs->len) };
      getcontext (&thread->context);
      thread->context.uc_stack.ss_sp = stack + (gsize) i * STACK_SIZE;
      thread->context.uc_stack.ss_size = STACK_SIZE;
      thread->context.uc_link = NULL;
      makecontext (&thread->context, run_thread, 0);
    }

  run_all (&self, rand);

  for (guint i = 0; i < self.n; i++)
    g_free (self.threads[i].eval.values);
  for (guint i = 0; i < kernel->shared->len; i++)
    {
      g_free (self.shared[i]);
      g_free (self.touches[i]);
    }
  g_free (self.shared);
  g_free (self.touches);
  g_free (self.turns);
  g_free (self.threads);
}
