/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"
#include "acc-array.h"

G_BEGIN_DECLS

/* Whether one of @arrays has loops, choices or foreign operations that depend on sources, or sources of another order than their
 * array's. Those have no rows before all of their inputs are there. */
gboolean   acc_settle_is_needed (AccArray **arrays, guint n_arrays);
/* The same arrays without that: what decides a choice is computed, and the side that is taken stands in its place; what loops and
 * foreign operations are run on is computed into memory, chunk by chunk. Sources are read as often as that happens, and once more
 * where the rest of the computation needs their rows. @chunk_rows 0: the planner chooses. @streams: NULL, or set to which of what
 * comes out still depends on sources. */
GPtrArray *acc_settle           (AccBackend *backend, AccArray **arrays, guint n_arrays, gint64 chunk_rows, gboolean *streams,
                                 GCancellable *cancellable, GError **error);

G_END_DECLS
