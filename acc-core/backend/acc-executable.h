/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backend.h"

G_BEGIN_DECLS

#define ACC_TYPE_EXECUTABLE (acc_executable_get_type ())

/* A program compiled for a backend. Any thread, several runs at once. */
ACC_AVAILABLE_IN_1_0
G_DECLARE_DERIVABLE_TYPE (AccExecutable, acc_executable, ACC, EXECUTABLE, GObject)

ACC_AVAILABLE_IN_1_0
AccBackend *acc_executable_get_backend (AccExecutable *self);
ACC_AVAILABLE_IN_1_0
AccProgram *acc_executable_get_program (AccExecutable *self);
/* (transfer container) (element-type AccArray): manifest results. @arguments are manifest and fit the parameters.
 * Whole arrays only: a program that reads a source is run by acc_backend_run() and acc_backend_write() */
ACC_AVAILABLE_IN_1_0
GPtrArray  *acc_executable_run         (AccExecutable *self, AccArray **arguments, guint n_arguments, GCancellable *cancellable,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
void        acc_executable_run_async   (AccExecutable *self, AccArray **arguments, guint n_arguments, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer user_data);
ACC_AVAILABLE_IN_1_0
GPtrArray  *acc_executable_run_finish  (AccExecutable *self, GAsyncResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
