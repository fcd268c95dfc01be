/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-c-private.h"

#include <string.h>

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

/* --- memory */

static const char *
memory_type (AccElementKind kind)
{
  switch ((int) kind)
    {
    case ACC_KIND_BOOL:
    case ACC_KIND_U8:
      return "uint8_t";
    case ACC_KIND_I8:
      return "int8_t";
    case ACC_KIND_I16:
      return "int16_t";
    case ACC_KIND_U16:
    case ACC_KIND_F16:
      return "uint16_t";
    default:
      return c_type (kind);
    }
}

static void
extend_for_memory (CWriter       *w,
                   AccElementKind kind,
                   gboolean       of_shared)
{
  gsize size = acc_element_kind_get_size (kind);

  if (size == 1)
    c_extend (w, of_shared ? "GL_EXT_shader_explicit_arithmetic_types_int8" : "GL_EXT_shader_8bit_storage");
  if (size == 2)
    c_extend (w, of_shared ? "GL_EXT_shader_explicit_arithmetic_types_int16" : "GL_EXT_shader_16bit_storage");
}

static guint
number_of_buffer (const AccKernel *kernel,
                  guint32          param)
{
  guint n = 0;

  for (guint i = 0; i < param; i++)
    n += acc_kernel_param (kernel, i)->is_buffer;

  return n;
}

/* How memory is seen: a letter for names, and words. */
static const char *
access_of (CWriter              *w,
           const AccKernelParam *param,
           const char          **words)
{
  gboolean is_written = (param->flags & ACC_BUFFER_WRITE) != 0;

  if (param->flags & ACC_BUFFER_COHERENT)
    {
      /* Without volatile, what a loop waits for may be loaded once and for all; elsewhere it takes longer for nothing. */
      *words = w->n_whiles > 0 ? "coherent volatile " : "coherent ";
      return w->n_whiles > 0 ? "v" : "c";
    }
  if (!is_written && (param->flags & ACC_BUFFER_NO_ALIAS))
    {
      *words = "readonly restrict ";
      return "r";
    }
  /* What a thread stores others of its group may load. */
  if (is_written && (param->flags & ACC_BUFFER_READ) && w->flushes != NULL)
    {
      *words = "coherent ";
      return "g";
    }
  *words = is_written ? "" : "readonly ";
  return is_written ? "w" : "o";
}

/* What makes a reference to a buffer's memory as @type, of @bytes, from an address. */
static char *
reference (CWriter    *w,
           guint32     buffer,
           const char *type,
           guint       bytes)
{
  const char *words, *access = access_of (w, acc_kernel_param (w->kernel, buffer), &words);
  char *name = g_strdup_printf ("Ref_%s_%s", type, access);

  if (c_once (w, name))
    g_string_append_printf (w->types, "layout (buffer_reference, std430, buffer_reference_align = %u) %sbuffer %s\n{\n  %s d;\n};\n",
                            bytes, words, name, type);
  return name;
}

/* A buffer's memory as an array of @type. */
static char *
binding (CWriter    *w,
         guint32     buffer,
         const char *type)
{
  const char *words, *access = access_of (w, acc_kernel_param (w->kernel, buffer), &words);
  char *name = g_strdup_printf ("b%u_%s_%s", buffer, type, access);

  if (c_once (w, name))
    g_string_append_printf (w->types, "layout (std430, set = 0, binding = %u) %sbuffer B%u_%s_%s\n{\n  %s d[];\n} %s;\n",
                            number_of_buffer (w->kernel, buffer), words, buffer, type, access, type, name);
  return name;
}

/* The element at @index of a buffer, as one of @kind, which may not be the buffer's own; @byte: the word around that is meant. */
static char *
element (CWriter       *w,
         guint32        buffer,
         const char    *index,
         AccElementKind kind)
{
  guint size = acc_element_kind_get_size (acc_kernel_param (w->kernel, buffer)->kind), bytes = acc_element_kind_get_size (kind);
  g_autofree char *name = NULL;

  extend_for_memory (w, kind, FALSE);
  if (w->dialect->has_addresses)
    {
      name = reference (w, buffer, memory_type (kind), bytes);
      if (bytes > size)
        return g_strdup_printf ("%s ((p%u + U64 (%s) * %uUL) & ~3UL).d", name, buffer, index, size);

      return size == 1 ? g_strdup_printf ("%s (p%u + U64 (%s)).d", name, buffer, index)
                       : g_strdup_printf ("%s (p%u + U64 (%s) * %uUL).d", name, buffer, index, size);
    }

  name = binding (w, buffer, memory_type (kind));
  if (bytes > size)
    return g_strdup_printf ("%s.d[U32 (o%u + %s) / %uu]", name, buffer, index, 4 / size);

  return g_strdup_printf ("%s.d[U32 (o%u + %s)]", name, buffer, index);
}

/* Whether shared memory is declared as words4, for quick code. */
static gboolean
is_wide (CWriter *w,
         guint32  buffer)
{
  return c_is_shared (buffer) && w->packs != NULL && (acc_kernel_buffer (w->kernel, buffer)->flags & ACC_BUFFER_WIDE) != 0;
}

/* Word @word of the element at @index of such memory. */
static char *
wide_word (CWriter    *w,
           guint32     buffer,
           const char *index,
           guint       word)
{
  guint number = buffer & ~ACC_KERNEL_SHARED;

  if (acc_element_kind_get_size (acc_kernel_buffer (w->kernel, buffer)->kind) == 4)
    return g_strdup_printf ("m%u[U32 (%s) / 4u][U32 (%s) & 3u]", number, index, index);

  return g_strdup_printf ("m%u[U32 (%s) / 2u][(U32 (%s) & 1u) * 2u + %uu]", number, index, index, word);
}

static char *
gl_words (CWriter    *w,
          guint32     buffer,
          const char *index,
          guint       n_words)
{
  guint size = acc_element_kind_get_size (acc_kernel_buffer (w->kernel, buffer)->kind);
  g_autofree char *name = NULL;

  if (c_is_shared (buffer))
    return g_strdup_printf ("m%u[%s]", buffer & ~ACC_KERNEL_SHARED, index);
  if (w->dialect->has_addresses)
    {
      name = reference (w, buffer, c_words (n_words), 4 * n_words);
      return g_strdup_printf ("%s (p%u + U64 (%s) * %uUL).d", name, buffer, index, size);
    }
  name = binding (w, buffer, c_words (n_words));
  return g_strdup_printf ("%s.d[U32 (o%u + %s) / %uu]", name, buffer, index, 4 * n_words / size);
}

static AccElementKind
word_kind (AccElementKind kind)
{
  return c_is_long (kind) ? ACC_KIND_U64 : ACC_KIND_U32;
}

/* Shared memory has one type: that which its atomics take, where there are any. */
static void
choose_storage (CWriter *w)
{
  const AccKernel *kernel = w->kernel;

  for (guint i = 0; i < kernel->shared->len; i++)
    w->storage[i] = g_array_index (kernel->shared, AccKernelParam, i).kind;

  for (guint32 i = 1; i < kernel->instrs->len; i++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (kernel, i);
      guint number = instr->args[0] & ~ACC_KERNEL_SHARED;

      if ((instr->op != ACC_KOP_ATOMIC && instr->op != ACC_KOP_CAS) || !c_is_shared (instr->args[0]))
        continue;
      if ((acc_element_kind_is_float (instr->kind) && !c_adds_floats (w, instr)) || acc_element_kind_get_size (instr->kind) < 4)
        w->storage[number] = word_kind (instr->kind);
    }
}

static char *
shared_element (CWriter    *w,
                guint32     buffer,
                const char *index)
{
  guint number = buffer & ~ACC_KERNEL_SHARED;
  AccElementKind kind = acc_kernel_buffer (w->kernel, buffer)->kind;

  extend_for_memory (w, w->storage[number], TRUE);
  if (acc_element_kind_get_size (kind) < acc_element_kind_get_size (w->storage[number]))
    return g_strdup_printf ("m%u[U32 (%s) / %uu]", number, index, (guint) (4 / acc_element_kind_get_size (kind)));

  return g_strdup_printf ("m%u[U32 (%s)]", number, index);
}

static char *
place_of (CWriter       *w,
          guint32        buffer,
          const char    *index,
          AccElementKind kind)
{
  return c_is_shared (buffer) ? shared_element (w, buffer, index) : element (w, buffer, index, kind);
}

static AccElementKind
stored_kind (CWriter *w,
             guint32  buffer)
{
  return c_is_shared (buffer) ? w->storage[buffer & ~ACC_KERNEL_SHARED] : acc_kernel_buffer (w->kernel, buffer)->kind;
}

/* By how much the element of a word is shifted. */
static char *
shift_of (CWriter       *w,
          guint32        buffer,
          const char    *index,
          AccElementKind kind)
{
  guint size = acc_element_kind_get_size (kind), mask = 4 / size - 1;

  if (c_is_shared (buffer))
    return g_strdup_printf ("(U32 (%s) & %uu) * %uu", index, mask, 8 * size);
  if (w->dialect->has_addresses)
    return g_strdup_printf ("(U32 (p%u + U64 (%s) * %uUL) & 3u) * 8u", buffer, index, size);

  return g_strdup_printf ("(U32 (o%u + %s) & %uu) * %uu", buffer, index, mask, 8 * size);
}

static char *
wide_load (CWriter    *w,
           guint32     buffer,
           const char *index)
{
  AccElementKind kind = acc_kernel_buffer (w->kernel, buffer)->kind;
  g_autofree char *low = wide_word (w, buffer, index, 0), *high = wide_word (w, buffer, index, 1);
  g_autofree char *both = c_is_long (kind) ? g_strdup_printf ("JOIN (%s, %s)", low, high) : NULL;

  return c_from_bits (kind, both != NULL ? both : low);
}

static void
wide_store (CWriter    *w,
            guint32     buffer,
            const char *index,
            const char *value)
{
  AccElementKind kind = acc_kernel_buffer (w->kernel, buffer)->kind;
  g_autofree char *low = wide_word (w, buffer, index, 0), *high = wide_word (w, buffer, index, 1), *bits = c_to_bits (kind, value);

  if (c_is_long (kind))
    {
      c_line (w, "%s = LOW (%s);", low, bits);
      c_line (w, "%s = HIGH (%s);", high, bits);
    }
  else
    c_line (w, "%s = %s;", low, bits);
}

static char *
gl_load (CWriter    *w,
         guint32     buffer,
         const char *index)
{
  if (is_wide (w, buffer))
    return wide_load (w, buffer, index);

  AccElementKind kind = acc_kernel_buffer (w->kernel, buffer)->kind, stored = stored_kind (w, buffer);
  g_autofree char *x = place_of (w, buffer, index, stored);
  gsize size = acc_element_kind_get_size (kind);

  if (stored != kind && size < 4)
    {
      g_autofree char *shift = shift_of (w, buffer, index, kind);
      g_autofree char *bits = g_strdup_printf ("(%s >> %s & %s)", x, shift, size == 1 ? "0xffu" : "0xffffu");

      return c_from_bits (kind, bits);
    }
  if (stored != kind)
    return c_from_bits (kind, x);
  if (kind == ACC_KIND_BOOL)
    return g_strdup_printf ("uint (%s) != 0u", x);
  if (size < 4)
    return g_strdup_printf ("%s (%s)", kind == ACC_KIND_I8 || kind == ACC_KIND_I16 ? "int" : "uint", x);

  return g_steal_pointer (&x);
}

static void
gl_store (CWriter    *w,
          guint32     buffer,
          const char *index,
          const char *value)
{
  if (is_wide (w, buffer))
    {
      wide_store (w, buffer, index, value);
      return;
    }

  AccElementKind kind = acc_kernel_buffer (w->kernel, buffer)->kind, stored = stored_kind (w, buffer);
  g_autofree char *x = place_of (w, buffer, index, stored);
  gsize size = acc_element_kind_get_size (kind);

  if (stored != kind && size < 4)
    {
      g_autofree char *shift = shift_of (w, buffer, index, kind), *bits = c_to_bits (kind, value);

      /* Others store to the rest of the word. */
      c_open (w);
      c_line (w, "uint shift = %s;", shift);
      c_line (w, "atomicAnd (%s, ~(%s << shift));", x, size == 1 ? "0xffu" : "0xffffu");
      c_line (w, "atomicOr (%s, %s << shift);", x, bits);
      c_close (w);
    }
  else if (stored != kind)
    {
      g_autofree char *bits = c_to_bits (kind, value);

      c_line (w, "%s = %s;", x, bits);
    }
  else if (kind == ACC_KIND_BOOL)
    c_line (w, "%s = uint8_t (%s ? 1u : 0u);", x, value);
  else if (size < 4)
    c_line (w, "%s = %s (%s);", x, memory_type (kind), value);
  else
    c_line (w, "%s = %s;", x, value);
}

static void
extend_for_atomics (CWriter       *w,
                    AccElementKind kind)
{
  if (c_is_long (kind))
    c_extend (w, "GL_EXT_shader_atomic_int64");
}

static void
gl_atomic (CWriter    *w,
           guint32     id,
           const char *index,
           const char *value)
{
  static const char *const names[] = { "Add", "Min", "Max", "And", "Or", "Xor", "Exchange" };
  const AccKernelInstr *instr = acc_kernel_instr (w->kernel, id);
  guint32 buffer = instr->args[0];
  KAtomic how = instr->bits;
  gboolean is_float = acc_element_kind_is_float (instr->kind);
  AccElementKind stored = c_is_shared (buffer) ? stored_kind (w, buffer)
                          : is_float && !c_adds_floats (w, instr) ? word_kind (instr->kind) : instr->kind;
  g_autofree char *x = place_of (w, buffer, index, stored), *bits = NULL, *call = NULL;

  if (is_float && stored == instr->kind)
    {
      c_extend (w, "GL_EXT_shader_atomic_float");
      c_line (w, "v%u = atomicAdd (%s, %s);", id, x, value);
      return;
    }
  extend_for_atomics (w, instr->kind);
  if (!is_float)
    {
      c_line (w, "v%u = atomic%s (%s, %s);", id, names[how], x, value);
      return;
    }
  if (how == KB_ATOMIC_ADD)
    {
      g_autofree char *cas = g_strdup_printf ("atomicCompSwap (%s, ", x);

      c_cas_add (w, id, x, cas, value);
      return;
    }

  bits = c_to_bits (instr->kind, value);
  call = g_strdup_printf ("atomicExchange (%s, %s)", x, bits);
  c_set_bits (w, id, call);
}

static void
gl_cas (CWriter    *w,
        guint32     id,
        const char *index,
        const char *expected,
        const char *desired)
{
  const AccKernelInstr *instr = acc_kernel_instr (w->kernel, id);
  guint32 buffer = instr->args[0];
  gboolean is_small = acc_element_kind_get_size (instr->kind) < 4;
  AccElementKind stored = c_is_shared (buffer) ? stored_kind (w, buffer)
                          : is_small || acc_element_kind_is_float (instr->kind) ? word_kind (instr->kind) : instr->kind;
  g_autofree char *x = place_of (w, buffer, index, stored);

  extend_for_atomics (w, instr->kind);
  if (is_small)
    {
      g_autofree char *cas = g_strdup_printf ("atomicCompSwap (%s, ", x), *shift = shift_of (w, buffer, index, instr->kind);

      c_cas_part (w, id, x, cas, shift, expected, desired);
    }
  else if (stored == instr->kind)
    c_line (w, "v%u = atomicCompSwap (%s, %s, %s);", id, x, expected, desired);
  else
    {
      g_autofree char *want = c_to_bits (instr->kind, expected), *change = c_to_bits (instr->kind, desired);
      g_autofree char *call = g_strdup_printf ("atomicCompSwap (%s, %s, %s)", x, want, change);

      c_set_bits (w, id, call);
    }
}

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
  guint n_buffers = number_of_buffer (kernel, kernel->params->len), n_words = kernel->params->len + 9;
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

      if (is_wide (w, i | ACC_KERNEL_SHARED))
        {
          g_string_append_printf (s, "shared words4 m%u[%u];\n", i, (guint) ((shared->n_elements * size + 15) / 16));
          continue;
        }
      extend_for_memory (w, w->storage[i], TRUE);
      g_string_append_printf (s, "shared %s m%u[%u];\n", memory_type (w->storage[i]), i,
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
  choose_storage (&w);
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
