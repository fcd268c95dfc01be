/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sink.h"

/* Of a sink that was started: @row comes next. Rows before it are there, or do not matter. */
void acc_sink_skip_to (AccSink *self, gint64 row);
