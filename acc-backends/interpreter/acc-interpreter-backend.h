/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"

#define INTERP_TYPE_BACKEND (interp_backend_get_type ())
G_DECLARE_FINAL_TYPE (InterpBackend, interp_backend, INTERP, BACKEND, AccBackend)

#define INTERP_TYPE_EXECUTABLE (interp_executable_get_type ())
G_DECLARE_FINAL_TYPE (InterpExecutable, interp_executable, INTERP, EXECUTABLE, AccExecutable)

AccExecutable *interp_executable_new (AccBackend *backend, AccProgram *program, GError **error);

/* A run by rows. @tapes: AccFunction to InterpTape. Keeps @owner. */
AccRowRun     *interp_rows_new       (AccExecutable *owner, GHashTable *tapes, AccArray **arguments, guint n_arguments,
                                      GCancellable *cancellable, GError **error);
