/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"

/* Elements of an array while it is computed or read: all of it, or a window of its rows. Addresses are biased, so that
 * linear indices of the whole array lead to the right place; only elements [first, end) are there. */
typedef struct {
  gatomicrefcount ref_count;
  AccElementType *type;
  guint           rank;
  gint64         *extents;
  gint64          size;          /* elements of the whole array */
  gint64          row_elements;  /* of one index of the outermost dimension; rank 0: 1 */
  gint64          first, end;
  guint           n_leaves;
  const AccLeafPlace *places;    /* per leaf */
  guint           n_buffers;
  gsize          *sizes;         /* per buffer: bytes from one element to the next */
  guint8        **bases;         /* biased */
  AccBuffer     **buffers;       /* NULL entries for memory that is borrowed */
} InterpValue;

/* Extents only; no elements yet. */
InterpValue *interp_value_new        (AccElementType *type, guint rank, const gint64 *extents);
/* Fails where the elements cannot be fetched from a device. */
InterpValue *interp_value_new_manifest (AccArray *array, GError **error);
/* Takes all its elements from @backend's budget. */
gboolean     interp_value_allocate   (InterpValue *self, AccBackend *backend, const char *what, GError **error);
/* Shares buffers [first, first + n) of @source, which has as many elements, as buffers @to .. of self. */
void         interp_value_share      (InterpValue *self, guint to, InterpValue *source, guint first, guint n);
void         interp_value_set_window (InterpValue *self, gpointer *addresses, gint64 first_row, gint64 n_rows);
AccArray    *interp_value_to_array   (InterpValue *self);
InterpValue *interp_value_ref        (InterpValue *self);
void         interp_value_unref      (InterpValue *self);

static inline gint64
interp_value_n_rows (const InterpValue *self)
{
  return self->rank == 0 ? 1 : self->extents[0];
}

/* Row-major number of an index inside the extents. */
static inline gint64
interp_value_linear (const InterpValue *self,
                     const gint64      *index)
{
  gint64 linear = 0;

  for (guint i = 0; i < self->rank; i++)
    linear = linear * self->extents[i] + index[i];
  return linear;
}

static inline void
interp_value_load (const InterpValue *self,
                   guint              leaf,
                   gint64             linear,
                   AccScalar         *to)
{
  const AccLeafPlace *place = &self->places[leaf];

  *to = acc_scalar_load (place->kind, self->bases[place->buffer], linear * place->lanes + place->lane);
}

static inline void
interp_value_store (InterpValue *self,
                    guint        leaf,
                    gint64       linear,
                    AccScalar    from)
{
  const AccLeafPlace *place = &self->places[leaf];

  acc_scalar_store (place->kind, self->bases[place->buffer], linear * place->lanes + place->lane, from);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpValue, interp_value_unref)
