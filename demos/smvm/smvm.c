/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* smvm [OPTION…] MATRIX.mtx: a sparse matrix times the vector 1, 2, 3, …: products of all entries, summed by segments. */

#include "matrix-market.h"

#include <acc/acc.h>
#include <locale.h>

static AccExpr *
times_element (AccExpr *value, AccExpr *column, gpointer vector)
{
  AccExpr *place = acc_expr_cast (column, acc_element_type_new (ACC_KIND_I64));

  return acc_expr_mul (value, acc_expr_index (vector, place));
}

static AccExpr *
plus (AccExpr *a, AccExpr *b, gpointer data)
{
  return acc_expr_add (a, b);
}

/* @lengths: how many of the entries each row has. The products are never stored. */
static AccArray *
sparse_times_vector (AccArray *lengths, AccArray *columns, AccArray *values, AccArray *vector)
{
  g_autoptr(AccArray) products = acc_array_zip_with (values, columns, times_element, vector);

  return acc_array_fold_seg (products, acc_expr_new_float (0), lengths, plus, NULL);
}

static AccArray *
use_numbers (AccElementKind kind, gconstpointer numbers, gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (numbers, n * acc_element_kind_get_size (kind));

  return acc_array_use (acc_element_type_new (kind), shape, bytes);
}

static AccExpr *
count_from_one (AccExpr *index, gpointer data)
{
  AccExpr *place = acc_expr_cast (acc_expr_item (index, 0), acc_element_type_new (ACC_KIND_F64));

  return acc_expr_add (place, acc_expr_new_float (1));
}

static gboolean
run (const SparseMatrix *matrix, gboolean everything, GError **error)
{
  AccBackend *backend = acc_backend_get_default (error);
  if (backend == NULL)
    return FALSE;

  g_autoptr(AccShape) width = acc_shape_new_vector (matrix->n_columns);
  g_autoptr(AccArray) vector = acc_array_generate (width, count_from_one, NULL);
  g_autoptr(AccArray) lengths = use_numbers (ACC_KIND_I32, matrix->lengths, matrix->n_rows);
  g_autoptr(AccArray) columns = use_numbers (ACC_KIND_I32, matrix->columns, matrix->n_entries);
  g_autoptr(AccArray) values = use_numbers (ACC_KIND_F64, matrix->values, matrix->n_entries);
  g_autoptr(AccArray) delayed = sparse_times_vector (lengths, columns, values, vector);
  gint64 started = g_get_monotonic_time ();
  g_autoptr(AccArray) product = acc_backend_run (backend, delayed, NULL, error);
  if (product == NULL)
    return FALSE;

  g_printerr ("%" G_GINT64_FORMAT " × %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT " entries: %.1f ms on %s\n", matrix->n_rows,
              matrix->n_columns, matrix->n_entries, (g_get_monotonic_time () - started) / 1e3,
              acc_backend_get_name (backend));
  for (gint64 i = 0; i < (everything ? matrix->n_rows : MIN (matrix->n_rows, 10)); i++)
    g_print ("%.17g\n", acc_array_get_double (product, 0, i));

  return TRUE;
}

int
main (int argc, char **argv)
{
  gboolean everything = FALSE;
  const GOptionEntry entries[] = {
    { "all", 'a', 0, G_OPTION_ARG_NONE, &everything, "Print the whole product, not ten elements", NULL },
    { NULL }
  };
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = g_option_context_new ("MATRIX.mtx - multiply a sparse matrix and 1, 2, 3, …");

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc != 2)
    {
      g_printerr ("%s\n", error ? error->message : "a matrix is needed; see --help");
      return 2;
    }

  g_autoptr(GFile) file = g_file_new_for_commandline_arg (argv[1]);
  SparseMatrix matrix;
  gboolean good = sparse_matrix_read (file, &matrix, &error) && run (&matrix, everything, &error);

  if (!good)
    g_printerr ("smvm: %s\n", error->message);
  sparse_matrix_clear (&matrix);
  return good ? 0 : 1;
}
