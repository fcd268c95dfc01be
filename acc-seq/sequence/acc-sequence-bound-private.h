/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sequence-producer.h"

/* A call of a producer's virtual function. */
typedef struct {
  AccSequenceProducer *self;
  gint64               max_elements, max_values;   /* of a read; 0: a rewind */
  GCancellable        *cancellable;
  AccNestedArray      *nested;                     /* what it returned */
  gboolean             rewound;
  GError              *error;
  GMutex               lock;
  GCond                changed;
  gboolean             done;
} AccBoundCall;

/* Calls it by @context, which runs on another thread, and waits for that; NULL: here. */
void acc_bound_call (AccBoundCall *call, GMainContext *context, GError **error);
