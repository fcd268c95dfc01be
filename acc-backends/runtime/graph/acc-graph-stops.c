/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-graph-stops.h"

#include "acc-graph.h"

typedef struct {
  AccGraphStops *stops;
  GHashTable    *nearest;     /* AccArray → AccGraphStop, or NULL: there is none */
  GHashTable    *boundary, *offers;
  GArray        *listed;      /* guint, by number: the list that the stop is in, the last of them */
  guint          list;        /* that is being made, counted from 1 */
} Search;

typedef struct {
  AccArray *node;
  guint     next;
} Frame;

static void
stop_free (gpointer data)
{
  AccGraphStop *self = data;

  g_ptr_array_unref (self->before);
  g_clear_pointer (&self->offered, g_ptr_array_unref);
  g_clear_pointer (&self->extents, g_ptr_array_unref);
  g_free (self);
}

static GPtrArray *
begin_list (Search *search)
{
  search->list++;

  return g_ptr_array_new ();
}

/* To the list that was begun last. */
static void
add_nearest (Search    *search,
             GPtrArray *list,
             AccArray  *node)
{
  AccGraphStop *stop = g_hash_table_lookup (search->nearest, node);

  if (stop == NULL || g_array_index (search->listed, guint, stop->number) == search->list)
    return;
  g_array_index (search->listed, guint, stop->number) = search->list;
  g_ptr_array_add (list, stop);
}

/* Whether a run has to do something there. */
static gboolean
is_busy (const AccGraphStop *stop)
{
  switch ((guint) stop->node->op)
    {
    case ACC_OP_COND:
    case ACC_OP_WHILE_LOOP:
    case ACC_OP_LOOP_RESULT:
    case ACC_OP_FOREIGN:
      return TRUE;
    default:
      return stop->extents != NULL || stop->offered != NULL;
    }
}

static gboolean
is_offered (Search   *search,
            AccArray *node)
{
  return search->offers != NULL && g_hash_table_contains (search->offers, node);
}

/* With all that the node depends on looked at. */
static void
look_at (Search   *search,
         AccArray *node)
{
  AccGraphStop *stop = g_new0 (AccGraphStop, 1);
  AccArray *dependence;

  stop->node = node;
  stop->extents = acc_graph_list_extent_reads (node, search->boundary);
  if (is_offered (search, node))
    {
      stop->offered = begin_list (search);
      for (guint i = 0; i < node->n_offered; i++)
        add_nearest (search, stop->offered, node->offered[i]);
    }
  stop->before = begin_list (search);
  if (node->op == ACC_OP_COND)
    {
      add_nearest (search, stop->before, node->inputs[0]);
      for (guint i = 0; i < 2; i++)
        stop->sides[i] = g_hash_table_lookup (search->nearest, node->inputs[1 + i]);
    }
  else
    {
      for (guint i = 0; (dependence = acc_array_nth_known_dependence (node, i)) != NULL; i++)
        add_nearest (search, stop->before, dependence);
    }

  if (is_busy (stop) || stop->before->len > 1)
    {
      stop->number = search->stops->all->len;
      g_ptr_array_add (search->stops->all, stop);
      g_array_set_size (search->listed, stop->number + 1);
      g_hash_table_insert (search->nearest, node, stop);
      return;
    }

  if (stop->before->len == 1)
    g_hash_table_insert (search->nearest, node, g_ptr_array_index (stop->before, 0));
  stop_free (stop);
}

/* What a run would look at first comes first. NULL: no more. */
static AccArray *
nth_dependence (Search   *search,
                AccArray *node,
                guint     n)
{
  if (is_offered (search, node))
    {
      if (n < node->n_offered)
        return node->offered[n];
      n -= node->n_offered;
    }

  return acc_array_nth_known_dependence (node, n);
}

static void
look_under (Search   *search,
            AccArray *root)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));
  AccArray *node = root;

  for (;;)
    {
      Frame *top;

      if (node != NULL && !g_hash_table_contains (search->boundary, node) && !g_hash_table_contains (search->nearest, node))
        {
          g_hash_table_insert (search->nearest, node, NULL);
          g_array_append_vals (stack, &(Frame) { node, 0 }, 1);
        }
      if (stack->len == 0)
        break;

      top = &g_array_index (stack, Frame, stack->len - 1);
      node = nth_dependence (search, top->node, top->next++);
      if (node == NULL)
        {
          look_at (search, top->node);
          g_array_set_size (stack, stack->len - 1);
        }
    }
}

AccGraphStops *
acc_graph_stops_new (AccArray   **results,
                     guint        n_results,
                     GHashTable  *boundary,
                     GHashTable  *offers)
{
  AccGraphStops *self = g_new0 (AccGraphStops, 1);
  g_autoptr (GHashTable) nearest = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) listed = g_array_new (FALSE, TRUE, sizeof (guint));
  Search search = { self, nearest, boundary, offers, listed, 0 };

  self->all = g_ptr_array_new_with_free_func (stop_free);
  for (guint i = 0; i < n_results; i++)
    look_under (&search, results[i]);
  self->first = begin_list (&search);
  for (guint i = 0; i < n_results; i++)
    add_nearest (&search, self->first, results[i]);

  return self;
}

void
acc_graph_stops_free (AccGraphStops *self)
{
  g_ptr_array_unref (self->first);
  g_ptr_array_unref (self->all);
  g_free (self);
}
