/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-trace.h"

/* Returns the result of a function that the user gave: calls it, or, if this thread traces, takes the answer of the trace. */
AccExpr   *acc_call1            (AccExprFunc function, AccExpr *x, gpointer user_data);
AccExpr   *acc_call2            (AccExprFunc2 function, AccExpr *x, AccExpr *y, gpointer user_data);
AccExpr   *acc_call3            (AccExprFunc3 function, AccExpr *x, AccExpr *y, AccExpr *z, gpointer user_data);

/* Whether @function is asked for, not called. */
gboolean   acc_trace_asks       (GCallback function);
/* The answer, or NULL where there is none yet. Borrowed. */
AccExpr   *acc_trace_ask        (GCallback function, gpointer user_data, AccExpr **arguments, guint n);
/* The same for arrays: owned. The elements of @parameters become those that the answer was made with, and so does *@number, which may be
 * NULL: see acc_numbering_begin(). */
GPtrArray *acc_trace_ask_arrays (GCallback function, gpointer user_data, GPtrArray *parameters, AccArray **number);
/* Returns an owned variable, which is the same each time that the thread builds the operation that it traces. */
AccExpr   *acc_trace_variable   (AccElementType *type);
