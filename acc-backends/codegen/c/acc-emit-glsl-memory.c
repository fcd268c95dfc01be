/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-glsl-private.h"

/* Buffers and shared memory in GLSL. */

const char *
gl_memory_type (AccElementKind kind)
{
  static const char *const small[] = {
    [ACC_KIND_BOOL] = "uint8_t", [ACC_KIND_I8] = "int8_t", [ACC_KIND_I16] = "int16_t",
    [ACC_KIND_U8] = "uint8_t", [ACC_KIND_U16] = "uint16_t", [ACC_KIND_F16] = "uint16_t",
  };

  return kind < G_N_ELEMENTS (small) && small[kind] != NULL ? small[kind] : c_type (kind);
}

void
gl_extend_for_memory (CWriter       *w,
                      AccElementKind kind,
                      gboolean       of_shared)
{
  gsize size = acc_element_kind_get_size (kind);

  if (size == 1)
    c_extend (w, of_shared ? "GL_EXT_shader_explicit_arithmetic_types_int8" : "GL_EXT_shader_8bit_storage");
  if (size == 2)
    c_extend (w, of_shared ? "GL_EXT_shader_explicit_arithmetic_types_int16" : "GL_EXT_shader_16bit_storage");
}

guint
gl_number_of_buffer (const AccKernel *kernel,
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
                            gl_number_of_buffer (w->kernel, buffer), words, buffer, type, access, type, name);
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

  gl_extend_for_memory (w, kind, FALSE);
  if (w->dialect->has_addresses)
    {
      name = reference (w, buffer, gl_memory_type (kind), bytes);
      if (bytes > size)
        return g_strdup_printf ("%s ((p%u + U64 (%s) * %uUL) & ~3UL).d", name, buffer, index, size);

      return size == 1 ? g_strdup_printf ("%s (p%u + U64 (%s)).d", name, buffer, index)
                       : g_strdup_printf ("%s (p%u + U64 (%s) * %uUL).d", name, buffer, index, size);
    }

  name = binding (w, buffer, gl_memory_type (kind));
  if (bytes > size)
    return g_strdup_printf ("%s.d[U32 (o%u + %s) / %uu]", name, buffer, index, 4 / size);

  return g_strdup_printf ("%s.d[U32 (o%u + %s)]", name, buffer, index);
}

/* Whether shared memory is declared as words4, for quick code. */
gboolean
gl_is_wide (CWriter *w,
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

char *
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
void
gl_choose_storage (CWriter *w)
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

  gl_extend_for_memory (w, w->storage[number], TRUE);
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

char *
gl_load (CWriter    *w,
         guint32     buffer,
         const char *index)
{
  if (gl_is_wide (w, buffer))
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

void
gl_store (CWriter    *w,
          guint32     buffer,
          const char *index,
          const char *value)
{
  if (gl_is_wide (w, buffer))
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
    c_line (w, "%s = %s (%s);", x, gl_memory_type (kind), value);
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

void
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

void
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
