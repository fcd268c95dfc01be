/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"
#include "acc-program-private.h"
#include "acc-core/expr/acc-numbering-private.h"
#include "acc-core/expr/acc-trace-private.h"

#include <string.h>

/**
 * AccProgram:
 *
 * Represents a function from parameter arrays to result arrays. It has no free variables except arrays that it captured.
 * Compile it once and run it many times; write it as text and read it back.
 *
 * Building a program does not fail: the program carries its first error, which [method@Program.check] and compiling report.
 *
 * Programs are immutable, and may be used from any thread.
 */

struct _AccProgram
{
  GObject     parent_instance;

  GPtrArray  *parameters;
  GPtrArray  *results;
  GError     *error;
  GMutex      lock;
  GPtrArray  *captures;   /* under lock until set */
};

G_DEFINE_FINAL_TYPE (AccProgram, acc_program, G_TYPE_OBJECT)

static void
drop_arrays (gpointer arrays)
{
  g_ptr_array_unref (arrays);
}

static void
acc_program_finalize (GObject *object)
{
  AccProgram *self = ACC_PROGRAM (object);

  acc_array_release (self->results, drop_arrays);
  acc_array_release (self->captures, drop_arrays);
  acc_array_release (self->parameters, drop_arrays);
  g_clear_error (&self->error);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (acc_program_parent_class)->finalize (object);
}

static void
acc_program_class_init (AccProgramClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_program_finalize;
}

static void
acc_program_init (AccProgram *self)
{
  g_mutex_init (&self->lock);
  self->parameters = g_ptr_array_new_with_free_func (g_object_unref);
  self->results = g_ptr_array_new_with_free_func (g_object_unref);
}

gboolean
acc_signature_parse (const char      *signature,
                     AccElementType **type,
                     GArray          *declared,
                     GError         **error)
{
  const char *bracket = strchr (signature, '[');
  g_autofree char *code = bracket != NULL ? g_strndup (signature, bracket - signature) : g_strdup (signature);
  g_autofree char *inside = NULL;
  g_auto(GStrv) extents = NULL;
  gsize length;

  g_array_set_size (declared, 0);

  if ((*type = acc_element_type_parse (g_strstrip (code), error)) == NULL)
    return FALSE;

  if (bracket == NULL)
    return TRUE;

  inside = g_strstrip (g_strdup (bracket + 1));
  length = strlen (inside);

  if (length == 0 || inside[length - 1] != ']')
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_PARSE, "“%s” does not end with “]”", signature);
      return FALSE;
    }

  inside[length - 1] = 0;
  if (*g_strstrip (inside) == 0)
    return TRUE;

  extents = g_strsplit (inside, ",", -1);
  for (guint i = 0; extents[i] != NULL; i++)
    {
      const char *text = g_strstrip (extents[i]);
      gint64 extent = -1;

      if (strcmp (text, ":") != 0 && !g_ascii_string_to_signed (text, 10, 0, G_MAXINT64, &extent, NULL))
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_PARSE, "“%s” is neither an extent nor “:”, in “%s”", text, signature);
          return FALSE;
        }

      g_array_append_val (declared, extent);
    }

  if (declared->len > ACC_MAX_LEAVES)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_PARSE, "rank %u is too high", declared->len);
      return FALSE;
    }

  return TRUE;
}

static void
take_error (AccProgram *self,
            GError     *error)
{
  if (self->error == NULL)
    self->error = error;
  else
    g_error_free (error);
}

static void
add_results (AccProgram  *self,
             AccArray   **results,
             guint        n_results)
{
  for (guint i = 0; i < n_results; i++)
    {
      if (results[i] == NULL || !ACC_IS_ARRAY (results[i]))
        take_error (self, g_error_new (ACC_ERROR, ACC_ERROR_CALLBACK, "program: result %u is missing", i));
      else
        g_ptr_array_add (self->results, g_object_ref (results[i]));
    }
}

/* The first mistake: an error of the program's own, or of a result, with the label that it has by now. */
static GError *
dup_error (AccProgram *self)
{
  if (self->error != NULL)
    return g_error_copy (self->error);

  for (guint i = 0; i < self->results->len; i++)
    {
      GError *error = acc_array_dup_error (g_ptr_array_index (self->results, i));

      if (error != NULL)
        return error;
    }

  return NULL;
}

AccProgram *
acc_program_new_for_nodes (AccArray **parameters,
                           guint      n_parameters,
                           AccArray **results,
                           guint      n_results)
{
  AccProgram *self = g_object_new (ACC_TYPE_PROGRAM, NULL);

  for (guint i = 0; i < n_parameters; i++)
    g_ptr_array_add (self->parameters, g_object_ref (parameters[i]));
  add_results (self, results, n_results);

  return self;
}

/* Its parameters, or the error of a signature. */
static AccProgram *
new_with_parameters (const char * const *signatures)
{
  AccProgram *self = g_object_new (ACC_TYPE_PROGRAM, NULL);
  g_autoptr(GArray) declared = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; signatures != NULL && signatures[i] != NULL; i++)
    {
      g_autoptr(GError) error = NULL;
      AccElementType *type;

      if (!acc_signature_parse (signatures[i], &type, declared, &error))
        {
          g_prefix_error (&error, "program: signature of parameter %u: ", i);
          take_error (self, g_steal_pointer (&error));
          return self;
        }

      g_ptr_array_add (self->parameters,
                       acc_array_new_parameter (type, declared->len, (gint64 *) declared->data, i));
    }

  return self;
}

/* A callback may write to the array that it is given. */
static AccArray **
copy_parameters (GPtrArray *parameters)
{
  AccArray **copy = g_new (AccArray *, parameters->len + 1);

  for (guint i = 0; i < parameters->len; i++)
    copy[i] = g_ptr_array_index (parameters, i);
  copy[parameters->len] = NULL;
  return copy;
}

/* What a callback gave away, whether or not its array would free the elements. */
static void
release_results (GPtrArray *results)
{
  g_ptr_array_set_free_func (results, g_object_unref);
  g_ptr_array_unref (results);
}

/* Calls the function by the tracer of this thread; NULL if there is none: then it is called directly. */
static GPtrArray *
ask (GPtrArray *parameters,
     AccArray **number,
     GCallback  function,
     gpointer   user_data)
{
  GPtrArray *results;

  if (!acc_trace_asks (function))
    return NULL;

  results = acc_trace_ask_arrays (function, user_data, parameters, number);
  for (guint i = 0; results != NULL && i < results->len; i++)
    if (!ACC_IS_ARRAY (g_ptr_array_index (results, i)))
      g_clear_pointer (&results, release_results);

  return results != NULL ? results : g_ptr_array_new ();
}

GPtrArray *
acc_call_arrays_func (AccArraysFunc function,
                      GPtrArray    *parameters,
                      AccArray    **number,
                      gpointer      user_data)
{
  g_autofree AccArray **copy = copy_parameters (parameters);
  GPtrArray *results = ask (parameters, number, G_CALLBACK (function), user_data);

  if (results == NULL)
    {
      G_GNUC_UNUSED g_auto(AccNumbering) numbering = number != NULL ? acc_numbering_begin (*number)
                                                                    : acc_numbering_begin_again (acc_numbering_get_numbers ());

      results = function (copy, parameters->len, user_data);
    }
  if (results != NULL)
    g_ptr_array_set_free_func (results, g_object_unref);

  return results;
}

AccArray *
acc_call_array_func (AccArrayFunc function,
                     GPtrArray   *parameters,
                     AccArray   **number,
                     gpointer     user_data)
{
  g_autofree AccArray **copy = copy_parameters (parameters);
  g_autoptr(GPtrArray) asked = ask (parameters, number, G_CALLBACK (function), user_data);

  if (asked == NULL)
    {
      G_GNUC_UNUSED g_auto(AccNumbering) numbering = number != NULL ? acc_numbering_begin (*number)
                                                                    : acc_numbering_begin_again (acc_numbering_get_numbers ());

      return function (copy, parameters->len, user_data);
    }

  return asked->len > 0 ? g_object_ref (g_ptr_array_index (asked, 0)) : NULL;
}

gboolean
acc_array_depends_on (AccArray *array,
                      AccArray *other)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (&array, 1);

  return g_ptr_array_find (nodes, other, NULL);
}

/**
 * acc_program_new:
 * @signatures: (array zero-terminated=1) (nullable): one for each parameter: an element type, then its extents, outermost
 *   first, in brackets, ":" for any extent: "f4[:,:]", "u1[:,:,3]", "(f4,i4)[:]"; one element is "f4" or "f4[]"
 * @function: (scope call) (closure user_data): computes the result from the parameters
 * @user_data: data for @function
 *
 * Creates a program of one result. @function is called once, before this function returns. It may capture arrays from
 * outside, which become part of the program.
 *
 * The program carries %ACC_ERROR_PARSE where a signature cannot be read, %ACC_ERROR_CALLBACK where @function returns %NULL,
 * and the error of the result where that has one.
 *
 * Returns: (transfer full): the program
 */
AccProgram *
acc_program_new (const char * const *signatures,
                 AccArrayFunc        function,
                 gpointer            user_data)
{
  AccProgram *self = new_with_parameters (signatures);
  g_autoptr(AccArray) result = NULL;

  if (self->error != NULL)
    return self;

  if (function != NULL)
    result = acc_call_array_func (function, self->parameters, NULL, user_data);

  add_results (self, &result, 1);
  return self;
}

/**
 * acc_program_new_many:
 * @signatures: (array zero-terminated=1) (nullable): one for each parameter, as in [ctor@Program.new]
 * @function: (scope call) (closure user_data): computes the results from the parameters
 * @user_data: data for @function
 *
 * Creates a program of several results. @function is called once, before this function returns. What the results share is
 * computed once.
 *
 * The program carries %ACC_ERROR_PARSE where a signature cannot be read, %ACC_ERROR_CALLBACK where @function returns %NULL
 * or no results, and the error of a result where one has an error.
 *
 * Returns: (transfer full): the program
 */
AccProgram *
acc_program_new_many (const char * const *signatures,
                      AccArraysFunc       function,
                      gpointer            user_data)
{
  AccProgram *self = new_with_parameters (signatures);
  g_autoptr(GPtrArray) results = NULL;

  if (self->error != NULL)
    return self;

  if (function != NULL)
    results = acc_call_arrays_func (function, self->parameters, NULL, user_data);

  if (results == NULL || results->len == 0)
    take_error (self, g_error_new (ACC_ERROR, ACC_ERROR_CALLBACK, "program: there are no results"));
  else
    add_results (self, (AccArray **) results->pdata, results->len);

  return self;
}

/**
 * acc_program_new_for_results:
 * @results: (array length=n_results): the results
 * @n_results: the number of results
 *
 * Creates a program without parameters that computes several arrays. What they share is computed once. The program carries
 * the error of a result where one has an error.
 *
 * Returns: (transfer full): the program
 */
AccProgram *
acc_program_new_for_results (AccArray **results,
                             guint      n_results)
{
  return acc_program_new_for_nodes (NULL, 0, results, results != NULL ? n_results : 0);
}

/**
 * acc_program_get_n_parameters:
 * @self: a program
 *
 * Returns the number of arrays that a run takes.
 *
 * Returns: the number of parameters
 */
guint
acc_program_get_n_parameters (AccProgram *self)
{
  g_return_val_if_fail (ACC_IS_PROGRAM (self), 0);

  return self->parameters->len;
}

/**
 * acc_program_get_n_results:
 * @self: a program
 *
 * Returns the number of arrays that a run gives.
 *
 * Returns: the number of results
 */
guint
acc_program_get_n_results (AccProgram *self)
{
  g_return_val_if_fail (ACC_IS_PROGRAM (self), 0);

  return self->results->len;
}

/**
 * acc_program_get_parameter:
 * @self: a program
 * @position: the number of the parameter, from 0
 *
 * Returns a parameter. Its element type and rank are known, and its shape where the signature has all extents.
 *
 * Returns: (transfer none) (nullable): the parameter, or %NULL where there are not so many
 */
AccArray *
acc_program_get_parameter (AccProgram *self,
                           guint       position)
{
  g_return_val_if_fail (ACC_IS_PROGRAM (self), NULL);

  return position < self->parameters->len ? g_ptr_array_index (self->parameters, position) : NULL;
}

/**
 * acc_program_get_result:
 * @self: a program
 * @position: the number of the result, from 0
 *
 * Returns a result. Its element type and rank are known, and its shape where that does not depend on parameters.
 *
 * Returns: (transfer none) (nullable): the result, or %NULL where there are not so many
 */
AccArray *
acc_program_get_result (AccProgram *self,
                        guint       position)
{
  g_return_val_if_fail (ACC_IS_PROGRAM (self), NULL);

  return position < self->results->len ? g_ptr_array_index (self->results, position) : NULL;
}

/**
 * acc_program_check:
 * @self: a program
 * @error: return location for an error
 *
 * Checks that the program was built without a mistake. The error is the first one met.
 *
 * Returns: %TRUE where @self carries no error
 */
gboolean
acc_program_check (AccProgram  *self,
                   GError     **error)
{
  GError *own;

  g_return_val_if_fail (ACC_IS_PROGRAM (self), FALSE);

  if ((own = dup_error (self)) == NULL)
    return TRUE;

  g_propagate_error (error, own);
  return FALSE;
}

gboolean
acc_program_check_closed (AccProgram  *self,
                          GError     **error)
{
  g_autoptr(GPtrArray) sorted = NULL;

  if (!acc_program_check (self, error))
    return FALSE;

  sorted = acc_array_sort_nodes ((AccArray **) self->results->pdata, self->results->len);

  for (guint i = 0; i < sorted->len; i++)
    {
      AccArray *node = g_ptr_array_index (sorted, i);

      if (node->op == ACC_OP_PARAMETER && acc_program_get_parameter (self, acc_array_get_parameter (node)->position) != node)
        {
          g_autofree char *description = acc_array_describe (node);

          g_set_error (error, ACC_ERROR, ACC_ERROR_TYPE, "%s: parameter %u of another program is not known here",
                       description, acc_array_get_parameter (node)->position);
          return FALSE;
        }
    }

  return TRUE;
}

AccArray **
acc_program_get_parameter_nodes (AccProgram *self,
                                 guint      *n)
{
  *n = self->parameters->len;
  return (AccArray **) self->parameters->pdata;
}

AccArray **
acc_program_get_result_nodes (AccProgram *self,
                              guint      *n)
{
  *n = self->results->len;
  return (AccArray **) self->results->pdata;
}

static gboolean
depends (AccArray   *node,
         GHashTable *dependent)
{
  if (g_hash_table_contains (dependent, node))
    return TRUE;

  for (guint i = 0; i < node->n_inputs; i++)
    if (g_hash_table_contains (dependent, node->inputs[i]))
      return TRUE;

  for (guint i = 0; i < node->references->len; i++)
    if (g_hash_table_contains (dependent, g_ptr_array_index (node->references, i)))
      return TRUE;

  return FALSE;
}

static void
add_capture (GPtrArray  *captures,
             GHashTable *seen,
             GHashTable *dependent,
             AccArray   *node)
{
  gboolean cheap = (node->op == ACC_OP_GENERATE || node->op == ACC_OP_FILL) && node->references->len == 0;

  if (!cheap && !g_hash_table_contains (dependent, node) && g_hash_table_add (seen, node))
    g_ptr_array_add (captures, g_object_ref (node));
}

static GPtrArray *
find_captures (AccProgram *self)
{
  GPtrArray *captures = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) sorted = acc_array_sort_nodes ((AccArray **) self->results->pdata, self->results->len);
  g_autoptr(GHashTable) dependent = g_hash_table_new (NULL, NULL);
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < self->parameters->len; i++)
    g_hash_table_add (dependent, g_ptr_array_index (self->parameters, i));

  for (guint i = 0; i < sorted->len; i++)
    {
      AccArray *node = g_ptr_array_index (sorted, i);

      if (!depends (node, dependent))
        continue;

      g_hash_table_add (dependent, node);
      for (guint k = 0; k < node->n_inputs; k++)
        add_capture (captures, seen, dependent, node->inputs[k]);
      for (guint k = 0; k < node->references->len; k++)
        add_capture (captures, seen, dependent, g_ptr_array_index (node->references, k));
    }

  for (guint i = 0; i < self->results->len; i++)
    add_capture (captures, seen, dependent, g_ptr_array_index (self->results, i));

  return captures;
}

GPtrArray *
acc_program_get_captures (AccProgram *self)
{
  g_mutex_lock (&self->lock);
  if (self->captures == NULL)
    self->captures = find_captures (self);
  g_mutex_unlock (&self->lock);

  return self->captures;
}
