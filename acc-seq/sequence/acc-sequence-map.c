/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-private.h"

#include <string.h>

/* Functions of elements. */

static void
set_least_length (AccSequence *self)
{
  gint64 least = -1;
  gboolean known = TRUE;

  self->endless = TRUE;
  for (guint i = 0; i < self->n_inputs; i++)
    {
      AccSequence *input = self->inputs[i];

      known = known && (input->endless || input->length >= 0);
      self->endless = self->endless && input->endless;
      if (input->length >= 0 && (least < 0 || input->length < least))
        least = input->length;
    }
  self->length = known ? least : -1;
}

AccSequence *
acc_sequence_new_counter (gint64 length)
{
  AccSequence *self = acc_sequence_alloc (ACC_SEQUENCE_KIND_COUNTER, NULL, 0);

  self->type = acc_element_type_new (ACC_KIND_I64);
  self->shape = acc_shape_new_scalar ();
  self->length = length < 0 ? -1 : length;
  self->endless = length < 0;

  return self;
}

/* Where a map of others needs the numbers of its elements, they are an input, so that what cuts the others cuts them, too. */
static void
add_counter (AccSequence *self)
{
  self->inputs = g_renew (AccSequence *, self->inputs, self->n_inputs + 1);
  self->inputs[self->n_inputs++] = acc_sequence_new_counter (-1);
}

/* Takes over @function; NULL: @mistake, owned. */
static AccSequence *
new_of_function (AccSequenceKind      kind,
                 AccSequence        **inputs,
                 guint                n_inputs,
                 AccSequenceFunction *function,
                 AccArray            *mistake)
{
  AccSequence *self;
  AccArray *values;

  if (function == NULL)
    return acc_sequence_new_error (mistake);

  self = acc_sequence_alloc (kind, inputs, n_inputs);
  values = function->results[function->n_results - 1];
  self->function = function;
  self->type = values->type;
  self->rank = function->rank;
  self->depth = function->depth + 1;
  self->shape = function->depth == 0 && values->shape != NULL ? acc_shape_ref (values->shape) : NULL;
  set_least_length (self);
  if (kind == ACC_SEQUENCE_KIND_MAP && function->n_inputs > n_inputs)
    add_counter (self);

  return self;
}

static AccSequence *
find_mistake (AccSequence **inputs,
              guint         n_inputs)
{
  for (guint i = 0; i < n_inputs; i++)
    if (inputs[i]->mistake != NULL)
      return acc_sequence_new_error (g_object_ref (inputs[i]->mistake));

  return NULL;
}

AccSequence *
acc_sequence_new_traced (const char      *operation,
                         AccSequenceKind  kind,
                         AccSequence    **inputs,
                         guint            n_inputs,
                         AccArrayFunc     function,
                         gpointer         user_data)
{
  AccSequence *refused = find_mistake (inputs, n_inputs);
  g_autofree AccElementType **types = g_new0 (AccElementType *, n_inputs + 1);
  g_autofree AccShape **shapes = g_new0 (AccShape *, n_inputs + 1);
  g_autofree guint *ranks = g_new0 (guint, n_inputs + 1);
  AccSequenceFunction *traced;
  AccArray *mistake = NULL;

  for (guint i = 0; i < n_inputs && refused == NULL; i++)
    {
      refused = acc_sequence_refuse_nested (operation, inputs[i], "map_nested and what ends so take functions of these");
      types[i] = inputs[i]->type;
      ranks[i] = inputs[i]->rank;
      shapes[i] = inputs[i]->shape;
    }
  if (refused != NULL)
    return refused;
  traced = acc_sequence_function_trace (operation, types, ranks, shapes, n_inputs, function, user_data, TRUE, &mistake);

  return new_of_function (kind, inputs, n_inputs, traced, mistake);
}

AccSequence *
acc_sequence_new_traced_nested (const char      *operation,
                                AccSequenceKind  kind,
                                AccSequence    **inputs,
                                guint            n_inputs,
                                AccElementFunc   function,
                                gpointer         user_data)
{
  AccSequence *refused = find_mistake (inputs, n_inputs);
  AccSequenceFunction *traced;
  AccArray *mistake = NULL;

  if (refused != NULL)
    return refused;
  traced = acc_sequence_function_trace_elements (operation, inputs, n_inputs, function, user_data, &mistake);

  return new_of_function (kind, inputs, n_inputs, traced, mistake);
}

/**
 * acc_sequence_new_generate:
 * @length: how many elements; -1: without an end
 * @function: (scope call) (closure user_data): takes the number of an element, an i8 of rank 0, and gives the element, an array
 * @user_data: data for @function
 *
 * Creates a sequence whose elements are a function of their number, 0, 1 and so on. One without an end needs something that ends it, such
 * as
 * [method@Sequence.take], or the other sequence of [method@Sequence.zip_with].
 *
 * The result carries the error of what @function returns, %ACC_ERROR_CALLBACK where that is %NULL, and %ACC_ERROR_SHAPE where @length is
 * less than -1.
 *
 * Returns: (transfer full): the sequence
 */
AccSequence *
acc_sequence_new_generate (gint64       length,
                           AccArrayFunc function,
                           gpointer     user_data)
{
  g_autoptr(AccSequence) counter = NULL;

  if (length < -1)
    return acc_sequence_refuse ("sequence_new_generate", ACC_ERROR_SHAPE, "%" G_GINT64_FORMAT " elements", length);
  counter = acc_sequence_new_counter (length);

  return acc_sequence_new_traced ("sequence_new_generate", ACC_SEQUENCE_KIND_MAP, &counter, 1, function, user_data);
}

/**
 * acc_sequence_new_generate_nested:
 * @length: how many elements; -1: without an end
 * @function: (scope call) (closure user_data): takes the number of an element, an i8 of rank 0, and gives the element, an array or a nested
 *   array
 * @user_data: data for @function
 *
 * Creates a sequence whose elements are a function of their number, and may be nested arrays. Works as [ctor@Sequence.new_generate] does
 * otherwise.
 *
 * Returns: (transfer full): the sequence
 */
AccSequence *
acc_sequence_new_generate_nested (gint64         length,
                                  AccElementFunc function,
                                  gpointer       user_data)
{
  g_autoptr(AccSequence) counter = NULL;

  if (length < -1)
    return acc_sequence_refuse ("sequence_new_generate_nested", ACC_ERROR_SHAPE, "%" G_GINT64_FORMAT " elements", length);
  counter = acc_sequence_new_counter (length);

  return acc_sequence_new_traced_nested ("sequence_new_generate_nested", ACC_SEQUENCE_KIND_MAP, &counter, 1, function, user_data);
}

/**
 * acc_sequence_zip_with_many:
 * @sequences: (array length=n_sequences): sequences
 * @n_sequences: how many, at least 1
 * @function: (scope call) (closure user_data): takes an element of each, as arrays, and gives an array
 * @user_data: data for @function
 *
 * Applies a function of whole arrays to the elements with the same number; the shortest sequence ends the result. @function is called once,
 * with arrays that stand for the elements, as that of [func@NestedArray.zip_with_many] is: any operation will do, results may have other
 * ranks and extents than elements have, and other arrays may be read.
 *
 * Random arrays that @function makes are each element's own: [func@Array.random_bits] tells how they follow from the element's number,
 * which is that of [method@Sequence.imap]. A random array that is made outside of @function is the same for all elements.
 *
 * Takes as long as the operations do on all elements. The result carries the error of what @function returns, and %ACC_ERROR_CALLBACK where
 * that is %NULL.
 *
 * Returns: (transfer full): the results, in the order of the elements
 */
AccSequence *
acc_sequence_zip_with_many (AccSequence **sequences,
                            guint         n_sequences,
                            AccArrayFunc  function,
                            gpointer      user_data)
{
  g_return_val_if_fail (sequences != NULL && n_sequences > 0, NULL);
  for (guint i = 0; i < n_sequences; i++)
    g_return_val_if_fail (ACC_IS_SEQUENCE (sequences[i]), NULL);

  return acc_sequence_new_traced (n_sequences == 1 ? "sequence_map" : "sequence_zip_with", ACC_SEQUENCE_KIND_MAP, sequences, n_sequences,
                                  function, user_data);
}

/**
 * acc_sequence_map:
 * @self: a sequence
 * @function: (scope call) (closure user_data): takes an element, an array, and gives an array
 * @user_data: data for @function
 *
 * Applies a function of whole arrays to every element. Works as [func@Sequence.zip_with_many] does with one sequence.
 *
 * Returns: (transfer full): the results, in the order of the elements
 */
AccSequence *
acc_sequence_map (AccSequence *self,
                  AccArrayFunc function,
                  gpointer     user_data)
{
  return acc_sequence_zip_with_many (&self, 1, function, user_data);
}

/**
 * acc_sequence_imap:
 * @self: a sequence
 * @function: (scope call) (closure user_data): takes the number of an element, an i8 of rank 0, and the element, and gives an array
 * @user_data: data for @function
 *
 * Applies a function of whole arrays to every element and its number. Works as [method@Sequence.map] does otherwise.
 *
 * Returns: (transfer full): the results, in the order of the elements
 */
AccSequence *
acc_sequence_imap (AccSequence *self,
                   AccArrayFunc function,
                   gpointer     user_data)
{
  g_autoptr(AccSequence) counter = acc_sequence_new_counter (-1);

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  return acc_sequence_new_traced ("sequence_imap", ACC_SEQUENCE_KIND_MAP, (AccSequence *[]) { counter, self }, 2, function, user_data);
}

/* A list of these, borrowed. */
static AccSequence **
put_in_front (AccSequence  *counter,
              AccSequence **sequences,
              guint         n_sequences)
{
  AccSequence **all = g_new (AccSequence *, n_sequences + 1);

  all[0] = counter;
  memcpy (all + 1, sequences, n_sequences * sizeof *sequences);

  return all;
}

/**
 * acc_sequence_izip_with_many:
 * @sequences: (array length=n_sequences): sequences
 * @n_sequences: how many, at least 1
 * @function: (scope call) (closure user_data): takes the number of an element, an i8 of rank 0, and an element of each, as arrays,
 *   and gives an array
 * @user_data: data for @function
 *
 * Applies a function of whole arrays to the elements with the same number, and that number. Works as [func@Sequence.zip_with_many] does
 * otherwise.
 *
 * Returns: (transfer full): the results, in the order of the elements
 */
AccSequence *
acc_sequence_izip_with_many (AccSequence **sequences,
                             guint         n_sequences,
                             AccArrayFunc  function,
                             gpointer      user_data)
{
  g_autofree AccSequence **all = NULL;
  g_autoptr(AccSequence) counter = NULL;

  g_return_val_if_fail (sequences != NULL && n_sequences > 0, NULL);
  for (guint i = 0; i < n_sequences; i++)
    g_return_val_if_fail (ACC_IS_SEQUENCE (sequences[i]), NULL);

  counter = acc_sequence_new_counter (-1);
  all = put_in_front (counter, sequences, n_sequences);

  return acc_sequence_new_traced ("sequence_izip_with", ACC_SEQUENCE_KIND_MAP, all, n_sequences + 1, function, user_data);
}

/**
 * acc_sequence_zip_with:
 * @self: a sequence
 * @other: a sequence
 * @function: (scope call) (closure user_data): takes an element of each, as arrays, and gives an array
 * @user_data: data for @function
 *
 * Applies a function of whole arrays to the elements with the same number. Works as [func@Sequence.zip_with_many] does.
 *
 * Returns: (transfer full): as many elements as the shorter sequence has
 */
AccSequence *
acc_sequence_zip_with (AccSequence *self,
                       AccSequence *other,
                       AccArrayFunc function,
                       gpointer     user_data)
{
  return acc_sequence_zip_with_many ((AccSequence *[]) { self, other }, 2, function, user_data);
}

/* --- of elements that may be nested arrays */

/**
 * acc_sequence_zip_with_many_nested:
 * @sequences: (array length=n_sequences): sequences
 * @n_sequences: how many, at least 1
 * @function: (scope call) (closure user_data): takes an element of each, arrays or nested arrays, and gives an array or a nested array
 * @user_data: data for @function
 *
 * Applies a function of arrays and nested arrays to the elements with the same number: sentences of a document are counted, hits of tracks
 * filtered, a line is split into words. Works as [func@Sequence.zip_with_many] does otherwise; what @function does with a nested array
 * becomes operations on those of all elements at once, as in [method@NestedArray.map_nested].
 *
 * Numbers in the innermost level of what @function gives, elements of rank 0, are vectors with one level less.
 *
 * Takes as long as the operations do on all values together. The result carries the error of what @function returns, and
 * %ACC_ERROR_CALLBACK where that is %NULL or something else.
 *
 * ```c
 * static GObject *count_words (GObject **elements, guint n, gpointer data)
 * {
 *   g_autoptr(AccExpr) n_words = acc_expr_ref_sink (acc_expr_extent (acc_nested_array_get_lengths (ACC_NESTED_ARRAY (elements[0])), 0));
 *
 *   return G_OBJECT (acc_array_unit (n_words));
 * }
 * ```
 *
 * Returns: (transfer full): the results, in the order of the elements
 */
AccSequence *
acc_sequence_zip_with_many_nested (AccSequence  **sequences,
                                   guint          n_sequences,
                                   AccElementFunc function,
                                   gpointer       user_data)
{
  g_return_val_if_fail (sequences != NULL && n_sequences > 0, NULL);
  for (guint i = 0; i < n_sequences; i++)
    g_return_val_if_fail (ACC_IS_SEQUENCE (sequences[i]), NULL);

  return acc_sequence_new_traced_nested (n_sequences == 1 ? "sequence_map_nested" : "sequence_zip_with_nested", ACC_SEQUENCE_KIND_MAP,
                                         sequences, n_sequences, function, user_data);
}

/**
 * acc_sequence_map_nested:
 * @self: a sequence
 * @function: (scope call) (closure user_data): takes an element, an array or a nested array, and gives an array or a nested array
 * @user_data: data for @function
 *
 * Applies a function of nested arrays to every element. Works as [func@Sequence.zip_with_many_nested] does with one sequence.
 *
 * Returns: (transfer full): the results, in the order of the elements
 */
AccSequence *
acc_sequence_map_nested (AccSequence   *self,
                         AccElementFunc function,
                         gpointer       user_data)
{
  return acc_sequence_zip_with_many_nested (&self, 1, function, user_data);
}

/**
 * acc_sequence_imap_nested:
 * @self: a sequence
 * @function: (scope call) (closure user_data): takes the number of an element, an i8 of rank 0, and the element, an array or a nested
 *   array, and gives an array or a nested array
 * @user_data: data for @function
 *
 * Applies a function of nested arrays to every element and its number. Works as [method@Sequence.map_nested] does otherwise.
 *
 * Returns: (transfer full): the results, in the order of the elements
 */
AccSequence *
acc_sequence_imap_nested (AccSequence   *self,
                          AccElementFunc function,
                          gpointer       user_data)
{
  g_autoptr(AccSequence) counter = acc_sequence_new_counter (-1);

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  return acc_sequence_new_traced_nested ("sequence_imap_nested", ACC_SEQUENCE_KIND_MAP, (AccSequence *[]) { counter, self }, 2, function,
                                         user_data);
}

/**
 * acc_sequence_izip_with_many_nested:
 * @sequences: (array length=n_sequences): sequences
 * @n_sequences: how many, at least 1
 * @function: (scope call) (closure user_data): takes the number of an element, an i8 of rank 0, and an element of each, arrays or nested
 *   arrays, and gives an array or a nested array
 * @user_data: data for @function
 *
 * Applies a function of arrays and nested arrays to the elements with the same number, and that number. Works as
 * [func@Sequence.zip_with_many_nested] does otherwise.
 *
 * Returns: (transfer full): the results, in the order of the elements
 */
AccSequence *
acc_sequence_izip_with_many_nested (AccSequence  **sequences,
                                    guint          n_sequences,
                                    AccElementFunc function,
                                    gpointer       user_data)
{
  g_autofree AccSequence **all = NULL;
  g_autoptr(AccSequence) counter = NULL;

  g_return_val_if_fail (sequences != NULL && n_sequences > 0, NULL);
  for (guint i = 0; i < n_sequences; i++)
    g_return_val_if_fail (ACC_IS_SEQUENCE (sequences[i]), NULL);

  counter = acc_sequence_new_counter (-1);
  all = put_in_front (counter, sequences, n_sequences);

  return acc_sequence_new_traced_nested ("sequence_izip_with_nested", ACC_SEQUENCE_KIND_MAP, all, n_sequences + 1, function, user_data);
}

/**
 * acc_sequence_zip_with_nested:
 * @self: a sequence
 * @other: a sequence
 * @function: (scope call) (closure user_data): takes an element of each, arrays or nested arrays, and gives an array or a nested array
 * @user_data: data for @function
 *
 * Applies a function of arrays and nested arrays to the elements with the same number. Works as [func@Sequence.zip_with_many_nested] does.
 *
 * Returns: (transfer full): as many elements as the shorter sequence has
 */
AccSequence *
acc_sequence_zip_with_nested (AccSequence   *self,
                              AccSequence   *other,
                              AccElementFunc function,
                              gpointer       user_data)
{
  return acc_sequence_zip_with_many_nested ((AccSequence *[]) { self, other }, 2, function, user_data);
}
