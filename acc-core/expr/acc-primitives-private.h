/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-module-expr.h"

gboolean acc_primitive_from_name (const char *name, AccPrimitive *primitive);
