/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"

typedef struct _AccRowBuffer AccRowBuffer;

/* What differs between memory of the host and that of a device. */
typedef struct {
  gboolean (*copy)       (AccRowBuffer *self, gint64 row, AccRowBuffer *from, gint64 from_row, gint64 n_rows, GError **error);
  void     (*set_window) (AccRowBuffer *self, AccRowRun *run, guint value, gint64 origin_row, gint64 first_row, gint64 n_rows,
                          gpointer *addresses);
  void     (*release)    (AccRowBuffer *self);
} AccRowBufferClass;

/* Memory for rows of one value, a run of it for each buffer of the type. Rows of the buffer count from its origin; up to headroom rows lie
 * before it, numbered from -headroom. The origin of every run is aligned to 64 bytes. Rows on a device have no addresses. */
struct _AccRowBuffer
{
  const AccRowBufferClass *klass;
  AccRowRun  *run;           /* on a device: whose memory it is */
  AccRowMemory *memory;
  guint       value;
  guint       n_buffers;
  AccBuffer **buffers;       /* one for all runs, or one per run */
  guint       n_runs;
  guint8    **origin;        /* per run */
  gsize      *row_bytes;     /* per run */
  gboolean    parallel;      /* copies into it have several processors; then they must not overlap */
  gint64      headroom;
  gint64      capacity;      /* rows from the origin on */
};

/* G_MAXUINT64 where it does not fit. */
guint64       acc_row_buffer_get_bytes  (AccElementType *type, gint64 row_elements, gint64 headroom, gint64 capacity);
AccRowBuffer *acc_row_buffer_new        (AccBackend *backend, AccElementType *type, gint64 row_elements,
                                         gint64 headroom, gint64 capacity, const char *what, GError **error);
/* A buffer per run, as manifest arrays have them. */
AccRowBuffer *acc_row_buffer_new_result (AccBackend *backend, AccElementType *type, gint64 row_elements, gint64 capacity, const char *what,
                                         GError **error);
/* The same, as results of whole runs are that are fetched from a device. */
AccRowBuffer *acc_row_buffer_new_fetched (AccBackend *backend, AccElementType *type, gint64 row_elements, gint64 capacity, const char *what,
                                          GError **error);
/* In the memory of the run's device. */
AccRowBuffer *acc_row_buffer_new_on_device (AccRowRun *run, guint value, gint64 headroom, gint64 capacity, const char *what,
                                            GError **error);
/* Host memory that rows pass through on their way to or from the run's device. */
AccRowBuffer *acc_row_buffer_new_staging (AccRowRun *run, AccElementType *type, gint64 row_elements, gint64 capacity,
                                          const char *what, GError **error);
void          acc_row_buffer_free       (AccRowBuffer *self);
/* Addresses of a row's first elements. */
void          acc_row_buffer_get_row    (AccRowBuffer *self, gint64 row, gpointer *addresses);
/* Rows from @first_row on of the whole array, which lie from row @origin_row on, are what kernels see of @value. @addresses: for as many as
 * there are runs. */
void          acc_row_buffer_set_window (AccRowBuffer *self, AccRowRun *run, guint value, gint64 origin_row, gint64 first_row,
                                         gint64 n_rows, gpointer *addresses);
/* The ranges may overlap. Both on the host, or both on the device. */
gboolean      acc_row_buffer_copy       (AccRowBuffer *self, gint64 row, AccRowBuffer *from, gint64 from_row, gint64 n_rows,
                                         GError **error);
/* Turns the memory into a manifest array. For buffers of acc_row_buffer_new_result() only. */
AccArray     *acc_row_buffer_to_array   (AccRowBuffer *self, AccElementType *type, AccShape *shape);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccRowBuffer, acc_row_buffer_free)
