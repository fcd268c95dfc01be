/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/fuse/acc-fusion-graph.h"

/* Which leading extents change from run to run, so that modules have them rounded up: those that follow from data, and those that were
 * seen to change. Any thread. */

/* Nodes (AccFusionNode) of a graph that is planned now. Owned. */
GHashTable *acc_xla_extents_find (AccFusionGraph *graph);
