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
 * Elements may be nested arrays themselves, to any depth: [method@NestedArray.nest] groups them. Functions of elements are
 * functions of the innermost ones, and [method@NestedArray.flatten_level] joins these. What has a number for each element, as
 * [method@NestedArray.sum], has one for each innermost array, one after the other.
 *
 * Nested arrays are immutable and lazy. A mistake in one is an error of its arrays, which running them tells. They may be used from any
 * thread.
 */

struct _AccNestedArray {
  GObject    parent_instance;

  AccLifted      *lifted;           /* of several levels: the arrays of the innermost */
  AccArray       *count;
  AccNestedArray *inner;            /* all elements of all elements; NULL: elements are arrays */
  AccArray       *groups;           /* i8: where each element begins in those of inner, and where the last ends; from 0 */
  GMutex          lock;
  AccArray       *descriptors[3];   /* made when asked for: offsets, lengths, extents */
};

enum { OFFSETS, LENGTHS, EXTENTS };

G_DEFINE_FINAL_TYPE (AccNestedArray, acc_nested_array, G_TYPE_OBJECT)

static void
acc_nested_array_finalize (GObject *object)
{
  AccNestedArray *self = ACC_NESTED_ARRAY (object);

  g_clear_pointer (&self->lifted, acc_lifted_unref);
  g_clear_object (&self->count);
  g_clear_object (&self->inner);
  g_clear_object (&self->groups);
  for (guint i = 0; i < G_N_ELEMENTS (self->descriptors); i++)
    g_clear_object (&self->descriptors[i]);
  g_mutex_clear (&self->lock);

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
  g_mutex_init (&self->lock);
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

AccNestedArray *
acc_nested_array_new_for_groups (AccNestedArray *inner,
                                 AccArray       *groups)
{
  AccNestedArray *self = acc_nested_array_new_for_lifted (acc_lifted_ref (inner->lifted), g_object_ref (inner->count));

  self->inner = inner;
  self->groups = groups;

  return self;
}

AccNestedArray *
acc_nested_array_new_error (AccArray *node)
{
  return acc_nested_array_new_for_lifted (acc_lifted_new_constant (node), g_object_ref (node));
}

AccNestedArray *
acc_nested_array_refuse (AccArray   *input,
                         AccError    code,
                         const char *problem)
{
  AccArray *node = acc_array_begin (ACC_OP_COMPUTE, &input, 1);

  acc_array_fail (node, code, "%s", problem);

  return acc_nested_array_new_error (acc_array_complete (node));
}

AccNestedArray *
acc_nested_array_new_manifest (AccNestedArray *self,
                               AccArray      **computed)
{
  AccLifted *lifted = self->lifted;
  AccNesting *nesting;
  AccArray *values;

  if (self->inner != NULL)
    return acc_nested_array_new_for_groups (acc_nested_array_new_manifest (self->inner, computed + 1), g_object_ref (computed[0]));

  values = g_object_ref (computed[0]);
  if (lifted->form == ACC_LIFTED_CONSTANT)
    return acc_nested_array_new_for_lifted (acc_lifted_new_constant (values), g_object_ref (computed[1]));
  if (lifted->form == ACC_LIFTED_REGULAR)
    return acc_nested_array_new_for_lifted (acc_lifted_new_regular (values), g_object_ref (computed[1]));

  nesting = acc_nesting_new (lifted->rank, g_object_ref (computed[2]),
                             lifted->nesting->extents != NULL ? g_object_ref (computed[3]) : NULL);

  return acc_nested_array_new_for_lifted (acc_lifted_new_irregular (nesting, values), g_object_ref (computed[1]));
}

void
acc_nested_array_collect (AccNestedArray *self,
                          GPtrArray      *arrays)
{
  AccLifted *lifted = self->lifted;

  for (; self->inner != NULL; self = self->inner)
    g_ptr_array_add (arrays, self->groups);

  g_ptr_array_add (arrays, lifted->values);
  g_ptr_array_add (arrays, acc_nested_array_get_lengths (self));
  if (lifted->nesting != NULL)
    g_ptr_array_add (arrays, lifted->nesting->offsets);
  if (lifted->nesting != NULL && lifted->nesting->extents != NULL)
    g_ptr_array_add (arrays, lifted->nesting->extents);
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

gint64
acc_nested_array_get_known_count (AccNestedArray *self)
{
  AccArray *groups = acc_nested_array_get_groups (self);
  AccShape *shape = groups != NULL ? groups->shape : acc_nested_array_get_count (self)->shape;

  return shape == NULL ? -1 : groups != NULL ? acc_shape_get_extent (shape, 0) - 1 : acc_shape_get_extent (shape, 0);
}

AccArray *
acc_nested_array_get_outer_count (AccNestedArray *self)
{
  return acc_nested_array_get_inner (self) != NULL ? acc_nested_array_get_lengths (self) : acc_nested_array_get_count (self);
}

AccArray *
acc_nested_array_get_groups (AccNestedArray *self)
{
  return self->groups;
}

AccExpr *
acc_nested_array_count_elements (AccNestedArray *self)
{
  return self->inner != NULL
         ? acc_expr_sub (acc_expr_extent (self->groups, 0), acc_array_number (1)) : acc_expr_extent (self->count, 0);
}

static AccExpr *
itself (AccExpr *k,
        gpointer data)
{
  return k;
}

AccArray *
acc_nested_array_new_numbers (AccExpr *count)
{
  return acc_array_generate_expr (count, itself, NULL);
}

AccExpr *
acc_nested_array_check_number (AccNestedArray *self,
                               AccExpr        *number)
{
  g_autoptr(AccExpr) own = acc_expr_ref_sink (number);
  AccExpr *there = acc_expr_land (acc_expr_ge (own, acc_array_number (0)), acc_expr_lt (own, acc_nested_array_count_elements (self)));
  g_autoptr(AccArray) refused = acc_nested_array_new_numbers (acc_array_number (0));

  acc_array_set_label (refused, ACC_NESTED_ARRAY_NO_ELEMENT);

  return acc_expr_cond (there, own, acc_expr_linear_index (refused, own));
}

/**
 * acc_nested_array_get_inner:
 * @self: a nested array
 *
 * Returns the elements of all its elements, one after the other, where elements are nested arrays themselves.
 *
 * Returns: (transfer none) (nullable): a nested array of one level less; %NULL where elements are arrays
 */
AccNestedArray *
acc_nested_array_get_inner (AccNestedArray *self)
{
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  return self->inner;
}

/**
 * acc_nested_array_get_depth:
 * @self: a nested array
 *
 * Returns how many levels of elements it has.
 *
 * Returns: 1 where elements are arrays, 2 where they are nested arrays of arrays, and so on
 */
guint
acc_nested_array_get_depth (AccNestedArray *self)
{
  guint depth = 1;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), 0);

  for (; self->inner != NULL; self = self->inner)
    depth++;

  return depth;
}

/**
 * acc_nested_array_get_element_type:
 * @self: a nested array
 *
 * Returns the type of the elements of its elements.
 *
 * Returns: (transfer none) (nullable): the type; %NULL where @self has an error
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
 * Returns the rank of its elements, of several levels that of the innermost.
 *
 * Returns: the rank
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
 * Returns the values of all elements of all levels, one after the other, as a vector.
 *
 * Returns: (transfer full): a vector
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

static AccArray *
make_offsets (AccNestedArray *self)
{
  return acc_array_scanl (acc_nested_array_get_lengths (self), acc_array_number (0), acc_array_add_elements, NULL);
}

static AccArray *
make_lengths (AccNestedArray *self)
{
  g_autoptr(AccNesting) groups = self->inner != NULL ? acc_nesting_new (1, g_object_ref (self->groups), NULL) : NULL;

  if (groups != NULL)
    return acc_nesting_dup_lengths (groups);

  return acc_array_generate_expr (acc_expr_extent (self->count, 0), length_of, self->lifted);
}

static AccArray *
make_extents (AccNestedArray *self)
{
  return acc_array_generate_expr (acc_expr_extent (self->count, 0), extents_of, self->lifted);
}

/* The first that was made is that of all. */
static AccArray *
get_descriptor (AccNestedArray *self,
                guint           which,
                AccArray     *(*make) (AccNestedArray *self))
{
  AccArray *found;

  g_mutex_lock (&self->lock);
  found = self->descriptors[which];
  g_mutex_unlock (&self->lock);
  if (found != NULL)
    return found;

  found = make (self);
  g_mutex_lock (&self->lock);
  if (self->descriptors[which] == NULL)
    self->descriptors[which] = g_object_ref (found);
  g_object_unref (found);
  found = self->descriptors[which];
  g_mutex_unlock (&self->lock);

  return found;
}

/**
 * acc_nested_array_get_offsets:
 * @self: a nested array
 *
 * Returns where each element begins in the values of all, and where the last one ends; of several levels in the elements of
 * [method@NestedArray.get_inner].
 *
 * Returns: (transfer none): a vector of i8, with one more than there are elements; its first is 0
 */
AccArray *
acc_nested_array_get_offsets (AccNestedArray *self)
{
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  if (self->inner != NULL)
    return self->groups;
  if (self->lifted->form == ACC_LIFTED_IRREGULAR)
    return self->lifted->nesting->offsets;

  return get_descriptor (self, OFFSETS, make_offsets);
}

/**
 * acc_nested_array_get_lengths:
 * @self: a nested array
 *
 * Returns how many values each element has, of several levels how many elements.
 *
 * Returns: (transfer none): a vector of i8
 */
AccArray *
acc_nested_array_get_lengths (AccNestedArray *self)
{
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  return get_descriptor (self, LENGTHS, make_lengths);
}

/**
 * acc_nested_array_get_extents:
 * @self: a nested array
 *
 * Returns the extents of each element, of several levels those of the innermost elements.
 *
 * Returns: (transfer none): a vector of i8 where elements have rank 1, else of tuples of as many i8 as the rank
 */
AccArray *
acc_nested_array_get_extents (AccNestedArray *self)
{
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  return get_descriptor (self, EXTENTS, make_extents);
}

/* Of elements that are not irregular. */
static AccArray *
slice_element (AccNestedArray *self,
               gint64          index)
{
  AccLifted *lifted = self->lifted;
  AccShape *count = self->count->shape;
  g_autoptr(AccLift) lift = NULL;
  g_autoptr(AccLifted) regular = NULL;
  g_autofree gint64 *entries = NULL;

  if (lifted->form == ACC_LIFTED_CONSTANT && count != NULL && index >= 0 && index < acc_shape_get_extent (count, 0))
    return g_object_ref (lifted->values);

  lift = acc_lift_new (self->count);
  regular = acc_lift_to_regular (lift, lifted);
  entries = g_new (gint64, lifted->rank + 1);
  entries[0] = MAX (index, -1);
  for (guint i = 0; i < lifted->rank; i++)
    entries[i + 1] = ACC_ALL;

  return acc_array_slice (regular->values, entries, lifted->rank + 1);
}

/**
 * acc_nested_array_dup_element:
 * @self: a nested array
 * @index: the number of an element, from 0
 *
 * Returns one element as an array. A number outside is %ACC_ERROR_BOUNDS when it is run. An element that is a nested array
 * itself is %ACC_ERROR_SHAPE: [method@NestedArray.dup_nested] gives it.
 *
 * Returns: (transfer full): the element
 */
AccArray *
acc_nested_array_dup_element (AccNestedArray *self,
                              gint64          index)
{
  AccLifted *lifted;
  g_autoptr(AccArray) part = NULL;
  g_autoptr(AccExpr) k = NULL;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  ACC_ARRAY_NAMED ("nested_array_dup_element");
  lifted = self->lifted;
  if (self->inner != NULL)
    {
      AccNestedArray *refused = acc_nested_array_refuse (self->groups, ACC_ERROR_SHAPE, "an element is a nested array itself");

      part = g_object_ref (refused->lifted->values);
      g_object_unref (refused);
      return g_steal_pointer (&part);
    }
  if (lifted->form != ACC_LIFTED_IRREGULAR)
    return slice_element (self, index);

  k = acc_expr_ref_sink (acc_nested_array_check_number (self, acc_array_number (index)));
  part = acc_array_slit_on (lifted->values, 0, acc_nesting_begin (lifted->nesting, k), acc_nesting_length (lifted->nesting, k));
  if (self->count->shape == NULL || index < 0 || index >= acc_shape_get_extent (self->count->shape, 0))
    acc_array_set_label (part, ACC_NESTED_ARRAY_NO_ELEMENT);

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
 */
gboolean
acc_nested_array_check (AccNestedArray *self,
                        GError        **error)
{
  AccNesting *nesting;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), FALSE);

  nesting = self->lifted->nesting;
  for (; self->inner != NULL; self = self->inner)
    if (!acc_array_check (self->groups, error))
      return FALSE;

  return acc_array_check (self->lifted->values, error)
         && (nesting == NULL
             || (acc_array_check (nesting->offsets, error) && (nesting->extents == NULL || acc_array_check (nesting->extents, error))));
}
