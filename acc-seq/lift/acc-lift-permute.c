/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-scan-private.h"
#include "acc-core/derived/acc-array-rearrange.h"

/* Permutes: into one array of all defaults, with targets in the part of the element. */

/* A target of element @k in all that there are; one outside the element is outside all. */
static AccExpr *
target_of (AccExpr *k,
           AccExpr *target,
           gpointer data)
{
  AccLifted *defaults = data;
  gboolean optional = acc_array_is_optional (acc_expr_get_element_type (target));
  g_autoptr(AccExpr) own = acc_expr_ref_sink (target), index = acc_expr_ref_sink (optional ? acc_expr_item (own, 1) : own), extents = NULL;
  AccExpr *place;

  if (defaults->form == ACC_LIFTED_REGULAR)
    {
      place = acc_lift_join_index (k, index, defaults->rank);
    }
  else
    {
      extents = acc_expr_ref_sink (acc_nesting_extents (defaults->nesting, k));
      place = acc_expr_cond (acc_lift_is_inside (index, extents, defaults->rank),
                             acc_expr_add (acc_nesting_begin (defaults->nesting, k), acc_lift_ravel (index, extents, defaults->rank)),
                             acc_array_number (-1));
    }

  return optional ? acc_expr_tuple2 (acc_expr_item (own, 0), place) : place;
}

static AccExpr *
least_extents (AccLift *self,
               AccExpr *k,
               gpointer both)
{
  return acc_lifted_least_extents (both, 2, k);
}

static AccExpr *
are_alike (AccLift *self,
           AccExpr *k,
           gpointer data)
{
  AccLifted **both = data;
  g_autoptr(AccExpr) own = acc_expr_ref_sink (k);
  AccExpr *alike = acc_expr_new_bool (TRUE);

  for (guint d = 0; d < both[0]->rank; d++)
    alike = acc_expr_land (alike, acc_expr_eq (acc_lifted_extent (both[0], own, d), acc_lifted_extent (both[1], own, d)));

  return alike;
}

/* Source and targets as flat values that lie alike. */
static void
lay_alike (AccLift    *self,
           AccArray   *node,
           AccLifted **source,
           AccLifted **targets)
{
  AccLifted *both[] = { *source, *targets };
  g_autoptr(AccNesting) nesting = NULL;
  g_autoptr(AccLifted) made = NULL;

  if (both[0]->form == both[1]->form && (both[0]->form == ACC_LIFTED_REGULAR || both[0]->nesting == both[1]->nesting))
    return;

  nesting = acc_lift_new_nesting (self, both[0]->rank, least_extents, both);
  made = acc_lift_make (self, nesting, acc_lift_element_of_lifted, both[0]);
  *source = acc_lifted_new_irregular (acc_nesting_ref (nesting), acc_lift_demand (self, made->values, are_alike, both, node,
                                                                                  "element "
                                                                                  ACC_REFUSED_NUMBER " does not have as many targets as values"));
  *targets = acc_lift_make (self, nesting, acc_lift_element_of_lifted, both[1]);
  acc_lifted_unref (both[0]);
  acc_lifted_unref (both[1]);
}

/* A filter of each element keeps the same values in the same order as one of all values, and needs none of their numbers. NULL: @node is
 * none, or keeps as many of each. */
static AccLifted *
lift_filter (AccLift  *self,
             AccArray *node)
{
  AccArray *kept = acc_array_is_filter (node) ? acc_array_get_filter_flags (node) : NULL;
  AccLifted *defaults = acc_lift_get_input (self, node, 1);
  g_autoptr(AccLifted) own_source = NULL, own_flags = NULL;
  g_autoptr(AccArray) values = NULL, flat_flags = NULL;
  AccLifted *source, *flags;

  if (kept == NULL || defaults->form != ACC_LIFTED_IRREGULAR)
    return NULL;

  source = acc_lift_to_regular (self, acc_lift_get_input (self, node, 0));
  flags = acc_lift_to_regular (self, acc_lift_get (self, kept));
  lay_alike (self, node, &source, &flags);
  own_source = source;
  own_flags = flags;
  values = acc_array_flatten (source->values);
  flat_flags = acc_array_flatten (flags->values);

  return acc_lifted_new_irregular (acc_nesting_ref (defaults->nesting),
                                   acc_array_pack (values, flat_flags, acc_nesting_total (defaults->nesting)));
}

AccLifted *
acc_lift_permute (AccLift  *self,
                  AccArray *node)
{
  gboolean depends = acc_lift_depends (self, node->functions[0]);
  AccLifted *filtered = lift_filter (self, node);
  AccLifted *source, *targets;
  g_autoptr(AccLifted) defaults = NULL, own_source = NULL, own_targets = NULL;
  g_autoptr(AccArray) places = NULL, elements = NULL, old = NULL, permuted = NULL;
  AccLiftCall call = { self, node->functions[0] };
  AccArray *values;

  if (filtered != NULL)
    return filtered;

  defaults = acc_lift_to_regular (self, acc_lift_get_input (self, node, 1));
  source = acc_lift_to_regular (self, acc_lift_get_input (self, node, 0));
  targets = acc_lift_to_regular (self, acc_lift_get_input (self, node, 2));
  lay_alike (self, node, &source, &targets);
  own_source = source;
  own_targets = targets;
  places = acc_lift_zip_numbers (targets, target_of, defaults);
  elements = depends ? acc_lift_zip_numbers (source, acc_lift_number_with, NULL) : g_object_ref (source->values);
  old = depends ? acc_lift_zip_numbers (defaults, acc_lift_number_with, NULL) : g_object_ref (defaults->values);
  permuted = acc_array_permute (elements, old, places, depends ? acc_lift_combine_numbered : acc_lift_combine, &call);
  values = depends ? acc_array_unzip (permuted, 1) : g_object_ref (permuted);

  return defaults->form == ACC_LIFTED_REGULAR ? acc_lifted_new_regular (values)
                                              : acc_lifted_new_irregular (acc_nesting_ref (defaults->nesting), values);
}
