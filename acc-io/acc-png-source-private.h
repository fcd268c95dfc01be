/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-byte-reader-private.h"
#include "acc-source.h"

#define ACC_TYPE_PNG_SOURCE (acc_png_source_get_type ())

/* Rows of a PNG picture. An interlaced one is decoded as a whole, where all rows are asked for at once to their place. */
G_DECLARE_FINAL_TYPE (AccPngSource, acc_png_source, ACC, PNG_SOURCE, AccSource)

/* Takes @reader. */
AccSource *acc_png_source_new (AccByteReader *reader, GCancellable *cancellable, GError **error);
