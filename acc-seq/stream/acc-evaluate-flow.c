/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-evaluate-flow-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-deferred-private.h"
#include "acc-error.h"
#include "acc-evaluate-private.h"

typedef struct {
  AccBackend   *backend;
  gint64        chunk_rows;
  GCancellable *cancellable;
  GHashTable   *streaming;   /* AccArray: depends on a source; originals and replacements */
  GHashTable   *evaluated;     /* AccArray to its replacement, owned */
} Evaluation;

typedef struct {
  AccArray *node;
  AccArray *taken;           /* cond: the side, once that is known */
  guint     next;
} Frame;

static gboolean
reads_streaming (AccArray *node, GHashTable *streaming)
{
  AccArray *dependence;

  for (guint i = 0; (dependence = acc_array_nth_dependence (node, i)) != NULL; i++)
    if (g_hash_table_contains (streaming, dependence))
      return TRUE;

  return FALSE;
}

/* If the rows of a source are not those of its array, acc_array_new_from_source() reorders all elements. */
static gboolean
orders_source (AccArray *node)
{
  AccArray *input = acc_array_nth_dependence (node, 0);
  guint rank;

  if (input == NULL || input->op != ACC_OP_SOURCE)
    return FALSE;

  rank = acc_shape_get_rank (acc_source_get_shape (acc_array_get_source (input)));

  return rank == 0 || (rank > 1 && acc_source_is_transposed (acc_array_get_source (input)));
}

static gboolean
needs_all_inputs (AccArray *node)
{
  return acc_array_get_programs (node) != NULL || orders_source (node);
}

static gboolean
is_decided_by_running (AccArray *node)
{
  return node->op == ACC_OP_COND || needs_all_inputs (node);
}

/* What @arrays need: one look at the graph. */
static void
find_kinds (AccArray **arrays, guint n_arrays, gboolean *sources, gboolean *deferred)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (arrays, n_arrays);

  *sources = *deferred = FALSE;
  for (guint i = 0; i < nodes->len; i++)
    {
      AccOperation op = ((AccArray *) g_ptr_array_index (nodes, i))->op;

      *sources |= op == ACC_OP_SOURCE;
      *deferred |= op == ACC_OP_DEFERRED;
    }
}

/* Nodes that depend on a source, if there are any; @needed: one of them has to be evaluated. */
static GHashTable *
find_streaming (AccArray **arrays, guint n_arrays, gboolean has_sources, gboolean *needed)
{
  g_autoptr(GPtrArray) nodes = NULL;
  GHashTable *streaming = g_hash_table_new (NULL, NULL);

  *needed = FALSE;
  if (!has_sources)
    return streaming;

  nodes = acc_array_sort_nodes (arrays, n_arrays);
  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      if (node->op != ACC_OP_SOURCE && !reads_streaming (node, streaming))
        continue;
      g_hash_table_add (streaming, node);
      *needed |= is_decided_by_running (node);
    }

  return streaming;
}

gboolean
acc_evaluate_flow_is_needed (AccArray **arrays, guint n_arrays)
{
  gboolean needed, sources, deferred;
  g_autoptr(GHashTable) streaming = NULL;

  find_kinds (arrays, n_arrays, &sources, &deferred);
  streaming = find_streaming (arrays, n_arrays, sources, &needed);

  return needed || deferred;
}

/* The replacement of @node so far, or itself. */
static AccArray *
look_up (Evaluation *self, AccArray *node)
{
  AccArray *other = g_hash_table_lookup (self->evaluated, node);

  return other != NULL ? other : node;
}

/* Computes @nodes, together, into memory. */
static gboolean
compute (Evaluation *self, GPtrArray *nodes, AccArray *consumer, GError **error)
{
  g_autoptr(GPtrArray) wanted = g_ptr_array_new ();
  g_autoptr(GPtrArray) values = NULL;

  for (guint i = 0; i < nodes->len; i++)
    g_ptr_array_add (wanted, look_up (self, g_ptr_array_index (nodes, i)));

  values = acc_evaluate_with_chunk_rows (self->backend, (AccArray **) wanted->pdata, wanted->len, self->chunk_rows, self->cancellable,
                                         error);
  if (values == NULL)
    {
      g_autofree char *what = acc_array_describe (consumer);

      if (error != NULL
          && (g_error_matches (*error, ACC_ERROR, ACC_ERROR_STREAM) || g_error_matches (*error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY)))
        g_prefix_error (error, "%s, whose inputs have to be in memory: ", what);
      return FALSE;
    }

  for (guint i = 0; i < nodes->len; i++)
    if (g_ptr_array_index (nodes, i) != g_ptr_array_index (values, i))
      g_hash_table_insert (self->evaluated, g_ptr_array_index (nodes, i), g_object_ref (g_ptr_array_index (values, i)));

  return TRUE;
}

static gboolean
choose (Evaluation *self, Frame *frame, GError **error)
{
  AccArray *condition = frame->node->inputs[0];
  g_autoptr(GPtrArray) nodes = g_ptr_array_new ();
  const guint8 *flag;

  g_ptr_array_add (nodes, condition);
  if (!compute (self, nodes, frame->node, error))
    return FALSE;

  flag = acc_buffer_map (acc_array_get_buffers (look_up (self, condition))[0], error);
  if (flag == NULL)
    return FALSE;

  frame->taken = frame->node->inputs[*flag != 0 ? 1 : 2];

  return TRUE;
}

/* The next node to evaluate before the frame's node; NULL: none any more. */
static gboolean
get_next (Evaluation *self, Frame *frame, AccArray **dependence, GError **error)
{
  guint n = frame->next++;

  *dependence = NULL;
  if (frame->node->op != ACC_OP_COND)
    *dependence = acc_array_nth_dependence (frame->node, n);
  else if (n == 0)
    *dependence = frame->node->inputs[0];
  else if (n == 1 && !choose (self, frame, error))
    return FALSE;
  else if (n == 1)
    *dependence = frame->taken;

  return TRUE;
}

static gboolean
gather_inputs (Evaluation *self, AccArray *node, GError **error)
{
  g_autoptr(GPtrArray) nodes = g_ptr_array_new ();
  AccArray *dependence;

  for (guint i = 0; (dependence = acc_array_nth_dependence (node, i)) != NULL; i++)
    if (g_hash_table_contains (self->streaming, look_up (self, dependence)))
      g_ptr_array_add (nodes, dependence);

  return nodes->len == 0 || compute (self, nodes, node, error);
}

/* With all its dependences evaluated. */
static gboolean
evaluate_node (Evaluation *self, Frame *frame, GError **error)
{
  AccArray *node = frame->node, *other;

  if (frame->taken != NULL)
    {
      other = g_object_ref (look_up (self, frame->taken));
    }
  else
    {
      if (needs_all_inputs (node) && !gather_inputs (self, node, error))
        return FALSE;
      other = acc_array_copy_replaced (node, self->evaluated);
    }

  if (other == NULL)
    return TRUE;

  g_hash_table_insert (self->evaluated, node, other);
  if (reads_streaming (other, self->streaming))
    g_hash_table_add (self->streaming, other);

  return TRUE;
}

/* Only what is needed: never the side of a choice that is not taken. */
static gboolean
evaluate_array (Evaluation *self, AccArray *array, GHashTable *done, GError **error)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));
  AccArray *dependence = array;

  for (;;)
    {
      Frame *top;

      if (dependence != NULL && g_hash_table_contains (self->streaming, dependence) && g_hash_table_add (done, dependence))
        g_array_append_vals (stack, &(Frame) { dependence, NULL, 0 }, 1);
      if (stack->len == 0)
        return TRUE;

      top = &g_array_index (stack, Frame, stack->len - 1);
      if (!get_next (self, top, &dependence, error))
        return FALSE;
      if (dependence != NULL)
        continue;
      if (!evaluate_node (self, top, error))
        return FALSE;
      g_array_set_size (stack, stack->len - 1);
    }
}

GPtrArray *
acc_evaluate_flow (AccBackend *backend, AccArray **arrays, guint n_arrays, gint64 chunk_rows, gboolean *streams, GCancellable *cancellable,
                   GError **error)
{
  gboolean needed, sources, deferred;
  g_autoptr(GPtrArray) computed = NULL;
  g_autoptr(GHashTable) streaming = NULL;
  g_autoptr(GHashTable) evaluated = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  g_autoptr(GHashTable) done = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func (g_object_unref);
  Evaluation self = { backend, chunk_rows, cancellable, NULL, evaluated };

  find_kinds (arrays, n_arrays, &sources, &deferred);
  if (deferred)
    {
      computed = acc_deferred_evaluate (backend, arrays, n_arrays, chunk_rows, cancellable, error);
      if (computed == NULL)
        return NULL;
      arrays = (AccArray **) computed->pdata;
    }

  streaming = self.streaming = find_streaming (arrays, n_arrays, sources, &needed);
  for (guint i = 0; i < n_arrays && needed; i++)
    if (!evaluate_array (&self, arrays[i], done, error))
      return NULL;

  for (guint i = 0; i < n_arrays; i++)
    {
      AccArray *result = look_up (&self, arrays[i]);

      g_ptr_array_add (results, g_object_ref (result));
      if (streams != NULL)
        streams[i] = g_hash_table_contains (streaming, result);
    }

  return g_steal_pointer (&results);
}
