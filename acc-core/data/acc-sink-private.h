/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sink.h"

/* Of a sink that was started: @row comes next. Rows before it are there, or do not matter. */
void     acc_sink_skip_to            (AccSink *self, gint64 row);
/* For classes whose chunks need not be whole rows: they write elements in order, whatever their rows. */
void     acc_sink_set_takes_elements (AccSink *self);
gboolean acc_sink_takes_elements     (AccSink *self);
/* Of such a sink that was started: chunks are those of the vector of its elements. */
void     acc_sink_begin_elements     (AccSink *self);
/* For those that write to a file of their own, and may write it again: beside others of another name they need no order. */
void     acc_sink_set_separate       (AccSink *self, gboolean separate);
gboolean acc_sink_is_separate        (AccSink *self);
