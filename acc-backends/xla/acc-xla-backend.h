/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-xla-engine.h"
#include "acc-core/backend/acc-backend-private.h"

/* Makes a backend of engines. A module's acc_backend_module_get_type() returns what this does; called again it returns the same type.
 * @type_prefix: "AccPjrt", of AccPjrtBackend and AccPjrtExecutable; @name: "pjrt", the backend's. Both are static.
 *
 * @open: @device is what follows the colon of the backend's name; NULL: the first device. ACC_ERROR_UNSUPPORTED, with the reason, where
 * there is none. */
GType acc_xla_backend_register (const char *type_prefix, const char *name,
                                AccXlaEngine *(*open) (const char *device, GError **error));
