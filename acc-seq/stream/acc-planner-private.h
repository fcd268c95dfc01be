/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-plan-private.h"
#include "acc-row-flow-private.h"

typedef struct {
  AccBackend *backend;
  AccRowFlow *flow;
  gboolean    to_sink;     /* rows of the result go to a writer, chunk by chunk; otherwise results are made whole */
  guint64     resident;    /* bytes that sources and sinks hold by themselves */
  gboolean    resident_held; /* they are reserved already */
  gint64      chunk_rows;  /* 0: the planner chooses */
} AccPlanRequest;

/* Fails with ACC_ERROR_OUT_OF_MEMORY where not even one row at a time fits. */
AccPlan *acc_planner_plan      (const AccPlanRequest *request, GError **error);
/* A plan for a result that is computed whole and then written: only @bytes for the result itself, and why. */
AccPlan *acc_planner_plan_whole (AccBackend *backend, AccArray *array, gint64 n_rows, guint64 row_bytes, guint64 resident,
                                 gint64 chunk_rows, gboolean in_memory, const char *why);
