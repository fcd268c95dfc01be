/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-build-private.h"

/* Graphs of @n_vertices, of rank 0: @number: the type of numbers of vertices, i4 or i8. */

/* The entry of @table at a number of any integer type. */
AccExpr  *acc_components_look_up       (AccArray *table, AccExpr *number);
/* 0, 1, … */
AccArray *acc_components_list_vertices (AccArray *n_vertices, AccElementType *number);
/* The least vertex of the component of each. @edges: pairs of vertices that are not the same. */
AccArray *acc_components_find_roots    (AccArray *n_vertices, AccElementType *number, AccArray *edges);
