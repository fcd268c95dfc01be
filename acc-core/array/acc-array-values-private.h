/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array-private.h"

/* The elements of a manifest array as those of an array of another shape, without a copy. */
AccArray *acc_array_see_as           (AccArray *self, AccShape *shape);
/* One scalar of a manifest array; @leaf and @index are inside. */
AccScalar acc_array_read             (AccArray *self, guint leaf, gint64 index);
/* The same without the other elements, where they are on a device; FALSE: they cannot be read. */
gboolean  acc_array_peek             (AccArray *self, guint leaf, gint64 index, AccScalar *value, GError **error);
/* The type of variants that elements of @type become. */
void      acc_array_append_signature (GString *text, AccElementType *type);
