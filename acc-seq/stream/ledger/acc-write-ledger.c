/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-seq/stream/acc-evaluate-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-ledger-private.h"

gboolean
acc_evaluate_write_with_ledger (AccBackend *backend, AccArray *array, AccSink *sink, GFile *folder, AccJob *job, GCancellable *cancellable,
                                GError **error)
{
  g_autoptr(AccLedger) ledger = NULL;
  g_autoptr(AccSink) rows = NULL;

  if (!acc_array_check (array, error))
    return FALSE;

  ledger = acc_ledger_open (folder, array, cancellable, error);
  if (ledger == NULL)
    return FALSE;

  rows = acc_ledger_new_sink (ledger, sink);
  if ((!acc_ledger_is_complete (ledger)
       && !acc_evaluate_write_rest (backend, array, rows, acc_ledger_get_n_rows (ledger), job, cancellable, error))
      || !acc_ledger_give (ledger, sink, cancellable, error))
    return FALSE;
  acc_ledger_remove (ledger);

  return TRUE;
}

/**
 * acc_backend_write_with_ledger:
 * @self: a backend
 * @array: the array to compute
 * @sink: the sink that takes the elements
 * @ledger: a local folder, which is made where there is none
 * @cancellable: (nullable): cancels the run
 * @error: return location for an error
 *
 * Computes an array and writes it to a sink as acc_backend_write() does, so that a run that ends in the middle, even by a crash of the
 * process, is continued by the next one with the same ledger.
 *
 * Rows go to the ledger first, with their checksums. When all are computed, their file becomes the output if that is a raw or npy file on
 * the file system of the folder, and elements are no tuples; else they are copied to @sink, of whatever format that is. So the folder takes
 * as much space as the elements, until the output is complete. Then what is in it is removed, and the folder where nothing else is in it. A
 * run that fails or is cancelled leaves it for the next one.
 *
 * A run that continues computes the rows that are missing. Raw and npy files are read from where they are needed on, other sources from
 * the beginning; rows of results that depend on nearby rows are not computed again, those of others are. So is what stages store before,
 * see acc_backend_plan().
 *
 * Fails as acc_backend_write() does, with %ACC_ERROR_STREAM where the ledger was begun for another program, where a source has changed
 * since, or where another process has the ledger, with %ACC_ERROR_UNSUPPORTED where it cannot be told whether a source has changed (see
 * [method@Acc.Source.dup_identity]) or @ledger is no local folder, and with %ACC_ERROR_IO.
 *
 * Returns: %TRUE if everything was written, %FALSE with @error set
 */
gboolean
acc_backend_write_with_ledger (AccBackend *self, AccArray *array, AccSink *sink, GFile *ledger, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), FALSE);
  g_return_val_if_fail (ACC_IS_ARRAY (array), FALSE);
  g_return_val_if_fail (ACC_IS_SINK (sink), FALSE);
  g_return_val_if_fail (G_IS_FILE (ledger), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return acc_evaluate_write_with_ledger (self, array, sink, ledger, NULL, cancellable, error);
}
