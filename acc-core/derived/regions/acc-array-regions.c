/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-regions.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-array-math.h"
#include "acc-components-private.h"
#include "acc-error.h"

/* Labels, and tables with an entry for each of them. */

/* An error where elements are not b1, or NULL. */
static AccArray *
refuse_others (AccArray   *self,
               const char *operation)
{
  AccArray *node = acc_array_begin (ACC_OP_STENCIL, &self, 1);

  if (node->error == NULL && self->type != acc_element_type_new (ACC_KIND_BOOL))
    acc_array_fail (node, ACC_ERROR_TYPE, "%s: elements are b1, not %s", operation, acc_element_type_get_code (self->type));
  if (node->error != NULL)
    return acc_array_complete (node);

  g_object_unref (node);
  return NULL;
}

static AccExpr *
is_labelled (AccExpr *label)
{
  g_autoptr(AccExpr) zero = acc_expr_ref_sink (acc_expr_new_zero (acc_expr_get_element_type (label)));

  return acc_expr_ne (label, zero);
}

/* For label 0 as well. */
static AccArray *
new_table (AccArray *n_labels,
           AccExpr  *value)
{
  return acc_array_fill_expr (acc_expr_add (acc_expr_the (n_labels), acc_array_number (1)), value);
}

static AccExpr *
one_of (AccExpr *label,
        gpointer data)
{
  return acc_array_number (1);
}

static AccExpr *
own_entry (AccExpr *label,
           gpointer data)
{
  return acc_expr_tuple2 (is_labelled (label), acc_expr_cast (label, acc_element_type_new (ACC_KIND_I64)));
}

/* How many elements each label has. */
static AccArray *
count_sizes (AccArray *labels,
             AccArray *n_labels)
{
  g_autoptr(AccArray) ones = acc_array_map (labels, one_of, NULL), targets = acc_array_map (labels, own_entry, NULL);
  g_autoptr(AccArray) zeros = new_table (n_labels, acc_array_number (0));

  return acc_array_permute (ones, zeros, targets, acc_array_add_elements, NULL);
}

/* --- floods */

static AccExpr *
is_as_seed (AccExpr *x,
            gpointer seed)
{
  return acc_array_same_elements (x, acc_expr_the (seed), NULL);
}

static AccArray *
flood (AccArray     *self,
       const char   *operation,
       const gint64 *seed,
       guint         n_seed,
       guint         connectivity)
{
  AccArray *node = acc_array_begin (ACC_OP_SLICE, &self, 1);
  g_autoptr(AccArray) value = NULL, alike = NULL, labels = NULL, label = NULL;

  if (node->error == NULL && (seed == NULL || n_seed != self->rank))
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: a seed of %u indices for an array of rank %u", operation, seed == NULL ? 0 : n_seed,
                    self->rank);
  for (guint i = 0; node->error == NULL && i < n_seed; i++)
    if (seed[i] < 0)
      acc_array_fail (node, ACC_ERROR_BOUNDS, "%s: index %" G_GINT64_FORMAT " of the seed in dimension %u", operation, seed[i], i);
  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  value = acc_array_slice (self, seed, n_seed);
  alike = acc_array_map (self, is_as_seed, value);
  labels = acc_array_label_components (alike, connectivity, NULL);
  label = acc_array_slice (labels, seed, n_seed);

  return acc_array_map (labels, is_as_seed, label);
}

/**
 * acc_array_flood:
 * @self: an array of rank 1 to 4, of any element type
 * @seed: (array length=n_seed): the index of an element, outermost first
 * @n_seed: the rank of @self
 * @connectivity: in how many dimensions at most neighbours differ by 1: from 1 to the rank of @self
 *
 * Finds the elements that are linked to the seed by neighbours that are equal to it: `skimage.segmentation.flood`.
 *
 * NaN equals NaN here. Takes time as [method@Array.label_components] does. The result carries %ACC_ERROR_SHAPE where @seed is no index of
 * @self or @connectivity is out of range, %ACC_ERROR_BOUNDS where @seed is outside @self; a run fails with that where the extents are
 * known only then.
 *
 * ```c
 * // xs = [[1, 1, 2], [2, 1, 2], [1, 2, 2]]
 * g_autoptr(AccArray) result = acc_array_flood (xs, (gint64[]) { 0, 2 }, 2, 1); // → [[false, false, true], [false, false, true], [false, true, true]]
 * ```
 *
 * Returns: (transfer full): an array of b1 of the extents of @self
 */
AccArray *
acc_array_flood (AccArray     *self,
                 const gint64 *seed,
                 guint         n_seed,
                 guint         connectivity)
{
  ACC_ARRAY_NAMED ("flood");
  return flood (self, "flood", seed, n_seed, connectivity);
}

static AccExpr *
filled (AccExpr *is_inside,
        AccExpr *x,
        gpointer value)
{
  return acc_expr_cond (is_inside, value, x);
}

/**
 * acc_array_flood_fill:
 * @self: an array of rank 1 to 4, of any element type
 * @seed: (array length=n_seed): the index of an element, outermost first
 * @n_seed: the rank of @self
 * @connectivity: in how many dimensions at most neighbours differ by 1: from 1 to the rank of @self
 * @value: what comes in place of the elements: of the element type, or a literal
 *
 * Replaces the elements that [method@Array.flood] finds: `skimage.segmentation.flood_fill`.
 *
 * Takes as long as that, and has its errors; a @value of another type is %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[1, 1, 2], [2, 1, 2], [1, 2, 2]]
 * g_autoptr(AccArray) result = acc_array_flood_fill (xs, (gint64[]) { 0, 0 }, 2, 1, acc_expr_new_int (9)); // → [[9, 9, 2], [2, 9, 2], [1, 2, 2]]
 * ```
 *
 * Returns: (transfer full): an array of the element type and extents of @self
 */
AccArray *
acc_array_flood_fill (AccArray     *self,
                      const gint64 *seed,
                      guint         n_seed,
                      guint         connectivity,
                      AccExpr      *value)
{
  ACC_ARRAY_NAMED ("flood_fill");
  g_autoptr(AccArray) inside = NULL;
  g_autoptr(AccExpr) owned = value != NULL ? acc_expr_ref_sink (value) : NULL;

  if (value == NULL)
    {
      AccArray *node = acc_array_begin (ACC_OP_MAP, &self, 1);

      if (node->error == NULL)
        acc_array_fail_argument (node, "a value");
      return acc_array_complete (node);
    }

  inside = flood (self, "flood_fill", seed, n_seed, connectivity);
  return acc_array_zip_with (inside, self, filled, owned);
}

/* --- by size */

typedef struct {
  AccArray *sizes;
  gint64    least;
} Sizes;

static AccExpr *
is_small (const Sizes *self,
          AccExpr     *label)
{
  return acc_expr_lt (acc_components_look_up (self->sizes, label), acc_array_number (self->least));
}

static AccExpr *
unless_small (AccExpr *label,
              AccExpr *x,
              gpointer data)
{
  return acc_expr_cond (is_small (data, label), acc_expr_new_zero (acc_expr_get_element_type (x)), x);
}

/**
 * acc_array_remove_small_objects:
 * @self: an array of rank 1 to 4, of any element type
 * @min_size: the fewest elements that a component may have
 * @connectivity: in how many dimensions at most neighbours differ by 1: from 1 to the rank of @self
 *
 * Replaces connected components of less than @min_size elements by 0: `skimage.morphology.remove_small_objects`. Components are those of
 * [method@Array.label_components].
 *
 * Takes time as that, and linear in the size of @self. The result carries %ACC_ERROR_SHAPE where @self has another rank or @connectivity is
 * out of range.
 *
 * ```c
 * // xs = [[5, 0, 7], [5, 7, 7], [0, 0, 5]]
 * g_autoptr(AccArray) result = acc_array_remove_small_objects (xs, 3, 1); // → [[0, 0, 7], [0, 7, 7], [0, 0, 0]]
 * ```
 *
 * Returns: (transfer full): an array of the element type and extents of @self
 */
AccArray *
acc_array_remove_small_objects (AccArray *self,
                                gint64    min_size,
                                guint     connectivity)
{
  ACC_ARRAY_NAMED ("remove_small_objects");
  g_autoptr(AccArray) n_labels = NULL, labels = acc_array_label_components (self, connectivity, &n_labels);
  g_autoptr(AccArray) sizes = count_sizes (labels, n_labels);

  return acc_array_zip_with (labels, self, unless_small, &(Sizes) { sizes, min_size });
}

static AccExpr *
is_false (AccExpr *x,
          gpointer data)
{
  return acc_expr_lnot (x);
}

static AccExpr *
is_no_hole (AccExpr *label,
            gpointer data)
{
  return acc_expr_lor (acc_expr_lnot (is_labelled (label)), is_small (data, label));
}

/**
 * acc_array_remove_small_holes:
 * @self: an array of rank 1 to 4 of b1
 * @area_threshold: the fewest elements that a hole may have
 * @connectivity: in how many dimensions at most neighbours within a hole differ by 1: from 1 to the rank of @self
 *
 * Fills connected components of false that have less than @area_threshold elements: `skimage.morphology.remove_small_holes`. Those at the
 * edge of the array count as others do.
 *
 * Takes time as [method@Array.label_components] does. The result carries %ACC_ERROR_TYPE where @self is not of b1, %ACC_ERROR_SHAPE where
 * it has another rank or @connectivity is out of range.
 *
 * ```c
 * // xs = [[true, true, true], [true, false, true], [true, true, false]]
 * g_autoptr(AccArray) result = acc_array_remove_small_holes (xs, 2, 1); // → [[true, true, true], [true, true, true], [true, true, true]]
 * ```
 *
 * Returns: (transfer full): an array of b1 of the extents of @self
 */
AccArray *
acc_array_remove_small_holes (AccArray *self,
                              gint64    area_threshold,
                              guint     connectivity)
{
  ACC_ARRAY_NAMED ("remove_small_holes");
  AccArray *refused = refuse_others (self, "remove_small_holes");
  g_autoptr(AccArray) background = NULL, labels = NULL, n_labels = NULL, sizes = NULL;

  if (refused != NULL)
    return refused;

  background = acc_array_map (self, is_false, NULL);
  labels = acc_array_label_components (background, connectivity, &n_labels);
  sizes = count_sizes (labels, n_labels);
  return acc_array_map (labels, is_no_hole, &(Sizes) { sizes, area_threshold });
}

static AccExpr *
entry_at_edge (AccExpr *index,
               AccExpr *label,
               gpointer array)
{
  AccExpr *at_edge = acc_expr_new_bool (FALSE);

  for (guint i = 0; i < acc_array_get_rank (array); i++)
    {
      g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (index, i));

      at_edge = acc_expr_lor (at_edge, acc_expr_lor (acc_expr_eq (place, acc_array_number (0)),
                                                     acc_expr_eq (acc_expr_add (place, acc_array_number (1)), acc_expr_extent (array, i))));
    }

  return acc_expr_tuple2 (acc_expr_land (at_edge, is_labelled (label)), acc_expr_cast (label, acc_element_type_new (ACC_KIND_I64)));
}

static AccExpr *
yes (AccExpr *label,
     gpointer data)
{
  return acc_expr_new_bool (TRUE);
}

static AccExpr *
is_not_open (AccExpr *label,
             gpointer open)
{
  return acc_expr_lnot (acc_components_look_up (open, label));
}

/**
 * acc_array_fill_holes:
 * @self: an array of rank 1 to 4 of b1
 * @connectivity: in how many dimensions at most neighbours within a hole differ by 1: from 1 to the rank of @self
 *
 * Fills holes: connected components of false that have no element at the edge of the array. Works as `scipy.ndimage.binary_fill_holes`
 * does, with a structure of that connectivity.
 *
 * Takes time as [method@Array.label_components] does. The result carries %ACC_ERROR_TYPE where @self is not of b1, %ACC_ERROR_SHAPE where
 * it has another rank or @connectivity is out of range.
 *
 * ```c
 * // xs = [[true, true, true, true], [true, false, true, false], [true, true, true, true]]
 * g_autoptr(AccArray) result = acc_array_fill_holes (xs, 1); // → [[true, true, true, true], [true, true, true, false], [true, true, true, true]]
 * ```
 *
 * Returns: (transfer full): an array of b1 of the extents of @self
 */
AccArray *
acc_array_fill_holes (AccArray *self,
                      guint     connectivity)
{
  ACC_ARRAY_NAMED ("fill_holes");
  AccArray *refused = refuse_others (self, "fill_holes");
  g_autoptr(AccArray) background = NULL, labels = NULL, n_labels = NULL, defaults = NULL, targets = NULL, flags = NULL, open = NULL;

  if (refused != NULL)
    return refused;

  background = acc_array_map (self, is_false, NULL);
  labels = acc_array_label_components (background, connectivity, &n_labels);
  defaults = new_table (n_labels, acc_expr_new_bool (FALSE));
  targets = acc_array_imap (labels, entry_at_edge, labels);
  flags = acc_array_map (labels, yes, NULL);
  open = acc_array_permute (flags, defaults, targets, acc_array_first_element, NULL);
  return acc_array_map (labels, is_not_open, open);
}
