/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-xla-codes.h"
#include "acc-xla-extents.h"

/* What plans and runs modules. */
typedef struct {
  AccPlanner    base;
  AccXlaEngine *engine;     /* borrowed */
  AccXlaCodes  *codes;
} AccXlaPlanner;

void acc_xla_planner_init  (AccXlaPlanner *self, AccXlaEngine *engine);
/* Also of one that was never initialised, but zeroed. */
void acc_xla_planner_clear (AccXlaPlanner *self);
