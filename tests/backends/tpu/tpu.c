/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tpu.h"

#include "acc-backends/pjrt/acc-pjrt-client.h"

#include "acc-error.h"

#include <dlfcn.h>
#include <string.h>

/* Places in the table that the backend has no use for. */
enum {
  TOPOLOGY_CREATE = 82,
  COMPILE = 89,
};

typedef struct { PJRT_HEAD; const char *name; gsize length; gconstpointer options; gsize n_options; gpointer topology; } TopologyArgs;

typedef struct {
  PJRT_HEAD;
  gpointer           topology;
  const PjrtProgram *program;
  gconstpointer      options;
  gsize              options_size;
  PjrtClient        *client;
  PjrtExecutable    *executable;
} CompileArgs;

static GMutex lock;
static const PjrtApi *api;
static gpointer topology;

gboolean
tpu_open (GError **error)
{
  const char *path = g_getenv ("ACC_TPU_LIBRARY"), *name = g_getenv ("ACC_TPU_TOPOLOGY");
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&lock);
  gpointer library;
  const PjrtApi *(*get) (void);
  PjrtPluginArgs plugin = ACC_PJRT_ARGS (PjrtPluginArgs);
  TopologyArgs args = ACC_PJRT_ARGS (TopologyArgs);

  if (topology != NULL)
    return TRUE;

  /* There is no machine to ask for its TPUs, and no TPU that processes would take from each other. */
  g_setenv ("ALLOW_MULTIPLE_LIBTPU_LOAD", "1", TRUE);
  g_setenv ("TPU_SKIP_MDS_QUERY", "1", TRUE);
  g_setenv ("TPU_ACCELERATOR_TYPE", "v5litepod-4", FALSE);
  g_setenv ("TPU_WORKER_HOSTNAMES", "localhost", FALSE);
  library = dlopen (path != NULL ? path : "libtpu.so", RTLD_NOW | RTLD_LOCAL);
  get = library != NULL ? dlsym (library, "GetPjrtApi") : NULL;
  if (get == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "no libtpu: %s", dlerror ());
      return FALSE;
    }

  api = get ();
  args.name = name != NULL ? name : "v5e:2x2";
  args.length = strlen (args.name);
  if (!acc_pjrt_call (api, PJRT_PLUGIN_INITIALIZE, &plugin, "libtpu", error)
      || !acc_pjrt_call (api, TOPOLOGY_CREATE, &args, args.name, error))
    return FALSE;
  topology = args.topology;

  return TRUE;
}

gboolean
tpu_compile (const char  *text,
             const char  *what,
             GError     **error)
{
  g_autoptr(GByteArray) options = acc_pjrt_make_options (0, 0);
  PjrtProgram program = ACC_PJRT_ARGS (PjrtProgram, .code = (char *) text, .code_size = strlen (text), .format = "mlir", .format_size = 4);
  CompileArgs args = ACC_PJRT_ARGS (CompileArgs, .topology = topology, .program = &program, .options = options->data,
                                    .options_size = options->len);
  PjrtExecutableArgs gone = ACC_PJRT_ARGS (PjrtExecutableArgs);

  if (!acc_pjrt_call (api, COMPILE, &args, what, error))
    return FALSE;

  g_assert_nonnull (args.executable);
  gone.executable = args.executable;
  acc_pjrt_call_freely (api, PJRT_EXECUTABLE_DESTROY, &gone);

  return TRUE;
}
