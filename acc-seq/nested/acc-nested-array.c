/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-rearrange.h"
#include "acc-core/derived/acc-array-scan.h"

/**
 * AccNestedArray:
 *
 * Holds many arrays as one: rows of different lengths, pictures of different sizes.
 *
 * Its elements are arrays of one element type and rank. They lie in flat values, one after the other, and offsets say where each
 * begins; elements of the same extents are an array of one more dimension instead, see [enum@NestedForm]. A function of an
 * element, given to [method@NestedArray.map], is called once, while the graph is built: it becomes operations on all elements
 * at once, which fuse and run as any others do, also within programs and loops.
 *
 * Nested arrays are immutable and lazy. A mistake in one is an error of its arrays, which running them tells. They may be used from any
 * thread.
 *
 * Since: 1.0
 */

struct _AccNestedArray {
  GObject    parent_instance;

  AccLifted *lifted;
  AccArray  *count;
};

G_DEFINE_FINAL_TYPE (AccNestedArray, acc_nested_array, G_TYPE_OBJECT)

static void
acc_nested_array_finalize (GObject *object)
{
  AccNestedArray *self = ACC_NESTED_ARRAY (object);

  g_clear_pointer (&self->lifted, acc_lifted_unref);
  g_clear_object (&self->count);

  G_OBJECT_CLASS (acc_nested_array_parent_class)->finalize (object);
}

static void
acc_nested_array_class_init (AccNestedArrayClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_nested_array_finalize;
}

static void
acc_nested_array_init (AccNestedArray *self)
{
}

AccNestedArray *
acc_nested_array_new_for_lifted (AccLifted *lifted,
                                 AccArray  *count)
{
  AccNestedArray *self = g_object_new (ACC_TYPE_NESTED_ARRAY, NULL);

  self->lifted = lifted;
  self->count = count;

  return self;
}

AccLifted *
acc_nested_array_get_lifted (AccNestedArray *self)
{
  return self->lifted;
}

AccArray *
acc_nested_array_get_count (AccNestedArray *self)
{
  return self->count;
}

/**
 * acc_nested_array_get_element_type:
 * @self: a nested array
 *
 * Returns the type of the elements of its elements.
 *
 * Returns: (transfer none) (nullable): the type; %NULL where @self has an error
 *
 * Since: 1.0
 */
AccElementType *
acc_nested_array_get_element_type (AccNestedArray *self)
{
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  return self->lifted->values->type;
}

/**
 * acc_nested_array_get_rank:
 * @self: a nested array
 *
 * Returns the rank of its elements.
 *
 * Returns: the rank
 *
 * Since: 1.0
 */
guint
acc_nested_array_get_rank (AccNestedArray *self)
{
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), 0);

  return self->lifted->rank;
}

/**
 * acc_nested_array_get_form:
 * @self: a nested array
 *
 * Tells how its elements are held, which the library chooses.
 *
 * Returns: the form
 *
 * Since: 1.0
 */
AccNestedForm
acc_nested_array_get_form (AccNestedArray *self)
{
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), ACC_NESTED_FORM_CONSTANT);

  return (AccNestedForm) self->lifted->form;
}

/**
 * acc_nested_array_get_values:
 * @self: a nested array
 *
 * Returns the array that holds all elements: flat values of irregular ones, with one more outermost dimension of regular ones, the
 * element itself of constant ones.
 *
 * Returns: (transfer none): the array
 *
 * Since: 1.0
 */
AccArray *
acc_nested_array_get_values (AccNestedArray *self)
{
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  return self->lifted->values;
}

/**
 * acc_nested_array_flatten:
 * @self: a nested array
 *
 * Returns the values of all elements, one after the other, as a vector.
 *
 * Returns: (transfer full): a vector
 *
 * Since: 1.0
 */
AccArray *
acc_nested_array_flatten (AccNestedArray *self)
{
  g_autoptr(AccLift) lift = NULL;
  g_autoptr(AccLifted) regular = NULL;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  if (self->lifted->form == ACC_LIFTED_IRREGULAR)
    return g_object_ref (self->lifted->values);

  lift = acc_lift_new (self->count);
  regular = acc_lift_to_regular (lift, self->lifted);

  return acc_array_flatten (regular->values);
}

/* --- descriptors */

static AccExpr *
length_of (AccExpr *k,
           gpointer data)
{
  return acc_lifted_size (data, k);
}

static AccExpr *
extents_of (AccExpr *k,
            gpointer data)
{
  return acc_lifted_extents (data, k);
}

/**
 * acc_nested_array_dup_offsets:
 * @self: a nested array
 *
 * Returns where each element begins in the values of all, and where the last one ends.
 *
 * Returns: (transfer full): a vector of i8, with one more than there are elements; its first is 0
 *
 * Since: 1.0
 */
AccArray *
acc_nested_array_dup_offsets (AccNestedArray *self)
{
  g_autoptr(AccArray) lengths = NULL;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  if (self->lifted->form == ACC_LIFTED_IRREGULAR)
    return g_object_ref (self->lifted->nesting->offsets);

  lengths = acc_nested_array_dup_lengths (self);

  return acc_array_scanl (lengths, acc_array_number (0), acc_array_add_elements, NULL);
}

/**
 * acc_nested_array_dup_lengths:
 * @self: a nested array
 *
 * Returns how many values each element has.
 *
 * Returns: (transfer full): a vector of i8
 *
 * Since: 1.0
 */
AccArray *
acc_nested_array_dup_lengths (AccNestedArray *self)
{
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  return acc_array_generate_expr (acc_expr_extent (self->count, 0), length_of, self->lifted);
}

/**
 * acc_nested_array_dup_extents:
 * @self: a nested array
 *
 * Returns the extents of each element.
 *
 * Returns: (transfer full): a vector of i8 where elements have rank 1, else of tuples of as many i8 as the rank
 *
 * Since: 1.0
 */
AccArray *
acc_nested_array_dup_extents (AccNestedArray *self)
{
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  return acc_array_generate_expr (acc_expr_extent (self->count, 0), extents_of, self->lifted);
}

/**
 * acc_nested_array_dup_element:
 * @self: a nested array
 * @index: the number of an element, from 0
 *
 * Returns one element as an array. A number outside is %ACC_ERROR_BOUNDS when it is run.
 *
 * Returns: (transfer full): the element
 *
 * Since: 1.0
 */
AccArray *
acc_nested_array_dup_element (AccNestedArray *self,
                              gint64          index)
{
  AccLifted *lifted;
  g_autofree gint64 *entries = NULL;
  g_autoptr(AccArray) part = NULL;
  g_autoptr(AccExpr) k = NULL;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  ACC_ARRAY_NAMED ("nested_array_dup_element");
  lifted = self->lifted;
  if (lifted->form == ACC_LIFTED_CONSTANT)
    return g_object_ref (lifted->values);
  if (lifted->form == ACC_LIFTED_REGULAR)
    {
      entries = g_new (gint64, lifted->rank + 1);
      entries[0] = index;
      for (guint i = 0; i < lifted->rank; i++)
        entries[i + 1] = ACC_ALL;
      return acc_array_slice (lifted->values, entries, lifted->rank + 1);
    }

  k = acc_expr_ref_sink (acc_array_number (index));
  part = acc_array_slit_on (lifted->values, 0, acc_nesting_begin (lifted->nesting, k), acc_nesting_length (lifted->nesting, k));

  return lifted->rank == 1 ? g_steal_pointer (&part) : acc_array_reshape_expr (part, acc_nesting_extents (lifted->nesting, k));
}

/**
 * acc_nested_array_check:
 * @self: a nested array
 * @error: return location for a #GError
 *
 * Checks whether the graph behind it was built without a mistake. What depends on elements is only seen in a run.
 *
 * Returns: %TRUE if there is none
 *
 * Since: 1.0
 */
gboolean
acc_nested_array_check (AccNestedArray *self,
                        GError        **error)
{
  AccNesting *nesting;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), FALSE);

  nesting = self->lifted->nesting;

  return acc_array_check (self->lifted->values, error)
         && (nesting == NULL
             || (acc_array_check (nesting->offsets, error) && (nesting->extents == NULL || acc_array_check (nesting->extents, error))));
}
