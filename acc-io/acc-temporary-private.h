/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* A new file beside the place of another, which it takes in one step. What is not an ordinary file (a device, a pipe) is
 * written itself. */
typedef struct _AccTemporary AccTemporary;

AccTemporary *acc_temporary_new    (const char *path, const char *name, GError **error);
/* Removes the file unless it was committed. */
void          acc_temporary_free   (AccTemporary *self);
gssize        acc_temporary_write  (AccTemporary *self, gconstpointer data, gsize size, GError **error);
/* To the disk, then to its place. */
gboolean      acc_temporary_commit (AccTemporary *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccTemporary, acc_temporary_free)

G_END_DECLS
