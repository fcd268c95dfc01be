/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-private.h"

/* Lifting: from a function of arrays, traced once, to flat operations that apply it to many elements at once. Nested arrays and sequences
 * use it; nothing below them knows of it. */

/* --- where elements lie in flat values */

typedef struct {
  gatomicrefcount ref_count;
  guint           rank;       /* of an element */
  AccArray       *offsets;    /* i8: where each element begins, and where the last ends; from 0 */
  AccArray       *extents;    /* an index for each element; NULL for rank 1, where offsets say it */
  int             even;       /* whether elements are about as long: 1, or -1; 0: nobody asked yet */
  GMutex          lock;
  AccArray       *numbers;    /* i8 for each value: the element that it is of; NULL: nobody asked yet */
} AccNesting;

/* Takes over @offsets and @extents. */
AccNesting *acc_nesting_new         (guint rank, AccArray *offsets, AccArray *extents);
AccNesting *acc_nesting_ref         (AccNesting *self);
void        acc_nesting_unref       (AccNesting *self);
/* Borrowed. */
AccArray   *acc_nesting_get_numbers (AccNesting *self);
AccArray   *acc_nesting_dup_lengths (AccNesting *self);
/* Whether elements are in memory, and about as long as their neighbours; of parameters, what was set. */
gboolean    acc_nesting_is_even     (AccNesting *self);
void        acc_nesting_set_even    (AccNesting *self, gboolean even);
/* Of the same values in as many vectors. */
AccNesting *acc_nesting_flatten     (AccNesting *self);
/* Expressions: how many elements and values there are; where element @k begins. */
AccExpr    *acc_nesting_count       (AccNesting *self);
AccExpr    *acc_nesting_total       (AccNesting *self);
AccExpr    *acc_nesting_begin       (AccNesting *self, AccExpr *k);
AccExpr    *acc_nesting_length      (AccNesting *self, AccExpr *k);
/* An i8 or a tuple of them. */
AccExpr    *acc_nesting_extents     (AccNesting *self, AccExpr *k);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccNesting, acc_nesting_unref)

/* --- an array for each element */

typedef enum {
  ACC_LIFTED_CONSTANT,        /* one array, the same for all elements */
  ACC_LIFTED_REGULAR,         /* an array with one more outermost dimension */
  ACC_LIFTED_IRREGULAR,       /* flat values with a nesting */
} AccLiftedForm;

/* Immutable. */
typedef struct {
  gatomicrefcount ref_count;
  AccLiftedForm   form;
  guint           rank;       /* of an element */
  AccArray       *values;
  AccNesting     *nesting;    /* irregular ones */
} AccLifted;

/* Take over what they are given; the nesting's rank is that of elements. */
AccLifted *acc_lifted_new_constant  (AccArray *array);
AccLifted *acc_lifted_new_regular   (AccArray *values);
AccLifted *acc_lifted_new_irregular (AccNesting *nesting, AccArray *values);
AccLifted *acc_lifted_ref           (AccLifted *self);
void       acc_lifted_unref         (AccLifted *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccLifted, acc_lifted_unref)

/* The arrays that it consists of, at most 3, borrowed; returns how many. */
guint      acc_lifted_list_arrays   (AccLifted *self, AccArray **arrays);
/* For programs, which know of arrays alone: adds those that it consists of to @parts, which owns them; and makes one of the same form of
 * those from @*next on. */
void       acc_lifted_list_parts    (AccLifted *self, GPtrArray *parts);
AccLifted *acc_lifted_join_parts    (AccLifted *self, GPtrArray *parts, guint *next);
/* Parameters that stand for @parts; owned. */
GPtrArray *acc_lifted_stand_for     (GPtrArray *parts);

/* Expressions of element number @k, which may be NULL where the form does not need it. */
AccExpr   *acc_lifted_extent        (AccLifted *self, AccExpr *k, guint dimension);
AccExpr   *acc_lifted_extents       (AccLifted *self, AccExpr *k);
AccExpr   *acc_lifted_size          (AccLifted *self, AccExpr *k);
/* The smallest of several of one rank, in each dimension. */
AccExpr   *acc_lifted_least_extents (AccLifted **lifted, guint n, AccExpr *k);
/* What is outside the element is a bounds error. */
AccExpr   *acc_lifted_read          (AccLifted *self, AccExpr *k, AccExpr *index);
AccExpr   *acc_lifted_read_linear   (AccLifted *self, AccExpr *k, AccExpr *place);
/* The same of a place that is known to be inside. */
AccExpr   *acc_lifted_read_inside   (AccLifted *self, AccExpr *k, AccExpr *place);

/* --- lifting */

typedef struct _AccLift AccLift;

struct _AccLift {
  AccLift    *parent;         /* NULL: of all elements */
  AccArray   *selection;      /* owned i8: the elements of the parent that are these; NULL: all */
  AccArray   *index;          /* owned i8: 0, 1 … */
  GHashTable *lifted;         /* AccArray → AccLifted, owned */
  GHashTable *loops;          /* AccArray, a while_loop → GPtrArray of AccLifted: its results */
  GHashTable *composed;       /* AccArray: products and transforms that are lifted by what they are composed of */
  gboolean    in_steps;       /* of a walk, which floats must not show */
  gboolean    is_composed;    /* segments are grouped as what they are composed of */
  gboolean    on_device;      /* elements are not gone through in loops of processors */
  gboolean    no_library;     /* transforms of steps are acc's own: a library may show how many there are */
  gboolean    varies;         /* other elements of the same may be irregular where these are regular */
};

/* @count: an array with as many in its outermost dimension. */
AccLift   *acc_lift_new             (AccArray *count);
/* For a program of a node (@selection NULL) or some elements; @parent must live longer. */
AccLift   *acc_lift_new_within      (AccLift *parent, AccArray *selection);
void       acc_lift_free            (AccLift *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccLift, acc_lift_free)

/* What stands for @parameter. Takes over @value. */
void       acc_lift_bind            (AccLift *self, AccArray *parameter, AccLifted *value);
/* @node for each element; borrowed. Iterative in inputs, linear in the nodes. */
AccLifted *acc_lift_array           (AccLift *self, AccArray *node);
/* Binds the folds under @node that loops over the values of each element compute, where what is bound suits that. */
void       acc_lift_in_loops        (AccLift *self, AccArray *node);
/* Number of elements. */
AccExpr   *acc_lift_count           (AccLift *self);

/* --- for rules */

/* A rule of an operation: @node, one of whose inputs or references depends on the element. */
typedef AccLifted *(*AccLiftRule) (AccLift *self, AccArray *node);

#define ACC_OPERATION(ID, name, n_inputs, functions, class, family, rows, facts, lifting, ...) \
  AccLifted *acc_lift_##lifting (AccLift *self, AccArray *node);
#include "acc-operations.inc"
#undef ACC_OPERATION

/* Whether @node, a product or transform, may be lifted as one, from what acc_lift_nth_operand() gives and not from what it is composed
 * of; and that, NULL where elements are not regular. */
gboolean   acc_lift_is_whole        (AccArray *node);
AccArray  *acc_lift_nth_operand     (AccArray *node, guint n);
AccLifted *acc_lift_whole           (AccLift *self, AccArray *node);

/* The transform, unnormalised, of complex numbers along the innermost dimensions of irregular elements; owned. */
AccLifted *acc_lift_fft             (AccLift *self, AccLifted *input, guint n_dimensions, gboolean forward);

/* Borrowed; it was lifted before. */
AccLifted *acc_lift_get             (AccLift *self, AccArray *node);
AccLifted *acc_lift_get_input       (AccLift *self, AccArray *node, guint input);
/* Whether @function, which may be NULL, depends on the element. */
gboolean   acc_lift_depends         (AccLift *self, AccFunction *function);
/* Whether closed @function, which may be NULL, is the same for all elements, as what asks only for extents that are. */
gboolean   acc_lift_is_uniform      (AccLift *self, AccFunction *function);
/* The body of @function for @args in place of its parameters and of element @k; floating. */
AccExpr   *acc_lift_apply           (AccLift *self, AccFunction *function, AccExpr *k, AccExpr **args);

/* Of outermost index and the others, and back: an i8 or a tuple. */
AccExpr   *acc_lift_join_index      (AccExpr *k, AccExpr *index, guint rank);
AccExpr   *acc_lift_outer_index     (AccExpr *index, guint rank);
AccExpr   *acc_lift_inner_index     (AccExpr *index, guint rank);
AccExpr   *acc_lift_unravel         (AccExpr *place, AccExpr *extents, guint rank);
AccExpr   *acc_lift_ravel           (AccExpr *index, AccExpr *extents, guint rank);
AccExpr   *acc_lift_index_item      (AccExpr *index, guint rank, guint item);
/* Index @at of an extent, however far outside it is, by a boundary that is no function. */
AccExpr   *acc_lift_map_inside      (AccBoundaryKind kind, AccExpr *at, AccExpr *extent);
AccExpr   *acc_lift_is_inside       (AccExpr *index, AccExpr *extents, guint rank);
AccExpr   *acc_lift_product         (AccExpr *extents, guint rank);

/* A function of a node, for callbacks. */
typedef struct {
  AccLift     *lift;
  AccFunction *function;
} AccLiftCall;

/* The same operation with the same function on other inputs, which nothing in it depends on the element of. */
AccArray  *acc_lift_take_over       (AccArray *node, AccArray **inputs);
/* Callbacks that combine two values by an AccLiftCall: as they are, and with the number of the element that both are of. */
AccExpr   *acc_lift_combine          (AccExpr *x, AccExpr *y, gpointer call);
AccExpr   *acc_lift_combine_numbered (AccExpr *x, AccExpr *y, gpointer call);
/* (k, x) */
AccExpr   *acc_lift_number_with      (AccExpr *k, AccExpr *x, gpointer unused);
/* What @function makes of the number of its element and each value of @lifted, which is not constant. */
AccArray  *acc_lift_zip_numbers      (AccLifted *lifted, AccExprFunc2 function, gpointer data);

/* Conversions upwards; owned. */
AccLifted *acc_lift_to_regular      (AccLift *self, AccLifted *lifted);
AccLifted *acc_lift_to_irregular    (AccLift *self, AccLifted *lifted);

typedef AccExpr *(*AccLiftExtents) (AccLift *self, AccExpr *k, gpointer data);
typedef AccExpr *(*AccLiftElement) (AccLift *self, AccExpr *k, AccExpr *index, gpointer data);

/* The vector @values, with %ACC_ERROR_SHAPE, labelled as @node and @what, where @holds (b1) is false for an element. */
typedef AccExpr *(*AccLiftDemand) (AccLift *self, AccExpr *k, gpointer data);
AccArray  *acc_lift_demand          (AccLift *self, AccArray *values, AccLiftDemand holds, gpointer data, AccArray *node,
                                     const char *what);

/* What @extents says of each element; negative ones count as 0. */
AccNesting *acc_lift_new_nesting    (AccLift *self, guint rank, AccLiftExtents extents, gpointer data);
/* Elements of @nesting, or regular ones of @extents that are the same for all, from their numbers and indices. */
AccLifted *acc_lift_make        (AccLift *self, AccNesting *nesting, AccLiftElement element, gpointer data);
AccLifted *acc_lift_make_regular (AccLift *self, guint rank, AccLiftExtents extents, AccLiftElement element, gpointer data);

/* An operation each element of whose result follows from its index. */
typedef struct {
  AccExpr  *(*extents) (AccLift *self, AccArray *node, AccExpr *k);
  AccExpr  *(*element) (AccLift *self, AccArray *node, AccExpr *k, AccExpr *index);
  /* The same operation on regular inputs, with another outermost dimension; NULL: it cannot be that. */
  AccArray *(*regular) (AccLift *self, AccArray *node, AccArray **inputs);
  /* On flat values of inputs that lie alike; NULL: it cannot be that. */
  AccArray *(*flat)    (AccLift *self, AccArray *node, AccArray **values, AccNesting *nesting);
} AccLiftKind;

/* A rule for such an operation. */
AccLifted *acc_lift_elements (AccLift *self, AccArray *node, const AccLiftKind *kind);

/* Rows of regular elements as segments: where each begins and ends, and how many there are of them. */
AccArray  *acc_lift_offsets_of_row  (AccArray *values);
AccExpr   *acc_lift_extents_of_rows (AccArray *values);
/* A fold or scan of floats of what takes the place of what is the same for all, but may be irregular in other steps: along segments, as
 * there. NULL: @node is none. */
AccArray  *acc_lift_rows_of_constant (AccLift *self, AccArray *node);

/* For acc_lift_make(): what is there in an AccLifted. */
AccExpr   *acc_lift_element_of_lifted (AccLift *self, AccExpr *k, AccExpr *index, gpointer lifted);

/* Which elements have @flags: their numbers; and for each element its place among them, or -1. */
AccArray  *acc_lift_select          (AccLift *self, AccArray *flags, AccArray **places);
/* Elements number @selection of the frame @self, for one of as many. */
AccLifted *acc_lift_gather          (AccLift *self, AccLifted *lifted, AccArray *selection);
/* For each element that of @first at the place in @places (i8), or of @second at its own place where that is negative; or at what comes
 * behind the places of @second if given. */
AccLifted *acc_lift_merge           (AccLift *self, AccLifted *first, AccArray *places, AccLifted *second, AccArray *second_places);
