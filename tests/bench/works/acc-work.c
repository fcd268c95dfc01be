/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-work.h"

#include <stdlib.h>

AccWork *
acc_work_new (void)
{
  AccWork *self = g_new0 (AccWork, 1);
  g_autoptr(GError) error = NULL;

  self->backend = acc_backend_get_default (&error);
  if (self->backend == NULL)
    g_error ("%s", error->message);
  acc_backend_set_memory_limit (self->backend, 0);

  return self;
}

void
acc_work_add (AccWork *self, const char *code, gpointer memory, const gint64 *extents, guint rank)
{
  static const char * const dimensions[] = { "", "[:]", "[:,:]", "[:,:,:]" };
  AccElementType *type = acc_element_type_parse (code, NULL);
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  gsize size = acc_shape_get_size (shape) * acc_element_kind_get_size (acc_element_type_get_kind (type));
  guint i = self->n_arguments++;

  self->signatures[i] = g_strconcat (code, dimensions[rank], NULL);
  self->memory[i] = memory;
  self->arguments[i] = acc_array_use_address (type, shape, (guintptr) memory, size, NULL, NULL);
}

void
acc_work_add_vector (AccWork *self, const char *code, gpointer memory, gint64 n)
{
  acc_work_add (self, code, memory, &n, 1);
}

void
acc_work_add_matrix (AccWork *self, const char *code, gpointer memory, gint64 rows, gint64 columns)
{
  acc_work_add (self, code, memory, (gint64[]) { rows, columns }, 2);
}

static AccWork *
compile (AccWork *self, AccProgram *program)
{
  g_autoptr(GError) error = NULL;

  self->executable = acc_backend_compile (self->backend, program, NULL, &error);
  if (self->executable == NULL)
    g_error ("%s", error->message);
  g_object_unref (program);

  return self;
}

AccWork *
acc_work_compile (AccWork *self, AccArrayFunc build, gpointer user_data)
{
  return compile (self, acc_program_new ((const char * const *) self->signatures, build, user_data));
}

AccWork *
acc_work_compile_many (AccWork *self, AccArraysFunc build, gpointer user_data)
{
  return compile (self, acc_program_new_many ((const char * const *) self->signatures, build, user_data));
}

AccWork *
acc_work_build_anew (AccWork *self, AccArraysFunc build, gpointer user_data, GDestroyNotify destroy)
{
  self->build = build;
  self->user_data = user_data;
  self->destroy = destroy;

  return self;
}

static GPtrArray *
build_and_run (AccWork *self, GError **error)
{
  g_autoptr(GPtrArray) arrays = self->build (self->arguments, self->n_arguments, self->user_data);

  return acc_backend_run_many (self->backend, (AccArray **) arrays->pdata, arrays->len, NULL, error);
}

/* What the run before left goes first: its memory is used again. */
void
acc_work_run (gpointer data)
{
  AccWork *self = data;
  g_autoptr(GError) error = NULL;

  g_clear_pointer (&self->results, g_ptr_array_unref);
  if (self->build != NULL)
    self->results = build_and_run (self, &error);
  else
    self->results = acc_executable_run (self->executable, self->arguments, self->n_arguments, NULL, &error);
  if (self->results == NULL)
    g_error ("%s", error->message);
}

double
acc_work_digest (AccWork *self, guint result, guint buffer)
{
  AccArray *array = g_ptr_array_index (self->results, result);
  AccElementType *type = acc_array_get_element_type (array);
  gsize n = acc_shape_get_size (acc_array_get_shape (array));
  gconstpointer values = (gconstpointer) (guintptr) acc_array_get_address (array, buffer);
  AccElementKind kind;

  if (acc_element_type_get_kind (type) == ACC_KIND_TUPLE)
    type = acc_element_type_get_item (type, buffer);

  kind = acc_element_type_get_kind (type);
  if (kind == ACC_KIND_F32)
    return contender_digest_f4 (values, n);
  if (kind == ACC_KIND_F64)
    return contender_digest_f8 (values, n);
  if (kind == ACC_KIND_U8)
    return contender_digest_u1 (values, n);
  if (kind == ACC_KIND_U32 || kind == ACC_KIND_I32)
    return contender_digest_u4 (values, n);
  g_assert (kind == ACC_KIND_I64);

  return contender_digest_i8 (values, n);
}

double
acc_work_get_number (AccWork *self, guint result, guint buffer, gint64 index)
{
  return acc_array_get_double (g_ptr_array_index (self->results, result), buffer, index);
}

double
acc_work_check (gpointer self)
{
  return acc_work_digest (self, 0, 0);
}

void
acc_work_free (gpointer data)
{
  AccWork *self = data;

  g_clear_pointer (&self->results, g_ptr_array_unref);
  g_clear_object (&self->executable);
  if (self->destroy != NULL)
    self->destroy (self->user_data);
  for (guint i = 0; i < self->n_arguments; i++)
    {
      g_clear_object (&self->arguments[i]);
      free (self->memory[i]);
      g_free (self->signatures[i]);
    }
  g_free (self);
}

GPtrArray *
acc_work_alone (AccArray *array)
{
  GPtrArray *arrays = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (arrays, array);
  return arrays;
}

AccExpr *
acc_work_plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

AccExpr *
acc_work_times (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_mul (x, y);
}

static AccExpr *
times_factor (AccExpr *element, gpointer vector)
{
  return acc_expr_mul (acc_expr_item (element, 0), acc_expr_linear_index (vector, acc_expr_item (element, 1)));
}

AccArray *
acc_work_row_by_vector (AccArray **row, guint n, gpointer vector)
{
  g_autoptr(AccArray) products = acc_array_map (row[0], times_factor, vector);

  return acc_array_sum (products);
}

AccArray *
acc_work_sum_of_two (AccArray **frames, guint n, gpointer data)
{
  return acc_array_zip_with (frames[0], frames[1], acc_work_plus, NULL);
}
