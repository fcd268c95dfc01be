/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-build-private.h"

/* What a run-based labelling knows of an element, as a number: bits, and from the third on one for each neighbour before it, in another
 * row, that it touches where its own run has not done so just before. */
#define ACC_COMPONENTS_INSIDE   1
#define ACC_COMPONENTS_BEGINS   2       /* a run */
#define ACC_COMPONENTS_CONTACTS 2       /* bits before those */

#define ACC_COMPONENTS_MAX_RANK    4
#define ACC_COMPONENTS_MAX_OFFSETS 40   /* at that rank */

/* Of offers that take these numbers, with the connectivity behind: labels, and how many there are. */
#define ACC_COMPONENTS_LABELS "acc-label-components-"
#define ACC_COMPONENTS_COUNT  "acc-count-components-"

/* To neighbours in rows before, in row-major order. Returns how many there are. */
guint           acc_components_list_offsets  (guint rank, guint connectivity, gint64 (*offsets)[ACC_COMPONENTS_MAX_RANK]);
AccElementType *acc_components_get_code_type (guint rank, guint connectivity);
/* Whether @name is @prefix with a number. */
gboolean        acc_components_parse_name    (const char *name, const char *prefix, guint *connectivity);

/* Graphs of @n_vertices, of rank 0: @number: the type of numbers of vertices, i4 or i8. */

/* The entry of @table at a number of any integer type. */
AccExpr  *acc_components_look_up       (AccArray *table, AccExpr *number);
/* 0, 1, … */
AccArray *acc_components_list_vertices (AccArray *n_vertices, AccElementType *number);
/* The least vertex of the component of each. @edges: pairs of vertices that are not the same. */
AccArray *acc_components_find_roots    (AccArray *n_vertices, AccElementType *number, AccArray *edges);
/* The number of the root of each vertex, 1, 2, … in the order of roots. @n_roots: an i8 of rank 0; NULL: it is not needed. */
AccArray *acc_components_number_roots  (AccArray *roots, AccElementType *number, AccArray **n_roots);
