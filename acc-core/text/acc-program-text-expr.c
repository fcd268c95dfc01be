/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-program-printer-private.h"

#include <math.h>
#include <string.h>

#include "acc-core/expr/acc-expr-build-private.h"

/* Scalar functions in the text form. */

guint
acc_printer_get_number (GHashTable *table,
                        gpointer    object)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (table, object)) - 1;
}

guint
acc_printer_add_number (GHashTable *table,
                        gpointer    object)
{
  guint number = g_hash_table_size (table);

  g_hash_table_insert (table, object, GUINT_TO_POINTER (number + 1));
  return number;
}

void
acc_printer_append_array (AccPrinter *self,
                          AccArray   *array)
{
  g_string_append_printf (self->text, " a%u", acc_printer_get_number (self->arrays, array));
}

static void
append_float (GString        *text,
              AccElementKind  kind,
              double          value)
{
  char digits[64];
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);

  if (bits == G_GUINT64_CONSTANT (0x7ff8000000000000))
    {
      g_string_append (text, "nan");
      return;
    }

  if (isnan (value))
    {
      g_string_append_printf (text, "nan:0x%016" G_GINT64_MODIFIER "x", bits);
      return;
    }

  if (isinf (value))
    {
      g_string_append (text, value < 0 ? "-inf" : "inf");
      return;
    }

  for (guint precision = 1; precision <= 17; precision++)
    {
      char format[16];

      g_snprintf (format, sizeof format, "%%.%ug", precision);
      g_ascii_formatd (digits, sizeof digits, format, value);
      if (_acc_round_to_kind (kind, g_ascii_strtod (digits, NULL)) == value)
        break;
    }

  g_string_append (text, digits);
}

static void
append_literal (GString *text,
                AccExpr *expr)
{
  AccElementKind kind = acc_element_type_get_kind (expr->type);

  g_string_append_printf (text, "literal %s ", acc_element_type_get_code (expr->type));

  if (kind == ACC_KIND_BOOL)
    g_string_append (text, expr->value.u ? "true" : "false");
  else if (acc_element_kind_is_float (kind))
    append_float (text, kind, acc_scalar_to_double (kind, expr->value));
  else if (acc_element_kind_is_signed (kind))
    g_string_append_printf (text, "%" G_GINT64_FORMAT, expr->value.i);
  else
    g_string_append_printf (text, "%" G_GUINT64_FORMAT, expr->value.u);
}

/* Simplifies as the parser does: an item of a tuple that is built in place is the item itself. */
static AccExpr *
see_through (AccExpr *expr)
{
  while (expr->kind == ACC_EXPR_ITEM && expr->args[0]->kind == ACC_EXPR_TUPLE)
    expr = expr->args[0]->args[expr->item];

  return expr;
}

static void
append_expr_name (AccPrinter *self,
                  AccExpr    *expr)
{
  g_string_append_printf (self->text, " e%u", acc_printer_get_number (self->exprs, see_through (expr)));
}

static void
print_expr (AccPrinter *self,
            AccExpr    *expr)
{
  GString *text = self->text;

  g_string_append_printf (text, "  e%u = ", acc_printer_add_number (self->exprs, expr));

  switch (expr->kind)
    {
    case ACC_EXPR_LITERAL:
      append_literal (text, expr);
      break;
    case ACC_EXPR_VARIABLE:
      g_string_append_printf (text, "variable %s", acc_element_type_get_code (expr->type));
      break;
    case ACC_EXPR_PRIMITIVE:
      g_string_append (text, acc_primitive_get_info (expr->primitive)->name);
      break;
    case ACC_EXPR_CAST:
      g_string_append (text, "cast");
      break;
    case ACC_EXPR_BITCAST:
      g_string_append (text, "bitcast");
      break;
    case ACC_EXPR_TUPLE:
      if (acc_element_type_is_packed (expr->type))
        g_string_append_printf (text, "pack %s", acc_element_type_get_code (expr->type));
      else
        g_string_append (text, "tuple");
      break;
    case ACC_EXPR_ITEM:
      g_string_append (text, "item");
      break;
    case ACC_EXPR_COND:
      g_string_append (text, "cond");
      break;
    case ACC_EXPR_WHILE:
      g_string_append (text, "while");
      break;
    case ACC_EXPR_INDEX:
      g_string_append (text, "index");
      break;
    case ACC_EXPR_LINEAR_INDEX:
      g_string_append (text, "linear_index");
      break;
    case ACC_EXPR_EXTENT:
      g_string_append (text, "extent");
      break;
    case ACC_EXPR_ERROR:
      g_string_append (text, "error");
      break;
    }

  if (expr->array != NULL)
    acc_printer_append_array (self, expr->array);

  for (guint i = 0; i < expr->n_args; i++)
    append_expr_name (self, expr->args[i]);

  if (expr->kind == ACC_EXPR_CAST || expr->kind == ACC_EXPR_BITCAST)
    g_string_append_printf (text, " %s", acc_element_type_get_code (expr->type));
  else if (expr->kind == ACC_EXPR_ITEM || expr->kind == ACC_EXPR_EXTENT)
    g_string_append_printf (text, " %u", expr->item);

  for (guint i = 0; i < 2 && expr->functions[i] != NULL; i++)
    {
      g_string_append (text, i == 0 ? " predicate" : " step");
      append_expr_name (self, expr->functions[i]->params[0]);
      append_expr_name (self, expr->functions[i]->body);
    }

  g_string_append_c (text, '\n');
}

/* Arguments, then parameter and body of each function of a loop. */
static AccExpr *
nth_part (AccExpr *expr,
          guint    n)
{
  if (n < expr->n_args)
    return see_through (expr->args[n]);

  n -= expr->n_args;
  if (n >= 4 || expr->functions[n / 2] == NULL)
    return NULL;

  return n % 2 == 0 ? expr->functions[n / 2]->params[0] : see_through (expr->functions[n / 2]->body);
}

static void
print_exprs (AccPrinter *self,
             AccExpr    *root)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (AccPrinterFrame));

  if (!g_hash_table_contains (self->exprs, root))
    g_array_append_vals (stack, &(AccPrinterFrame) { root, 0 }, 1);

  while (stack->len > 0)
    {
      AccPrinterFrame *top = &g_array_index (stack, AccPrinterFrame, stack->len - 1);
      AccExpr *part = nth_part (top->object, top->next++);

      if (part == NULL)
        {
          if (!g_hash_table_contains (self->exprs, top->object))
            print_expr (self, top->object);
          g_array_set_size (stack, stack->len - 1);
        }
      else if (!g_hash_table_contains (self->exprs, part))
        {
          g_array_append_vals (stack, &(AccPrinterFrame) { part, 0 }, 1);
        }
    }
}

void
acc_printer_print_function (AccPrinter  *self,
                            const char  *keyword,
                            AccFunction *function)
{
  for (guint i = 0; i < function->n_params; i++)
    print_exprs (self, function->params[i]);
  print_exprs (self, see_through (function->body));

  g_string_append_printf (self->text, "  %s", keyword);
  for (guint i = 0; i < function->n_params; i++)
    append_expr_name (self, function->params[i]);
  g_string_append (self->text, " ->");
  append_expr_name (self, function->body);
  g_string_append (self->text, function->commutes ? " commutes\n" : "\n");
}
