/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"
#include "acc-array.h"
#include "acc-sink.h"

/* What a filter keeps, straight to a sink that can grow: how much it is need not be known before, and nothing is stored. */

#define ACC_TYPE_PACK_SINK (acc_pack_sink_get_type ())
G_DECLARE_FINAL_TYPE (AccPackSink, acc_pack_sink, ACC, PACK_SINK, AccSink)

/* For a filter, and what is made of one element by element: rows of elements and whether to keep each, by which @sink gets the same
 * elements, and the sink that takes them. NULL where @array is nothing of the kind.
 * @n_sinks: how many share the memory. */
AccArray *acc_pack_split     (AccBackend *backend, AccArray *array, AccSink *sink, guint n_sinks, AccSink **pack);
/* Where the elements go. */
AccSink  *acc_pack_sink_get_inner (AccPackSink *self);
/* Bytes of what acc_sink_get_resident_bytes() tells of that the sink has given back, and could not get again. */
guint64   acc_pack_sink_get_lent  (AccPackSink *self);
