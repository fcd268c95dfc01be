/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-rows.h"

#include "acc-error.h"

/* Which nodes go by rows, which are whole, and why not. Two passes: what a node could do, inputs first; what is wanted of
 * it, consumers first. */

InterpRowsNode *
interp_rows_plan_get (InterpRowsPlan *self,
                      AccArray       *node)
{
  return &self->infos[GPOINTER_TO_UINT (g_hash_table_lookup (self->numbers, node)) - 1];
}

gboolean
interp_rows_node_is_stepped (const InterpRowsNode *self)
{
  return self->class == INTERP_ROWS_STREAMED || (self->class == INTERP_ROWS_FREE && self->by_rows);
}

static gboolean
fail (InterpRowsNode *info,
      const char     *reason)
{
  g_autofree char *where = acc_array_describe (info->node);

  if (info->error == NULL)
    info->error = g_error_new (ACC_ERROR, ACC_ERROR_STREAM, "%s %s: it cannot run by rows", where, reason);
  return FALSE;
}

/* --- how an operation reads its inputs */

/* Sets in_step, above, below and picked for input @i; returns why not, or NULL. */
static const char *
read_input (InterpRowsPlan *self,
            InterpRowsNode *info,
            guint           i)
{
  AccArray *node = info->node;
  const char *reason = acc_array_find_row_halo (node, i, info->extents, interp_rows_plan_get (self, node->inputs[i])->extents,
                                                &info->above[i], &info->below[i]);

  if (reason == NULL && node->op == ACC_OP_SLICE && acc_array_get_selection (node)->entries[0] != ACC_ALL)
    info->picked = acc_array_get_selection (node)->entries[0];
  info->in_step[i] = reason == NULL;
  return reason;
}

static gboolean
is_reduction (const InterpRowsNode *info)
{
  return info->picked >= 0 ||
         acc_operation_reduces_rows (info->node->op, info->node->n_inputs > 0 ? info->node->inputs[0]->rank : 0);
}

/* --- what it could do */

static gboolean
is_streaming (const InterpRowsNode *info)
{
  return info->class == INTERP_ROWS_SOURCE || info->class == INTERP_ROWS_STREAMED;
}

static gboolean
reads_data (GHashTable  *tapes,
            AccFunction *function,
            AccArray    *array)
{
  InterpTape *tape = function != NULL ? g_hash_table_lookup (tapes, function) : NULL;
  guint position;

  return tape != NULL && g_ptr_array_find (function->arrays, array, &position) && tape->reads_data[position];
}

/* Functions may ask an array for its extents only. */
static gboolean
check_reference (GHashTable           *tapes,
                 InterpRowsNode       *info,
                 const InterpRowsNode *other)
{
  AccArray *node = info->node;
  gboolean reads = FALSE;
  AccFunction *function;
  g_autofree char *what = NULL;
  g_autofree char *reason = NULL;

  for (guint i = 0; (function = acc_array_nth_function (node, i)) != NULL; i++)
    reads = reads || reads_data (tapes, function, other->node);
  if (!reads && !reads_data (tapes, node->extents, other->node) && acc_array_get_programs (node) == NULL)
    return TRUE;

  if (other->error != NULL)
    {
      info->error = g_error_copy (other->error);
      return FALSE;
    }
  if (!is_streaming (other))
    return TRUE;

  what = acc_array_describe (other->node);
  reason = g_strdup_printf ("reads any element of %s", what);
  return fail (info, reason);
}

static void
find_extents (InterpGraph    *graph,
              InterpRowsNode *info)
{
  gint64 *extents = interp_graph_demand_extents (graph, info->node, &info->error);

  if (extents != NULL)
    info->extents = g_memdup2 (extents, MAX (info->node->rank, 1) * sizeof (gint64));
}

/* The side that a cond takes, or NULL. */
static AccArray *
find_taken (InterpRowsPlan *self,
            InterpGraph    *graph,
            InterpRowsNode *info)
{
  AccArray *node = info->node;
  InterpRowsNode *condition = interp_rows_plan_get (self, node->inputs[0]);
  InterpValue *value;
  AccScalar scalar;

  if (condition->class != INTERP_ROWS_FREE || condition->late)
    return NULL;
  value = interp_graph_demand (graph, node->inputs[0], &info->error);
  if (value == NULL)
    return NULL;
  interp_value_load (value, 0, 0, &scalar);
  return node->inputs[scalar.u ? 1 : 2];
}

static void
classify_cond (InterpRowsPlan *self,
               InterpGraph    *graph,
               InterpRowsNode *info)
{
  AccArray *node = info->node;
  AccArray *taken = info->taken;
  InterpRowsNode *side;

  if (info->error != NULL)
    return;
  if (taken == NULL)
    {
      for (guint i = 0; i < 3; i++)
        {
          side = interp_rows_plan_get (self, node->inputs[i]);
          if (side->error != NULL)
            {
              info->error = g_error_copy (side->error);
              return;
            }
          if (is_streaming (side))
            fail (info, "needs its condition before the first row");
          info->late = info->late || side->late || side->class != INTERP_ROWS_FREE;
        }
      return;
    }

  side = interp_rows_plan_get (self, taken);
  if (side->error != NULL)
    info->error = g_error_copy (side->error);
  else
    find_extents (graph, info);
  info->late = side->late || side->class == INTERP_ROWS_REDUCED;
  if (is_streaming (side))
    {
      info->class = INTERP_ROWS_STREAMED;
      info->in_step[taken == node->inputs[1] ? 1 : 2] = TRUE;
    }
}

/* Could go by rows as well as whole. */
static gboolean
can_step (const InterpRowsNode *info)
{
  if (info->node->rank == 0 || is_reduction (info))
    return FALSE;

  return acc_operation_get_info (info->node->op)->rows != ACC_ROWS_ALL && (info->node->op != ACC_OP_SORT || info->node->rank > 1);
}

/* Whether it is a reduction of rows that need not be there all at once. */
static gboolean
reduces_free (InterpRowsPlan       *self,
              const InterpRowsNode *info)
{
  AccArray *input = info->node->n_inputs > 0 ? info->node->inputs[0] : NULL;

  return self->reduces_free && input != NULL && is_reduction (info) && !info->late && info->in_step[0] && !acc_array_is_manifest (input)
         && can_step (interp_rows_plan_get (self, input));
}

static void
classify (InterpRowsPlan *self,
          InterpGraph    *graph,
          GHashTable     *tapes,
          InterpRowsNode *info)
{
  AccArray *node = info->node;
  gboolean streams = FALSE;

  info->picked = -1;
  if (node->op == ACC_OP_SOURCE)
    {
      info->class = INTERP_ROWS_SOURCE;
      find_extents (graph, info);
      return;
    }
  if (node->op == ACC_OP_COND)
    {
      classify_cond (self, graph, info);
      return;
    }

  for (guint i = 0; i < node->references->len; i++)
    {
      InterpRowsNode *other = interp_rows_plan_get (self, g_ptr_array_index (node->references, i));

      if ((is_streaming (other) || other->error != NULL) && !check_reference (tapes, info, other))
        return;
      info->late = info->late || other->late || other->class == INTERP_ROWS_REDUCED;
    }
  for (guint i = 0; i < node->n_inputs; i++)
    {
      InterpRowsNode *other = interp_rows_plan_get (self, node->inputs[i]);

      if (other->error != NULL)
        {
          info->error = g_error_copy (other->error);
          return;
        }
      info->late = info->late || other->late || other->class == INTERP_ROWS_REDUCED;
      streams = streams || is_streaming (other);
    }

  /* Extents that come from the elements of a reduction are not known before the run. */
  if (info->late && node->shape == NULL && node->extents != NULL)
    for (guint i = 0; i < node->extents->arrays->len; i++)
      {
        InterpRowsNode *other = interp_rows_plan_get (self, g_ptr_array_index (node->extents->arrays, i));

        if ((other->late || other->class == INTERP_ROWS_REDUCED) && reads_data (tapes, node->extents, other->node))
          {
            fail (info, "takes its extents from what is computed");
            return;
          }
      }
  /* A node with programs decides its extents by running. */
  if (!info->late || acc_operation_get_family (node->op) != ACC_FAMILY_FLOW)
    {
      if (acc_array_get_programs (node) != NULL && streams)
        {
          fail (info, "needs all rows at once");
          return;
        }
      find_extents (graph, info);
      if (info->extents == NULL)
        return;
    }

  for (guint i = 0; i < MIN (node->n_inputs, 3); i++)
    {
      const char *reason = read_input (self, info, i);

      if (reason != NULL && is_streaming (interp_rows_plan_get (self, node->inputs[i])))
        {
          fail (info, reason);
          return;
        }
    }
  if (streams || reduces_free (self, info))
    info->class = is_reduction (info) ? INTERP_ROWS_REDUCED : INTERP_ROWS_STREAMED;
}

typedef struct {
  InterpRowsNode *info;
  guint           next;
} Frame;

/* What to look at before the frame's node; NULL: nothing any more. */
static AccArray *
get_next (InterpRowsPlan *self,
          InterpGraph    *graph,
          Frame          *frame)
{
  AccArray *node = frame->info->node;
  guint n = frame->next++;

  if (node->op == ACC_OP_COND && n > 0)
    {
      if (n == 1)
        frame->info->taken = find_taken (self, graph, frame->info);
      if (frame->info->error != NULL)
        return NULL;
      if (frame->info->taken != NULL)
        return n == 1 ? frame->info->taken : NULL;
    }

  return acc_array_nth_dependence (node, n);
}

static void
look_at (InterpRowsPlan *self,
         InterpGraph    *graph,
         GHashTable     *tapes,
         AccArray       *node)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));

  for (;;)
    {
      InterpRowsNode *info = node != NULL ? interp_rows_plan_get (self, node) : NULL;
      Frame *top;

      if (info != NULL && !info->looked_at)
        {
          info->looked_at = TRUE;
          g_array_append_vals (stack, &(Frame) { info, 0 }, 1);
        }
      if (stack->len == 0)
        return;

      top = &g_array_index (stack, Frame, stack->len - 1);
      node = get_next (self, graph, top);
      if (node != NULL)
        continue;
      classify (self, graph, tapes, top->info);
      g_array_set_size (stack, stack->len - 1);
    }
}

/* --- what is wanted of it */

gboolean
interp_rows_node_reads_by_rows (const InterpRowsNode *self,
                                guint                 input)
{
  /* All inputs of a zip are read alike, however many. */
  return self->node->op == ACC_OP_ZIP ? self->node->rank > 0 : self->in_step[MIN (input, 2)];
}

static void
want (InterpRowsPlan *self,
      AccArray       *node,
      gboolean        by_rows)
{
  InterpRowsNode *info = interp_rows_plan_get (self, node);

  if (by_rows)
    info->want_rows = TRUE;
  else
    info->want_whole = TRUE;
}

static gboolean
spread (InterpRowsPlan  *self,
        InterpRowsNode  *info,
        GError         **error)
{
  AccArray *node = info->node;
  gboolean whole;

  if (!info->want_rows && !info->want_whole)
    return TRUE;
  if (info->error != NULL)
    {
      g_propagate_error (error, g_error_copy (info->error));
      return FALSE;
    }
  if (info->class == INTERP_ROWS_SOURCE)
    return TRUE;

  info->by_rows = info->class == INTERP_ROWS_FREE && !info->want_whole && can_step (info);
  whole = info->class == INTERP_ROWS_FREE && !info->by_rows;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      InterpRowsNode *other = interp_rows_plan_get (self, node->inputs[i]);

      if (node->op == ACC_OP_COND && info->class == INTERP_ROWS_STREAMED)
        {
          /* The other side does not matter; the condition is known. */
          if (info->in_step[i])
            want (self, node->inputs[i], TRUE);
        }
      else if (whole && !other->late && other->class == INTERP_ROWS_FREE)
        {
          /* The graph evaluates it on demand: or never, behind a cond. */
        }
      else
        {
          want (self, node->inputs[i], !whole && interp_rows_node_reads_by_rows (info, i));
        }
    }
  for (guint i = 0; i < node->references->len; i++)
    {
      InterpRowsNode *other = interp_rows_plan_get (self, g_ptr_array_index (node->references, i));

      if (is_streaming (other) || (whole && !other->late && other->class == INTERP_ROWS_FREE))
        continue;
      /* It may ask for extents only. */
      if (other->class == INTERP_ROWS_FREE && acc_array_get_programs (node) == NULL && !acc_array_reads_elements (node, other->node))
        continue;
      want (self, other->node, FALSE);
    }
  return TRUE;
}

InterpRowsPlan *
interp_rows_plan_new (InterpGraph  *graph,
                      AccArray    **results,
                      guint         n_results,
                      gboolean      reduces_free,
                      GError      **error)
{
  g_autoptr(InterpRowsPlan) self = g_new0 (InterpRowsPlan, 1);
  GHashTable *tapes = interp_graph_get_tapes (graph);

  self->reduces_free = reduces_free;
  self->nodes = acc_array_sort_nodes (results, n_results);
  self->numbers = g_hash_table_new (NULL, NULL);
  self->infos = g_new0 (InterpRowsNode, MAX (self->nodes->len, 1));
  for (guint i = 0; i < self->nodes->len; i++)
    {
      self->infos[i].node = g_ptr_array_index (self->nodes, i);
      self->infos[i].value = -1;
      g_hash_table_insert (self->numbers, self->infos[i].node, GUINT_TO_POINTER (i + 1));
    }

  for (guint i = 0; i < n_results; i++)
    look_at (self, graph, tapes, results[i]);
  for (guint i = 0; i < n_results; i++)
    want (self, results[i], TRUE);
  for (guint i = self->nodes->len; i-- > 0; )
    if (!spread (self, &self->infos[i], error))
      return NULL;
  return g_steal_pointer (&self);
}

void
interp_rows_plan_free (InterpRowsPlan *self)
{
  for (guint i = 0; i < self->nodes->len; i++)
    {
      g_clear_error (&self->infos[i].error);
      g_free (self->infos[i].extents);
      g_clear_pointer (&self->infos[i].shape, acc_shape_unref);
      g_clear_pointer (&self->infos[i].elements, interp_value_unref);
    }
  g_free (self->infos);
  g_hash_table_unref (self->numbers);
  g_ptr_array_unref (self->nodes);
  g_free (self);
}
