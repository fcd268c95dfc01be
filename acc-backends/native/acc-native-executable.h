/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-native-backend.h"
#include "acc-core/backend/acc-backend-private.h"

#define ACC_TYPE_NATIVE_EXECUTABLE (acc_native_executable_get_type ())

G_DECLARE_FINAL_TYPE (AccNativeExecutable, acc_native_executable, ACC, NATIVE_EXECUTABLE, AccExecutable)

/* Kernels are made when the extents of a run are known. */
AccExecutable *acc_native_executable_new (AccNativeBackend *backend, AccProgram *program);
