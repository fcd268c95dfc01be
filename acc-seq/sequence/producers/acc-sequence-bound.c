/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-bound-private.h"

typedef struct {
  AccSequenceProducer *producer;
  gint64               max_elements, max_values;
  GCancellable        *cancellable;
  AccNestedArray      *nested;
  gboolean             rewound;
  GError             **error;
} Call;

static void
call_read (gpointer data)
{
  Call *call = data;
  AccSequenceProducerClass *klass = ACC_SEQUENCE_PRODUCER_GET_CLASS (call->producer);

  call->nested = klass->read (call->producer, call->max_elements, call->max_values, call->cancellable, call->error);
}

static void
call_rewind (gpointer data)
{
  Call *call = data;

  call->rewound = ACC_SEQUENCE_PRODUCER_GET_CLASS (call->producer)->rewind (call->producer, call->error);
}

AccNestedArray *
acc_sequence_bound_read (const AccBound      *bound,
                         AccSequenceProducer *producer,
                         gint64               max_elements,
                         gint64               max_values,
                         GCancellable        *cancellable,
                         GError             **error)
{
  Call call = { producer, max_elements, max_values, cancellable, NULL, FALSE, error };

  acc_bound_call (bound, call_read, &call);

  return call.nested;
}

gboolean
acc_sequence_bound_rewind (const AccBound      *bound,
                           AccSequenceProducer *producer,
                           GError             **error)
{
  Call call = { producer, 0, 0, NULL, NULL, FALSE, error };

  acc_bound_call (bound, call_rewind, &call);

  return call.rewound;
}
