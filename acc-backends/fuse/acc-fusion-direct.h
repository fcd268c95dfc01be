/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-fusion-graph.h"

/* Whether the operation itself, not what @array is composed of, may be computed for it, which needs all elements at once; @numbers: of what
 * is given. */
gboolean acc_fusion_may_take_direct (AccFusionGraph *self, AccArray *array, GHashTable *numbers);
/* The same when its inputs are known. */
gboolean acc_fusion_takes_direct    (AccFusionGraph *self, const AccTarget *target, AccArray *array);
/* Whether a source has to be read that is not given. */
gboolean acc_fusion_read_sources    (AccArray **results, guint n_results, GHashTable *numbers);
