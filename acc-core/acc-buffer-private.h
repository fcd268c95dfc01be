/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-budget-private.h"

G_BEGIN_DECLS

typedef struct _AccBuffer     AccBuffer;
typedef struct _AccBufferCopy AccBufferCopy;

/* Memory of one buffer of an array. On the host, or on a device until somebody there asks for it by acc_buffer_map(). Atomically
 * counted; released through @notify when the last owner goes. */
struct _AccBuffer {
  gatomicrefcount ref_count;
  gpointer        data;       /* on the host: 64-byte aligned when acc allocated it. NULL: not there yet. Set once */
  gsize           size;       /* bytes that may be read */
  GDestroyNotify  notify;
  gpointer        user_data;
  AccBufferCopy  *copies;     /* on devices, one of each at most; none is taken away before the buffer goes */
};

typedef struct {
  /* Brings the bytes to the host and calls acc_buffer_set_host(); several threads at once. */
  gboolean (*fetch) (AccBufferCopy *copy, AccBuffer *buffer, GError **error);
  /* The buffer goes. */
  void     (*free)  (AccBufferCopy *copy);
} AccBufferCopyClass;

/* What a device knows about a buffer; implementations begin with it. */
struct _AccBufferCopy {
  const AccBufferCopyClass *klass;
  gpointer                  owner;   /* the device's memory */
  AccBufferCopy            *next;
};

ACC_MODULE_API
AccBuffer *acc_buffer_new       (gpointer data, gsize size, GDestroyNotify notify, gpointer user_data);
ACC_MODULE_API
AccBuffer *acc_buffer_new_bytes (GBytes *bytes);
/* Fresh memory owned by @budget (nullable): mapped, 64-byte aligned at least, huge pages asked for from 2 MiB on; zeroed. */
ACC_MODULE_API
AccBuffer *acc_buffer_allocate  (gsize size, AccBudget *budget, const char *what, GError **error);
/* Of bytes that only a device has: takes over @copy. */
ACC_MODULE_API
AccBuffer *acc_buffer_new_remote (gsize size, AccBufferCopy *copy);
ACC_MODULE_API
AccBuffer *acc_buffer_ref       (AccBuffer *self);
ACC_MODULE_API
void       acc_buffer_unref     (AccBuffer *self);

/* The bytes on the host, fetched once from where they are. Never NULL but with an error: that of a device which lost them, or of a
 * host without room. The address stays while the buffer lives. */
ACC_MODULE_API
gpointer       acc_buffer_map      (AccBuffer *self, GError **error);
/* Whether acc_buffer_map() has nothing to fetch. */
ACC_MODULE_API
gboolean       acc_buffer_is_host  (AccBuffer *self);
/* For a fetch() that has filled @data; at most once. Frees @data by @notify with the buffer. */
ACC_MODULE_API
void           acc_buffer_set_host (AccBuffer *self, gpointer data, GDestroyNotify notify, gpointer user_data);
/* That of @owner; NULL: none. */
ACC_MODULE_API
AccBufferCopy *acc_buffer_get_copy (AccBuffer *self, gpointer owner);
/* Takes over @copy. Where another thread was faster, frees it and returns what that one added. */
ACC_MODULE_API
AccBufferCopy *acc_buffer_add_copy (AccBuffer *self, AccBufferCopy *copy);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccBuffer, acc_buffer_unref)

G_END_DECLS
