/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-tape-private.h"

#include "acc-error.h"

/* What expressions depend on, and where each is evaluated. */

guint
interp_tape_get_number (TapeCompiler *c,
                        AccExpr      *expr)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (c->numbers, expr)) - 1;
}

static guint32
add_register (TapeCompiler *c,
              AccScalar     initial)
{
  g_array_append_val (c->initial, initial);
  return c->initial->len - 1;
}

static guint
add_registers (TapeCompiler *c,
               guint         n)
{
  guint first = c->pool->len;

  for (guint i = 0; i < n; i++)
    {
      guint32 number = add_register (c, (AccScalar) { .u = 0 });

      g_array_append_val (c->pool, number);
    }
  return first;
}

static guint
count_children (AccExpr *expr)
{
  return expr->n_args + (expr->kind == ACC_EXPR_WHILE ? 2 : 0);
}

static AccExpr *
get_child (AccExpr *expr,
           guint    n)
{
  return n < expr->n_args ? expr->args[n] : expr->functions[n - expr->n_args]->body;
}

int
interp_tape_find_array (TapeCompiler *c,
                        AccArray     *array)
{
  guint position;

  if (!g_ptr_array_find (c->tape->function->arrays, array, &position))
    return -1;
  return (int) position;
}

static guint64
loop_bit (TapeCompiler *c,
          AccExpr      *variable)
{
  guint position;

  if (!g_ptr_array_find (c->variables, variable, &position))
    {
      position = c->variables->len;
      g_ptr_array_add (c->variables, variable);
    }
  return G_GUINT64_CONSTANT (1) << (position % 64);
}

static guint
add_info (TapeCompiler *c,
          AccExpr      *expr)
{
  TapeInfo info = { .expr = expr, .used_in = NO_BLOCK, .block = NO_BLOCK, .flag = -1, .ready_in = NO_BLOCK };

  g_array_append_val (c->infos, info);
  g_hash_table_insert (c->numbers, expr, GUINT_TO_POINTER (c->infos->len));
  return c->infos->len - 1;
}

guint
interp_tape_add_variable (TapeCompiler *c,
                          AccExpr      *variable,
                          gboolean      is_loop)
{
  guint number = interp_tape_get_number (c, variable);
  guint first;
  TapeInfo *info;

  if (number != G_MAXUINT)
    return number;
  number = add_info (c, variable);
  first = add_registers (c, acc_element_type_get_n_leaves (variable->type));
  info = INFO (c, number);
  info->first = first;
  info->trivial = TRUE;
  info->loops = is_loop ? loop_bit (c, variable) : 0;
  return number;
}

/* The items' registers one after the other; TRUE: all items are trivial. */
static gboolean
visit_tuple (TapeCompiler *c,
             AccExpr      *expr)
{
  gboolean trivial = TRUE;

  for (guint i = 0; i < expr->n_args; i++)
    {
      TapeInfo *arg = INFO (c, interp_tape_get_number (c, expr->args[i]));

      for (guint leaf = 0; leaf < acc_element_type_get_n_leaves (expr->args[i]->type); leaf++)
        {
          guint32 reg = REGISTER (c, arg, leaf);

          g_array_append_val (c->pool, reg);
        }
      trivial = trivial && arg->trivial;
    }

  return trivial;
}

/* The variables of loops around it on which a loop depends, @loops of which those of its arguments. */
static guint64
visit_while (TapeCompiler *c,
             AccExpr      *expr,
             guint64       loops)
{
  for (guint i = 0; i < 2; i++)
    {
      AccExpr *variable = expr->functions[i]->params[0];
      guint64 body = INFO (c, interp_tape_get_number (c, expr->functions[i]->body))->loops;
      guint64 bit;

      interp_tape_add_variable (c, variable, TRUE);
      bit = loop_bit (c, variable);
      /* With more variables than bits a bit may mean another variable, too. */
      loops |= c->variables->len <= 64 ? body & ~bit : body;
    }

  return loops;
}

static gboolean
visit_array (TapeCompiler *c,
             AccExpr      *expr,
             GError      **error)
{
  int slot = interp_tape_find_array (c, expr->array);

  if (slot < 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "an expression reads an array that its function does not list");
      return FALSE;
    }
  if (expr->kind != ACC_EXPR_EXTENT)
    c->tape->reads_data[slot] = TRUE;

  return TRUE;
}

static gboolean
visit (TapeCompiler *c,
       AccExpr      *expr,
       GError      **error)
{
  guint number, first = c->pool->len;
  guint64 loops = 0;
  gboolean trivial = FALSE;
  guint32 reg;
  TapeInfo *arg;

  if (expr->kind == ACC_EXPR_VARIABLE)
    {
      interp_tape_add_variable (c, expr, TRUE);
      return TRUE;
    }

  for (guint i = 0; i < expr->n_args; i++)
    loops |= INFO (c, interp_tape_get_number (c, expr->args[i]))->loops;

  switch (expr->kind)
    {
    case ACC_EXPR_LITERAL:
      reg = add_register (c, expr->value);
      g_array_append_val (c->pool, reg);
      trivial = TRUE;
      break;

    case ACC_EXPR_TUPLE:
      trivial = visit_tuple (c, expr);
      break;

    case ACC_EXPR_ITEM:
      arg = INFO (c, interp_tape_get_number (c, expr->args[0]));
      first = arg->first + acc_element_type_get_first_leaf (expr->args[0]->type, expr->item);
      trivial = arg->trivial;
      break;

    case ACC_EXPR_WHILE:
      loops = visit_while (c, expr, loops);
      first = add_registers (c, acc_element_type_get_n_leaves (expr->type));
      break;

    case ACC_EXPR_INDEX:
    case ACC_EXPR_LINEAR_INDEX:
    case ACC_EXPR_EXTENT:
      if (!visit_array (c, expr, error))
        return FALSE;
      G_GNUC_FALLTHROUGH;
    case ACC_EXPR_PRIMITIVE:
    case ACC_EXPR_CAST:
    case ACC_EXPR_BITCAST:
    case ACC_EXPR_COND:
      first = add_registers (c, acc_element_type_get_n_leaves (expr->type));
      break;

    case ACC_EXPR_ERROR:
      g_propagate_error (error, g_error_copy (expr->error));
      return FALSE;

    case ACC_EXPR_VARIABLE:
      break;
    }

  number = add_info (c, expr);
  INFO (c, number)->first = first;
  INFO (c, number)->loops = loops;
  INFO (c, number)->trivial = trivial;
  return TRUE;
}

gboolean
interp_tape_visit (TapeCompiler *c,
                   AccExpr      *root,
                   GError      **error)
{
  typedef struct { AccExpr *expr; guint next; } Visit;
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Visit));
  g_autoptr(GHashTable) entered = g_hash_table_new (NULL, NULL);

  g_hash_table_add (entered, root);
  g_array_append_vals (stack, &(Visit) { root, 0 }, 1);
  while (stack->len > 0)
    {
      Visit *top = &g_array_index (stack, Visit, stack->len - 1);

      if (top->next < count_children (top->expr))
        {
          AccExpr *child = get_child (top->expr, top->next++);

          if (interp_tape_get_number (c, child) == G_MAXUINT && g_hash_table_add (entered, child))
            g_array_append_vals (stack, &(Visit) { child, 0 }, 1);
        }
      else
        {
          AccExpr *expr = top->expr;

          g_array_set_size (stack, stack->len - 1);
          if (interp_tape_get_number (c, expr) == G_MAXUINT && !visit (c, expr, error))
            return FALSE;
        }
    }
  return TRUE;
}

/* --- where each expression is evaluated */

static guint
add_block (TapeCompiler *c,
           guint64       loops,
           guint         value,
           guint         target)
{
  TapeBlock block = { .loops = loops, .value = value, .target = target, .infos = g_array_new (FALSE, FALSE, sizeof (guint)) };

  g_array_append_val (c->blocks, block);
  return c->blocks->len - 1;
}

static void
use (TapeCompiler *c,
     AccExpr      *expr,
     guint         block)
{
  TapeInfo *info = INFO (c, interp_tape_get_number (c, expr));

  if (info->used_in == NO_BLOCK)
    info->used_in = block;
  else if (info->used_in != block)
    info->used_in = MANY_BLOCKS;
}

static void
place (TapeCompiler *c,
       guint         number)
{
  TapeInfo *info = INFO (c, number);
  AccExpr *expr = info->expr;

  if (info->used_in == NO_BLOCK || expr->kind == ACC_EXPR_VARIABLE || expr->kind == ACC_EXPR_LITERAL)
    return;

  /* Shared between blocks, or invariant in the loop around it. */
  if (!info->trivial &&
      (info->used_in == MANY_BLOCKS || (BLOCK (c, info->used_in)->loops & ~info->loops) != 0))
    {
      info->flag = (int) c->tape->n_flags++;
      info->block = add_block (c, info->loops, number, NO_BLOCK);
    }
  else
    {
      info->block = info->used_in == MANY_BLOCKS ? 0 : info->used_in;
    }

  if (expr->kind == ACC_EXPR_COND)
    {
      guint64 loops = BLOCK (c, info->block)->loops;

      use (c, expr->args[0], info->block);
      for (guint i = 0; i < 2; i++)
        {
          guint side = add_block (c, loops, interp_tape_get_number (c, expr->args[1 + i]), number);

          info->inner[i] = side;
          use (c, expr->args[1 + i], side);
        }
    }
  else if (expr->kind == ACC_EXPR_WHILE)
    {
      guint64 loops = BLOCK (c, info->block)->loops;

      use (c, expr->args[0], info->block);
      for (guint i = 0; i < 2; i++)
        {
          AccFunction *function = expr->functions[i];
          guint inner = add_block (c, loops | loop_bit (c, function->params[0]), interp_tape_get_number (c, function->body), NO_BLOCK);

          info->inner[i] = inner;
          use (c, function->body, inner);
        }
    }
  else
    {
      for (guint i = 0; i < expr->n_args; i++)
        use (c, expr->args[i], info->block);
    }
}

void
interp_tape_place (TapeCompiler *c,
                   AccExpr      *root)
{
  add_block (c, 0, interp_tape_get_number (c, root), NO_BLOCK);
  use (c, root, 0);
  for (guint i = c->infos->len; i > 0; i--)
    place (c, i - 1);

  for (guint i = 0; i < c->infos->len; i++)
    {
      TapeInfo *info = INFO (c, i);

      if (info->block != NO_BLOCK && !info->trivial)
        g_array_append_val (BLOCK (c, info->block)->infos, i);
    }

  c->tape->n_lists = c->variables->len;
  c->tape->lists = g_new0 (GArray *, c->variables->len);
  for (guint v = 0; v < c->variables->len; v++)
    {
      guint64 bit = G_GUINT64_CONSTANT (1) << (v % 64);

      c->tape->lists[v] = g_array_new (FALSE, FALSE, sizeof (guint32));
      for (guint i = 0; i < c->infos->len; i++)
        {
          guint32 flag = INFO (c, i)->flag >= 0 ? (guint32) INFO (c, i)->flag : 0;

          if (INFO (c, i)->flag >= 0 && (INFO (c, i)->loops & bit) != 0)
            g_array_append_val (c->tape->lists[v], flag);
        }
    }
}
