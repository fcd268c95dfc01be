/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel-eval.h"
#include "acc-backends/passes/acc-passes.h"
#include "cl-harness.h"

#include <math.h>
#include <string.h>

#include "acc-backends/codegen/c/acc-emit-c.h"
#include "acc-error.h"

/* Kernels for groups of threads as text: every instruction, primitive and kind in both dialects and in all that dialects
 * differ in; run by OpenCL where there is some, against plain C. */

#define N       300
#define THREADS 64

static const AccElementKind kinds[] = {
  ACC_KIND_BOOL, ACC_KIND_I8, ACC_KIND_I16, ACC_KIND_I32, ACC_KIND_I64, ACC_KIND_U8, ACC_KIND_U16, ACC_KIND_U32,
  ACC_KIND_U64, ACC_KIND_F16, ACC_KIND_F32, ACC_KIND_F64,
};

static const AccBufferFlags in_flags = ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS;
static const AccBufferFlags out_flags = ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS;
static const AccBufferFlags shared_flags = ACC_BUFFER_READ | ACC_BUFFER_WRITE | ACC_BUFFER_COHERENT;

/* What a device with everything can, and what one without can. */
static const AccCDialect rich = {
  .push_bytes = 256, .has_addresses = TRUE, .has_half = TRUE, .has_exact_fma = TRUE, .has_exact_divide = TRUE,
  .has_subgroups = TRUE, .has_ballots = TRUE, .has_atomic_64 = TRUE, .has_atomic_add_f32 = TRUE, .has_atomic_add_f64 = TRUE,
  .keeps_denormals = TRUE, .keeps_nans = TRUE, .misdivides_words = TRUE,
};
static const AccCDialect poor = { .push_bytes = 0 };
static const AccCDialect nvidia = {
  .has_exact_fma = TRUE, .has_subgroups = TRUE, .has_nvidia_asm = TRUE, .has_atomic_64 = TRUE, .has_atomic_add_f32 = TRUE,
  .has_atomic_add_f64 = TRUE,
};
/* Of what every OpenCL device can, all of it, and as little of it as can be asked for. */
static const AccCDialect plain_cl = { .has_exact_fma = TRUE, .has_exact_divide = TRUE, .has_atomic_64 = TRUE, .has_quick = TRUE };
static const AccCDialect fused_cl = { .has_exact_fma = TRUE, .has_atomic_64 = TRUE };
static const AccCDialect emulated_cl = { .has_atomic_64 = TRUE };
static const AccCDialect guarded_cl = {
  .has_exact_fma = TRUE, .has_exact_divide = TRUE, .has_atomic_64 = TRUE, .guards_zeros = TRUE, .leaves_loops = TRUE,
  .misrounds_doubles = TRUE, };

static const struct {
  const char        *name;
  const AccCDialect *dialect;
} dialects[] = { { "plain", &plain_cl }, { "fused", &fused_cl }, { "emulated", &emulated_cl }, { "guarded", &guarded_cl } };

static AccKernel *
finish (AccKernelBuilder *b)
{
  g_autoptr(GError) error = NULL;
  AccKernel *kernel = kb_finish (b, &error);

  g_assert_no_error (error);

  return kernel;
}

/* ACC_TEST_TEXTS: a folder for all texts, to try other compilers. */
static void
keep_text (const char *suffix,
           const char *text)
{
  static GHashTable *known;
  const char *folder = g_getenv ("ACC_TEST_TEXTS");
  g_autofree char *path = NULL;

  if (folder == NULL)
    return;
  if (known == NULL)
    known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (!g_hash_table_add (known, g_strdup (text)))
    return;
  path = g_strdup_printf ("%s/%u.%s", folder, g_hash_table_size (known), suffix);
  g_file_set_contents (path, text, -1, NULL);
}

typedef char *(*Emit) (AccKernel *kernel, const AccCDialect *dialect, GError **error);

static char *
emit_glsl (AccKernel         *kernel,
           const AccCDialect *dialect,
           GError           **error)
{
  return acc_emit_glsl (kernel, dialect, FALSE, error);
}

static char *
emit_quick_glsl (AccKernel         *kernel,
                 const AccCDialect *dialect,
                 GError           **error)
{
  return acc_emit_glsl (kernel, dialect, TRUE, error);
}

static char *
emit_opencl (AccKernel         *kernel,
             const AccCDialect *dialect,
             GError           **error)
{
  return acc_emit_opencl (kernel, dialect, FALSE, error);
}

static char *
emit_quick_opencl (AccKernel         *kernel,
                   const AccCDialect *dialect,
                   GError           **error)
{
  return acc_emit_opencl (kernel, dialect, TRUE, error);
}

static char *
emit (Emit               func,
      AccKernel         *kernel,
      const AccCDialect *dialect)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = func (kernel, dialect, &error), *again = NULL;

  g_assert_no_error (error);
  again = func (kernel, dialect, NULL);
  g_assert_cmpstr (text, ==, again);
  keep_text (func != emit_opencl && func != emit_quick_opencl ? "comp" : "cl", text);

  return g_steal_pointer (&text);
}

static gboolean
needs_more (AccKernel *kernel)
{
  for (guint32 i = 1; i < kernel->instrs->len; i++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (kernel, i);

      if (instr->block != 0 && (instr->op == ACC_KOP_SHUFFLE || ((instr->op == ACC_KOP_ATOMIC || instr->op == ACC_KOP_CAS)
                                                                 && acc_element_kind_get_size (instr->kind) == 8)))
        return TRUE;
    }

  return FALSE;
}

/* Shuffles and long atomics are not emulated. */
static void
emit_poor (AccKernel *kernel)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;

  if (!needs_more (kernel))
    {
      g_free (emit (emit_glsl, kernel, &poor));
      return;
    }
  text = emit_glsl (kernel, &poor, &error);
  g_assert_null (text);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
}

static void
emit_all (AccKernel *kernel)
{
  g_free (emit (emit_opencl, kernel, &rich));
  g_free (emit (emit_opencl, kernel, &nvidia));
  g_free (emit (emit_quick_opencl, kernel, &nvidia));
  g_free (emit (emit_glsl, kernel, &rich));
  g_free (emit (emit_quick_glsl, kernel, &rich));
  emit_poor (kernel);
}

/* One thread per element of the space, as a skeleton would. */
#define each(b, i, ...) \
  G_STMT_START { \
    KValue i = kb_add (b, kb_inner_begin (b), kb_local (b)); \
    kb_if (b, kb_lt (b, i, kb_inner_end (b))) __VA_ARGS__ \
  } G_STMT_END

typedef struct {
  AccElementKind kind;
  guint64       *in;         /* N elements, or NULL */
  guint64       *expected;   /* N elements, or NULL */
} Buffer;

/* Runs @kernel on @buffers, one per parameter, with every dialect there is, and compares. */
static void
check (AccKernel *kernel,
       Buffer    *buffers,
       guint      n,
       guint      n_threads,
       gboolean   loosely)
{
  emit_all (kernel);
  if (!cl_is_there ())
    return;

  for (guint run = 0; run < 2 * G_N_ELEMENTS (dialects); run++)
    {
      guint d = run / 2;
      g_autofree char *general = emit (emit_opencl, kernel, dialects[d].dialect);
      g_autofree char *text = emit (run % 2 == 0 ? emit_opencl : emit_quick_opencl, kernel, dialects[d].dialect);

      if (run % 2 == 1 && g_str_equal (text, general))
        continue;

      g_autofree ClBuffer *memory = g_new0 (ClBuffer, n);
      gint64 words[8] = { 0, 1, 1, 0, 0, n_threads, THREADS, 0 };
      AccFailure failure = { 0, };

      for (guint i = 0; i < n; i++)
        {
          gsize size = acc_element_kind_get_size (buffers[i].kind);

          memory[i] = (ClBuffer) { g_malloc0 (N * size), N * size, buffers[i].expected != NULL, 0 };
          for (guint j = 0; buffers[i].in != NULL && j < N; j++)
            eval_write (buffers[i].kind, (guint8 *) memory[i].data + j * size, buffers[i].in[j]);
        }
      cl_run (text, ACC_EMIT_C_SYMBOL, memory, n, words, (n_threads + THREADS - 1) / THREADS, THREADS, &failure);
      g_assert_cmpint (failure.state, ==, 0);

      for (guint i = 0; i < n; i++)
        {
          gsize size = acc_element_kind_get_size (buffers[i].kind);

          for (guint j = 0; buffers[i].expected != NULL && j < N; j++)
            {
              guint64 x = buffers[i].expected[j], y = eval_read (buffers[i].kind, (guint8 *) memory[i].data + j * size);

              if (loosely && acc_element_kind_is_float (buffers[i].kind) && !eval_equal (buffers[i].kind, x, y))
                {
                  double a = eval_to_double (buffers[i].kind, x), b = eval_to_double (buffers[i].kind, y);

                  if (fabs (a - b) <= fabs (a) * (size == 2 ? 1e-3 : size == 4 ? 4e-6 : 1e-14))
                    continue;
                }
              if (!eval_equal (buffers[i].kind, x, y))
                g_error ("%s, %s %s: $%u[%u]: expected %" G_GINT64_MODIFIER "x (%g), found %" G_GINT64_MODIFIER "x (%g)\n%s",
                         kernel->name, dialects[d].name, run % 2 == 0 ? "general" : "quick", i, j, x, eval_to_double (buffers[i].kind, x),
                         y, eval_to_double (buffers[i].kind, y), text);
            }
          g_free (memory[i].data);
        }
    }
}

static guint64 *
random_elements (AccElementKind kind,
                 GRand         *rand)
{
  guint64 *elements = g_new (guint64, N);

  for (guint i = 0; i < N; i++)
    elements[i] = eval_random (kind, rand);

  return elements;
}

static void
free_buffers (Buffer *buffers,
              guint   n)
{
  for (guint i = 0; i < n; i++)
    {
      g_free (buffers[i].in);
      g_free (buffers[i].expected);
    }
}

/* --- primitives */

/* @mask: of the bits that shifts go by; -1: any. */
static void
check_primitives (AccElementKind kind,
                  gboolean       transcendental,
                  const gint64  *constant,
                  gint64         mask,
                  GRand         *rand)
{
  AccKernelBuilder *b = kb_new (constant != NULL ? "constants" : "primitives");
  Buffer buffers[ACC_N_PRIMITIVES + 3] = { { kind, random_elements (kind, rand), NULL },
                                           { kind, random_elements (kind, rand), NULL },
                                           { ACC_KIND_I64, random_elements (ACC_KIND_I64, rand), NULL } };
  KBuffer outs[ACC_N_PRIMITIVES], xs, ys, ns;
  guint n = 3;

  kb_set_group_size (b, THREADS);
  xs = kb_param_buffer (b, kind, in_flags, "x");
  ys = kb_param_buffer (b, kind, in_flags, "y");
  ns = kb_param_buffer (b, ACC_KIND_I64, in_flags, "n");
  for (AccPrimitive p = 0; p < ACC_N_PRIMITIVES; p++)
    if (acc_primitive_accepts (p, kind) && acc_primitive_is (p, ACC_FAMILY_TRANSCENDENTAL) == transcendental)
      {
        AccElementKind result = acc_primitive_result (p, kind);
        gboolean is_shift = acc_primitive_get_info (p)->operands == ACC_OPERANDS_SHIFT;

        outs[p] = kb_param_buffer (b, result, out_flags, acc_primitive_get_info (p)->name);
        buffers[n] = (Buffer) { result, NULL, g_new0 (guint64, N) };
        for (guint i = 0; i < N; i++)
          {
            guint64 y = is_shift ? buffers[2].in[i] & mask : buffers[1].in[i];

            if (constant != NULL)
              y = is_shift ? (guint64) *constant : eval_cast (ACC_KIND_I64, kind, *constant);
            buffers[n].expected[i] = eval_prim (p, kind, buffers[0].in[i], y);
          }
        n++;
      }

  each (b, i, {
    KValue x = kb_load (b, xs, i), y = kb_load (b, ys, i), k = kb_and (b, kb_load (b, ns, i), kb_i64 (b, mask));

    if (constant != NULL)
      {
        y = kb_int (b, kind, (gint64) eval_cast (ACC_KIND_I64, kind, *constant));
        k = kb_i64 (b, *constant);
      }
    for (AccPrimitive p = 0; p < ACC_N_PRIMITIVES; p++)
      if (acc_primitive_accepts (p, kind) && acc_primitive_is (p, ACC_FAMILY_TRANSCENDENTAL) == transcendental)
        {
          const AccPrimitiveInfo *info = acc_primitive_get_info (p);

          kb_store (b, outs[p], i, info->arity == 1 ? kb_prim (b, p, x)
                                   : kb_prim2 (b, p, x, info->operands == ACC_OPERANDS_SHIFT ? k : y));
        }
  });

  if (n > 3)
    {
      g_autoptr(AccKernel) kernel = finish (b);

      check (kernel, buffers, n, N, transcendental);
    }
  else
    kb_discard (b);
  free_buffers (buffers, n);
}

static void
test_primitives (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind + 1);

  for (guint round = 0; round < 4; round++)
    check_primitives (kind, FALSE, NULL, round % 2 ? 31 : -1, rand);
}

static void
test_constants (gconstpointer data)
{
  static const gint64 constants[] = { 0, 1, -1, 3, -7, 8, 64, 100, -128, G_MININT64, G_MAXINT64 };
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind + 20);

  for (guint i = 0; acc_element_kind_is_integer (kind) && kind != ACC_KIND_BOOL && i < G_N_ELEMENTS (constants); i++)
    check_primitives (kind, FALSE, &constants[i], -1, rand);
}

static void
test_casts (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind + 40);
  AccKernelBuilder *b = kb_new ("casts");
  Buffer buffers[2 * G_N_ELEMENTS (kinds) + 1] = { { kind, random_elements (kind, rand), NULL } };
  KBuffer outs[2 * G_N_ELEMENTS (kinds)], xs;
  guint n = 1;
  g_autoptr(AccKernel) kernel = NULL;

  kb_set_group_size (b, THREADS);
  xs = kb_param_buffer (b, kind, in_flags, "x");
  for (guint k = 0; k < 2 * G_N_ELEMENTS (kinds); k++)
    {
      AccElementKind to = kinds[k / 2];

      if ((k & 1) && acc_element_kind_get_size (to) != acc_element_kind_get_size (kind))
        continue;
      outs[k] = kb_param_buffer (b, to, out_flags, "y");
      buffers[n] = (Buffer) { to, NULL, g_new0 (guint64, N) };
      for (guint i = 0; i < N; i++)
        {
          guint64 x = buffers[0].in[i], read = x;

          if (k & 1)
            {
              read = 0;
              eval_write (kind, &read, x);
              read = eval_read (to, &read);
            }
          buffers[n].expected[i] = k & 1 ? read : eval_cast (kind, to, x);
        }
      n++;
    }
  each (b, i, {
    KValue x = kb_load (b, xs, i);

    for (guint k = 0; k < 2 * G_N_ELEMENTS (kinds); k++)
      if (!(k & 1))
        kb_store (b, outs[k], i, kb_cast (b, kinds[k / 2], x));
      else if (acc_element_kind_get_size (kinds[k / 2]) == acc_element_kind_get_size (kind))
        kb_store (b, outs[k], i, kb_bitcast (b, kinds[k / 2], x));
  });
  kernel = finish (b);
  check (kernel, buffers, n, N, FALSE);
  free_buffers (buffers, n);
}

/* Pairs that are hard to divide and to round. */
static float
hard_float (GRand *rand)
{
  guint32 bits = g_rand_int (rand);
  float x;

  switch (g_rand_int_range (rand, 0, 4))
    {
    case 0:
      bits &= 0x80ffffff;
      break;
    case 1:
      bits = (bits & 0x807fffff) | (guint32) g_rand_int_range (rand, 100, 150) << 23;
      break;
    case 2:
      bits = (bits & 0x80000003) | 0x3f7ffffc;
      break;
    default:
      break;
    }
  memcpy (&x, &bits, sizeof x);

  return x;
}

static void
test_rounding (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (7);
  AccKernelBuilder *b = kb_new ("rounding");
  g_autoptr(AccKernel) kernel = NULL;
  KBuffer in[6], out[4];

  kb_set_group_size (b, THREADS);
  for (guint k = 0; k < 6; k++)
    in[k] = kb_param_buffer (b, k < 3 ? ACC_KIND_F32 : ACC_KIND_F64, in_flags, "x");
  for (guint k = 0; k < 4; k++)
    out[k] = kb_param_buffer (b, k < 3 ? ACC_KIND_F32 : ACC_KIND_F64, out_flags, "y");
  each (b, i, {
    KValue x[6];

    for (guint k = 0; k < 6; k++)
      x[k] = kb_load (b, in[k], i);
    kb_store (b, out[0], i, kb_prim2 (b, ACC_PRIM_FDIV, x[0], x[1]));
    kb_store (b, out[1], i, kb_prim (b, ACC_PRIM_SQRT, x[0]));
    kb_store (b, out[2], i, kb_fma (b, x[0], x[1], x[2]));
    kb_store (b, out[3], i, kb_fma (b, x[3], x[4], x[5]));
  });
  kernel = finish (b);

  for (guint round = 0; round < 40; round++)
    {
      Buffer buffers[10];

      for (guint k = 0; k < 10; k++)
        buffers[k] = (Buffer) { k < 3 || (k >= 6 && k < 9) ? ACC_KIND_F32 : ACC_KIND_F64, k < 6 ? g_new0 (guint64, N) : NULL,
                                k < 6 ? NULL : g_new0 (guint64, N) };
      for (guint i = 0; i < N; i++)
        {
          float x = hard_float (rand), y = hard_float (rand), z = hard_float (rand), q = x / y, r = sqrtf (x), f;
          double u = g_rand_double (rand) - 0.5, v = g_rand_double (rand),
            w = ldexp (g_rand_double (rand) - 0.5, -g_rand_int_range (rand, 0, 110));
          double g;

          if (round & 1)
            z = -x * y;
          if ((round & 3) == 2)
            z = ldexpf (z, -60);
          if (round & 1)
            w = -u * v;
          f = fmaf (x, y, z);
          g = fma (u, v, w);
          memcpy (&buffers[0].in[i], &x, 4);
          memcpy (&buffers[1].in[i], &y, 4);
          memcpy (&buffers[2].in[i], &z, 4);
          memcpy (&buffers[3].in[i], &u, 8);
          memcpy (&buffers[4].in[i], &v, 8);
          memcpy (&buffers[5].in[i], &w, 8);
          memcpy (&buffers[6].expected[i], &q, 4);
          memcpy (&buffers[7].expected[i], &r, 4);
          memcpy (&buffers[8].expected[i], &f, 4);
          memcpy (&buffers[9].expected[i], &g, 8);
        }
      check (kernel, buffers, 10, N, FALSE);
      free_buffers (buffers, 10);
    }
}

/* The language's own functions, and those of the platform. */
static void
test_functions (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind);
  AccKernelBuilder *b = kb_new ("functions");
  Buffer buffers[ACC_N_PRIMITIVES + 2] = { { kind, g_new0 (guint64, N), NULL }, { kind, g_new0 (guint64, N), NULL } };
  KBuffer outs[ACC_N_PRIMITIVES], xs, ys;
  guint n = 2;
  g_autoptr(AccKernel) kernel = NULL;

  kb_set_group_size (b, THREADS);
  xs = kb_param_buffer (b, kind, in_flags, "x");
  ys = kb_param_buffer (b, kind, in_flags, "y");
  for (guint i = 0; i < N; i++)
    {
      buffers[0].in[i] = eval_from_double (kind, g_rand_double_range (rand, 0.01, 0.9));
      buffers[1].in[i] = eval_from_double (kind, g_rand_double_range (rand, 1.1, 3));
    }
  for (AccPrimitive p = 0; p < ACC_N_PRIMITIVES; p++)
    if (acc_primitive_is (p, ACC_FAMILY_TRANSCENDENTAL))
      {
        outs[p] = kb_param_buffer (b, kind, out_flags, "z");
        buffers[n] = (Buffer) { kind, NULL, g_new0 (guint64, N) };
        for (guint i = 0; i < N; i++)
          buffers[n].expected[i] = eval_prim (p, kind, buffers[p == ACC_PRIM_ACOSH].in[i], buffers[1].in[i]);
        n++;
      }
  each (b, i, {
    KValue x = kb_load (b, xs, i), y = kb_load (b, ys, i);

    for (AccPrimitive p = 0; p < ACC_N_PRIMITIVES; p++)
      if (acc_primitive_is (p, ACC_FAMILY_TRANSCENDENTAL))
        kb_store (b, outs[p], i, acc_primitive_get_info (p)->arity == 1 ? kb_prim (b, p, p == ACC_PRIM_ACOSH ? y : x)
                                                                         : kb_prim2 (b, p, x, y));
  });
  kernel = finish (b);
  check (kernel, buffers, n, N, TRUE);
  free_buffers (buffers, n);
}

/* --- what only groups have */

/* Sums a group's elements through shared memory, and its neighbours'. */
static void
test_shared (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind + 3);
  AccKernelBuilder *b = kb_new ("shared");
  Buffer buffers[2] = { { kind, random_elements (kind, rand), NULL }, { kind, NULL, g_new0 (guint64, N) } };
  KBuffer x, y, m;
  g_autoptr(AccKernel) kernel = NULL;

  kb_set_group_size (b, THREADS);
  x = kb_param_buffer (b, kind, in_flags, "x");
  y = kb_param_buffer (b, kind, out_flags, "y");
  m = kb_shared (b, kind, THREADS, "m");

  KValue local = kb_local (b), i = kb_add (b, kb_inner_begin (b), local);
  KVar last = kb_var (b, kb_i64 (b, 0));

  kb_if (b, kb_lt (b, i, kb_inner_end (b)))
    kb_store (b, m, local, kb_load (b, x, i));
  kb_barrier (b);
  kb_while (b)
    {
      KValue at = kb_get (b, last);

      kb_until (b, kb_prim2 (b, ACC_PRIM_GE, kb_add (b, at, kb_i64 (b, 1)), kb_sub (b, kb_inner_end (b), kb_inner_begin (b))));
      kb_set (b, last, kb_add (b, at, kb_i64 (b, 1)));
    }
  kb_barrier (b);
  kb_if (b, kb_lt (b, i, kb_inner_end (b)))
    {
      KValue mirror = kb_sub (b, kb_get (b, last), local);

      kb_if (b, kb_lt (b, kb_urem (b, i, kb_i64 (b, 3)), kb_i64 (b, 2)))
        kb_store (b, y, i, kb_load (b, m, mirror));
      kb_else (b)
        kb_store (b, y, i, kb_load (b, m, local));
    }
  for (guint e = 0; e < N; e++)
    {
      guint begin = e / THREADS * THREADS, end = MIN (begin + THREADS, N);

      buffers[1].expected[e] = buffers[0].in[e % 3 < 2 ? end - 1 - (e - begin) : e];
    }
  kernel = finish (b);
  check (kernel, buffers, 2, N, FALSE);
  free_buffers (buffers, 2);
}

static guint64
apply (KAtomic        how,
       AccElementKind kind,
       guint64        x,
       guint64        y)
{
  static const AccPrimitive primitives[] = {
    ACC_PRIM_ADD, ACC_PRIM_MIN, ACC_PRIM_MAX, ACC_PRIM_BAND, ACC_PRIM_BOR, ACC_PRIM_BXOR,
  };

  return how == KB_ATOMIC_EXCHANGE ? y : eval_prim (primitives[how], kind, x, y);
}

/* Each thread has an element of its own of x, 7 for all, and one in shared memory that all have. */
static void
test_atomics (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind + 11);
  gboolean is_float = acc_element_kind_is_float (kind);

  if (acc_element_kind_get_size (kind) < 4)
    return;
  for (KAtomic how = KB_ATOMIC_ADD; how <= KB_ATOMIC_EXCHANGE; how++)
    {
      AccKernelBuilder *b = kb_new ("atomics");
      Buffer buffers[4] = { { kind, random_elements (kind, rand), g_new0 (guint64, N) }, { kind, random_elements (kind, rand), NULL },
                            { kind, NULL, g_new0 (guint64, N) }, { kind, g_new0 (guint64, N), g_new0 (guint64, N) } };
      KBuffer xs, ys, olds, sums, m;
      g_autoptr(AccKernel) kernel = NULL;

      if (is_float && how != KB_ATOMIC_ADD && how != KB_ATOMIC_EXCHANGE)
        {
          free_buffers (buffers, 4);
          kb_discard (b);
          continue;
        }
      kb_set_group_size (b, THREADS);
      xs = kb_param_buffer (b, kind, shared_flags, "x");
      ys = kb_param_buffer (b, kind, in_flags, "y");
      olds = kb_param_buffer (b, kind, out_flags, "old");
      sums = kb_param_buffer (b, kind, shared_flags, "sums");
      m = kb_shared (b, kind, 3, "m");

      KValue local = kb_local (b), one = kb_cast (b, kind, kb_int (b, ACC_KIND_I32, 1));

      kb_if (b, kb_lt (b, local, kb_i64 (b, 3)))
        kb_store (b, m, local, kb_cast (b, kind, kb_int (b, ACC_KIND_I32, 0)));
      kb_barrier (b);
      each (b, i, {
        kb_store (b, olds, i, kb_atomic (b, how, xs, i, kb_load (b, ys, i)));
        kb_atomic (b, KB_ATOMIC_ADD, m, kb_i64 (b, 1), one);
        kb_atomic (b, KB_ATOMIC_ADD, sums, kb_i64 (b, 7), one);
      });
      kb_barrier (b);
      kb_if (b, kb_eq (b, local, kb_i64 (b, 0)))
        kb_atomic (b, KB_ATOMIC_ADD, sums, kb_i64 (b, 0), kb_load (b, m, kb_i64 (b, 1)));

      for (guint i = 0; i < N; i++)
        {
          buffers[0].expected[i] = apply (how, kind, buffers[0].in[i], buffers[1].in[i]);
          buffers[2].expected[i] = buffers[0].in[i];
        }
      buffers[3].expected[0] = buffers[3].expected[7] = eval_cast (ACC_KIND_I64, kind, N);
      kernel = finish (b);
      check (kernel, buffers, 4, N, FALSE);
      free_buffers (buffers, 4);
    }
}

/* All threads add one to few elements by compare-and-swap. */
static void
test_cas (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  AccKernelBuilder *b = kb_new ("cas");
  AccElementKind bits = acc_element_kind_get_size (kind) == 1 ? ACC_KIND_U8 : acc_element_kind_get_size (kind) == 2 ? ACC_KIND_U16
                        : acc_element_kind_get_size (kind) == 4 ? ACC_KIND_U32 : ACC_KIND_U64;
  Buffer buffers[2] = { { kind, g_new0 (guint64, N), g_new0 (guint64, N) }, { kind, g_new0 (guint64, N), g_new0 (guint64, N) } };
  g_autoptr(AccKernel) kernel = NULL;
  KBuffer places[3];

  if (kind == ACC_KIND_BOOL)
    {
      kb_discard (b);
      free_buffers (buffers, 2);
      return;
    }
  kb_set_group_size (b, THREADS);
  places[0] = kb_param_buffer (b, kind, shared_flags, "sums");
  places[1] = kb_param_buffer (b, kind, shared_flags, "all");
  places[2] = kb_shared (b, kind, 5, "m");

  KValue local = kb_local (b), one = kb_cast (b, kind, kb_int (b, ACC_KIND_I32, 1));

  kb_if (b, kb_lt (b, local, kb_i64 (b, 5)))
    kb_store (b, places[2], local, kb_cast (b, kind, kb_int (b, ACC_KIND_I32, 0)));
  kb_barrier (b);
  for (guint p = 0; p < 3; p += 2)
    each (b, i, {
      KValue at = kb_urem (b, i, kb_i64 (b, 5));
      KVar old = kb_var (b, kb_load (b, places[p], at));

      kb_while (b)
        {
          KValue expected = kb_get (b, old);
          KValue seen = kb_atomic_cas (b, places[p], at, expected, kb_add (b, expected, one));

          kb_set (b, old, seen);
          kb_until (b, kb_eq (b, kb_bitcast (b, bits, seen), kb_bitcast (b, bits, expected)));
        }
    });
  kb_barrier (b);
  kb_if (b, kb_lt (b, local, kb_i64 (b, 5)))
    kb_if (b, kb_eq (b, kb_inner_begin (b), kb_i64 (b, 0)))
      kb_store (b, places[1], local, kb_load (b, places[2], local));
  for (guint i = 0; i < 5; i++)
    {
      buffers[0].expected[i] = eval_cast (ACC_KIND_I64, kind, N / 5);
      buffers[1].expected[i] = eval_cast (ACC_KIND_I64, kind, (THREADS - i + 4) / 5);
    }
  kernel = finish (b);
  check (kernel, buffers, 2, N, FALSE);
  free_buffers (buffers, 2);
}

static void
test_shuffles (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  AccKernelBuilder *b = kb_new ("shuffles");
  g_autoptr(AccKernel) kernel = NULL;
  g_autoptr(GError) error = NULL;
  KBuffer x;

  kb_set_group_size (b, THREADS);
  x = kb_param_buffer (b, kind, ACC_BUFFER_READ | ACC_BUFFER_WRITE, "x");
  for (KShuffle how = KB_SHUFFLE_DOWN; how <= KB_SHUFFLE_XOR; how++)
    kb_store (b, x, kb_local (b), kb_shuffle (b, how, kb_load (b, x, kb_local (b)), 1u << how));
  kb_subgroup_barrier (b);
  kb_store (b, x, kb_local (b), kb_cast (b, kind, kb_ballot (b, kb_lt (b, kb_local (b), kb_i64 (b, 7)))));
  kb_fence (b);
  kernel = finish (b);

  g_free (emit (emit_opencl, kernel, &rich));
  g_free (emit (emit_opencl, kernel, &nvidia));
  g_free (emit (emit_glsl, kernel, &rich));
  g_assert_null (emit_opencl (kernel, &plain_cl, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
}

/* --- the whole */

static void
test_failure (void)
{
  AccKernelBuilder *b = kb_new ("failure");
  g_autoptr(AccKernel) kernel = NULL;
  KValue limit;
  KBuffer out;

  kb_set_group_size (b, THREADS);
  limit = kb_param_scalar (b, ACC_KIND_U16, "limit");
  out = kb_param_buffer (b, ACC_KIND_U32, out_flags, "out");
  each (b, i, {
    KValue ok = kb_lt (b, i, kb_cast (b, ACC_KIND_I64, limit));

    kb_check (b, ok, ACC_ERROR_BOUNDS, 17, i, kb_i64 (b, -5));
    kb_if (b, ok)
      kb_store (b, out, i, kb_cast (b, ACC_KIND_U32, limit));
  });
  kernel = finish (b);
  emit_all (kernel);
  if (!cl_is_there ())
    return;

  for (guint limit_is = 0; limit_is < 2; limit_is++)
    {
      g_autofree char *text = emit (emit_opencl, kernel, &plain_cl);
      g_autofree guint32 *data = g_new0 (guint32, N);
      ClBuffer memory[2] = { { NULL, 0, FALSE, 0xa5a5a5a5a5a50000u | (limit_is ? 100 : N) }, { data, 4 * N, TRUE, 0 } };
      gint64 words[8] = { 0, 1, 1, 0, 10, N, THREADS, 0 };
      AccFailure failure = { 0, };

      cl_run (text, ACC_EMIT_C_SYMBOL, memory, 2, words, (N + THREADS - 1) / THREADS, THREADS, &failure);
      g_assert_cmpint (failure.state, ==, limit_is ? 2 : 0);
      /* The space begins within a tile. */
      g_assert_cmpuint (data[9], ==, 0);
      g_assert_cmpuint (data[10], ==, limit_is ? 100 : N);
      g_assert_cmpuint (data[N - 1], ==, limit_is ? 0 : N);
      if (limit_is)
        {
          g_assert_cmpuint (failure.kind, ==, ACC_ERROR_BOUNDS);
          g_assert_cmpuint (failure.origin, ==, 17);
          g_assert_cmpint (failure.index, >=, 100);
          g_assert_cmpint (failure.extent, ==, -5);
        }
    }
}

/* A thread takes sixteen neighbours: packs of every length, some that have holes, and some that are stored twice. */
static void
test_packs (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind);
  AccKernelBuilder *b = kb_new ("packs");
  Buffer buffers[] = {
    { kind, random_elements (kind, rand), NULL },
    { kind, NULL, g_new0 (guint64, N) },
    { kind, NULL, g_new0 (guint64, N) },
    { kind, NULL, g_new0 (guint64, N) },
  };
  g_autoptr(AccKernel) kernel = NULL;
  KBuffer in, same, shifted, part;

  kb_set_group_size (b, THREADS);
  in = kb_param_buffer (b, kind, in_flags, "in");
  same = kb_param_buffer (b, kind, out_flags, "same");
  shifted = kb_param_buffer (b, kind, out_flags, "shifted");
  part = kb_param_buffer (b, kind, out_flags, "part");
  each (b, t, {
    KValue i = kb_mul (b, t, kb_i64 (b, 16));
    KValue x[16];

    /* In no order, and not the ends of the array. */
    for (guint k = 0; k < 16; k++)
      x[k * 7 % 16] = kb_load (b, in, kb_add (b, i, kb_i64 (b, k * 7 % 16)));
    for (guint k = 0; k < 16; k++)
      kb_store (b, same, kb_add (b, kb_add (b, kb_i64 (b, k * 5 % 16), kb_mul (b, t, kb_i64 (b, 12))), kb_mul (b, kb_i64 (b, 4), t)),
                x[k * 5 % 16]);
    for (guint k = 0; k < 16; k++)
      kb_store (b, shifted, kb_add (b, i, kb_i64 (b, k)),
                kb_load (b, in, kb_max (b, kb_i64 (b, 0), kb_add (b, i, kb_i64 (b, (gint64) k - 1)))));
    kb_if (b, kb_lt (b, kb_i64 (b, 0), t))
      for (guint k = 0; k < 16; k++)
        kb_store (b, shifted, kb_add (b, i, kb_i64 (b, k)), kb_load (b, in, kb_add (b, i, kb_i64 (b, (gint64) k - 1))));
    for (guint k = 0; k < 16; k++)
      if (k % 8 != 3)
        kb_store (b, part, kb_add (b, i, kb_i64 (b, k)), x[k]);
    /* The second of these is what stays. */
    kb_store (b, part, kb_add (b, i, kb_i64 (b, 8)), x[0]);
  });
  kernel = finish (b);
  for (guint i = 0; i < N / 16 * 16; i++)
    {
      buffers[1].expected[i] = buffers[0].in[i];
      buffers[2].expected[i] = buffers[0].in[i > 0 ? i - 1 : 0];
      buffers[3].expected[i] = i % 8 == 3 ? 0 : buffers[0].in[i % 16 == 8 ? i - 8 : i];
    }
  check (kernel, buffers, G_N_ELEMENTS (buffers), N / 16, FALSE);
  free_buffers (buffers, G_N_ELEMENTS (buffers));
}

/* Threads hand each other sixteen neighbours in shared memory, some of them twice, and take them in packs and one by one. */
static void
test_shared_packs (gconstpointer data)
{
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (kind);
  AccKernelBuilder *b = kb_new ("shared_packs");
  Buffer buffers[] = {
    { kind, random_elements (kind, rand), NULL },
    { kind, NULL, g_new0 (guint64, N) },
    { kind, NULL, g_new0 (guint64, N) },
  };
  const gint64 row = 16 + 4;
  g_autoptr(AccKernel) kernel = NULL;
  KBuffer in, whole, single, shared;

  kb_set_group_size (b, THREADS);
  in = kb_param_buffer (b, kind, in_flags, "in");
  whole = kb_param_buffer (b, kind, out_flags, "whole");
  single = kb_param_buffer (b, kind, out_flags, "single");
  shared = kb_shared_wide (b, kind, THREADS * row, "shared");
  {
    KValue local = kb_local (b), other = kb_prim2 (b, ACC_PRIM_BXOR, local, kb_i64 (b, 1)), size = kb_i64 (b, 16);
    KValue own = kb_mul (b, local, kb_i64 (b, row)), its = kb_mul (b, other, kb_i64 (b, row)), x[16], y[16];
    KValue t = kb_add (b, kb_inner_begin (b), local), from = kb_mul (b, kb_min (b, t, kb_i64 (b, N / 16 - 1)), size);

    for (guint k = 0; k < 16; k++)
      kb_store (b, shared, kb_add (b, own, kb_i64 (b, k)), kb_load (b, in, kb_add (b, from, kb_i64 (b, k))));
    /* Loads that stores stand between; then what was stored is loaded before it is stored again. */
    for (guint k = 0; k < 4; k++)
      {
        x[k] = kb_load (b, shared, kb_add (b, own, kb_i64 (b, k)));
        if (k % 2 == 0)
          kb_store (b, shared, kb_add (b, own, kb_i64 (b, k + 1)), x[k]);
      }
    for (guint k = 0; k < 4; k++)
      kb_store (b, shared, kb_add (b, own, kb_i64 (b, k)), x[3 - k]);
    kb_barrier (b);
    for (guint k = 0; k < 16; k++)
      x[k * 7 % 16] = kb_load (b, shared, kb_add (b, its, kb_i64 (b, k * 7 % 16)));
    for (guint k = 0; k < 16; k++)
      y[k] = kb_load (b, shared, kb_add (b, kb_mul (b, other, kb_i64 (b, row - 1)), kb_add (b, other, kb_i64 (b, k ^ 1))));
    kb_if (b, kb_lt (b, t, kb_i64 (b, N / 16)))
      for (guint k = 0; k < 16; k++)
        {
          kb_store (b, whole, kb_add (b, from, kb_i64 (b, k)), x[k]);
          kb_store (b, single, kb_add (b, from, kb_i64 (b, k)), y[k]);
        }
  }
  kernel = finish (b);
  g_assert_cmpint (N / 16 % 2, ==, 0);
  for (gint64 i = 0; i < N / 16; i++)
    for (gint64 k = 0; k < 16; k++)
      {
        guint64 x = buffers[0].in[(i ^ 1) * 16 + (k < 4 ? 2 - k / 2 * 2 : k)];

        buffers[1].expected[i * 16 + k] = x;
        buffers[2].expected[i * 16 + (k ^ 1)] = x;
      }
  check (kernel, buffers, G_N_ELEMENTS (buffers), N / 16, FALSE);
  free_buffers (buffers, G_N_ELEMENTS (buffers));
}

/* Numbers about the ends of 32 bits, in the largest launch that is small: those that are kept whole, and those of which an index
 * needs the low bits. */
static void
test_widths (void)
{
  const gint64 big = ((gint64) 1 << 30) - 1, low = -((gint64) 1 << 30);
  AccKernelBuilder *b = kb_new ("widths");
  g_autoptr(AccKernel) kernel = NULL;
  g_autofree gint64 *in = g_new (gint64, N), *out = NULL;
  KBuffer from, to;
  enum { N_OUT = 12 };

  kb_set_group_size (b, THREADS);
  from = kb_param_buffer (b, ACC_KIND_I64, in_flags, "in");
  to = kb_param_buffer (b, ACC_KIND_I64, out_flags, "out");
  KValue s = kb_param_scalar (b, ACC_KIND_I64, "s"), t = kb_param_scalar (b, ACC_KIND_I64, "t");
  each (b, i, {
    KValue product = kb_mul (b, i, s), twice = kb_add (b, kb_add (b, i, s), s), place = kb_mul (b, i, kb_i64 (b, N_OUT));
    KVar sum = kb_var (b, kb_i64 (b, 0));
    KValue values[N_OUT];

    kb_for (b, k, kb_i64 (b, 0), kb_min (b, i, kb_i64 (b, 5)))
      kb_set (b, sum, kb_add (b, kb_get (b, sum), kb_mul (b, k, t)));
    values[0] = product;
    values[1] = twice;
    values[2] = kb_select (b, kb_lt (b, kb_mul (b, s, kb_i64 (b, 3)), product), twice, t);
    values[3] = kb_udiv (b, product, kb_i64 (b, 1000));
    values[4] = kb_urem (b, product, kb_i64 (b, 77));
    values[5] = kb_min (b, product, s);
    values[6] = kb_max (b, kb_sub (b, t, kb_add (b, i, s)), kb_sub (b, t, s));
    values[7] = kb_load (b, from, kb_sub (b, product, kb_mul (b, i, kb_sub (b, s, kb_i64 (b, 1)))));
    values[8] = kb_get (b, sum);
    values[9] = kb_urem (b, i, kb_add (b, kb_urem (b, i, kb_i64 (b, 8)), kb_i64 (b, 3)));
    values[10] = kb_cast (b, ACC_KIND_I64, kb_cast (b, ACC_KIND_F64, kb_sub (b, t, twice)));
    values[11] = kb_prim2 (b, ACC_PRIM_BAND, kb_prim (b, ACC_PRIM_NEG, product), kb_cast (b, ACC_KIND_I64, kb_cast (b, ACC_KIND_U32, t)));
    for (guint k = 0; k < N_OUT; k++)
      kb_store (b, to, kb_add (b, place, kb_i64 (b, k)), values[k]);
  });
  kernel = finish (b);
  emit_all (kernel);
  if (!cl_is_there ())
    return;

  for (guint i = 0; i < N; i++)
    in[i] = (gint64) i * 1000003;
  for (guint quick = 0; quick < 2; quick++)
    {
      g_autofree char *text = emit (quick ? emit_quick_opencl : emit_opencl, kernel, &plain_cl);
      gint64 words[8] = { 0, 1, 1, 0, 0, N, THREADS, 0 };
      AccFailure failure = { 0, };

      g_free (out);
      out = g_new0 (gint64, N * N_OUT);
      ClBuffer memory[] = { { in, N * 8, FALSE, 0 }, { out, N * N_OUT * 8, TRUE, 0 }, { NULL, 0, FALSE, (guint64) big },
                            { NULL, 0, FALSE, (guint64) low } };
      cl_run (text, ACC_EMIT_C_SYMBOL, memory, 4, words, (N + THREADS - 1) / THREADS, THREADS, &failure);
      for (gint64 i = 0; i < N; i++)
        {
          const gint64 *found = out + i * N_OUT;
          gint64 product = i * big, twice = i + big + big, sum = 0;

          for (gint64 k = 0; k < MIN (i, 5); k++)
            sum += k * low;
          const gint64 expected[N_OUT] = {
            product, twice, 3 * big < product ? twice : low, product / 1000, product % 77, MIN (product, big),
            MAX (low - (i + big), low - big), in[i], sum, i % (i % 8 + 3), low - twice, -product & (gint64) (guint32) low,
          };
          for (guint k = 0; k < N_OUT; k++)
            if (found[k] != expected[k])
              g_error ("%u, %" G_GINT64_FORMAT ": value %u: expected %" G_GINT64_FORMAT ", found %" G_GINT64_FORMAT "\n%s", quick, i, k,
                       expected[k], found[k], text);
        }
    }
}

/* Ten times the instructions are ten times the text, and take no stack. */
static void
test_long (void)
{
  AccKernelBuilder *b = kb_new ("long");
  g_autoptr(AccKernel) kernel = NULL;
  g_autofree char *text = NULL;
  gint64 begin, end;
  KBuffer x;

  kb_set_group_size (b, THREADS);
  x = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ | ACC_BUFFER_WRITE, "x");

  KValue v = kb_load (b, x, kb_local (b)), first = v;

  for (guint i = 0; i < 50000; i++)
    v = kb_prim2 (b, i & 1 ? ACC_PRIM_MUL : ACC_PRIM_SUB, v, first);
  kb_store (b, x, kb_local (b), v);
  kernel = finish (b);
  begin = g_get_monotonic_time ();
  text = emit (emit_opencl, kernel, &fused_cl);
  end = g_get_monotonic_time ();
  g_assert_cmpint (end - begin, <, 10 * G_USEC_PER_SEC);
  g_assert_cmpuint (strlen (text), <, 50000 * 60);
}

static guint
count_lines (const char *text,
             const char *line)
{
  guint n = 0;

  for (const char *at = strstr (text, line); at != NULL; at = strstr (at + 1, line))
    n++;

  return n;
}

typedef enum {
  APART,       /* what is stored is not loaded */
  BEHIND,      /* loaded behind a barrier */
  BETWEEN,     /* stored behind a barrier, loaded in front of it */
  BRANCHES,    /* stored on one side of a branch, loaded behind a barrier of the other */
  LOOP,        /* loaded, then stored behind a barrier, again and again */
} Order;

/* Barriers of buffers, besides those of shared memory, in the text of a kernel. */
static guint
count_flushes (Order          order,
               AccBufferFlags flags)
{
  const AccBufferFlags both = ACC_BUFFER_READ | ACC_BUFFER_WRITE;
  AccKernelBuilder *b = kb_new ("flushes");
  g_autoptr(AccKernel) kernel = NULL;
  g_autofree char *glsl = NULL, *opencl = NULL;
  KBuffer x, y;
  guint n;

  kb_set_group_size (b, THREADS);
  x = kb_param_buffer (b, ACC_KIND_U32, both | flags, "x");
  y = kb_param_buffer (b, ACC_KIND_U32, both | flags, "y");

  KValue i = kb_local (b), next = kb_add (b, i, kb_i64 (b, 1));

  switch (order)
    {
    case APART:
      kb_store (b, y, i, kb_load (b, x, i));
      kb_barrier (b);
      break;
    case BEHIND:
      kb_barrier (b);
      kb_store (b, x, i, kb_int (b, ACC_KIND_U32, 1));
      kb_barrier (b);
      kb_store (b, y, i, kb_load (b, x, next));
      break;
    case BETWEEN:
      kb_store (b, y, i, kb_load (b, x, next));
      kb_barrier (b);
      kb_store (b, x, i, kb_int (b, ACC_KIND_U32, 1));
      break;
    case BRANCHES:
      kb_if (b, kb_lt (b, kb_inner_begin (b), kb_i64 (b, 1)))
        kb_store (b, x, i, kb_int (b, ACC_KIND_U32, 1));
      kb_else (b)
        {
          kb_barrier (b);
          kb_store (b, y, i, kb_load (b, x, next));
        }
      break;
    case LOOP:
      kb_for (b, k, kb_i64 (b, 0), kb_inner_end (b))
        {
          KValue was = kb_load (b, x, kb_add (b, next, k));

          kb_barrier (b);
          kb_store (b, x, i, was);
        }
      break;
    }
  kernel = finish (b);
  glsl = emit (emit_glsl, kernel, &rich);
  opencl = emit (emit_opencl, kernel, &rich);
  n = count_lines (glsl, "groupMemoryBarrier ();");
  g_assert_cmpuint (count_lines (opencl, "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"), ==, n);

  return n;
}

static void
test_flushes (void)
{
  const AccBufferFlags kinds_of_buffer[] = { 0, ACC_BUFFER_NO_ALIAS, ACC_BUFFER_COHERENT };

  for (guint i = 0; i < G_N_ELEMENTS (kinds_of_buffer); i++)
    {
      g_assert_cmpuint (count_flushes (APART, kinds_of_buffer[i]), ==, 0);
      g_assert_cmpuint (count_flushes (BEHIND, kinds_of_buffer[i]), ==, 1);
      g_assert_cmpuint (count_flushes (BETWEEN, kinds_of_buffer[i]), ==, 1);
      g_assert_cmpuint (count_flushes (BRANCHES, kinds_of_buffer[i]), ==, 0);
      g_assert_cmpuint (count_flushes (LOOP, kinds_of_buffer[i]), ==, 1);
    }
}

static void
test_refusals (void)
{
  AccKernelBuilder *b = kb_new ("platform");
  g_autoptr(AccKernel) kernel = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;
  KBuffer x;

  kb_set_group_size (b, THREADS);
  x = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ | ACC_BUFFER_WRITE, "x");
  kb_store (b, x, kb_local (b), kb_prim_platform (b, ACC_PRIM_SIN, kb_load (b, x, kb_local (b)), (KValue) { 0 }));
  kernel = finish (b);
  text = emit (emit_opencl, kernel, &plain_cl);
  g_assert_nonnull (strstr (text, "sin ("));
  g_assert_null (emit_glsl (kernel, &rich, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  g_clear_pointer (&kernel, acc_kernel_unref);

  b = kb_new ("worker");
  x = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ | ACC_BUFFER_WRITE, "x");
  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    kb_store (b, x, i, kb_load (b, x, i));
  kernel = finish (b);
  g_assert_null (emit_opencl (kernel, &plain_cl, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
}

int
main (int    argc,
      char **argv)
{
  static const struct {
    const char    *name;
    GTestDataFunc  func;
    gboolean       of_floats;
  } tests[] = {
    { "primitives", test_primitives, FALSE },
    { "constants", test_constants, FALSE },
    { "casts", test_casts, FALSE },
    { "functions", test_functions, TRUE },
    { "shared", test_shared, FALSE },
    { "atomics", test_atomics, FALSE },
    { "cas", test_cas, FALSE },
    { "shuffles", test_shuffles, FALSE },
    { "packs", test_packs, FALSE },
    { "shared-packs", test_shared_packs, FALSE },
  };
  const char *part = g_getenv ("ACC_TEST_EVERY");
  guint every = part != NULL ? MAX ((guint) strtoul (part, NULL, 10), 1) : 1;
  int result;

  g_test_init (&argc, &argv, NULL);
  cl_open ();
  for (guint t = 0; t < G_N_ELEMENTS (tests); t++)
    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
      {
        g_autofree char *path = g_strdup_printf ("/emit-c/%s/%s", tests[t].name, acc_element_kind_get_code (kinds[k]));

        if (tests[t].func == test_shared_packs && acc_element_kind_get_size (kinds[k]) < 4)
          continue;
        /* PoCL takes seconds for each. */
        if ((t + k) % every != 0)
          continue;
        if (!tests[t].of_floats || acc_element_kind_is_float (kinds[k]))
          g_test_add_data_func (path, GINT_TO_POINTER (kinds[k]), tests[t].func);
      }
  g_test_add_func ("/emit-c/rounding", test_rounding);
  g_test_add_func ("/emit-c/failure", test_failure);
  g_test_add_func ("/emit-c/long", test_long);
  g_test_add_func ("/emit-c/widths", test_widths);
  g_test_add_func ("/emit-c/flushes", test_flushes);
  g_test_add_func ("/emit-c/refusals", test_refusals);
  result = g_test_run ();
  cl_close ();

  return result;
}
