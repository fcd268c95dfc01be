/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-external-walk-private.h"

/* Items that come in any order of the parts of an array that they belong to: a list for each part, in the order in which they came, in
 * blocks of one store. */

typedef struct {
  AccElementType *type;        /* of an item */
  guint      n_parts;
  gint64     block;            /* items that are written at once */
  AccStore  *store;            /* block after block */
  GArray   **begins;           /* of each part: where its blocks begin */
  gint64    *n_items;
  AccBuffer **blocks;          /* of each part, one that is being filled */
  gint64    *n_open, n_written;
} AccExternalLists;

/* Of at most @most items in all. */
gboolean acc_external_lists_init   (AccExternalLists *self, const AccExternalTask *task, AccElementType *type, guint n_parts, gint64 block,
                                    gint64 most, GError **error);
/* Where the next item of @part has its place in .blocks; -1: the error is set. */
gint64   acc_external_lists_add    (AccExternalLists *self, guint part, GError **error);
/* After the last item: writes what is left, and gives the memory back. */
gboolean acc_external_lists_finish (AccExternalLists *self, GError **error);
/* Block @nth of a list to @buffers from element @at on, *@n items. */
gboolean acc_external_lists_read   (AccExternalLists *self, guint part, guint nth, AccBuffer **buffers, gint64 at, gint64 *n,
                                    GError **error);
void     acc_external_lists_clear  (AccExternalLists *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccExternalLists, acc_external_lists_clear)
