/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-expr-private.h"
#include "acc-primitives-private.h"

G_BEGIN_DECLS

AccScalar _acc_scalar_cast    (AccElementKind from, AccElementKind to, AccScalar x);
/* Between kinds of one size */
AccScalar _acc_scalar_bitcast (AccElementKind from, AccElementKind to, AccScalar x);
/* @x: two operands, of @kind. FALSE: of a division, by zero or with a quotient that does not fit. */
gboolean  _acc_scalar_compute (AccPrimitive primitive, AccElementKind kind, const AccScalar *x, AccScalar *result);

G_END_DECLS
