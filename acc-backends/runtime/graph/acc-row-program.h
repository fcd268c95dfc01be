/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-graph.h"
#include "acc-row-layout.h"

#define ACC_ROW_NONE G_MAXUINT

/* One step of a run by rows. */
typedef struct {
  guint step;       /* of the schedule; ACC_ROW_NONE: copies rows */
  guint from, to;   /* row values: of a copy */
} AccRowProgramStep;

/* A schedule as callers of a run by rows see it, wherever that runs. */
typedef struct {
  AccPrepared  *prepared;   /* borrowed */
  AccRowLayout  layout;
  GArray       *row_values; /* AccRowValue */
  GArray       *row_steps;  /* AccRowStep */
  GArray       *values;     /* guint, per row value: the schedule's */
  GArray       *steps;      /* AccRowProgramStep, per row step */
  guint        *numbers;    /* per value of the schedule: row value, or ACC_ROW_NONE */
} AccRowProgram;

gboolean acc_row_program_init     (AccRowProgram *self, AccPrepared *prepared, AccGraph *graph, GError **error);
void     acc_row_program_clear    (AccRowProgram *self);
/* Fills the fields of @run but its class; they are borrowed. */
void     acc_row_program_describe (AccRowProgram *self, AccRowRun *run);
/* Whether a value that is computed before the rows is needed once these come. */
gboolean acc_row_program_is_kept  (AccRowProgram *self, guint value);

static inline guint
acc_row_program_get_value (AccRowProgram *self,
                           guint          row_value)
{
  return g_array_index (self->values, guint, row_value);
}

static inline const AccRowProgramStep *
acc_row_program_get_step (AccRowProgram *self,
                          guint          row_step)
{
  return &g_array_index (self->steps, AccRowProgramStep, row_step);
}
