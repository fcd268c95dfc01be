/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backend.h"

G_BEGIN_DECLS

#define ACC_TYPE_PLAN (acc_plan_get_type ())

/* What the chunk planner decided. Immutable. */
ACC_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AccPlan, acc_plan, ACC, PLAN, GObject)

/* Rows of input per chunk */
ACC_AVAILABLE_IN_1_0
gint64   acc_plan_get_chunk_rows   (AccPlan *self);
ACC_AVAILABLE_IN_1_0
guint64  acc_plan_get_n_chunks     (AccPlan *self);
/* Rows above and below a row of the result that it depends on, over all stages */
ACC_AVAILABLE_IN_1_0
gint64   acc_plan_get_halo_above   (AccPlan *self);
ACC_AVAILABLE_IN_1_0
gint64   acc_plan_get_halo_below   (AccPlan *self);
/* Chunks between reader and kernels, and between kernels and writer */
ACC_AVAILABLE_IN_1_0
guint    acc_plan_get_n_input_slots  (AccPlan *self);
ACC_AVAILABLE_IN_1_0
guint    acc_plan_get_n_output_slots (AccPlan *self);
/* Bytes: all, and fixed + per_row * chunk rows */
ACC_AVAILABLE_IN_1_0
guint64  acc_plan_get_bytes        (AccPlan *self);
ACC_AVAILABLE_IN_1_0
guint64  acc_plan_get_fixed_bytes  (AccPlan *self);
ACC_AVAILABLE_IN_1_0
guint64  acc_plan_get_row_bytes    (AccPlan *self);
/* Bytes that pass between files and memory, temporary files included, and how long disks take for that */
ACC_AVAILABLE_IN_1_0
guint64  acc_plan_get_read_bytes    (AccPlan *self);
ACC_AVAILABLE_IN_1_0
guint64  acc_plan_get_written_bytes (AccPlan *self);
ACC_AVAILABLE_IN_1_0
double   acc_plan_get_seconds       (AccPlan *self);
/* A table for people: each value with its rows, halo and bytes, and why the chunk is as it is */
ACC_AVAILABLE_IN_1_0
char    *acc_plan_to_string        (AccPlan *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
