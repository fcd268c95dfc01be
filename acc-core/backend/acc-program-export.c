/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-program-export.h"

#include "acc-backend-private.h"
#include "acc-deferred-private.h"
#include "acc-error.h"
#include "acc-core/array/acc-program-private.h"
#include "acc-core/base/acc-temporary-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

/* Programs in the form of others. What they are written in is a backend's business: one that can is asked for it, with a program whose
 * extents are known. Where the outermost is open it gets two, for two lengths; what is alike in both holds for any. */

/* Primes, so that what is computed from one is not taken for the other, nor for what is common. */
static const gint64 lengths[] = { 61, 67 };

/* --- extents */

typedef struct {
  AccProgram *program;
  GError     *error;
} Application;

static GPtrArray *
apply_program (AccArray **arrays,
               guint      n,
               gpointer   data)
{
  Application *self = data;

  return acc_program_apply (self->program, arrays, n, &self->error);
}

/* -1 as an outermost extent: open. */
static gboolean
append_extents (GString      *signature,
                guint         rank,
                const gint64 *extents,
                gint64        length,
                gboolean     *is_open)
{
  for (guint d = 0; d < rank; d++)
    {
      if (extents[d] < 0 && d > 0)
        return FALSE;
      *is_open |= extents[d] < 0;
      g_string_append_printf (signature, "%s%" G_GINT64_FORMAT, d > 0 ? "," : "", extents[d] < 0 ? length : extents[d]);
    }

  return TRUE;
}

/* "f4[61,3]" */
static char *
make_signature (AccArray  *parameter,
                guint      number,
                AccShape  *shape,
                gint64     length,
                gboolean  *is_open,
                GError   **error)
{
  g_autoptr(GString) signature = g_string_new (acc_element_type_get_code (parameter->type));
  guint rank = parameter->rank;
  const gint64 *extents = shape != NULL ? acc_shape_get_extents (shape, &rank) : acc_array_get_parameter (parameter)->declared;

  g_string_append_c (signature, '[');
  if (rank != parameter->rank)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "parameter %u has rank %u, and not the %u of the shape", number + 1, parameter->rank,
                   rank);
      return NULL;
    }
  if (!append_extents (signature, rank, extents, length, is_open))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "parameter %u: an extent is open that is not the outermost: shapes are needed",
                   number + 1);
      return NULL;
    }
  g_string_append_c (signature, ']');

  return g_string_free (g_steal_pointer (&signature), FALSE);
}

/* @program for known extents: open ones are @length. */
static AccProgram *
fix_extents (AccProgram  *program,
             AccShape   **shapes,
             guint        n_shapes,
             gint64       length,
             gboolean    *is_open,
             GError     **error)
{
  g_autoptr(GPtrArray) signatures = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(AccProgram) fixed = NULL;
  Application application = { program, NULL };
  guint n;
  AccArray **parameters = acc_program_get_parameter_nodes (program, &n);

  if (n_shapes > 0 && n_shapes != n)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%u shapes are given for %u parameters", n_shapes, n);
      return NULL;
    }
  for (guint i = 0; i < n; i++)
    {
      char *signature = make_signature (parameters[i], i, n_shapes > 0 ? shapes[i] : NULL, length, is_open, error);

      if (signature == NULL)
        return NULL;
      g_ptr_array_add (signatures, signature);
    }
  g_ptr_array_add (signatures, NULL);

  fixed = acc_program_new_many ((const char *const *) signatures->pdata, apply_program, &application);
  if (application.error != NULL)
    {
      g_propagate_error (error, application.error);
      return NULL;
    }
  if (!acc_program_check_closed (fixed, error))
    return NULL;
  for (guint i = 0; i < n; i++)
    acc_array_set_label (acc_program_get_parameter (fixed, i), parameters[i]->label);

  return g_steal_pointer (&fixed);
}

/* --- bytes */

static GBytes *
write_program (AccProgram      *self,
               AccShape       **shapes,
               guint            n_shapes,
               AccExportForm    form,
               AccExportFlags   flags,
               GCancellable    *cancellable,
               GError         **error)
{
  AccBackendClass *klass = acc_backend_find_exporter (error);
  AccBackend *backend = klass != NULL ? acc_backend_get_default (error) : NULL;
  g_autoptr(AccProgram) closed = NULL, fixed = NULL, other = NULL;
  gboolean is_open = FALSE;

  if (backend == NULL || !acc_program_check (self, error))
    return NULL;

  closed = acc_deferred_evaluate_program (backend, self, cancellable, error);
  if (closed == NULL)
    return NULL;
  fixed = fix_extents (closed, shapes, n_shapes, lengths[0], &is_open, error);
  if (fixed != NULL && is_open)
    other = fix_extents (closed, shapes, n_shapes, lengths[1], &is_open, error);
  if (fixed == NULL || (is_open && other == NULL))
    return NULL;

  return klass->export_program (klass, fixed, other, form, (flags & ACC_EXPORT_FAST_MATH) != 0, error);
}

/**
 * acc_program_export_stablehlo:
 * @self: a program
 * @shapes: (array length=n_shapes) (nullable): the shape of each parameter; %NULL: as the signatures declare
 * @n_shapes: the number of shapes: that of the parameters, or 0
 * @flags: how
 * @error: return location for an error
 *
 * Writes a program as a module of StableHLO, in text, which XLA and the compilers of many accelerators take.
 *
 * Its function `main` has a tensor for each parameter and result, of the same extents; for a tuple one for each element; complex numbers
 * and vectors have one more dimension, of their scalars. Arrays that the program captured are part of the text. Where a check could fail
 * (an index outside, a division by zero), two more results come last: an `i32`, 0 or the number of the check that failed, and an `i64`, the
 * index. `ACC_DISABLE=checks` leaves them out. Where a product of floats is added to something, one more parameter comes last: an `i32`
 * that must be 0, and keeps compilers from rounding both at once. %ACC_EXPORT_FAST_MATH leaves it out.
 *
 * Extents must be known. The outermost of some parameters may be left open, by -1 in @shapes or `:` in signatures: it is then any length
 * below 2^31, the same for all of these parameters.
 *
 * Fails with %ACC_ERROR_SHAPE where an extent is not known or does not fit, with %ACC_ERROR_UNSUPPORTED where the program decides what it
 * computes when it runs (loops and choices of arrays, filters), where an operation needs to know a length that is left open, or where no
 * backend is installed that writes modules (`tensorflow` and `pjrt` do), and with the error that a node of the program carries. Takes time
 * in the number of nodes and the bytes of captured arrays.
 *
 * Returns: (transfer full): the text
 */
char *
acc_program_export_stablehlo (AccProgram      *self,
                              AccShape       **shapes,
                              guint            n_shapes,
                              AccExportFlags   flags,
                              GError         **error)
{
  g_autoptr(GBytes) bytes = NULL;

  g_return_val_if_fail (ACC_IS_PROGRAM (self), NULL);
  g_return_val_if_fail (shapes != NULL || n_shapes == 0, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  bytes = write_program (self, shapes, n_shapes, ACC_EXPORT_AS_STABLEHLO, flags, NULL, error);

  return bytes != NULL ? g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)) : NULL;
}

/* --- folders */

static gboolean
write_file (const char  *path,
            GBytes      *bytes,
            GError     **error)
{
  g_autofree char *file = g_build_filename (path, "saved_model.pb", NULL);
  g_autoptr(AccTemporary) temporary = acc_temporary_new (file, file, error);

  return temporary != NULL && acc_temporary_write (temporary, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), error)
         && acc_temporary_commit (temporary, TRUE, error);
}

/**
 * acc_program_export_saved_model:
 * @self: a program
 * @shapes: (array length=n_shapes) (nullable): the shape of each parameter; %NULL: as the signatures declare
 * @n_shapes: the number of shapes: that of the parameters, or 0
 * @flags: how
 * @folder: a local folder, made where there is none
 * @cancellable: (nullable): cancels the call
 * @error: return location for an error
 *
 * Writes a program as a SavedModel, which TensorFlow in any language, and what serves its models, load. TensorFlow is not needed for it.
 *
 * The model has the tag `serve` and the signature `serving_default`, whose inputs and outputs are the tensors of
 * [method@Acc.Program.export_stablehlo]. They have the labels of the arrays, or are called `input_0`, `input_1` …, `result_0` …; further
 * tensors of one array end with their number. A check that fails is an error of TensorFlow's that says which, and the index. The file
 * `saved_model.pb` appears when it is complete, and replaces one that is there.
 *
 * Fails as [method@Acc.Program.export_stablehlo] does, with %ACC_ERROR_IO or another error of files where it cannot be written, and with
 * %G_IO_ERROR_CANCELLED.
 *
 * Returns: whether it was written
 */
gboolean
acc_program_export_saved_model (AccProgram      *self,
                                AccShape       **shapes,
                                guint            n_shapes,
                                AccExportFlags   flags,
                                GFile           *folder,
                                GCancellable    *cancellable,
                                GError         **error)
{
  g_autoptr(GBytes) bytes = NULL;
  const char *path;
  gboolean existed;

  g_return_val_if_fail (ACC_IS_PROGRAM (self), FALSE);
  g_return_val_if_fail (shapes != NULL || n_shapes == 0, FALSE);
  g_return_val_if_fail (G_IS_FILE (folder), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  path = g_file_peek_path (folder);
  if (path == NULL)
    {
      g_autofree char *uri = g_file_get_uri (folder);

      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s is not a local folder", uri);
      return FALSE;
    }
  bytes = write_program (self, shapes, n_shapes, ACC_EXPORT_AS_SAVED_MODEL, flags, cancellable, error);
  if (bytes == NULL || g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  existed = g_file_test (path, G_FILE_TEST_IS_DIR);
  if (!existed && !g_file_make_directory_with_parents (folder, cancellable, error))
    return FALSE;
  if (write_file (path, bytes, error))
    return TRUE;
  if (!existed)
    g_rmdir (path);

  return FALSE;
}
