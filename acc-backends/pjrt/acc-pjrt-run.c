/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-pjrt-run.h"

/* One call of a module. */
typedef struct {
  AccXlaCall    *call;
  AccPjrtClient *client;
  guint          n_lengths, n_arguments, n_results;
  PjrtBuffer   **arguments;      /* zero and the lengths first */
  PjrtBuffer   **transients;     /* per argument */
  PjrtBuffer   **results;        /* the failure and its index last */
} Call;

static gboolean
gather_arguments (Call    *self,
                  GError **error)
{
  PjrtBuffer **next = self->arguments;

  *next++ = self->client->zero;
  for (guint i = 0; i < self->n_lengths; i++)
    {
      *next = acc_pjrt_client_make_buffer (self->client, &g_array_index (self->call->module->lengths, gint64, i), ACC_KIND_I64, NULL, 0,
                                           PJRT_HOST_DURING_CALL, self->call->what, error);
      if (*next++ == NULL)
        return FALSE;
    }
  for (guint i = 0; i < self->n_arguments; i++)
    {
      const AccHloVector *vector = acc_xla_get_vector (self->call->module->arguments, i);

      *next = acc_pjrt_client_upload (self->client, self->call->arguments[i], vector, self->call->argument_names[i], &self->transients[i],
                                      error);
      if (*next++ == NULL)
        return FALSE;
    }

  return TRUE;
}

static gboolean
execute (Call    *self,
         GError **error)
{
  const AccPjrtExecutable *executable = self->call->code;
  const PjrtApi *api = self->client->api;
  g_autofree gint64 *kept = g_new (gint64, self->n_arguments + 1);
  PjrtExecuteOptions options = ACC_PJRT_ARGS (PjrtExecuteOptions, .not_donated = kept);
  PjrtBuffer *const *arguments[1] = { self->arguments };
  PjrtBuffer **results[1] = { self->results };
  PjrtEvent *events[1] = { NULL };
  PjrtExecuteArgs args = ACC_PJRT_ARGS (PjrtExecuteArgs, .loaded = executable->loaded, .options = &options, .arguments = arguments,
                                        .n_devices = 1, .n_arguments = 1 + self->n_lengths + self->n_arguments, .results = results,
                                        .events = events);

  for (guint i = 0; i < self->n_arguments; i++)
    if (!self->call->taken[i])
      kept[options.n_not_donated++] = 1 + self->n_lengths + i;

  return acc_pjrt_call (api, PJRT_LOADED_EXECUTE, &args, self->call->what, error)
         && acc_pjrt_await (api, events[0], self->call->what, error);
}

/* Whether a check failed. */
static gboolean
fetch_failure (Call    *self,
               GError **error)
{
  AccXlaCall *call = self->call;

  if (call->module->checks->len == 0)
    return TRUE;
  if (!acc_pjrt_client_download (self->client, self->results[self->n_results], &call->failure, sizeof call->failure, call->what, error))
    return FALSE;

  return call->failure == 0
         || acc_pjrt_client_download (self->client, self->results[self->n_results + 1], &call->failed_index, sizeof call->failed_index,
                                      call->what, error);
}

static void
give_results (Call *self)
{
  for (guint i = 0; i < self->n_results; i++)
    {
      self->call->results[i] =
        acc_pjrt_client_adopt (self->client, self->results[i], acc_xla_get_vector (self->call->module->results, i),
                               acc_xla_call_get_taken (self->call, i), self->call->result_names[i]);
      self->results[i] = NULL;
    }
}

static gboolean
execute_call (AccXlaCall *xla,
              GError    **error)
{
  guint n_lengths = xla->module->lengths->len, n_arguments = xla->module->arguments->len, n_results = xla->module->results->len;
  g_autofree PjrtBuffer **memory = g_new0 (PjrtBuffer *, n_lengths + 2 * n_arguments + n_results + 3);
  Call call = { xla, (AccPjrtClient *) xla->engine, n_lengths, n_arguments, n_results, memory, memory + 1 + n_lengths + n_arguments,
                memory + 1 + n_lengths + 2 * n_arguments };
  gboolean ok = gather_arguments (&call, error) && execute (&call, error) && fetch_failure (&call, error);

  if (ok && xla->failure == 0)
    give_results (&call);
  for (guint i = 0; i < n_lengths; i++)
    if (call.arguments[1 + i] != NULL)
      acc_pjrt_buffer_free (call.client, call.arguments[1 + i]);
  for (guint i = 0; i < n_arguments; i++)
    if (call.transients[i] != NULL)
      acc_pjrt_buffer_free (call.client, call.transients[i]);
  for (guint i = 0; i < n_results + 2; i++)
    if (call.results[i] != NULL)
      acc_pjrt_buffer_free (call.client, call.results[i]);

  return ok;
}

/* --- the engine */

static gpointer
compile (AccXlaEngine       *engine,
         const AccHloModule *module,
         const char         *what,
         GError            **error)
{
  return acc_pjrt_client_compile ((AccPjrtClient *) engine, module->text, what, error);
}

static void
free_code (gpointer code)
{
  acc_pjrt_executable_free (code);
}

static guint64
count_temporary (gpointer code)
{
  return ((const AccPjrtExecutable *) code)->temporary_bytes;
}

static void
unref (AccXlaEngine *engine)
{
  acc_pjrt_client_unref ((AccPjrtClient *) engine);
}

static gboolean
can_take (AccXlaEngine       *engine,
          AccBuffer          *buffer,
          const AccHloVector *vector)
{
  return acc_pjrt_client_owns ((AccPjrtClient *) engine, buffer, vector);
}

static const AccXlaEngineClass engine_class = { unref, compile, free_code, count_temporary, can_take, execute_call };

AccXlaEngine *
acc_pjrt_engine_open (const char  *device,
                      GError     **error)
{
  AccPjrtClient *client = acc_pjrt_client_new (device, error);

  if (client == NULL)
    return NULL;

  client->base.klass = &engine_class;
  client->base.keeps_order = client->base.is_shaped = client->base.is_host;

  return &client->base;
}
