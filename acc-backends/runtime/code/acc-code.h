/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/runtime/device/acc-device.h"
#include "acc-kernel-cache.h"
#include "acc-backends/runtime/threads/acc-workers.h"
#include "acc-error.h"
#include "acc-backends/ir/acc-kernel.h"

/* The kernels that a backend has ready to run: in memory, else from disk, else compiled. Any thread.
 *
 * Optimising takes longer than many kernels run. So a kernel with little to do is compiled as baseline code first, in a tenth of the time,
 * and optimised once running that has cost as much as optimising does: never more than twice the time that would have been best (tiers, as
 * just-in-time compilers have them). A kernel with much to do is optimised at once by a worker; if that takes long, the caller begins with
 * baseline code. Runs of baseline code go on with better code as soon as there is some, also in the middle of a launch. */
typedef struct _AccCode AccCode;

typedef struct {
  /* Returns what the code depends on besides kernel and variant; called once, when first needed. Owned. */
  char          *(*dup_target) (gpointer user_data, GError **error);
  /* Several threads at once. */
  GBytes        *(*compile)    (AccKernel *kernel, guint variant, gpointer user_data, GError **error);
  /* One thread at a time. The entry stays valid until the owner of @user_data goes. */
  AccKernelEntry (*load)       (GBytes *code, gpointer user_data, GError **error);
  gpointer         user_data;
  /* In place of load, for devices. */
  AccDeviceKernel *(*load_device) (AccKernel *kernel, GBytes *code, gpointer user_data, GError **error);
  guint            baseline;  /* the flag of baseline code in a variant; 0: there is none */
  /* Makes what the first compilation would make, and an exit of the process would free while compilers run. NULL: there is nothing. May be
   * called several times, by any thread. */
  void            (*prepare_exit) (gpointer user_data);
} AccCodeMaker;

/* In variants of devices: code for any launch. */
#define ACC_CODE_GENERAL (1u << 16)

/* .cost of code of unknown length. */
#define ACC_CODE_ENDLESS 1e18

typedef struct {
  AccKernel       *kernel;        /* borrowed */
  guint            variant;
  double           cost;          /* rough nanoseconds of the run to come on one core, if baseline code will do; 0: it will not */
  const AccKernelEntry *entry;    /* what acc_code_get() fills in: one of the two. Atomic: may change at any time; stays with the table */
  AccDeviceKernel *device_kernel;
  guint            runs_left;     /* further runs of that cost before it should be optimised; G_MAXUINT: it is, or will be */
} AccCodeRequest;

typedef struct {
  guint   n_memory, n_disk, n_compiled;
  gdouble compile_seconds;   /* by the clock, of all batches */
} AccCodeCounts;

/* @cache: NULL for none; takes it over. @workers: help to compile; borrowed. */
AccCode *acc_code_new        (const AccCodeMaker *maker, AccKernelCache *cache, AccWorkers *workers);
void     acc_code_free       (AccCode *self);
gboolean acc_code_get        (AccCode *self, AccCodeRequest *requests, guint n_requests, GCancellable *cancellable, GError **error);
/* Optimises baseline code of @requests after .runs_left runs, by a worker if there is one. */
void     acc_code_optimise   (AccCode *self, const AccCodeRequest *requests, guint n_requests);
/* To be called before control goes back to the caller, who may exit the process: waits for workers if that is not safe yet. */
void     acc_code_prepare_exit (AccCode *self);
void     acc_code_get_counts (AccCode *self, AccCodeCounts *counts);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccCode, acc_code_free)
