/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-expr.h"

G_BEGIN_DECLS

/* Scalar primitives, expressions and functions, as backends read them. Included by acc-module.h. All of it is immutable, and read by any
 * thread; what is borrowed from it lives as long as the program. */

/* --- primitives */

typedef enum {
#define ACC_PRIMITIVE(ID, name, arity, operands, result, family, cost, value) ACC_PRIM_##ID,
#include "acc-primitives.inc"
#undef ACC_PRIMITIVE
  ACC_N_PRIMITIVES
} AccPrimitive;

typedef enum {
  ACC_OPERANDS_NUM,
  ACC_OPERANDS_INT,
  ACC_OPERANDS_FLOAT,
  ACC_OPERANDS_LOGIC,
  ACC_OPERANDS_ANY,
  ACC_OPERANDS_SHIFT,
} AccOperands;

typedef enum {
  ACC_RESULT_SAME,
  ACC_RESULT_BOOL,
  ACC_RESULT_INT64,
} AccPrimitiveResult;

typedef enum {
  ACC_FAMILY_REDUCTION,
  ACC_FAMILY_DIVISION,
  ACC_FAMILY_COMPARISON,
  ACC_FAMILY_TRANSCENDENTAL,
  ACC_FAMILY_OTHER,
} AccPrimitiveFamily;

/* What the columns of acc-primitives.inc say. */
typedef struct {
  const char        *name;      /* as in the text form */
  guint              arity;
  AccOperands        operands;
  AccPrimitiveResult result;
  AccPrimitiveFamily family;
  guint              cost;
} AccPrimitiveInfo;

/* Indexed by AccPrimitive. */
ACC_MODULE_API
const AccPrimitiveInfo *acc_primitive_get_info  (AccPrimitive primitive);
/* Whether operands may be of @kind. */
ACC_MODULE_API
gboolean                acc_primitive_accepts   (AccPrimitive primitive, AccElementKind kind);
/* Kind of the result for operands of @kind. */
ACC_MODULE_API
AccElementKind          acc_primitive_result    (AccPrimitive primitive, AccElementKind kind);

static inline gboolean
acc_primitive_is (AccPrimitive       primitive,
                  AccPrimitiveFamily family)
{
  return acc_primitive_get_info (primitive)->family == family;
}

/* Of a division: whether it gives the quotient, not the remainder; and whether quotients are rounded down, not towards 0. */
static inline gboolean
acc_primitive_wants_quotient (AccPrimitive division)
{
  return division == ACC_PRIM_QUOT || division == ACC_PRIM_DIV;
}

static inline gboolean
acc_primitive_floors (AccPrimitive division)
{
  return division == ACC_PRIM_DIV || division == ACC_PRIM_MOD;
}

/* --- values of scalars */

/* A scalar as in a register: signed kinds with their sign extended; bool, unsigned kinds and the bits of floats with zeros. */
typedef union {
  gint64  i;
  guint64 u;
} AccScalar;

/* What computes a primitive of scalars; one of one operand does not look at @y. Divisions that fail have a result, too. */
typedef AccScalar (*AccScalarFunc) (AccScalar x, AccScalar y);

/* NULL where operands may not be of @kind. */
ACC_MODULE_API
AccScalarFunc           acc_primitive_get_function (AccPrimitive primitive, AccElementKind kind);
/* Whether it is a failure where checks are on: a division by 0, or with a quotient that does not fit. */
ACC_MODULE_API
gboolean                acc_primitive_fails     (AccPrimitive primitive, AccElementKind kind, AccScalar x, AccScalar y);
/* As casts do. */
ACC_MODULE_API
AccScalar               acc_scalar_cast         (AccElementKind from, AccElementKind to, AccScalar x);
/* From a kind of as many bits. */
ACC_MODULE_API
AccScalar               acc_scalar_bitcast      (AccElementKind to, AccScalar x);
/* The nearest that @kind has; integers truncated and saturated, NaN as 0. */
ACC_MODULE_API
AccScalar               acc_scalar_from_double  (AccElementKind kind, double value);
/* The value as a double; integers of 64 bits are rounded. */
ACC_MODULE_API
double                  acc_scalar_to_double    (AccElementKind kind, AccScalar x);
/* Element @index of elements of @kind in memory. */
ACC_MODULE_API
AccScalar               acc_scalar_load         (AccElementKind kind, const void *data, gint64 index);
/* Writes element @index of elements of @kind in memory. */
ACC_MODULE_API
void                    acc_scalar_store        (AccElementKind kind, void *data, gint64 index, AccScalar x);

/* --- expressions and functions */

/* A scalar function: parameters and a body. Immutable, atomically counted. */
typedef struct _AccFunction {
  gatomicrefcount  ref_count;
  AccExpr         *body;        /* owned; strong (resolved) */
  GPtrArray       *arrays;      /* AccArray, owned: those the body (and nested functions) reads or asks the extent of, once each, in order
                                 * of appearance */
  guint            n_params;
  AccExpr         *params[3];   /* owned variables */
  gboolean         commutes;    /* both parameters may be exchanged, though the result may differ in the last bits */
} AccFunction;

/* Adds a reference. */
ACC_MODULE_API
AccFunction *acc_function_ref   (AccFunction *self);
/* Drops one. */
ACC_MODULE_API
void         acc_function_unref (AccFunction *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccFunction, acc_function_unref)

typedef enum {
  ACC_EXPR_LITERAL,       /* scalar constant */
  ACC_EXPR_VARIABLE,      /* parameter of an AccFunction; its identity is its address */
  ACC_EXPR_PRIMITIVE,     /* args[0..arity) */
  ACC_EXPR_CAST,          /* args[0], numeric conversion to type: saturating, NaN to 0, narrowing wraps */
  ACC_EXPR_BITCAST,       /* args[0], same bits as another scalar type of equal size */
  ACC_EXPR_TUPLE,         /* args[0..n): a tuple, or a complex number or vector where that is its type */
  ACC_EXPR_ITEM,          /* args[0] such a thing, item */
  ACC_EXPR_COND,          /* args: condition, then, otherwise; only the taken side is evaluated */
  ACC_EXPR_WHILE,         /* args[0] initial; functions[0] predicate, functions[1] step, both of one parameter */
  ACC_EXPR_INDEX,         /* array at args[0]: i64 for rank 1, else a tuple of rank i64s ("()" for rank 0) */
  ACC_EXPR_LINEAR_INDEX,  /* array at row-major args[0], an i64 */
  ACC_EXPR_EXTENT,        /* i64: extent of array in dimension item */
  ACC_EXPR_ERROR,         /* carries error; every expression on it does too */
} AccExprKind;

/* Immutable once built. Sharing is by object identity: an expression reached twice is evaluated once. */
struct _AccExpr {
  gatomicrefcount  ref_count;
  gint             floating;   /* atomic */
  AccExprKind      kind : 8;
  guint            weak : 1;   /* an untyped literal, or a tuple or choice of such: adapts to its partner; type is its default (i8, f8) */
  guint            reads : 1;  /* it, or something below it, reads an array or asks for its extent */
  guint            keeps : 1;  /* it, or something below it, has an origin */
  AccPrimitive     primitive;
  AccElementType  *type;       /* NULL for ACC_EXPR_ERROR */
  guint            item;
  AccScalar        value;      /* literal */
  AccArray        *array;      /* owned: index, linear index, extent */
  AccFunction     *functions[2];
  GError          *error;
  AccExpr         *origin;     /* owned: arguments of the constructor that are not part of the expression, but may still be used by the
                                * caller */
  guint            n_args;
  AccExpr         *args[];     /* owned */
};

G_END_DECLS
