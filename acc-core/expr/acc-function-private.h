/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-module-expr.h"

/* Calls the callback once with fresh variables. A weak result gets @result_type (nullable). */
AccFunction *acc_function_new1  (AccElementType *x, AccExprFunc function, gpointer user_data, AccElementType *result_type);
AccFunction *acc_function_new2  (AccElementType *x, AccElementType *y, AccExprFunc2 function, gpointer user_data,
                                 AccElementType *result_type);
AccFunction *acc_function_new3  (AccElementType *x, AccElementType *y, AccElementType *z, AccExprFunc3 function, gpointer user_data,
                                 AccElementType *result_type);
/* Makes a function from a body over given variables; takes references. n_params 0 is a closed expression. */
AccFunction *acc_function_new   (AccExpr **params, guint n_params, AccExpr *body);
/* The same with a body that may stay weak: for boundaries, which learn their type later. */
AccFunction *acc_function_new_open (AccExpr **params, guint n_params, AccExpr *body);
/* Copies a function with its arrays replaced by those of @replaced (AccArray to AccArray, of the same types and ranks); returns it itself
 * if it reads none of them. @copies: AccExpr to AccExpr, owned, the same table for functions that share expressions. */
AccFunction *acc_function_copy_replaced (AccFunction *self, GHashTable *replaced, GHashTable *copies);
/* The same function with others in place of some expressions: AccExpr by AccExpr, of the same types. */
AccFunction *acc_function_copy_exchanged (AccFunction *self, GHashTable *exprs);

/* What it gives for @args, of its parameters' types: a floating expression. */
AccExpr     *acc_function_apply (AccFunction *self, AccExpr **args);

/* See ACC_ARRAY_NAMED(). With NULL: operations that a user's function builds have their own names. */
typedef struct {
  char *before;
} AccNaming;

AccNaming acc_naming_begin (const char *operation);
void      acc_naming_end   (AccNaming *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccNaming, acc_naming_end)
