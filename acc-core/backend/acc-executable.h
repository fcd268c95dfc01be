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

G_END_DECLS
