/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backend-private.h"
#include "acc-host-rows-private.h"

#include "acc-error.h"
#include "acc-core/array/acc-array-private.h"
#include "acc-core/array/acc-program-private.h"

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
  gboolean    borrows;   /* .backend is not owned */
  AccExecutable *for_rows; /* where the host computes them, once it was asked to */
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

  g_clear_object (&priv->for_rows);
  g_clear_object (&priv->program);
  if (!priv->borrows)
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

void
acc_executable_borrow_backend (AccExecutable *self)
{
  g_return_if_fail (!PRIV (self)->borrows);

  PRIV (self)->borrows = TRUE;
  g_object_unref (PRIV (self)->backend);
}

/* Backends run whole arrays. */
static gboolean
check_arguments (AccExecutable *self, AccArray **arguments, guint n_arguments, GError **error)
{
  if (!acc_program_check_arguments (PRIV (self)->program, arguments, n_arguments, error))
    return FALSE;

  for (guint i = 0; i < n_arguments; i++)
    if (!acc_array_is_manifest (arguments[i]))
      {
        g_autofree char *what = acc_array_describe (arguments[i]);

        g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "argument %u (%s) is not computed yet: run it first", i + 1, what);
        return FALSE;
      }

  return TRUE;
}

gboolean
acc_executable_has_rows (AccExecutable *self)
{
  return ACC_EXECUTABLE_GET_CLASS (self)->begin_rows != NULL;
}

AccRowRun *
acc_executable_begin_rows (AccExecutable  *self,
                           AccArray      **arguments,
                           guint           n_arguments,
                           GCancellable   *cancellable,
                           GError        **error)
{
  AccExecutablePrivate *priv = PRIV (self);

  g_return_val_if_fail (ACC_IS_EXECUTABLE (self), NULL);

  if (g_cancellable_set_error_if_cancelled (cancellable, error)
      || !check_arguments (self, arguments, n_arguments, error))
    return NULL;

  if (!acc_executable_has_rows (self))
    {
      self = acc_host_rows_compile (priv->backend, priv->program, &priv->for_rows, cancellable, error);
      if (self == NULL)
        return NULL;
    }
  g_return_val_if_fail (acc_executable_has_rows (self), NULL);

  return ACC_EXECUTABLE_GET_CLASS (self)->begin_rows (self, arguments, n_arguments, cancellable, error);
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

GPtrArray *
acc_executable_run_whole (AccExecutable  *self,
                          AccArray      **arguments,
                          guint           n_arguments,
                          GCancellable   *cancellable,
                          GError        **error)
{
  AccExecutablePrivate *priv = PRIV (self);
  AccExecutableClass *klass;
  GPtrArray *results;

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
