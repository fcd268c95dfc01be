/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-element-type.h"

G_BEGIN_DECLS

/* Where the leaves of elements lie in buffers. Included by acc-module.h. */

/* Where a leaf lies: that of element i is scalar i * lanes + lane of the buffer. */
typedef struct {
  AccElementKind kind;
  guint          buffer;
  guint          lane, lanes;
} AccLeafPlace;

/* That of leaf @leaf; borrowed. */
ACC_MODULE_API
const AccLeafPlace *acc_element_type_locate          (AccElementType *self, guint leaf);
/* How many leaves the items before @item have. */
ACC_MODULE_API
guint               acc_element_type_get_first_leaf  (AccElementType *self, guint item);
/* Bytes from one element to the next in a buffer. */
ACC_MODULE_API
gsize               acc_element_type_get_buffer_size (AccElementType *self, guint buffer);
/* The greatest of these; 1 without buffers. */
ACC_MODULE_API
gsize               acc_element_type_get_widest      (AccElementType *self);
/* Whether sums do not depend on how elements are grouped: no float is among them. */
ACC_MODULE_API
gboolean            acc_element_type_is_exact        (AccElementType *self);

G_END_DECLS
