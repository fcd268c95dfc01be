/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-graph.h"

/* @results: as many as the program has; new references to manifest arrays. */
gboolean     acc_graph_run     (AccGraph *self, AccArray **arguments, AccArray **results, GCancellable *cancellable, GError **error);
/* Evaluates all control points, and schedules the results. @values: new references to the values of its bound nodes. */
AccPrepared *acc_graph_prepare (AccGraph *self, AccArray **arguments, gboolean by_rows, GPtrArray **values,
                                GCancellable *cancellable, GError **error);
