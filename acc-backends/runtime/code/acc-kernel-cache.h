/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* Compiled kernels on disk, for the next process. Any thread, several processes at once. Bounded in size: those that were not
 * used for the longest time go first. Nothing here fails: a file that cannot be read or is damaged is a miss. What others than the
 * effective user may have written is neither read nor added to. */
typedef struct _AccKernelCache AccKernelCache;

/* @directory: NULL for ACC_CACHE_DIR, else $XDG_CACHE_HOME/acc, else, where the process has other rights than its user, none. @max_bytes: 0
 * for the default of 256 MiB. */
AccKernelCache *acc_kernel_cache_new    (const char *directory, guint64 max_bytes);
void            acc_kernel_cache_free   (AccKernelCache *self);
/* @hash: of the kernel; @target: whatever else the code depends on. NULL: not there. */
GBytes         *acc_kernel_cache_lookup (AccKernelCache *self, const char *hash, const char *target);
void            acc_kernel_cache_store  (AccKernelCache *self, const char *hash, const char *target, GBytes *code);
/* Where it would be; NULL: nowhere. */
char           *acc_kernel_cache_dup_path (AccKernelCache *self, const char *hash, const char *target);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccKernelCache, acc_kernel_cache_free)
