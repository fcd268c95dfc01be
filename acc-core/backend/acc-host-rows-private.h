/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backend-private.h"

/* Rows of programs whose backend has none of its own: a backend of the host computes them, within the same memory limit. */

/* The same program for the backend of the host, in *@place, which owns it; as quick as @backend has to be. Any thread. */
AccExecutable *acc_host_rows_compile (AccBackend *backend, AccProgram *program, AccExecutable **place, GCancellable *cancellable,
                                      GError **error);
