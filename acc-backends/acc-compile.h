/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/fuse/acc-fusion.h"
#include "acc-deduplicate.h"

/* Adds the step of @cluster: its kernels by the skeleton of its kind, or those of a cluster like it. */
gboolean acc_compile_step (AccFusion *self, AccDeduplicator *deduplicator, AccCluster *cluster, GError **error);
