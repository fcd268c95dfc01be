/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"

/* An array for each element, in one of three forms, and how its parts are read. */

static AccLifted *
lifted_new (AccLiftedForm form,
            guint         rank,
            AccArray     *values,
            AccNesting   *nesting)
{
  AccLifted *self = g_new0 (AccLifted, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->form = form;
  self->rank = rank;
  self->values = values;
  self->nesting = nesting;

  return self;
}

AccLifted *
acc_lifted_new_constant (AccArray *array)
{
  return lifted_new (ACC_LIFTED_CONSTANT, array->rank, array, NULL);
}

AccLifted *
acc_lifted_new_regular (AccArray *values)
{
  return lifted_new (ACC_LIFTED_REGULAR, MAX (values->rank, 1) - 1, values, NULL);
}

AccLifted *
acc_lifted_new_irregular (AccNesting *nesting,
                          AccArray   *values)
{
  return lifted_new (ACC_LIFTED_IRREGULAR, nesting->rank, values, nesting);
}

AccLifted *
acc_lifted_ref (AccLifted *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
acc_lifted_unref (AccLifted *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_object_unref (self->values);
  g_clear_pointer (&self->nesting, acc_nesting_unref);
  g_free (self);
}

/* --- parts */

guint
acc_lifted_list_arrays (AccLifted *self,
                        AccArray **arrays)
{
  guint n = 0;

  arrays[n++] = self->values;
  if (self->nesting != NULL)
    arrays[n++] = self->nesting->offsets;
  if (self->nesting != NULL && self->nesting->extents != NULL)
    arrays[n++] = self->nesting->extents;

  return n;
}

void
acc_lifted_list_parts (AccLifted *self,
                       GPtrArray *parts)
{
  AccArray *arrays[3];
  guint n = acc_lifted_list_arrays (self, arrays);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (parts, g_object_ref (arrays[i]));
}

AccLifted *
acc_lifted_join_parts (AccLifted *self,
                       GPtrArray *parts,
                       guint     *next)
{
  AccArray *values = g_ptr_array_index (parts, (*next)++), *offsets, *extents = NULL;

  if (self->form != ACC_LIFTED_IRREGULAR)
    return acc_lifted_new_regular (g_object_ref (values));
  offsets = g_ptr_array_index (parts, (*next)++);
  if (self->nesting->extents != NULL)
    extents = g_object_ref (g_ptr_array_index (parts, (*next)++));

  return acc_lifted_new_irregular (acc_nesting_new (self->rank, g_object_ref (offsets), extents), g_object_ref (values));
}

GPtrArray *
acc_lifted_stand_for (GPtrArray *parts)
{
  GPtrArray *parameters = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < parts->len; i++)
    {
      AccArray *part = g_ptr_array_index (parts, i);

      g_ptr_array_add (parameters, acc_array_new_parameter (part->type, part->rank, NULL, i));
    }

  return parameters;
}

/* --- indices: an i8 for rank 1, else a tuple */

AccExpr *
acc_lift_index_item (AccExpr *index,
                     guint    rank,
                     guint    item)
{
  return rank == 1 ? index : acc_expr_item (index, item);
}

/* @kept, and drops @other. */
static AccExpr *
keep (AccExpr *kept,
      AccExpr *other)
{
  acc_expr_unref (acc_expr_ref_sink (other));

  return kept;
}

AccExpr *
acc_lift_join_index (AccExpr *k,
                     AccExpr *index,
                     guint    rank)
{
  g_autofree AccExpr **items = g_new (AccExpr *, rank + 1);
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (index);

  items[0] = k;
  for (guint i = 0; i < rank; i++)
    items[i + 1] = acc_lift_index_item (owned, rank, i);

  return acc_array_join_items (items, rank + 1);
}

/* Of @index of rank @rank + 1 the outermost item, and the others. */
AccExpr *
acc_lift_outer_index (AccExpr *index,
                      guint    rank)
{
  return acc_lift_index_item (index, rank + 1, 0);
}

AccExpr *
acc_lift_inner_index (AccExpr *index,
                      guint    rank)
{
  g_autofree AccExpr **items = g_new (AccExpr *, rank + 1);

  for (guint i = 0; i < rank; i++)
    items[i] = acc_expr_item (index, i + 1);

  return acc_array_join_items (items, rank);
}

AccExpr *
acc_lift_ravel (AccExpr *index,
                AccExpr *extents,
                guint    rank)
{
  g_autoptr(AccExpr) own_index = NULL, own_extents = NULL;
  AccExpr *place;

  if (rank == 1)
    return keep (index, extents);

  own_index = acc_expr_ref_sink (index);
  own_extents = acc_expr_ref_sink (extents);
  place = rank == 0 ? acc_array_number (0) : acc_lift_index_item (own_index, rank, 0);
  for (guint i = 1; i < rank; i++)
    place = acc_expr_add (acc_expr_mul (place, acc_lift_index_item (own_extents, rank, i)), acc_lift_index_item (own_index, rank, i));

  return place;
}

/* Extents that are 0 have no places. */
AccExpr *
acc_lift_unravel (AccExpr *place,
                  AccExpr *extents,
                  guint    rank)
{
  g_autoptr(AccExpr) rest = NULL, own_extents = NULL;
  g_autofree AccExpr **items = NULL;

  if (rank == 1)
    return keep (place, extents);

  rest = acc_expr_ref_sink (place);
  own_extents = acc_expr_ref_sink (extents);
  items = g_new (AccExpr *, rank + 1);
  for (guint i = rank; i-- > 1;)
    {
      g_autoptr(AccExpr) extent = acc_expr_ref_sink (acc_expr_max (acc_lift_index_item (own_extents, rank, i), acc_array_number (1)));
      AccExpr *quotient = acc_expr_ref_sink (acc_expr_quot (rest, extent));

      items[i] = acc_expr_rem (rest, extent);
      acc_expr_unref (g_steal_pointer (&rest));
      rest = quotient;
    }
  if (rank > 0)
    items[0] = rest;

  return acc_array_join_items (items, rank);
}

AccExpr *
acc_lift_is_inside (AccExpr *index,
                    AccExpr *extents,
                    guint    rank)
{
  g_autoptr(AccExpr) own_index = acc_expr_ref_sink (index), own_extents = acc_expr_ref_sink (extents);
  AccExpr *inside = rank == 0 ? acc_expr_new_bool (TRUE) : NULL;

  for (guint i = 0; i < rank; i++)
    {
      AccExpr *item = acc_lift_index_item (own_index, rank, i);
      AccExpr *fits = acc_expr_land (acc_expr_ge (item, acc_array_number (0)),
                                     acc_expr_lt (item, acc_lift_index_item (own_extents, rank, i)));

      inside = inside == NULL ? fits : acc_expr_land (inside, fits);
    }

  return inside;
}

AccExpr *
acc_lift_product (AccExpr *extents,
                  guint    rank)
{
  g_autoptr(AccExpr) owned = NULL;
  AccExpr *product;

  if (rank == 1)
    return extents;

  owned = acc_expr_ref_sink (extents);
  product = rank == 0 ? acc_array_number (1) : acc_lift_index_item (owned, rank, 0);
  for (guint i = 1; i < rank; i++)
    product = acc_expr_mul (product, acc_lift_index_item (owned, rank, i));

  return product;
}

/* --- reading */

AccExpr *
acc_lifted_extent (AccLifted *self,
                   AccExpr   *k,
                   guint      dimension)
{
  if (self->form == ACC_LIFTED_IRREGULAR)
    return acc_lift_index_item (acc_nesting_extents (self->nesting, k), self->rank, dimension);

  return acc_expr_extent (self->values, self->form == ACC_LIFTED_REGULAR ? dimension + 1 : dimension);
}

AccExpr *
acc_lifted_extents (AccLifted *self,
                    AccExpr   *k)
{
  g_autofree AccExpr **items = NULL;

  if (self->form == ACC_LIFTED_IRREGULAR)
    return acc_nesting_extents (self->nesting, k);

  items = g_new (AccExpr *, self->rank + 1);
  for (guint i = 0; i < self->rank; i++)
    items[i] = acc_lifted_extent (self, k, i);

  return acc_array_join_items (items, self->rank);
}

AccExpr *
acc_lifted_size (AccLifted *self,
                 AccExpr   *k)
{
  return self->form == ACC_LIFTED_IRREGULAR
         ? acc_nesting_length (self->nesting, k) : acc_lift_product (acc_lifted_extents (self, k), self->rank);
}

AccExpr *
acc_lifted_least_extents (AccLifted **lifted,
                          guint       n,
                          AccExpr    *k)
{
  guint rank = lifted[0]->rank;
  g_autofree AccExpr **items = g_new (AccExpr *, rank + 1);

  for (guint d = 0; d < rank; d++)
    {
      items[d] = acc_lifted_extent (lifted[0], k, d);
      for (guint i = 1; i < n; i++)
        items[d] = acc_expr_min (items[d], acc_lifted_extent (lifted[i], k, d));
    }

  return acc_array_join_items (items, rank);
}

/* Where place @place of element @k is among the values of all. */
static AccExpr *
find_place (AccLifted *self,
            AccExpr   *k,
            AccExpr   *place)
{
  return acc_expr_add (self->form == ACC_LIFTED_IRREGULAR ? acc_nesting_begin (self->nesting, k)
                                                          : acc_expr_mul (k, acc_lifted_size (self, k)), place);
}

AccExpr *
acc_lifted_read_inside (AccLifted *self,
                        AccExpr   *k,
                        AccExpr   *place)
{
  g_autoptr(AccExpr) owned = k != NULL ? acc_expr_ref_sink (k) : NULL;

  return acc_expr_linear_index (self->values, self->form == ACC_LIFTED_CONSTANT ? place : find_place (self, owned, place));
}

/* What is not @inside the element is outside all, which is an error. */
static AccExpr *
read_if_inside (AccLifted *self,
                AccExpr   *k,
                AccExpr   *inside,
                AccExpr   *place)
{
  return acc_expr_linear_index (self->values, acc_expr_cond (inside, find_place (self, k, place), acc_array_number (-1)));
}

AccExpr *
acc_lifted_read_linear (AccLifted *self,
                        AccExpr   *k,
                        AccExpr   *place)
{
  g_autoptr(AccExpr) own_place = acc_expr_ref_sink (place), own_k = NULL, inside = NULL;

  if (self->form == ACC_LIFTED_CONSTANT)
    return acc_expr_linear_index (self->values, own_place);

  own_k = acc_expr_ref_sink (k);
  inside = acc_expr_ref_sink (acc_expr_and_then (acc_expr_ge (own_place, acc_array_number (0)),
                                                 acc_expr_lt (own_place, acc_lifted_size (self, own_k))));

  return read_if_inside (self, own_k, inside, own_place);
}

AccExpr *
acc_lifted_read (AccLifted *self,
                 AccExpr   *k,
                 AccExpr   *index)
{
  g_autoptr(AccExpr) own_index = acc_expr_ref_sink (index), own_k = NULL, extents = NULL, inside = NULL;

  if (self->form == ACC_LIFTED_CONSTANT)
    return acc_expr_index (self->values, own_index);
  own_k = acc_expr_ref_sink (k);
  if (self->form == ACC_LIFTED_REGULAR)
    return acc_expr_index (self->values, acc_lift_join_index (own_k, own_index, self->rank));

  extents = acc_expr_ref_sink (acc_nesting_extents (self->nesting, own_k));
  inside = acc_expr_ref_sink (acc_lift_is_inside (own_index, extents, self->rank));

  return read_if_inside (self, own_k, inside, acc_lift_ravel (own_index, extents, self->rank));
}
