/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* A file without a local path, as those of network file systems are, kept by another file. */
#define REMOTE_TYPE_FILE (remote_file_get_type ())
G_DECLARE_FINAL_TYPE (RemoteFile, remote_file, REMOTE, FILE, GObject)

GFile *remote_file_new (GFile *file);
