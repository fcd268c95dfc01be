/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"
#include "acc-array.h"
#include "acc-source.h"

#define ACC_TYPE_MEMORY_SOURCE (acc_memory_source_get_type ())

/* Rows of an array in memory, for a device that has no room for all of it. */
G_DECLARE_FINAL_TYPE (AccMemorySource, acc_memory_source, ACC, MEMORY_SOURCE, AccSource)

AccMemorySource *acc_memory_source_new     (AccArray *array);
/* The same elements, which come by rows. */
AccArray        *acc_memory_source_new_rows (AccArray *array);
/* Its elements from number @first on, as an array of @shape. */
AccMemorySource *acc_memory_source_new_part (AccArray *array, gint64 first, AccShape *shape);
/* The array; NULL: @source is no such source. */
AccArray        *acc_memory_source_get_array (AccSource *source);
/* Returns the same computations with sources in place of large arrays in memory, of those that functions of elements read
 * @with_references alone. NULL if there are no large ones. @bytes: of those replaced; may be NULL. */
GPtrArray       *acc_memory_source_replace (AccBackend *backend, AccArray **arrays, guint n_arrays, gboolean with_references,
                                            guint64 *bytes);
