/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-tensorflow-engine.h"

#include "acc-tensorflow-code.h"
#include "acc-error.h"
#include "acc-backends/xla/acc-saved-model.h"

#include <string.h>

typedef struct {
  AccXlaEngine         base;

  const AccTensorflow *api;
  TfTensor            *zero;    /* an i32 that is 0 */
} Engine;

/* --- tensors */

static void
drop_buffer (gpointer data,
             gsize    length,
             gpointer buffer)
{
  acc_buffer_unref (buffer);
}

/* The buffer itself, or a copy where it begins elsewhere or is shorter than the vector. @copied: grows by the bytes of that, which are
 * reserved for @what. */
static TfTensor *
make_tensor (Engine              *self,
             AccBuffer           *buffer,
             const AccHloVector  *vector,
             const char          *what,
             guint64             *copied,
             GError             **error)
{
  gsize bytes = acc_xla_count_bytes (vector), used = acc_xla_count_used_bytes (vector);
  gint type = acc_saved_model_get_type (vector->kind);
  gpointer data = acc_buffer_map (buffer, error);
  TfTensor *tensor;

  if (data == NULL)
    return NULL;
  if ((guintptr) data % ACC_XLA_ALIGNMENT == 0 && bytes > 0 && used == bytes)
    return self->api->NewTensor (type, &vector->n, 1, data, bytes, drop_buffer, acc_buffer_ref (buffer));

  if (!acc_budget_reserve (self->base.budget, bytes, what, error))
    return NULL;
  *copied += bytes;
  tensor = self->api->AllocateTensor (type, &vector->n, 1, bytes);
  if (tensor == NULL || (bytes > 0 && self->api->TensorData (tensor) == NULL))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "%s: TensorFlow has no %" G_GSIZE_FORMAT " bytes", what, bytes);
      g_clear_pointer (&tensor, self->api->DeleteTensor);
      return NULL;
    }
  if (bytes > 0)
    {
      memcpy (self->api->TensorData (tensor), data, used);
      memset ((guint8 *) self->api->TensorData (tensor) + used, 0, bytes - used);
    }

  return tensor;
}

/* Memory of a result. */
typedef struct {
  const AccTensorflow *api;
  TfTensor            *tensor;
  AccBudget           *budget;
  guint64              reserved;
  char                *what;
} Memory;

static void
memory_free (gpointer data)
{
  Memory *self = data;

  self->api->DeleteTensor (self->tensor);
  acc_budget_release (self->budget, self->reserved, self->what);
  acc_budget_unref (self->budget);
  g_free (self->what);
  g_free (self);
}

/* Takes over @tensor, and what was reserved for @what. */
static AccBuffer *
adopt (Engine             *self,
       TfTensor           *tensor,
       const AccHloVector *vector,
       const char         *what)
{
  Memory *memory = g_new0 (Memory, 1);
  gpointer data = self->api->TensorData (tensor);

  memory->api = self->api;
  memory->tensor = tensor;
  memory->budget = acc_budget_ref (self->base.budget);
  memory->reserved = acc_xla_count_bytes (vector);
  memory->what = g_strdup (what);

  /* What has no bytes may have no address. */
  return acc_buffer_new (data != NULL ? data : memory, acc_xla_count_used_bytes (vector), memory_free, memory);
}

/* --- calls */

typedef struct {
  AccXlaCall *call;
  Engine     *engine;
  guint       n_lengths, n_arguments, n_results;
  TfTensor  **arguments;      /* zero and the lengths first */
  guint64    *copied;         /* per argument */
  TfTensor  **results;        /* the failure and its index last */
} Call;

static gboolean
run_session (Call    *self,
             GError **error)
{
  const AccTensorflow *api = self->engine->api;
  const AccTensorflowCode *code = self->call->code;
  TfStatus *status = api->NewStatus ();
  gboolean ok;

  api->SessionRun (code->session, NULL, code->inputs, self->arguments, (gint) (1 + self->n_lengths + self->n_arguments), code->outputs,
                   self->results, (gint) (self->n_results + acc_hlo_module_count_failures (self->call->module)), NULL, 0, NULL, status);
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
      *next = api->AllocateTensor (acc_saved_model_get_type (ACC_KIND_I64), NULL, 0, sizeof (gint64));
      memcpy (api->TensorData (*next++), &g_array_index (self->call->module->lengths, gint64, i), sizeof (gint64));
    }
  for (guint i = 0; i < self->n_arguments; i++)
    {
      *next = make_tensor (self->engine, self->call->arguments[i], acc_xla_get_vector (self->call->module->arguments, i),
                           self->call->argument_names[i], &self->copied[i], error);
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
    self->call->results[i] = adopt (self->engine, g_steal_pointer (&self->results[i]),
                                    acc_xla_get_vector (self->call->module->results, i), self->call->result_names[i]);

  return TRUE;
}

static gboolean
execute (AccXlaCall *xla,
         GError    **error)
{
  guint n_lengths = xla->module->lengths->len, n_arguments = xla->module->arguments->len, n_results = xla->module->results->len;
  g_autofree TfTensor **memory = g_new0 (TfTensor *, n_lengths + n_arguments + n_results + 3);
  g_autofree guint64 *copied = g_new0 (guint64, n_arguments + 1);
  Call call = { xla, (Engine *) xla->engine, n_lengths, n_arguments, n_results, memory, copied, memory + 1 + n_lengths + n_arguments };
  gboolean ok = make_arguments (&call, error) && run_session (&call, error) && take_results (&call, error);

  for (guint i = 0; i < n_lengths + n_arguments; i++)
    if (call.arguments[1 + i] != NULL)
      call.engine->api->DeleteTensor (call.arguments[1 + i]);
  for (guint i = 0; i < n_arguments; i++)
    acc_budget_release (xla->engine->budget, copied[i], xla->argument_names[i]);
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
  return acc_tensorflow_code_new (((Engine *) engine)->api, module, what, error);
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
  g_clear_pointer (&self->base.budget, acc_budget_unref);
  g_clear_pointer (&self->base.host_budget, acc_budget_unref);
  g_free (self->base.description);
  g_free (self);
}

static const AccXlaEngineClass engine_class = { unref, compile, free_code, count_temporary, execute };

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
  self->base.is_host = self->base.keeps_order = TRUE;
  self->base.description = g_strdup_printf ("XLA by TensorFlow %s: cpu, the processors of the host", api->Version ());
  self->api = api;
  self->zero = api->AllocateTensor (acc_saved_model_get_type (ACC_KIND_I32), NULL, 0, sizeof (gint32));
  memset (api->TensorData (self->zero), 0, sizeof (gint32));

  return &self->base;
}
