/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "hull.h"

/* An expression that is read more than once has an owner for that long. */
#define KEEP(name, value) g_autoptr (AccExpr) name = acc_expr_ref_sink (value)

/* The state of the loop: corners found so far, and the points that lie outside of them, each with the number of the edge that it
 * lies left of. Edge i goes from corner i to the next one. */
enum {
  CORNERS,                  /* (f4,f4)[:] */
  OUTSIDE,                  /* (i8,f4,f4)[:]: edge, x, y */
  N_STATES,
};

static const char *const signatures[N_STATES + 1] = { "(f4,f4)[:]", "(i8,f4,f4)[:]", NULL };

static AccExpr *
lower (AccExpr *a, AccExpr *b, gpointer data)
{
  return acc_expr_min (a, b);
}

static AccExpr *
higher (AccExpr *a, AccExpr *b, gpointer data)
{
  return acc_expr_max (a, b);
}

static AccExpr *
add (AccExpr *a, AccExpr *b, gpointer data)
{
  return acc_expr_add (a, b);
}

static AccExpr *
difference (AccExpr *to, AccExpr *from, guint axis)
{
  return acc_expr_cast (acc_expr_sub (acc_expr_item (to, axis), acc_expr_item (from, axis)), acc_element_type_new (ACC_KIND_F64));
}

/* Twice the area of the triangle a, b, p, more than 0 where p lies left of the way from a to b. Products of floats are exact in
 * double precision: so it is 0 where p is a corner. */
static AccExpr *
turn (AccExpr *a, AccExpr *b, AccExpr *p)
{
  return acc_expr_sub (acc_expr_mul (difference (b, a, 0), difference (p, a, 1)),
                       acc_expr_mul (difference (b, a, 1), difference (p, a, 0)));
}

static AccExpr *
corner_after (AccArray *corners, AccExpr *edge)
{
  KEEP (next, acc_expr_add (edge, acc_expr_new_int (1)));
  AccExpr *is_last = acc_expr_ge (next, acc_expr_extent (corners, 0));

  return acc_expr_index (corners, acc_expr_cond (is_last, acc_expr_new_int (0), next));
}

static AccExpr *
position (AccExpr *point)
{
  return acc_expr_tuple2 (acc_expr_item (point, 1), acc_expr_item (point, 2));
}

/* Neither a distance nor a number */
static AccExpr *
nothing (AccExpr *corner, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F64), 0),
                          acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), -1));
}

/* How far a point is from its edge, in lengths of that edge, and its number; nothing where it does not lie left of it */
static AccExpr *
distance (AccExpr *index, AccExpr *point, gpointer data)
{
  AccArray *corners = data;
  KEEP (edge, acc_expr_item (point, 0));
  KEEP (from, acc_expr_index (corners, edge));
  KEEP (to, corner_after (corners, edge));
  KEEP (at, position (point));

  KEEP (far, turn (from, to, at));

  return acc_expr_cond (acc_expr_gt (far, acc_expr_new_float (0)), acc_expr_tuple2 (far, index), nothing (point, NULL));
}

/* An edge from which some point is farthest becomes two. */
static AccExpr *
n_edges (AccExpr *farthest, gpointer data)
{
  return acc_expr_cond (acc_expr_ge (acc_expr_item (farthest, 1), acc_expr_new_int (0)),
                        acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 2), acc_expr_new_int (1));
}

static AccExpr *
n_corners (AccExpr *pair, gpointer data)
{
  KEEP (farthest, acc_expr_item (pair, 1));

  return n_edges (farthest, NULL);
}

static AccExpr *
pair_up (AccExpr *corner, AccExpr *farthest, gpointer data)
{
  return acc_expr_tuple2 (corner, farthest);
}

static AccExpr *
new_corner (AccExpr *pair, AccExpr *i, gpointer outside)
{
  AccExpr *number = acc_expr_max (acc_expr_item (acc_expr_item (pair, 1), 1), acc_expr_new_int (0));
  KEEP (point, acc_expr_index (outside, number));

  return acc_expr_cond (acc_expr_eq (i, acc_expr_new_int (0)), acc_expr_item (pair, 0), position (point));
}

typedef struct {
  AccArray *corners, *outside, *farthest, *starts;
} Round;

/* Which of the two new edges a point lies left of; edge -1: of neither, so that it is no corner. */
static AccExpr *
on_new_edge (AccExpr *index, AccExpr *point, gpointer data)
{
  const Round *round = data;
  KEEP (edge, acc_expr_item (point, 0));
  KEEP (number, acc_expr_item (acc_expr_index (round->farthest, edge), 1));
  KEEP (farthest_point, acc_expr_index (round->outside, acc_expr_max (number, acc_expr_new_int (0))));
  KEEP (farthest, position (farthest_point));
  KEEP (from, acc_expr_index (round->corners, edge));
  KEEP (to, corner_after (round->corners, edge));
  KEEP (at, position (point));
  KEEP (start, acc_expr_index (round->starts, edge));
  AccExpr *is_other = acc_expr_land (acc_expr_ge (number, acc_expr_new_int (0)), acc_expr_ne (index, number));
  AccExpr *first = acc_expr_gt (turn (from, farthest, at), acc_expr_new_float (0));
  AccExpr *second = acc_expr_gt (turn (farthest, to, at), acc_expr_new_float (0));
  AccExpr *new_edge = acc_expr_cond (first, start, acc_expr_cond (second, acc_expr_add (start, acc_expr_new_int (1)),
                                                                  acc_expr_new_int (-1)));

  return acc_expr_tuple3 (acc_expr_cond (is_other, new_edge, acc_expr_new_int (-1)), acc_expr_item (point, 1),
                          acc_expr_item (point, 2));
}

static AccExpr *
edge_of (AccExpr *point, gpointer data)
{
  return acc_expr_item (point, 0);
}

static AccExpr *
is_outside (AccExpr *point, gpointer data)
{
  return acc_expr_ge (acc_expr_item (point, 0), acc_expr_new_int (0));
}

/* The point that is farthest from each edge becomes a corner; what lies within the new corners is dropped. */
static GPtrArray *
grow (AccArray **state, guint n_state, gpointer data)
{
  AccArray *corners = state[CORNERS], *outside = state[OUTSIDE], *counts;
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  g_autoptr (AccArray) distances = acc_array_imap (outside, distance, corners);
  g_autoptr (AccArray) none = acc_array_map (corners, nothing, NULL);
  g_autoptr (AccArray) edges = acc_array_map (outside, edge_of, NULL);
  g_autoptr (AccArray) farthest = acc_array_permute (distances, none, edges, higher, NULL);
  g_autoptr (AccArray) sizes = acc_array_map (farthest, n_edges, NULL);
  g_autoptr (AccArray) starts = acc_array_prescanl (sizes, acc_expr_new_int (0), add, NULL);

  Round round = { corners, outside, farthest, starts };
  g_autoptr (AccArray) pairs = acc_array_zip_with (corners, farthest, pair_up, NULL);
  g_autoptr (AccArray) moved = acc_array_imap (outside, on_new_edge, &round);

  g_ptr_array_add (next, acc_array_expand (pairs, n_corners, NULL, new_corner, outside));
  g_ptr_array_add (next, acc_array_filter (moved, is_outside, NULL, &counts));
  g_object_unref (counts);
  return next;
}

static AccExpr *
is_any (AccExpr *start, gpointer outside)
{
  return acc_expr_gt (acc_expr_extent (outside, 0), acc_expr_new_int (0));
}

static AccArray *
any_outside (AccArray **state, guint n_state, gpointer data)
{
  g_autoptr (AccArray) start = acc_array_unit (acc_expr_new_int (0));

  return acc_array_map (start, is_any, state[OUTSIDE]);
}

typedef struct {
  AccArray *left, *right;
} Ends;

static AccExpr *
end (AccExpr *index, gpointer data)
{
  const Ends *ends = data;

  return acc_expr_cond (acc_expr_eq (index, acc_expr_new_int (0)), acc_expr_the (ends->left), acc_expr_the (ends->right));
}

/* Edge 0 leads from left to right, edge 1 back. */
static AccExpr *
on_side (AccExpr *point, gpointer data)
{
  const Ends *ends = data;
  KEEP (left, acc_expr_the (ends->left));
  KEEP (right, acc_expr_the (ends->right));
  AccExpr *above = acc_expr_gt (turn (left, right, point), acc_expr_new_float (0));
  AccExpr *edge = acc_expr_cond (above, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 0), acc_expr_new_int (1));

  return acc_expr_tuple3 (edge, acc_expr_item (point, 0), acc_expr_item (point, 1));
}

AccArray *
convex_hull (AccArray *points)
{
  g_autoptr (AccArray) left = acc_array_fold1_all (points, lower, NULL);
  g_autoptr (AccArray) right = acc_array_fold1_all (points, higher, NULL);
  g_autoptr (AccShape) two = acc_shape_new_vector (2);
  Ends ends = { left, right };
  g_autoptr (AccArray) corners = acc_array_generate (two, end, &ends);
  g_autoptr (AccArray) outside = acc_array_map (points, on_side, &ends);
  g_autoptr (AccProgram) condition = acc_program_new (signatures, any_outside, NULL);
  g_autoptr (AccProgram) step = acc_program_new_many (signatures, grow, NULL);
  AccArray *initial[N_STATES] = { corners, outside };
  g_autoptr (GPtrArray) last = acc_array_while_loop_many (initial, N_STATES, condition, step);

  return g_object_ref (last->pdata[CORNERS]);
}
