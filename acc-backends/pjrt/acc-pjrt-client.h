/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-pjrt-plugin.h"
#include "acc-backends/runtime/code/acc-kernel-cache.h"
#include "acc-backends/xla/acc-xla-engine.h"

/* A device of the plugin, with what was compiled for it, and copies of buffers there. Counted, any thread. */
typedef struct _AccPjrtClient AccPjrtClient;

struct _AccPjrtClient {
  AccXlaEngine     base;

  gatomicrefcount  ref_count;
  const PjrtApi   *api;
  PjrtClient      *client;
  PjrtDevice      *device;
  guint            number;
  gint             id;           /* that the plugin has for the device */
  GMutex           lock;
  AccKernelCache  *cache;        /* NULL: none */
  char            *target;       /* what its entries are for */
  PjrtBuffer      *zero;         /* an i32 that is 0 */
};

AccPjrtClient *acc_pjrt_client_new   (const char *device, GError **error);
AccPjrtClient *acc_pjrt_client_ref   (AccPjrtClient *self);
void           acc_pjrt_client_unref (AccPjrtClient *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccPjrtClient, acc_pjrt_client_unref)

/* --- code */

typedef struct {
  AccPjrtClient   *client;       /* borrowed: it outlives the executable */
  PjrtLoaded      *loaded;
  guint64          temporary_bytes;
} AccPjrtExecutable;

/* XLA's options: one replica and one partition, on the device of that number and id. Results of each operation are rounded to their type:
 * halves are not kept in more bits. */
GByteArray        *acc_pjrt_make_options    (guint device, gint id);
/* Compiles @text, or loads what an earlier process compiled. */
AccPjrtExecutable *acc_pjrt_client_compile  (AccPjrtClient *self, const char *text, const char *what, GError **error);
void               acc_pjrt_executable_free (AccPjrtExecutable *self);

/* --- buffers */

/* A copy of @data, or with ZERO_COPY the memory itself. */
PjrtBuffer *acc_pjrt_client_make_buffer (AccPjrtClient *self, gconstpointer data, AccElementKind kind, const gint64 *extents, guint rank,
                                         PjrtHostSemantics semantics, const char *what, GError **error);
/* The tensor of @form on the device, which @buffer has, or gets; borrowed. @transient: where it cannot keep it, gets one that the
 * caller frees by acc_pjrt_buffer_free(). */
PjrtBuffer *acc_pjrt_client_upload     (AccPjrtClient *self, AccBuffer *buffer, const AccHloVector *form, const char *what,
                                        PjrtBuffer **transient, GError **error);
void        acc_pjrt_buffer_free       (AccPjrtClient *self, PjrtBuffer *buffer);
/* Whether @buffer has its tensor of @form in memory of the plugin's own. */
gboolean    acc_pjrt_client_owns       (AccPjrtClient *self, AccBuffer *buffer, const AccHloVector *form);
/* A buffer of what was computed; takes over @vector, whose bytes were reserved for @what, or for what had its memory before: @from, which
 * is not read any more. */
AccBuffer  *acc_pjrt_client_adopt      (AccPjrtClient *self, PjrtBuffer *vector, const AccHloVector *form, AccBuffer *from,
                                        const char *what);
gboolean    acc_pjrt_client_download   (AccPjrtClient *self, PjrtBuffer *vector, gpointer data, gsize bytes, const char *what,
                                        GError **error);
