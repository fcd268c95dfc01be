/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/data/acc-buffer-private.h"
#include "acc-core/base/acc-machine-private.h"
#include "acc-module-backend.h"
#include "acc-module-rows.h"

/* Computes the results for manifest arguments; of a program without sources. */
GPtrArray *acc_executable_run_whole (AccExecutable *self, AccArray **arguments, guint n_arguments, GCancellable *cancellable,
                                     GError **error);

/* A class that has export_program; kept for ever. */
AccBackendClass *acc_backend_find_exporter (GError **error);

/* It lives no longer than its backend, of which it gives up its reference. */
void       acc_executable_borrow_backend (AccExecutable *self);

/* Begins to bring the bytes of @array, which is in memory, to where a run will want them soon, where there is room for that beside what
 * runs have taken so far. Any thread, beside runs. */
void       acc_backend_send_ahead    (AccBackend *self, AccArray *array);

/* A third way in, tried first: for constructor functions of built-in backends. Does not touch the type system. @name: static. */
void     acc_backend_register_builtin (const char *name, GType (*get_type) (void));
