/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array.h"
#include "acc-error.h"
#include "acc-module-expr.h"
#include "acc-module-memory.h"
#include "acc-module-types.h"

G_BEGIN_DECLS

/* The graph of a program as backends read it: nodes of operations on arrays. Included by acc-module.h. All of it is immutable, and read by
 * any thread; what is borrowed from it lives as long as the program. */

/* --- operations */

typedef enum {
#define ACC_OPERATION(ID, ...) ACC_OP_##ID,
#include "acc-operations.inc"
#undef ACC_OPERATION
  ACC_N_OPERATIONS
} AccOperation;

/* Operations that are computed alike. */
typedef enum {
  ACC_FAMILY_LEAF,       /* its elements are given */
  ACC_FAMILY_FLOW,       /* running it decides its shape, and what is computed */
  ACC_FAMILY_ELEMENTS,   /* a function of the index, or of the elements there, or of both */
  ACC_FAMILY_ZIP,
  ACC_FAMILY_VIEW,       /* shows the memory of its input, or part of it */
  ACC_FAMILY_GATHER,     /* each element is one of its input, at another index */
  ACC_FAMILY_STENCIL,
  ACC_FAMILY_FOLD,
  ACC_FAMILY_FOLD_SEG,
  ACC_FAMILY_SCAN,
  ACC_FAMILY_SCAN_SEG,
  ACC_FAMILY_PERMUTE,
  ACC_FAMILY_SORT,
  ACC_FAMILY_MATMUL,
  ACC_FAMILY_FFT,
} AccOperationFamily;

/* Which rows of its inputs a row is computed from. */
typedef enum {
  ACC_ROWS_ALL,          /* any */
  ACC_ROWS_SAME,         /* that with the same number */
  ACC_ROWS_DEPENDS,      /* as the payload or the function says */
} AccOperationRows;

typedef enum {
  ACC_FACT_HAS_EXTENTS = 1 << 0,   /* there are .extents */
  ACC_FACT_TAKES_INDEX = 1 << 1,   /* the first parameter of its function is the index */
  ACC_FACT_FUSES       = 1 << 2,   /* whoever reads an element may compute it there, from elements of its inputs */
  ACC_FACT_ANCHORS     = 1 << 3,   /* it may be the anchor of a cluster */
  ACC_FACT_STORES      = 1 << 4,   /* no element is complete before all of its input was seen */
  ACC_FACT_FOLDS_ALL   = 1 << 5,   /* all elements, not those of each row */
} AccOperationFacts;

/* What the columns of acc-operations.inc say. */
typedef struct {
  const char        *name;
  int                n_inputs;
  const char        *functions;
  AccOperationFamily family;
  AccOperationRows   rows;
  guint              facts;      /* AccOperationFacts */
  const char        *section;
  const char        *since;
} AccOperationInfo;

/* Indexed by AccOperation. */
ACC_MODULE_API
const AccOperationInfo *acc_operation_get_info  (AccOperation operation);

static inline gboolean
acc_operation_has_fact (AccOperation operation, AccOperationFacts fact)
{
  return (acc_operation_get_info (operation)->facts & fact) != 0;
}

static inline AccOperationFamily
acc_operation_get_family (AccOperation operation)
{
  return acc_operation_get_info (operation)->family;
}

/* --- arrays */

typedef struct _AccOffer AccOffer;

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
  char           *made_by;      /* a GRefString: the name of the composed operation; NULL: @op itself */
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
  gpointer        payload;      /* what nodes of its kind alone have: of acc_array_get_stencil() and the others below */

  AccOffer       *offer;        /* what a backend may compute in place of the graph up to here; NULL for none */
  AccArray       *direct;       /* owned: a single operation with the same result, for backends that have a skeleton for it; NULL for
                                 * none */
};

struct _AccOffer {
  char           *name;
  guint           n_inputs;
  AccArray      **inputs;       /* owned; the node is computed from them */
  struct _AccExpansion *expansion; /* acc_array_work_out() makes inputs, functions and direct of the node by it; NULL: they are there */
  gboolean        prepares;     /* what the expansion makes computes arrays from nothing, which are worth computing once */
};

/* --- payloads: each has the type that its kind says */

typedef enum {
  ACC_PAYLOAD_NONE,
  ACC_PAYLOAD_DATA,             /* AccBuffer *[], one for each buffer of the type; NULL on an error */
  ACC_PAYLOAD_SOURCE,           /* AccSource */
  ACC_PAYLOAD_DEFERRED,         /* AccDeferred: computes it before the program runs */
  ACC_PAYLOAD_PARAMETER,        /* AccParameterPayload */
  ACC_PAYLOAD_ITEM,             /* guint */
  ACC_PAYLOAD_SELECTION,        /* AccSelectionPayload */
  ACC_PAYLOAD_STENCIL,          /* AccStencilPayload */
  ACC_PAYLOAD_PERMUTE,          /* AccPermutePayload */
  ACC_PAYLOAD_TRANSFORM,        /* AccTransformPayload */
  ACC_PAYLOAD_LOOP,             /* AccProgramsPayload: condition and step, both with a parameter per input, and step with as many results */
  ACC_PAYLOAD_FOREIGN,          /* AccProgramsPayload: the fallback alone, and the name */
} AccPayloadKind;

typedef struct {
  guint   position;
  gint64 *declared;             /* extents, -1 for unknown ones */
} AccParameterPayload;

/* For each dimension of the input (slice) or the result (replicate): %ACC_ALL, or an index or extent. */
typedef struct {
  guint   n;
  gint64 *entries;
} AccSelectionPayload;

/* Per input. */
typedef struct {
  gint64      *sizes[2];        /* rank entries each */
  AccBoundary *boundaries[2];
} AccStencilPayload;

/* Each element of the result gets exactly one of the source, in the order of the source, and is that; a hint, lost where nodes are made
 * again, but by acc_array_copy_same(). */
typedef struct {
  gboolean fills;
} AccPermutePayload;

#define ACC_FFT_MAX_PASSES 12
#define ACC_FFT_MAX_RADIX  16

/* The second input are roots of 1: all, or as rows of what element p of transform k of the first pass is turned by. */
typedef struct {
  guint    dimension;
  gboolean reverse;
  gboolean apart;       /* the bits of a row must not follow from the number of rows */
  guint    n_passes;
  gint64   radices[ACC_FFT_MAX_PASSES];
} AccTransformPayload;

typedef struct {
  AccProgram *programs[2];      /* owned */
  char       *name;
} AccProgramsPayload;

/* The payload, which must be of @kind. */
ACC_MODULE_API
gpointer       acc_array_get_payload  (AccArray *self, AccPayloadKind kind);
/* NULL where its elements are not in memory. */
ACC_MODULE_API
AccBuffer    **acc_array_get_buffers  (AccArray *self);
/* unzip; loop_result: which array of its input, a while_loop, which is the first itself */
ACC_MODULE_API
guint          acc_array_get_item     (AccArray *self);
/* Both, of while_loop and foreign, the second of which may be NULL; NULL for operations that have none. */
ACC_MODULE_API
AccProgram   **acc_array_get_programs (AccArray *self);

#define ACC_ARRAY_PAYLOAD(Type, name, KIND) \
  static inline Type *acc_array_get_##name (AccArray *self) { return acc_array_get_payload (self, ACC_PAYLOAD_##KIND); }

ACC_ARRAY_PAYLOAD (AccSource, source, SOURCE)
ACC_ARRAY_PAYLOAD (AccParameterPayload, parameter, PARAMETER)
ACC_ARRAY_PAYLOAD (AccSelectionPayload, selection, SELECTION)
ACC_ARRAY_PAYLOAD (AccStencilPayload, stencil, STENCIL)
ACC_ARRAY_PAYLOAD (AccPermutePayload, permute, PERMUTE)
ACC_ARRAY_PAYLOAD (AccTransformPayload, transform, TRANSFORM)

#undef ACC_ARRAY_PAYLOAD

/* Functions of elements and boundaries that it has; NULL after the last. Not its extents. */
ACC_MODULE_API
AccFunction   *acc_array_nth_function  (AccArray *self, guint n);
/* Adds the numbers of its payload, by which operations of the same functions and inputs are told apart. */
ACC_MODULE_API
void           acc_array_list_payload  (AccArray *self, GArray *numbers);

/* The name of the operation with its label: "take “label”"; that of a check says what is wrong, and is left out. Owned. */
ACC_MODULE_API
char      *acc_array_describe       (AccArray *self);
/* Stands in the label of a check for the number that it refuses: "there is no element {number}". */
#define ACC_REFUSED_NUMBER "{number}"
/* What the label of a check says of @number, or, where it is not known, of "this element"; NULL: @self, which
 * may be NULL, is no check. Owned. */
ACC_MODULE_API
char      *acc_array_refuse_number  (AccArray *self, gint64 number, gboolean is_known);
/* The sticky error with the current label of its node; NULL without one. Owned. */
ACC_MODULE_API
GError    *acc_array_dup_error      (AccArray *self);
/* A node of manifest data; takes over references to @buffers, as many as the type has. */
ACC_MODULE_API
AccArray  *acc_array_new_manifest   (AccElementType *type, AccShape *shape, AccBuffer **buffers);
/* Builds the graph behind an offer, if that was deferred. Any thread. */
ACC_MODULE_API
void       acc_array_work_out       (AccArray *self);
/* The n-th dependence of @array, which it builds first: inputs, then references; NULL after the last. */
ACC_MODULE_API
AccArray  *acc_array_nth_dependence (AccArray *array, guint n);
/* The same without building the graph behind an offer: the inputs of the offer are the dependences. */
ACC_MODULE_API
AccArray  *acc_array_nth_known_dependence (AccArray *array, guint n);
/* All nodes that @roots need, inputs and references first, each once. Does not enter programs of nodes. Iterative. Owned. */
ACC_MODULE_API
GPtrArray *acc_array_sort_nodes     (AccArray **roots, guint n_roots);
/* The same by acc_array_nth_known_dependence(). */
ACC_MODULE_API
GPtrArray *acc_array_sort_known_nodes (AccArray **roots, guint n_roots);

/* --- rows, which are indices of the outermost dimension */

/* Whether it takes rows of its first input, of @rank_of_input, in turn, and is complete after the last. */
ACC_MODULE_API
gboolean    acc_operation_reduces_rows (AccOperation operation, guint rank_of_input);
/* NULL: row r is computed from rows r - *above to r + *below of input @input; else why not: "reads rows in another order". @extents: of
 * the array and of the input; NULL where they are not known. */
ACC_MODULE_API
const char *acc_array_find_row_halo    (AccArray *self, guint input, const gint64 *extents, const gint64 *input_extents, gint64 *above,
                                        gint64 *below);
/* Whether a function of it, or its extents, read elements of @array, and do not only ask for extents. */
ACC_MODULE_API
gboolean    acc_array_reads_elements   (AccArray *self, AccArray *array);

/* --- names of foreign operations */

/* The names that acc itself has: products of matrices, and transforms along @n_dimensions dimensions, with @n_after after them. */
#define ACC_FOREIGN_PRODUCT "acc-matmul"

typedef struct {
  const char *name;
  guint       n_dimensions, n_after;
  gboolean    forward;
} AccForeignTransform;

/* NULL after the last. */
ACC_MODULE_API
const AccForeignTransform *acc_foreign_nth_transform (guint n);
/* Whether it is f4, f8, c8 or c16, the types of libraries. */
ACC_MODULE_API
gboolean          acc_foreign_type_is_float      (AccElementType *type, gboolean *is_complex, gboolean *is_wide);

/* The arguments of a function that replaces @node: its inputs, or those of its offer. */
ACC_MODULE_API
AccArray **acc_foreign_get_inputs (AccArray *node, guint *n_inputs);
/* The name of such a function. */
ACC_MODULE_API
const char *acc_foreign_get_name  (AccArray *node);

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

/* Evaluates the leaves of a closed function to an i64 or a tuple of them. *unknown, which may be NULL: it is left to the run. */
ACC_MODULE_API
gboolean  acc_closed_evaluate      (AccFunction *function, const AccClosedContext *context, gint64 *values, gboolean *unknown,
                                    GError **error);

/* The shape rule of every operation, once: writes rank extents, none negative, for @self, given those of its inputs and references. The
 * result of cond, while_loop and foreign is decided by running them: ACC_ERROR_UNSUPPORTED here. Checks what the rule demands
 * (equal sizes of reshape, slice indices, empty fold1): ACC_ERROR_SHAPE or BOUNDS with operation and label. */
ACC_MODULE_API
gboolean  acc_array_infer_extents  (AccArray *self, const AccShapeContext *context, gint64 *extents, GError **error);

G_END_DECLS
