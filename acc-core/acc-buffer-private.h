/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-budget-private.h"

G_BEGIN_DECLS

/* Memory of one leaf of an array, on the host. Atomically counted; released through @notify when the last owner goes. */
typedef struct {
  gatomicrefcount ref_count;
  gpointer        data;       /* 64-byte aligned when acc allocated it */
  gsize           size;       /* bytes that may be read */
  GDestroyNotify  notify;
  gpointer        user_data;
} AccBuffer;

ACC_MODULE_API
AccBuffer *acc_buffer_new       (gpointer data, gsize size, GDestroyNotify notify, gpointer user_data);
ACC_MODULE_API
AccBuffer *acc_buffer_new_bytes (GBytes *bytes);
/* Fresh memory owned by @budget (nullable): mapped, 64-byte aligned at least, huge pages asked for from 2 MiB on; zeroed. */
ACC_MODULE_API
AccBuffer *acc_buffer_allocate  (gsize size, AccBudget *budget, const char *what, GError **error);
ACC_MODULE_API
AccBuffer *acc_buffer_ref       (AccBuffer *self);
ACC_MODULE_API
void       acc_buffer_unref     (AccBuffer *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccBuffer, acc_buffer_unref)

G_END_DECLS
