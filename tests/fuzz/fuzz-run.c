/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzz-run.h"

#include "fuzz-generate.h"

#include <string.h>

#include "acc-core/array/acc-array-private.h"
#include "tests/run-watched.h"

#define MEMORY_LIMIT (64 << 20)
#define MOST_ELEMENTS (1 << 20)
#define MOST_SECONDS 5

/* --- what the programs name */

static AccArray *
give_first (AccArray **inputs, guint n_inputs, gpointer data, GError **error)
{
  if (n_inputs > 0)
    return g_object_ref (inputs[0]);

  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "no inputs");
  return NULL;
}

/* Says what it writes, and is refused where that is not what the program takes it for. */
static gboolean
copy_first (AccForeignLaunch *launch, gpointer data, GError **error)
{
  AccArray *input = acc_foreign_launch_get_n_inputs (launch) > 0 ? acc_foreign_launch_get_input (launch, 0) : NULL;
  AccElementType *type;

  if (input == NULL)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "no inputs");
      return FALSE;
    }
  type = acc_array_get_element_type (input);
  if (!acc_foreign_launch_begin (launch, type, acc_array_get_shape (input), error))
    return FALSE;

  for (guint i = 0; i < acc_element_type_get_n_buffers (type); i++)
    memcpy (GSIZE_TO_POINTER (acc_foreign_launch_get_result_address (launch, i)),
            GSIZE_TO_POINTER (acc_foreign_launch_get_input_address (launch, 0, i)),
            (gsize) acc_shape_get_size (acc_array_get_shape (input)) * acc_element_type_get_buffer_size (type, i));

  return TRUE;
}

static AccBackend *
get_backend (void)
{
  static AccBackend *backend;

  if (backend == NULL && (backend = acc_backend_new_for_name ("native", NULL)) != NULL)
    {
      acc_backend_set_memory_limit (backend, MEMORY_LIMIT);
      acc_backend_set_foreign (backend, FUZZ_FOREIGN, give_first, NULL, NULL);
      acc_backend_set_foreign_launch (backend, FUZZ_LAUNCH, copy_first, NULL, NULL);
    }

  return backend;
}

/* --- a run */

/* Zeros and ones, which all types have. */
static AccArray *
make_argument (AccArray *parameter)
{
  static const gint64 sides[] = { 1, 4096, 64, 16, 8, 6, 4 };
  guint n_buffers = acc_element_type_get_n_buffers (parameter->type);
  const gint64 *declared = acc_array_get_parameter (parameter)->declared;
  g_autofree gint64 *extents = g_new (gint64, parameter->rank + 1);
  g_autoptr(AccShape) shape = NULL;
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint i = 0; i < parameter->rank; i++)
    extents[i] = declared[i] >= 0 ? declared[i] : sides[MIN (parameter->rank, G_N_ELEMENTS (sides) - 1)];
  shape = acc_shape_new (extents, parameter->rank);
  for (guint i = 0; i < n_buffers; i++)
    {
      gsize size = (gsize) acc_shape_get_size (shape) * acc_element_type_get_buffer_size (parameter->type, i);
      guint8 *data = g_malloc (size + 1);

      for (gsize k = 0; k < size; k++)
        data[k] = k % 3 == 0;
      g_ptr_array_add (buffers, g_bytes_new_take (data, size));
    }

  return acc_array_use_buffers (parameter->type, shape, (GBytes **) buffers->pdata, n_buffers);
}

static void
read_all (AccArray *result)
{
  static volatile guint sum;

  for (guint i = 0; i < acc_element_type_get_n_buffers (result->type); i++)
    {
      gsize size = (gsize) acc_shape_get_size (result->shape) * acc_element_type_get_buffer_size (result->type, i);
      const guint8 *data = GSIZE_TO_POINTER (acc_array_get_address (result, i));

      for (gsize k = 0; k < size; k++)
        sum += data[k];
    }
}

static gboolean
run_program (AccBackend *backend, AccProgram *program, GCancellable *cancellable, GError **error)
{
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, cancellable, error);
  g_autoptr(GPtrArray) arguments = g_ptr_array_new_with_free_func (g_object_unref), results = NULL;
  guint n;

  if (executable == NULL)
    return FALSE;

  for (guint i = 0; i < acc_program_get_n_parameters (program); i++)
    g_ptr_array_add (arguments, make_argument (acc_program_get_parameter (program, i)));
  results = acc_executable_run (executable, (AccArray **) arguments->pdata, arguments->len, cancellable, error);
  if (results == NULL)
    return FALSE;

  for (guint i = 0; i < results->len; i++)
    {
      AccArray *node = acc_program_get_result_nodes (program, &n)[i], *result = results->pdata[i];

      g_assert_true (result->type == node->type);
      g_assert_cmpuint (result->rank, ==, node->rank);
      g_assert_true (node->shape == NULL || acc_shape_equal (result->shape, node->shape));
      read_all (result);
    }

  return TRUE;
}

gboolean
fuzz_run_program (AccProgram *program, GError **error)
{
  AccBackend *backend = get_backend ();
  Watch self = { 0 };
  gboolean ok;

  if (backend == NULL)
    return TRUE;

  watch_begin (&self, MOST_SECONDS);
  ok = run_program (backend, program, self.cancellable, error);
  watch_end (&self);

  return ok;
}

gboolean
fuzz_is_small (AccProgram *program)
{
  g_autofree char *text = acc_program_to_string (program);
  guint n_results;
  AccArray **results = acc_program_get_result_nodes (program, &n_results);
  g_autoptr(GPtrArray) nodes = NULL;

  if (strstr (text, " while") != NULL)
    return FALSE;

  nodes = acc_array_sort_nodes (results, n_results);
  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = nodes->pdata[i];

      if (node->shape != NULL && acc_shape_get_size (node->shape) > MOST_ELEMENTS)
        return FALSE;
    }

  return TRUE;
}
