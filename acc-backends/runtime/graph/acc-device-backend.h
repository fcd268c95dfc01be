/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/runtime/device/acc-device.h"
#include "acc-core/backend/acc-backend-private.h"

/* Makes a backend of a device. A module's acc_backend_module_get_type() returns what this does; called again it returns the same
 * type. @type_prefix: "AccCuda", of AccCudaBackend and AccCudaExecutable; @name: "cuda", the backend's. Both are static.
 *
 * @open: @device is what follows the colon of the backend's name; NULL: the first device. ACC_ERROR_UNSUPPORTED, with the
 * reason, where there is none. The device is freed through its class.
 * @list_devices: names that @open takes ("0", "1"), NULL-terminated, owned by the caller; NULL, or an empty list, where there
 * are none. The function itself may be NULL: one device. */
GType acc_device_backend_register (const char  *type_prefix,
                                   const char  *name,
                                   AccDevice *(*open) (const char *device, GError **error),
                                   char      **(*list_devices) (void));
