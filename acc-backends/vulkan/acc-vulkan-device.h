/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/runtime/device/acc-device.h"

/* A device of Vulkan 1.1 or later, for compute only.
 *
 * Needed: 64-bit integers in shaders. All else is optional: the supported element kinds follow from shaderFloat64, 8- and 16-bit integers,
 * floats and storage; arrays larger than maxStorageBufferRange need buffer addresses. */

/* @name: a number from 0, in the order discrete, integrated, virtual, other, processor; NULL: the first that will do. */
AccDevice *acc_vulkan_device_open (const char *name, GError **error);
char     **acc_vulkan_list_devices (void);
