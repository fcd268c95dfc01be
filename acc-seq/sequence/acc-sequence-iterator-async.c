/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-iterator-private.h"

#include "acc-core/backend/acc-async-private.h"

/* Elements that another thread asks for. */

static AccArray *end_of_sequence;

/* Tasks have no other way to say that nothing comes without an error. */
static gpointer
next_or_end (gpointer      source,
             gboolean      nested,
             GCancellable *cancellable,
             GError      **error)
{
  GError *local = NULL;
  gpointer element = acc_sequence_iterator_take (source, nested, cancellable, &local);

  if (local != NULL)
    g_propagate_error (error, local);

  return element != NULL || local != NULL ? element : (gpointer) &end_of_sequence;
}

static gpointer
next_in_thread (gpointer      source,
                gpointer      data,
                GCancellable *cancellable,
                GError      **error)
{
  return next_or_end (source, FALSE, cancellable, error);
}

static gpointer
next_nested_in_thread (gpointer      source,
                       gpointer      data,
                       GCancellable *cancellable,
                       GError      **error)
{
  return next_or_end (source, TRUE, cancellable, error);
}

static void
free_element (gpointer element)
{
  if (element != (gpointer) &end_of_sequence)
    g_object_unref (element);
}

static void
begin_next (AccSequenceIterator *self,
            gboolean             nested,
            GCancellable        *cancellable,
            GAsyncReadyCallback  callback,
            gpointer             user_data)
{
  g_autoptr(GTask) task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, begin_next);
  acc_async_run (task, acc_sequence_iterator_get_backend (self), nested ? next_nested_in_thread : next_in_thread, free_element);
}

static gpointer
finish (GAsyncResult *result,
        GError      **error)
{
  gpointer element = g_task_propagate_pointer (G_TASK (result), error);

  return element == (gpointer) &end_of_sequence ? NULL : element;
}

/**
 * acc_sequence_iterator_next_async:
 * @self: an iterator
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called on the caller's thread-default main context
 * @user_data: data for @callback
 *
 * Asks for the next element as acc_sequence_iterator_next() does, without blocking. One call at a time.
 */
void
acc_sequence_iterator_next_async (AccSequenceIterator *self,
                                  GCancellable        *cancellable,
                                  GAsyncReadyCallback  callback,
                                  gpointer             user_data)
{
  g_return_if_fail (ACC_IS_SEQUENCE_ITERATOR (self));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  begin_next (self, FALSE, cancellable, callback, user_data);
}

/**
 * acc_sequence_iterator_next_nested_async:
 * @self: an iterator over elements that are nested arrays
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called on the caller's thread-default main context
 * @user_data: data for @callback
 *
 * Asks for the next element as acc_sequence_iterator_next_nested() does, without blocking. One call at a time.
 */
void
acc_sequence_iterator_next_nested_async (AccSequenceIterator *self,
                                         GCancellable        *cancellable,
                                         GAsyncReadyCallback  callback,
                                         gpointer             user_data)
{
  g_return_if_fail (ACC_IS_SEQUENCE_ITERATOR (self));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  begin_next (self, TRUE, cancellable, callback, user_data);
}

/**
 * acc_sequence_iterator_next_finish:
 * @self: an iterator
 * @result: the result that the callback got
 * @error: return location for an error
 *
 * Returns the element of acc_sequence_iterator_next_async(), or its error.
 *
 * Returns: (transfer full) (nullable): the element; %NULL with @error set, or without where there are no more
 */
AccArray *
acc_sequence_iterator_next_finish (AccSequenceIterator *self,
                                   GAsyncResult        *result,
                                   GError             **error)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE_ITERATOR (self), NULL);
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return finish (result, error);
}

/**
 * acc_sequence_iterator_next_nested_finish:
 * @self: an iterator over elements that are nested arrays
 * @result: the result that the callback got
 * @error: return location for an error
 *
 * Returns the element of acc_sequence_iterator_next_nested_async(), or its error.
 *
 * Returns: (transfer full) (nullable): the element; %NULL with @error set, or without where there are no more
 */
AccNestedArray *
acc_sequence_iterator_next_nested_finish (AccSequenceIterator *self,
                                          GAsyncResult        *result,
                                          GError             **error)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE_ITERATOR (self), NULL);
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return finish (result, error);
}
