/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sequence-producer.h"

#include "acc-core/base/acc-bound-private.h"

/* The virtual functions of a producer, called where that is bound to. */
AccNestedArray *acc_sequence_bound_read   (const AccBound *bound, AccSequenceProducer *producer, gint64 max_elements, gint64 max_values,
                                           GCancellable *cancellable, GError **error);
gboolean        acc_sequence_bound_rewind (const AccBound *bound, AccSequenceProducer *producer, GError **error);
