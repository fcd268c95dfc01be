/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-c-private.h"

/* Loads, stores and atomics. */

gboolean
c_is_shared (guint32 buffer)
{
  return (buffer & ACC_KERNEL_SHARED) != 0;
}

gboolean
c_adds_floats (CWriter              *w,
               const AccKernelInstr *instr)
{
  return instr->op == ACC_KOP_ATOMIC && instr->bits == KB_ATOMIC_ADD && acc_element_kind_is_float (instr->kind) &&
         (instr->kind == ACC_KIND_F32 ? w->dialect->has_atomic_add_f32 : w->dialect->has_atomic_add_f64);
}

void
c_cas_part (CWriter    *w,
            guint32     id,
            const char *word,
            const char *cas,
            const char *shift,
            const char *expected,
            const char *desired)
{
  AccElementKind kind = acc_kernel_instr (w->kernel, id)->kind;
  g_autofree char *x = c_to_bits (kind, expected), *y = c_to_bits (kind, desired);
  g_autofree char *result = c_from_bits (kind, "(old >> shift & mask)");
  g_autofree char *swap = g_strconcat (cas, "old, (old & ~(mask << shift)) | change << shift)", NULL);

  c_line (w, "u32 shift = %s, mask = %s, want = %s, change = %s;", shift,
          acc_element_kind_get_size (kind) == 1 ? "0xffu" : "0xffffu", x, y);
  c_line (w, "u32 old = %s;", word);
  c_line (w, "while ((old >> shift & mask) == want)");
  w->depth++;
  c_open (w);
  c_line (w, "u32 seen = %s;", swap);
  c_line (w, "if (seen == old)");
  c_line (w, "  break;");
  c_line (w, "old = seen;");
  c_close (w);
  w->depth--;
  c_line (w, "v%u = %s;", id, result);
}

void
c_cas_add (CWriter    *w,
           guint32     id,
           const char *word,
           const char *cas,
           const char *value)
{
  AccElementKind kind = acc_kernel_instr (w->kernel, id)->kind;
  const char *type = c_is_long (kind) ? "u64" : "u32";
  g_autofree char *before = c_from_bits (kind, "old");
  g_autofree char *after = c_to_bits (kind, "sum");
  g_autofree char *swap = g_strconcat (cas, "old, ", after, ")", NULL);

  c_line (w, "%s old = %s;", type, word);
  c_line (w, "while (true)");
  w->depth++;
  c_open (w);
  c_line (w, "EXACT %s sum = %s + %s;", c_type (kind), before, value);
  c_line (w, "%s seen = %s;", type, swap);
  c_line (w, "if (seen == old)");
  c_line (w, "  break;");
  c_line (w, "old = seen;");
  c_close (w);
  w->depth--;
  c_line (w, "v%u = %s;", id, before);
}

/* The part of the words of a pack, named q and its number, that is the element of @lane. */
static char *
element_of_pack (AccElementKind kind,
                 const CPack   *pack,
                 guint          number,
                 guint          lane)
{
  guint size = acc_element_kind_get_size (kind), n_words = pack->n * size / 4, word = lane * size / 4;
  g_autofree char *low = n_words == 1 ? g_strdup_printf ("q%u", number) : g_strdup_printf ("q%u.%c", number, "xyzw"[word]);
  g_autofree char *bits = NULL;

  if (size == 8)
    bits = g_strdup_printf ("JOIN (%s, q%u.%c)", low, number, "xyzw"[word + 1]);
  else if (size < 4)
    bits = g_strdup_printf ("(%s >> %uu & %s)", low, lane * size % 4 * 8, size == 1 ? "0xffu" : "0xffffu");

  return c_from_bits (kind, bits != NULL ? bits : low);
}

/* The words of a pack that is stored. */
static char *
words_of_pack (CWriter       *w,
               AccElementKind kind,
               const CPack   *pack)
{
  guint size = acc_element_kind_get_size (kind), n_words = pack->n * size / 4;
  GString *s = g_string_new (NULL);

  for (guint word = 0; word < n_words; word++)
    {
      guint lane = word * 4 / size;
      g_autofree char *x = c_value (w, acc_kernel_instr (w->kernel, pack->ids[lane])->args[2]);
      g_autofree char *bits = c_to_bits (kind, x);

      g_string_append (s, word > 0 ? ", " : "");
      if (size == 4)
        g_string_append (s, bits);
      else if (size == 8)
        g_string_append_printf (s, word % 2 == 0 ? "LOW (%s)" : "HIGH (%s)", bits);
      else
        for (guint k = 0; k < 4 / size; k++)
          {
            g_autofree char *y = c_value (w, acc_kernel_instr (w->kernel, pack->ids[lane + k])->args[2]);
            g_autofree char *part = c_to_bits (kind, y);

            g_string_append_printf (s, "%s%s << %uu", k > 0 ? " | " : "", part, 8 * size * k);
          }
    }

  return g_string_free (s, FALSE);
}

/* The number of a pack of @n elements of shared memory, the @lead-th of which is at the index @id. What a constant adds to it is added
 * after the division, so that it becomes an offset. */
static char *
number_of_pack (CWriter *w,
                guint32  id,
                guint    lead,
                guint    n)
{
  const AccKernelInstr *instr = acc_kernel_instr (w->kernel, id);
  gint64 constant = 0;
  g_autofree char *x = NULL;

  for (guint i = 0; i < 2 && instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD; i++)
    {
      const AccKernelInstr *added = acc_kernel_instr (w->kernel, instr->args[i]);

      if (added->op == ACC_KOP_CONST && (gint64) added->bits >= lead && ((gint64) added->bits - lead) % n == 0)
        {
          constant = (gint64) added->bits;
          id = instr->args[1 - i];
          break;
        }
    }

  x = c_low (w, id);
  if (constant == 0 && lead > 0)
    return g_strdup_printf ("(U32 (%s) - %uu) / %uu", x, lead, n);

  return g_strdup_printf ("U32 (%s) / %uu + %uu", x, n, (guint) (constant - lead) / n);
}

static void
write_packed (CWriter              *w,
              guint32               id,
              const AccKernelInstr *instr)
{
  guint number = w->packs->of[id];
  const CPack *pack = &g_array_index (w->packs->packs, CPack, number - 1);
  gboolean is_store = instr->op == ACC_KOP_STORE;
  guint lead = is_store ? pack->last_lane : pack->first_lane;
  guint32 buffer = instr->args[0];
  AccElementKind kind = acc_kernel_buffer (w->kernel, buffer)->kind;
  guint n_words = pack->n * acc_element_kind_get_size (kind) / 4;

  if (id == pack->ids[lead])
    {
      g_autofree char *own = c_index (w, instr->args[1]);
      g_autofree char *index = c_is_shared (buffer) ? number_of_pack (w, instr->args[1], lead, pack->n)
                               : lead == 0 ? g_strdup (own) : g_strdup_printf ("I64 (U64 (%s) - %uUL)", own, lead);
      g_autofree char *place = w->syntax->words (w, buffer, index, n_words);
      g_autofree char *words = is_store ? words_of_pack (w, kind, pack) : NULL;

      if (is_store)
        c_line (w, "%s = WORDS%u (%s);", place, n_words, words);
      else
        c_line (w, "%s q%u = %s;", c_words (n_words), number, place);
    }
  if (!is_store)
    for (guint lane = 0; lane < pack->n; lane++)
      if (pack->ids[lane] == id)
        {
          g_autofree char *element = element_of_pack (kind, pack, number, lane);

          c_assign (w, id, element);
        }
}

void
c_write_memory (CWriter              *w,
                guint32               id,
                const AccKernelInstr *instr)
{
  g_autofree char *index = c_index (w, instr->args[1]);
  g_autofree char *x = instr->n_args > 2 ? c_value (w, instr->args[2]) : NULL;
  g_autofree char *y = instr->n_args > 3 ? c_value (w, instr->args[3]) : NULL;

  if (w->packs != NULL && w->packs->of[id] != 0)
    {
      write_packed (w, id, instr);
      return;
    }
  if (instr->op == ACC_KOP_LOAD)
    {
      g_autofree char *element = w->syntax->load (w, instr->args[0], index);

      c_assign (w, id, element);
      return;
    }
  if (instr->op == ACC_KOP_STORE)
    {
      w->syntax->store (w, instr->args[0], index, x);
      return;
    }

  if (c_is_long (instr->kind) && !w->dialect->has_atomic_64)
    {
      c_fail (w, "there are no atomics of 8 bytes");
      return;
    }
  c_line (w, "%s v%u;", c_type (instr->kind), id);
  c_open (w);
  if (instr->op == ACC_KOP_CAS)
    w->syntax->cas (w, id, index, x, y);
  else
    w->syntax->atomic (w, id, index, x);
  c_close (w);
}
