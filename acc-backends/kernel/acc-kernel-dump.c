/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-private.h"

#include "acc-core/acc-backend-private.h"

#include <string.h>

void
_acc_dump_file (const char *name,
                const char *text,
                gsize       length)
{
  const char *folder = g_getenv ("ACC_DUMP_DIR");
  g_autofree char *safe = NULL, *path = NULL;
  g_autoptr (GError) error = NULL;

  if (folder == NULL)
    return;

  safe = g_strdelimit (g_strdup (name), G_DIR_SEPARATOR_S, '_');
  path = g_build_filename (folder, safe, NULL);
  if (!g_file_set_contents (path, text, length, &error))
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
