/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* A sparse matrix in compressed rows: the entries of row i are those behind those of all rows before it, lengths[i] of
 * them, in the order of the file. */
typedef struct {
  gint64   n_rows, n_columns, n_entries;
  gint32  *lengths;     /* n_rows */
  gint32  *columns;     /* n_entries, counted from 0 */
  double  *values;      /* n_entries */
} SparseMatrix;

/* Reads a coordinate file in the Matrix Market format: real, integer or pattern; general or symmetric. Entries that are
 * there twice stay so, which adds them up in a product. */
gboolean sparse_matrix_read  (GFile *file, SparseMatrix *matrix, GError **error);
void     sparse_matrix_clear (SparseMatrix *matrix);
