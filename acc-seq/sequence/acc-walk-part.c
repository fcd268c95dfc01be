/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-part-private.h"

#include <string.h>

/* --- manifest arrays */

gint64
acc_walk_count_bytes (AccShape       *shape,
                      AccElementType *type)
{
  gint64 bytes;

  return __builtin_mul_overflow (acc_shape_get_size (shape), (gint64) acc_element_type_get_size (type), &bytes) ? G_MAXINT64 : bytes;
}

AccArray *
acc_walk_join_rows (AccArray **arrays,
                    guint      n_arrays,
                    AccBudget *budget,
                    GError   **error)
{
  g_autoptr(AccShape) shape = NULL;
  gint64 count = 0;

  if (n_arrays == 1)
    return g_object_ref (arrays[0]);

  for (guint i = 0; i < n_arrays; i++)
    count += acc_shape_get_extent (arrays[i]->shape, 0);
  shape = acc_nested_array_shape_rows (arrays[0], count);

  return acc_nested_array_join_values (arrays, n_arrays, shape, budget, error);
}

const gint64 *
acc_walk_map_numbers (AccArray *array,
                      GError  **error)
{
  return acc_buffer_map (acc_array_get_buffers (array)[0], error);
}

AccArray *
acc_walk_new_number (gint64 number)
{
  g_autoptr(AccShape) shape = acc_shape_new_scalar ();
  gint64 *copy = g_memdup2 (&number, sizeof number);
  AccBuffer *buffer = acc_buffer_new (copy, sizeof number, g_free, copy);

  return acc_array_new_manifest (acc_element_type_new (ACC_KIND_I64), shape, &buffer);
}

/* --- parts */

AccWalkPart *
acc_walk_part_new (AccNestedArray *nested,
                   gint64          count)
{
  AccWalkPart *self = g_new0 (AccWalkPart, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->nested = nested;
  self->count = count;

  return self;
}

AccWalkPart *
acc_walk_part_ref (AccWalkPart *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
acc_walk_part_unref (AccWalkPart *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_object_unref (self->nested);
  g_free (self);
}

AccWalkPart *
acc_walk_part_new_regular (AccArray *values)
{
  return acc_walk_part_new (acc_nested_array_new_from_regular (values), acc_shape_get_extent (values->shape, 0));
}

/* An array with as many in its outermost dimension, of which nothing is computed. */
AccArray *
acc_walk_new_count (gint64 count)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (count);

  return acc_array_fill (shape, acc_expr_new_bool (FALSE));
}

AccWalkPart *
acc_walk_part_new_irregular (guint     rank,
                             AccArray *values,
                             AccArray *offsets,
                             AccArray *extents)
{
  gint64 count = acc_shape_get_extent (offsets->shape, 0) - 1;
  AccNesting *nesting = acc_nesting_new (rank, offsets, extents);

  return acc_walk_part_new (acc_nested_array_new_for_lifted (acc_lifted_new_irregular (nesting, values), acc_walk_new_count (count)),
                            count);
}

AccWalkPart *
acc_walk_part_new_constant (AccArray *value,
                            gint64    count)
{
  return acc_walk_part_new (acc_nested_array_new_for_lifted (acc_lifted_new_constant (g_object_ref (value)), acc_walk_new_count (count)),
                            count);
}

AccNestedArray *
acc_walk_dup_counted (AccNestedArray *nested)
{
  AccNestedArray *inner = acc_nested_array_get_inner (nested);
  g_autoptr(AccLift) lift = NULL;
  g_autoptr(AccLifted) regular = NULL;

  if (acc_nested_array_get_form (nested) != ACC_NESTED_FORM_CONSTANT)
    return g_object_ref (nested);
  if (inner != NULL)
    return acc_nested_array_new_for_groups (acc_walk_dup_counted (inner), g_object_ref (acc_nested_array_get_groups (nested)));
  lift = acc_lift_new (acc_nested_array_get_count (nested));
  regular = acc_lift_to_regular (lift, acc_nested_array_get_lifted (nested));

  return acc_nested_array_new_from_regular (regular->values);
}

AccNestedArray *
acc_walk_dup_loose (AccNestedArray *nested)
{
  AccNestedArray *inner = acc_nested_array_get_inner (nested);
  AccArray *count = acc_nested_array_get_count (nested);
  g_autoptr(AccLift) lift = NULL;

  if (inner != NULL)
    return acc_nested_array_new_for_groups (acc_walk_dup_loose (inner), g_object_ref (acc_nested_array_get_groups (nested)));
  lift = acc_lift_new (count);

  return acc_nested_array_new_for_lifted (acc_lift_to_irregular (lift, acc_nested_array_get_lifted (nested)), g_object_ref (count));
}

GPtrArray *
acc_walk_part_list_arrays (AccNestedArray *nested)
{
  GPtrArray *arrays = g_ptr_array_new ();
  AccArray *list[3];
  guint n = acc_lifted_list_arrays (acc_nested_array_get_lifted (nested), list);

  for (; acc_nested_array_get_inner (nested) != NULL; nested = acc_nested_array_get_inner (nested))
    g_ptr_array_add (arrays, acc_nested_array_get_groups (nested));
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (arrays, list[i]);

  return arrays;
}

AccWalkForm
acc_walk_part_get_form (AccNestedArray *nested)
{
  AccLifted *lifted = acc_nested_array_get_lifted (nested);

  return (AccWalkForm) { lifted->form, lifted->rank, acc_nested_array_get_depth (nested),
                         lifted->form == ACC_LIFTED_IRREGULAR && lifted->nesting->extents != NULL };
}

guint
acc_walk_form_count_arrays (const AccWalkForm *form)
{
  return form->depth - 1 + (form->form == ACC_LIFTED_IRREGULAR ? 2u + (guint) form->has_extents : 1);
}

/* Takes over @groups: @inner from one to the next. */
static AccWalkPart *
new_groups (AccWalkPart *inner,
            AccArray    *groups)
{
  return acc_walk_part_new (acc_nested_array_new_for_groups (g_object_ref (inner->nested), groups),
                            acc_shape_get_extent (groups->shape, 0) - 1);
}

AccWalkPart *
acc_walk_part_new_of_form (const AccWalkForm *form,
                           AccArray         **computed,
                           gint64             count)
{
  AccWalkForm inner = *form;

  if (form->depth > 1)
    {
      g_autoptr(AccWalkPart) elements = NULL;

      inner.depth--;
      elements = acc_walk_part_new_of_form (&inner, computed + 1, 0);

      return new_groups (elements, g_object_ref (computed[0]));
    }

  switch (form->form)
    {
    case ACC_LIFTED_CONSTANT:
      return acc_walk_part_new_constant (computed[0], count);
    case ACC_LIFTED_REGULAR:
      return acc_walk_part_new_regular (computed[0]);
    case ACC_LIFTED_IRREGULAR:
      break;
    }

  return acc_walk_part_new_irregular (form->rank, g_object_ref (computed[0]), g_object_ref (computed[1]),
                                      form->has_extents ? g_object_ref (computed[2]) : NULL);
}

AccWalkPart *
acc_walk_part_new_computed (AccNestedArray *nested,
                            AccArray      **computed,
                            gint64          count)
{
  AccWalkForm form = acc_walk_part_get_form (nested);

  return acc_walk_part_new_of_form (&form, computed, count);
}

/* @count + 1 of @offsets, from 0 on. */
static AccArray *
rebase (const gint64 *offsets,
        gint64        count)
{
  gint64 *others = g_new (gint64, count + 1);

  for (gint64 i = 0; i <= count; i++)
    others[i] = offsets[i] - offsets[0];

  return acc_nested_array_use_numbers (others, count + 1);
}

static AccWalkPart *
slice_irregular (AccLifted *lifted,
                 gint64     start,
                 gint64     count,
                 GError   **error)
{
  const gint64 *offsets = acc_walk_map_numbers (lifted->nesting->offsets, error);
  g_autoptr(AccArray) values = NULL, extents = NULL;

  if (offsets == NULL)
    return NULL;

  values = acc_nested_array_share_rows (lifted->values, offsets[start], offsets[start + count] - offsets[start], NULL, error);
  if (values == NULL)
    return NULL;
  if (lifted->nesting->extents != NULL
      && (extents = acc_nested_array_share_rows (lifted->nesting->extents, start, count, NULL, error)) == NULL)
    return NULL;

  return acc_walk_part_new_irregular (lifted->rank, g_steal_pointer (&values), rebase (offsets + start, count),
                                      g_steal_pointer (&extents));
}

AccWalkPart *
acc_walk_part_open (AccWalkPart *self,
                    GError     **error)
{
  const gint64 *groups = acc_walk_map_numbers (acc_nested_array_get_groups (self->nested), error);

  return groups != NULL ? acc_walk_part_new (g_object_ref (acc_nested_array_get_inner (self->nested)), groups[self->count]) : NULL;
}

static AccWalkPart *
slice_groups (AccWalkPart *self,
              gint64       start,
              gint64       count,
              GError     **error)
{
  const gint64 *groups = acc_walk_map_numbers (acc_nested_array_get_groups (self->nested), error);
  g_autoptr(AccWalkPart) inner = groups != NULL ? acc_walk_part_open (self, error) : NULL, some = NULL;

  if (inner == NULL)
    return NULL;
  some = acc_walk_part_slice (inner, groups[start], groups[start + count] - groups[start], error);

  return some != NULL ? new_groups (some, rebase (groups + start, count)) : NULL;
}

AccWalkPart *
acc_walk_part_slice (AccWalkPart *self,
                     gint64       start,
                     gint64       count,
                     GError     **error)
{
  AccLifted *lifted = acc_nested_array_get_lifted (self->nested);
  g_autoptr(AccArray) values = NULL;

  if (start == 0 && count == self->count)
    return acc_walk_part_ref (self);
  if (acc_nested_array_get_inner (self->nested) != NULL)
    return slice_groups (self, start, count, error);

  switch (lifted->form)
    {
    case ACC_LIFTED_CONSTANT:
      return acc_walk_part_new_computed (self->nested, &lifted->values, count);
    case ACC_LIFTED_REGULAR:
      values = acc_nested_array_share_rows (lifted->values, start, count, NULL, error);
      return values != NULL ? acc_walk_part_new_regular (values) : NULL;
    case ACC_LIFTED_IRREGULAR:
      break;
    }

  return slice_irregular (lifted, start, count, error);
}

AccArray *
acc_walk_part_dup_element (AccWalkPart *self,
                           gint64       index,
                           GError     **error)
{
  return acc_nested_array_take_element (self->nested, index, error);
}

/* With what is manifest of a part, and how many values each innermost element has. */
static AccNestedArray *
make_manifest (AccNestedArray *nested)
{
  AccNestedArray *inner = acc_nested_array_get_inner (nested);
  AccLifted *lifted = acc_nested_array_get_lifted (nested);

  if (inner != NULL)
    return acc_nested_array_new_for_groups (make_manifest (inner), g_object_ref (acc_nested_array_get_groups (nested)));
  if (lifted->form != ACC_LIFTED_IRREGULAR)
    return g_object_ref (nested);

  return acc_nested_array_new_for_lifted (acc_lifted_ref (lifted), acc_nested_array_use_lengths (lifted->nesting->offsets));
}

AccNestedArray *
acc_walk_part_dup_nested (AccWalkPart *self,
                          gint64       index,
                          GError     **error)
{
  g_autoptr(AccWalkPart) one = acc_walk_part_slice (self, index, 1, error);

  return one != NULL ? make_manifest (acc_nested_array_get_inner (one->nested)) : NULL;
}

gint64
acc_walk_part_n_values (AccWalkPart *self)
{
  AccLifted *lifted = acc_nested_array_get_lifted (self->nested);
  gint64 n;

  if (lifted->values->shape == NULL)
    return 0;

  n = acc_shape_get_size (lifted->values->shape);

  return lifted->form == ACC_LIFTED_CONSTANT ? n * self->count : n;
}

/* Where values of element @k begin among those of all; -1: an error. */
static gint64
find_values (AccNestedArray *nested,
             gint64          k,
             GError        **error)
{
  AccLifted *lifted = acc_nested_array_get_lifted (nested);
  const gint64 *offsets;

  for (; acc_nested_array_get_inner (nested) != NULL; nested = acc_nested_array_get_inner (nested))
    {
      offsets = acc_walk_map_numbers (acc_nested_array_get_groups (nested), error);
      if (offsets == NULL)
        return -1;
      k = offsets[k];
    }
  if (lifted->form == ACC_LIFTED_REGULAR)
    return acc_shape_get_size (lifted->values->shape) / MAX (acc_shape_get_extent (lifted->values->shape, 0), 1) * k;
  offsets = acc_walk_map_numbers (lifted->nesting->offsets, error);

  return offsets != NULL ? offsets[k] : -1;
}

gint64
acc_walk_part_count_within (AccWalkPart *self,
                            gint64       values,
                            GError     **error)
{
  AccLifted *lifted = acc_nested_array_get_lifted (self->nested);
  gint64 low = 1, high = self->count;

  if (lifted->form == ACC_LIFTED_CONSTANT || lifted->values->shape == NULL)
    return self->count;
  while (low < high)
    {
      gint64 middle = low + (high - low + 1) / 2, end = find_values (self->nested, middle, error);

      if (end < 0)
        return 0;
      if (end <= values)
        low = middle;
      else
        high = middle - 1;
    }

  return low;
}

/* --- joining */

static gboolean
same_extents (AccWalkPart *a,
              AccWalkPart *b)
{
  guint rank = acc_nested_array_get_rank (a->nested);
  g_autofree gint64 *first = g_new0 (gint64, 2 * rank + 1);

  return acc_nested_array_read_extents (a->nested, 0, first, NULL) && acc_nested_array_read_extents (b->nested, 0, first + rank, NULL)
         && memcmp (first, first + rank, rank * sizeof (gint64)) == 0;
}

/* Those of the outermost level. */
static AccArray *
join_offsets (GPtrArray *parts,
              GError   **error)
{
  g_autofree gint64 *all = NULL;
  gint64 count = 0, k = 0, base = 0;

  for (guint i = 0; i < parts->len; i++)
    count += ((AccWalkPart *) g_ptr_array_index (parts, i))->count;
  all = g_new (gint64, count + 1);
  for (guint i = 0; i < parts->len; i++)
    {
      AccWalkPart *part = g_ptr_array_index (parts, i);
      const gint64 *offsets = acc_walk_map_numbers (acc_nested_array_get_offsets (part->nested), error);

      if (offsets == NULL)
        return NULL;
      for (gint64 j = 0; j < part->count; j++)
        all[k++] = base + offsets[j];
      base += offsets[part->count];
    }
  all[k] = base;

  return acc_nested_array_use_numbers (g_steal_pointer (&all), count + 1);
}

static AccArray *
join_arrays (GPtrArray *parts,
             gboolean   extents,
             AccBudget *budget,
             GError   **error)
{
  g_autofree AccArray **all = g_new (AccArray *, parts->len);

  for (guint i = 0; i < parts->len; i++)
    {
      AccLifted *lifted = acc_nested_array_get_lifted (((AccWalkPart *) g_ptr_array_index (parts, i))->nested);

      all[i] = extents ? lifted->nesting->extents : lifted->values;
    }

  return acc_walk_join_rows (all, parts->len, budget, error);
}

static AccWalkPart *
join_irregular (GPtrArray *parts,
                AccBudget *budget,
                GError   **error)
{
  AccLifted *first = acc_nested_array_get_lifted (((AccWalkPart *) g_ptr_array_index (parts, 0))->nested);
  g_autoptr(AccArray) offsets = join_offsets (parts, error), values = NULL, extents = NULL;

  if (offsets == NULL || (values = join_arrays (parts, FALSE, budget, error)) == NULL)
    return NULL;
  if (first->nesting->extents != NULL && (extents = join_arrays (parts, TRUE, budget, error)) == NULL)
    return NULL;

  return acc_walk_part_new_irregular (first->rank, g_steal_pointer (&values), g_steal_pointer (&offsets), g_steal_pointer (&extents));
}

/* Parts of one form: regular ones of the same extents, or irregular ones. */
static GPtrArray *
unify (GPtrArray *parts,
       AccBudget *budget,
       gboolean  *regular,
       GError   **error)
{
  g_autoptr(GPtrArray) others = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref);

  *regular = TRUE;
  for (guint i = 0; i < parts->len; i++)
    {
      AccWalkPart *part = g_ptr_array_index (parts, i);
      AccLiftedForm form = acc_nested_array_get_lifted (part->nested)->form;
      AccWalkPart *other = acc_walk_part_repeat (part, budget, error);

      if (other == NULL)
        return NULL;
      g_ptr_array_add (others, other);
      *regular = *regular && form != ACC_LIFTED_IRREGULAR && same_extents (g_ptr_array_index (others, 0), other);
    }

  for (guint i = 0; i < others->len && !*regular; i++)
    {
      AccWalkPart *part = g_ptr_array_index (others, i);
      AccWalkPart *other = acc_walk_part_loosen (part, budget, error);

      if (other == NULL)
        return NULL;
      acc_walk_part_unref (part);
      others->pdata[i] = other;
    }

  return g_steal_pointer (&others);
}

static AccWalkPart *
join_groups (GPtrArray *parts,
             AccBudget *budget,
             GError   **error)
{
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref);
  g_autoptr(AccWalkPart) joined = NULL;
  AccArray *groups;

  for (guint i = 0; i < parts->len; i++)
    {
      AccWalkPart *inner = acc_walk_part_open (g_ptr_array_index (parts, i), error);

      if (inner == NULL)
        return NULL;
      /* What has no elements says nothing of their form. */
      if (inner->count > 0 || (elements->len == 0 && i == parts->len - 1))
        g_ptr_array_add (elements, inner);
      else
        acc_walk_part_unref (inner);
    }
  joined = acc_walk_part_join (elements, budget, error);
  groups = joined != NULL ? join_offsets (parts, error) : NULL;

  return groups != NULL ? new_groups (joined, groups) : NULL;
}

AccWalkPart *
acc_walk_part_join (GPtrArray *parts,
                    AccBudget *budget,
                    GError   **error)
{
  g_autoptr(GPtrArray) others = NULL;
  g_autoptr(AccArray) values = NULL;
  gboolean regular;

  if (parts->len == 1)
    return acc_walk_part_ref (g_ptr_array_index (parts, 0));
  if (acc_nested_array_get_inner (((AccWalkPart *) g_ptr_array_index (parts, 0))->nested) != NULL)
    return join_groups (parts, budget, error);

  others = unify (parts, budget, &regular, error);
  if (others == NULL)
    return NULL;

  if (!regular)
    return join_irregular (others, budget, error);

  values = join_arrays (others, FALSE, budget, error);

  return values != NULL ? acc_walk_part_new_regular (values) : NULL;
}
