/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array.h"
#include "acc-program.h"

G_BEGIN_DECLS

#define ACC_TYPE_NESTED_ARRAY (acc_nested_array_get_type ())

ACC_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AccNestedArray, acc_nested_array, ACC, NESTED_ARRAY, GObject)

/**
 * AccNestedForm:
 * @ACC_NESTED_FORM_CONSTANT: one array that stands for all elements
 * @ACC_NESTED_FORM_REGULAR: an array with one more outermost dimension: all elements have the same extents
 * @ACC_NESTED_FORM_IRREGULAR: flat values, and offsets that say where each element begins
 *
 * Tells how the elements of a nested array are held.
 */
typedef enum {
  ACC_NESTED_FORM_CONSTANT,
  ACC_NESTED_FORM_REGULAR,
  ACC_NESTED_FORM_IRREGULAR,
} AccNestedForm;

/**
 * AccNestedArrayFunc:
 * @element: an element, which is a nested array
 * @user_data: data given with the function
 *
 * Computes what becomes of an element. It is called once, while the graph is built.
 *
 * Returns: (transfer full) (nullable): a nested array
 */
typedef AccNestedArray *(*AccNestedArrayFunc) (AccNestedArray *element, gpointer user_data);

ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_new_from_lengths (AccArray *values, AccArray *lengths) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_new_from_offsets (AccArray *values, AccArray *offsets) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_new_from_extents (AccArray *values, AccArray *extents) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_new_from_regular (AccArray *values) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_new_from_arrays  (AccArray **arrays, guint n_arrays) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_new_from_keys    (AccArray *values, AccArray *keys, AccArray **groups) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_new_from_padded  (AccArray *padded, AccArray *kept) G_GNUC_WARN_UNUSED_RESULT;

ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_new_from_arrow   (gpointer schema, gpointer array, GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_new_from_arrow_with_nulls (gpointer schema, gpointer array, GPtrArray **masks,
                                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
gboolean        acc_nested_array_export_arrow     (AccNestedArray *self, gpointer schema, gpointer array, GError **error);

ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_new_from_text    (const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
char           *acc_nested_array_to_text          (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_new_from_variant (AccElementType *type, GVariant *variant, GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
GVariant       *acc_nested_array_to_variant       (AccNestedArray *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_map       (AccNestedArray *self, AccArrayFunc function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_imap      (AccNestedArray *self, AccArrayFunc function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_zip_with  (AccNestedArray *self, AccNestedArray *other, AccArrayFunc function,
                                            gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_zip_with_many (AccNestedArray **arrays, guint n_arrays, AccArrayFunc function,
                                                gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_izip_with_many (AccNestedArray **arrays, guint n_arrays, AccArrayFunc function,
                                                 gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_gather    (AccNestedArray *self, AccArray *indices) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_filter    (AccNestedArray *self, AccArrayFunc predicate, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;

ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_nest          (AccNestedArray *self, AccArray *lengths) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
guint           acc_nested_array_get_depth     (AccNestedArray *self);
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_get_inner     (AccNestedArray *self);
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_dup_nested    (AccNestedArray *self, gint64 index) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_map_nested    (AccNestedArray *self, AccNestedArrayFunc function,
                                                gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_flatten_level (AccNestedArray *self, guint level) G_GNUC_WARN_UNUSED_RESULT;

ACC_AVAILABLE_IN_1_0
AccElementType *acc_nested_array_get_element_type (AccNestedArray *self);
ACC_AVAILABLE_IN_1_0
guint           acc_nested_array_get_rank         (AccNestedArray *self);
ACC_AVAILABLE_IN_1_0
AccNestedForm   acc_nested_array_get_form         (AccNestedArray *self);
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_get_values       (AccNestedArray *self);
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_get_offsets      (AccNestedArray *self);
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_get_lengths      (AccNestedArray *self);
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_get_extents      (AccNestedArray *self);
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_to_padded        (AccNestedArray *self, AccExpr *fill, AccArray **mask) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_flatten          (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_dup_element      (AccNestedArray *self, gint64 index) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
gboolean        acc_nested_array_check            (AccNestedArray *self, GError **error);
ACC_AVAILABLE_IN_1_0
gboolean        acc_nested_array_is_manifest      (AccNestedArray *self);
ACC_AVAILABLE_IN_1_0
char           *acc_nested_array_to_string        (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;

ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_sum                (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_product            (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_minimum            (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_maximum            (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_mean               (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_variance           (AccNestedArray *self, guint ddof) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_standard_deviation (AccNestedArray *self, guint ddof) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_all_true           (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_any_true           (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_count_nonzero      (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_argmin             (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_nested_array_argmax             (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_cumsum             (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_sort               (AccNestedArray *self, gboolean descending) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_argsort            (AccNestedArray *self, gboolean descending) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_cast               (AccNestedArray *self, AccElementType *type) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_unique             (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;

ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_take (AccNestedArray *self, gint64 count) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_drop (AccNestedArray *self, gint64 count) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_slice (AccNestedArray *self, gint64 start, gint64 count) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_reverse (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_replicate (AccNestedArray *self, gint64 count) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_concat (AccNestedArray *self, AccNestedArray *other) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_cartesian (AccNestedArray *self, AccNestedArray *other) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_nested_array_combinations (AccNestedArray *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
