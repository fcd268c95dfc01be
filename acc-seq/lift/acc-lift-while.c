/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-program-private.h"
#include "acc-core/derived/acc-array-filter.h"
#include "acc-core/derived/acc-array-scatter.h"

/* Loops. Elements end at different times. Those that have are moved in each turn of the inner loop, and packed away by the outer one as
 * soon as moving them has cost as much as that does:
 *
 *   numbers = 0, 1 …; flags = condition (states)
 *   while there are numbers:
 *     budget = size (ended or states)
 *     while any (flags) and budget > 0:
 *       states = step (states) where flags, states elsewhere
 *       budget -= size (states elsewhere)
 *     ended = states at numbers, ended elsewhere
 *     numbers, states = numbers, states where flags
 *
 * What is packed is at most twice as much work as the best choice of when to pack would be, whatever elements do. Where all end together,
 * the outer loop has one turn, and the states are the result as they are. */

typedef struct {
  AccLift   *lift;
  AccArray  *node;
  GPtrArray *like;         /* AccLifted: the forms of the states */
  GPtrArray *parts;        /* AccArray: what the states of the inner loop consist of, which begin with these two */
} Loop;

enum {
  FLAGS,
  BUDGET,
  N_INNER,
};

/* The outer loop has these in front of the states, and those that ended behind. */
enum {
  NUMBERS,
  OUTER_FLAGS,
  N_OUTER,
};

static GPtrArray *
new_list (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) acc_lifted_unref);
}

static GPtrArray *
new_arrays (void)
{
  return g_ptr_array_new_with_free_func (g_object_unref);
}

/* --- states as arrays */

static GPtrArray *
join_states (Loop      *self,
             GPtrArray *parts,
             guint      from)
{
  GPtrArray *states = new_list ();

  for (guint i = 0; i < self->like->len; i++)
    g_ptr_array_add (states, acc_lifted_join_parts (g_ptr_array_index (self->like, i), parts, &from));

  return states;
}

static AccProgram *
make_program (GPtrArray *parameters,
              GPtrArray *results)
{
  return acc_program_new_for_nodes ((AccArray **) parameters->pdata, parameters->len, (AccArray **) results->pdata, results->len);
}

/* How much moving @states takes: the number of elements and of values of each. */
static AccExpr *
size_of_states (GPtrArray *states)
{
  AccExpr *sum = acc_array_number (0);

  for (guint i = 0; i < states->len; i++)
    {
      AccLifted *state = g_ptr_array_index (states, i);

      if (state->form == ACC_LIFTED_IRREGULAR)
        sum = acc_expr_add (sum, acc_expr_add (acc_nesting_count (state->nesting), acc_nesting_total (state->nesting)));
      else
        sum = acc_expr_add (sum, acc_expr_extent (state->values, 0));
    }

  return sum;
}

/* --- the inner loop */

static AccExpr *
either (AccExpr *x,
        AccExpr *y,
        gpointer data)
{
  return acc_expr_lor (x, y);
}

static AccExpr *
may_go_on (AccExpr *any,
           AccExpr *budget,
           gpointer data)
{
  return acc_expr_land (any, acc_expr_gt (budget, acc_array_number (0)));
}

static AccProgram *
make_inner_condition (Loop *self)
{
  g_autoptr(GPtrArray) parameters = acc_lifted_stand_for (self->parts), results = new_arrays ();
  AccArray **p = (AccArray **) parameters->pdata;
  g_autoptr(AccArray) any = acc_array_fold_all (p[FLAGS], acc_expr_new_bool (FALSE), either, NULL);

  g_ptr_array_add (results, acc_array_zip_with (any, p[BUDGET], may_go_on, NULL));

  return make_program (parameters, results);
}

/* The condition for states of a frame. */
static AccArray *
lift_condition (AccLift   *self,
                AccArray  *node,
                GPtrArray *states)
{
  AccProgram *condition = acc_array_get_programs (node)[0];
  g_autoptr(AccLift) inner = acc_lift_new_within (self, NULL);
  g_autoptr(AccLifted) flags = NULL;
  AccArray **parameters;
  guint n;

  parameters = acc_program_get_parameter_nodes (condition, &n);
  for (guint i = 0; i < n; i++)
    acc_lift_bind (inner, parameters[i], acc_lifted_ref (g_ptr_array_index (states, i)));
  flags = acc_lift_to_regular (inner, acc_lift_array (inner, acc_program_get_result_nodes (condition, &n)[0]));

  return g_object_ref (flags->values);
}

static AccExpr *
new_flag (AccExpr *place,
          AccExpr *flag,
          gpointer data)
{
  AccArray *flags = data;

  return acc_expr_cond (acc_expr_ge (place, acc_array_number (0)), acc_expr_linear_index (flags, place), acc_expr_new_bool (FALSE));
}

typedef struct {
  GPtrArray *merged, *next;
} Turn;

static AccExpr *
spend (AccExpr *budget,
       gpointer data)
{
  Turn *turn = data;

  return acc_expr_sub (acc_expr_add (budget, size_of_states (turn->next)), size_of_states (turn->merged));
}

static AccExpr *
number_at (AccExpr *place,
           gpointer numbers)
{
  return acc_expr_linear_index (numbers, place);
}

/* The next states, and flags, of those elements that go on: @going of @numbers, which @states are of. */
static GPtrArray *
step_some (Loop      *self,
           AccArray  *numbers,
           GPtrArray *states,
           AccArray  *going,
           AccArray **flags)
{
  AccProgram *step = acc_array_get_programs (self->node)[1];
  g_autoptr(AccArray) selection = acc_array_map (going, number_at, numbers);
  g_autoptr(AccLift) some = acc_lift_new_within (self->lift, selection);
  GPtrArray *next = new_list ();
  AccArray **nodes;
  guint n;

  nodes = acc_program_get_parameter_nodes (step, &n);
  for (guint i = 0; i < n; i++)
    acc_lift_bind (some, nodes[i], acc_lift_gather (some, g_ptr_array_index (states, i), going));
  nodes = acc_program_get_result_nodes (step, &n);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (next, acc_lift_to_irregular (some, acc_lift_array (some, nodes[i])));
  *flags = lift_condition (some, self->node, next);

  return next;
}

/* One turn: of elements that go on the next state, of others the same. @numbers are those of the elements that there are. */
static AccProgram *
make_inner_step (Loop     *self,
                 AccArray *numbers)
{
  g_autoptr(GPtrArray) parameters = acc_lifted_stand_for (self->parts), results = new_arrays ();
  g_autoptr(GPtrArray) states = join_states (self, parameters, N_INNER), next = NULL, merged = new_list ();
  g_autoptr(AccLift) packed = acc_lift_new_within (self->lift, numbers);
  AccArray **p = (AccArray **) parameters->pdata;
  g_autoptr(AccArray) places = NULL, flags = NULL, going = acc_lift_select (packed, p[FLAGS], &places);
  Turn turn;

  next = step_some (self, numbers, states, going, &flags);
  for (guint i = 0; i < states->len; i++)
    g_ptr_array_add (merged, acc_lift_merge (packed, g_ptr_array_index (next, i), places, g_ptr_array_index (states, i), NULL));

  turn = (Turn) { merged, next };
  g_ptr_array_add (results, acc_array_zip_with (places, p[FLAGS], new_flag, flags));
  g_ptr_array_add (results, acc_array_map (p[BUDGET], spend, &turn));
  for (guint i = 0; i < merged->len; i++)
    acc_lifted_list_parts (g_ptr_array_index (merged, i), results);

  return make_program (parameters, results);
}

/* --- the outer loop */

static AccProgram *
make_outer_condition (GPtrArray *outer)
{
  g_autoptr(GPtrArray) parameters = acc_lifted_stand_for (outer), results = new_arrays ();
  AccExpr *left = acc_expr_extent (g_ptr_array_index (parameters, NUMBERS), 0);

  g_ptr_array_add (results, acc_array_unit (acc_expr_gt (left, acc_array_number (0))));

  return make_program (parameters, results);
}

static AccExpr *
nowhere (AccExpr *k,
         gpointer data)
{
  acc_expr_unref (acc_expr_ref_sink (k));

  return acc_array_number (-1);
}

static AccExpr *
always (AccExpr *k,
        gpointer data)
{
  acc_expr_unref (acc_expr_ref_sink (k));

  return acc_expr_new_bool (TRUE);
}

/* What is in @states, of elements @numbers, and of others in @ended. Until some are packed away the states are of all elements. */
static void
list_ended (Loop      *self,
            AccArray  *numbers,
            GPtrArray *states,
            GPtrArray *ended,
            GPtrArray *results)
{
  g_autoptr(AccArray) all = acc_array_unit (acc_expr_eq (acc_expr_extent (numbers, 0), acc_lift_count (self->lift)));
  g_autoptr(AccLift) packed = acc_lift_new_within (self->lift, numbers);
  g_autoptr(AccArray) none = acc_array_map (self->lift->index, nowhere, NULL);
  g_autoptr(AccArray) places = acc_array_scatter (packed->index, none, numbers);

  for (guint i = 0; i < states->len; i++)
    {
      AccLifted *state = g_ptr_array_index (states, i);
      g_autoptr(AccLifted) merged = acc_lift_merge (self->lift, state, places, g_ptr_array_index (ended, i), NULL);
      g_autoptr(GPtrArray) own = new_arrays (), joined = new_arrays ();

      acc_lifted_list_parts (state, own);
      acc_lifted_list_parts (merged, joined);
      for (guint j = 0; j < own->len; j++)
        g_ptr_array_add (results, acc_array_cond (all, g_ptr_array_index (own, j), g_ptr_array_index (joined, j)));
    }
}

static AccProgram *
make_outer_step (Loop      *self,
                 GPtrArray *outer)
{
  guint n_parts = self->parts->len - N_INNER;
  g_autoptr(GPtrArray) parameters = acc_lifted_stand_for (outer), results = new_arrays ();
  g_autoptr(GPtrArray) initial = new_arrays (), last = NULL;
  g_autoptr(GPtrArray) states = join_states (self, parameters, N_OUTER), turned = NULL;
  g_autoptr(GPtrArray) ended = join_states (self, parameters, N_OUTER + n_parts);
  AccArray *numbers = g_ptr_array_index (parameters, NUMBERS);
  g_autoptr(AccProgram) condition = make_inner_condition (self), step = make_inner_step (self, numbers);
  g_autoptr(AccLift) packed = acc_lift_new_within (self->lift, numbers), some = NULL;
  g_autoptr(AccArray) going = NULL;

  g_ptr_array_add (initial, g_object_ref (g_ptr_array_index (parameters, OUTER_FLAGS)));
  g_ptr_array_add (initial, acc_array_unit (acc_expr_max (size_of_states (ended), size_of_states (states))));
  for (guint i = 0; i < n_parts; i++)
    g_ptr_array_add (initial, g_object_ref (g_ptr_array_index (parameters, N_OUTER + i)));
  last = acc_array_while_loop_many ((AccArray **) initial->pdata, initial->len, condition, step);
  turned = join_states (self, last, N_INNER);

  going = acc_array_compact (packed->index, g_ptr_array_index (last, FLAGS), NULL);
  g_ptr_array_add (results, acc_array_map (going, number_at, numbers));
  g_ptr_array_add (results, acc_array_map (going, always, NULL));
  some = acc_lift_new_within (self->lift, g_ptr_array_index (results, NUMBERS));
  for (guint i = 0; i < turned->len; i++)
    {
      g_autoptr(AccLifted) gathered = acc_lift_gather (some, g_ptr_array_index (turned, i), going);

      acc_lifted_list_parts (gathered, results);
    }
  list_ended (self, numbers, turned, ended, results);

  return make_program (parameters, results);
}

static AccArray *
zeros (gint64           n,
       AccElementType  *type)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  return acc_array_fill (shape, acc_expr_new_zero (type));
}

/* States of no elements. */
static void
list_none (Loop      *self,
           GPtrArray *outer)
{
  for (guint i = 0; i < self->like->len; i++)
    {
      AccLifted *state = g_ptr_array_index (self->like, i);

      g_ptr_array_add (outer, zeros (0, state->values->type));
      if (state->form == ACC_LIFTED_IRREGULAR)
        g_ptr_array_add (outer, zeros (1, state->nesting->offsets->type));
      if (state->form == ACC_LIFTED_IRREGULAR && state->nesting->extents != NULL)
        g_ptr_array_add (outer, zeros (0, state->nesting->extents->type));
    }
}

AccLifted *
acc_lift_while_loop (AccLift  *self,
                     AccArray *node)
{
  g_autoptr(GPtrArray) states = new_list (), parts = new_arrays (), outer = new_arrays (), last = NULL;
  g_autoptr(AccProgram) condition = NULL, step = NULL;
  Loop loop = { self, node, states, parts };
  GPtrArray *results;

  for (guint i = 0; i < node->n_inputs; i++)
    g_ptr_array_add (states, acc_lift_to_irregular (self, acc_lift_get_input (self, node, i)));

  g_ptr_array_add (parts, lift_condition (self, node, states));
  g_ptr_array_add (parts, acc_array_unit (acc_array_number (0)));
  for (guint i = 0; i < states->len; i++)
    acc_lifted_list_parts (g_ptr_array_index (states, i), parts);

  g_ptr_array_add (outer, g_object_ref (self->index));
  g_ptr_array_add (outer, g_object_ref (g_ptr_array_index (parts, FLAGS)));
  for (guint i = N_INNER; i < parts->len; i++)
    g_ptr_array_add (outer, g_object_ref (g_ptr_array_index (parts, i)));
  list_none (&loop, outer);

  condition = make_outer_condition (outer);
  step = make_outer_step (&loop, outer);
  last = acc_array_while_loop_many ((AccArray **) outer->pdata, outer->len, condition, step);
  results = join_states (&loop, last, N_OUTER + parts->len - N_INNER);
  g_hash_table_insert (self->loops, node, results);

  return acc_lifted_ref (g_ptr_array_index (results, 0));
}

AccLifted *
acc_lift_loop_result (AccLift  *self,
                      AccArray *node)
{
  AccLifted *first = acc_lift_get_input (self, node, 0);
  guint item = acc_array_get_item (node);

  for (AccLift *frame = self; frame != NULL; frame = frame->parent)
    {
      GPtrArray *results = g_hash_table_lookup (frame->loops, node->inputs[0]);
      g_autoptr(AccLifted) found = results != NULL ? acc_lifted_ref (g_ptr_array_index (results, item)) : NULL;

      if (found == NULL)
        continue;
      /* A frame of some of the elements has theirs. */
      g_assert (frame == self || first != NULL);
      return frame == self || self->selection == NULL ? g_steal_pointer (&found) : acc_lift_gather (self, found, self->selection);
    }

  g_return_val_if_reached (acc_lifted_ref (first));
}
