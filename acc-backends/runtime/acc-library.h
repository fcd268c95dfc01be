/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/acc-foreign-private.h"
#include "acc-host.h"

G_BEGIN_DECLS

/* Libraries that are found at run time, and what their routines give. */

typedef struct {
  const char *name;
  gpointer   *function;
} AccLibrarySymbol;

/* The first of @names that is there and has all of @symbols; both end with NULL. It stays loaded. */
gboolean  acc_library_open      (const char *const *names, const AccLibrarySymbol *symbols);
/* An array of a type with one buffer, in memory of the pool that is still to be written to: at *@data. */
AccArray *acc_library_new_array (AccHost *host, AccElementType *type, const gint64 *extents, guint rank, const char *what, gpointer *data,
                                 GError **error);

G_END_DECLS
