/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-c-private.h"

/* Functions that are written in front of a kernel that calls them, in the language that both dialects share. Each has a single return: some
 * compilers make loops of others. */

typedef struct {
  const char *name;
  const char *needs;       /* names of others, with spaces between them */
  const char *text;
} Function;

static const Function functions[] = {
  { "clz_u64", "",
    "u32 clz_u64 (u64 x)\n"
    "{\n"
    "  u32 high = U32 (x >> 32), low = U32 (x);\n"
    "  return high != 0u ? U32 (CLZ32 (high)) : 32u + U32 (CLZ32 (low));\n"
    "}\n" },

  /* y is not 0. Division of 64 bits is many instructions on most devices, and most numbers are small. */
  { "divide_u64", "",
    "u64 divide_u64 (u64 x, u64 y)\n"
    "{\n"
    "  u64 q;\n"
    "  if ((x | y) >> 32 == 0UL)\n"
    "    q = U64 (U32 (x) / U32 (y));\n"
    "  else\n"
    "    q = x / y;\n"
    "  return q;\n"
    "}\n" },

  /* --- f16: by integers, whatever the device does to small numbers */

  { "half_bits_to_float", "",
    "f32 half_bits_to_float (u32 h)\n"
    "{\n"
    "  u32 sign = (h & 0x8000u) << 16, size = h & 0x7fffu, bits;\n"
    "  if (size >= 0x7c00u)\n"
    "    bits = 0x7f800000u | (size & 0x3ffu) << 13;\n"
    "  else if (size >= 0x400u)\n"
    "    bits = (size << 13) + 0x38000000u;\n"
    "  else\n"
    "    bits = BITS32 (F32 (size) * FLOAT32 (0x33800000u));\n"
    "  return FLOAT32 (sign | bits);\n"
    "}\n" },

  /* Rounds to nearest, ties to even. */
  { "half_bits_of_float", "",
    "u32 half_bits_of_float (u32 b)\n"
    "{\n"
    "  u32 sign = b >> 16 & 0x8000u, size = b & 0x7fffffffu, half_bits;\n"
    "  if (size > 0x7f800000u)\n"
    "    half_bits = 0x7e00u;\n"
    "  else if (size >= 0x477ff000u)\n"
    "    half_bits = 0x7c00u;\n"
    "  else if (size >= 0x38800000u)\n"
    "    half_bits = (size - 0x38000000u + 0xfffu + (size >> 13 & 1u)) >> 13;\n"
    "  else if (size < 0x33000000u)\n"
    "    half_bits = 0u;\n"
    "  else\n"
    "    {\n"
    "      u32 m = (size & 0x7fffffu) | 0x800000u, by = 126u - (size >> 23), most = 1u << (by - 1u);\n"
    "      u32 rest = m & (2u * most - 1u), kept = m >> by;\n"
    "      half_bits = kept + (rest > most || (rest == most && (kept & 1u) != 0u) ? 1u : 0u);\n"
    "    }\n"
    "  return sign | half_bits;\n"
    "}\n" },

  /* By way of an f32 that is rounded to odd; what is too large or too small for it is so for f16 as well. */
  { "half_of_double", "half_bits_of_float",
    "f16 half_of_double (f64 x)\n"
    "{\n"
    "  u64 b = BITS64 (x);\n"
    "  u32 sign = U32 (b >> 32) & 0x80000000u, exponent = U32 (b >> 52) & 0x7ffu, single;\n"
    "  u32 m = U32 (b >> 29) & 0x7fffffu;\n"
    "  m |= (b & 0x1fffffffUL) != 0UL ? 1u : 0u;\n"
    "  if (exponent == 0x7ffu)\n"
    "    single = 0x7f800000u | m;\n"
    "  else if (exponent > 1023u + 126u)\n"
    "    single = 0x7f800000u;\n"
    "  else if (exponent < 1023u - 126u)\n"
    "    single = 0u;\n"
    "  else\n"
    "    single = exponent - (1023u - 127u) << 23 | m;\n"
    "  return U16 (half_bits_of_float (sign | single));\n"
    "}\n" },

  /* --- f32: correctly rounded where the device's own is not
   *
   * Significands are integers below. The quotient of 26 bits, whose lowest says that it is not exact, comes from the device's
   * own, which is a few units off, and the remainder, which is known modulo 2^32. */

  { "unpack_f32", "",
    "u32 unpack_f32 (u32 bits)\n"    /* bits 0 to 22: significand without its first bit, which is set; 23 on: exponent + 64 */
    "{\n"
    "  u32 m = bits & 0x7fffffu, e = bits >> 23 & 255u;\n"
    "  u32 by = U32 (CLZ32 (m | 1u)) - 8u;\n"
    "  return e != 0u ? (e + 64u) << 23 | m : (65u - by) << 23 | (m << by & 0x7fffffu);\n"
    "}\n" },

  /* m · 2^(e - 127 - 25), 2^25 <= m < 2^26, the lowest bit set where there is more; rounded. */
  { "pack_f32", "",
    "u32 pack_f32 (u32 sign, i32 e, u32 m)\n"
    "{\n"
    "  u32 by = e >= 1 ? 2u : e > -24 ? U32 (3 - e) : 27u, kept = m >> by, rest = m & ((1u << by) - 1u), most = 1u << (by - 1u);\n"
    "  kept += rest > most || (rest == most && (kept & 1u) != 0u) ? 1u : 0u;\n"
    "  kept += e >= 1 ? U32 (e - 1) << 23 : 0u;\n"
    "  return sign | (e > 254 || kept > 0x7f800000u ? 0x7f800000u : kept);\n"
    "}\n" },

  { "quot_f32", "unpack_f32 pack_f32",
    "f32 quot_f32 (f32 x, f32 y)\n"
    "{\n"
    "  u32 bx = BITS32 (x), by = BITS32 (y), sign = (bx ^ by) & 0x80000000u, sx = bx & 0x7fffffffu, sy = by & 0x7fffffffu, bits;\n"
    "  if (sx > 0x7f800000u || sy > 0x7f800000u || (sx == sy && (sx == 0u || sx == 0x7f800000u)))\n"
    "    bits = 0x7fc00000u;\n"
    "  else if (sx == 0x7f800000u || sy == 0u)\n"
    "    bits = sign | 0x7f800000u;\n"
    "  else if (sy == 0x7f800000u || sx == 0u)\n"
    "    bits = sign;\n"
    "  else\n"
    "    {\n"
    "      u32 ux = unpack_f32 (bx), uy = unpack_f32 (by), mx = ux & 0x7fffffu | 0x800000u, my = uy & 0x7fffffu | 0x800000u;\n"
    "      i32 e = I32 (ux >> 23) - I32 (uy >> 23) + 127;\n"
    "      f32 divisor = F32 (my);\n"
    "      if (mx < my)\n"
    "        {\n"
    "          mx <<= 1;\n"
    "          e--;\n"
    "        }\n"
    "      u32 q = U32 (F32 (mx) / divisor * 33554432.0f);\n"
    "      i32 r = I32 ((mx << 25) - q * my);\n"
    "      i32 more = I32 (floor (F32 (r) / divisor));\n"
    "      q += U32 (more);\n"
    "      r -= more * I32 (my);\n"
    "      if (r < 0)\n"
    "        {\n"
    "          r += I32 (my);\n"
    "          q--;\n"
    "        }\n"
    "      else if (r >= I32 (my))\n"
    "        {\n"
    "          r -= I32 (my);\n"
    "          q++;\n"
    "        }\n"
    "      bits = pack_f32 (sign, e, q | (r != 0 ? 1u : 0u));\n"
    "    }\n"
    "  return FLOAT32 (bits);\n"
    "}\n" },

  /* x by 0 is x times infinity with the zero's sign. */
  { "guarded_quot_f32", "",
    "f32 guarded_quot_f32 (f32 x, f32 y)\n"
    "{\n"
    "  EXACT f32 of_zero = x * FLOAT32 (BITS32 (y) | 0x7f800000u);\n"
    "  EXACT f32 q = x / y;\n"
    "  return y == 0.0f ? of_zero : q;\n"
    "}\n" },
  { "guarded_quot_f64", "",
    "f64 guarded_quot_f64 (f64 x, f64 y)\n"
    "{\n"
    "  EXACT f64 of_zero = x * FLOAT64 (BITS64 (y) | 0x7ff0000000000000UL);\n"
    "  EXACT f64 q = x / y;\n"
    "  return y == F64 (0.0f) ? of_zero : q;\n"
    "}\n" },

  { "root_f32", "unpack_f32",
    "f32 root_f32 (f32 x)\n"
    "{\n"
    "  u32 b = BITS32 (x), bits;\n"
    "  if ((b & 0x7fffffffu) == 0u || b == 0x7f800000u)\n"
    "    bits = b;\n"
    "  else if (b > 0x7f800000u)\n"
    "    bits = 0x7fc00000u;\n"
    "  else\n"
    "    {\n"
    /* x = m 2^(2 k), m of 25 or 26 bits; the root of m 2^24 has 25, of which one is to be rounded. */
    "      u32 u = unpack_f32 (b), e = (u >> 23) + 1u, m = (u & 0x7fffffu | 0x800000u) << (1u + (e & 1u));\n"
    "      u32 s = U32 (sqrt (F32 (m)) * 4096.0f);\n"
    "      i32 r = I32 ((m << 24) - s * s);\n"
    "      while (r < 0)\n"
    "        {\n"
    "          s--;\n"
    "          r += I32 (2u * s + 1u);\n"
    "        }\n"
    "      while (r > I32 (2u * s))\n"
    "        {\n"
    "          r -= I32 (2u * s + 1u);\n"
    "          s++;\n"
    "        }\n"
    "      bits = ((e >> 1) + 31u << 23) + ((s + 1u >> 1) - 0x800000u);\n"
    "    }\n"
    "  return FLOAT32 (bits);\n"
    "}\n" },

  /* By fused products, where no exponent comes near an end of the range (Markstein 1990): two steps of Newton make the
   * nearest of a reciprocal that is up to 4 units off, but for a divisor whose significand is all ones; the remainder does the
   * rest. A root needs one step. */
  { "quick_quot_f32", "quot_f32",
    "f32 quick_quot_f32 (f32 x, f32 y)\n"
    "{\n"
    "  u32 bx = BITS32 (x), by = BITS32 (y);\n"
    "  EXACT f32 q;\n"
    "  if ((bx >> 23 & 255u) - 64u <= 124u && (by >> 23 & 255u) - 64u <= 124u && (by & 0x7fffffu) != 0x7fffffu)\n"
    "    {\n"
    "      EXACT f32 r0 = 1.0f / y;\n"
    "      EXACT f32 e0 = fma (-y, r0, 1.0f);\n"
    "      EXACT f32 r1 = fma (r0, e0, r0);\n"
    "      EXACT f32 e1 = fma (-y, r1, 1.0f);\n"
    "      EXACT f32 r2 = fma (r1, e1, r1);\n"
    "      EXACT f32 q0 = x * r2;\n"
    "      EXACT f32 rest = fma (-y, q0, x);\n"
    "      q = fma (rest, r2, q0);\n"
    "    }\n"
    "  else\n"
    "    q = quot_f32 (x, y);\n"
    "  return q;\n"
    "}\n" },
  { "quick_root_f32", "root_f32",
    "f32 quick_root_f32 (f32 x)\n"
    "{\n"
    "  EXACT f32 root;\n"
    "  if (BITS32 (x) - 0x10000000u < 0x60000000u)\n"
    "    {\n"
    "      EXACT f32 r = RSQRT (x);\n"
    "      EXACT f32 g0 = x * r;\n"
    "      EXACT f32 h0 = 0.5f * r;\n"
    "      EXACT f32 e = fma (-h0, g0, 0.5f);\n"
    "      EXACT f32 g1 = fma (g0, e, g0);\n"
    "      EXACT f32 h1 = fma (h0, e, h0);\n"
    "      EXACT f32 rest = fma (-g1, g1, x);\n"
    "      root = fma (rest, h1, g1);\n"
    "    }\n"
    "  else\n"
    "    root = root_f32 (x);\n"
    "  return root;\n"
    "}\n" },

  /* --- doubles to whole numbers by what rounds down and up, with the sign of x, where the device's own functions cannot be relied upon */

  { "trunc_f64", "",
    "f64 trunc_f64 (f64 x)\n"
    "{\n"
    "  return FLOAT64 (BITS64 (x < F64 (0.0f) ? ceil (x) : floor (x)) | (BITS64 (x) & 0x8000000000000000UL));\n"
    "}\n" },
  { "round_f64", "",
    "f64 round_f64 (f64 x)\n"
    "{\n"
    "  EXACT f64 below = floor (x);\n"
    "  EXACT f64 rest = x - below;\n"
    "  EXACT f64 half_of = below * F64 (0.5f);\n"
    "  bool up = rest > F64 (0.5f) || rest == F64 (0.5f) && !(floor (half_of) == half_of);\n"
    "  return FLOAT64 (BITS64 (up ? ceil (x) : below) | (BITS64 (x) & 0x8000000000000000UL));\n"
    "}\n" },

  /* --- u64 of 0 <= x < 2^64; all steps are exact. With NVIDIA's compiler for Vulkan the low word of its own conversion, where something
   * else comes between the two, was the conversion to u32, which is another for 2^32 and more. */

  { "whole_f32", "",
    "u64 whole_f32 (f32 x)\n"
    "{\n"
    "  u32 high = U32 (x * FLOAT32 (0x2f800000u));\n"
    "  EXACT f32 rest = x - F32 (high) * 4294967296.0f;\n"
    "  return JOIN (U32 (rest), high);\n"
    "}\n" },
  { "whole_f64", "",
    "u64 whole_f64 (f64 x)\n"
    "{\n"
    "  u32 high = U32 (x * FLOAT64 (0x3df0000000000000UL));\n"
    "  EXACT f64 rest = x - F64 (high) * F64 (4294967296.0f);\n"
    "  return JOIN (U32 (rest), high);\n"
    "}\n" },

  /* --- one rounding of x y + z, where fma() has two */

  { "fma_f32", "unpack_f32 pack_f32 clz_u64",
    "f32 fma_f32 (f32 x, f32 y, f32 z)\n"
    "{\n"
    "  u32 bx = BITS32 (x), by = BITS32 (y), bz = BITS32 (z), sx = bx & 0x7fffffffu, sy = by & 0x7fffffffu, sz = bz & 0x7fffffffu;\n"
    "  EXACT f32 result;\n"
    "  if (sx == 0u || sy == 0u || sx >= 0x7f800000u || sy >= 0x7f800000u)\n"
    "    {\n"
    "      EXACT f32 product = x * y;\n"
    "      result = product + z;\n"
    "    }\n"
    /* What is finite may be too large for f32: then the device's product would not be. */
    "  else if (sz >= 0x7f800000u)\n"
    "    result = z + z;\n"
    "  else\n"
    "    {\n"
    "      u32 ux = unpack_f32 (bx), uy = unpack_f32 (by), uz = unpack_f32 (bz), sign = (bx ^ by) & 0x80000000u;\n"
    /* Both of 62 bits, with the weight of 2^(e - 2 · 64 - 314) and so on. */
    "      u64 p = U64 (ux & 0x7fffffu | 0x800000u) * U64 (uy & 0x7fffffu | 0x800000u) << 14;\n"
    "      u64 a = sz == 0u ? 0UL : U64 (uz & 0x7fffffu | 0x800000u) << 37;\n"
    "      i32 ep = I32 (ux >> 23) + I32 (uy >> 23) - 442, ea = sz == 0u ? ep : I32 (uz >> 23) - 251, e = ep;\n"
    "      if (ep < ea)\n"
    "        {\n"
    "          u32 by_p = U32 (ea - ep > 63 ? 63 : ea - ep);\n"
    "          p = p >> by_p | ((p & ((1UL << by_p) - 1UL)) != 0UL ? 1UL : 0UL);\n"
    "          e = ea;\n"
    "        }\n"
    "      else\n"
    "        {\n"
    "          u32 by_a = U32 (ep - ea > 63 ? 63 : ep - ea);\n"
    "          a = a >> by_a | ((a & ((1UL << by_a) - 1UL)) != 0UL ? 1UL : 0UL);\n"
    "        }\n"
    "      if (sign == (bz & 0x80000000u))\n"
    "        p += a;\n"
    "      else if (p >= a)\n"
    "        p -= a;\n"
    "      else\n"
    "        {\n"
    "          p = a - p;\n"
    "          sign ^= 0x80000000u;\n"
    "        }\n"
    "      if (p == 0UL)\n"
    "        result = 0.0f;\n"
    "      else\n"
    "        {\n"
    "          u32 zeros = clz_u64 (p);\n"
    "          p <<= zeros;\n"
    "          result = FLOAT32 (pack_f32 (sign, e + 190 - I32 (zeros), U32 (p >> 38) | ((p & 0x3fffffffffUL) != 0UL ? 1u : 0u)));\n"
    "        }\n"
    "    }\n"
    "  return result;\n"
    "}\n" },

  /* Sums and products in two parts (Knuth, Dekker); the last addition but one rounds to odd (Boldo and Melquiond). */
  { "fma_f64", "",
    "f64 fma_f64 (f64 x, f64 y, f64 z)\n"
    "{\n"
    "  EXACT f64 p = x * y;\n"
    "  EXACT f64 plain = p + z;\n"
    "  EXACT f64 cx = x * F64 (134217729.0f), cy = y * F64 (134217729.0f);\n"
    "  EXACT f64 dx = cx - x, dy = cy - y;\n"
    "  EXACT f64 hx = cx - dx, hy = cy - dy;\n"
    "  EXACT f64 lx = x - hx, ly = y - hy;\n"
    "  EXACT f64 e1 = hx * hy, e2 = hx * ly, e3 = lx * hy, e4 = lx * ly;\n"
    "  EXACT f64 t1 = e1 - p;\n"
    "  EXACT f64 t2 = t1 + e2;\n"
    "  EXACT f64 t3 = t2 + e3;\n"
    "  EXACT f64 tail = t3 + e4;\n"                         /* x y = p + tail */
    "  EXACT f64 s = z + tail;\n"
    "  EXACT f64 s1 = s - z;\n"
    "  EXACT f64 s2 = s - s1;\n"
    "  EXACT f64 s3 = z - s2, s4 = tail - s1;\n"
    "  EXACT f64 sl = s3 + s4;\n"                           /* z + tail = s + sl */
    "  EXACT f64 v = p + s;\n"
    "  EXACT f64 v1 = v - p;\n"
    "  EXACT f64 v2 = v - v1;\n"
    "  EXACT f64 v3 = p - v2, v4 = s - v1;\n"
    "  EXACT f64 vl = v3 + v4;\n"                           /* p + s = v + vl */
    "  EXACT f64 o = vl + sl;\n"
    "  EXACT f64 o1 = o - vl;\n"
    "  EXACT f64 o2 = o - o1;\n"
    "  EXACT f64 o3 = vl - o2, o4 = sl - o1;\n"
    "  EXACT f64 ol = o3 + o4;\n"
    "  u64 bits = BITS64 (o);\n"
    "  if (!(ol == F64 (0.0f)) && (bits & 1UL) == 0UL)\n"
    "    bits += (ol > F64 (0.0f)) == (o > F64 (0.0f)) ? 1UL : 0xffffffffffffffffUL;\n"
    "  EXACT f64 result = v + FLOAT64 (bits);\n"
    "  u64 size = BITS64 (result) & 0x7fffffffffffffffUL;\n"
    "  return size >= 0x7ff0000000000000UL || size == 0UL ? plain : result;\n"
    "}\n" },

  { "is_nan_f32", "",
    "bool is_nan_f32 (f32 x)\n"
    "{\n"
    "  return (BITS32 (x) & 0x7fffffffu) > 0x7f800000u;\n"
    "}\n" },
  { "is_nan_f64", "",
    "bool is_nan_f64 (f64 x)\n"
    "{\n"
    "  return (BITS64 (x) & 0x7fffffffffffffffUL) > 0x7ff0000000000000UL;\n"
    "}\n" },
  { "is_inf_f32", "",
    "bool is_inf_f32 (f32 x)\n"
    "{\n"
    "  return (BITS32 (x) & 0x7fffffffu) == 0x7f800000u;\n"
    "}\n" },
  { "is_inf_f64", "",
    "bool is_inf_f64 (f64 x)\n"
    "{\n"
    "  return (BITS64 (x) & 0x7fffffffffffffffUL) == 0x7ff0000000000000UL;\n"
    "}\n" },
};

/* Of a kind of 4 bytes or more, integers of fewer being legalised: T its type, C its conversion, W that of unsigned words, N its width,
 * L its width - 1. */
typedef struct {
  const char *name;
  const char *needs;
  gboolean    is_signed;
  gboolean    is_long;
  const char *text;
} Pattern;

#define SHIFT_HEAD \
  "$T shift_$T ($T x, i64 left)\n" \
  "{\n" \
  "  return left >= 0L ? left < $NL ? $C ($W (x) << U32 (left)) : $C (0)\n"

#define DIVISION(name) "$T " name "_$T ($T x, $T y)\n{\n"

static const Pattern patterns[] = {
  { "shift", "", TRUE, FALSE, SHIFT_HEAD "         : $C (x >> U32 (left > -$NL ? -left : $LL));\n}\n" },
  { "shift", "", TRUE, TRUE, SHIFT_HEAD "         : $C (x >> U32 (left > -$NL ? -left : $LL));\n}\n" },
  { "shift", "", FALSE, FALSE, SHIFT_HEAD "         : left > -$NL ? $C (x >> U32 (-left)) : $C (0);\n}\n" },
  { "shift", "", FALSE, TRUE, SHIFT_HEAD "         : left > -$NL ? $C (x >> U32 (-left)) : $C (0);\n}\n" },

  { "quot", "", TRUE, FALSE,
    DIVISION ("quot")
    "  $T d = y == $C (0) || y == $C (-1) ? $C (1) : y;\n"
    "  $T q = $C (x / d);\n"
    "  return y == $C (0) ? $C (0) : y == $C (-1) ? $C (0u - U32 (x)) : q;\n"
    "}\n" },
  { "quot", "divide_u64", TRUE, TRUE,
    DIVISION ("quot")
    "  u64 a = x < 0L ? 0UL - U64 (x) : U64 (x), b = y < 0L ? 0UL - U64 (y) : U64 (y);\n"
    "  u64 q = divide_u64 (a, b == 0UL ? 1UL : b);\n"
    "  return y == 0L ? 0L : I64 ((x ^ y) < 0L ? 0UL - q : q);\n"
    "}\n" },
  { "quot", "", FALSE, FALSE,
    DIVISION ("quot")
    "  return y == $C (0) ? $C (0) : $C (x / (y == $C (0) ? $C (1) : y));\n"
    "}\n" },
  { "quot", "divide_u64", FALSE, TRUE,
    DIVISION ("quot")
    "  u64 q = divide_u64 (x, y == 0UL ? 1UL : y);\n"
    "  return y == 0UL ? 0UL : q;\n"
    "}\n" },

#define REMAINDER DIVISION ("rem") "  return y == $C (0) ? $C (0) : $C ($W (x) - $W (quot_$T (x, y)) * $W (y));\n}\n"
  { "rem", "quot", TRUE, FALSE, REMAINDER },
  { "rem", "quot", TRUE, TRUE, REMAINDER },
  { "rem", "quot", FALSE, FALSE, REMAINDER },
  { "rem", "quot", FALSE, TRUE, REMAINDER },

#define FLOORED \
  DIVISION ("div") \
  "  $T q = quot_$T (x, y);\n" \
  "  $T r = $C ($W (x) - $W (q) * $W (y));\n" \
  "  return y != $C (0) && r != $C (0) && (r ^ y) < $C (0) ? $C (q - $C (1)) : q;\n" \
  "}\n"
  { "div", "quot", TRUE, FALSE, FLOORED },
  { "div", "quot", TRUE, TRUE, FLOORED },

#define MODULUS \
  DIVISION ("mod") \
  "  $T r = rem_$T (x, y);\n" \
  "  return r != $C (0) && (r ^ y) < $C (0) ? $C (r + y) : r;\n" \
  "}\n"
  { "mod", "rem", TRUE, FALSE, MODULUS },
  { "mod", "rem", TRUE, TRUE, MODULUS },

#define ROTATION \
  "$T rotate_$T ($T x, i64 left)\n" \
  "{\n" \
  "  u32 by = U32 (left) & $Lu;\n"
  { "rotate", "", TRUE, FALSE, ROTATION "  u32 u = U32 (x);\n  return $C (u << by | u >> ($Nu - by & $Lu));\n}\n" },
  { "rotate", "", FALSE, FALSE, ROTATION "  return x << by | x >> ($Nu - by & $Lu);\n}\n" },
  { "rotate", "", TRUE, TRUE, ROTATION "  u64 u = U64 (x);\n  return $C (u << by | u >> ($Nu - by & $Lu));\n}\n" },
  { "rotate", "", FALSE, TRUE, ROTATION "  return x << by | x >> ($Nu - by & $Lu);\n}\n" },

  /* Floats. A NaN loses. */
#define EXTREME(name, sign) \
  "$T " name "_$T ($T x, $T y)\n" \
  "{\n" \
  "  return is_nan_$T (x) ? y : y " sign " x ? y : x;\n" \
  "}\n"
  { "smaller", "is_nan", TRUE, FALSE, EXTREME ("smaller", "<") },
  { "smaller", "is_nan", TRUE, TRUE, EXTREME ("smaller", "<") },
  { "larger", "is_nan", TRUE, FALSE, EXTREME ("larger", ">") },
  { "larger", "is_nan", TRUE, TRUE, EXTREME ("larger", ">") },
};

void
c_need (CWriter    *w,
        const char *name)
{
  g_auto(GStrv) needs = NULL;

  if (!c_once (w, name))
    return;

  /* Conversions of f16 are the dialect's where it has them. */
  if (g_str_equal (name, "float_of_half") || g_str_equal (name, "half_of_float"))
    {
      if (!w->dialect->has_half)
        {
          c_need (w, g_str_equal (name, "float_of_half") ? "half_bits_to_float" : "half_bits_of_float");
          g_string_append (w->functions, g_str_equal (name, "float_of_half")
                                           ? "#define float_of_half(x) half_bits_to_float (U32 (x))\n\n"
                                           : "#define half_of_float(x) U16 (half_bits_of_float (BITS32 (x)))\n\n");
        }
      return;
    }

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (g_str_equal (functions[i].name, name))
      {
        needs = g_strsplit (functions[i].needs, " ", -1);
        for (guint j = 0; needs[j] != NULL; j++)
          if (*needs[j] != 0)
            c_need (w, needs[j]);
        g_string_append (w->functions, functions[i].text);
        g_string_append_c (w->functions, '\n');
        return;
      }

  g_return_if_reached ();
}

static void
append_pattern (CWriter       *w,
                const char    *text,
                AccElementKind kind)
{
  guint width = acc_element_kind_get_size (kind) * 8;

  for (const char *c = text; *c != 0; c++)
    {
      if (*c != '$')
        {
          g_string_append_c (w->functions, *c);
          continue;
        }
      c++;
      if (*c == 'T')
        g_string_append (w->functions, c_type (kind));
      else if (*c == 'C')
        g_string_append (w->functions, c_cast (kind));
      else if (*c == 'W')
        g_string_append (w->functions, width == 64 ? "U64" : "U32");
      else
        g_string_append_printf (w->functions, "%u", *c == 'N' ? width : width - 1);
    }
  g_string_append_c (w->functions, '\n');
}

void
c_need_of (CWriter       *w,
           const char    *name,
           AccElementKind kind)
{
  g_autofree char *full = g_strdup_printf ("%s_%s", name, c_type (kind));
  gboolean is_signed = acc_element_kind_is_signed (kind);

  if (g_hash_table_contains (w->known, full))
    return;
  if (acc_element_kind_is_float (kind) && !g_str_equal (name, "smaller") && !g_str_equal (name, "larger"))
    {
      c_need (w, full);
      return;
    }

  for (guint i = 0; i < G_N_ELEMENTS (patterns); i++)
    if (g_str_equal (patterns[i].name, name) && patterns[i].is_long == c_is_long (kind) &&
        (patterns[i].is_signed == is_signed || acc_element_kind_is_float (kind)))
      {
        c_once (w, full);
        if (g_str_equal (patterns[i].needs, "divide_u64"))
          c_need (w, patterns[i].needs);
        else if (*patterns[i].needs != 0)
          c_need_of (w, patterns[i].needs, kind);
        append_pattern (w, patterns[i].text, kind);
        return;
      }

  g_return_if_reached ();
}
