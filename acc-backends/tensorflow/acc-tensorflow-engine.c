/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-tensorflow-engine.h"

#include "acc-tensorflow-code.h"
#include "acc-tensorflow-tensor.h"
#include "acc-error.h"
#include "acc-backends/xla/acc-saved-model.h"

#include <string.h>

typedef struct {
  AccXlaEngine          base;

  const AccTensorflow  *api;
  AccTensorflowSessions sessions;
  TfTensor             *zero;     /* an i32 that is 0 */
} Engine;

/* --- calls */

typedef struct {
  AccXlaCall        *call;
  Engine            *engine;
  guint              n_lengths, n_arguments, n_results;
  TfTensor         **arguments;      /* zero and the lengths first */
  AccTensorflowLoan *loans;          /* per length and argument */
  TfTensor         **results;        /* the failure and its index last */
} Call;

static gboolean
run_session (Call    *self,
             GError **error)
{
  const AccTensorflow *api = self->engine->api;
  const AccTensorflowCode *code = self->call->code;
  TfStatus *status = api->NewStatus ();
  gboolean ok;

  api->SessionRun (code->session->session, NULL, code->inputs, self->arguments, (gint) (1 + self->n_lengths + self->n_arguments),
                   code->outputs, self->results, (gint) (self->n_results + acc_hlo_module_count_failures (self->call->module)), NULL, 0,
                   NULL, status);
  ok = acc_tensorflow_check (api, status, self->call->what, error);
  api->DeleteStatus (status);

  return ok;
}

static gboolean
make_arguments (Call    *self,
                GError **error)
{
  const AccTensorflow *api = self->engine->api;
  TfTensor **next = self->arguments;

  *next++ = self->engine->zero;
  for (guint i = 0; i < self->n_lengths; i++)
    {
      *next = self->loans[i].tensor = api->AllocateTensor (acc_saved_model_get_type (ACC_KIND_I64), NULL, 0, sizeof (gint64));
      memcpy (api->TensorData (*next++), &g_array_index (self->call->module->lengths, gint64, i), sizeof (gint64));
    }
  for (guint i = 0; i < self->n_arguments; i++)
    {
      *next = acc_tensorflow_tensor_get (api, self->call->arguments[i], acc_xla_get_vector (self->call->module->arguments, i),
                                         self->engine->base.budget, self->call->argument_names[i], &self->loans[self->n_lengths + i],
                                         error);
      if (*next++ == NULL)
        return FALSE;
    }

  return TRUE;
}

static gboolean
take_results (Call    *self,
              GError **error)
{
  const AccTensorflow *api = self->engine->api;

  for (guint i = 0; i < self->n_results; i++)
    {
      const AccHloVector *vector = acc_xla_get_vector (self->call->module->results, i);

      if (api->TensorByteSize (self->results[i]) == acc_xla_count_bytes (vector))
        continue;
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "%s: TensorFlow gives %" G_GSIZE_FORMAT " bytes in place of %" G_GUINT64_FORMAT,
                   self->call->what, api->TensorByteSize (self->results[i]), acc_xla_count_bytes (vector));
      return FALSE;
    }

  if (acc_hlo_module_count_failures (self->call->module) > 0)
    {
      memcpy (&self->call->failure, api->TensorData (self->results[self->n_results]), sizeof self->call->failure);
      memcpy (&self->call->failed_index, api->TensorData (self->results[self->n_results + 1]), sizeof self->call->failed_index);
    }
  for (guint i = 0; i < self->n_results && self->call->failure == 0; i++)
    self->call->results[i] = acc_tensorflow_tensor_adopt (api, g_steal_pointer (&self->results[i]),
                                                          acc_xla_get_vector (self->call->module->results, i), self->engine->base.budget,
                                                          self->call->result_names[i]);

  return TRUE;
}

static gboolean
execute (AccXlaCall *xla,
         GError    **error)
{
  guint n_lengths = xla->module->lengths->len, n_arguments = xla->module->arguments->len, n_results = xla->module->results->len;
  g_autofree TfTensor **memory = g_new0 (TfTensor *, n_lengths + n_arguments + n_results + 3);
  g_autofree AccTensorflowLoan *loans = g_new0 (AccTensorflowLoan, n_lengths + n_arguments + 1);
  Call call = { xla, (Engine *) xla->engine, n_lengths, n_arguments, n_results, memory, loans, memory + 1 + n_lengths + n_arguments };
  gboolean ok = make_arguments (&call, error) && run_session (&call, error) && take_results (&call, error);

  for (guint i = 0; i < n_lengths + n_arguments; i++)
    acc_tensorflow_loan_clear (&loans[i], call.engine->api, xla->engine->budget, i < n_lengths ? NULL : xla->argument_names[i - n_lengths]);
  for (guint i = 0; i < n_results + 2; i++)
    if (call.results[i] != NULL)
      call.engine->api->DeleteTensor (call.results[i]);

  return ok;
}

/* --- the engine */

static gpointer
compile (AccXlaEngine        *engine,
         const AccHloModule  *module,
         const char          *what,
         GError             **error)
{
  Engine *self = (Engine *) engine;
  guint number = 0;
  AccTensorflowSession *session = acc_tensorflow_sessions_get (&self->sessions, self->api, what, &number, error);
  AccTensorflowCode *code = session != NULL ? acc_tensorflow_code_new (session, number, module, what, error) : NULL;

  g_clear_pointer (&session, acc_tensorflow_session_unref);

  return code;
}

static void
free_code (gpointer code)
{
  acc_tensorflow_code_free (code);
}

/* TensorFlow does not say. */
static guint64
count_temporary (gpointer code)
{
  return 0;
}

static void
unref (AccXlaEngine *engine)
{
  Engine *self = (Engine *) engine;

  self->api->DeleteTensor (self->zero);
  acc_tensorflow_sessions_clear (&self->sessions);
  g_clear_pointer (&self->base.budget, acc_budget_unref);
  g_clear_pointer (&self->base.host_budget, acc_budget_unref);
  g_free (self->base.description);
  g_free (self);
}

static const AccXlaEngineClass engine_class = { unref, compile, free_code, count_temporary, NULL, execute };

AccXlaEngine *
acc_tensorflow_engine_open (const char  *device,
                            GError     **error)
{
  const AccTensorflow *api = acc_tensorflow_get (error);
  Engine *self;

  if (api == NULL)
    return NULL;
  if (device != NULL && !g_str_equal (device, "0"))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "TensorFlow is run on the host's processors, and there is no “%s”", device);
      return NULL;
    }

  self = g_new0 (Engine, 1);
  self->base.klass = &engine_class;
  self->base.is_host = self->base.keeps_order = self->base.is_shaped = TRUE;
  self->base.mixes_rows = TRUE;   /* its DUCC has a row to each lane, and goes along what is left over alone */
  self->base.description = g_strdup_printf ("XLA by TensorFlow %s: cpu, the processors of the host", api->Version ());
  self->api = api;
  acc_tensorflow_sessions_init (&self->sessions);
  self->zero = api->AllocateTensor (acc_saved_model_get_type (ACC_KIND_I32), NULL, 0, sizeof (gint32));
  memset (api->TensorData (self->zero), 0, sizeof (gint32));

  return &self->base;
}
