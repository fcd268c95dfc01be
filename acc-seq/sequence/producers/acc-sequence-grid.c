/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-grid-private.h"

#include "acc-core/base/acc-ceil-div-private.h"

#include "acc-error.h"

#include <string.h>

static gint64
count_windows (const AccSequenceGridDimension *dimension,
               gboolean                        bounded)
{
  gint64 rest = dimension->extent - dimension->size, step = dimension->step;

  if (!bounded)
    return rest < 0 ? 0 : rest / step + 1;
  if (dimension->extent == 0)
    return 0;

  /* None of them begins outside. */
  return rest <= 0 ? 1 : MIN (acc_ceil_div (rest, step), (dimension->extent - 1) / step) + 1;
}

gboolean
acc_sequence_grid_check (guint         array_rank,
                         const gint64 *sizes,
                         const gint64 *steps,
                         guint         rank,
                         AccBoundary  *boundary,
                         GError      **error)
{
  gint64 total = 1;

  if (rank == 0 || rank != array_rank)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "windows of rank %u in an array of rank %u", rank, array_rank);
      return FALSE;
    }
  for (guint i = 0; i < rank; i++)
    {
      if (sizes[i] < 1 || steps[i] < 1 || total > G_MAXINT64 / 1024 / sizes[i])
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE,
                       "windows of extent %" G_GINT64_FORMAT " with a step of %" G_GINT64_FORMAT " in dimension %u", sizes[i], steps[i], i);
          return FALSE;
        }
      total *= sizes[i];
    }
  if (boundary != NULL && acc_boundary_get_kind (boundary) == ACC_BOUNDARY_FUNCTION)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "a boundary of windows is no function");
      return FALSE;
    }

  return TRUE;
}

/* What stands for an index that is too large; -1: the constant. */
static gint64
map_index (const AccSequenceGrid *self,
           gint64                 extent,
           gint64                 index)
{
  switch (self->boundary)
    {
    case ACC_BOUNDARY_CLAMP:
      return extent - 1;
    case ACC_BOUNDARY_WRAP:
      return index % extent;
    case ACC_BOUNDARY_MIRROR:
      index = extent > 1 ? index % (2 * extent - 2) : 0;
      return index < extent ? index : 2 * extent - 2 - index;
    case ACC_BOUNDARY_CONSTANT:
    case ACC_BOUNDARY_FUNCTION:
      break;
    }

  return -1;
}

/* What of dimension 0 stands for what is behind its end. */
static void
find_behind (AccSequenceGrid *self)
{
  const AccSequenceGridDimension *outer = &self->dimensions[0];
  gint64 end = (outer->count - 1) * outer->step + outer->size;

  self->least = outer->extent;
  if (outer->count == 0)
    return;
  /* After two turns all were seen. */
  for (gint64 i = outer->extent; i < end && i - outer->extent < 2 * outer->extent; i++)
    {
      gint64 index = map_index (self, outer->extent, i);

      if (self->boundary == ACC_BOUNDARY_MIRROR)
        self->least = MIN (self->least, index);
      if (self->boundary == ACC_BOUNDARY_WRAP)
        self->head = MAX (self->head, index + 1);
    }
}

AccSequenceGrid *
acc_sequence_grid_new (AccShape     *shape,
                       const gint64 *sizes,
                       const gint64 *steps,
                       guint         rank,
                       AccBoundary  *boundary,
                       GError      **error)
{
  AccSequenceGrid *self;
  gint64 stride = 1;

  if (!acc_sequence_grid_check (acc_shape_get_rank (shape), sizes, steps, rank, boundary, error))
    return NULL;

  self = g_new0 (AccSequenceGrid, 1);
  self->rank = rank;
  self->dimensions = g_new0 (AccSequenceGridDimension, rank);
  self->bounded = boundary != NULL;
  self->boundary = boundary != NULL ? acc_boundary_get_kind (boundary) : ACC_BOUNDARY_CLAMP;
  self->window = self->count = 1;
  for (guint i = rank; i-- > 0; )
    {
      AccSequenceGridDimension *dimension = &self->dimensions[i];

      *dimension = (AccSequenceGridDimension) { MAX (acc_shape_get_extent (shape, i), 0), sizes[i], steps[i], 0, stride };
      dimension->count = count_windows (dimension, self->bounded);
      stride *= dimension->extent;
      self->window *= dimension->size;
      self->count *= dimension->count;
    }
  for (self->dense = rank - 1; self->dense > 0; self->dense--)
    if (self->dimensions[self->dense].size != self->dimensions[self->dense].extent)
      break;
  find_behind (self);

  return self;
}

void
acc_sequence_grid_free (AccSequenceGrid *self)
{
  if (self == NULL)
    return;

  g_free (self->dimensions);
  g_free (self);
}

void
acc_sequence_grid_locate (const AccSequenceGrid *self,
                          gint64                 k,
                          gint64                *starts)
{
  for (guint i = self->rank; i-- > 0; )
    {
      starts[i] = k % self->dimensions[i].count * self->dimensions[i].step;
      k /= self->dimensions[i].count;
    }
}

gboolean
acc_sequence_grid_is_dense (const AccSequenceGrid *self)
{
  const AccSequenceGridDimension *outer = &self->dimensions[0];

  return self->dense == 0 && outer->step == outer->size;
}

/* --- copying */

typedef struct {
  const AccSequenceGrid   *grid;
  const gint64            *starts;
  const AccSequenceValues *values;
} Copy;

static guint8 *
copy_run (const AccSequenceValues *values,
          gint64                   place,
          gint64                   n,
          guint8                  *to)
{
  const guint8 *from = place >= values->first ? values->data + (place - values->first) * values->size : values->head + place * values->size;

  memcpy (to, from, n * values->size);

  return to + n * values->size;
}

static guint8 *
fill_run (const AccSequenceValues *values,
          gint64                   n,
          guint8                  *to)
{
  for (; n > 0; n--, to += values->size)
    memcpy (to, values->fill, values->size);

  return to;
}

/* The part of a window from dimension @d on, in the part of the array that begins at @place. */
static guint8 *
copy_part (const Copy *self,
           guint       d,
           gint64      place,
           guint8     *to)
{
  const AccSequenceGridDimension *dimension = &self->grid->dimensions[d];
  gint64 stride = dimension->stride, start = self->starts[d], inside = MIN (dimension->size, dimension->extent - start), inner = 1;
  gboolean dense = d >= self->grid->dense;

  if (dense)
    to = copy_run (self->values, place + start * stride, inside * stride, to);
  else
    for (gint64 k = 0; k < inside; k++)
      to = copy_part (self, d + 1, place + (start + k) * stride, to);

  for (guint i = d + 1; inside < dimension->size && i < self->grid->rank; i++)
    inner *= self->grid->dimensions[i].size;
  for (gint64 k = inside; k < dimension->size; k++)
    {
      gint64 index = map_index (self->grid, dimension->extent, start + k);

      if (index < 0)
        to = fill_run (self->values, inner, to);
      else if (dense)
        to = copy_run (self->values, place + index * stride, stride, to);
      else
        to = copy_part (self, d + 1, place + index * stride, to);
    }

  return to;
}

void
acc_sequence_grid_copy (const AccSequenceGrid   *self,
                        const gint64            *starts,
                        const AccSequenceValues *values,
                        guint8                  *to)
{
  Copy copy = { self, starts, values };

  copy_part (&copy, 0, 0, to);
}
