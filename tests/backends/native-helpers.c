/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "native-helpers.h"

#include <string.h>

AccBackend *native_backend;

void
native_begin (int    *argc,
              char ***argv)
{
  g_autoptr(GError) error = NULL;

  g_test_init (argc, argv, NULL);
  native_backend = acc_backend_new_for_name ("native", &error);
  g_assert_no_error (error);
}

int
native_end (void)
{
  int result = g_test_run ();

  g_clear_object (&native_backend);

  return result;
}

AccArray *
native_use_ints (const gint64 *values,
                 gint64        n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (values, n * sizeof (gint64));

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

AccArray *
native_use_count (gint64 n)
{
  g_autofree gint64 *values = g_new (gint64, n + 1);

  for (gint64 i = 0; i < n; i++)
    values[i] = i;

  return native_use_ints (values, n);
}

AccArray *
native_use_noise (gint64  rows,
                  gint64  columns,
                  guint32 seed)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (rows, columns);
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  float *values = g_new (float, rows * columns + 1);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < rows * columns; i++)
    values[i] = (float) g_rand_double (rand);
  bytes = g_bytes_new_take (values, rows * columns * sizeof (float));

  return acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, bytes);
}

AccProgram *
native_read_program (const char *text)
{
  g_autoptr(GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr(GError) error = NULL;
  AccProgram *program = acc_program_new_from_bytes (bytes, &error);

  g_assert_no_error (error);

  return program;
}

void
native_set_back (const char *variable,
                 const char *before)
{
  if (before != NULL)
    g_setenv (variable, before, TRUE);
  else
    g_unsetenv (variable);
}

AccArray *
native_run (AccArray *array)
{
  g_autoptr(AccProgram) program = acc_program_new_for_results (&array, 1);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (native_backend, program, NULL, &error);
  g_autoptr(GPtrArray) results = NULL;

  g_assert_no_error (error);
  results = acc_executable_run (executable, NULL, 0, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (results->len, ==, 1);

  return g_object_ref (g_ptr_array_index (results, 0));
}

GError *
native_run_failing (AccArray *array)
{
  g_autoptr(AccProgram) program = acc_program_new_for_results (&array, 1);
  GError *error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (native_backend, program, NULL, &error);

  g_assert_no_error (error);
  g_assert_null (acc_executable_run (executable, NULL, 0, NULL, &error));
  g_assert_nonnull (error);

  return error;
}

AccExpr *
native_times_two (AccExpr  *x,
                  gpointer  data)
{
  return acc_expr_mul (x, acc_expr_new_int (2));
}

AccExpr *
native_plus_one (AccExpr  *x,
                 gpointer  data)
{
  return acc_expr_add (x, acc_expr_new_int (1));
}

AccExpr *
native_half (AccExpr  *x,
             gpointer  data)
{
  return acc_expr_mul (x, acc_expr_new_float (0.5));
}

AccExpr *
native_plus (AccExpr  *x,
             AccExpr  *y,
             gpointer  data)
{
  return acc_expr_add (x, y);
}

AccExpr *
native_largest (AccExpr  *x,
                AccExpr  *y,
                gpointer  data)
{
  return acc_expr_max (x, y);
}

AccArray *
native_scale_and_sum (AccArray **arrays,
                      guint      n_arrays,
                      gpointer   data)
{
  g_autoptr(AccArray) scaled = acc_array_map (arrays[0], native_times_two, NULL);

  return acc_array_sum_all (scaled);
}

AccArray *
native_sum_below (AccArray **arrays,
                  guint      n_arrays,
                  gpointer   data)
{
  g_autoptr(AccArray) sum = acc_array_sum_all (arrays[0]);
  g_autoptr(AccArray) limit = acc_array_unit (acc_expr_new_int (GPOINTER_TO_INT (data)));

  return acc_array_lt (sum, limit);
}

AccArray *
native_increment (AccArray **arrays,
                  guint      n_arrays,
                  gpointer   data)
{
  if (data != NULL)
    return acc_array_add (arrays[0], data);

  return acc_array_map (arrays[0], native_plus_one, NULL);
}

static AccExpr *
centre_of_nine (AccExpr  *x,
                gpointer  data)
{
  return acc_expr_add (acc_expr_neighbour2 (x, -1, 1),
                       acc_expr_mul (acc_expr_neighbour2 (x, 1, 0), acc_expr_new_float (0.5)));
}

AccArray *
native_blur (AccArray *array)
{
  static const gint64 sizes[] = { 3, 3 };
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil (array, sizes, 2, boundary, centre_of_nine, NULL);
}

static AccExpr *
add_mean (AccExpr  *x,
          gpointer  data)
{
  return acc_expr_add (x, acc_expr_the (data));
}

void
native_make_results (AccArray  *source,
                     AccArray  *table,
                     AccArray **results)
{
  g_autoptr(AccArray) once = native_blur (source);
  g_autoptr(AccArray) twice = native_blur (once);
  g_autoptr(AccArray) mean = acc_array_sum_all (table);

  results[0] = acc_array_map (twice, add_mean, mean);
  results[1] = acc_array_sum_all (once);
  results[2] = acc_array_sum (source);
}
