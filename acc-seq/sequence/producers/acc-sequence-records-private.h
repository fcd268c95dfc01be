/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sequence-producer.h"

#include "acc-io/acc-byte-reader-private.h"

#define ACC_TYPE_SEQUENCE_RECORDS (acc_sequence_records_get_type ())

/* Elements of one type and shape behind one another: tuples packed, numbers in this machine's byte order. Bytes behind the last whole
 * element are an error, which comes after the elements, as one of the stream does. */
G_DECLARE_FINAL_TYPE (AccSequenceRecords, acc_sequence_records, ACC, SEQUENCE_RECORDS, AccSequenceProducer)

/* Takes @reader. %ACC_ERROR_SHAPE where elements have no bytes, or too many. */
AccSequenceProducer *acc_sequence_records_new (AccByteReader *reader, AccElementType *type, AccShape *shape, GError **error);
