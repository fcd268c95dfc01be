/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-device.h"
#include "acc-kernel-cache.h"
#include "acc-workers.h"
#include "acc-core/acc-error.h"
#include "acc-backends/kernel/acc-kernel.h"

G_BEGIN_DECLS

/* The kernels that a backend has ready to run: in memory, else from disk, else compiled. Any thread. */
typedef struct _AccCode AccCode;

typedef struct {
  /* What the code depends on besides kernel and variant; once, when first needed. Owned. */
  char          *(*dup_target) (gpointer user_data, GError **error);
  /* Several threads at once. */
  GBytes        *(*compile)    (AccKernel *kernel, guint variant, gpointer user_data, GError **error);
  /* One thread at a time. The entry stays valid until the owner of @user_data goes. */
  AccKernelEntry (*load)       (GBytes *code, gpointer user_data, GError **error);
  gpointer         user_data;
  /* In place of load, for devices. */
  AccDeviceKernel *(*load_device) (AccKernel *kernel, GBytes *code, gpointer user_data, GError **error);
} AccCodeMaker;

typedef struct {
  AccKernel     *kernel;   /* borrowed */
  guint          variant;
  AccKernelEntry entry;    /* what acc_code_get() fills in: one of the two */
  AccDeviceKernel *device_kernel;
} AccCodeRequest;

typedef struct {
  guint   n_memory, n_disk, n_compiled;
  gdouble compile_seconds;   /* by the clock, of all batches */
} AccCodeCounts;

/* @cache: NULL for none; takes it over. @workers: help to compile several kernels; borrowed. */
AccCode *acc_code_new        (const AccCodeMaker *maker, AccKernelCache *cache, AccWorkers *workers);
void     acc_code_free       (AccCode *self);
gboolean acc_code_get        (AccCode *self, AccCodeRequest *requests, guint n_requests, GCancellable *cancellable, GError **error);
void     acc_code_get_counts (AccCode *self, AccCodeCounts *counts);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccCode, acc_code_free)

G_END_DECLS
