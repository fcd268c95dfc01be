/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

#define ACC_TYPE_TRACE (acc_trace_get_type ())

/* Builds what takes functions without calling them from C. One thread at a time. */
ACC_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AccTrace, acc_trace, ACC, TRACE, GObject)

ACC_AVAILABLE_IN_1_0
AccTrace  *acc_trace_new           (void);
ACC_AVAILABLE_IN_1_0
void       acc_trace_begin         (AccTrace *self);
ACC_AVAILABLE_IN_1_0
gboolean   acc_trace_end           (AccTrace *self);
ACC_AVAILABLE_IN_1_0
guint      acc_trace_get_function  (AccTrace *self);
/* (transfer none) (element-type AccExpr) */
ACC_AVAILABLE_IN_1_0
GPtrArray *acc_trace_get_arguments (AccTrace *self);
/* (transfer none) (element-type GObject.Object) */
ACC_AVAILABLE_IN_1_0
GPtrArray *acc_trace_get_arrays    (AccTrace *self);
ACC_AVAILABLE_IN_1_0
void       acc_trace_enter         (AccTrace *self);
ACC_AVAILABLE_IN_1_0
void       acc_trace_leave         (AccTrace *self);
ACC_AVAILABLE_IN_1_0
void       acc_trace_answer        (AccTrace *self, AccExpr *result);
ACC_AVAILABLE_IN_1_0
void       acc_trace_answer_arrays (AccTrace *self, GObject **results, guint n_results);

G_END_DECLS
