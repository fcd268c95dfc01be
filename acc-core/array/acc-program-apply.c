/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"
#include "acc-program-private.h"

static char *
describe_layout (AccElementType *type,
                 guint           rank,
                 const gint64   *extents)
{
  GString *text = g_string_new (acc_element_type_get_code (type));

  g_string_append_c (text, '[');
  for (guint i = 0; i < rank; i++)
    {
      if (i > 0)
        g_string_append_c (text, ',');
      if (extents == NULL || extents[i] < 0)
        g_string_append_c (text, ':');
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, extents[i]);
    }
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}

static gboolean
declares_extents (AccArray *parameter)
{
  for (guint i = 0; i < parameter->rank; i++)
    if (acc_array_get_parameter (parameter)->declared[i] >= 0)
      return TRUE;

  return FALSE;
}

static gboolean
check_argument (AccArray  *parameter,
                AccArray  *argument,
                guint      position,
                GError   **error)
{
  const gint64 *declared = acc_array_get_parameter (parameter)->declared;
  AccError code = ACC_ERROR_SHAPE;
  gboolean fits = TRUE;

  if (argument == NULL || !ACC_IS_ARRAY (argument))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_TYPE, "argument %u is not an array", position + 1);
      return FALSE;
    }

  if (!acc_array_check (argument, error))
    return FALSE;

  if (argument->type != parameter->type)
    {
      code = ACC_ERROR_TYPE;
      fits = FALSE;
    }
  else if (argument->rank != parameter->rank)
    fits = FALSE;
  else if (argument->shape == NULL && declares_extents (parameter))
    {
      g_autofree char *what = acc_array_describe (argument);

      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED,
                   "argument %u (%s): the program declares extents, which are not known before it is computed: run it first",
                   position + 1, what);
      return FALSE;
    }
  else
    for (guint i = 0; argument->shape != NULL && i < parameter->rank; i++)
      if (declared[i] >= 0 && declared[i] != acc_shape_get_extent (argument->shape, i))
        fits = FALSE;

  if (!fits)
    {
      g_autofree char *given = describe_layout (argument->type, argument->rank,
                                                argument->shape != NULL ? acc_shape_get_extents (argument->shape, NULL) : NULL);
      g_autofree char *wanted = describe_layout (parameter->type, parameter->rank, declared);

      g_set_error (error, ACC_ERROR, code, "argument %u is %s, but the program takes %s", position + 1, given, wanted);
    }

  return fits;
}

gboolean
acc_program_check_arguments (AccProgram  *self,
                             AccArray   **arguments,
                             guint        n_arguments,
                             GError     **error)
{
  AccArray **parameters;
  guint n;

  parameters = acc_program_get_parameter_nodes (self, &n);
  if (n != n_arguments)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "the program takes %u %s, not %u",
                   n, n == 1 ? "argument" : "arguments", n_arguments);
      return FALSE;
    }

  for (guint i = 0; i < n; i++)
    if (!check_argument (parameters[i], arguments[i], i, error))
      return FALSE;

  return TRUE;
}

static GQuark
get_note_quark (void)
{
  return g_quark_from_static_string ("acc-array-note");
}

void
acc_array_set_note (AccArray       *self,
                    AccArrayNote   *note,
                    GDestroyNotify  free_note)
{
  g_object_set_qdata_full (G_OBJECT (self), get_note_quark (), note, free_note);
}

AccArrayNote *
acc_array_get_note (AccArray *self)
{
  return g_object_get_qdata (G_OBJECT (self), get_note_quark ());
}

GPtrArray *
acc_array_apply_all (AccArray **roots,
                     guint      n_roots,
                     AccArray **parameters,
                     AccArray **arguments,
                     guint      n,
                     GError   **error)
{
  g_autoptr(GHashTable) replaced = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes (roots, n_roots);
  GPtrArray *results;

  for (guint i = 0; i < n; i++)
    g_hash_table_insert (replaced, parameters[i], g_object_ref (arguments[i]));
  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);
      AccArray *copy = g_hash_table_contains (replaced, node) ? NULL : acc_array_copy_same (node, replaced);
      AccArrayNote *note = copy != NULL ? acc_array_get_note (node) : NULL;

      if (copy == NULL)
        continue;
      g_hash_table_insert (replaced, node, copy);
      if (note != NULL)
        note->tell (note, copy, parameters, arguments, n);
      if (copy->shape == NULL)
        acc_array_infer_static (copy);
      if (!acc_array_check (copy, error))
        return NULL;
    }

  results = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n_roots; i++)
    {
      AccArray *other = g_hash_table_lookup (replaced, roots[i]);

      g_ptr_array_add (results, g_object_ref (other != NULL ? other : roots[i]));
    }

  return results;
}

/**
 * acc_program_apply:
 * @self: a program
 * @arguments: (array length=n_arguments) (nullable): arrays that fit the program's parameters
 * @n_arguments: number of @arguments
 * @error: return location for an error
 *
 * Builds the results of the program for the given arrays, without computing anything: what the program's function would have made of
 * them.
 *
 * Arguments may be any arrays, those that read sources and those that are not computed yet among them. So the results of a program over
 * files are written by [method@Acc.Backend.write_many].
 *
 * Fails with an error that the program or an argument carries, with %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where the arguments or their
 * number do not fit, and with %ACC_ERROR_UNSUPPORTED where the program declares extents of an array whose extents are not known yet.
 *
 * Returns: (transfer container) (element-type AccArray): arrays, in the program's order
 */
GPtrArray *
acc_program_apply (AccProgram  *self,
                   AccArray   **arguments,
                   guint        n_arguments,
                   GError     **error)
{
  AccArray **parameters, **roots;
  guint n_parameters, n_roots;

  g_return_val_if_fail (ACC_IS_PROGRAM (self), NULL);
  g_return_val_if_fail (arguments != NULL || n_arguments == 0, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!acc_program_check_closed (self, error) || !acc_program_check_arguments (self, arguments, n_arguments, error))
    return NULL;

  parameters = acc_program_get_parameter_nodes (self, &n_parameters);
  roots = acc_program_get_result_nodes (self, &n_roots);

  return acc_array_apply_all (roots, n_roots, parameters, arguments, n_parameters, error);
}
