/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sequence-producer.h"

#include "acc-io/acc-byte-reader-private.h"

#define ACC_TYPE_SEQUENCE_SPLIT (acc_sequence_split_get_type ())

/* Bytes cut where a delimiter is: vectors of u1, which may be empty. What is behind the last delimiter is one more unless it is empty.
 * What comes before an error of the stream is given first. */
G_DECLARE_FINAL_TYPE (AccSequenceSplit, acc_sequence_split, ACC, SEQUENCE_SPLIT, AccSequenceProducer)

#define ACC_SEQUENCE_LONGEST_DELIMITER 4096

/* Lines that end with LF or CR LF, with these bytes where @keep_ends. Takes @reader. */
AccSequenceProducer *acc_sequence_split_new_lines (AccByteReader *reader, gboolean keep_ends);
/* Takes @reader. %ACC_ERROR_UNSUPPORTED for a delimiter that is empty or too long. */
AccSequenceProducer *acc_sequence_split_new       (AccByteReader *reader, GBytes *delimiter, gboolean keep_delimiters, GError **error);
