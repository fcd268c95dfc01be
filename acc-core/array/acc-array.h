/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-boundary.h"
#include "acc-element-type.h"
#include "acc-expr-read.h"
#include "acc-shape.h"

G_BEGIN_DECLS

#define ACC_TYPE_ARRAY (acc_array_get_type ())

ACC_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AccArray, acc_array, ACC, ARRAY, GObject)

/* Making arrays of data. Leaves lie row-major and dense, one buffer per scalar of a tuple. */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_use           (AccElementType *type, AccShape *shape, GBytes *bytes) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_use_buffers   (AccElementType *type, AccShape *shape, GBytes **buffers, guint n_buffers) G_GNUC_WARN_UNUSED_RESULT;
/* Not copied: @address stays valid until @notify; a scalar element type */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_use_address   (AccElementType *type, AccShape *shape, guint64 address, guint64 size, gpointer user_data,
                                   GDestroyNotify notify) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_use_owned     (AccElementType *type, AccShape *shape, guint64 address, guint64 size,
                                   GObject *owner) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_new_from_source (AccSource *source) G_GNUC_WARN_UNUSED_RESULT;

/* Construction */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_generate      (AccShape *shape, AccExprFunc function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
/* @shape: an index of the wanted rank: i64, or a tuple of them; may ask other arrays for their extents */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_generate_expr (AccExpr *shape, AccExprFunc function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fill          (AccShape *shape, AccExpr *value) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fill_expr     (AccExpr *shape, AccExpr *value) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_unit          (AccExpr *value) G_GNUC_WARN_UNUSED_RESULT;

/* Element-wise */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_map           (AccArray *self, AccExprFunc function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_imap          (AccArray *self, AccExprFunc2 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_zip_with      (AccArray *self, AccArray *other, AccExprFunc2 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_zip_with3     (AccArray *self, AccArray *second, AccArray *third, AccExprFunc3 function,
                                   gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_zip           (AccArray *self, AccArray *other) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_zip_many      (AccArray **arrays, guint n_arrays) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_unzip         (AccArray *self, guint item) G_GNUC_WARN_UNUSED_RESULT;

/* Shape */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_reshape       (AccArray *self, AccShape *shape) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_reshape_expr  (AccArray *self, AccExpr *shape) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_flatten       (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;
/* @specification: an index to fix a dimension, or ACC_ALL to keep it; ACC_ANY, the first alone, for all that are not named */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_slice         (AccArray *self, const gint64 *specification, guint n_specification) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_slice_expr    (AccArray *self, AccExpr **specification, guint n_specification) G_GNUC_WARN_UNUSED_RESULT;
/* @specification: an extent to insert a dimension, or ACC_ALL for the next of the array's own; ACC_ANY as above */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_replicate     (AccArray *self, const gint64 *specification, guint n_specification) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_replicate_expr (AccArray *self, AccExpr **specification, guint n_specification) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_backpermute   (AccArray *self, AccShape *shape, AccExprFunc function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_backpermute_expr (AccArray *self, AccExpr *shape, AccExprFunc function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;

/* Reduction along the innermost dimension, or of everything */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fold          (AccArray *self, AccExpr *initial, AccExprFunc2 combine, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fold1         (AccArray *self, AccExprFunc2 combine, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fold_all      (AccArray *self, AccExpr *initial, AccExprFunc2 combine, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fold1_all     (AccArray *self, AccExprFunc2 combine, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_scanl1        (AccArray *self, AccExprFunc2 combine, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;

/* Neighbourhoods; @sizes: odd, one per dimension, outermost first. The function gets nested tuples, outermost first */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_stencil       (AccArray *self, const gint64 *sizes, guint n_sizes, AccBoundary *boundary, AccExprFunc function,
                                   gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_stencil2      (AccArray *self, const gint64 *sizes, guint n_sizes, AccBoundary *boundary,
                                   AccArray *other, const gint64 *other_sizes, guint n_other_sizes, AccBoundary *other_boundary,
                                   AccExprFunc2 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;

/* @targets: an index of integers per element of self, or (b1, index): false skips. combine (new, old) */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_permute       (AccArray *self, AccArray *defaults, AccArray *targets, AccExprFunc2 combine,
                                   gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;

/* Flow */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_cond          (AccArray *condition, AccArray *then, AccArray *otherwise) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_while_loop    (AccArray *initial, AccProgram *condition, AccProgram *step) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
GPtrArray *acc_array_cond_many       (AccArray *condition, AccArray **then, guint n_then, AccArray **otherwise,
                                      guint n_otherwise) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
GPtrArray *acc_array_while_loop_many (AccArray **initial, guint n_initial, AccProgram *condition,
                                      AccProgram *step) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_foreign       (const char *name, AccArray **inputs, guint n_inputs, AccProgram *fallback) G_GNUC_WARN_UNUSED_RESULT;
/* In memory before anything reads it: a barrier to fusion */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_compute       (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;

/* Asking */
ACC_AVAILABLE_IN_1_0
AccElementType *acc_array_get_element_type (AccArray *self);
ACC_AVAILABLE_IN_1_0
guint           acc_array_get_rank         (AccArray *self);
/* NULL while it depends on a parameter or on computed values */
ACC_AVAILABLE_IN_1_0
AccShape       *acc_array_get_shape        (AccArray *self);
ACC_AVAILABLE_IN_1_0
const char     *acc_array_get_label        (AccArray *self);
ACC_AVAILABLE_IN_1_0
void            acc_array_set_label        (AccArray *self, const char *label);
ACC_AVAILABLE_IN_1_0
const char     *acc_array_get_operation    (AccArray *self);
ACC_AVAILABLE_IN_1_0
gboolean        acc_array_check            (AccArray *self, GError **error);
ACC_AVAILABLE_IN_1_0
gboolean        acc_array_is_manifest      (AccArray *self);
/* Manifest arrays only: one buffer's bytes, not copied; its address; values */
ACC_AVAILABLE_IN_1_0
GBytes         *acc_array_dup_bytes        (AccArray *self, guint buffer, GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
guint64         acc_array_get_address      (AccArray *self, guint buffer);
ACC_AVAILABLE_IN_1_0
GVariant       *acc_array_dup_value        (AccArray *self, const gint64 *index, guint n_index, GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
double          acc_array_get_double       (AccArray *self, guint leaf, gint64 linear_index);
ACC_AVAILABLE_IN_1_0
gint64          acc_array_get_int          (AccArray *self, guint leaf, gint64 linear_index);
ACC_AVAILABLE_IN_1_0
GVariant       *acc_array_to_variant       (AccArray *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
char           *acc_array_to_string        (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
