/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-planner-private.h"

/* What memory that kernels see wants of chunks. */
typedef struct {
  gboolean    is_apart;        /* from what readers fill and writers empty: rows are staged between the two */
  gboolean    has_caches;      /* that bands fit */
  guint64     chunk_bytes, least_bytes, small_bytes;
  guint64     least_band_bytes;
  guint64     multiple;        /* of bytes of memory of the host */
  guint       most_slots;      /* that kernels see */
  const char *why;
} AccPlanMemory;

typedef struct {
  gint64   chunk_rows;
  gint64   band_rows;
  guint    n_input_slots, n_output_slots;
  gboolean tight;      /* windows as small as they can be */
} AccPlanChoice;

typedef struct {
  guint64 bytes;
  guint64 host_bytes;  /* that pass through the host's memory, besides */
  guint64 slope;       /* of one more row per chunk */
  guint   largest;     /* part */
} AccPlanCost;

extern const AccPlanMemory acc_placement_host_memory;

const AccPlanMemory *acc_placement_get_memory (const AccPlanRequest *request);
/* Says where each value of @plan is kept, and what that takes. */
AccPlanCost          acc_placement_apply      (AccPlan *plan, const AccPlanRequest *request, const AccPlanChoice *choice);
