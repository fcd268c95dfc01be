/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"

/* A union-find over numbers 0, 1, 2 … that come one after the other. The root of a set is its least number. It grows as they come, in
 * memory as long as that is as little as was said, else in temporary files. Numbers that were not joined for long are not touched, so that
 * their pages leave the page cache. */

#define ACC_LABEL_BLOCKS 48

typedef struct {
  AccBackend *backend;
  guint64     room;                       /* bytes of memory for what comes */
  gint64      n;
  guint       n_blocks;
  gint64     *blocks[ACC_LABEL_BLOCKS];   /* each twice as long as the one before */
  AccBuffer  *kept[ACC_LABEL_BLOCKS];
} AccLabelTable;

#define ACC_LABEL_FIRST_BITS 16

/* @room: bytes of memory that it may take. */
void     acc_label_table_init    (AccLabelTable *self, AccBackend *backend, guint64 room);
void     acc_label_table_clear   (AccLabelTable *self);
/* The next number, a set of its own. */
gboolean acc_label_table_add     (AccLabelTable *self, GError **error);
void     acc_label_table_join    (AccLabelTable *self, gint64 a, gint64 b);
/* Puts the number of each set, 1, 2 … in the order of their roots, in the place of its numbers. Returns how many there are. */
gint64   acc_label_table_number  (AccLabelTable *self);

static inline gint64 *
acc_label_table_at (AccLabelTable *self, gint64 number)
{
  guint64 place = (guint64) number + (G_GUINT64_CONSTANT (1) << ACC_LABEL_FIRST_BITS);
  guint block = g_bit_storage (place) - 1;

  return self->blocks[block - ACC_LABEL_FIRST_BITS] + (place - (G_GUINT64_CONSTANT (1) << block));
}
