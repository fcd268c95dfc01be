/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "emit-harness.h"
#include "acc-backends/passes/acc-passes.h"

#include <math.h>

/* Every primitive and cast, every kind, every variant, against plain C. */

#define N 499

static const AccElementKind kinds[] = {
  ACC_KIND_BOOL, ACC_KIND_I8, ACC_KIND_I16, ACC_KIND_I32, ACC_KIND_I64, ACC_KIND_U8, ACC_KIND_U16, ACC_KIND_U32,
  ACC_KIND_U64, ACC_KIND_F16, ACC_KIND_F32, ACC_KIND_F64,
};

static const AccBufferFlags in_flags = ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS;
static const AccBufferFlags out_flags = ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS;

static gboolean
is_transcendental (AccPrimitive primitive)
{
  return acc_primitive_is (primitive, ACC_FAMILY_TRANSCENDENTAL);
}

/* All primitives that take @kind in one kernel; each has an output. */
static void
check_primitives (AccElementKind kind,
                  gboolean       transcendental,
                  GRand         *rand)
{
  AccKernelBuilder *b = kb_new ("primitives");
  KBuffer xs = kb_param_buffer (b, kind, in_flags, "x"), ys = kb_param_buffer (b, kind, in_flags, "y");
  KBuffer ns = kb_param_buffer (b, ACC_KIND_I64, in_flags, "n");
  g_autoptr(GArray) arguments = g_array_new (FALSE, TRUE, sizeof (Argument));
  Argument argument;
  KBuffer outs[ACC_N_PRIMITIVES];
  gint64 range[5] = { 0, 1, 0, N, 0 };
  Compiled *compiled;
  guint n_primitives = 0;

  kb_set_precise (b, TRUE);
  for (AccPrimitive p = 0; p < ACC_N_PRIMITIVES; p++)
    if (acc_primitive_accepts (p, kind) && is_transcendental (p) == transcendental)
      {
        outs[p] = kb_param_buffer (b, acc_primitive_result (p, kind), out_flags, acc_primitive_get_info (p)->name);
        n_primitives++;
      }

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue x = kb_load (b, xs, i), y = kb_load (b, ys, i), n = kb_load (b, ns, i);

      for (AccPrimitive p = 0; p < ACC_N_PRIMITIVES; p++)
        if (acc_primitive_accepts (p, kind) && is_transcendental (p) == transcendental)
          {
            const AccPrimitiveInfo *info = acc_primitive_get_info (p);

            kb_store (b, outs[p], i, info->arity == 1 ? kb_prim (b, p, x)
                                     : kb_prim2 (b, p, x, info->operands == ACC_OPERANDS_SHIFT ? n : y));
          }
    }

  if (n_primitives == 0)
    {
      kb_discard (b);
      return;
    }

  compiled = harness_compile (b);
  for (guint round = 0; round < 4; round++)
    {
      argument = harness_random (kind, N, rand);
      g_array_append_val (arguments, argument);
      argument = harness_random (kind, N, rand);
      g_array_append_val (arguments, argument);
      argument = harness_random (ACC_KIND_I64, N, rand);
      g_array_append_val (arguments, argument);
      for (guint i = 0; i < n_primitives; i++)
        {
          argument = harness_fill (N, 0);
          g_array_append_val (arguments, argument);
        }
      harness_check (compiled, (Argument *) arguments->data, range, acc_element_kind_get_code (kind));
      g_array_set_size (arguments, 0);
    }
  harness_free (compiled);
}

static void
test_primitives (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind + 1);

  check_primitives (kind, FALSE, rand);
  check_primitives (kind, TRUE, rand);
}

/* Division and shifts by what is the same for all, and by constants. */
static void
test_uniform_operands (gconstpointer data)
{
  static const AccPrimitive primitives[] = {
    ACC_PRIM_QUOT, ACC_PRIM_REM, ACC_PRIM_DIV, ACC_PRIM_MOD, ACC_PRIM_SHL, ACC_PRIM_SHR, ACC_PRIM_ROTL, ACC_PRIM_ROTR,
  };
  static const gint64 constants[] = { 0, 1, -1, 3, -7, 8, 13, 64, 100, -128, G_MININT64, G_MAXINT64 };
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind + 100);

  if (!acc_element_kind_is_integer (kind))
    return;

  for (guint c = 0; c <= G_N_ELEMENTS (constants); c += 4)
    {
      AccKernelBuilder *b = kb_new ("uniform");
      KBuffer xs = kb_param_buffer (b, kind, in_flags, "x");
      KValue y = kb_param_scalar (b, kind, "y"), n = kb_param_scalar (b, ACC_KIND_I64, "n");
      Argument arguments[3 + 4 * G_N_ELEMENTS (primitives)];
      KBuffer outs[4][G_N_ELEMENTS (primitives)];
      gint64 range[5] = { 0, 1, 0, N, 0 };
      Compiled *compiled;
      guint n_constants = c < G_N_ELEMENTS (constants) ? 4 : 1;

      for (guint j = 0; j < n_constants; j++)
        for (guint p = 0; p < G_N_ELEMENTS (primitives); p++)
          outs[j][p] = kb_param_buffer (b, kind, out_flags, NULL);
      kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
        {
          KValue x = kb_load (b, xs, i);

          for (guint j = 0; j < n_constants; j++)
            for (guint p = 0; p < G_N_ELEMENTS (primitives); p++)
              {
                gboolean shifts = primitives[p] >= ACC_PRIM_SHL;
                KValue operand = c == G_N_ELEMENTS (constants) ? (shifts ? n : y)
                                 : kb_int (b, shifts ? ACC_KIND_I64 : kind, constants[c + j]);

                kb_store (b, outs[j][p], i, kb_prim2 (b, primitives[p], x, operand));
              }
        }
      compiled = harness_compile (b);

      for (guint round = 0; round < (c == G_N_ELEMENTS (constants) ? 20 : 1); round++)
        {
          arguments[0] = harness_random (kind, N, rand);
          arguments[1] = harness_random (kind, 1, rand);
          arguments[2] = harness_random (ACC_KIND_I64, 1, rand);
          for (guint j = 0; j < n_constants * G_N_ELEMENTS (primitives); j++)
            arguments[3 + j] = harness_fill (N, 0);
          harness_check (compiled, arguments, range, acc_element_kind_get_code (kind));
        }
      harness_free (compiled);
    }
}

static void
test_casts (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind + 200);
  AccKernelBuilder *b = kb_new ("casts");
  KBuffer xs = kb_param_buffer (b, kind, in_flags, "x");
  KBuffer outs[G_N_ELEMENTS (kinds)], same[G_N_ELEMENTS (kinds)];
  Argument arguments[1 + 2 * G_N_ELEMENTS (kinds)];
  gint64 range[5] = { 0, 1, 0, N, 0 };
  Compiled *compiled;

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    outs[k] = kb_param_buffer (b, kinds[k], out_flags, NULL);
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    same[k] = kb_param_buffer (b, kinds[k], out_flags, NULL);

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue x = kb_load (b, xs, i);

      for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
        {
          gboolean fits = acc_element_kind_get_size (kinds[k]) == acc_element_kind_get_size (kind);

          kb_store (b, outs[k], i, kb_cast (b, kinds[k], x));
          /* Bits of what is not a number are not told apart. */
          if (fits && !(acc_element_kind_is_float (kind) && !acc_element_kind_is_float (kinds[k])))
            kb_store (b, same[k], i, kb_bitcast (b, kinds[k], x));
        }
    }
  compiled = harness_compile (b);
  for (guint round = 0; round < 6; round++)
    {
      arguments[0] = harness_random (kind, N, rand);
      for (guint k = 0; k < 2 * G_N_ELEMENTS (kinds); k++)
        arguments[1 + k] = harness_fill (N, 0);
      harness_check (compiled, arguments, range, acc_element_kind_get_code (kind));
    }
  harness_free (compiled);
}

/* All pairs of 8 bits, and all values of 16 bits by many divisors: division by way of floats is exact. */
static void
test_narrow_division (void)
{
  static const AccElementKind narrow[] = { ACC_KIND_I8, ACC_KIND_U8, ACC_KIND_I16, ACC_KIND_U16 };

  for (guint k = 0; k < G_N_ELEMENTS (narrow); k++)
    {
      AccKernelBuilder *b = kb_new ("narrow");
      KBuffer xs = kb_param_buffer (b, narrow[k], in_flags, "x"), ys = kb_param_buffer (b, narrow[k], in_flags, "y");
      KBuffer outs[4];
      gint64 range[5] = { 0, 1, 0, 65536, 0 };
      Compiled *compiled;

      for (guint p = 0; p < 4; p++)
        outs[p] = kb_param_buffer (b, narrow[k], out_flags, NULL);
      kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
        for (guint p = 0; p < 4; p++)
          kb_store (b, outs[p], i, kb_prim2 (b, ACC_PRIM_QUOT + p, kb_load (b, xs, i), kb_load (b, ys, i)));
      compiled = harness_compile (b);

      for (guint round = 0; round < (k < 2 ? 1 : 12); round++)
        {
          static const guint divisors[] = { 0, 1, 2, 3, 7, 255, 256, 32767, 32768, 65535, 641, 48611 };
          Argument arguments[6];

          arguments[0] = harness_fill (65536, 0);
          arguments[1] = harness_fill (65536, 0);
          for (guint i = 0; i < 65536; i++)
            {
              arguments[0].elements[i] = eval_cast (ACC_KIND_U64, narrow[k], i);
              arguments[1].elements[i] = eval_cast (ACC_KIND_U64, narrow[k], k < 2 ? i >> 8 : divisors[round]);
            }
          for (guint p = 0; p < 4; p++)
            arguments[2 + p] = harness_fill (65536, 0);
          harness_check (compiled, arguments, range, "narrow division");
        }
      harness_free (compiled);
    }
}

static void
test_fma_and_select (void)
{
  static const AccElementKind floats[] = { ACC_KIND_F32, ACC_KIND_F64 };
  g_autoptr(GRand) rand = g_rand_new_with_seed (7);

  for (guint k = 0; k < 2; k++)
    {
      AccKernelBuilder *b = kb_new ("fma");
      KBuffer in[3], outs[2];
      Argument arguments[5];
      gint64 range[5] = { 0, 1, 0, N, 0 };
      Compiled *compiled;

      for (guint i = 0; i < 3; i++)
        in[i] = kb_param_buffer (b, floats[k], in_flags, NULL);
      for (guint i = 0; i < 2; i++)
        outs[i] = kb_param_buffer (b, floats[k], out_flags, NULL);
      kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
        {
          KValue x = kb_load (b, in[0], i), y = kb_load (b, in[1], i), z = kb_load (b, in[2], i);

          kb_store (b, outs[0], i, kb_fma (b, x, y, z));
          kb_store (b, outs[1], i, kb_select (b, kb_lt (b, x, y), kb_select (b, kb_lt (b, kb_tile (b), kb_i64 (b, 1)), y, x), z));
        }
      compiled = harness_compile (b);
      for (guint i = 0; i < 3; i++)
        arguments[i] = harness_random (floats[k], N, rand);
      for (guint i = 3; i < 5; i++)
        arguments[i] = harness_fill (N, 0);
      harness_check (compiled, arguments, range, "fma");
      harness_free (compiled);
    }
}

/* --- products and sums of one rounding, made by arithmetic where the processor has no instruction for them */

/* Zeros, the least and the largest, what overflows or underflows as a square or in parts, halves of places, full and short numbers */
static GArray *
make_fma_edges (AccElementKind kind)
{
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (double));
  gboolean wide = kind == ACC_KIND_F64;
  int digits = wide ? 53 : 24, least = wide ? -1074 : -149, most = wide ? 1023 : 127;
  double full = 2 - ldexp (1, 1 - digits), next = 1 + ldexp (1, 1 - digits);
  const double values[] = {
    0, ldexp (1, least), ldexp (3, least),
    ldexp (1, least + digits - 1), ldexp (next, least + digits - 1), ldexp (full, least + digits - 2),
    ldexp (1, least / 2), ldexp (full, least / 2), ldexp (1, least + 2 * digits), ldexp (next, -most * 7 / 8), ldexp (next, -most * 3 / 4),
    ldexp (1, -digits), ldexp (full, -digits - 1), 0.5, full / 2, 1, next, 1.5, full, 0x1.555556p0, ldexp (1, digits),
    ldexp (full, most / 2), ldexp (1, most / 2 + 1), ldexp (next, most - digits), ldexp (full, most - digits / 3),
    ldexp (full, most - 1), ldexp (1, most), ldexp (full, most), INFINITY, NAN,
  };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      double negative = -values[i];

      g_array_append_val (edges, values[i]);
      g_array_append_val (edges, negative);
    }
  return edges;
}

/* A product, and what nearly cancels it, lies at half a place of it, or is far below */
static void
draw_fma (AccElementKind kind,
          GRand         *rand,
          double         out[3])
{
  gboolean wide = kind == ACC_KIND_F64;
  int digits = wide ? 53 : 24, most = wide ? 1023 : 127;
  int exponent = g_rand_int_range (rand, -most - digits, most + 1), apart = g_rand_int_range (rand, -2 * digits - 3, 2 * digits + 3);
  double product;

  for (guint i = 0; i < 2; i++)
    {
      guint64 bits = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);
      int n_bits = g_rand_boolean (rand) ? digits : g_rand_int_range (rand, 1, digits);

      /* Short numbers have products without a rest. */
      out[i] = ldexp ((double) (bits >> (64 - n_bits)), i == 0 ? exponent / 2 - n_bits : exponent - exponent / 2 - n_bits);
      if (g_rand_boolean (rand))
        out[i] = -out[i];
      out[i] = wide ? out[i] : (float) out[i];
    }

  product = wide ? out[0] * out[1] : (float) (out[0] * out[1]);
  out[2] = -product;
  switch (g_rand_int_range (rand, 0, 4))
    {
    case 0:
      break;
    case 1:
      out[2] *= 1 + g_rand_int_range (rand, -4, 5) * ldexp (1, 1 - digits);
      break;
    default:
      /* One bit, or as many as the product has, some places away from it */
      out[2] = g_rand_boolean (rand) || product == 0 ? ldexp (copysign (1, -product), (product == 0 ? 0 : ilogb (product)) + apart)
               : ldexp (product, apart);
    }
  out[2] = wide ? out[2] : (float) out[2];
}

/* All edges with all, and @n_drawn more */
static void
fill_fma (AccElementKind kind,
          GRand         *rand,
          GArray        *edges,
          gsize          n_drawn,
          Argument       arguments[4])
{
  const double *edge = (const double *) edges->data;
  gsize n_edges = edges->len, n_each = n_edges * n_edges * n_edges, n = n_each + n_drawn;

  for (guint i = 0; i < 4; i++)
    arguments[i] = harness_fill (n, 0);
  for (gsize i = 0; i < n; i++)
    {
      double values[3] = { edge[i / n_edges / n_edges % n_edges], edge[i / n_edges % n_edges], edge[i % n_edges] };

      if (i >= n_each)
        draw_fma (kind, rand, values);
      for (guint k = 0; k < 3; k++)
        arguments[k].elements[i] = eval_from_double (kind, values[k]);
    }
}

static void
test_fma (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind + 300);
  g_autoptr(GArray) edges = make_fma_edges (kind);
  AccKernelBuilder *b = kb_new ("fma");
  KBuffer in[3], out;
  Argument arguments[4];
  Compiled *compiled;

  for (guint i = 0; i < 3; i++)
    in[i] = kb_param_buffer (b, kind, in_flags, NULL);
  out = kb_param_buffer (b, kind, out_flags, NULL);
  kb_for (b, row, kb_outer_begin (b), kb_outer_end (b))
    kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
      {
        KValue at = kb_add (b, kb_mul (b, row, kb_inner_end (b)), i);

        kb_store (b, out, at, kb_fma (b, kb_load (b, in[0], at), kb_load (b, in[1], at), kb_load (b, in[2], at)));
      }
  compiled = harness_compile (b);

  /* By vectors, and rows of one, that have no vectors */
  fill_fma (kind, rand, edges, 40000, arguments);
  harness_check (compiled, arguments, (gint64[]) { 0, 1, 0, arguments[0].n, 0 }, "fma");
  fill_fma (kind, rand, edges, 40000, arguments);
  harness_check (compiled, arguments, (gint64[]) { 0, arguments[0].n, 0, 1, 0 }, "fma, one by one");
  harness_free (compiled);
}

/* With contraction a product and a sum may round once; without it they round twice, on every machine. */
static void
test_contraction (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccLlvmJit) jit = acc_llvm_jit_new (&error);
  g_autoptr(AccLlvmTarget) target = acc_llvm_target_new_host (&error);

  for (guint contract = 0; contract < 2; contract++)
    {
      AccKernelBuilder *b = kb_new ("contraction");
      KBuffer x = kb_param_buffer (b, ACC_KIND_F32, in_flags, "x"), out = kb_param_buffer (b, ACC_KIND_F32, out_flags, "out");
      g_autoptr(AccKernel) kernel = NULL;
      g_autoptr(GBytes) object = NULL;
      float xs[100], results[100];
      guint64 slots[2] = { (guintptr) xs, (guintptr) results };
      gint64 range[5] = { 0, 1, 0, 100, 0 };
      AccFailure failure = { 0, };

      kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
        {
          KValue value = kb_load (b, x, i);

          kb_store (b, out, i, kb_sub (b, kb_mul (b, value, value), kb_float (b, ACC_KIND_F32, 1)));
        }
      kernel = kb_finish (b, &error);
      g_assert_no_error (error);
      object = acc_emit_llvm (kernel, target, contract ? ACC_EMIT_CONTRACT : ACC_EMIT_DEFAULT, NULL, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < 100; i++)
        xs[i] = 1 + i * 0x1p-20f;
      acc_llvm_jit_add_object (jit, object, NULL, &error) (slots, range, &failure);
      for (guint i = 0; i < 100; i++)
        {
          double once = (double) xs[i] * xs[i] - 1;
          float twice = (float) ((double) xs[i] * xs[i]) - 1.0f;

          g_assert_true (results[i] == twice || (contract && results[i] == (float) once));
        }
    }
}

/* Lanes of 16 that add up what those before them have, in blocks that carry the sum on. */
static void
test_lanes (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind + 200);
  AccKernelBuilder *b = kb_new ("lanes");
  KBuffer xs = kb_param_buffer (b, kind, in_flags, "x"), sums = kb_param_buffer (b, kind, out_flags, "sums");
  KBuffer total = kb_param_buffer (b, kind, out_flags, "total");
  gboolean is_bool = kind == ACC_KIND_BOOL;
  AccPrimitive add = is_bool ? ACC_PRIM_BXOR : acc_element_kind_is_float (kind) ? ACC_PRIM_MAX : ACC_PRIM_ADD;
  KVar carry = kb_var (b, kb_cast (b, kind, kb_i64 (b, 0)));
  gint64 range[5] = { 0, 1, 0, N / 16, 0 };
  Argument arguments[3];
  Compiled *compiled;

  kb_for (b, k, kb_inner_begin (b), kb_inner_end (b))
    {
      kb_set_lanes (b, 16);
      kb_foreach (b, lane, kb_i64 (b, 0), kb_i64 (b, 16))
        {
          KValue i = kb_add (b, kb_mul (b, k, kb_i64 (b, 16)), lane), sum = kb_load (b, xs, i);

          for (guint d = 1; d < 16; d *= 2)
            {
              KValue other = kb_prim2 (b, add, kb_shuffle (b, KB_SHUFFLE_UP, sum, d), sum);

              sum = kb_select (b, kb_le (b, kb_i64 (b, d), lane), other, sum);
            }
          sum = kb_prim2 (b, add, kb_get (b, carry), sum);
          kb_store (b, sums, i, sum);
          kb_set (b, carry, kb_shuffle (b, KB_SHUFFLE_LAST, sum, 0));
        }
    }
  kb_store (b, total, kb_i64 (b, 0), kb_get (b, carry));
  compiled = harness_compile (b);

  arguments[0] = harness_random (kind, N, rand);
  arguments[1] = harness_fill (N, 0);
  arguments[2] = harness_fill (1, 0);
  harness_check (compiled, arguments, range, acc_element_kind_get_code (kind));
  harness_free (compiled);
}

/* Indices as floats: on both sides of what 32 bits hold, and of what is exact. */
static void
test_index_as_float (void)
{
  static const gint64 firsts[] = {
    0, -100, G_GINT64_CONSTANT (0x7fffff00), G_GINT64_CONSTANT (-0x80000100), (G_GINT64_CONSTANT (1) << 53) - 100, G_MAXINT64 - 3000,
    (G_GINT64_CONSTANT (1) << 24) - 100,
  };
  AccKernelBuilder *b = kb_new ("floats");
  KBuffer singles = kb_param_buffer (b, ACC_KIND_F32, out_flags, "f4"), doubles = kb_param_buffer (b, ACC_KIND_F64, out_flags, "f8");
  KBuffer descending = kb_param_buffer (b, ACC_KIND_F32, out_flags, "descending");
  Compiled *compiled;

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue x = kb_add (b, kb_mul (b, i, kb_i64 (b, 5)), kb_outer_begin (b));

      kb_store (b, singles, i, kb_cast (b, ACC_KIND_F32, x));
      kb_store (b, doubles, i, kb_cast (b, ACC_KIND_F64, x));
      kb_store (b, descending, i, kb_cast (b, ACC_KIND_F32, kb_sub (b, kb_outer_begin (b), i)));
    }
  compiled = harness_compile (b);

  for (guint f = 0; f < G_N_ELEMENTS (firsts); f++)
    {
      gint64 range[5] = { firsts[f], 0, 0, N, 0 };
      Argument arguments[] = { harness_fill (N, 0), harness_fill (N, 0), harness_fill (N, 0) };

      harness_check (compiled, arguments, range, "floats");
    }
  harness_free (compiled);
}

/* Lanes that store side by side what stays, in blocks that carry on how many there are. The last block fills its buffer to the end. What
 * comes behind what stays is free up to there, or is not. */
static void
test_pack (gconstpointer data)
{
  static const guint lanes[] = { 32, 16, 8, 5 };
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind + 300);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (lanes); i++)
    {
      guint n_lanes = lanes[i / 2];
      AccKernelBuilder *b = kb_new ("pack");
      KBuffer xs = kb_param_buffer (b, kind, in_flags, "x"), flags = kb_param_buffer (b, ACC_KIND_BOOL, in_flags, "flags");
      KBuffer packed = kb_param_buffer (b, kind, out_flags, "packed"), total = kb_param_buffer (b, ACC_KIND_I64, out_flags, "total");
      KValue end = kb_load (b, kb_param_buffer (b, ACC_KIND_I64, in_flags, "end"), kb_i64 (b, 0));
      KVar count = kb_var (b, kb_i64 (b, 0));
      gint64 range[5] = { 0, 1, 0, N / n_lanes, 0 };
      Argument arguments[5];
      Compiled *compiled;
      gsize n_kept = 0;

      kb_for (b, k, kb_inner_begin (b), kb_inner_end (b))
        {
          kb_set_lanes (b, n_lanes);
          kb_foreach (b, lane, kb_i64 (b, 0), kb_i64 (b, n_lanes))
            {
              KValue at = kb_add (b, kb_mul (b, k, kb_i64 (b, n_lanes)), lane), stays = kb_load (b, flags, at);
              KValue n = kb_cast (b, ACC_KIND_I64, kb_prim (b, ACC_PRIM_POPCOUNT, kb_ballot (b, stays)));

              kb_pack (b, packed, kb_get (b, count), kb_load (b, xs, at), stays, end);
              kb_set (b, count, kb_shuffle (b, KB_SHUFFLE_LAST, kb_add (b, kb_get (b, count), n), 0));
            }
        }
      kb_store (b, total, kb_i64 (b, 0), kb_get (b, count));
      compiled = harness_compile (b);

      arguments[0] = harness_random (kind, N, rand);
      arguments[1] = harness_random (ACC_KIND_BOOL, N, rand);
      for (gsize k = 0; k < (gsize) (N / n_lanes * n_lanes); k++)
        n_kept += arguments[1].elements[k] != 0;
      arguments[2] = harness_fill (n_kept, 0);
      arguments[3] = harness_fill (1, 0);
      arguments[4] = harness_fill (1, i % 2 == 0 ? n_kept : 0);
      harness_check (compiled, arguments, range, acc_element_kind_get_code (kind));
      harness_free (compiled);
    }
}

/* --- loops that may be long */

#define N_COUNTED 70

typedef enum {
  LOOP_ALONE,
  LOOP_AROUND,     /* another */
  LOOP_IN_LANES,   /* as often in all of them */
  LOOP_BY_LANES,
  N_LOOPS,
} Loop;

/* Turns that each loop may still take once there is nothing to be done. */
static const gint64 turns_left[] = { 512, 64, 512, 512 };

static void
count_turn (AccKernelBuilder *b,
            KBuffer           counts,
            KValue            at,
            KValue            turn)
{
  kb_store (b, counts, at, kb_add (b, kb_load (b, counts, at), kb_add (b, turn, kb_i64 (b, 1))));
}

/* Each iteration adds its number and one to the count. */
static Compiled *
compile_loop (Loop loop)
{
  AccKernelBuilder *b = kb_new ("turns");
  KBuffer counts = kb_param_buffer (b, ACC_KIND_I64, ACC_BUFFER_READ | ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS, "counts");
  KValue n = kb_param_scalar (b, ACC_KIND_I64, "n"), zero = kb_i64 (b, 0), turn;

  if (loop == LOOP_ALONE || loop == LOOP_AROUND)
    {
      turn = _kb_enter_for (b, zero, n, TRUE);
      if (loop == LOOP_ALONE)
        count_turn (b, counts, zero, turn);
      else
        kb_for (b, x, zero, kb_i64 (b, N_COUNTED))
          count_turn (b, counts, x, turn);
      _kb_leave (b);
    }
  else
    kb_foreach (b, x, kb_inner_begin (b), kb_inner_end (b))
      {
        turn = _kb_enter_for (b, zero, loop == LOOP_BY_LANES ? kb_add (b, n, x) : n, TRUE);
        count_turn (b, counts, x, turn);
        _kb_leave (b);
      }

  return harness_compile (b);
}

static void
test_long_loops (void)
{
  static const gint64 numbers[] = { -3, 0, 1, 7, 8, 9, 255, 256, 257, 512, 515 };

  for (Loop loop = 0; loop < N_LOOPS; loop++)
    {
      Compiled *compiled = compile_loop (loop);
      const gint64 range[5] = { 0, 1, 0, N_COUNTED, 0 };

      g_assert_true (acc_kernel_may_stop (compiled->kernel));
      for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
        {
          Argument arguments[] = { harness_fill (N_COUNTED, 5), harness_scalar ((guint64) numbers[i]) };

          harness_check (compiled, arguments, range, "long loops");
        }

      /* More iterations than there is time for. */
      for (guint v = 0; v < harness_n_variants; v++)
        {
          gint64 counts[N_COUNTED] = { 0 }, most = turns_left[loop];
          const guint64 slots[] = { (guintptr) counts, G_GUINT64_CONSTANT (1) << 50 };
          AccFailure failure = { .state = ACC_FAILURE_STOP };

          compiled->entry[v] (slots, range, &failure);
          g_assert_cmpint (failure.state, ==, ACC_FAILURE_STOP);
          g_assert_cmpint (counts[0], >=, 1);
          for (guint i = 0; i < N_COUNTED; i++)
            g_assert_cmpint (counts[i], <=, most * (most + 1) / 2);
        }
      harness_free (compiled);
    }
}

static void
test_objects (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccLlvmJit) jit = acc_llvm_jit_new (&error);
  g_autoptr(AccLlvmTarget) target = acc_llvm_target_new_host (&error);
  g_autoptr(GBytes) object = NULL, damaged = g_bytes_new_static ("\177ELF no object", 14);
  g_autoptr(AccKernel) kernel = NULL;
  AccKernelBuilder *b = kb_new ("name with “odd” characters /");
  KBuffer out = kb_param_buffer (b, ACC_KIND_I64, out_flags, "out");
  gint64 result = 0, range[5] = { 0, 1, 5, 6, 41 };
  guint64 slots[1] = { (guintptr) &result };
  AccFailure failure = { 0, };
  AccLlvmCode *code[4];

  g_assert_no_error (error);
  kb_store (b, out, kb_sub (b, kb_inner_begin (b), kb_i64 (b, 5)), kb_add (b, kb_tile (b), kb_i64 (b, 1)));
  kernel = kb_finish (b, &error);
  g_assert_no_error (error);
  object = acc_emit_llvm (kernel, target, ACC_EMIT_DEFAULT, "other_name", &error);
  g_assert_no_error (error);

  g_assert_null (acc_llvm_jit_add (jit, object, NULL, &error));
  g_assert_error (error, g_quark_from_static_string ("acc-error-quark"), 7);
  g_clear_error (&error);
  g_assert_null (acc_llvm_jit_add (jit, damaged, "other_name", &error));
  g_assert_nonnull (error);
  g_clear_error (&error);

  /* The same symbol several times, and again after some are gone. */
  for (guint round = 0; round < 3; round++)
    {
      for (guint i = 0; i < G_N_ELEMENTS (code); i++)
        {
          code[i] = acc_llvm_jit_add (jit, object, "other_name", &error);
          g_assert_no_error (error);
          result = 0;
          acc_llvm_code_get_entry (code[i]) (slots, range, &failure);
          g_assert_cmpint (result, ==, 42);
        }
      for (guint i = 0; i < G_N_ELEMENTS (code); i++)
        acc_llvm_code_free (code[i]);
    }
  result = 0;
  acc_llvm_jit_add_object (jit, object, "other_name", &error) (slots, range, &failure);
  g_assert_cmpint (result, ==, 42);
}

typedef struct {
  AccLlvmTarget *target;
  AccLlvmJit    *jit;
  gint64         number;
} Worker;

static gpointer
compile_many (gpointer data)
{
  Worker *worker = data;

  for (gint64 round = 0; round < 10; round++)
    {
      g_autoptr(GError) error = NULL;
      AccKernelBuilder *b = kb_new ("thread");
      KBuffer out = kb_param_buffer (b, ACC_KIND_I64, out_flags, "out");
      g_autoptr(AccKernel) kernel = NULL;
      g_autoptr(GBytes) object = NULL;
      g_autoptr(AccLlvmCode) code = NULL;
      gint64 results[100] = { 0, }, range[5] = { 0, 1, 0, 100, 0 };
      guint64 slots[1] = { (guintptr) results };
      AccFailure failure = { 0, };

      kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
        kb_store (b, out, i, kb_mul (b, i, kb_i64 (b, worker->number * 10 + round)));
      kernel = kb_finish (b, &error);
      g_assert_no_error (error);
      object = acc_emit_llvm (kernel, worker->target, ACC_EMIT_DEFAULT, NULL, &error);
      g_assert_no_error (error);
      code = acc_llvm_jit_add (worker->jit, object, NULL, &error);
      g_assert_no_error (error);
      acc_llvm_code_get_entry (code) (slots, range, &failure);
      for (guint i = 0; i < 100; i++)
        g_assert_cmpint (results[i], ==, i * (worker->number * 10 + round));
    }

  return NULL;
}

static void
test_threads (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccLlvmJit) jit = acc_llvm_jit_new (&error);
  g_autoptr(AccLlvmTarget) target = acc_llvm_target_new_host (&error);
  Worker workers[4];
  GThread *threads[4];

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (workers); i++)
    {
      workers[i] = (Worker) { target, jit, i + 1 };
      threads[i] = g_thread_new ("compile", compile_many, &workers[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (workers); i++)
    g_thread_join (threads[i]);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  harness_init ();

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      const char *code = acc_element_kind_get_code (kinds[k]);
      g_autofree char *primitives = g_strconcat ("/emit/primitives/", code, NULL);
      g_autofree char *uniform = g_strconcat ("/emit/uniform-operands/", code, NULL);
      g_autofree char *casts = g_strconcat ("/emit/casts/", code, NULL);
      g_autofree char *lanes = g_strconcat ("/emit/lanes/", code, NULL);
      g_autofree char *pack = g_strconcat ("/emit/pack/", code, NULL);

      g_test_add_data_func (primitives, GINT_TO_POINTER (kinds[k]), test_primitives);
      g_test_add_data_func (uniform, GINT_TO_POINTER (kinds[k]), test_uniform_operands);
      g_test_add_data_func (casts, GINT_TO_POINTER (kinds[k]), test_casts);
      g_test_add_data_func (lanes, GINT_TO_POINTER (kinds[k]), test_lanes);
      g_test_add_data_func (pack, GINT_TO_POINTER (kinds[k]), test_pack);
    }
  g_test_add_func ("/emit/index-as-float", test_index_as_float);
  g_test_add_func ("/emit/narrow-division", test_narrow_division);
  g_test_add_func ("/emit/fma-and-select", test_fma_and_select);
  g_test_add_data_func ("/emit/fma/f4", GINT_TO_POINTER (ACC_KIND_F32), test_fma);
  g_test_add_data_func ("/emit/fma/f8", GINT_TO_POINTER (ACC_KIND_F64), test_fma);
  g_test_add_func ("/emit/contraction", test_contraction);
  g_test_add_func ("/emit/long-loops", test_long_loops);
  g_test_add_func ("/emit/objects", test_objects);
  g_test_add_func ("/emit/threads", test_threads);

  status = g_test_run ();
  harness_clear ();

  return status;
}
