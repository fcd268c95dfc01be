/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/fuse/acc-fusion.h"
#include "acc-deduplicate.h"

/* Adds the step of @cluster: its kernels by the skeleton of its kind, or those of a cluster like it. */
gboolean acc_compile_step (AccFusion *self, AccDeduplicator *deduplicator, AccCluster *cluster, GError **error);
/* The schedule of what was built, of which it takes over the values, steps and origins. @bases: of @results, which get values. */
AccSchedule *acc_compile_finish (AccFusion *self, AccFusionNode **bases, AccArray **results, guint n_results, AccArray **bound,
                                 guint n_bound);
