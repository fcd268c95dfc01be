/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzz-generate-private.h"

guint
fuzz_pick (FuzzGenerator *self, guint n)
{
  return (guint) g_rand_int_range (self->rand, 0, (gint32) n);
}

AccElementType *
fuzz_type (const char *code)
{
  return acc_element_type_parse (code, NULL);
}

AccElementType *
fuzz_index_type (guint rank)
{
  AccElementType *i8 = fuzz_type ("i8"), *items[] = { i8, i8, i8, i8 };

  return rank == 1 ? i8 : acc_element_type_new_tuple (items, rank);
}

/* --- scalar expressions: each gives the number of one of that type */

guint
fuzz_say (FuzzGenerator *self, const char *format, ...)
{
  va_list args;

  g_string_append_printf (self->text, " e%u = ", self->n_exprs);
  va_start (args, format);
  g_string_append_vprintf (self->text, format, args);
  va_end (args);
  g_string_append_c (self->text, '\n');

  return self->n_exprs++;
}

guint
fuzz_say_variable (FuzzGenerator *self, AccElementType *type)
{
  return fuzz_say (self, "variable %s", acc_element_type_get_code (type));
}

guint
fuzz_say_number (FuzzGenerator *self, gint64 value)
{
  return fuzz_say (self, "literal i8 %" G_GINT64_FORMAT, value);
}

/* One scalar of it; FALSE: it has none. */
static gboolean
leaf_of (FuzzGenerator *self, guint expr, AccElementType *type, guint *leaf, AccElementType **leaf_type)
{
  while (!acc_element_type_is_scalar (type))
    {
      guint n = acc_element_type_get_n_items (type), item;

      if (n == 0)
        return FALSE;
      item = fuzz_pick (self, n);
      expr = fuzz_say (self, "item e%u %u", expr, item);
      type = acc_element_type_get_item (type, item);
    }
  *leaf = expr;
  *leaf_type = type;

  return TRUE;
}

/* What there is to compute with. */
typedef struct
{
  guint           expr;
  AccElementType *type;
} Value;

typedef enum
{
  NUM,
  INT,
  FLOAT,
  LOGIC,
  BOOL,
  ANY,
  SHIFT
} Operands;

static const struct
{
  const char *name;
  guint       arity;
  Operands    operands;
  gboolean    is_same;
} primitives[] = {
#define SAME TRUE
#define INT64 FALSE
#define ACC_PRIMITIVE(ID, name, arity, operands, result, family, cost, value) { name, arity, operands, #result[0] == 'S' },
#include "acc-primitives.inc"
#undef ACC_PRIMITIVE
};

static AccElementType *
operand_type (FuzzGenerator *self, Operands operands, AccElementType *wanted)
{
  AccElementKind kind = acc_element_type_get_kind (wanted);
  gboolean is_float = acc_element_kind_is_float (kind), is_bool = kind == ACC_KIND_BOOL;

  switch (operands)
    {
    case NUM:
      return is_bool ? fuzz_type ("f4") : wanted;
    case FLOAT:
      return is_float ? wanted : fuzz_type ("f8");
    case INT:
    case SHIFT:
      return is_float || is_bool ? fuzz_type ("i4") : wanted;
    case LOGIC:
      return is_float ? fuzz_type ("u2") : wanted;
    case BOOL:
    case ANY:
    default:
      return wanted;
    }
}

static guint make_scalar (FuzzGenerator *self, const Value *values, guint n, AccElementType *type, guint depth);

static guint
convert (FuzzGenerator *self, guint expr, AccElementType *from, AccElementType *to)
{
  return from == to ? expr : fuzz_say (self, "cast e%u %s", expr, acc_element_type_get_code (to));
}

static guint
make_primitive (FuzzGenerator *self, const Value *values, guint n, AccElementType *type, guint depth)
{
  guint p = fuzz_pick (self, G_N_ELEMENTS (primitives)), first, second;
  AccElementType *operands = operand_type (self, primitives[p].operands, type);
  guint result;

  first = make_scalar (self, values, n, operands, depth - 1);
  if (primitives[p].arity == 1)
    {
      result = fuzz_say (self, "%s e%u", primitives[p].name, first);
    }
  else
    {
      second = make_scalar (self, values, n, primitives[p].operands == SHIFT ? fuzz_type ("i8") : operands, depth - 1);
      result = fuzz_say (self, "%s e%u e%u", primitives[p].name, first, second);
    }

  return primitives[p].is_same ? convert (self, result, operands, type)
                               : fuzz_say (self, "cast e%u %s", result, acc_element_type_get_code (type));
}

/* Thrice round. */
static guint
make_loop (FuzzGenerator *self, AccElementType *type)
{
  guint start = fuzz_say_number (self, 0), state = fuzz_say_variable (self, fuzz_type ("i8"));
  guint goes_on = fuzz_say (self, "lt e%u e%u", state, fuzz_say_number (self, 3)),
        next = fuzz_say (self, "add e%u e%u", state, fuzz_say_number (self, 1));

  return convert (self, fuzz_say (self, "while e%u predicate e%u e%u step e%u e%u", start, state, goes_on, state, next),
                  fuzz_type ("i8"), type);
}

static guint
make_literal (FuzzGenerator *self, AccElementType *type)
{
  if (acc_element_type_get_kind (type) == ACC_KIND_BOOL)
    return fuzz_say (self, "literal b1 %s", fuzz_pick (self, 2) ? "true" : "false");

  return fuzz_say (self, "literal %s %u", acc_element_type_get_code (type), fuzz_pick (self, 4));
}

static guint make_value (FuzzGenerator *self, const Value *values, guint n, AccElementType *type);

guint
fuzz_say_constant (FuzzGenerator *self, AccElementType *type)
{
  return make_value (self, NULL, 0, type);
}

/* An element, or an extent, of some array. */
static guint
make_read (FuzzGenerator *self, AccElementType *type)
{
  const FuzzArray *array;
  AccElementType *from;
  guint leaf;

  if (self->arrays->len == 0)
    return make_literal (self, type);
  array = &g_array_index (self->arrays, FuzzArray, fuzz_pick (self, self->arrays->len));
  if (array->rank > 0 && fuzz_pick (self, 2))
    return convert (self, fuzz_say (self, "extent a%u %u", array->number, fuzz_pick (self, array->rank)),
                    fuzz_type ("i8"), type);
  leaf = fuzz_pick (self, 2)
             ? fuzz_say (self, "linear_index a%u e%u", array->number, fuzz_say_number (self, 0))
             : fuzz_say (self, "index a%u e%u", array->number, fuzz_say_constant (self, fuzz_index_type (array->rank)));

  return leaf_of (self, leaf, array->type, &leaf, &from) ? convert (self, leaf, from, type) : make_literal (self, type);
}

static guint
make_scalar (FuzzGenerator *self, const Value *values, guint n, AccElementType *type, guint depth)
{
  guint leaf, i = n > 0 ? fuzz_pick (self, n) : 0;
  AccElementType *from;

  switch (depth == 0 ? 0 : fuzz_pick (self, 12))
    {
    case 1:
    case 2:
    case 3:
      return make_primitive (self, values, n, type, depth);
    case 4:
      i = make_scalar (self, values, n, fuzz_type ("b1"), depth - 1);
      leaf = make_scalar (self, values, n, type, depth - 1);
      return fuzz_say (self, "cond e%u e%u e%u", i, leaf, make_scalar (self, values, n, type, depth - 1));
    case 5:
      return make_loop (self, type);
    case 6:
      return make_read (self, type);
    case 7:
      return convert (self,
                      fuzz_say (self, "bitcast e%u u4", make_scalar (self, values, n, fuzz_type ("f4"), depth - 1)),
                      fuzz_type ("u4"), type);
    default:
      if (n > 0 && leaf_of (self, values[i].expr, values[i].type, &leaf, &from))
        return convert (self, leaf, from, type);
      return make_literal (self, type);
    }
}

static guint
make_value (FuzzGenerator *self, const Value *values, guint n, AccElementType *type)
{
  g_autoptr(GString) items = NULL;

  if (acc_element_type_is_scalar (type))
    return values == NULL ? make_literal (self, type) : make_scalar (self, values, n, type, 2);

  items = g_string_new (acc_element_type_is_tuple (type) ? "tuple" : "pack ");
  if (!acc_element_type_is_tuple (type))
    g_string_append (items, acc_element_type_get_code (type));
  for (guint i = 0; i < acc_element_type_get_n_items (type); i++)
    g_string_append_printf (items, " e%u", make_value (self, values, n, acc_element_type_get_item (type, i)));

  return fuzz_say (self, "%s", items->str);
}

void
fuzz_say_function (FuzzGenerator *self, AccElementType **params, guint n, AccElementType *result)
{
  Value values[3] = { { 0, NULL } };
  guint body;

  for (guint i = 0; i < n; i++)
    values[i] = (Value){ fuzz_say_variable (self, params[i]), params[i] };
  body = make_value (self, values, n, result);
  g_string_append (self->text, " function");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (self->text, " e%u", values[i].expr);
  g_string_append_printf (self->text, " -> e%u\n", body);
}
