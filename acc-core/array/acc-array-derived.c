/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"

/* What operations that are made of others share. */

AccExpr *
acc_array_number (gint64 value)
{
  return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), value);
}

AccExpr *
acc_array_join_items (AccExpr **items,
                      guint     rank)
{
  return rank == 1 ? items[0] : acc_expr_tuple (items, rank);
}

AccExpr **
acc_array_list_extents (AccArray *array)
{
  AccExpr **extents = g_new (AccExpr *, array->rank + 1);

  for (guint i = 0; i < array->rank; i++)
    extents[i] = acc_expr_extent (array, i);

  return extents;
}

AccExpr *
acc_array_index_along (AccArray *array,
                       guint     dimension,
                       AccExpr  *index,
                       AccExpr  *place)
{
  g_autofree AccExpr **items = g_new (AccExpr *, array->rank);

  for (guint i = 0; i < array->rank; i++)
    items[i] = i == dimension ? place : acc_expr_item (index, i);

  return acc_array_join_items (items, array->rank);
}

AccExpr *
acc_array_index_in_row (AccArray *array,
                        AccExpr  *index,
                        AccExpr  *place)
{
  return acc_array_index_along (array, array->rank - 1, index, place);
}

AccExpr *
acc_array_first_element (AccExpr *x,
                         AccExpr *y,
                         gpointer data)
{
  return x;
}

AccExpr *
acc_array_add_elements (AccExpr *x,
                        AccExpr *y,
                        gpointer data)
{
  return acc_expr_add (x, y);
}

AccExpr *
acc_array_max_elements (AccExpr *x,
                        AccExpr *y,
                        gpointer data)
{
  return acc_expr_max (x, y);
}

AccArray *
acc_array_refuse (AccArray  *node,
                  AccArray **second)
{
  if (second != NULL)
    *second = acc_array_complete (g_object_ref (node));

  return acc_array_complete (node);
}

AccElementType *
acc_array_float_type (AccElementType *type)
{
  AccElementKind kind = acc_element_type_get_kind (type);

  return acc_element_type_new (kind == ACC_KIND_F16 || kind == ACC_KIND_F32 ? ACC_KIND_F32 : ACC_KIND_F64);
}

AccExpr *
acc_array_outer_place (AccArray *array,
                       AccExpr  *index,
                       guint     n)
{
  AccExpr *place = acc_array_number (0);

  for (guint i = 0; i < n; i++)
    place = acc_expr_add (acc_expr_mul (place, acc_expr_extent (array, i)), acc_expr_item (index, i));

  return place;
}

AccExpr *
acc_array_mul_elements (AccExpr *x,
                        AccExpr *y,
                        gpointer data)
{
  return acc_expr_mul (x, y);
}

AccExpr *
acc_array_min_elements (AccExpr *x,
                        AccExpr *y,
                        gpointer data)
{
  return acc_expr_min (x, y);
}

AccExpr *
acc_array_same_elements (AccExpr *x,
                         AccExpr *y,
                         gpointer data)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (x), b = acc_expr_ref_sink (y);
  AccElementType *type = acc_expr_get_element_type (a);
  AccExpr *equal;

  if (type == NULL || !acc_element_type_is_tuple (type))
    {
      equal = acc_expr_eq (a, b);
      return type != NULL && acc_element_kind_is_float (acc_element_type_get_kind (type))
               ? acc_expr_lor (equal, acc_expr_land (acc_expr_is_nan (a), acc_expr_is_nan (b))) : equal;
    }

  equal = acc_expr_new_bool (TRUE);
  for (guint i = 0; i < acc_element_type_get_n_items (type); i++)
    equal = acc_expr_land (equal, acc_array_same_elements (acc_expr_item (a, i), acc_expr_item (b, i), data));

  return equal;
}

gboolean
acc_array_find_dimension (AccArray   *node,
                          AccArray   *array,
                          const char *operation,
                          gint        dimension,
                          guint      *found)
{
  gint rank = (gint) array->rank;

  *found = 0;
  if (dimension < -rank || dimension >= rank)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "%s: an array of rank %d has no dimension %d", operation, rank, dimension);

  *found = (guint) (dimension < 0 ? dimension + rank : dimension);
  return TRUE;
}

/* --- operations of two arrays that must have the same extents */

gboolean
acc_array_check_extents (AccArray   *node,
                         const char *what,
                         AccArray   *self,
                         AccArray   *other)
{
  AccShape *own = acc_array_get_shape (self), *others = acc_array_get_shape (other);

  if (other->rank != self->rank)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "%s of rank %u for an array of rank %u", what, other->rank, self->rank);
  if (own != NULL && others != NULL && !acc_shape_equal (own, others))
    {
      g_autofree char *wanted = acc_shape_to_string (own), *given = acc_shape_to_string (others);

      return acc_array_fail (node, ACC_ERROR_SHAPE, "%s of %s for an array of %s", what, given, wanted);
    }

  return TRUE;
}

typedef struct {
  AccArray *array, *other;
} Match;

/* Nowhere, where the extents turn out to be others: that is an error when run. */
static AccExpr *
matching_index (AccExpr *index,
                gpointer data)
{
  const Match *match = data;
  guint rank = match->array->rank;
  g_autofree AccExpr **items = g_new (AccExpr *, rank);

  for (guint i = 0; i < rank; i++)
    items[i] = acc_expr_cond (acc_expr_eq (acc_expr_extent (match->array, i), acc_expr_extent (match->other, i)), acc_expr_item (index, i),
                              acc_array_number (-1));

  return acc_array_join_items (items, rank);
}

/* What @array has the extents of, as it was made of that element by element. */
static AccArray *
find_origin (AccArray *array)
{
  while (array->op == ACC_OP_MAP || array->op == ACC_OP_IMAP || array->op == ACC_OP_UNZIP || array->op == ACC_OP_COMPUTE)
    array = array->inputs[0];

  return array;
}

AccArray *
acc_array_match_extents (AccArray *self,
                         AccArray *other)
{
  Match match = { self, other };
  g_autofree AccExpr **extents = NULL;

  if ((acc_array_get_shape (self) != NULL && acc_array_get_shape (other) != NULL) || find_origin (self) == find_origin (other))
    return g_object_ref (other);

  extents = acc_array_list_extents (self);
  return acc_array_backpermute_expr (other, acc_array_join_items (extents, self->rank), matching_index, &match);
}
