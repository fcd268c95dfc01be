/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"

/* Permutes: into one array of all defaults, with targets in the part of the element. */

typedef struct {
  AccLift     *lift;
  AccFunction *function;
  AccLifted   *defaults;
  guint        rank;        /* of the source */
} Call;

static AccExpr *
apply2 (AccExpr *x,
        AccExpr *y,
        gpointer data)
{
  Call *self = data;

  return acc_lift_apply (self->lift, self->function, NULL, (AccExpr *[]) { x, y });
}

static AccExpr *
apply2_numbered (AccExpr *x,
                 AccExpr *y,
                 gpointer data)
{
  Call *self = data;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_expr_item (x, 0));

  return acc_expr_tuple2 (k, acc_lift_apply (self->lift, self->function, k, (AccExpr *[]) { acc_expr_item (x, 1), acc_expr_item (y, 1) }));
}

/* A target of element @k in all that there are; one outside the element is outside all. */
static AccExpr *
target_of (Call    *self,
           AccExpr *k,
           AccExpr *target)
{
  gboolean optional = acc_array_is_optional (acc_expr_get_element_type (target));
  AccLifted *defaults = self->defaults;
  g_autoptr(AccExpr) own_k = acc_expr_ref_sink (k), own = acc_expr_ref_sink (target);
  g_autoptr(AccExpr) index = acc_expr_ref_sink (optional ? acc_expr_item (own, 1) : own), inside = NULL, extents = NULL;
  AccExpr *place;

  if (defaults->form == ACC_LIFTED_REGULAR)
    {
      place = acc_lift_join_index (own_k, index, defaults->rank);
      return optional ? acc_expr_tuple2 (acc_expr_item (own, 0), place) : place;
    }

  extents = acc_expr_ref_sink (acc_nesting_extents (defaults->nesting, own_k));
  inside = acc_expr_ref_sink (acc_expr_new_bool (TRUE));
  for (guint i = 0; i < defaults->rank; i++)
    {
      AccExpr *at = acc_lift_index_item (index, defaults->rank, i);
      AccExpr *fits = acc_expr_land (acc_expr_ge (at, acc_array_number (0)),
                                     acc_expr_lt (acc_lift_index_item (index, defaults->rank, i),
                                                  acc_lift_index_item (extents, defaults->rank, i)));
      AccExpr *both = acc_expr_ref_sink (acc_expr_land (inside, fits));

      acc_expr_unref (g_steal_pointer (&inside));
      inside = both;
    }
  place = acc_expr_cond (inside,
                         acc_expr_add (acc_nesting_begin (defaults->nesting, own_k), acc_lift_ravel (index, extents, defaults->rank)),
                         acc_array_number (-1));

  return optional ? acc_expr_tuple2 (acc_expr_item (own, 0), place) : place;
}

static AccExpr *
regular_target (AccExpr *index,
                AccExpr *target,
                gpointer data)
{
  Call *self = data;

  return target_of (self, self->rank == 0 ? index : acc_expr_item (index, 0), target);
}

static AccExpr *
flat_target (AccExpr *k,
             AccExpr *target,
             gpointer data)
{
  return target_of (data, k, target);
}

static AccExpr *
number_with (AccExpr *k,
             AccExpr *x,
             gpointer data)
{
  return acc_expr_tuple2 (k, x);
}

static AccExpr *
number_regular (AccExpr *index,
                AccExpr *x,
                gpointer data)
{
  return acc_expr_tuple2 (GPOINTER_TO_UINT (data) == 0 ? index : acc_expr_item (index, 0), x);
}

static AccArray *
add_numbers (AccLifted *lifted)
{
  if (lifted->form == ACC_LIFTED_REGULAR)
    return acc_array_imap (lifted->values, number_regular, GUINT_TO_POINTER (lifted->rank));

  return acc_array_zip_with (acc_nesting_get_numbers (lifted->nesting), lifted->values, number_with, NULL);
}

static AccExpr *
least_extents (AccLift *self,
               AccExpr *k,
               gpointer data)
{
  AccLifted **both = data;
  g_autofree AccExpr **items = g_new (AccExpr *, both[0]->rank + 1);

  for (guint i = 0; i < both[0]->rank; i++)
    items[i] = acc_expr_min (acc_lifted_extent (both[0], k, i), acc_lifted_extent (both[1], k, i));

  return acc_array_join_items (items, both[0]->rank);
}

static AccExpr *
element_of (AccLift *self,
            AccExpr *k,
            AccExpr *index,
            gpointer data)
{
  return acc_lifted_read (data, k, index);
}

/* Source and targets as flat values that lie alike, where both are there. */
static void
lay_alike (AccLift    *self,
           AccLifted **source,
           AccLifted **targets)
{
  AccLifted *both[] = { *source, *targets };
  g_autoptr(AccNesting) nesting = NULL;

  if (both[0]->form == both[1]->form && (both[0]->form == ACC_LIFTED_REGULAR || both[0]->nesting == both[1]->nesting))
    return;

  nesting = acc_lift_new_nesting (self, both[0]->rank, least_extents, both);
  *source = acc_lift_make (self, nesting, element_of, both[0]);
  *targets = acc_lift_make (self, nesting, element_of, both[1]);
  acc_lifted_unref (both[0]);
  acc_lifted_unref (both[1]);
}

AccLifted *
acc_lift_permute (AccLift  *self,
                  AccArray *node)
{
  gboolean depends = acc_lift_depends (self, node->functions[0]);
  AccLifted *source = acc_lift_to_regular (self, acc_lift_get_input (self, node, 0));
  AccLifted *targets = acc_lift_to_regular (self, acc_lift_get_input (self, node, 2));
  g_autoptr(AccLifted) defaults = acc_lift_to_regular (self, acc_lift_get_input (self, node, 1));
  g_autoptr(AccLifted) own_source = NULL, own_targets = NULL;
  g_autoptr(AccArray) places = NULL, elements = NULL, old = NULL, permuted = NULL;
  Call call = { self, node->functions[0], defaults, node->inputs[0]->rank };
  AccArray *values;

  lay_alike (self, &source, &targets);
  own_source = source;
  own_targets = targets;
  places = targets->form == ACC_LIFTED_REGULAR ? acc_array_imap (targets->values, regular_target, &call)
                                               : acc_array_zip_with (acc_nesting_get_numbers (targets->nesting), targets->values,
                                                                     flat_target, &call);
  elements = depends ? add_numbers (source) : g_object_ref (source->values);
  old = depends ? add_numbers (defaults) : g_object_ref (defaults->values);
  permuted = acc_array_permute (elements, old, places, depends ? apply2_numbered : apply2, &call);
  values = depends ? acc_array_unzip (permuted, 1) : g_object_ref (permuted);

  return defaults->form == ACC_LIFTED_REGULAR ? acc_lifted_new_regular (values)
                                              : acc_lifted_new_irregular (acc_nesting_ref (defaults->nesting), values);
}
