/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backend.h"

/* Reads rows of sources where some are wanted, in an order that they can be read in, as of a crop: what takes the place of others, which
 * are rows of these. @arrays, owned, get it. FALSE: an error. */
gboolean acc_windows_replace (AccBackend *backend, GPtrArray *arrays, GError **error);
