/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-hlo-text.h"

/* Operations on arrays. Each writes one: @results gets a value for each leaf, of the shape of @node, which has elements unless it says
 * otherwise. */

typedef void (*AccHloWrite) (AccHlo *self, AccFusionNode *node, AccHloValue *results);

void acc_hlo_write_node        (AccHlo *self, AccFusionNode *node);

void acc_hlo_write_fold        (AccHlo *self, AccFusionNode *node, AccHloValue *results);
void acc_hlo_write_scan        (AccHlo *self, AccFusionNode *node, AccHloValue *results);
void acc_hlo_write_permute     (AccHlo *self, AccFusionNode *node, AccHloValue *results);
void acc_hlo_write_fold_segments (AccHlo *self, AccFusionNode *node, AccHloValue *results);
void acc_hlo_write_scan_segments (AccHlo *self, AccFusionNode *node, AccHloValue *results);
void acc_hlo_write_sort        (AccHlo *self, AccFusionNode *node, AccHloValue *results);
void acc_hlo_write_stencil     (AccHlo *self, AccFusionNode *node, AccHloValue *results);
void acc_hlo_write_zip         (AccHlo *self, AccFusionNode *node, AccHloValue *results);
void acc_hlo_write_view        (AccHlo *self, AccFusionNode *node, AccHloValue *results);
void acc_hlo_write_replicate   (AccHlo *self, AccFusionNode *node, AccHloValue *results);
void acc_hlo_write_slice       (AccHlo *self, AccFusionNode *node, AccHloValue *results);
void acc_hlo_write_backpermute (AccHlo *self, AccFusionNode *node, AccHloValue *results);
void acc_hlo_write_product     (AccHlo *self, AccFusionNode *node, AccHloValue *results);
void acc_hlo_write_transform   (AccHlo *self, AccFusionNode *node, AccHloValue *results);

/* --- what they share */

static inline AccHloShape
acc_hlo_shape_of (const AccFusionNode *node)
{
  return (AccHloShape) { node->rank, node->extents };
}

static inline guint
acc_hlo_count_leaves (const AccFusionNode *node)
{
  return acc_element_type_get_n_leaves (node->array->type);
}

static inline AccElementKind
acc_hlo_leaf (const AccFusionNode *node,
              guint                leaf)
{
  return acc_element_type_get_leaf (node->array->type, leaf);
}

/* Values of an input; one for each leaf. */
AccHloValue *acc_hlo_get_input   (AccHlo *self, AccFusionNode *node, guint input);
/* An input in extents @to: its low corner, and what is behind its end where it is rounded less. Owned. */
AccHloValue *acc_hlo_crop_input  (AccHlo *self, AccFusionNode *node, guint input, AccHloShape to);
/* The vector @into of @size elements, with @n @updates at @index, an i64 each; those outside are left out. */
AccHloValue  acc_hlo_scatter     (AccHlo *self, AccElementKind kind, AccPrimitive primitive, AccHloValue into, gint64 size,
                                  AccHloValue index, AccHloValue updates, gint64 n);
/* The index of each element; one for each dimension. Owned. */
AccHloValue *acc_hlo_index_of    (AccHlo *self, AccHloShape shape);

/* The operator of a reduction or a scatter, written for both. */
typedef struct {
  AccFunction    *function;   /* of two elements */
  guint           n;          /* leaves */
  AccElementKind *kinds;      /* borrowed */
} AccHloOperator;

/* @x and @y: tensors of @shape. @results may be one of them. */
void         acc_hlo_combine     (AccHlo *self, const AccHloOperator *operator, const AccHloValue *x, const AccHloValue *y,
                                  AccHloShape shape, AccHloValue mask, AccHloValue *results);
/* Whether folds of rows are reductions, whose elements are taken in order; others go in pairs. */
gboolean     acc_hlo_may_reduce  (AccHlo *self, AccFunction *function);
/* Inclusive scans of @x by a primitive. @shape: of one row, or [rows][elements]; compilers have a quicker form for a row than for a matrix
 * of one. */
AccHloValue  acc_hlo_scan_rows   (AccHlo *self, AccPrimitive primitive, AccHloValue x, AccHloShape shape, AccElementKind kind);
/* Text of arguments of a block, "%a: tensor<f32>, …": two for each of @kinds, alternating where @interleaved. @first, @second: get them. */
void         acc_hlo_write_pairs (AccHlo *self, const AccElementKind *kinds, guint n, gboolean interleaved, AccHloValue *first,
                                  AccHloValue *second);
/* " stablehlo.return …" of scalars */
void         acc_hlo_write_return (AccHlo *self, const AccHloValue *values, const AccElementKind *kinds, guint n);
/* "%a, %b" and "tensor<…>, tensor<…>" */
void         acc_hlo_append_values (GString *text, const AccHloValue *values, guint n);
void         acc_hlo_append_types  (AccHlo *self, GString *text, const AccElementKind *kinds, guint n, AccHloShape shape);
