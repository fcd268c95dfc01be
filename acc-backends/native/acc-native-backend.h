/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/codegen/llvm/acc-emit-llvm.h"
#include "acc-backends/codegen/llvm/acc-llvm-jit.h"
#include "acc-backends/runtime/run/acc-host.h"
#include "acc-core/backend/acc-backend-private.h"

/* The host's processors, by code that LLVM makes for them. */

#define ACC_TYPE_NATIVE_BACKEND (acc_native_backend_get_type ())

G_DECLARE_FINAL_TYPE (AccNativeBackend, acc_native_backend, ACC, NATIVE_BACKEND, AccBackend)

AccHost *acc_native_backend_get_host (AccNativeBackend *self);
