/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-npy-literal-private.h"
#include "acc-record-private.h"

G_BEGIN_DECLS

/* NumPy's description of an element: '<f4', or a list of fields ('x', '<f4') or ('x', '<f4', (3,)). Structures become
 * tuples, and so do arrays inside them. Appends the leaves to @record and adds to its size. */
AccElementType *acc_npy_descr_parse (AccLiteral *descr, AccRecord *record, GError **error);
char           *acc_npy_descr_print (AccElementType *type);

G_END_DECLS
