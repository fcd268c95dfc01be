/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lower-expr.h"

#include <string.h>

#include "acc-error.h"

#define MAX_TABLE 16   /* elements that may lie in a register */

#define WRITTEN_PER_LOOK 1024

/* --- children that have to be written first
 * The child that is pushed last is written first. The first operand is pushed last, so that a long sum keeps one partial sum alive, and not
 * all of its terms. */

static gboolean
need (AccLower *l,
      AccFrame *frame,
      AccExpr  *expr,
      guint     leaf,
      KValue   *value)
{
  KValue *slot = low_expr_slot (l, frame, &expr, &leaf);

  *value = *slot;
  if (slot->id != 0)
    return TRUE;
  g_array_append_vals (l->work, &(AccWork) { expr, leaf }, 1);

  return FALSE;
}

static gboolean
need_all (AccLower *l,
          AccFrame *frame,
          AccExpr  *expr,
          KValue   *values)
{
  gboolean ready = TRUE;

  for (guint i = acc_element_type_get_n_leaves (expr->type); i-- > 0;)
    ready &= need (l, frame, expr, i, &values[i]);

  return ready;
}

/* --- single kinds of expressions; each returns FALSE where children were pushed instead */

static KValue
read_variable (AccLower *l,
               AccFrame *frame,
               AccExpr  *variable,
               guint     leaf)
{
  const AccBinding *binding = low_expr_binding (l, frame, variable);

  switch (binding->kind)
    {
    case ACC_BOUND_ELEMENT:
      return low_read (l, binding->node, binding->ix, leaf);
    case ACC_BOUND_INDEX:
      return low_index_component (l, binding->ix, binding->extents, leaf);
    case ACC_BOUND_TAPS:
      return low_tap (l, binding->node, binding->input, binding->ix, leaf);
    case ACC_BOUND_NOT:
    default:
      l->failed = TRUE;
      return (KValue) { 0 };
    }
}

/* The least integer by -1: the remainder is 0, but the quotient does not fit. */
static gboolean
may_overflow (AccExpr *division)
{
  return acc_element_kind_is_signed (acc_element_type_get_kind (division->type)) && acc_primitive_wants_quotient (division->primitive);
}

gboolean
low_divisor_is_safe (AccExpr *expr)
{
  AccExpr *divisor = expr->args[1];

  return divisor->kind == ACC_EXPR_LITERAL && divisor->value.u != 0 && !(may_overflow (expr) && divisor->value.i == -1);
}

static void
check_division (AccLower *l,
                AccFrame *frame,
                AccExpr  *expr,
                KValue    x,
                KValue    y)
{
  AccElementKind kind = acc_element_type_get_kind (expr->type);
  gint64 lo, hi, x_lo, x_hi, least;
  KValue ok = { 0 };

  if (!l->checks || low_divisor_is_safe (expr))
    return;

  low_get_range (l, y, &lo, &hi);
  if (lo <= 0 && hi >= 0)
    ok = kb_prim2 (l->b, ACC_PRIM_NE, y, kb_int (l->b, kind, 0));
  if (may_overflow (expr))
    {
      least = (gint64) (G_MAXUINT64 << (acc_element_kind_get_size (kind) * 8 - 1));
      low_get_range (l, x, &x_lo, &x_hi);
      if (lo <= -1 && hi >= -1 && x_lo == least)
        {
          KValue fits = kb_or (l->b, kb_prim2 (l->b, ACC_PRIM_NE, y, kb_int (l->b, kind, -1)),
                               kb_prim2 (l->b, ACC_PRIM_NE, x, kb_int (l->b, kind, least)));

          ok = ok.id != 0 ? kb_and (l->b, ok, fits) : fits;
        }
    }
  if (ok.id != 0)
    low_check (l, ok, ACC_ERROR_ARITHMETIC, frame->origin, kb_cast (l->b, ACC_KIND_I64, x), kb_cast (l->b, ACC_KIND_I64, y));
}

static gboolean
is_power_of_two (double x)
{
  guint64 bits;

  memcpy (&bits, &x, sizeof bits);

  return (bits & G_GUINT64_CONSTANT (0xfffffffffffff)) == 0 && x != 0;
}

static gboolean
write_primitive (AccLower *l,
                 AccFrame *frame,
                 AccExpr  *expr,
                 KValue   *result)
{
  KValue x, y = { 0 };
  gboolean ready = TRUE;

  if (expr->n_args > 1)
    {
      AccExpr *second = expr->args[1];
      gboolean bake = second->kind == ACC_EXPR_LITERAL &&
                      (acc_primitive_is (expr->primitive, ACC_FAMILY_DIVISION) ||
                       acc_primitive_get_info (expr->primitive)->operands == ACC_OPERANDS_SHIFT ||
                       (expr->primitive == ACC_PRIM_FDIV
                        && is_power_of_two (acc_scalar_to_double (acc_element_type_get_kind (second->type), second->value))));

      if (bake)
        y = low_literal (l, acc_element_type_get_kind (second->type), second->value, TRUE);
      else
        ready &= need (l, frame, second, 0, &y);
    }
  ready &= need (l, frame, expr->args[0], 0, &x);
  if (!ready)
    return FALSE;

  if (acc_primitive_is (expr->primitive, ACC_FAMILY_DIVISION))
    check_division (l, frame, expr, x, y);
  *result = expr->n_args > 1 ? low_prim2 (l, expr->primitive, x, y) : low_prim (l, expr->primitive, x);

  return TRUE;
}

static void
keep_all (AccLower     *l,
          AccFrame     *frame,
          AccExpr      *expr,
          const KValue *values)
{
  AccMemo *memo = low_expr_memo (l, frame, expr);

  for (guint i = 0; i < acc_element_type_get_n_leaves (expr->type); i++)
    low_keep (l, &memo->leaves[i], values[i]);
}

static KVar *
make_vars (AccLower       *l,
           AccElementType *type,
           const KValue   *initial)
{
  guint n = acc_element_type_get_n_leaves (type);
  KVar *vars = low_alloc (l, MAX (n, 1) * sizeof (KVar));

  for (guint i = 0; i < n; i++)
    vars[i] = kb_var (l->b, initial != NULL ? initial[i] : low_zero (l, acc_element_type_get_leaf (type, i)));

  return vars;
}

static void
set_side (AccLower   *l,
          AccFrame   *frame,
          AccExpr    *side,
          const KVar *vars)
{
  for (guint i = 0; i < acc_element_type_get_n_leaves (side->type); i++)
    kb_set (l->b, vars[i], low_expr (l, frame, side, i));
}

static gboolean
write_cond (AccLower *l,
            AccFrame *frame,
            AccExpr  *expr,
            guint     leaf,
            KValue   *result)
{
  guint n = acc_element_type_get_n_leaves (expr->type);
  AccExpr *then = expr->args[1], *otherwise = expr->args[2];
  KValue condition, x, y;
  gboolean cheap, has_front, holds;
  KValue *values;
  KVar *vars;

  if (!need (l, frame, expr->args[0], 0, &condition))
    return FALSE;
  if (low_is_known (l, condition, &holds))
    return need (l, frame, holds ? then : otherwise, leaf, result);

  cheap = low_expr_is_cheap (l, frame, expr, leaf);
  if (!cheap)
    {
      low_expr_hoist_common (l, frame, expr);
      cheap = low_expr_is_cheap (l, frame, expr, leaf);
    }
  if (cheap)
    {
      gboolean ready = need (l, frame, otherwise, leaf, &y);

      if (!need (l, frame, then, leaf, &x) || !ready)
        return FALSE;
      *result = low_select (l, condition, x, y);
      return TRUE;
    }

  /* Cheap expressions are hoisted, and one side is left. */
  values = low_alloc (l, n * sizeof (KValue));
  has_front = low_expr_is_ready (l, frame, otherwise);
  if (!has_front && low_expr_is_ready (l, frame, then))
    {
      AccExpr *side = then;

      then = otherwise;
      otherwise = side;
      condition = kb_not (l->b, condition);
      has_front = TRUE;
    }
  for (guint i = 0; i < n && has_front; i++)
    values[i] = low_expr (l, frame, otherwise, i);
  vars = make_vars (l, expr->type, has_front ? values : NULL);
  low_if (l, condition)
    {
      set_side (l, frame, then, vars);
    }
  if (!has_front)
    low_else (l)
      {
        set_side (l, frame, otherwise, vars);
      }
  for (guint i = 0; i < n; i++)
    values[i] = kb_get (l->b, vars[i]);
  keep_all (l, frame, expr, values);
  *result = values[leaf];

  return TRUE;
}

static gboolean
write_while (AccLower *l,
             AccFrame *frame,
             AccExpr  *expr,
             guint     leaf,
             KValue   *result)
{
  guint n = acc_element_type_get_n_leaves (expr->type);
  KValue *values = low_alloc (l, MAX (n, 1) * sizeof (KValue));
  KVar *vars;

  if (!need_all (l, frame, expr->args[0], values))
    return FALSE;

  low_expr_hoist_invariant (l, frame, expr);

  vars = make_vars (l, expr->type, values);
  low_while (l)
    {
      for (guint i = 0; i < n; i++)
        values[i] = kb_get (l->b, vars[i]);
      low_bind_values (l, frame, expr->functions[0]->params[0], values);
      low_bind_values (l, frame, expr->functions[1]->params[0], values);
      kb_until (l->b, kb_not (l->b, low_expr (l, frame, expr->functions[0]->body, 0)));
      for (guint i = 0; i < n; i++)
        values[i] = low_expr (l, frame, expr->functions[1]->body, i);
      for (guint i = 0; i < n; i++)
        kb_set (l->b, vars[i], values[i]);
    }
  for (guint i = 0; i < n; i++)
    values[i] = kb_get (l->b, vars[i]);
  keep_all (l, frame, expr, values);
  *result = values[leaf];

  return TRUE;
}

/* The lanes in which an index is inside; id 0 where that is known to be all of them. */
static KValue
check_index (AccLower *l,
             AccFrame *frame,
             KValue    at,
             gint64    n,
             KValue    inside)
{
  gint64 lo, hi;
  KValue extent, ok;

  low_get_range (l, at, &lo, &hi);
  if (!l->checks || (lo >= 0 && hi < n) || low_is_prefetch (l, at))
    return inside;

  extent = low_stride (l, n);
  ok = kb_lt (l->b, at, extent);
  if (lo < 0)
    ok = kb_and (l->b, kb_le (l->b, low_const (l, 0), at), ok);
  low_check (l, ok, ACC_ERROR_BOUNDS, frame->origin, at, extent);

  return inside.id != 0 ? kb_and (l->b, inside, ok) : ok;
}

static KValue
load_indexed (AccLower      *l,
              AccFusionNode *node,
              guint          leaf,
              KValue         at)
{
  AccPlace place;

  if (node->size > MAX_TABLE || low_is_prefetch (l, at))
    return low_load_value (l, node, leaf, at);

  place = low_place (l, acc_fusion_get_value (l->fusion, node), leaf, at, ACC_BUFFER_READ);
  kb_set_n_elements (l->b, place.buffer, (guint) node->size * acc_element_type_locate (node->array->type, leaf)->lanes);

  return low_load_place (l, place);
}

/* What is read at the same place, by whichever expression, is read once. */
static const char index_tag, linear_tag;

static gboolean
write_index (AccLower *l,
             AccFrame *frame,
             AccExpr  *expr,
             guint     leaf,
             KValue   *result)
{
  AccFusionNode *shown = acc_fusion_graph_get (l->fusion->graph, expr->array), *node = shown;
  guint n = acc_element_type_get_n_leaves (expr->type), first = 0;
  guint n_at = acc_element_type_get_n_leaves (expr->args[0]->type);
  KValue *at = low_alloc (l, MAX (n_at, 1) * sizeof (KValue));
  KValue inside = { 0 }, linear, *read;
  AccIndex *ix;

  if (!need_all (l, frame, expr->args[0], at))
    return FALSE;
  read = low_memo (l, shown, expr->kind == ACC_EXPR_INDEX ? &index_tag : &linear_tag, at, n_at, n)->leaves;
  if (read[leaf].id != 0)
    {
      *result = read[leaf];
      return TRUE;
    }

  /* Views of what has memory. */
  while (acc_fusion_node_is_view (node))
    {
      if (node->array->op == ACC_OP_UNZIP)
        first += acc_element_type_get_first_leaf (node->array->inputs[0]->type, acc_array_get_item (node->array));
      node = node->inputs[0];
    }

  if (expr->kind == ACC_EXPR_LINEAR_INDEX)
    {
      inside = check_index (l, frame, at[0], shown->size, inside);
      linear = at[0];
    }
  else
    {
      linear = low_const (l, 0);
      for (guint d = 0; d < n_at; d++)
        {
          inside = check_index (l, frame, at[d], shown->extents[d], inside);
          linear = low_add (l, linear, low_mul (l, at[d], low_stride (l, acc_extents_multiply (shown->extents, d + 1, n_at))));
        }
    }

  ix = low_index_new (l, 0);
  low_index_lose_rows (l, ix, frame->node, "reads elements of an array by computed indices");
  low_note_read (l, node, ix);

  if (inside.id == 0)
    {
      *result = load_indexed (l, node, first + leaf, linear);
    }
  else
    {
      KVar *vars = make_vars (l, expr->type, NULL);
      KValue *values = low_alloc (l, n * sizeof (KValue));

      low_if (l, inside)
        {
          for (guint i = 0; i < n; i++)
            kb_set (l->b, vars[i], load_indexed (l, node, first + i, linear));
        }
      for (guint i = 0; i < n; i++)
        values[i] = kb_get (l->b, vars[i]);
      keep_all (l, frame, expr, values);
      for (guint i = 0; i < n && l->prefetch_bytes == 0; i++)
        low_keep (l, &read[i], values[i]);
      *result = values[leaf];
    }

  return TRUE;
}

static gboolean
write_expr (AccLower *l,
            AccFrame *frame,
            AccExpr  *expr,
            guint     leaf,
            KValue   *result)
{
  KValue x;

  switch (expr->kind)
    {
    case ACC_EXPR_LITERAL:
      *result = low_literal (l, acc_element_type_get_kind (expr->type), expr->value, FALSE);
      return TRUE;
    case ACC_EXPR_VARIABLE:
      *result = read_variable (l, frame, expr, leaf);
      return TRUE;
    case ACC_EXPR_PRIMITIVE:
      return write_primitive (l, frame, expr, result);
    case ACC_EXPR_CAST:
      if (!need (l, frame, expr->args[0], 0, &x))
        return FALSE;
      *result = low_cast (l, acc_element_type_get_kind (expr->type), x);
      return TRUE;
    case ACC_EXPR_BITCAST:
      if (!need (l, frame, expr->args[0], 0, &x))
        return FALSE;
      *result = kb_bitcast (l->b, acc_element_type_get_kind (expr->type), x);
      return TRUE;
    case ACC_EXPR_COND:
      return write_cond (l, frame, expr, leaf, result);
    case ACC_EXPR_WHILE:
      return write_while (l, frame, expr, leaf, result);
    case ACC_EXPR_INDEX:
    case ACC_EXPR_LINEAR_INDEX:
      return write_index (l, frame, expr, leaf, result);
    case ACC_EXPR_EXTENT:
      *result = low_stride (l, acc_fusion_graph_get (l->fusion->graph, expr->array)->extents[expr->item]);
      return TRUE;
    case ACC_EXPR_TUPLE:
    case ACC_EXPR_ITEM:
    case ACC_EXPR_ERROR:
    default:
      l->failed = TRUE;
      *result = (KValue) { 0 };
      return TRUE;
    }
}

KValue
low_expr (AccLower *l,
          AccFrame *frame,
          AccExpr  *expr,
          guint     leaf)
{
  KValue *slot = low_expr_slot (l, frame, &expr, &leaf);
  guint base = l->work->len;

  if (slot->id != 0)
    return *slot;

  g_array_append_vals (l->work, &(AccWork) { expr, leaf }, 1);
  while (l->work->len > base && !l->failed)
    {
      guint top = l->work->len;
      AccWork work = g_array_index (l->work, AccWork, top - 1);
      KValue *known = &low_expr_memo (l, frame, work.expr)->leaves[work.leaf];
      KValue value;

      if (known->id != 0)
        {
          g_array_set_size (l->work, top - 1);
          continue;
        }
      if (++l->n_written % WRITTEN_PER_LOOK == 0 && g_cancellable_is_cancelled (g_cancellable_get_current ()))
        {
          low_give_up (l, "it was cancelled");
          break;
        }
      if (write_expr (l, frame, work.expr, work.leaf, &value))
        {
          g_array_set_size (l->work, top - 1);
          if (known->id == 0)
            low_keep (l, known, value);
        }
    }
  g_array_set_size (l->work, base);

  return *slot;
}

void
low_apply2 (AccLower      *l,
            AccFusionNode *node,
            AccFunction   *function,
            const KValue  *x,
            const KValue  *y,
            KValue        *result)
{
  AccFrame *frame = low_frame_new (l, node);
  guint n = acc_element_type_get_n_leaves (function->body->type);
  g_autofree KValue *values = g_new0 (KValue, MAX (n, 1));

  low_bind_values (l, frame, function->params[0], x);
  low_bind_values (l, frame, function->params[1], y);
  for (guint i = 0; i < n; i++)
    values[i] = low_expr (l, frame, function->body, i);
  memcpy (result, values, n * sizeof (KValue));
}

void
low_apply0 (AccLower      *l,
            AccFusionNode *node,
            AccFunction   *function,
            KValue        *result)
{
  AccFrame *frame = low_frame_new (l, node);

  for (guint i = 0; i < acc_element_type_get_n_leaves (function->body->type); i++)
    result[i] = low_expr (l, frame, function->body, i);
}
