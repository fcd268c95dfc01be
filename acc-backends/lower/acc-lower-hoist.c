/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lower-expr.h"

#include "acc-backends/fuse/acc-function-facts.h"

/* Hoists values in front of branches and loops. Scalars are lazy: values that only one side of a cond needs must not fail or loop when the
 * other is taken. Those that can do neither may be computed where they are shared. */

#define SELECT_NODES 96
#define READY_COST   2     /* rough operations that are no worth of a branch */
#define SHARED_NODES 16

/* The nesting of blocks up to which values are hoisted. To hoist, all that lies in a cond or loop is visited; deeper ones compute values
 * where they are used, so that lowering stays linear. */
#define MOST_HOISTED 16

static void
push (AccLower *l,
      AccFrame *frame,
      GArray   *stack,
      AccExpr  *expr,
      guint     leaf)
{
  AccWork work = { expr, leaf };

  low_expr_slot (l, frame, &work.expr, &work.leaf);
  g_array_append_val (stack, work);
}

static void
push_all (AccLower *l,
          AccFrame *frame,
          GArray   *stack,
          AccExpr  *expr)
{
  for (guint i = 0; i < acc_element_type_get_n_leaves (expr->type); i++)
    push (l, frame, stack, expr, i);
}

/* The operands of leaf @leaf of a resolved expression; without the bodies of loops. */
static void
push_children (AccLower *l,
               AccFrame *frame,
               GArray   *stack,
               AccExpr  *expr,
               guint     leaf)
{
  switch (expr->kind)
    {
    case ACC_EXPR_PRIMITIVE:
    case ACC_EXPR_CAST:
    case ACC_EXPR_BITCAST:
      for (guint i = 0; i < expr->n_args; i++)
        push (l, frame, stack, expr->args[i], 0);
      break;
    case ACC_EXPR_COND:
      push (l, frame, stack, expr->args[0], 0);
      push (l, frame, stack, expr->args[1], leaf);
      push (l, frame, stack, expr->args[2], leaf);
      break;
    case ACC_EXPR_WHILE:
    case ACC_EXPR_INDEX:
    case ACC_EXPR_LINEAR_INDEX:
      push_all (l, frame, stack, expr->args[0]);
      break;
    case ACC_EXPR_LITERAL:
    case ACC_EXPR_VARIABLE:
    case ACC_EXPR_TUPLE:
    case ACC_EXPR_ITEM:
    case ACC_EXPR_EXTENT:
    case ACC_EXPR_ERROR:
    default:
      break;
    }
}

/* Whether @at is the number of the segment that the elements are of, or part of an index of theirs, and below @extent. */
static gboolean
is_own_place (AccLower *l,
              AccFrame *frame,
              AccExpr  *at,
              guint     leaf,
              gint64    extent)
{
  const KValue *slot = low_expr_slot (l, frame, &at, &leaf);
  gboolean is_index = at->kind == ACC_EXPR_VARIABLE && low_expr_binding (l, frame, at)->kind == ACC_BOUND_INDEX;
  gint64 lo, hi;

  if (!is_index && (slot->id == 0 || slot->id != l->segment.id))
    return FALSE;
  low_get_range (l, low_expr (l, frame, at, leaf), &lo, &hi);

  return lo >= 0 && hi < extent;
}

/* Whether the place that is read is known, and one of the array's. */
static gboolean
is_inside (AccLower *l,
           AccFrame *frame,
           AccExpr  *expr)
{
  AccFusionNode *node = acc_fusion_graph_get (l->fusion->graph, expr->array);
  guint n = acc_element_type_get_n_leaves (expr->args[0]->type);

  for (guint d = 0; d < n; d++)
    {
      guint leaf = d;
      AccExpr *at = acc_expr_resolve_leaf (expr->args[0], &leaf);
      gint64 extent = expr->kind == ACC_EXPR_LINEAR_INDEX ? node->size : node->extents[d];

      if ((at->kind != ACC_EXPR_LITERAL || at->value.i < 0 || at->value.i >= extent) && !is_own_place (l, frame, at, leaf, extent))
        return FALSE;
    }

  return TRUE;
}

/* Whether the expression itself, without its operands, neither fails nor loops. */
static gboolean
is_total (AccLower *l,
          AccFrame *frame,
          AccExpr  *expr)
{
  const AccBinding *binding;

  switch (expr->kind)
    {
    case ACC_EXPR_LITERAL:
    case ACC_EXPR_CAST:
    case ACC_EXPR_BITCAST:
    case ACC_EXPR_EXTENT:
    case ACC_EXPR_COND:
      return TRUE;
    case ACC_EXPR_PRIMITIVE:
      return !acc_primitive_is (expr->primitive, ACC_FAMILY_DIVISION) || low_divisor_is_safe (expr);
    case ACC_EXPR_VARIABLE:
      binding = low_expr_binding (l, frame, expr);
      return binding->kind != ACC_BOUND_TAPS || low_tap_is_total (l, binding->node, binding->input);
    case ACC_EXPR_INDEX:
    case ACC_EXPR_LINEAR_INDEX:
      return is_inside (l, frame, expr);
    case ACC_EXPR_TUPLE:
    case ACC_EXPR_ITEM:
    case ACC_EXPR_WHILE:
    case ACC_EXPR_ERROR:
    default:
      return FALSE;
    }
}

static double
get_cost (AccLower *l,
          AccFrame *frame,
          AccExpr  *expr)
{
  const AccBinding *binding;

  switch (expr->kind)
    {
    case ACC_EXPR_PRIMITIVE:
      return acc_primitive_get_info (expr->primitive)->cost;
    case ACC_EXPR_VARIABLE:
      binding = low_expr_binding (l, frame, expr);
      if (binding->kind == ACC_BOUND_TAPS)
        {
          AccFusionNode *source = binding->node->inputs[binding->input];

          return source->is_value ? 1 : 1 + source->cost;
        }
      return 0;
    case ACC_EXPR_CAST:
    case ACC_EXPR_COND:
    case ACC_EXPR_INDEX:
    case ACC_EXPR_LINEAR_INDEX:
      return 1;
    case ACC_EXPR_LITERAL:
    case ACC_EXPR_BITCAST:
    case ACC_EXPR_TUPLE:
    case ACC_EXPR_ITEM:
    case ACC_EXPR_WHILE:
    case ACC_EXPR_EXTENT:
    case ACC_EXPR_ERROR:
    default:
      return 0;
    }
}

/* Where the leaf is computed; of a cond, on its first side. */
static const KValue *
get_first_side (AccLower *l,
                AccFrame *frame,
                AccWork  *work)
{
  const KValue *slot = low_expr_slot (l, frame, &work->expr, &work->leaf);

  while (work->expr->kind == ACC_EXPR_COND)
    {
      work->expr = work->expr->args[1];
      slot = low_expr_slot (l, frame, &work->expr, &work->leaf);
    }

  return slot;
}

/* Operations that both sides of a cond do alike: one of each is left, of operands that are chosen. */
static double
get_shared_cost (AccLower *l,
                 AccFrame *frame,
                 AccExpr  *cond,
                 guint     leaf)
{
  struct { AccWork x, y; } pairs[SHARED_NODES + 1] = { { { cond->args[1], leaf }, { cond->args[2], leaf } } };
  const KValue *seen[SHARED_NODES];
  guint n_pairs = 1, n_seen = 0;
  double cost = 0;

  while (n_pairs > 0 && n_seen < SHARED_NODES)
    {
      AccWork x = pairs[--n_pairs].x, y = pairs[n_pairs].y;
      const KValue *slot = get_first_side (l, frame, &x);
      gboolean done = slot == get_first_side (l, frame, &y) || x.expr->kind != ACC_EXPR_PRIMITIVE
                      || y.expr->kind != ACC_EXPR_PRIMITIVE || x.expr->primitive != y.expr->primitive;

      for (guint i = 0; i < n_seen && !done; i++)
        done = seen[i] == slot;
      if (done)
        continue;
      seen[n_seen++] = slot;
      cost += get_cost (l, frame, x.expr);
      for (guint i = 0; i < x.expr->n_args && n_pairs < G_N_ELEMENTS (pairs); i++, n_pairs++)
        {
          pairs[n_pairs].x = (AccWork) { x.expr->args[i], 0 };
          pairs[n_pairs].y = (AccWork) { y.expr->args[i], 0 };
        }
    }

  return cost;
}

/* Whether what is on the @stack neither fails nor loops, and costs at most @most. */
static gboolean
is_within (AccLower *l,
           AccFrame *frame,
           GArray   *stack,
           double    most)
{
  const KValue *seen[SELECT_NODES];
  guint n_seen = 0;
  double cost = 0;

  while (stack->len > 0)
    {
      AccWork work = g_array_index (stack, AccWork, stack->len - 1);
      const KValue *slot = low_expr_slot (l, frame, &work.expr, &work.leaf);
      gboolean known = slot->id != 0;

      g_array_set_size (stack, stack->len - 1);
      for (guint i = 0; i < n_seen && !known; i++)
        known = seen[i] == slot;
      if (known)
        continue;
      if (n_seen == SELECT_NODES || !is_total (l, frame, work.expr))
        return FALSE;
      seen[n_seen++] = slot;
      cost += get_cost (l, frame, work.expr);
      if (cost > most)
        return FALSE;
      push_children (l, frame, stack, work.expr, work.leaf);
    }

  return TRUE;
}

gboolean
low_expr_is_cheap (AccLower *l,
                   AccFrame *frame,
                   AccExpr  *cond,
                   guint     leaf)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (AccWork));

  push (l, frame, stack, cond->args[1], leaf);
  push (l, frame, stack, cond->args[2], leaf);

  return is_within (l, frame, stack, LOW_SELECT_LIMIT + get_shared_cost (l, frame, cond, leaf));
}

gboolean
low_expr_is_ready (AccLower *l,
                   AccFrame *frame,
                   AccExpr  *expr)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (AccWork));

  push_all (l, frame, stack, expr);

  return is_within (l, frame, stack, READY_COST);
}

/* --- what both sides of a cond need */

typedef struct {
  AccExpr *expr;
  guint    leaf;
  guint    sides;       /* bit 0: the first, bit 1: the second needs it, maybe */
  guint    surely;      /* the same, whenever it is taken */
  int      total;       /* it and its parts: 1, or 0; -1 not known yet */
} Part;

typedef struct {
  AccLower   *l;
  AccFrame   *frame;
  GHashTable *table;    /* slot → Part */
  GPtrArray  *parts;    /* in the order in which they were found */
} Parts;

static Part *
get_part (Parts   *self,
          AccExpr *expr,
          guint    leaf)
{
  KValue *slot = low_expr_slot (self->l, self->frame, &expr, &leaf);
  Part *part;

  if (slot->id != 0)
    return NULL;
  part = g_hash_table_lookup (self->table, slot);
  if (part == NULL)
    {
      part = g_new0 (Part, 1);
      *part = (Part) { expr, leaf, 0, 0, -1 };
      g_hash_table_insert (self->table, slot, part);
      g_ptr_array_add (self->parts, part);
    }

  return part;
}

typedef struct {
  AccExpr *expr;
  guint    leaf;
  gboolean surely;
} Need;

static void
push_need (GArray  *stack,
           AccExpr *expr,
           guint    leaf,
           gboolean surely)
{
  g_array_append_vals (stack, &(Need) { expr, leaf, surely }, 1);
}

static void
collect_side (Parts   *self,
              AccExpr *side,
              guint    bit)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Need));
  g_autoptr(GArray) children = g_array_new (FALSE, FALSE, sizeof (AccWork));

  for (guint i = 0; i < acc_element_type_get_n_leaves (side->type); i++)
    push_need (stack, side, i, TRUE);
  while (stack->len > 0)
    {
      Need need = g_array_index (stack, Need, stack->len - 1);
      Part *part = get_part (self, need.expr, need.leaf);

      g_array_set_size (stack, stack->len - 1);
      if (part == NULL || (part->surely & bit) || ((part->sides & bit) && !need.surely))
        continue;
      part->sides |= bit;
      if (need.surely)
        part->surely |= bit;

      g_array_set_size (children, 0);
      push_children (self->l, self->frame, children, part->expr, part->leaf);
      for (guint i = 0; i < children->len; i++)
        {
          const AccWork *child = &g_array_index (children, AccWork, i);

          push_need (stack, child->expr, child->leaf, need.surely && (part->expr->kind != ACC_EXPR_COND || i == 0));
        }
    }
}

static gboolean
part_is_total (Parts *self,
               Part  *root)
{
  g_autoptr(GPtrArray) stack = g_ptr_array_new ();
  g_autoptr(GArray) children = g_array_new (FALSE, FALSE, sizeof (AccWork));

  g_ptr_array_add (stack, root);
  while (stack->len > 0)
    {
      Part *part = g_ptr_array_index (stack, stack->len - 1);
      gboolean ready = TRUE, total = is_total (self->l, self->frame, part->expr);

      if (part->total < 0 && total)
        {
          g_array_set_size (children, 0);
          push_children (self->l, self->frame, children, part->expr, part->leaf);
          for (guint i = 0; i < children->len; i++)
            {
              const AccWork *child = &g_array_index (children, AccWork, i);
              Part *below = get_part (self, child->expr, child->leaf);

              if (below == NULL)
                continue;
              if (below->total < 0)
                {
                  g_ptr_array_add (stack, below);
                  ready = FALSE;
                }
              total &= below->total != 0;
            }
        }
      if (ready)
        {
          if (part->total < 0)
            part->total = total;
          g_ptr_array_set_size (stack, stack->len - 1);
        }
    }

  return root->total;
}

void
low_expr_hoist_common (AccLower *l,
                       AccFrame *frame,
                       AccExpr  *cond)
{
  g_autoptr(GHashTable) table = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  Parts self = { l, frame, table, parts };
  guint n;

  if (l->scopes->len > MOST_HOISTED)
    return;

  collect_side (&self, cond->args[1], 1);
  collect_side (&self, cond->args[2], 2);

  n = parts->len;
  for (guint i = 0; i < n; i++)
    {
      Part *part = g_ptr_array_index (parts, i);
      gboolean element = part->expr->kind == ACC_EXPR_VARIABLE &&
                         low_expr_binding (l, frame, part->expr)->kind == ACC_BOUND_ELEMENT;

      /* Elements of arrays are computed in any case, as they would be were they stored. */
      if (element || part->surely == 3 || (part->sides == 3 && part_is_total (&self, part)))
        low_expr (l, frame, part->expr, part->leaf);
    }
}

/* --- what a loop does not change */

typedef struct {
  AccWork  work;
  gboolean entered;
} Step;

static void
bind_as_changing (AccLower   *l,
                  AccFrame   *frame,
                  AccExpr    *loop,
                  GHashTable *changing)
{
  for (guint f = 0; f < 2; f++)
    {
      AccExpr *param = loop->functions[f]->params[0];

      for (guint i = 0; i < acc_element_type_get_n_leaves (param->type); i++)
        {
          AccExpr *expr = param;
          guint leaf = i;

          g_hash_table_add (changing, low_expr_slot (l, frame, &expr, &leaf));
        }
    }
}

static void
push_bodies (AccLower *l,
             AccFrame *frame,
             GArray   *stack,
             AccExpr  *loop)
{
  push (l, frame, stack, loop->functions[0]->body, 0);
  push_all (l, frame, stack, loop->functions[1]->body);
}

void
low_expr_hoist_invariant (AccLower *l,
                          AccFrame *frame,
                          AccExpr  *loop)
{
  g_autoptr(GHashTable) changing = g_hash_table_new (NULL, NULL);   /* slots: they change, may fail, or loop */
  g_autoptr(GHashTable) done = g_hash_table_new (NULL, NULL);
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Step));
  g_autoptr(GArray) children = g_array_new (FALSE, FALSE, sizeof (AccWork));
  g_autoptr(GArray) fixed = g_array_new (FALSE, FALSE, sizeof (AccWork));

  if (l->scopes->len > MOST_HOISTED)
    return;

  bind_as_changing (l, frame, loop, changing);
  push_bodies (l, frame, children, loop);
  for (guint i = 0; i < children->len; i++)
    g_array_append_vals (stack, &(Step) { g_array_index (children, AccWork, i), FALSE }, 1);

  while (stack->len > 0)
    {
      Step *step = &g_array_index (stack, Step, stack->len - 1);
      AccWork work = step->work;
      KValue *slot = low_expr_slot (l, frame, &work.expr, &work.leaf);

      if (slot->id != 0 || g_hash_table_contains (done, slot))
        {
          g_array_set_size (stack, stack->len - 1);
          continue;
        }

      g_array_set_size (children, 0);
      push_children (l, frame, children, work.expr, work.leaf);
      if (!step->entered)
        {
          step->entered = TRUE;
          if (work.expr->kind == ACC_EXPR_WHILE)
            {
              bind_as_changing (l, frame, work.expr, changing);
              push_bodies (l, frame, children, work.expr);
            }
          for (guint i = 0; i < children->len; i++)
            g_array_append_vals (stack, &(Step) { g_array_index (children, AccWork, i), FALSE }, 1);
          continue;
        }

      g_array_set_size (stack, stack->len - 1);
      g_hash_table_add (done, slot);
      if (g_hash_table_contains (changing, slot))
        continue;
      if (!is_total (l, frame, work.expr))
        g_hash_table_add (changing, slot);
      for (guint i = 0; i < children->len; i++)
        {
          AccWork child = g_array_index (children, AccWork, i);

          if (g_hash_table_contains (changing, low_expr_slot (l, frame, &child.expr, &child.leaf)))
            g_hash_table_add (changing, slot);
        }
      if (!g_hash_table_contains (changing, slot) && work.expr->kind != ACC_EXPR_LITERAL && work.expr->kind != ACC_EXPR_EXTENT)
        g_array_append_val (fixed, work);
    }

  for (guint i = 0; i < fixed->len; i++)
    {
      AccWork *work = &g_array_index (fixed, AccWork, i);

      low_expr (l, frame, work->expr, work->leaf);
    }
}
