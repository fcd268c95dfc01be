/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"

/* Rows of an array that reads a source, as the executor of streams computes them: it writes to one end on a thread of its own, and waits
 * while as much as a few chunks lies there. */
typedef struct _AccWalkChannel AccWalkChannel;

/* @chunk: rows at a time; 0: as many as the plan says. */
AccWalkChannel *acc_walk_channel_new  (AccBackend *backend, AccArray *array, gint64 chunk);
void            acc_walk_channel_free (AccWalkChannel *self);
/* What was not read of a channel that was, in a temporary file: it holds no memory any more, and has no more to read. NULL: it held none,
 * there is no such file, or a read tells the error. */
AccArray       *acc_walk_channel_store (AccWalkChannel *self, GCancellable *cancellable);
/* The next rows, as a manifest array, of which a step takes @most at once; NULL without an error: there are no more. */
AccArray       *acc_walk_channel_read (AccWalkChannel *self, gint64 most, GCancellable *cancellable, GError **error);
