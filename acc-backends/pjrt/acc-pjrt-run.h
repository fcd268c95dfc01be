/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-pjrt-client.h"

/* A client that runs modules. @device: its number; NULL: the first. */
AccXlaEngine *acc_pjrt_engine_open (const char *device, GError **error);
