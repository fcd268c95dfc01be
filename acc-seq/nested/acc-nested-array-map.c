/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"
#include "acc-nested-origin-private.h"

#include "acc-core/array/acc-array-age-private.h"
#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-program-private.h"
#include "acc-core/derived/acc-array-filter.h"
#include "acc-core/derived/acc-array-rearrange.h"
#include "acc-core/derived/acc-array-scan.h"

#include <string.h>

/* Functions of elements, and choices among elements. */

/* --- one count for several nested arrays */

/* @count, with an error where @other has another number of elements: before the run, or else when the number is computed. */
static AccArray *
match_counts (AccArray *count,
              AccArray *other)
{
  static const char label[] = "element " ACC_REFUSED_NUMBER " is there in one nested array, and not in another";
  g_autoptr(AccArray) none = NULL;
  g_autoptr(AccExpr) n = NULL, m = NULL;
  AccArray *matched;

  if (count == other
      || (count->shape != NULL && other->shape != NULL
          && acc_shape_get_extent (count->shape, 0) == acc_shape_get_extent (other->shape, 0)))
    return g_object_ref (count);

  none = acc_nested_array_new_numbers (acc_array_number (0));
  n = acc_expr_ref_sink (acc_expr_extent (count, 0));
  m = acc_expr_ref_sink (acc_expr_extent (other, 0));
  acc_array_set_label (none, label);
  matched = acc_nested_array_new_numbers (acc_expr_cond (acc_expr_eq (n, m), n, acc_expr_linear_index (none, acc_expr_min (n, m))));
  acc_array_set_label (matched, label);

  return matched;
}

AccArray *
acc_nested_array_match_all (AccNestedArray   **arrays,
                            guint              n_arrays,
                            AccNestedArrayPart get_counted)
{
  AccArray *count = g_object_ref (get_counted (arrays[0]));

  for (guint i = 1; i < n_arrays; i++)
    {
      g_autoptr(AccArray) before = count;

      count = match_counts (before, get_counted (arrays[i]));
    }

  return count;
}

/* @number: NULL, or what stands for one of @numbers in @result. What is older than @first is not made of the elements. */
static void
keep_origin (AccNestedArray  *made,
             AccNestedArray **arrays,
             guint            n_arrays,
             AccArray       **parameters,
             AccArray        *number,
             AccArray        *numbers,
             AccArray        *result,
             guint64          first)
{
  g_autoptr(AccNestedOrigin) origin = acc_nested_origin_new (&result, 1, result->rank, 0);

  for (guint i = 0; i < n_arrays; i++)
    {
      AccNestedArray *innermost = arrays[i];

      while (acc_nested_array_get_inner (innermost) != NULL)
        innermost = acc_nested_array_get_inner (innermost);
      acc_nested_origin_add (origin, innermost, parameters + i, 1);
    }
  if (number != NULL && acc_array_depends_on (result, number))
    {
      g_autoptr(AccNestedArray) counted = acc_nested_array_new_for_lifted (acc_lifted_new_regular (g_object_ref (numbers)),
                                                                           g_object_ref (numbers));

      acc_nested_origin_add (origin, counted, &number, 1);
    }
  acc_nested_origin_attach (origin, made, first);
}

AccLift *
acc_nested_array_new_lift (AccArray      *count,
                           AccApplyFlags  flags)
{
  AccLift *lift = acc_lift_new (count);

  lift->in_steps = (flags & ACC_APPLY_IN_STEPS) != 0;
  lift->varies = (flags & ACC_APPLY_VARIES) != 0;
  lift->on_device = (flags & ACC_APPLY_IN_LOOPS) == 0;
  lift->no_library = (flags & (ACC_APPLY_IN_LOOPS | ACC_APPLY_OWN)) != ACC_APPLY_IN_LOOPS;
  lift->is_composed = (flags & ACC_APPLY_COMPOSED) != 0;

  return lift;
}

AccNestedArray *
acc_nested_array_apply (AccNestedArray **arrays,
                        guint            n_arrays,
                        AccArray       **parameters,
                        AccArray        *number,
                        AccArray        *result,
                        AccApplyFlags    flags)
{
  g_autoptr(AccArray) count = acc_nested_array_match_all (arrays, n_arrays, acc_nested_array_get_count);
  G_GNUC_UNUSED g_auto(AccNaming) naming = { NULL };
  g_autoptr(AccLift) lift = NULL;
  AccNestedArray *made;
  guint64 first;

  /* What is lifted has the names of what it is lifted from. */
  naming = acc_naming_begin (NULL);
  lift = acc_nested_array_new_lift (count, flags);
  first = acc_array_count_made ();
  for (guint i = 0; i < n_arrays; i++)
    acc_lift_bind (lift, parameters[i], acc_lifted_ref (acc_nested_array_get_lifted (arrays[i])));
  if (number != NULL)
    acc_lift_bind (lift, number, acc_lifted_new_regular (g_object_ref (lift->index)));
  if (flags & ACC_APPLY_IN_LOOPS)
    acc_lift_in_loops (lift, result);

  made = acc_nested_array_new_for_lifted (acc_lifted_ref (acc_lift_array (lift, result)), g_steal_pointer (&count));
  if ((flags & ACC_APPLY_IN_STEPS) == 0)
    keep_origin (made, arrays, n_arrays, parameters, number, lift->index, result, first);

  return made;
}

AccArray *
acc_nested_array_new_number (guint position)
{
  AccArray *number = acc_array_new_parameter (acc_element_type_new (ACC_KIND_I64), 0, NULL, position);

  acc_array_set_label (number, "the number of an element, which its random numbers follow from");

  return number;
}

/* What stands for each of the elements: what is the same for all itself, and extents that are. */
static AccArray *
make_parameter (AccLifted *lifted,
                guint      position)
{
  AccShape *shape = lifted->values->shape;

  if (lifted->form == ACC_LIFTED_CONSTANT)
    return g_object_ref (lifted->values);

  return acc_array_new_parameter (lifted->values->type, lifted->rank,
                                  lifted->form == ACC_LIFTED_REGULAR && shape != NULL ? acc_shape_get_extents (shape, NULL) + 1 : NULL,
                                  position);
}

/* Operations of a user's function have their own names, those of the library's the one that is @named already, if any. */
static AccArray *
call (GPtrArray   *parameters,
      AccArray   **number,
      gboolean     named,
      AccArrayFunc function,
      gpointer     user_data)
{
  AccNaming own = { NULL };
  AccArray *result;

  if (!named)
    own = acc_naming_begin (NULL);
  result = acc_call_array_func (function, parameters, number, user_data);
  if (!named)
    acc_naming_end (&own);

  return result;
}

/* Elements of the innermost level alone. */
static AccNestedArray *
zip_elements (AccNestedArray **arrays,
              guint            n_arrays,
              gboolean         named,
              AccArrayFunc     function,
              gpointer         user_data)
{
  g_autoptr(GPtrArray) parameters = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) number = acc_nested_array_new_number (n_arrays), result = NULL;
  AccArray *count = acc_nested_array_get_count (arrays[0]);

  for (guint i = 0; i < n_arrays; i++)
    {
      AccLifted *lifted = acc_nested_array_get_lifted (arrays[i]);

      if (lifted->values->error != NULL)
        return acc_nested_array_new_error (g_object_ref (lifted->values));
      g_ptr_array_add (parameters, make_parameter (lifted, i));
    }
  if (function == NULL)
    return acc_nested_array_refuse (count, ACC_ERROR_CALLBACK, "no function was given");

  result = call (parameters, &number, named, function, user_data);
  if (result == NULL)
    return acc_nested_array_refuse (count, ACC_ERROR_CALLBACK, "its function returned nothing");
  if (result->error != NULL)
    return acc_nested_array_new_error (g_steal_pointer (&result));

  return acc_nested_array_apply (arrays, n_arrays, (AccArray **) parameters->pdata, number, result, 0);
}

/* As acc_nested_array_zip_with_many(), for @operation. @numbered: the function takes the element's number first. */
static AccNestedArray *
zip (const char      *operation,
     AccNestedArray **arrays,
     guint            n_arrays,
     gboolean         numbered,
     AccArrayFunc     function,
     gpointer         user_data)
{
  g_auto(AccNaming) naming = acc_naming_begin (operation);
  g_autofree AccNestedArray **all = g_new0 (AccNestedArray *, n_arrays + 1);
  g_autoptr(AccNestedArray) numbers = NULL;
  AccArray *count = acc_nested_array_get_count (arrays[0]);
  AccNestedArray *made;

  for (guint i = 1; i < n_arrays; i++)
    if (acc_nested_array_get_depth (arrays[i]) != acc_nested_array_get_depth (arrays[0]))
      return acc_nested_array_refuse (acc_nested_array_get_values (arrays[i]), ACC_ERROR_SHAPE,
                                      "nested arrays have different numbers of levels");

  if (numbered)
    all[0] = numbers = acc_nested_array_new_for_lifted (
      acc_lifted_new_regular (acc_nested_array_new_numbers (acc_expr_extent (count, 0))), g_object_ref (count));
  memcpy (all + (numbered ? 1 : 0), arrays, n_arrays * sizeof *arrays);
  made = zip_elements (all, n_arrays + (numbered ? 1 : 0), naming.before != NULL, function, user_data);

  return acc_nested_array_regroup (made, arrays, n_arrays);
}

/**
 * acc_nested_array_zip_with_many:
 * @arrays: (array length=n_arrays): nested arrays with the same number of elements
 * @n_arrays: how many, at least 1
 * @function: (scope call) (closure user_data): takes an element of each, as arrays, and gives an array
 * @user_data: data for @function
 *
 * Applies a function of whole arrays to the elements with the same number. @function is called once, with arrays that stand for the
 * elements, and what it does becomes operations on all elements at once: any operation will do, results may have other ranks and
 * extents than elements have, and other arrays may be read.
 *
 * Of several levels, elements are those of the innermost level, and levels stay as they are; but where @function gives arrays of
 * rank 0, these are joined into vectors, with one level less.
 *
 * Random arrays that @function makes are each element's own: [func@Array.random_bits] tells how they follow from the element's number,
 * which is that of [method@NestedArray.imap]. In a function within a function they follow from both numbers, first from that of the outer
 * element. A random array that is made outside of @function is the same for all elements.
 *
 * Takes as long as the operations do on all values together. The result carries the error of what @function returns,
 * %ACC_ERROR_CALLBACK where that is %NULL, and %ACC_ERROR_SHAPE where numbers of levels differ. A run fails with %ACC_ERROR_BOUNDS
 * where the numbers of elements differ.
 *
 * Returns: (transfer full): as many elements
 */
AccNestedArray *
acc_nested_array_zip_with_many (AccNestedArray **arrays,
                                guint            n_arrays,
                                AccArrayFunc     function,
                                gpointer         user_data)
{
  g_return_val_if_fail (arrays != NULL && n_arrays > 0, NULL);
  for (guint i = 0; i < n_arrays; i++)
    g_return_val_if_fail (ACC_IS_NESTED_ARRAY (arrays[i]), NULL);

  return zip ("nested_array_zip_with", arrays, n_arrays, FALSE, function, user_data);
}

/**
 * acc_nested_array_map:
 * @self: a nested array
 * @function: (scope call) (closure user_data): takes an element, an array, and gives an array
 * @user_data: data for @function
 *
 * Applies a function of whole arrays to every element. Works as [func@NestedArray.zip_with_many] does with one nested array.
 *
 * Returns: (transfer full): as many elements
 */
AccNestedArray *
acc_nested_array_map (AccNestedArray *self,
                      AccArrayFunc    function,
                      gpointer        user_data)
{
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  return zip ("nested_array_map", &self, 1, FALSE, function, user_data);
}

/**
 * acc_nested_array_imap:
 * @self: a nested array
 * @function: (scope call) (closure user_data): takes the number of an element, an i8 of rank 0, and the element, and gives an array
 * @user_data: data for @function
 *
 * Applies a function of whole arrays to every element and its number. Works as [method@NestedArray.map] does otherwise. Of several levels
 * the innermost elements are numbered through.
 *
 * Returns: (transfer full): as many elements
 */
AccNestedArray *
acc_nested_array_imap (AccNestedArray *self,
                       AccArrayFunc    function,
                       gpointer        user_data)
{
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  return zip ("nested_array_imap", &self, 1, TRUE, function, user_data);
}

/**
 * acc_nested_array_izip_with_many:
 * @arrays: (array length=n_arrays): nested arrays with the same number of elements
 * @n_arrays: how many, at least 1
 * @function: (scope call) (closure user_data): takes the number of an element, an i8 of rank 0, and an element of each, as arrays,
 *   and gives an array
 * @user_data: data for @function
 *
 * Applies a function of whole arrays to the elements with the same number, and that number. Works as [func@NestedArray.zip_with_many] does
 * otherwise. Of several levels the innermost elements are numbered through.
 *
 * Returns: (transfer full): as many elements
 */
AccNestedArray *
acc_nested_array_izip_with_many (AccNestedArray **arrays,
                                 guint            n_arrays,
                                 AccArrayFunc     function,
                                 gpointer         user_data)
{
  g_return_val_if_fail (arrays != NULL && n_arrays > 0, NULL);
  for (guint i = 0; i < n_arrays; i++)
    g_return_val_if_fail (ACC_IS_NESTED_ARRAY (arrays[i]), NULL);

  return zip ("nested_array_izip_with", arrays, n_arrays, TRUE, function, user_data);
}

/**
 * acc_nested_array_zip_with:
 * @self: a nested array
 * @other: a nested array with as many elements
 * @function: (scope call) (closure user_data): takes an element of each, as arrays, and gives an array
 * @user_data: data for @function
 *
 * Applies a function of whole arrays to the elements with the same number. Works as [func@NestedArray.zip_with_many] does.
 *
 * Returns: (transfer full): as many elements
 */
AccNestedArray *
acc_nested_array_zip_with (AccNestedArray *self,
                           AccNestedArray *other,
                           AccArrayFunc    function,
                           gpointer        user_data)
{
  return acc_nested_array_zip_with_many ((AccNestedArray *[]) { self, other }, 2, function, user_data);
}

static AccExpr *
checked_number (AccExpr *index,
                gpointer self)
{
  return acc_nested_array_check_number (self, acc_expr_cast (index, acc_element_type_new (ACC_KIND_I64)));
}

/* Elements that are nested arrays: the numbers of their own elements are gathered first. */
static AccNestedArray *
gather_groups (AccNestedArray *self,
               AccArray       *indices)
{
  AccNestedArray *inner = acc_nested_array_get_inner (self);
  AccArray *groups = acc_nested_array_get_groups (self);
  AccNesting *nesting = acc_nesting_new (1, g_object_ref (groups), NULL);
  g_autoptr(AccLifted) lifted = acc_lifted_new_irregular (
    nesting, acc_nested_array_new_numbers (acc_nested_array_count_elements (inner))), gathered = NULL;
  g_autoptr(AccLift) lift = acc_lift_new (indices);

  gathered = acc_lift_gather (lift, lifted, indices);

  return acc_nested_array_new_for_groups (acc_nested_array_choose (inner, gathered->values), g_object_ref (gathered->nesting->offsets));
}

AccNestedArray *
acc_nested_array_choose (AccNestedArray *self,
                         AccArray       *numbers)
{
  g_autoptr(AccLift) lift = NULL;

  if (acc_nested_array_get_inner (self) != NULL)
    return gather_groups (self, numbers);
  lift = acc_lift_new (numbers);

  return acc_nested_array_new_for_lifted (acc_lift_gather (lift, acc_nested_array_get_lifted (self), numbers), g_object_ref (numbers));
}

/**
 * acc_nested_array_gather:
 * @self: a nested array
 * @indices: a vector of integers: numbers of elements
 *
 * Returns elements in another order, or some of them, or some more than once.
 *
 * Takes time linear in the number of values of the result. A run fails with %ACC_ERROR_BOUNDS where there is no element of a number.
 *
 * Returns: (transfer full): as many elements as there are indices
 */
AccNestedArray *
acc_nested_array_gather (AccNestedArray *self,
                         AccArray       *indices)
{
  g_autoptr(AccArray) numbers = NULL;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (indices), NULL);

  ACC_ARRAY_NAMED ("nested_array_gather");
  if (indices->error != NULL)
    return acc_nested_array_new_error (g_object_ref (indices));
  if (indices->rank != 1 || acc_element_type_is_tuple (indices->type)
      || !acc_element_kind_is_integer (acc_element_type_get_kind (indices->type)))
    return acc_nested_array_refuse (indices, ACC_ERROR_TYPE, "indices are a vector of integers");

  numbers = acc_array_map (indices, checked_number, self);
  acc_array_set_label (numbers, ACC_NESTED_ARRAY_NO_ELEMENT);

  return acc_nested_array_choose (self, numbers);
}

static AccExpr *
number_of_flag (AccExpr *flag,
                gpointer data)
{
  return acc_expr_cast (flag, acc_element_type_new (ACC_KIND_I64));
}

/* @kept, taken over, the innermost elements of @self that have @flags, in the levels of @self. */
static AccNestedArray *
regroup_kept (AccNestedArray *kept,
              AccNestedArray *self,
              AccArray       *flags)
{
  AccNestedArray *inner = acc_nested_array_get_inner (self);
  AccArray *groups = acc_nested_array_get_groups (self);
  g_autoptr(AccArray) numbers = NULL, places = NULL;

  if (inner == NULL)
    return kept;
  if (acc_nested_array_get_inner (inner) != NULL)
    return acc_nested_array_new_for_groups (regroup_kept (kept, inner, flags), g_object_ref (groups));

  numbers = acc_array_map (flags, number_of_flag, NULL);
  places = acc_array_scanl (numbers, acc_array_number (0), acc_array_add_elements, NULL);

  return acc_nested_array_new_for_groups (kept, acc_nested_array_read_places (places, groups));
}

AccNestedArray *
acc_nested_array_compact (AccNestedArray *self,
                          AccNestedArray *flags,
                          AccArray      **kept)
{
  g_autoptr(AccLift) lift = acc_lift_new (acc_nested_array_get_outer_count (self));
  g_autoptr(AccLifted) regular = acc_lift_to_regular (lift, acc_nested_array_get_lifted (flags));
  g_autoptr(AccArray) places = acc_array_compact (lift->index, regular->values, NULL);

  if (kept != NULL)
    *kept = g_object_ref (regular->values);

  return acc_nested_array_choose (self, places);
}

/**
 * acc_nested_array_filter:
 * @self: a nested array
 * @predicate: (scope call) (closure user_data): takes an element, an array, and gives a b1 of rank 0
 * @user_data: data for @predicate
 *
 * Returns the elements for which a function is true, in their order. Of several levels these are innermost elements, and groups
 * of them become shorter.
 *
 * Takes as long as @predicate does on all elements, and time linear in the number of values that are left.
 *
 * Returns: (transfer full): the elements that are left
 */
AccNestedArray *
acc_nested_array_filter (AccNestedArray *self,
                         AccArrayFunc    predicate,
                         gpointer        user_data)
{
  g_autoptr(AccNestedArray) flags = NULL;
  g_autoptr(AccArray) kept = NULL;
  AccNestedArray *innermost = self, *some;
  AccLifted *lifted;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  while (acc_nested_array_get_inner (innermost) != NULL)
    innermost = acc_nested_array_get_inner (innermost);
  flags = zip ("nested_array_filter", &innermost, 1, FALSE, predicate, user_data);

  ACC_ARRAY_NAMED ("nested_array_filter");
  lifted = acc_nested_array_get_lifted (flags);
  if (lifted->values->error != NULL)
    return g_steal_pointer (&flags);
  if (lifted->rank != 0 || acc_element_type_get_kind (lifted->values->type) != ACC_KIND_BOOL)
    return acc_nested_array_refuse (lifted->values, ACC_ERROR_TYPE, "its function gives no b1 of rank 0");

  some = acc_nested_array_compact (innermost, flags, &kept);

  return regroup_kept (some, self, kept);
}
