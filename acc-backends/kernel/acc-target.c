/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-target.h"

const AccTarget acc_target_cpu = { .model = ACC_MODEL_CPU };
