/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-source.h"

/* Of a source that was started: @row is the next one that is read. */
typedef gboolean (*AccSourceSeekFunc) (AccSource *self, gint64 row, GCancellable *cancellable, GError **error);

/* For classes that need not read the rows before. */
void     acc_source_set_seek (AccSource *self, AccSourceSeekFunc seek);
gboolean acc_source_can_seek (AccSource *self);
/* For what can be read once only, such as a pipe: a second run fails. */
void     acc_source_set_once (AccSource *self, gboolean is_once);
gboolean acc_source_is_once  (AccSource *self);
/* For what has no row before it has all: a chunk of all rows takes them as they come; for fewer the source holds all of them, as
 * acc_source_get_resident_bytes() tells. */
void     acc_source_set_comes_whole (AccSource *self, gboolean comes_whole);
gboolean acc_source_comes_whole     (AccSource *self);
gboolean acc_source_seek     (AccSource *self, gint64 row, GCancellable *cancellable, GError **error);
