/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "emit-harness.h"

#include <stdlib.h>

/* Random kernels: nested loops and branches whose conditions and bounds vary, variables set under masks, reads and writes,
 * checks. Each must give what one lane at a time in plain C gives. ACC_TEST_SEED runs one seed, ACC_TEST_ROUNDS that many. */

#define READ_SIZE 700
#define MAX_N     300

static const AccElementKind all_kinds[] = {
  ACC_KIND_BOOL, ACC_KIND_I8, ACC_KIND_I16, ACC_KIND_I32, ACC_KIND_I64, ACC_KIND_U8, ACC_KIND_U16, ACC_KIND_U32,
  ACC_KIND_U64, ACC_KIND_F16, ACC_KIND_F32, ACC_KIND_F64,
};
/* Masks are made differently where nothing else is narrower than 4 bytes. */
static const AccElementKind words[] = {
  ACC_KIND_BOOL, ACC_KIND_I32, ACC_KIND_U32, ACC_KIND_I32, ACC_KIND_I64, ACC_KIND_U32, ACC_KIND_F32, ACC_KIND_U32,
  ACC_KIND_U64, ACC_KIND_F32, ACC_KIND_F32, ACC_KIND_F64,
};
#define N_KINDS G_N_ELEMENTS (all_kinds)
G_STATIC_ASSERT (G_N_ELEMENTS (words) == N_KINDS);

typedef struct {
  AccKernelBuilder *b;
  GRand            *rand;
  const AccElementKind *kinds;
  KBuffer           in[N_KINDS];
  KBuffer           out[N_KINDS];
  GArray           *values[N_KINDS];     /* KValue in scope */
  GArray           *variables[N_KINDS];  /* KVar in scope that may be set */
  KValue            index;               /* of the foreach */
  gint              budget;
  gint              loops;
  gboolean          checks;
} Gen;

static gint
pick (Gen *g,
      gint n)
{
  return g_rand_int_range (g->rand, 0, n);
}

static guint
some_kind (Gen *g)
{
  return g->kinds == words ? 1 + pick (g, N_KINDS - 1) : pick (g, N_KINDS);
}

/* What a buffer has in place of the kind */
static AccElementKind
stored_kind (Gen  *g,
             guint k)
{
  return g->kinds == words && k == 0 ? ACC_KIND_U32 : g->kinds[k];
}

static KValue
constant (Gen  *g,
          guint k)
{
  static const gint64 values[] = { 1, 2, 3, -1, 7, -5, 100, 255, -128 };
  gint64 value = values[pick (g, G_N_ELEMENTS (values))];

  if (acc_element_kind_is_float (g->kinds[k]))
    return kb_float (g->b, g->kinds[k], value / 4.0);

  return kb_int (g->b, g->kinds[k], value);
}

static void
keep (Gen   *g,
      KValue value)
{
  for (guint k = 0; k < N_KINDS; k++)
    if (g->kinds[k] == kb_kind (g->b, value))
      {
        g_array_append_val (g->values[k], value);
        /* Else most would be of no use. */
        if (g->index.id != 0 && stored_kind (g, k) == g->kinds[k] && pick (g, 3) == 0)
          kb_store (g->b, g->out[k], g->index, value);
        else if (g->variables[k]->len > 0 && pick (g, 2) == 0)
          kb_set (g->b, g_array_index (g->variables[k], KVar, pick (g, g->variables[k]->len)), value);
      }
}

static KValue
value_of (Gen  *g,
          guint k)
{
  gint n = g->values[k]->len, n_variables = g->variables[k]->len;

  if (n_variables > 0 && pick (g, 4) == 0)
    return kb_get (g->b, g_array_index (g->variables[k], KVar, pick (g, n_variables)));
  if (n == 0 || pick (g, 6) == 0)
    return constant (g, k);
  /* Newer ones more often. */
  return g_array_index (g->values[k], KValue, n - 1 - pick (g, 1 + pick (g, n)));
}

static KValue
condition (Gen *g)
{
  guint k = some_kind (g);

  if (pick (g, 3) == 0)
    return value_of (g, 0);

  return kb_prim2 (g->b, ACC_PRIM_LT + pick (g, 6), value_of (g, k), value_of (g, k));
}

static KValue
i64_of (Gen *g)
{
  return value_of (g, 4);
}

/* An index into the readable buffers: steps of one or more, backwards, or anything, made to fit. */
static KValue
index_of (Gen *g)
{
  AccKernelBuilder *b = g->b;

  switch (pick (g, 6))
    {
    case 0:
      return kb_add (b, g->index, kb_i64 (b, pick (g, 5)));
    case 1:
      return kb_add (b, kb_mul (b, g->index, kb_i64 (b, 2)), kb_i64 (b, pick (g, 3)));
    case 2:
      return kb_sub (b, kb_i64 (b, READ_SIZE - 1), g->index);
    case 3:
      return kb_i64 (b, pick (g, READ_SIZE));
    case 4:
      return kb_urem (b, kb_prim2 (b, ACC_PRIM_BAND, i64_of (g), kb_i64 (b, G_MAXINT32)), kb_i64 (b, READ_SIZE));
    default:
      return kb_max (b, kb_i64 (b, 0), kb_min (b, i64_of (g), kb_i64 (b, READ_SIZE - 1)));
    }
}

static void
make_value (Gen *g)
{
  AccKernelBuilder *b = g->b;
  guint k = some_kind (g), to = some_kind (g);
  AccPrimitive primitive = pick (g, ACC_N_PRIMITIVES);
  const AccPrimitiveInfo *info = acc_primitive_get_info (primitive);

  switch (pick (g, 8))
    {
    case 0:
      keep (g, kb_cast (b, g->kinds[to], value_of (g, k)));
      return;
    case 1:
      keep (g, kb_select (b, condition (g), value_of (g, k), value_of (g, k)));
      return;
    case 2:
      keep (g, kb_load (b, g->in[k], index_of (g)));
      return;
    case 3:
      keep (g, kb_add (b, i64_of (g), pick (g, 2) ? kb_i64 (b, pick (g, 9) - 4) : i64_of (g)));
      return;
    case 4:
      keep (g, kb_udiv (b, kb_prim2 (b, ACC_PRIM_BAND, i64_of (g), kb_i64 (b, G_MAXINT32)),
                        kb_add (b, kb_prim2 (b, ACC_PRIM_BAND, i64_of (g), kb_i64 (b, 63)), kb_i64 (b, 1))));
      return;
    default:
      break;
    }

  if (!acc_primitive_accepts (primitive, g->kinds[k]) ||
      (acc_primitive_is (primitive, ACC_FAMILY_TRANSCENDENTAL) && pick (g, 10) != 0))
    return;
  if (info->arity == 1)
    keep (g, kb_prim (b, primitive, value_of (g, k)));
  else
    keep (g, kb_prim2 (b, primitive, value_of (g, k),
                       info->operands == ACC_OPERANDS_SHIFT ? i64_of (g) : value_of (g, k)));
}

static void block (Gen *g, gint depth);

/* What is made in @body is out of scope after it. */
static void
scoped (Gen *g,
        gint depth)
{
  guint n_values[N_KINDS], n_variables[N_KINDS];

  for (guint k = 0; k < N_KINDS; k++)
    {
      n_values[k] = g->values[k]->len;
      n_variables[k] = g->variables[k]->len;
    }
  block (g, depth);
  for (guint k = 0; k < N_KINDS; k++)
    {
      g_array_set_size (g->values[k], n_values[k]);
      g_array_set_size (g->variables[k], n_variables[k]);
    }
}

static KValue
small_bound (Gen *g)
{
  AccKernelBuilder *b = g->b;

  if (pick (g, 3) == 0)
    return kb_i64 (b, pick (g, 4));
  if (pick (g, 4) == 0)
    return kb_add (b, g->index, kb_i64 (b, pick (g, 3)));

  return kb_prim2 (b, ACC_PRIM_BAND, i64_of (g), kb_i64 (b, 3));
}

static void
loop (Gen *g,
      gint depth)
{
  AccKernelBuilder *b = g->b;

  if (pick (g, 2) == 0)
    {
      KValue begin = small_bound (g), end = pick (g, 3) ? small_bound (g) : kb_add (b, begin, kb_i64 (b, 2));

      /* Bounds of any distance, made small. */
      end = kb_min (b, end, kb_add (b, begin, kb_i64 (b, 5)));
      kb_for (b, i, begin, end)
        {
          keep (g, i);
          scoped (g, depth);
          g_array_set_size (g->values[4], g->values[4]->len - 1);
        }
    }
  else
    {
      KVar count = kb_var (b, kb_i64 (b, 0));
      gboolean late = pick (g, 2);

      kb_while (b)
        {
          KValue n;

          if (late)
            scoped (g, depth);
          n = kb_get (b, count);
          kb_until (b, kb_or (b, kb_le (b, kb_i64 (b, 1 + pick (g, 4)), n), condition (g)));
          kb_set (b, count, kb_add (b, n, kb_i64 (b, 1)));
          scoped (g, depth);
        }
      /* How often, of each lane */
      if (pick (g, 2))
        keep (g, kb_get (b, count));
    }
}

static void
block (Gen *g,
       gint depth)
{
  AccKernelBuilder *b = g->b;
  gint n = 1 + pick (g, 7);

  while (n-- > 0 && g->budget-- > 0)
    {
      guint k = some_kind (g);

      switch (pick (g, 12))
        {
        case 0:
          kb_store (b, g->out[k], g->index, value_of (g, k));
          break;
        case 1:
          keep (g, kb_load (b, g->out[k], g->index));
          break;
        case 2:
          {
            KVar var = kb_var (b, value_of (g, k));

            g_array_append_val (g->variables[k], var);
          }
          break;
        case 3:
        case 4:
          if (g->variables[k]->len > 0)
            kb_set (b, g_array_index (g->variables[k], KVar, pick (g, g->variables[k]->len)), value_of (g, k));
          break;
        case 5:
          if (depth > 0)
            {
              if (pick (g, 4) > 0)
                kb_if (b, condition (g))
                  scoped (g, depth - 1);
              else
                kb_if_unlikely (b, condition (g))
                  scoped (g, depth - 1);
              if (pick (g, 2))
                kb_else (b)
                  scoped (g, depth - 1);
            }
          break;
        case 6:
          if (depth > 0 && g->loops-- > 0)
            loop (g, depth - 1);
          break;
        case 7:
          if (g->checks && pick (g, 4) == 0)
            kb_check (b, condition (g), 3, pick (g, 100), i64_of (g), i64_of (g));
          break;
        default:
          make_value (g);
          break;
        }
    }
}

static void
run_seed (guint32 seed)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_autofree char *what = g_strdup_printf ("ACC_TEST_SEED=%u", seed);
  Gen g = { .b = kb_new ("random"), .rand = rand, .kinds = seed % 3 == 0 ? words : all_kinds };
  AccKernelBuilder *b = g.b;
  Compiled *compiled;
  KValue scalars[N_KINDS];

  g.budget = 10 + pick (&g, 60);
  g.loops = 5;
  g.checks = pick (&g, 4) == 0;
  kb_set_precise (b, pick (&g, 2));
  for (guint k = 0; k < N_KINDS; k++)
    {
      g.values[k] = g_array_new (FALSE, FALSE, sizeof (KValue));
      g.variables[k] = g_array_new (FALSE, FALSE, sizeof (KVar));
    }
  for (guint k = 0; k < N_KINDS; k++)
    {
      g.in[k] = kb_param_buffer (b, stored_kind (&g, k), ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS, NULL);
      g.out[k] = kb_param_buffer (b, stored_kind (&g, k), ACC_BUFFER_READ | ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS |
                                  (pick (&g, 2) ? ACC_BUFFER_ONCE : 0), NULL);
      scalars[k] = kb_param_scalar (b, g.kinds[k], NULL);
      keep (&g, scalars[k]);
    }
  if (pick (&g, 3) == 0)
    {
      static const guint lanes[] = { 1, 2, 4, 8, 13, 16, 32, 64, 100 };

      kb_set_lanes (b, lanes[pick (&g, G_N_ELEMENTS (lanes))]);
    }

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      g.index = i;
      for (gint n = 0; n < 3; n++)
        keep (&g, i);
      keep (&g, kb_load (b, g.in[some_kind (&g)], i));
      while (g.budget > 0)
        block (&g, 3);
      for (guint n = 0; n < 4; n++)
        {
          guint k = some_kind (&g);

          kb_store (b, g.out[k], i, value_of (&g, k));
        }
    }
  compiled = harness_compile (b);

  for (guint round = 0; round < 3; round++)
    {
      gint64 begin = pick (&g, 20), n = pick (&g, MAX_N), range[5] = { 0, 1, begin, n, 0 };
      Argument arguments[3 * N_KINDS];

      for (guint k = 0; k < N_KINDS; k++)
        {
          arguments[3 * k] = harness_random (stored_kind (&g, k), READ_SIZE, rand);
          arguments[3 * k + 1] = harness_random (stored_kind (&g, k), n, rand);
          arguments[3 * k + 2] = harness_random (g.kinds[k], 1, rand);
        }
      harness_check (compiled, arguments, range, what);
    }

  harness_free (compiled);
  for (guint k = 0; k < N_KINDS; k++)
    {
      g_array_unref (g.values[k]);
      g_array_unref (g.variables[k]);
    }
}

static void
test_random (void)
{
  const char *only = g_getenv ("ACC_TEST_SEED"), *rounds = g_getenv ("ACC_TEST_ROUNDS");
  guint32 first = g_test_rand_int (), n = rounds != NULL ? atoi (rounds) : 60;

  if (only != NULL)
    {
      run_seed (strtoul (only, NULL, 0));
      return;
    }
  g_test_message ("seeds from %u", first);
  for (guint32 i = 0; i < n; i++)
    run_seed (first + i);
}

/* Iterations until |z| is above 2: a loop whose end varies from lane to lane. */
static void
test_mandelbrot (void)
{
  AccKernelBuilder *b = kb_new ("mandelbrot");
  KBuffer out = kb_param_buffer (b, ACC_KIND_I32, ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS, "out");
  Compiled *compiled;

  kb_for (b, row, kb_outer_begin (b), kb_outer_end (b))
    kb_foreach (b, column, kb_inner_begin (b), kb_inner_end (b))
      {
        KValue scale = kb_float (b, ACC_KIND_F32, 3.0 / 97), limit = kb_float (b, ACC_KIND_F32, 4);
        KValue cx = kb_sub (b, kb_mul (b, kb_cast (b, ACC_KIND_F32, column), scale), kb_float (b, ACC_KIND_F32, 2));
        KValue cy = kb_sub (b, kb_mul (b, kb_cast (b, ACC_KIND_F32, row), scale), kb_float (b, ACC_KIND_F32, 1.5));
        KVar x = kb_var (b, cx), y = kb_var (b, cy), n = kb_var (b, kb_int (b, ACC_KIND_I32, 0));

        kb_while (b)
          {
            KValue zx = kb_get (b, x), zy = kb_get (b, y), xx = kb_mul (b, zx, zx), yy = kb_mul (b, zy, zy);
            KValue xy = kb_mul (b, zx, zy);

            kb_until (b, kb_or (b, kb_lt (b, limit, kb_add (b, xx, yy)),
                                kb_le (b, kb_int (b, ACC_KIND_I32, 100), kb_get (b, n))));
            kb_set (b, x, kb_add (b, kb_sub (b, xx, yy), cx));
            kb_set (b, y, kb_add (b, kb_add (b, xy, xy), cy));
            kb_set (b, n, kb_add (b, kb_get (b, n), kb_int (b, ACC_KIND_I32, 1)));
          }
        kb_store (b, out, kb_add (b, kb_mul (b, row, kb_i64 (b, 97)), column), kb_get (b, n));
      }
  compiled = harness_compile (b);
  {
    gint64 range[5] = { 0, 97, 0, 97, 0 };
    Argument arguments[] = { harness_fill (97 * 97, 0) };

    harness_check (compiled, arguments, range, "mandelbrot");
  }
  harness_free (compiled);
}

/* Lanes that leave a loop must keep what is read after it or when it begins again, and those that go on what only others set. */
static void
test_leaving (void)
{
  AccKernelBuilder *b = kb_new ("leaving");
  KBuffer out = kb_param_buffer (b, ACC_KIND_I32, ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS, "out");
  Compiled *compiled;

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue start = kb_cast (b, ACC_KIND_F32, kb_prim2 (b, ACC_PRIM_BAND, i, kb_i64 (b, 15)));
      KValue quarter = kb_float (b, ACC_KIND_F32, 0.25);
      KVar again = kb_var (b, start);

      kb_for (b, round, kb_i64 (b, 0), kb_i64 (b, 3))
        {
          KVar within = kb_var (b, start), some = kb_var (b, quarter), after = kb_var (b, quarter);
          KVar before = kb_var (b, start), n = kb_var (b, kb_int (b, ACC_KIND_I32, 0)), together = kb_var (b, quarter);
          KVar steps = kb_var (b, kb_i64 (b, 0));

          kb_if (b, kb_lt (b, start, kb_float (b, ACC_KIND_F32, 7)))
            kb_set (b, before, quarter);
          kb_while (b)
            {
              KValue x = kb_get (b, within), y = kb_get (b, again), z = kb_add (b, kb_get (b, some), kb_get (b, before));

              kb_until (b, kb_or (b, kb_lt (b, kb_float (b, ACC_KIND_F32, 40), kb_add (b, x, y)),
                                  kb_le (b, kb_int (b, ACC_KIND_I32, 60), kb_get (b, n))));
              kb_if (b, kb_lt (b, kb_get (b, some), kb_mul (b, y, quarter)))
                kb_set (b, some, kb_add (b, kb_get (b, some), quarter));
              kb_set (b, within, kb_add (b, x, z));
              kb_set (b, again, kb_add (b, y, quarter));
              kb_set (b, after, kb_sub (b, x, y));
              kb_set (b, n, kb_add (b, kb_int (b, ACC_KIND_I32, 3), kb_get (b, n)));
            }
          /* All lanes leave this one together. */
          kb_while (b)
            {
              KValue x = kb_get (b, together), step = kb_get (b, steps);

              kb_until (b, kb_le (b, kb_i64 (b, 5), step));
              kb_if (b, kb_lt (b, x, kb_mul (b, start, quarter)))
                kb_set (b, together, kb_add (b, x, quarter));
              kb_set (b, after, kb_add (b, kb_get (b, after), x));
              kb_set (b, steps, kb_add (b, step, kb_i64 (b, 1)));
            }
          kb_store (b, out, kb_add (b, kb_mul (b, round, kb_i64 (b, 101)), i),
                    kb_add (b, kb_get (b, n), kb_cast (b, ACC_KIND_I32, kb_get (b, after))));
        }
    }
  compiled = harness_compile (b);
  {
    gint64 range[5] = { 0, 1, 0, 101, 0 };
    Argument arguments[] = { harness_fill (3 * 101, 0) };

    harness_check (compiled, arguments, range, "leaving");
  }
  harness_free (compiled);
}

/* Rows of different lengths, as segments are: loops with bounds from memory, and a check in them. */
static void
test_segments (void)
{
  AccKernelBuilder *b = kb_new ("segments");
  KBuffer offsets = kb_param_buffer (b, ACC_KIND_I64, ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS, "offsets");
  KBuffer x = kb_param_buffer (b, ACC_KIND_U16, ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS, "x");
  KBuffer out = kb_param_buffer (b, ACC_KIND_U64, ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS, "out");
  KValue size = kb_param_scalar (b, ACC_KIND_I64, "size");
  g_autoptr(GRand) rand = g_rand_new_with_seed (5);
  Compiled *compiled;

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KVar sum = kb_var (b, kb_int (b, ACC_KIND_U64, 0));

      kb_for (b, j, kb_load (b, offsets, i), kb_load (b, offsets, kb_add (b, i, kb_i64 (b, 1))))
        {
          KValue ok = kb_lt (b, j, size);

          kb_check (b, ok, 1, 77, j, size);
          kb_if (b, ok)
            kb_set (b, sum, kb_add (b, kb_get (b, sum), kb_cast (b, ACC_KIND_U64, kb_load (b, x, j))));
        }
      kb_store (b, out, i, kb_get (b, sum));
    }
  compiled = harness_compile (b);
  for (guint round = 0; round < 40; round++)
    {
      gint64 n = g_rand_int_range (rand, 0, 130), range[5] = { 0, 1, 0, n, 0 }, at = 0;
      Argument offset = harness_fill (n + 1, 0);

      for (gint64 i = 0; i <= n; i++)
        {
          gint length = g_rand_int_range (rand, -3, 12);

          offset.elements[i] = at;
          at += MAX (0, length);
        }
      at = offset.elements[n];
      /* Now and then an element is missing. */
      if (round % 4 == 3 && at > 0)
        at--;
      {
        Argument arguments[] = {
          offset, harness_random (ACC_KIND_U16, at, rand), harness_fill (n, 0), harness_scalar (at),
        };

        harness_check (compiled, arguments, range, "segments");
      }
    }
  harness_free (compiled);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  harness_init ();

  g_test_add_func ("/emit/mandelbrot", test_mandelbrot);
  g_test_add_func ("/emit/leaving", test_leaving);
  g_test_add_func ("/emit/segments", test_segments);
  g_test_add_func ("/emit/random", test_random);

  status = g_test_run ();
  harness_clear ();

  return status;
}
