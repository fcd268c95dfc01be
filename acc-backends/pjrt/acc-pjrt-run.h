/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-pjrt-client.h"
#include "acc-backends/runtime/run/acc-run.h"

/* What plans and runs modules: .client is the backend's. */
typedef struct {
  AccPlanner     base;
  AccPjrtClient *client;
} AccPjrtPlanner;

void acc_pjrt_planner_init (AccPjrtPlanner *self, AccPjrtClient *client);
