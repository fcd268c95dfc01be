/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Memory of a backend: its budget, and the buffers of arrays. Included by acc-module.h. */

/* --- limits */

/* Counts every bulk byte of a backend against its memory limit. Atomically counted, any thread. */
typedef struct _AccBudget AccBudget;

/* Adds a reference. */
ACC_MODULE_API
AccBudget *acc_budget_ref            (AccBudget *self);
/* Drops one. */
ACC_MODULE_API
void       acc_budget_unref          (AccBudget *self);
/* Counts @bytes. ACC_ERROR_OUT_OF_MEMORY names @what, the bytes asked for, held and allowed, and the largest holders. */
ACC_MODULE_API
gboolean   acc_budget_reserve        (AccBudget *self, guint64 bytes, const char *what, GError **error);
/* Gives back what was counted for @what. */
ACC_MODULE_API
void       acc_budget_release        (AccBudget *self, guint64 bytes, const char *what);
/* Bytes that are allowed; 0: any. */
ACC_MODULE_API
guint64    acc_budget_get_limit      (AccBudget *self);
/* What is held above a lower limit stays held. */
ACC_MODULE_API
void       acc_budget_set_limit      (AccBudget *self, guint64 limit);
/* Bytes that are held now. */
ACC_MODULE_API
guint64    acc_budget_get_used       (AccBudget *self);
/* Called before a refusal: frees what can be spared (recycled buffers), which it releases itself. Returns bytes released. */
typedef guint64 (*AccReclaim) (guint64 wanted, gpointer user_data);
/* Each of those that share the budget adds its own. */
ACC_MODULE_API
void       acc_budget_add_reclaim    (AccBudget *self, AccReclaim reclaim, gpointer user_data);
/* Of what was added with the same data. */
ACC_MODULE_API
void       acc_budget_remove_reclaim (AccBudget *self, AccReclaim reclaim, gpointer user_data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccBudget, acc_budget_unref)

/* --- buffers */

typedef struct _AccBuffer     AccBuffer;
typedef struct _AccBufferCopy AccBufferCopy;

/* Memory of one buffer of an array, on the host, or on a device until acc_buffer_map() is called. Atomically counted; released through
 * @notify with the last reference. Read .size; use the functions below for the rest. */
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
  /* Copies some bytes to @data, and leaves the others where they are; NULL: all are fetched. */
  gboolean (*peek)  (AccBufferCopy *copy, AccBuffer *buffer, gsize offset, gsize size, gpointer data, GError **error);
} AccBufferCopyClass;

/* What a device knows about a buffer; implementations begin with it. */
struct _AccBufferCopy {
  const AccBufferCopyClass *klass;
  gpointer                  owner;   /* the device's memory */
  AccBufferCopy            *next;
};

/* Wraps existing memory; @notify frees it. */
ACC_MODULE_API
AccBuffer     *acc_buffer_new        (gpointer data, gsize size, GDestroyNotify notify, gpointer user_data);
/* Fresh memory owned by @budget (nullable): mapped, 64-byte aligned at least, huge pages asked for from 2 MiB on; zeroed. */
ACC_MODULE_API
AccBuffer     *acc_buffer_allocate   (gsize size, AccBudget *budget, const char *what, GError **error);
/* Of bytes that only a device has: takes over @copy. */
ACC_MODULE_API
AccBuffer     *acc_buffer_new_remote (gsize size, AccBufferCopy *copy);
/* Adds a reference. */
ACC_MODULE_API
AccBuffer     *acc_buffer_ref        (AccBuffer *self);
/* Drops one. */
ACC_MODULE_API
void           acc_buffer_unref      (AccBuffer *self);

/* Returns the bytes on the host, fetched once. NULL only with an error: of a device that lost them, or of a host without room. The address
 * stays while the buffer lives. */
ACC_MODULE_API
gpointer       acc_buffer_map        (AccBuffer *self, GError **error);
/* Copies some bytes. Of many on a device the others are not fetched. */
ACC_MODULE_API
gboolean       acc_buffer_peek       (AccBuffer *self, gsize offset, gsize size, gpointer data, GError **error);
/* Whether acc_buffer_map() has nothing to fetch. */
ACC_MODULE_API
gboolean       acc_buffer_is_host    (AccBuffer *self);
/* For a fetch() that has filled @data; at most once. Frees @data by @notify with the buffer. */
ACC_MODULE_API
void           acc_buffer_set_host   (AccBuffer *self, gpointer data, GDestroyNotify notify, gpointer user_data);
/* That of @owner; NULL: none. */
ACC_MODULE_API
AccBufferCopy *acc_buffer_get_copy   (AccBuffer *self, gpointer owner);
/* Takes over @copy. Where another thread was faster, frees it and returns what that one added. */
ACC_MODULE_API
AccBufferCopy *acc_buffer_add_copy   (AccBuffer *self, AccBufferCopy *copy);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccBuffer, acc_buffer_unref)

G_END_DECLS
