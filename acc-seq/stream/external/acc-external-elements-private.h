/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/expr/acc-function-private.h"
#include "acc-array.h"

/* Elements [first, first + n) of buffers whose bytes are on the host, as a vector, without a copy. */
AccArray *acc_external_new_view (AccElementType *type, AccBuffer **buffers, gint64 first, gint64 n);
/* Brings the bytes of a manifest array to the host: then its buffers have their data. */
gboolean  acc_external_fetch    (AccArray *array, GError **error);
/* The node's function for a run of its own, in which arrays whose extents alone it asks for, such as sources, are not read. Owned. */
AccFunction *acc_external_dup_function (AccArray *node);
/* An operator, for what takes C functions; @function: AccFunction. */
AccExpr  *acc_external_apply    (AccExpr *x, AccExpr *y, gpointer function);
/* Copies elements of buffers on the host, which may be the same. */
void      acc_external_copy     (AccElementType *type, AccBuffer **to, gint64 at, AccBuffer **from, gint64 first, gint64 n);

/* Copies elements that are anywhere to places [at, at + n), the same. */
void      acc_external_copy_places (AccElementType *type, AccBuffer **to, gint64 at, AccBuffer **from, const gint64 *places, gint64 n);
/* The row-major position of index @i, of which numbers[d][i] is dimension d; ACC_ERROR_BOUNDS where it is outside. */
gboolean  acc_external_locate   (gpointer *numbers, gint64 i, const gint64 *extents, guint rank, gint64 *position, GError **error);

/* All elements in order, each computed when it is read: what is in memory is seen as a vector, or, @by_rows, as a
 * source of its elements, so that what comes of it is computed by stages. @array: has a shape. */
AccArray *acc_external_new_vector (AccArray *array, gboolean by_rows);
/* The same by rows, of those from number @first on, as a vector or matrix. */
AccArray *acc_external_new_part   (AccArray *array, gint64 first, const gint64 *extents, guint rank);
/* Whether a function of a node reads arrays, if only their extents, that are not in memory. */
gboolean  acc_external_needs_arrays (AccArray *node);

/* Entry @i of unsigned numbers of @width bytes. */
static inline guint64
acc_external_get_number (gconstpointer numbers, gint64 i, gsize width)
{
  switch (width)
    {
    case 1:
      return ((const guint8 *) numbers)[i];
    case 2:
      return ((const guint16 *) numbers)[i];
    case 4:
      return ((const guint32 *) numbers)[i];
    default:
      return ((const guint64 *) numbers)[i];
    }
}
