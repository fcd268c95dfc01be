/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-module-foreign.h"
#include "acc-program.h"
#include "acc-seq/stream/acc-plan-private.h"

/* Foreign operations. Where the backend has no function for one, what it falls back to takes its place, and has stages of its own. A
 * function gets stores, which are mapped, as any arrays; what it gives is stored, so that its memory is let go. */

static AccArray **
take_foreign (AccArray *node, guint *n_inputs)
{
  *n_inputs = node->n_inputs;

  return node->op == ACC_OP_FOREIGN && node->n_inputs > 0 ? node->inputs : NULL;
}

/* What works on a device needs what it reads there. */
static gboolean
suits (AccBackend *backend, AccArray *node)
{
  g_autoptr(AccForeign) foreign = acc_foreign_find (backend, node);

  return foreign == NULL || !acc_foreign_is_launch (foreign);
}

static guint64
measure_whole (AccArray *node)
{
  guint64 bytes = 0;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      guint64 of_input = acc_external_get_bytes (node->inputs[i]);

      if (of_input == G_MAXUINT64)
        return of_input;
      bytes = acc_bytes_add (bytes, acc_bytes_multiply (of_input, 2));
    }

  return bytes;
}

static guint64
measure_least (AccArray *node)
{
  guint64 bytes = 0;

  for (guint i = 0; i < node->n_inputs; i++)
    bytes = MAX (bytes, acc_external_measure_rows (node->inputs[i]));

  return bytes;
}

static char *
describe (AccBackend *backend, AccArray *node)
{
  g_autoptr(AccForeign) foreign = acc_foreign_find (backend, node);

  return g_strdup (foreign != NULL ? "its inputs are stored in temporary files, and so is its result"
                                   : "what it falls back to takes its place, in stages of its own");
}

/* --- where the backend has a function */

static AccArray *
call (const AccExternalTask *task, AccForeign *foreign, GError **error)
{
  AccArray *node = task->node;
  g_autoptr(GPtrArray) inputs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) result = NULL;
  g_autoptr(AccStore) store = NULL;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      AccArray *input = node->inputs[i];
      AccArray *stored = acc_external_keep (task, input, "inputs", error);

      if (stored == NULL)
        return NULL;
      g_ptr_array_add (inputs, stored);
      if (!acc_foreign_check (node, i, acc_shape_get_extents (stored->shape, NULL), error))
        return NULL;
    }

  result = acc_foreign_call (foreign, node, (AccArray **) inputs->pdata, task->cancellable, error);
  if (result == NULL)
    return NULL;
  store = acc_external_new_store (task, result->type, result->shape, "a store", error);

  return store != NULL && acc_store_write_from (store, 0, acc_shape_get_size (result->shape), acc_array_get_buffers (result), 0, error)
         ? acc_store_dup_array (store, error) : NULL;
}

static AccArray *
replace_foreign (AccBackend *backend, AccArray *node, GError **error)
{
  g_autoptr(AccForeign) foreign = acc_foreign_find (backend, node);
  g_autoptr(GPtrArray) results = foreign == NULL ? acc_program_apply (acc_array_get_programs (node)[0], node->inputs, node->n_inputs, error)
                                                 : NULL;

  return results != NULL ? g_object_ref (g_ptr_array_index (results, 0)) : NULL;
}

static AccArray *
compute_foreign (const AccExternalTask *task, GError **error)
{
  g_autoptr(AccForeign) foreign = acc_foreign_find (task->backend, task->node);

  return foreign != NULL ? call (task, foreign, error) : replace_foreign (task->backend, task->node, error);
}

const AccExternal acc_external_foreign = {
  .way = "foreign operations read and write stores",
  .leaves_store = TRUE,
  .has_flow = TRUE,
  .takes = take_foreign,
  .suits = suits,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .n_written = 1,
  .n_read = 1,
  .describe = describe,
  .replace = replace_foreign,
  .compute = compute_foreign,
};
