/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-deferred-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/array/acc-program-private.h"

G_DEFINE_ABSTRACT_TYPE (AccDeferred, acc_deferred, G_TYPE_OBJECT)

static void
acc_deferred_class_init (AccDeferredClass *klass)
{
}

static void
acc_deferred_init (AccDeferred *self)
{
}

static GPtrArray *
find_deferred (AccArray **arrays, guint n_arrays)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (arrays, n_arrays);
  GPtrArray *found = g_ptr_array_new ();

  for (guint i = 0; i < nodes->len; i++)
    if (((AccArray *) g_ptr_array_index (nodes, i))->op == ACC_OP_DEFERRED)
      g_ptr_array_add (found, g_ptr_array_index (nodes, i));

  return found;
}

/* Those of the class of the first of @nodes, which loses them. */
static GPtrArray *
take_class (GPtrArray *nodes, AccDeferredClass **klass)
{
  GPtrArray *alike = g_ptr_array_new ();

  *klass = ACC_DEFERRED_GET_CLASS (acc_array_get_payload (g_ptr_array_index (nodes, 0), ACC_PAYLOAD_DEFERRED));
  for (guint i = 0; i < nodes->len;)
    if (ACC_DEFERRED_GET_CLASS (acc_array_get_payload (g_ptr_array_index (nodes, i), ACC_PAYLOAD_DEFERRED)) == *klass)
      g_ptr_array_add (alike, g_ptr_array_remove_index (nodes, i));
    else
      i++;

  return alike;
}

char *
acc_deferred_describe (AccBackend *backend, AccArray **arrays, guint n_arrays, gint64 chunk)
{
  g_autoptr(GPtrArray) found = find_deferred (arrays, n_arrays);
  g_autoptr(GPtrArray) sentences = g_ptr_array_new_with_free_func (g_free);

  while (found->len > 0)
    {
      AccDeferredClass *klass;
      g_autoptr(GPtrArray) alike = take_class (found, &klass);

      g_ptr_array_add (sentences, klass->describe (backend, (AccArray **) alike->pdata, alike->len, chunk));
    }
  g_ptr_array_add (sentences, NULL);

  return sentences->len > 1 ? g_strjoinv ("; ", (char **) sentences->pdata) : NULL;
}

/* Those of the class of the first of @nodes, which loses them, into @replaced. */
static gboolean
evaluate_class (AccBackend *backend, GPtrArray *nodes, gint64 chunk, GHashTable *replaced, GCancellable *cancellable, GError **error)
{
  AccDeferredClass *klass;
  g_autoptr(GPtrArray) alike = take_class (nodes, &klass);
  g_autoptr(GPtrArray) values = NULL;

  values = klass->evaluate (backend, (AccArray **) alike->pdata, alike->len, chunk, cancellable, error);
  if (values == NULL)
    return FALSE;
  for (guint i = 0; i < alike->len; i++)
    g_hash_table_insert (replaced, g_ptr_array_index (alike, i), g_object_ref (g_ptr_array_index (values, i)));

  return TRUE;
}

GPtrArray *
acc_deferred_evaluate (AccBackend *backend, AccArray **arrays, guint n_arrays, gint64 chunk, GCancellable *cancellable, GError **error)
{
  g_autoptr(GPtrArray) found = find_deferred (arrays, n_arrays);
  g_autoptr(GHashTable) replaced = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  GPtrArray *results;

  while (found->len > 0)
    if (!evaluate_class (backend, found, chunk, replaced, cancellable, error))
      return NULL;

  if (g_hash_table_size (replaced) > 0)
    acc_array_replace_all (arrays, n_arrays, replaced);

  results = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n_arrays; i++)
    {
      AccArray *other = g_hash_table_lookup (replaced, arrays[i]);

      g_ptr_array_add (results, g_object_ref (other != NULL ? other : arrays[i]));
    }

  return results;
}

AccProgram *
acc_deferred_evaluate_program (AccBackend *backend, AccProgram *program, GCancellable *cancellable, GError **error)
{
  guint n_parameters, n_results;
  AccArray **parameters = acc_program_get_parameter_nodes (program, &n_parameters);
  AccArray **results = acc_program_get_result_nodes (program, &n_results);
  g_autoptr(GPtrArray) found = find_deferred (results, n_results);
  g_autoptr(GPtrArray) others = NULL;

  if (found->len == 0)
    return g_object_ref (program);

  others = acc_deferred_evaluate (backend, results, n_results, 0, cancellable, error);

  return others != NULL ? acc_program_new_for_nodes (parameters, n_parameters, (AccArray **) others->pdata, n_results) : NULL;
}
