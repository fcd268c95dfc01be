/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-open.h"

#include "acc-error.h"
#include "acc-hlo-text.h"

#include <stdlib.h>
#include <string.h>

/* Line by line, with an operation of dynamic extents in place of one that has them in its type or its attributes. Extents of results are
 * vectors that are computed first, where every region sees them. */

/* factor × length + term */
typedef struct {
  gint64 factor, term;
} Linear;

typedef struct {
  gint64      length, other_length;
  GString    *head;       /* what computes extents */
  GHashTable *extents;    /* "factor,term": name of a tensor<i64> */
  GHashTable *vectors;    /* "factor,term;factor,term;": name of a tensor<Nxi64> */
  guint       n_names;
} Open;

/* What makes TensorFlow, and others that read modules of JAX, put extents in when they are known. */
#define REFINE "jax.uses_shape_polymorphism = true"

/* Extents of one array */
#define MOST_EXTENTS 64

/* --- extents */

static gboolean
is_open (Linear x)
{
  return x.factor != 0;
}

/* FALSE: it follows from the length in another way. */
static gboolean
relate (Open   *self,
        gint64  number,
        gint64  other,
        Linear *result)
{
  gint64 step = self->other_length - self->length;

  if ((other - number) % step != 0)
    return FALSE;

  result->factor = (other - number) / step;
  result->term = number - result->factor * self->length;

  return result->factor >= 0;
}

static char *
write_head (Open       *self,
            const char *format,
            ...)
{
  char *name = g_strdup_printf ("%%n%u", self->n_names++);
  va_list arguments;

  g_string_append_printf (self->head, " %s = stablehlo.", name);
  va_start (arguments, format);
  g_string_append_vprintf (self->head, format, arguments);
  va_end (arguments);
  g_string_append_c (self->head, '\n');

  return name;
}

static const char *
get_extent (Open  *self,
            Linear x)
{
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT, x.factor, x.term);
  char *name = g_hash_table_lookup (self->extents, key);
  const char *length = g_hash_table_lookup (self->extents, "1,0");
  g_autofree char *term = NULL, *factor = NULL, *product = NULL;

  if (name != NULL)
    return name;

  term = write_head (self, "constant dense<%" G_GINT64_FORMAT "> : tensor<i64>", x.term);
  if (is_open (x))
    {
      factor = write_head (self, "constant dense<%" G_GINT64_FORMAT "> : tensor<i64>", x.factor);
      product = write_head (self, "multiply %s, %s : tensor<i64>", length, factor);
      name = write_head (self, "add %s, %s : tensor<i64>", product, term);
    }
  else
    name = g_steal_pointer (&term);
  g_hash_table_insert (self->extents, g_steal_pointer (&key), name);

  return name;
}

/* A vector of @n numbers. */
static const char *
get_vector (Open         *self,
            const Linear *numbers,
            guint         n)
{
  g_autoptr(GString) key = g_string_new (NULL), values = g_string_new (NULL), types = g_string_new (NULL);
  char *name;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (key, "%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ";", numbers[i].factor, numbers[i].term);
  name = g_hash_table_lookup (self->vectors, key->str);
  if (name != NULL)
    return name;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *part = write_head (self, "reshape %s : (tensor<i64>) -> tensor<1xi64>", get_extent (self, numbers[i]));

      g_string_append_printf (values, "%s%s", i > 0 ? ", " : "", part);
      g_string_append_printf (types, "%stensor<1xi64>", i > 0 ? ", " : "");
    }
  name = write_head (self, "concatenate %s, dim = 0 : (%s) -> tensor<%uxi64>", values->str, types->str, n);
  g_hash_table_insert (self->vectors, g_strdup (key->str), name);

  return name;
}

/* --- lines of both modules at once */

typedef struct {
  const char *at, *other;
} Pair;

static gboolean
take_numbers (Open   *self,
              Pair   *at,
              Linear *result)
{
  char *end, *other_end;
  gint64 number = g_ascii_strtoll (at->at, &end, 10), other = g_ascii_strtoll (at->other, &other_end, 10);

  if (end == at->at || other_end == at->other)
    return FALSE;
  at->at = end;
  at->other = other_end;

  return relate (self, number, other, result);
}

/* The extents of "tensor<61x3xf32>" at both, which are behind it then; what is written in its place goes to @text, which may be NULL. The
 * number of extents, or -1. */
static gint
take_type (Open    *self,
           Pair    *at,
           Linear  *extents,
           GString *text)
{
  gint n = 0;

  at->at += strlen ("tensor<");
  at->other += strlen ("tensor<");
  if (text != NULL)
    g_string_append (text, "tensor<");
  while (g_ascii_isdigit (*at->at) && n < MOST_EXTENTS)
    {
      if (!take_numbers (self, at, &extents[n]) || *at->at != 'x' || *at->other != 'x')
        return -1;
      if (text != NULL && is_open (extents[n]))
        g_string_append (text, "?x");
      else if (text != NULL)
        g_string_append_printf (text, "%" G_GINT64_FORMAT "x", extents[n].term);
      at->at++;
      at->other++;
      n++;
    }

  return n;
}

/* Copies a line of which only types follow from the length. */
static gboolean
copy_line (Open    *self,
           Pair     at,
           GString *text)
{
  Linear extents[MOST_EXTENTS];

  while (*at.at != '\0' || *at.other != '\0')
    {
      if (*at.at != *at.other)
        return FALSE;
      if (g_str_has_prefix (at.at, "tensor<") && g_str_has_prefix (at.other, "tensor<"))
        {
          if (take_type (self, &at, extents, text) < 0)
            return FALSE;
          continue;
        }
      g_string_append_c (text, *at.at);
      at.at++;
      at.other++;
    }
  g_string_append_c (text, '\n');

  return TRUE;
}

/* --- operations of dynamic extents */

/* What stands behind the first @mark, in both. */
static gboolean
cut (const Pair *line,
     const char *mark,
     Pair       *behind)
{
  const char *at = strstr (line->at, mark), *other = strstr (line->other, mark);

  if (at == NULL || other == NULL)
    return FALSE;
  behind->at = at + strlen (mark);
  behind->other = other + strlen (mark);

  return TRUE;
}

static gboolean
is_same (const Pair *begin,
         const Pair *end)
{
  gsize n = (gsize) (end->at - begin->at);

  return n == (gsize) (end->other - begin->other) && memcmp (begin->at, begin->other, n) == 0;
}

/* The last type of a line: its extents, and in @type what it becomes. Its number of extents, or -1. */
static gint
find_result (Open        *self,
             const Pair  *line,
             Linear      *extents,
             GString     *type)
{
  const char *at = g_strrstr (line->at, "tensor<"), *other = g_strrstr (line->other, "tensor<");
  Pair result = { at, other };
  gint n = at != NULL && other != NULL ? take_type (self, &result, extents, type) : -1;

  if (n < 0 || strcmp (result.at, result.other) != 0)
    return -1;
  g_string_append (type, result.at);

  return n;
}

static gboolean
has_open (const Linear *extents,
          gint          n)
{
  for (gint i = 0; i < n; i++)
    if (is_open (extents[i]))
      return TRUE;

  return FALSE;
}

/* "%v1 = stablehlo.constant dense<61> : tensor<61xi64>": one number for all. */
static gboolean
write_constant (Open    *self,
                Pair     line,
                GString *text)
{
  Linear extents[MOST_EXTENTS], value = { 0, 0 };
  g_autoptr(GString) type = g_string_new (NULL);
  gint n = find_result (self, &line, extents, type);
  Pair literal, end, number;
  g_autofree char *name = g_strndup (line.at + 1, strcspn (line.at + 1, " ")), *scalar = NULL;
  const char *kind = strrchr (type->str, 'x') != NULL ? strrchr (type->str, 'x') + 1 : type->str + strlen ("tensor<");
  const char *from;

  if (n < 0 || !cut (&line, "dense<", &literal) || !cut (&literal, "> :", &end))
    return FALSE;
  end.at -= strlen ("> :");
  end.other -= strlen ("> :");
  number = literal;
  if (is_same (&literal, &end))
    {
      if (!has_open (extents, n))
        return copy_line (self, line, text);
      if (*literal.at == '[' || *literal.at == '"' || literal.at == end.at)
        return FALSE;
      scalar = g_strndup (literal.at, (gsize) (end.at - literal.at));
      from = NULL;
    }
  else
    {
      if (*literal.at == '-' || strchr (kind, 'f') != NULL || !take_numbers (self, &number, &value) || number.at != end.at
          || number.other != end.other)
        return FALSE;
      from = get_extent (self, value);
    }

  /* The scalar, then as many as there are. */
  if (from != NULL)
    g_string_append_printf (text, " %s_s = stablehlo.convert %s : (tensor<i64>) -> tensor<%s\n", name, from, kind);
  else
    g_string_append_printf (text, " %s_s = stablehlo.constant dense<%s> : tensor<%s\n", name, scalar, kind);
  if (has_open (extents, n))
    g_string_append_printf (text, " %s = stablehlo.dynamic_broadcast_in_dim %s_s, %s, dims = [] : (tensor<%s, tensor<%dxi64>) -> %s\n",
                            name, name, get_vector (self, extents, (guint) n), kind, n, type->str);
  else
    g_string_append_printf (text, " %s = stablehlo.broadcast_in_dim %s_s, dims = [] : (tensor<%s) -> %s\n", name, name, kind, type->str);

  return TRUE;
}

/* "%v2 = stablehlo.iota dim = 0 : tensor<61xi64>" */
static gboolean
write_iota (Open    *self,
            Pair     line,
            GString *text)
{
  Linear extents[MOST_EXTENTS];
  g_autoptr(GString) type = g_string_new (NULL);
  gint n = find_result (self, &line, extents, type);
  Pair dimension;

  if (n < 0 || !cut (&line, " dim = ", &dimension))
    return FALSE;
  if (!has_open (extents, n))
    return copy_line (self, line, text);
  g_string_append_printf (text, "%.*s= stablehlo.dynamic_iota %s, dim = %d : (tensor<%dxi64>) -> %s\n", (int) strcspn (line.at, "="),
                          line.at, get_vector (self, extents, (guint) n), atoi (dimension.at), n, type->str);

  return TRUE;
}

/* "%v3 = stablehlo.NAME %v1ATTRIBUTES : (tensor<…>) -> tensor<…>": a vector of the extents goes behind the operand. */
static gboolean
write_shaped (Open       *self,
              Pair        line,
              const char *operation,
              GString    *text)
{
  g_autofree char *mark = g_strdup_printf ("stablehlo.%s ", operation);
  g_autoptr(GString) type = g_string_new (NULL), from = g_string_new (NULL);
  Linear extents[MOST_EXTENTS];
  gint n = find_result (self, &line, extents, type);
  Pair operand, attributes, types, end;
  int length;

  if (n < 0 || !cut (&line, mark, &operand) || !cut (&operand, " : (", &types) || !cut (&types, ") -> ", &end))
    return FALSE;
  if (!has_open (extents, n))
    return copy_line (self, line, text);

  length = (int) strcspn (operand.at, ", ");
  attributes = (Pair) { operand.at + length, operand.other + length };
  if (take_type (self, &types, (Linear[MOST_EXTENTS]) { 0 }, from) < 0)
    return FALSE;
  g_string_append_len (from, types.at, (gssize) strcspn (types.at, ")"));
  g_string_append_printf (text, "%.*s= stablehlo.dynamic_%s %.*s, %s%.*s : (%s, tensor<%dxi64>) -> %s\n", (int) strcspn (line.at, "="),
                          line.at, operation, length, operand.at, get_vector (self, extents, (guint) n), (int) strcspn (attributes.at, ":"),
                          attributes.at, from->str, n, type->str);

  return TRUE;
}

/* "[0:61, 1:3]": where it begins and ends in each dimension, of which there are @n. */
static gboolean
take_ranges (Open   *self,
             Pair    at,
             gint    n,
             Linear *begins,
             Linear *ends)
{
  for (gint i = 0; i < n; i++)
    {
      if (!take_numbers (self, &at, &begins[i]) || *at.at != ':' || *at.other != ':')
        return FALSE;
      at.at++;
      at.other++;
      if (!take_numbers (self, &at, &ends[i]))
        return FALSE;
      at.at += strspn (at.at, ", ");
      at.other += strspn (at.other, ", ");
    }

  return *at.at == ']' && *at.other == ']';
}

/* "%v4 = stablehlo.slice %v1 [0:61] : (tensor<61xf32>) -> tensor<61xf32>" */
static gboolean
write_slice (Open    *self,
             Pair     line,
             GString *text)
{
  g_autoptr(GString) type = g_string_new (NULL), from = g_string_new (NULL);
  Linear extents[MOST_EXTENTS], begins[MOST_EXTENTS], ends[MOST_EXTENTS], steps[MOST_EXTENTS];
  gint n = find_result (self, &line, extents, type);
  Pair operand, ranges, types;

  if (n < 0 || !cut (&line, "stablehlo.slice ", &operand) || !cut (&operand, " [", &ranges) || !cut (&ranges, " : (", &types)
      || !take_ranges (self, ranges, n, begins, ends))
    return FALSE;
  if (strcmp (line.at, line.other) == 0)
    return copy_line (self, line, text);

  if (take_type (self, &types, extents, from) < 0)
    return FALSE;
  g_string_append_len (from, types.at, (gssize) strcspn (types.at, ")"));
  for (gint i = 0; i < n; i++)
    steps[i] = (Linear) { 0, 1 };
  g_string_append_printf (text,
                          "%.*s= stablehlo.real_dynamic_slice %.*s, %s, %s, %s : (%s, tensor<%dxi64>, tensor<%dxi64>, tensor<%dxi64>) -> %s\n", (int) strcspn (line.at, "="), line.at, (int) strcspn (operand.at, " "), operand.at,
                          get_vector (self, begins, (guint) n), get_vector (self, ends, (guint) n), get_vector (self, steps, (guint) n),
                          from->str, n, n, n, type->str);

  return TRUE;
}

static gboolean
write_line (Open    *self,
            Pair     line,
            GString *text)
{
  static const char *const shaped[] = { "reshape", "broadcast_in_dim" };

  if (strstr (line.at, " = stablehlo.constant ") != NULL)
    return write_constant (self, line, text);
  if (strstr (line.at, " = stablehlo.iota ") != NULL)
    return write_iota (self, line, text);
  if (strstr (line.at, " = stablehlo.slice ") != NULL)
    return write_slice (self, line, text);
  for (guint i = 0; i < G_N_ELEMENTS (shaped); i++)
    {
      g_autofree char *mark = g_strdup_printf (" = stablehlo.%s ", shaped[i]);

      if (strstr (line.at, mark) != NULL)
        return write_shaped (self, line, shaped[i], text);
    }

  return copy_line (self, line, text);
}

/* --- the module */

/* The extents of @vectors that differ from those of @others become -1. The number of the first that has one, or -1. */
static gint
open_vectors (GArray       *vectors,
              const GArray *others)
{
  gint first = -1;

  for (guint i = 0; i < vectors->len; i++)
    {
      AccHloVector *vector = &g_array_index (vectors, AccHloVector, i);
      const AccHloVector *other = &g_array_index (others, AccHloVector, i);

      for (guint d = 0; d < vector->rank; d++)
        if (vector->extents[d] != other->extents[d])
          {
            vector->extents[d] = -1;
            if (first < 0)
              first = (gint) i;
          }
    }

  return first;
}

/* Attributes of an operation with regions come behind these. */
static void
fail (char   **lines,
      guint    number,
      GError **error)
{
  const char *name;

  if (g_str_has_prefix (lines[number], " }"))
    while (number > 0 && strstr (lines[number], "\"stablehlo.") == NULL)
      number--;
  name = strstr (lines[number], "stablehlo.");
  if (name == NULL)
    name = lines[number];
  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "an outermost extent cannot be left open: %.*s needs to know it",
               (int) strcspn (name, " \"("), name);
}

/* What the length is: that of an argument, whose type is in @begin. Arguments are called by their numbers. */
static char *
write_length (const char *begin,
              gint        argument)
{
  g_autofree char *mark = g_strdup_printf ("%%v%d: ", argument);
  const char *type = strstr (begin, mark);
  int n;

  if (type == NULL)
    return g_strdup ("");
  type += strlen (mark);
  n = (int) strcspn (type, ">") + 1;

  return g_strdup_printf (" %%size = stablehlo.get_dimension_size %%v%d, dim = 0 : (%.*s) -> tensor<i32>\n"
                          " %%length = stablehlo.convert %%size : (tensor<i32>) -> tensor<i64>\n",
                          argument, n, type);
}

static gboolean
write_lines (Open    *self,
             char   **lines,
             char   **others,
             GString *begin,
             GString *text,
             GError **error)
{
  guint n = g_strv_length (lines);

  for (guint i = 0; i < n; i++)
    {
      const Pair line = { lines[i], others[i] };

      /* The module and its function come before what computes extents. */
      if (!write_line (self, line, i < 2 ? begin : text))
        {
          fail (lines, i, error);
          return FALSE;
        }
    }

  return TRUE;
}

gboolean
acc_hlo_module_open (AccHloModule        *module,
                     const AccHloModule  *other,
                     gint64               length,
                     gint64               other_length,
                     GError             **error)
{
  g_auto(GStrv) lines = g_strsplit (module->text, "\n", -1), others = g_strsplit (other->text, "\n", -1);
  g_autoptr(GString) begin = g_string_new (NULL), text = g_string_new (NULL);
  Open self = { length, other_length };
  gint first;
  gboolean ok;

  if (g_strv_length (lines) != g_strv_length (others) || module->arguments->len != other->arguments->len)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED,
                   "an outermost extent cannot be left open: which operations there are depends on it");
      return FALSE;
    }

  self.head = g_string_new (NULL);
  self.extents = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self.vectors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  first = open_vectors (module->arguments, other->arguments);
  open_vectors (module->results, other->results);
  g_hash_table_insert (self.extents, g_strdup ("1,0"), g_strdup ("%length"));
  ok = write_lines (&self, lines, others, begin, text, error);
  if (ok)
    {
      g_autofree char *size = write_length (begin->str, first);

      g_free (module->text);
      g_string_replace (begin, "module @acc {", "module @acc attributes {" REFINE "} {", 1);
      module->text = g_strconcat (begin->str, size, self.head->str, text->str, NULL);
    }
  g_string_free (self.head, TRUE);
  g_hash_table_unref (self.extents);
  g_hash_table_unref (self.vectors);

  return ok;
}
