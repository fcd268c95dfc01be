/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-private.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/base/acc-error-private.h"
#include "acc-core/base/acc-temporary-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Shows emitted forms of kernels for ACC_DEBUG=kernels, and writes them to ACC_DUMP_DIR. */

static gboolean
write_file (int         folder,
            const char *name,
            const char *text,
            gsize       length,
            GError    **error)
{
  g_autoptr(AccTemporary) file = acc_temporary_new_in (folder, name, name, error);

  return file != NULL && acc_temporary_write (file, text, length, error) && acc_temporary_commit (file, FALSE, error);
}

void
_acc_dump_file (const char *name,
                const char *text,
                gsize       length)
{
  const char *path = secure_getenv ("ACC_DUMP_DIR");
  g_autofree char *safe = NULL;
  g_autoptr(GError) error = NULL;
  int folder;

  if (path == NULL)
    return;

  safe = g_strdelimit (g_strdup (name), G_DIR_SEPARATOR_S, '_');
  folder = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    acc_error_set_errno (&error, "opening", path, errno);
  else
    {
      write_file (folder, safe, text, length, &error);
      close (folder);
    }
  if (error != NULL)
    g_printerr ("%s\n", error->message);
}

void
_acc_kernel_dump (AccKernel  *kernel,
                  const char *what,
                  const char *text,
                  gsize       length)
{
  g_autofree char *name = NULL;

  if ((acc_debug_get_flags () & ACC_DEBUG_KERNELS) == 0)
    return;

  g_printerr ("--- %s.%s\n%.*s\n", acc_kernel_get_name (kernel), what, (int) length, text);
  name = g_strdup_printf ("%s-%.8s.%s", acc_kernel_get_name (kernel), acc_kernel_get_hash (kernel), what);
  _acc_dump_file (name, text, length);
}

void
_acc_kernel_dump_source (AccKernel  *kernel,
                         const char *what,
                         const char *source)
{
  g_autofree char *text = NULL;

  if ((acc_debug_get_flags () & ACC_DEBUG_KERNELS) == 0)
    return;

  text = acc_kernel_to_string (kernel);
  _acc_kernel_dump (kernel, "kernel", text, strlen (text));
  _acc_kernel_dump (kernel, what, source, strlen (source));
}
