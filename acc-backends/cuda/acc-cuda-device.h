/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/runtime/device/acc-device.h"

/* An NVIDIA GPU, by the CUDA driver of version 11.0 or newer: compute capability 7.0 or more. */

/* @name: a number from 0; NULL: the first. */
AccDevice *acc_cuda_device_open (const char *name, GError **error);
char     **acc_cuda_list_devices (void);
