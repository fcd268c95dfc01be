/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

/* Bytes into a file or stream, in order. A local file is written beside its place under an unpredictable name, and takes
 * its place in one step when it is complete: until then an existing file stays as it is. Other files are left to
 * g_file_replace(), which keeps the same promise where it can. A stream is closed by commit and left alone by abort.
 * Errors are %ACC_ERROR_IO with the name, or a cancellation. */
typedef struct _AccByteWriter AccByteWriter;

#define ACC_BYTE_WRITER_BUFFER (16 * 1024)

AccByteWriter *acc_byte_writer_new_for_file   (GFile *file);
AccByteWriter *acc_byte_writer_new_for_stream (GOutputStream *stream);
void           acc_byte_writer_free           (AccByteWriter *self);
const char    *acc_byte_writer_get_name       (AccByteWriter *self);
/* NULL: a stream of the caller's. */
GFile         *acc_byte_writer_get_file       (AccByteWriter *self);
/* The caller's; NULL: a file, or a stream that was committed. */
GOutputStream *acc_byte_writer_get_stream     (AccByteWriter *self);
gboolean       acc_byte_writer_open           (AccByteWriter *self, GCancellable *cancellable, GError **error);
gboolean       acc_byte_writer_write          (AccByteWriter *self, gconstpointer data, gsize size, GCancellable *cancellable,
                                               GError **error);
/* Whether the beginning can be written again; asked before it is opened, too. */
gboolean       acc_byte_writer_can_rewrite    (AccByteWriter *self);
/* Its first bytes again: at most as many as were written. */
gboolean       acc_byte_writer_rewrite        (AccByteWriter *self, gconstpointer data, gsize size, GCancellable *cancellable,
                                               GError **error);
/* In place of open, write and commit: the file @path becomes what was to be written. FALSE without an error: it cannot. */
gboolean       acc_byte_writer_adopt          (AccByteWriter *self, const char *path, GError **error);
/* Everything that may fail before the file takes its place; commit may follow. */
gboolean       acc_byte_writer_complete       (AccByteWriter *self, GCancellable *cancellable, GError **error);
gboolean       acc_byte_writer_commit         (AccByteWriter *self, GCancellable *cancellable, GError **error);
void           acc_byte_writer_abort          (AccByteWriter *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccByteWriter, acc_byte_writer_free)
