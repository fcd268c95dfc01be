/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-code.h"
#include "acc-backends/runtime/threads/acc-background.h"

#include <pthread.h>

typedef struct {
  const char *hash;
  guint       variant;
} CodeKey;

/* For as long as the kernel. */
static inline CodeKey
_acc_code_key (AccKernel *kernel,
               guint      variant)
{
  return (CodeKey) { acc_kernel_get_hash (kernel), variant };
}

/* A kernel in memory, for as long as the table. */
typedef struct {
  CodeKey          key;         /* with a hash of its own */
  AccKernelEntry   entry;       /* atomic: of baseline code until there is better */
  AccDeviceKernel *device_kernel;
  double           spent;       /* nanoseconds, of baseline code; under the lock of the table, as the next */
  gboolean         stays;       /* baseline code: there will be no other */
} ReadyCode;

/* A kernel that is not in memory. */
typedef struct {
  AccKernel      *kernel;       /* counted */
  guint           variant;
  GBytes         *code;
  gboolean        compiled;
  GError         *error;
} MissingCode;

struct _AccCode {
  AccCodeMaker    maker;
  AccKernelCache *cache;
  AccWorkers     *workers;
  pthread_mutex_t table_mutex;
  pthread_cond_t  optimised;     /* one of those under way is ready, or will not be, or the next is TRUE */
  gboolean        is_exit_ready; /* atomic, changed under the lock */
  GHashTable     *table;         /* ReadyCode */
  GHashTable     *under_way;     /* CodeKey → Task: what workers optimise, in turn */
  /* Held while kernels are compiled, so that no two threads compile the same one. */
  pthread_mutex_t make_mutex;
  pthread_mutex_t load_mutex;
  char           *target;        /* under the lock of making; it does not change */
  AccCodeCounts   counts;        /* under that of the table */
  AccBackground  *makings;       /* for the thread below */
  pthread_cond_t  made;          /* signalled when one is added, is done, or is not awaited any more, and at the end */
  GThread        *maker_thread;  /* this and the next two: under the lock of the table; NULL: not started yet */
  pid_t           maker_pid;
  gboolean        is_ending;
};

/* With the lock of the table. */
ReadyCode *_acc_code_find          (AccCode *self, AccKernel *kernel, guint variant);

void       _acc_code_missing_clear (gpointer missing);
/* NULL: it is not there. */
GBytes    *_acc_code_look_on_disk  (AccCode *self, AccKernel *kernel, guint variant);
/* Any thread, with no locks, or that of making. */
void       _acc_code_compile       (AccCode *self, MissingCode *missing, gboolean meanwhile, GError **error);
/* Replaces baseline code, which stays if that fails: there is no caller to report to. Otherwise the same. */
void       _acc_code_improve       (AccCode *self, MissingCode *missing, gboolean meanwhile);
/* Compiles those of @list that have no code, all at once. @list: MissingCode */
void       _acc_code_compile_all   (AccCode *self, GArray *list, GCancellable *cancellable);
/* Loads code into the table, and stores it on the disk if it was compiled. */
gboolean   _acc_code_make_ready    (AccCode *self, MissingCode *missing, GError **error);

/* Fills in all of @requests. */
gboolean   _acc_code_make          (AccCode *self, AccCodeRequest *requests, guint n_requests, GCancellable *cancellable, GError **error);
/* The same, but a cancelled caller need not wait until a compiler is done. */
gboolean   _acc_code_make_on_thread (AccCode *self, AccCodeRequest *requests, guint n_requests, GCancellable *cancellable, GError **error);
/* Waits for what is under way. */
void       _acc_code_end_thread    (AccCode *self);
/* Makes it safe for the process to exit while compilers run: the exit waits for them. */
void       _acc_code_prepare_exit_now (AccCode *self);

/* With the lock of the table: whether a worker optimises it, or will. */
gboolean   _acc_code_is_under_way  (AccCode *self, const AccCodeRequest *request);
/* Sends it to a worker; @is_left: no caller will wait for it. Returns FALSE if no worker would do it, TRUE also if it is under way. */
gboolean   _acc_code_send          (AccCode *self, const AccCodeRequest *request, gboolean is_left);
/* Until when runs wait for code that workers optimise: of CLOCK_MONOTONIC. */
struct timespec _acc_code_get_patience (void);
/* Waits until all of @sent are done, or @until. Tasks that no worker has begun by then, or will soon, are withdrawn: the caller optimises
 * them itself, since the workers are busy. @sent: AccCodeRequest; @until: of CLOCK_MONOTONIC */
void       _acc_code_wait_for      (AccCode *self, GPtrArray *sent, const struct timespec *until);
