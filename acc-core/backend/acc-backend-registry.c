/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backend-private.h"

#include "acc-error.h"
#include "acc-module-abi.h"
#include "acc-core/base/acc-trust-private.h"

#include <dlfcn.h>
#include <gmodule.h>
#include <stdlib.h>
#include <string.h>

#define MODULE_PREFIX "libacc-backend-"
#define MODULE_SUFFIX ".so"

typedef struct {
  const char *name;
  GType     (*get_type) (void);
} Builtin;

/* Filled by constructor functions, before threads and perhaps before GLib is set up. */
static Builtin builtins[16];
static guint   n_builtins;

static GMutex      default_lock;
static AccBackend *default_backend;

static const char *known_names[] = { "interpreter", "native", "cuda", "vulkan", "opencl", "pjrt", "tensorflow" };

void
acc_backend_register_builtin (const char *name, GType (*get_type) (void))
{
  if (n_builtins < G_N_ELEMENTS (builtins))
    builtins[n_builtins++] = (Builtin) { name, get_type };
}

/* Where modules are, in the order of search. */
static GPtrArray *
list_folders (void)
{
  GPtrArray *folders = g_ptr_array_new_with_free_func (g_free);
  const char *given = secure_getenv ("ACC_BACKENDS_DIR");
  Dl_info info;

  if (given != NULL && *given != '\0')
    {
      g_auto(GStrv) parts = g_strsplit (given, ":", -1);

      for (guint i = 0; parts[i] != NULL; i++)
        if (*parts[i] != '\0')
          g_ptr_array_add (folders, g_strdup (parts[i]));

      return folders;
    }

  if (dladdr ((gpointer) acc_backend_register_builtin, &info) != 0 && info.dli_fname != NULL)
    {
      g_autofree char *library = g_canonicalize_filename (info.dli_fname, NULL);
      g_autofree char *folder = g_path_get_dirname (library);

      g_ptr_array_add (folders, g_build_filename (folder, ACC_BACKENDS_SUBDIR, NULL));
    }

  {
    g_autofree char *installed = g_build_filename (ACC_LIBDIR, ACC_BACKENDS_SUBDIR, NULL);

    if (!g_ptr_array_find_with_equal_func (folders, installed, g_str_equal, NULL))
      g_ptr_array_add (folders, g_steal_pointer (&installed));
  }

  return folders;
}

/* Names become parts of file names. */
static gboolean
is_plain_name (const char *name)
{
  if (*name == '\0' || strlen (name) > 64)
    return FALSE;

  for (const char *p = name; *p != '\0'; p++)
    if (!g_ascii_isalnum (*p) && *p != '-' && *p != '_')
      return FALSE;

  return TRUE;
}

/* Whether there is such a module, and it may be run. The folders beside the library, and where it was installed, are trusted as the library
 * is. @distrust: the first reason why not, which is a warning, too. */
static gboolean
is_trusted (const char *folder, const char *file, GError **distrust)
{
  const char *given = secure_getenv ("ACC_BACKENDS_DIR");
  g_autoptr(GError) error = NULL;

  if (acc_trust_check_module (folder, file, given != NULL && *given != '\0', &error))
    return TRUE;

  if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)
      && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY))
    {
      g_warning ("Ignoring the backend module %s in %s: %s", file, folder, error->message);
      if (*distrust == NULL)
        g_propagate_error (distrust, g_steal_pointer (&error));
    }

  return FALSE;
}

/* Whether it was built for this acc: what it takes for an operation may be another one otherwise. */
static gboolean
check_abi (GModule *module, const char *path, GError **error)
{
  AccBackendModuleGetAbi get_abi = NULL;
  const char *abi = NULL;

  if (g_module_symbol (module, ACC_BACKEND_MODULE_ABI_SYMBOL, (gpointer *) &get_abi) && get_abi != NULL)
    abi = get_abi ();
  if (g_strcmp0 (abi, ACC_MODULE_ABI) == 0)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s was built for acc %s, and this is acc %s", path,
               abi != NULL ? abi : "of an unknown version", ACC_MODULE_ABI);

  return FALSE;
}

static GType
load_module (const char *name, GError **error)
{
  g_autoptr(GPtrArray) folders = list_folders ();
  g_autofree char *file = g_strconcat (MODULE_PREFIX, name, MODULE_SUFFIX, NULL);
  g_autoptr(GString) searched = g_string_new (NULL);
  g_autoptr(GError) distrust = NULL;

  for (guint i = 0; i < folders->len; i++)
    {
      g_autofree char *path = g_build_filename (g_ptr_array_index (folders, i), file, NULL);
      AccBackendModuleGetType get_type;
      GModule *module;

      g_string_append_printf (searched, "%s%s", i > 0 ? ", " : "", (char *) g_ptr_array_index (folders, i));
      if (!is_trusted (g_ptr_array_index (folders, i), file, &distrust))
        continue;

      module = g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
      if (module == NULL)
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "backend “%s”: %s", name, g_module_error ());
          return G_TYPE_INVALID;
        }

      if (!g_module_symbol (module, ACC_BACKEND_MODULE_SYMBOL, (gpointer *) &get_type) || get_type == NULL)
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "backend “%s”: %s does not export %s",
                       name, path, ACC_BACKEND_MODULE_SYMBOL);
          g_module_close (module);
          return G_TYPE_INVALID;
        }

      if (!check_abi (module, path, error))
        {
          g_prefix_error (error, "backend “%s”: ", name);
          g_module_close (module);
          return G_TYPE_INVALID;
        }

      /* Its types are static. */
      g_module_make_resident (module);

      return get_type ();
    }

  if (distrust != NULL)
    g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "backend “%s” is not loaded: %s", name, distrust->message);
  else
    g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "backend “%s” is not installed: no %s in %s",
                 name, file, searched->str);

  return G_TYPE_INVALID;
}

static GType
find_type (const char *name, GError **error)
{
  GIOExtension *extension;

  g_type_ensure (ACC_TYPE_BACKEND);

  for (guint i = 0; i < n_builtins; i++)
    if (g_str_equal (builtins[i].name, name))
      return builtins[i].get_type ();

  extension = g_io_extension_point_get_extension_by_name (g_io_extension_point_lookup (ACC_BACKEND_EXTENSION_POINT),
                                                          name);
  if (extension != NULL)
    return g_io_extension_get_type (extension);

  if (!is_plain_name (name))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "“%s” is not the name of a backend", name);
      return G_TYPE_INVALID;
    }

  return load_module (name, error);
}

AccBackendClass *
acc_backend_find_exporter (GError **error)
{
  static const char *const names[] = { "tensorflow", "pjrt" };
  g_autoptr(GError) reason = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      GType type = find_type (names[i], reason == NULL ? &reason : NULL);
      AccBackendClass *klass = type != G_TYPE_INVALID && g_type_is_a (type, ACC_TYPE_BACKEND) ? g_type_class_ref (type) : NULL;

      if (klass != NULL && klass->export_program != NULL)
        return klass;
      if (klass != NULL)
        g_type_class_unref (klass);
    }
  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "no backend is there that exports programs: %s",
               reason != NULL ? reason->message : "those that are do not");

  return NULL;
}

static gboolean
check_environment (GError **error)
{
  const char *limit = secure_getenv ("ACC_MEMORY_LIMIT");
  guint64 bytes;

  if (limit == NULL || *limit == '\0' || acc_machine_parse_size (limit, &bytes, error))
    return TRUE;

  g_prefix_error (error, "ACC_MEMORY_LIMIT: ");

  return FALSE;
}

/* @lender: nullable. */
static AccBackend *
create (GType type, const char *device, AccBackend *lender, GError **error)
{
  g_autoptr(AccBackend) backend = g_object_new (type, "device", device, NULL);

  if (lender != NULL)
    acc_backend_borrow_budget (backend, lender);
  if (G_IS_INITABLE (backend) && !g_initable_init (G_INITABLE (backend), NULL, error))
    return NULL;

  return g_steal_pointer (&backend);
}

static AccBackend *
new_for_name (const char *name, AccBackend *lender, GError **error)
{
  g_auto(GStrv) parts = NULL;
  g_autoptr(AccBackend) backend = NULL;
  GType type;

  parts = g_strsplit (name, ":", 2);
  if (parts[0] == NULL)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "“” is not the name of a backend");
      return NULL;
    }

  if (!check_environment (error))
    return NULL;

  type = find_type (parts[0], error);
  if (type == G_TYPE_INVALID)
    return NULL;

  if (!g_type_is_a (type, ACC_TYPE_BACKEND) || G_TYPE_IS_ABSTRACT (type))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "backend “%s”: %s is not a backend",
                   parts[0], g_type_name (type));
      return NULL;
    }

  backend = create (type, parts[1], lender, error);
  if (backend == NULL)
    {
      g_prefix_error (error, "backend “%s”: ", name);
      return NULL;
    }

  if (g_str_equal (acc_backend_get_name (backend), G_OBJECT_TYPE_NAME (backend)))
    acc_backend_set_identity (backend, name, NULL, acc_backend_get_n_threads (backend));

  return g_steal_pointer (&backend);
}

AccBackend *
acc_backend_new_host (AccBackend *lender, GError **error)
{
  g_autoptr(GError) reason = NULL;
  AccBackend *backend = new_for_name ("native", lender, &reason);

  if (backend == NULL && g_error_matches (reason, ACC_ERROR, ACC_ERROR_UNSUPPORTED))
    {
      g_message ("%s; using the interpreter, which is slow", reason->message);
      return new_for_name ("interpreter", lender, error);
    }
  if (backend == NULL)
    g_propagate_error (error, g_steal_pointer (&reason));

  return backend;
}

/**
 * acc_backend_new_for_name:
 * @name: `native`, `interpreter`, `cuda:0` …: the name of a backend and, after a colon, of one of its devices
 * @error: return location for an error
 *
 * Creates a backend, with threads and a memory limit of its own. The backend's module is loaded when it is first asked for.
 *
 * Fails with %ACC_ERROR_UNSUPPORTED where the backend is not installed or the device is absent (the message says why), with
 * %ACC_ERROR_PARSE where the environment variable `ACC_MEMORY_LIMIT` is no size.
 *
 * Returns: (transfer full): the backend
 */
AccBackend *
acc_backend_new_for_name (const char *name, GError **error)
{
  g_return_val_if_fail (name != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return new_for_name (name, NULL, error);
}

/**
 * acc_backend_get_default:
 * @error: return location for an error
 *
 * Returns the backend that is used where none is named.
 *
 * It is the one that the environment variable `ACC_BACKEND` names, else `native`, else `interpreter` where `native` is not
 * installed. Every call returns the same object.
 *
 * Fails as [func@Acc.Backend.new_for_name] does.
 *
 * Returns: (transfer none): the backend, %NULL on error
 */
AccBackend *
acc_backend_get_default (GError **error)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&default_lock);
  const char *name = secure_getenv ("ACC_BACKEND");

  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (default_backend != NULL)
    return default_backend;

  if (name != NULL && *name != '\0')
    {
      default_backend = acc_backend_new_for_name (name, error);
      if (default_backend == NULL)
        g_prefix_error (error, "ACC_BACKEND: ");
      return default_backend;
    }

  default_backend = acc_backend_new_host (NULL, error);

  return default_backend;
}

static void
add_name (GPtrArray *names, const char *name)
{
  if (!g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
    g_ptr_array_add (names, g_strdup (name));
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char * const *) a, *(const char * const *) b);
}

static void
add_module_names (GPtrArray *names)
{
  g_autoptr(GPtrArray) folders = list_folders ();
  g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < folders->len; i++)
    {
      g_autoptr(GDir) dir = g_dir_open (g_ptr_array_index (folders, i), 0, NULL);
      const char *file;

      while (dir != NULL && (file = g_dir_read_name (dir)) != NULL)
        if (g_str_has_prefix (file, MODULE_PREFIX) && g_str_has_suffix (file, MODULE_SUFFIX))
          {
            gsize length = strlen (file) - strlen (MODULE_PREFIX) - strlen (MODULE_SUFFIX);
            g_autofree char *name = g_strndup (file + strlen (MODULE_PREFIX), length);

            if (is_plain_name (name))
              add_name (found, name);
          }
    }

  g_ptr_array_sort (found, compare_names);
  for (guint i = 0; i < found->len; i++)
    add_name (names, g_ptr_array_index (found, i));
}

static GPtrArray *
list_names (void)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  g_type_ensure (ACC_TYPE_BACKEND);

  for (guint i = 0; i < G_N_ELEMENTS (known_names); i++)
    add_name (names, known_names[i]);
  for (guint i = 0; i < n_builtins; i++)
    add_name (names, builtins[i].name);
  for (GList *l = g_io_extension_point_get_extensions (g_io_extension_point_lookup (ACC_BACKEND_EXTENSION_POINT));
       l != NULL; l = l->next)
    add_name (names, g_io_extension_get_name (l->data));
  add_module_names (names);

  return names;
}

static AccBackendInfo *
describe_backend (const char *name)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) backend = acc_backend_new_for_name (name, &error);

  if (backend == NULL)
    return g_object_new (ACC_TYPE_BACKEND_INFO, "name", name, "reason", error->message, NULL);

  return g_object_new (ACC_TYPE_BACKEND_INFO,
                       "name", acc_backend_get_name (backend),
                       "description", acc_backend_get_description (backend),
                       "memory", acc_backend_get_memory_limit (backend),
                       "n-threads", acc_backend_get_n_threads (backend),
                       NULL);
}

/* Several devices of one kind are several backends. */
static void
append_devices (GListStore *list, const char *name)
{
  GType type = find_type (name, NULL);
  AccBackendClass *klass = type != G_TYPE_INVALID && g_type_is_a (type, ACC_TYPE_BACKEND) ? g_type_class_ref (type) : NULL;
  g_auto(GStrv) devices = klass != NULL && klass->list_devices != NULL ? klass->list_devices (klass) : NULL;
  guint n = devices != NULL ? g_strv_length (devices) : 0;

  for (guint i = 0; i < MAX (n, 1); i++)
    {
      g_autofree char *full = n > 1 ? g_strconcat (name, ":", devices[i], NULL) : g_strdup (name);
      g_autoptr(AccBackendInfo) info = describe_backend (full);

      g_list_store_append (list, info);
    }

  if (klass != NULL)
    g_type_class_unref (klass);
}

/**
 * acc_backend_list:
 *
 * Lists every known backend: those that can be used, and the absent ones with the reason.
 *
 * Where a backend has several devices, each is listed with its number (`cuda:0`, `cuda:1`). The call loads every module and
 * tries every device, which takes a while. There are no errors.
 *
 * Returns: (transfer full): a list of [class@Acc.BackendInfo]
 */
GListModel *
acc_backend_list (void)
{
  g_autoptr(GPtrArray) names = list_names ();
  GListStore *list = g_list_store_new (ACC_TYPE_BACKEND_INFO);

  for (guint i = 0; i < names->len; i++)
    append_devices (list, g_ptr_array_index (names, i));

  return G_LIST_MODEL (list);
}
