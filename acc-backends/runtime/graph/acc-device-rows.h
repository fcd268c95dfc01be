/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-graph.h"

/* As acc_row_run_new(), on the host's device: windows lie in its memory. */
AccRowRun *acc_device_rows_new (AccHost *host, AccPrepared *prepared, GPtrArray *values, AccGraph *graph, gpointer owner,
                                GCancellable *cancellable, GError **error);
