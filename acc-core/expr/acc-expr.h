/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-element-type.h"

G_BEGIN_DECLS

#define ACC_TYPE_EXPR (acc_expr_get_type ())

ACC_AVAILABLE_IN_1_0
GType           acc_expr_get_type         (void) G_GNUC_CONST;
ACC_AVAILABLE_IN_1_0
AccExpr        *acc_expr_ref              (AccExpr *self);
ACC_AVAILABLE_IN_1_0
AccExpr        *acc_expr_ref_sink         (AccExpr *self);
ACC_AVAILABLE_IN_1_0
void            acc_expr_unref            (AccExpr *self);
/* NULL for an expression that carries an error */
ACC_AVAILABLE_IN_1_0
AccElementType *acc_expr_get_element_type (AccExpr *self);
ACC_AVAILABLE_IN_1_0
gboolean        acc_expr_check            (AccExpr *self, GError **error);
ACC_AVAILABLE_IN_1_0
char           *acc_expr_to_string        (AccExpr *self) G_GNUC_WARN_UNUSED_RESULT;

/* Literals. Those of new_int and new_float take the type of what they meet, else i8 and f8. */
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_new_bool   (gboolean value);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_new_int    (gint64 value);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_new_float  (double value);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_new_typed_int   (AccElementType *type, gint64 value);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_new_typed_uint  (AccElementType *type, guint64 value);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_new_typed_float (AccElementType *type, double value);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_new_minimum (AccElementType *type);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_new_maximum (AccElementType *type);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_new_zero    (AccElementType *type);

/* Structure */
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_tuple   (AccExpr **items, guint n_items);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_tuple2  (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_tuple3  (AccExpr *a, AccExpr *b, AccExpr *c);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_tuple4  (AccExpr *a, AccExpr *b, AccExpr *c, AccExpr *d);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_complex (AccExpr *re, AccExpr *im);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_vec     (AccExpr **items, guint n_items);
/* Item of a tuple; item 0 of a scalar is itself, so that a rank-1 index reads like the others */
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_item    (AccExpr *self, guint item);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_with_item (AccExpr *self, guint item, AccExpr *value);
ACC_AVAILABLE_IN_1_0
guint    acc_expr_get_n_items (AccExpr *self);
/* Neighbour of a stencil's centre: @offsets outermost first */
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_neighbour   (AccExpr *self, const gint64 *offsets, guint n_offsets);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_neighbour1  (AccExpr *self, gint64 dx);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_neighbour2  (AccExpr *self, gint64 dy, gint64 dx);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_neighbour3  (AccExpr *self, gint64 dz, gint64 dy, gint64 dx);

/* Conversion */
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_cast    (AccExpr *self, AccElementType *type);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_bitcast (AccExpr *self, AccElementType *type);

/* Flow */
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_cond    (AccExpr *condition, AccExpr *then, AccExpr *otherwise);
/* Without @otherwise any other index is that of the last alternative. */
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_switch  (AccExpr *index, AccExpr **alternatives, guint n_alternatives, AccExpr *otherwise);
/* @step returns (condition, next); next is evaluated while condition holds */
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_while   (AccExpr *initial, AccExprFunc step, gpointer user_data);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_iterate (AccExpr *n, AccExpr *initial, AccExprFunc step, gpointer user_data);
/* Short circuit */
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_and_then (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_or_else  (AccExpr *a, AccExpr *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccExpr, acc_expr_unref)

G_END_DECLS

#include "acc-expr-either.h"
#include "acc-expr-math.h"
#include "acc-expr-maybe.h"
#include "acc-expr-ratio.h"
