/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"

/* What a backend compiled graphs to that came more than once: graphs that differ only in what their arrays hold share an executable, and
 * with it plans. Any thread. */
typedef struct _AccGraphCache AccGraphCache;

/* That of @backend, with which it goes. */
AccGraphCache *acc_graph_cache_of       (AccBackend *backend);
/* An executable of it that gives @arrays for *arguments, which the caller unrefs, as it does the executable. NULL: there is none yet, or
 * cannot be one. Keeps none of the arrays. The caller holds a reference to the backend as long as the executable. */
AccExecutable *acc_graph_cache_get      (AccBackend *backend, AccArray **arrays, guint n_arrays, GPtrArray **arguments);
/* How often it had one. */
guint64        acc_graph_cache_count_hits (AccGraphCache *self);
