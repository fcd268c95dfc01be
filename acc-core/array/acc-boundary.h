/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/**
 * AccBoundaryKind:
 * @ACC_BOUNDARY_CLAMP: the nearest element at the edge
 * @ACC_BOUNDARY_MIRROR: the array reflected at its edge without repeating the edge element, as often as needed
 * @ACC_BOUNDARY_WRAP: the array repeated periodically, as often as needed
 * @ACC_BOUNDARY_CONSTANT: one value
 * @ACC_BOUNDARY_FUNCTION: a function of the out-of-range index
 *
 * Lists the kinds of boundaries: what a stencil reads outside its array.
 */
typedef enum {
  ACC_BOUNDARY_CLAMP,
  ACC_BOUNDARY_MIRROR,
  ACC_BOUNDARY_WRAP,
  ACC_BOUNDARY_CONSTANT,
  ACC_BOUNDARY_FUNCTION,
} AccBoundaryKind;

#define ACC_TYPE_BOUNDARY (acc_boundary_get_type ())

ACC_AVAILABLE_IN_1_0
GType           acc_boundary_get_type     (void) G_GNUC_CONST;
/* @kind: clamp, mirror or wrap */
ACC_AVAILABLE_IN_1_0
AccBoundary    *acc_boundary_new          (AccBoundaryKind kind) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccBoundary    *acc_boundary_new_constant (AccExpr *value) G_GNUC_WARN_UNUSED_RESULT;
/* @rank: of the arrays it is for: the function gets a full index */
ACC_AVAILABLE_IN_1_0
AccBoundary    *acc_boundary_new_function (guint rank, AccExprFunc function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccBoundary    *acc_boundary_ref          (AccBoundary *self);
ACC_AVAILABLE_IN_1_0
void            acc_boundary_unref        (AccBoundary *self);
ACC_AVAILABLE_IN_1_0
AccBoundaryKind acc_boundary_get_kind     (AccBoundary *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccBoundary, acc_boundary_unref)

G_END_DECLS
