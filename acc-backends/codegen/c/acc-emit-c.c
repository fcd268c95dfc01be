/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-c-private.h"

#include <string.h>

#include "acc-error.h"

/* --- writing */

void
c_writer_init (CWriter           *w,
               AccKernel         *kernel,
               const AccCDialect *dialect,
               const CSyntax     *syntax)
{
  *w = (CWriter) {
    .kernel = kernel,
    .dialect = dialect,
    .syntax = syntax,
    .types = g_string_new (NULL),
    .functions = g_string_new (NULL),
    .body = g_string_new (NULL),
    .depth = 1,
    .known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .extensions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .storage = g_new0 (guint8, kernel->shared->len),
    .flushes = c_find_flushes (kernel),
  };
}

void
c_writer_clear (CWriter *w)
{
  g_string_free (w->types, TRUE);
  g_string_free (w->functions, TRUE);
  g_string_free (w->body, TRUE);
  g_hash_table_unref (w->known);
  g_hash_table_unref (w->extensions);
  g_clear_pointer (&w->packs, c_packs_free);
  g_free (w->widths);
  g_free (w->storage);
  g_free (w->flushes);
  g_clear_error (&w->error);
}

void
c_writer_hurry (CWriter *w)
{
  w->packs = c_find_packs (w->kernel);
  w->widths = c_find_widths (w->kernel);
  g_string_truncate (w->body, 0);
}

static gboolean
has_width (CWriter *w,
           guint32  id,
           guint8   width)
{
  return w->widths != NULL && (w->widths[id] & width) != 0;
}

static void
indent (CWriter *w)
{
  for (guint i = 0; i < w->depth; i++)
    g_string_append (w->body, "  ");
}

void
c_line (CWriter    *w,
        const char *format,
        ...)
{
  va_list args;

  indent (w);
  va_start (args, format);
  g_string_append_vprintf (w->body, format, args);
  va_end (args);
  g_string_append_c (w->body, '\n');
}

void
c_open (CWriter *w)
{
  c_line (w, "{");
  w->depth++;
}

void
c_close (CWriter *w)
{
  w->depth--;
  c_line (w, "}");
}

void
c_fail (CWriter    *w,
        const char *format,
        ...)
{
  g_autofree char *message = NULL;
  va_list args;

  if (w->error != NULL)
    return;
  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (&w->error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Kernel “%s”: %s", w->kernel->name, message);
}

gboolean
c_once (CWriter    *w,
        const char *name)
{
  return g_hash_table_add (w->known, g_strdup (name));
}

gboolean
c_has_once (CWriter    *w,
            const char *name)
{
  return g_hash_table_contains (w->known, name);
}

void
c_extend (CWriter    *w,
          const char *extension)
{
  g_hash_table_add (w->extensions, g_strdup (extension));
}

/* --- kinds and constants */

static const struct {
  const char *type;
  const char *cast;
} kinds[] = {
  [ACC_KIND_BOOL] = { "bool", "bool" },
  [ACC_KIND_I8] = { "i8", "I8" },
  [ACC_KIND_I16] = { "i16", "I16" },
  [ACC_KIND_I32] = { "i32", "I32" },
  [ACC_KIND_I64] = { "i64", "I64" },
  [ACC_KIND_U8] = { "u8", "U8" },
  [ACC_KIND_U16] = { "u16", "U16" },
  [ACC_KIND_U32] = { "u32", "U32" },
  [ACC_KIND_U64] = { "u64", "U64" },
  [ACC_KIND_F16] = { "f16", "U16" },
  [ACC_KIND_F32] = { "f32", "F32" },
  [ACC_KIND_F64] = { "f64", "F64" },
};

const char *
c_type (AccElementKind kind)
{
  return kinds[kind].type;
}

const char *
c_cast (AccElementKind kind)
{
  return kinds[kind].cast;
}

gboolean
c_is_long (AccElementKind kind)
{
  return acc_element_kind_get_size (kind) == 8;
}

char *
c_integer (AccElementKind kind,
           guint64        bits)
{
  if (kind == ACC_KIND_BOOL)
    return g_strdup (bits != 0 ? "true" : "false");
  if (!acc_element_kind_is_signed (kind))
    return g_strdup_printf ("%" G_GUINT64_FORMAT "%s", bits, c_is_long (kind) ? "UL" : "u");
  if ((gint64) bits >= 0)
    return g_strdup_printf ("%" G_GINT64_FORMAT "%s", (gint64) bits, c_is_long (kind) ? "L" : "");
  /* The minimum has no literal. */
  if (c_is_long (kind))
    return g_strdup_printf ("(-%" G_GINT64_FORMAT "L - 1L)", -((gint64) bits + 1));

  return g_strdup_printf ("(-%" G_GINT64_FORMAT " - 1)", -((gint64) bits + 1));
}

double
c_double_of (AccElementKind kind,
             guint64        bits)
{
  guint32 word = (guint32) bits;
  float single;
  double value;

  memcpy (&single, &word, sizeof single);
  memcpy (&value, &bits, sizeof value);

  return kind == ACC_KIND_F32 ? single : value;
}

char *
c_constant (AccElementKind kind,
            guint64        bits)
{
  double value;

  if (!acc_element_kind_is_float (kind))
    return c_integer (kind, bits);
  if (kind == ACC_KIND_F16)
    return g_strdup_printf ("U16 (0x%04xu)", (guint) bits);
  value = c_double_of (kind, bits);

  /* Bits, but for the small integers that stand in formulas: not all compilers read decimals exactly. */
  if (value > -1000 && value < 1000 && value == (int) value && (value != 0 || bits == 0))
    return g_strdup_printf (kind == ACC_KIND_F32 ? "(%d.0f)" : "F64 (%d.0f)", (int) value);
  if (kind == ACC_KIND_F32)
    return g_strdup_printf ("FLOAT32 (0x%08xu)", (guint) bits);

  return g_strdup_printf ("FLOAT64 (0x%016" G_GINT64_MODIFIER "xUL)", bits);
}

char *
c_float (AccElementKind kind,
         double         value)
{
  guint64 bits = 0;

  if (kind == ACC_KIND_F32)
    {
      float single = value;

      memcpy (&bits, &single, sizeof single);
      bits = GUINT64_FROM_LE (bits);
    }
  else
    memcpy (&bits, &value, sizeof value);

  return c_constant (kind, bits);
}

char *
c_value (CWriter *w,
         guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (w->kernel, id);

  if (instr->op == ACC_KOP_CONST)
    return c_constant (instr->kind, instr->bits);
  if (has_width (w, id, C_NARROW))
    return g_strdup_printf ("WIDE (v%u)", id);

  return g_strdup_printf (instr->op == ACC_KOP_VAR ? "x%u" : "v%u", id);
}

char *
c_low (CWriter *w,
       guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (w->kernel, id);

  if (instr->op == ACC_KOP_CONST)
    return c_integer (ACC_KIND_I32, (guint64) (gint64) (gint32) (guint32) instr->bits);

  return g_strdup_printf (has_width (w, id, C_NARROW) ? "v%u" : "I32 (v%u)", id);
}

/* Constants are added in 64 bits: then they become offsets of the instruction that loads. */
char *
c_index (CWriter *w,
         guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (w->kernel, id);

  if (!has_width (w, id, C_NARROW))
    return c_value (w, id);
  for (guint i = 0; i < 2 && instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD; i++)
    {
      const AccKernelInstr *added = acc_kernel_instr (w->kernel, instr->args[i]);
      guint32 base = instr->args[1 - i];

      if (added->op == ACC_KOP_CONST && has_width (w, base, C_NARROW) && has_width (w, base, C_SMALL))
        return g_strdup_printf ("(WIDE (v%u) + %" G_GINT64_FORMAT "L)", base, (gint64) added->bits);
    }

  return g_strdup_printf ("PLACE (v%u)", id);
}

const char *
c_words (guint n)
{
  return n == 1 ? "u32" : n == 2 ? "words2" : "words4";
}

char *
c_to_bits (AccElementKind kind,
           const char    *x)
{
  if (kind == ACC_KIND_BOOL)
    return g_strdup_printf ("(%s ? 1u : 0u)", x);
  if (kind == ACC_KIND_F32)
    return g_strdup_printf ("BITS32 (%s)", x);
  if (kind == ACC_KIND_F64)
    return g_strdup_printf ("BITS64 (%s)", x);
  if (kind == ACC_KIND_I8)
    return g_strdup_printf ("(U32 (%s) & 0xffu)", x);
  if (kind == ACC_KIND_I16)
    return g_strdup_printf ("(U32 (%s) & 0xffffu)", x);

  return g_strdup_printf ("%s (%s)", c_is_long (kind) ? "U64" : "U32", x);
}

char *
c_from_bits (AccElementKind kind,
             const char    *x)
{
  if (kind == ACC_KIND_BOOL)
    return g_strdup_printf ("((%s & 0xffu) != 0u)", x);
  if (kind == ACC_KIND_F32)
    return g_strdup_printf ("FLOAT32 (%s)", x);
  if (kind == ACC_KIND_F64)
    return g_strdup_printf ("FLOAT64 (%s)", x);

  return g_strdup_printf ("%s (%s)", c_cast (kind), x);
}

/* --- statements */

static void
assign (CWriter    *w,
        guint32     id,
        const char *expression)
{
  AccElementKind kind = has_width (w, id, C_NARROW) ? ACC_KIND_I32 : acc_kernel_instr (w->kernel, id)->kind;

  c_line (w, "%s%s v%u = %s;", acc_element_kind_is_float (kind) && kind != ACC_KIND_F16 ? "EXACT " : "", c_type (kind), id,
          expression);
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

static void
write_shuffle (CWriter              *w,
               guint32               id,
               const AccKernelInstr *instr,
               const char           *x)
{
  KShuffle how = instr->bits >> 32;
  guint delta = instr->bits & G_MAXUINT32;
  g_autofree char *bits = c_to_bits (instr->kind, x);
  g_autofree char *part = g_strdup_printf ("b%u", id);
  g_autofree char *low_name = g_strdup_printf ("U32 (%s)", part), *high_name = g_strdup_printf ("U32 (%s >> 32)", part);
  g_autofree char *low = NULL, *high = NULL, *all = NULL, *result = NULL;

  c_line (w, "%s %s = %s;", c_is_long (instr->kind) ? "u64" : "u32", part, bits);
  if (c_is_long (instr->kind))
    {
      low = w->syntax->shuffle (w, how, low_name, delta);
      high = w->syntax->shuffle (w, how, high_name, delta);
      all = g_strdup_printf ("(U64 (%s) | U64 (%s) << 32)", low, high);
    }
  else
    all = w->syntax->shuffle (w, how, part, delta);
  result = c_from_bits (instr->kind, all);
  assign (w, id, result);
}

static void
write_ballot (CWriter    *w,
              guint32     id,
              const char *x)
{
  g_autofree char *text = w->syntax->ballot (w, x);

  assign (w, id, text);
}

static void
write_fail (CWriter              *w,
            const AccKernelInstr *instr)
{
  g_autofree char *index = c_value (w, instr->args[1]), *extent = c_value (w, instr->args[2]);

  c_line (w, "  FAIL (%uu, %uu, %s, %s);", (guint) (instr->bits & G_MAXUINT32), (guint) (instr->bits >> 32), index, extent);
}

static void
write_check (CWriter              *w,
             const AccKernelInstr *instr)
{
  g_autofree char *ok = c_value (w, instr->args[0]);

  c_line (w, "if (!(%s))", ok);
  write_fail (w, instr);
}

/* The check that item @i of a block is, if what follows is all that its condition decides: one branch for both. */
static const AccKernelInstr *
get_check_of_branch (CWriter *w,
                     GArray  *items,
                     guint    i)
{
  const AccKernelInstr *check, *branch;

  if (i + 1 >= items->len)
    return NULL;
  check = acc_kernel_instr (w->kernel, g_array_index (items, guint32, i));
  branch = acc_kernel_instr (w->kernel, g_array_index (items, guint32, i + 1));

  return check->op == ACC_KOP_CHECK && branch->op == ACC_KOP_IF && branch->args[0] == check->args[0] && branch->blocks[1] == 0 ? check : NULL;
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
      g_autofree char *index = (buffer & ACC_KERNEL_SHARED) != 0 ? number_of_pack (w, instr->args[1], lead, pack->n)
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

          assign (w, id, element);
        }
}

static void
write_memory (CWriter              *w,
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

      assign (w, id, element);
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

/* What is computed in 32 bits though its kind is i64, or that of what it is made of; NULL: nothing. */
static char *
write_narrow (CWriter              *w,
              guint32               id,
              const AccKernelInstr *instr)
{
  guint first = instr->op == ACC_KOP_SELECT ? 1 : 0, last = instr->n_args - 1;
  AccElementKind from = acc_kernel_instr (w->kernel, instr->args[first])->kind;
  gboolean is_narrow = has_width (w, id, C_NARROW);
  g_autofree char *x = NULL, *y = NULL, *condition = NULL;

  if (instr->op == ACC_KOP_CAST && is_narrow)
    {
      x = c_value (w, instr->args[0]);
      return c_convert (w, from, ACC_KIND_I32, x);
    }
  if (from != ACC_KIND_I64)
    return NULL;
  if (!is_narrow)
    {
      gboolean compares = instr->op == ACC_KOP_PRIM && instr->kind == ACC_KIND_BOOL;

      if (!compares && instr->op != ACC_KOP_CAST)
        return NULL;
      for (guint i = first; i <= last; i++)
        if (!has_width (w, instr->args[i], C_SMALL))
          return NULL;
    }

  x = c_low (w, instr->args[first]);
  y = c_low (w, instr->args[last]);
  switch ((int) instr->op)
    {
    case ACC_KOP_PRIM:
      /* Signed where nothing overflows: compilers make more of that. */
      if (has_width (w, id, C_SMALL) && has_width (w, instr->args[first], C_SMALL) && has_width (w, instr->args[last], C_SMALL)
          && (instr->primitive == ACC_PRIM_ADD || instr->primitive == ACC_PRIM_SUB || instr->primitive == ACC_PRIM_MUL))
        return g_strdup_printf ("%s %c %s", x, instr->primitive == ACC_PRIM_ADD ? '+' : instr->primitive == ACC_PRIM_SUB ? '-' : '*', y);
      return c_primitive (w, instr->primitive, ACC_KIND_I32, x, y, acc_kernel_instr (w->kernel, instr->args[last]));
    case ACC_KOP_CAST:
      return c_convert (w, ACC_KIND_I32, instr->kind, x);
    case ACC_KOP_SELECT:
      condition = c_value (w, instr->args[0]);
      return g_strdup_printf ("%s ? %s : %s", condition, x, y);
    default:
      return c_narrow_division (x, y, acc_kernel_instr (w->kernel, instr->args[1]), instr->op == ACC_KOP_UREM);
    }
}

static void
write_pure (CWriter              *w,
            guint32               id,
            const AccKernelInstr *instr)
{
  AccElementKind from = acc_kernel_instr (w->kernel, instr->args[0])->kind;
  g_autofree char *x = c_value (w, instr->args[0]);
  g_autofree char *y = instr->n_args > 1 ? c_value (w, instr->args[1]) : NULL;
  g_autofree char *z = instr->n_args > 2 ? c_value (w, instr->args[2]) : NULL;
  const AccKernelInstr *second = instr->n_args > 1 ? acc_kernel_instr (w->kernel, instr->args[1]) : NULL;
  g_autofree char *result = w->widths != NULL ? write_narrow (w, id, instr) : NULL;
  guint32 root;

  if (result != NULL)
    {
      assign (w, id, result);
      return;
    }
  switch ((int) instr->op)
    {
    case ACC_KOP_PRIM:
      if (!w->dialect->guards_zeros && _acc_kernel_is_inverse_root (w->kernel, id, &root))
        {
          g_autofree char *of = c_value (w, root);

          result = g_strdup_printf ("%s (%s)", w->syntax->inverse_root, of);
        }
      else
        result = c_limit (w, instr, x, y);
      if (result == NULL)
        result = c_primitive (w, instr->primitive, from, x, y, second);
      break;
    case ACC_KOP_CAST:
      result = c_convert (w, from, instr->kind, x);
      break;
    case ACC_KOP_BITCAST:
      result = c_bitcast (from, instr->kind, x);
      break;
    case ACC_KOP_SELECT:
      result = g_strdup_printf ("%s ? %s : %s", x, y, z);
      break;
    case ACC_KOP_FMA:
      result = c_fma (w, instr->kind, x, y, z);
      break;
    case ACC_KOP_ESTIMATE:
      result = w->syntax->estimate (w, instr->primitive, x);
      break;
    case ACC_KOP_OPAQUE:
      result = w->syntax->opaque != NULL ? w->syntax->opaque (w, instr->kind, x) : g_strdup (x);
      break;
    case ACC_KOP_EXTEND:
      result = c_extension (w, instr->kind, instr->bits, x);
      break;
    case ACC_KOP_UDIV:
    case ACC_KOP_UREM:
      result = c_index_division (w, x, y, second, instr->op == ACC_KOP_UREM);
      break;
    default:
      c_fail (w, "instruction %u is not for groups of threads", id);
      return;
    }
  if (result != NULL)
    assign (w, id, result);
}

static void write_block (CWriter *w, guint32 block);

static void
write_for (CWriter              *w,
           guint32               id,
           const AccKernelInstr *instr)
{
  gboolean narrow = has_width (w, id, C_NARROW);
  g_autofree char *begin = narrow ? c_low (w, instr->args[0]) : c_value (w, instr->args[0]);
  g_autofree char *end = narrow ? c_low (w, instr->args[1]) : c_value (w, instr->args[1]);
  const char *type = narrow ? "i32" : "i64";

  if (!w->dialect->leaves_loops)
    {
      c_line (w, "for (%s v%u = %s; v%u < %s; v%u++)", type, id, begin, id, end, id);
    }
  else
    {
      c_line (w, "%s v%u = %s;", type, id, begin);
      c_line (w, "for (; v%u < %s; v%u++)", id, end, id);
    }
  c_open (w);
  write_block (w, acc_kernel_instr (w->kernel, id)->blocks[0]);
  c_close (w);
  if (w->dialect->leaves_loops)
    c_line (w, "left = left || v%u < %s;", id, end);
}

static void
write_while (CWriter *w,
             guint32  id)
{
  if (w->dialect->leaves_loops)
    c_line (w, "bool ended%u = false;", id);
  c_line (w, "while (true)");
  c_open (w);
  w->n_whiles++;
  write_block (w, acc_kernel_instr (w->kernel, id)->blocks[0]);
  w->n_whiles--;
  c_close (w);
  if (w->dialect->leaves_loops)
    c_line (w, "left = left || !ended%u;", id);
}

static void
write_block (CWriter *w,
             guint32  block)
{
  GArray *items = acc_kernel_block (w->kernel, block)->items;

  for (guint i = 0; i < items->len && w->error == NULL; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (w->kernel, id);
      g_autofree char *x = instr->n_args > 0 && _acc_kernel_first_id (instr) == 0 ? c_value (w, instr->args[0]) : NULL;
      g_autofree char *y = instr->n_args > 1 ? c_value (w, instr->args[1]) : NULL;
      const AccKernelInstr *check;

      switch ((int) instr->op)
        {
        case ACC_KOP_LOAD:
        case ACC_KOP_STORE:
        case ACC_KOP_ATOMIC:
        case ACC_KOP_CAS:
          write_memory (w, id, instr);
          break;
        case ACC_KOP_PREFETCH:
          break;
        case ACC_KOP_VAR:
          c_line (w, "%s%s x%u = %s;",
                  acc_element_kind_is_float (instr->kind) && instr->kind != ACC_KIND_F16 ? "EXACT " : "", c_type (instr->kind),
                  id, x);
          break;
        case ACC_KOP_GET:
          assign (w, id, x);
          break;
        case ACC_KOP_SET:
          c_line (w, "%s = %s;", x, y);
          break;
        case ACC_KOP_CHECK:
          if (get_check_of_branch (w, items, i) == NULL)
            write_check (w, instr);
          break;
        case ACC_KOP_BARRIER:
          w->syntax->barrier (w, w->flushes != NULL && w->flushes[id]);
          break;
        case ACC_KOP_SUBGROUP_BARRIER:
          w->syntax->subgroup_barrier (w);
          break;
        case ACC_KOP_FENCE:
          w->syntax->fence (w);
          break;
        case ACC_KOP_SHUFFLE:
          write_shuffle (w, id, instr, x);
          break;
        case ACC_KOP_BALLOT:
          write_ballot (w, id, x);
          break;
        case ACC_KOP_FOR:
          write_for (w, id, instr);
          break;
        case ACC_KOP_IF:
          c_line (w, "if (%s)", x);
          c_open (w);
          write_block (w, instr->blocks[0]);
          c_close (w);
          if (instr->blocks[1] != 0)
            {
              c_line (w, "else");
              c_open (w);
              write_block (w, instr->blocks[1]);
              c_close (w);
            }
          else if (i > 0 && (check = get_check_of_branch (w, items, i - 1)) != NULL)
            {
              c_line (w, "else");
              write_fail (w, check);
            }
          break;
        case ACC_KOP_WHILE:
          write_while (w, id);
          break;
        case ACC_KOP_UNTIL:
          c_line (w, "if (%s)", x);
          c_open (w);
          if (w->dialect->leaves_loops)
            c_line (w, "ended%u = true;", _acc_kernel_get_parent (w->kernel, id));
          c_line (w, "break;");
          c_close (w);
          break;
        default:
          write_pure (w, id, instr);
          break;
        }
    }
}

/* The bounds of the group's tile. WORD (n): the n-th of the launch's eight numbers. */
static void
write_range (CWriter *w)
{
  static const char *const names[] = { "outer", "inner" };

  for (guint d = 0; d < 2; d++)
    {
      const char *name = names[d];

      c_line (w, "i64 %s_first = WORD (%u) + I64 (%s) * WORD (%u);", name, 4 * d + 3, d == 0 ? "GROUP_Y" : "GROUP_X", 4 * d + 2);
      c_line (w, "i64 %s_begin = %s_first > WORD (%u) ? %s_first : WORD (%u);", name, name, 4 * d, name, 4 * d);
      c_line (w, "i64 %s_end = WORD (%u) - %s_first < WORD (%u) ? WORD (%u) : %s_first + WORD (%u);", name, 4 * d + 1, name,
              4 * d + 2, 4 * d + 1, name, 4 * d + 2);
    }
}

gboolean
c_write_body (CWriter *w)
{
  static const char *const range_names[] = { "outer_begin", "outer_end", "inner_begin", "inner_end" };
  const AccKernel *kernel = w->kernel;

  if (kernel->group_size == 0)
    {
      c_fail (w, "it is not for groups of threads");
      return FALSE;
    }

  write_range (w);
  for (guint32 i = 1; i < kernel->instrs->len; i++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (kernel, i);

      if (instr->op == ACC_KOP_PARAM)
        {
          gboolean narrow = has_width (w, i, C_NARROW);
          g_autofree char *word = g_strdup_printf (c_is_long (instr->kind) && !narrow ? "SLOT (%u)" : "U32 (SLOT (%u))", instr->args[0]);
          g_autofree char *value = c_from_bits (narrow ? ACC_KIND_I32 : instr->kind, word);

          assign (w, i, value);
        }
      else if (instr->op == ACC_KOP_RANGE)
        {
          g_autofree char *bound = g_strdup_printf (has_width (w, i, C_NARROW) ? "I32 (%s)" : "%s", range_names[instr->args[0]]);

          assign (w, i, bound);
        }
      else if (instr->op == ACC_KOP_LOCAL)
        assign (w, i, has_width (w, i, C_NARROW) ? "I32 (LOCAL_ID)" : "I64 (LOCAL_ID)");
    }
  /* A device that leaves loops before they have ended must not go on as if they had. */
  if (w->dialect->leaves_loops)
    c_line (w, "bool left = false;");
  write_block (w, ACC_KERNEL_BODY);
  if (w->dialect->leaves_loops)
    {
      c_line (w, "if (left)");
      c_line (w, "  FAIL (%uu, 0xffffffffu, I64 (0), I64 (0));", (guint) ACC_ERROR_UNSUPPORTED);
    }

  return w->error == NULL;
}
