/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-xla-engine.h"

/* What plans and runs modules. */
typedef struct {
  AccPlanner    base;
  AccXlaEngine *engine;     /* borrowed */
} AccXlaPlanner;

void acc_xla_planner_init (AccXlaPlanner *self, AccXlaEngine *engine);
