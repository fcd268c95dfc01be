/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-session-private.h"

/* What writing and its plans share. */

/* Whether there is a sink for each array, of a place of its own, and no array with an error. */
gboolean acc_write_check      (AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks, GError **error);
/* Whether one walk writes all of @arrays within the memory that is free. */
gboolean acc_write_fits       (AccBackend *backend, AccArray **arrays, AccSink **sinks, guint n, gint64 chunk_rows);
/* Whether arrays that are computed whole are computed one after the other, which takes less memory. */
gboolean acc_write_goes_apart (AccBackend *backend, GPtrArray *arrays);
/* What is in memory, and too large for a device, comes by rows, as what is in files. FALSE: there is no such thing. */
gboolean acc_write_read_memory (AccBackend *backend, GPtrArray *outputs);
