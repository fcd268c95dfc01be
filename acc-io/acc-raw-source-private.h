/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-byte-reader-private.h"
#include "acc-record-private.h"
#include "acc-source.h"

#define ACC_TYPE_RAW_SOURCE (acc_raw_source_get_type ())

/* Elements of a known layout behind one another: raw files, and .npy files past their header. */
G_DECLARE_FINAL_TYPE (AccRawSource, acc_raw_source, ACC, RAW_SOURCE, AccSource)

/* Takes @reader, and @record where it is not NULL (packed). Checks the size of what it reads. */
AccSource *acc_raw_source_new (AccByteReader *reader, AccElementType *type, AccShape *shape, AccRecord *record, guint64 offset,
                               GError **error);
