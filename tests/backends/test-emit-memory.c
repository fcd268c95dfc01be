/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "emit-harness.h"

/* How elements are read and written: contiguous, reversed, strided, gathered; every length around a block's, between pages
 * that must not be touched. */

#define READ  (ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS)
#define WRITE (ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS | ACC_BUFFER_ONCE)

static const AccElementKind kinds[] = { ACC_KIND_BOOL, ACC_KIND_U8, ACC_KIND_I16, ACC_KIND_F16, ACC_KIND_F32, ACC_KIND_F64 };

static const gint64 lengths[] = { 0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 600 };

/* out[i] = x[stride i + offset], with stride below 0 from the end. */
static void
check_stride (AccElementKind kind,
              gint64         stride,
              guint          lanes)
{
  AccKernelBuilder *b = kb_new ("stride");
  KBuffer x = kb_param_buffer (b, kind, READ, "x"), out = kb_param_buffer (b, kind, WRITE, "out");
  KValue first = kb_param_scalar (b, ACC_KIND_I64, "first");
  g_autoptr(GRand) rand = g_rand_new_with_seed (stride + 100 * kind);
  g_autofree char *what = g_strdup_printf ("stride %d", (int) stride);
  Compiled *compiled;

  kb_set_lanes (b, lanes);
  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    kb_store (b, out, i, kb_load (b, x, kb_add (b, kb_mul (b, i, kb_i64 (b, stride)), first)));
  compiled = harness_compile (b);

  for (gint64 n = 0; n < 600; n += n < 270 && ABS (stride) <= 1 ? 1 : 37)
    {
      gint64 size = n == 0 ? 0 : ABS (stride) * (n - 1) + 1;
      gint64 range[5] = { 0, 1, 0, n, 0 };
      Argument arguments[] = {
        harness_random (kind, size, rand), harness_fill (n, 0), harness_scalar (stride < 0 ? size - 1 : 0),
      };

      harness_check (compiled, arguments, range, what);
    }
  harness_free (compiled);
}

static void
test_strides (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);

  for (gint64 stride = 1; stride <= 9; stride++)
    check_stride (kind, stride, 0);
  check_stride (kind, 3, 16);
  check_stride (kind, 1, 24);
  for (gint64 stride = -1; stride >= -4; stride--)
    check_stride (kind, stride, 0);
}

/* Channels of pixels to planes, with a channel left out, and planes to channels. */
static void
test_channels (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind);

  for (guint n_channels = 2; n_channels <= 5; n_channels++)
    for (guint skipped = 0; skipped < 2; skipped++)
      {
        AccKernelBuilder *b = kb_new ("channels");
        KBuffer x = kb_param_buffer (b, kind, READ, "x"), back = kb_param_buffer (b, kind, WRITE, "back");
        KBuffer out[5];
        Compiled *compiled;

        for (guint c = 0; c < n_channels; c++)
          out[c] = kb_param_buffer (b, kind, WRITE, NULL);
        kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
          {
            KValue pixel = kb_mul (b, i, kb_i64 (b, n_channels)), value[5];

            for (guint c = skipped; c < n_channels; c++)
              {
                value[c] = kb_load (b, x, kb_add (b, pixel, kb_i64 (b, c)));
                kb_store (b, out[c], i, value[c]);
              }
            for (guint c = skipped; c < n_channels; c++)
              kb_store (b, back, kb_add (b, pixel, kb_i64 (b, n_channels - 1 - c)), value[c]);
          }
        compiled = harness_compile (b);

        for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
          {
            gint64 n = lengths[l], range[5] = { 0, 1, 0, n, 0 };
            Argument arguments[7] = { harness_random (kind, n * n_channels, rand), harness_fill (n * n_channels, 0) };

            for (guint c = 0; c < n_channels; c++)
              arguments[2 + c] = harness_fill (n, 0);
            harness_check (compiled, arguments, range, "channels");
          }
        harness_free (compiled);
      }
}

/* Indices from memory: gather and scatter, under a mask too; conversion to and from another kind on the way. */
static void
test_gather (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind + 50);

  for (guint lanes = 0; lanes <= 40; lanes += 40)
    {
      AccKernelBuilder *b = kb_new ("gather");
      KBuffer x = kb_param_buffer (b, kind, READ, "x"), at = kb_param_buffer (b, ACC_KIND_I64, READ, "at");
      KBuffer out = kb_param_buffer (b, kind, WRITE, "out"), some = kb_param_buffer (b, kind, WRITE, "some");
      KBuffer scattered = kb_param_buffer (b, kind, WRITE, "scattered"), turned = kb_param_buffer (b, kind, WRITE, "turned");
      KValue size = kb_param_scalar (b, ACC_KIND_I64, "size");
      Compiled *compiled;

      kb_set_lanes (b, lanes);
      kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
        {
          KValue index = kb_load (b, at, i);

          kb_store (b, out, i, kb_load (b, x, kb_max (b, kb_min (b, index, kb_sub (b, size, kb_i64 (b, 1))), kb_i64 (b, 0))));
          kb_if (b, kb_and (b, kb_le (b, kb_i64 (b, 0), index), kb_lt (b, index, size)))
            {
              kb_store (b, some, i, kb_load (b, x, index));
              kb_store (b, scattered, index, kb_load (b, x, kb_i64 (b, 0)));
              kb_store (b, turned, kb_sub (b, kb_sub (b, size, kb_i64 (b, 1)), index), kb_load (b, x, i));
            }
        }
      compiled = harness_compile (b);

      for (guint l = 1; l < G_N_ELEMENTS (lengths); l++)
        {
          gint64 n = lengths[l], range[5] = { 0, 1, 0, n, 0 };
          Argument arguments[] = {
            harness_random (kind, n, rand), harness_fill (n, 0), harness_fill (n, 0), harness_fill (n, 0),
            harness_fill (n, 0), harness_fill (n, 0), harness_scalar (n),
          };

          /* No two lanes write to one place. */
          for (gint64 i = 0; i < n; i++)
            arguments[1].elements[i] = i % 3 == 0 ? n - 1 - i : i % 3 == 1 ? -i : n + i;
          harness_check (compiled, arguments, range, "gather");
        }
      harness_free (compiled);
    }
}

/* Lookups in small tables, only in lanes whose index is inside. */
static void
test_table_lookup (gconstpointer data)
{
  static const guint sizes[] = { 1, 5, 8, 16 }, lanes[] = { 0, 24 };
  AccElementKind kind = GPOINTER_TO_INT (data);

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint w = 0; w < G_N_ELEMENTS (lanes); w++)
      {
        AccKernelBuilder *b = kb_new ("table_lookup");
        KBuffer table = kb_param_buffer (b, kind, READ, "table"), index = kb_param_buffer (b, ACC_KIND_I64, READ, "index");
        KBuffer out = kb_param_buffer (b, kind, WRITE, "out");
        g_autoptr(GRand) rand = g_rand_new_with_seed (17 + s);
        Compiled *compiled;

        kb_set_n_elements (b, table, sizes[s]);
        kb_set_lanes (b, lanes[w]);
        kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
          {
            KValue at = kb_load (b, index, i);

            kb_if (b, kb_and (b, kb_le (b, kb_i64 (b, 0), at), kb_lt (b, at, kb_i64 (b, sizes[s]))))
              kb_store (b, out, i, kb_load (b, table, at));
          }
        compiled = harness_compile (b);

        for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
          {
            gint64 n = lengths[l], range[5] = { 0, 1, 0, n, 0 };
            Argument arguments[] = { harness_random (kind, sizes[s], rand), harness_fill (n, 0), harness_fill (n, 0) };

            for (gint64 i = 0; i < n; i++)
              arguments[1].elements[i] = g_rand_int_range (rand, -2, sizes[s] + 2);
            harness_check (compiled, arguments, range, "table_lookup");
          }
        harness_free (compiled);
      }
}

/* Stores of each lane that lie side by side, lanes further apart than that: squares are turned. What is read of the same buffer on the
 * way must be what was there. */
static void
test_turned (gconstpointer data)
{
  static const guint counts[] = { 2, 3, 8, 16 };
  AccElementKind kind = GPOINTER_TO_INT (data);

  for (guint c = 0; c < G_N_ELEMENTS (counts); c++)
    for (guint between = 0; between < 2; between++)
      {
        guint n = counts[c], apart = 19;
        AccKernelBuilder *b = kb_new ("turned");
        KBuffer x = kb_param_buffer (b, kind, READ, "x");
        KBuffer out = kb_param_buffer (b, kind, ACC_BUFFER_READ | ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS, "out");
        g_autoptr(GRand) rand = g_rand_new_with_seed (19 + c);
        Compiled *compiled;

        kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
          {
            KValue first = kb_mul (b, i, kb_i64 (b, apart)), values[16];

            for (guint k = 0; k < n; k++)
              values[k] = kb_load (b, x, kb_add (b, i, kb_i64 (b, 600 * k)));
            for (guint k = 0; k < n; k++)
              {
                kb_store (b, out, kb_add (b, first, kb_i64 (b, k)), values[k]);
                if (between && k == 0)
                  values[1] = kb_load (b, out, first);
              }
          }
        compiled = harness_compile (b);

        for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
          {
            gint64 range[5] = { 0, 1, 0, lengths[l], 0 };
            Argument arguments[] = { harness_random (kind, 600 * 16, rand), harness_random (kind, 600 * apart, rand) };

            harness_check (compiled, arguments, range, "turned");
          }
        harness_free (compiled);
      }
}

/* Begins that are not 0, addresses that are not aligned, stores to several buffers of several widths. */
static void
test_streamed (void)
{
  AccKernelBuilder *b = kb_new ("streamed");
  KBuffer x = kb_param_buffer (b, ACC_KIND_U8, READ, "x");
  KBuffer out8 = kb_param_buffer (b, ACC_KIND_U8, WRITE, "out8"), out32 = kb_param_buffer (b, ACC_KIND_F32, WRITE, "out32");
  KBuffer out64 = kb_param_buffer (b, ACC_KIND_I64, WRITE, "out64");
  g_autoptr(GRand) rand = g_rand_new_with_seed (11);
  Compiled *compiled;

  kb_for (b, row, kb_outer_begin (b), kb_outer_end (b))
    {
      KValue base = kb_mul (b, row, kb_i64 (b, 2003));

      kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
        {
          KValue at = kb_add (b, base, i), value = kb_load (b, x, at);

          kb_store (b, out32, at, kb_cast (b, ACC_KIND_F32, value));
          kb_store (b, out8, at, kb_add (b, value, kb_int (b, ACC_KIND_U8, 1)));
          kb_store (b, out64, at, kb_cast (b, ACC_KIND_I64, value));
        }
    }
  compiled = harness_compile (b);

  for (guint round = 0; round < 60; round++)
    {
      gint64 begin = g_rand_int_range (rand, 0, 300), end = g_rand_int_range (rand, 200, 2004);
      gint64 range[5] = { 0, 3, begin, round < 2 ? 2003 : end, 0 };
      Argument arguments[] = {
        harness_random (ACC_KIND_U8, 3 * 2003, rand), harness_fill (3 * 2003, 0), harness_fill (3 * 2003, 0),
        harness_fill (3 * 2003, 0),
      };

      harness_check (compiled, arguments, range, "streamed");
    }
  harness_free (compiled);
}

/* One address for all lanes: read by each, written by the last. */
static void
test_same_address (void)
{
  AccKernelBuilder *b = kb_new ("same");
  KBuffer x = kb_param_buffer (b, ACC_KIND_I16, READ, "x"), out = kb_param_buffer (b, ACC_KIND_I16, WRITE, "out");
  g_autoptr(GRand) rand = g_rand_new_with_seed (12);
  Compiled *compiled;

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue value = kb_load (b, x, i);

      kb_store (b, out, kb_i64 (b, 0), kb_load (b, x, kb_i64 (b, 0)));
      kb_store (b, out, kb_i64 (b, 1), value);
      kb_if (b, kb_lt (b, value, kb_int (b, ACC_KIND_I16, 0)))
        {
          kb_store (b, out, kb_i64 (b, 2), value);
          kb_store (b, out, kb_i64 (b, 3), kb_load (b, x, kb_i64 (b, 1)));
        }
    }
  compiled = harness_compile (b);

  for (guint l = 2; l < G_N_ELEMENTS (lengths); l++)
    {
      gint64 n = lengths[l], range[5] = { 0, 1, 0, n, 0 };
      Argument arguments[] = { harness_random (ACC_KIND_I16, n, rand), harness_fill (4, 0) };

      harness_check (compiled, arguments, range, "same address");
    }
  harness_free (compiled);
}

/* Where a whole block of lanes is on one side of a comparison, below a bound, or in one quotient, and where it is not: rotations, paddings,
 * bounds, rows that are cut out of others. @by and @n are the same for all. */
typedef enum {
  ROTATED, ROTATED_BY_REMAINDER, BOUNDED, PADDED, HALVES, DESCENDING, ALL_BUT_ONE, QUOTIENTS, WRAPPING, N_UNIFORM_CASES
} UniformCase;

static KValue
get_uniform_case (AccKernelBuilder *b,
                  UniformCase       which,
                  KBuffer           x,
                  KValue            i,
                  KValue            by,
                  KValue            n)
{
  KValue moved = kb_add (b, i, by), low = kb_sub (b, i, by), last = kb_sub (b, n, kb_i64 (b, 1)), zero = kb_i64 (b, 0), at;
  KVar padded;

  switch (which)
    {
    case ROTATED:
      return kb_load (b, x, kb_select (b, kb_le (b, n, moved), kb_sub (b, moved, n), moved));
    case ROTATED_BY_REMAINDER:
      return kb_load (b, x, kb_prim2 (b, ACC_PRIM_MOD, low, n));
    case BOUNDED:
      return kb_load (b, x, kb_max (b, kb_min (b, moved, last), zero));
    case PADDED:
      padded = kb_var (b, kb_int (b, ACC_KIND_I32, -1));
      kb_if (b, kb_and (b, kb_le (b, zero, low), kb_lt (b, low, kb_i64 (b, 150))))
        kb_set (b, padded, kb_load (b, x, low));
      return kb_get (b, padded);
    case HALVES:
      at = kb_prim2 (b, ACC_PRIM_SHR, kb_sub (b, i, kb_i64 (b, 1)), kb_i64 (b, 1));
      return kb_load (b, x, kb_select (b, kb_lt (b, at, zero), kb_add (b, at, n), at));
    case DESCENDING:
      at = kb_sub (b, last, i);
      return kb_load (b, x, kb_select (b, kb_lt (b, at, by), kb_add (b, at, kb_sub (b, n, by)), kb_sub (b, at, by)));
    case ALL_BUT_ONE:
      return kb_load (b, x, kb_select (b, kb_eq (b, i, by), zero, i));
    case QUOTIENTS:
      at = kb_mul (b, kb_prim2 (b, ACC_PRIM_QUOT, low, by), kb_i64 (b, 1000));
      return kb_cast (b, ACC_KIND_I32, kb_add (b, at, kb_prim2 (b, ACC_PRIM_REM, low, by)));
    case WRAPPING:
    case N_UNIFORM_CASES:
    default:
      at = kb_add (b, i, kb_i64 (b, G_MAXINT64 - 200));
      return kb_load (b, x, kb_select (b, kb_lt (b, at, kb_add (b, by, kb_i64 (b, G_MAXINT64 - 100))), i, zero));
    }
}

static void
test_uniform (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (15);

  for (UniformCase which = 0; which < N_UNIFORM_CASES; which++)
    {
      AccKernelBuilder *b = kb_new ("uniform");
      KBuffer x = kb_param_buffer (b, ACC_KIND_I32, READ, "x"), out = kb_param_buffer (b, ACC_KIND_I32, WRITE, "out");
      Compiled *compiled;

      kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
        kb_store (b, out, i, get_uniform_case (b, which, x, i, kb_outer_begin (b), kb_outer_end (b)));
      compiled = harness_compile (b);

      for (guint round = 0; round < 100; round++)
        {
          gint64 n = g_rand_int_range (rand, 2, 300), by = g_rand_int_range (rand, round % 2, MIN (n, 100));
          gint64 range[5] = { by, n, round % 3 == 0 ? g_rand_int_range (rand, 0, 2) : 0, n, 0 };
          Argument arguments[] = { harness_random (ACC_KIND_I32, 300, rand), harness_fill (300, 0) };

          harness_check (compiled, arguments, range, "uniform");
        }
      harness_free (compiled);
    }
}

/* What is changed where it is must not be gone over twice, however many are left at the end. */
static void
test_in_place (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  AccKernelBuilder *b = kb_new ("in_place");
  KBuffer x = kb_param_buffer (b, kind, ACC_BUFFER_READ | ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS, "x");
  KBuffer kept = kb_param_buffer (b, kind, WRITE, "kept");
  g_autoptr(GRand) rand = g_rand_new_with_seed (14);
  Compiled *compiled;

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue value = kb_load (b, x, i);

      kb_store (b, kept, i, value);
      kb_if (b, kb_lt (b, kb_int (b, kind, 3), value))
        kb_store (b, x, i, kb_add (b, value, kb_int (b, kind, 1)));
    }
  compiled = harness_compile (b);

  for (gint64 n = 0; n < 300; n += 1 + n / 40)
    {
      gint64 range[5] = { 0, 1, 0, n, 0 };
      Argument arguments[] = { harness_random (kind, n, rand), harness_fill (n, 0) };

      harness_check (compiled, arguments, range, "in place");
    }
  harness_free (compiled);
}

/* A fold of 32 lanes: a foreach outside the loop, partial results in memory, combined by a second kernel part. */
static void
test_lanes (void)
{
  AccKernelBuilder *b = kb_new ("lanes");
  KBuffer x = kb_param_buffer (b, ACC_KIND_F32, READ, "x");
  KBuffer partial = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ | ACC_BUFFER_WRITE, "partial");
  KValue n = kb_sub (b, kb_inner_end (b), kb_inner_begin (b));
  g_autoptr(GRand) rand = g_rand_new_with_seed (13);
  Compiled *compiled;
  KVar sum;

  kb_set_lanes (b, 32);
  kb_foreach (b, lane, kb_i64 (b, 0), kb_i64 (b, 32))
    {
      KVar acc = kb_var (b, kb_float (b, ACC_KIND_F32, 0));

      kb_for (b, j, kb_i64 (b, 0), kb_udiv (b, n, kb_i64 (b, 32)))
        kb_set (b, acc, kb_add (b, kb_get (b, acc),
                                kb_load (b, x, kb_add (b, kb_add (b, kb_inner_begin (b), kb_mul (b, j, kb_i64 (b, 32))), lane))));
      kb_store (b, partial, lane, kb_get (b, acc));
    }
  sum = kb_var (b, kb_load (b, partial, kb_i64 (b, 0)));
  kb_for (b, lane, kb_i64 (b, 1), kb_i64 (b, 32))
    kb_set (b, sum, kb_add (b, kb_get (b, sum), kb_load (b, partial, lane)));
  kb_for (b, i, kb_sub (b, kb_inner_end (b), kb_urem (b, n, kb_i64 (b, 32))), kb_inner_end (b))
    kb_set (b, sum, kb_add (b, kb_get (b, sum), kb_load (b, x, i)));
  kb_store (b, partial, kb_i64 (b, 32), kb_get (b, sum));
  compiled = harness_compile (b);

  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
    {
      gint64 range[5] = { 0, 1, 0, lengths[l], 0 };
      Argument arguments[] = { harness_fill (lengths[l], 0), harness_fill (33, 0) };

      for (gint64 i = 0; i < lengths[l]; i++)
        arguments[0].elements[i] = eval_from_double (ACC_KIND_F32, g_rand_double_range (rand, -1, 1));
      harness_check (compiled, arguments, range, "lanes");
    }
  harness_free (compiled);
}

/* Compiling takes as long as what it makes is. */
static void
check_length (Compiled *compiled,
              gsize     bytes)
{
  for (guint i = 0; i < harness_n_variants; i++)
    {
      g_test_message ("%s: %" G_GSIZE_FORMAT " bytes", harness_variants[i].name, compiled->bytes[i]);
      g_assert_cmpuint (compiled->bytes[i], <=, bytes);
    }
}

/* Elements that lie too far from each other for lanes to load what is between: 64 of each are copied, far from each other again. */
static void
test_far_apart (void)
{
  AccKernelBuilder *b = kb_new ("far_apart");
  KBuffer x = kb_param_buffer (b, ACC_KIND_F64, READ, "x"), out = kb_param_buffer (b, ACC_KIND_F64, WRITE, "out");
  g_autoptr(GRand) rand = g_rand_new_with_seed (15);
  Compiled *compiled;

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue from = kb_mul (b, i, kb_i64 (b, 192)), to = kb_mul (b, i, kb_i64 (b, 128));

      for (guint k = 0; k < 64; k++)
        kb_store (b, out, kb_add (b, to, kb_i64 (b, 2 * k)), kb_load (b, x, kb_add (b, from, kb_i64 (b, 3 * k))));
    }
  compiled = harness_compile (b);
  check_length (compiled, 40000);

  for (gint64 n = 0; n < 40; n += 1 + n / 10)
    {
      gint64 range[5] = { 0, 1, 0, n, 0 };
      Argument arguments[] = { harness_random (ACC_KIND_F64, 192 * n, rand), harness_fill (128 * n, 0) };

      harness_check (compiled, arguments, range, "far apart");
    }
  harness_free (compiled);
}

/* Many lanes, since what is folded is narrow, that compute much with what is wide. */
static void
test_lanes_in_parts (void)
{
  AccKernelBuilder *b = kb_new ("parts");
  KBuffer x = kb_param_buffer (b, ACC_KIND_U8, READ, "x");
  KBuffer sums = kb_param_buffer (b, ACC_KIND_I16, ACC_BUFFER_READ | ACC_BUFFER_WRITE, "sums");
  KValue n = kb_sub (b, kb_inner_end (b), kb_inner_begin (b)), lanes = kb_i64 (b, 128);
  g_autoptr(GRand) rand = g_rand_new_with_seed (16);
  Compiled *compiled;

  kb_set_lanes (b, 128);
  kb_foreach (b, lane, kb_i64 (b, 0), lanes)
    {
      KVar sum = kb_var (b, kb_int (b, ACC_KIND_I16, 0));

      kb_for (b, j, kb_i64 (b, 0), kb_udiv (b, n, lanes))
        {
          KValue at = kb_add (b, kb_add (b, kb_inner_begin (b), kb_mul (b, j, lanes)), lane);
          KValue y = kb_cast (b, ACC_KIND_I64, kb_load (b, x, at));

          for (guint k = 0; k < 8; k++)
            y = kb_mul (b, kb_sub (b, kb_mul (b, y, kb_i64 (b, 77)), kb_i64 (b, 5 + k)), kb_add (b, y, kb_i64 (b, k)));
          kb_set (b, sum, kb_add (b, kb_get (b, sum), kb_cast (b, ACC_KIND_I16, y)));
        }
      kb_store (b, sums, lane, kb_get (b, sum));
    }
  compiled = harness_compile (b);
  check_length (compiled, 16000);

  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
    {
      gint64 range[5] = { 0, 1, 0, lengths[l], 0 };
      Argument arguments[] = { harness_random (ACC_KIND_U8, lengths[l], rand), harness_fill (128, 0) };

      harness_check (compiled, arguments, range, "lanes in parts");
    }
  harness_free (compiled);
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
      g_autofree char *strides = g_strconcat ("/emit/strides/", code, NULL);
      g_autofree char *channels = g_strconcat ("/emit/channels/", code, NULL);
      g_autofree char *gather = g_strconcat ("/emit/gather/", code, NULL);
      g_autofree char *table_lookup = g_strconcat ("/emit/table-lookup/", code, NULL);
      g_autofree char *turned = g_strconcat ("/emit/turned/", code, NULL);

      g_test_add_data_func (strides, GINT_TO_POINTER (kinds[k]), test_strides);
      g_test_add_data_func (channels, GINT_TO_POINTER (kinds[k]), test_channels);
      g_test_add_data_func (gather, GINT_TO_POINTER (kinds[k]), test_gather);
      g_test_add_data_func (table_lookup, GINT_TO_POINTER (kinds[k]), test_table_lookup);
      g_test_add_data_func (turned, GINT_TO_POINTER (kinds[k]), test_turned);
    }
  for (guint i = 0; i < 2; i++)
    {
      AccElementKind kind = i == 0 ? ACC_KIND_U8 : ACC_KIND_I32;
      g_autofree char *path = g_strconcat ("/emit/in-place/", acc_element_kind_get_code (kind), NULL);

      g_test_add_data_func (path, GINT_TO_POINTER (kind), test_in_place);
    }
  g_test_add_func ("/emit/uniform", test_uniform);
  g_test_add_func ("/emit/streamed", test_streamed);
  g_test_add_func ("/emit/same-address", test_same_address);
  g_test_add_func ("/emit/lanes", test_lanes);
  g_test_add_func ("/emit/lanes-in-parts", test_lanes_in_parts);
  g_test_add_func ("/emit/far-apart", test_far_apart);

  status = g_test_run ();
  harness_clear ();

  return status;
}
