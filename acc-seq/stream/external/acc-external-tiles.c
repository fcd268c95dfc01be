/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-blocks-private.h"
#include "acc-external-elements-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-seq/stream/acc-plan-private.h"

#include <math.h>
#include <string.h>

/* Dimensions that change places where no row fits, before or after: tile by tile, from a store to another. */

#define PLACE(type) \
  for (gint64 c0 = 0; c0 < n; c0 += 16) \
    for (gint64 c = c0; c < MIN (c0 + 16, n); c++) \
      for (gint64 r = 0; r < m; r++) \
        ((type *) (to + (gsize) c * stride))[r] = ((const type *) from)[r * n + c]

void
acc_tiles_turn_units (guint8 *to, gsize stride, const guint8 *from, gint64 m, gint64 n, gsize unit)
{
  switch (unit)
    {
    case 1:
      PLACE (guint8);
      break;
    case 2:
      PLACE (guint16);
      break;
    case 4:
      PLACE (guint32);
      break;
    case 8:
      PLACE (guint64);
      break;
    default:
      for (gint64 c = 0; c < n; c++)
        for (gint64 r = 0; r < m; r++)
          memcpy (to + (gsize) c * stride + (gsize) r * unit, from + (gsize) (r * n + c) * unit, unit);
    }
}

typedef struct {
  const AccExternalTask *task;
  const AccTurnExtents *extents;
  AccBlocks *from, *to;
  gint64     row, n_rows;       /* of the tile, with those of outer dimensions */
  gint64     begin, part;       /* of the elements that stay together, those that are copied: all, where they fit */
} Work;

/* Columns [first, first + n). */
static gboolean
turn_tile (gint64 first, gint64 n, gpointer data, GCancellable *cancellable, GError **error)
{
  const Work *self = data;
  const AccTurnExtents *extents = self->extents;
  gint64 outer = self->row / extents->a, width = n > 1 ? n * extents->inner : self->part, all = self->n_rows * width;
  g_autoptr(AccArray) block = acc_blocks_read (self->from, self->row, self->n_rows, first * extents->inner + self->begin, width, &all, 1,
                                               error);
  g_autofree AccBuffer **buffers = NULL;
  g_autoptr(AccShape) shape = acc_shape_new_vector (all);
  g_autoptr(AccArray) turned = NULL;

  if (block != NULL)
    buffers = acc_buffers_allocate (self->to->type, all, acc_backend_get_host_budget (self->task->backend), "a tile", error);
  if (buffers == NULL)
    return FALSE;

  for (guint i = 0; i < self->to->n_buffers; i++)
    {
      gsize unit = acc_element_type_get_buffer_size (self->to->type, i) * (gsize) (width / n);

      acc_tiles_turn_units (buffers[i]->data, (gsize) self->n_rows * unit, acc_array_get_buffers (block)[i]->data, self->n_rows, n, unit);
    }
  turned = acc_array_new_manifest (self->to->type, shape, buffers);

  return acc_blocks_write (self->to, outer * extents->b + first, n, self->row % extents->a * extents->inner + self->begin,
                           self->n_rows * (width / n), turned, error);
}

static gboolean
turn_all (Work *self, GError **error)
{
  const AccTurnExtents *extents = self->extents;
  guint64 size = MAX ((guint64) acc_element_type_get_size (self->to->type), 1);
  gint64 room = (gint64) MIN (acc_external_get_room (self->task->backend) / size / 3, G_MAXINT64 / 2), height, width, part;
  gint64 units = MAX (room / extents->inner, 1);

  width = CLAMP ((gint64) sqrt ((double) units), 1, extents->b);
  height = CLAMP (units / width, 1, extents->a);
  width = CLAMP (units / height, 1, extents->b);
  part = units > 1 ? extents->inner : CLAMP (room, 1, extents->inner);

  for (self->row = 0; self->row < extents->outer * extents->a; self->row += self->n_rows)
    {
      self->n_rows = MIN (height, extents->a - self->row % extents->a);
      for (self->begin = 0; self->begin < extents->inner; self->begin += self->part)
        {
          self->part = MIN (part, extents->inner - self->begin);
          if (!acc_blocks_each (extents->b, width, turn_tile, self, self->task->cancellable, error))
            return FALSE;
        }
    }

  return TRUE;
}

guint64
acc_tiles_measure_least (AccElementType *type)
{
  return 3 * (guint64) acc_element_type_get_size (type);
}

AccArray *
acc_tiles_turn (const AccExternalTask *task, AccArray *array, const AccTurnExtents *extents, AccShape *shape, GError **error)
{
  g_auto(AccBlocks) from = { NULL, }, to = { NULL, };
  Work self = { .task = task, .extents = extents, .from = &from, .to = &to };

  if (!acc_blocks_init_for (&from, task, array, extents->b * extents->inner, error)
      || !acc_blocks_init (&to, task, array->type, shape, extents->a * extents->inner, error))
    return NULL;

  return turn_all (&self, error) ? acc_blocks_dup_array (&to, error) : NULL;
}
