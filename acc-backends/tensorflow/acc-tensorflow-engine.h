/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/xla/acc-xla-engine.h"

/* TensorFlow on the host's processors. @device: NULL, or "0". */
AccXlaEngine *acc_tensorflow_engine_open (const char *device, GError **error);
