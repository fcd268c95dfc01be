/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Work that nobody waits for, for threads that have nothing else to do: done in the order in which it came. Any thread. */
typedef struct _AccErrands AccErrands;

AccErrands *acc_errands_new         (void);
/* Ends them first. */
void        acc_errands_free        (AccErrands *self);
/* FALSE: it will not be done, as they have ended. @destroy: of @user_data, done or not. */
gboolean    acc_errands_add         (AccErrands *self, GFunc function, gpointer user_data, GDestroyNotify destroy);
/* What has this @user_data: TRUE, and the caller's again, if nobody has begun it. */
gboolean    acc_errands_withdraw    (AccErrands *self, gconstpointer user_data);
/* How many wait for somebody to begin them. */
guint       acc_errands_get_n       (AccErrands *self);
/* FALSE: there was none to do. */
gboolean    acc_errands_do_one      (AccErrands *self);
/* Withdraws all, and waits for those that are under way. No more will be taken. */
void        acc_errands_end         (AccErrands *self);
/* From now on the process waits at its end for what is under way, and what is not begun is left. What errands use that is made when it
 * is first needed, and undone at the end, has to be there already: the end undoes what was made last first. */
void        acc_errands_guard_exit  (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccErrands, acc_errands_free)

G_END_DECLS
