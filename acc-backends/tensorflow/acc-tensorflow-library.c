/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-tensorflow-library.h"

#include "acc-error.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The oldest whose operation for modules takes them as text. */
#define OLDEST_MAJOR 2
#define OLDEST_MINOR 13

/* Names that the system's loader knows, and the folder of packages for all users. */
static const char *const names[] = {
  "libtensorflow_cc.so.2",
  "libtensorflow.so.2",
  "/usr/lib/python3/dist-packages/tensorflow/libtensorflow_cc.so.2",
};

gboolean
acc_tensorflow_check (const AccTensorflow  *api,
                      const TfStatus       *status,
                      const char           *what,
                      GError              **error)
{
  gint code = api->GetCode (status);

  if (code == TF_CODE_OK)
    return TRUE;

  g_set_error (error, ACC_ERROR,
               code == TF_CODE_RESOURCE_EXHAUSTED ? ACC_ERROR_OUT_OF_MEMORY
               : code == TF_CODE_UNIMPLEMENTED    ? ACC_ERROR_UNSUPPORTED
                                                  : ACC_ERROR_COMPILE,
               "%s: %.2000s", what, api->Message (status));

  return FALSE;
}

/* --- the library */

/* Neither .is_open nor .failure: nobody has looked for it. */
static GMutex        lock;
static AccTensorflow functions;
static gboolean      is_open;
static GError       *failure;

static gboolean
check_version (const char  *path,
               GError     **error)
{
  const char *version = functions.Version ();
  char *end = NULL;
  guint64 major = g_ascii_strtoull (version, &end, 10), minor = *end == '.' ? g_ascii_strtoull (end + 1, NULL, 10) : 0;

  if (major == OLDEST_MAJOR && minor >= OLDEST_MINOR)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s is TensorFlow %s, and %d.%d or later of %d is needed", path, version,
               OLDEST_MAJOR, OLDEST_MINOR, OLDEST_MAJOR);

  return FALSE;
}

static gboolean
find_functions (gpointer     library,
                const char  *path,
                GError     **error)
{
#define X(result, name, arguments) { "TF_" #name, G_STRUCT_OFFSET (AccTensorflow, name) },
  static const struct {
    const char *name;
    gsize       offset;
  } table[] = { ACC_TENSORFLOW_FUNCTIONS (X) };
#undef X

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      gpointer function = dlsym (library, table[i].name);

      if (function == NULL)
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s is not TensorFlow's C library: it has no %s", path, table[i].name);
          return FALSE;
        }
      memcpy ((char *) &functions + table[i].offset, &function, sizeof function);
    }

  return check_version (path, error);
}

/* Locally: it brings an LLVM of its own. */
static gboolean
open_library (const char  *path,
              GError     **error)
{
  gpointer library = dlopen (path, RTLD_NOW | RTLD_LOCAL);

  if (library == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "no TensorFlow: %s", dlerror ());
      return FALSE;
    }
  /* Its threads and registers are for ever: it is not closed. */
  is_open = find_functions (library, path, error);

  return is_open;
}

static void
find_library (void)
{
  const char *given = secure_getenv ("ACC_TENSORFLOW_LIBRARY");

  if (given != NULL && *given != '\0')
    {
      open_library (given, &failure);
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (open_library (names[i], NULL))
      return;
  failure = g_error_new (ACC_ERROR, ACC_ERROR_UNSUPPORTED, "no TensorFlow is found: ACC_TENSORFLOW_LIBRARY names its C library");
}

const AccTensorflow *
acc_tensorflow_get (GError **error)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&lock);

  if (!is_open && failure == NULL)
    find_library ();
  if (failure != NULL && error != NULL)
    *error = g_error_copy (failure);

  return is_open ? &functions : NULL;
}
