/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-module-types.h"

G_BEGIN_DECLS

/* How many buffers the items before @item have. */
guint acc_element_type_get_first_buffer (AccElementType *self, guint item);

G_END_DECLS
