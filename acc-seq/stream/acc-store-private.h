/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"
#include "acc-array.h"
#include "acc-sink.h"
#include "acc-source.h"

/* Elements of an array in a temporary file that has no name: they are written by rows, in order, and read as those of any array. Space
 * counts against the quota of the backend until the last reference is gone, with which the file goes. */
typedef struct _AccStore AccStore;

/* @what: for messages. Takes the space. ACC_ERROR_OUT_OF_MEMORY where the quota does not allow it, ACC_ERROR_IO where the
 * folder does not: both tell how much was wanted. */
AccStore *acc_store_new         (AccBackend *backend, AccElementType *type, AccShape *shape, const char *what, GError **error);
/* Of a vector of at most @most elements, which takes space as they are written. */
AccStore *acc_store_new_growing (AccBackend *backend, AccElementType *type, gint64 most, const char *what, GError **error);
void      acc_store_unref       (AccStore *self);
/* Elements [first, first + n), by an address for each buffer; reading leaves them out of the page cache. */
gboolean  acc_store_write       (AccStore *self, gint64 first, gint64 n, gpointer *addresses, GError **error);
gboolean  acc_store_read        (AccStore *self, gint64 first, gint64 n, gpointer *addresses, GError **error);
/* The same from and to buffers on the host, where the first is element @at. */
gboolean  acc_store_write_from  (AccStore *self, gint64 first, gint64 n, AccBuffer **from, gint64 at, GError **error);
gboolean  acc_store_read_to     (AccStore *self, gint64 first, gint64 n, AccBuffer **to, gint64 at, GError **error);
/* The same will be read soon: the disk begins with it. */
void      acc_store_expect      (AccStore *self, gint64 first, gint64 n);
/* A growing one has @n_elements now. */
void      acc_store_close       (AccStore *self, gint64 n_elements);
/* What writes all rows; to a growing one as many as come. */
AccSink  *acc_store_new_sink    (AccStore *self);
/* The same with all rows of a source. */
gboolean  acc_store_fill        (AccStore *self, AccSource *source, GCancellable *cancellable, GError **error);
/* The elements, once all rows are written; the array keeps the store. */
AccArray *acc_store_dup_array   (AccStore *self, GError **error);
/* Whether the elements of a manifest array are in a store. */
gboolean  acc_store_holds       (AccArray *array);
/* All rows of a source in memory, without a store. */
AccArray *acc_store_read_source (AccBackend *backend, AccSource *source, GCancellable *cancellable, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccStore, acc_store_unref)
