/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* The machine, and the user's settings for all backends. Included by acc-module.h. */

/* --- the machine */

/* Bytes this process may use: RAM or the tightest cgroup limit (v1 and v2). */
ACC_MODULE_API
guint64    acc_machine_get_memory       (void);
/* Processors this process may use: affinity and cgroup quota. */
ACC_MODULE_API
guint      acc_machine_get_n_processors (void);
/* Of the last cache that a processor has for itself. */
ACC_MODULE_API
guint64    acc_machine_get_cache_bytes  (void);

/* Work for several processors that is no kernel: threads are kept, and shared by all callers. Pieces of the work are taken one after the
 * other until there are none. */
typedef void (*AccParallelFunc) (gpointer data);

/* Calls @func in this thread and, if more than one piece makes it worth while, in others at the same time. When it returns no thread is in
 * @func. Threads that are busy elsewhere may come late or never: @func must not wait for another call of it. */
ACC_MODULE_API
void       acc_parallel_run             (guint64 n_pieces, AccParallelFunc func, gpointer data);

/* --- what the user asks of all backends, read once from the environment */

typedef enum {
  ACC_DEBUG_GRAPH     = 1 << 0,
  ACC_DEBUG_FUSION    = 1 << 1,
  ACC_DEBUG_PLAN      = 1 << 2,
  ACC_DEBUG_KERNELS   = 1 << 3,
  ACC_DEBUG_CACHE     = 1 << 4,
  ACC_DEBUG_TRANSFERS = 1 << 5,
  ACC_DEBUG_MEMORY    = 1 << 6,
  ACC_DEBUG_TIMES     = 1 << 7,
  ACC_DEBUG_PASSES    = 1 << 8,
} AccDebugFlags;

typedef enum {
  ACC_DISABLE_FUSION    = 1 << 0,
  ACC_DISABLE_VECTORISE = 1 << 1,
  ACC_DISABLE_CHUNKING  = 1 << 2,
  ACC_DISABLE_CACHE     = 1 << 3,
  ACC_DISABLE_CHECKS    = 1 << 4,
  ACC_DISABLE_LIBRARIES = 1 << 5,
  ACC_DISABLE_BASELINE  = 1 << 6,
  /* Passes of the compiler: see acc-backends/acc-compile.c. */
  ACC_DISABLE_MERGE        = 1 << 7,
  ACC_DISABLE_DEDUPLICATE  = 1 << 8,
  ACC_DISABLE_VARIABLES    = 1 << 9,
  ACC_DISABLE_CONTRACT     = 1 << 10,
  ACC_DISABLE_STRAIGHTEN   = 1 << 11,
  ACC_DISABLE_UNIFORM      = 1 << 12,
  ACC_DISABLE_OUTLINE      = 1 << 13,
  ACC_DISABLE_TABLE_LOOKUP = 1 << 14,
  ACC_DISABLE_WIDE_MASKS   = 1 << 15,
  ACC_DISABLE_WAVES        = 1 << 16,
  ACC_DISABLE_SEGMENTS     = 1 << 17,
  ACC_DISABLE_ROWS         = 1 << 18,
  ACC_DISABLE_REUSE        = 1 << 19,
  ACC_DISABLE_AHEAD        = 1 << 20,
  ACC_DISABLE_DONATION     = 1 << 21,
  ACC_DISABLE_WINDOWS      = 1 << 22,
} AccDisableFlags;

/* Keys of ACC_DEBUG. */
ACC_MODULE_API
AccDebugFlags   acc_debug_get_flags     (void);
/* Keys of ACC_DISABLE. */
ACC_MODULE_API
AccDisableFlags acc_disable_get_flags   (void);

G_END_DECLS
