/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array-private.h"

/* How nodes are built: begin with the inputs, set the fields of the operation, add its functions, complete. After a mistake every further
 * step only sinks its arguments, and complete returns the node with its error. */

/* The most scalars that an element may have: bounds tuples, neighbourhoods and what a parser accepts. */
#define ACC_MAX_LEAVES 65536

typedef struct {
  guint           n_params;
  AccElementType *params[3];
  AccElementType *result;       /* NULL: any; the default type where the result is weak */
} AccSignature;

/* What a kind of payload is; functions may be NULL where there is nothing to do but to copy or free @size bytes. */
typedef struct {
  AccPayloadKind kind;
  gsize          size;          /* of what a new node has, all 0 */
  void     (*clear)     (AccArray *node);
  /* When the bytes are copied: takes its own references and copies of what they point to */
  void     (*copy)      (AccArray *node, AccArray *from);
  /* As acc_array_copy_replaced() does */
  void     (*replace)   (AccArray *node, GHashTable *replaced, GHashTable *copies);
  /* As acc_array_list_payload() does */
  void     (*list)      (AccArray *node, GArray *numbers);
} AccPayloadClass;

/* The extents of a node, to be written. */
typedef struct {
  AccArray              *array;
  const AccShapeContext *context;
  gint64                *extents;
  GError               **error;
} AccInference;

/* What an operation is, besides its row; operations that are alike share one. */
typedef struct {
  /* Inputs and payload fit; sets node->rank where extents do not, and node->type where no function decides it. */
  gboolean (*check)     (AccArray *node);
  /* The signature of function number @function; NULL: there are only closed ones of any type */
  void     (*signature) (AccArray *node, guint function, AccSignature *signature);
  /* The shape rule; NULL: running it decides */
  gboolean (*infer)     (AccInference *self);
  /* NULL: none */
  const AccPayloadClass *payload;
  /* What can be said before a run, where running it decides: sets node->shape, or the error */
  void     (*set_shape) (AccArray *node);
} AccOperationClass;

const AccOperationClass *acc_operation_get_class   (AccOperation operation);
AccPayloadKind           acc_operation_get_payload (AccOperation operation);

/* Stands first in a function that composes an operation of others: nodes that are made until it returns have this name in messages. Of
 * nested functions the outermost counts. */
#define ACC_ARRAY_NAMED(operation) G_GNUC_UNUSED g_auto (AccNaming) acc_naming = acc_naming_begin (operation)

AccArray *acc_array_begin         (AccOperation op, AccArray **inputs, guint n_inputs);
/* Sets the error, the operation's name in front, unless there is one. FALSE, so that rules can return it. */
gboolean  acc_array_fail          (AccArray *node, AccError code, const char *format, ...) G_GNUC_PRINTF (3, 4);
gboolean  acc_array_fail_argument (AccArray *node, const char *argument);
void      acc_array_call1         (AccArray *node, guint slot, AccExprFunc function, gpointer user_data);
void      acc_array_call2         (AccArray *node, guint slot, AccExprFunc2 function, gpointer user_data);
void      acc_array_call3         (AccArray *node, guint slot, AccExprFunc3 function, gpointer user_data);
/* A closed function of @value, resolved to what the rule wants; sinks @value. */
void      acc_array_close         (AccArray *node, guint slot, AccExpr *value);
void      acc_array_take_function (AccArray *node, guint slot, AccFunction *function);
/* A fold, or one of segments, whose function calls @function, with what that says of itself. */
AccArray *acc_array_keep_commutes (AccArray *fold, AccFunction *function);
void      acc_array_set_extents        (AccArray *node, AccShape *shape);
void      acc_array_set_extents_expr   (AccArray *node, AccExpr *shape);
void      acc_array_take_extents       (AccArray *node, AccFunction *extents);
void      acc_array_set_selection      (AccArray *node, const gint64 *entries, guint n);
void      acc_array_set_item           (AccArray *node, guint item);
/* Of while_loop and foreign; @program may be NULL. */
void      acc_array_set_program        (AccArray *node, guint number, AccProgram *program);
void      acc_array_set_sizes          (AccArray *node, guint input, const gint64 *sizes, guint n);
void      acc_array_set_boundary       (AccArray *node, guint input, AccBoundary *boundary);
AccArray *acc_array_complete      (AccArray *node);
/* Collects all arrays that its functions, boundaries, extents and programs refer to. */
void      acc_array_collect_references (AccArray *node);

/* Releases later, when called from within a release: long chains must not recurse. */
void      acc_array_release       (gpointer object, GDestroyNotify release);
/* TRUE and the rank where @type is an index type. */
gboolean  acc_index_type_get_rank (AccElementType *type, guint *rank);
/* A variable that @function's body reads and that is not bound, or NULL. */
AccExpr  *acc_function_find_free_variable (AccFunction *function);
/* Extents as array->shape holds them: negative ones are 0. FALSE on overflow of elements or bytes. */
gboolean  acc_extents_check_size  (const gint64 *extents, guint rank, AccElementType *type, gint64 *size);
/* Infers the extents that are known before a run; sets shape or, if the rule is broken, the error. */
void      acc_array_infer_static  (AccArray *node);
/* The same by elements of arrays in memory, while graphs run. */
void      acc_array_infer_known   (AccArray *node);
/* The shape of @node is that of both, where it is known and the same. */
void      acc_array_set_common_shape (AccArray *node, AccArray *a, AccArray *b);
/* What a program declares of the extents of @parameter is true of those of @value, its @name, as far as they are known; or the error is
 * set. */
gboolean  acc_array_check_declared   (AccArray *node, AccArray *parameter, AccArray *value, const char *name);

/* For shape rules. Sets the error, the node's name and label in front. */
gboolean      acc_inference_fail       (AccInference *self, AccError code, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Valid until the next call; NULL: the error is set. */
const gint64 *acc_inference_get_extents (AccInference *self, guint input);
/* Rules: the extents of the first input; the least of all inputs; what .extents says. */
gboolean      acc_infer_first          (AccInference *self);
gboolean      acc_infer_least          (AccInference *self);
gboolean      acc_infer_given          (AccInference *self);

extern const AccPayloadClass acc_payload_item;

/* Of functions that take an element of each input. */
void      acc_array_elements_signature (AccArray *node, guint function, AccSignature *signature);

#define ACC_OPERATION(ID, name, n_inputs, functions, class, ...) extern const AccOperationClass acc_class_##class;
#include "acc-operations.inc"
#undef ACC_OPERATION

/* For operations that are made of others: an i8, and an index or extents of @rank (@items may be used again). */
AccExpr  *acc_array_number        (gint64 value);
AccExpr  *acc_array_join_items    (AccExpr **items, guint rank);
/* The extents of @array; free the vector. */
AccExpr **acc_array_list_extents  (AccArray *array);
/* The index of @array at @place of @dimension, else at @index, which is borrowed; the same in the row of @index. */
AccExpr  *acc_array_index_along   (AccArray *array, guint dimension, AccExpr *index, AccExpr *place);
AccExpr  *acc_array_index_in_row  (AccArray *array, AccExpr *index, AccExpr *place);
/* Pairs (b1, …). */
gboolean  acc_array_is_optional   (AccElementType *type);
/* @node, which has an error, for an operation with two results; @second may be NULL. */
AccArray *acc_array_refuse        (AccArray *node, AccArray **second);
/* The type for sums, and for comparisons that round: f4 for f2 and f4, else f8. */
AccElementType *acc_array_float_type (AccElementType *type);
/* Resolves a dimension, -1 being the innermost; FALSE: there is none, and @node has the error. */
gboolean  acc_array_find_dimension (AccArray *node, AccArray *array, const char *operation, gint dimension, guint *found);
/* The row-major number of the first @n items of @index in the outermost dimensions of @array. */
AccExpr  *acc_array_outer_place   (AccArray *array, AccExpr *index, guint n);
/* Checks that ranks, and extents as far as they are known, are equal; @what: the operation and the role of @other, for the message. */
gboolean  acc_array_check_extents (AccArray *node, const char *what, AccArray *self, AccArray *other);
/* Returns @other, which passed the check above, with the extents of @self: %ACC_ERROR_BOUNDS at run time if they turn out to differ. */
AccArray *acc_array_match_extents (AccArray *self, AccArray *other);
/* x; x + y, x · y, the smaller and the larger of them. */
AccExpr  *acc_array_first_element (AccExpr *x, AccExpr *y, gpointer data);
AccExpr  *acc_array_add_elements  (AccExpr *x, AccExpr *y, gpointer data);
AccExpr  *acc_array_mul_elements  (AccExpr *x, AccExpr *y, gpointer data);
AccExpr  *acc_array_min_elements  (AccExpr *x, AccExpr *y, gpointer data);
AccExpr  *acc_array_max_elements  (AccExpr *x, AccExpr *y, gpointer data);
/* Whether they are equal, all items of tuples; NaN is itself. */
AccExpr  *acc_array_same_elements (AccExpr *x, AccExpr *y, gpointer data);
