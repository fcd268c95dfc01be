/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-glsl-private.h"

/* GLSL for Vulkan 1.1 and up. Integers of 8 and 16 bits are int and uint outside memory. */

static const char prelude[] =
  "#define i8 int\n"
  "#define i16 int\n"
  "#define i32 int\n"
  "#define i64 int64_t\n"
  "#define u8 uint\n"
  "#define u16 uint\n"
  "#define u32 uint\n"
  "#define u64 uint64_t\n"
  "#define f16 uint\n"
  "#define f32 float\n"
  "#define f64 double\n"
  "#define words2 uvec2\n"
  "#define words4 uvec4\n"
  "#define WORDS1(a) (a)\n"
  "#define WORDS2(a, b) uvec2 (a, b)\n"
  "#define WORDS4(a, b, c, d) uvec4 (a, b, c, d)\n"
  "#define I8(x) bitfieldExtract (int (x), 0, 8)\n"
  "#define I16(x) bitfieldExtract (int (x), 0, 16)\n"
  "#define I32(x) int (x)\n"
  "#define I64(x) int64_t (x)\n"
  "#define U8(x) (uint (x) & 0xffu)\n"
  "#define U16(x) (uint (x) & 0xffffu)\n"
  "#define U32(x) uint (x)\n"
  "#define U64(x) uint64_t (x)\n"
  "#define PLACE(x) uint (x)\n"
  "#define F32(x) float (x)\n"
  "#define F64(x) double (x)\n"
  "#define BITS32(x) floatBitsToUint (x)\n"
  "#define BITS64(x) packUint2x32 (unpackDouble2x32 (x))\n"
  "#define FLOAT32(x) uintBitsToFloat (x)\n"
  "#define FLOAT64(x) packDouble2x32 (unpackUint2x32 (x))\n"
  /* Not by U32 (x): NVIDIA's driver takes u32 of u64 of a float for u32 of the float. */
  "#define LOW(v) unpackUint2x32 (v).x\n"
  "#define HIGH(v) unpackUint2x32 (v).y\n"
  "#define JOIN(low, high) packUint2x32 (uvec2 (low, high))\n"
  "#define POPCOUNT32(x) bitCount (x)\n"
  "#define CLZ32(x) (31 - findMSB (x))\n"
  "#define ABS(x) abs (x)\n"
  /* By its bits: Mesa 22 takes abs() of a double for something else where its bits are asked for. */
  "#define ABS64(x) FLOAT64 (BITS64 (x) & 0x7fffffffffffffffUL)\n"
  "#define ROUND(x) roundEven (x)\n"
  "#define RSQRT(x) inversesqrt (x)\n"
  "#define EXACT precise\n"
  "#define GROUP_X gl_WorkGroupID.x\n"
  "#define GROUP_Y gl_WorkGroupID.y\n"
  "#define LOCAL_ID gl_LocalInvocationID.x\n";

/* From i32 to i64 by words: Mesa 22 compares what int64_t (int) gives as if it were 32 bits without a sign. NVIDIA's scans are
 * quicker so, too. */
static const char wide_text[] =
  "#define WIDE(x) packInt2x32 (ivec2 (x, (x) >> 31))\n"
  "#define WIDE_U32(x) packUint2x32 (uvec2 (x, 0u))\n";
static const char plain_wide_text[] =
  "#define WIDE(x) int64_t (x)\n"
  "#define WIDE_U32(x) uint64_t (x)\n";

/* It is read when all groups are done. A memory barrier here would be in divergent control flow, which Mesa 22's software
 * device does not survive. */
static const char fail_text[] =
  "void fail (uint kind, uint origin, int64_t index, int64_t extent)\n"
  "{\n"
  "  if (atomicCompSwap (FAILURE.state, 0, 1) == 0)\n"
  "    {\n"
  "      FAILURE.kind = kind;\n"
  "      FAILURE.origin = origin;\n"
  "      FAILURE.index = index;\n"
  "      FAILURE.extent = extent;\n"
  "      FAILURE.state = 2;\n"
  "    }\n"
  "}\n"
  "#define FAIL(kind, origin, index, extent) fail (kind, origin, index, extent)\n\n";

static const char half_text[] =
  "#define float_of_half(h) float (unpackFloat2x16 (h)[0])\n"
  "#define half_of_float(x) packFloat2x16 (f16vec2 (float16_t (x), float16_t (0)))\n";

static void
gl_barrier (CWriter *w,
            gboolean flushes)
{
  /* For the group alone; a barrier by itself is one of shared memory. */
  if (flushes)
    c_line (w, "groupMemoryBarrier ();");
  c_line (w, "barrier ();");
}

static void
gl_subgroup_barrier (CWriter *w)
{
  if (!w->dialect->has_ballots)
    c_fail (w, "there are no barriers of subgroups");
  /* Of shared memory alone, unlike subgroupBarrier (). */
  c_extend (w, "GL_KHR_memory_scope_semantics");
  c_line (w, "controlBarrier (gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);");
}

static void
gl_fence (CWriter *w)
{
  c_line (w, "memoryBarrierShared ();");
  c_line (w, "memoryBarrierBuffer ();");
}

static char *
gl_shuffle (CWriter    *w,
            KShuffle    how,
            const char *x,
            guint       delta)
{
  static const char *const calls[] = { "subgroupShuffleDown", "subgroupShuffleUp", "subgroupShuffleXor" };

  if (!w->dialect->has_subgroups)
    c_fail (w, "there are no shuffles");
  c_extend (w, how == KB_SHUFFLE_XOR ? "GL_KHR_shader_subgroup_shuffle" : "GL_KHR_shader_subgroup_shuffle_relative");

  return g_strdup_printf ("%s (%s, %uu)", calls[how], x, delta);
}

static char *
gl_ballot (CWriter    *w,
           const char *x)
{
  if (!w->dialect->has_ballots)
    c_fail (w, "there are no ballots");
  c_extend (w, "GL_KHR_shader_subgroup_ballot");

  return g_strdup_printf ("subgroupBallot (%s).x", x);
}

static char *
gl_library (CWriter     *w,
            AccPrimitive primitive,
            const char  *x G_GNUC_UNUSED,
            const char  *y G_GNUC_UNUSED)
{
  c_fail (w, "there is no library for %s", acc_primitive_get_info (primitive)->name);

  return NULL;
}

static char *
gl_approximate (CWriter     *w G_GNUC_UNUSED,
                AccPrimitive primitive,
                const char  *x)
{
  return g_strdup_printf ("%s (%s)", acc_primitive_get_info (primitive)->name, x);
}

static char *
gl_extend (CWriter       *w G_GNUC_UNUSED,
           AccElementKind kind,
           guint          bits,
           const char    *x)
{
  return kind == ACC_KIND_I32 ? g_strdup_printf ("bitfieldExtract (%s, 0, %u)", x, bits) : NULL;
}

static char *
gl_estimate (CWriter     *w G_GNUC_UNUSED,
             AccPrimitive of,
             const char  *x)
{
  return g_strdup_printf ("%s (%s)", of == ACC_PRIM_SQRT ? "inversesqrt" : of == ACC_PRIM_EXP ? "exp2" : "1.0f /", x);
}

static const CSyntax syntax = {
  .load = gl_load,
  .store = gl_store,
  .words = gl_words,
  .atomic = gl_atomic,
  .cas = gl_cas,
  .barrier = gl_barrier,
  .subgroup_barrier = gl_subgroup_barrier,
  .fence = gl_fence,
  .shuffle = gl_shuffle,
  .ballot = gl_ballot,
  .library = gl_library,
  .approximate = gl_approximate,
  .inverse_root = "inversesqrt",
  .splits_floats = TRUE,
  .extend = gl_extend,
  .estimate = gl_estimate,
};

/* --- the whole */

guint
acc_emit_glsl_count_bytes (AccKernel *kernel)
{
  g_return_val_if_fail (kernel != NULL, 0);

  return (kernel->params->len + 9) * 8;
}

static void
append_head (GString *s,
             CWriter *w)
{
  const AccCDialect *dialect = w->dialect;
  gboolean has_double = c_uses_kind (w->kernel, ACC_KIND_F64);

  c_extend (w, "GL_EXT_shader_explicit_arithmetic_types_int64");
  if (dialect->has_addresses)
    c_extend (w, "GL_EXT_buffer_reference");
  if (dialect->has_half && c_uses_kind (w->kernel, ACC_KIND_F16))
    c_extend (w, "GL_EXT_shader_explicit_arithmetic_types_float16");
  if (dialect->keeps_denormals || dialect->keeps_nans)
    c_extend (w, "GL_EXT_spirv_intrinsics");

  g_string_append (s, "#version 450\n");
  c_append_extensions (w, s, "#extension % : require\n");
  /* Execution modes DenormPreserve and SignedZeroInfNanPreserve. */
  if (dialect->keeps_denormals)
    g_string_append (s, "spirv_execution_mode (extensions = [\"SPV_KHR_float_controls\"], capabilities = [4464], 4459, 32);\n");
  if (dialect->keeps_nans)
    g_string_append (s, "spirv_execution_mode (extensions = [\"SPV_KHR_float_controls\"], capabilities = [4466], 4461, 32);\n");
  if (dialect->keeps_nans && has_double)
    g_string_append (s, "spirv_execution_mode (extensions = [\"SPV_KHR_float_controls\"], capabilities = [4466], 4461, 64);\n");
  g_string_append_printf (s, "layout (local_size_x = %u) in;\n", w->kernel->group_size);
}

/* The words of the launch: what W (n) is; and the failure. */
static void
append_words (GString *s,
              CWriter *w)
{
  const AccKernel *kernel = w->kernel;
  guint n_buffers = gl_number_of_buffer (kernel, kernel->params->len), n_words = kernel->params->len + 9;
  gboolean pushed = n_words * 8 <= w->dialect->push_bytes;

  if (pushed)
    g_string_append_printf (s, "layout (push_constant, std430) uniform Words\n{\n  uint64_t w[%u];\n} words;\n#define W(n) words.w[n]\n",
                            n_words);
  else if (w->dialect->has_addresses)
    g_string_append_printf (s,
                            "layout (buffer_reference, std430, buffer_reference_align = 8) readonly buffer Words\n"
                            "{\n  uint64_t w[%u];\n};\n"
                            "layout (push_constant, std430) uniform Place\n{\n  uint64_t words;\n} place;\n"
                            "#define W(n) Words (place.words).w[n]\n", n_words);
  else
    g_string_append_printf (s, "layout (std430, set = 0, binding = %u) readonly buffer Words\n{\n  uint64_t w[%u];\n} words;\n"
                            "#define W(n) words.w[n]\n", n_buffers + 1, n_words);
  g_string_append_printf (s, "#define SLOT(n) W (n)\n#define WORD(n) int64_t (W (n + %u))\n", kernel->params->len);

  if (w->dialect->has_addresses)
    g_string_append_printf (s,
                            "layout (buffer_reference, std430, buffer_reference_align = 8) coherent buffer Failure\n"
                            "{\n  int state;\n  uint kind, origin, pad;\n  int64_t index, extent;\n};\n"
                            "#define FAILURE Failure (W (%u))\n", n_words - 1);
  else
    g_string_append_printf (s,
                            "layout (std430, set = 0, binding = %u) coherent buffer Failure\n"
                            "{\n  int state;\n  uint kind, origin, pad;\n  int64_t index, extent;\n} failure;\n"
                            "#define FAILURE failure\n", n_buffers);
  g_string_append (s, fail_text);
}

static void
append_shared (GString *s,
               CWriter *w)
{
  for (guint i = 0; i < w->kernel->shared->len; i++)
    {
      const AccKernelParam *shared = &g_array_index (w->kernel->shared, AccKernelParam, i);
      gsize size = acc_element_kind_get_size (shared->kind), stored = acc_element_kind_get_size (w->storage[i]);

      if (gl_is_wide (w, i | ACC_KERNEL_SHARED))
        {
          g_string_append_printf (s, "shared words4 m%u[%u];\n", i, (guint) ((shared->n_elements * size + 15) / 16));
          continue;
        }
      gl_extend_for_memory (w, w->storage[i], TRUE);
      g_string_append_printf (s, "shared %s m%u[%u];\n", gl_memory_type (w->storage[i]), i,
                              (guint) ((shared->n_elements * size + stored - 1) / stored));
    }
}

char *
acc_emit_glsl (AccKernel         *kernel,
               const AccCDialect *dialect,
               gboolean           quick,
               GError           **error)
{
  GString *s;
  g_autoptr(GString) shared = NULL;
  CWriter w;

  c_writer_init (&w, kernel, dialect, &syntax, quick);
  gl_choose_storage (&w);
  if (!c_write_body (&w, error))
    {
      c_writer_clear (&w);
      return NULL;
    }

  shared = g_string_new (NULL);
  append_shared (shared, &w);
  s = g_string_new (NULL);
  append_head (s, &w);
  g_string_append (s, prelude);
  g_string_append (s, dialect->misdivides_words && c_has_once (&w, "divide_u64") ? plain_wide_text : wide_text);
  if (dialect->has_half && c_uses_kind (kernel, ACC_KIND_F16))
    g_string_append (s, half_text);
  append_words (s, &w);
  g_string_append (s, w.types->str);
  g_string_append (s, shared->str);
  g_string_append_c (s, '\n');
  g_string_append (s, w.functions->str);
  g_string_append (s, "void main ()\n{\n");
  for (guint i = 0; i < kernel->params->len; i++)
    if (acc_kernel_param (kernel, i)->is_buffer)
      g_string_append_printf (s, dialect->has_addresses ? "  u64 p%u = SLOT (%u);\n" : "  i64 o%u = I64 (SLOT (%u));\n", i, i);
  g_string_append (s, w.body->str);
  g_string_append (s, "}\n");
  c_writer_clear (&w);

  return g_string_free (s, FALSE);
}
