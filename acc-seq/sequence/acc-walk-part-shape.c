/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-part-private.h"

#include "acc-core/array/acc-array-values-private.h"
#include "acc-core/base/acc-shape-private.h"
#include "acc-error.h"
#include "acc-seq/sequence/producers/acc-sequence-chunk-private.h"
#include "acc-seq/stream/acc-memory-source-private.h"

#include <string.h>

/* Parts of sequences in other shapes. */

/* @n and extents of @shape, from dimension @from on. */
static AccShape *
prepend (const gint64 *outer,
         guint         n_outer,
         AccShape     *shape,
         guint         from)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);
  g_autofree gint64 *all = g_new (gint64, n_outer + rank - from + 1);

  if (n_outer > 0)
    memcpy (all, outer, n_outer * sizeof (gint64));
  memcpy (all + n_outer, extents + from, (rank - from) * sizeof (gint64));

  return acc_shape_new (all, n_outer + rank - from);
}

static guint64 nothing[8];

AccWalkPart *
acc_walk_part_new_empty (AccElementType *type,
                         guint           rank,
                         AccShape       *shape,
                         guint           depth)
{
  g_autofree gint64 *extents = g_new0 (gint64, rank + 2);
  g_autofree AccBuffer **buffers = g_new0 (AccBuffer *, acc_element_type_get_n_buffers (type) + 1);
  g_autoptr(AccShape) whole = NULL;
  g_autoptr(AccArray) values = NULL;
  AccNestedArray *nested;

  for (guint i = 0; i < rank && shape != NULL; i++)
    extents[i + 1] = acc_shape_get_extent (shape, i);
  whole = acc_shape_new (extents, rank + 1);
  for (guint i = 0; i < acc_element_type_get_n_buffers (type); i++)
    buffers[i] = acc_buffer_new (nothing, 0, NULL, NULL);
  values = acc_array_new_manifest (type, whole, buffers);
  nested = acc_nested_array_new_from_regular (values);
  for (; depth > 1; depth--)
    nested = acc_nested_array_new_for_groups (nested, acc_nested_array_use_numbers (g_new0 (gint64, 1), 1));

  return acc_walk_part_new (nested, 0);
}

AccWalkPart *
acc_walk_part_repeat (AccWalkPart *self,
                      AccBudget   *budget,
                      GError     **error)
{
  AccLifted *lifted = acc_nested_array_get_lifted (self->nested);
  g_autofree AccArray **all = NULL;
  g_autoptr(AccArray) row = NULL, values = NULL;
  g_autoptr(AccShape) shape = NULL;

  if (lifted->form != ACC_LIFTED_CONSTANT)
    return acc_walk_part_ref (self);
  if (self->count == 0)
    return acc_walk_part_new_empty (lifted->values->type, lifted->rank, lifted->values->shape, 1);

  shape = acc_shape_new_rows (1, lifted->values->shape);
  row = acc_array_see_as (lifted->values, shape);
  all = g_new (AccArray *, self->count);
  for (gint64 i = 0; i < self->count; i++)
    all[i] = row;
  values = acc_walk_join_rows (all, (guint) self->count, budget, error);

  return values != NULL ? acc_walk_part_new_regular (values) : NULL;
}

AccWalkPart *
acc_walk_part_loosen (AccWalkPart *self,
                      AccBudget   *budget,
                      GError     **error)
{
  g_autoptr(AccWalkPart) repeated = acc_walk_part_repeat (self, budget, error);
  AccNestedArray *nested;

  if (repeated == NULL || acc_nested_array_get_form (repeated->nested) == ACC_NESTED_FORM_IRREGULAR)
    return g_steal_pointer (&repeated);

  nested = acc_sequence_chunk_make_irregular (repeated->nested, error);

  return nested != NULL ? acc_walk_part_new (nested, self->count) : NULL;
}

static AccNestedArray *
replace_values (AccNestedArray *nested,
                AccArray       *values)
{
  AccNestedArray *inner = acc_nested_array_get_inner (nested);
  AccLifted *lifted = acc_nested_array_get_lifted (nested), *others = NULL;

  if (inner != NULL)
    return acc_nested_array_new_for_groups (replace_values (inner, values), g_object_ref (acc_nested_array_get_groups (nested)));

  switch (lifted->form)
    {
    case ACC_LIFTED_CONSTANT:
      others = acc_lifted_new_constant (g_object_ref (values));
      break;
    case ACC_LIFTED_REGULAR:
      others = acc_lifted_new_regular (g_object_ref (values));
      break;
    case ACC_LIFTED_IRREGULAR:
      others = acc_lifted_new_irregular (acc_nesting_ref (lifted->nesting), g_object_ref (values));
      break;
    }

  return acc_nested_array_new_for_lifted (others, g_object_ref (acc_nested_array_get_count (nested)));
}

AccWalkPart *
acc_walk_part_with_values (AccWalkPart *self,
                           AccArray    *values)
{
  return acc_walk_part_new (replace_values (self->nested, values), self->count);
}

AccWalkPart *
acc_walk_part_by_rows (AccWalkPart *self)
{
  AccArray *values = acc_nested_array_get_lifted (self->nested)->values;
  g_autoptr(AccArray) rows = values->rank > 0 ? acc_memory_source_new_rows (values) : NULL;

  return rows != NULL ? acc_walk_part_with_values (self, rows) : NULL;
}

AccWalkPart *
acc_walk_part_wrap (AccWalkPart *self)
{
  gint64 *groups = g_new0 (gint64, 2);

  groups[1] = self->count;

  return acc_walk_part_new (acc_nested_array_new_for_groups (g_object_ref (self->nested), acc_nested_array_use_numbers (groups, 2)), 1);
}

AccWalkPart *
acc_walk_part_nest (AccWalkPart *self,
                    gint64       size,
                    AccBudget   *budget,
                    GError     **error)
{
  g_autoptr(AccWalkPart) repeated = acc_walk_part_repeat (self, budget, error);
  gint64 n = self->count / size, *groups;

  if (repeated == NULL)
    return NULL;
  groups = g_new (gint64, n + 1);
  for (gint64 i = 0; i <= n; i++)
    groups[i] = i * size;

  return acc_walk_part_new (acc_nested_array_new_for_groups (g_object_ref (repeated->nested), acc_nested_array_use_numbers (groups, n + 1)),
                            n);
}

AccArray *
acc_walk_part_flatten (AccWalkPart *self,
                       AccBudget   *budget,
                       GError     **error)
{
  g_autoptr(AccWalkPart) repeated = acc_walk_part_repeat (self, budget, error);
  g_autoptr(AccShape) flat = NULL;
  AccArray *values;

  if (repeated == NULL)
    return NULL;

  values = acc_nested_array_get_values (repeated->nested);
  flat = acc_shape_new_vector (acc_shape_get_size (values->shape));

  return acc_array_see_as (values, flat);
}

/* @extents: as many as @before has. */
static gboolean
check_extents (gint64        number,
               const gint64 *extents,
               AccShape     *before,
               GError      **error)
{
  guint rank;
  const gint64 *wanted = acc_shape_get_extents (before, &rank);
  g_autoptr(AccShape) shape = NULL;
  g_autofree char *those = NULL, *others = NULL;

  if (rank == 0 || memcmp (extents, wanted, rank * sizeof (gint64)) == 0)
    return TRUE;

  shape = acc_shape_new (extents, rank);
  those = acc_shape_to_string (shape);
  others = acc_shape_to_string (before);
  g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "element %" G_GINT64_FORMAT " has extents %s, those before it have %s", number, those,
               others);

  return FALSE;
}

AccWalkPart *
acc_walk_part_tighten (AccWalkPart *self,
                       gint64       first,
                       AccShape   **before,
                       AccBudget   *budget,
                       GError     **error)
{
  AccLifted *lifted = acc_nested_array_get_lifted (self->nested);
  g_autoptr(AccShape) common = before != NULL && *before != NULL ? acc_shape_ref (*before) : NULL, shape = NULL;
  g_autofree gint64 *extents = NULL;
  g_autoptr(AccArray) values = NULL;
  AccWalkPart *regular;

  if (lifted->form != ACC_LIFTED_IRREGULAR)
    {
      regular = acc_walk_part_repeat (self, budget, error);
      if (regular == NULL || self->count == 0)
        return regular;
      shape = prepend (NULL, 0, acc_nested_array_get_values (regular->nested)->shape, 1);
      if (common != NULL && !check_extents (first, acc_shape_get_extents (shape, NULL), common, error))
        g_clear_pointer (&regular, acc_walk_part_unref);
      if (before != NULL && *before == NULL)
        *before = g_steal_pointer (&shape);

      return regular;
    }

  extents = g_new0 (gint64, lifted->rank + 1);
  for (gint64 k = 0; k < self->count; k++)
    {
      if (!acc_nested_array_read_extents (self->nested, k, extents, error))
        return NULL;
      if (common == NULL)
        common = acc_shape_new (extents, lifted->rank);
      else if (!check_extents (first + k, extents, common, error))
        return NULL;
    }

  if (common == NULL)
    return acc_walk_part_new_empty (lifted->values->type, lifted->rank, NULL, 1);
  if (before != NULL && *before == NULL)
    *before = acc_shape_ref (common);
  shape = acc_shape_new_rows (self->count, common);
  values = acc_array_see_as (lifted->values, shape);

  return acc_walk_part_new_regular (values);
}

AccWalkPart *
acc_walk_part_group (AccWalkPart *self,
                     gint64       first,
                     gint64       size,
                     AccBudget   *budget,
                     GError     **error)
{
  g_autoptr(AccWalkPart) regular = acc_walk_part_tighten (self, first, NULL, budget, error);
  g_autoptr(AccShape) shape = NULL;
  g_autoptr(AccArray) values = NULL;

  if (regular == NULL)
    return NULL;

  shape = prepend ((const gint64[]) { self->count / size, size }, 2, acc_nested_array_get_values (regular->nested)->shape, 1);
  values = acc_array_see_as (acc_nested_array_get_values (regular->nested), shape);

  return acc_walk_part_new_regular (values);
}

static AccWalkPart *
ungroup_regular (AccWalkPart *self)
{
  AccArray *array = acc_nested_array_get_values (self->nested);
  gint64 rows = self->count * acc_shape_get_extent (array->shape, 1);
  g_autoptr(AccShape) shape = prepend (&rows, 1, array->shape, 2);
  g_autoptr(AccArray) values = acc_array_see_as (array, shape);

  return acc_walk_part_new_regular (values);
}

/* The extents behind the outermost one, of every row. */
static AccArray *
repeat_extents (AccLifted    *lifted,
                gint64        count,
                const gint64 *rows,
                gint64        n_rows,
                GError      **error)
{
  g_autofree AccBuffer **buffers = g_new0 (AccBuffer *, lifted->rank);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n_rows);

  for (guint i = 1; i < lifted->rank; i++)
    {
      const gint64 *numbers = acc_buffer_map (acc_array_get_buffers (lifted->nesting->extents)[i], error);
      gint64 *all = numbers != NULL ? g_new (gint64, n_rows + 1) : NULL, at = 0;

      if (numbers == NULL)
        {
          while (--i > 0)
            acc_buffer_unref (buffers[i - 1]);
          return NULL;
        }
      for (gint64 k = 0; k < count; k++)
        for (gint64 j = 0; j < rows[k]; j++)
          all[at++] = numbers[k];
      buffers[i - 1] = acc_buffer_new (all, (gsize) n_rows * sizeof (gint64), g_free, all);
    }

  return acc_array_new_manifest (acc_index_type (lifted->rank - 1), shape, buffers);
}

static AccWalkPart *
ungroup_irregular (AccWalkPart *self,
                   GError     **error)
{
  AccLifted *lifted = acc_nested_array_get_lifted (self->nested);
  const gint64 *rows = acc_buffer_map (acc_array_get_buffers (lifted->nesting->extents)[0], error);
  const gint64 *offsets = acc_walk_map_numbers (lifted->nesting->offsets, error);
  gint64 n_rows = 0, at = 0, *all;
  AccArray *extents = NULL;

  if (rows == NULL || offsets == NULL)
    return NULL;
  for (gint64 k = 0; k < self->count; k++)
    n_rows += rows[k];

  if (lifted->rank > 2 && (extents = repeat_extents (lifted, self->count, rows, n_rows, error)) == NULL)
    return NULL;
  all = g_new (gint64, n_rows + 1);
  for (gint64 k = 0; k < self->count; k++)
    for (gint64 j = 0; j < rows[k]; j++)
      all[at++] = offsets[k] + (offsets[k + 1] - offsets[k]) / rows[k] * j;
  all[at] = offsets[self->count];

  return acc_walk_part_new_irregular (lifted->rank - 1, g_object_ref (lifted->values), acc_nested_array_use_numbers (all, n_rows + 1),
                                      extents);
}

AccWalkPart *
acc_walk_part_ungroup (AccWalkPart *self,
                       AccBudget   *budget,
                       GError     **error)
{
  g_autoptr(AccWalkPart) repeated = acc_walk_part_repeat (self, budget, error);

  if (repeated == NULL)
    return NULL;
  if (acc_nested_array_get_inner (repeated->nested) != NULL)
    return acc_walk_part_open (repeated, error);
  if (acc_nested_array_get_form (repeated->nested) == ACC_NESTED_FORM_REGULAR)
    return ungroup_regular (repeated);
  if (acc_nested_array_get_rank (repeated->nested) == 1)
    return acc_walk_part_new_regular (acc_nested_array_get_values (repeated->nested));

  return ungroup_irregular (repeated, error);
}
