/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backend.h"
#include "acc-module-machine.h"
#include "acc-module-memory.h"

G_BEGIN_DECLS

/* How a backend is found, and what it says of itself. Included by acc-module.h. */

#define ACC_BACKEND_EXTENSION_POINT "acc-backend-1"

/* Implementations are GInitables (an absent device: init fails with the reason). Two ways in, asked in this order:
 *
 *  - an application or library implements the extension point by g_io_extension_point_implement();
 *  - a module libacc-backend-NAME.so in ACC_BACKENDS_DIR (folders separated by ':'), or else in acc-1/backends beside the
 *    library, or in $libdir/acc-1/backends. It is loaded when its name is asked for, or when backends are listed, and stays.
 *    Neither it nor its folder may be written by others than the effective user, root and the owner of acc's library.
 *    It exports two functions, acc_backend_module_get_type(), and acc_backend_module_get_abi(), which it gets of
 *    ACC_DEFINE_BACKEND_MODULE_ABI. A module that was built for another acc is not loaded.
 *
 * A name may go on with a device after a colon ("cuda:1"): the part before it names the implementation, the rest is its
 * construct property "device" (NULL: the first one). */
#define ACC_BACKEND_MODULE_SYMBOL "acc_backend_module_get_type"
typedef GType (*AccBackendModuleGetType) (void);
#define ACC_BACKEND_MODULE_ABI_SYMBOL "acc_backend_module_get_abi"
typedef const char *(*AccBackendModuleGetAbi) (void);

/* Not part of the library: modules define it, with this prototype. */
ACC_MODULE_API
GType      acc_backend_module_get_type  (void);
/* Nor is that. */
ACC_MODULE_API
const char *acc_backend_module_get_abi  (void);

/* Stands once in a module, outside of functions: says which headers it was built with. */
#define ACC_DEFINE_BACKEND_MODULE_ABI \
  const char *acc_backend_module_get_abi (void) { return ACC_MODULE_ABI; }

/* --- what is implemented */

/* What AccBackendClass.export_program writes. */
typedef enum {
  ACC_EXPORT_AS_STABLEHLO,      /* text */
  ACC_EXPORT_AS_SAVED_MODEL,    /* saved_model.pb */
} AccExportForm;

/* The part of the name behind the colon; NULL for the first device. */
ACC_MODULE_API
const char *acc_backend_get_device      (AccBackend *self);
/* An implementation says so in its init. */
ACC_MODULE_API
void       acc_backend_set_identity     (AccBackend *self, const char *name, const char *description, guint n_threads);
/* What it holds is counted there. */
ACC_MODULE_API
AccBudget *acc_backend_get_budget       (AccBackend *self);
/* The budget of host memory: the same one, unless the device has memory of its own. */
ACC_MODULE_API
AccBudget *acc_backend_get_host_budget  (AccBackend *self);
/* Such an implementation says so before it holds anything. */
ACC_MODULE_API
void       acc_backend_split_budget     (AccBackend *self);
/* Calls .allocate of the class: memory for chunks. */
ACC_MODULE_API
AccBuffer *acc_backend_allocate         (AccBackend *self, gsize size, const char *what, GError **error);

G_END_DECLS
