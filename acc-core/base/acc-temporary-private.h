/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

/* A new file that replaces an old one in one step when it is complete. Until then it has no name, if the file system can do that, so that
 * nothing is left if the process ends; else it has a temporary name, and is locked. What is not an ordinary file (a device, a pipe) is
 * written directly. */
typedef struct _AccTemporary AccTemporary;

/* A link is followed, one that dangles, too: the file takes the place that it names. The permissions of a file that is
 * replaced are kept. @name: for messages. */
AccTemporary *acc_temporary_new    (const char *path, const char *name, GError **error);
/* Takes the place of whatever has the name @file in the open folder @folder, which stays the caller's; nothing is followed. */
AccTemporary *acc_temporary_new_in (int folder, const char *file, const char *name, GError **error);
/* The place that a file takes which is written by @path: links are followed. NULL where that is a device, which keeps nothing, or not
 * known. */
char         *acc_temporary_find_place (const char *path);
/* Removes the file unless it was committed. */
void          acc_temporary_free   (AccTemporary *self);
gboolean      acc_temporary_write  (AccTemporary *self, gconstpointer data, gsize size, GError **error);
/* Again, at the beginning, of what was written; of an ordinary file. */
gboolean      acc_temporary_rewrite (AccTemporary *self, gconstpointer data, gsize size, GError **error);
/* To the disk, so that little can fail when it goes to its place. */
gboolean      acc_temporary_sync   (AccTemporary *self, GError **error);
/* In place of what was written and of commit: the file @path, which is closed, gets the permissions and the place. FALSE without an error:
 * it is on another file system, or there is no place. */
gboolean      acc_temporary_take   (AccTemporary *self, const char *path, GError **error);
/* @durable: to the disk, then to its place. */
gboolean      acc_temporary_commit (AccTemporary *self, gboolean durable, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccTemporary, acc_temporary_free)
