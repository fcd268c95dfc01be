/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel-eval.h"
#include "acc-backends/passes/acc-passes.h"

#include <float.h>
#include <math.h>

#include "acc-error.h"

static AccKernel *
finish (AccKernelBuilder *b)
{
  g_autoptr(GError) error = NULL;
  AccKernel *kernel = kb_finish (b, &error);

  g_assert_no_error (error);

  return kernel;
}

static void
refused (AccKernelBuilder *b,
         const char       *why)
{
  g_autoptr(GError) error = NULL;

  g_assert_null (kb_finish (b, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_COMPILE);
  if (strstr (error->message, why) == NULL)
    g_error ("“%s” does not say “%s”", error->message, why);
}

static AccKernelBuilder *
saxpy (const char *name,
       const char *param)
{
  AccKernelBuilder *b = kb_new (name);
  KBuffer x = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS, param);
  KBuffer y = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ | ACC_BUFFER_WRITE, "y");
  KValue a = kb_param_scalar (b, ACC_KIND_F32, "a");

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    kb_store (b, y, i, kb_add (b, kb_mul (b, a, kb_load (b, x, i)), kb_load (b, y, i)));

  return b;
}

static void
test_print (void)
{
  g_autoptr(AccKernel) kernel = finish (saxpy ("saxpy", "x"));
  g_autofree char *text = acc_kernel_to_string (kernel);

  g_assert_cmpstr (text, ==,
                   "kernel saxpy\n"
                   "  $0:f4 buffer read no-alias \"x\"\n"
                   "  $1:f4 buffer read write \"y\"\n"
                   "  $2:f4 scalar \"a\"\n"
                   "{\n"
                   "  %4:i8 = foreach inner_begin, inner_end {\n"
                   "    %5:f4 = load $1, %4\n"
                   "    %6:f4 = load $0, %4\n"
                   "    %7:f4 = mul $2, %6\n"
                   "    %8:f4 = add %7, %5\n"
                   "    store $1, %4, %8\n"
                   "  }\n"
                   "}\n");
  g_assert_cmpuint (acc_kernel_get_n_params (kernel), ==, 3);
  g_assert_cmpstr (acc_kernel_get_name (kernel), ==, "saxpy");
}

static void
test_hash (void)
{
  g_autoptr(AccKernel) one = finish (saxpy ("saxpy", "x")), same = finish (saxpy ("other", "other"));
  g_autoptr(AccKernel) lanes = NULL, precise = NULL;
  AccKernelBuilder *b = kb_new ("saxpy");

  g_assert_cmpuint (strlen (acc_kernel_get_hash (one)), ==, 64);
  g_assert_cmpstr (acc_kernel_get_hash (one), ==, acc_kernel_get_hash (same));

  kb_discard (b);
  b = saxpy ("saxpy", "x");
  kb_set_precise (b, TRUE);
  precise = finish (b);
  g_assert_cmpstr (acc_kernel_get_hash (one), !=, acc_kernel_get_hash (precise));

  b = saxpy ("saxpy", "x");
  kb_set_lanes (b, 8);
  kb_foreach (b, i, kb_i64 (b, 0), kb_i64 (b, 8))
    kb_check (b, kb_eq (b, i, kb_tile (b)), 1, 2, i, i);
  lanes = finish (b);
  g_assert_cmpstr (acc_kernel_get_hash (one), !=, acc_kernel_get_hash (lanes));
}

static AccKernel *
finish_chain (guint length, double step)
{
  AccKernelBuilder *b = kb_new ("chain");
  KBuffer out = kb_param_buffer (b, ACC_KIND_F64, ACC_BUFFER_WRITE, NULL);
  KValue x = kb_param_scalar (b, ACC_KIND_F64, NULL), by = kb_float (b, ACC_KIND_F64, step);

  for (guint i = 0; i < length; i++)
    x = kb_add (b, x, by);
  kb_store (b, out, kb_i64 (b, 0), x);

  return finish (b);
}

/* What is built once more is what there is, unless so much came between that nothing is remembered. */
static void
test_known (void)
{
  g_autoptr(AccKernel) one = finish (saxpy ("saxpy", "x")), same = finish (saxpy ("saxpy", "x"));
  g_autoptr(AccKernel) other = finish (saxpy ("other", "x")), parameter = finish (saxpy ("saxpy", "other"));
  g_autoptr(AccKernel) short_chain = finish_chain (10, 3), longer = finish_chain (11, 3), wider = finish_chain (10, 4), again = NULL;
  g_autofree char *text = acc_kernel_to_string (one), *text_again = NULL;

  g_assert_true (one == same);
  g_assert_true (one != other && one != parameter);
  g_assert_cmpstr (acc_kernel_get_name (other), ==, "other");
  g_assert_true (short_chain != longer && short_chain != wider);
  g_assert_cmpstr (acc_kernel_get_hash (short_chain), !=, acc_kernel_get_hash (longer));
  g_assert_cmpstr (acc_kernel_get_hash (short_chain), !=, acc_kernel_get_hash (wider));

  for (guint i = 0; i < 40; i++)
    {
      g_autoptr(AccKernel) chain = finish_chain (4000, 5 + i);
      g_autoptr(AccKernel) twin = finish_chain (4000, 5 + i);

      g_assert_true (chain == twin);
    }
  again = finish (saxpy ("saxpy", "x"));
  text_again = acc_kernel_to_string (again);
  g_assert_true (one != again);
  g_assert_cmpstr (text, ==, text_again);
  g_assert_cmpstr (acc_kernel_get_hash (one), ==, acc_kernel_get_hash (again));
}

/* Constants, sums of constants, what is computed twice, what nobody needs. */
static void
test_fold (void)
{
  AccKernelBuilder *b = kb_new ("fold");
  KBuffer out = kb_param_buffer (b, ACC_KIND_I64, ACC_BUFFER_WRITE, NULL);
  KBuffer in = kb_param_buffer (b, ACC_KIND_I64, ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS, NULL);
  KValue n = kb_param_scalar (b, ACC_KIND_I64, NULL), x, t = kb_int (b, ACC_KIND_BOOL, 1);
  g_autoptr(AccKernel) kernel = NULL;
  g_autofree char *text = NULL;

  g_assert_cmpuint (kb_i64 (b, 5).id, ==, kb_add (b, kb_i64 (b, 2), kb_i64 (b, 3)).id);
  g_assert_cmpuint (kb_int (b, ACC_KIND_I8, -126).id, ==,
                    kb_add (b, kb_int (b, ACC_KIND_I8, 127), kb_int (b, ACC_KIND_I8, 3)).id);
  g_assert_cmpuint (kb_int (b, ACC_KIND_U8, 1).id, ==, kb_cast (b, ACC_KIND_U8, kb_i64 (b, 257)).id);
  g_assert_cmpuint (n.id, ==, kb_add (b, n, kb_i64 (b, 0)).id);
  g_assert_cmpuint (n.id, ==, kb_mul (b, kb_i64 (b, 1), n).id);
  g_assert_cmpuint (n.id, ==, kb_sub (b, kb_add (b, n, kb_i64 (b, 3)), kb_i64 (b, 3)).id);
  g_assert_cmpuint (kb_i64 (b, 0).id, ==, kb_mul (b, n, kb_i64 (b, 0)).id);
  g_assert_cmpuint (n.id, ==, kb_udiv (b, n, kb_i64 (b, 1)).id);
  g_assert_cmpuint (n.id, ==, kb_select (b, t, n, kb_i64 (b, 4)).id);
  g_assert_cmpuint (t.id, ==, kb_le (b, n, n).id);
  g_assert_cmpuint (t.id, ==, kb_not (b, kb_lt (b, kb_i64 (b, 3), kb_i64 (b, -3))).id);
  g_assert_cmpuint (kb_lt (b, n, kb_tile (b)).id, ==, kb_not (b, kb_not (b, kb_lt (b, n, kb_tile (b)))).id);

  kb_check (b, t, 1, 1, n, n);
  x = kb_add (b, kb_i64 (b, 7), kb_add (b, n, kb_i64 (b, 3)));
  kb_mul (b, x, x);
  kb_load (b, in, x);
  kb_if (b, kb_lt (b, n, x))
    {
      g_assert_cmpuint (kb_load (b, in, n).id, ==, kb_load (b, in, n).id);
      kb_store (b, out, n, kb_add (b, x, kb_load (b, in, n)));
    }
  /* Computed in a block that is over: again. */
  kb_store (b, out, x, kb_load (b, in, n));
  kernel = finish (b);
  text = acc_kernel_to_string (kernel);
  g_assert_nonnull (strstr (text, "= add $2, 10:i8\n"));
  g_assert_null (strstr (text, "mul"));
  g_assert_null (strstr (text, "check"));
}

static KValue
at_least (AccKernelBuilder *b, KValue x, KValue y)
{
  return kb_prim2 (b, ACC_PRIM_GE, x, y);
}

static KValue
above (AccKernelBuilder *b, KValue x, KValue y)
{
  return kb_prim2 (b, ACC_PRIM_GT, x, y);
}

/* What both sides of a select do alike is done once, where that is less. */
static void
test_select (void)
{
  AccKernelBuilder *b = kb_new ("select");
  KBuffer out = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS, NULL);
  KBuffer in = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS, NULL);
  g_autoptr(AccKernel) kernel = NULL;

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue x = kb_load (b, in, i), y = kb_load (b, in, kb_add (b, i, kb_i64 (b, 1))), z = kb_load (b, in, kb_add (b, i, kb_i64 (b, 2)));
      KValue w = kb_load (b, in, kb_add (b, i, kb_i64 (b, 3))), c = kb_lt (b, i, kb_tile (b)), d = kb_lt (b, kb_tile (b), i);
      KValue y_or_z = kb_select (b, c, y, z), z_or_w = kb_select (b, c, z, w), sums, even, odd;

      g_assert_cmpuint (kb_select (b, c, at_least (b, x, y), at_least (b, x, z)).id, ==, at_least (b, x, y_or_z).id);
      g_assert_cmpuint (kb_select (b, c, kb_sub (b, y, x), kb_sub (b, z, x)).id, ==, kb_sub (b, y_or_z, x).id);
      g_assert_cmpuint (kb_select (b, c, kb_and (b, at_least (b, x, y), above (b, x, z)),
                                   kb_and (b, at_least (b, x, z), above (b, x, w))).id, ==,
                        kb_and (b, at_least (b, x, y_or_z), above (b, x, z_or_w)).id);
      /* In choices of choices, too. */
      g_assert_cmpuint (kb_select (b, d, at_least (b, x, w), kb_select (b, c, at_least (b, x, y), at_least (b, x, z))).id, ==,
                        at_least (b, x, kb_select (b, d, w, y_or_z)).id);

      /* Two selects in place of a select and a sum; other operations; operands in another order. */
      sums = kb_select (b, c, kb_add (b, x, y), kb_add (b, z, w));
      g_assert_cmpuint (sums.id, !=, kb_add (b, kb_select (b, c, x, z), kb_select (b, c, y, w)).id);
      g_assert_cmpuint (kb_select (b, c, at_least (b, x, y), above (b, x, z)).id, !=, at_least (b, x, y_or_z).id);
      g_assert_cmpuint (kb_select (b, c, kb_sub (b, x, y), kb_sub (b, z, x)).id, !=, kb_sub (b, x, y_or_z).id);

      /* What has been computed outside of a loop is not computed in it. */
      even = kb_mul (b, x, x);
      odd = kb_mul (b, x, y);
      kb_for (b, j, kb_i64 (b, 0), kb_i64 (b, 3))
        {
          KValue first = kb_eq (b, j, kb_i64 (b, 0));

          g_assert_cmpuint (kb_select (b, first, even, odd).id, !=, kb_mul (b, x, kb_select (b, first, x, y)).id);
        }
      kb_store (b, out, i, sums);
    }
  kernel = finish (b);
}

static void
test_values (void)
{
  AccKernelBuilder *b = kb_new ("values");
  static const double halves[] = { 0, -0.0, 1, -2.5, 65504, 65519.99, 65520, 1e-8, 3e-8, 5.9604644775390625e-08, 6.1e-5, 0.1, 2049, 2051,
                                   1e300 };

  for (guint i = 0; i < G_N_ELEMENTS (halves); i++)
    {
      KValue value = kb_float (b, ACC_KIND_F16, halves[i]);

      g_assert_cmpuint (kb_kind (b, value), ==, ACC_KIND_F16);
    }
  g_assert_cmpuint (kb_kind (b, kb_prim (b, ACC_PRIM_POPCOUNT, kb_int (b, ACC_KIND_U8, 3))), ==, ACC_KIND_I64);
  g_assert_cmpuint (kb_kind (b, kb_lt (b, kb_float (b, ACC_KIND_F64, 1), kb_float (b, ACC_KIND_F64, 2))), ==, ACC_KIND_BOOL);
  kb_discard (b);

  for (guint i = 0; i < G_N_ELEMENTS (halves); i++)
    {
      g_autoptr(AccKernel) kernel = NULL;
      KBuffer out;
      guint16 result = 0;
      guint64 slot = (guintptr) &result;
      gint64 range[5] = { 0, };
      AccFailure failure = { 0, };

      b = kb_new ("half");
      out = kb_param_buffer (b, ACC_KIND_F16, ACC_BUFFER_WRITE, NULL);
      kb_store (b, out, kb_i64 (b, 0), kb_float (b, ACC_KIND_F16, halves[i]));
      kernel = finish (b);
      eval_kernel (kernel, &slot, range, &failure);
      g_assert_cmphex (result, ==, eval_from_double (ACC_KIND_F16, halves[i]));
    }
}

static void
test_mistakes (void)
{
  AccKernelBuilder *b;
  KBuffer in, out;
  KVar var;
  KValue inside;

#define BEGIN() \
  b = kb_new ("mistake"); \
  in = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ, NULL); \
  out = kb_param_buffer (b, ACC_KIND_I64, ACC_BUFFER_WRITE, NULL)

  BEGIN ();
  kb_add (b, kb_i64 (b, 1), kb_float (b, ACC_KIND_F32, 1));
  refused (b, "second operand of add");

  BEGIN ();
  kb_prim (b, ACC_PRIM_SQRT, kb_i64 (b, 1));
  refused (b, "sqrt does not take i8");

  BEGIN ();
  kb_store (b, out, kb_i64 (b, 0), kb_load (b, in, kb_i64 (b, 0)));
  refused (b, "store of f4 into buffer 1 of i8");

  BEGIN ();
  kb_load (b, out, kb_i64 (b, 0));
  refused (b, "flags do not allow");

  BEGIN ();
  kb_store (b, in, kb_i64 (b, 0), kb_float (b, ACC_KIND_F32, 0));
  refused (b, "flags do not allow");

  BEGIN ();
  kb_load (b, in, kb_int (b, ACC_KIND_I32, 0));
  refused (b, "an index is i4");

  BEGIN ();
  kb_load (b, (KBuffer) { 9 }, kb_i64 (b, 0));
  refused (b, "no parameter");

  BEGIN ();
  var = kb_var (b, kb_i64 (b, 0));
  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    kb_set (b, var, i);
  refused (b, "made outside foreach");

  BEGIN ();
  var = kb_var (b, kb_i64 (b, 0));
  kb_set_lanes (b, 8);
  kb_foreach (b, i, kb_i64 (b, 0), kb_i64 (b, 8))
    kb_set (b, var, kb_shuffle (b, KB_SHUFFLE_UP, i, 1));
  refused (b, "made outside foreach");

  /* Not as many as there are lanes; not all of them; of another kind; no lanes at all. */
  BEGIN ();
  kb_set_lanes (b, 8);
  kb_foreach (b, i, kb_i64 (b, 0), kb_i64 (b, 16))
    kb_shuffle (b, KB_SHUFFLE_LAST, i, 0);
  refused (b, "not in lock step");

  BEGIN ();
  kb_set_lanes (b, 8);
  kb_foreach (b, i, kb_i64 (b, 0), kb_i64 (b, 8))
    kb_if (b, kb_lt (b, i, kb_i64 (b, 3)))
      kb_shuffle (b, KB_SHUFFLE_LAST, i, 0);
  refused (b, "not in lock step");

  BEGIN ();
  kb_set_lanes (b, 8);
  kb_foreach (b, i, kb_i64 (b, 0), kb_i64 (b, 8))
    kb_shuffle (b, KB_SHUFFLE_XOR, i, 1);
  refused (b, "no such shuffle of lanes");

  BEGIN ();
  kb_shuffle (b, KB_SHUFFLE_LAST, kb_tile (b), 0);
  refused (b, "not in lock step");

  BEGIN ();
  kb_set_lanes (b, 64);
  kb_foreach (b, i, kb_i64 (b, 0), kb_i64 (b, 64))
    kb_ballot (b, kb_lt (b, i, kb_i64 (b, 3)));
  refused (b, "more lanes than");

  BEGIN ();
  kb_set_lanes (b, 8);
  kb_foreach (b, i, kb_i64 (b, 0), kb_i64 (b, 8))
    kb_if (b, kb_lt (b, i, kb_i64 (b, 3)))
      kb_pack (b, out, kb_i64 (b, 0), i, kb_lt (b, i, kb_i64 (b, 2)), kb_i64 (b, 0));
  refused (b, "not in lock step");

  BEGIN ();
  kb_set_lanes (b, 8);
  kb_foreach (b, i, kb_i64 (b, 0), kb_i64 (b, 8))
    kb_pack (b, out, kb_i64 (b, 0), i, i, kb_i64 (b, 0));
  refused (b, "what stays is no truth value");

  BEGIN ();
  inside = kb_i64 (b, 0);
  kb_for (b, i, kb_inner_begin (b), kb_inner_end (b))
    inside = kb_add (b, i, kb_tile (b));
  kb_store (b, out, kb_i64 (b, 0), inside);
  refused (b, "outside the block");

  BEGIN ();
  kb_for (b, i, kb_inner_begin (b), kb_inner_end (b))
    inside = i;
  kb_store (b, out, kb_i64 (b, 0), inside);
  refused (b, "outside the block");

  BEGIN ();
  kb_while (b)
    kb_store (b, out, kb_i64 (b, 0), kb_i64 (b, 0));
  refused (b, "no until");

  BEGIN ();
  kb_while (b)
    {
      kb_until (b, kb_int (b, ACC_KIND_BOOL, 1));
      kb_until (b, kb_int (b, ACC_KIND_BOOL, 1));
    }
  refused (b, "several untils");

  BEGIN ();
  kb_while (b)
    kb_if (b, kb_int (b, ACC_KIND_BOOL, 1))
      kb_until (b, kb_int (b, ACC_KIND_BOOL, 1));
  refused (b, "top level of a while");

  BEGIN ();
  kb_else (b)
    kb_store (b, out, kb_i64 (b, 0), kb_i64 (b, 0));
  refused (b, "else without its if");

  BEGIN ();
  _kb_enter_while (b);
  refused (b, "left open");

  BEGIN ();
  _kb_leave (b);
  refused (b, "left twice");

  BEGIN ();
  kb_if (b, kb_i64 (b, 1))
    kb_store (b, out, kb_i64 (b, 0), kb_i64 (b, 0));
  refused (b, "condition of i8");

  BEGIN ();
  kb_bitcast (b, ACC_KIND_F32, kb_i64 (b, 1));
  refused (b, "bitcast from i8 to f4");

  BEGIN ();
  kb_cast (b, ACC_KIND_TUPLE, kb_i64 (b, 1));
  refused (b, "no scalar");

  BEGIN ();
  kb_add (b, (KValue) { 0 }, (KValue) { 12345 });
  refused (b, "no value");

  BEGIN ();
  kb_int (b, ACC_KIND_F32, 1);
  refused (b, "kb_int");

  BEGIN ();
  kb_fma (b, kb_float (b, ACC_KIND_F16, 1), kb_float (b, ACC_KIND_F16, 1), kb_float (b, ACC_KIND_F16, 1));
  refused (b, "fma of f2");

  BEGIN ();
  kb_get (b, (KVar) { kb_tile (b).id });
  refused (b, "no variable");

  /* The first mistake is told, whatever follows. */
  BEGIN ();
  kb_prim (b, ACC_PRIM_SQRT, kb_i64 (b, 1));
  kb_for (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      kb_if (b, kb_lt (b, i, kb_tile (b)))
        kb_set (b, kb_var (b, i), i);
      kb_else (b)
        kb_store (b, out, i, kb_cast (b, ACC_KIND_I64, kb_load (b, in, i)));
    }
  refused (b, "sqrt does not take i8");
#undef BEGIN
}

/* Loops, branches and variables mean what they say. */
static void
test_control (void)
{
  AccKernelBuilder *b = kb_new ("control");
  KBuffer out = kb_param_buffer (b, ACC_KIND_I64, ACC_BUFFER_WRITE, NULL);
  g_autoptr(AccKernel) kernel = NULL;
  gint64 results[20] = { 0, }, range[5] = { 0, 0, 0, 20, 0 };
  guint64 slot = (guintptr) results;
  AccFailure failure = { 0, };

  /* Steps of the Collatz sequence. */
  kb_for (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KVar x = kb_var (b, kb_add (b, i, kb_i64 (b, 1))), n = kb_var (b, kb_i64 (b, 0));

      kb_while (b)
        {
          kb_until (b, kb_eq (b, kb_get (b, x), kb_i64 (b, 1)));
          kb_if (b, kb_eq (b, kb_urem (b, kb_get (b, x), kb_i64 (b, 2)), kb_i64 (b, 0)))
            kb_set (b, x, kb_udiv (b, kb_get (b, x), kb_i64 (b, 2)));
          kb_else (b)
            kb_set (b, x, kb_add (b, kb_mul (b, kb_get (b, x), kb_i64 (b, 3)), kb_i64 (b, 1)));
          kb_set (b, n, kb_add (b, kb_get (b, n), kb_i64 (b, 1)));
        }
      kb_check (b, kb_lt (b, kb_get (b, n), kb_i64 (b, 19)), ACC_ERROR_BOUNDS, 5, i, kb_get (b, n));
      kb_store (b, out, i, kb_get (b, n));
    }
  kernel = finish (b);
  g_assert_true (acc_kernel_verify (kernel, NULL));
  eval_kernel (kernel, &slot, range, &failure);
  g_assert_cmpint (results[0], ==, 0);
  g_assert_cmpint (results[6], ==, 16);
  g_assert_cmpint (results[17], ==, 20);
  g_assert_cmpint (failure.state, ==, 2);
  g_assert_cmpint (failure.origin, ==, 5);
  g_assert_cmpint (failure.index, ==, 8);
  g_assert_cmpint (failure.extent, ==, 19);
}

/* Flags say what is done with a buffer, not what was asked for. */
static void
test_access (void)
{
  const AccBufferFlags both = ACC_BUFFER_READ | ACC_BUFFER_WRITE;
  AccKernelBuilder *b = kb_new ("access");
  KBuffer read = kb_param_buffer (b, ACC_KIND_I64, both | ACC_BUFFER_NO_ALIAS, "read");
  KBuffer written = kb_param_buffer (b, ACC_KIND_I64, both, "written"), used = kb_param_buffer (b, ACC_KIND_I64, both, "used");
  KBuffer shared = kb_param_buffer (b, ACC_KIND_I64, both | ACC_BUFFER_COHERENT, "shared");
  KBuffer idle = kb_param_buffer (b, ACC_KIND_I64, both, "idle");
  g_autoptr(AccKernel) kernel = NULL;
  g_autofree char *text = NULL;
  KValue zero = kb_i64 (b, 0);

  kb_load (b, written, zero);     /* nobody needs it */
  kb_store (b, written, zero, kb_add (b, kb_load (b, read, zero), kb_load (b, shared, zero)));
  kb_if_unlikely (b, kb_lt (b, zero, kb_load (b, used, zero)))
    {
      kb_store (b, used, zero, zero);
    }
  (void) idle;
  kernel = finish (b);
  text = acc_kernel_to_string (kernel);
  g_assert_nonnull (strstr (text, " buffer read no-alias \"read\"\n"));
  g_assert_nonnull (strstr (text, " buffer write \"written\"\n"));
  g_assert_nonnull (strstr (text, " buffer read write \"used\"\n"));
  g_assert_nonnull (strstr (text, " buffer read write coherent \"shared\"\n"));
  g_assert_nonnull (strstr (text, " buffer \"idle\"\n"));
  g_assert_nonnull (strstr (text, ", seldom {\n"));
}

/* --- quotients and roots by estimates */

#define N_SPECIAL 31

static float
special (guint i)
{
  static const float values[] = {
    0, FLT_TRUE_MIN, 0x1.8p-130f, FLT_MIN, 0x1.fffffep-61f, 0x1p-60f, 0x1.fffffep-1f, 1, 0x1.000002p0f, 1.5f, 3, 0x1.fffffep0f, 0x1p60f,
    0x1.000002p60f, 0x1p126f, FLT_MAX, INFINITY, NAN, 0x1p120f, 0x1.000002p120f, 0x1p-120f, 7, 10, 0x1.fffffcp5f, 0x1.555556p-2f, 0x1p-40f,
    0x1p40f, 0x1p-61f, 1e10f, 1e-10f, 0x1.fffffep59f,
  };

  G_STATIC_ASSERT (G_N_ELEMENTS (values) == N_SPECIAL);

  return i < N_SPECIAL ? values[i] : -values[i - N_SPECIAL];
}

/* x / y, 1 / y, √x, and what a variable adds up of them. */
static AccKernel *
write_quotients (gboolean straight)
{
  AccKernelBuilder *b = kb_new ("quotients");
  KBuffer x = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS, "x");
  KBuffer y = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS, "y");
  KBuffer out[4];
  KVar sum;

  kb_set_group_size (b, 1);
  kb_set_straight (b, straight);
  for (guint k = 0; k < 4; k++)
    out[k] = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS, "out");
  sum = kb_var (b, kb_float (b, ACC_KIND_F32, 0));
  kb_for (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue a = kb_load (b, x, i), c = kb_load (b, y, i), quotient = kb_prim2 (b, ACC_PRIM_FDIV, a, c);

      kb_store (b, out[0], i, quotient);
      kb_store (b, out[1], i, kb_prim (b, ACC_PRIM_RECIP, c));
      kb_store (b, out[2], i, kb_prim (b, ACC_PRIM_SQRT, a));
      kb_set (b, sum, kb_add (b, kb_get (b, sum), kb_prim (b, ACC_PRIM_ABS, quotient)));
    }
  kb_store (b, out[3], kb_i64 (b, 0), kb_get (b, sum));

  return finish (b);
}

static guint
count_text (AccKernel  *kernel,
            const char *what)
{
  g_autofree char *text = acc_kernel_to_string (kernel);
  guint n = 0;

  for (const char *at = strstr (text, what); at != NULL; at = strstr (at + 1, what))
    n++;

  return n;
}

static void
test_straight (void)
{
  enum { SIDE = 2 * N_SPECIAL, SPECIAL = SIDE * SIDE, N = SPECIAL + 4096 };
  static float x[N], y[N], results[2][4][N];
  g_autoptr(GRand) rand = g_rand_new_with_seed (11);
  gint64 range[4] = { 0, 1, 0, 1 };

  for (guint i = 0; i < N; i++)
    {
      gboolean drawn = i >= SPECIAL;

      x[i] = drawn ? (float) ldexp (g_rand_double_range (rand, -2, 2), g_rand_int_range (rand, -70, 70)) : special (i / SIDE);
      y[i] = drawn ? (float) ldexp (g_rand_double_range (rand, -2, 2), g_rand_int_range (rand, -70, 70)) : special (i % SIDE);
    }

  for (guint k = 0; k < 2; k++)
    {
      g_autoptr(AccKernel) kernel = write_quotients (k == 1);
      AccFailure failure = { 0, };

      g_assert_cmpuint (count_text (kernel, "estimate"), ==, k == 1 ? 3 : 0);
      g_assert_cmpuint (count_text (kernel, "fdiv"), ==, 1);
      g_assert_cmpuint (count_text (kernel, "} else {"), ==, k);
      /* One at a time, as one that does not suit would not make others go the other way. */
      for (gint64 i = 0; i < N; i++)
        {
          guint64 slots[] = { (guintptr) x, (guintptr) y, (guintptr) results[k][0], (guintptr) results[k][1], (guintptr) results[k][2],
                              (guintptr) &results[k][3][i] };

          range[2] = i;
          range[3] = i + 1;
          eval_group (kernel, 1, rand, slots, range, &failure);
        }
    }
  for (guint k = 0; k < 4; k++)
    for (guint i = 0; i < N; i++)
      if (memcmp (&results[0][k][i], &results[1][k][i], 4) != 0 && !(isnan (results[0][k][i]) && isnan (results[1][k][i])))
        g_error ("result %u of %a, %a: %a, not %a", k, x[i], y[i], results[1][k][i], results[0][k][i]);
}

/* Blocks where what is loaded, checked or asked depends on a quotient stay as they are, and so do those that read what they wrote. */
static void
test_not_straight (void)
{
  for (guint k = 0; k < 5; k++)
    {
      AccKernelBuilder *b = kb_new ("crooked");
      KBuffer in = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS, "in");
      KBuffer out = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ | ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS, "out");
      g_autoptr(AccKernel) kernel = NULL;
      KValue zero = kb_i64 (b, 0), one = kb_i64 (b, 1), x, q, place;

      kb_set_group_size (b, 64);
      kb_set_straight (b, TRUE);
      x = kb_load (b, in, zero);
      q = k < 4 ? kb_prim2 (b, ACC_PRIM_FDIV, x, kb_load (b, in, one)) : kb_prim2 (b, ACC_PRIM_FDIV, x, kb_float (b, ACC_KIND_F32, 3));
      place = kb_cast (b, ACC_KIND_I64, q);
      kb_store (b, out, zero, q);
      if (k == 0)
        kb_store (b, out, one, kb_load (b, in, place));
      else if (k == 1)
        kb_check (b, kb_lt (b, place, one), ACC_ERROR_BOUNDS, 0, place, one);
      else if (k == 2)
        kb_store (b, out, one, kb_load (b, out, zero));
      else if (k == 3)
        kb_barrier (b);
      kernel = finish (b);
      g_assert_cmpuint (count_text (kernel, "estimate"), ==, 0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/kernel/print", test_print);
  g_test_add_func ("/kernel/hash", test_hash);
  g_test_add_func ("/kernel/known", test_known);
  g_test_add_func ("/kernel/fold", test_fold);
  g_test_add_func ("/kernel/select", test_select);
  g_test_add_func ("/kernel/values", test_values);
  g_test_add_func ("/kernel/mistakes", test_mistakes);
  g_test_add_func ("/kernel/control", test_control);
  g_test_add_func ("/kernel/access", test_access);
  g_test_add_func ("/kernel/straight", test_straight);
  g_test_add_func ("/kernel/not-straight", test_not_straight);

  return g_test_run ();
}
