/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "contender.h"

#include <acc/acc.h>

#define ACC_WORK_MAX_ARGUMENTS 8

/* A program compiled once for the default backend, without a limit of memory; its arguments, where they lie; and what its last
 * run gave. Whatever fails ends the process. */
typedef struct {
  AccBackend    *backend;
  AccExecutable *executable;
  AccArray      *arguments[ACC_WORK_MAX_ARGUMENTS];
  gpointer       memory[ACC_WORK_MAX_ARGUMENTS];
  char          *signatures[ACC_WORK_MAX_ARGUMENTS + 1];
  guint          n_arguments;
  GPtrArray     *results;

  AccArraysFunc  build;      /* instead of an executable: makes what each run computes */
  gpointer       user_data;
  GDestroyNotify destroy;
} AccWork;

AccWork      *acc_work_new          (void);

/* One more argument; @code: of its elements, "f4"; @memory: from contender_memory() and its like, taken. */
void          acc_work_add          (AccWork *self, const char *code, gpointer memory, const gint64 *extents, guint rank);
void          acc_work_add_vector   (AccWork *self, const char *code, gpointer memory, gint64 n);
void          acc_work_add_matrix   (AccWork *self, const char *code, gpointer memory, gint64 rows, gint64 columns);

/* After all arguments; gives @self. */
AccWork      *acc_work_compile      (AccWork *self, AccArrayFunc build, gpointer user_data);
AccWork      *acc_work_compile_many (AccWork *self, AccArraysFunc build, gpointer user_data);

/* What is no program, as sequences are not: a run begins with the graph. Takes @user_data. */
AccWork      *acc_work_build_anew   (AccWork *self, AccArraysFunc build, gpointer user_data, GDestroyNotify destroy);

/* Fit for Work; the digest is of the first buffer of the first result, in its own type. */
void          acc_work_run          (gpointer self);
double        acc_work_check        (gpointer self);
void          acc_work_free         (gpointer self);

/* The digest of any of them; and an element, which tells the result of a fold. */
double        acc_work_digest       (AccWork *self, guint result, guint buffer);
double        acc_work_get_number   (AccWork *self, guint result, guint buffer, gint64 index);

/* An array as the one result of what builds many; takes it. */
GPtrArray    *acc_work_alone        (AccArray *array);

/* Functions of elements that many of them have. */
AccExpr      *acc_work_plus         (AccExpr *x, AccExpr *y, gpointer data);
AccExpr      *acc_work_times        (AccExpr *x, AccExpr *y, gpointer data);

/* The sum of two arrays of the same extents */
AccArray     *acc_work_sum_of_two   (AccArray **arrays, guint n, gpointer data);

/* A function of an element: a row of a sparse matrix, pairs (value, column), times a vector, an array */
AccArray     *acc_work_row_by_vector (AccArray **row, guint n, gpointer vector);
