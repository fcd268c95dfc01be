/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* A scalar function: parameters and a body. Immutable, atomically counted. */
typedef struct _AccFunction {
  gatomicrefcount  ref_count;
  AccExpr         *body;        /* owned; strong (settled) */
  GPtrArray       *arrays;      /* AccArray, owned: those the body (and nested functions) reads or asks the extent of, once each, in order of appearance */
  guint            n_params;
  AccExpr         *params[3];   /* owned variables */
  gboolean         commutes;    /* both parameters may be exchanged, though the result may differ in the last bits */
} AccFunction;

/* Calls the callback once with fresh variables. @result_type settles a weak result (nullable). */
ACC_MODULE_API
AccFunction *acc_function_new1  (AccElementType *x, AccExprFunc function, gpointer user_data, AccElementType *result_type);
ACC_MODULE_API
AccFunction *acc_function_new2  (AccElementType *x, AccElementType *y, AccExprFunc2 function, gpointer user_data, AccElementType *result_type);
ACC_MODULE_API
AccFunction *acc_function_new3  (AccElementType *x, AccElementType *y, AccElementType *z, AccExprFunc3 function, gpointer user_data, AccElementType *result_type);
/* From a body over given variables; takes references. n_params 0 is a closed expression. */
ACC_MODULE_API
AccFunction *acc_function_new   (AccExpr **params, guint n_params, AccExpr *body);
/* The same with a body that stays weak where it is: for boundaries, which learn their type later. */
ACC_MODULE_API
AccFunction *acc_function_new_open (AccExpr **params, guint n_params, AccExpr *body);
/* The same, reading what @replaced (AccArray to AccArray, of the same types and ranks) has for the arrays that it reads; itself where
 * that has none of them. @copies: AccExpr to AccExpr, owned, the same table for functions that share expressions. */
AccFunction *acc_function_copy_replaced (AccFunction *self, GHashTable *replaced, GHashTable *copies);
ACC_MODULE_API
AccFunction *acc_function_ref   (AccFunction *self);
ACC_MODULE_API
void         acc_function_unref (AccFunction *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccFunction, acc_function_unref)

/* See ACC_ARRAY_NAMED(). With NULL: what a function of the user makes has its own names. */
typedef struct {
  const char *before;
} AccNaming;

AccNaming acc_naming_begin (const char *operation);
void      acc_naming_end   (AccNaming *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccNaming, acc_naming_end)

G_END_DECLS
