/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-private.h"

#include "acc-core/array/acc-array-build-private.h"

/* Which elements there are, and how they are cut. */

/* Takes over @self, whose function is the predicate. */
static AccSequence *
new_predicated (const char  *operation,
                AccSequence *input,
                AccSequence *predicate)
{
  g_autoptr(AccSequence) self = predicate;

  if (self->mistake != NULL)
    return g_steal_pointer (&self);
  if (self->depth > 1 || self->rank != 0 || acc_element_type_is_tuple (self->type)
      || acc_element_type_get_kind (self->type) != ACC_KIND_BOOL)
    return acc_sequence_refuse (operation, ACC_ERROR_TYPE, "its function gives no b1 of rank 0");

  self->type = input->type;
  self->rank = input->rank;
  self->depth = input->depth;
  g_clear_pointer (&self->shape, acc_shape_unref);
  self->shape = input->shape != NULL ? acc_shape_ref (input->shape) : NULL;
  self->length = -1;
  self->endless = FALSE;

  return g_steal_pointer (&self);
}

/**
 * acc_sequence_filter:
 * @self: a sequence
 * @predicate: (scope call) (closure user_data): takes an element, an array, and gives a b1 of rank 0
 * @user_data: data for @predicate
 *
 * Returns the elements for which a function is true, in their order. Random arrays that @predicate makes are each element's own, as those
 * of
 * [method@Sequence.map] are: a sample is drawn with them.
 *
 * Takes as long as @predicate does on all elements, and time linear in the number of values that are left.
 *
 * Returns: (transfer full): the elements that are left
 */
AccSequence *
acc_sequence_filter (AccSequence *self,
                     AccArrayFunc predicate,
                     gpointer     user_data)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  return new_predicated ("sequence_filter", self,
                         acc_sequence_new_traced ("sequence_filter", ACC_SEQUENCE_KIND_FILTER, &self, 1, predicate, user_data));
}

/**
 * acc_sequence_filter_nested:
 * @self: a sequence
 * @predicate: (scope call) (closure user_data): takes an element, an array or a nested array, and gives a b1 of rank 0, an array
 * @user_data: data for @predicate
 *
 * Returns the elements for which a function of nested arrays is true. Works as [method@Sequence.filter] does otherwise.
 *
 * Returns: (transfer full): the elements that are left
 */
AccSequence *
acc_sequence_filter_nested (AccSequence   *self,
                            AccElementFunc predicate,
                            gpointer       user_data)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  return new_predicated ("sequence_filter_nested", self,
                         acc_sequence_new_traced_nested ("sequence_filter_nested", ACC_SEQUENCE_KIND_FILTER, &self, 1, predicate,
                                                         user_data));
}

/**
 * acc_sequence_take_while:
 * @self: a sequence
 * @predicate: (scope call) (closure user_data): takes an element, an array, and gives a b1 of rank 0
 * @user_data: data for @predicate
 *
 * Returns the elements before the first for which a function is false. It ends a walk over a sequence without an end, where that one comes.
 *
 * Returns: (transfer full): the elements
 */
AccSequence *
acc_sequence_take_while (AccSequence *self,
                         AccArrayFunc predicate,
                         gpointer     user_data)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  return new_predicated ("sequence_take_while", self,
                         acc_sequence_new_traced ("sequence_take_while", ACC_SEQUENCE_KIND_TAKE_WHILE, &self, 1, predicate, user_data));
}

/**
 * acc_sequence_take_while_nested:
 * @self: a sequence
 * @predicate: (scope call) (closure user_data): takes an element, an array or a nested array, and gives a b1 of rank 0, an array
 * @user_data: data for @predicate
 *
 * Returns the elements before the first for which a function of nested arrays is false. Works as [method@Sequence.take_while] does
 * otherwise.
 *
 * Returns: (transfer full): the elements
 */
AccSequence *
acc_sequence_take_while_nested (AccSequence   *self,
                                AccElementFunc predicate,
                                gpointer       user_data)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  return new_predicated ("sequence_take_while_nested", self,
                         acc_sequence_new_traced_nested ("sequence_take_while_nested", ACC_SEQUENCE_KIND_TAKE_WHILE, &self, 1, predicate,
                                                         user_data));
}

/* The same elements, perhaps fewer. */
static AccSequence *
new_alike (AccSequenceKind kind,
           AccSequence    *input,
           gint64          number)
{
  AccSequence *self = acc_sequence_alloc (kind, &input, 1);

  self->number = MAX (number, 0);
  self->shape = input->shape != NULL ? acc_shape_ref (input->shape) : NULL;

  return self;
}

/* Of what it is a function of, so that elements that are left out are not computed. */
static AccSequence *
cut (AccSequence    *input,
     AccSequenceKind kind,
     gint64          number)
{
  AccSequence *self;

  if (input->mistake == NULL && input->kind == ACC_SEQUENCE_KIND_MAP)
    {
      g_autofree AccSequence **inputs = g_new0 (AccSequence *, input->n_inputs);

      for (guint i = 0; i < input->n_inputs; i++)
        inputs[i] = cut (input->inputs[i], kind, number);
      self = acc_sequence_alloc (ACC_SEQUENCE_KIND_MAP, inputs, input->n_inputs);
      for (guint i = 0; i < input->n_inputs; i++)
        g_object_unref (inputs[i]);
      self->function = acc_sequence_function_ref (input->function);
      self->type = input->type;
      self->rank = input->rank;
      self->depth = input->depth;
      self->shape = input->shape != NULL ? acc_shape_ref (input->shape) : NULL;
      self->label = g_strdup (input->label);
      self->latency = input->latency;
    }
  else
    {
      self = new_alike (kind, input, number);
    }

  self->endless = kind == ACC_SEQUENCE_KIND_DROP && input->endless;
  if (kind == ACC_SEQUENCE_KIND_TAKE && input->endless)
    self->length = MAX (number, 0);
  else if (kind == ACC_SEQUENCE_KIND_TAKE)
    self->length = input->length >= 0 ? MIN (input->length, MAX (number, 0)) : -1;
  else
    self->length = input->length >= 0 ? MAX (input->length - MAX (number, 0), 0) : -1;

  return self;
}

/**
 * acc_sequence_take:
 * @self: a sequence
 * @count: how many elements; negative counts as 0
 *
 * Returns the first elements. A walk ends there: nothing behind them is computed.
 *
 * Returns: (transfer full): @count elements, or all where there are fewer
 */
AccSequence *
acc_sequence_take (AccSequence *self,
                   gint64       count)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  return cut (self, ACC_SEQUENCE_KIND_TAKE, count);
}

/**
 * acc_sequence_drop:
 * @self: a sequence
 * @count: how many elements; negative counts as 0
 *
 * Returns what follows the first elements, which are read, but of which nothing is computed.
 *
 * Returns: (transfer full): the elements that are left
 */
AccSequence *
acc_sequence_drop (AccSequence *self,
                   gint64       count)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  return cut (self, ACC_SEQUENCE_KIND_DROP, count);
}

/**
 * acc_sequence_concat:
 * @self: a sequence
 * @other: a sequence of elements of the same type, rank and depth
 *
 * Returns the elements of a sequence, then those of another. The result carries %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where types, ranks or
 * depths differ.
 *
 * Returns: (transfer full): the elements of both
 */
AccSequence *
acc_sequence_concat (AccSequence *self,
                     AccSequence *other)
{
  AccSequence *result;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);
  g_return_val_if_fail (ACC_IS_SEQUENCE (other), NULL);

  if (self->mistake == NULL && other->mistake == NULL && (self->type != other->type || self->rank != other->rank))
    return acc_sequence_refuse ("sequence_concat", self->type != other->type ? ACC_ERROR_TYPE : ACC_ERROR_SHAPE,
                                "elements are %s of rank %u, and %s of rank %u", acc_element_type_get_code (self->type), self->rank,
                                acc_element_type_get_code (other->type), other->rank);

  if (self->mistake == NULL && other->mistake == NULL && self->depth != other->depth)
    return acc_sequence_refuse ("sequence_concat", ACC_ERROR_SHAPE, "elements have %u levels, and %u", self->depth - 1, other->depth - 1);

  result = acc_sequence_alloc (ACC_SEQUENCE_KIND_CONCAT, (AccSequence *[]) { self, other }, 2);
  if (self->shape != NULL && other->shape != NULL && acc_shape_equal (self->shape, other->shape))
    result->shape = acc_shape_ref (self->shape);
  if (self->length < 0 || other->length < 0 || __builtin_add_overflow (self->length, other->length, &result->length))
    result->length = -1;
  result->endless = self->endless || other->endless;

  return result;
}

static AccSequence *
new_grouped (const char  *operation,
             AccSequence *input,
             gint64       count)
{
  AccSequence *self;

  if (input->mistake == NULL && count < 1)
    return acc_sequence_refuse (operation, ACC_ERROR_SHAPE, "%" G_GINT64_FORMAT " elements are no batch", count);

  self = new_alike (ACC_SEQUENCE_KIND_BATCH, input, count);
  self->length = input->length >= 0 ? input->length / count + (input->length % count != 0) : -1;
  self->endless = input->endless;
  g_clear_pointer (&self->shape, acc_shape_unref);

  return self;
}

/**
 * acc_sequence_batch:
 * @self: a sequence
 * @count: how many elements to put together, at least 1
 *
 * Puts consecutive elements together: each result has them in a new outermost dimension. The last one has fewer where elements are left
 * over. Elements that are nested arrays, or have different extents, go into nested arrays: [method@Sequence.batch_nested].
 *
 * Returns: (transfer full): the batches; a walk fails with %ACC_ERROR_SHAPE where elements of one have different extents, and the result
 *   carries %ACC_ERROR_SHAPE where @count is less than 1
 */
AccSequence *
acc_sequence_batch (AccSequence *self,
                    gint64       count)
{
  AccSequence *result;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  result = acc_sequence_refuse_nested ("sequence_batch", self, "batch_nested is for these");
  if (result != NULL)
    return result;

  result = new_grouped ("sequence_batch", self, count);
  result->rank = self->rank + 1;

  return result;
}

/**
 * acc_sequence_batch_nested:
 * @self: a sequence
 * @count: how many elements to put together, at least 1
 *
 * Puts consecutive elements together: each result is a nested array of them, with one more level where they are nested arrays. They may
 * have different extents. The last one has fewer where elements are left over. Numbers, elements of rank 0, become vectors.
 *
 * ```c
 * // words = [1, 2], [3], [], [4]
 * g_autoptr(AccSequence) lines = acc_sequence_batch_nested (words, 3); // [[1, 2], [3], []], [[4]]
 * ```
 *
 * Takes time linear in the number of elements; values stay where they are. [method@Sequence.expand] takes them apart.
 *
 * Returns: (transfer full): the batches; the result carries %ACC_ERROR_SHAPE where @count is less than 1
 */
AccSequence *
acc_sequence_batch_nested (AccSequence *self,
                           gint64       count)
{
  AccSequence *result;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  if (self->rank == 0)
    return acc_sequence_batch (self, count);

  result = new_grouped ("sequence_batch_nested", self, count);
  result->depth = self->depth + 1;

  return result;
}

/**
 * acc_sequence_expand:
 * @self: a sequence of elements of rank 1 or more, or of nested arrays
 *
 * Returns the parts of the elements along their outermost dimension, one after the other: the rows of matrices, the numbers of vectors,
 * the elements of nested arrays.
 * With a function that makes several of an element before, by [method@Sequence.map], an element becomes as many as it likes.
 *
 * Returns: (transfer full): the parts; the result carries %ACC_ERROR_SHAPE where elements have rank 0
 */
AccSequence *
acc_sequence_expand (AccSequence *self)
{
  AccSequence *result;
  guint rank;
  const gint64 *extents;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  if (self->mistake == NULL && self->rank == 0)
    return acc_sequence_refuse ("sequence_expand", ACC_ERROR_SHAPE, "elements of rank 0 have no parts");

  result = acc_sequence_alloc (ACC_SEQUENCE_KIND_EXPAND, &self, 1);
  if (result->mistake != NULL)
    return result;
  if (self->depth > 1)
    {
      result->depth = self->depth - 1;
      return result;
    }
  result->rank = self->rank - 1;
  if (self->shape != NULL)
    {
      extents = acc_shape_get_extents (self->shape, &rank);
      result->shape = acc_shape_new (extents + 1, rank - 1);
      if (self->length < 0 || __builtin_mul_overflow (self->length, extents[0], &result->length))
        result->length = -1;
    }

  return result;
}
