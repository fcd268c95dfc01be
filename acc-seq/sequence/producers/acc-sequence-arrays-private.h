/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sequence-producer.h"

#define ACC_TYPE_SEQUENCE_ARRAYS (acc_sequence_arrays_get_type ())

/* Arrays of a list, which are in memory and have one element type and rank. The list stays as it is while it is walked. An array that does
 * not fit is an error that comes after those before it. */
G_DECLARE_FINAL_TYPE (AccSequenceArrays, acc_sequence_arrays, ACC, SEQUENCE_ARRAYS, AccSequenceProducer)

/* @type, which may be NULL, and @rank: those of the arrays; otherwise those of the first one: %ACC_ERROR_TYPE where there is none. All are
 * looked at, for a shape that they have in common. */
AccSequenceProducer *acc_sequence_arrays_new (GListModel *arrays, AccElementType *type, guint rank, GError **error);
/* The one that is number @element as long as the list stays as it is, owned; NULL: it is not one that fits. */
AccArray            *acc_sequence_arrays_peek (AccSequenceArrays *self, gint64 element);
