/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"

#define ACC_TYPE_PJRT_BACKEND (acc_pjrt_backend_get_type ())
G_DECLARE_FINAL_TYPE (AccPjrtBackend, acc_pjrt_backend, ACC, PJRT_BACKEND, AccBackend)
