/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-pjrt-plugin.h"

#include "acc-error.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The last function that is called must be in the table, and arguments as they are declared. */
#define OLDEST_MINOR 54

/* Names that the system's loader knows, and folders of packages for all users. */
static const char *const names[] = {
  "libtpu.so", "xla_cuda_plugin.so", "pjrt_c_api_cpu_plugin.so",
  "/usr/lib/python3/dist-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so",
  "/usr/lib/python3/dist-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so",
  "/usr/lib/python3/dist-packages/libtpu/libtpu.so",
};

/* --- calls */

gboolean
acc_pjrt_call (const PjrtApi  *api,
               guint           function,
               gpointer        arguments,
               const char     *what,
               GError        **error)
{
  PjrtError *failure = api->functions[function] (arguments);
  PjrtErrorMessageArgs message = ACC_PJRT_ARGS (PjrtErrorMessageArgs, .error = failure);
  PjrtErrorCodeArgs code = ACC_PJRT_ARGS (PjrtErrorCodeArgs, .error = failure);
  PjrtErrorArgs gone = ACC_PJRT_ARGS (PjrtErrorArgs, .error = failure);
  PjrtError *other;

  if (failure == NULL)
    return TRUE;

  api->functions[PJRT_ERROR_MESSAGE] (&message);
  other = api->functions[PJRT_ERROR_CODE] (&code);
  if (other != NULL)
    code.code = 0;
  g_set_error (error, ACC_ERROR,
               code.code == PJRT_CODE_RESOURCE_EXHAUSTED ? ACC_ERROR_OUT_OF_MEMORY
               : code.code == PJRT_CODE_UNIMPLEMENTED ? ACC_ERROR_UNSUPPORTED : ACC_ERROR_COMPILE,
               "%s: %.*s", what, (int) MIN (message.length, 2000), message.message != NULL ? message.message : "");
  api->functions[PJRT_ERROR_DESTROY] (&gone);

  return FALSE;
}

void
acc_pjrt_call_freely (const PjrtApi *api,
                      guint          function,
                      gpointer       arguments)
{
  acc_pjrt_call (api, function, arguments, "plugin", NULL);
}

gboolean
acc_pjrt_await (const PjrtApi  *api,
                PjrtEvent      *event,
                const char     *what,
                GError        **error)
{
  PjrtEventArgs args = ACC_PJRT_ARGS (PjrtEventArgs, .event = event);
  gboolean ok;

  if (event == NULL)
    return TRUE;

  ok = acc_pjrt_call (api, PJRT_EVENT_AWAIT, &args, what, error);
  acc_pjrt_call_freely (api, PJRT_EVENT_DESTROY, &args);

  return ok;
}

/* --- the plugin */

/* Neither .api nor .failure: nobody has looked for it. */
typedef struct {
  const PjrtApi *api;
  char          *path;
  GError        *failure;
} Plugin;

static GMutex lock;
static Plugin plugin;

static gboolean
check_version (const PjrtApi *api,
               const char    *path,
               GError       **error)
{
  gsize needed = G_STRUCT_OFFSET (PjrtApi, functions) + (PJRT_EXECUTABLE_MEMORY + 1) * sizeof (PjrtFunction);

  if (api->version.major == 0 && api->version.minor >= OLDEST_MINOR && api->size >= needed)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s has version %d.%d of the PJRT interface, and 0.%d or later of 0 is needed",
               path, api->version.major, api->version.minor, OLDEST_MINOR);

  return FALSE;
}

/* Locally: plugins bring an LLVM of their own. */
static gboolean
open_plugin (const char  *path,
             GError     **error)
{
  gpointer library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  const PjrtApi *(*get) (void) = library != NULL ? dlsym (library, "GetPjrtApi") : NULL;
  PjrtPluginArgs args = ACC_PJRT_ARGS (PjrtPluginArgs);
  const PjrtApi *api;

  if (library == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "no PJRT plugin: %s", dlerror ());
      return FALSE;
    }
  if (get == NULL || (api = get ()) == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s is no PJRT plugin: it has no GetPjrtApi", path);
      dlclose (library);
      return FALSE;
    }
  if (!check_version (api, path, error) || !acc_pjrt_call (api, PJRT_PLUGIN_INITIALIZE, &args, path, error))
    return FALSE;

  plugin.api = api;
  plugin.path = g_strdup (path);

  return TRUE;
}

/* "name:path,name:path", as other frameworks have it. */
static gboolean
open_listed (const char  *list,
             GError     **error)
{
  g_auto(GStrv) entries = g_strsplit (list, ",", -1);

  for (guint i = 0; entries[i] != NULL; i++)
    {
      const char *path = strchr (entries[i], ':');

      if (path != NULL)
        return open_plugin (path + 1, error);
    }
  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "PJRT_NAMES_AND_LIBRARY_PATHS names no plugin");

  return FALSE;
}

static void
find_plugin (void)
{
  const char *given = secure_getenv ("ACC_PJRT_PLUGIN"), *list = secure_getenv ("PJRT_NAMES_AND_LIBRARY_PATHS");

  if (given != NULL && *given != '\0')
    {
      open_plugin (given, &plugin.failure);
      return;
    }
  if (list != NULL && *list != '\0')
    {
      open_listed (list, &plugin.failure);
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (open_plugin (names[i], NULL))
      return;
  plugin.failure = g_error_new (ACC_ERROR, ACC_ERROR_UNSUPPORTED, "no PJRT plugin is found: ACC_PJRT_PLUGIN names one");
}

const PjrtApi *
acc_pjrt_plugin_get (const char **path,
                     GError     **error)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&lock);

  if (plugin.api == NULL && plugin.failure == NULL)
    find_plugin ();
  if (plugin.failure != NULL && error != NULL)
    *error = g_error_copy (plugin.failure);
  *path = plugin.path;

  return plugin.api;
}
