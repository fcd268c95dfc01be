/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/base/acc-shape-private.h"
#include "acc-core/derived/acc-array-rearrange.h"

/* Folds: a binary tree over the numbers of elements, whatever the steps are that elements come in. A node of level k combines 2^k elements,
 * from a number that is divisible by that; what waits for its neighbour is kept, at most one of each level. So floats add up to the same
 * bits, and the function need not be commutative. */

#define MAX_LEVELS 63
/* Levels of elementwise functions that are one kernel. */
#define WIDE_LEVELS 4
#define WIDE        (1 << WIDE_LEVELS)
/* Numbers of an element that are folded one by one: each goes through all elements. */
#define MOST_EXACT  8

typedef struct {
  AccWalkOutlet        outlet;
  AccSequenceFunction *function;              /* owned */
  gboolean             is_elementwise;
  AccFunction         *exact;                 /* borrowed: of numbers that do not round; NULL: none */
  gint64               done;                  /* elements so far */
  AccWalkPart         *waiting[MAX_LEVELS];   /* owned, of one element */
  guint                levels[MAX_LEVELS];    /* of what the last build wants, in order */
  guint                n_levels;
} Fold;

static void
fold_free (AccWalkOutlet *outlet)
{
  Fold *self = (Fold *) outlet;

  for (guint i = 0; i < MAX_LEVELS; i++)
    g_clear_pointer (&self->waiting[i], acc_walk_part_unref);
  acc_sequence_function_unref (self->function);
  g_free (self);
}

/* Elements each @stride behind the one before; where the first is is data unless it is among the first ones, so that kernels are the same
 * in every step. */
typedef struct {
  gint64    stride, offset;
  AccArray *first;            /* an i8 of rank 0; NULL: 0 */
  guint     rank;             /* of an element */
} Places;

static AccExpr *
get_place (AccExpr *k,
           gpointer data)
{
  const Places *places = data;
  AccExpr *place = acc_expr_add (acc_expr_mul (k, acc_array_number (places->stride)), acc_array_number (places->offset));

  return places->first != NULL ? acc_expr_add (place, acc_expr_the (places->first)) : place;
}

static AccExpr *
get_index (AccExpr *index,
           gpointer data)
{
  const Places *places = data;
  AccExpr *k = acc_lift_outer_index (index, places->rank);

  return acc_lift_join_index (get_place (k, data), acc_lift_inner_index (index, places->rank), places->rank);
}

/* As many as @count has rows. */
static AccNestedArray *
take_every (AccNestedArray *elements,
            const Places   *places,
            AccArray       *count)
{
  AccLifted *lifted = acc_nested_array_get_lifted (elements);
  g_autoptr(AccArray) numbers = NULL, values = NULL;
  g_autoptr(AccExpr) extents = NULL;

  if (lifted->form != ACC_LIFTED_REGULAR)
    {
      numbers = acc_array_generate_expr (acc_expr_extent (count, 0), get_place, (gpointer) places);
      return acc_nested_array_choose (elements, numbers);
    }

  extents = acc_expr_ref_sink (acc_lifted_extents (lifted, NULL));
  values = acc_array_backpermute_expr (lifted->values, acc_lift_join_index (acc_expr_extent (count, 0), extents, lifted->rank), get_index,
                                       (gpointer) places);

  return acc_nested_array_new_from_regular (values);
}

static AccNestedArray *
combine (AccSequenceFunction *function,
         AccNestedArray      *first,
         AccNestedArray      *second)
{
  return acc_sequence_function_apply (function, (AccNestedArray *[]) { first, second }, 0);
}

/* As many nodes as @count has rows, each of @width elements, a power of 2, from @places on. */
static AccNestedArray *
combine_rows (AccSequenceFunction *function,
              AccNestedArray      *elements,
              gint64               width,
              const Places        *places,
              AccArray            *count)
{
  g_autoptr(AccNestedArray) left = NULL, right = NULL;
  Places others = *places;

  if (width == 1)
    return take_every (elements, places, count);

  others.offset += width / 2;
  left = combine_rows (function, elements, width / 2, places, count);
  right = combine_rows (function, elements, width / 2, &others, count);

  return combine (function, left, right);
}

gboolean
acc_walk_is_elementwise (AccSequenceFunction *function)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes (&function->result, 1);
  gboolean elementwise = TRUE;

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      elementwise = elementwise && (acc_operation_get_family (node->op) == ACC_FAMILY_LEAF || node->op == ACC_OP_MAP
                                    || node->op == ACC_OP_ZIP_WITH || node->op == ACC_OP_ZIP_WITH3);
    }

  return elementwise;
}

/* The scalar function where elements are few numbers that do not round: these come to the same in any order that keeps neighbours
 * together. */
static AccFunction *
find_exact (AccSequenceFunction *function,
            AccShape            *shape)
{
  AccArray *result = function->result;

  if (result->op != ACC_OP_ZIP_WITH || result->inputs[0] != function->parameters[0] || result->inputs[1] != function->parameters[1]
      || result->references->len > 0)
    return NULL;
  if (shape == NULL || acc_shape_get_size (shape) == 0 || acc_shape_get_size (shape) > MOST_EXACT)
    return NULL;

  return acc_element_type_is_exact (result->type) ? result->functions[0] : NULL;
}

/* @values, those of @count elements of @shape, as that many elements of it. */
static AccArray *
shape_elements (AccArray *values,
                gint64    count,
                AccShape *shape)
{
  g_autoptr(AccShape) whole = acc_shape_new_rows (count, shape);

  return acc_array_reshape (values, whole);
}

/* All of a step at once, number by number of an element; level 0 has the total so far. */
static void
build_exact (Fold           *self,
             AccNestedArray *elements,
             gint64          count,
             GPtrArray      *wanted)
{
  AccShape *shape = self->outlet.sequence->shape;
  g_autoptr(AccLift) lift = acc_lift_new (acc_nested_array_get_count (elements));
  g_autoptr(AccLifted) numbers = acc_lift_to_regular (lift, acc_nested_array_get_lifted (elements));
  AccLiftCall call = { lift, self->exact };
  g_autoptr(AccArray) total = NULL, row = NULL;
  g_autoptr(AccNestedArray) nested = NULL;

  if (numbers->rank == 0)
    {
      total = acc_array_fold1_all (numbers->values, acc_lift_combine, &call);
    }
  else
    {
      g_autoptr(AccShape) vector = acc_shape_new_vector (acc_shape_get_size (shape));
      g_autoptr(AccArray) rows = shape_elements (numbers->values, count, vector), columns = acc_array_transpose (rows);

      total = acc_array_fold1 (columns, acc_lift_combine, &call);
    }
  row = shape_elements (total, 1, shape);
  nested = acc_nested_array_new_from_regular (row);
  self->levels[self->n_levels++] = 0;
  g_ptr_array_add (wanted, self->waiting[0] != NULL ? combine (self->function, self->waiting[0]->nested, nested)
                                                    : g_steal_pointer (&nested));
}

static void
keep (Fold           *self,
      AccNestedArray *node,
      guint           level,
      GPtrArray      *wanted)
{
  g_ptr_array_add (wanted, node);
  self->levels[self->n_levels++] = level;
}

/* Takes over @nodes, @count of them from a place that WIDE divides, and returns those of WIDE of them each; the rest is kept. */
static AccNestedArray *
climb_levels (Fold           *self,
              AccNestedArray *nodes,
              gint64          count,
              guint           level,
              GPtrArray      *wanted)
{
  g_autoptr(AccNestedArray) all = nodes, next = NULL;
  g_autoptr(AccArray) values = NULL;
  g_autoptr(AccArray) one = acc_walk_new_count (1), many = acc_walk_new_count (count / WIDE);
  gint64 first = count - count % WIDE;
  guint rank = acc_nested_array_get_rank (all);

  for (guint i = WIDE_LEVELS; i-- > 0;)
    if ((count >> i) % 2 != 0)
      {
        g_autoptr(AccArray) place = acc_walk_stage_add_number (self->outlet.stage, first);

        keep (self, combine_rows (self->function, all, G_GINT64_CONSTANT (1) << i, &(Places) { 0, 0, place, rank }, one), level + i,
              wanted);
        first += G_GINT64_CONSTANT (1) << i;
      }

  next = combine_rows (self->function, all, WIDE, &(Places) { WIDE, 0, NULL, rank }, many);
  /* Not one kernel with the next levels, too. */
  values = acc_array_compute (acc_nested_array_get_values (next));

  return acc_nested_array_new_from_regular (values);
}

/* The next @count elements, and what waits. */
static void
build (AccWalkOutlet  *outlet,
       AccNestedArray *elements,
       gint64          count,
       GPtrArray      *wanted)
{
  Fold *self = (Fold *) outlet;
  g_autoptr(AccNestedArray) nodes = g_object_ref (elements);
  gint64 place = self->done;

  self->n_levels = 0;
  if (self->exact != NULL)
    {
      build_exact (self, elements, count, wanted);
      return;
    }

  for (guint level = 0; count > 0;)
    {
      g_autoptr(AccNestedArray) first = NULL, second = NULL, joined = NULL;
      g_autoptr(AccArray) half = NULL;

      if (self->is_elementwise && count >= WIDE && place % WIDE == 0 && acc_nested_array_get_form (nodes) == ACC_NESTED_FORM_REGULAR)
        {
          nodes = climb_levels (self, nodes, count, level, wanted);
          count /= WIDE;
          place /= WIDE;
          level += WIDE_LEVELS;
          continue;
        }
      if (place % 2 != 0)
        {
          joined = acc_nested_array_concat (self->waiting[level]->nested, nodes);
          g_set_object (&nodes, joined);
          count++;
          place--;
        }
      if (count % 2 != 0)
        keep (self, acc_nested_array_slice (nodes, count - 1, 1), level, wanted);

      count /= 2;
      place /= 2;
      level++;
      if (count == 0)
        break;
      half = acc_walk_new_count (count);
      first = take_every (nodes, &(Places) { 2, 0, NULL, acc_nested_array_get_rank (nodes) }, half);
      second = take_every (nodes, &(Places) { 2, 1, NULL, acc_nested_array_get_rank (nodes) }, half);
      g_object_unref (nodes);
      nodes = combine (self->function, first, second);
    }
}

/* A part of one element; what is the same for all elements counts as many as the step has. */
static AccWalkPart *
new_node (AccWalkPart *part)
{
  AccLifted *lifted = acc_nested_array_get_lifted (part->nested);

  return lifted->form == ACC_LIFTED_CONSTANT ? acc_walk_part_new_constant (lifted->values, 1) : acc_walk_part_ref (part);
}

static gboolean
absorb (AccWalkOutlet *outlet,
        AccWalkPart  **parts,
        gint64         count,
        GError       **error)
{
  Fold *self = (Fold *) outlet;
  gint64 end = self->done + count;

  for (guint i = 0; i < self->n_levels; i++)
    {
      g_clear_pointer (&self->waiting[self->levels[i]], acc_walk_part_unref);
      self->waiting[self->levels[i]] = new_node (parts[i]);
    }
  for (guint level = 0; level < MAX_LEVELS && self->exact == NULL; level++)
    if ((end >> level) % 2 == 0)
      g_clear_pointer (&self->waiting[level], acc_walk_part_unref);
  self->done = end;

  return TRUE;
}

/* Which of the levels that the next elements reach have a node that waits: build() joins it, and goes on to the next level with that. */
static void
tell (AccWalkOutlet *outlet,
      gint64         count,
      GArray        *key,
      GPtrArray     *held)
{
  Fold *self = (Fold *) outlet;
  guint64 waits = 0;

  if (self->exact != NULL)
    {
      waits = self->waiting[0] != NULL;
      if (waits)
        g_ptr_array_add (held, &self->waiting[0]);
    }
  for (guint level = 0; self->exact == NULL && count > 0; level++)
    {
      guint64 is_there = ((guint64) self->done >> level) & 1;

      if (is_there)
        g_ptr_array_add (held, &self->waiting[level]);
      waits |= is_there << level;
      count = (count + (gint64) is_there) / 2;
    }
  g_array_append_val (key, waits);
}

static guint
move (AccWalkOutlet *outlet,
      GArray        *levels,
      guint          at,
      gboolean       back)
{
  Fold *self = (Fold *) outlet;

  if (!back)
    {
      g_array_append_val (levels, self->n_levels);
      g_array_append_vals (levels, self->levels, self->n_levels);
      return levels->len;
    }

  self->n_levels = g_array_index (levels, guint, at++);
  memcpy (self->levels, &g_array_index (levels, guint, at), self->n_levels * sizeof (guint));

  return at + self->n_levels;
}

static guint64
describe (AccWalkOutlet        *outlet,
          AccSequenceFunction **function)
{
  Fold *self = (Fold *) outlet;

  *function = self->function;

  return (guint64) (self->exact != NULL) | (guint64) self->is_elementwise << 1;
}

static const AccWalkOutletClass fold_class = { build, absorb, tell, move, describe, NULL, fold_free };

AccWalkOutlet *
acc_walk_fold_new (AccWalkStage        *stage,
                   AccSequence         *sequence,
                   AccSequenceFunction *function)
{
  Fold *self = g_new0 (Fold, 1);

  self->function = function;
  self->exact = find_exact (function, sequence->shape);
  self->is_elementwise = acc_walk_is_elementwise (function);
  acc_walk_outlet_attach (&self->outlet, &fold_class, stage, sequence);

  return &self->outlet;
}

/* @total, of all elements, behind @seed. */
static AccNestedArray *
combine_seed (Fold           *self,
              AccArray       *seed,
              AccNestedArray *total)
{
  g_autoptr(AccNestedArray) first = acc_nested_array_new_for_lifted (acc_lifted_new_constant (g_object_ref (seed)),
                                                                     g_object_ref (acc_nested_array_get_count (total)));

  return combine (self->function, first, total);
}

/* Computes @joined, and puts @elements in front of *@error where it is that which failed; NULL: something did. */
static AccWalkPart *
try_join (Fold           *self,
          AccNestedArray *joined,
          const char     *elements,
          GError        **error)
{
  g_autoptr(GPtrArray) wanted = g_ptr_array_new (), parts = NULL;
  g_autoptr(GError) local = NULL;

  g_ptr_array_add (wanted, joined);
  parts = acc_walk_compute (self->outlet.stage->walk, wanted, 1, &local);
  if (parts != NULL)
    return new_node (g_ptr_array_index (parts, 0));
  if (g_error_matches (local, (*error)->domain, (*error)->code))
    {
      g_clear_error (error);
      g_propagate_prefixed_error (error, g_steal_pointer (&local), "%s: ", elements);
    }

  return NULL;
}

/* Joins what waits one by one, to find which elements it fails for. */
static void
blame_rest (Fold     *self,
            AccArray *seed,
            GError  **error)
{
  g_autoptr(AccWalkPart) total = NULL;
  gint64 first = self->done;

  if (g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;

  for (guint level = 0; level < MAX_LEVELS; level++)
    {
      g_autoptr(AccWalkPart) rest = NULL;
      g_autoptr(AccNestedArray) joined = NULL;
      g_autofree char *elements = NULL;

      if (self->waiting[level] == NULL)
        continue;
      first = self->exact != NULL ? 0 : first - (G_GINT64_CONSTANT (1) << level);
      rest = g_steal_pointer (&total);
      if (rest == NULL)
        {
          total = acc_walk_part_ref (self->waiting[level]);
          continue;
        }
      joined = combine (self->function, self->waiting[level]->nested, rest->nested);
      elements = g_strdup_printf ("elements %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, first, self->done - 1);
      total = try_join (self, joined, elements, error);
      if (total == NULL)
        return;
    }

  if (seed != NULL)
    {
      g_autoptr(AccNestedArray) joined = combine_seed (self, seed, total->nested);
      g_autofree char *elements = g_strdup_printf ("the seed and elements 0 to %" G_GINT64_FORMAT, self->done - 1);

      g_clear_pointer (&total, acc_walk_part_unref);
      total = try_join (self, joined, elements, error);
    }
}

AccArray *
acc_walk_fold_finish (AccWalkOutlet *outlet,
                      AccArray      *seed,
                      GError       **error)
{
  Fold *self = (Fold *) outlet;
  AccWalk *walk = outlet->stage->walk;
  g_autoptr(AccNestedArray) total = NULL;
  g_autoptr(GPtrArray) wanted = g_ptr_array_new ();
  g_autoptr(GPtrArray) parts = NULL;
  g_autoptr(GError) local = NULL;

  if (self->done == 0 && seed == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "the sequence has no elements, and there is no seed");
      return NULL;
    }
  if (self->done == 0)
    return acc_backend_run (walk->backend, seed, walk->cancellable, error);

  /* What waits at a higher level comes before. */
  for (guint level = 0; level < MAX_LEVELS; level++)
    {
      AccNestedArray *rest = total;

      if (self->waiting[level] == NULL)
        continue;
      total = rest != NULL ? combine (self->function, self->waiting[level]->nested, rest) : g_object_ref (self->waiting[level]->nested);
      g_clear_object (&rest);
    }
  if (seed != NULL)
    {
      g_autoptr(AccNestedArray) rest = g_steal_pointer (&total);

      total = combine_seed (self, seed, rest);
    }

  g_ptr_array_add (wanted, total);
  parts = acc_walk_compute (walk, wanted, 1, &local);
  if (parts != NULL)
    return acc_walk_part_dup_element (g_ptr_array_index (parts, 0), 0, error);
  blame_rest (self, seed, &local);
  g_propagate_error (error, g_steal_pointer (&local));

  return NULL;
}
