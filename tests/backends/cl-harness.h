/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/ir/acc-kernel.h"

/* Runs texts of OpenCL C on the first device that there is, without a backend: for tests of the text. */

typedef struct {
  gpointer data;      /* NULL: a scalar */
  gsize    size;
  gboolean is_read;   /* back into .data */
  guint64  bits;      /* a scalar's */
} ClBuffer;

void     cl_open     (void);
void     cl_close    (void);
gboolean cl_is_there (void);
void     cl_run      (const char *text, const char *symbol, ClBuffer *buffers, guint n, const gint64 words[8], guint n_groups,
                      guint threads, AccFailure *failure);
