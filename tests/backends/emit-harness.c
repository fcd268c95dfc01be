/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "emit-harness.h"
#include "acc-backends/passes/acc-passes.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

Variant harness_variants[MAX_VARIANTS];
guint   harness_n_variants;

static AccLlvmJit *jit;

static void
add_variant (const char    *name,
             AccLlvmTarget *target,
             AccEmitFlags   flags)
{
  harness_variants[harness_n_variants++] = (Variant) { name, target, flags };
}

void
harness_init (void)
{
  g_autoptr(GError) error = NULL;
  AccLlvmTarget *host;

  jit = acc_llvm_jit_new (&error);
  g_assert_no_error (error);
  host = acc_llvm_target_new_host (&error);
  g_assert_no_error (error);
  g_test_message ("%s", acc_llvm_target_get_id (host));

  add_variant ("host", host, ACC_EMIT_DEFAULT);
  add_variant ("host, one lane", acc_llvm_target_ref (host), ACC_EMIT_SCALAR);
  add_variant ("host, past the caches", acc_llvm_target_ref (host), ACC_EMIT_NON_TEMPORAL);
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    {
      add_variant ("AVX2", acc_llvm_target_new ("haswell", "+avx,+avx2,+fma,+f16c", &error), ACC_EMIT_DEFAULT);
      g_assert_no_error (error);
    }
  if (__builtin_cpu_supports ("avx512bw") && __builtin_cpu_supports ("avx512vl"))
    {
      add_variant ("AVX-512", acc_llvm_target_new ("skylake-avx512", "+avx,+avx2,+fma,+f16c,+avx512f,+avx512vl,+avx512dq,"
                                                   "+avx512bw", &error), ACC_EMIT_DEFAULT);
      g_assert_no_error (error);
    }
  if (__builtin_cpu_supports ("sse4.2"))
    {
      add_variant ("SSE4.2", acc_llvm_target_new ("nehalem", "+sse4.2", &error), ACC_EMIT_DEFAULT);
      g_assert_no_error (error);
    }
#endif
}

void
harness_clear (void)
{
  for (guint i = 0; i < harness_n_variants; i++)
    acc_llvm_target_unref (harness_variants[i].target);
  harness_n_variants = 0;
  acc_llvm_jit_unref (jit);
}

Compiled *
harness_compile (AccKernelBuilder *b)
{
  Compiled *compiled = g_new0 (Compiled, 1);
  g_autoptr(GError) error = NULL;

  compiled->kernel = kb_finish (b, &error);
  g_assert_no_error (error);

  for (guint i = 0; i < harness_n_variants; i++)
    {
      g_autoptr(GBytes) object = acc_emit_llvm (compiled->kernel, harness_variants[i].target, harness_variants[i].flags,
                                                NULL, &error);

      g_assert_no_error (error);
      compiled->bytes[i] = g_bytes_get_size (object);
      compiled->code[i] = acc_llvm_jit_add (jit, object, NULL, &error);
      g_assert_no_error (error);
      compiled->entry[i] = acc_llvm_code_get_entry (compiled->code[i]);
    }

  return compiled;
}

void
harness_free (Compiled *compiled)
{
  for (guint i = 0; i < harness_n_variants; i++)
    acc_llvm_code_free (compiled->code[i]);
  acc_kernel_unref (compiled->kernel);
  g_free (compiled);
}

Argument
harness_random (AccElementKind kind,
                gsize          n,
                GRand         *rand)
{
  Argument argument = { n, g_new (guint64, n + 1) };

  for (gsize i = 0; i < n; i++)
    argument.elements[i] = eval_random (kind, rand);

  return argument;
}

Argument
harness_fill (gsize   n,
              guint64 value)
{
  Argument argument = { n, g_new (guint64, n + 1) };

  for (gsize i = 0; i < n; i++)
    argument.elements[i] = value;

  return argument;
}

Argument
harness_scalar (guint64 bits)
{
  return harness_fill (1, bits);
}

/* --- buffers between guards */

typedef struct {
  guint8 *pages;
  gsize   length;
  guint8 *data;
} Guarded;

static Guarded
guarded_new (gsize    size,
             gboolean at_end)
{
  gsize page = sysconf (_SC_PAGESIZE), inner = (size + page - 1) / page * page;
  Guarded g = { .length = inner + 2 * page };

  g.pages = mmap (NULL, g.length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert_true (g.pages != MAP_FAILED);
  if (inner > 0)
    g_assert_cmpint (mprotect (g.pages + page, inner, PROT_READ | PROT_WRITE), ==, 0);
  g.data = g.pages + page + (at_end ? inner - size : 0);

  return g;
}

static void
guarded_free (Guarded *g)
{
  munmap (g->pages, g->length);
}

static void
fill_slots (AccKernel *kernel,
            Argument  *arguments,
            Guarded   *memory,
            guint64   *slots,
            gboolean   at_end)
{
  for (guint i = 0; i < kernel->params->len; i++)
    {
      const AccKernelParam *param = acc_kernel_param (kernel, i);
      gsize size = acc_element_kind_get_size (param->kind);

      memory[i] = (Guarded) { NULL, 0, NULL };
      if (!param->is_buffer)
        {
          /* The bytes above the scalar are anything. */
          slots[i] = 0xa5a5a5a5a5a5a5a5;
          eval_write (param->kind, &slots[i], arguments[i].elements[0]);
          continue;
        }
      memory[i] = guarded_new (arguments[i].n * size, at_end);
      for (gsize j = 0; j < arguments[i].n; j++)
        eval_write (param->kind, memory[i].data + j * size, arguments[i].elements[j]);
      slots[i] = (guintptr) memory[i].data;
    }
}

static void
compare (Compiled   *compiled,
         guint       variant,
         Argument   *arguments,
         Guarded    *expected,
         Guarded    *found,
         const char *what)
{
  for (guint i = 0; i < compiled->kernel->params->len; i++)
    {
      const AccKernelParam *param = acc_kernel_param (compiled->kernel, i);
      gsize size = acc_element_kind_get_size (param->kind);

      if (!param->is_buffer)
        continue;
      for (gsize j = 0; j < arguments[i].n; j++)
        {
          guint64 x = eval_read (param->kind, expected[i].data + j * size);
          guint64 y = eval_read (param->kind, found[i].data + j * size);

          if (!eval_equal (param->kind, x, y) ||
              (param->kind == ACC_KIND_BOOL && expected[i].data[j] != found[i].data[j]))
            {
              g_autofree char *text = acc_kernel_to_string (compiled->kernel);

              g_error ("%s: %s: $%u[%" G_GSIZE_FORMAT "]: expected %" G_GINT64_MODIFIER "x (%g), found %" G_GINT64_MODIFIER
                       "x (%g)\n%s", what, harness_variants[variant].name, i, j, x, eval_to_double (param->kind, x), y,
                       eval_to_double (param->kind, y), text);
            }
        }
    }
}

/* Code that goes on after a failed check would do nothing that matters: loops look whether there was one, those that are never entered,
 * too. */
static gboolean
may_end_early (AccKernel *kernel)
{
  for (guint32 id = 1; id < kernel->instrs->len; id++)
    {
      AccKernelOp op = acc_kernel_instr (kernel, id)->op;

      if (op == ACC_KOP_FOR || op == ACC_KOP_WHILE)
        return TRUE;
    }

  return acc_kernel_may_stop (kernel);
}

void
harness_check (Compiled    *compiled,
               Argument    *arguments,
               const gint64 range[5],
               const char  *what)
{
  guint n = compiled->kernel->params->len;
  g_autofree guint64 *slots = g_new0 (guint64, n + 1);
  g_autofree Guarded *expected = g_new0 (Guarded, n + 1), *found = g_new0 (Guarded, n + 1);
  AccFailure failure = { 0, };

  fill_slots (compiled->kernel, arguments, expected, slots, FALSE);
  eval_kernel (compiled->kernel, slots, range, &failure);

  for (guint v = 0; v < harness_n_variants; v++)
    for (guint at_end = 0; at_end < 2; at_end++)
      {
        AccFailure here = { 0, };

        fill_slots (compiled->kernel, arguments, found, slots, at_end);
        compiled->entry[v] (slots, range, &here);
        /* What failed and has loops ends before all of its stores are done. */
        if (failure.state == 0 || !may_end_early (compiled->kernel))
          compare (compiled, v, arguments, expected, found, what);
        g_assert_cmpint (here.state, ==, failure.state);
        for (guint i = 0; i < n; i++)
          if (found[i].pages != NULL)
            guarded_free (&found[i]);
        if (failure.state != 0)
          {
            g_assert_cmpuint (here.kind, ==, failure.kind);
            /* Several lanes or checks may fail in one block: any of them may be told. */
            if (harness_variants[v].flags & ACC_EMIT_SCALAR)
              {
                g_assert_cmpuint (here.origin, ==, failure.origin);
                g_assert_cmpint (here.index, ==, failure.index);
                g_assert_cmpint (here.extent, ==, failure.extent);
              }
          }
      }

  for (guint i = 0; i < n; i++)
    {
      if (expected[i].pages != NULL)
        guarded_free (&expected[i]);
      g_clear_pointer (&arguments[i].elements, g_free);
    }
}
