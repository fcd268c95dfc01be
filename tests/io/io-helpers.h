/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* A folder of its own for each test, removed with all it holds. */
char      *io_make_folder   (void);
void       io_remove_folder (char *folder);
guint      io_count_files   (const char *folder);
GFile     *io_file_in       (const char *folder, const char *name);
void       io_put           (GFile *file, gconstpointer data, gsize size);
GBytes    *io_get           (GFile *file);

/* A whole run: one GBytes per leaf; @chunk_rows 0: all at once. */
GPtrArray *io_read_all      (AccSource *source, gint64 chunk_rows, GCancellable *cancellable, GError **error);
/* Aborts where it fails. */
gboolean   io_write_all     (AccSink *sink, const char *type, const gint64 *extents, guint rank, GPtrArray *leaves, gint64 chunk_rows,
                             GCancellable *cancellable, GError **error);
/* Bytes that depend on @seed; bools are 0 or 1 */
GPtrArray *io_random_buffers (const char *type, const gint64 *extents, guint rank, guint32 seed);
void       io_assert_same   (GPtrArray *a, GPtrArray *b);
void       io_assert_layout (AccSource *source, const char *type, const char *shape);

/* A stream that cannot seek, fed by a thread. */
GInputStream *io_pipe       (GBytes *bytes);

#define io_assert_refused(call, domain, code) \
  G_STMT_START { \
    g_autoptr(GError) _refusal = NULL; \
    GError **error = &_refusal; \
    g_assert_false ((gboolean) ((call) != 0)); \
    g_assert_error (_refusal, domain, (code)); \
  } G_STMT_END
