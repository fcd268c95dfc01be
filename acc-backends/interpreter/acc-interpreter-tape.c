/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-tape.h"

#include "acc-error.h"

/* Passes over the expressions under a function, each expression once:
 *
 *  1. children before parents: registers, and the loop variables that a value depends on;
 *  2. parents before children: the block each expression is evaluated in;
 *  3. block by block: instructions. */

#define NO_BLOCK     G_MAXUINT
#define MANY_BLOCKS  (G_MAXUINT - 1)

typedef struct {
  AccExpr *expr;
  guint    first;        /* its registers: pool[first .. first + leaves) */
  guint64  loops;        /* loop variables it depends on, one bit each (modulo 64) */
  gboolean trivial;      /* costs nothing: literal, variable, parts of them */
  guint    used_in;      /* block of its uses, or MANY_BLOCKS */
  guint    block;        /* where it is evaluated */
  int      flag;         /* >= 0: has a block of its own */
  guint    inner[2];     /* blocks of a conditional's sides, of a loop's predicate and step */
  guint    ready_in;     /* last block in which it was forced, while that is being written */
} Info;

typedef struct {
  guint64  loops;
  guint    value;        /* info: what it computes */
  guint    target;       /* info: whose registers get the value; NO_BLOCK: nobody's */
  GArray  *infos;        /* guint: what is evaluated here, in order */
  guint    start;        /* first instruction */
} Block;

typedef struct {
  InterpTape *tape;
  GArray     *infos;     /* Info, children first */
  GHashTable *numbers;   /* AccExpr to its info + 1 */
  GArray     *pool;      /* guint32 */
  GArray     *initial;   /* AccScalar */
  GArray     *blocks;
  GArray     *code;
  GArray     *operands;
  GPtrArray  *variables; /* AccExpr: of loops */
} Compiler;

#define INFO(c, n)  (&g_array_index ((c)->infos, Info, n))
#define BLOCK(c, n) (&g_array_index ((c)->blocks, Block, n))
#define REGISTER(c, info, leaf) (g_array_index ((c)->pool, guint32, (info)->first + (leaf)))

static guint
get_number (Compiler *c,
            AccExpr  *expr)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (c->numbers, expr)) - 1;
}

static guint32
add_register (Compiler     *c,
              AccScalar  initial)
{
  g_array_append_val (c->initial, initial);
  return c->initial->len - 1;
}

static guint
add_registers (Compiler *c,
               guint     n)
{
  guint first = c->pool->len;

  for (guint i = 0; i < n; i++)
    {
      guint32 number = add_register (c, (AccScalar) { .u = 0 });

      g_array_append_val (c->pool, number);
    }
  return first;
}

/* --- 1 */

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

static int
find_array (Compiler *c,
            AccArray *array)
{
  guint position;

  if (!g_ptr_array_find (c->tape->function->arrays, array, &position))
    return -1;
  return (int) position;
}

static guint64
loop_bit (Compiler *c,
          AccExpr  *variable)
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
add_info (Compiler *c,
          AccExpr  *expr)
{
  Info info = { .expr = expr, .used_in = NO_BLOCK, .block = NO_BLOCK, .flag = -1, .ready_in = NO_BLOCK };

  g_array_append_val (c->infos, info);
  g_hash_table_insert (c->numbers, expr, GUINT_TO_POINTER (c->infos->len));
  return c->infos->len - 1;
}

static guint
add_variable (Compiler *c,
              AccExpr  *variable,
              gboolean  is_loop)
{
  guint number = get_number (c, variable);
  guint first;
  Info *info;

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
visit_tuple (Compiler *c,
             AccExpr  *expr)
{
  gboolean trivial = TRUE;

  for (guint i = 0; i < expr->n_args; i++)
    {
      Info *arg = INFO (c, get_number (c, expr->args[i]));

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
visit_while (Compiler *c,
             AccExpr  *expr,
             guint64   loops)
{
  for (guint i = 0; i < 2; i++)
    {
      AccExpr *variable = expr->functions[i]->params[0];
      guint64 body = INFO (c, get_number (c, expr->functions[i]->body))->loops;
      guint64 bit;

      add_variable (c, variable, TRUE);
      bit = loop_bit (c, variable);
      /* With more variables than bits a bit may mean another variable, too. */
      loops |= c->variables->len <= 64 ? body & ~bit : body;
    }

  return loops;
}

static gboolean
visit_array (Compiler  *c,
             AccExpr   *expr,
             GError   **error)
{
  int slot = find_array (c, expr->array);

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
visit (Compiler  *c,
       AccExpr   *expr,
       GError   **error)
{
  guint number, first = c->pool->len;
  guint64 loops = 0;
  gboolean trivial = FALSE;
  guint32 reg;
  Info *arg;

  if (expr->kind == ACC_EXPR_VARIABLE)
    {
      add_variable (c, expr, TRUE);
      return TRUE;
    }

  for (guint i = 0; i < expr->n_args; i++)
    loops |= INFO (c, get_number (c, expr->args[i]))->loops;

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
      arg = INFO (c, get_number (c, expr->args[0]));
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

static gboolean
visit_all (Compiler  *c,
           AccExpr   *root,
           GError   **error)
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

          if (get_number (c, child) == G_MAXUINT && g_hash_table_add (entered, child))
            g_array_append_vals (stack, &(Visit) { child, 0 }, 1);
        }
      else
        {
          AccExpr *expr = top->expr;

          g_array_set_size (stack, stack->len - 1);
          if (get_number (c, expr) == G_MAXUINT && !visit (c, expr, error))
            return FALSE;
        }
    }
  return TRUE;
}

/* --- 2 */

static guint
add_block (Compiler *c,
           guint64   loops,
           guint     value,
           guint     target)
{
  Block block = { .loops = loops, .value = value, .target = target, .infos = g_array_new (FALSE, FALSE, sizeof (guint)) };

  g_array_append_val (c->blocks, block);
  return c->blocks->len - 1;
}

static void
use (Compiler *c,
     AccExpr  *expr,
     guint     block)
{
  Info *info = INFO (c, get_number (c, expr));

  if (info->used_in == NO_BLOCK)
    info->used_in = block;
  else if (info->used_in != block)
    info->used_in = MANY_BLOCKS;
}

static void
place (Compiler *c,
       guint     number)
{
  Info *info = INFO (c, number);
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
          guint side = add_block (c, loops, get_number (c, expr->args[1 + i]), number);

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
          guint inner = add_block (c, loops | loop_bit (c, function->params[0]), get_number (c, function->body), NO_BLOCK);

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

static void
place_all (Compiler *c,
           AccExpr  *root)
{
  add_block (c, 0, get_number (c, root), NO_BLOCK);
  use (c, root, 0);
  for (guint i = c->infos->len; i > 0; i--)
    place (c, i - 1);

  for (guint i = 0; i < c->infos->len; i++)
    {
      Info *info = INFO (c, i);

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

/* --- 3 */

static void
emit (Compiler          *c,
      InterpInstruction  instruction)
{
  g_array_append_val (c->code, instruction);
}

static void
require (Compiler *c,
         guint     number,
         guint     block)
{
  Info *info = INFO (c, number);

  if (info->flag < 0 || info->block == block || info->ready_in == block)
    return;
  info->ready_in = block;
  emit (c, (InterpInstruction) { .code = INTERP_CODE_FORCE, .d = (guint32) info->flag, .target = info->block });
}

static void
emit_moves (Compiler *c,
            Info     *to,
            Info     *from)
{
  for (guint leaf = 0; leaf < acc_element_type_get_n_leaves (to->expr->type); leaf++)
    emit (c, (InterpInstruction) { .code = INTERP_CODE_MOVE, .d = REGISTER (c, to, leaf), .a = REGISTER (c, from, leaf) });
}

static guint32
get_list (Compiler *c,
          AccExpr  *variable)
{
  guint position = 0;

  g_ptr_array_find (c->variables, variable, &position);
  return position;
}

static void
emit_while (Compiler *c,
            Info     *info,
            guint     block)
{
  AccExpr *expr = info->expr;
  AccExpr *variables[2] = { expr->functions[0]->params[0], expr->functions[1]->params[0] };
  guint again, leave;

  emit_moves (c, info, INFO (c, get_number (c, expr->args[0])));
  again = c->code->len;
  for (guint i = 0; i < (variables[0] == variables[1] ? 1 : 2); i++)
    {
      emit_moves (c, INFO (c, get_number (c, variables[i])), info);
      emit (c, (InterpInstruction) { .code = INTERP_CODE_RESET, .target = get_list (c, variables[i]) });
    }
  emit (c, (InterpInstruction) { .code = INTERP_CODE_CALL, .target = info->inner[0] });
  leave = c->code->len;
  emit (c, (InterpInstruction) {
    .code = INTERP_CODE_JUMP_UNLESS, .a = REGISTER (c, INFO (c, get_number (c, expr->functions[0]->body)), 0) });
  emit (c, (InterpInstruction) { .code = INTERP_CODE_CALL, .target = info->inner[1] });
  emit_moves (c, info, INFO (c, get_number (c, expr->functions[1]->body)));
  emit (c, (InterpInstruction) { .code = INTERP_CODE_JUMP, .target = again });
  g_array_index (c->code, InterpInstruction, leave).target = c->code->len;
}

static gboolean
emit_primitive (Compiler           *c,
                const Info         *info,
                const Info         *argument,
                InterpInstruction   n,
                GError            **error)
{
  AccPrimitive primitive = info->expr->primitive;
  AccElementKind kind = acc_element_type_get_kind (argument->expr->type);

  n.function = acc_primitive_get_function (primitive, kind);
  n.code = acc_primitive_is (primitive, ACC_FAMILY_DIVISION) ? INTERP_CODE_DIVIDE : INTERP_CODE_SCALAR;
  n.target = kind;
  n.extra = primitive;
  if (n.function == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_TYPE, "%s does not take %s",
                   acc_primitive_get_info (primitive)->name, acc_element_type_get_code (argument->expr->type));
      return FALSE;
    }
  emit (c, n);

  return TRUE;
}

static gboolean
emit_conversion (Compiler           *c,
                 const Info         *info,
                 const Info         *argument,
                 InterpInstruction   n,
                 GError            **error)
{
  AccElementKind kind = acc_element_type_get_kind (argument->expr->type);
  gboolean is_cast = info->expr->kind == ACC_EXPR_CAST;

  n.code = is_cast ? INTERP_CODE_CAST : INTERP_CODE_BITCAST;
  n.target = kind;
  n.extra = acc_element_type_get_kind (info->expr->type);
  if (kind >= ACC_KIND_TUPLE || n.extra >= ACC_KIND_TUPLE ||
      (!is_cast && acc_element_kind_get_size (kind) != acc_element_kind_get_size (n.extra)))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_TYPE, "no conversion from %s to %s",
                   acc_element_type_get_code (argument->expr->type), acc_element_type_get_code (info->expr->type));
      return FALSE;
    }
  emit (c, n);

  return TRUE;
}

/* What reads an array, or its extents. */
static void
emit_array (Compiler          *c,
            const Info        *info,
            const Info        *argument,
            InterpInstruction  n)
{
  n.target = (guint32) find_array (c, info->expr->array);
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
emit_expr (Compiler  *c,
           guint      number,
           guint      block,
           GError   **error)
{
  Info *info = INFO (c, number);
  AccExpr *expr = info->expr;
  guint n_strict = expr->kind == ACC_EXPR_COND || expr->kind == ACC_EXPR_WHILE ? 1 : expr->n_args;
  Info *args[2] = { NULL, NULL };
  InterpInstruction n = { 0 };

  for (guint i = 0; i < n_strict; i++)
    require (c, get_number (c, expr->args[i]), block);
  for (guint i = 0; i < MIN (n_strict, 2); i++)
    args[i] = INFO (c, get_number (c, expr->args[i]));
  if (expr->kind != ACC_EXPR_TUPLE && acc_element_type_get_n_leaves (expr->type) > 0)
    n.d = REGISTER (c, info, 0);
  if (args[0] != NULL && acc_element_type_get_n_leaves (args[0]->expr->type) > 0)
    n.a = REGISTER (c, args[0], 0);

  switch (expr->kind)
    {
    case ACC_EXPR_PRIMITIVE:
      n.b = args[1] != NULL ? REGISTER (c, args[1], 0) : 0;
      return emit_primitive (c, info, args[0], n, error);

    case ACC_EXPR_CAST:
    case ACC_EXPR_BITCAST:
      return emit_conversion (c, info, args[0], n, error);

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
      emit_array (c, info, args[0], n);
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
emit_all (Compiler  *c,
          GError   **error)
{
  for (guint b = 0; b < c->blocks->len; b++)
    {
      Block *block = BLOCK (c, b);

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

/* --- */

static void
mark_used (InterpTape *tape,
           guint       n_params,
           guint32     reg)
{
  if (reg < n_params)
    tape->param_used[reg] = TRUE;
}

static void
finish_tape (Compiler *c)
{
  InterpTape *tape = c->tape;
  Info *root = INFO (c, get_number (c, tape->function->body));
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
interp_tape_new (AccFunction  *function,
                 GError      **error)
{
  g_autoptr(InterpTape) tape = g_new0 (InterpTape, 1);
  Compiler c = { .tape = tape };
  gboolean done;

  tape->function = acc_function_ref (function);
  tape->n_params = function->n_params;
  tape->reads_data = g_new0 (gboolean, MAX (function->arrays->len, 1));

  c.infos = g_array_new (FALSE, FALSE, sizeof (Info));
  c.numbers = g_hash_table_new (NULL, NULL);
  c.pool = g_array_new (FALSE, FALSE, sizeof (guint32));
  c.initial = g_array_new (FALSE, FALSE, sizeof (AccScalar));
  c.blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  c.code = g_array_new (FALSE, FALSE, sizeof (InterpInstruction));
  c.operands = g_array_new (FALSE, FALSE, sizeof (guint32));
  c.variables = g_ptr_array_new ();

  for (guint i = 0; i < function->n_params; i++)
    {
      tape->param_first[i] = c.initial->len;
      tape->param_leaves[i] = acc_element_type_get_n_leaves (function->params[i]->type);
      add_variable (&c, function->params[i], FALSE);
    }

  done = visit_all (&c, function->body, error);
  if (done)
    {
      place_all (&c, function->body);
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
