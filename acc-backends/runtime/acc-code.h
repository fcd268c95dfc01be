/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-device.h"
#include "acc-kernel-cache.h"
#include "acc-workers.h"
#include "acc-core/acc-error.h"
#include "acc-backends/kernel/acc-kernel.h"

G_BEGIN_DECLS

/* The kernels that a backend has ready to run: in memory, else from disk, else compiled. Any thread.
 *
 * Compiling well takes longer than many kernels run. So one that has little to do is compiled as baseline code first, in a tenth of the
 * time, and well once what running that has cost comes to what compiling well does: no more than twice the time is spent of what would
 * be if it were known how often it will run (as one who may rent or buy skis; tiers, as compilers at run time have them). */
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
  guint            baseline;  /* what baseline code adds to a variant; 0: there is none */
} AccCodeMaker;

typedef struct {
  AccKernel       *kernel;        /* borrowed */
  guint            variant;
  double           cost;          /* rough nanoseconds of the run to come on one core, if baseline code will do; 0: it will not */
  AccKernelEntry   entry;         /* what acc_code_get() fills in: one of the two */
  AccDeviceKernel *device_kernel;
  guint            runs_left;     /* as many more of that cost before it had better be compiled well; G_MAXUINT: it is */
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
