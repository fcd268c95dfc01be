/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A queue of background tasks: work that no caller waits for. Threads that have nothing else to do take its tasks in the order in which
 * they came. Any thread. */
typedef struct _AccBackground AccBackground;

AccBackground *acc_background_new        (void);
/* Ends the queue first. */
void           acc_background_free       (AccBackground *self);
/* Returns FALSE once the queue has ended: the task will not be done. @destroy frees @user_data in any case. */
gboolean       acc_background_add        (AccBackground *self, GFunc function, gpointer user_data, GDestroyNotify destroy);
/* Removes the task with this @user_data, which the caller owns again. Returns FALSE if it has begun. */
gboolean       acc_background_withdraw   (AccBackground *self, gconstpointer user_data);
/* Counts the tasks that have not begun. */
guint          acc_background_get_n      (AccBackground *self);
/* Returns FALSE if there was no task to do. */
gboolean       acc_background_do_one     (AccBackground *self);
/* Drops the tasks that have not begun, waits for the others, and takes no more. */
void           acc_background_end        (AccBackground *self);
/* Makes the process end all queues when it exits. Exit handlers run in reverse order. So what tasks use, and exit handlers undo, must be
 * there before this is called. */
void           acc_background_guard_exit (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccBackground, acc_background_free)
