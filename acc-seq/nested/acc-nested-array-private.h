/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-nested-array.h"

#include "acc-seq/lift/acc-lift-private.h"

/* Takes over both. @count: an array with as many in its outermost dimension as there are elements. */
AccNestedArray *acc_nested_array_new_for_lifted (AccLifted *lifted, AccArray *count);
/* One more level: elements of @inner from @groups[k] to @groups[k + 1] are element k. Takes over both. */
AccNestedArray *acc_nested_array_new_for_groups (AccNestedArray *inner, AccArray *groups);
AccLifted      *acc_nested_array_get_lifted     (AccNestedArray *self);
/* An array with as many in its outermost dimension as there are elements, of the innermost level. */
AccArray       *acc_nested_array_get_count      (AccNestedArray *self);
/* NULL: there is one level. */
AccArray       *acc_nested_array_get_groups     (AccNestedArray *self);
/* How many there are, of the outermost level; floating. */
AccExpr        *acc_nested_array_count_elements (AccNestedArray *self);
/* @self of one level, taken over, in the levels that all of @models have: their innermost elements are as many as those of @self. Elements
 * of rank 0 become values of vectors. */
AccNestedArray *acc_nested_array_regroup        (AccNestedArray *self, AccNestedArray **models, guint n_models);
/* All that it consists of, to be run: groups from the outermost level, values, lengths, and of irregular ones offsets and extents. */
void            acc_nested_array_collect        (AccNestedArray *self, GPtrArray *arrays);
/* One of the form of @self with what was computed. */
AccNestedArray *acc_nested_array_new_manifest   (AccNestedArray *self, AccArray **computed);
/* 0, 1 and so on, as many as @count; and for each value of @places what is there in @array. */
AccArray       *acc_nested_array_new_numbers    (AccExpr *count);
AccArray       *acc_nested_array_read_places    (AccArray *array, AccArray *places);
/* Elements of @numbers (i8), which are known to be there. */
AccNestedArray *acc_nested_array_choose         (AccNestedArray *self, AccArray *numbers);
/* An expression: @number, taken over, or %ACC_ERROR_BOUNDS where @self has no outermost element of it; and the label of what it is for. */
#define ACC_NESTED_ARRAY_NO_ELEMENT "there is no element " ACC_REFUSED_NUMBER
AccExpr        *acc_nested_array_check_number   (AccNestedArray *self, AccExpr *number);
/* Whether elements of that type are integers, or tuples of them. */
gboolean        acc_nested_array_are_integers   (AccElementType *extents);
/* @lengths, a vector of integers, as i8; an error where one is negative or more than @values has in @dimension. */
AccArray       *acc_nested_array_check_lengths  (AccArray *lengths, AccArray *values, guint dimension);
/* One of the arrays that a nested array has; borrowed. */
typedef AccArray *(*AccNestedArrayPart) (AccNestedArray *self);
/* That of the first of @arrays, with an error where another has another number of elements in it: before the run, or else when the number
 * is computed. Owned. */
AccArray       *acc_nested_array_match_all      (AccNestedArray **arrays, guint n_arrays, AccNestedArrayPart get_counted);
/* One that carries the error of @node, taken over. */
AccNestedArray *acc_nested_array_new_error      (AccArray *node);
/* One that carries an error of its own, with the name of the operation that makes it in front, or that of @input, which it has. */
AccNestedArray *acc_nested_array_refuse         (AccArray *input, AccError code, const char *problem);

typedef enum {
  ACC_APPLY_IN_LOOPS = 1 << 0,   /* over the values of an element, where that is quicker on processors */
  ACC_APPLY_IN_STEPS = 1 << 1,   /* other elements come in other steps: floats do not show which came together */
  ACC_APPLY_VARIES   = 1 << 2,   /* where elements are regular, others of the same may be irregular */
  ACC_APPLY_COMPOSED = 1 << 3,   /* segments are grouped as what they are composed of, and vectors are not */
  ACC_APPLY_ALONE    = 1 << 4,   /* there is one element, and what it consists of is as what is the same for all */
  ACC_APPLY_OWN      = 1 << 5,   /* no library of the backend's transforms them */
} AccApplyFlags;

/* For a function of @count elements. */
AccLift        *acc_nested_array_new_lift       (AccArray *count, AccApplyFlags flags);
/* A traced function of elements: @result of @parameters, for as many nested arrays, and of @number, nullable, for that of an element. */
AccNestedArray *acc_nested_array_apply          (AccNestedArray **arrays, guint n_arrays, AccArray **parameters, AccArray *number,
                                                 AccArray *result, AccApplyFlags flags);
/* acc_nested_array_map_nested() for @operation. @first: NULL, or the number of the first element, an i8 of rank 0: then others come in
 * other steps, which floats do not show. */
AccNestedArray *acc_nested_array_apply_nested   (const char *operation, AccNestedArray *self, AccArray *first, AccNestedArrayFunc function,
                                                 gpointer user_data);
/* --- functions of elements that may be nested arrays: of the arrays that they consist of */

/* What an irregular nested array of @depth levels consists of: groups of its levels from the outermost one, values, offsets, and extents
 * where @rank is more than 1; where it is 0, of elements of the innermost level, values are last. The type of number @i; NULL: there are no
 * more. */
AccElementType *acc_nested_array_get_part_type  (AccElementType *type, guint rank, guint depth, guint i);
/* One of these, which are not taken over. */
AccNestedArray *acc_nested_array_new_of_parts   (AccArray **parts, guint rank, guint depth);
/* The same levels, the innermost of numbers as vectors. */
AccNestedArray *acc_nested_array_dup_vectors    (AccNestedArray *self);
/* What stands for an element: an array, or, where @depth is not 0, a nested array of as many levels. @parameters, which owns them, gets
 * those that it is made of. @shape: of an array, nullable. Owned. */
GObject        *acc_nested_array_new_element    (AccElementType *type, guint rank, AccShape *shape, guint depth, GPtrArray *parameters);
/* Where this thread traces: what @function gives for @elements of @parameters, which become those that the answer was made with; owned.
 * *@number: as for acc_trace_ask_arrays(). */
GPtrArray      *acc_nested_array_ask            (GCallback function, gpointer user_data, GObject **elements, guint n_elements,
                                                 GPtrArray *parameters, AccArray **number);
/* Adds what such a function has as results, where it gives @made, to @results, which owns them. */
void            acc_nested_array_list_results   (AccNestedArray *made, GPtrArray *results);
/* What the function makes of the elements with the same number: @results of @parameters, which are those of arrays of @rank where @depth
 * is 0, else of nested arrays of as many levels, those of one level and rank 0 vectors. */
AccNestedArray *acc_nested_array_apply_elements (AccNestedArray **arrays, guint n_arrays, AccArray **parameters, AccArray **results,
                                                 guint rank, guint depth, AccApplyFlags flags);
/* How many elements of the outermost level there are, where that is known before a run, or -1. */
gint64          acc_nested_array_get_known_count (AccNestedArray *self);
/* An array with as many in its outermost dimension; borrowed. */
AccArray       *acc_nested_array_get_outer_count (AccNestedArray *self);

/* What stands for the number of an element, an i8 of rank 0. */
AccArray       *acc_nested_array_new_number     (guint position);
/* Elements for which @flags, b1 of rank 0, is true. @kept: NULL, or for the flags as an array. */
AccNestedArray *acc_nested_array_compact        (AccNestedArray *self, AccNestedArray *flags, AccArray **kept);

/* --- in memory */

/* The shape of @count rows of @array. */
AccShape       *acc_nested_array_shape_rows     (AccArray *array, gint64 count);
/* The values of manifest arrays of one type, one after the other, in an array of @shape. @budget: what their memory is counted in,
 * nullable. */
AccArray       *acc_nested_array_join_values    (AccArray **arrays, guint n_arrays, AccShape *shape, AccBudget *budget, GError **error);
/* Rows of manifest @array, of @shape where that is given, which share its bytes; NULL: they cannot be had. */
AccArray       *acc_nested_array_share_rows     (AccArray *array, gint64 first, gint64 count, AccShape *shape, GError **error);
/* The extents of element @k of one that is manifest; those of regular ones are the same for all. */
gboolean        acc_nested_array_read_extents   (AccNestedArray *self, gint64 k, gint64 *extents, GError **error);
/* That element, which shares its bytes. */
AccArray       *acc_nested_array_take_element   (AccNestedArray *self, gint64 k, GError **error);

/* A vector of i8. Takes over @numbers. */
AccArray       *acc_nested_array_use_numbers    (gint64 *numbers, gint64 n);
/* How many values each element has. */
AccArray       *acc_nested_array_use_lengths    (AccArray *offsets);
/* Whether @offsets, a vector of i8, are from 0 to @total and ascend. */
gboolean        acc_nested_array_check_offsets  (AccArray *offsets, gint64 total, GError **error);
/* The offsets of elements with @extents, a vector of tuples of i8, which have @total values; NULL: they do not. */
AccArray       *acc_nested_array_use_extents    (AccArray *extents, gint64 total, GError **error);
