/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/data/acc-buffer-private.h"
#include "acc-core/base/acc-machine-private.h"
#include "acc-module-backend.h"
#include "acc-module-rows.h"

/* Computes the results for manifest arguments; of a program without sources. */
GPtrArray *acc_executable_run_whole (AccExecutable *self, AccArray **arguments, guint n_arguments, GCancellable *cancellable,
                                     GError **error);

/* Whether its memory is another than the host's. */
static inline gboolean
acc_backend_is_apart (AccBackend *self)
{
  return acc_backend_get_budget (self) != acc_backend_get_host_budget (self);
}

/* Whether folds of segments group floats as what they are composed of does. */
static inline gboolean
acc_backend_composes_segments (AccBackend *self)
{
  return ACC_BACKEND_GET_CLASS (self)->composes_segments != 0;
}

/* Whether its backend computes rows itself; those of others the host does. */
gboolean    acc_executable_has_rows  (AccExecutable *self);
/* Who computes rows, once a run by rows was begun: the backend, or one of the host. */
AccBackend *acc_backend_get_for_rows (AccBackend *self);
/* A backend of the host's processors that a backend has for what it does not do itself; borrowed. Any thread. */
AccBackend *acc_backend_get_host     (AccBackend *self, GError **error);
/* A backend of the host's processors; native where that is installed. @lender: nullable; memory of the host is counted against its
 * limit. */
AccBackend *acc_backend_new_host     (AccBackend *lender, GError **error);
/* Before @self holds anything. */
void        acc_backend_borrow_budget (AccBackend *self, AccBackend *lender);

/* A class that has export_program; kept for ever. */
AccBackendClass *acc_backend_find_exporter (GError **error);

/* It lives no longer than its backend, of which it gives up its reference. */
void       acc_executable_borrow_backend (AccExecutable *self);

/* Begins to bring the bytes of @array, which is in memory, to where a run will want them soon, where there is room for that beside what
 * runs have taken so far. Any thread, beside runs. */
void       acc_backend_send_ahead    (AccBackend *self, AccArray *array);

/* A third way in, tried first: for constructor functions of built-in backends. Does not touch the type system. @name: static. */
void     acc_backend_register_builtin (const char *name, GType (*get_type) (void));
