/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backend.h"
#include "acc-buffer-private.h"

G_BEGIN_DECLS

/* What a backend implementation and acc-seq share with AccBackend. */

#define ACC_BACKEND_EXTENSION_POINT "acc-backend-1"

/* Implementations are GInitables (an absent device: init fails with the reason). Three ways in, asked in this order:
 *
 *  - built in: a constructor function of the implementation's own file calls acc_backend_register_builtin();
 *  - an application or library implements the extension point by g_io_extension_point_implement();
 *  - a module libacc-backend-NAME.so in ACC_BACKENDS_DIR (folders separated by ':'), or else in acc-1/backends beside the
 *    library, or in $libdir/acc-1/backends. It is loaded when its name is asked for, or when backends are listed, and stays.
 *    Neither it nor its folder may be written by others than the effective user, root and the owner of acc's library.
 *    It exports one function:
 *
 *      ACC_MODULE_API GType acc_backend_module_get_type (void);
 *
 * A name may go on with a device after a colon ("cuda:1"): the part before it names the implementation, the rest is its
 * construct property "device" (NULL: the first one). */
#define ACC_BACKEND_MODULE_SYMBOL "acc_backend_module_get_type"
typedef GType (*AccBackendModuleGetType) (void);
/* A module's own definition agrees with this one. */
ACC_MODULE_API
GType      acc_backend_module_get_type  (void);

/* For constructor functions: does not touch the type system. @name: static. */
ACC_MODULE_API
void       acc_backend_register_builtin (const char *name, GType (*get_type) (void));
/* The part of the name behind the colon; NULL for the first device. */
ACC_MODULE_API
const char *acc_backend_get_device      (AccBackend *self);
ACC_MODULE_API
AccBudget *acc_backend_get_budget       (AccBackend *self);
/* Of memory of the host: the same one, but for an implementation whose device has memory besides. */
ACC_MODULE_API
AccBudget *acc_backend_get_host_budget  (AccBackend *self);
/* Such an implementation says so before it holds anything. */
ACC_MODULE_API
void       acc_backend_split_budget     (AccBackend *self);
/* An implementation says so in its init. */
ACC_MODULE_API
void       acc_backend_set_identity     (AccBackend *self, const char *name, const char *description, guint n_threads);
ACC_MODULE_API
AccBuffer *acc_backend_allocate         (AccBackend *self, gsize size, const char *what, GError **error);
/* Bytes this process may use: RAM or the tightest cgroup limit (v1 and v2). */
ACC_MODULE_API
guint64    acc_machine_get_memory       (void);
/* Processors this process may use: affinity and cgroup quota. */
ACC_MODULE_API
guint      acc_machine_get_n_processors (void);
/* Of the last cache that a processor has for itself. */
ACC_MODULE_API
guint64    acc_machine_get_cache_bytes  (void);

/* "67108864", "64M", "1.5GiB": bytes, or powers of 1024 by K, M, G, T. */
ACC_MODULE_API
gboolean   acc_machine_parse_size       (const char *text, guint64 *size, GError **error);

/* ACC_DEBUG and ACC_DISABLE keys; read once. */
typedef enum {
  ACC_DEBUG_GRAPH     = 1 << 0,
  ACC_DEBUG_FUSION    = 1 << 1,
  ACC_DEBUG_PLAN      = 1 << 2,
  ACC_DEBUG_KERNELS   = 1 << 3,
  ACC_DEBUG_CACHE     = 1 << 4,
  ACC_DEBUG_TRANSFERS = 1 << 5,
  ACC_DEBUG_MEMORY    = 1 << 6,
  ACC_DEBUG_TIMES     = 1 << 7,
} AccDebugFlags;

typedef enum {
  ACC_DISABLE_FUSION    = 1 << 0,
  ACC_DISABLE_VECTORISE = 1 << 1,
  ACC_DISABLE_CHUNKING  = 1 << 2,
  ACC_DISABLE_CACHE     = 1 << 3,
  ACC_DISABLE_CHECKS    = 1 << 4,
  ACC_DISABLE_LIBRARIES = 1 << 5,
  ACC_DISABLE_BASELINE  = 1 << 6,
} AccDisableFlags;

ACC_MODULE_API
AccDebugFlags   acc_debug_get_flags   (void);
ACC_MODULE_API
AccDisableFlags acc_disable_get_flags (void);

G_END_DECLS
