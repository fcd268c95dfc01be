/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-pjrt-client.h"

#include "acc-error.h"

#include <string.h>

/* Modules that are kept compiled, before those that no schedule has go. */
#define MOST_EXECUTABLES 512

/* --- the device */

static char *
describe (AccPjrtClient *self)
{
  PjrtClientTextArgs name = ACC_PJRT_ARGS (PjrtClientTextArgs, .client = self->client), version = name;
  PjrtDeviceDescriptionArgs device = ACC_PJRT_ARGS (PjrtDeviceDescriptionArgs, .device = self->device);
  PjrtDescriptionTextArgs kind = ACC_PJRT_ARGS (PjrtDescriptionTextArgs);

  acc_pjrt_call_freely (self->api, PJRT_CLIENT_PLATFORM_NAME, &name);
  acc_pjrt_call_freely (self->api, PJRT_CLIENT_PLATFORM_VERSION, &version);
  acc_pjrt_call_freely (self->api, PJRT_DEVICE_DESCRIPTION, &device);
  kind.description = device.description;
  if (kind.description != NULL)
    acc_pjrt_call_freely (self->api, PJRT_DESCRIPTION_KIND, &kind);
  self->is_host = name.length == 3 && memcmp (name.text, "cpu", 3) == 0;

  return g_strdup_printf ("XLA by a PJRT plugin of version %d.%d: %.*s, %.*s", self->api->version.major, self->api->version.minor,
                          (int) name.length, name.text != NULL ? name.text : "", (int) kind.length, kind.text != NULL ? kind.text : "");
}

static gboolean
find_device (AccPjrtClient  *self,
             const char     *device,
             GError        **error)
{
  PjrtClientDevicesArgs devices = ACC_PJRT_ARGS (PjrtClientDevicesArgs, .client = self->client);
  guint64 number = 0;

  if (!acc_pjrt_call (self->api, PJRT_CLIENT_ADDRESSABLE_DEVICES, &devices, "PJRT plugin", error))
    return FALSE;
  if ((device != NULL && !g_ascii_string_to_unsigned (device, 10, 0, G_MAXUINT16, &number, NULL)) || number >= devices.n_devices)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "the PJRT plugin has %" G_GSIZE_FORMAT " devices, and no “%s”", devices.n_devices,
                   device != NULL ? device : "0");
      return FALSE;
    }
  self->device = devices.devices[number];
  self->number = (guint) number;

  return TRUE;
}

static PjrtBuffer *
make_zero (AccPjrtClient  *self,
           GError        **error)
{
  static const gint32 zero = 0;
  PjrtBufferFromHostArgs args = ACC_PJRT_ARGS (PjrtBufferFromHostArgs, .client = self->client, .data = &zero, .type = PJRT_TYPE_S32,
                                               .semantics = PJRT_HOST_DURING_CALL, .device = self->device);

  if (!acc_pjrt_call (self->api, PJRT_CLIENT_BUFFER_FROM_HOST, &args, "PJRT plugin", error) ||
      !acc_pjrt_await (self->api, args.done, "PJRT plugin", error))
    return NULL;

  return args.buffer;
}

AccPjrtClient *
acc_pjrt_client_new (const char  *device,
                     GError     **error)
{
  g_autoptr(AccPjrtClient) self = NULL;
  const char *path;
  const PjrtApi *api = acc_pjrt_plugin_get (&path, error);
  PjrtClientCreateArgs args = ACC_PJRT_ARGS (PjrtClientCreateArgs);

  if (api == NULL)
    return NULL;
  if (!acc_pjrt_call (api, PJRT_CLIENT_CREATE, &args, path, error))
    {
      if (error != NULL && *error != NULL)
        (*error)->code = ACC_ERROR_UNSUPPORTED;
      return NULL;
    }

  self = g_new0 (AccPjrtClient, 1);
  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  self->api = api;
  self->client = args.client;
  self->executables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) acc_pjrt_executable_unref);
  if (!find_device (self, device, error) || (self->zero = make_zero (self, error)) == NULL)
    return NULL;
  self->description = describe (self);

  return g_steal_pointer (&self);
}

AccPjrtClient *
acc_pjrt_client_ref (AccPjrtClient *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
acc_pjrt_client_unref (AccPjrtClient *self)
{
  PjrtClientArgs args = ACC_PJRT_ARGS (PjrtClientArgs, .client = self->client);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_hash_table_unref (self->executables);
  if (self->zero != NULL)
    acc_pjrt_buffer_free (self, self->zero);
  acc_pjrt_call_freely (self->api, PJRT_CLIENT_DESTROY, &args);
  g_clear_pointer (&self->budget, acc_budget_unref);
  g_clear_pointer (&self->host_budget, acc_budget_unref);
  g_mutex_clear (&self->lock);
  g_free (self->description);
  g_free (self);
}

/* --- code */

AccPjrtExecutable *
acc_pjrt_executable_ref (AccPjrtExecutable *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
acc_pjrt_executable_unref (AccPjrtExecutable *self)
{
  PjrtLoadedArgs args = ACC_PJRT_ARGS (PjrtLoadedArgs, .loaded = self->loaded);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  acc_pjrt_call_freely (self->client->api, PJRT_LOADED_DESTROY, &args);
  g_free (self);
}

static void
measure (AccPjrtExecutable *self)
{
  const PjrtApi *api = self->client->api;
  PjrtLoadedExecutableArgs args = ACC_PJRT_ARGS (PjrtLoadedExecutableArgs, .loaded = self->loaded);
  PjrtExecutableMemoryArgs memory = ACC_PJRT_ARGS (PjrtExecutableMemoryArgs);
  PjrtExecutableArgs gone = ACC_PJRT_ARGS (PjrtExecutableArgs);

  acc_pjrt_call_freely (api, PJRT_LOADED_EXECUTABLE, &args);
  if (args.executable == NULL)
    return;

  memory.executable = gone.executable = args.executable;
  acc_pjrt_call_freely (api, PJRT_EXECUTABLE_MEMORY, &memory);
  self->temporary_bytes = (guint64) MAX (memory.temporary_bytes, 0);
  acc_pjrt_call_freely (api, PJRT_EXECUTABLE_DESTROY, &gone);
}

/* CompileOptionsProto: one replica and one partition, on the device. */
static GByteArray *
make_options (AccPjrtClient *self)
{
  GByteArray *options = g_byte_array_new ();
  const guint8 build[] = { 0x08, (guint8) (self->number & 0x7f), 0x20, 1, 0x28, 1 };
  const guint8 head[] = { 0x1a, sizeof build };

  g_byte_array_append (options, head, sizeof head);
  g_byte_array_append (options, build, sizeof build);

  return options;
}

static AccPjrtExecutable *
compile (AccPjrtClient  *self,
         const char     *text,
         const char     *what,
         GError        **error)
{
  g_autoptr(GByteArray) options = make_options (self);
  PjrtProgram program = ACC_PJRT_ARGS (PjrtProgram, .code = (char *) text, .code_size = strlen (text), .format = "mlir", .format_size = 4);
  PjrtCompileArgs args = ACC_PJRT_ARGS (PjrtCompileArgs, .client = self->client, .program = &program, .options = options->data,
                                        .options_size = options->len);
  AccPjrtExecutable *executable;

  if (!acc_pjrt_call (self->api, PJRT_CLIENT_COMPILE, &args, what, error))
    return NULL;

  executable = g_new0 (AccPjrtExecutable, 1);
  g_atomic_ref_count_init (&executable->ref_count);
  executable->client = self;
  executable->loaded = args.loaded;
  measure (executable);

  return executable;
}

static gboolean
is_unused (gpointer key,
           gpointer value,
           gpointer data)
{
  return g_atomic_ref_count_compare (&((AccPjrtExecutable *) value)->ref_count, 1);
}

AccPjrtExecutable *
acc_pjrt_client_compile (AccPjrtClient  *self,
                         const char     *text,
                         const char     *what,
                         GError        **error)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  AccPjrtExecutable *executable = g_hash_table_lookup (self->executables, text);

  if (executable != NULL)
    return acc_pjrt_executable_ref (executable);

  executable = compile (self, text, what, error);
  if (executable == NULL)
    return NULL;
  if (g_hash_table_size (self->executables) >= MOST_EXECUTABLES)
    g_hash_table_foreach_remove (self->executables, is_unused, NULL);
  g_hash_table_insert (self->executables, g_strdup (text), executable);

  return acc_pjrt_executable_ref (executable);
}
