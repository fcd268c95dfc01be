/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-c-private.h"
#include "acc-backends/ir/math/acc-math.h"

/* OpenCL C, 1.2 and up. */

static const char prelude[] =
  "#pragma OPENCL FP_CONTRACT OFF\n"
  "typedef char i8;\n"
  "typedef short i16;\n"
  "typedef int i32;\n"
  "typedef long i64;\n"
  "typedef uchar u8;\n"
  "typedef ushort u16;\n"
  "typedef uint u32;\n"
  "typedef ulong u64;\n"
  "typedef ushort f16;\n"
  "typedef float f32;\n"
  "typedef uint2 words2;\n"
  "typedef uint4 words4;\n"
  "#define WORDS1(a) (a)\n"
  "#define WORDS2(a, b) ((uint2) (a, b))\n"
  "#define WORDS4(a, b, c, d) ((uint4) (a, b, c, d))\n"
  "#define I8(x) ((i8) (x))\n"
  "#define I16(x) ((i16) (x))\n"
  "#define I32(x) ((i32) (x))\n"
  "#define I64(x) ((i64) (x))\n"
  "#define U8(x) ((u8) (x))\n"
  "#define U16(x) ((u16) (x))\n"
  "#define U32(x) ((u32) (x))\n"
  "#define U64(x) ((u64) (x))\n"
  "#define WIDE(x) ((long) (x))\n"
  "#define WIDE_U32(x) ((ulong) (x))\n"
  "#define PLACE(x) (x)\n"
  "#define F32(x) ((f32) (x))\n"
  "#define F64(x) ((f64) (x))\n"
  "#define BITS32(x) as_uint (x)\n"
  "#define BITS64(x) as_ulong (x)\n"
  "#define FLOAT32(x) as_float (x)\n"
  "#define FLOAT64(x) as_double (x)\n"
  "#define LOW(v) as_uint2 (v).x\n"
  "#define HIGH(v) as_uint2 (v).y\n"
  "#define JOIN(low, high) as_ulong ((uint2) (low, high))\n"
  "#define POPCOUNT32(x) popcount (x)\n"
  "#define CLZ32(x) clz (x)\n"
  "#define ABS(x) fabs (x)\n"
  "#define ABS64(x) fabs (x)\n"
  "#define ROUND(x) rint (x)\n"
  "#define RSQRT(x) rsqrt (x)\n"
  "#define EXACT\n"
  "#define GROUP_X get_group_id (0)\n"
  "#define GROUP_Y get_group_id (1)\n"
  "#define LOCAL_ID get_local_id (0)\n"
  "#define WORD(n) w##n\n"
  "#define SLOT(n) s##n\n"
  "typedef struct { int state; uint kind, origin, pad; long index, extent; } Failure;\n"
  "void fail (volatile __global Failure *failure, uint kind, uint origin, long index, long extent)\n"
  "{\n"
  "  if (atomic_cmpxchg (&failure->state, 0, 1) == 0)\n"
  "    {\n"
  "      failure->kind = kind;\n"
  "      failure->origin = origin;\n"
  "      failure->index = index;\n"
  "      failure->extent = extent;\n"
  "      mem_fence (CLK_GLOBAL_MEM_FENCE);\n"
  "      failure->state = 2;\n"
  "    }\n"
  "}\n"
  "#define FAIL(kind, origin, index, extent) fail (failure, kind, origin, index, extent)\n";

static const char half_by_type[] =
  "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
  "#define float_of_half(x) convert_float (as_half (x))\n"
  "#define half_of_float(x) as_ushort (convert_half_rte (x))\n";

static const char half_by_asm[] =
  "f32 float_of_half (u16 x)\n"
  "{\n"
  "  f32 y;\n"
  "  asm (\"cvt.f32.f16 %0, %1;\" : \"=f\" (y) : \"h\" (x));\n"
  "  return y;\n"
  "}\n"
  "u16 half_of_float (f32 x)\n"
  "{\n"
  "  u16 y;\n"
  "  asm (\"cvt.rn.f16.f32 %0, %1;\" : \"=h\" (y) : \"f\" (x));\n"
  "  return y;\n"
  "}\n";

/* What the group's stores and loads are ordered by across the device. */
static const char fence_text[] =
  "#if defined (__opencl_c_atomic_scope_device) && defined (__opencl_c_atomic_order_acq_rel)\n"
  "#define FENCE() atomic_work_item_fence (CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)\n"
  "#else\n"
  "#define FENCE() mem_fence (CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)\n"
  "#endif\n";

static const char *
memory_type (AccElementKind kind)
{
  return kind == ACC_KIND_BOOL ? "u8" : c_type (kind);
}

static char *
element (guint32     buffer,
         const char *index)
{
  if (c_is_shared (buffer))
    return g_strdup_printf ("m%u[%s]", buffer & ~ACC_KERNEL_SHARED, index);

  return g_strdup_printf ("p%u[o%u + %s]", buffer, buffer, index);
}

static char *
cl_load (CWriter    *w,
         guint32     buffer,
         const char *index)
{
  g_autofree char *x = element (buffer, index);

  if (acc_kernel_buffer (w->kernel, buffer)->kind == ACC_KIND_BOOL)
    return g_strdup_printf ("%s != 0", x);

  return g_steal_pointer (&x);
}

static void
cl_store (CWriter    *w,
          guint32     buffer,
          const char *index,
          const char *value)
{
  g_autofree char *x = element (buffer, index);

  if (acc_kernel_buffer (w->kernel, buffer)->kind == ACC_KIND_BOOL)
    c_line (w, "%s = %s ? 1 : 0;", x, value);
  else
    c_line (w, "%s = %s;", x, value);
}

static char *
cl_words (CWriter    *w,
          guint32     buffer,
          const char *index,
          guint       n_words)
{
  g_autofree char *x = element (buffer, index);

  if (c_is_shared (buffer))
    return g_strdup_printf ("((__local %s *) m%u)[%s]", c_words (n_words), buffer & ~ACC_KERNEL_SHARED, index);

  return g_strdup_printf ("*(%s__global %s *) &%s", acc_kernel_param (w->kernel, buffer)->flags & ACC_BUFFER_WRITE ? "" : "const ",
                          c_words (n_words), x);
}

/* A pointer named word, of the type that the atomic takes. */
static void
point_to (CWriter    *w,
          guint32     buffer,
          const char *index,
          const char *type)
{
  g_autofree char *x = element (buffer, index);

  c_line (w, "volatile %s %s *word = (volatile %s %s *) &%s;", c_is_shared (buffer) ? "__local" : "__global", type,
          c_is_shared (buffer) ? "__local" : "__global", type, x);
}

static void
cl_atomic (CWriter    *w,
           guint32     id,
           const char *index,
           const char *value)
{
  static const char *const names[] = { "add", "min", "max", "and", "or", "xor", "xchg" };
  const AccKernelInstr *instr = acc_kernel_instr (w->kernel, id);
  KAtomic how = instr->bits;
  guint32 buffer = instr->args[0];
  gboolean is_float = acc_element_kind_is_float (instr->kind), is_long = c_is_long (instr->kind);
  const char *bits = is_long ? "u64" : "u32";
  g_autofree char *word = NULL, *result = NULL;

  if (w->dialect->has_nvidia_asm && c_adds_floats (w, instr))
    {
      const char *n = is_long ? "64" : "32";

      /* Of addresses within their space. */
      point_to (w, buffer, index, c_type (instr->kind));
      c_line (w, "asm volatile (\"atom.%s.add.f%s %%0, [%%1], %%2;\" : \"=%c\" (v%u) : \"%c\" (word), \"%c\" (%s) : \"memory\");",
              c_is_shared (buffer) ? "shared" : "global", n, is_long ? 'd' : 'f', id, c_is_shared (buffer) ? 'r' : 'l',
              is_long ? 'd' : 'f', value);
      return;
    }
  point_to (w, buffer, index, is_float ? bits : c_type (instr->kind));
  if (is_float && how == KB_ATOMIC_ADD)
    {
      c_cas_add (w, id, "*word", is_long ? "atom_cmpxchg (word, " : "atomic_cmpxchg (word, ", value);
      return;
    }

  word = is_float ? c_to_bits (instr->kind, value) : g_strdup (value);
  result = g_strdup_printf ("%s_%s (word, %s)", is_long ? "atom" : "atomic", names[how], word);
  if (is_float)
    c_set_bits (w, id, result);
  else
    c_line (w, "v%u = %s;", id, result);
}

static void
cl_cas (CWriter    *w,
        guint32     id,
        const char *index,
        const char *expected,
        const char *desired)
{
  const AccKernelInstr *instr = acc_kernel_instr (w->kernel, id);
  guint32 buffer = instr->args[0];
  const char *space = c_is_shared (buffer) ? "__local" : "__global";
  gboolean is_long = c_is_long (instr->kind);

  if (acc_element_kind_get_size (instr->kind) < 4)
    {
      g_autofree char *x = element (buffer, index);

      c_line (w, "uintptr_t place = (uintptr_t) &%s;", x);
      c_line (w, "volatile %s u32 *word = (volatile %s u32 *) (place & ~(uintptr_t) 3);", space, space);
      c_cas_part (w, id, "*word", "atomic_cmpxchg (word, ", "U32 (place & 3) * 8u", expected, desired);
    }
  else
    {
      g_autofree char *want = c_to_bits (instr->kind, expected), *change = c_to_bits (instr->kind, desired);
      g_autofree char *call = g_strdup_printf ("%s (word, %s, %s)", is_long ? "atom_cmpxchg" : "atomic_cmpxchg", want, change);

      point_to (w, buffer, index, is_long ? "u64" : "u32");
      c_set_bits (w, id, call);
    }
}

static void
cl_barrier (CWriter *w,
            gboolean flushes)
{
  c_line (w, "barrier (%s);", flushes ? "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE" : "CLK_LOCAL_MEM_FENCE");
}

static void
cl_subgroup_barrier (CWriter *w)
{
  if (w->dialect->has_nvidia_asm)
    {
      c_line (w, "asm volatile (\"bar.warp.sync 0xffffffff;\" : : : \"memory\");");
      return;
    }
  if (!w->dialect->has_ballots)
    c_fail (w, "there are no barriers of subgroups");
  c_line (w, "sub_group_barrier (CLK_LOCAL_MEM_FENCE);");
}

static void
cl_fence (CWriter *w)
{
  if (w->dialect->has_nvidia_asm)
    {
      c_line (w, "asm volatile (\"membar.gl;\" : : : \"memory\");");
      return;
    }
  if (c_once (w, "FENCE"))
    g_string_append (w->types, fence_text);
  c_line (w, "FENCE ();");
}

static char *
cl_shuffle (CWriter    *w,
            KShuffle    how,
            const char *x,
            guint       delta)
{
  static const char *const calls[] = { "sub_group_shuffle_down", "sub_group_shuffle_up", "sub_group_shuffle_xor" };
  static const char *const modes[] = { "down", "up", "bfly" };

  if (w->dialect->has_nvidia_asm)
    {
      g_autofree char *name = g_strdup_printf ("shuffle_%s", modes[how]);

      if (c_once (w, name))
        g_string_append_printf (w->functions,
                                "u32 %s (u32 x, u32 delta)\n"
                                "{\n"
                                "  u32 y;\n"
                                "  asm volatile (\"shfl.sync.%s.b32 %%0, %%1, %%2, %d, 0xffffffff;\" : \"=r\" (y) : \"r\" (x), \"r\" (delta));\n"
                                "  return y;\n"
                                "}\n\n", name, modes[how], how == KB_SHUFFLE_UP ? 0 : 31);
      return g_strdup_printf ("%s (%s, %uu)", name, x, delta);
    }
  if (!w->dialect->has_subgroups)
    c_fail (w, "there are no shuffles");
  c_extend (w, how == KB_SHUFFLE_XOR ? "cl_khr_subgroup_shuffle" : "cl_khr_subgroup_shuffle_relative");

  return g_strdup_printf ("%s (%s, %uu)", calls[how], x, delta);
}

static char *
cl_ballot (CWriter    *w,
           const char *x)
{
  if (w->dialect->has_nvidia_asm)
    {
      if (c_once (w, "ballot"))
        g_string_append (w->functions,
                         "u32 ballot (u32 x)\n"
                         "{\n"
                         "  u32 y;\n"
                         "  asm volatile (\"{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }\" : \"=r\" (y) : \"r\" (x));\n"
                         "  return y;\n"
                         "}\n\n");
      return g_strdup_printf ("ballot (%s)", x);
    }
  if (!w->dialect->has_ballots)
    c_fail (w, "there are no ballots");
  c_extend (w, "cl_khr_subgroup_ballot");

  return g_strdup_printf ("sub_group_ballot (%s).x", x);
}

static char *
cl_library (CWriter     *w G_GNUC_UNUSED,
            AccPrimitive primitive,
            const char  *x,
            const char  *y)
{
  const char *name = acc_math_get_library (primitive);

  return y != NULL ? g_strdup_printf ("%s (%s, %s)", name, x, y) : g_strdup_printf ("%s (%s)", name, x);
}

/* On processors the native functions are no quicker. */
static char *
cl_approximate (CWriter     *w,
                AccPrimitive primitive,
                const char  *x)
{
  return g_strdup_printf ("%s%s (%s)", w->dialect->has_quick ? "native_" : "", acc_primitive_get_info (primitive)->name, x);
}

/* As the device's instruction, which its compiler does not see through. */
static char *
cl_extend (CWriter       *w,
           AccElementKind kind,
           guint          bits,
           const char    *x)
{
  const char *type = kind == ACC_KIND_I32 ? "s32" : "u32";
  g_autofree char *function = g_strdup_printf ("extend_%s_%u", type, bits);

  if (!w->dialect->has_nvidia_asm)
    return NULL;
  if (c_once (w, function))
    g_string_append_printf (w->functions,
                            "%s %s (%s x)\n"
                            "{\n"
                            "  %s y;\n"
                            "  asm (\"bfe.%s %%0, %%1, 0, %u;\" : \"=r\" (y) : \"r\" (x));\n"
                            "  return y;\n"
                            "}\n\n", c_type (kind), function, c_type (kind), c_type (kind), type, bits);

  return g_strdup_printf ("%s (%s)", function, x);
}

static char *
cl_opaque (CWriter       *w,
           AccElementKind kind,
           const char    *x)
{
  const char *type = c_type (kind);
  g_autofree char *function = g_strdup_printf ("opaque_%s", type);
  char operand = kind == ACC_KIND_F16 ? 'h' : kind == ACC_KIND_F32 ? 'f' : 'd';

  if (!w->dialect->has_nvidia_asm)
    return g_strdup (x);
  if (c_once (w, function))
    g_string_append_printf (w->functions,
                            "%s %s (%s x)\n"
                            "{\n"
                            "  %s y;\n"
                            "  asm (\"mov.b%u %%0, %%1;\" : \"=%c\" (y) : \"%c\" (x));\n"
                            "  return y;\n"
                            "}\n\n", type, function, type, type, (guint) acc_element_kind_get_size (kind) * 8, operand, operand);

  return g_strdup_printf ("%s (%s)", function, x);
}

static char *
cl_estimate (CWriter     *w,
             AccPrimitive of,
             const char  *x)
{
  const char *name = of == ACC_PRIM_SQRT ? "rsqrt" : of == ACC_PRIM_EXP ? "ex2" : "rcp";
  g_autofree char *function = g_strconcat ("estimate_", name, NULL);

  /* The device's own instruction, where native_recip() and its like take care of denormals. */
  if (!w->dialect->has_nvidia_asm)
    c_fail (w, "an estimate without the device's own instruction");
  else if (c_once (w, function))
    g_string_append_printf (w->functions,
                            "f32 %s (f32 x)\n"
                            "{\n"
                            "  f32 y;\n"
                            "  asm (\"%s.approx.ftz.f32 %%0, %%1;\" : \"=f\" (y) : \"f\" (x));\n"
                            "  return y;\n"
                            "}\n\n", function, name);

  return g_strdup_printf ("%s (%s)", function, x);
}

static const CSyntax syntax = {
  .load = cl_load,
  .store = cl_store,
  .words = cl_words,
  .atomic = cl_atomic,
  .cas = cl_cas,
  .barrier = cl_barrier,
  .subgroup_barrier = cl_subgroup_barrier,
  .fence = cl_fence,
  .shuffle = cl_shuffle,
  .ballot = cl_ballot,
  .library = cl_library,
  .approximate = cl_approximate,
  .inverse_root = "native_rsqrt",
  .extend = cl_extend,
  .opaque = cl_opaque,
  .estimate = cl_estimate,
};

static void
append_params (GString         *s,
               const AccKernel *kernel)
{
  for (guint i = 0; i < kernel->params->len; i++)
    {
      const AccKernelParam *param = acc_kernel_param (kernel, i);

      if (param->is_buffer)
        g_string_append_printf (s, "%s%s__global %s *%s p%u, long o%u, ", param->flags & ACC_BUFFER_WRITE ? "" : "const ",
                                param->flags & ACC_BUFFER_COHERENT ? "volatile " : "", memory_type (param->kind),
                                (param->flags & ACC_BUFFER_NO_ALIAS) && !(param->flags & ACC_BUFFER_COHERENT) ? " restrict" : "",
                                i, i);
      else
        g_string_append_printf (s, "ulong s%u, ", i);
    }
  for (guint i = 0; i < 8; i++)
    g_string_append_printf (s, "long w%u, ", i);
  g_string_append (s, "volatile __global Failure *failure");
}

static void
append_extensions (GString *s,
                   CWriter *w)
{
  if (c_uses_kind (w->kernel, ACC_KIND_F64))
    g_string_append (s, "#if defined (cl_khr_fp64)\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\ntypedef double f64;\n");
  if (w->dialect->has_atomic_64)
    g_string_append (s,
                     "#if defined (cl_khr_int64_base_atomics)\n"
                     "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                     "#endif\n"
                     "#if defined (cl_khr_int64_extended_atomics)\n"
                     "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
                     "#endif\n");
  c_append_extensions (w, s, "#if defined (%)\n#pragma OPENCL EXTENSION % : enable\n#endif\n");
}

/* The kernel whose body was written. */
static void
append_kernel (GString *s,
               CWriter *w)
{
  const AccKernel *kernel = w->kernel;

  g_string_append_printf (s, "__attribute__ ((reqd_work_group_size (%u, 1, 1)))\n__kernel void\n%s (", kernel->group_size,
                          ACC_EMIT_C_SYMBOL);
  append_params (s, kernel);
  g_string_append (s, ")\n{\n");
  for (guint i = 0; i < kernel->shared->len; i++)
    {
      const AccKernelParam *shared = &g_array_index (kernel->shared, AccKernelParam, i);

      /* The words around small elements must be whole. */
      g_string_append_printf (s, "  __local %s m%u[%u] __attribute__ ((aligned (%u)));\n", memory_type (shared->kind), i,
                              (shared->n_elements + 7) / 8 * 8, shared->flags & ACC_BUFFER_WIDE ? 16 : 8);
    }
  g_string_append (s, w->body->str);
  g_string_append (s, "}\n");
}

char *
acc_emit_opencl (AccKernel         *kernel,
                 const AccCDialect *dialect,
                 gboolean           quick,
                 GError           **error)
{
  AccCDialect own = *dialect;
  gboolean half_type = own.has_half;
  GString *s;
  CWriter w;

  /* The instructions of f16 that every such device has. */
  own.has_half = own.has_half || own.has_nvidia_asm;
  c_writer_init (&w, kernel, &own, &syntax, quick);
  if (!c_write_body (&w, error))
    {
      c_writer_clear (&w);
      return NULL;
    }

  s = g_string_new (prelude);
  append_extensions (s, &w);
  if (own.has_half && c_uses_kind (kernel, ACC_KIND_F16))
    g_string_append (s, half_type ? half_by_type : half_by_asm);
  g_string_append (s, w.types->str);
  g_string_append_c (s, '\n');
  g_string_append (s, w.functions->str);
  append_kernel (s, &w);
  c_writer_clear (&w);

  return g_string_free (s, FALSE);
}
