/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/**
 * AccForeignFunc:
 * @inputs: (array length=n_inputs): the inputs, whose elements are in memory
 * @n_inputs: number of @inputs
 * @user_data: data of the caller
 * @error: return location for an error
 *
 * Computes an operation on a backend in place of the fallback, in the host's memory.
 *
 * The function reads the types, extents and addresses of the inputs (acc_array_get_address(), which transfers elements from a
 * device) and writes to none of them. It is called in every run, from the thread that runs.
 *
 * Returns: (transfer full) (nullable): an array with elements in memory, as acc_array_use() returns, of the type and rank of
 *   the fallback's result; %NULL with @error set
 */
typedef AccArray *(*AccForeignFunc) (AccArray **inputs, guint n_inputs, gpointer user_data, GError **error);

/* Of this object only; @function NULL: the fallback again. Any time. */
ACC_AVAILABLE_IN_1_0
void      acc_backend_set_foreign (AccBackend *self, const char *name, AccForeignFunc function, gpointer user_data, GDestroyNotify destroy);
ACC_AVAILABLE_IN_1_0
gboolean  acc_backend_has_foreign (AccBackend *self, const char *name);

G_END_DECLS
