/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Numbers pointers from 0 on in the order in which they come. Planning meets every expression of a program several times, and the tables of
 * GLib would take most of its time: here adding one takes some nanoseconds, and clearing takes none. */
typedef struct {
  gconstpointer key;
  guint         number;
  guint         era;
} AccNumberSlot;

typedef struct {
  AccNumberSlot *slots;     /* NULL: none yet */
  guint          n_bits;
  guint          n;         /* numbers given */
  guint          era;       /* of the slots that count */
} AccNumbers;

void     acc_numbers_clear  (AccNumbers *self);
void     acc_numbers_free   (AccNumbers *self);
/* The number of @key. Whether it is new. */
gboolean acc_numbers_add    (AccNumbers *self, gconstpointer key, guint *number);
/* Whether it has one. */
gboolean acc_numbers_lookup (AccNumbers *self, gconstpointer key, guint *number);
