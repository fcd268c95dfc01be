/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-expr.h"

#include "acc-error.h"
#include "acc-hlo-primitive.h"
#include "acc-hlo-read.h"
#include "acc-hlo-round.h"
#include "acc-backends/lower/acc-lower-expr.h"

/* An expression is written once for each place that may see it: the function, and within it sides of conditionals and bodies of loops.
 * Both sides of a conditional are computed, and one is selected; what may fail, or loop, does so only where its side is taken, by a
 * mask. */

typedef struct _Scope Scope;

struct _Scope {
  Scope       *parent;
  AccHloValue  mask;       /* NULL: all elements */
  gboolean     is_block;   /* others may not use what is in it: a loop's, or the function's */
  GHashTable  *values;     /* AccExpr to AccHloValue * */
};

typedef struct {
  AccHlo      *hlo;
  AccHloShape  shape;
  GHashTable  *careful;    /* AccExpr to whether it minds where it is computed: GINT, 1 or 2 */
  GPtrArray   *memory;
} Frame;

#define CAREFREE GINT_TO_POINTER (1)
#define CAREFUL  GINT_TO_POINTER (2)

static AccHloValue *evaluate (Frame *frame, Scope *scope, AccExpr *root);

static AccHloValue *
allocate (Frame *frame,
          guint  n)
{
  AccHloValue *values = g_new0 (AccHloValue, n + 1);

  g_ptr_array_add (frame->memory, values);

  return values;
}

static guint
count_leaves (AccExpr *expr)
{
  return acc_element_type_get_n_leaves (expr->type);
}

static AccHloValue *
look_up (Scope   *scope,
         AccExpr *expr)
{
  for (; scope != NULL; scope = scope->parent)
    {
      AccHloValue *values = g_hash_table_lookup (scope->values, expr);

      if (values != NULL)
        return values;
    }

  return NULL;
}

static void
scope_init (Scope       *self,
            Scope       *parent,
            AccHloValue  mask,
            gboolean     is_block)
{
  *self = (Scope) { parent, mask, is_block, g_hash_table_new (NULL, NULL) };
}

/* --- what minds where it is computed */

static gboolean
may_fail (AccHlo  *self,
          AccExpr *expr)
{
  if (!self->has_checks)
    return FALSE;
  if (expr->kind == ACC_EXPR_PRIMITIVE)
    return acc_primitive_is (expr->primitive, ACC_FAMILY_DIVISION) && !low_divisor_is_safe (expr);

  return expr->kind == ACC_EXPR_LINEAR_INDEX || (expr->kind == ACC_EXPR_INDEX && expr->array->rank > 0);
}

typedef struct {
  AccExpr *expr;
  guint    next;
} Visit;

static void
find_careful (Frame   *frame,
              AccExpr *root)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Visit));

  g_array_append_vals (stack, &(Visit) { root, 0 }, 1);
  while (stack->len > 0)
    {
      Visit *top = &g_array_index (stack, Visit, stack->len - 1);
      AccExpr *expr = top->expr;
      gboolean minds;

      if (g_hash_table_contains (frame->careful, expr))
        {
          g_array_set_size (stack, stack->len - 1);
          continue;
        }
      if (top->next < expr->n_args)
        {
          AccExpr *child = expr->args[top->next++];

          if (!g_hash_table_contains (frame->careful, child))
            g_array_append_vals (stack, &(Visit) { child, 0 }, 1);
          continue;
        }

      minds = expr->kind == ACC_EXPR_WHILE || may_fail (frame->hlo, expr);
      for (guint i = 0; i < expr->n_args && !minds; i++)
        minds = g_hash_table_lookup (frame->careful, expr->args[i]) == CAREFUL;
      g_hash_table_insert (frame->careful, expr, minds ? CAREFUL : CAREFREE);
      g_array_set_size (stack, stack->len - 1);
    }
}

static gboolean
is_careful (Frame   *frame,
            AccExpr *expr)
{
  return g_hash_table_lookup (frame->careful, expr) == CAREFUL;
}

/* How many arguments are evaluated wherever the expression is. */
static guint
count_strict (Frame   *frame,
              AccExpr *expr)
{
  if (expr->kind == ACC_EXPR_COND && is_careful (frame, expr) && (is_careful (frame, expr->args[1]) || is_careful (frame, expr->args[2])))
    return 1;

  return expr->n_args;
}

/* Adds the careful ones that are evaluated whenever @root is, and were not yet. */
static void
collect_strict (Frame      *frame,
                Scope      *scope,
                AccExpr    *root,
                GHashTable *set)
{
  g_autoptr(GPtrArray) pending = g_ptr_array_new ();

  g_ptr_array_add (pending, root);
  while (pending->len > 0)
    {
      AccExpr *expr = g_ptr_array_steal_index_fast (pending, pending->len - 1);

      if (!is_careful (frame, expr) || look_up (scope, expr) != NULL || !g_hash_table_add (set, expr))
        continue;
      for (guint i = 0; i < count_strict (frame, expr); i++)
        g_ptr_array_add (pending, expr->args[i]);
    }
}

/* What both sides of a conditional evaluate is evaluated before. */
static void
evaluate_shared (Frame   *frame,
                 Scope   *scope,
                 AccExpr *cond)
{
  g_autoptr(GHashTable) first = NULL, second = NULL;
  GHashTableIter iter;
  gpointer expr;

  if (!is_careful (frame, cond->args[1]) || !is_careful (frame, cond->args[2]))
    return;

  first = g_hash_table_new (NULL, NULL);
  second = g_hash_table_new (NULL, NULL);
  collect_strict (frame, scope, cond->args[1], first);
  collect_strict (frame, scope, cond->args[2], second);
  g_hash_table_iter_init (&iter, first);
  while (g_hash_table_iter_next (&iter, &expr, NULL))
    if (g_hash_table_contains (second, expr))
      evaluate (frame, scope, expr);
}

/* --- kinds of expressions */

static void
write_cond (Frame       *frame,
            Scope       *scope,
            AccExpr     *expr,
            AccHloValue *values)
{
  AccHlo *self = frame->hlo;
  AccHloValue condition = look_up (scope, expr->args[0])[0];
  AccHloValue *sides[2];

  if (count_strict (frame, expr) == expr->n_args)
    {
      sides[0] = look_up (scope, expr->args[1]);
      sides[1] = look_up (scope, expr->args[2]);
    }
  else
    {
      AccHloValue otherwise = acc_hlo_unary (self, "not", condition, frame->shape, ACC_KIND_BOOL);

      evaluate_shared (frame, scope, expr);
      for (guint i = 0; i < 2; i++)
        {
          Scope side;

          scope_init (&side, scope, acc_hlo_join_masks (self, scope->mask, i == 0 ? condition : otherwise, frame->shape), FALSE);
          sides[i] = evaluate (frame, &side, expr->args[1 + i]);
          g_hash_table_unref (side.values);
        }
    }

  for (guint i = 0; i < count_leaves (expr); i++)
    values[i] = acc_hlo_select (self, condition, sides[0][i], sides[1][i], frame->shape, acc_element_type_get_leaf (expr->type, i));
}

typedef struct {
  Frame   *frame;
  Scope   *scope;
  AccExpr *expr;
} Loop;

/* The value of function @number of the loop for @state. Nothing that depends on that is kept for others. */
static AccHloValue *
call (Loop        *loop,
      guint        number,
      AccHloValue *state,
      AccHloValue  mask)
{
  AccFunction *function = loop->expr->functions[number];
  AccHloValue *values;
  Scope scope;

  scope_init (&scope, loop->scope, mask, TRUE);
  g_hash_table_insert (scope.values, function->params[0], state);
  values = evaluate (loop->frame, &scope, function->body);
  g_hash_table_unref (scope.values);

  return values;
}

/* The first value: which elements go on. */
static AccHloValue
loop_condition (AccHlo            *self,
                const AccHloValue *values,
                gpointer           data)
{
  Loop *loop = data;

  return acc_hlo_any (self, values[0], loop->frame->shape);
}

static void
loop_body (AccHlo      *self,
           AccHloValue *values,
           gpointer     data)
{
  Loop *loop = data;
  guint n = count_leaves (loop->expr);
  AccHloValue active = values[0], *state = allocate (loop->frame, n), *next;

  for (guint i = 0; i < n; i++)
    state[i] = values[1 + i];
  next = call (loop, 1, state, active);
  state = allocate (loop->frame, n);
  for (guint i = 0; i < n; i++)
    values[1 + i] = state[i] = acc_hlo_select (self, active, next[i], values[1 + i], loop->frame->shape,
                                               acc_element_type_get_leaf (loop->expr->type, i));
  values[0] = acc_hlo_join_masks (self, active, call (loop, 0, state, active)[0], loop->frame->shape);
}

static void
write_while (Frame       *frame,
             Scope       *scope,
             AccExpr     *expr,
             AccHloValue *values)
{
  AccHlo *self = frame->hlo;
  guint n = count_leaves (expr);
  Loop loop = { frame, scope, expr };
  AccHloCarry carry = { n + 1, allocate (frame, n + 1), g_new (const char *, n + 1) };
  AccHloValue *initial = look_up (scope, expr->args[0]);

  carry.values[0] = acc_hlo_join_masks (self, scope->mask, call (&loop, 0, initial, scope->mask)[0], frame->shape);
  carry.types[0] = acc_hlo_type (self, frame->shape, ACC_KIND_BOOL);
  for (guint i = 0; i < n; i++)
    {
      carry.values[1 + i] = initial[i];
      carry.types[1 + i] = acc_hlo_type (self, frame->shape, acc_element_type_get_leaf (expr->type, i));
    }
  acc_hlo_while (self, &carry, loop_condition, loop_body, &loop);
  for (guint i = 0; i < n; i++)
    values[i] = carry.values[1 + i];
  g_free (carry.types);
}

/* Compilers join literals that are added or multiplied one after the other, and divide by none. */
static AccHloValue
write_literal (Frame   *frame,
               AccExpr *expr)
{
  AccHlo *self = frame->hlo;
  AccElementKind kind = acc_element_type_get_leaf (expr->type, 0);
  AccHloValue value;

  if (!acc_element_kind_is_float (kind) || self->fast_math || self->zero == NULL)
    return acc_hlo_constant (self, frame->shape, kind, expr->value);

  value = acc_hlo_constant (self, ACC_HLO_SCALAR, kind, expr->value);

  return acc_hlo_spread (self, acc_hlo_hide (self, value, ACC_HLO_SCALAR, kind), frame->shape, kind);
}

/* Integers that compilers find to be 0 would become a 0 that they add without a look at its sign. */
static AccHloValue
write_cast (Frame   *frame,
            Scope   *scope,
            AccExpr *expr)
{
  AccElementKind kind = acc_element_type_get_leaf (expr->type, 0);
  AccHloValue value = acc_hlo_cast (frame->hlo, look_up (scope, expr->args[0])[0], frame->shape,
                                    acc_element_type_get_leaf (expr->args[0]->type, 0), kind);

  return acc_hlo_casts_computed (expr) ? acc_hlo_hide (frame->hlo, value, frame->shape, kind) : value;
}

static void
write_primitive (Frame       *frame,
                 Scope       *scope,
                 AccExpr     *expr,
                 AccHloValue *values)
{
  AccHlo *self = frame->hlo;
  AccElementKind kind = acc_element_type_get_leaf (expr->args[0]->type, 0);
  AccHloValue x = look_up (scope, expr->args[0])[0], y = expr->n_args > 1 ? look_up (scope, expr->args[1])[0] : NULL;

  if (may_fail (self, expr))
    {
      AccHloValue by_zero, too_large;

      acc_hlo_division_fails (self, expr->primitive, x, y, frame->shape, kind, &by_zero, &too_large);
      acc_hlo_check (self, acc_hlo_join_masks (self, scope->mask, by_zero, frame->shape), frame->shape, ACC_ERROR_ARITHMETIC, 0);
      if (too_large != NULL)
        acc_hlo_check (self, acc_hlo_join_masks (self, scope->mask, too_large, frame->shape), frame->shape, ACC_ERROR_ARITHMETIC, -1);
    }
  /* Of powers they know some by their exponents, which are exact. */
  if (expr->primitive == ACC_PRIM_POW && expr->args[1]->kind == ACC_EXPR_LITERAL)
    y = acc_hlo_constant (self, frame->shape, kind, expr->args[1]->value);
  values[0] = acc_hlo_primitive (self, expr->primitive, x, y, frame->shape, kind);
}

static void
write_index (Frame       *frame,
             Scope       *scope,
             AccExpr     *expr,
             AccHloValue *values)
{
  AccHloValue *index = look_up (scope, expr->args[0]);
  guint n = count_leaves (expr->args[0]);
  g_autofree AccHloIndex *items = g_new (AccHloIndex, n + 1);

  for (guint i = 0; i < n; i++)
    items[i] = (AccHloIndex) { index[i], acc_element_type_get_leaf (expr->args[0]->type, i) };
  acc_hlo_read (frame->hlo, expr->array, items, expr->kind == ACC_EXPR_LINEAR_INDEX, frame->shape, scope->mask, values);
}

static AccHloValue
write_extent (Frame   *frame,
              AccExpr *expr)
{
  AccFusionNode *node = acc_fusion_graph_get (frame->hlo->graph, expr->array);
  const AccHloLength *length = expr->item == 0 ? acc_hlo_get_length (frame->hlo, node) : NULL;

  if (length != NULL)
    return acc_hlo_spread (frame->hlo, length->value, frame->shape, ACC_KIND_I64);

  return acc_hlo_integer (frame->hlo, frame->shape, ACC_KIND_I64, node->extents[expr->item]);
}

static void
write_tuple (Scope       *scope,
             AccExpr     *expr,
             AccHloValue *values)
{
  for (guint i = 0; i < expr->n_args; i++)
    {
      AccHloValue *item = look_up (scope, expr->args[i]);

      for (guint k = 0; k < count_leaves (expr->args[i]); k++)
        *values++ = item[k];
    }
}

/* Of which all that it needs is there. */
static AccHloValue *
write_expr (Frame   *frame,
            Scope   *scope,
            AccExpr *expr)
{
  AccHlo *self = frame->hlo;
  AccHloValue *values = allocate (frame, expr->type != NULL ? count_leaves (expr) : 0);

  switch (expr->kind)
    {
    case ACC_EXPR_LITERAL:
      values[0] = write_literal (frame, expr);
      break;
    case ACC_EXPR_PRIMITIVE:
      write_primitive (frame, scope, expr, values);
      break;
    case ACC_EXPR_CAST:
      values[0] = write_cast (frame, scope, expr);
      break;
    case ACC_EXPR_BITCAST:
      values[0] = acc_hlo_reinterpret (self, look_up (scope, expr->args[0])[0], frame->shape,
                                       acc_element_type_get_leaf (expr->args[0]->type, 0), acc_element_type_get_leaf (expr->type, 0));
      break;
    case ACC_EXPR_TUPLE:
      write_tuple (scope, expr, values);
      break;
    case ACC_EXPR_ITEM:
      return look_up (scope, expr->args[0]) + acc_element_type_get_first_leaf (expr->args[0]->type, expr->item);
    case ACC_EXPR_COND:
      write_cond (frame, scope, expr, values);
      break;
    case ACC_EXPR_WHILE:
      write_while (frame, scope, expr, values);
      break;
    case ACC_EXPR_INDEX:
    case ACC_EXPR_LINEAR_INDEX:
      write_index (frame, scope, expr, values);
      break;
    case ACC_EXPR_EXTENT:
      values[0] = write_extent (frame, expr);
      break;
    case ACC_EXPR_VARIABLE:
    case ACC_EXPR_ERROR:
      acc_hlo_refuse (self, "an expression without a value");
      break;
    }

  return values;
}

static void
keep (Frame       *frame,
      Scope       *scope,
      AccExpr     *expr,
      AccHloValue *values)
{
  /* Sides of conditionals have the text of what is around them: others may use what does not mind. */
  while (!scope->is_block && !is_careful (frame, expr))
    scope = scope->parent;
  g_hash_table_insert (scope->values, expr, values);
}

static AccHloValue *
evaluate (Frame   *frame,
          Scope   *scope,
          AccExpr *root)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Visit));

  find_careful (frame, root);
  g_array_append_vals (stack, &(Visit) { root, 0 }, 1);
  while (stack->len > 0)
    {
      Visit *top = &g_array_index (stack, Visit, stack->len - 1);
      AccExpr *expr = top->expr;

      if (frame->hlo->error != NULL)
        return allocate (frame, count_leaves (root));
      if (look_up (scope, expr) != NULL)
        {
          g_array_set_size (stack, stack->len - 1);
        }
      else if (top->next < count_strict (frame, expr))
        {
          AccExpr *child = expr->args[top->next++];

          if (look_up (scope, child) == NULL)
            g_array_append_vals (stack, &(Visit) { child, 0 }, 1);
        }
      else
        {
          AccHloValue *values = write_expr (frame, scope, expr);

          keep (frame, scope, expr, values);
          g_array_set_size (stack, stack->len - 1);
        }
    }

  return look_up (scope, root);
}

/* --- functions */

void
acc_hlo_apply (AccHlo            *self,
               AccFunction       *function,
               const AccHloParam *params,
               AccHloShape        shape,
               AccHloValue        mask,
               AccHloValue       *results)
{
  g_autoptr(GHashTable) careful = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) memory = g_ptr_array_new_with_free_func (g_free);
  Frame frame = { self, shape, careful, memory };
  guint n = count_leaves (function->body);
  AccHloValue *values;
  Scope scope;

  if (acc_hlo_count (shape) == 0)
    {
      for (guint i = 0; i < n; i++)
        results[i] = acc_hlo_integer (self, shape, acc_element_type_get_leaf (function->body->type, i), 0);
      return;
    }

  scope_init (&scope, NULL, mask, TRUE);
  for (guint i = 0; i < function->n_params; i++)
    g_hash_table_insert (scope.values, function->params[i], params[i]);
  values = evaluate (&frame, &scope, function->body);
  for (guint i = 0; i < n; i++)
    results[i] = values[i];
  g_hash_table_unref (scope.values);
}

void
acc_hlo_apply_closed (AccHlo      *self,
                      AccFunction *function,
                      AccHloShape  shape,
                      AccHloValue *results)
{
  guint n = count_leaves (function->body);

  acc_hlo_apply (self, function, NULL, ACC_HLO_SCALAR, NULL, results);
  for (guint i = 0; i < n; i++)
    results[i] = acc_hlo_spread (self, results[i], shape, acc_element_type_get_leaf (function->body->type, i));
}
