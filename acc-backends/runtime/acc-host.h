/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-code.h"
#include "acc-pool.h"
#include "acc-workers.h"

G_BEGIN_DECLS

/* What running a schedule takes; a backend owns one. */
typedef struct {
  AccPool    *pool;
  AccWorkers *workers;
  AccCode    *code;
  /* Flags for acc_code_get() by what a launch is like. */
  guint       variant;             /* all kernels */
  guint       streaming_variant;   /* added where what a whole run writes does not fit the caches */
  guint64     streaming_bytes;     /* from here on; 0: never */
} AccHost;

G_END_DECLS
