/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-seq/nested/acc-nested-array-private.h"

/* Consecutive elements of a sequence, whose number is known. Immutable. */
typedef struct {
  gatomicrefcount ref_count;
  AccNestedArray *nested;
  gint64          count;
} AccWalkPart;

/* Takes over @nested, which has @count elements; it need not be manifest, unless parts are made of it. */
AccWalkPart *acc_walk_part_new          (AccNestedArray *nested, gint64 count);
/* One of the same form as @nested from what acc_walk_part_list_arrays() named, computed; @count: of constant ones, else found. */
AccWalkPart *acc_walk_part_new_computed (AccNestedArray *nested, AccArray **computed, gint64 count);
/* What that takes of @nested. */
typedef struct {
  AccLiftedForm form;         /* of several levels: of the innermost one, which is not constant */
  guint         rank;
  guint         depth;
  gboolean      has_extents;
} AccWalkForm;
AccWalkForm  acc_walk_part_get_form     (AccNestedArray *nested);
guint        acc_walk_form_count_arrays (const AccWalkForm *form);
AccWalkPart *acc_walk_part_new_of_form  (const AccWalkForm *form, AccArray **computed, gint64 count);
/* Of values in memory: regular. */
AccWalkPart *acc_walk_part_new_regular  (AccArray *values);
AccWalkPart *acc_walk_part_ref          (AccWalkPart *self);
void         acc_walk_part_unref        (AccWalkPart *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccWalkPart, acc_walk_part_unref)

/* What has to be computed of @nested, groups of its levels from the outermost one first; owned, of borrowed ones. */
GPtrArray   *acc_walk_part_list_arrays  (AccNestedArray *nested);

/* Of manifest ones. Bytes are shared; offsets begin at 0 again. */
AccWalkPart *acc_walk_part_slice        (AccWalkPart *self, gint64 start, gint64 count, GError **error);
/* Bytes are copied, unless there is one. Of different forms it is irregular. @budget: what its memory is counted in, nullable. */
AccWalkPart *acc_walk_part_join         (GPtrArray *parts, AccBudget *budget, GError **error);
/* One irregular element, or one row of regular ones, as an array of its own. */
AccArray    *acc_walk_part_dup_element  (AccWalkPart *self, gint64 index, GError **error);
/* One that is a nested array, as a manifest one. */
AccNestedArray *acc_walk_part_dup_nested (AccWalkPart *self, gint64 index, GError **error);
/* The same elements with other values, of which as many are taken. */
AccWalkPart *acc_walk_part_with_values  (AccWalkPart *self, AccArray *values);
/* Those as rows of a source; NULL: they are a number. */
AccWalkPart *acc_walk_part_by_rows      (AccWalkPart *self);
/* The elements of elements that are nested arrays. */
AccWalkPart *acc_walk_part_open         (AccWalkPart *self, GError **error);

/* --- other shapes: bytes are shared where elements are regular */

/* No elements, in @depth levels; @shape: nullable. */
AccWalkPart *acc_walk_part_new_empty    (AccElementType *type, guint rank, AccShape *shape, guint depth);
/* As regular elements: ACC_ERROR_SHAPE, which names the element, where their extents differ. @first: the number of the first. @before:
 * nullable: the extents of elements before, owned; NULL at first, and then those of the first. */
AccWalkPart *acc_walk_part_tighten      (AccWalkPart *self, gint64 first, AccShape **before, AccBudget *budget, GError **error);
/* As irregular elements, of rank 1 or more. */
AccWalkPart *acc_walk_part_loosen       (AccWalkPart *self, AccBudget *budget, GError **error);
/* All values, as a vector. */
AccArray    *acc_walk_part_flatten      (AccWalkPart *self, AccBudget *budget, GError **error);
/* As many elements at a time as one of one more dimension; @size divides their number. */
AccWalkPart *acc_walk_part_group        (AccWalkPart *self, gint64 first, gint64 size, AccBudget *budget, GError **error);
/* As many elements at a time as a nested array; @size divides their number. */
AccWalkPart *acc_walk_part_nest         (AccWalkPart *self, gint64 size, AccBudget *budget, GError **error);
/* One element that has all of those as a nested array; of no constant one. */
AccWalkPart *acc_walk_part_wrap         (AccWalkPart *self);
/* The rows of the elements, or the elements of nested arrays. */
AccWalkPart *acc_walk_part_ungroup      (AccWalkPart *self, AccBudget *budget, GError **error);
/* For the above: those of a constant one as regular, others as they are; a regular one as irregular. */
AccWalkPart *acc_walk_part_repeat       (AccWalkPart *self, AccBudget *budget, GError **error);
/* The same elements, whose values tell how many there are: one constant for all is repeated. */
AccNestedArray *acc_walk_dup_counted    (AccNestedArray *nested);
/* The same elements, irregular ones; of several levels the innermost. They have no rank 0. */
AccNestedArray *acc_walk_dup_loose (AccNestedArray *nested);
/* The same array for @count elements. */
AccWalkPart *acc_walk_part_new_constant (AccArray *value, gint64 count);
/* Takes over all but @rank; @extents: NULL for rank 1. */
AccWalkPart *acc_walk_part_new_irregular (guint rank, AccArray *values, AccArray *offsets, AccArray *extents);

/* Of all elements together. */
gint64       acc_walk_part_n_values     (AccWalkPart *self);
/* How many of the first elements have together at most @values, but one at least; 0: an error. */
gint64       acc_walk_part_count_within (AccWalkPart *self, gint64 values, GError **error);

/* --- manifest arrays */

/* Bytes of an array; G_MAXINT64 where that is too many. */
gint64       acc_walk_count_bytes       (AccShape *shape, AccElementType *type);
/* Along the outermost dimension; @arrays agree in type and all other extents. */
AccArray    *acc_walk_join_rows         (AccArray **arrays, guint n_arrays, AccBudget *budget, GError **error);
/* An array with as many rows, of which nothing is computed. */
AccArray    *acc_walk_new_count         (gint64 count);
/* An i8 of rank 0. */
AccArray    *acc_walk_new_number        (gint64 number);
/* i8, on the host. */
const gint64 *acc_walk_map_numbers      (AccArray *array, GError **error);
