/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-foreign-private.h"

#include "acc-backend.h"
#include "acc-error.h"
#include "acc-core/array/acc-foreign-known-private.h"

/* --- what a backend has */

struct _AccForeignTable {
  GMutex      lock;
  GHashTable *by_name;   /* char * → AccForeign, owned */
};

void
acc_foreign_unref (AccForeign *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  if (self->destroy != NULL)
    self->destroy (self->user_data);
  g_free (self);
}

AccForeignTable *
acc_foreign_table_new (void)
{
  AccForeignTable *self = g_new0 (AccForeignTable, 1);

  g_mutex_init (&self->lock);
  self->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) acc_foreign_unref);
  return self;
}

void
acc_foreign_table_free (AccForeignTable *self)
{
  g_hash_table_unref (self->by_name);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static AccForeign *make (AccForeignFits fits, AccForeignFunc function, AccForeignLaunchFunc launch, gpointer user_data,
                         GDestroyNotify destroy);

static AccForeign *
find (AccBackend *backend,
      const char *name)
{
  const char *of_element = acc_foreign_each_get_name (name);

  AccForeignTable *table = acc_backend_get_foreigners (backend);
  AccForeign *found;

  g_mutex_lock (&table->lock);
  found = g_hash_table_lookup (table->by_name, name);
  if (found != NULL)
    g_atomic_ref_count_inc (&found->ref_count);
  g_mutex_unlock (&table->lock);
  if (found != NULL || of_element == NULL)
    return found;

  found = find (backend, of_element);
  if (found == NULL || found->launch == NULL)
    return found != NULL ? make (NULL, acc_foreign_each_call, NULL, acc_foreign_each_new (found, name), acc_foreign_each_free) : NULL;

  /* What works on a device takes what it was written for. */
  acc_foreign_unref (found);
  return NULL;
}

AccForeign *
acc_foreign_find (AccBackend *backend,
                  AccArray   *node)
{
  return find (backend, acc_foreign_get_name (node));
}

gboolean
acc_backend_has_transforms (AccBackend *self)
{
  AccForeignTable *table = acc_backend_get_foreigners (self);
  const AccForeignTransform *transform;
  gboolean has = FALSE;

  g_mutex_lock (&table->lock);
  for (guint i = 0; (transform = acc_foreign_nth_transform (i)) != NULL; i++)
    has |= g_hash_table_contains (table->by_name, transform->name);
  g_mutex_unlock (&table->lock);

  return has;
}

/* Takes over @made; NULL: nothing any more. */
static void
set (AccBackend *self,
     const char *name,
     AccForeign *made)
{
  g_autoptr(AccForeign) old = NULL;
  AccForeignTable *table = acc_backend_get_foreigners (self);
  gpointer key, value;

  g_mutex_lock (&table->lock);
  /* It is let go when the lock is open again: that calls back. */
  if (g_hash_table_steal_extended (table->by_name, name, &key, &value))
    {
      g_free (key);
      old = value;
    }
  if (made != NULL)
    g_hash_table_insert (table->by_name, g_strdup (name), made);
  g_mutex_unlock (&table->lock);
}

/* NULL without a function, when @user_data is let go. */
static AccForeign *
make (AccForeignFits       fits,
      AccForeignFunc       function,
      AccForeignLaunchFunc launch,
      gpointer             user_data,
      GDestroyNotify       destroy)
{
  AccForeign *made = g_new0 (AccForeign, 1);

  g_atomic_ref_count_init (&made->ref_count);
  made->fits = fits;
  made->function = function;
  made->launch = launch;
  made->user_data = user_data;
  made->destroy = destroy;
  if (function != NULL || launch != NULL)
    return made;

  acc_foreign_unref (made);
  return NULL;
}

void
acc_backend_set_launch_routine (AccBackend           *self,
                                const char           *name,
                                AccForeignFits        fits,
                                AccForeignLaunchFunc  function,
                                gpointer              user_data,
                                GDestroyNotify        destroy)
{
  set (self, name, make (fits, NULL, function, user_data, destroy));
}

/**
 * acc_backend_set_foreign:
 * @self: a backend
 * @name: the name of an operation, as in acc_array_foreign()
 * @function: (scope notified) (closure user_data) (destroy destroy) (nullable): what this backend calls in place of the
 *   fallback; %NULL stands for the fallback
 * @user_data: data for @function
 * @destroy: (nullable): called when @function is no longer needed
 *
 * Sets a function that computes a foreign operation on this backend, in place of the fallback.
 *
 * It applies to runs that begin later, also of programs that were compiled before. It replaces what was set under @name. It
 * belongs to this object: another backend object for the same device does not have it.
 *
 * Elements on a device are transferred to the host for @function; the result is transferred back when it is used. During the
 * call `g_cancellable_get_current()` is the cancellable of the run, if there is one: a long computation can check it, and fail
 * with its error.
 *
 * Operations of acc that say so, such as [method@Array.matmul] and [method@Array.fft], are foreign operations to backends that
 * compile. A function replaces what the backend has for them, and %NULL leaves the fallback. The interpreter always takes the
 * fallback.
 *
 * A run fails with the error of @function, with %ACC_ERROR_CALLBACK where it returns %NULL without one, with %ACC_ERROR_TYPE
 * where its array is not in memory or has another element type or rank than the fallback's result, and with %ACC_ERROR_SHAPE
 * where it has other extents than those known before the run.
 */
void
acc_backend_set_foreign (AccBackend     *self,
                         const char     *name,
                         AccForeignFunc  function,
                         gpointer        user_data,
                         GDestroyNotify  destroy)
{
  g_return_if_fail (ACC_IS_BACKEND (self));
  g_return_if_fail (name != NULL);

  set (self, name, make (NULL, function, NULL, user_data, destroy));
}

/**
 * acc_backend_set_foreign_launch:
 * @self: a backend
 * @name: the name of an operation, as in acc_array_foreign()
 * @function: (scope notified) (closure user_data) (destroy destroy) (nullable): what this backend calls in place of the
 *   fallback; %NULL stands for the fallback
 * @user_data: data for @function
 * @destroy: (nullable): called when @function is no longer needed
 *
 * Sets a function that computes a foreign operation where the elements are, in place of the fallback.
 *
 * As [method@Backend.set_foreign], but nothing is transferred from a device for it. It replaces what either of the two set
 * under @name. The interpreter, and backends of devices without addresses, run the fallback.
 *
 * |[<!-- language="C" -->
 * static gboolean
 * scale (AccForeignLaunch *launch, gpointer data, GError **error)
 * {
 *   AccArray *input = acc_foreign_launch_get_input (launch, 0);
 *   AccShape *shape = acc_array_get_shape (input);
 *
 *   return acc_foreign_launch_begin (launch, acc_array_get_element_type (input), shape, error) &&
 *          scale_on_stream ((CUstream) acc_foreign_launch_get_queue (launch), acc_foreign_launch_get_input_address (launch, 0, 0),
 *                           acc_foreign_launch_get_result_address (launch, 0), acc_shape_get_size (shape), error);
 * }
 * ]|
 *
 * A run fails with the error of @function, and with those of [method@ForeignLaunch.begin].
 */
void
acc_backend_set_foreign_launch (AccBackend           *self,
                                const char           *name,
                                AccForeignLaunchFunc  function,
                                gpointer              user_data,
                                GDestroyNotify        destroy)
{
  g_return_if_fail (ACC_IS_BACKEND (self));
  g_return_if_fail (name != NULL);

  acc_backend_set_launch_routine (self, name, NULL, function, user_data, destroy);
}

/**
 * acc_backend_has_foreign:
 * @self: a backend
 * @name: the name of an operation, as in acc_array_foreign()
 *
 * Returns whether a backend has an implementation of its own of an operation.
 *
 * Returns: %TRUE if a function is set under @name, %FALSE if the backend runs the fallback
 */
gboolean
acc_backend_has_foreign (AccBackend *self,
                         const char *name)
{
  g_autoptr(AccForeign) found = NULL;

  g_return_val_if_fail (ACC_IS_BACKEND (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  found = find (self, name);
  return found != NULL;
}

gboolean
acc_backend_has_own_foreign (AccBackend *self)
{
  AccForeignTable *table = acc_backend_get_foreigners (self);
  GHashTableIter iter;
  gpointer value;
  gboolean found = FALSE;

  g_mutex_lock (&table->lock);
  g_hash_table_iter_init (&iter, table->by_name);
  while (!found && g_hash_table_iter_next (&iter, NULL, &value))
    found = ((AccForeign *) value)->fits == NULL;
  g_mutex_unlock (&table->lock);

  return found;
}

/* --- running */

/* What the application calls it. */
static const char *
get_own_name (AccArray *node)
{
  const char *name = acc_foreign_get_name (node);

  for (const char *inner = acc_foreign_each_get_name (name); inner != NULL; inner = acc_foreign_each_get_name (name))
    name = inner;

  return name;
}

static gboolean
fail (AccArray   *node,
      GError    **error,
      AccError    code,
      const char *message)
{
  g_autofree char *what = acc_array_describe (node);

  g_set_error (error, ACC_ERROR, (int) code, "%s: “%s” %s", what, get_own_name (node), message);
  return FALSE;
}

static gboolean
check_result (AccArray  *node,
              AccArray  *result,
              GError   **error)
{
  g_autofree char *message = NULL;

  if (result->error != NULL)
    return fail (node, error, result->error->code, result->error->message);
  if (!acc_array_is_manifest (result))
    return fail (node, error, ACC_ERROR_TYPE, "gave an array whose elements are not in memory");
  if (result->type != node->type || result->rank != node->rank)
    {
      message = g_strdup_printf ("gave %s of rank %u where %s of rank %u is needed", acc_element_type_get_code (result->type),
                                 result->rank, acc_element_type_get_code (node->type), node->rank);
      return fail (node, error, ACC_ERROR_TYPE, message);
    }
  if (node->shape != NULL && !acc_shape_equal (node->shape, result->shape))
    {
      g_autofree char *wanted = acc_shape_to_string (node->shape), *given = acc_shape_to_string (result->shape);

      message = g_strdup_printf ("gave an array of %s where %s is needed", given, wanted);
      return fail (node, error, ACC_ERROR_SHAPE, message);
    }
  return TRUE;
}

gboolean
acc_foreign_fits (AccForeign          *self,
                  AccArray            *node,
                  const gint64 *const *extents)
{
  guint n;
  AccArray **inputs = acc_foreign_get_inputs (node, &n);

  return acc_foreign_check_signature (node, extents) == NULL && (self->fits == NULL || self->fits (inputs, extents, n, self->user_data));
}

gboolean
acc_foreign_is_launch (AccForeign *self)
{
  return self->launch != NULL;
}

/* What a function gave, or its error. Takes over both. */
static AccArray *
finish (AccArray  *node,
        AccArray  *given,
        GError    *problem,
        GError   **error)
{
  g_autoptr(AccArray) result = given;

  if (problem != NULL)
    {
      g_autofree char *what = acc_array_describe (node);

      g_propagate_prefixed_error (error, problem, "%s: “%s”: ", what, get_own_name (node));
      return NULL;
    }
  if (result == NULL)
    {
      fail (node, error, ACC_ERROR_CALLBACK, "gave no array");
      return NULL;
    }
  return check_result (node, result, error) ? g_steal_pointer (&result) : NULL;
}

AccArray *
acc_foreign_call (AccForeign    *self,
                  AccArray      *node,
                  AccArray     **inputs,
                  GCancellable  *cancellable,
                  GError       **error)
{
  GError *local = NULL;
  AccArray *result;
  guint n;

  acc_foreign_get_inputs (node, &n);
  if (cancellable != NULL)
    g_cancellable_push_current (cancellable);
  result = self->function (inputs, n, self->user_data, &local);
  if (cancellable != NULL)
    g_cancellable_pop_current (cancellable);

  return finish (node, result, local, error);
}

AccArray *
acc_foreign_launch_call (AccForeignLaunch  *self,
                         AccForeign        *foreign,
                         GCancellable      *cancellable,
                         GError           **error)
{
  GError *local = NULL;
  gboolean ok;

  if (cancellable != NULL)
    g_cancellable_push_current (cancellable);
  ok = foreign->launch (self, foreign->user_data, &local);
  if (cancellable != NULL)
    g_cancellable_pop_current (cancellable);

  return finish (self->node, ok ? g_steal_pointer (&self->result) : NULL, local, error);
}

gboolean
acc_foreign_check (AccArray      *node,
                   guint          input,
                   const gint64  *extents,
                   GError       **error)
{
  guint n;
  AccArray *parameter = acc_program_get_parameter_nodes (acc_array_get_programs (node)[0], &n)[input];

  const gint64 *declared = acc_array_get_parameter (parameter)->declared;

  for (guint i = 0; i < parameter->rank; i++)
    if (declared[i] >= 0 && declared[i] != extents[i])
      {
        g_autofree char *message = g_strdup_printf ("got extent %" G_GINT64_FORMAT " in dimension %u of input %u where %" G_GINT64_FORMAT
                                                    " is declared", extents[i], i, input, declared[i]);

        return fail (node, error, ACC_ERROR_SHAPE, message);
      }
  return TRUE;
}
