/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib/gstdio.h>

/* With the files in it. */
static inline void
remove_directory (const char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);

      g_unlink (path);
    }
  g_rmdir (directory);
}
