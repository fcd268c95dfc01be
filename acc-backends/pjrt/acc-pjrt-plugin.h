/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-pjrt-api.h"

/* The plugin of this process: the first that is found. It stays. Any thread. */

/* Places @arguments in a call: their size is set. */
#define ACC_PJRT_ARGS(Type, ...) ((Type) { .size = sizeof (Type), __VA_ARGS__ })

/* ACC_ERROR_UNSUPPORTED with the reason where there is none. @path: borrowed. */
const PjrtApi *acc_pjrt_plugin_get  (const char **path, GError **error);
/* Calls a function; what the plugin says of a failure is the error, behind @what. */
gboolean       acc_pjrt_call        (const PjrtApi *api, guint function, gpointer arguments, const char *what, GError **error);
/* The same where nothing can be done about a failure. */
void           acc_pjrt_call_freely (const PjrtApi *api, guint function, gpointer arguments);
/* Waits for the event, which goes. */
gboolean       acc_pjrt_await       (const PjrtApi *api, PjrtEvent *event, const char *what, GError **error);
