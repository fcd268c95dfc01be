/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* Decides from whose files this process runs code. Errors are of %G_IO_ERROR: %G_IO_ERROR_NOT_FOUND where there is nothing, else the
 * reason, with the name of what is wrong. */

/* Opens a folder for code that is run later: it belongs to the effective user and no other user may write it; nor may others replace it, or
 * a folder or link on the way to it, unless that is the way to the library, too. @create: makes missing folders. Returns a descriptor. */
int      acc_trust_open_folder  (const char *path, gboolean create, GError **error);
/* The same of a folder that is open, but for the way to it. */
gboolean acc_trust_check_folder (int folder, const char *path, GError **error);
/* A file in such a folder, for reading. Neither follows a link nor waits. */
int      acc_trust_open_file    (int folder, const char *file, GError **error);
/* A library in a folder: neither may be written by others than the effective user, the system and the owner of acc's own library,
 * nor, with @way, be replaced by them. */
gboolean acc_trust_check_module (const char *folder, const char *file, gboolean way, GError **error);
