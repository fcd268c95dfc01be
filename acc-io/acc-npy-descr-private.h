/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-npy-literal-private.h"
#include "acc-record-private.h"

/* NumPy's description of an element: '<f4', or a list of fields ('x', '<f4') or ('x', '<f4', (3,)). Structures become
 * tuples; arrays inside them become vectors, or nested tuples where they have several dimensions or more than 16 scalars.
 * Dates, spans of time and single characters become integers; @note tells, and is left alone where there are none. Appends to
 * @record and adds to its size. */
AccElementType *acc_npy_descr_parse (AccLiteral *descr, AccRecord *record, char **note, GError **error);
/* The type code of a field; of a vector with its extent behind it. */
char           *acc_npy_descr_print (AccElementType *type);
