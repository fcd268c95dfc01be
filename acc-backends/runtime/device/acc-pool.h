/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/data/acc-buffer-private.h"

/* Host memory that is used again: a page fault costs more than a kernel does with the page. Atomically counted, any thread.
 *
 * Memory given back stays counted in the budget until it is used again, or freed: because the budget asks for it, because
 * too much lies idle, or because the pool was closed. Buffers may outlive the pool's owner. */
typedef struct _AccPool AccPool;

/* Becomes what @budget reclaims from. @idle_limit: bytes that may lie idle; 0: a quarter of the machine's memory. */
AccPool   *acc_pool_new      (AccBudget *budget, guint64 idle_limit);
void       acc_pool_unref    (AccPool *self);
AccBudget *acc_pool_get_budget (AccPool *self);
/* Not zeroed. What is recycled may be larger by a quarter, and counts as such. */
AccBuffer *acc_pool_allocate (AccPool *self, gsize size, const char *what, GError **error);
/* For planned memory: counts exactly its size. */
AccBuffer *acc_pool_allocate_exact (AccPool *self, gsize size, const char *what, GError **error);
/* Frees idle memory, the longest idle first, until @wanted bytes are freed; returns how many. */
guint64    acc_pool_trim     (AccPool *self, guint64 wanted);
guint64    acc_pool_get_idle (AccPool *self);
/* Frees all that is idle, and from now on what comes back; no longer asked by the budget. */
void       acc_pool_close    (AccPool *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccPool, acc_pool_unref)
