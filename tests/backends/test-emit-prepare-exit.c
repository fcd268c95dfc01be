/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What acc_emit_prepare_exit() is for: that LLVM makes nothing afterwards which it undoes when the process ends, whatever is compiled. */

#include "acc-backends/codegen/llvm/acc-emit-llvm.h"
#include "acc-backends/passes/acc-passes.h"

#include <dlfcn.h>

typedef int (*Register) (void (*function) (void *), void *argument, void *library);

static gint n_registered;   /* atomic */

int __cxa_atexit (void (*function) (void *), void *argument, void *library) __attribute__ ((visibility ("default")));

/* In place of that of the C library, for all libraries. */
int
__cxa_atexit (void (*function) (void *),
              void *argument,
              void *library)
{
  static Register next;

  if (next == NULL)
    next = (Register) dlsym (RTLD_NEXT, "__cxa_atexit");
  __atomic_add_fetch (&n_registered, 1, __ATOMIC_SEQ_CST);

  return next (function, argument, library);
}

/* --- kernels */

typedef void (*Body) (AccKernelBuilder *b, AccElementKind kind, KBuffer x, KBuffer y);

static const AccPrimitive functions[] = {
  ACC_PRIM_SIN, ACC_PRIM_TAN, ACC_PRIM_ATAN, ACC_PRIM_ASIN, ACC_PRIM_SINH, ACC_PRIM_TANH, ACC_PRIM_EXP, ACC_PRIM_LOG, ACC_PRIM_SQRT,
  ACC_PRIM_RECIP, ACC_PRIM_ABS, ACC_PRIM_NEG,
};

static void
add_functions (AccKernelBuilder *b,
               AccElementKind    kind,
               KBuffer           x,
               KBuffer           y)
{
  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue value = kb_load (b, x, i), sum = value;

      for (guint f = 0; f < G_N_ELEMENTS (functions); f++)
        sum = kb_add (b, sum, kb_prim (b, functions[f], value));
      kb_store (b, y, i, sum);
    }
}

static void
add_map (AccKernelBuilder *b,
         AccElementKind    kind,
         KBuffer           x,
         KBuffer           y)
{
  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    kb_store (b, y, i, kb_add (b, kb_load (b, x, i), kb_cast (b, kind, kb_int (b, ACC_KIND_I32, 3))));
}

/* Gathers, divisions, branches and loops that values end. */
static void
add_control (AccKernelBuilder *b,
             AccElementKind    kind,
             KBuffer           x,
             KBuffer           y)
{
  kb_for (b, row, kb_outer_begin (b), kb_outer_end (b))
    kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
      {
        KValue n = kb_i64 (b, 1000), at = kb_prim2 (b, ACC_PRIM_REM, kb_mul (b, i, kb_i64 (b, 77)), n);
        KVar value = kb_var (b, kb_load (b, x, at)), k = kb_var (b, kb_prim2 (b, ACC_PRIM_QUOT, at, kb_add (b, row, kb_i64 (b, 1))));

        kb_if (b, kb_lt (b, at, kb_i64 (b, 100)))
          kb_set (b, value, kb_add (b, kb_get (b, value), kb_load (b, x, kb_get (b, k))));
        kb_while (b)
          {
            kb_until (b, kb_le (b, kb_get (b, k), kb_i64 (b, 5)));
            kb_set (b, k, kb_sub (b, kb_get (b, k), kb_i64 (b, 3)));
            kb_set (b, value, kb_mul (b, kb_get (b, value), kb_load (b, x, kb_get (b, k))));
          }
        kb_store (b, y, kb_add (b, kb_mul (b, row, n), i), kb_get (b, value));
      }
}

static void
compile (AccLlvmTarget *target,
         AccElementKind kind,
         Body           body,
         AccEmitFlags   flags)
{
  AccKernelBuilder *b = kb_new ("k");
  KBuffer x = kb_param_buffer (b, kind, ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS, "x");
  KBuffer y = kb_param_buffer (b, kind, ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS | ACC_BUFFER_ONCE, "y");
  g_autoptr(GError) error = NULL;
  g_autoptr(AccKernel) kernel = NULL;
  g_autoptr(GBytes) object = NULL;

  body (b, kind, x, y);
  kernel = kb_finish (b, &error);
  g_assert_no_error (error);
  object = acc_emit_llvm (kernel, target, flags, NULL, &error);
  g_assert_no_error (error);
}

static void
test_nothing_is_left (void)
{
  static const AccElementKind kinds[] = {
    ACC_KIND_I8, ACC_KIND_I16, ACC_KIND_I32, ACC_KIND_I64, ACC_KIND_U8, ACC_KIND_U16, ACC_KIND_U32, ACC_KIND_U64, ACC_KIND_F16,
    ACC_KIND_F32, ACC_KIND_F64, };
  static const AccEmitFlags flags[] = { ACC_EMIT_DEFAULT, ACC_EMIT_NON_TEMPORAL, ACC_EMIT_CONTRACT, ACC_EMIT_SCALAR, ACC_EMIT_BASELINE };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccLlvmTarget) target = acc_llvm_target_new_host (&error);
  gint before = __atomic_load_n (&n_registered, __ATOMIC_SEQ_CST), prepared;
  gint64 start = g_get_monotonic_time ();

  g_assert_no_error (error);
  acc_emit_prepare_exit (target);
  prepared = __atomic_load_n (&n_registered, __ATOMIC_SEQ_CST);
  g_test_message ("%d at once, in %.1f ms", prepared - before, (double) (g_get_monotonic_time () - start) / 1000);
  g_assert_cmpint (prepared, >, before);

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (guint f = 0; f < G_N_ELEMENTS (flags); f++)
      {
        compile (target, kinds[k], add_map, flags[f]);
        compile (target, kinds[k], add_control, flags[f]);
        if (acc_element_kind_is_float (kinds[k]))
          compile (target, kinds[k], add_functions, flags[f]);
        g_assert_cmpint (__atomic_load_n (&n_registered, __ATOMIC_SEQ_CST), ==, prepared);
      }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/emit-prepare-exit/nothing-is-left", test_nothing_is_left);

  return g_test_run ();
}
