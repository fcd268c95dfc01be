/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-source.h"

#define ACC_TYPE_WINDOW_SOURCE (acc_window_source_get_type ())

/* Rows first, first + step, … of another source, of which others are read where they lie close between, or it cannot seek. */

G_DECLARE_FINAL_TYPE (AccWindowSource, acc_window_source, ACC, WINDOW_SOURCE, AccSource)

/* @n_rows: at least 1, all of which @base has. @step, if it is below 0: @base can seek. */
AccSource *acc_window_source_new          (AccSource *base, gint64 first, gint64 step, gint64 n_rows);
/* Bytes that all its rows take, with those that are read for them. */
guint64    acc_window_source_measure_read (AccWindowSource *self);
