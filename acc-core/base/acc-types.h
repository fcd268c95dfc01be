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
 * Keeps the whole dimension, as an entry of the specification of a slice or a replicate.
 */
#define ACC_ALL ((gint64) (-9223372036854775807 - 1))

/**
 * ACC_ANY:
 *
 * Keeps as many dimensions as fit, or none, as the first entry of the specification of a slice or a replicate.
 *
 * It stands for as many %ACC_ALL. Like %ACC_ALL it is a number that a double holds, for languages that have no other numbers.
 */
#define ACC_ANY ((gint64) -4611686018427387904)

/**
 * AccExprFunc:
 * @x: the element, as an expression
 * @user_data: data of the caller
 *
 * Computes a result element from one element, as an expression. It is called once, while the graph is built.
 *
 * Returns: (transfer none) (nullable): the result; a floating one is taken over, %NULL makes the array carry %ACC_ERROR_CALLBACK
 */
typedef AccExpr *(*AccExprFunc)  (AccExpr *x, gpointer user_data);

/**
 * AccExprFunc2:
 * @x: the first element
 * @y: the second element
 * @user_data: data of the caller
 *
 * Computes a result element from two elements, as an expression. It is called once, while the graph is built.
 *
 * Returns: (transfer none) (nullable): the result; a floating one is taken over, %NULL makes the array carry %ACC_ERROR_CALLBACK
 */
typedef AccExpr *(*AccExprFunc2) (AccExpr *x, AccExpr *y, gpointer user_data);

/**
 * AccExprFunc3:
 * @x: the first element
 * @y: the second element
 * @z: the third element
 * @user_data: data of the caller
 *
 * Computes a result element from three elements, as an expression. It is called once, while the graph is built.
 *
 * Returns: (transfer none) (nullable): the result; a floating one is taken over, %NULL makes the array carry %ACC_ERROR_CALLBACK
 */
typedef AccExpr *(*AccExprFunc3) (AccExpr *x, AccExpr *y, AccExpr *z, gpointer user_data);

/**
 * AccExprFunc4:
 * @x1: the first element
 * @x2: the second element
 * @x3: the third element
 * @x4: the fourth element
 * @user_data: data of the caller
 *
 * Computes a result element from four elements, as an expression. It is called once, while the graph is built.
 *
 * Returns: (transfer none) (nullable): the result; a floating one is taken over, %NULL makes the array carry %ACC_ERROR_CALLBACK
 */
typedef AccExpr *(*AccExprFunc4) (AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, gpointer user_data);

/**
 * AccExprFunc5:
 * @x1: the first element
 * @x2: the second element
 * @x3: the third element
 * @x4: the fourth element
 * @x5: the fifth element
 * @user_data: data of the caller
 *
 * Computes a result element from five elements, as an expression. It is called once, while the graph is built.
 *
 * Returns: (transfer none) (nullable): the result; a floating one is taken over, %NULL makes the array carry %ACC_ERROR_CALLBACK
 */
typedef AccExpr *(*AccExprFunc5) (AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, AccExpr *x5, gpointer user_data);

/**
 * AccExprFunc6:
 * @x1: the first element
 * @x2: the second element
 * @x3: the third element
 * @x4: the fourth element
 * @x5: the fifth element
 * @x6: the sixth element
 * @user_data: data of the caller
 *
 * Computes a result element from six elements, as an expression. It is called once, while the graph is built.
 *
 * Returns: (transfer none) (nullable): the result; a floating one is taken over, %NULL makes the array carry %ACC_ERROR_CALLBACK
 */
typedef AccExpr *(*AccExprFunc6) (AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, AccExpr *x5, AccExpr *x6,
                                  gpointer user_data);

/**
 * AccExprFunc7:
 * @x1: the first element
 * @x2: the second element
 * @x3: the third element
 * @x4: the fourth element
 * @x5: the fifth element
 * @x6: the sixth element
 * @x7: the seventh element
 * @user_data: data of the caller
 *
 * Computes a result element from seven elements, as an expression. It is called once, while the graph is built.
 *
 * Returns: (transfer none) (nullable): the result; a floating one is taken over, %NULL makes the array carry %ACC_ERROR_CALLBACK
 */
typedef AccExpr *(*AccExprFunc7) (AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, AccExpr *x5, AccExpr *x6,
                                  AccExpr *x7, gpointer user_data);

/**
 * AccExprFunc8:
 * @x1: the first element
 * @x2: the second element
 * @x3: the third element
 * @x4: the fourth element
 * @x5: the fifth element
 * @x6: the sixth element
 * @x7: the seventh element
 * @x8: the eighth element
 * @user_data: data of the caller
 *
 * Computes a result element from eight elements, as an expression. It is called once, while the graph is built.
 *
 * Returns: (transfer none) (nullable): the result; a floating one is taken over, %NULL makes the array carry %ACC_ERROR_CALLBACK
 */
typedef AccExpr *(*AccExprFunc8) (AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, AccExpr *x5, AccExpr *x6,
                                  AccExpr *x7, AccExpr *x8, gpointer user_data);

/**
 * AccExprFunc9:
 * @x1: the first element
 * @x2: the second element
 * @x3: the third element
 * @x4: the fourth element
 * @x5: the fifth element
 * @x6: the sixth element
 * @x7: the seventh element
 * @x8: the eighth element
 * @x9: the ninth element
 * @user_data: data of the caller
 *
 * Computes a result element from nine elements, as an expression. It is called once, while the graph is built.
 *
 * Returns: (transfer none) (nullable): the result; a floating one is taken over, %NULL makes the array carry %ACC_ERROR_CALLBACK
 */
typedef AccExpr *(*AccExprFunc9) (AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, AccExpr *x5, AccExpr *x6,
                                  AccExpr *x7, AccExpr *x8, AccExpr *x9, gpointer user_data);

/**
 * AccExprFunc10:
 * @x1: the first element
 * @x2: the second element
 * @x3: the third element
 * @x4: the fourth element
 * @x5: the fifth element
 * @x6: the sixth element
 * @x7: the seventh element
 * @x8: the eighth element
 * @x9: the ninth element
 * @x10: the tenth element
 * @user_data: data of the caller
 *
 * Computes a result element from ten elements, as an expression. It is called once, while the graph is built.
 *
 * Returns: (transfer none) (nullable): the result; a floating one is taken over, %NULL makes the array carry %ACC_ERROR_CALLBACK
 */
typedef AccExpr *(*AccExprFunc10) (AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, AccExpr *x5, AccExpr *x6,
                                   AccExpr *x7, AccExpr *x8, AccExpr *x9, AccExpr *x10, gpointer user_data);

/**
 * AccArrayFunc:
 * @arrays: (array length=n_arrays): the parameters
 * @n_arrays: number of @arrays
 * @user_data: data of the caller
 *
 * Computes an array from whole arrays, the parameters of a program. It is called once, while the program is built.
 *
 * Returns: (transfer full) (nullable): the result
 */
typedef AccArray *(*AccArrayFunc) (AccArray **arrays, guint n_arrays, gpointer user_data);

/**
 * AccArraysFunc:
 * @arrays: (array length=n_arrays): the parameters
 * @n_arrays: number of @arrays
 * @user_data: data of the caller
 *
 * Computes several arrays from whole arrays, the parameters of a program. It is called once, while the program is built.
 *
 * Returns: (transfer full) (nullable) (element-type AccArray): the results
 */
typedef GPtrArray *(*AccArraysFunc) (AccArray **arrays, guint n_arrays, gpointer user_data);

G_END_DECLS
