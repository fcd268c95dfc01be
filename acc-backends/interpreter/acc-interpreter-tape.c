/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-tape-private.h"

#include "acc-error.h"

/* The instructions, block by block, and what is left to do when they are written. */

static void
emit (TapeCompiler     *c,
      InterpInstruction instruction)
{
  g_array_append_val (c->code, instruction);
}

static void
require (TapeCompiler *c,
         guint         number,
         guint         block)
{
  TapeInfo *info = INFO (c, number);

  if (info->flag < 0 || info->block == block || info->ready_in == block)
    return;
  info->ready_in = block;
  emit (c, (InterpInstruction) { .code = INTERP_CODE_FORCE, .d = (guint32) info->flag, .target = info->block });
}

static void
emit_moves (TapeCompiler *c,
            TapeInfo     *to,
            TapeInfo     *from)
{
  for (guint leaf = 0; leaf < acc_element_type_get_n_leaves (to->expr->type); leaf++)
    emit (c, (InterpInstruction) { .code = INTERP_CODE_MOVE, .d = REGISTER (c, to, leaf), .a = REGISTER (c, from, leaf) });
}

static guint32
get_list (TapeCompiler *c,
          AccExpr      *variable)
{
  guint position = 0;

  g_ptr_array_find (c->variables, variable, &position);
  return position;
}

static void
emit_while (TapeCompiler *c,
            TapeInfo     *info,
            guint         block)
{
  AccExpr *expr = info->expr;
  AccExpr *variables[2] = { expr->functions[0]->params[0], expr->functions[1]->params[0] };
  guint again, leave;

  emit_moves (c, info, INFO (c, interp_tape_get_number (c, expr->args[0])));
  again = c->code->len;
  for (guint i = 0; i < (variables[0] == variables[1] ? 1 : 2); i++)
    {
      emit_moves (c, INFO (c, interp_tape_get_number (c, variables[i])), info);
      emit (c, (InterpInstruction) { .code = INTERP_CODE_RESET, .target = get_list (c, variables[i]) });
    }
  emit (c, (InterpInstruction) { .code = INTERP_CODE_CALL, .target = info->inner[0] });
  leave = c->code->len;
  emit (c, (InterpInstruction) {
    .code = INTERP_CODE_JUMP_UNLESS, .a = REGISTER (c, INFO (c, interp_tape_get_number (c, expr->functions[0]->body)), 0) });
  emit (c, (InterpInstruction) { .code = INTERP_CODE_CALL, .target = info->inner[1] });
  emit_moves (c, info, INFO (c, interp_tape_get_number (c, expr->functions[1]->body)));
  emit (c, (InterpInstruction) { .code = INTERP_CODE_JUMP, .target = again });
  g_array_index (c->code, InterpInstruction, leave).target = c->code->len;
}

static gboolean
emit_primitive (TapeCompiler     *c,
                const TapeInfo   *info,
                InterpInstruction n,
                GError          **error)
{
  AccPrimitive primitive = info->expr->primitive;
  AccElementType *type = info->expr->args[0]->type;
  AccElementKind kind = acc_element_type_get_kind (type);

  n.function = acc_primitive_get_function (primitive, kind);
  n.code = acc_primitive_is (primitive, ACC_FAMILY_DIVISION) ? INTERP_CODE_DIVIDE : INTERP_CODE_SCALAR;
  n.target = kind;
  n.extra = primitive;
  if (n.function == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_TYPE, "%s does not take %s", acc_primitive_get_info (primitive)->name,
                   acc_element_type_get_code (type));
      return FALSE;
    }
  emit (c, n);

  return TRUE;
}

static gboolean
emit_conversion (TapeCompiler     *c,
                 const TapeInfo   *info,
                 InterpInstruction n,
                 GError          **error)
{
  AccElementType *type = info->expr->args[0]->type;
  AccElementKind kind = acc_element_type_get_kind (type);
  gboolean is_cast = info->expr->kind == ACC_EXPR_CAST;

  n.code = is_cast ? INTERP_CODE_CAST : INTERP_CODE_BITCAST;
  n.target = kind;
  n.extra = acc_element_type_get_kind (info->expr->type);
  if (kind >= ACC_KIND_TUPLE || n.extra >= ACC_KIND_TUPLE ||
      (!is_cast && acc_element_kind_get_size (kind) != acc_element_kind_get_size (n.extra)))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_TYPE, "no conversion from %s to %s",
                   acc_element_type_get_code (type), acc_element_type_get_code (info->expr->type));
      return FALSE;
    }
  emit (c, n);

  return TRUE;
}

/* What reads an array, or its extents. */
static void
emit_array (TapeCompiler     *c,
            const TapeInfo   *info,
            InterpInstruction n)
{
  n.target = (guint32) interp_tape_find_array (c, info->expr->array);
  if (info->expr->kind == ACC_EXPR_EXTENT)
    {
      n.code = INTERP_CODE_EXTENT;
      n.extra = info->expr->item;
    }
  else if (info->expr->kind == ACC_EXPR_LINEAR_INDEX)
    {
      n.code = INTERP_CODE_LINEAR_INDEX;
    }
  else
    {
      const TapeInfo *argument = INFO (c, interp_tape_get_number (c, info->expr->args[0]));

      n.code = INTERP_CODE_INDEX;
      n.count = (guint16) acc_element_type_get_n_leaves (argument->expr->type);
      n.extra = c->operands->len;
      for (guint i = 0; i < n.count; i++)
        {
          guint32 reg = REGISTER (c, argument, i);

          g_array_append_val (c->operands, reg);
        }
    }
  emit (c, n);
}

static gboolean
emit_expr (TapeCompiler *c,
           guint         number,
           guint         block,
           GError      **error)
{
  TapeInfo *info = INFO (c, number);
  AccExpr *expr = info->expr;
  guint n_strict = expr->kind == ACC_EXPR_COND || expr->kind == ACC_EXPR_WHILE ? 1 : expr->n_args;
  TapeInfo *args[2] = { NULL, NULL };
  InterpInstruction n = { 0 };

  for (guint i = 0; i < n_strict; i++)
    require (c, interp_tape_get_number (c, expr->args[i]), block);
  for (guint i = 0; i < MIN (n_strict, 2); i++)
    args[i] = INFO (c, interp_tape_get_number (c, expr->args[i]));
  if (expr->kind != ACC_EXPR_TUPLE && acc_element_type_get_n_leaves (expr->type) > 0)
    n.d = REGISTER (c, info, 0);
  if (args[0] != NULL && acc_element_type_get_n_leaves (args[0]->expr->type) > 0)
    n.a = REGISTER (c, args[0], 0);

  switch (expr->kind)
    {
    case ACC_EXPR_PRIMITIVE:
      n.b = args[1] != NULL ? REGISTER (c, args[1], 0) : 0;
      return emit_primitive (c, info, n, error);

    case ACC_EXPR_CAST:
    case ACC_EXPR_BITCAST:
      return emit_conversion (c, info, n, error);

    case ACC_EXPR_COND:
      n.code = INTERP_CODE_BRANCH;
      n.target = info->inner[0];
      n.extra = info->inner[1];
      emit (c, n);
      break;

    case ACC_EXPR_WHILE:
      emit_while (c, info, block);
      break;

    case ACC_EXPR_INDEX:
    case ACC_EXPR_LINEAR_INDEX:
    case ACC_EXPR_EXTENT:
      emit_array (c, info, n);
      break;

    case ACC_EXPR_TUPLE:
    case ACC_EXPR_ITEM:
    case ACC_EXPR_LITERAL:
    case ACC_EXPR_VARIABLE:
    case ACC_EXPR_ERROR:
      break;
    }
  return TRUE;
}

static gboolean
emit_all (TapeCompiler *c,
          GError      **error)
{
  for (guint b = 0; b < c->blocks->len; b++)
    {
      TapeBlock *block = BLOCK (c, b);

      block->start = c->code->len;
      for (guint i = 0; i < block->infos->len; i++)
        if (!emit_expr (c, g_array_index (block->infos, guint, i), b, error))
          return FALSE;
      require (c, block->value, b);
      if (block->target != NO_BLOCK)
        emit_moves (c, INFO (c, block->target), INFO (c, block->value));
      emit (c, (InterpInstruction) { .code = INTERP_CODE_RETURN });
    }

  for (guint i = 0; i < c->code->len; i++)
    {
      InterpInstruction *n = &g_array_index (c->code, InterpInstruction, i);

      if (n->code == INTERP_CODE_FORCE || n->code == INTERP_CODE_CALL || n->code == INTERP_CODE_BRANCH)
        n->target = BLOCK (c, n->target)->start;
      if (n->code == INTERP_CODE_BRANCH)
        n->extra = BLOCK (c, n->extra)->start;
    }
  return TRUE;
}

static void
mark_used (InterpTape *tape,
           guint       n_params,
           guint32     reg)
{
  if (reg < n_params)
    tape->param_used[reg] = TRUE;
}

static void
finish_tape (TapeCompiler *c)
{
  InterpTape *tape = c->tape;
  TapeInfo *root = INFO (c, interp_tape_get_number (c, tape->function->body));
  AccElementType *type = tape->function->body->type;
  guint n_params = 0;

  for (guint i = 0; i < tape->n_params; i++)
    n_params += tape->param_leaves[i];

  tape->n_registers = c->initial->len;
  tape->n_blocks = c->blocks->len;
  tape->n_results = acc_element_type_get_n_leaves (type);
  tape->results = g_new (guint32, MAX (tape->n_results, 1));
  tape->result_kinds = g_new (AccElementKind, MAX (tape->n_results, 1));
  tape->param_used = g_new0 (gboolean, MAX (n_params, 1));

  for (guint i = 0; i < tape->n_results; i++)
    {
      tape->results[i] = REGISTER (c, root, i);
      tape->result_kinds[i] = acc_element_type_get_leaf (type, i);
      mark_used (tape, n_params, tape->results[i]);
    }
  for (guint i = 0; i < c->operands->len; i++)
    mark_used (tape, n_params, g_array_index (c->operands, guint32, i));
  /* Missing operands are 0: at worst parameter 0 is loaded for nothing. */
  for (guint i = 0; i < c->code->len; i++)
    {
      InterpInstruction *n = &g_array_index (c->code, InterpInstruction, i);

      mark_used (tape, n_params, n->a);
      mark_used (tape, n_params, n->b);
    }

  tape->instructions = (InterpInstruction *) g_array_free (g_steal_pointer (&c->code), FALSE);
  tape->operands = (guint32 *) g_array_free (g_steal_pointer (&c->operands), FALSE);
  tape->initial = (AccScalar *) g_array_free (g_steal_pointer (&c->initial), FALSE);
}

InterpTape *
interp_tape_new (AccFunction *function,
                 GError     **error)
{
  g_autoptr(InterpTape) tape = g_new0 (InterpTape, 1);
  TapeCompiler c = { .tape = tape };
  gboolean done;

  tape->function = acc_function_ref (function);
  tape->n_params = function->n_params;
  tape->reads_data = g_new0 (gboolean, MAX (function->arrays->len, 1));

  c.infos = g_array_new (FALSE, FALSE, sizeof (TapeInfo));
  c.numbers = g_hash_table_new (NULL, NULL);
  c.pool = g_array_new (FALSE, FALSE, sizeof (guint32));
  c.initial = g_array_new (FALSE, FALSE, sizeof (AccScalar));
  c.blocks = g_array_new (FALSE, FALSE, sizeof (TapeBlock));
  c.code = g_array_new (FALSE, FALSE, sizeof (InterpInstruction));
  c.operands = g_array_new (FALSE, FALSE, sizeof (guint32));
  c.variables = g_ptr_array_new ();

  for (guint i = 0; i < function->n_params; i++)
    {
      tape->param_first[i] = c.initial->len;
      tape->param_leaves[i] = acc_element_type_get_n_leaves (function->params[i]->type);
      interp_tape_add_variable (&c, function->params[i], FALSE);
    }

  done = interp_tape_visit (&c, function->body, error);
  if (done)
    {
      interp_tape_place (&c, function->body);
      done = emit_all (&c, error);
    }
  if (done)
    finish_tape (&c);

  for (guint i = 0; i < c.blocks->len; i++)
    g_array_unref (BLOCK (&c, i)->infos);
  g_array_unref (c.infos);
  g_hash_table_unref (c.numbers);
  g_array_unref (c.pool);
  g_clear_pointer (&c.initial, g_array_unref);
  g_array_unref (c.blocks);
  g_clear_pointer (&c.code, g_array_unref);
  g_clear_pointer (&c.operands, g_array_unref);
  g_ptr_array_unref (c.variables);
  return done ? g_steal_pointer (&tape) : NULL;
}

void
interp_tape_free (InterpTape *self)
{
  for (guint i = 0; i < self->n_lists; i++)
    g_array_unref (self->lists[i]);
  g_free (self->lists);
  g_clear_pointer (&self->function, acc_function_unref);
  g_free (self->instructions);
  g_free (self->operands);
  g_free (self->initial);
  g_free (self->param_used);
  g_free (self->results);
  g_free (self->result_kinds);
  g_free (self->reads_data);
  g_free (self);
}
