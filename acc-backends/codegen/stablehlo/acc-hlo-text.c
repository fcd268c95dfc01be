/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-text.h"

#include "acc-hlo-range.h"

#include "acc-error.h"

/* --- names and types */

AccHloValue
acc_hlo_name (AccHlo *self)
{
  char name[24];

  g_snprintf (name, sizeof name, "%%v%u", self->n_names++);

  return g_string_chunk_insert (self->names, name);
}

static const char *
get_kind_name (AccElementKind kind)
{
  switch (kind)
    {
    case ACC_KIND_BOOL:
      return "i1";
    case ACC_KIND_I8:
      return "i8";
    case ACC_KIND_I16:
      return "i16";
    case ACC_KIND_I32:
      return "i32";
    case ACC_KIND_I64:
      return "i64";
    case ACC_KIND_U8:
      return "ui8";
    case ACC_KIND_U16:
      return "ui16";
    case ACC_KIND_U32:
      return "ui32";
    case ACC_KIND_U64:
      return "ui64";
    case ACC_KIND_F16:
      return "f16";
    case ACC_KIND_F32:
      return "f32";
    case ACC_KIND_F64:
      return "f64";
    case ACC_KIND_TUPLE:
    case ACC_KIND_COMPLEX:
    case ACC_KIND_VECTOR:
      break;
    }

  g_return_val_if_reached (NULL);
}

static const char *
write_type (AccHlo         *self,
            AccHloShape     shape,
            AccElementKind  kind,
            const char     *before,
            const char     *after)
{
  g_autoptr(GString) type = g_string_new ("tensor<");

  for (guint d = 0; d < shape.rank; d++)
    g_string_append_printf (type, "%" G_GINT64_FORMAT "x", shape.extents[d]);
  g_string_append_printf (type, "%s%s%s", before, get_kind_name (kind), after);

  return g_string_chunk_insert_const (self->names, type->str);
}

const char *
acc_hlo_type (AccHlo         *self,
              AccHloShape     shape,
              AccElementKind  kind)
{
  return write_type (self, shape, kind, "", ">");
}

const char *
acc_hlo_complex_type (AccHlo         *self,
                      AccHloShape     shape,
                      AccElementKind  kind)
{
  return write_type (self, shape, kind, "complex<", ">>");
}

/* Text that nobody can hold, as of expressions that are one another's sides many times over, is given up. */
#define MOST_TEXT (G_GUINT64_CONSTANT (256) << 20)

static void G_GNUC_PRINTF (3, 0)
write_line (AccHlo     *self,
            const char *head,
            const char *format,
            va_list     arguments)
{
  if (self->error != NULL)
    return;
  if (self->text->len > MOST_TEXT)
    {
      acc_hlo_refuse (self, "it takes too much text");
      return;
    }

  g_string_append_printf (self->text, " %s", head);
  g_string_append_vprintf (self->text, format, arguments);
  g_string_append_c (self->text, '\n');
}

void
acc_hlo_line (AccHlo     *self,
              const char *format,
              ...)
{
  va_list arguments;

  va_start (arguments, format);
  write_line (self, "", format, arguments);
  va_end (arguments);
}

/* The same operation on the same values again, in the outermost block, is the first one's value; in the text of an export, which is
 * compared with that of another length, it may not be the same there. */
AccHloValue
acc_hlo_emit (AccHlo     *self,
              const char *format,
              ...)
{
  g_autofree char *operation = NULL;
  gboolean is_shared = self->text == self->outermost && !self->is_export;
  AccHloValue name;
  va_list arguments;

  va_start (arguments, format);
  operation = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  name = is_shared ? g_hash_table_lookup (self->emitted, operation) : NULL;
  if (name != NULL)
    return name;

  name = acc_hlo_name (self);
  acc_hlo_line (self, "%s = %s", name, operation);
  if (is_shared)
    g_hash_table_insert (self->emitted, g_steal_pointer (&operation), (gpointer) name);

  return name;
}

void
acc_hlo_emit_parts (AccHlo      *self,
                    guint        n,
                    AccHloValue *results,
                    const char  *format,
                    ...)
{
  AccHloValue name = acc_hlo_name (self);
  g_autofree char *head = g_strdup_printf ("%s:%u = ", name, n);
  va_list arguments;

  va_start (arguments, format);
  write_line (self, head, format, arguments);
  va_end (arguments);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *part = g_strdup_printf ("%s#%u", name, i);

      results[i] = g_string_chunk_insert (self->names, part);
    }
}

void
acc_hlo_refuse (AccHlo     *self,
                const char *format,
                ...)
{
  g_autofree char *reason = NULL, *where = NULL;
  va_list arguments;

  if (self->error != NULL)
    return;

  va_start (arguments, format);
  reason = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  where = self->origin != NULL ? acc_array_describe (self->origin) : g_strdup ("program");
  self->error = g_error_new (ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: no StableHLO for it: %s", where, reason);
}

gint64
acc_hlo_count (AccHloShape shape)
{
  gint64 n = 1;

  for (guint d = 0; d < shape.rank; d++)
    n *= shape.extents[d];

  return n;
}

char *
acc_hlo_join (const gint64 *numbers,
              guint         n)
{
  g_autoptr(GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", numbers[i]);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* --- operations on tensors of one shape */

AccHloValue
acc_hlo_unary (AccHlo         *self,
               const char     *operation,
               AccHloValue     x,
               AccHloShape     shape,
               AccElementKind  kind)
{
  const char *type = acc_hlo_type (self, shape, kind);

  if (g_str_has_prefix (operation, "chlo."))
    return acc_hlo_emit (self, "%s %s : %s -> %s", operation, x, type, type);

  return acc_hlo_emit (self, "stablehlo.%s %s : %s", operation, x, type);
}

AccHloValue
acc_hlo_binary (AccHlo         *self,
                const char     *operation,
                AccHloValue     x,
                AccHloValue     y,
                AccHloShape     shape,
                AccElementKind  kind)
{
  AccHloValue result = acc_hlo_emit (self, "stablehlo.%s %s, %s : %s", operation, x, y, acc_hlo_type (self, shape, kind));

  acc_hlo_combine_ranges (self, operation, x, y, result, kind);

  return result;
}

AccHloValue
acc_hlo_compare (AccHlo         *self,
                 const char     *direction,
                 AccHloValue     x,
                 AccHloValue     y,
                 AccHloShape     shape,
                 AccElementKind  kind)
{
  const char *type = acc_hlo_type (self, shape, kind);
  const char *order = acc_element_kind_is_float (kind) ? "FLOAT" : acc_element_kind_is_signed (kind) ? "SIGNED" : "UNSIGNED";

  return acc_hlo_emit (self, "stablehlo.compare %s, %s, %s, %s : (%s, %s) -> %s", direction, x, y, order, type, type,
                       acc_hlo_type (self, shape, ACC_KIND_BOOL));
}

AccHloValue
acc_hlo_join_masks (AccHlo      *self,
                    AccHloValue  a,
                    AccHloValue  b,
                    AccHloShape  shape)
{
  return a == NULL ? b : acc_hlo_binary (self, "and", a, b, shape, ACC_KIND_BOOL);
}

AccHloValue
acc_hlo_select (AccHlo         *self,
                AccHloValue     condition,
                AccHloValue     x,
                AccHloValue     y,
                AccHloShape     shape,
                AccElementKind  kind)
{
  if (x == y)
    return x;

  return acc_hlo_emit (self, "stablehlo.select %s, %s, %s : %s, %s", condition, x, y, acc_hlo_type (self, shape, ACC_KIND_BOOL),
                       acc_hlo_type (self, shape, kind));
}

static gboolean
has_all_of (AccElementKind to,
            AccElementKind from)
{
  return acc_element_kind_is_integer (from) && acc_element_kind_is_integer (to)
         && acc_element_kind_get_size (from) < acc_element_kind_get_size (to)
         && (acc_element_kind_is_signed (to) || !acc_element_kind_is_signed (from));
}

AccHloValue
acc_hlo_convert (AccHlo         *self,
                 AccHloValue     x,
                 AccHloShape     shape,
                 AccElementKind  from,
                 AccElementKind  to)
{
  AccHloWidened widened = { x, from }, *earlier;
  AccHloValue result;

  if (from == to)
    return x;

  result = acc_hlo_emit (self, "stablehlo.convert %s : (%s) -> %s", x, acc_hlo_type (self, shape, from), acc_hlo_type (self, shape, to));
  acc_hlo_keep_range (self, x, result, to);
  if (has_all_of (to, from))
    {
      earlier = g_hash_table_lookup (self->widened, x);
      g_hash_table_insert (self->widened, (gpointer) result, g_memdup2 (earlier != NULL ? earlier : &widened, sizeof widened));
    }

  return result;
}

AccHloValue
acc_hlo_bitcast (AccHlo         *self,
                 AccHloValue     x,
                 AccHloShape     shape,
                 AccElementKind  from,
                 AccElementKind  to)
{
  if (from == to)
    return x;

  return acc_hlo_emit (self, "stablehlo.bitcast_convert %s : (%s) -> %s", x, acc_hlo_type (self, shape, from),
                       acc_hlo_type (self, shape, to));
}

AccHloValue
acc_hlo_constant (AccHlo         *self,
                  AccHloShape     shape,
                  AccElementKind  kind,
                  AccScalar       value)
{
  const char *type = acc_hlo_type (self, shape, kind);
  int digits = (int) (2 * acc_element_kind_get_size (kind));
  AccHloValue result;

  if (acc_hlo_count (shape) == 0)
    return acc_hlo_emit (self, "stablehlo.constant dense<> : %s", type);
  if (kind == ACC_KIND_BOOL)
    return acc_hlo_emit (self, "stablehlo.constant dense<%s> : %s", value.u ? "true" : "false", type);
  if (acc_element_kind_is_float (kind))
    return acc_hlo_emit (self, "stablehlo.constant dense<0x%0*" G_GINT64_MODIFIER "X> : %s", digits, value.u, type);
  if (!acc_element_kind_is_signed (kind))
    return acc_hlo_emit (self, "stablehlo.constant dense<%" G_GUINT64_FORMAT "> : %s", value.u, type);

  result = acc_hlo_emit (self, "stablehlo.constant dense<%" G_GINT64_FORMAT "> : %s", value.i, type);
  acc_hlo_set_range (self, result, kind, (AccHloRange) { value.i, value.i });

  return result;
}

AccHloValue
acc_hlo_integer (AccHlo         *self,
                 AccHloShape     shape,
                 AccElementKind  kind,
                 gint64          value)
{
  return acc_hlo_constant (self, shape, kind, (AccScalar) { .i = value });
}

AccHloValue
acc_hlo_iota (AccHlo         *self,
              AccHloShape     shape,
              guint           dimension,
              AccElementKind  kind)
{
  AccHloValue result = acc_hlo_emit (self, "stablehlo.iota dim = %u : %s", dimension, acc_hlo_type (self, shape, kind));

  acc_hlo_set_range (self, result, kind, (AccHloRange) { 0, shape.extents[dimension] - 1 });

  return result;
}

/* --- loops */

static void
write_block (AccHlo            *self,
             const AccHloCarry *carry,
             AccHloValue       *names)
{
  g_string_append (self->text, " ^bb0(");
  for (guint i = 0; i < carry->n; i++)
    {
      names[i] = acc_hlo_name (self);
      g_string_append_printf (self->text, "%s%s: %s", i > 0 ? ", " : "", names[i], carry->types[i]);
    }
  g_string_append (self->text, "):\n");
}

/* What failed goes through every loop. Both arrays end with NULL. */
static void
add_failure (AccHlo            *self,
             const AccHloCarry *given,
             AccHloCarry       *all)
{
  all->n = given->n + (self->has_checks ? 2 : 0);
  all->values = g_new0 (AccHloValue, all->n + 1);
  all->types = g_new0 (const char *, all->n + 1);
  for (guint i = 0; i < given->n; i++)
    {
      all->values[i] = given->values[i];
      all->types[i] = given->types[i];
    }
  if (self->has_checks)
    {
      all->values[given->n] = self->failure;
      all->types[given->n] = acc_hlo_type (self, ACC_HLO_SCALAR, ACC_KIND_I32);
      all->values[given->n + 1] = self->failed_index;
      all->types[given->n + 1] = acc_hlo_type (self, ACC_HLO_SCALAR, ACC_KIND_I64);
    }
}

static void
take_failure (AccHlo            *self,
              const AccHloValue *values,
              guint              n)
{
  if (!self->has_checks)
    return;

  self->failure = values[n];
  self->failed_index = values[n + 1];
}

void
acc_hlo_while (AccHlo          *self,
               AccHloCarry     *carry,
               AccHloCondition  condition,
               AccHloBody       body,
               gpointer         data)
{
  AccHloCarry all;
  g_autofree AccHloValue *names = NULL;
  g_autofree char *initial = NULL, *types = NULL, *last = NULL;
  GString *outer = self->text;
  g_autoptr(GString) test = g_string_new (NULL), step = g_string_new (NULL);
  AccHloValue go_on;

  add_failure (self, carry, &all);
  names = g_new0 (AccHloValue, all.n + 1);
  initial = g_strjoinv (", ", (char **) all.values);
  types = g_strjoinv (", ", (char **) all.types);

  self->text = test;
  write_block (self, &all, names);
  take_failure (self, names, carry->n);
  go_on = condition (self, names, data);
  acc_hlo_line (self, "stablehlo.return %s : tensor<i1>", go_on);

  self->text = step;
  write_block (self, &all, names);
  take_failure (self, names, carry->n);
  body (self, names, data);
  if (self->has_checks)
    {
      names[carry->n] = self->failure;
      names[carry->n + 1] = self->failed_index;
    }
  last = g_strjoinv (", ", (char **) names);
  acc_hlo_line (self, "stablehlo.return %s : %s", last, types);

  self->text = outer;
  acc_hlo_emit_parts (self, all.n, all.values, "\"stablehlo.while\"(%s) ({\n%s }, {\n%s }) : (%s) -> (%s)", initial, test->str, step->str,
                      types, types);
  for (guint i = 0; i < carry->n; i++)
    carry->values[i] = all.values[i];
  take_failure (self, all.values, carry->n);
  g_free (all.values);
  g_free (all.types);
}

typedef struct {
  gint64     end;
  AccHloBody body;
  gpointer   data;
} Count;

static AccHloValue
is_before_end (AccHlo            *self,
               const AccHloValue *values,
               gpointer           data)
{
  const Count *count = data;

  return acc_hlo_compare (self, "LT", values[0], acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, count->end), ACC_HLO_SCALAR,
                          ACC_KIND_I64);
}

static void
count_on (AccHlo      *self,
          AccHloValue *values,
          gpointer     data)
{
  const Count *count = data;

  count->body (self, values, count->data);
  values[0] = acc_hlo_binary (self, "add", values[0], acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, 1), ACC_HLO_SCALAR,
                              ACC_KIND_I64);
}

void
acc_hlo_count_up (AccHlo      *self,
                  gint64       end,
                  AccHloCarry *carry,
                  AccHloBody   body,
                  gpointer     data)
{
  Count count = { end, body, data };

  acc_hlo_while (self, carry, is_before_end, count_on, &count);
}
