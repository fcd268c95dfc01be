/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-array-values-private.h"

/* Folds of scans. Flat, each scan writes as much as there is, and the next one reads it. Where what a function folds of an element is made
 * of its values by scans and functions of values alone, a loop for each element does all of it in registers:
 *
 *   for k in elements:
 *     for i in values of element k:
 *       x = value i; scans = scans . f(x); folds = folds . g(x, scans)
 *
 * Numbers that do not round alone, which come to the same in any order that keeps neighbours together, and functions that cannot fail. */

typedef struct {
  AccLift    *lift;
  AccArray   *vector;      /* the parameter whose values the loop goes over */
  GPtrArray  *nodes;       /* what the loop computes, in order: the folds are among them */
  GHashTable *states;      /* scan or fold → its number in the state, from 1 on; 0 is the place */
  GPtrArray  *folds;

  /* Of the element at hand. */
  AccExpr    *k, *length;
} Loop;

/* --- what a loop can do */

static gboolean
cannot_fail (AccExpr    *expr,
             GHashTable *seen)
{
  if (!g_hash_table_add (seen, expr))
    return TRUE;
  if (expr->kind == ACC_EXPR_INDEX || expr->kind == ACC_EXPR_LINEAR_INDEX || expr->kind == ACC_EXPR_WHILE || expr->kind == ACC_EXPR_ERROR
      || (expr->kind == ACC_EXPR_PRIMITIVE && acc_primitive_is (expr->primitive, ACC_FAMILY_DIVISION)))
    return FALSE;
  for (guint i = 0; i < expr->n_args; i++)
    if (!cannot_fail (expr->args[i], seen))
      return FALSE;

  return TRUE;
}

/* What it asks extents of must be there. */
static gboolean
takes_function (AccLift     *self,
                AccFunction *function)
{
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < function->arrays->len; i++)
    if (acc_lift_get (self, g_ptr_array_index (function->arrays, i)) == NULL)
      return FALSE;

  return cannot_fail (function->body, seen);
}

static gboolean
takes_functions (AccLift  *self,
                 AccArray *node)
{
  for (guint i = 0; i < node->n_functions; i++)
    if (node->functions[i] == NULL || !takes_function (self, node->functions[i]))
      return FALSE;

  return TRUE;
}

static gboolean
is_of_values (AccArray *node)
{
  return node->op == ACC_OP_MAP || node->op == ACC_OP_IMAP || node->op == ACC_OP_ZIP_WITH || node->op == ACC_OP_ZIP_WITH3
         || node->op == ACC_OP_ZIP || node->op == ACC_OP_UNZIP;
}

static gboolean
is_fold (AccArray *node)
{
  return node->op == ACC_OP_FOLD || node->op == ACC_OP_FOLD_ALL;
}

/* The vectors whose values nodes go along, and which of these nodes are made of scans. */
typedef struct {
  GHashTable *along;       /* AccArray → AccArray */
  GHashTable *scanned;
} Chains;

/* The vector whose values all inputs of @node go along; NULL: there is none. */
static AccArray *
find_vector (Chains   *self,
             AccArray *node)
{
  AccArray *vector = node->n_inputs > 0 ? g_hash_table_lookup (self->along, node->inputs[0]) : NULL;

  for (guint i = 1; i < node->n_inputs; i++)
    if (g_hash_table_lookup (self->along, node->inputs[i]) != vector)
      return NULL;

  return vector;
}

static void
look_at (Chains   *self,
         AccLift  *lift,
         AccArray *node)
{
  AccLifted *bound = acc_lift_get (lift, node);
  AccArray *vector;
  gboolean is_scanned = node->op == ACC_OP_SCANL1;

  if (node->rank != 1)
    return;
  if (bound != NULL)
    {
      if (bound->form == ACC_LIFTED_IRREGULAR)
        g_hash_table_insert (self->along, node, node);
      return;
    }

  vector = find_vector (self, node);
  if (vector == NULL || !takes_functions (lift, node) || !(is_scanned ? acc_element_type_is_exact (node->type) : is_of_values (node)))
    return;
  for (guint i = 0; i < node->n_inputs; i++)
    is_scanned = is_scanned || g_hash_table_contains (self->scanned, node->inputs[i]);
  g_hash_table_insert (self->along, node, vector);
  if (is_scanned)
    g_hash_table_add (self->scanned, node);
}

static gboolean
ends_chain (Chains   *self,
            AccLift  *lift,
            AccArray *node)
{
  return is_fold (node) && node->rank == 0 && acc_lift_get (lift, node) == NULL && g_hash_table_contains (self->scanned, node->inputs[0])
         && acc_element_type_is_exact (node->type) && takes_functions (lift, node);
}

/* The folds that end chains; none where scans have other readers, who need them in memory. */
static GPtrArray *
find_folds (Chains    *self,
            AccLift   *lift,
            AccArray  *result,
            GPtrArray *nodes)
{
  g_autoptr(GPtrArray) folds = g_ptr_array_new ();

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i), *dependence;

      look_at (self, lift, node);
      if (ends_chain (self, lift, node))
        {
          g_ptr_array_add (folds, node);
          continue;
        }
      if (g_hash_table_contains (self->scanned, node))
        {
          if (node == result)
            return NULL;
          continue;
        }
      for (guint j = 0; (dependence = acc_array_nth_dependence (node, j)) != NULL; j++)
        if (g_hash_table_contains (self->scanned, dependence))
          return NULL;
    }

  return g_steal_pointer (&folds);
}

/* --- the loop */

static AccExpr *
get_state (Loop     *self,
           AccExpr  *state,
           AccArray *node)
{
  return acc_expr_item (state, GPOINTER_TO_UINT (g_hash_table_lookup (self->states, node)));
}

static AccExpr *
apply (Loop     *self,
       AccArray *node,
       AccExpr **args)
{
  return acc_lift_apply (self->lift, node->functions[0], self->k, args);
}

/* What @node is at place @i, from what its inputs are there, or behind that where it is a fold. */
static AccExpr *
make_value (Loop       *self,
            AccArray   *node,
            AccExpr    *state,
            AccExpr    *i,
            GHashTable *values)
{
  g_autofree AccExpr **args = g_new0 (AccExpr *, node->n_inputs + 2);
  guint n = 0;

  if (node->op == ACC_OP_IMAP)
    args[n++] = i;
  if (node->op == ACC_OP_SCANL1 || is_fold (node))
    args[n++] = get_state (self, state, node);
  for (guint j = 0; j < node->n_inputs; j++)
    args[n++] = g_hash_table_lookup (values, node->inputs[j]);

  if (node->op == ACC_OP_ZIP)
    return acc_expr_tuple (args, n);
  if (node->op == ACC_OP_UNZIP)
    return acc_expr_item (args[0], acc_array_get_item (node));
  if (node->op == ACC_OP_SCANL1)
    return acc_expr_cond (acc_expr_eq (i, acc_array_number (0)), args[1], apply (self, node, args));

  return apply (self, node, args);
}

static AccExpr *
go_on (AccExpr *state,
       gpointer data)
{
  Loop *self = data;
  guint n = g_hash_table_size (self->states) + 1;
  g_autofree AccExpr **next = g_new0 (AccExpr *, n);
  g_autoptr(GHashTable) values = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) acc_expr_unref);
  g_autoptr(AccExpr) i = acc_expr_ref_sink (acc_expr_item (state, 0));

  next[0] = acc_expr_add (i, acc_array_number (1));
  g_hash_table_insert (values, self->vector,
                       acc_expr_ref_sink (acc_lifted_read_inside (acc_lift_get (self->lift, self->vector), self->k, i)));
  for (guint j = 0; j < self->nodes->len; j++)
    {
      AccArray *node = g_ptr_array_index (self->nodes, j);
      guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->states, node));
      AccExpr *value = acc_expr_ref_sink (make_value (self, node, state, i, values));

      g_hash_table_insert (values, node, value);
      if (number > 0)
        next[number] = value;
    }

  return acc_expr_tuple2 (acc_expr_lt (i, self->length), acc_expr_tuple (next, n));
}

static AccExpr *
loop_over_element (AccExpr *k,
                   gpointer data)
{
  Loop *self = data;
  guint n = g_hash_table_size (self->states) + 1;
  g_autofree AccExpr **items = g_new0 (AccExpr *, n);
  g_autoptr(AccExpr) length = acc_expr_ref_sink (acc_lifted_extent (acc_lift_get (self->lift, self->vector), k, 0)), end = NULL;

  self->k = k;
  self->length = length;
  items[0] = acc_array_number (0);
  for (guint j = 0; j < self->nodes->len; j++)
    {
      AccArray *node = g_ptr_array_index (self->nodes, j);
      guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->states, node));

      if (number > 0)
        items[number] = is_fold (node) ? acc_lift_apply (self->lift, node->functions[1], k, NULL) : acc_expr_new_zero (node->type);
    }

  end = acc_expr_ref_sink (acc_expr_while (acc_expr_tuple (items, n), go_on, self));
  for (guint j = 0; j < self->folds->len; j++)
    items[j] = get_state (self, end, g_ptr_array_index (self->folds, j));

  return acc_expr_tuple (items, self->folds->len);
}

/* What @folds are computed from along @vector, and they themselves. */
static void
collect (Loop      *self,
         Chains    *chains,
         GPtrArray *nodes)
{
  g_autoptr(GHashTable) wanted = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < self->folds->len; i++)
    g_hash_table_add (wanted, g_ptr_array_index (self->folds, i));
  for (guint i = nodes->len; i-- > 0;)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      for (guint j = 0; j < node->n_inputs && g_hash_table_contains (wanted, node) && node != self->vector; j++)
        g_hash_table_add (wanted, node->inputs[j]);
    }
  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      if (node == self->vector || !g_hash_table_contains (wanted, node))
        continue;
      g_ptr_array_add (self->nodes, node);
      if (is_fold (node) || node->op == ACC_OP_SCANL1)
        g_hash_table_insert (self->states, node, GUINT_TO_POINTER (g_hash_table_size (self->states) + 1));
    }
}

/* Those of @all that go along @vector, in one loop. */
static void
lift_folds (AccLift   *self,
            AccArray  *vector,
            Chains    *chains,
            GPtrArray *all,
            GPtrArray *nodes)
{
  g_autoptr(GPtrArray) folds = g_ptr_array_new (), computed = g_ptr_array_new ();
  g_autoptr(GHashTable) states = g_hash_table_new (NULL, NULL);
  g_autoptr(AccArray) together = NULL;
  Loop loop = { self, vector, computed, states, folds, NULL, NULL };

  for (guint i = 0; i < all->len; i++)
    {
      AccArray *fold = g_ptr_array_index (all, i);

      if (g_hash_table_lookup (chains->along, fold->inputs[0]) == vector)
        g_ptr_array_add (folds, fold);
    }
  collect (&loop, chains, nodes);

  {
    ACC_ARRAY_NAMED ("fold");
    together = acc_array_generate_expr (acc_lift_count (self), loop_over_element, &loop);
  }
  for (guint i = 0; i < folds->len; i++)
    {
      AccArray *fold = g_ptr_array_index (folds, i);
      AccArray *values = acc_array_unzip (together, i);

      if (fold->label != NULL)
        acc_array_set_label (values, fold->label);
      acc_lift_bind (self, fold, acc_lifted_new_regular (values));
    }
}

void
acc_lift_in_loops (AccLift  *self,
                   AccArray *result)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes (&result, 1), folds = NULL;
  g_autoptr(GHashTable) along = g_hash_table_new (NULL, NULL), scanned = g_hash_table_new (NULL, NULL);
  Chains chains = { along, scanned };

  folds = find_folds (&chains, self, result, nodes);
  for (guint i = 0; folds != NULL && i < folds->len; i++)
    {
      AccArray *fold = g_ptr_array_index (folds, i), *vector = g_hash_table_lookup (along, fold->inputs[0]);

      if (acc_lift_get (self, fold) == NULL && acc_nesting_is_even (acc_lift_get (self, vector)->nesting))
        lift_folds (self, vector, &chains, folds, nodes);
    }
}
