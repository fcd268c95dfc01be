/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"
#include "acc-array.h"
#include "acc-sink.h"

#define ACC_TYPE_KEPT_SINK (acc_kept_sink_get_type ())

/* Keeps in memory what is written. */
G_DECLARE_FINAL_TYPE (AccKeptSink, acc_kept_sink, ACC, KEPT_SINK, AccSink)

AccKeptSink *acc_kept_sink_new       (AccBackend *backend);
/* Once it is committed. */
AccArray    *acc_kept_sink_dup_array (AccKeptSink *self);
