/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-expr-private.h"
#include "acc-primitives-private.h"

G_BEGIN_DECLS

AccScalar _acc_scalar_cast    (AccElementKind from, AccElementKind to, AccScalar x);
/* Between kinds of one size */
AccScalar _acc_scalar_bitcast (AccElementKind from, AccElementKind to, AccScalar x);

G_END_DECLS
