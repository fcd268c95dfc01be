/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "acc-version.h"

G_BEGIN_DECLS

typedef struct _AccElementType AccElementType;
typedef struct _AccShape       AccShape;
typedef struct _AccExpr        AccExpr;
typedef struct _AccBoundary    AccBoundary;
typedef struct _AccChunk       AccChunk;
typedef struct _AccArray       AccArray;
typedef struct _AccProgram     AccProgram;
typedef struct _AccBackend     AccBackend;
typedef struct _AccExecutable  AccExecutable;
typedef struct _AccJob         AccJob;
typedef struct _AccPlan        AccPlan;
typedef struct _AccSource      AccSource;
typedef struct _AccSink        AccSink;

/**
 * ACC_ALL:
 *
 * In a slice or replicate specification: keep the whole dimension.
 */
#define ACC_ALL ((gint64) (-9223372036854775807 - 1))

/**
 * AccExprFunc:
 * @x: the element, as an expression
 * @user_data: what the caller gave
 *
 * What happens to one element. Called once, while the graph is built.
 *
 * Returns: (transfer none) (nullable): the result; a floating one is taken over,
 *   %NULL makes the array carry %ACC_ERROR_CALLBACK
 */
typedef AccExpr *(*AccExprFunc)  (AccExpr *x, gpointer user_data);

/**
 * AccExprFunc2:
 * @x: the first element
 * @y: the second element
 * @user_data: what the caller gave
 *
 * What happens to two elements. Called once, while the graph is built.
 *
 * Returns: (transfer none) (nullable): the result; a floating one is taken over
 */
typedef AccExpr *(*AccExprFunc2) (AccExpr *x, AccExpr *y, gpointer user_data);

/**
 * AccExprFunc3:
 * @x: the first element
 * @y: the second element
 * @z: the third element
 * @user_data: what the caller gave
 *
 * What happens to three elements. Called once, while the graph is built.
 *
 * Returns: (transfer none) (nullable): the result; a floating one is taken over
 */
typedef AccExpr *(*AccExprFunc3) (AccExpr *x, AccExpr *y, AccExpr *z, gpointer user_data);

/**
 * AccArrayFunc:
 * @arrays: (array length=n_arrays): the parameters
 * @n_arrays: how many
 * @user_data: what the caller gave
 *
 * A function on whole arrays. Called once, while the program is built.
 *
 * Returns: (transfer full) (nullable): the result
 */
typedef AccArray *(*AccArrayFunc) (AccArray **arrays, guint n_arrays, gpointer user_data);

G_END_DECLS
