/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-scan.h"
#include "acc-core/expr/acc-numbering-private.h"

/* Making arrays for elements from what is said of each: nestings, generation, conversion, selection and merging. */

typedef struct {
  AccLift       *lift;
  guint          rank;
  AccLiftExtents extents;
  AccLiftElement element;
  AccNesting    *nesting;
  gpointer       data;
} Making;

/* --- nestings */

static AccExpr *
extents_of_number (AccExpr *k,
                   gpointer data)
{
  Making *self = data;
  g_autoptr(AccExpr) extents = acc_expr_ref_sink (self->extents (self->lift, k, self->data));
  g_autofree AccExpr **items = g_new (AccExpr *, self->rank + 1);

  for (guint i = 0; i < self->rank; i++)
    items[i] = acc_expr_max (acc_lift_index_item (extents, self->rank, i), acc_array_number (0));

  return acc_array_join_items (items, self->rank);
}

static AccExpr *
product_of_extents (AccExpr *extents,
                    gpointer data)
{
  return acc_lift_product (extents, GPOINTER_TO_UINT (data));
}

AccNesting *
acc_lift_new_nesting (AccLift       *self,
                      guint          rank,
                      AccLiftExtents extents,
                      gpointer       data)
{
  Making making = { self, rank, extents, .data = data };
  g_autoptr(AccArray) each = acc_array_generate_expr (acc_lift_count (self), extents_of_number, &making);
  g_autoptr(AccArray) lengths = rank == 1 ? g_object_ref (each) : acc_array_map (each, product_of_extents, GUINT_TO_POINTER (rank));

  return acc_nesting_new (rank, acc_array_scanl (lengths, acc_array_number (0), acc_array_add_elements, NULL),
                          rank == 1 ? NULL : g_object_ref (each));
}

/* --- what must hold */

typedef struct {
  AccLift      *lift;
  AccLiftDemand holds;
  gpointer      data;
} Demand;

/* The number of element @k of the frame @lift among all. */
static AccExpr *
number_among_all (AccLift *lift,
                  AccExpr *k)
{
  for (; lift != NULL; lift = lift->parent)
    if (lift->selection != NULL)
      k = acc_expr_linear_index (lift->selection, k);

  return k;
}

/* What acc_array_reshape_expr() refuses for element @k, or, in steps, which have other numbers, for any. */
static AccExpr *
refused_extent (AccExpr *k,
                gpointer data)
{
  Demand *self = data;
  AccExpr *refused = self->lift->in_steps
                     ? acc_array_number (ACC_REFUSED_ELEMENT)
                     : acc_expr_add (number_among_all (self->lift, k), acc_array_number (ACC_REFUSED_ELEMENTS));

  return acc_expr_cond (self->holds (self->lift, k, self->data), acc_array_number (0), refused);
}

AccArray *
acc_lift_demand (AccLift      *self,
                 AccArray     *values,
                 AccLiftDemand holds,
                 gpointer      data,
                 AccArray     *node,
                 const char   *what)
{
  gboolean is_named = node->label != NULL && strstr (node->label, ACC_REFUSED_NUMBER) == NULL;
  g_autofree char *label = is_named ? g_strdup_printf ("%s: %s", node->label, what) : g_strdup (what);
  Demand demand = { self, holds, data };
  g_autoptr(AccArray) refused = acc_array_generate_expr (acc_lift_count (self), refused_extent, &demand);
  g_autoptr(AccArray) first = acc_array_fold_all (refused, acc_array_number (0), acc_array_min_elements, NULL);
  g_autoptr(AccExpr) extent = acc_expr_ref_sink (acc_expr_the (first));
  AccArray *checked = acc_array_reshape_expr (values, acc_expr_cond (acc_expr_lt (extent, acc_array_number (0)), extent,
                                                                     acc_expr_extent (values, 0)));

  acc_array_set_label (checked, label);

  return checked;
}

/* --- generation */

static AccExpr *
element_at_place (AccExpr *place,
                  AccExpr *number,
                  gpointer data)
{
  Making *self = data;
  AccNesting *nesting = self->nesting;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (number);
  AccExpr *inner = acc_expr_sub (place, acc_nesting_begin (nesting, k));
  g_autoptr(AccExpr) index = acc_expr_ref_sink (acc_lift_unravel (inner, acc_nesting_extents (nesting, k), nesting->rank));

  return self->element (self->lift, k, index, self->data);
}

AccLifted *
acc_lift_make (AccLift       *self,
               AccNesting    *nesting,
               AccLiftElement element,
               gpointer       data)
{
  Making making = { self, .element = element, .nesting = nesting, .data = data };
  AccArray *values = acc_array_imap (acc_nesting_get_numbers (nesting), element_at_place, &making);

  return acc_lifted_new_irregular (acc_nesting_ref (nesting), values);
}

static AccExpr *
element_at_index (AccExpr *index,
                  gpointer data)
{
  Making *self = data;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_lift_outer_index (index, self->rank));
  g_autoptr(AccExpr) inner = acc_expr_ref_sink (acc_lift_inner_index (index, self->rank));

  return self->element (self->lift, k, inner, self->data);
}

AccLifted *
acc_lift_make_regular (AccLift       *self,
                       guint          rank,
                       AccLiftExtents extents,
                       AccLiftElement element,
                       gpointer       data)
{
  Making making = { self, rank, .element = element, .data = data };
  AccExpr *inner = rank == 0 ? acc_expr_tuple (NULL, 0) : extents (self, NULL, data);

  return acc_lifted_new_regular (acc_array_generate_expr (acc_lift_join_index (acc_lift_count (self), inner, rank), element_at_index,
                                                          &making));
}

/* --- other forms of the same */

static AccExpr *
extents_of_lifted (AccLift *self,
                   AccExpr *k,
                   gpointer data)
{
  return acc_lifted_extents (data, k);
}

AccExpr *
acc_lift_element_of_lifted (AccLift *self,
                            AccExpr *k,
                            AccExpr *index,
                            gpointer lifted)
{
  return acc_lifted_read (lifted, k, index);
}

AccLifted *
acc_lift_to_regular (AccLift   *self,
                     AccLifted *lifted)
{
  g_autofree AccExpr **entries = NULL;

  if (lifted->form != ACC_LIFTED_CONSTANT)
    return acc_lifted_ref (lifted);

  entries = g_new (AccExpr *, lifted->rank + 1);
  entries[0] = acc_lift_count (self);
  for (guint i = 0; i < lifted->rank; i++)
    entries[i + 1] = acc_array_number (ACC_ALL);

  return acc_lifted_new_regular (acc_array_replicate_expr (lifted->values, entries, lifted->rank + 1));
}

AccLifted *
acc_lift_to_irregular (AccLift   *self,
                       AccLifted *lifted)
{
  g_autoptr(AccNesting) nesting = NULL;

  if (lifted->form == ACC_LIFTED_IRREGULAR || lifted->rank == 0)
    return acc_lift_to_regular (self, lifted);

  nesting = acc_lift_new_nesting (self, lifted->rank, extents_of_lifted, lifted);
  /* The values of equal elements lie as those of any others do. */
  if (lifted->form == ACC_LIFTED_REGULAR)
    return acc_lifted_new_irregular (g_steal_pointer (&nesting), acc_array_flatten (lifted->values));

  return acc_lift_make (self, nesting, acc_lift_element_of_lifted, lifted);
}

/* --- some of the elements */

typedef struct {
  AccLifted *lifted;
  AccArray  *selection;
} Gathering;

static AccExpr *
selected (Gathering *self,
          AccExpr   *k)
{
  return k != NULL ? acc_expr_linear_index (self->selection, k) : NULL;
}

static AccExpr *
gathered_extents (AccLift *self,
                  AccExpr *k,
                  gpointer data)
{
  Gathering *gathering = data;

  return acc_lifted_extents (gathering->lifted, selected (gathering, k));
}

static AccExpr *
gathered_element (AccLift *self,
                  AccExpr *k,
                  AccExpr *index,
                  gpointer data)
{
  Gathering *gathering = data;

  return acc_lifted_read (gathering->lifted, selected (gathering, k), index);
}

AccLifted *
acc_lift_gather (AccLift   *self,
                 AccLifted *lifted,
                 AccArray  *selection)
{
  Gathering gathering = { lifted, selection };
  g_autoptr(AccNesting) nesting = NULL;

  if (lifted->form == ACC_LIFTED_CONSTANT)
    return acc_lifted_ref (lifted);
  if (lifted->form == ACC_LIFTED_REGULAR)
    return acc_lift_make_regular (self, lifted->rank, gathered_extents, gathered_element, &gathering);

  nesting = acc_lift_new_nesting (self, lifted->rank, gathered_extents, &gathering);

  return acc_lift_make (self, nesting, gathered_element, &gathering);
}

/* --- elements of two */

typedef struct {
  AccLifted *first, *second;
  AccArray  *places, *second_places;
} Merging;

static AccExpr *
second_place (Merging *self,
              AccExpr *k)
{
  return self->second_places != NULL ? acc_expr_linear_index (self->second_places, k) : k;
}

static AccExpr *
merged_extents (AccLift *lift,
                AccExpr *k,
                gpointer data)
{
  Merging *self = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_linear_index (self->places, k));

  return acc_expr_cond (acc_expr_ge (place, acc_array_number (0)), acc_lifted_extents (self->first, place),
                        acc_lifted_extents (self->second, second_place (self, k)));
}

static AccExpr *
merged_element (AccLift *lift,
                AccExpr *k,
                AccExpr *index,
                gpointer data)
{
  Merging *self = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_linear_index (self->places, k));

  return acc_expr_cond (acc_expr_ge (place, acc_array_number (0)), acc_lifted_read (self->first, place, index),
                        acc_lifted_read (self->second, second_place (self, k), index));
}

AccLifted *
acc_lift_merge (AccLift   *self,
                AccLifted *first,
                AccArray  *places,
                AccLifted *second,
                AccArray  *second_places)
{
  Merging merging = { first, second, places, second_places };
  g_autoptr(AccNesting) nesting = NULL;

  if (first->rank == 0)
    return acc_lift_make_regular (self, 0, NULL, merged_element, &merging);

  nesting = acc_lift_new_nesting (self, first->rank, merged_extents, &merging);

  return acc_lift_make (self, nesting, merged_element, &merging);
}
