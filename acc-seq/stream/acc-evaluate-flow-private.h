/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"
#include "acc-array.h"

/* Whether one of @arrays has deferred arrays, loops, choices or foreign operations that depend on sources, or sources of another order than
 * their array's. Those cannot be streamed: they have no rows before all of their inputs are known. */
gboolean   acc_evaluate_flow_is_needed (AccArray **arrays, guint n_arrays);
/* Returns the same arrays without these: deferred ones are computed; conditions are computed, and the chosen side takes the place of the
 * choice; inputs of loops and foreign operations are computed into memory, chunk by chunk. Sources are read once for each of these, and
 * once more if the rest of the computation needs their rows. @chunk_rows 0: the planner chooses. @streams: NULL, or set to which results
 * still depend on sources. */
GPtrArray *acc_evaluate_flow    (AccBackend *backend, AccArray **arrays, guint n_arrays, gint64 chunk_rows, gboolean *streams,
                                 GCancellable *cancellable, GError **error);
