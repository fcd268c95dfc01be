/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

/* Bytes from a file or stream, in order. Local files are read by pread(), everything else by GIO. Small reads go through a
 * buffer, large ones straight into the caller's memory. Errors are %ACC_ERROR_IO with the name, or a cancellation. */
typedef struct _AccByteReader AccByteReader;

#define ACC_BYTE_READER_BUFFER (16 * 1024)

AccByteReader *acc_byte_reader_new_for_file   (GFile *file, GCancellable *cancellable, GError **error);
AccByteReader *acc_byte_reader_new_for_stream (GInputStream *stream);
void           acc_byte_reader_free           (AccByteReader *self);
const char    *acc_byte_reader_get_name       (AccByteReader *self);
gboolean       acc_byte_reader_can_seek       (AccByteReader *self);
/* Bytes in all, -1 where unknown */
gint64         acc_byte_reader_get_size       (AccByteReader *self);
/* As acc_source_dup_identity() does; NULL without an error of a stream. */
char          *acc_byte_reader_dup_identity   (AccByteReader *self, GError **error);
/* Looks at the next bytes without taking them; @size is small. *@n_read is less at the end only. */
gboolean       acc_byte_reader_peek           (AccByteReader *self, gpointer data, gsize size, gsize *n_read, GCancellable *cancellable,
                                               GError **error);
/* The position from the beginning. A stream that cannot seek goes forwards only: %ACC_ERROR_STREAM. */
gboolean       acc_byte_reader_seek           (AccByteReader *self, guint64 position, GCancellable *cancellable, GError **error);
/* *@n_read is less than @size at the end only. */
gboolean       acc_byte_reader_read           (AccByteReader *self, gpointer data, gsize size, gsize *n_read, GCancellable *cancellable,
                                               GError **error);
/* At least a byte, and more as long as none has to be waited for. *@n_read is 0 at the end, and what came before it on an error. */
gboolean       acc_byte_reader_read_ready     (AccByteReader *self, gpointer data, gsize size, gsize *n_read, GCancellable *cancellable,
                                               GError **error);
/* Whether a byte, the end or an error is there without waiting, as far as the stream can tell. */
gboolean       acc_byte_reader_is_ready       (AccByteReader *self);
/* Gives the buffer's memory back; what was buffered can be read still. */
void           acc_byte_reader_rest           (AccByteReader *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccByteReader, acc_byte_reader_free)
