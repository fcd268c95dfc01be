/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

#define ACC_TYPE_SHAPE (acc_shape_get_type ())

ACC_AVAILABLE_IN_1_0
GType         acc_shape_get_type    (void) G_GNUC_CONST;
/* @extents: (array length=rank), outermost first; rank 0 is one element */
ACC_AVAILABLE_IN_1_0
AccShape     *acc_shape_new         (const gint64 *extents, guint rank) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccShape     *acc_shape_new_scalar  (void) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccShape     *acc_shape_new_vector  (gint64 length) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccShape     *acc_shape_new_matrix  (gint64 rows, gint64 columns) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccShape     *acc_shape_ref         (AccShape *self);
ACC_AVAILABLE_IN_1_0
void          acc_shape_unref       (AccShape *self);
ACC_AVAILABLE_IN_1_0
guint         acc_shape_get_rank    (AccShape *self);
ACC_AVAILABLE_IN_1_0
gint64        acc_shape_get_extent  (AccShape *self, guint dimension);
ACC_AVAILABLE_IN_1_0
const gint64 *acc_shape_get_extents (AccShape *self, guint *rank);
/* Number of elements: 0 where any extent is not positive, G_MAXINT64 where the product does not fit. */
ACC_AVAILABLE_IN_1_0
gint64        acc_shape_get_size    (AccShape *self);
ACC_AVAILABLE_IN_1_0
gboolean      acc_shape_equal       (AccShape *a, AccShape *b);
/* "[512,512,3]"; "[]" for rank 0 */
ACC_AVAILABLE_IN_1_0
char         *acc_shape_to_string   (AccShape *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccShape, acc_shape_unref)

G_END_DECLS
