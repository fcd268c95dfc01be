/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* What tests of the native backend share: the backend, arrays, functions and runs. */

extern AccBackend *native_backend;

/* Around the tests of a program: open the backend; run them, and close it. */
void        native_begin         (int *argc, char ***argv);
int         native_end           (void);

AccArray   *native_use_ints      (const gint64 *values, gint64 n);
/* 0, 1, 2 … */
AccArray   *native_use_count     (gint64 n);
AccArray   *native_use_noise     (gint64 rows, gint64 columns, guint32 seed);
AccProgram *native_read_program  (const char *text);

/* The one result, or how it fails. */
AccArray   *native_run           (AccArray *array);
GError     *native_run_failing   (AccArray *array);

/* A variable of the environment; NULL: it was not set. */
void        native_set_back      (const char *variable, const char *before);

AccExpr    *native_times_two     (AccExpr *x, gpointer data);
AccExpr    *native_plus_one      (AccExpr *x, gpointer data);
AccExpr    *native_half          (AccExpr *x, gpointer data);
AccExpr    *native_plus          (AccExpr *x, AccExpr *y, gpointer data);
AccExpr    *native_largest       (AccExpr *x, AccExpr *y, gpointer data);

/* A whole sum of twice the elements; whether the sum is below @data; every element more by 1, or by those of the array @data. */
AccArray   *native_scale_and_sum (AccArray **arrays, guint n_arrays, gpointer data);
AccArray   *native_sum_below     (AccArray **arrays, guint n_arrays, gpointer data);
AccArray   *native_increment     (AccArray **arrays, guint n_arrays, gpointer data);

AccArray   *native_blur          (AccArray *array);
/* Three, of @source or of the array that it stands for. */
void        native_make_results  (AccArray *source, AccArray *table, AccArray **results);
