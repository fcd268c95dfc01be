/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "emit-harness.h"

#include <math.h>
#include <string.h>

/* Outlined blocks, long and rarely executed: the reduction of large angles. */

#define READ  (ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS)
#define WRITE (ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS | ACC_BUFFER_ONCE)

/* With AVX2; in line it is 56 to 96 thousand. */
#define MOST_BYTES 45000

static const gint64 lengths[] = { 0, 1, 3, 4, 5, 8, 15, 16, 17, 31, 33, 100 };

/* Small, large, and none at all, so that a block of lanes has all of them, or one. */
static Argument
make_angles (AccElementKind kind,
             gsize          n,
             GRand         *rand)
{
  static const double few[] = { 0, 0.5, -3, 1e5, 1e9, -1e22, 3e38, INFINITY, NAN };
  Argument angles = harness_fill (n, 0);

  for (gsize i = 0; i < n; i++)
    {
      double x = few[g_rand_int_range (rand, 0, i % 40 < 20 ? 2 : G_N_ELEMENTS (few))] * g_rand_double_range (rand, 0.5, 1);
      float narrow = x;
      guint32 bits;

      if (kind == ACC_KIND_F64)
        memcpy (&angles.elements[i], &x, sizeof x);
      else
        {
          memcpy (&bits, &narrow, sizeof bits);
          angles.elements[i] = bits;
        }
    }

  return angles;
}

static guint
count (const char *text,
       const char *what)
{
  guint n = 0;

  for (; (text = strstr (text, what)) != NULL; text++)
    n++;

  return n;
}

static void
check (AccKernelBuilder *b,
       AccElementKind    kind,
       guint             n_reductions)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (17);
  Compiled *compiled = harness_compile (b);
  g_autofree char *text = acc_kernel_to_string (compiled->kernel);

  g_assert_cmpuint (count (text, ", seldom"), ==, n_reductions);
  for (guint i = 0; i < harness_n_variants; i++)
    {
      g_test_message ("%s: %" G_GSIZE_FORMAT " bytes", harness_variants[i].name, compiled->bytes[i]);
      if (strcmp (harness_variants[i].name, "AVX2") == 0)
        g_assert_cmpuint (compiled->bytes[i], <=, MOST_BYTES);
    }
  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
    {
      gint64 range[5] = { 0, 1, 0, lengths[l], 0 };
      Argument arguments[] = { make_angles (kind, lengths[l], rand), make_angles (kind, lengths[l], rand), harness_fill (lengths[l], 0) };

      harness_check (compiled, arguments, range, "angles");
    }
  harness_free (compiled);
}

/* Six angles in one body, of which each is reduced once: sine and cosine of an angle have that in common. All is in the code once. */
static void
test_angles (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  AccKernelBuilder *b = kb_new ("angles");
  KBuffer x = kb_param_buffer (b, kind, READ, "x"), y = kb_param_buffer (b, kind, READ, "y"), out = kb_param_buffer (b, kind, WRITE, "out");

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue first = kb_load (b, x, i), second = kb_load (b, y, i), sum = kb_float (b, kind, 0);

      for (guint k = 0; k < 6; k++)
        {
          KValue angle = kb_add (b, first, kb_mul (b, second, kb_float (b, kind, k + 1)));

          sum = kb_add (b, sum, kb_prim (b, ACC_PRIM_SIN, angle));
          sum = kb_mul (b, sum, kb_prim (b, ACC_PRIM_COS, angle));
          sum = kb_sub (b, sum, kb_prim (b, ACC_PRIM_TAN, angle));
        }
      kb_store (b, out, i, sum);
    }
  check (b, kind, 6);
}

/* Of parameters of the kernel, and of what is the same for all lanes. */
static void
test_uniform (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (18);
  AccKernelBuilder *b = kb_new ("uniform");
  KBuffer x = kb_param_buffer (b, kind, READ, "x"), out = kb_param_buffer (b, kind, WRITE, "out");
  KValue angle = kb_param_scalar (b, kind, "angle");
  Compiled *compiled;

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue sum = kb_add (b, kb_load (b, x, i), kb_prim (b, ACC_PRIM_SIN, angle));

      kb_store (b, out, i, kb_mul (b, sum, kb_prim (b, ACC_PRIM_COS, kb_mul (b, angle, kb_load (b, x, kb_inner_begin (b))))));
    }
  compiled = harness_compile (b);
  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
    {
      gint64 range[5] = { 0, 1, 0, lengths[l], 0 };
      Argument one = make_angles (kind, 1, rand);
      Argument arguments[] = { make_angles (kind, lengths[l] + 1, rand), harness_fill (lengths[l], 0), harness_scalar (one.elements[0]) };

      g_free (one.elements);
      harness_check (compiled, arguments, range, "uniform");
    }
  harness_free (compiled);
}

/* Under a mask, in a loop that lanes leave one by one, and of what is the same for all lanes. What one side of a choice has found holds
 * there only. */
static void
test_masked (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  AccKernelBuilder *b = kb_new ("masked");
  KBuffer x = kb_param_buffer (b, kind, READ, "x"), y = kb_param_buffer (b, kind, READ, "y"), out = kb_param_buffer (b, kind, WRITE, "out");

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue first = kb_load (b, x, i), second = kb_load (b, y, i), common = kb_load (b, y, kb_inner_begin (b));
      KVar sum = kb_var (b, kb_float (b, kind, 0)), step = kb_var (b, kb_i64 (b, 0));

      kb_if (b, kb_lt (b, first, second))
        {
          kb_set (b, sum, kb_prim (b, ACC_PRIM_SIN, first));
        }
      kb_else (b)
        {
          kb_set (b, sum, kb_sub (b, kb_prim (b, ACC_PRIM_COS, first), kb_prim (b, ACC_PRIM_SIN, first)));
        }
      kb_while (b)
        {
          KValue at = kb_get (b, step);

          kb_until (b, kb_eq (b, at, kb_add (b, kb_urem (b, i, kb_i64 (b, 3)), kb_i64 (b, 1))));
          kb_set (b, sum, kb_add (b, kb_get (b, sum), kb_prim (b, ACC_PRIM_SIN, kb_mul (b, second, kb_cast (b, kind, at)))));
          kb_set (b, step, kb_add (b, at, kb_i64 (b, 1)));
        }
      kb_store (b, out, i, kb_add (b, kb_get (b, sum), kb_prim (b, ACC_PRIM_SIN, common)));
    }
  check (b, kind, 4);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  harness_init ();

  g_test_add_data_func ("/emit/outline/angles/f4", GINT_TO_POINTER (ACC_KIND_F32), test_angles);
  g_test_add_data_func ("/emit/outline/angles/f8", GINT_TO_POINTER (ACC_KIND_F64), test_angles);
  g_test_add_data_func ("/emit/outline/masked/f4", GINT_TO_POINTER (ACC_KIND_F32), test_masked);
  g_test_add_data_func ("/emit/outline/masked/f8", GINT_TO_POINTER (ACC_KIND_F64), test_masked);

  g_test_add_data_func ("/emit/outline/uniform/f4", GINT_TO_POINTER (ACC_KIND_F32), test_uniform);
  g_test_add_data_func ("/emit/outline/uniform/f8", GINT_TO_POINTER (ACC_KIND_F64), test_uniform);

  status = g_test_run ();
  harness_clear ();

  return status;
}
