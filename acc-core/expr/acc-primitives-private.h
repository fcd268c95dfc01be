/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-module-expr.h"

G_BEGIN_DECLS

gboolean acc_primitive_from_name (const char *name, AccPrimitive *primitive);

G_END_DECLS
