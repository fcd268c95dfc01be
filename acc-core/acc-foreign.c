/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-foreign-private.h"

#include "acc-array-build-private.h"
#include "acc-error.h"

/* --- what a backend has */

struct _AccForeign {
  gatomicrefcount ref_count;
  AccForeignFits  fits;       /* NULL: all */
  AccForeignFunc  function;
  AccForeignLaunchFunc launch;   /* in its place */
  gpointer        user_data;
  GDestroyNotify  destroy;
};

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

static AccForeign *
find (AccBackend *backend,
      const char *name)
{
  AccForeignTable *table = acc_backend_get_foreigners (backend);
  AccForeign *found;

  g_mutex_lock (&table->lock);
  found = g_hash_table_lookup (table->by_name, name);
  if (found != NULL)
    g_atomic_ref_count_inc (&found->ref_count);
  g_mutex_unlock (&table->lock);
  return found;
}

AccForeign *
acc_foreign_find (AccBackend *backend,
                  AccArray   *node)
{
  return find (backend, node->foreign_name);
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
 * @name: the name of an operation, as acc_array_foreign() has it
 * @function: (scope notified) (closure user_data) (destroy destroy) (nullable): what this backend does in place of the fallback;
 *   %NULL: the fallback
 * @user_data: data for @function
 * @destroy: (nullable): called when @function is not needed any more
 *
 * Gives an operation an implementation of its own on a backend, for runs that begin later, of programs compiled before, too.
 * Replaces what was set under @name. It belongs to this object: another one for the same device does not have it.
 *
 * Elements that are on a device come to the host for @function, and its result goes there when it is used. While it is called
 * `g_cancellable_get_current()` is the run's, if that has any: what takes long can look whether it was cancelled, and fail with its error.
 *
 * Operations of acc that say so, as [method@Array.matmul] and [method@Array.fft], are foreign operations to backends that compile, too:
 * what is set replaces what the backend has for them, and %NULL leaves the fallback. The interpreter always takes that.
 *
 * Since: 1.0
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
 * @name: the name of an operation, as acc_array_foreign() has it
 * @function: (scope notified) (closure user_data) (destroy destroy) (nullable): what this backend does in place of the fallback;
 *   %NULL: the fallback
 * @user_data: data for @function
 * @destroy: (nullable): called when @function is not needed any more
 *
 * As [method@Backend.set_foreign], with a function that works where the elements are: nothing is moved from a device for it. Replaces what
 * either set under @name. Backends of devices without addresses, and the interpreter, run the fallback.
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
 * Since: 1.0
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
 * @name: the name of an operation, as acc_array_foreign() has it
 *
 * Returns: whether it has an implementation of its own of the operation
 *
 * Since: 1.0
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

/* --- running */

static gboolean
fail (AccArray   *node,
      GError    **error,
      AccError    code,
      const char *message)
{
  g_autofree char *what = acc_array_describe (node);

  g_set_error (error, ACC_ERROR, (int) code, "%s: “%s” %s", what, node->foreign_name, message);
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

AccArray **
acc_foreign_get_inputs (AccArray *node,
                        guint    *n_inputs)
{
  gboolean is_offer = node->op != ACC_OP_FOREIGN;

  *n_inputs = is_offer ? node->n_offered : node->n_inputs;
  return is_offer ? node->offered : node->inputs;
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

      g_propagate_prefixed_error (error, problem, "%s: “%s”: ", what, node->foreign_name);
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
  AccArray *parameter = acc_program_get_parameter_nodes (node->programs[0], &n)[input];

  for (guint i = 0; i < parameter->rank; i++)
    if (parameter->declared[i] >= 0 && parameter->declared[i] != extents[i])
      {
        g_autofree char *message = g_strdup_printf ("got extent %" G_GINT64_FORMAT " in dimension %u of input %u where %" G_GINT64_FORMAT
                                                    " is declared", extents[i], i, input, parameter->declared[i]);

        return fail (node, error, ACC_ERROR_SHAPE, message);
      }
  return TRUE;
}

/* --- building */

void
acc_array_offer (AccArray    *self,
                 const char  *name,
                 AccArray   **inputs,
                 guint        n_inputs)
{
  if (self->error != NULL)
    return;

  self->foreign_name = g_strdup (name);
  self->n_offered = n_inputs;
  self->offered = g_new (AccArray *, MAX (n_inputs, 1));
  for (guint i = 0; i < n_inputs; i++)
    self->offered[i] = g_object_ref (inputs[i]);
}

typedef struct _AccExpansion {
  AccExpansionFunc make;
  gpointer         data;
  GDestroyNotify   free_data;
} AccExpansion;

AccArray *
acc_array_new_offer (AccOperation       op,
                     AccElementType    *type,
                     AccShape          *shape,
                     const char        *name,
                     AccArray         **inputs,
                     guint              n_inputs,
                     AccExpansionFunc   make,
                     gpointer           data,
                     GDestroyNotify     free_data)
{
  AccArray *node = acc_array_begin (op, NULL, 0);

  node->type = type;
  node->rank = acc_shape_get_rank (shape);
  node->shape = acc_shape_ref (shape);
  acc_array_offer (node, name, inputs, n_inputs);
  node->expansion = g_new (AccExpansion, 1);
  *node->expansion = (AccExpansion) { make, data, free_data };

  return node;
}

void
acc_expansion_free (AccExpansion *self)
{
  self->free_data (self->data);
  g_free (self);
}

static void
take_expanded (AccArray *self,
               AccArray *made)
{
  GPtrArray *references = self->references;

  g_return_if_fail (made->error == NULL && made->op == self->op && made->type == self->type && made->programs[0] == NULL);

  g_free (self->inputs);
  self->n_inputs = made->n_inputs;
  self->inputs = g_steal_pointer (&made->inputs);
  made->n_inputs = 0;
  self->n_functions = made->n_functions;
  for (guint i = 0; i < 2; i++)
    self->functions[i] = g_steal_pointer (&made->functions[i]);
  self->extents = g_steal_pointer (&made->extents);
  self->references = made->references;
  made->references = references;
  self->direct = g_steal_pointer (&made->direct);
  if (self->direct != NULL)
    acc_array_set_label (self->direct, self->label);
}

void
acc_array_work_out (AccArray *self)
{
  static GRecMutex lock;

  if (G_LIKELY (g_atomic_pointer_get (&self->expansion) == NULL))
    return;

  g_rec_mutex_lock (&lock);
  if (self->expansion != NULL)
    {
      AccExpansion *expansion = self->expansion;
      G_GNUC_UNUSED g_auto (AccNaming) none = acc_naming_begin (NULL), name = acc_naming_begin (self->made_by);
      g_autoptr(AccArray) made = expansion->make (expansion->data);

      take_expanded (self, made);
      g_atomic_pointer_set (&self->expansion, NULL);
      acc_expansion_free (expansion);
    }
  g_rec_mutex_unlock (&lock);
}

/**
 * acc_array_foreign:
 * @name: the name of the operation, for people and acc_backend_set_foreign(): UTF-8, best with a prefix
 * @inputs: (array length=n_inputs) (nullable): arrays
 * @n_inputs: how many
 * @fallback: from arrays as the inputs are to one result
 *
 * An operation that some backends have an implementation of their own of: a library's routine, say. All others run @fallback,
 * which says what it means; that may hold foreign operations again. The name and the fallback go with the text form of a
 * program, so that it runs anywhere. Nothing is fused across it. Takes as long as the implementation, or as @fallback does.
 *
 * Names that begin with `acc-` are acc's. %ACC_ERROR_TYPE for one that acc has for other inputs or another result: see
 * [method@Array.matmul] and [method@Array.fft].
 *
 * %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where @fallback does not take the inputs, and when run, where an implementation does not
 * give what @fallback gives: its type, its rank, and extents that are known before. All elements of the inputs are needed at
 * once: those of a source are read into memory first, as far as its limit allows.
 *
 * ```c
 * static AccArray *
 * double_all (AccArray **inputs, guint n, gpointer data)
 * {
 *   return acc_array_add (inputs[0], inputs[0]);
 * }
 *
 * // xs = [1, 2, 3]
 * static const char * const signature[] = { "i8[:]", NULL };
 * g_autoptr(AccProgram) fallback = acc_program_new (signature, double_all, NULL);
 * g_autoptr(AccArray) doubled = acc_array_foreign ("example-double", &xs, 1, fallback); // → [2, 4, 6]
 * ```
 *
 * Returns: (transfer full): the result
 *
 * Since: 1.0
 */
AccArray *
acc_array_foreign (const char  *name,
                   AccArray   **inputs,
                   guint        n_inputs,
                   AccProgram  *fallback)
{
  AccArray *node = acc_array_begin (ACC_OP_FOREIGN, inputs, n_inputs);

  node->foreign_name = g_strdup (name);
  if (fallback != NULL)
    node->programs[0] = g_object_ref (fallback);
  return acc_array_complete (node);
}
