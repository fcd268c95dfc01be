/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backend-private.h"

#include "acc-error.h"
#include "acc-core/array/acc-array-private.h"
#include "acc-async-private.h"

/**
 * AccExecutable:
 *
 * Represents a program compiled for a backend, which runs any number of times.
 *
 * Any thread may use an executable, and several runs may be under way at once.
 */

typedef struct {
  AccBackend *backend;
  AccProgram *program;
  AccArray   *source;    /* a node of the program that reads a source, borrowed; or NULL */
} AccExecutablePrivate;

enum {
  PROP_0,
  PROP_BACKEND,
  PROP_PROGRAM,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (AccExecutable, acc_executable, G_TYPE_OBJECT)

#define PRIV(self) ((AccExecutablePrivate *) acc_executable_get_instance_private (self))

static void
acc_executable_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AccExecutablePrivate *priv = PRIV (ACC_EXECUTABLE (object));

  switch (id)
    {
    case PROP_BACKEND:
      g_value_set_object (value, priv->backend);
      break;
    case PROP_PROGRAM:
      g_value_set_object (value, priv->program);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_executable_finalize (GObject *object)
{
  AccExecutablePrivate *priv = PRIV (ACC_EXECUTABLE (object));

  g_clear_object (&priv->program);
  g_clear_object (&priv->backend);

  G_OBJECT_CLASS (acc_executable_parent_class)->finalize (object);
}

static void
acc_executable_class_init (AccExecutableClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = acc_executable_get_property;
  object_class->finalize = acc_executable_finalize;

  /**
   * AccExecutable:backend:
   *
   * Holds the backend that compiled the program.
   */
  properties[PROP_BACKEND] =
    g_param_spec_object ("backend", NULL, NULL, ACC_TYPE_BACKEND, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);

  /**
   * AccExecutable:program:
   *
   * Holds the program that was compiled.
   */
  properties[PROP_PROGRAM] =
    g_param_spec_object ("program", NULL, NULL, ACC_TYPE_PROGRAM, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);

  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
acc_executable_init (AccExecutable *self)
{
}

/* Programs of nodes included; each once, for they may hold one another many times. */
static AccArray *
find_source (AccProgram *program, GHashTable *seen)
{
  guint n;
  AccArray **results = acc_program_get_result_nodes (program, &n);
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (results, n);

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);
      AccProgram **programs;

      if (node->op == ACC_OP_SOURCE)
        return node;

      programs = acc_array_get_programs (node);
      for (guint j = 0; programs != NULL && j < 2 && programs[j] != NULL; j++)
        if (g_hash_table_add (seen, programs[j]))
          {
            AccArray *source = find_source (programs[j], seen);

            if (source != NULL)
              return source;
          }
    }

  return NULL;
}

void
acc_executable_set_origin (AccExecutable *self, AccBackend *backend, AccProgram *program)
{
  AccExecutablePrivate *priv = PRIV (self);
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);

  g_return_if_fail (ACC_IS_EXECUTABLE (self));
  g_return_if_fail (priv->backend == NULL && priv->program == NULL);

  priv->backend = g_object_ref (backend);
  priv->program = g_object_ref (program);
  priv->source = find_source (program, seen);
}

static char *
describe_layout (AccElementType *type, guint rank, const gint64 *extents)
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
check_argument (AccArray *parameter, AccArray *argument, guint position, GError **error)
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

  if (!acc_array_is_manifest (argument))
    {
      g_autofree char *what = acc_array_describe (argument);

      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "argument %u (%s) is not computed yet: run it first",
                   position + 1, what);
      return FALSE;
    }

  if (argument->type != parameter->type)
    {
      code = ACC_ERROR_TYPE;
      fits = FALSE;
    }
  else if (argument->rank != parameter->rank)
    fits = FALSE;
  else
    for (guint i = 0; i < parameter->rank; i++)
      if (declared[i] >= 0 && declared[i] != acc_shape_get_extent (argument->shape, i))
        fits = FALSE;

  if (!fits)
    {
      guint rank;
      const gint64 *extents = acc_shape_get_extents (argument->shape, &rank);
      g_autofree char *given = describe_layout (argument->type, rank, extents);
      g_autofree char *wanted = describe_layout (parameter->type, parameter->rank, declared);

      g_set_error (error, ACC_ERROR, code, "argument %u is %s, but the program takes %s", position + 1, given, wanted);
    }

  return fits;
}

/* Count, element types, ranks and declared extents: the same message from every backend. */
static gboolean
check_arguments (AccExecutable *self, AccArray **arguments, guint n_arguments, GError **error)
{
  AccArray **parameters;
  guint n;

  parameters = acc_program_get_parameter_nodes (PRIV (self)->program, &n);
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

AccRowRun *
acc_executable_begin_rows (AccExecutable  *self,
                           AccArray      **arguments,
                           guint           n_arguments,
                           GCancellable   *cancellable,
                           GError        **error)
{
  AccExecutableClass *klass;

  g_return_val_if_fail (ACC_IS_EXECUTABLE (self), NULL);

  klass = ACC_EXECUTABLE_GET_CLASS (self);
  if (g_cancellable_set_error_if_cancelled (cancellable, error)
      || !check_arguments (self, arguments, n_arguments, error))
    return NULL;

  if (klass->begin_rows == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s does not run by rows",
                   acc_backend_get_name (PRIV (self)->backend));
      return NULL;
    }

  return klass->begin_rows (self, arguments, n_arguments, cancellable, error);
}

void
acc_row_run_free (AccRowRun *run)
{
  if (run != NULL)
    run->klass->free (run);
}

/**
 * acc_executable_get_backend:
 * @self: an executable
 *
 * Returns the backend that compiled the program.
 *
 * Returns: (transfer none): the backend
 */
AccBackend *
acc_executable_get_backend (AccExecutable *self)
{
  g_return_val_if_fail (ACC_IS_EXECUTABLE (self), NULL);

  return PRIV (self)->backend;
}

/**
 * acc_executable_get_program:
 * @self: an executable
 *
 * Returns the program that was compiled.
 *
 * Returns: (transfer none): the program
 */
AccProgram *
acc_executable_get_program (AccExecutable *self)
{
  g_return_val_if_fail (ACC_IS_EXECUTABLE (self), NULL);

  return PRIV (self)->program;
}

/**
 * acc_executable_run:
 * @self: an executable
 * @arguments: (array length=n_arguments) (nullable): manifest arrays that fit the program's parameters
 * @n_arguments: number of @arguments
 * @cancellable: (nullable): cancels the call
 * @error: return location for an error
 *
 * Computes the results of the program for the given arguments.
 *
 * Every argument is a manifest array, whose elements are in memory. Its element type and rank are those of the parameter, and
 * so are the extents that the parameter declares.
 *
 * Fails with %ACC_ERROR_STREAM where the program reads a source: such programs run by [method@Acc.Backend.run] or
 * [method@Acc.Backend.write]. Fails with %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where the arguments or their number do not fit,
 * with %ACC_ERROR_UNSUPPORTED where an argument is not computed yet, with %ACC_ERROR_BOUNDS or %ACC_ERROR_ARITHMETIC where a
 * kernel fails, with %ACC_ERROR_OUT_OF_MEMORY where the backend's memory limit does not suffice, and with
 * %G_IO_ERROR_CANCELLED.
 *
 * Returns: (transfer container) (element-type AccArray): manifest results, in the program's order
 */
GPtrArray *
acc_executable_run (AccExecutable  *self,
                    AccArray      **arguments,
                    guint           n_arguments,
                    GCancellable   *cancellable,
                    GError        **error)
{
  AccExecutablePrivate *priv = PRIV (self);
  AccExecutableClass *klass;
  GPtrArray *results;

  g_return_val_if_fail (ACC_IS_EXECUTABLE (self), NULL);
  g_return_val_if_fail (arguments != NULL || n_arguments == 0, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  klass = ACC_EXECUTABLE_GET_CLASS (self);
  if (g_cancellable_set_error_if_cancelled (cancellable, error)
      || !check_arguments (self, arguments, n_arguments, error))
    return NULL;

  if (priv->source != NULL)
    {
      g_autofree char *what = acc_array_describe (priv->source);

      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM,
                   "%s streams: the program is run by acc_backend_run() or acc_backend_write()", what);
      return NULL;
    }

  if (klass->run == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s does not run programs",
                   acc_backend_get_name (priv->backend));
      return NULL;
    }

  results = klass->run (self, arguments, n_arguments, cancellable, error);
  g_assert (results != NULL || error == NULL || *error != NULL);

  return results;
}

static gpointer
run_in_thread (gpointer source, gpointer data, GCancellable *cancellable, GError **error)
{
  GPtrArray *arguments = data;

  return acc_executable_run (source, (AccArray **) arguments->pdata, arguments->len, cancellable, error);
}

/**
 * acc_executable_run_async:
 * @self: an executable
 * @arguments: (array length=n_arguments) (nullable): manifest arrays that fit the program's parameters
 * @n_arguments: number of @arguments
 * @cancellable: (nullable): cancels the call
 * @callback: (nullable) (scope async): called when the call has ended
 * @user_data: data for @callback
 *
 * Computes the results as [method@Acc.Executable.run] does, on another thread.
 */
void
acc_executable_run_async (AccExecutable        *self,
                          AccArray            **arguments,
                          guint                 n_arguments,
                          GCancellable         *cancellable,
                          GAsyncReadyCallback   callback,
                          gpointer              user_data)
{
  g_autoptr(GTask) task = NULL;
  GPtrArray *copies;

  g_return_if_fail (ACC_IS_EXECUTABLE (self));
  g_return_if_fail (arguments != NULL || n_arguments == 0);

  copies = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n_arguments; i++)
    g_ptr_array_add (copies, g_object_ref (arguments[i]));

  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, acc_executable_run_async);
  g_task_set_task_data (task, copies, (GDestroyNotify) g_ptr_array_unref);
  acc_async_run (task, PRIV (self)->backend, run_in_thread, (GDestroyNotify) g_ptr_array_unref);
}

/**
 * acc_executable_run_finish:
 * @self: an executable
 * @result: the result that the callback got
 * @error: return location for an error
 *
 * Returns the results of [method@Acc.Executable.run_async], or their error.
 *
 * Returns: (transfer container) (element-type AccArray): manifest results, in the program's order
 */
GPtrArray *
acc_executable_run_finish (AccExecutable *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
