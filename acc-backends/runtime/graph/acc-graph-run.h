/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-graph.h"

/* Results: as many as the program has, manifest arrays. */
GPtrArray   *acc_graph_run     (AccGraph *self, AccArray **arguments, GCancellable *cancellable, GError **error);
/* Evaluates all control points, and schedules the results. @values: new references to the values of its bound nodes. */
AccPrepared *acc_graph_prepare (AccGraph *self, AccArray **arguments, gboolean by_rows, GPtrArray **values,
                                GCancellable *cancellable, GError **error);
