/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"

/* Folds: a binary tree over the numbers of elements, whatever the steps are that elements come in. A node of level k combines 2^k elements,
 * from a number that is divisible by that; what waits for its neighbour is kept, at most one of each level. So floats add up to the same
 * bits, and the function need not be commutative. */

#define MAX_LEVELS 63

typedef struct {
  AccWalkOutlet        outlet;
  AccSequenceFunction *function;              /* borrowed from the result that wants it */
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
  g_free (self);
}

static AccExpr *
every_second (AccExpr *k,
              gpointer first)
{
  return acc_expr_add (acc_expr_mul (k, acc_array_number (2)), acc_array_number (GPOINTER_TO_INT (first)));
}

/* Elements 0, 2 … or 1, 3 …; @count of them. */
static AccNestedArray *
take_half (AccNestedArray *elements,
           gint64          count,
           gint            first)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (count);
  g_autoptr(AccArray) numbers = acc_array_generate (shape, every_second, GINT_TO_POINTER (first));

  return acc_nested_array_gather (elements, numbers);
}

static AccNestedArray *
combine (AccSequenceFunction *function,
         AccNestedArray      *first,
         AccNestedArray      *second)
{
  return acc_nested_array_apply ((AccNestedArray *[]) { first, second }, 2, function->parameters, function->result);
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
  for (guint level = 0; count > 0; level++)
    {
      g_autoptr(AccNestedArray) first = NULL, second = NULL, joined = NULL;

      if (place % 2 != 0)
        {
          joined = acc_nested_array_concat (self->waiting[level]->nested, nodes);
          g_set_object (&nodes, joined);
          count++;
          place--;
        }
      if (count % 2 != 0)
        {
          g_ptr_array_add (wanted, acc_nested_array_slice (nodes, count - 1, 1));
          self->levels[self->n_levels++] = level;
        }

      count /= 2;
      place /= 2;
      if (count == 0)
        break;
      first = take_half (nodes, count, 0);
      second = take_half (nodes, count, 1);
      g_object_unref (nodes);
      nodes = combine (self->function, first, second);
    }
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
      self->waiting[self->levels[i]] = acc_walk_part_ref (parts[i]);
    }
  for (guint level = 0; level < MAX_LEVELS; level++)
    if ((end >> level) % 2 == 0)
      g_clear_pointer (&self->waiting[level], acc_walk_part_unref);
  self->done = end;

  return TRUE;
}

static gboolean
end (AccWalkOutlet *outlet,
     GError       **error)
{
  outlet->done = TRUE;

  return TRUE;
}

static const AccWalkOutletClass fold_class = { build, absorb, end, fold_free };

AccWalkOutlet *
acc_walk_fold_new (AccWalkStage        *stage,
                   AccSequence         *sequence,
                   AccSequenceFunction *function)
{
  Fold *self = g_new0 (Fold, 1);

  self->function = function;
  acc_walk_outlet_attach (&self->outlet, &fold_class, stage, sequence);

  return &self->outlet;
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

  if (self->done == 0 && seed == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "sequence_fold: the sequence has no elements, and there is no seed");
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
      g_autoptr(AccNestedArray) first = acc_nested_array_new_for_lifted (acc_lifted_new_constant (g_object_ref (seed)),
                                                                         g_object_ref (acc_nested_array_get_count (rest)));

      total = combine (self->function, first, rest);
    }

  g_ptr_array_add (wanted, total);
  parts = acc_walk_compute (walk, wanted, 1, error);
  if (parts == NULL)
    {
      g_prefix_error (error, "sequence_fold: ");
      return NULL;
    }

  return acc_walk_part_dup_element (g_ptr_array_index (parts, 0), 0, error);
}
