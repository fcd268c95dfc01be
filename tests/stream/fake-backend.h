/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "stream-files.h"

#include "acc-core/backend/acc-backend-private.h"

/* A backend whose programs are scripts: values and steps as a row run has them, with one rule for what a step computes.
 * It checks what the run by rows promises: windows hold what is read, each row is computed once and in order. */

#define SCRIPT_MAX 24

typedef struct {
  AccRowValueKind kind;
  TestSource     *source;       /* owned */
  gint64          n_rows, row_elements;
  int             result;
} ScriptValue;

typedef struct {
  gboolean   reduces;
  gint64     n_rows;
  guint      n_reads, n_writes;
  AccRowRead reads[4];
  guint      writes[2];
} ScriptStep;

typedef struct {
  guint       n_values, n_steps, n_results;
  ScriptValue values[SCRIPT_MAX];
  ScriptStep  steps[SCRIPT_MAX];
  guint       delay_us;         /* per step run */
  int         fail_step;        /* -1: none */
  gint64      fail_row;
  gboolean    refuses_rows;
  gboolean    on_device;        /* windows lie in memory of its own; work is done when somebody waits for it */
} Script;

void       script_init      (Script *self);
void       script_clear     (Script *self);
guint      script_add_source (Script *self, gint64 n_rows, gint64 row_elements, guint32 seed);
guint      script_add_value (Script *self, AccRowValueKind kind, gint64 n_rows, gint64 row_elements);
ScriptStep *script_add_step (Script *self, gboolean reduces, gint64 n_rows);
void       script_read      (ScriptStep *step, guint value, gint64 above, gint64 below);
void       script_make_result (Script *self, guint value);
/* A step that computes one value of its own. */
guint      script_add_stage (Script *self, guint from, gint64 above, gint64 below);
/* Arrays that stand for the results: owned. */
AccArray  *script_dup_result (Script *self, guint result);
/* What the value is, by the rule applied to whole arrays: n_rows * row_elements elements. */
gint32    *script_compute   (Script *self, guint value);

#define FAKE_TYPE_BACKEND (fake_backend_get_type ())
G_DECLARE_FINAL_TYPE (FakeBackend, fake_backend, FAKE, BACKEND, AccBackend)

/* @script: borrowed. */
FakeBackend *fake_backend_new (Script *script);
/* Whether memory of a device is held. */
guint64      fake_backend_get_device_bytes (FakeBackend *self);
/* Rows computed by steps since the start; whole runs. */
guint64      fake_backend_get_n_rows  (FakeBackend *self);
guint        fake_backend_get_n_whole (FakeBackend *self);
