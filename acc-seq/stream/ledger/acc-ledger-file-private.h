/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-ledger-private.h"

/* The files of a ledger, for those who write and read them. */

#define ACC_LEDGER_ROWS "rows"

typedef struct {
  gint64  first_row, n_rows;
  guint64 offset;
} AccLedgerBlock;

struct _AccLedger
{
  char           *name;
  char           *folder;
  int             lines, rows;   /* files */
  guint64         head, end;     /* of the head of the output, and of blocks that are there */
  goffset         end_of_lines;
  AccElementType *type;          /* borrowed; NULL: not known yet */
  AccShape       *shape;         /* while it grows, of as many rows as can be counted */
  gboolean        grows, was_growing;
  gint64          n_done;
  GArray         *blocks;        /* AccLedgerBlock */
};

/* At @offset of a file, whole. */
gboolean acc_ledger_transfer           (AccLedger *self, gboolean writes, int fd, gpointer data, gsize size, guint64 offset,
                                        GError **error);
gint64   acc_ledger_count_row_elements (AccShape *shape);
/* Bytes of a row in a buffer. */
gsize    acc_ledger_get_width          (AccLedger *self, guint buffer);
/* Bytes of rows in all of them. */
gsize    acc_ledger_measure_block      (AccLedger *self, gint64 n_rows);
/* Of the output, of as many rows as there are; NULL without an error: its file is written by itself. */
GBytes  *acc_ledger_make_head          (AccLedger *self, AccSink *output, GError **error);
