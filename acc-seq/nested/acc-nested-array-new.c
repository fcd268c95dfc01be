/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/data/acc-buffer-private.h"
#include "acc-core/derived/acc-array-rearrange.h"
#include "acc-core/derived/acc-array-runs.h"
#include "acc-core/derived/acc-array-scan.h"
#include "acc-core/derived/acc-array-segments-private.h"
#include "acc-core/derived/acc-array-sort.h"

/* Nested arrays of values and of what says where elements lie. Descriptors that do not fit are errors of a run, which name the element. */

/* As given: what is wrong with it is found where it is checked, which is before anything is read by it. */
static AccExpr *
get_first (AccArray *offsets)
{
  return acc_expr_cast (acc_expr_linear_index (offsets, acc_array_number (0)), acc_element_type_new (ACC_KIND_I64));
}

static AccExpr *
distance_from_first (AccExpr *offset,
                     gpointer data)
{
  return acc_expr_sub (offset, get_first (data));
}

typedef struct {
  AccArray *values, *descriptor, *places;
} Part;

static AccExpr *
itself (AccExpr *place,
        gpointer data)
{
  return place;
}

/* The minimum changes nothing: it says that all places are inside, so that none is asked whether it is. */
static AccExpr *
place_in_values (AccExpr *place,
                 gpointer data)
{
  Part *self = data;
  AccExpr *most = acc_expr_sub (acc_expr_extent (self->values, 0), acc_expr_extent (self->places, 0));

  return acc_expr_add (place, acc_expr_max (acc_expr_min (get_first (self->descriptor), most), acc_array_number (0)));
}

/* The @total values from the first offset on. */
static AccArray *
take_part (AccArray *values,
           AccArray *descriptor,
           AccExpr  *total)
{
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (total);
  g_autoptr(AccArray) places = acc_array_generate_expr (owned, itself, NULL);
  Part part = { values, descriptor, places };

  return acc_array_backpermute_expr (values, owned, place_in_values, &part);
}

/* --- descriptors that do not fit: the element is read where there is none, so that the message has its number */

typedef struct {
  AccArray *values;
  guint     dimension;      /* of the values that are counted */
  AccArray *descriptor, *refused;
} Checking;

static AccExpr *
descriptor_at (Checking *self,
               AccExpr  *k)
{
  return acc_expr_cast (acc_expr_linear_index (self->descriptor, k), acc_element_type_new (ACC_KIND_I64));
}

/* @number where that is from @least to how many values there are. */
static AccExpr *
accept (Checking *self,
        AccExpr  *k,
        AccExpr  *number,
        AccExpr  *least)
{
  g_autoptr(AccExpr) own = acc_expr_ref_sink (number);
  AccExpr *fits = acc_expr_land (acc_expr_ge (own, least), acc_expr_le (own, acc_expr_extent (self->values, self->dimension)));

  return acc_expr_cond (fits, own, acc_expr_linear_index (self->refused, k));
}

static AccExpr *
checked_length (AccExpr *k,
                gpointer data)
{
  return accept (data, k, descriptor_at (data, k), acc_array_number (0));
}

static AccExpr *
checked_offset (AccExpr *k,
                gpointer data)
{
  g_autoptr(AccExpr) before = acc_expr_ref_sink (acc_expr_max (acc_expr_sub (k, acc_array_number (1)), acc_array_number (0)));
  AccExpr *least = acc_expr_cond (acc_expr_gt (k, acc_array_number (0)), descriptor_at (data, before), acc_array_number (0));

  return accept (data, before, descriptor_at (data, k), acc_expr_max (least, acc_array_number (0)));
}

static gboolean
is_vector_of_integers (AccArray *array)
{
  return array->rank == 1 && acc_element_type_is_scalar (array->type)
         && acc_element_kind_is_integer (acc_element_type_get_kind (array->type));
}

/* @descriptor as i8, whose numbers fit; itself where it is no vector of integers, which is a mistake of its own. */
static AccArray *
check_descriptor (AccArray       *values,
                  guint           dimension,
                  AccArray       *descriptor,
                  AccSegmentsForm form)
{
  g_autoptr(AccShape) none = NULL;
  g_autoptr(AccArray) refused = NULL;
  Checking checking = { values, dimension, descriptor, NULL };
  const char *label = form == ACC_SEGMENTS_LENGTHS
                      ? "the length of element " ACC_REFUSED_NUMBER " is negative, or more than there are values"
                      : "element " ACC_REFUSED_NUMBER " ends before it begins, or outside the values";
  AccArray *checked;

  if (values->error != NULL || descriptor->error != NULL || !is_vector_of_integers (descriptor))
    return g_object_ref (descriptor);

  none = acc_shape_new_vector (0);
  checking.refused = refused = acc_array_fill (none, acc_array_number (0));
  checked = acc_array_generate_expr (acc_expr_extent (descriptor, 0), form == ACC_SEGMENTS_LENGTHS ? checked_length : checked_offset,
                                     &checking);
  acc_array_set_label (refused, label);
  acc_array_set_label (checked, label);

  return checked;
}

AccArray *
acc_nested_array_check_lengths (AccArray *lengths,
                                AccArray *values,
                                guint     dimension)
{
  return check_descriptor (values, dimension, lengths, ACC_SEGMENTS_LENGTHS);
}

/* Values and where elements are in them, as said by @form. */
static AccNestedArray *
new_checked (const char     *operation,
             AccArray       *values,
             AccArray       *given,
             AccSegmentsForm form,
             AccArray       *extents,
             guint           rank)
{
  AccSegments segments = {
    .operation = operation, .array = values, .is_checked = form == ACC_SEGMENTS_OFFSETS, .combine = acc_array_first_element,
  };
  g_autoptr(AccArray) descriptor = NULL, mistake = NULL;
  AccArray *part, *offsets;
  AccNesting *nesting;

  if (values->error == NULL && values->rank != 1)
    return acc_nested_array_refuse (values, ACC_ERROR_SHAPE, "values are a vector");
  if (given->error == NULL && !is_vector_of_integers (given))
    return acc_nested_array_refuse (given, given->rank != 1 ? ACC_ERROR_SHAPE : ACC_ERROR_TYPE, form == ACC_SEGMENTS_LENGTHS
                                    ? "lengths are a vector of integers" : "offsets are a vector of integers");
  descriptor = check_descriptor (values, 0, given, form);
  mistake = acc_segments_prepare (&segments, form, descriptor, ACC_SEED_NONE, NULL);
  if (mistake != NULL)
    return acc_nested_array_new_error (g_steal_pointer (&mistake));

  if (form == ACC_SEGMENTS_OFFSETS)
    {
      /* They may begin and end anywhere. */
      offsets = acc_array_map (segments.offsets, distance_from_first, given);
      part = take_part (values, given, acc_expr_linear_index (offsets, acc_segments_count (&segments)));
    }
  else
    {
      offsets = g_object_ref (segments.offsets);
      part = acc_array_reshape_expr (values, acc_segments_last (&segments));
      acc_array_set_label (part, "lengths add up to " ACC_REFUSED_NUMBER ", less than there are values");
    }
  acc_segments_clear (&segments);

  nesting = acc_nesting_new (rank, offsets, extents != NULL ? g_object_ref (extents) : NULL);

  return acc_nested_array_new_for_lifted (acc_lifted_new_irregular (nesting, part),
                                          form == ACC_SEGMENTS_OFFSETS ? acc_nesting_dup_lengths (nesting) : g_object_ref (descriptor));
}

/**
 * acc_nested_array_new_from_lengths:
 * @values: a vector: the values of all elements, one after the other
 * @lengths: a vector of integers: how many values each element has
 *
 * Creates a nested array of vectors.
 *
 * Takes time linear in the number of elements. A run fails with %ACC_ERROR_BOUNDS where a length is negative or lengths have
 * more than there are values, with %ACC_ERROR_SHAPE where they have fewer. The result carries %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE
 * where the arrays are not what is said above.
 *
 * ```c
 * // values = [1, 2, 3, 4, 5], lengths = [2, 0, 3]
 * g_autoptr(AccNestedArray) rows = acc_nested_array_new_from_lengths (values, lengths); // [[1, 2], [], [3, 4, 5]]
 * ```
 *
 * Returns: (transfer full): as many elements as there are lengths
 */
AccNestedArray *
acc_nested_array_new_from_lengths (AccArray *values,
                                   AccArray *lengths)
{
  g_return_val_if_fail (ACC_IS_ARRAY (values), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (lengths), NULL);

  ACC_ARRAY_NAMED ("nested_array_new_from_lengths");
  return new_checked ("nested_array_new_from_lengths", values, lengths, ACC_SEGMENTS_LENGTHS, NULL, 1);
}

/**
 * acc_nested_array_new_from_offsets:
 * @values: a vector: the values of all elements, one after the other
 * @offsets: a vector of integers, one more than there are elements: where each begins, and where the last one ends
 *
 * Creates a nested array of vectors. Values before the first offset and behind the last one are left out.
 *
 * Takes time linear in the number of elements. A run fails with %ACC_ERROR_BOUNDS where an offset is less than the one before, or
 * outside @values. The result carries %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where the arrays are not what is said above.
 *
 * Returns: (transfer full): one element less than there are offsets
 */
AccNestedArray *
acc_nested_array_new_from_offsets (AccArray *values,
                                   AccArray *offsets)
{
  g_return_val_if_fail (ACC_IS_ARRAY (values), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (offsets), NULL);

  ACC_ARRAY_NAMED ("nested_array_new_from_offsets");
  return new_checked ("nested_array_new_from_offsets", values, offsets, ACC_SEGMENTS_OFFSETS, NULL, 1);
}

/* Less than 0 where an item is, or where it is more than there can be. */
static AccExpr *
product_of_items (AccExpr *extents,
                  gpointer data)
{
  guint rank = acc_element_type_get_n_items (acc_expr_get_element_type (extents));
  AccExpr *product = acc_expr_item (extents, 0);

  for (guint i = 1; i < rank; i++)
    {
      g_autoptr(AccExpr) before = acc_expr_ref_sink (product), item = acc_expr_ref_sink (acc_expr_item (extents, i));
      g_autoptr(AccExpr) least = acc_expr_ref_sink (acc_expr_min (before, item));
      AccExpr *most = acc_expr_quot (acc_array_number (G_MAXINT64), acc_expr_max (item, acc_array_number (1)));

      product = acc_expr_cond (acc_expr_lt (least, acc_array_number (0)), acc_array_number (-1),
                               acc_expr_cond (acc_expr_gt (before, most), acc_array_number (-1), acc_expr_mul (before, item)));
    }

  return product;
}

static AccExpr *
wide_items (AccExpr *extents,
            gpointer data)
{
  guint rank = acc_element_type_get_n_items (acc_expr_get_element_type (extents));
  g_autofree AccExpr **items = g_new (AccExpr *, rank + 1);

  for (guint i = 0; i < rank; i++)
    items[i] = acc_expr_cast (acc_expr_item (extents, i), acc_element_type_new (ACC_KIND_I64));

  return acc_expr_tuple (items, rank);
}

/* The rows of a matrix as tuples; of one column as numbers. */
static AccArray *
zip_columns (AccArray *matrix)
{
  g_autoptr(GPtrArray) columns = g_ptr_array_new_with_free_func (g_object_unref);
  gint64 n = acc_shape_get_extent (matrix->shape, 1);

  /* No rank is larger. */
  for (gint64 i = 0; i < MIN (n, G_MAXUINT8); i++)
    g_ptr_array_add (columns, acc_array_slice (matrix, (gint64[]) { ACC_ALL, i }, 2));

  if (n == 1)
    return g_object_ref (g_ptr_array_index (columns, 0));

  return n > 1 ? acc_array_zip_many ((AccArray **) columns->pdata, columns->len) : g_object_ref (matrix);
}

gboolean
acc_nested_array_are_integers (AccElementType *extents)
{
  if (acc_element_type_is_scalar (extents))
    return acc_element_kind_is_integer (acc_element_type_get_kind (extents));
  for (guint i = 0; i < acc_element_type_get_n_items (extents); i++)
    {
      AccElementType *item = acc_element_type_get_item (extents, i);

      if (!acc_element_type_is_scalar (item) || !acc_element_kind_is_integer (acc_element_type_get_kind (item)))
        return FALSE;
    }

  return TRUE;
}

/**
 * acc_nested_array_new_from_extents:
 * @values: a vector: the values of all elements, each in row-major order, one after the other
 * @extents: a vector of tuples of two or more integers: the extents of each element; or a matrix of integers that has a row for each
 *
 * Creates a nested array whose elements have as many dimensions as the tuples of @extents have items, or the rows columns.
 *
 * Takes time linear in the number of elements. Errors are those of [ctor@NestedArray.new_from_lengths]; a negative extent is
 * %ACC_ERROR_BOUNDS, too.
 *
 * Returns: (transfer full): as many elements as there are extents
 */
AccNestedArray *
acc_nested_array_new_from_extents (AccArray *values,
                                   AccArray *extents)
{
  g_autoptr(AccArray) lengths = NULL, wide = NULL, zipped = NULL;

  g_return_val_if_fail (ACC_IS_ARRAY (values), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (extents), NULL);

  ACC_ARRAY_NAMED ("nested_array_new_from_extents");
  if (extents->error == NULL && extents->rank == 2 && extents->shape != NULL)
    extents = zipped = zip_columns (extents);
  if (extents->error != NULL || !acc_element_type_is_tuple (extents->type))
    return acc_nested_array_new_from_lengths (values, extents);
  if (!acc_nested_array_are_integers (extents->type))
    return acc_nested_array_refuse (extents, ACC_ERROR_TYPE, "extents are tuples of integers");

  wide = acc_array_map (extents, wide_items, NULL);
  lengths = acc_array_map (wide, product_of_items, NULL);

  return new_checked ("nested_array_new_from_extents", values, lengths, ACC_SEGMENTS_LENGTHS, wide,
                      acc_element_type_get_n_items (extents->type));
}

/**
 * acc_nested_array_new_from_regular:
 * @values: an array of rank 1 or more
 *
 * Creates a nested array of the parts of an array along its outermost dimension: the rows of a matrix, the pictures of a film. Nothing is
 * copied.
 *
 * Returns: (transfer full): as many elements as the outermost dimension has
 */
AccNestedArray *
acc_nested_array_new_from_regular (AccArray *values)
{
  g_return_val_if_fail (ACC_IS_ARRAY (values), NULL);

  ACC_ARRAY_NAMED ("nested_array_new_from_regular");
  if (values->error == NULL && values->rank == 0)
    return acc_nested_array_refuse (values, ACC_ERROR_SHAPE, "an array of rank 0 has no parts");

  return acc_nested_array_new_for_lifted (acc_lifted_new_regular (g_object_ref (values)), g_object_ref (values));
}

/* --- arrays one by one */

/* Those from @begin to @end, as flat values, joined in pairs. */
static AccArray *
join_values (AccArray **arrays,
             guint      begin,
             guint      end)
{
  guint middle = begin + (end - begin) / 2;
  g_autoptr(AccArray) first = NULL, second = NULL;

  if (end - begin == 1)
    return acc_array_flatten (arrays[begin]);
  first = join_values (arrays, begin, middle);
  second = join_values (arrays, middle, end);

  return acc_array_concat (first, second);
}

/* An operation for an array takes longer than a copy of fewer bytes. */
#define SMALL_BYTES (64 * 1024)

/* The same of small arrays that are in the host's memory, copied; NULL: others. */
static AccArray *
copy_values (AccArray **arrays,
             guint      n)
{
  g_autoptr(AccShape) shape = NULL;
  gint64 total = 0;

  for (guint i = 0; i < n; i++)
    {
      AccArray *array = arrays[i];

      if (!acc_array_is_manifest (array)
          || (gsize) acc_shape_get_size (array->shape) > SMALL_BYTES / MAX (acc_element_type_get_size (array->type), 1))
        return NULL;
      for (guint k = 0; k < acc_element_type_get_n_buffers (array->type); k++)
        if (acc_array_get_buffers (array)[k]->data == NULL && acc_shape_get_size (array->shape) > 0)
          return NULL;
      total += acc_shape_get_size (array->shape);
    }
  shape = acc_shape_new_vector (total);

  return acc_nested_array_join_values (arrays, n, shape, NULL, NULL);
}

/* What acc_expr_shape() is for each, where all are known; else NULL. */
static AccArray *
list_extents (AccArray **arrays,
              guint      n)
{
  guint rank = arrays[0]->rank;
  g_autoptr(AccShape) count = acc_shape_new_vector (n);
  AccBuffer **buffers;
  AccArray *extents;

  for (guint i = 0; i < n; i++)
    if (arrays[i]->shape == NULL)
      return NULL;

  buffers = acc_buffers_allocate (acc_index_type (rank), n, NULL, "extents of elements", NULL);
  if (buffers == NULL)
    return NULL;
  for (guint d = 0; d < rank; d++)
    for (guint i = 0; i < n; i++)
      ((gint64 *) buffers[d]->data)[i] = acc_shape_get_extent (arrays[i]->shape, d);
  extents = acc_array_new_manifest (acc_index_type (rank), count, buffers);
  g_free (buffers);

  return extents;
}

typedef struct {
  AccArray **arrays;
  guint      n;
} Arrays;

static AccExpr *
extents_of_number (AccExpr *k,
                   gpointer data)
{
  Arrays *self = data;
  g_autofree AccExpr **all = g_new (AccExpr *, self->n);

  for (guint i = 0; i < self->n; i++)
    all[i] = acc_expr_shape (self->arrays[i]);

  return acc_expr_switch (k, all, self->n, all[self->n - 1]);
}

/**
 * acc_nested_array_new_from_arrays:
 * @arrays: (array length=n_arrays): arrays of one element type and rank
 * @n_arrays: how many, at least 1
 *
 * Creates a nested array of arrays, whose extents may differ. Small ones that are in memory are copied at once.
 *
 * Takes time linear in the number of values. The result carries %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where types or ranks differ.
 *
 * Returns: (transfer full): as many elements as there are arrays
 */
AccNestedArray *
acc_nested_array_new_from_arrays (AccArray **arrays,
                                  guint      n_arrays)
{
  Arrays all = { arrays, n_arrays };
  g_autoptr(AccArray) values = NULL, extents = NULL;
  g_autoptr(AccShape) count = NULL;
  g_autofree char *problem = NULL;

  g_return_val_if_fail (arrays != NULL && n_arrays > 0, NULL);
  for (guint i = 0; i < n_arrays; i++)
    g_return_val_if_fail (ACC_IS_ARRAY (arrays[i]), NULL);

  ACC_ARRAY_NAMED ("nested_array_new_from_arrays");
  for (guint i = 0; i < n_arrays; i++)
    {
      if (arrays[i]->error == NULL && arrays[0]->error == NULL && arrays[i]->rank == arrays[0]->rank
          && arrays[i]->type == arrays[0]->type)
        continue;

      problem = g_strdup_printf ("array %u has another element type or rank than the first", i);
      return acc_nested_array_refuse (arrays[arrays[0]->error != NULL ? 0 : i],
                                      arrays[0]->type != arrays[i]->type ? ACC_ERROR_TYPE : ACC_ERROR_SHAPE, problem);
    }

  values = copy_values (arrays, n_arrays);
  if (values == NULL)
    values = join_values (arrays, 0, n_arrays);
  if (arrays[0]->rank == 0)
    return acc_nested_array_new_from_regular (values);
  count = acc_shape_new_vector (n_arrays);
  extents = list_extents (arrays, n_arrays);
  if (extents == NULL)
    extents = acc_array_generate (count, extents_of_number, &all);

  return arrays[0]->rank == 1 ? acc_nested_array_new_from_lengths (values, extents) : acc_nested_array_new_from_extents (values, extents);
}

typedef struct {
  AccArray *numbers, *rows;
} Taking;

static AccExpr *
row_of_number (AccExpr *index,
               gpointer data)
{
  Taking *self = data;
  guint rank = self->rows->rank - 1;
  AccExpr *number = acc_expr_linear_index (self->numbers, acc_lift_outer_index (index, rank));

  return acc_expr_index (self->rows, acc_lift_join_index (number, acc_lift_inner_index (index, rank), rank));
}

/* The rows of @rows that arrays[0], a vector, names. */
static AccArray *
take_rows (AccArray **arrays,
           guint      n_arrays,
           gpointer   rows)
{
  Taking taking = { arrays[0], rows };
  g_autofree AccExpr **extents = acc_array_list_extents (rows);

  acc_expr_unref (acc_expr_ref_sink (extents[0]));
  extents[0] = acc_expr_extent (arrays[0], 0);

  return acc_array_generate_expr (acc_array_join_items (extents, taking.rows->rank), row_of_number, &taking);
}

/**
 * acc_nested_array_new_from_keys:
 * @values: an array of rank 1 or more
 * @keys: a vector of as many keys as the outermost extent of @values: scalars, or tuples of these, as acc_array_zip() makes them of several
 *   columns
 * @groups: (out) (optional) (transfer full): where to put the key of each element, ascending
 *
 * Groups values, or the rows or whatever @values has along its outermost dimension, by their keys: those of one key, in their order, are an
 * element, of the rank of @values.
 *
 * Takes as long as a sort of the keys, and time linear in the number of values. The order of keys, and errors, are those of
 * [method@Array.sort_pairs].
 *
 * ```c
 * // values = [1, 2, 3, 4], keys = [7, 5, 7, 5]
 * g_autoptr(AccArray) groups = NULL; // [5, 7]
 * g_autoptr(AccNestedArray) rows = acc_nested_array_new_from_keys (values, keys, &groups); // [[2, 4], [1, 3]]
 * ```
 *
 * Returns: (transfer full): as many elements as there are different keys
 */
AccNestedArray *
acc_nested_array_new_from_keys (AccArray  *values,
                                AccArray  *keys,
                                AccArray **groups)
{
  g_autoptr(AccArray) sorted_keys = NULL, sorted = NULL, distinct = NULL, lengths = NULL, numbers = NULL;
  g_autoptr(AccNestedArray) by_number = NULL;

  g_return_val_if_fail (ACC_IS_ARRAY (values), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (keys), NULL);

  ACC_ARRAY_NAMED ("nested_array_new_from_keys");
  if (values->error == NULL && values->rank > 1)
    {
      numbers = acc_nested_array_new_numbers (acc_expr_extent (values, 0));
      by_number = acc_nested_array_new_from_keys (numbers, keys, groups);

      return acc_nested_array_map (by_number, take_rows, values);
    }
  sorted = acc_array_sort_pairs (values, keys, FALSE, &sorted_keys);
  distinct = acc_array_run_length_encode (sorted_keys, &lengths);
  if (groups != NULL)
    *groups = g_object_ref (distinct);

  return acc_nested_array_new_from_lengths (sorted, lengths);
}
