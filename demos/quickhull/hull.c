/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "hull.h"

#include <math.h>

/* An expression that is read more than once has an owner for that long. */
#define KEEP(name, value) g_autoptr (AccExpr) name = acc_expr_ref_sink (value)

/* The state of the loop: corners found so far, and the points that lie outside of them, each with the number of the edge that it
 * lies left of. Edge i goes from corner i to the next one. */
enum {
  CORNERS,                  /* (f4,f4)[:] */
  OUTSIDE,                  /* (i4,f4,f4)[:]: edge, x, y */
  N_STATES,
};

static const char *const signatures[N_STATES + 1] = { "(f4,f4)[:]", "(i4,f4,f4)[:]", NULL };

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
i4 (AccExpr *number)
{
  return acc_expr_cast (number, acc_element_type_new (ACC_KIND_I32));
}

static AccExpr *
i8 (gint64 number)
{
  return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), number);
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
is_left (AccExpr *a, AccExpr *b, AccExpr *p)
{
  return acc_expr_gt (turn (a, b, p), acc_expr_new_float (0));
}

static AccExpr *
corner_after (AccArray *corners, AccExpr *edge)
{
  KEEP (next, acc_expr_add (edge, acc_expr_new_int (1)));
  AccExpr *is_last = acc_expr_ge (next, acc_expr_extent (corners, 0));

  return acc_expr_index (corners, acc_expr_cond (is_last, acc_expr_new_int (0), next));
}

/* --- a round */

static AccExpr *
edge_of (AccExpr *point, gpointer data)
{
  return acc_expr_item (point, 0);
}

static AccExpr *
position (AccExpr *point, guint first)
{
  return acc_expr_tuple2 (acc_expr_item (point, first), acc_expr_item (point, first + 1));
}

/* No distance, and nowhere */
static AccExpr *
nothing (AccExpr *corner, gpointer data)
{
  return acc_expr_tuple3 (acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F64), 0), acc_expr_item (corner, 0),
                          acc_expr_item (corner, 1));
}

/* How far a point is from its edge, in lengths of that edge, and where it is: of those equally far the outermost one is a corner. */
static AccExpr *
distance (AccExpr *point, gpointer corners)
{
  KEEP (edge, acc_expr_cast (acc_expr_item (point, 0), acc_element_type_new (ACC_KIND_I64)));
  KEEP (from, acc_expr_index (corners, edge));
  KEEP (to, corner_after (corners, edge));
  KEEP (at, position (point, 1));

  return acc_expr_tuple3 (turn (from, to, at), acc_expr_item (at, 0), acc_expr_item (at, 1));
}

/* An edge that points lie left of becomes two. */
static AccExpr *
n_edges (AccExpr *farthest, gpointer data)
{
  return acc_expr_cond (acc_expr_gt (acc_expr_item (farthest, 0), acc_expr_new_float (0)), i8 (2), i8 (1));
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
new_corner (AccExpr *pair, AccExpr *i, gpointer data)
{
  KEEP (farthest, acc_expr_item (pair, 1));

  return acc_expr_cond (acc_expr_eq (i, acc_expr_new_int (0)), acc_expr_item (pair, 0), position (farthest, 1));
}

typedef struct {
  AccArray *corners, *farthest, *starts;
} Round;

/* Which of the two new edges a point lies left of; -1: of neither, so that it is no corner. */
static AccExpr *
on_new_edge (AccExpr *point, gpointer data)
{
  const Round *round = data;
  KEEP (edge, acc_expr_cast (acc_expr_item (point, 0), acc_element_type_new (ACC_KIND_I64)));
  KEEP (farthest, acc_expr_index (round->farthest, edge));
  KEEP (middle, position (farthest, 1));
  KEEP (from, acc_expr_index (round->corners, edge));
  KEEP (to, corner_after (round->corners, edge));
  KEEP (at, position (point, 1));
  KEEP (start, i4 (acc_expr_index (round->starts, edge)));
  AccExpr *second = acc_expr_cond (is_left (middle, to, at), acc_expr_add (start, acc_expr_new_int (1)), acc_expr_new_int (-1));

  return acc_expr_cond (is_left (from, middle, at), start, second);
}

static AccExpr *
with_edge (AccExpr *edge, AccExpr *at, gpointer data)
{
  return acc_expr_tuple3 (edge, acc_expr_item (at, 0), acc_expr_item (at, 1));
}

static AccExpr *
is_outside (AccExpr *point, gpointer data)
{
  return acc_expr_ge (acc_expr_item (point, 0), acc_expr_new_int (0));
}

/* What points are kept, and how many, is read from edges that are found once. */
static AccArray *
keep_outside (AccArray *edges, AccArray *points)
{
  g_autoptr(AccArray) found = acc_array_compute (edges);
  g_autoptr(AccArray) moved = acc_array_zip_with (found, points, with_edge, NULL);

  return acc_array_filter (moved, is_outside, NULL, NULL);
}

static AccExpr *
position_of (AccExpr *point, gpointer data)
{
  return position (point, 1);
}

/* The point that is farthest from each edge becomes a corner; what lies within the new corners is dropped. */
static GPtrArray *
grow (AccArray **state, guint n_state, gpointer data)
{
  AccArray *corners = state[CORNERS], *outside = state[OUTSIDE];
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  g_autoptr(AccArray) distances = acc_array_map (outside, distance, corners);
  g_autoptr(AccArray) none = acc_array_map (corners, nothing, NULL);
  g_autoptr(AccArray) edges = acc_array_map (outside, edge_of, NULL);
  g_autoptr(AccArray) farthest = acc_array_permute (distances, none, edges, higher, NULL);
  g_autoptr(AccArray) sizes = acc_array_map (farthest, n_edges, NULL);
  g_autoptr(AccArray) starts = acc_array_prescanl (sizes, acc_expr_new_int (0), add, NULL);

  Round round = { corners, farthest, starts };
  g_autoptr(AccArray) pairs = acc_array_zip_with (corners, farthest, pair_up, NULL);
  g_autoptr(AccArray) new_edges = acc_array_map (outside, on_new_edge, &round);
  g_autoptr(AccArray) points = acc_array_map (outside, position_of, NULL);

  g_ptr_array_add (next, acc_array_expand (pairs, n_corners, NULL, new_corner, NULL));
  g_ptr_array_add (next, keep_outside (new_edges, points));
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
  g_autoptr(AccArray) start = acc_array_unit (acc_expr_new_int (0));

  return acc_array_map (start, is_any, state[OUTSIDE]);
}

/* --- the start */

#define N_SIDES 4

typedef struct {
  AccArray *points;
  AccArray *left, *top, *right, *bottom;    /* the last and the first of points that are turned */
  AccArray *ends, *starts;
} Ends;

/* By a quarter, to the left */
static AccExpr *
turned (AccExpr *point, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (point, 1), acc_expr_neg (acc_expr_item (point, 0)));
}

static AccExpr *
turned_back (AccArray *end)
{
  KEEP (point, acc_expr_the (end));

  return acc_expr_tuple2 (acc_expr_neg (acc_expr_item (point, 1)), acc_expr_item (point, 0));
}

static AccExpr *
end (AccExpr *side, gpointer data)
{
  const Ends *ends = data;
  AccExpr *top_or_right = acc_expr_cond (acc_expr_eq (side, acc_expr_new_int (1)), turned_back (ends->top), acc_expr_the (ends->right));
  AccExpr *others = acc_expr_cond (acc_expr_lt (side, acc_expr_new_int (3)), top_or_right, turned_back (ends->bottom));

  return acc_expr_cond (acc_expr_eq (side, acc_expr_new_int (0)), acc_expr_the (ends->left), others);
}

static AccExpr *
differ (AccExpr *a, AccExpr *b)
{
  return acc_expr_lor (acc_expr_ne (acc_expr_item (a, 0), acc_expr_item (b, 0)), acc_expr_ne (acc_expr_item (a, 1), acc_expr_item (b, 1)));
}

/* Ends may be one point: of those the last is a corner, but where all of them are one the first. */
static AccExpr *
is_corner (AccExpr *side, AccExpr *point, gpointer data)
{
  const Ends *ends = data;
  KEEP (left, acc_expr_the (ends->left));
  KEEP (right, acc_expr_the (ends->right));
  KEEP (next, corner_after (ends->ends, side));
  AccExpr *is_only = acc_expr_land (acc_expr_eq (side, acc_expr_new_int (0)), acc_expr_lnot (differ (left, right)));

  return acc_expr_land (acc_expr_gt (acc_expr_extent (ends->points, 0), acc_expr_new_int (0)),
                        acc_expr_lor (differ (point, next), is_only));
}

/* The edge that a point lies left of, or -1: one at most, between two ends that are not the same. */
static AccExpr *
on_side (AccExpr *point, gpointer data)
{
  const Ends *ends = data;
  AccExpr *edge = i4 (acc_expr_new_int (-1));

  for (guint side = 0; side < N_SIDES; side++)
    {
      KEEP (from, acc_expr_index (ends->ends, acc_expr_new_int (side)));
      KEEP (to, acc_expr_index (ends->ends, acc_expr_new_int ((side + 1) % N_SIDES)));
      AccExpr *start = i4 (acc_expr_index (ends->starts, acc_expr_new_int (side)));

      edge = acc_expr_cond (is_left (from, to, point), start, edge);
    }
  return edge;
}

static AccExpr *
number (AccExpr *flag, gpointer data)
{
  return acc_expr_cond (flag, i8 (1), i8 (0));
}

/* Where all coordinates are @value */
static AccExpr *
everywhere (double value)
{
  AccElementType *f4 = acc_element_type_new (ACC_KIND_F32);

  return acc_expr_tuple2 (acc_expr_new_typed_float (f4, value), acc_expr_new_typed_float (f4, value));
}

AccArray *
convex_hull (AccArray *points)
{
  g_autoptr(AccArray) around = acc_array_map (points, turned, NULL);
  g_autoptr(AccArray) left = acc_array_fold_all (points, everywhere (INFINITY), lower, NULL);
  g_autoptr(AccArray) top = acc_array_fold_all (around, everywhere (-INFINITY), higher, NULL);
  g_autoptr(AccArray) right = acc_array_fold_all (points, everywhere (-INFINITY), higher, NULL);
  g_autoptr(AccArray) bottom = acc_array_fold_all (around, everywhere (INFINITY), lower, NULL);
  g_autoptr(AccShape) sides = acc_shape_new_vector (N_SIDES);
  Ends ends = { points, left, top, right, bottom, NULL, NULL };
  g_autoptr(AccArray) corner_of_side = acc_array_generate (sides, end, &ends);

  ends.ends = corner_of_side;
  g_autoptr(AccArray) flags = acc_array_imap (corner_of_side, is_corner, &ends);
  g_autoptr(AccArray) ones = acc_array_map (flags, number, NULL);
  g_autoptr(AccArray) starts = acc_array_prescanl (ones, acc_expr_new_int (0), add, NULL);

  ends.starts = starts;
  g_autoptr(AccArray) corners = acc_array_compact (corner_of_side, flags, NULL);
  g_autoptr(AccArray) edges = acc_array_map (points, on_side, &ends);
  g_autoptr(AccArray) outside = keep_outside (edges, points);
  g_autoptr(AccProgram) condition = acc_program_new (signatures, any_outside, NULL);
  g_autoptr(AccProgram) step = acc_program_new_many (signatures, grow, NULL);
  AccArray *initial[N_STATES] = { corners, outside };
  g_autoptr(GPtrArray) last = acc_array_while_loop_many (initial, N_STATES, condition, step);

  return g_object_ref (last->pdata[CORNERS]);
}
