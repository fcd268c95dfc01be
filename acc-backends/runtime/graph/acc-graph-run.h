/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-graph.h"

G_BEGIN_DECLS

/* @results: as many as the program has; new references to manifest arrays. */
gboolean     acc_graph_run     (AccGraph *self, AccArray **arguments, AccArray **results, GCancellable *cancellable, GError **error);
/* Evaluates all that must be known before the results can be scheduled, and schedules them. @values: new references to what
 * its bound nodes stand for. */
AccPrepared *acc_graph_prepare (AccGraph *self, AccArray **arguments, gboolean by_rows, GPtrArray **values,
                                GCancellable *cancellable, GError **error);

G_END_DECLS
