/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"

/* Stable sorts of few elements, which a cache keeps, by unsigned keys that are there already, on the processor. Places are less than
 * 2^32. */

/* Elements [at, at + n) of buffers. */
typedef struct {
  gint64 at, n;
} AccSlice;

/* What one thread sorts in. */
typedef struct {
  AccElementType *type, *key_type;
  gboolean    carries;        /* its items have elements themselves where they are sorted in place */
  guint       digit_bits;     /* at most */
  AccBuffer **elements, **keys;   /* NULL where they do */
  AccBuffer **memory;         /* of: */
  guint64    *items, *moved;  /* a key, or a half of it, above its element or the place of that */
  guint32    *counts;         /* two for each digit */
} AccOrder;

/* Bytes for at most @most elements. */
guint64  acc_order_measure (AccElementType *type, AccElementType *key_type, gint64 most);
gboolean acc_order_init    (AccOrder *self, AccElementType *type, AccElementType *key_type, gint64 most, AccBudget *budget, GError **error);
void     acc_order_clear   (AccOrder *self);
/* Sorts elements [at, at + n), and their keys, where they are. Takes time linear in the elements, and in the bits in which their keys
 * differ; so does the other. */
void     acc_order_sort    (AccOrder *self, AccBuffer **elements, AccBuffer **keys, gint64 at, gint64 n);
/* Sorts the elements of slices that are sorted, one behind the other, to those of @to from number @at on. */
void     acc_order_merge   (AccOrder *self, AccBuffer **elements, AccBuffer **keys, const AccSlice *slices, guint n_slices,
                            AccBuffer **to, gint64 at);
