/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-run.h"

/* A run on the host's workers. */
typedef struct {
  AccRun      parent;
  gpointer   *scratch;      /* of the step that runs: where each is */
  AccBuffer **held;         /* by it: what large ones are in */
  AccBuffer  *small;        /* what the others are in, for all steps; NULL: none needed it yet */
  guint64    *slots;
  gint64      round_rows;   /* of it: that go through it at a time; 0: all */
} AccHostRun;

AccRun  *acc_host_run_new               (AccHost *host, AccPrepared *prepared, GCancellable *cancellable);

/* Of the fields above from .scratch on: pointers, and where they go. Zeroed. */
gsize    acc_host_run_count_step_memory (AccPrepared *prepared);
void     acc_host_run_set_step_memory   (AccHostRun *self, gpointer *memory);
void     acc_host_run_clear_step_memory (AccHostRun *self);
/* The first launches of a step, whole: buffers and scratch are there. */
gboolean acc_host_run_launches          (AccHostRun *self, guint step, guint n_launches, GError **error);
