/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Control points: their order, what is left out, and that there are no more edges than the nodes have. */

#include "acc-backends/runtime/graph/acc-graph.h"
#include "acc/acc.h"

static AccExpr *
twice (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, x);
}

static AccExpr *
is_positive (AccExpr *x, gpointer data)
{
  return acc_expr_gt (x, acc_expr_new_int (0));
}

static AccExpr *
add (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccArray *
keep_some (AccArray *array)
{
  return acc_array_filter (array, is_positive, NULL, NULL);
}

/* Each one before those that need it, in every list once. */
static void
check_order (const AccControlPoints *points)
{
  guint n_ways = 0;

  for (guint i = 0; i < points->all->len; i++)
    {
      const AccControlPoint *point = g_ptr_array_index (points->all, i);
      AccArray *dependence;
      guint n_dependences = 0;

      g_assert_cmpuint (point->number, ==, i);
      for (guint k = 0; k < point->before->len; k++)
        {
          const AccControlPoint *before = g_ptr_array_index (point->before, k);

          g_assert_cmpuint (before->number, <, i);
          for (guint j = 0; j < k; j++)
            g_assert_true (g_ptr_array_index (point->before, j) != before);
        }
      for (guint k = 0; k < 2; k++)
        g_assert_true (point->sides[k] == NULL || point->sides[k]->number < i);
      while ((dependence = acc_array_nth_dependence (point->node, n_dependences)) != NULL)
        n_dependences++;
      g_assert_cmpuint (point->before->len, <=, n_dependences);
      n_ways += point->before->len;
    }
  for (guint i = 0; i < points->first->len; i++)
    g_assert_cmpuint (((AccControlPoint *) g_ptr_array_index (points->first, i))->number, <, points->all->len);
  g_test_message ("%u points, %u ways", points->all->len, n_ways);
}

static AccArray *
build_chain (AccArray **parameters, guint n, gpointer data)
{
  g_autoptr(AccArray) array = g_object_ref (parameters[0]);

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr(AccArray) kept = keep_some (array);

      for (guint k = 0; k < 50; k++)
        {
          AccArray *next = acc_array_map (kept, twice, NULL);

          g_set_object (&kept, next);
          g_object_unref (next);
        }
      g_set_object (&array, kept);
    }

  return g_steal_pointer (&array);
}

/* Maps behind filters are left out. */
static void
test_chain (void)
{
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { "i8[:]", NULL }, build_chain, NULL);
  AccHost host = { 0 };
  g_autoptr(AccGraph) graph = acc_graph_new (&host, program, FALSE);
  const AccControlPoints *points = acc_graph_get_control_points (graph);
  guint n_extents = 0;

  g_assert_false (graph->is_simple);
  check_order (points);
  g_assert_true (points == acc_graph_get_control_points (graph));
  g_assert_cmpuint (points->first->len, ==, 1);
  g_assert_cmpuint (points->all->len, <, 20);
  for (guint i = 0; i < points->all->len; i++)
    {
      const AccControlPoint *point = g_ptr_array_index (points->all, i);

      n_extents += point->extents != NULL;
      g_assert_true (point->extents != NULL || point->before->len > 1);
    }
  g_assert_cmpuint (n_extents, >=, 3);
}

static AccArray *
build_simple (AccArray **parameters, guint n, gpointer data)
{
  g_autoptr(AccArray) sum = acc_array_zip_with (parameters[0], parameters[1], add, NULL);

  return acc_array_map (sum, twice, NULL);
}

static void
test_nothing (void)
{
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { "i8[:]", "i8[:]", NULL }, build_simple, NULL);
  AccHost host = { 0 };
  g_autoptr(AccGraph) graph = acc_graph_new (&host, program, FALSE);

  g_assert_true (graph->is_simple);
  g_assert_cmpuint (acc_graph_get_control_points (graph)->all->len, ==, 0);
  g_assert_cmpuint (acc_graph_get_control_points (graph)->first->len, ==, 0);
}

static AccArray *
build_choice (AccArray **parameters, guint n, gpointer data)
{
  g_autoptr(AccArray) kept = keep_some (parameters[1]), more = acc_array_map (kept, twice, NULL);
  g_autoptr(AccArray) inner = acc_array_cond (parameters[0], more, parameters[1]);
  g_autoptr(AccArray) outer = acc_array_cond (parameters[0], parameters[1], inner);

  return acc_array_map (outer, twice, NULL);
}

/* What only one side needs is not before the choice. */
static void
test_choice (void)
{
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { "b1[]", "i8[:]", NULL }, build_choice, NULL);
  AccHost host = { 0 };
  g_autoptr(AccGraph) graph = acc_graph_new (&host, program, FALSE);
  const AccControlPoints *points = acc_graph_get_control_points (graph);
  const AccControlPoint *outer, *inner;

  check_order (points);
  g_assert_cmpuint (points->first->len, ==, 1);
  outer = g_ptr_array_index (points->first, 0);
  g_assert_cmpint (outer->node->op, ==, ACC_OP_COND);
  g_assert_cmpuint (outer->before->len, ==, 0);
  g_assert_null (outer->sides[0]);
  inner = outer->sides[1];
  g_assert_nonnull (inner);
  g_assert_cmpint (inner->node->op, ==, ACC_OP_COND);
  g_assert_cmpuint (inner->before->len, ==, 0);
  g_assert_nonnull (inner->sides[0]);
  g_assert_nonnull (inner->sides[0]->extents);
  g_assert_null (inner->sides[1]);
}

#define WIDTH  200
#define LEVELS 400

/* Each of one half is computed from each of the other, in the end, through few nodes. */
static AccArray *
build_ladder (AccArray **parameters, guint n, gpointer data)
{
  g_autoptr(AccArray) one = g_object_ref (parameters[0]), other = g_object_ref (parameters[1]);

  for (guint i = 0; i < WIDTH + LEVELS; i++)
    {
      g_autoptr(AccArray) kept = i < WIDTH ? keep_some (parameters[0]) : g_object_ref (one);
      g_autoptr(AccArray) sum = acc_array_zip_with (kept, other, add, NULL);

      g_set_object (&one, other);
      g_set_object (&other, sum);
    }

  return g_object_ref (other);
}

static void
test_ladder (void)
{
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { "i8[:]", "i8[:]", NULL }, build_ladder, NULL);
  AccHost host = { 0 };
  g_autoptr(AccGraph) graph = acc_graph_new (&host, program, FALSE);
  const AccControlPoints *points = acc_graph_get_control_points (graph);

  check_order (points);
  g_assert_cmpuint (points->all->len, >=, WIDTH);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph-points/chain", test_chain);
  g_test_add_func ("/graph-points/nothing", test_nothing);
  g_test_add_func ("/graph-points/choice", test_choice);
  g_test_add_func ("/graph-points/ladder", test_ladder);

  return g_test_run ();
}
