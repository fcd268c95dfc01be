/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-array-private.h"

#include <string.h>

/* Expressions deeper than this get names, so that printing needs no deep recursion. */
#define MAX_DEPTH 24

typedef struct {
  guint uses;
  guint depth;
  guint name;    /* 0: none */
} Fact;

typedef struct {
  GHashTable *facts;    /* AccExpr to Fact */
  GPtrArray  *order;    /* operands first */
  guint       n_names;
} Printer;

static Fact *
fact_of (Printer *p,
         AccExpr *expr)
{
  return g_hash_table_lookup (p->facts, expr);
}

static void
use (Fact *fact,
     Fact *operand)
{
  operand->uses++;
  fact->depth = MAX (fact->depth, operand->depth + 1);
}

/* Visits operands before their users, without recursion: a node is seen once to push its operands and once to be listed. */
static void
sort (Printer *p,
      AccExpr *root)
{
  g_autoptr(GPtrArray) stack = g_ptr_array_new ();

  g_ptr_array_add (stack, root);
  while (stack->len > 0)
    {
      AccExpr *expr = stack->pdata[stack->len - 1];
      Fact *fact = fact_of (p, expr);

      if (fact == NULL)
        {
          g_hash_table_insert (p->facts, expr, g_new0 (Fact, 1));
          for (guint i = expr->n_args; i-- > 0;)
            if (fact_of (p, expr->args[i]) == NULL)
              g_ptr_array_add (stack, expr->args[i]);
          for (guint i = 0; i < G_N_ELEMENTS (expr->functions); i++)
            if (expr->functions[i] != NULL && fact_of (p, expr->functions[i]->body) == NULL)
              g_ptr_array_add (stack, expr->functions[i]->body);
          continue;
        }

      g_ptr_array_set_size (stack, stack->len - 1);
      if (fact->depth > 0)
        continue;

      fact->depth = 1;
      for (guint i = 0; i < expr->n_args; i++)
        use (fact, fact_of (p, expr->args[i]));
      for (guint i = 0; i < G_N_ELEMENTS (expr->functions); i++)
        if (expr->functions[i] != NULL)
          use (fact, fact_of (p, expr->functions[i]->body));
      if (fact->depth > MAX_DEPTH)
        {
          fact->depth = 1;
          fact->uses = 2;
        }
      g_ptr_array_add (p->order, expr);
    }
}

static void
append_literal (GString *text,
                AccExpr *expr)
{
  AccElementKind kind = acc_element_type_get_kind (expr->type);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (kind == ACC_KIND_BOOL)
    g_string_append (text, expr->value.i ? "true" : "false");
  else if (acc_element_kind_is_float (kind))
    {
      g_ascii_dtostr (buffer, sizeof buffer, acc_scalar_to_double (kind, expr->value));
      g_string_append (text, buffer);
      if (strspn (buffer, "-0123456789") == strlen (buffer))
        g_string_append (text, ".0");
    }
  else if (acc_element_kind_is_signed (kind))
    g_string_append_printf (text, "%" G_GINT64_FORMAT, expr->value.i);
  else
    g_string_append_printf (text, "%" G_GUINT64_FORMAT, expr->value.u);
}

static void append (Printer *p, GString *text, AccExpr *expr);

static void
append_args (Printer *p,
             GString *text,
             AccExpr *expr)
{
  g_string_append (text, " (");
  for (guint i = 0; i < expr->n_args; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      append (p, text, expr->args[i]);
    }
  g_string_append_c (text, ')');
}

static guint
name_of (Printer *p,
         AccExpr *expr)
{
  Fact *fact = fact_of (p, expr);

  if (fact == NULL)
    {
      fact = g_new0 (Fact, 1);
      g_hash_table_insert (p->facts, expr, fact);
    }
  if (fact->name == 0)
    fact->name = ++p->n_names;
  return fact->name;
}

static void
append_node (Printer *p,
             GString *text,
             AccExpr *expr)
{
  const char *type = expr->type ? acc_element_type_get_code (expr->type) : NULL;

  switch (expr->kind)
    {
    case ACC_EXPR_LITERAL:
      append_literal (text, expr);
      break;
    case ACC_EXPR_VARIABLE:
      g_string_append_printf (text, "x%u", name_of (p, expr));
      break;
    case ACC_EXPR_PRIMITIVE:
      g_string_append (text, acc_primitive_get_info (expr->primitive)->name);
      append_args (p, text, expr);
      break;
    case ACC_EXPR_CAST:
    case ACC_EXPR_BITCAST:
      g_string_append_printf (text, "%s %s", expr->kind == ACC_EXPR_CAST ? "cast" : "bitcast", type);
      append_args (p, text, expr);
      break;
    case ACC_EXPR_TUPLE:
      g_string_append (text, acc_element_type_is_packed (expr->type) ? acc_element_type_get_code (expr->type) : "tuple");
      append_args (p, text, expr);
      break;
    case ACC_EXPR_ITEM:
      append (p, text, expr->args[0]);
      g_string_append_printf (text, ".%u", expr->item);
      break;
    case ACC_EXPR_COND:
      g_string_append (text, "cond");
      append_args (p, text, expr);
      break;
    case ACC_EXPR_WHILE:
      g_string_append_printf (text, "while x%u: ", name_of (p, expr->functions[0]->params[0]));
      append (p, text, expr->functions[0]->body);
      g_string_append_printf (text, " do x%u: ", name_of (p, expr->functions[1]->params[0]));
      append (p, text, expr->functions[1]->body);
      g_string_append (text, " from");
      append_args (p, text, expr);
      break;
    case ACC_EXPR_INDEX:
    case ACC_EXPR_LINEAR_INDEX:
      {
        g_autofree char *what = acc_array_describe (expr->array);
        g_string_append_printf (text, "%s [%s]", expr->kind == ACC_EXPR_INDEX ? "index" : "linear_index", what);
        append_args (p, text, expr);
        break;
      }
    case ACC_EXPR_EXTENT:
      {
        g_autofree char *what = acc_array_describe (expr->array);
        g_string_append_printf (text, "extent [%s] %u", what, expr->item);
        break;
      }
    case ACC_EXPR_ERROR:
    default:
      g_string_append_printf (text, "error: %s", expr->error ? expr->error->message : "unknown");
      break;
    }
}

static void
append (Printer *p,
        GString *text,
        AccExpr *expr)
{
  Fact *fact = fact_of (p, expr);

  if (expr->kind != ACC_EXPR_VARIABLE && fact != NULL && fact->name != 0)
    g_string_append_printf (text, "%%%u", fact->name);
  else
    append_node (p, text, expr);
}

/**
 * acc_expr_to_string:
 * @self: an expression
 *
 * Formats an expression for people. An expression that is used several times is named once. The form that can be read back
 * is that of programs, [method@Program.to_string].
 *
 * Returns: (transfer full): the text
 */
char *
acc_expr_to_string (AccExpr *self)
{
  Printer p = {
    .facts = g_hash_table_new_full (NULL, NULL, NULL, g_free),
    .order = g_ptr_array_new (),
  };
  GString *text = g_string_new (NULL);

  sort (&p, self);
  for (guint i = 0; i < p.order->len; i++)
    {
      AccExpr *expr = p.order->pdata[i];
      Fact *fact = fact_of (&p, expr);

      if (expr == self || fact->uses < 2 || expr->kind == ACC_EXPR_VARIABLE || expr->kind == ACC_EXPR_LITERAL)
        continue;

      g_autoptr(GString) value = g_string_new (NULL);
      append_node (&p, value, expr);
      fact->name = ++p.n_names;
      g_string_append_printf (text, "let %%%u = %s in\n", fact->name, value->str);
    }
  append_node (&p, text, self);

  g_hash_table_unref (p.facts);
  g_ptr_array_unref (p.order);
  return g_string_free (text, FALSE);
}
