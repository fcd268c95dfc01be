/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-graph-control.h"

#include "acc-graph.h"

#include "acc-backends/fuse/acc-function-facts.h"

typedef struct {
  AccControlPoints *points;
  GHashTable       *nearest;     /* AccArray → AccControlPoint, or NULL: there is none */
  GHashTable       *boundary, *offers;
  GArray           *listed;      /* guint, by number: the list that the point is in, the last of them */
  guint             list;        /* that is being made, counted from 1 */
} Search;

typedef struct {
  AccArray *node;
  guint     next;
} Frame;

static void
point_free (gpointer data)
{
  AccControlPoint *self = data;

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
  AccControlPoint *point = g_hash_table_lookup (search->nearest, node);

  if (point == NULL || g_array_index (search->listed, guint, point->number) == search->list)
    return;
  g_array_index (search->listed, guint, point->number) = search->list;
  g_ptr_array_add (list, point);
}

/* Whether a run has to do something there. */
static gboolean
is_busy (const AccControlPoint *point)
{
  return acc_operation_get_family (point->node->op) == ACC_FAMILY_FLOW || point->extents != NULL || point->offered != NULL;
}

static gboolean
is_offered (Search   *search,
            AccArray *node)
{
  return search->offers != NULL && g_hash_table_contains (search->offers, node);
}

/* Visits a node after all of its dependences. */
static void
look_at (Search   *search,
         AccArray *node)
{
  AccControlPoint *point = g_new0 (AccControlPoint, 1);
  AccArray *dependence;

  point->node = node;
  point->extents = acc_array_list_extent_reads (node, search->boundary);
  if (is_offered (search, node))
    {
      point->offered = begin_list (search);
      for (guint i = 0; i < node->offer->n_inputs; i++)
        add_nearest (search, point->offered, node->offer->inputs[i]);
    }
  point->before = begin_list (search);
  if (node->op == ACC_OP_COND)
    {
      add_nearest (search, point->before, node->inputs[0]);
      for (guint i = 0; i < 2; i++)
        point->sides[i] = g_hash_table_lookup (search->nearest, node->inputs[1 + i]);
    }
  else
    {
      for (guint i = 0; (dependence = acc_array_nth_known_dependence (node, i)) != NULL; i++)
        add_nearest (search, point->before, dependence);
    }

  if (is_busy (point) || point->before->len > 1)
    {
      point->number = search->points->all->len;
      g_ptr_array_add (search->points->all, point);
      g_array_set_size (search->listed, point->number + 1);
      g_hash_table_insert (search->nearest, node, point);
      return;
    }

  if (point->before->len == 1)
    g_hash_table_insert (search->nearest, node, g_ptr_array_index (point->before, 0));
  point_free (point);
}

/* The n-th dependence, in the order in which a run visits them. NULL: no more. */
static AccArray *
nth_dependence (Search   *search,
                AccArray *node,
                guint     n)
{
  if (is_offered (search, node))
    {
      if (n < node->offer->n_inputs)
        return node->offer->inputs[n];
      n -= node->offer->n_inputs;
    }

  return acc_array_nth_known_dependence (node, n);
}

static void
look_under (Search   *search,
            AccArray *root)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));
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

AccControlPoints *
acc_control_points_new (AccArray   **results,
                        guint        n_results,
                        GHashTable  *boundary,
                        GHashTable  *offers)
{
  AccControlPoints *self = g_new0 (AccControlPoints, 1);
  g_autoptr(GHashTable) nearest = g_hash_table_new (NULL, NULL);
  g_autoptr(GArray) listed = g_array_new (FALSE, TRUE, sizeof (guint));
  Search search = { self, nearest, boundary, offers, listed, 0 };

  self->all = g_ptr_array_new_with_free_func (point_free);
  for (guint i = 0; i < n_results; i++)
    look_under (&search, results[i]);
  self->first = begin_list (&search);
  for (guint i = 0; i < n_results; i++)
    add_nearest (&search, self->first, results[i]);

  return self;
}

void
acc_control_points_free (AccControlPoints *self)
{
  g_ptr_array_unref (self->first);
  g_ptr_array_unref (self->all);
  g_free (self);
}
