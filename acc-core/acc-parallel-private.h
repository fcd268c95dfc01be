/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "acc-version.h"

G_BEGIN_DECLS

/* Work of several processors that is no kernel: threads are kept, and shared by all who ask. */

/* Takes pieces of the work, one after the other, until there are none. */
typedef void (*AccParallelFunc) (gpointer data);

/* Calls @func in this thread and, where more than one piece makes it worth while, in others at the same time. When it returns
 * no thread is in @func. Threads that are busy elsewhere may come late or never: @func must not wait for what only another
 * call that has not begun would do. */
ACC_MODULE_API
void acc_parallel_run  (guint64 n_pieces, AccParallelFunc func, gpointer data);

/* As memcpy(), by several processors where it is much: one alone does not keep up with a device. */
ACC_MODULE_API
void acc_parallel_copy (gpointer to, gconstpointer from, gsize size);

G_END_DECLS
