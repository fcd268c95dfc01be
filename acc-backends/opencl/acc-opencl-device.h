/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/runtime/device/acc-device.h"

/* A device of OpenCL 1.2 or newer, of any platform. */

/* @name: a number from 0, over all platforms, GPUs first; NULL: the first. */
AccDevice *acc_opencl_device_open (const char *name, GError **error);
char     **acc_opencl_list_devices (void);
