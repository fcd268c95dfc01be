/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-graph.h"

/* A run by rows of a schedule. @values: those of its bound nodes; takes it over. @graph: where it came from. @owner: kept while the run
 * lives. Runs the steps that do not depend on rows. */
AccRowRun *acc_row_run_new (AccHost *host, AccPrepared *prepared, GPtrArray *values, AccGraph *graph, gpointer owner,
                            GCancellable *cancellable, GError **error);
