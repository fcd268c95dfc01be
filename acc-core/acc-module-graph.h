/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array.h"
#include "acc-error.h"
#include "acc-module-memory.h"
#include "acc-program.h"

G_BEGIN_DECLS

/* The graph of a program as backends read it: nodes of operations on arrays, functions of scalars, expressions. Included by
 * acc-module.h. All of it is immutable, and read by any thread; what is borrowed from it lives as long as the program. */

/* --- lists of what there is */

typedef enum {
#define ACC_OPERATION(ID, name, n_inputs, functions, section, since) ACC_OP_##ID,
#include "acc-operations.inc"
#undef ACC_OPERATION
  ACC_N_OPERATIONS
} AccOperation;

/* What the columns of acc-operations.inc say. */
typedef struct {
  const char *name;
  int         n_inputs;
  const char *functions;
  const char *section;
  const char *since;
} AccOperationInfo;

/* Indexed by AccOperation. */
ACC_MODULE_API
const AccOperationInfo *acc_operation_get_info  (AccOperation operation);

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

/* What the columns of acc-primitives.inc say. */
typedef struct {
  const char        *name;      /* as in the text form */
  guint              arity;
  AccOperands        operands;
  AccPrimitiveResult result;
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

/* --- where elements lie in buffers */

/* Where a leaf lies: that of element i is scalar i * lanes + lane of the buffer. */
typedef struct {
  AccElementKind kind;
  guint          buffer;
  guint          lane, lanes;
} AccLeafPlace;

/* That of leaf @leaf; borrowed. */
ACC_MODULE_API
const AccLeafPlace *acc_element_type_locate          (AccElementType *self, guint leaf);
/* How many leaves the items before @item have. */
ACC_MODULE_API
guint               acc_element_type_get_first_leaf  (AccElementType *self, guint item);
/* Bytes from one element to the next in a buffer. */
ACC_MODULE_API
gsize               acc_element_type_get_buffer_size (AccElementType *self, guint buffer);
/* The greatest of these; 1 without buffers. */
ACC_MODULE_API
gsize               acc_element_type_get_widest      (AccElementType *self);

/* --- scalar expressions and functions */

/* A scalar function: parameters and a body. Immutable, atomically counted. */
typedef struct _AccFunction {
  gatomicrefcount  ref_count;
  AccExpr         *body;        /* owned; strong (settled) */
  GPtrArray       *arrays;      /* AccArray, owned: those the body (and nested functions) reads or asks the extent of, once each, in order of appearance */
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

typedef union {
  gint64  i;              /* signed kinds; bool as 0 or 1 */
  guint64 u;              /* unsigned kinds */
  double  f;              /* f16, f32, f64: already rounded to the kind */
} AccScalar;

/* Immutable once built. Sharing is by object identity: an expression reached twice is evaluated once. */
struct _AccExpr {
  gatomicrefcount  ref_count;
  gint             floating;   /* atomic */
  AccExprKind      kind : 8;
  guint            weak : 1;   /* an untyped literal, or a tuple or choice of such: adapts to its partner; type is its default (i8, f8) */
  guint            reads : 1;  /* it, or something below it, reads an array or asks for its extent */
  AccPrimitive     primitive;
  AccElementType  *type;       /* NULL for ACC_EXPR_ERROR */
  guint            item;
  AccScalar        value;      /* literal */
  AccArray        *array;      /* owned: index, linear index, extent */
  AccFunction     *functions[2];
  GError          *error;
  AccExpr         *origin;     /* owned: given to the constructor, no part of the expression, but perhaps still in the caller's hands */
  guint            n_args;
  AccExpr         *args[];     /* owned */
};

/* --- arrays */

struct _AccBoundary {
  gatomicrefcount ref_count;
  AccBoundaryKind kind;
  AccFunction    *function;   /* CONSTANT: closed, of the element; FUNCTION: index to element; else NULL */
  guint           rank;       /* FUNCTION */
};

/* A node of the graph. Immutable but for the label. Backends read all fields, and write none. */
struct _AccArray {
  GObject         parent_instance;

  AccOperation    op;
  char           *made_by;      /* a GRefString: the operation that was asked for, where that is made of others; NULL: @op itself */
  AccElementType *type;         /* NULL when error is set */
  guint           rank;
  AccShape       *shape;        /* NULL: not known before a run */
  GError         *error;        /* sticky; a node with an error has no usable fields but op, label and origin */
  AccArray       *origin;       /* owned: the node whose error this one copied; NULL where it began */
  char           *label;

  guint           n_inputs;
  AccArray      **inputs;       /* owned */
  guint           n_functions;
  AccFunction    *functions[2]; /* in the order of the table; a fold's seed is functions[1], a fill's value functions[0], closed */
  AccFunction    *extents;      /* generate, fill, reshape, backpermute: closed, of index type; NULL otherwise */
  GPtrArray      *references;   /* AccArray, owned: arrays that functions, extents and boundaries read or ask the extent of,
                                 * and what the programs of while_loop and foreign capture; once each; never NULL */

  /* use: one for each buffer of the type */
  AccBuffer     **buffers;
  /* source */
  AccSource      *source;
  /* parameter: its position; declared extents, -1 for unknown ones */
  guint           parameter;
  gint64         *declared;
  /* unzip; loop_result: which array of its input, a while_loop, which is the first itself */
  guint           item;
  /* slice, replicate; fft: the dimension, whether it is the reverse one, and the radices of passes */
  gint64         *specification;
  guint           n_specification;
  /* stencil, stencil2: per input */
  gint64         *sizes[2];     /* rank entries each */
  AccBoundary    *boundaries[2];
  /* while_loop: condition and step, both with a parameter per input, and step with as many results; foreign: the fallback */
  AccProgram     *programs[2];
  /* foreign: its name; others: that of what a backend may compute in place of the graph up to here, and of what: NULL for none */
  char           *foreign_name;
  guint           n_offered;
  AccArray      **offered;      /* owned; this node is computed from them */
  struct _AccExpansion *expansion; /* acc_array_work_out() makes inputs, functions and direct by it; NULL: they are there */
  /* permute: each element of the result gets exactly one of the source, and is that; a hint, lost where nodes are made again */
  gboolean        fills;
  AccArray       *direct;       /* owned: one operation, on what this node is composed of, for backends that have it; NULL for none */
};

/* Where an fft's radices begin in its specification, and what they are at most. Its second input are roots of 1: all, or as rows
 * of what element p of transform k of the first pass is turned by. */
#define ACC_FFT_RADICES    2
#define ACC_FFT_MAX_PASSES 12
#define ACC_FFT_MAX_RADIX  16

/* The operation that was asked for, with its label: "take “label”". Owned. */
ACC_MODULE_API
char      *acc_array_describe       (AccArray *self);
/* The sticky error with the label that its node has by now; NULL without one. Owned. */
ACC_MODULE_API
GError    *acc_array_dup_error      (AccArray *self);
/* A node of manifest data; takes over references to @buffers, as many as the type has. */
ACC_MODULE_API
AccArray  *acc_array_new_manifest   (AccElementType *type, AccShape *shape, AccBuffer **buffers);
/* Makes what an offer stands for, where that was left to whoever asks first. Any thread. */
ACC_MODULE_API
void       acc_array_work_out       (AccArray *self);
/* What @array, which it works out, reads: inputs first, then references; NULL after the last. */
ACC_MODULE_API
AccArray  *acc_array_nth_dependence (AccArray *array, guint n);
/* The same of one that stays as it is: what it is computed from in the end is what it offers. */
ACC_MODULE_API
AccArray  *acc_array_nth_known_dependence (AccArray *array, guint n);
/* All nodes that @roots need, inputs and references first, each once. Does not enter programs of nodes. Iterative. Owned. */
ACC_MODULE_API
GPtrArray *acc_array_sort_nodes     (AccArray **roots, guint n_roots);
/* The same by acc_array_nth_known_dependence(). */
ACC_MODULE_API
GPtrArray *acc_array_sort_known_nodes (AccArray **roots, guint n_roots);

/* --- extents */

/* Resolves closed i64 expressions at run time: value of leaf @leaf of a manifest or computed @array at a linear index. */
typedef struct {
  /* extents of an array that @infer depends on; NULL with @error set when impossible */
  const gint64 *(*get_extents) (AccArray *array, gpointer user_data, GError **error);
  /* value of a closed function of index type or i64 that reads elements; needed only when extents come from computed data */
  gboolean      (*evaluate)    (AccFunction *function, gint64 *values, gpointer user_data, GError **error);
  gpointer       user_data;
} AccShapeContext;

/* The same for functions without an @evaluate: what they read is at hand, or they are left to the run. */
typedef struct {
  const gint64 *(*get_extents) (AccArray *array, gpointer user_data, GError **error);
  /* The manifest array that holds the elements of @array, or NULL; without it nothing loops or reads elements */
  AccArray     *(*find_data)   (AccArray *array, gpointer user_data);
  gpointer       user_data;
} AccClosedContext;

/* Values of the leaves of a closed function to an i64 or a tuple of them. *unknown, which may be NULL: it is left to the run. */
ACC_MODULE_API
gboolean  acc_closed_evaluate      (AccFunction *function, const AccClosedContext *context, gint64 *values, gboolean *unknown, GError **error);

/* The shape rule of every operation, once: writes rank extents, none negative, for @self, given those of its inputs and references. The
 * result of cond, while_loop and foreign is decided by running them: ACC_ERROR_UNSUPPORTED here. Checks what the rule demands
 * (equal sizes of reshape, slice indices, empty fold1): ACC_ERROR_SHAPE or BOUNDS with operation and label. */
ACC_MODULE_API
gboolean  acc_array_infer_extents  (AccArray *self, const AccShapeContext *context, gint64 *extents, GError **error);

/* --- programs */

/* Arrays outside a program that its body reads: the maximal nodes that do not depend on its parameters and are not
 * mere generate or fill without references. Borrowed. */
ACC_MODULE_API
GPtrArray *acc_program_get_captures (AccProgram *self);
/* What stands for its arguments; @n of them, borrowed. */
ACC_MODULE_API
AccArray **acc_program_get_parameter_nodes (AccProgram *self, guint *n);
/* What it gives; @n of them, borrowed. */
ACC_MODULE_API
AccArray **acc_program_get_result_nodes    (AccProgram *self, guint *n);

G_END_DECLS
