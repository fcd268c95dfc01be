/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-pjrt-client.h"

#include "acc-backends/xla/acc-protobuf.h"

#include <string.h>

/* Modules, compiled: where the plugin can write code down, once on this machine. */

void
acc_pjrt_executable_free (AccPjrtExecutable *self)
{
  PjrtLoadedArgs args = ACC_PJRT_ARGS (PjrtLoadedArgs, .loaded = self->loaded);

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

/* Fields of the messages of XLA's options */
enum {
  OPTIONS_BUILD = 3, OPTIONS_OVERRIDE = 7,
  BUILD_DEVICE = 1, BUILD_N_REPLICAS = 4, BUILD_N_PARTITIONS = 5, BUILD_ASSIGNMENT = 9,
  ASSIGNMENT_N_REPLICAS = 1, ASSIGNMENT_N_PARTITIONS = 2, ASSIGNMENT_PARTITIONS = 3,
  PARTITION_DEVICES = 1,
  OVERRIDE_BOOL = 2,
};

GByteArray *
acc_pjrt_make_options (guint device,
                       gint  id)
{
  AccProtobuf *options = acc_protobuf_new (), *build = acc_protobuf_new (), *is_allowed = acc_protobuf_new ();
  AccProtobuf *assignment = acc_protobuf_new (), *partition = acc_protobuf_new ();

  acc_protobuf_add_integer (partition, PARTITION_DEVICES, id);
  acc_protobuf_add_integer (assignment, ASSIGNMENT_N_REPLICAS, 1);
  acc_protobuf_add_integer (assignment, ASSIGNMENT_N_PARTITIONS, 1);
  acc_protobuf_add_message (assignment, ASSIGNMENT_PARTITIONS, partition);
  acc_protobuf_add_integer (build, BUILD_DEVICE, device);
  acc_protobuf_add_integer (build, BUILD_N_REPLICAS, 1);
  acc_protobuf_add_integer (build, BUILD_N_PARTITIONS, 1);
  acc_protobuf_add_message (build, BUILD_ASSIGNMENT, assignment);
  acc_protobuf_add_message (options, OPTIONS_BUILD, build);
  acc_protobuf_add_integer (is_allowed, OVERRIDE_BOOL, FALSE);
  acc_protobuf_add_entry (options, OPTIONS_OVERRIDE, "xla_allow_excess_precision", is_allowed);

  return options;
}

static AccPjrtExecutable *
executable_new (AccPjrtClient *client,
                PjrtLoaded    *loaded)
{
  AccPjrtExecutable *self = g_new0 (AccPjrtExecutable, 1);

  self->client = client;
  self->loaded = loaded;
  measure (self);

  return self;
}

/* --- on disk */

/* What an earlier process compiled; NULL: nothing that can be used. */
static AccPjrtExecutable *
load (AccPjrtClient *self,
      const char    *hash)
{
  g_autoptr(GBytes) bytes = self->cache != NULL ? acc_kernel_cache_lookup (self->cache, hash, self->target) : NULL;
  PjrtDeserializeArgs args = ACC_PJRT_ARGS (PjrtDeserializeArgs, .client = self->client);

  if (bytes == NULL)
    return NULL;

  args.bytes = g_bytes_get_data (bytes, &args.n_bytes);
  if (!acc_pjrt_call (self->api, PJRT_DESERIALIZE_AND_LOAD, &args, "plugin", NULL))
    return NULL;

  return executable_new (self, args.loaded);
}

/* Where the plugin can write it down. */
static void
store (AccPjrtClient     *self,
       AccPjrtExecutable *executable,
       const char        *hash)
{
  PjrtLoadedExecutableArgs inner = ACC_PJRT_ARGS (PjrtLoadedExecutableArgs, .loaded = executable->loaded);
  PjrtSerializeArgs args = ACC_PJRT_ARGS (PjrtSerializeArgs);
  PjrtExecutableArgs gone = ACC_PJRT_ARGS (PjrtExecutableArgs);

  if (self->cache == NULL || !acc_pjrt_call (self->api, PJRT_LOADED_EXECUTABLE, &inner, "plugin", NULL))
    return;

  args.executable = gone.executable = inner.executable;
  if (acc_pjrt_call (self->api, PJRT_EXECUTABLE_SERIALIZE, &args, "plugin", NULL))
    {
      g_autoptr(GBytes) bytes = g_bytes_new (args.bytes, args.n_bytes);

      acc_kernel_cache_store (self->cache, hash, self->target, bytes);
      if (args.free_serialized != NULL)
        args.free_serialized (args.serialized);
    }
  acc_pjrt_call_freely (self->api, PJRT_EXECUTABLE_DESTROY, &gone);
}

/* --- compiling */

AccPjrtExecutable *
acc_pjrt_client_compile (AccPjrtClient  *self,
                         const char     *text,
                         const char     *what,
                         GError        **error)
{
  g_autoptr(GByteArray) options = acc_pjrt_make_options (self->number, self->id);
  PjrtProgram program = ACC_PJRT_ARGS (PjrtProgram, .code = (char *) text, .code_size = strlen (text), .format = "mlir", .format_size = 4);
  PjrtCompileArgs args = ACC_PJRT_ARGS (PjrtCompileArgs, .client = self->client, .program = &program, .options = options->data,
                                        .options_size = options->len);
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  AccPjrtExecutable *executable = load (self, hash);

  if (executable != NULL)
    return executable;
  if (!acc_pjrt_call (self->api, PJRT_CLIENT_COMPILE, &args, what, error))
    return NULL;

  executable = executable_new (self, args.loaded);
  store (self, executable, hash);

  return executable;
}
