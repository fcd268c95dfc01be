/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-byte-writer-private.h"
#include "acc-sink.h"

#define ACC_TYPE_RAW_SINK (acc_raw_sink_get_type ())

/* Elements behind one another, tuples packed; with the header of a .npy file or without. */
G_DECLARE_FINAL_TYPE (AccRawSink, acc_raw_sink, ACC, RAW_SINK, AccSink)

/* Takes @writer. */
AccSink *acc_raw_sink_new (AccByteWriter *writer, gboolean npy);
