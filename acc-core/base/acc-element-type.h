/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/**
 * AccElementKind:
 * @ACC_KIND_BOOL: one byte, 0 or 1; code "b1"
 * @ACC_KIND_I8: code "i1"
 * @ACC_KIND_I16: code "i2"
 * @ACC_KIND_I32: code "i4"
 * @ACC_KIND_I64: code "i8"
 * @ACC_KIND_U8: code "u1"
 * @ACC_KIND_U16: code "u2"
 * @ACC_KIND_U32: code "u4"
 * @ACC_KIND_U64: code "u8"
 * @ACC_KIND_F16: IEEE binary16; code "f2"
 * @ACC_KIND_F32: IEEE binary32; code "f4"
 * @ACC_KIND_F64: IEEE binary64; code "f8"
 * @ACC_KIND_TUPLE: a tuple of element types; code "(f4,u1)", "()" for none, "(f4,)" for one
 * @ACC_KIND_COMPLEX: a complex number of two floats, real part first; codes "c4", "c8" and "c16" for two f2, f4 and f8
 * @ACC_KIND_VECTOR: 1 to 16 scalars of one kind; code "4f4"
 *
 * Lists the kinds of element types.
 *
 * Codes are those of NumPy, which has no "c4". Kinds before %ACC_KIND_TUPLE are scalars.
 */
typedef enum {
  ACC_KIND_BOOL,
  ACC_KIND_I8,
  ACC_KIND_I16,
  ACC_KIND_I32,
  ACC_KIND_I64,
  ACC_KIND_U8,
  ACC_KIND_U16,
  ACC_KIND_U32,
  ACC_KIND_U64,
  ACC_KIND_F16,
  ACC_KIND_F32,
  ACC_KIND_F64,
  ACC_KIND_TUPLE,
  ACC_KIND_COMPLEX,
  ACC_KIND_VECTOR,
} AccElementKind;

/**
 * ACC_MAX_LANES:
 *
 * Limits the number of scalars in a vector type.
 */
#define ACC_MAX_LANES 16

#define ACC_TYPE_ELEMENT_TYPE (acc_element_type_get_type ())

/* Interned and never freed: equal types are equal pointers. */
ACC_AVAILABLE_IN_1_0
GType           acc_element_type_get_type    (void) G_GNUC_CONST;
ACC_AVAILABLE_IN_1_0
AccElementType *acc_element_type_new         (AccElementKind kind);
ACC_AVAILABLE_IN_1_0
AccElementType *acc_element_type_new_tuple   (AccElementType **items, guint n_items);
ACC_AVAILABLE_IN_1_0
AccElementType *acc_element_type_new_complex (AccElementKind component);
ACC_AVAILABLE_IN_1_0
AccElementType *acc_element_type_new_vector  (AccElementKind component, guint n);
ACC_AVAILABLE_IN_1_0
AccElementType *acc_element_type_parse       (const char *code, GError **error);
ACC_AVAILABLE_IN_1_0
AccElementType *acc_element_type_ref         (AccElementType *self);
ACC_AVAILABLE_IN_1_0
void            acc_element_type_unref       (AccElementType *self);
ACC_AVAILABLE_IN_1_0
AccElementKind  acc_element_type_get_kind    (AccElementType *self);
ACC_AVAILABLE_IN_1_0
const char     *acc_element_type_get_code    (AccElementType *self);
ACC_AVAILABLE_IN_1_0
gboolean        acc_element_type_is_scalar   (AccElementType *self);
ACC_AVAILABLE_IN_1_0
gboolean        acc_element_type_is_tuple    (AccElementType *self);
ACC_AVAILABLE_IN_1_0
gboolean        acc_element_type_is_packed   (AccElementType *self);
ACC_AVAILABLE_IN_1_0
guint           acc_element_type_get_n_items (AccElementType *self);
ACC_AVAILABLE_IN_1_0
AccElementType *acc_element_type_get_item    (AccElementType *self, guint item);
/* Leaves: the scalars of a type from left to right, nested ones flattened; a scalar is its own only leaf. */
ACC_AVAILABLE_IN_1_0
guint           acc_element_type_get_n_leaves (AccElementType *self);
ACC_AVAILABLE_IN_1_0
AccElementKind  acc_element_type_get_leaf    (AccElementType *self, guint leaf);
/* Buffers: what arrays have of memory, one for each scalar, complex number or vector of a tuple. */
ACC_AVAILABLE_IN_1_0
guint           acc_element_type_get_n_buffers (AccElementType *self);
ACC_AVAILABLE_IN_1_0
AccElementType *acc_element_type_get_buffer  (AccElementType *self, guint buffer);
/* Bytes of one element: the sum over its leaves (no padding, struct of arrays). */
ACC_AVAILABLE_IN_1_0
gsize           acc_element_type_get_size    (AccElementType *self);
ACC_AVAILABLE_IN_1_0
gsize           acc_element_kind_get_size    (AccElementKind kind);
ACC_AVAILABLE_IN_1_0
const char     *acc_element_kind_get_code    (AccElementKind kind);
ACC_AVAILABLE_IN_1_0
gboolean        acc_element_kind_is_integer  (AccElementKind kind);
ACC_AVAILABLE_IN_1_0
gboolean        acc_element_kind_is_signed   (AccElementKind kind);
ACC_AVAILABLE_IN_1_0
gboolean        acc_element_kind_is_float    (AccElementKind kind);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccElementType, acc_element_type_unref)

G_END_DECLS
