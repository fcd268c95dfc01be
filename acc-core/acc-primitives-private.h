/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-element-type.h"

G_BEGIN_DECLS

typedef enum {
#define ACC_PRIMITIVE(ID, name, arity, operands, result) ACC_PRIM_##ID,
#include "acc-primitives.inc"
#undef ACC_PRIMITIVE
  ACC_N_PRIMITIVES
} AccPrimitive;

typedef enum {
  ACC_OPERANDS_NUM,
  ACC_OPERANDS_INT,
  ACC_OPERANDS_FLOAT,
  ACC_OPERANDS_LOGIC,
  ACC_OPERANDS_BOOL,
  ACC_OPERANDS_ANY,
  ACC_OPERANDS_SHIFT,
} AccOperands;

typedef enum {
  ACC_RESULT_SAME,
  ACC_RESULT_BOOL,
  ACC_RESULT_INT64,
} AccPrimitiveResult;

typedef struct {
  const char        *name;      /* as in the text form */
  guint              arity;
  AccOperands        operands;
  AccPrimitiveResult result;
} AccPrimitiveInfo;

/* Indexed by AccPrimitive. */
ACC_MODULE_API
const AccPrimitiveInfo *acc_primitive_get_info  (AccPrimitive primitive);
ACC_MODULE_API
gboolean                acc_primitive_accepts   (AccPrimitive primitive, AccElementKind kind);
/* Kind of the result for operands of @kind. */
ACC_MODULE_API
AccElementKind          acc_primitive_result    (AccPrimitive primitive, AccElementKind kind);
ACC_MODULE_API
gboolean                acc_primitive_from_name (const char *name, AccPrimitive *primitive);

G_END_DECLS
