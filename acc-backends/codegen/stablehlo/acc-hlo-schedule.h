/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-stablehlo.h"

/* A schedule of one step, which runs a module, or of none where all results are given. Its .module is the AccHloModule, and .free_module
 * frees that. @module: borrowed; NULL where there is no step. Each vector of the module has the number of its value. */
AccSchedule *acc_hlo_schedule_new (AccFusionGraph *graph, AccArray **results, guint n_results, AccArray **bound, guint n_bound,
                                   const AccHloOptions *options, AccHloModule **module, GError **error);
