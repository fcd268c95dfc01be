/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/runtime/device/acc-device.h"
#include "acc-kernel-cache.h"
#include "acc-backends/runtime/threads/acc-workers.h"
#include "acc-error.h"
#include "acc-backends/ir/acc-kernel.h"

G_BEGIN_DECLS

/* The kernels that a backend has ready to run: in memory, else from disk, else compiled. Any thread.
 *
 * Compiling well takes longer than many kernels run. So one that has little to do is compiled as baseline code first, in a tenth of the
 * time, and well once what running that has cost comes to what compiling well does: no more than twice the time is spent of what would
 * be if it were known how often it will run (as one who may rent or buy skis; tiers, as compilers at run time have them). One that has much
 * to do is compiled well at once by a worker; where that takes long, the caller need not wait for it and begins with baseline code. Whoever
 * runs baseline code, also in the middle of a launch, goes on with better code once that is there. */
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
  /* Makes what the first compilation would make, and an exit of the process would free while compilers run. NULL: there is nothing. May be
   * called several times, by any thread. */
  void            (*prepare_exit) (gpointer user_data);
} AccCodeMaker;

/* In variants of devices: code for any launch. */
#define ACC_CODE_GENERAL (1u << 16)

/* .cost of what nobody knows the end of. */
#define ACC_CODE_ENDLESS 1e18

typedef struct {
  AccKernel       *kernel;        /* borrowed */
  guint            variant;
  double           cost;          /* rough nanoseconds of the run to come on one core, if baseline code will do; 0: it will not */
  const AccKernelEntry *entry;    /* what acc_code_get() fills in: one of the two. Atomic: may change at any time; stays with the table */
  AccDeviceKernel *device_kernel;
  guint            runs_left;     /* as many more of that cost before it had better be optimised; G_MAXUINT: it is, or will be */
} AccCodeRequest;

typedef struct {
  guint   n_memory, n_disk, n_compiled;
  gdouble compile_seconds;   /* by the clock, of all batches */
} AccCodeCounts;

/* @cache: NULL for none; takes it over. @workers: help to compile; borrowed. */
AccCode *acc_code_new        (const AccCodeMaker *maker, AccKernelCache *cache, AccWorkers *workers);
void     acc_code_free       (AccCode *self);
gboolean acc_code_get        (AccCode *self, AccCodeRequest *requests, guint n_requests, GCancellable *cancellable, GError **error);
/* As many runs were done as had better be: what is baseline code is optimised, by a worker if there is one. */
void     acc_code_optimise   (AccCode *self, const AccCodeRequest *requests, guint n_requests);
/* To be called before control goes back to the caller, who may exit the process: waits for workers if that is not safe yet. */
void     acc_code_prepare_exit (AccCode *self);
void     acc_code_get_counts (AccCode *self, AccCodeCounts *counts);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccCode, acc_code_free)

G_END_DECLS
