/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-evaluate.h"

#include "acc-seq/nested/acc-nested-array-private.h"

/* Running all that a nested array consists of. */

/**
 * acc_backend_run_nested:
 * @self: a backend
 * @nested: a nested array
 * @cancellable: (nullable): cancels the run
 * @error: return location for an error
 *
 * Computes a nested array: its values and where its elements lie on all levels, in one run. In everything else it is as acc_backend_run().
 *
 * Returns: (transfer full): a manifest nested array of the same form, or %NULL with @error set
 */
AccNestedArray *
acc_backend_run_nested (AccBackend     *self,
                        AccNestedArray *nested,
                        GCancellable   *cancellable,
                        GError        **error)
{
  g_autoptr(GPtrArray) arrays = NULL, results = NULL;

  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (nested), NULL);

  arrays = g_ptr_array_new ();
  acc_nested_array_collect (nested, arrays);
  results = acc_backend_run_many (self, (AccArray **) arrays->pdata, arrays->len, cancellable, error);
  if (results == NULL)
    return NULL;

  return acc_nested_array_new_manifest (nested, (AccArray **) results->pdata);
}
