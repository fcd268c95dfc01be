/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-foreign-private.h"
#include "acc-host.h"

/* Whether the host has what such a function needs: launches want addresses. */
gboolean  acc_foreign_can_run (AccHost *host, AccForeign *foreign);
/* Calls it with manifest arrays, which stay where they are for a launch. Owned. */
AccArray *acc_foreign_run     (AccHost *host, AccForeign *foreign, AccArray *node, AccArray **inputs, GCancellable *cancellable,
                               GError **error);
