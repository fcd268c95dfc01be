/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-tensorflow-code.h"

#include "acc-backends/xla/acc-saved-model.h"

#include <string.h>

#define DEVICE "/device:CPU:0"

void
acc_tensorflow_code_free (AccTensorflowCode *self)
{
  acc_tensorflow_session_unref (self->session);
  g_free (self->inputs);
  g_free (self->outputs);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccTensorflowCode, acc_tensorflow_code_free)

static gboolean
add_input (AccTensorflowCode *self,
           guint              module,
           guint              number,
           AccElementKind     kind,
           const gint64      *extents,
           gint               rank,
           TfStatus          *status)
{
  const AccTensorflow *api = self->session->api;
  g_autofree char *name = g_strdup_printf ("argument_%u_%u", module, number);
  TfOperationDescription *input = api->NewOperation (self->session->graph, "Placeholder", name);

  api->SetDevice (input, DEVICE);
  api->SetAttrType (input, "dtype", acc_saved_model_get_type (kind));
  api->SetAttrShape (input, "shape", extents, rank);
  self->inputs[number].operation = api->FinishOperation (input, status);

  return api->GetCode (status) == TF_CODE_OK;
}

static void
add_module (AccTensorflowCode  *self,
            const AccHloModule *module,
            guint               number,
            TfStatus           *status)
{
  const AccTensorflow *api = self->session->api;
  g_autofree char *name = g_strdup_printf ("module_%u", number);
  guint n_first = 1 + module->lengths->len, n_inputs = n_first + module->arguments->len, n_results = module->results->len;
  guint n_outputs = n_results + acc_hlo_module_count_failures (module);
  g_autofree gint *input_types = g_new0 (gint, n_inputs), *output_types = g_new0 (gint, n_outputs), *ranks = g_new0 (gint, n_outputs);
  g_autofree const gint64 **shapes = g_new0 (const gint64 *, n_outputs);
  gconstpointer platforms[] = { "CPU" };
  gsize lengths[] = { strlen ("CPU") };
  TfOperationDescription *call = api->NewOperation (self->session->graph, "XlaCallModule", name);
  TfOperation *operation;

  input_types[0] = acc_saved_model_get_type (ACC_KIND_I32);
  for (guint i = 1; i < n_inputs; i++)
    input_types[i] = acc_saved_model_get_type (i < n_first ? ACC_KIND_I64 : acc_xla_get_vector (module->arguments, i - n_first)->kind);
  for (guint i = 0; i < n_results; i++)
    {
      const AccHloVector *vector = acc_xla_get_vector (module->results, i);

      output_types[i] = acc_saved_model_get_type (vector->kind);
      shapes[i] = vector->extents;
      ranks[i] = (gint) vector->rank;
    }
  if (n_outputs > n_results)
    {
      output_types[n_results] = acc_saved_model_get_type (ACC_KIND_I32);
      output_types[n_results + 1] = acc_saved_model_get_type (ACC_KIND_I64);
    }

  api->SetDevice (call, DEVICE);
  api->AddInputList (call, self->inputs, (gint) n_inputs);
  api->SetAttrTypeList (call, "Tin", input_types, (gint) n_inputs);
  api->SetAttrTypeList (call, "Tout", output_types, (gint) n_outputs);
  api->SetAttrShapeList (call, "Sout", shapes, ranks, (gint) n_outputs);
  api->SetAttrInt (call, "version", ACC_SAVED_MODEL_CALL_VERSION);
  api->SetAttrString (call, "module", module->text, strlen (module->text));
  api->SetAttrStringList (call, "platforms", platforms, lengths, 1);
  operation = api->FinishOperation (call, status);
  for (guint i = 0; i < n_outputs; i++)
    self->outputs[i] = (TfOutput) { operation, (gint) i };
}

static void
build_graph (AccTensorflowCode  *self,
             const AccHloModule *module,
             guint               number,
             TfStatus           *status)
{
  if (!add_input (self, number, 0, ACC_KIND_I32, NULL, 0, status))
    return;
  for (guint i = 0; i < module->lengths->len; i++)
    if (!add_input (self, number, 1 + i, ACC_KIND_I64, NULL, 0, status))
      return;
  for (guint i = 0; i < module->arguments->len; i++)
    {
      const AccHloVector *vector = acc_xla_get_vector (module->arguments, i);

      if (!add_input (self, number, 1 + module->lengths->len + i, vector->kind, vector->extents, (gint) vector->rank, status))
        return;
    }

  add_module (self, module, number, status);
}

AccTensorflowCode *
acc_tensorflow_code_new (AccTensorflowSession  *session,
                         guint                  number,
                         const AccHloModule    *module,
                         const char            *what,
                         GError               **error)
{
  g_autoptr(AccTensorflowCode) self = g_new0 (AccTensorflowCode, 1);
  TfStatus *status = session->api->NewStatus ();
  gboolean ok;

  self->session = acc_tensorflow_session_ref (session);
  self->inputs = g_new0 (TfOutput, 1 + module->lengths->len + module->arguments->len);
  self->outputs = g_new0 (TfOutput, 2 + module->results->len);
  build_graph (self, module, number, status);
  ok = acc_tensorflow_check (session->api, status, what, error);
  session->api->DeleteStatus (status);

  return ok ? g_steal_pointer (&self) : NULL;
}
